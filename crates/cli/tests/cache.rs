//! The cache as users meet it: the folder that the environment names, the flag against it, damage, and several processes at
//! once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A run of twenty playouts with this folder (or `off`) for the cache.
fn run(cache: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.args(["run", "reversi", "--engine", "net", "--playouts", "20", "--threads", "1", "--json"]);
    command.args(flags).env("GROUNDRULES_CACHE", cache).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What was played: the part of the output that no clock decides.
fn played(command: &mut Command) -> (u64, serde_json::Value) {
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (found["states"].as_u64().expect("a number"), found["goals"].clone())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn games_are_kept_unless_told_otherwise() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("cache");
    let anew = played(&mut run(&folder, &["--no-cache"]));
    assert!(files(&folder).is_empty(), "--no-cache");
    let off = played(run(Path::new("off"), &[]).current_dir(home.path()));
    assert!(!home.path().join("off").exists(), "GROUNDRULES_CACHE=off");
    assert_eq!(off, anew);

    assert_eq!(played(&mut run(&folder, &[])), anew);
    assert!(!files(&folder).is_empty(), "grounding reversi takes longer than what is worth keeping");
    assert_eq!(played(&mut run(&folder, &[])), anew, "from the cache");

    for file in files(&folder) {
        let mut bytes = fs::read(&file).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).expect("written");
    }
    assert_eq!(played(&mut run(&folder, &[])), anew, "damaged files are missing");
}

#[test]
fn processes_at_once_do_not_disturb_each_other() {
    let home = tempfile::tempdir().expect("a folder");
    let anew = played(&mut run(home.path(), &["--no-cache"]));
    let started: Vec<_> = (0..3).map(|_| run(home.path(), &[]).spawn().expect("a process")).collect();
    for child in started {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(found["states"].as_u64(), Some(anew.0));
    }
    let complete = |file: &PathBuf| file.extension().is_some_and(|end| end == "kept");
    assert!(files(home.path()).iter().all(complete), "{:?}", files(home.path()));
    assert_eq!(played(&mut run(home.path(), &[])), anew);
}
