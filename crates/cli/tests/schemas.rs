//! What commands write with `--json` is what `docs/schemas` says: every schema is held against real output. The schemas use a
//! few keywords only, which are checked here; a keyword that is not among them fails the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

/// What is wrong with a value by a schema, with the place.
fn faults(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let Some(keywords) = schema.as_object() else {
        return if schema == &Value::Bool(true) {
            vec![]
        } else {
            vec![format!("{place}: bad schema {schema}")]
        };
    };
    let mut found = Vec::new();
    for (keyword, argument) in keywords {
        match keyword.as_str() {
            "$schema" | "title" | "description" => {}
            "type" if !has_type(argument, value) => found.push(format!("{place}: {value} is no {argument}")),
            "enum" if !argument.as_array().is_some_and(|allowed| allowed.contains(value)) => {
                found.push(format!("{place}: {value} is not among {argument}"));
            }
            "required" => {
                let missing = |key: &&Value| {
                    key.as_str().is_some_and(|key| value.is_object() && value.get(key).is_none())
                };
                let required = argument.as_array().map(Vec::as_slice).unwrap_or_default();
                found.extend(required.iter().filter(missing).map(|key| format!("{place}: {key} is missing")));
            }
            "items" => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                let each = items.iter().enumerate();
                found.extend(each.flat_map(|(at, item)| faults(argument, item, &format!("{place}[{at}]"))));
            }
            "properties" | "additionalProperties" => {}
            "type" | "enum" => {}
            other => found.push(format!("{place}: the keyword {other} is not supported")),
        }
    }
    for (key, member) in value.as_object().into_iter().flatten() {
        let inside = format!("{place}.{key}");
        let known = keywords.get("properties").and_then(|properties| properties.get(key));
        match known.or(keywords.get("additionalProperties")) {
            Some(Value::Bool(false)) => found.push(format!("{inside}: not in the schema")),
            Some(schema) => found.extend(faults(schema, member, &inside)),
            None => {}
        }
    }
    found
}

fn has_type(allowed: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    allowed.as_array().map_or_else(|| is(allowed), |several| several.iter().any(is))
}

/// The keys of all objects in a value.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            found.push(key.clone());
            keys(member, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// Commands for each schema, given from the folder `crates/cli/tests/cmd`.
const COMMANDS: [(&str, &[&str]); 26] = [
    ("check", &["check", "--json", "check.in", "nim", "kuhn-poker", "busy-beaver"]),
    ("check", &["check", "--json", "--lenient", "--deny", "all", "check.in/transitive.kif"]),
    ("explain", &["explain", "--json", "G302"]),
    ("explain-all", &["explain", "--json"]),
    ("games", &["games", "--json"]),
    ("ground", &["ground", "--json", "nim"]),
    ("net", &["net", "--json", "tic-tac-toe"]),
    ("net", &["net", "--json", "--exact", "net.in/small.kif"]),
    ("analyse", &["analyse", "--json", "tic-tac-toe"]),
    ("analyse", &["analyse", "--json", "rock-paper-scissors"]),
    ("run", &["run", "--json", "nim", "--playouts", "20"]),
    ("run", &["run", "--json", "dice-race", "--seconds", "0.1", "--engine", "tree"]),
    (
        "match",
        &[
            "match",
            "--json",
            "nim",
            "--player",
            "mcts",
            "--player",
            "legal",
            "--games",
            "2",
            "--simulations",
            "10",
        ],
    ),
    ("match", &["match", "--json", "nim", "--player", "random", "--games", "1", "--seconds", "0.01"]),
    ("replay", &["replay", "--json", "replay.in/count.jsonl", "--game", "replay.in/count.kif"]),
    ("replay", &["replay", "--json", "replay.in/goals.jsonl", "--game", "replay.in/count.kif"]),
    ("verify", &["verify", "--json", "tic-tac-toe"]),
    ("verify", &["verify", "--json", "connect-four", "--max-states", "500"]),
    ("verify", &["verify", "--json", "connect-four", "--by", "prove"]),
    ("prove", &["prove", "--json", "tic-tac-toe", "--show-invariant"]),
    ("prove", &["prove", "--json", "nim", "--never", "terminal"]),
    ("verify-sample", &["verify", "--json", "nim", "--sample", "20"]),
    ("solve", &["solve", "--json", "nim"]),
    ("perft", &["perft", "--json", "nim", "2"]),
    ("tm", &["tm", "--json", "busy-beaver-3", "--run", "20"]),
    ("tm", &["tm", "--json", "busy-beaver-3", "--run", "2"]),
];

fn assert_fits(name: &str, arguments: &[&str], output: &[u8]) {
    let schema = std::fs::read(schemas().join(format!("{name}.json"))).expect(name);
    let schema: Value = serde_json::from_slice(&schema).expect(name);
    let text = std::str::from_utf8(output).expect("UTF-8");
    assert!(!text.is_empty(), "{arguments:?} wrote nothing");
    for line in text.lines() {
        let object: Value = serde_json::from_str(line).expect("one object per line");
        assert_eq!(faults(&schema, &object, name), [""; 0], "{arguments:?}");
    }
}

#[test]
fn output_is_what_the_schemas_say() {
    for (name, arguments) in COMMANDS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd")).args(arguments);
        assert_fits(name, arguments, &command.output().expect("the program starts").stdout);
    }
}

#[test]
fn a_tournament_is_what_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "games = ['nim']\n[[player]]\nplayer = 'random'\n[[player]]\nplayer = 'legal'\n";
    std::fs::write(folder.path().join("cup.toml"), plan).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    let arguments = ["tournament", "cup.toml", "--json", "--quiet"];
    command.current_dir(folder.path()).args(arguments);
    assert_fits("tournament", &arguments, &command.output().expect("the program starts").stdout);
}

#[test]
fn every_schema_is_tested_and_in_one_style() {
    for entry in std::fs::read_dir(schemas()).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path
            .file_stem()
            .and_then(|name| name.to_str())
            .filter(|_| path.extension().is_some_and(|it| it == "json"))
        else {
            continue;
        };
        assert!(name == "tournament" || COMMANDS.iter().any(|(tested, _)| *tested == name), "{name}");
        let schema: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).expect(name);
        let mut names = Vec::new();
        keys(&schema["properties"], &mut names);
        let keywords = ["additionalProperties"];
        let odd: Vec<_> = names
            .iter()
            .filter(|key| {
                key.contains(['-', ' '])
                    || (key.chars().any(char::is_uppercase) && !keywords.contains(&key.as_str()))
            })
            .collect();
        assert!(odd.is_empty(), "{name}: {odd:?} is not in snake_case");
    }
}

#[test]
fn the_checker_can_fail() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": "array", "items": { "enum": [1, null] } } },
    });
    let count = |value| faults(&schema, &value, "x").len();
    assert_eq!(count(serde_json::json!({ "a": [1, null] })), 0);
    assert_eq!(count(serde_json::json!({ "a": [2], "b": 1 })), 2);
    assert_eq!(count(serde_json::json!({})), 1);
    assert_eq!(count(serde_json::json!([])), 1);
}
