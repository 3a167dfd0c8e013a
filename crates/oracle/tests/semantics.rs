//! Tiny games for the awkward cases of `shared/semantics.md` that have to do with evaluation, and for the
//! ways in which a hostile description could make an evaluator run on or fall over.

use groundrules_gdl::{Game, Options, read};
use groundrules_oracle::playout::End;
use groundrules_oracle::{Budget, Oracle, OracleError, Plays, State, random_playout};

fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &Options { lenient: true, ..Options::default() });
    checked.game.unwrap_or_else(|| panic!("{:?}: {text}", checked.reason))
}

fn oracle(text: &str) -> Oracle {
    Oracle::new(&game(text), Budget::steps(1_000_000)).unwrap()
}

/// A game with one role `you`, one move `go`, and these rules; gives what holds initially as `(next f)`.
fn follows(rules: &str) -> Vec<String> {
    let text = format!("(role you) (legal you go) (goal you 100) (<= terminal (true over)) {rules}");
    let mut oracle = oracle(&text);
    let first = oracle.initial_state();
    after(&mut oracle, &first, &["go"])
}

fn after(oracle: &mut Oracle, state: &State, joint: &[&str]) -> Vec<String> {
    let joint: Vec<String> = joint.iter().map(|&made| made.to_owned()).collect();
    let next = Plays::next_state(oracle, state, &joint).unwrap();
    oracle.fluents(&next).unwrap()
}

#[test]
fn letter_case_does_not_count_and_the_first_spelling_is_printed() {
    let text = "(ROLE White) (init (At ONE)) (<= (Legal white (Go ?X)) (TRUE (at ?x)))
                (<= (next (AT one)) (Does WHITE (go One)))
                (<= terminal (true over)) (goal white 0)";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    assert_eq!(Plays::roles(&mut oracle).unwrap(), ["White"]);
    assert_eq!(Plays::legal(&mut oracle, &first).unwrap(), [["(Go ONE)"]]);
    assert_eq!(after(&mut oracle, &first, &["(gO oNE)"]), ["(At ONE)"]);
}

#[test]
fn a_rule_without_a_body_is_a_fact() {
    assert_eq!(follows("(<= p) (<= (next a) p)"), ["a"]);
}

#[test]
fn a_proposition_is_the_same_with_and_without_parentheses() {
    assert_eq!(follows("(open) (<= shut (not open)) (<= (next a) open (not (shut)))"), ["a"]);
    let mut oracle = oracle(
        "(role you) (legal you go) (<= (terminal) (true (end))) (init end) (<= (goal you 7) terminal)",
    );
    let first = oracle.initial_state();
    assert!(oracle.is_terminal(&first).unwrap());
    assert_eq!(Plays::goals(&mut oracle, &first).unwrap(), [["7"]]);
}

#[test]
fn disjunctions_of_one_and_of_nothing() {
    assert_eq!(follows("(p) (<= (next a) (or p)) (<= (next b) (or)) (<= (next c) (not (or)))"), ["a", "c"]);
}

#[test]
fn disjunctions_and_conjunctions_nest() {
    let facts = "(p 1) (p 2) (q 2) (q 3) (r 3)";
    let rules = "(<= (next (a ?x)) (or (p ?x) (and (q ?x) (r ?x))))
                 (<= (next (b ?x)) (p ?x) (or (and (q ?x) (or (r ?x) (distinct ?x 5))) (r ?x)))
                 (<= (next (c ?x)) (or (p ?x) (q ?x)) (not (and (p ?x) (q ?x))))";
    assert_eq!(follows(&format!("{facts} {rules}")), ["(a 1)", "(a 2)", "(a 3)", "(b 2)", "(c 1)", "(c 3)"]);
}

#[test]
fn negated_disjunctions_mean_neither() {
    let rules = "(p 1) (p 2) (p 3) (q 1) (r 2) (<= (next (a ?x)) (p ?x) (not (or (q ?x) (r ?x))))";
    assert_eq!(follows(rules), ["(a 3)"]);
}

#[test]
fn double_negation_and_equality() {
    let rules = "(p 1) (p 2) (p (f 1)) (<= (next (a ?x)) (not (not (p ?x))))
                 (<= (next (b ?x)) (p ?x) (not (distinct ?x 2)))
                 (<= (next (c ?x)) (p ?x) (p ?y) (not (distinct ?x (f ?y))))
                 (<= (next (d ?x ?y)) (p ?x) (p ?y) (distinct ?x ?y) (distinct ?x (f 1)) (distinct (f ?y) (f
                 (f 1))))";
    assert_eq!(follows(rules), ["(a (f 1))", "(a 1)", "(a 2)", "(b 2)", "(c (f 1))", "(d 1 2)", "(d 2 1)"]);
}

#[test]
fn terms_that_occur_nowhere_are_compared_all_the_same() {
    let rules = "(p 1) (p 2) (<= (next (a ?x)) (p ?x) (distinct (f ?x) (g ?x)))
                 (<= (next (b ?x ?y)) (p ?x) (p ?y) (not (distinct (f ?x) (f ?y))))
                 (<= (next (c ?x)) (p ?x) (not (p (h ?x))))";
    assert_eq!(follows(rules), ["(a 1)", "(a 2)", "(b 1 1)", "(b 2 2)", "(c 1)", "(c 2)"]);
}

#[test]
fn equality_does_not_bind() {
    let unsafe_rule = "(role you) (legal you go) (goal you 1) (<= terminal (true x))
                       (<= (next (a ?x)) (not (distinct ?x 1)))";
    assert!(read(unsafe_rule.as_bytes(), &Options::default()).game.is_none());
}

#[test]
fn numbers_are_symbols() {
    assert_eq!(follows("(p 01) (p 1) (<= (next (a ?x)) (p ?x) (distinct ?x 1))"), ["(a 01)"]);
}

#[test]
fn names_are_kept_apart_by_arity_and_by_kind() {
    assert_eq!(
        follows("(p 1) (p 1 2) (<= (next (a ?x)) (p ?x)) (<= (next (b ?y)) (p ?_x ?y))"),
        ["(a 1)", "(b 2)"]
    );
    assert_eq!(
        follows("(p p) (p (p p)) (<= (next (p ?x)) (p (p ?x))) (<= (next ?x) (p ?x))"),
        ["(p p)", "p"]
    );
    let arities =
        "(q (f 1)) (q (f 1 2)) (q f) (<= (next (a ?x)) (q (f ?x))) (<= (next (b ?x)) (q (f ?x ?_y)))";
    assert_eq!(follows(arities), ["(a 1)", "(b 1)"]);
}

#[test]
fn a_list_of_one_symbol_is_the_symbol() {
    assert_eq!(follows("(p (s (k))) (<= (next (a ?x)) (p (s ?x))) (<= (next b) (p (s k)))"), ["(a k)", "b"]);
}

#[test]
fn roles_stand_in_the_order_of_the_text_and_rules_may_add_some() {
    let text = "(role zoe) (role adam) (role Zoe) (also mia) (also bob) (also adam) (<= (role ?r) (also ?r))
                (<= (legal ?r (greet ?o)) (role ?r) (role ?o) (distinct ?r ?o)) (<= (goal ?r 1) (role ?r))
                (<= terminal (true x))";
    let mut oracle = oracle(text);
    assert_eq!(Plays::roles(&mut oracle).unwrap(), ["zoe", "adam", "bob", "mia"]);
    let first = oracle.initial_state();
    assert_eq!(Plays::legal(&mut oracle, &first).unwrap()[1], ["(greet bob)", "(greet mia)", "(greet zoe)"]);
    let given = oracle.legal(&first).unwrap()[0][0];
    let error = oracle.next_state(&first, &[given]).unwrap_err();
    assert_eq!(error, OracleError::WrongJointMove { roles: 4, given: 1 });
}

#[test]
fn no_goal_and_several_goals_are_answers_too() {
    let text = "(role a) (role b) (role c) (legal a go) (legal b go) (legal c go) (init end)
                (<= terminal (true end))
                (goal a 0) (<= (goal a 100) (true end)) (goal b 50)
                (<= (goal c 1) (true other)) (goal nobody 3)";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    let goals = Plays::goals(&mut oracle, &first).unwrap();
    assert_eq!(goals, [vec!["0", "100"], vec!["50"], vec![]]);
}

#[test]
fn init_rules_are_evaluated_and_duplicates_are_one() {
    let text = "(role you) (n 1) (n 1) (n 2) (<= (init (at ?x)) (n ?x))
                (<= (init (at ?x)) (n ?x)) (init (at 1)) (legal you go)
                (legal you go) (goal you 1) (<= terminal (true x))";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    assert_eq!(oracle.fluents(&first).unwrap(), ["(at 1)", "(at 2)"]);
    assert_eq!(Plays::legal(&mut oracle, &first).unwrap(), [["go"]]);
}

#[test]
fn keywords_may_be_parts_of_terms() {
    let rules = "(init (true (does you go))) (<= (next ?x) (true (true ?x)))
                 (<= (sees you (does ?p ?m)) (does ?p ?m))";
    assert_eq!(follows(rules), ["(does you go)"]);
}

#[test]
fn base_and_input_change_nothing() {
    let rules = "(init (n 1)) (s 1 2) (<= (next (n ?y)) (true (n ?x)) (s ?x ?y))";
    assert_eq!(follows(rules), ["(n 2)"]);
    assert_eq!(follows(&format!("(base (n 1)) (input you stay) {rules}")), ["(n 2)"]);
}

#[test]
fn a_wrapped_description_is_unwrapped() {
    let text = "((role you) (legal you go) (init (at 1)) (goal you 3) (<= terminal (true (at 1))))";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    assert!(oracle.is_terminal(&first).unwrap());
}

#[test]
fn what_is_never_defined_is_false() {
    assert_eq!(follows("(p 1) (<= (next a) ghost) (<= (next (b ?x)) (p ?x) (not (ghost ?x)))"), ["(b 1)"]);
}

#[test]
fn negation_that_is_stratified_by_arguments_only() {
    let text = "(role you) (role me) (legal you go) (legal me go) (<= terminal (true won)) (init won)
                (<= (goal you 100) (true won)) (<= (goal me 100) (true lost))
                (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
                (<= (goal ?r 50) (role ?r) (not (goal ?r 100)) (not (goal ?r 0)))";
    let mut oracle = oracle(text);
    let won = oracle.initial_state();
    assert_eq!(Plays::goals(&mut oracle, &won).unwrap(), [["100"], ["0"]]);
    let neither = oracle.state_of(&[]);
    assert_eq!(Plays::goals(&mut oracle, &neither).unwrap(), [["0"], ["0"]]);
}

#[test]
fn a_chain_of_negations_alternates() {
    let rules = "(s 0 1) (s 1 2) (s 2 3) (s 3 4) (<= (even ?y) (s ?x ?y) (not (even ?x)))
                 (<= (next (a ?x)) (even ?x))";
    assert_eq!(follows(rules), ["(a 1)", "(a 3)"]);
    // Positive recursion and a disjunction inside a group that negates itself.
    let mixed = "(s 0 1) (s 1 2) (s 2 3) (up 2) (up 3)
                 (<= (p ?y) (s ?x ?y) (or (not (p ?x)) (and (p ?x) (up ?y)))) (<= (next (a ?x)) (p ?x))";
    assert_eq!(follows(mixed), ["(a 1)", "(a 2)", "(a 3)"]);
}

#[test]
fn positive_recursion_is_a_least_fixpoint() {
    let ring = "(e 1 2) (e 2 3) (e 3 1) (e 4 4) (<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (e ?x ?y) (r ?y ?z))
                (<= (next (from ?y)) (r 1 ?y)) (<= (next (not_from ?y)) (e ?y ?_z) (not (r 1 ?y)))";
    assert_eq!(follows(ring), ["(from 1)", "(from 2)", "(from 3)", "(not_from 4)"]);
    let mutual = "(<= a b) (<= b a) (<= b (true never)) (<= (next no) a) (<= (next yes) (not a))";
    assert_eq!(follows(mutual), ["yes"]);
    let twice = "(e 1 2) (e 2 3) (e 3 4) (<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (r ?x ?y) (r ?y ?z))
                 (<= (next (to ?y)) (r 1 ?y))";
    assert_eq!(follows(twice), ["(to 2)", "(to 3)", "(to 4)"]);
    // `w` follows in the end from something old beside something new, in either order.
    for both in ["y z", "z y"] {
        let late = "(start) (<= x w) (<= z x) (<= x y) (<= y x) (<= y start) (<= (next yes) w)";
        assert_eq!(follows(&format!("(<= w {both}) {late}")), ["yes"]);
    }
}

#[test]
fn variables_stand_for_whole_fluents_and_moves() {
    let text = "(role you) (init (f (g 1) 2)) (init k) (<= (legal you (do ?x)) (true ?x))
                (<= (next ?x) (does you (do ?x)))
                (<= (next (twin ?x ?x)) (true (f (g ?x) ?_y))) (<= (next same) (true (f ?x ?x)))
                (<= terminal (true same)) (goal you 1)";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    assert_eq!(Plays::legal(&mut oracle, &first).unwrap(), [["(do (f (g 1) 2))", "(do k)"]]);
    assert_eq!(after(&mut oracle, &first, &["(do (f (g 1) 2))"]), ["(f (g 1) 2)", "(twin 1 1)"]);
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let text = "(role you) (init (n 1)) (s 1 2) (s 2 3)
                (<= (legal you (to ?y)) (true (n ?x)) (s ?x ?y)) (legal you stay)
                (<= (next (n ?y)) (does you (to ?y))) (<= (next (n ?x)) (does you stay) (true (n ?x)))
                (<= terminal (true (n 3))) (<= (goal you 9) (true (n 3)))";
    let mut oracle = oracle(text);
    let first = oracle.initial_state();
    let [to_two, stay] = oracle.legal(&first).unwrap()[0][..] else { panic!("two moves") };
    let two = oracle.next_state(&first, &[to_two]).unwrap();
    assert_eq!(oracle.next_state(&first, &[stay]).unwrap(), first);
    assert_eq!(oracle.next_state(&first, &[to_two]).unwrap(), two);
    assert_eq!(Plays::legal(&mut oracle, &two).unwrap(), [["(to 3)", "stay"]]);
    assert_eq!(Plays::legal(&mut oracle, &first).unwrap(), [["(to 2)", "stay"]]);
    assert!(oracle.goals(&two).unwrap()[0].is_empty());
}

#[test]
fn any_relation_can_be_asked_for() {
    let text = "(role you) (role random) (init a) (legal you go) (legal random roll)
                (<= (sees you ?m) (does random ?m))
                (<= terminal (true x)) (goal you 1) (goal random 0) (base a) (base b)";
    let game = game(text);
    let mut oracle = Oracle::new(&game, Budget::steps(10_000)).unwrap();
    let named = |name: &str, arity| game.find_relation(game.symbols().find(name).unwrap(), arity).unwrap();
    let first = oracle.initial_state();
    let joint: Vec<_> = oracle.legal(&first).unwrap().iter().map(|moves| moves[0]).collect();
    let seen = oracle.atoms(named("sees", 2), &first, Some(&joint)).unwrap();
    let words: Vec<String> = seen[0].iter().map(|&term| oracle.kif(term).unwrap()).collect();
    assert_eq!(words, ["you", "roll"]);
    assert!(oracle.atoms(named("sees", 2), &first, None).unwrap().is_empty());
    assert_eq!(oracle.atoms(named("base", 1), &first, None).unwrap().len(), 2);
}

#[test]
fn a_playout_ends_where_a_role_has_no_move() {
    let text = "(role a) (role b) (init (n 1)) (legal a go) (<= (legal b go) (true (n 1)))
                (<= (next (n 2)) (true (n 1)))
                (<= terminal (true (n 3))) (goal a 1) (goal b 1)";
    let playout = random_playout(&mut oracle(text), 1, 10).unwrap();
    assert_eq!((playout.end, playout.joints.len()), (End::NoLegalMove(1), 1));
    let endless = text.replace("(<= (legal b go) (true (n 1)))", "(legal b go) (legal b stay)");
    let playout = random_playout(&mut oracle(&endless), 1, 10).unwrap();
    assert_eq!((playout.end, playout.states.len()), (End::StepLimit, 11));
    let again = random_playout(&mut oracle(&endless), 1, 10).unwrap();
    assert_eq!(again.joints, playout.joints);
}

#[test]
fn the_budget_stops_what_would_run_on() {
    let numbers: String = (0..50).map(|number| format!("(n {number})")).collect();
    let text = format!(
        "{numbers} (role you) (legal you go) (goal you 1) (<= terminal (true x))
         (<= (p ?a ?b ?c ?d ?e ?f) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))
         (<= (next y) (p 1 2 3 4 5 6) (true x))"
    );
    let error = Oracle::new(&game(&text), Budget::steps(100_000)).unwrap_err();
    assert!(matches!(&error, OracleError::OutOfSteps { rule } if rule.starts_with("(<= (p ?a")), "{error}");
}

#[test]
fn more_budget_goes_on_where_less_stopped() {
    let text = "(role you) (legal you go) (goal you 1) (<= terminal (true x)) (e 1 2) (e 2 3) (e 3 4)
                (<= (next (r ?x ?y)) (r ?x ?y))
                (<= (r ?x ?y) (e ?x ?y) (not (true x))) (<= (r ?x ?z) (e ?x ?y) (r ?y ?z))";
    let mut oracle = oracle(text);
    let (first, go) = (oracle.initial_state(), oracle.term("go").unwrap());
    oracle.refill(Budget::steps(60));
    assert!(matches!(oracle.next_state(&first, &[go]), Err(OracleError::OutOfSteps { .. })));
    oracle.refill(Budget::steps(10_000));
    assert_eq!(oracle.next_state(&first, &[go]).unwrap().fluents().len(), 6);
}

#[test]
fn terms_may_grow_from_state_to_state() {
    let text = "(role you) (legal you go) (goal you 1) (<= terminal (true x)) (init a)
                (<= (next (f ?x ?x)) (true ?x))";
    let mut oracle = oracle(text);
    let go = oracle.term("go").unwrap();
    let mut state = oracle.initial_state();
    for _ in 0..100 {
        state = oracle.next_state(&state, &[go]).unwrap();
    }
    assert!(matches!(oracle.kif(state.fluents()[0]), Err(OracleError::LongTerm { .. })));
}

#[test]
fn depth_is_no_danger() {
    let deep = |inner: &str| format!("{}{inner}{}", "(s ".repeat(5_000), ")".repeat(5_000));
    let rules = format!("(init (n {})) (<= (next (n ?x)) (true (n {})))", deep("z"), deep("?x"));
    assert_eq!(follows(&rules), ["(n z)"]);
    let long_body: String = (0..1_100).map(|number| format!("(true (n ?x{number}))")).collect();
    let text = format!(
        "(role you) (legal you go) (goal you 1) (<= terminal (true x)) (init (n 1)) (<= (next y) {long_body})"
    );
    let mut oracle = oracle(&text);
    oracle.refill(Budget::steps(100_000_000));
    let (first, go) = (oracle.initial_state(), oracle.term("go").unwrap());
    assert!(matches!(oracle.next_state(&first, &[go]), Err(OracleError::LargeRule { .. })));
}
