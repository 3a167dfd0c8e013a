% Random playouts of a game whose rules come after this text. Everything is counted in Prolog itself, so that nothing
% is written or read while the clock runs. Called with the processor seconds to play, the most joint moves of a playout
% and a seed; writes one JSON object.

:- encoding(utf8).
:- set_prolog_flag(verbose, silent).
:- style_check([-singleton, -discontiguous, -no_effect, -var_branches]).
:- use_module(library(lists)).
:- use_module(library(random)).
:- dynamic gdl_true/1, gdl_does/2.

main :-
    current_prolog_flag(argv, [Seconds0, Most0, Seed0]),
    maplist(atom_number, [Seconds0, Most0, Seed0], [Seconds, Most, Seed]),
    set_random(seed(Seed)),
    findall(Role, gdl_role(Role), Roles0),
    list_to_set(Roles0, Roles),
    findall(Fluent, gdl_init(Fluent), Initial0),
    sort(Initial0, Initial),
    maplist([_, moments(0, 0, 0)]>>true, Roles, Goals),
    statistics(cputime, Begin),
    Deadline is Begin + Seconds,
    maplist([Counter]>>flag(Counter, _, 0), [playouts, states, unfinished, unplayable]),
    nb_setval(tally, tally(moments(0, 0, 0), Goals)),
    repeat,
    playout(Initial, Roles, Most, Deadline),
    statistics(cputime, Now),
    Now >= Deadline,
    !,
    Played is Now - Begin,
    maplist([Counter, Count]>>flag(Counter, Count, Count), [playouts, states, unfinished, unplayable], Counts),
    nb_getval(tally, tally(Lengths, Totals)),
    append(Counts, [Played, Begin], Figures),
    json(Lengths, LengthsJson),
    maplist(json, Totals, TotalsJson),
    atomic_list_concat(TotalsJson, ',', TotalsText),
    format('{"playouts":~d,"states":~d,"unfinished":~d,"unplayable":~d,"seconds":~6f,"setup_seconds":~6f,',
           Figures),
    format('"lengths":~w,"goals":[~w]}~n', [LengthsJson, TotalsText]).

json(moments(Count, Sum, Squares), Json) :-
    format(atom(Json), '{"count":~d,"sum":~d,"squares":~d}', [Count, Sum, Squares]).

playout(Initial, Roles, Most, Deadline) :-
    become(Initial),
    step(0, Roles, Most, Deadline),
    !.

step(Length, Roles, Most, Deadline) :-
    (   once(gdl_terminal)
    ->  maplist(goals, Roles, Goals),
        finished(Length, Goals)
    ;   Length >= Most
    ->  count(unfinished),
        finished(Length, [])
    ;   statistics(cputime, Now),
        Now >= Deadline
    ->  true
    ;   moves(Roles, Joint)
    ->  next_state(Roles, Joint),
        count(states),
        Longer is Length + 1,
        step(Longer, Roles, Most, Deadline)
    ;   count(unplayable),
        finished(Length, [])
    ).

moves([], []).
moves([Role|Roles], [Move|Moves]) :-
    findall(Legal, gdl_legal(Role, Legal), Legals0),
    sort(Legals0, Legals),
    length(Legals, Count),
    Count > 0,
    Index is random(Count),
    nth0(Index, Legals, Move),
    moves(Roles, Moves).

next_state(Roles, Joint) :-
    retractall(gdl_does(_, _)),
    does(Roles, Joint),
    forget_after_moves,
    findall(Fluent, gdl_next(Fluent), Fluents0),
    sort(Fluents0, Fluents),
    become(Fluents).

does([], []).
does([Role|Roles], [Move|Moves]) :-
    assertz(gdl_does(Role, Move)),
    does(Roles, Moves).

become(Fluents) :-
    retractall(gdl_true(_)),
    hold(Fluents),
    forget_after_moves.

hold([]).
hold([Fluent|Fluents]) :-
    assertz(gdl_true(Fluent)),
    hold(Fluents).

goals(Role, Values) :-
    findall(Value, (gdl_goal(Role, Goal), atom_number(Goal, Value), integer(Value)), Values0),
    sort(Values0, Values).

count(Counter) :-
    flag(Counter, Old, Old + 1).

finished(Length, Goals) :-
    count(playouts),
    nb_getval(tally, tally(Lengths0, Totals0)),
    add([Length], Lengths0, Lengths),
    (   Goals == []
    ->  Totals = Totals0
    ;   maplist(add, Goals, Totals0, Totals)
    ),
    nb_setval(tally, tally(Lengths, Totals)).

add([Number], moments(Count0, Sum0, Squares0), moments(Count, Sum, Squares)) :-
    !,
    Count is Count0 + 1,
    Sum is Sum0 + Number,
    Squares is Squares0 + Number * Number.
add(_, Moments, Moments).
