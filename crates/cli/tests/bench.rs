//! `bench ground` from the outside: the shape of what it tells. No time is asserted, because machines are shared.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn bench_ground(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.current_dir(folder).args(["bench", "ground", "--runs", "1"]).args(arguments);
    command.output().expect("the program starts")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A method either tells its figures or why there are none.
fn assert_outcome(outcome: &Value) {
    if outcome["error"].is_string() {
        return;
    }
    for key in ["seconds", "cpu_seconds", "wall_seconds", "peak_bytes", "resident_bytes"] {
        assert!(outcome[key].as_f64().is_some_and(|value| value >= 0.0), "{key} in {outcome}");
    }
    assert!(outcome["rules"].as_u64().is_some_and(|rules| rules > 0), "{outcome}");
    assert_eq!(outcome["runs"].as_array().map(Vec::len), Some(1), "{outcome}");
}

#[test]
fn a_game_of_the_library_has_an_entry_for_each_method() {
    let folder = tempfile::tempdir().unwrap();
    let document = json(&bench_ground(folder.path(), &["tic-tac-toe", "--json", "--plots", "plots"]));
    assert!(folder.path().join("plots").is_dir());
    assert!(document["gringo"].is_null() || document["gringo"].is_string());
    let games = document["games"].as_array().unwrap();
    assert_eq!((games.len(), games[0]["game"].as_str()), (1, Some("tic-tac-toe")));
    let methods = games[0]["methods"].as_object().unwrap();
    methods.values().for_each(assert_outcome);
    for summary in document["methods"].as_array().unwrap() {
        let method = summary["method"].as_str().unwrap();
        assert!(methods.contains_key(method), "{method}");
        assert!(summary["grounded"].is_u64() && summary["not_grounded"].is_array(), "{summary}");
    }
    for method in ["one-step", "iterative"] {
        assert!(methods.contains_key(method), "{method}");
    }
}

#[test]
fn switches_are_measured_beside_the_methods() {
    let folder = tempfile::tempdir().unwrap();
    let document = json(&bench_ground(folder.path(), &["tic-tac-toe", "--json", "--switches"]));
    assert_eq!(document["switches"].as_array().map(Vec::len), Some(6));
    let outcome = &document["games"][0]["methods"]["no-projection"];
    assert!(outcome.is_object());
    assert_outcome(outcome);
}

#[test]
fn what_cannot_be_grounded_is_an_entry_and_not_the_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.kif"), "(role").unwrap();
    let document = json(&bench_ground(folder.path(), &["tic-tac-toe", "broken.kif", "--json"]));
    assert_eq!(document["games"][0]["game"], "broken");
    assert!(document["games"][0]["methods"]["one-step"]["error"].is_string());
    assert_eq!(document["games"][1]["game"], "tic-tac-toe");
    let text = bench_ground(folder.path(), &["broken.kif"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("Not grounded by one-step: 1\n  broken: "), "{text}");
}
