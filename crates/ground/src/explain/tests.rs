//! Every kind of answer, on small games and on games of the library.

use groundrules_gdl::game::Game;
use groundrules_gdl::read;

use super::*;
use crate::Switches;
use crate::ground_game::AtomKind;

fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &groundrules_gdl::Options { lenient: true, ..Default::default() });
    let errors: Vec<&str> = checked.diagnostics.iter().map(|it| it.message.as_str()).collect();
    checked.game.unwrap_or_else(|| panic!("{errors:?}"))
}

fn answer_of(text: &str, atom: &str) -> Answer {
    explain(&game(text), &Options::default(), atom).expect("an explanation").answer
}

/// The steps of an atom that can never hold.
fn steps(text: &str, atom: &str) -> Vec<ImpossibleAtom> {
    match answer_of(text, atom) {
        Answer::Never { steps, .. } => steps,
        other => panic!("{other:?}"),
    }
}

fn error(atom: &str) -> String {
    explain(&game(COUNTER), &Options::default(), atom).expect_err("an error").to_string()
}

const COUNTER: &str = "
    (role you) (succ 1 2) (succ 2 3) (init (step 1)) (init (colour red))
    (<= (legal you (add ?n)) (true (step ?n)) (succ ?n ?m))
    (legal you wait)
    (<= (next (step ?m)) (true (step ?n)) (does you (add ?n)) (succ ?n ?m))
    (<= (next (step ?n)) (true (step ?n)) (does you wait))
    (<= (next (colour ?c)) (true (colour ?c)))
    (<= (at-least ?n) (true (step ?n)))
    (<= (at-least ?n) (succ ?n ?m) (at-least ?m))
    (<= terminal (at-least 3))
    (<= (goal you 100) (true (step 3)))
    (<= (goal you 0) (not (true (step 3))))";

#[test]
fn what_is_there_has_its_rules() {
    match answer_of(COUNTER, "(TRUE (Step 2))") {
        Answer::Present(Presence { rules: 2, first, at_first: Some(false), rules_of, .. }) => {
            assert_eq!(first.len(), 2);
            assert_eq!(rules_of, "(next (step 2))");
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(answer_of(COUNTER, "(does you wait)"), Answer::Present(Presence { rules: 1, .. })));
    assert!(matches!(
        answer_of(COUNTER, "terminal"),
        Answer::Present(Presence { rules: 1, at_first: None, .. })
    ));
    assert!(matches!(
        answer_of(COUNTER, "(base (step 1))"),
        Answer::Present(Presence { at_first: Some(true), .. })
    ));
}

#[test]
fn what_holds_for_good() {
    assert_eq!(answer_of(COUNTER, "(succ 1 2)"), Answer::Static);
    assert_eq!(answer_of(COUNTER, "(role you)"), Answer::Static);
    assert_eq!(answer_of(COUNTER, "(init (step 1))"), Answer::First);
    for atom in ["(legal you wait)", "(true (colour red))", "(next (colour red))"] {
        assert!(matches!(answer_of(COUNTER, atom), Answer::Always { is_kept: true, .. }), "{atom}");
    }
}

#[test]
fn what_holds_for_good_and_is_derived_leaves_the_rules() {
    let text = "(role you) (init a) (init b) (<= (next a) (true b)) (<= (next b) (true a)) (legal you wait)
        (<= on (true a)) (<= off (not on)) (<= off-too (true a) (not on)) (<= terminal on (not off) (not off-too)) (goal you 1)
        (init c) (<= (next c) (true c) (does you wait)) (<= both (true c) (not (true c))) (<= terminal both)";
    assert!(matches!(answer_of(text, "on"), Answer::Always { is_kept: false, .. }));
    for (atom, fault) in
        [("off", Fault::AlwaysHolds), ("off-too", Fault::AlwaysHolds), ("both", Fault::Contradiction)]
    {
        match answer_of(text, atom) {
            Answer::Contradicted { instances } => {
                let blamed = instances[0].blamed.clone().map(|(_, fault)| fault);
                assert_eq!((instances.len(), blamed), (1, Some(fault)), "{atom}");
            }
            other => panic!("{atom}: {other:?}"),
        }
    }
}

#[test]
fn what_fails_is_followed_down() {
    let found = steps(COUNTER, "(next (step 9))");
    let atoms: Vec<&str> = found.iter().map(|step| step.atom.as_str()).collect();
    assert_eq!(atoms, ["(next (step 9))", "(succ 2 9)", "(true (step 9))"]);
    let [first, second] = &found[0].failures[..] else { panic!("{found:?}") };
    assert_eq!(first.satisfied, ["(true (step 2))", "(does you (add 2))"]);
    assert!(first.binding.contains(&(String::from("?n"), String::from("2"))), "{first:?}");
    assert_eq!((first.literal.as_str(), first.fault, first.step), ("(succ 2 9)", Fault::NeverHolds, Some(2)));
    assert_eq!((second.literal.as_str(), second.step), ("(true (step 9))", Some(3)));
    let only = vec![String::from("2"), String::from("3")];
    let values = Hint::Values { name: String::from("succ"), argument: 2, only, more: 0 };
    assert_eq!((found[1].failures.len(), &found[1].hint), (0, &Some(values)));
    assert!(found[2].failures.iter().any(|failure| failure.step == Some(3)), "no atom is followed twice");
    let lines = explain(&game(COUNTER), &Options::default(), "(next (step 9))").unwrap();
    assert!(lines.with_lines(COUNTER.as_bytes()).to_string().contains("line 5: (<= (next (step ?m))"));
}

#[test]
fn every_kind_of_literal_can_fail() {
    let text = "(role you) (n 1) (n 2) (odd 1) (init (f 1)) (legal you wait) (<= (next (f 1)) (true (f 1)) (does you wait))
        (<= (p ?x) (not (odd ?x)) (n ?x) (true (f ?y)))
        (<= (q ?x) (distinct ?x 1) (true (f ?y)) (n ?x))
        (<= (r ?x) (true (f ?x)) (not (distinct ?x 2)))
        (<= (s ?x) (n ?x) (or (true (f 9)) (and (true (f ?y)) (odd ?x) (odd ?y) (true (f 8)))))
        (<= (t ?x) (n ?x) (true (f ?y)) (true (g ?y ?z)))
        (<= terminal (p 1) (q 1) (r 1) (s 1) (t 1)) (goal you 1)";
    let fails = |atom: &str| {
        let failure = steps(text, atom)[0].failures[0].clone();
        (failure.literal, failure.fault, failure.satisfied.len())
    };
    assert_eq!(fails("(p 1)"), (String::from("(not (odd 1))"), Fault::AlwaysHolds, 0));
    assert_eq!(fails("(q 1)"), (String::from("(distinct 1 1)"), Fault::Same, 0));
    assert_eq!(fails("(r 1)"), (String::from("(not (distinct 1 2))"), Fault::Different, 1));
    assert_eq!(fails("(s 1)"), (String::from("(true (f 8))"), Fault::NeverHolds, 4));
    assert_eq!(fails("(t 1)"), (String::from("(true (g 1 ?z))"), Fault::NeverHolds, 2));
    let unknown = Hint::Unknown { name: String::from("g"), nearest: None };
    assert_eq!(steps(text, "(t 1)")[0].failures[0].hint, Some(unknown));
}

#[test]
fn names_that_no_rule_makes() {
    let hint = |atom: &str| steps(COUNTER, atom)[0].hint.clone().expect("a hint");
    let unknown = |name: &str, nearest: Option<&str>| Hint::Unknown {
        name: name.to_string(),
        nearest: nearest.map(String::from),
    };
    assert_eq!(hint("(suc 1 2)"), unknown("suc", Some("succ")));
    assert_eq!(hint("(elsewhere)"), unknown("elsewhere", None));
    assert_eq!(hint("(true (stp 1))"), unknown("stp", Some("step")));
    assert_eq!(hint("(succ 1)"), Hint::Arity { name: String::from("succ"), arity: 2 });
    assert_eq!(hint("(true (step 1 2))"), Hint::Arity { name: String::from("step"), arity: 1 });
    assert_eq!(hint("(step 1)"), Hint::AskInstead { atom: String::from("(true (step 1))") });
    assert_eq!(hint("(add 1)"), Hint::AskInstead { atom: String::from("(legal you (add 1))") });
    assert_eq!(hint("(does me wait)"), Hint::NoRole { role: String::from("me") });
    assert!(matches!(answer_of(COUNTER, "(succ 1 3)"), Answer::Never { is_static: true, .. }));
    let deep = format!("(true {}1{})", "(s ".repeat(5_000), ")".repeat(5_000));
    assert_eq!(hint(&deep), unknown("s", None), "however deep it is");
}

#[test]
fn what_is_not_asked_for() {
    let text = "(role you) (mark x) (mark o) (mark b) (init (cell b)) (legal you wait) (<= (next (cell ?m)) (mark ?m) (does you wait))
        (<= (line ?m ?i) (true (cell ?m)) (mark ?i)) (<= terminal (line x ?any)) (<= (goal you 1) (line o ?any))
        (<= unused (true (cell x)))";
    match answer_of(text, "(line b x)") {
        Answer::NotAsked(AskedFor {
            atoms: 2,
            hint: Some(Hint::Values { argument: 1, only, .. }),
            rules,
            ..
        }) => {
            assert_eq!((only.len(), rules.len()), (2, 2));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(answer_of(text, "unused"), Answer::NotAsked(AskedFor { atoms: 0, .. })));
    match answer_of(text, "(line x b)") {
        Answer::Present(Presence { written, .. }) => {
            assert_eq!(written, "(line x)", "an argument never matters");
        }
        other => panic!("{other:?}"),
    }
    assert!(
        matches!(answer_of(text, "(line x y)"), Answer::Never { .. }),
        "though the argument never matters"
    );
}

#[test]
fn parts_of_bodies() {
    let text = "(role you) (n 1) (n 2) (init (height 1 1)) (init (height 2 1)) (init (turn you))
        (<= (legal ?p (drop ?c)) (true (turn ?p)) (true (height ?c ?h)) (distinct ?h 2))
        (<= (next (height ?c ?h)) (n ?h) (does you (drop ?c))) (<= (next (turn you)) (true (turn you)) (does you (drop 1)))
        (<= terminal (true (height 1 2))) (goal you 1)";
    match answer_of(text, "(part0 1)") {
        Answer::Part { rules } => {
            assert!(rules[0].rule.starts_with("(<= (legal ?p (drop ?c))"), "{rules:?}");
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(answer_of(text, "(part99 1)"), Answer::Never { .. }));
}

#[test]
fn whole_fluents_and_foreign_moves() {
    let text = "(role you) (init (f 1)) (init (g 2)) (legal you wait) (<= (legal me wait) (true (f 1)))
        (<= (next ?any) (true ?any) (does me wait)) (<= (next (f 1)) (true (f 1)))
        (<= (holds ?any) (true ?any)) (<= terminal (holds (g 2)) (legal me wait)) (goal you 1)";
    assert!(matches!(
        answer_of(text, "(true (g 2))"),
        Answer::Present(Presence { rules: 0, at_first: Some(true), .. })
    ));
    let found = steps(text, "(next (g 2))");
    assert_eq!(found[0].failures[0].literal, "(does me wait)");
    assert_eq!(found[1].hint, Some(Hint::NoRole { role: String::from("me") }));
    assert_eq!(steps(text, "(holds (f 2))")[0].failures[0].literal, "(true (f 2))");
    assert!(matches!(answer_of(text, "(holds (g 2))"), Answer::Present { .. }));
}

#[test]
fn what_is_no_atom() {
    assert!(error("(").contains("never closed"), "{}", error("("));
    assert!(error("(cell ?x)").contains("the variable `?x`"));
    assert!(error("").contains("it is empty"));
    assert!(error("a b").contains("2 expressions"));
    assert!(error("(not terminal)").contains("`not` is not a relation"));
    assert!(error("(legal you)").contains("(legal r m)"));
    assert!(error("(p ((f) x))").contains("begins with a list"));
    assert!(error(&"(a".repeat(200)).len() < 400, "a long text is quoted in part");
}

#[test]
fn limits_are_kept() {
    let mut options = Options::default();
    options.limits.atoms = 3;
    assert!(matches!(
        explain(&game(COUNTER), &options, "(next (step 9))"),
        Err(ExplainError::Ground(crate::GroundError::Limit { .. }))
    ));
}

/// On whole games: what is in the ground game is found, and what is not found is in no ground game.
#[test]
fn answers_agree_with_the_ground_game() {
    for name in ["tic-tac-toe", "nim", "kuhn-poker", "key-and-door", "dice-race"] {
        let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a game of the library");
        let (game, options) = (game(&text), Options::default());
        let ground = crate::ground(&game, &options).expect("a small game");
        let everything =
            crate::ground(&game, &Options { switches: Switches::none(), ..options.clone() }).unwrap();
        let atoms = |ground: &GroundGame| {
            let mut atoms: Vec<String> = ground.rules().map(|(head, _)| ground.atom_kif(head)).collect();
            let first =
                ground.init.iter().map(|&fluent| ground.atom_kif(ground.atom(AtomKind::True(fluent))));
            atoms.extend(first);
            atoms.dedup();
            atoms
        };
        let there = atoms(&ground);
        for atom in there.iter().step_by(3).take(60) {
            let answer = explain(&game, &options, &atom.to_uppercase()).unwrap().answer;
            assert!(
                matches!(answer, Answer::Present { .. } | Answer::Always { .. }),
                "{name}: {atom}: {answer:?}"
            );
        }
        for atom in atoms(&everything).iter().filter(|it| !there.contains(it)).take(30) {
            let answer = explain(&game, &options, atom).unwrap().answer;
            let is_there = matches!(answer, Answer::Present { .. });
            let is_out =
                matches!(answer, Answer::NotAsked(_) | Answer::Always { .. } | Answer::Excluded { .. });
            assert!(is_there || is_out, "{name}: {atom}: {answer:?}");
        }
        for atom in there.iter().step_by(7).take(20) {
            let broken = atom.replace('1', "no-such-thing").replace('2', "1");
            let answer = explain(&game, &options, &broken).unwrap().answer;
            let is_never = matches!(answer, Answer::Never { .. });
            assert!(!(is_never && there.contains(&broken)), "{name}: {broken}: {answer:?}");
        }
    }
}
