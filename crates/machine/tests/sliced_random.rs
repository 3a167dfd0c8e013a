//! The engine `sliced` plays fairly: every legal move has the same chances, lanes know nothing of each other, and what
//! playouts come to agrees with what can be computed. All on fixed seeds, so that the tests never fail by chance. And it
//! counts rightly: limits, roles without moves, any path, any number of threads.

#[path = "support/lines.rs"]
#[allow(dead_code, reason = "other tests use other games")]
mod lines;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use groundrules_gdl::time::Cancel;
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::evaluator::Evaluator;
use groundrules_ground::{GroundGame, Options as GroundOptions, ground};
use groundrules_machine::Tally;
use groundrules_machine::engines::net::NetMachine;
use groundrules_machine::engines::sliced::{Method, Options, Path, Recording, Sliced};
use groundrules_machine::playout::{ByMachine, Playouts, Setting};
use groundrules_machine::run::{Options as RunOptions, Until, run};
use groundrules_net::{Network, simplify};

fn grounded(text: &str) -> GroundGame {
    let game = read(text.as_bytes(), &ReadOptions::default()).game.expect("a game");
    ground(&game, &GroundOptions::default()).expect("a ground game")
}

fn network(game: &GroundGame) -> Network {
    simplify(&Network::of(game).expect("a network"), &groundrules_net::Options::default()).0
}

fn sliced(text: &str, options: &Options) -> Sliced {
    let game = grounded(text);
    let roles = game.roles.iter().map(|&role| game.term(role)).collect();
    Sliced::new(&network(&game), roles, options).expect("an engine")
}

fn library(name: &str) -> String {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a game of the library")
}

/// A role that chooses among so many moves, of which a third become illegal after the first choice.
fn choosing(moves: usize) -> String {
    let mut text = "(role r) (init (at 0)) (<= terminal (true (at 2))) (goal r 100)
        (<= (next (at 1)) (true (at 0))) (<= (next (at 2)) (true (at 1)))"
        .to_owned();
    for number in 0..moves {
        text.push_str(&format!("(<= (legal r (m {number})) (true (at 0)))"));
        if number % 3 != 1 {
            text.push_str(&format!("(<= (legal r (m {number})) (true (at 1)))"));
        }
    }
    text
}

/// How far counts are from being equal, in standard deviations of chi-square.
fn excess(counts: impl Iterator<Item = u64> + Clone) -> f64 {
    let cells = counts.clone().count() as f64;
    let mean = counts.clone().sum::<u64>() as f64 / cells;
    let square: f64 = counts.map(|count| (count as f64 - mean).powi(2) / mean).sum();
    (square - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
}

const METHODS: [Method; 3] = [Method::Rank { draws: 1 }, Method::Rank { draws: 3 }, Method::Index];

/// The first and second moves of all the playouts of some cycles, lane by lane.
fn recorded(moves: usize, method: Method, cycles: usize) -> Vec<Vec<usize>> {
    let game = grounded(&choosing(moves));
    let options = Options { choice: Some(method), rounds: Some(1), ..Options::default() };
    let mut recording = Recording::new(&network(&game), &options, 99).expect("a recording");
    let mut lanes = vec![Vec::new(); recording.lanes()];
    for _ in 0..cycles {
        recording.cycle();
        for (lane, made) in lanes.iter_mut().enumerate() {
            made.extend(recording.joint_moves(lane).into_iter().flatten());
        }
    }
    lanes
}

#[test]
fn moves_have_equal_chances() {
    for method in METHODS {
        for moves in [2, 3, 5, 7, 8, 11, 17, 30, 211] {
            let mut first = vec![0; moves];
            let mut second: BTreeMap<usize, u64> = BTreeMap::new();
            for lane in recorded(moves, method, 150) {
                for pair in lane.chunks_exact(2) {
                    first[pair[0]] += 1;
                    *second.entry(pair[1]).or_default() += 1;
                }
            }
            assert!(first.iter().sum::<u64>() > 10_000);
            assert_eq!(second.len(), (0..moves).filter(|number| number % 3 != 1).count());
            assert!(excess(first.iter().copied()) < 4.0, "{method:?} of {moves}: {first:?}");
            if second.len() > 1 {
                assert!(excess(second.values().copied()) < 4.0, "{method:?} of {moves}: {second:?}");
            }
        }
    }
}

#[test]
fn moves_with_factors_have_equal_chances() {
    for (text, role) in [(lines::shooters(), 0), (lines::armies(), 0), (lines::armies(), 1)] {
        let game = grounded(&text);
        let evaluator = Evaluator::new(&game).expect("stratified");
        let legal = evaluator.view(&game.init).legal;
        let legal: Vec<usize> = legal.into_iter().filter(|&number| game.moves[number].0 == role).collect();
        for draws in [1, 3] {
            let gates =
                |choice| sliced(&text, &Options { choice: Some(choice), ..Options::default() }).gates();
            assert_ne!(gates(Method::Factors { draws }), gates(Method::Rank { draws }), "there are factors");
            let choice = Some(Method::Factors { draws });
            let options = Options { choice, rounds: Some(1), ..Options::default() };
            let mut recording = Recording::new(&network(&game), &options, 5).expect("a recording");
            let mut begins = vec![true; recording.lanes()];
            let mut first: BTreeMap<usize, u64> = BTreeMap::new();
            for _ in 0..120 {
                recording.cycle();
                for (lane, begins) in begins.iter_mut().enumerate() {
                    for joint in recording.joint_moves(lane) {
                        if std::mem::take(begins) {
                            let made = joint.into_iter().find(|&number| game.moves[number].0 == role);
                            *first.entry(made.expect("each role moves")).or_default() += 1;
                        }
                    }
                    *begins |= recording.finish(lane).is_some();
                }
            }
            assert!(first.values().sum::<u64>() > 10_000);
            assert_eq!(first.keys().copied().collect::<Vec<usize>>(), legal);
            assert!(excess(first.values().copied()) < 4.0, "{draws} draws: {first:?}");
        }
    }
}

#[test]
fn lanes_and_steps_are_independent() {
    const MOVES: usize = 5;
    for method in METHODS {
        let lanes = recorded(MOVES, method, 400);
        // Lanes against their neighbours near and far, and playouts against those before them.
        for distance in [1, 2, 31, 64, 137, 256] {
            let mut pairs = vec![0; MOVES * MOVES];
            for lane in 0..lanes.len() {
                let (one, other) = (&lanes[lane], &lanes[(lane + distance) % lanes.len()]);
                one.iter()
                    .step_by(2)
                    .zip(other.iter().step_by(2))
                    .for_each(|(a, b)| pairs[a * MOVES + b] += 1);
            }
            assert!(excess(pairs.iter().copied()) < 4.0, "{method:?}, lanes {distance} apart: {pairs:?}");
        }
        for distance in [1, 2, 3, 5, 8, 13] {
            let mut pairs = vec![0; MOVES * MOVES];
            for lane in &lanes {
                let first: Vec<usize> = lane.iter().copied().step_by(2).collect();
                first.iter().zip(&first[distance..]).for_each(|(a, b)| pairs[a * MOVES + b] += 1);
            }
            assert!(excess(pairs.iter().copied()) < 4.0, "{method:?}, playouts {distance} apart: {pairs:?}");
        }
    }
}

/// The exact means of the goals under random play, by going through all matches.
fn exact_means(game: &GroundGame) -> Vec<f64> {
    let evaluator = Evaluator::new(game).expect("stratified");
    let mut known = BTreeMap::new();
    let mut init = game.init.clone();
    init.sort_unstable();
    expected(game, &evaluator, init, &mut known)
}

fn expected(
    game: &GroundGame,
    evaluator: &Evaluator<'_>,
    state: Vec<usize>,
    known: &mut BTreeMap<Vec<usize>, Vec<f64>>,
) -> Vec<f64> {
    if let Some(means) = known.get(&state) {
        return means.clone();
    }
    let view = evaluator.view(&state);
    let mut means = vec![0.0; game.roles.len()];
    if view.is_terminal {
        for (role, mean) in means.iter_mut().enumerate() {
            let goal = view.goals.iter().find(|(of, _)| *of == game.roles[role]).expect("a goal");
            *mean = game.term(goal.1).parse().expect("a number");
        }
    } else {
        let mut joints = vec![Vec::new()];
        for role in 0..game.roles.len() {
            let own = view.legal.iter().filter(|&&number| game.moves[number].0 == role);
            let longer = |joint: &Vec<usize>| {
                own.clone().map(|&made| [&joint[..], &[made]].concat()).collect::<Vec<_>>()
            };
            joints = joints.iter().flat_map(longer).collect();
        }
        for joint in &joints {
            let next = expected(game, evaluator, evaluator.next(&state, joint), known);
            means.iter_mut().zip(next).for_each(|(mean, next)| *mean += next / joints.len() as f64);
        }
    }
    known.insert(state, means.clone());
    means
}

fn play(sliced: &Sliced, playouts: u64, threads: usize, max_steps: u64) -> Tally {
    let threads = NonZeroUsize::new(threads).expect("threads");
    let options =
        RunOptions { until: Until::Playouts(playouts), seed: 5, threads, max_steps, cancel: Cancel::new() };
    run(sliced, &options, &mut |_| ControlFlow::Continue(())).expect("a run").tally
}

#[test]
fn means_are_the_exact_ones() {
    let text = library("tic-tac-toe");
    let game = grounded(&text);
    let exact = exact_means(&game);
    for method in METHODS {
        for phases in [false, true] {
            let options = Options { choice: Some(method), phases: Some(phases), ..Options::default() };
            let tally = play(&sliced(&text, &options), 100_000, 1, 1000);
            assert_eq!(tally.playouts, 100_000);
            for (goals, exact) in tally.goals.iter().zip(&exact) {
                let moments = goals.moments();
                let (mean, error) =
                    (moments.mean().expect("goals"), moments.standard_error().expect("goals"));
                assert!((mean - exact).abs() < 4.0 * error, "{options:?}: {mean} ± {error}, exactly {exact}");
            }
        }
    }
}

#[test]
fn paths_and_threads_count_the_same() {
    for name in ["tic-tac-toe", "connect-four"] {
        let text = library(name);
        let portable = Options { path: Some(Path::Portable), ..Options::default() };
        let right = play(&sliced(&text, &portable), 5_000, 1, 1000);
        assert_eq!(right.playouts, 5_000);
        for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
            let engine = sliced(&text, &Options { path: Some(path), ..portable });
            assert_eq!(engine.path(), path);
            assert_eq!(play(&engine, 5_000, 1, 1000), right, "{path:?}");
            assert_eq!(play(&engine, 5_000, 2, 1000), right, "{path:?} on two threads");
        }
    }
}

/// The goals of other engines: the games of the library that are small enough, within the errors of both means.
#[test]
fn means_are_those_of_the_engine_net() {
    let mut compared = 0;
    for name in
        ["connect-four-4x4", "breakthrough-small", "kuhn-poker", "tron", "reversi", "nim", "dots-and-boxes"]
    {
        let game = grounded(&library(name));
        let engine = sliced(&library(name), &Options::default());
        let machine = NetMachine::new(game).expect("a network");
        let one = play(&engine, 20_000, 1, 500);
        let options = RunOptions {
            until: Until::Playouts(2_000),
            seed: 3,
            threads: NonZeroUsize::MIN,
            max_steps: 500,
            cancel: Cancel::new(),
        };
        let other = run(&ByMachine::new(Box::new(machine)), &options, &mut |_| ControlFlow::Continue(()))
            .expect("a run")
            .tally;
        for (ours, theirs) in one.goals.iter().zip(&other.goals) {
            let (ours, theirs) = (ours.moments(), theirs.moments());
            let (Some(a), Some(b)) = (ours.mean(), theirs.mean()) else { continue };
            let error = ours.standard_error().unwrap_or(0.0).hypot(theirs.standard_error().unwrap_or(0.0));
            assert!((a - b).abs() <= 4.5 * error, "{name}: {a} and {b}, error {error}");
            compared += 1;
        }
        let (a, b) = (one.states as f64 / one.playouts as f64, other.lengths.mean().expect("playouts"));
        let error = other.lengths.standard_error().unwrap_or(0.0).max(0.01);
        assert!((a - b).abs() <= 5.0 * error, "{name}: {a} and {b} moves, error {error}");
        // Of 64 playouts, whose states are not independent of each other.
        let (a, b) = (one.branching.value().expect("a sample"), other.branching.value().expect("playouts"));
        assert!((a / b - 1.0).abs() < 0.1, "{name}: {a} and {b} joint moves to choose from");
    }
    assert!(compared >= 10);
}

/// A game in which one step in three ends the match, and nothing else does.
const UNCERTAIN: &str = "(role r) (legal r (go 1)) (legal r (go 2)) (legal r stop)
    (<= (next over) (does r stop)) (<= terminal (true over)) (goal r 100)";

#[test]
fn limits_are_kept_exactly() {
    for max_steps in [0, 1, 2, 3, 7] {
        let tally = play(&sliced(UNCERTAIN, &Options::default()), 30_000, 1, max_steps);
        assert_eq!(tally.playouts, 30_000);
        assert_eq!(tally.lengths.count, tally.lengths.count.min(tally.playouts));
        let share = tally.unfinished as f64 / 30_000.0;
        let wanted = (2.0_f64 / 3.0).powi(i32::try_from(max_steps).unwrap());
        assert!((share - wanted).abs() < 0.015, "{max_steps} steps: {share}, not {wanted}");
        assert_eq!(tally.goals[0].histogram.get(&100).copied().unwrap_or(0) + tally.unfinished, 30_000);
        // States: 1 + 2/3 + 4/9 + … for each playout.
        let states =
            (0..max_steps).map(|step| (2.0_f64 / 3.0).powi(i32::try_from(step).unwrap())).sum::<f64>();
        assert!((tally.states as f64 / 30_000.0 - states).abs() < 0.05);
    }
}

#[test]
fn games_that_never_end_stop_at_the_limit() {
    let text = "(role r) (role s) (legal r a) (legal r b) (legal s c) (init p) (<= (next p) (not (true p)))
        (<= terminal (true q)) (goal r 0) (goal s 0)";
    for max_steps in [10, 1000] {
        let tally = play(&sliced(text, &Options::default()), 1_500, 2, max_steps);
        assert_eq!((tally.playouts, tally.unfinished), (1_500, 1_500));
        assert_eq!(tally.states, 1_500 * max_steps);
    }
}

#[test]
fn roles_without_a_move_are_counted() {
    // The second role is stuck when the first has chosen b.
    let text = "(role r) (role s) (init (at 0)) (<= (legal r a) (true (at 0))) (<= (legal r b) (true (at 0)))
        (legal r c) (<= (legal s x) (not (true blocked))) (<= (next blocked) (does r b))
        (<= (next (at 1)) (does r ?m)) (<= terminal (true (at 1)) (not (true blocked))) (goal r 50) (goal s 50)";
    let tally = play(&sliced(text, &Options::default()), 20_000, 1, 1000);
    assert_eq!((tally.playouts, tally.stuck_role), (20_000, Some(1)));
    assert!((tally.unplayable as f64 / 20_000.0 - 1.0 / 3.0).abs() < 0.02);
    assert_eq!(tally.unplayable + tally.goals[0].histogram[&50], 20_000);
}

#[test]
fn unsound_goals_are_counted() {
    let text = "(role r) (role s) (legal r a) (legal r b) (legal s c) (init p) (<= (next q) (does r a)) (<= (next z) (true p))
        (<= terminal (true z)) (<= (goal r 10) (true q)) (goal r 20) (<= (goal s 5) (true q))";
    let tally = play(&sliced(text, &Options::default()), 10_000, 1, 1000);
    let [r, s] = &tally.goals[..] else { panic!("two roles") };
    assert_eq!(r.several + r.histogram[&20], 10_000);
    assert_eq!(s.none, r.histogram[&20]);
    assert_eq!(s.histogram[&5], r.several);
}

#[test]
fn playouts_can_be_cut_short() {
    let mut engine = sliced(&library("connect-four"), &Options::default());
    let stop = AtomicBool::new(true);
    let setting = Setting { seed: 1, max_steps: 1000, stop: &stop };
    let mut tally = Tally::new(2);
    let count = engine.block_size();
    engine.play(0, count, &setting, &mut tally).expect("a block");
    assert!(tally.cut_short > 0 && tally.playouts < count);
}
