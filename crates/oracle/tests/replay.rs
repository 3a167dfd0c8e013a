//! The replay of recorded matches, judged on a small game with the oracle as the engine.

use groundrules_gdl::limits::Budget;
use groundrules_gdl::trace::{Outcome, Replay, matches, replay};
use groundrules_gdl::{Options, read};
use groundrules_oracle::{Oracle, OracleError};

const GAME: &str = "(role You) (init (n 1)) (init (k)) (s 1 2) (s 2 3) (legal you stay)
                    (<= (legal you up) (true (n ?_x)))
                    (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 3))) (goal you 9)";
const LINE: &str = r#"{"game":"g","playout":0,"roles":["you"],"end":"terminal","steps":[
    {"state":["(k)","(N 1)"],"legal":{"you":["up","stay"]},"terminal":false,"goals":{"you":[1]},
     "joint":["up"]},
    {"state":["(n 2)"],"legal":{"you":["stay","up"]},"terminal":false,"goals":{},"joint":["UP"]},
    {"state":["(n 3)"],"legal":{},"terminal":true,"goals":{"you":["9"]}}]}"#;

fn replayed(line: &str, steps: u64) -> Replay<OracleError> {
    let recorded = matches(line.replace('\n', "").as_bytes()).next().unwrap().unwrap();
    let game = read(GAME.as_bytes(), &Options::default()).game.unwrap();
    let mut oracle = Oracle::new(&game, Budget::steps(10_000)).unwrap();
    oracle.refill(Budget::steps(steps));
    replay(&mut oracle, &recorded)
}

fn difference(from: &str, to: &str) -> String {
    assert!(LINE.contains(from), "{from}");
    match replayed(&LINE.replacen(from, to, 1), 10_000).outcome {
        Outcome::Differs(difference) => difference.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_match_that_is_the_same() {
    assert_eq!(replayed(LINE, 10_000), Replay { states: 3, outcome: Outcome::Same });
}

#[test]
fn the_first_difference_is_told() {
    assert_eq!(
        difference(r#"["(n 2)"]"#, r#"["(n 4)"]"#),
        "state 1: the state: only here (n 2); only in the trace (n 4)"
    );
    let moves = difference(r#"["up","stay"]"#, r#"["up"]"#);
    assert_eq!(moves, "state 0: the moves of you: only here stay; only in the trace nothing");
    assert_eq!(
        difference(r#"["9"]"#, "[8, 9]"),
        "state 2: the goals of you: only here nothing; only in the trace 8"
    );
    assert_eq!(
        difference("true", "false"),
        "state 2: the end: only here terminal; only in the trace not terminal"
    );
    assert_eq!(difference(r#"["you"]"#, r#"["me"]"#), "the roles: only here You; only in the trace me");
    assert_eq!(
        difference(r#"["UP"]"#, r#"["down"]"#),
        "state 1: the move made by you: only here nothing; only in the trace down"
    );
    assert_eq!(
        difference(r#"["UP"]"#, r#"["up","up"]"#),
        "state 1: the joint move: only here nothing; only in the trace up, up"
    );
}

#[test]
fn a_spent_budget_is_no_difference() {
    let stopped = replayed(LINE, 100);
    assert!(matches!(stopped.outcome, Outcome::Stopped(OracleError::OutOfSteps { .. })), "{stopped:?}");
}
