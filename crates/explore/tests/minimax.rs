//! Alpha-beta search against exhaustive exploration on random games, and against published values of connect four on small boards.

mod support;

use std::fmt::Write;

use groundrules_explore::{
    Budget, Checkpoints, GameId, Meaning, Method, Minimax, Options, Solution, minimax, solve, solve_by,
};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use support::game;

/// A random game of two roles as a graph whose moves lead forward; with `faults`, some also lead back, some ends have other sums
/// of goals, and some states are stuck.
fn random_game(seed: u64, faults: bool) -> String {
    let mut seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    let states = 4 + below(30);
    let mut text = "(role a) (role b) (init (at 0)) (<= (goal a 0) (true (at no)))\n".to_owned();
    for state in 0..states {
        let here = format!("(true (at {state}))");
        if state + 1 == states || state > 0 && below(4) == 0 {
            let goal = [0, 30, 50, 100][below(4) as usize];
            let sum = if faults && below(20) == 0 { 90 } else { 100 };
            writeln!(
                text,
                "(<= terminal {here}) (<= (goal a {goal}) {here}) (<= (goal b {}) {here})",
                i64::max(sum - goal, 0)
            )
            .unwrap();
            continue;
        }
        let [mover, other] = if below(2) == 0 { ["a", "b"] } else { ["b", "a"] };
        if !(faults && below(40) == 0) {
            writeln!(text, "(<= (legal {other} noop) {here})").unwrap();
        }
        for number in 0..1 + below(4) {
            let back = faults && below(30) == 0;
            let next = if back { below(states) } else { state + 1 + below((states - state - 1).min(6)) };
            writeln!(text, "(<= (legal {mover} (go {number})) {here})").unwrap();
            writeln!(text, "(<= (next (at {next})) {here} (does {mover} (go {number})))").unwrap();
        }
    }
    text
}

fn compiled(text: &str) -> Compiled {
    Compiled::new(game(text)).on(Engine::Net)
}

/// The value of the first role by exploring, where there is a minimax value.
fn explored(game: &Compiled) -> Option<i32> {
    match solve(game, &Options::default()).expect("an exploration").solution {
        Solution::Guaranteed(found) if found.meaning == Meaning::Minimax => {
            let value = found.values[0].expect("no nature").lower.expect("a value");
            Some(value.numerator().try_into().expect("a goal"))
        }
        _ => None,
    }
}

/// The goal of the first role at the end of a line.
fn end_of(game: &Compiled, found: &Minimax) -> i32 {
    let mut machine = game.machine().expect("a machine");
    for joint in &found.line {
        for (role, made) in joint.iter().enumerate() {
            assert!(machine.legal(role).expect("moves").contains(made), "moves of a line are legal");
        }
        machine.advance(joint).expect("a move");
    }
    assert!(machine.is_terminal().expect("an answer"), "the line ends the game");
    machine.goals(0).expect("goals")[0]
}

#[test]
fn values_are_those_of_an_exploration() {
    let with = |memory| {
        let budget = Budget { memory: Some(memory), ..Budget::default() };
        Options { budget, ..Options::default() }
    };
    let mut solved = 0;
    for seed in 0..600 {
        let faults = seed % 3 == 0;
        let text = random_game(seed, faults);
        let game = compiled(&text);
        // With hardly any memory the same comes out.
        for options in [with(1 << 16), with(1 << 10)] {
            match minimax(&game, &options).expect("a search") {
                Ok(found) => {
                    assert_eq!((found.lower, &found.stop), (found.upper, &None), "{text}");
                    // Parts that the proof does not need may have faults.
                    let value = explored(&game);
                    assert!(value.is_none() && faults || value == found.lower, "{value:?} {found:?} {text}");
                    if !found.line.is_empty() {
                        assert_eq!(Some(end_of(&game, &found)), found.lower, "{text}");
                    }
                    solved += 1;
                }
                Err(why) => assert!(faults, "{why} {text}"),
            }
        }
    }
    assert!(solved > 800, "{solved}");
}

fn library(name: &str) -> Compiled {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    compiled(&std::fs::read_to_string(path).expect("a game of the library"))
}

/// Tromp's table of connect four by the size of the board: all with four or five rows and four to seven columns are draws.
#[test]
fn connect_four_on_small_boards_is_a_draw() {
    for name in ["connect-four-4x4", "tic-tac-toe"] {
        let game = library(name);
        let found = minimax(&game, &Options::default()).expect("a search").expect("a value");
        assert_eq!((found.lower, found.upper), (Some(50), Some(50)), "{name}");
        assert_eq!(end_of(&game, &found), 50, "{name}");
    }
}

#[test]
fn a_search_that_was_stopped_is_resumed() {
    let game = library("connect-four-4x4");
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoints = |resume| Checkpoints {
        folder: folder.path().to_owned(),
        game: GameId::new(b"a game", "net"),
        every: std::time::Duration::MAX,
        resume,
    };
    let budget = Budget { time: Some(std::time::Duration::from_nanos(1)), ..Budget::default() };
    let options = Options { budget, checkpoints: Some(checkpoints(false)), ..Options::default() };
    let stopped = minimax(&game, &options).expect("a search").expect("no fault");
    assert!(stopped.stop.is_some() && stopped.line.is_empty());
    let options = Options { checkpoints: Some(checkpoints(true)), ..Options::default() };
    let first = minimax(&game, &options).expect("a search").expect("a value");
    assert_eq!((first.lower, first.upper), (Some(50), Some(50)));
    let again = minimax(&game, &options).expect("a search").expect("a value");
    assert!(again.expanded < first.expanded / 10, "{} {}", again.expanded, first.expanded);
    let other = Checkpoints { game: GameId::new(b"another", "net"), ..checkpoints(true) };
    let refused = minimax(&game, &Options { checkpoints: Some(other), ..Options::default() });
    assert!(refused.expect_err("another game").to_string().contains("another game"));
    let file = folder.path().join("bounds");
    let mut bytes = std::fs::read(&file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("a file");
    assert!(minimax(&game, &options).is_err(), "damaged files are refused");
}

#[test]
fn a_limit_on_states_holds_whatever_the_method() {
    let game = library("tic-tac-toe");
    let budget = Budget { states: Some(100), ..Budget::default() };
    let options = Options { budget, ..Options::default() };
    for method in [Method::Auto, Method::Explore] {
        let solved = solve_by(&game, method, &options).expect("an answer");
        assert!(matches!(solved.solution, Solution::Open(_)), "{method:?}: {:?}", solved.solution);
        let states: u64 = solved.explored.levels.iter().sum();
        assert!(states < 5478, "{method:?}: {states}");
    }
}

#[test]
fn what_the_search_is_not_for_is_said() {
    let game = library("rock-paper-scissors");
    assert!(minimax(&game, &Options::default()).expect("a search").is_err());
    let solved = solve_by(&game, Method::Search, &Options::default()).expect("an answer");
    assert!(matches!(solved.solution, Solution::Open(_)), "{:?}", solved.solution);
    let solved = solve_by(&game, Method::Auto, &Options::default()).expect("an answer");
    assert!(matches!(solved.solution, Solution::Guaranteed(_)), "{:?}", solved.solution);
}
