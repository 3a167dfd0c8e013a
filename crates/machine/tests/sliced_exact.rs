//! Single lanes of the engine `sliced` held against the ground game's own evaluator, move by move, while the other lanes
//! play other matches: every move made is legal, every next state, end and goal is the right one. All shapes of circuits
//! and all paths of this processor, on games made at random, on games written for shapes that are easily got wrong, and on
//! the library.

#[path = "../../ground/tests/support/generator/mod.rs"]
#[allow(dead_code, reason = "only descriptions are used here")]
mod generator;
#[path = "support/lines.rs"]
mod lines;
#[path = "../../ground/tests/support/tricky.rs"]
#[allow(dead_code, reason = "the reasons are told by the tests of grounding")]
mod tricky;

use generator::{Description, Descriptions, description};
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::evaluator::{Evaluator, View};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_machine::engines::sliced::{Finish, Method, Options, Path, Recording};
use groundrules_net::{Network, simplify};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use tricky::{DERIVED, FRAMES, SHAPES, Tricky, UNUSUAL};

/// Lanes that are followed, one in each word and some neighbours.
const LANES: [usize; 6] = [0, 1, 70, 255, 256, 511];
const CYCLES: usize = 6;

/// The shapes of circuits that are compared.
fn shapes() -> Vec<Options> {
    let plain = Options { path: Some(Path::Portable), ..Options::default() };
    vec![
        plain,
        Options {
            phases: Some(false),
            choice: Some(Method::Rank { draws: 1 }),
            joined: Some(false),
            ..plain
        },
        Options { choice: Some(Method::Rank { draws: 3 }), joined: Some(true), rounds: Some(3), ..plain },
        Options { choice: Some(Method::Index), joined: Some(false), rounds: Some(2), ..plain },
        Options { choice: Some(Method::Factors { draws: 2 }), ..plain },
    ]
}

fn grounded(text: &str) -> Option<GroundGame> {
    let game = read(text.as_bytes(), &ReadOptions::default()).game?;
    let mut limits = Limits::default();
    (limits.rules, limits.atoms) = (20_000, 20_000);
    ground(&game, &GroundOptions { limits, ..GroundOptions::default() }).ok()
}

/// Compares some lanes in every shape; says what the first difference is. Gives how many moves were compared.
fn compare(game: &GroundGame, seed: u64) -> Result<usize, String> {
    let (Ok(evaluator), Ok(network)) = (Evaluator::new(game), Network::of(game)) else { return Ok(0) };
    let (network, _) = simplify(&network, &groundrules_net::Options::default());
    let mut moves = 0;
    for options in shapes() {
        let recording = Recording::new(&network, &options, seed).map_err(|error| error.to_string())?;
        moves += follow(game, &evaluator, recording).map_err(|words| format!("{options:?}: {words}"))?;
    }
    Ok(moves)
}

fn follow(game: &GroundGame, evaluator: &Evaluator<'_>, mut recording: Recording) -> Result<usize, String> {
    let mut moves = 0;
    let mut initial = game.init.clone();
    initial.sort_unstable();
    let mut states = vec![initial.clone(); LANES.len()];
    for cycle in 0..CYCLES {
        recording.cycle();
        for (state, lane) in states.iter_mut().zip(LANES) {
            let told = |words: String| format!("cycle {cycle}, lane {lane}: {words}");
            for joint in recording.joint_moves(lane) {
                check_moves(game, &evaluator.view(state), &joint).map_err(told)?;
                *state = evaluator.next(state, &joint);
                moves += 1;
            }
            if let Some(finish) = recording.finish(lane) {
                check_end(game, &evaluator.view(state), &finish).map_err(told)?;
                state.clone_from(&initial);
            }
            for fluent in 0..game.fluents.len() {
                let wanted = state.contains(&fluent);
                if recording.fluent(lane, fluent).is_some_and(|holds| holds != wanted) {
                    return Err(told(format!("{} should be {wanted}", game.term(game.fluents[fluent]))));
                }
            }
        }
    }
    Ok(moves)
}

fn check_moves(game: &GroundGame, view: &View, joint: &[usize]) -> Result<(), String> {
    let movers: Vec<usize> = joint.iter().map(|&number| game.moves[number].0).collect();
    let mut wanted: Vec<usize> = (0..game.roles.len()).collect();
    let mut sorted = movers.clone();
    sorted.sort_unstable();
    wanted.sort_unstable();
    if view.is_terminal {
        Err("a move after the end".to_owned())
    } else if sorted != wanted {
        Err(format!("moves of the roles {movers:?}"))
    } else if let Some(illegal) = joint.iter().find(|number| !view.legal.contains(number)) {
        Err(format!("{} is not legal", game.term(game.moves[*illegal].1)))
    } else {
        Ok(())
    }
}

fn check_end(game: &GroundGame, view: &View, finish: &Finish) -> Result<(), String> {
    let has_move = |role: usize| view.legal.iter().any(|&number| game.moves[number].0 == role);
    match finish {
        Finish::Stuck(role) if view.is_terminal || has_move(*role) || !(0..*role).all(has_move) => {
            Err(format!("role {role} is not stuck"))
        }
        Finish::Stuck(_) => Ok(()),
        Finish::Terminal(_) if !view.is_terminal => Err("it is not over".to_owned()),
        Finish::Terminal(goals) => {
            let mut wanted = Vec::new();
            for role in 0..game.roles.len() {
                let own = view.goals.iter().filter(|(of, _)| *of == game.roles[role]);
                let own: Vec<i32> = own.filter_map(|(_, value)| game.term(*value).parse().ok()).collect();
                if let [value] = own[..] {
                    wanted.push((role, value));
                }
            }
            if *goals == wanted { Ok(()) } else { Err(format!("goals {goals:?}, not {wanted:?}")) }
        }
    }
}

/// Compares the paths of this processor, word by word.
fn compare_paths(game: &GroundGame, seed: u64) -> Result<(), String> {
    let Ok(network) = Network::of(game) else { return Ok(()) };
    let (network, _) = simplify(&network, &groundrules_net::Options::default());
    let mut first: Option<Vec<Vec<u64>>> = None;
    for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
        let options = Options { path: Some(path), ..Options::default() };
        let mut recording = Recording::new(&network, &options, seed).map_err(|error| error.to_string())?;
        let words: Vec<Vec<u64>> = (0..CYCLES)
            .map(|_| {
                recording.cycle();
                recording.words()
            })
            .collect();
        if first.get_or_insert_with(|| words.clone()) != &words {
            return Err(format!("{path:?} differs"));
        }
    }
    Ok(())
}

#[test]
fn tricky_games() {
    let mut moves = 0;
    for Tricky { name, text, .. } in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        let game = grounded(text).unwrap_or_else(|| panic!("{name} is not grounded"));
        moves += compare(&game, 7).unwrap_or_else(|words| panic!("{name}: {words}"));
        compare_paths(&game, 8).unwrap_or_else(|words| panic!("{name}: {words}"));
    }
    assert!(moves > 1000, "only {moves} moves were compared");
}

#[test]
fn generated_games() {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 120 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        max_global_rejects: 2 * cases,
        ..Config::default()
    };
    let one = |description: Description| {
        let game = grounded(&description.to_string()).ok_or_else(|| TestCaseError::reject("not grounded"))?;
        compare(&game, 3).map_err(TestCaseError::fail)?;
        compare_paths(&game, 4).map_err(TestCaseError::fail)
    };
    if let Err(error) = TestRunner::new(config).run(&Descriptions(description), one) {
        panic!("{error}");
    }
}

/// One role takes one of many things, each of which is free or not; the other goes from its place in one of some directions,
/// more of them from some places than from others.
fn many_moves() -> String {
    let mut text = "(role taker) (role goer) (init (step 0)) (init (at 0)) (goal taker 50) (goal goer 50)
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
        (<= terminal (true (step 4)))
        (<= (legal taker (take ?t)) (true (free ?t)))
        (<= (next (free ?t)) (true (free ?t)) (not (does taker (take ?t))))
        (<= (legal goer (go ?p ?q)) (true (at ?p)) (way ?p ?q))
        (<= (next (at ?q)) (does goer (go ?p ?q)))"
        .to_owned();
    for place in 0..40 {
        for way in 1..=[1, 2, 3, 4, 9][place % 5] {
            text.push_str(&format!("(way {place} {})", (place + 7 * way) % 40));
        }
    }
    (0..130).for_each(|thing| text.push_str(&format!("(init (free {thing}))")));
    text
}

#[test]
fn many_moves_of_several_roles() {
    let game = grounded(&many_moves()).expect("small");
    assert!(compare(&game, 11).unwrap_or_else(|words| panic!("{words}")) > 100);
    compare_paths(&game, 12).unwrap_or_else(|words| panic!("{words}"));
}

#[test]
fn moves_with_factors() {
    for (name, text) in [("shooters", lines::shooters()), ("armies", lines::armies())] {
        let game = grounded(&text).expect("small");
        assert!(game.moves.len() > 300, "{name} has {} moves", game.moves.len());
        for seed in 0..2 {
            let compared = compare(&game, seed).unwrap_or_else(|words| panic!("{name}: {words}"));
            assert!(compared > 100, "only {compared} moves of {name} were compared");
        }
        compare_paths(&game, 9).unwrap_or_else(|words| panic!("{name}: {words}"));
    }
}

#[test]
fn what_is_connected_grows_and_is_forgotten_at_the_end() {
    let game = grounded(&lines::connections(5)).expect("small");
    for seed in 0..4 {
        let compared = compare(&game, seed).unwrap_or_else(|words| panic!("{words}"));
        assert!(compared > 500, "only {compared} moves were compared");
    }
    compare_paths(&game, 9).unwrap_or_else(|words| panic!("{words}"));
}

#[test]
fn library() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(game) = grounded(&text) else { continue };
        if game.atom_count() < 3_000 {
            compare(&game, 1).unwrap_or_else(|words| panic!("{}: {words}", path.display()));
            compare_paths(&game, 2).unwrap_or_else(|words| panic!("{}: {words}", path.display()));
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} games are small enough");
}
