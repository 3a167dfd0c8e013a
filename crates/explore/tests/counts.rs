//! Known numbers of states and known values, on every engine and on one or more threads.

mod support;

use groundrules_explore::{Budget, Fraction, Guarantees, Meaning, Solution, Verification};
use groundrules_machine::engines::Engine;
use support::{counts, library, solved, verified};

/// The exact values of all roles.
fn goals(found: &Guarantees) -> Vec<Option<i64>> {
    assert!(found.exact);
    let whole =
        |value: Fraction| (value.denominator() == 1).then_some(value.numerator()).expect("a whole number");
    found.values.iter().map(|bounds| bounds.expect("no nature").lower.map(whole)).collect()
}

fn states(name: &str, engine: Engine, threads: usize) -> u64 {
    let found = verified(&library(name), engine, threads, &Budget::default());
    assert_eq!(found.explored.stop, None);
    assert_eq!(found.explored.findings.expanded, found.explored.states());
    found.explored.states()
}

#[test]
fn tic_tac_toe_has_5478_states() {
    for engine in [Engine::Sliced, Engine::Net, Engine::Tree] {
        assert_eq!(states("tic-tac-toe", engine, 1), 5478, "{engine:?}");
    }
    assert_eq!(states("tic-tac-toe", Engine::Auto, 3), 5478);
}

#[test]
fn connect_four_on_four_by_four_has_161029_states() {
    assert_eq!(states("connect-four-4x4", Engine::Auto, 1), 161_029);
    assert_eq!(states("connect-four-4x4", Engine::Auto, 2), 161_029);
}

#[test]
fn half_of_all_orders_of_the_eight_puzzle_can_be_reached() {
    assert_eq!(states("eight-puzzle-endless", Engine::Auto, 2), 181_440);
}

#[test]
fn verdicts_do_not_depend_on_threads_or_engines() {
    for name in ["tic-tac-toe", "rock-paper-scissors", "prisoners-dilemma"] {
        let game = library(name);
        let one = verified(&game, Engine::Sliced, 1, &Budget::default());
        let three = verified(&game, Engine::Sliced, 3, &Budget::default());
        assert_eq!(one.verdicts, three.verdicts, "{name}");
        assert_eq!(one.explored.findings, three.explored.findings, "{name}");
        let tree = verified(&game, Engine::Tree, 2, &Budget::default());
        assert_eq!(one.explored.levels, tree.explored.levels, "{name}");
        let outcomes = |found: &Verification| -> Vec<_> {
            found
                .verdicts
                .iter()
                .map(|verdict| (verdict.outcome, verdict.line.as_ref().map(Vec::len)))
                .collect()
        };
        assert_eq!(outcomes(&one), outcomes(&tree), "{name}");
    }
}

#[test]
fn sequences_and_states_are_counted_by_depth() {
    let sequences = [1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872, 0];
    for threads in [1, 2] {
        let found = counts(&library("tic-tac-toe"), Engine::Auto, 20, threads);
        assert_eq!(found.iter().map(|count| count.sequences.unwrap()).collect::<Vec<_>>(), sequences);
        assert_eq!(found.iter().map(|count| count.states).sum::<u64>(), 5478);
        assert_eq!(
            found.iter().map(|count| count.ends.unwrap()).sum::<u128>(),
            255_168,
            "all matches of tic-tac-toe"
        );
    }
    // Connect four on its usual board.
    let found = counts(&library("connect-four"), Engine::Auto, 6, 1);
    let sequences: Vec<u128> = found.iter().map(|count| count.sequences.unwrap()).collect();
    assert_eq!(sequences, [1, 7, 49, 343, 2401, 16_807, 117_649]);
    let states: Vec<u64> = found.iter().map(|count| count.states).collect();
    assert_eq!(states, [1, 7, 49, 238, 1120, 4263, 16_422]);
}

#[test]
fn tic_tac_toe_is_a_draw() {
    for threads in [1, 2] {
        let Solution::Guaranteed(found) = solved(&library("tic-tac-toe"), threads) else {
            panic!("two roles")
        };
        let (goals, meaning, line) = (goals(&found), found.meaning, found.line);
        assert_eq!((goals, meaning, line.len()), (vec![Some(50), Some(50)], Meaning::Minimax, 9));
    }
}

#[test]
fn the_eight_puzzle_takes_31_moves() {
    let Solution::Plan { best, plan, is_shortest, upper, unless } =
        solved(&library("eight-puzzle-endless"), 2)
    else {
        panic!("one role")
    };
    assert_eq!((best, plan.len(), is_shortest, upper, unless), (Some(100), 31, true, Some(100), None));
}

#[test]
fn four_by_four_is_a_draw() {
    let Solution::Guaranteed(found) = solved(&library("connect-four-4x4"), 2) else { panic!("two roles") };
    assert_eq!(goals(&found), [Some(50), Some(50)]);
}
