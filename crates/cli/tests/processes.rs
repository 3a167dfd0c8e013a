//! Exploring with several processes: the same verdicts and counts as threads give, on the addresses of two computers as far as
//! one computer has them; clean ends when a process is lost; and checkpoints that outlive all that.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use groundrules_oracle::skip;
use serde_json::Value;
use tempfile::TempDir;

const GAME: &str = "eight-puzzle-endless";

fn verify(game: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.args(["verify", game, "--json", "--threads", "1"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What must be the same whatever happened on the way.
fn essence(output: &Output) -> [Value; 4] {
    let text = String::from_utf8_lossy(&output.stdout);
    let object: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text} {}", String::from_utf8_lossy(&output.stderr)));
    ["states", "joint_moves", "levels", "verdicts"].map(|name| object[name].clone())
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the addresses of two computers: both are this one.
struct Hosts {
    folder: TempDir,
}

impl Hosts {
    fn new() -> Hosts {
        let folder = tempfile::tempdir().unwrap();
        // Linux has many addresses for itself, others may have one.
        let second = if TcpListener::bind("127.0.0.2:0").is_ok() { "127.0.0.2" } else { "127.0.0.1" };
        let listeners = ["127.0.0.1", second].map(|host| TcpListener::bind((host, 0)).unwrap());
        let addresses = listeners.map(|listener| listener.local_addr().unwrap().to_string());
        fs::write(folder.path().join("hosts"), addresses.join("\n")).unwrap();
        Hosts { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn verify(&self, game: &str, process: usize) -> Command {
        let mut command = verify(game);
        command.arg("--hosts").arg(self.path("hosts")).args(["--process", &process.to_string()]);
        command
    }
}

/// Lets a command write checkpoints as often as it can, and go on from those that are there.
fn saving<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command.arg("--checkpoint").arg(folder).args(["--checkpoint-every", "0.01"]);
    if folder.join("manifest.json").exists() {
        command.arg("--resume");
    }
    command
}

fn end(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

#[test]
fn processes_find_what_threads_find() {
    for game in ["tic-tac-toe", GAME, "nim"] {
        let alone = verify(game).output().unwrap();
        let started = verify(game).args(["--processes", "3"]).output().unwrap();
        assert_eq!(essence(&started), essence(&alone), "{game}");
        assert_eq!(started.status.code(), alone.status.code());
        let hosts = Hosts::new();
        let other = hosts.verify(game, 1).spawn().unwrap();
        let first = hosts.verify(game, 0).output().unwrap();
        assert_eq!(essence(&first), essence(&alone), "{game}");
        assert_eq!(errors(&first), "");
        // Only the first one tells what was found; all know it.
        let other = end(other);
        assert_eq!((other.stdout.len(), other.status.code()), (0, alone.status.code()));
    }
}

#[test]
fn other_commands_run_on_processes_too() {
    let run = |command: &str, rest: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_groundrules"));
        let output = program.args([command, "tic-tac-toe"]).args(rest).output().unwrap();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    assert_eq!(run("perft", &["9", "--processes", "2"]), run("perft", &["9"]));
    assert_eq!(run("solve", &["--processes", "2"]), run("solve", &[]));
}

#[test]
fn who_does_something_else_is_refused() {
    let hosts = Hosts::new();
    let other = hosts.verify("nim", 1).spawn().unwrap();
    let first = hosts.verify("tic-tac-toe", 0).output().unwrap();
    for output in [first, end(other)] {
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains("another game, or with other options"), "{}", errors(&output));
    }
    let alone = hosts.verify("nim", 0).args(["--patience", "0.2"]).output().unwrap();
    assert!(errors(&alone).contains("did not call in time"), "{}", errors(&alone));
    let alone = hosts.verify("nim", 1).args(["--patience", "0.2"]).output().unwrap();
    assert!(errors(&alone).contains("process 0 at 127.0.0.1:"), "{}", errors(&alone));
    let none = hosts.verify("nim", 2).output().unwrap();
    assert!(errors(&none).contains("there is no process 2"), "{}", errors(&none));
}

#[test]
fn a_lost_process_ends_the_others_and_the_checkpoints_stay() {
    let alone = verify(GAME).output().unwrap();
    let hosts = Hosts::new();
    // Each has a folder of its own, as on two computers.
    let folders = ["first", "second"].map(|name| hosts.path(name));
    let mut other = saving(&mut hosts.verify(GAME, 1), &folders[1]).spawn().unwrap();
    let first = saving(&mut hosts.verify(GAME, 0), &folders[0]).spawn().unwrap();
    // It ends when the process does, which it does by itself.
    while !folders[1].join("manifest.json").exists() && other.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    other.kill().unwrap();
    other.wait().unwrap();
    let first = end(first);
    // It may have been through already; else it says what happened, in one line.
    if first.status.code() == Some(2) {
        let said = errors(&first);
        assert!(said.contains("process 1 at") && said.contains("is lost"), "{said}");
        assert!(said.contains("--resume") && said.lines().count() == 1, "{said}");
    }
    let other = saving(&mut hosts.verify(GAME, 1), &folders[1]).spawn().unwrap();
    let first = saving(&mut hosts.verify(GAME, 0), &folders[0]).output().unwrap();
    assert_eq!(essence(&first), essence(&alone), "{}", errors(&first));
    assert_eq!(end(other).status.code(), alone.status.code());
}

/// Ends one of the processes that a command started, or the command itself.
fn kill_one(run: &mut Child, which: u64) {
    let children = format!("/proc/{0}/task/{0}/children", run.id());
    let child =
        fs::read_to_string(children).ok().and_then(|text| Some(text.split_whitespace().next()?.to_owned()));
    match child.filter(|_| which == 1) {
        Some(child) => drop(Command::new("kill").args(["-9", &child]).status()),
        None => run.kill().unwrap(),
    }
}

#[test]
fn killed_processes_go_on_as_if_nothing_had_happened() {
    let start = Instant::now();
    let alone = verify(GAME).args(["--processes", "2"]).output().unwrap();
    let longest = start.elapsed();
    let (mut random, mut met, mut ended) = (7_u64, 0, Vec::new());
    let mut folder = tempfile::tempdir().unwrap();
    let (kills, tries) = (20, 200);
    for _ in 0..tries {
        if met == kills {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = verify(GAME);
        let mut run = saving(command.args(["--processes", "2"]), folder.path()).spawn().unwrap();
        sleep(longest.mul_f64((random >> 33) as f64 / (1_u64 << 31) as f64 * 0.8));
        if run.try_wait().unwrap().is_none() {
            kill_one(&mut run, random >> 32 & 1);
            met += 1;
            let output = end(run);
            // It may have been through before the blow.
            if output.status.code() == Some(1) {
                ended.push(output);
            }
        } else {
            ended.push(end(run));
            folder = tempfile::tempdir().unwrap();
        }
    }
    if met < kills {
        let reason = format_args!("{met} of {kills} kills met a run at work in {tries} runs");
        skip(reason);
    }
    ended.push(saving(verify(GAME).args(["--processes", "2"]), folder.path()).output().unwrap());
    assert!(ended.iter().all(|one| essence(one) == essence(&alone)));
}
