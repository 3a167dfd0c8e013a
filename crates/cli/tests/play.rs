//! Playing from the outside: the shape of what `run` and `bench interpret` tell, and that seeds decide what comes of
//! playouts, whatever the number of threads. No time is asserted, because machines are shared.

use std::path::Path;
use std::process::{Command, Output};

use groundrules_oracle::skip;
use serde_json::Value;

fn groundrules(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.current_dir(folder).args(arguments);
    command.output().expect("the program starts")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A run without what depends on the machine.
fn run(game: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut run = json(&groundrules(folder.path(), &[&["run", game, "--json"], arguments].concat()));
    let object = run.as_object_mut().unwrap();
    for key in [
        "seconds",
        "setup_seconds",
        "playouts_per_second",
        "states_per_second",
        "cpu_seconds",
        "setup_cpu_seconds",
        "counters",
        "threads",
        "ready_seconds",
        "lanes",
        "gates_per_step",
    ] {
        assert!(object.remove(key).is_some(), "{key}");
    }
    run
}

#[test]
fn the_same_seed_gives_the_same_result_whatever_the_number_of_threads() {
    let games = ["tic-tac-toe", "rock-paper-scissors", "lights-out", "busy-beaver", "dice-race"];
    for (game, engine) in games.iter().flat_map(|game| ["auto", "tree"].map(|engine| (game, engine))) {
        let with = |seed: &str, threads: &str| {
            let numbers = ["--playouts", "60", "--max-steps", "200", "--seed", seed, "--threads", threads];
            run(game, &[&numbers[..], &["--engine", engine]].concat())
        };
        let one = with("5", "1");
        assert_eq!(one, with("5", "2"), "{game} by {engine}");
        assert_eq!(one, with("5", "5"), "{game} by {engine}");
        assert_eq!(one["playouts"], 60);
    }
    assert_ne!(run("tic-tac-toe", &["--playouts", "60", "--seed", "5"])["goals"], {
        run("tic-tac-toe", &["--playouts", "60", "--seed", "6"])["goals"].clone()
    });
}

#[test]
fn what_a_run_tells_fits_together() {
    ["tree", "net", "sliced"].into_iter().for_each(what_a_run_of_an_engine_tells);
}

fn what_a_run_of_an_engine_tells(engine: &str) {
    let run = run("tic-tac-toe", &["--playouts", "2000", "--engine", engine]);
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(number(&run["states"]), (number(&run["mean_length"]) * 2000.0).round());
    assert!((number(&run["goals"]["cross"]) + number(&run["goals"]["nought"]) - 100.0).abs() < 1e-9);
    // Known of random tic-tac-toe: cross wins 58.49 %, nought 28.81 %, after 7.63 moves.
    assert!((number(&run["goals"]["cross"]) - 64.84).abs() < 6.0, "{run}");
    assert!((number(&run["mean_length"]) - 7.63).abs() < 0.2, "{run}");
    let interval = run["goals_interval"]["cross"].as_array().unwrap();
    assert!(number(&interval[0]) < number(&run["goals"]["cross"]));
    let histogram = run["goals_histogram"]["nought"].as_object().unwrap();
    assert_eq!(histogram.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 2000);
}

#[test]
fn optimisations_change_no_result() {
    let arguments = ["--engine", "tree", "--playouts", "5", "--max-steps", "12"];
    for game in ["reversi", "mini-checkers", "nim"] {
        let all = run(game, &arguments);
        for optimisation in
            ["filters", "filter-removal", "hashing", "inlining", "join-order", "memo", "tables"]
        {
            let without = run(game, &[&arguments[..], &["--without", optimisation]].concat());
            assert_eq!(all, without, "{game} without {optimisation}");
        }
    }
}

#[test]
fn every_way_to_run_gates_plays_the_same() {
    let arguments = ["--engine", "sliced", "--playouts", "700", "--seed", "3"];
    for game in ["connect-four", "rock-paper-scissors"] {
        let best = run(game, &arguments);
        for without in ["avx512", "avx2", "machine-code"] {
            assert_eq!(
                best,
                run(game, &[&arguments[..], &["--without", without]].concat()),
                "{game} {without}"
            );
        }
    }
}

#[test]
fn a_run_may_end_when_its_time_is_over() {
    let run = run("tic-tac-toe", &["--seconds", "0.2", "--threads", "2"]);
    assert!(run["playouts"].as_u64().is_some());
}

#[test]
fn searching_is_measured_by_engine() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["bench", "play", "connect-four", "--seconds", "0.05", "--moves", "1", "--json"];
    let document = json(&groundrules(folder.path(), &arguments));
    let engines = document["games"][0]["engines"].as_array().unwrap();
    assert_eq!(engines.len(), 3);
    assert!(engines.iter().all(|engine| engine["playouts_per_second"].as_f64().is_some()), "{document}");
    let text = groundrules(folder.path(), &arguments[..7]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("sliced/tree"));
}

#[test]
fn the_same_seed_plays_the_same_matches() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["match", "connect-four", "--player", "mcts", "--player", "greedy", "--games", "2"];
    let rest = ["--simulations", "300", "--seed", "4", "--json"];
    let played = || json(&groundrules(folder.path(), &[&arguments[..], &rest].concat()));
    let once = played();
    assert_eq!(once, played());
    assert_eq!(once["players"][0]["player"], "mcts");
}

#[test]
fn interpreting_is_measured_beside_prolog() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.kif"), "(role").unwrap();
    let arguments =
        ["bench", "interpret", "tic-tac-toe", "broken.kif", "--seconds", "0.2", "--json", "--plots", "plots"];
    let document = json(&groundrules(folder.path(), &arguments));
    let games = document["games"].as_array().unwrap();
    assert_eq!((&games[0]["game"], &games[1]["game"]), (&"broken".into(), &"tic-tac-toe".into()));
    assert!(games[0]["ours"]["error"].is_string(), "{document}");
    assert!(games[1]["ours"]["states"].as_u64().is_some(), "{document}");
    if document["prolog"].is_null() {
        return skip("SWI-Prolog is not installed");
    }
    let prolog = &games[1]["prolog"];
    assert_eq!(prolog["recursion"], "plain", "{document}");
    assert!(games[0]["prolog"]["error"].is_string(), "{document}");
    assert!(games[1]["agreement"].is_string(), "the two see the same game: {document}");
    assert!(folder.path().join("plots").is_dir());
}

/// Cyclic data, on which Prolog runs round in a circle unless it tables.
const CYCLIC: &str = "(role you) (init (at a)) (edge a b) (edge b a) (edge b c) (edge c a)
    (<= (legal you (go ?y)) (true (at ?x)) (edge ?x ?y))
    (<= (next (at ?y)) (does you (go ?y)))
    (<= (reach ?x ?y) (edge ?x ?y))
    (<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z))
    (<= terminal (true (at c)) (reach a c))
    (<= (goal you 50) (reach c c))";

#[test]
fn prolog_tables_where_it_would_not_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cyclic.kif"), CYCLIC).unwrap();
    let document = json(&groundrules(
        folder.path(),
        &["bench", "interpret", "cyclic.kif", "--seconds", "0.2", "--json"],
    ));
    if document["prolog"].is_null() {
        return skip("SWI-Prolog is not installed");
    }
    assert_eq!(document["games"][0]["prolog"]["recursion"], "tabled", "{document}");
    assert!(document["games"][0]["agreement"].is_string(), "{document}");
    assert_eq!(document["summary"]["tabled"][0], "cyclic");
}
