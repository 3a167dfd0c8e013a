//! `groundrules verify` as a process: killed at any moment it goes on from its checkpoint to the same verdicts and counts;
//! and its counterexamples are accepted by `groundrules replay`.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Instant;

use groundrules_oracle::skip;
use serde_json::Value;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_groundrules"))
}

/// What must be the same whatever happened on the way.
fn essence(output: &Output) -> (Value, Value, Value, Value) {
    let text = String::from_utf8_lossy(&output.stdout);
    let object: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text} {}", String::from_utf8_lossy(&output.stderr)));
    let part = |name: &str| object[name].clone();
    (part("states"), part("joint_moves"), part("levels"), part("verdicts"))
}

fn verify(game: &str, threads: u64, folder: Option<&Path>) -> Command {
    let mut command = program();
    command.args(["verify", game, "--json", "--threads", &threads.to_string()]);
    if let Some(folder) = folder {
        command.arg("--checkpoint").arg(folder).args(["--checkpoint-every", "0.01"]);
        if folder.join("manifest.json").exists() {
            command.arg("--resume");
        }
    }
    command
}

/// Runs per kill that is wanted, at most.
const TRIES: u64 = 10;

/// Kills a run again and again after random times, until so many kills met it at work; then lets it end. Where runs keep ending
/// before they are killed, it is content with fewer kills, and reports that.
fn killed(game: &str, kills: u64, random: &mut u64) -> Vec<Output> {
    let start = Instant::now();
    let whole = verify(game, 2, None).output().unwrap();
    let longest = start.elapsed();
    let (mut ended, mut met) = (vec![whole], 0);
    let mut folder = tempfile::tempdir().unwrap();
    for _ in 0..TRIES * kills {
        if met == kills {
            break;
        }
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let threads = 1 + (*random >> 60) % 2;
        let mut run = verify(game, threads, Some(folder.path()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        sleep(longest.mul_f64((*random >> 33) as f64 / (1_u64 << 31) as f64 * 0.7));
        if run.try_wait().unwrap().is_none() {
            run.kill().unwrap();
            run.wait().unwrap();
            met += 1;
        } else {
            ended.push(run.wait_with_output().unwrap());
            folder = tempfile::tempdir().unwrap();
        }
    }
    if met < kills {
        let reason =
            format_args!("{met} of {kills} kills of {game} met a run at work in {} runs", TRIES * kills);
        skip(reason);
    }
    ended.push(verify(game, 2, Some(folder.path())).output().unwrap());
    ended
}

#[test]
fn killed_runs_end_as_if_nothing_had_happened() {
    let mut random = 20_260_731;
    for (game, kills) in [("connect-four-4x4", 14), ("eight-puzzle-endless", 8)] {
        let ended = killed(game, kills, &mut random);
        let first = essence(&ended[0]);
        assert!(ended.iter().all(|one| essence(one) == first), "{game}");
    }
}

#[test]
fn counterexamples_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let lines = folder.path().join("lines");
    for (game, count) in [("eight-puzzle-endless", 1), ("tic-tac-toe", 1)] {
        let run = program().args(["verify", game, "--counterexamples"]).arg(&lines).output().unwrap();
        assert_eq!(run.status.code(), Some(if game == "tic-tac-toe" { 0 } else { 1 }), "{game}");
        let traces: Vec<_> = std::fs::read_dir(&lines).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(traces.len(), count, "{game}");
        for trace in traces {
            let replay =
                program().arg("replay").arg(&trace).args(["--game", game, "--engine", "tree"]).status();
            assert!(replay.unwrap().success(), "{}", trace.display());
        }
        std::fs::remove_dir_all(&lines).unwrap();
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = verify("tic-tac-toe", 1, Some(folder.path())).output().unwrap();
    assert!(run.status.success());
    // Another game's checkpoint, a checkpoint that would be lost, none at all, states that cannot be saved.
    let refused = |command: &mut Command| command.output().unwrap().status.code() == Some(2);
    assert!(refused(&mut verify("nim", 1, Some(folder.path()))));
    assert!(refused(program().args(["verify", "tic-tac-toe", "--checkpoint"]).arg(folder.path())));
    let empty = tempfile::tempdir().unwrap();
    assert!(refused(program().args(["verify", "tic-tac-toe", "--resume", "--checkpoint"]).arg(empty.path())));
    assert!(refused(program().args(["verify", "busy-beaver", "--checkpoint"]).arg(empty.path())));
}

#[test]
fn sampling_is_called_evidence() {
    let run = program().args(["verify", "reversi", "--sample", "20"]).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(run.status.code(), Some(2), "{text}");
    assert!(text.contains("evidence, not proof") && text.contains("95 % confidence"), "{text}");
}

/// Where a line ends, the report has the goal values of each role: a program sees which of them are wrong.
#[test]
fn the_goals_at_the_end_of_a_line_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("two-goals.kif");
    let rules = "(role left) (role right) (init on) (<= (legal ?r stay) (role ?r)) (next off) (<= terminal (true off))
        (goal left 30) (<= (goal left 70) (true off)) (<= (goal right 50) (true on))";
    std::fs::write(&game, rules).unwrap();
    let output = verify(game.to_str().unwrap(), 1, None).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts = report["verdicts"].as_array().unwrap();
    let utility = verdicts.iter().find(|verdict| verdict["property"] == "utility structure").unwrap();
    assert_eq!(utility["verdict"], "fails", "{report}");
    assert_eq!(utility["line"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(utility["goals"], serde_json::json!({ "left": [30, 70], "right": [] }), "{report}");
    let without_line = verdicts.iter().find(|verdict| verdict["property"] == "playability").unwrap();
    assert!(without_line["goals"].is_null(), "{report}");
}
