//! Small games written by hand, each for one shape that a grounder could get wrong. A game's reason says what.

/// A small game.
pub(crate) struct Tricky {
    pub(crate) name: &'static str,
    /// What could go wrong.
    pub(crate) why: &'static str,
    pub(crate) text: &'static str,
}

/// The games about what the rules derive.
pub(crate) const DERIVED: &[Tricky] = &[
    Tricky {
        name: "goal by negated goal",
        why: "negation is stratified only by arguments, so relations have no order",
        text: "(role r) (role s) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal r stay)
            (legal s stay) (legal s go) (<= (next (n ?y)) (does s go) (true (n ?x)) (succ ?x ?y))
            (<= (next (n ?x)) (does s stay) (true (n ?x))) (<= terminal (true (n 4)))
            (<= (goal ?r 100) (role ?r) (true (n ?x)) (succ 2 ?x))
            (<= (goal ?r 50) (role ?r) (true (n 4)) (not (goal ?r 100)))
            (<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))",
    },
    Tricky {
        name: "noop when nothing else is legal",
        why: "legal depends on its own negation by name, and is asked for with constants only",
        text: "(role r) (role s) (init (control r)) (next_role r s) (next_role s r) (init (left 2))
            (<= (legal ?r (take 1)) (true (control ?r)) (true (left ?n)) (distinct ?n 0))
            (<= (legal ?r noop) (role ?r) (not (legal ?r (take 1))))
            (<= (next (control ?s)) (true (control ?r)) (next_role ?r ?s)) (minus 2 1) (minus 1 0)
            (<= (next (left ?m)) (true (left ?n)) (does ?r (take ?k)) (minus ?n ?m))
            (<= terminal (true (left 0))) (goal r 50) (goal s 50)",
    },
    Tricky {
        name: "even by negated even",
        why: "a dynamic chain through its own negation, ordered only by the numbers",
        text: "(role r) (init (lamp 1)) (init (lamp 3)) (succ 1 2) (succ 2 3) (succ 3 4) (num 1) (num 2)
            (num 3) (num 4) (<= (legal r (flip ?x)) (num ?x))
            (<= (next (lamp ?x)) (true (lamp ?x)) (not (does r (flip ?x))))
            (<= (next (lamp ?x)) (does r (flip ?x)) (not (true (lamp ?x)))) (<= (even 1) (true (lamp 1)))
            (<= (even ?y) (succ ?x ?y) (true (lamp ?y)) (not (even ?x)))
            (<= (even ?y) (succ ?x ?y) (even ?x) (not (true (lamp ?y)))) (<= terminal (even 4) (even 3))
            (<= (goal r 100) (even 4)) (<= (goal r 0) (not (even 4)))",
    },
    Tricky {
        name: "loops that support themselves",
        why: "positive cycles among ground atoms need the least fixpoint: what holds only by itself does not hold",
        text: "(role r) (init (wire a b)) (init (wire b a)) (init (wire c d)) (node a) (node b) (node c)
            (node d) (init (power c)) (<= (legal r (link ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
            (<= (next (wire ?x ?y)) (true (wire ?x ?y))) (<= (next (wire ?x ?y)) (does r (link ?x ?y)))
            (<= (next (power c)) (true (power c))) (<= (lit ?x) (true (power ?x)))
            (<= (lit ?y) (node ?x) (lit ?x) (true (wire ?x ?y)))
            (<= (lit ?x) (node ?y) (lit ?y) (true (wire ?x ?y))) (<= terminal (lit a))
            (<= (goal r 100) (lit b)) (<= (goal r 0) (node ?x) (not (lit ?x)))",
    },
    Tricky {
        name: "alike in a hidden way",
        why: "a static relation is replaced by its two definitions, of which one has negation, a test and no feature",
        text: "(role r) (thing a) (thing b) (thing c) (thing d) (thing e) (thing f) (thing g) (thing h)
            (feature tall) (feature dark) (has a tall) (has b tall) (has c tall) (has d dark) (has e dark)
            (has a dark) (has h tall) (has h dark) (index 1) (index 2) (index 3) (index 4)
            (<= (legal r (put ?t ?s)) (thing ?t) (index ?s) (not (full ?s))) (legal r wait)
            (<= (full ?s) (true (slot ?s ?t))) (<= (next (slot ?s ?t)) (does r (put ?t ?s)))
            (<= (next (slot ?s ?t)) (true (slot ?s ?t)))
            (<= (alike ?p ?q ?u ?v) (feature ?f) (has ?p ?f) (has ?q ?f) (has ?u ?f) (has ?v ?f))
            (<= (alike ?p ?q ?u ?v) (thing ?p) (thing ?q) (thing ?u) (thing ?v) (not (has ?p dark))
                (not (has ?q dark)) (distinct ?u a) (distinct ?u h) (not (has ?v tall)))
            (<= (first ?p) (true (slot 1 ?p)) (true (slot 2 ?q)) (true (slot 3 ?u)) (true (slot 4 ?v))
                (alike ?p ?q ?u ?v))
            (<= same (true (slot 2 ?p)) (true (slot 1 ?q)) (true (slot 4 ?u)) (true (slot 3 ?v))
                (alike ?p ?q ?u ?v))
            (<= twice (true (slot 1 ?p)) (true (slot 2 ?q)) (true (slot 3 ?u)) (alike ?p ?q ?u ?p))
            (<= terminal (full 1) (full 2) (full 3) (full 4)) (<= (goal r 100) (first ?p) (has ?p dark))
            (<= (goal r 75) (first ?p) (not same)) (<= (goal r 50) same) (<= (goal r 40) twice)
            (<= (goal r 25) (first a) (not twice)) (<= (goal r 0) (first ?p) (not (has ?p dark)))",
    },
    Tricky {
        name: "a line walked both ways",
        why: "the fixpoint is reached from either end, so no fixed order of the atoms does",
        text: "(role r) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (init (at 1)) (init (shut 5))
            (<= (legal r (to ?y)) (true (at ?x)) (or (s ?x ?y) (s ?y ?x))) (legal r (to 5))
            (legal r (to 3)) (<= (next (at ?x)) (does r (to ?x)))
            (<= (next (shut ?x)) (true (at ?x)) (not (does r (to 5)))) (<= (seen ?x) (true (at ?x)))
            (<= (seen ?y) (or (s ?x ?y) (s ?y ?x)) (seen ?x) (not (true (shut ?y))))
            (<= terminal (seen 1) (seen 2) (true (shut 4))) (<= (goal r 1) (seen 1))
            (<= (goal r 2) (seen 5)) (<= (goal r 3) (seen 3))",
    },
    Tricky {
        name: "two relations around a cycle",
        why: "mutual recursion with a negation below it",
        text: "(role r) (e 1 2) (e 2 3) (e 3 1) (e 3 4) (init (at 1)) (init (shut 3))
            (<= (legal r (step ?y)) (true (at ?x)) (e ?x ?y)) (legal r wait)
            (<= (next (at ?x)) (does r (step ?x))) (<= (next (at ?x)) (true (at ?x)) (does r wait))
            (<= (next (shut ?y)) (true (shut ?x)) (e ?x ?y)) (<= (p ?x) (true (at ?x)))
            (<= (p ?y) (e ?x ?y) (q ?x)) (<= (q ?x) (e ?x ?y) (p ?x) (not (true (shut ?x))))
            (<= terminal (p 4) (q 3)) (<= (goal r 100) (p 4)) (<= (goal r 30) (not (p 4)) (q 2))",
    },
    Tricky {
        name: "transitive closure and what it misses",
        why: "static recursion, then static negation, then a second recursion above it",
        text: "(role r) (e a b) (e b c) (e d d) (v a) (v b) (v c) (v d) (init (at a))
            (<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (e ?x ?y) (reach ?y ?z))
            (<= (apart ?x ?y) (v ?x) (v ?y) (not (reach ?x ?y)) (not (reach ?y ?x)))
            (<= (far ?x ?y) (apart ?x ?y)) (<= (far ?x ?z) (apart ?x ?y) (far ?y ?z))
            (<= (legal r (jump ?y)) (true (at ?x)) (or (apart ?x ?y) (reach ?x ?y)))
            (<= (next (at ?y)) (does r (jump ?y))) (<= terminal (true (at ?x)) (far ?x b) (reach ?x d))
            (<= (goal r 10) (true (at ?x)) (not (far ?x a)))",
    },
    Tricky {
        name: "columns that never matter",
        why: "projected columns may not lose or multiply what holds",
        text: "(role r) (tag t1) (tag t2) (n 1) (n 2) (n 3) (init (pile 1 t1 t2)) (init (pile 2 t2 t2))
            (init (pile 2 t1 t1)) (<= (big ?x ?a ?b) (true (pile ?x ?a ?b)) (distinct ?x 1))
            (<= (any ?x) (big ?x ?a ?b)) (<= some (any ?x)) (<= (same ?x) (big ?x ?a ?a))
            (<= (legal r (drop ?x)) (n ?x))
            (<= (next (pile ?x ?a ?b)) (true (pile ?x ?a ?b)) (does r (drop ?y)) (distinct ?x ?y))
            (<= terminal (not some)) (<= (goal r 100) (same 2)) (<= (goal r 0) (not (same 2)))",
    },
    Tricky {
        name: "a body in three parts",
        why: "parts of a body that share no variable are each about whether something exists",
        text: "(role r) (role s) (x a) (x b) (init (p a)) (init (q b)) (f a b) (f b a)
            (<= (legal ?r (set ?y)) (role ?r) (x ?y)) (<= (legal ?r (clear ?y)) (role ?r) (x ?y))
            (<= (next (p ?y)) (does r (set ?y))) (<= (next (p ?y)) (true (p ?y)) (not (does r (clear ?y))))
            (<= (next (q ?y)) (does s (set ?y))) (<= (next (q ?y)) (true (q ?y)) (not (does s (clear ?y))))
            (<= both (true (p ?y)) (f ?y ?z) (true (q ?w)) (f ?w ?v) (role ?r) (x ?u) (distinct ?u ?y))
            (<= (mixed ?k) (x ?k) (true (p ?y)) (true (q ?w)) (distinct ?y ?w))
            (<= terminal both (mixed a) (true (p b)) (true (q b))) (<= (goal ?r 60) (role ?r) both)
            (<= (goal ?r 20) (role ?r) (not both))",
    },
    Tricky {
        name: "a chain of joins",
        why: "variables can be put away one after the other, but not the ones that are needed at the end",
        text: "(role r) (n 1) (n 2) (n 3) (init (q 1 2)) (init (s 3)) (l 2 3) (l 1 3) (l 3 1)
            (<= (legal r (put ?x ?y)) (n ?x) (n ?y))
            (<= (next (q ?x ?y)) (true (q ?x ?y)) (does r (put ?y ?z)))
            (<= (next (q ?x ?y)) (does r (put ?x ?y)))
            (<= (next (s ?x)) (true (s ?x)) (not (does r (put ?x ?x))))
            (<= (next (s ?x)) (does r (put ?x 3)))
            (<= (hit ?x) (true (q ?x ?y)) (l ?y ?z) (true (s ?z)) (not (true (q ?z ?x))))
            (<= (ends ?x ?w) (true (q ?x ?y)) (true (q ?y ?z)) (l ?z ?w)) (<= terminal (ends 3 3))
            (<= (goal r 80) (hit 1)) (<= (goal r 5) (ends ?x ?x))",
    },
    Tricky {
        name: "asked for with constants only",
        why: "what is never asked for may be left out, what is asked for may not",
        text: "(role r) (n 1) (n 2) (n 3) (m 1 a) (m 2 b) (m 3 a) (init (on 1)) (init (on 3))
            (<= (v ?x ?k) (true (on ?x)) (m ?x ?k)) (<= (v ?x c) (n ?x) (not (v ?x a)) (not (v ?x b)))
            (<= (legal r (tog ?x)) (n ?x))
            (<= (next (on ?x)) (true (on ?x)) (does r (tog ?y)) (distinct ?x ?y))
            (<= (next (on ?x)) (does r (tog ?x)) (not (true (on ?x)))) (<= terminal (v 2 b) (v 3 c))
            (<= (goal r 100) (v 2 b)) (<= (goal r 1) (v 2 c))",
    },
    Tricky {
        name: "disjunctions in disjunctions",
        why: "static and dynamic alternatives mixed, negated, empty and single",
        text: "(role r) (n 1) (n 2) (n 3) (odd 1) (odd 3) (init (on 1)) (init flag)
            (<= (legal r (tog ?x)) (n ?x)) (<= (legal r quit) (or)) (<= (legal r pass) (or (true flag)))
            (<= (next (on ?x)) (n ?x) (or (does r (tog ?x)) (and (true (on ?x)) (not (or (odd ?x) (true flag))))))
            (<= (next flag) (not (or (true (on 2)) (does r pass))))
            (<= (k ?x) (or (and (true (on ?x)) (or (odd ?x) (true flag))) (and (odd ?x) (not (true (on ?x))))))
            (<= terminal (not (or (k 1) (not (k 3)) (true flag)))) (<= (goal r 10) (or (k 1) (k 2)))
            (<= (goal r 20) (not (or (not (k 1)) (not (k 3)))))",
    },
    Tricky {
        name: "equal and unequal",
        why: "equality tests between variables, constants and nested terms, some of them decided",
        text: "(role r) (n 1) (n 2) (n (s 1)) (n (s 2)) (init (at 1))
            (<= (legal r (go ?x)) (n ?x) (true (at ?y)) (distinct ?x ?y))
            (<= (next (at ?x)) (does r (go ?x))) (<= (q ?x ?y) (n ?x) (n ?y) (not (distinct ?x (s ?y))))
            (<= (up ?y) (true (at ?x)) (q ?x ?y) (not (distinct ?x ?x)) (distinct (s ?x) (s ?y)))
            (<= never (true (at ?x)) (distinct ?x ?x)) (<= (w ?x) (true (at ?x)) (not (distinct ?x 2)))
            (<= terminal (or never (up 2))) (<= (goal r 7) (up 1)) (<= (goal r 8) (w 2))
            (<= (goal r 9) (w 1))",
    },
    Tricky {
        name: "the end and the goals in bodies",
        why: "terminal and goal are relations like others",
        text: "(role r) (role s) (init (c 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal r stay)
            (legal s stay) (legal r go) (<= (next (c ?y)) (true (c ?x)) (succ ?x ?y) (not terminal))
            (<= (next (c ?x)) (true (c ?x)) (does r go)) (<= terminal (true (c 3)))
            (<= (goal r 100) (true (c ?x)) (succ ?x 3)) (<= (goal r 0) (role r) (not terminal))
            (<= (goal s ?v) (goal r ?v) (distinct ?v 100)) (<= (next best) (goal ?r 100) (does ?r stay))",
    },
    Tricky {
        name: "six cells that fit together",
        why: "two static relations that are computed as they are asked are one table, and that a chain of small ones",
        text: "(role r) (number 1) (number 2) (number 3) (succ 1 2) (succ 2 3) (init (step 1))
            (mark a) (mark b) (mark c) (up a b) (up b c) (fine a)
            (<= (fine ?y) (up ?x ?y) (not (wrong ?x))) (<= (wrong ?y) (up ?x ?y) (not (fine ?x)))
            (plus a a a) (plus a b b) (plus a c c) (plus b a b) (plus b b c) (plus b c a) (plus c a c)
            (plus c b a) (plus c c b) (<= (init (cell ?x ?y a)) (number ?x) (number ?y))
            (<= (six ?a ?b ?c ?d ?e ?f) (plus ?a ?b ?s) (plus ?s ?c ?t) (plus ?t ?d ?u) (plus ?u ?e ?v)
                (plus ?v ?f ?w) (least ?w) (fine ?w)) (least a)
            (<= (mixed ?a ?b ?c ?d ?e ?f) (fine ?c) (mark ?a) (mark ?b) (mark ?d) (mark ?e) (mark ?f)
                (fine ?a) (distinct ?a ?b))
            (<= (good ?x ?y) (succ ?x ?x2) (succ ?y ?y2) (succ ?y2 ?y3) (true (cell ?x ?y ?a))
                (true (cell ?x ?y2 ?b)) (true (cell ?x ?y3 ?c)) (true (cell ?x2 ?y ?d))
                (true (cell ?x2 ?y2 ?e)) (true (cell ?x2 ?y3 ?f)) (six ?a ?b ?c ?d ?e ?f)
                (mixed ?a ?b ?c ?d ?e ?f))
            (<= (legal r (put ?x ?y ?m)) (number ?x) (number ?y) (mark ?m) (not (good ?x ?y)))
            (<= (next (cell ?x ?y ?m)) (does r (put ?x ?y ?m)))
            (<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)) (does r (put ?u ?v ?n))
                (or (distinct ?x ?u) (distinct ?y ?v)))
            (<= terminal (good 1 1) (good 2 1)) (<= (goal r 100) (good 1 1)) (<= (goal r 60) (good 2 1))
            (<= (goal r 0) (not (good 1 1)) (not (good 2 1)))",
    },
    Tricky {
        name: "two that exclude each other",
        why: "of static relations that are computed as they are asked nothing is left together, or one row",
        text: "(role r) (mark a) (mark b) (mark c) (up a b) (up b c) (fine a) (init (now a a))
            (<= (fine ?y) (up ?x ?y) (not (wrong ?x))) (<= (wrong ?y) (up ?x ?y) (not (fine ?x)))
            (<= (legal r (put ?m ?n)) (mark ?m) (mark ?n)) (<= (next (now ?m ?n)) (does r (put ?m ?n)))
            (<= (less ?m ?n) (up ?m ?n) (fine ?n)) (<= (more ?m ?n) (up ?n ?m) (fine ?m))
            (<= (far ?m ?n) (up ?m ?x) (up ?x ?n) (fine ?m)) (<= (pair ?m ?n) (fine ?m) (mark ?n) (up ?m ?x))
            (<= terminal (true (now ?m ?n)) (less ?m ?n) (more ?m ?n))
            (<= (goal r 100) (true (now ?m ?n)) (far ?m ?n) (pair ?m ?n))
            (<= (goal r 0) (true (now ?m ?n)) (not (far ?m ?n)))",
    },
];

/// The games about what stays from one state to the next.
pub(crate) const FRAMES: &[Tricky] = &[
    Tricky {
        name: "cells by one distinct",
        why: "the usual frame rule: all places but the marked one stay",
        text: "(role r) (role s) (p 1) (p 2) (p 3) (init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b))
            (init (control r)) (<= (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
            (<= (legal r noop) (true (control s))) (<= (legal s noop) (true (control r)))
            (<= (next (cell ?x ?r)) (does ?r (mark ?x)))
            (<= (next (cell ?x ?v)) (true (cell ?x ?v)) (does ?r (mark ?y)) (distinct ?x ?y))
            (<= (next (control s)) (true (control r))) (<= (next (control r)) (true (control s)))
            (<= open (true (cell ?x b))) (<= terminal (not open)) (goal r 50)
            (<= (goal s 70) (true (cell 1 s)))",
    },
    Tricky {
        name: "cells by two distincts",
        why: "a frame rule with a disjunction over the two coordinates",
        text: "(role r) (i 1) (i 2) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 w))
            (init (cell 2 2 b)) (<= (legal r (mark ?x ?y)) (true (cell ?x ?y b))) (legal r pass)
            (<= (next (cell ?x ?y w)) (does r (mark ?x ?y)))
            (<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)) (does r (mark ?u ?w)) (or (distinct ?x ?u) (distinct ?y ?w)))
            (<= (next (cell ?x ?y ?v)) (does r pass) (true (cell ?x ?y ?v)) (distinct ?x ?y))
            (<= terminal (not (true (cell 1 1 b))) (not (true (cell 2 2 b))))
            (<= (goal r 9) (true (cell 1 ?y w)))",
    },
    Tricky {
        name: "cells by a static relation",
        why: "a frame rule whose inequality is a relation, once complete and once with a gap",
        text: "(role r) (p 1) (p 2) (p 3) (init (x 1)) (init (x 2)) (init (x 3)) (init (y 1)) (init (y 2))
            (init (y 3)) (<= (other ?a ?b) (p ?a) (p ?b) (distinct ?a ?b)) (gap 1 2) (gap 2 1) (gap 3 1)
            (<= (legal r (hit ?a)) (p ?a)) (legal r rest)
            (<= (next (x ?a)) (true (x ?a)) (does r (hit ?b)) (other ?a ?b))
            (<= (next (y ?a)) (true (y ?a)) (does r (hit ?b)) (gap ?a ?b))
            (<= (next (x ?a)) (does r rest) (true (x ?a)))
            (<= terminal (not (true (x 1))) (not (true (x 2)))) (<= (goal r 3) (true (y 3)))
            (<= (goal r 4) (true (x 3)))",
    },
    Tricky {
        name: "cells by a relation of what changed",
        why: "a frame rule that negates a relation about the moves",
        text: "(role r) (role s) (p 1) (p 2) (p 3) (init (t 1 a)) (init (t 2 a)) (init (t 3 b)) (swap a b)
            (swap b a) (<= (legal r (flip ?x)) (p ?x))
            (<= (legal s (spin ?x ?y)) (p ?x) (p ?y) (distinct ?x ?y)) (legal s noop)
            (<= (changed ?x) (does r (flip ?x))) (<= (changed ?x) (does s (spin ?x ?y)))
            (<= (next (t ?x ?v)) (true (t ?x ?v)) (not (changed ?x)))
            (<= (next (t ?x ?w)) (true (t ?x ?v)) (changed ?x) (swap ?v ?w))
            (<= terminal (true (t 1 b)) (true (t 2 b))) (<= (goal ?r 25) (role ?r) (true (t 3 a)))",
    },
    Tricky {
        name: "frames with negated moves",
        why: "not does, with a role constant, a role variable and several roles",
        text: "(role r) (role s) (role u) (p 1) (p 2) (init (a 1)) (init (a 2)) (init (b 1)) (init (b 2))
            (init (c 1)) (init (c 2)) (<= (legal ?r (cut ?x)) (role ?r) (p ?x))
            (<= (legal ?r noop) (role ?r) (distinct ?r s))
            (<= (next (a ?x)) (true (a ?x)) (not (does s (cut ?x))))
            (<= (next (b ?x)) (true (b ?x)) (role ?r) (distinct ?r u) (not (does ?r (cut ?x))))
            (<= (next (c ?x)) (true (c ?x)) (not (does r (cut ?x))) (not (does u (cut ?x))) (not (does r (cut nothing))))
            (<= terminal (not (true (b 1))) (not (true (b 2)))) (<= (goal ?r 1) (role ?r) (true (c 1)))",
    },
    Tricky {
        name: "two moves at once",
        why: "frame rules over the moves of two roles, which share variables or may not be equal",
        text: "(role r) (role s) (p 1) (p 2) (p 3) (init (a 1)) (init (a 2)) (init (a 3)) (init (b 1))
            (init (b 2)) (<= (legal ?r (pick ?x)) (role ?r) (p ?x))
            (<= (legal r (near ?x ?y)) (p ?x) (p ?y) (true (a ?x)))
            (<= (next (a ?x)) (true (a ?x)) (does r (pick ?y)) (does s (pick ?z)) (distinct ?x ?y) (distinct ?x ?z))
            (<= (next (a ?x)) (does r (pick ?x)) (does s (pick ?x)))
            (<= (next (b ?x)) (true (b ?x)) (does r (near ?x ?y)) (does s (pick ?y)))
            (<= (next (b ?y)) (does r (near ?x ?y)) (does s (pick ?z)) (distinct ?y ?z))
            (<= terminal (not (true (a 1)))) (<= (goal r 30) (true (a ?x)) (true (b ?x))) (goal s 0)",
    },
    Tricky {
        name: "two tokens at once",
        why: "a control token that looks exclusive and is not: two hold at the beginning",
        text: "(role r) (role s) (init (control r)) (init (control s)) (after r s) (after s r)
            (<= (legal ?r (say ?x)) (true (control ?r)) (after ?r ?x))
            (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
            (<= (legal ?r yield) (true (control ?r))) (<= (next (control ?s)) (does ?r (say ?s)))
            (<= (next (said ?r ?s)) (does ?r (say ?s))) (<= clash (true (control r)) (true (control s)))
            (<= terminal (not clash) (true (said r s))) (<= (goal ?r 90) (true (control ?r)) (not clash))
            (<= (goal ?r 10) (role ?r) clash)",
    },
    Tricky {
        name: "cells with two values",
        why: "a cell that looks exclusive and is not: writing does not erase",
        text: "(role r) (p 1) (p 2) (v a) (v b) (init (cell 1 a)) (init (cell 2 b))
            (<= (legal r (write ?x ?v)) (p ?x) (v ?v)) (<= (next (cell ?x ?v)) (does r (write ?x ?v)))
            (<= (next (cell ?x ?v)) (true (cell ?x ?v)) (does r (write ?y b)))
            (<= (next (cell ?x ?v)) (true (cell ?x ?v)) (does r (write ?y a)) (distinct ?x ?y))
            (<= (two ?x) (true (cell ?x ?v)) (true (cell ?x ?w)) (distinct ?v ?w))
            (<= (none ?x) (p ?x) (not (true (cell ?x a))) (not (true (cell ?x b))))
            (<= terminal (two 1) (two 2)) (<= (goal r 66) (two 1))
            (<= (goal r 33) (not (two 1)) (not (none 1)))",
    },
    Tricky {
        name: "constant and almost constant",
        why: "fluents that always hold, never hold, or hold until a move that is hardly ever made",
        text: "(role r) (p 1) (p 2) (init (wall 1)) (init (door 1)) (init (door 2)) (init (seen 1))
            (init (c 1)) (s 1 2) (s 2 3) (s 3 4)
            (<= (legal r (go ?x)) (p ?x) (true (door ?x)) (not (true (wall ?x)))) (legal r wait)
            (<= (legal r blast) (true (c 3))) (<= (next (wall ?x)) (true (wall ?x)))
            (<= (next (door ?x)) (true (door ?x)) (not (does r blast)))
            (<= (next (seen ?x)) (true (seen ?x))) (<= (next (seen ?x)) (does r (go ?x)))
            (<= (next (ghost ?x)) (true (ghost ?x))) (<= (next (c ?y)) (true (c ?x)) (s ?x ?y))
            (<= terminal (true (c 4)) (true (wall 1))) (<= terminal (true (ghost 1)))
            (<= (goal r 100) (true (seen 2)) (not (true (door 2)))) (<= (goal r 50) (true (door 2)))",
    },
    Tricky {
        name: "a state that empties",
        why: "fluents without a frame rule vanish, and the state can be empty",
        text: "(role r) (p 1) (p 2) (init (a 1)) (init (b 2)) (<= (legal r (put ?x)) (p ?x)) (legal r noop)
            (<= (next (a ?x)) (does r (put ?x))) (<= (next (b ?x)) (true (a ?x)) (does r (put ?y)))
            (<= something (true (a ?x))) (<= something (true (b ?x)))
            (<= terminal (true (b 1)) (true (a 1))) (<= (goal r 0) (not something))
            (<= (goal r 11) something)",
    },
    Tricky {
        name: "no beginning",
        why: "without init the first state is empty, and everything is made by moves",
        text: "(role r) (k 1) (k 2) (k 3) (<= (legal r (say ?x)) (k ?x) (not (true (said ?x))))
            (<= (next (said ?x)) (does r (say ?x)))
            (<= (next (said ?x)) (true (said ?x)) (not (does r (say ?x))))
            (<= terminal (true (said 1)) (true (said 2)) (true (said 3))) (<= (goal r 5) (true (said ?x)))",
    },
    Tricky {
        name: "a counter and its last step",
        why: "the counter runs out: after the last step no counter holds",
        text: "(role r) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal r a)
            (<= (legal r b) (true (step ?x)) (succ ?x ?y) (succ ?y ?z)) (<= (less ?x ?y) (succ ?x ?y))
            (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
            (<= (next (late ?x)) (true (step ?x)) (less 2 ?x)) (<= running (true (step ?x)))
            (<= terminal (not running) (not (true (late 4)))) (<= (goal r 70) (true (step ?x)) (less ?x 3))
            (<= (goal r 71) (not running))",
    },
];

/// The games about roles, moves, whole fluents and the hints.
pub(crate) const SHAPES: &[Tricky] = &[
    Tricky {
        name: "checks through the square that a move leaves",
        why: "relations are split by whether the square passed over is looked at, and another that is captured",
        text: "(role w) (role b) (sq 1) (sq 2) (sq 3) (sq 4) (sq 5) (sq 6) (sq 7) (sq 8) (sq 9)
            (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
            (init (cell 2 e)) (init (cell 4 e)) (init (cell 5 e)) (init (cell 6 e)) (init (cell 7 e)) (init (cell 9 e))
            (init (cell 1 k)) (init (cell 3 g)) (init (cell 8 r)) (init (control w)) (init (step 1))
            (<= (clear ?x ?y ?i) (after ?x ?y) (sq ?i))
            (<= (clear ?x ?z ?i) (after ?x ?y) (true (cell ?y e)) (clear ?y ?z ?i))
            (<= (clear ?x ?z ?y) (after ?x ?y) (clear ?y ?z ?y))
            (<= (seen ?x ?y ?i) (clear ?x ?y ?i)) (<= (seen ?x ?y ?i) (clear ?y ?x ?i))
            (<= (hit ?k ?i ?c) (true (cell ?a r)) (seen ?a ?k ?i) (sq ?c) (distinct ?a ?c))
            (<= (hit ?k ?i ?c) (true (mined ?k)) (sq ?i) (sq ?c))
            (<= (legal w (m ?x ?y)) (true (control w)) (true (cell ?x g)) (seen ?x ?y ?x)
                (true (cell ?k k)) (distinct ?y ?k) (not (hit ?k ?x ?y)))
            (<= (legal w (m ?x ?y)) (true (control w)) (true (cell ?x k)) (or (after ?x ?y) (after ?y ?x))
                (not (true (cell ?y g))) (not (hit ?y ?x ?x)))
            (<= (legal b (m ?x ?y)) (true (control b)) (true (cell ?x r)) (seen ?x ?y 9))
            (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
            (<= (legal w noop) (true (control w)))
            (<= (next (cell ?x e)) (does ?p (m ?x ?y)))
            (<= (next (cell ?y ?c)) (does ?p (m ?x ?y)) (true (cell ?x ?c)))
            (<= (next (cell ?z ?c)) (does ?p (m ?x ?y)) (true (cell ?z ?c)) (distinct ?z ?x) (distinct ?z ?y))
            (<= (next (cell ?z ?c)) (does w noop) (true (control w)) (true (cell ?z ?c)))
            (<= (next (mined ?x)) (does b (m ?x ?y))) (<= (next (control w)) (true (control b)))
            (<= (next (control b)) (true (control w))) (<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
            (<= alive (true (cell ?x k))) (<= terminal (not alive)) (<= terminal (true (step 9)))
            (<= (goal w 100) alive) (<= (goal w 0) (not alive)) (goal b 50)",
    },
    Tricky {
        name: "checks asked for outside of the domain",
        why: "a relation never holds for what is no square, so its negation must not lose the argument",
        text: "(role w) (role b) (sq 1) (sq 2) (sq 3) (sq 4) (sq 5) (sq 6) (sq 7) (sq 8) (sq 9)
            (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
            (init (cell 2 e)) (init (cell 4 e)) (init (cell 5 e)) (init (cell 6 e)) (init (cell 7 e)) (init (cell 9 e))
            (init (cell 1 k)) (init (cell 3 g)) (init (cell 8 r)) (init (control w)) (init (step 1))
            (<= (clear ?x ?y ?i) (after ?x ?y) (sq ?i))
            (<= (clear ?x ?z ?i) (after ?x ?y) (true (cell ?y e)) (clear ?y ?z ?i))
            (<= (clear ?x ?z ?y) (after ?x ?y) (clear ?y ?z ?y))
            (<= (seen ?x ?y ?i) (clear ?x ?y ?i)) (<= (seen ?x ?y ?i) (clear ?y ?x ?i))
            (<= (hit ?k ?i ?c) (true (cell ?a r)) (seen ?a ?k ?i) (sq ?c) (distinct ?a ?c))
            (<= (hit ?k ?i ?c) (true (mined ?k)) (sq ?i) (sq ?c))
            (<= (legal w (m ?x ?y)) (true (control w)) (true (cell ?x g)) (seen ?x ?y ?x)
                (true (cell ?k k)) (distinct ?y ?k) (not (hit ?k ?x ?y)))
            (<= (legal w (m ?x ?y)) (true (control w)) (true (cell ?x k)) (or (after ?x ?y) (after ?y ?x))
                (not (true (cell ?y g))) (not (hit ?y ?x none)))
            (<= (legal b (m ?x ?y)) (true (control b)) (true (cell ?x r)) (seen ?x ?y 9))
            (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
            (<= (legal w noop) (true (control w)))
            (<= (next (cell ?x e)) (does ?p (m ?x ?y)))
            (<= (next (cell ?y ?c)) (does ?p (m ?x ?y)) (true (cell ?x ?c)))
            (<= (next (cell ?z ?c)) (does ?p (m ?x ?y)) (true (cell ?z ?c)) (distinct ?z ?x) (distinct ?z ?y))
            (<= (next (cell ?z ?c)) (does w noop) (true (control w)) (true (cell ?z ?c)))
            (<= (next (mined ?x)) (does b (m ?x ?y))) (<= (next (control w)) (true (control b)))
            (<= (next (control b)) (true (control w))) (<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
            (<= alive (true (cell ?x k))) (<= terminal (not alive)) (<= terminal (true (step 9)))
            (<= (goal w 100) alive) (<= (goal w 0) (not alive)) (goal b 50)",
    },
    Tricky {
        name: "paths across a board",
        why: "long cycles: one that the state decides, for the end, and one that the move decides, for the next state",
        text: "(role r) (role s) (init (control r)) (i 1) (i 2) (i 3) (i 4) (i 5) (succ 1 2) (succ 2 3) (succ 3 4)
            (succ 4 5) (<= (beside ?a ?b) (succ ?a ?b)) (<= (beside ?a ?b) (succ ?b ?a))
            (<= (near ?x ?y ?u ?y) (i ?y) (beside ?x ?u)) (<= (near ?x ?y ?x ?v) (i ?x) (beside ?y ?v))
            (<= (free ?x ?y) (i ?x) (i ?y) (not (true (stone ?x ?y r))) (not (true (stone ?x ?y s))))
            (<= (legal ?p (mark ?x ?y)) (true (control ?p)) (free ?x ?y))
            (<= (legal ?p wait) (role ?p) (not (true (control ?p)))) (<= open (free ?x ?y))
            (<= (next (stone ?x ?y ?p)) (does ?p (mark ?x ?y)))
            (<= (next (stone ?x ?y ?p)) (true (stone ?x ?y ?p)))
            (<= (next (control s)) (true (control r))) (<= (next (control r)) (true (control s)))
            (<= (reached ?p 1 ?y) (true (stone 1 ?y ?p)))
            (<= (reached ?p ?u ?v) (reached ?p ?x ?y) (near ?x ?y ?u ?v) (true (stone ?u ?v ?p)))
            (<= (group ?x ?y) (does ?p (mark ?x ?y)))
            (<= (group ?u ?v) (group ?x ?y) (near ?x ?y ?u ?v) (true (stone ?u ?v ?p)))
            (<= (next (lit ?x ?y)) (group ?x ?y)) (<= (won ?p) (reached ?p 5 ?y))
            (<= terminal (won ?p)) (<= terminal (not open)) (<= (goal ?p 100) (won ?p))
            (<= (goal ?p 50) (role ?p) (not (won ?p)) (true (lit 3 3)))
            (<= (goal ?p 0) (role ?p) (not (won ?p)) (not (true (lit 3 3))))",
    },
    Tricky {
        name: "pieces that go while others are put",
        why: "where a piece goes and which it is can be told apart, but not the moves of two roles at once",
        text: "(role w) (role b) (place 1) (place 2) (place 3) (place 4) (place 5) (colour red) (colour blue)
            (colour green) (colour grey) (init (at 1 red)) (init (at 2 blue)) (init (at 3 green)) (init (step 1))
            (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
            (<= (legal w (go ?x ?y)) (true (at ?x ?c)) (place ?y) (distinct ?x ?y)) (legal w wait)
            (<= (legal b (put ?y ?c)) (place ?y) (colour ?c) (not (true (at ?y ?c))))
            (<= (legal b (go ?x ?y)) (true (at ?x grey)) (place ?y)) (legal b wait)
            (<= (next (at ?y ?c)) (does w (go ?x ?y)) (true (at ?x ?c)))
            (<= (next (at ?y ?c)) (does b (put ?y ?c)) (not (true (at ?y grey))))
            (<= (next (near ?y ?c)) (does b (go ?x ?y)) (true (at ?x ?c)) (not (true (near ?x ?c))))
            (<= (next (at ?x ?c)) (true (at ?x ?c)) (not (left ?x))) (<= (left ?x) (does w (go ?x ?y)))
            (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 8)))
            (<= (goal w 100) (true (at 5 red))) (<= (goal b 50) (true (near 1 grey)))",
    },
    Tricky {
        name: "a disjunction of negations over nested terms",
        why: "the variable of the composed terms is bound outside the disjunction, not by composing them",
        text:
            "(role r) (q c) (q b) (q a) (base (g 1)) (base (h 1)) (base (f 1 b)) (base (f 3 a)) (base (f 2 a))
            (base (seen x)) (init (seen x)) (<= (missing ?f) (base ?f) (not (true ?f)))
            (<= (next (missed ?f)) (missing ?f)) (<= (next (seen x)) (true (seen x))) (legal r wait)
            (<= (legal r (go ?x)) (q ?x)
                (not (or (not (base (f ?n ?x))) (and (base (g ?n)) (base (h ?n))))))
            (<= terminal (true (missed (g 1)))) (goal r 0)",
    },
    Tricky {
        name: "whole fluents",
        why: "true and next with a variable for the whole fluent, constants among them",
        text: "(role r) (n 1) (n 2) (init (a 1)) (init (b 1 2)) (init c) (keeps (a 1)) (keeps c)
            (<= (keeps (b ?x ?y)) (n ?x) (n ?y)) (<= (legal r (drop ?f)) (true ?f) (keeps ?f))
            (legal r (add 2)) (<= (next ?f) (true ?f) (keeps ?f) (not (does r (drop ?f))))
            (<= (next (a ?x)) (does r (add ?x))) (<= (next (b ?y ?x)) (true (b ?x ?y)) (does r (add 2)))
            (<= (odd_one ?f) (true ?f) (not (keeps ?f))) (<= empty (not some)) (<= some (true ?f))
            (<= terminal empty) (<= terminal (odd_one (a 2)) (not (true c))) (<= (goal r 44) (odd_one ?f))
            (<= (goal r 45) (true c))",
    },
    Tricky {
        name: "whole moves",
        why: "legal made from a helper, moves kept in fluents, does with a variable for the whole move",
        text: "(role r) (role s) (n 1) (n 2)
            (<= (may ?r (go ?x ?y)) (role ?r) (n ?x) (n ?y) (distinct ?x ?y)) (may r stay) (may s stay)
            (init (last r stay)) (init (last s stay))
            (<= (legal ?r ?m) (may ?r ?m) (not (true (last ?r (go 1 2)))))
            (<= (legal ?r stay) (true (last ?r ?m))) (<= (next (last ?r ?m)) (does ?r ?m))
            (<= agree (does r ?m) (does s ?m)) (<= (next agreed) agree)
            (<= (next (busy ?r)) (does ?r ?m) (distinct ?m stay))
            (<= terminal (true agreed) (true (last r (go 1 2)))) (<= (goal ?r 2) (true (busy ?r)))
            (<= (goal ?r 3) (role ?r) (not (true (busy ?r))))",
    },
    Tricky {
        name: "helpers back to front",
        why: "which moves and fluents there are has to be followed through many rules, in any order",
        text: "(role r) (<= (legal ?r ?m) (h1 ?r ?m)) (<= (h1 ?r ?m) (h2 ?m ?r))
            (<= (h2 ?m ?r) (h3 ?r (box ?m))) (<= (h3 ?r (box ?m)) (h4 ?r ?m) (not (true (last ?m))))
            (<= (h4 ?r (go ?x)) (role ?r) (n ?x)) (<= (h4 ?r rest) (role ?r)) (<= (next ?f) (k1 ?f))
            (<= (k1 ?f) (k2 (box ?f))) (<= (k2 (box ?f)) (k3 ?f) (true ?f))
            (<= (k2 (box (last ?m))) (does r ?m)) (k3 (on 1)) (k3 off) (n 1) (n 2) (init (on 1))
            (init (on 2)) (init off) (<= terminal (true (last (go 2))) (not (true (on 2))))
            (<= (goal r 5) (true off))",
    },
    Tricky {
        name: "hints too small",
        why: "base and input leave out what holds and what is legal",
        text: "(role r) (base (c 1)) (input r a) (init (c 1)) (init (d 1)) (s 1 2) (s 2 3) (legal r a)
            (legal r b) (<= (legal r (k ?x)) (true (c ?x))) (<= (next (c ?y)) (true (c ?x)) (s ?x ?y))
            (<= (next (d ?x)) (does r (k ?x))) (<= (next (d ?x)) (true (d ?x)) (does r b))
            (<= terminal (true (c 3))) (<= (goal r 6) (true (d ?x)) (distinct ?x 1))
            (<= (goal r 7) (not (true (d 2))))",
    },
    Tricky {
        name: "beginning by rules",
        why: "init follows from static rules with recursion, negation and disjunction",
        text: "(role r) (s 1 2) (s 2 3) (s 3 4) (<= (le ?x ?y) (s ?x ?y))
            (<= (le ?x ?z) (s ?x ?y) (le ?y ?z)) (<= (n ?x) (s ?x ?y)) (<= (n ?y) (s ?x ?y))
            (<= (init (cell ?x b)) (n ?x) (not (le 2 ?x)))
            (<= (init (cell ?x w)) (le 2 ?x) (or (s ?x ?y) (not (distinct ?x 4))))
            (<= (legal r (mv ?x ?y)) (true (cell ?x b)) (le ?x ?y) (true (cell ?y w))) (legal r noop)
            (<= (next (cell ?x w)) (does r (mv ?x ?y))) (<= (next (cell ?y b)) (does r (mv ?x ?y)))
            (<= (next (cell ?z ?v)) (true (cell ?z ?v)) (does r (mv ?x ?y)) (distinct ?z ?x) (distinct ?z ?y))
            (<= (next (cell ?z ?v)) (true (cell ?z ?v)) (does r noop)) (<= terminal (true (cell 4 b)))
            (<= (goal r 100) (true (cell 3 b)) (true (cell 4 b))) (<= (goal r 40) (true (cell 3 w)))",
    },
    Tricky {
        name: "nested terms",
        why: "functions inside fluents and moves are built and taken apart, without growing",
        text: "(role r) (n 1) (n 2) (card (of 1 red)) (card (of 2 blue)) (init (hand (of 1 red)))
            (init (deck (top (of 2 blue)))) (<= (legal r (play (of ?x ?c))) (true (hand (of ?x ?c))))
            (<= (legal r (draw ?k)) (true (deck (top ?k))) (card ?k)) (legal r noop)
            (<= (next (hand ?k)) (does r (draw ?k)))
            (<= (next (hand ?k)) (true (hand ?k)) (not (does r (play ?k))))
            (<= (next (table ?c (of ?x ?c))) (does r (play (of ?x ?c))))
            (<= (next (deck (top ?k))) (true (table ?c ?k)) (card ?k))
            (<= (next (deck ?t)) (true (deck ?t)) (does r noop))
            (<= terminal (true (table blue (of 2 blue)))) (<= (goal r 12) (true (hand (of 1 ?c))))
            (<= (goal r 13) (true (deck (top (of 1 red)))))",
    },
    Tricky {
        name: "one name for many things",
        why: "a fluent, a move, a relation and two arities share a name; letter case does not count",
        text: "(role r) (mark 1) (mark 2) (init (mark 1)) (init (Mark 1 2)) (init mark)
            (<= (legal r (mark ?x)) (mark ?x)) (legal r mark)
            (<= (next (mark ?x ?y)) (does r (mark ?x)) (true (MARK ?y)))
            (<= (next (mark ?x)) (does r (mark ?x)))
            (<= (next (mark ?y)) (true (mark ?x ?y)) (does r mark))
            (<= (next mark) (does r mark) (not (true mark)))
            (<= (next (mark ?x ?y)) (true (mark ?x ?y)) (true mark))
            (<= TERMINAL (true (mark 2 2)) (not (true mark))) (<= (goal R 14) (true (mark 2)))
            (<= (goal r 15) (true Mark))",
    },
    Tricky {
        name: "moves that never become legal",
        why: "rules about them never apply, negations of them always do",
        text: "(role r) (n 1) (n 2) (init (a 1)) (<= (legal r (fly ?x)) (n ?x) (true (wings ?x)))
            (<= (legal r (dig ?x)) (n ?x) (distinct ?x ?x)) (<= (legal r (go ?x)) (n ?x))
            (<= (next (wings ?x)) (does r (fly ?x)))
            (<= (next (a ?x)) (does r (go ?x)) (not (does r (fly ?x))) (not (legal r (dig ?x))))
            (<= (next (b ?x)) (true (a ?x)) (not (true (wings ?x))) (not (true (hole ?x))))
            (<= (next (hole ?x)) (does r (dig ?x))) (<= terminal (true (wings 1)))
            (<= terminal (true (b 2)) (true (a 2))) (<= (goal r 16) (not (legal r (fly 1))))",
    },
    Tricky {
        name: "the same rule in many words",
        why: "duplicate rules, repeated literals, a body that contradicts itself and one that says nothing",
        text: "(role r) (n 1) (n 2) (init (a 1)) (init (a 1)) (<= (legal r (go ?x)) (n ?x) (n ?x))
            (<= (legal r (go ?y)) (n ?y)) (<= (next (a ?x)) (does r (go ?x)) (does r (go ?x)) (n ?x))
            (<= (next (a ?y)) (does r (go ?y))) (<= (q ?x) (true (a ?x)) (not (true (a ?x))))
            (<= (t ?x) (n ?x) (or (true (a ?x)) (not (true (a ?x)))))
            (<= (u ?x) (true (a ?x)) (true (a ?y)) (true (a ?z))) (<= terminal (q 1))
            (<= terminal (t 1) (u 2)) (<= (goal r 17) (t 2)) (<= (goal r 18) (q 2))",
    },
    Tricky {
        name: "the loser is stuck",
        why: "a role without a legal move ends the match, and the states before are still compared",
        text: "(role r) (role s) (init (fuel r 2)) (init (fuel s 3)) (minus 3 2) (minus 2 1) (minus 1 0)
            (<= (legal ?r (burn ?n)) (true (fuel ?r ?n)) (minus ?n ?m))
            (<= (next (fuel ?r ?m)) (does ?r (burn ?n)) (minus ?n ?m))
            (<= terminal (true (fuel r 0)) (true (fuel s 0)))
            (<= (goal ?r 19) (true (fuel ?r ?n)) (not (legal ?r (burn ?n))))
            (<= (goal ?r 0) (true (fuel ?r ?n)) (legal ?r ?m))",
    },
];

/// Keywords, roles and moves where one does not expect them.
pub(crate) const UNUSUAL: &[Tricky] = &[
    Tricky {
        name: "facts that look dynamic",
        why: "legal, goal and terminal without a state behind them, asked for in bodies",
        text: "(role r) (init (c 0)) (succ 0 1) (succ 1 2) (legal r a) (legal r b) (goal r 40)
            (<= (next (c ?y)) (true (c ?x)) (succ ?x ?y)) (<= (next (has ?m)) (legal r ?m) (does r ?m))
            (<= (free ?m) (legal r ?m)) (<= (next (open ?m)) (free ?m)) (<= rich (goal r 40))
            (<= (next rich_now) rich) (<= (next poor_now) (not rich)) (<= terminal (true (c 2)) rich)",
    },
    Tricky {
        name: "roles by rules",
        why: "roles that static rules give, in an order of their own",
        text: "(player z) (player b) (player m) (away m) (<= (role ?x) (player ?x) (not (away ?x)))
            (init (turn z)) (<= (legal ?r (pass ?s)) (true (turn ?r)) (role ?s))
            (<= (legal ?r noop) (role ?r) (not (true (turn ?r)))) (<= (next (turn ?s)) (does ?r (pass ?s)))
            (<= (next (had ?r)) (true (turn ?r))) (<= (next (had ?r)) (true (had ?r)))
            (<= terminal (true (had z)) (true (had b))) (<= (goal ?r 10) (role ?r) (true (turn ?r)))
            (<= (goal ?r 20) (role ?r))",
    },
    Tricky {
        name: "moves of nobody",
        why: "legal holds for someone who is no role: nobody makes that move, but the relation holds",
        text: "(role r) (p r) (p x) (init (c 1)) (s 1 2) (s 2 3)
            (<= (legal ?a (go 1)) (p ?a) (true (c ?n))) (legal r wait)
            (<= (next (c ?m)) (true (c ?n)) (s ?n ?m) (not (does x (go 1))))
            (<= (next (c ?n)) (true (c ?n)) (does x (go 1))) (<= (next odd) (legal x ?m))
            (<= (next even) (not (legal x (go 1)))) (<= terminal (not (legal x (go 1))))
            (<= terminal (true (c 3))) (<= (goal r 1) (legal x (go 1))) (goal x 3)",
    },
    Tricky {
        name: "hints too large, and asked",
        why: "base and input name what never occurs, and bodies ask for them",
        text: "(role r) (n 1) (n 2) (<= (base (on ?x)) (n ?x)) (base (ghost 1)) (base lost)
            (input r (flip 1)) (input r (flip 2)) (input r fly) (init (on 1))
            (<= (legal r (flip ?x)) (input r (flip ?x)) (base (on ?x)))
            (<= (next (on ?x)) (true (on ?x)) (not (does r (flip ?x))))
            (<= (next (on ?x)) (does r (flip ?x)) (not (true (on ?x))))
            (<= (next (undone ?m)) (input r ?m) (not (does r ?m))) (<= (off ?f) (base ?f) (not (true ?f)))
            (<= (next (was_off ?f)) (off ?f)) (<= terminal (off (on 1)) (off (on 2)) (off (ghost 1)))
            (<= (goal r 88) (off lost)) (<= (goal r 89) (not (off lost)))",
    },
    Tricky {
        name: "static even by negated even",
        why: "static negation that is stratified only by arguments",
        text: "(role r) (succ 1 2) (succ 2 3) (succ 3 4) (init (at 1))
            (<= (even ?y) (succ ?x ?y) (not (even ?x))) (legal r go)
            (<= (legal r wait) (true (at ?x)) (even ?x))
            (<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y))
            (<= (next (at ?x)) (does r wait) (true (at ?x))) (<= terminal (true (at 4)))
            (<= (goal r 1) (true (at ?x)) (not (even ?x)))",
    },
];
