//! The commands that speak the protocol, as programs: killed in the middle, resumed, and spoken to by programs that are not
//! ours.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use groundrules_oracle::skip;
use serde_json::{Value, json};

fn groundrules(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// A server that ends with the test.
struct Serving {
    child: Child,
    port: u16,
    _stdout: BufReader<ChildStdout>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(folder: &Path, player: &str) -> Serving {
    let mut command = groundrules(folder);
    listening(command.args(["serve", "--port", "0", "--address", "127.0.0.1", "--quiet", "--player", player]))
}

/// Starts a server and reads its port.
fn listening(command: &mut Command) -> Serving {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
    let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    let port = line.trim().rsplit(' ').next().and_then(|port| port.parse().ok()).expect("a port");
    Serving { child, port, _stdout: stdout }
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.into_owned()
}

fn public(folder: &Path, file: &str) -> Value {
    let shown = output(groundrules(folder).args(["host", "--show", file]));
    serde_json::from_str(&shown).expect("an object")
}

/// Waits until a file has so many lines, or its writer has ended.
fn wait_for_lines(path: &Path, lines: usize, writer: &mut Child) {
    loop {
        let there =
            std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
        if there >= lines || writer.try_wait().expect("a process").is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_host_that_is_killed_goes_on_with_its_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let server = serve(folder, "random:tree");
    let remote = format!("http://127.0.0.1:{}", server.port);
    for (number, lines) in [1, 2, 4, 7, 11, 16].into_iter().enumerate() {
        let id = format!("m{number}");
        let file = format!("{id}.jsonl");
        let mut host = groundrules(folder)
            .args([
                "host",
                "tic-tac-toe",
                "--player",
                &remote,
                "--player",
                "random:tree",
                "--scramble",
                "--quiet",
            ])
            .args(["--start-clock", "60", "--play-clock", "60", "--id", &id, "--json"])
            .stdout(Stdio::null())
            .spawn()
            .expect("the program");
        wait_for_lines(&folder.join(&file), lines, &mut host);
        // SIGKILL: the program has no say in it.
        host.kill().expect("a process");
        host.wait().expect("a process");
        let before = public(folder, &file);
        let was_over = before["isCompleted"] == json!(true);
        let resumed =
            groundrules(folder).args(["host", "--resume", &file, "--quiet"]).output().expect("the program");
        assert_eq!(resumed.status.success(), !was_over, "{}", String::from_utf8_lossy(&resumed.stderr));
        let after = public(folder, &file);
        assert_eq!(after["isCompleted"], json!(true));
        let states = after["states"].as_array().expect("states").len();
        assert_eq!(after["moves"].as_array().map(Vec::len), Some(states - 1));
        assert_eq!(after["errors"].as_array().map(Vec::len), Some(states));
        for (steps, field) in [(before["moves"].clone(), "moves"), (before["states"].clone(), "states")] {
            let steps = steps.as_array().expect("a list").clone();
            assert_eq!(after[field].as_array().map(|all| all[..steps.len()].to_vec()), Some(steps));
        }
        for errors in after["errors"].as_array().expect("errors") {
            assert_eq!(errors, &json!(["", ""]), "killed after {lines} lines: {after}");
        }
    }
}

#[test]
fn a_tournament_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let plan = "games = ['tic-tac-toe', 'rock-paper-scissors']\nrounds = 3\nat-once = 2\nstart-clock = 60\nplay-clock = 60\n
        [[player]]\nplayer = 'random:tree'\n[[player]]\nname = 'first'\nplayer = 'legal:tree'\n";
    std::fs::write(folder.join("cup.toml"), plan).expect("a file");
    let results = folder.join("cup/results.jsonl");
    let mut finished = 0;
    for lines in [2, 4, 7] {
        let mut running = groundrules(folder)
            .args(["tournament", "cup.toml", "--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it");
        wait_for_lines(&results, lines, &mut running);
        running.kill().expect("a process");
        running.wait().expect("a process");
        let table = output(groundrules(folder).args(["tournament", "cup.toml", "--table", "--json"]));
        let table: Value = serde_json::from_str(&table).expect("an object");
        let now = table["finished"].as_u64().expect("a number");
        assert!(now >= finished, "{now} results after {finished}");
        finished = now;
    }
    let table = output(groundrules(folder).args(["tournament", "cup.toml", "--json", "--quiet"]));
    let table: Value = serde_json::from_str(&table).expect("an object");
    assert_eq!((&table["matches"], &table["finished"]), (&json!(12), &json!(12)));
    for row in table["table"].as_array().expect("rows") {
        assert_eq!((&row["matches"], &row["errors"]), (&json!(12), &json!(0)), "{table}");
    }
    let lines = std::fs::read_to_string(&results).expect("the results");
    let mut keys: Vec<String> = lines.lines().skip(1).map(|line| line[..20].to_owned()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 12, "every match once");
    let changed = plan.replace("rounds = 3", "rounds = 3\nseed = 2");
    std::fs::write(folder.join("cup.toml"), changed).expect("a file");
    let refused = groundrules(folder).args(["tournament", "cup.toml"]).output().expect("the program");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another plan (scrambling and seed differ)"));
}

/// Asks a server for its info with another program, once for each list of arguments, in which URL stands for its address.
fn ask_server_with(program: &str, requests: &[&[&str]]) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = serve(folder.path(), "legal:tree");
    let url = format!("http://127.0.0.1:{}/", server.port);
    for arguments in requests {
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("URL", &url)).collect();
        let Ok(answer) = Command::new(program).args(&arguments).output() else {
            return skip(format_args!("{program} is not installed"));
        };
        let info = "((name groundrules-legal)(status available)(species alien))";
        assert_eq!(String::from_utf8_lossy(&answer.stdout), info, "{program} {arguments:?}");
    }
}

#[test]
fn curl_can_ask_the_server() {
    let requests: [&[&str]; 3] = [
        &["-s", "--data", "(INFO)", "URL"],
        &["-s", "--http1.0", "--data", "(INFO)", "URL"],
        &["-s", "-H", "Transfer-Encoding: chunked", "--data", "(INFO)", "URL"],
    ];
    ask_server_with("curl", &requests);
}

#[test]
fn wget_can_ask_the_server() {
    ask_server_with("wget", &[&["-q", "-O", "-", "--post-data", "( info )", "URL"]]);
}

#[test]
fn python_can_ask_the_server() {
    let code =
        "import urllib.request as r\nprint(r.urlopen('URL', data=b'(INFO)').read().decode(), end='')\n";
    ask_server_with("python3", &[&["-c", code]]);
}

#[test]
fn the_server_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = serve(folder.path(), "legal");
    let told = Command::new("kill").arg(server.child.id().to_string()).status().expect("kill");
    assert!(told.success());
    assert!(server.child.wait().expect("a process").success());
}

/// Nobody listens on port 1.
#[test]
fn a_match_with_a_player_that_cannot_be_reached_is_given_up_at_its_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let host = |id: &str, more: &[&str]| {
        let mut command = groundrules(folder);
        command.args([
            "host",
            "tic-tac-toe",
            "--id",
            id,
            "--player",
            "random",
            "--player",
            "http://127.0.0.1:1",
        ]);
        command.args(["--start-clock", "1", "--play-clock", "1", "--quiet"]).args(more);
        command.output().expect("the program")
    };
    let given_up = host("dead", &[]);
    assert_eq!(given_up.status.code(), Some(1), "{given_up:?}");
    let said = String::from_utf8_lossy(&given_up.stderr);
    assert!(said.contains("the player of nought cannot be reached"), "{said}");
    assert_eq!(public(folder, "dead.jsonl")["isAborted"], json!(true));
    assert!(host("on", &["--play-on"]).status.success());
    assert_eq!(public(folder, "on.jsonl")["isCompleted"], json!(true));
}

#[test]
fn addresses_that_are_not_allowed_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (allowed, answers) in [("127.0.0.1", true), ("192.0.2.7", false)] {
        let mut command = groundrules(folder);
        command.args([
            "serve",
            "--port",
            "0",
            "--address",
            "127.0.0.1",
            "--quiet",
            "--player",
            "random:tree",
        ]);
        let server = listening(command.args(["--allow", allowed]));
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        let request = "POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)";
        // A connection that was refused may be closed before it is written to.
        let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
        let mut said = String::new();
        let _ = std::io::Read::read_to_string(&mut stream, &mut said);
        assert_eq!(said.contains("(status available)"), answers, "{said}");
    }
}
