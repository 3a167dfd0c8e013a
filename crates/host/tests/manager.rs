//! The manager against players of every kind: our own, the server, and programs on raw sockets that behave well, late,
//! illegally or not at all. What is recorded must be a match that the rules allow.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use groundrules_gdl::read;
use groundrules_host::manager::{Event, ManagerError, Match, MatchPlan, Player, Record, Who};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use serde_json::{Value, json};
use support::{LINE, choice, options, serve};

fn local(name: &str) -> Player {
    let who = Who::Local(choice(name));
    Player { name: name.to_owned(), word: name.to_owned(), who }
}

fn remote(address: std::net::SocketAddr) -> Player {
    let word = format!("http://{address}");
    Player { name: "remote".to_owned(), who: Who::Remote(word.parse().expect("an address")), word }
}

fn plan(players: Vec<Player>) -> MatchPlan {
    MatchPlan {
        id: "test.1".to_owned(),
        game: "line".to_owned(),
        rules: LINE.as_bytes().to_vec(),
        players,
        start_clock: 30.0,
        play_clock: 30.0,
        scramble: false,
        seed: 5,
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work)
}

/// Plays a match in a folder of its own and gives the public record, which was found to obey the rules.
fn played(plan: MatchPlan) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("match.jsonl");
    run(async {
        let mut begun = Match::begin(plan, &path).expect("a match");
        begun.play(&mut |_| {}).await.expect("an end");
    });
    let public = Record::read(&path).expect("a record");
    obeys_the_rules(&public);
    public
}

/// Plays the recorded moves again on an engine and compares states and goals.
fn obeys_the_rules(public: &Value) {
    let game = read(LINE.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
    let mut machine = Compiled::new(game).on(Engine::Tree).machine().expect("a machine");
    let states = public["states"].as_array().expect("states");
    let moves = public["moves"].as_array().expect("moves");
    assert_eq!(states.len(), moves.len() + 1);
    assert_eq!(states.len(), public["stateTimes"].as_array().expect("times").len());
    assert_eq!(states.len(), public["errors"].as_array().expect("errors").len());
    for (number, state) in states.iter().enumerate() {
        assert_eq!(state, &json!(format!("({})", machine.fluents().join(" "))));
        let Some(joint) = moves.get(number).and_then(Value::as_array) else { continue };
        let joint: Vec<_> = (0..2)
            .map(|role| {
                let made = machine.find_move(role, joint[role].as_str().expect("a text")).expect("a move");
                assert!(machine.legal(role).expect("moves").contains(&made), "{joint:?}");
                made
            })
            .collect();
        machine.advance(&joint).expect("a next state");
    }
    if public["isCompleted"] == json!(true) {
        assert!(machine.is_terminal().expect("an answer"));
        let goals: Vec<i32> = (0..2).map(|role| machine.goals(role).expect("goals")[0]).collect();
        assert_eq!(public["goalValues"], json!(goals));
    }
}

#[test]
fn players_of_this_program_play_a_match() {
    let public = played(plan(vec![local("legal"), local("random")]));
    assert_eq!(public["isCompleted"], json!(true));
    assert_eq!(public["errors"], json!([["", ""], ["", ""], ["", ""], ["", ""]]));
    assert_eq!(public["goalValues"], json!([100, 0]));
    assert_eq!(public["gameRoleNames"], json!(["left", "right"]));
    assert_eq!((&public["startClock"], &public["playClock"]), (&json!(30), &json!(30)));
}

#[test]
fn the_server_plays_in_scrambled_names() {
    let server = serve(options());
    for scramble in [false, true] {
        // A server knows a match by its name, so it plays one role of it.
        let players = vec![remote(server.address), local("random")];
        let public = played(MatchPlan { scramble, id: format!("m.{scramble}"), ..plan(players) });
        assert_eq!(public["errors"], json!([["", ""], ["", ""], ["", ""], ["", ""]]), "{public}");
        // Which of them comes first depends on their names; here they have their own again.
        let first = public["moves"][0][0].as_str().expect("a text");
        assert!(["(take a)", "(take b)", "(take c)"].contains(&first), "{first}");
        assert!(scramble || first == "(take a)", "{first}");
    }
}

/// A player on a raw socket: each request is answered by a function of its text, or not at all.
fn toy(answer: impl Fn(&str) -> Option<String> + Send + 'static) -> (std::net::SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let request = read_request(&mut stream);
            let reply = answer(&request);
            if sender.send(request).is_err() {
                return;
            }
            match reply {
                Some(reply) => drop(stream.write_all(reply.as_bytes())),
                // Still there, and silent.
                None => kept.push(stream),
            }
        }
    });
    (address, heard)
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !is_whole(&bytes) && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        bytes.push(byte[0]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
        body.len() >= length.parse().expect("a number")
    })
}

fn http(body: &str) -> Option<String> {
    Some(format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n{body}", body.len()))
}

/// Plays as `right` of the game: the last free cell by the moves it is told.
fn right_player(request: &str) -> Option<String> {
    let (_, message) = request.split_once("\r\n\r\n")?;
    http(match message.split_whitespace().nth(1)? {
        "START" => "READY",
        "PLAY" if message.contains("( (take") && message.contains("noop )") => "( TAKE C )",
        "PLAY" => "noop",
        _ => "done",
    })
}

#[test]
fn a_player_on_a_raw_socket_is_asked_in_exact_bytes() {
    let (address, heard) = toy(right_player);
    let public = played(plan(vec![local("legal"), remote(address)]));
    assert_eq!(public["errors"], json!([["", ""], ["", ""], ["", ""], ["", ""]]), "{public}");
    assert_eq!(public["moves"], json!([["(take a)", "noop"], ["noop", "(take c)"], ["(take b)", "noop"]]));
    let message = |text: &str| {
        format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n\
             Receiver: remote\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        )
    };
    let rules: Vec<&str> = LINE.split_whitespace().collect();
    let start = format!("( START test.1 right ({}) 30 30 )", rules.join(" "));
    let asked = [
        start.as_str(),
        "( PLAY test.1 NIL )",
        "( PLAY test.1 ( (take a) noop ) )",
        "( PLAY test.1 ( noop (take c) ) )",
        "( STOP test.1 ( (take b) noop ) )",
    ];
    for text in asked {
        assert_eq!(heard.recv().expect("a request"), message(text));
    }
}

#[test]
fn bad_players_are_replaced_and_that_is_recorded() {
    type Answer = fn(&str) -> Option<String>;
    let kinds: [(Answer, &str); 5] = [
        (|_| http("(fly 1)"), "IL"),
        (|_| http("((("), "IL"),
        (|_| Some("this is no HTTP\r\n\r\n".to_owned()), "CE"),
        (|_| Some(String::new()), "CE"),
        (|_| None, "TO"),
    ];
    for (answer, code) in kinds {
        let (address, _heard) = toy(answer);
        let players = vec![local("legal"), remote(address)];
        let public = played(MatchPlan { start_clock: 0.5, play_clock: 0.5, ..plan(players) });
        for errors in public["errors"].as_array().expect("errors").iter().skip(1) {
            assert_eq!(errors, &json!(["", code]), "{public}");
        }
        assert_eq!(public["isCompleted"], json!(true));
    }
}

#[test]
fn nobody_there_is_an_error_of_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let public = played(plan(vec![local("legal"), remote(address)]));
    assert_eq!(public["errors"], json!([["", "CE"], ["", "CE"], ["", "CE"], ["", "CE"]]));
}

#[test]
fn a_match_is_resumed_wherever_its_host_stopped() {
    let server = serve(options());
    let whole = {
        let players = vec![remote(server.address), local("legal")];
        played(MatchPlan { id: "whole".into(), scramble: true, ..plan(players) })
    };
    // After the start, after each reply and after each step.
    for events in 1..=9 {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("match.jsonl");
        let players = vec![remote(server.address), local("legal")];
        let plan = MatchPlan { id: format!("cut.{events}"), scramble: true, ..plan(players) };
        run(stopped_after(events, plan, &path));
        let call =
            &mut |_: &str, word: &str| Ok(if word == "legal" { local(word) } else { remote(server.address) });
        run(async {
            if let Some(mut resumed) = Match::resume::<ManagerError>(&path, call).expect("a match") {
                resumed.play(&mut |_| {}).await.expect("an end");
            }
        });
        let public = Record::read(&path).expect("a record");
        obeys_the_rules(&public);
        for field in ["moves", "states", "errors", "goalValues", "isCompleted"] {
            assert_eq!(public[field], whole[field], "stopped after {events} events");
        }
        let again = Match::resume::<ManagerError>(&path, call).expect("a match");
        assert!(again.is_none(), "it is over");
    }
}

/// Plays and stops without a word after so many events.
async fn stopped_after(events: usize, plan: MatchPlan, path: &Path) {
    let (sender, stop) = tokio::sync::oneshot::channel::<()>();
    let (mut sender, mut left) = (Some(sender), events);
    let mut begun = Match::begin(plan, path).expect("a match");
    let mut watch = |_: &Event<'_>| {
        left = left.saturating_sub(1);
        if left == 0 {
            drop(sender.take());
        }
    };
    tokio::select! {
        biased;
        _ = stop => {}
        _ = begun.play(&mut watch) => {}
    }
}

#[test]
fn the_number_of_players_must_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("match.jsonl");
    let error = Match::begin(plan(vec![local("legal")]), &path).err().expect("an error");
    assert_eq!(error.to_string(), "a player is needed for each of the roles left, right: 2 in all, not 1");
    assert!(!path.exists());
}

#[test]
fn chance_needs_no_player_and_rules_that_fail_end_the_match() {
    let rules = "(role random) (role you) (init (n 0)) (s 0 1) (s 1 2)
        (<= (legal random (roll ?x)) (s ?x ?y)) (<= (legal you wait) (not (true (n 2))))
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 3))) (goal you 50) (goal random 0)";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("match.jsonl");
    let plan = MatchPlan { rules: rules.into(), ..plan(vec![local("legal")]) };
    let error = run(async {
        let mut begun = Match::begin(plan, &path).expect("a match");
        begun.play(&mut |_| {}).await.expect_err("no legal move")
    });
    assert!(error.to_string().contains("no legal move"), "{error}");
    let public = Record::read(&path).expect("a record");
    assert_eq!((&public["isAborted"], &public["isCompleted"]), (&json!(true), &json!(false)));
    assert_eq!(public["moves"].as_array().map(Vec::len), Some(2));
    assert_eq!(public["playerNamesFromHost"], json!(["random", "legal"]));
}
