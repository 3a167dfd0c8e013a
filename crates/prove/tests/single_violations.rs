//! Games made to violate exactly one property, after a known number of moves: the property is refuted at that depth, and the others hold.

use std::sync::Arc;
use std::time::Duration;

use groundrules_prove::{Answer, Claim, Options, Subject, prove};

/// Counts up to a number; moves, goals and the end are left to the caller.
fn counter(last: usize, rules: &str) -> String {
    let mut text = String::from("(role you) (init (n 0)) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))\n");
    for n in 0..last {
        text += &format!("(succ {n} {})\n", n + 1);
    }
    text + rules
}

/// The game of each property that violates only this one, after `depth` moves.
fn games(depth: usize) -> Vec<(Claim, String)> {
    let last = depth + 3;
    let (before, end) = (depth - 1, format!("(<= terminal (true (n {last})))"));
    let moves = "(legal you wait)";
    let goals = format!("(<= (goal you 100) (true (n {last}))) (<= (goal you 0) (not (true (n {last}))))");
    vec![
        (
            Claim::Playability,
            counter(
                last,
                &format!(
                    "{goals} {end} (<= (legal you go) (not (true trap)))
                     (<= (legal you fall) (true (n {before}))) (<= (next trap) (does you fall))"
                ),
            ),
        ),
        (
            Claim::Utility,
            counter(
                depth,
                &format!(
                    "{moves} (<= terminal (true (n {depth}))) (init up) (<= (next up) (true up))
                     (<= (goal you 100) (true up)) (<= (goal you 100) (true (n {depth})))
                     (<= (goal you 50) (true (n {depth})))"
                ),
            ),
        ),
        (
            Claim::Monotonicity,
            counter(
                last,
                &format!(
                    "{moves} {end} (<= high (true (n {depth}))) (<= high (true (n {last})))
                     (<= (goal you 100) high) (<= (goal you 0) (not high))"
                ),
            ),
        ),
        (
            Claim::WeakWinnability,
            counter(
                last,
                &format!(
                    "{moves} {end} (<= (goal you 0) (true (n ?x))) (<= (goal you 100) (true (m 1)))
                     (<= (next (m 1)) (true (m 1)) (true (n 1)))"
                ),
            ),
        ),
    ]
}

#[test]
fn exactly_one_property_fails_at_the_known_depth() {
    for depth in [1, 4, 30] {
        for (claim, text) in games(depth) {
            let read = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
            let game = read.game.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
            let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
            let subject = Subject::new(&game, Arc::new(ground.expect("a small game"))).expect("a circuit");
            let options = Options { time: Some(Duration::from_secs(60)), ..Options::default() };
            for verdict in prove(&subject, &Claim::PROPERTIES, &[], &options) {
                // A second goal at the end is a second goal somewhere, too.
                let follows = claim == Claim::Utility && verdict.claim == Claim::Monotonicity;
                let fails = verdict.claim == claim || follows;
                assert_eq!(verdict.holds(), Some(!fails), "{depth}: {claim}: {verdict:?}\n{text}");
                if let Answer::Refuted(line) = &verdict.answer {
                    let expected = if claim == Claim::Monotonicity { depth + 1 } else { depth };
                    assert_eq!(line.len(), expected, "{verdict:?}\n{text}");
                }
            }
        }
    }
}

/// A counter that goes back to an earlier number: only termination fails, and the line ends where it closes.
#[test]
fn only_termination_fails_where_a_state_comes_again() {
    for depth in [2, 9, 40] {
        let rules = "(<= (legal you wait) (true (n ?x))) (<= terminal (true (n stop)))
            (legal you halt) (<= (next (n stop)) (does you halt))
            (<= (goal you 100) (true (n stop))) (<= (goal you 0) (not (true (n stop))))";
        let text = counter(depth - 1, rules)
            .replace("(<= (next (n ?y)) (true", "(<= (next (n ?y)) (does you wait) (true")
            + &format!("(succ {} 0)", depth - 1);
        let read = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
        let game = read.game.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
        let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
        let subject = Subject::new(&game, Arc::new(ground.expect("a small game"))).expect("a circuit");
        let options = Options { time: Some(Duration::from_secs(60)), ..Options::default() };
        for verdict in prove(&subject, &Claim::PROPERTIES, &[], &options) {
            assert_eq!(verdict.holds(), Some(verdict.claim != Claim::Termination), "{verdict:?}\n{text}");
            if let Answer::Refuted(line) = &verdict.answer {
                assert_eq!(line.len(), depth, "{verdict:?}");
            }
        }
    }
}
