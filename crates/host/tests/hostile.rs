//! Strangers who send too much, too slowly, nothing or nonsense, all at once, and rules that explode: everything is bounded and
//! answered, and a match that is being played does not notice.

mod support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use groundrules_host::serve::Options;
use groundrules_host::wire::Limits;
use support::{LINE, Serving, choice, head, options, post, read_all, reply, serve};

fn hasty() -> Options {
    let request = Limits { time: Duration::from_secs(2), ..Limits::default() };
    Options { request, ..options() }
}

/// A match that goes on forever: one role, one fluent, and a question for each step.
const FOREVER: &str = "(role left) (init (n a)) (legal left (go a)) (legal left (go b))
    (<= (next (n ?x)) (does left (go ?x))) (<= terminal (true (n c))) (goal left 0)";

/// Plays steps of a match, each of which has to be answered exactly.
fn play_on(server: &Serving, id: &str, steps: usize) {
    for _ in 0..steps {
        assert_eq!(server.ask(&format!("(PLAY {id} ((go a)))")), "(go a)");
    }
}

#[test]
fn a_match_does_not_notice_a_crowd_of_garbage() {
    let server = Arc::new(serve(hasty()));
    assert_eq!(server.ask(&format!("(START m left ({FOREVER}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY m NIL)"), "(go a)");
    let done = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = (0..50)
        .map(|number| {
            let (server, done) = (server.clone(), done.clone());
            thread::spawn(move || {
                let mut round = number;
                while !done.load(Ordering::Relaxed) {
                    garbage(&server, round);
                    round += 1;
                }
            })
        })
        .collect();
    play_on(&server, "m", 100);
    done.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.join().expect("a sender");
    }
    play_on(&server, "m", 3);
    assert_eq!(server.ask("(STOP m ((go a)))"), "done");
}

/// Strangers who wait with questions that do not fit must not use up the room of those that do.
#[test]
fn strangers_who_wait_do_not_keep_the_host_out() {
    // Both roles move at once, for many steps: a search thinks until its clock runs out.
    let steps: String = (0..60).map(|step| format!("(s {step} {}) ", step + 1)).collect();
    let rules = format!(
        "(role left) (role right) (init (n 0)) {steps} (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r))
         (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= (next odd) (does left a) (does right b))
         (<= (next odd) (does left b) (does right a) (not (true odd))) (<= terminal (true (n 60)))
         (<= (goal left 100) (true odd)) (<= (goal left 0) (not (true odd)))
         (<= (goal right 0) (true odd)) (<= (goal right 100) (not (true odd)))"
    );
    let server = Arc::new(serve(Options { choice: choice("mcts"), ..options() }));
    assert_eq!(server.ask(&format!("(START m left ({rules}) 1 2)")), "ready");
    let ask = |message: &'static str| {
        let server = server.clone();
        thread::spawn(move || server.ask(message))
    };
    let host = ask("(PLAY m NIL)");
    // Requests that were written are read in the order of their connections, or nearly.
    let strangers: Vec<TcpStream> = (0..100)
        .map(|number| {
            let mut stream = server.connect();
            stream.write_all(post(&format!("(PLAY m ((go {number}) b))")).as_bytes()).expect("it listens");
            stream
        })
        .collect();
    let again = ask("(PLAY m NIL)").join().expect("a host");
    let first = host.join().expect("a host");
    assert!(first == "a" || first == "b", "{first}");
    assert_eq!(again, first);
    let next = server.ask(&format!("(PLAY m ({first} a))"));
    assert!(next == "a" || next == "b", "{next}");
    for stranger in strangers {
        assert_eq!(read_all(stranger), reply("busy"));
    }
}

/// One of many bad things to send. Whether the server still reads it is its own affair.
fn garbage(server: &Serving, kind: usize) {
    let mut stream = server.connect();
    let mut noise = Noise(kind as u64 + 1);
    let bytes: Vec<u8> = match kind % 10 {
        0 => (0..5000).map(|_| noise.next() as u8).collect(),
        1 => b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n(INFO".to_vec(),
        2 => [b"GET /".to_vec(), vec![b'%'; 70_000]].concat(),
        3 => post("(PLAY nobody NIL)").into_bytes(),
        4 => post("(PLAY m ((go c)))").into_bytes(),
        5 => post("(START m left ((role left)) 1 1)").into_bytes(),
        6 => post(&"(".repeat(50_000)).into_bytes(),
        7 => b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n".to_vec(),
        8 => post(&format!("(START x{} left (broken", noise.next())).into_bytes(),
        _ => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
    };
    let _ = stream.write_all(&bytes);
    // Some wait for the answer, some go at once, some only stop writing.
    match noise.next() % 3 {
        0 => drop(stream.shutdown(Shutdown::Both)),
        1 => drop(stream.shutdown(Shutdown::Write)),
        _ => {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(10)));
            let _ = stream.read(&mut [0; 100]);
        }
    }
}

/// Numbers without order, the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

#[test]
fn silent_and_slow_senders_are_left_and_answered() {
    let server = serve(hasty());
    assert_eq!(server.ask(&format!("(START m left ({FOREVER}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY m NIL)"), "(go a)");
    let silent: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    let mut slow = server.connect();
    let too_slow = head("408 Request Timeout", 4) + "busy";
    let sender = thread::spawn(move || {
        // A byte now and then, until the server has had enough.
        for byte in post("(INFO)").bytes().cycle() {
            if slow.write_all(&[byte]).is_err() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
            slow.set_read_timeout(Some(Duration::from_millis(1))).expect("a time-out");
            let mut answer = [0; 1000];
            match slow.read(&mut answer) {
                Ok(read) if read > 0 => return String::from_utf8_lossy(&answer[..read]).into_owned(),
                _ => {}
            }
        }
        String::new()
    });
    play_on(&server, "m", 5);
    for stream in silent {
        assert_eq!(read_all(stream), too_slow);
    }
    let said = sender.join().expect("a sender");
    assert!(said == too_slow || said == reply("((name tester)(status available)(species alien))"), "{said}");
    play_on(&server, "m", 1);
}

#[test]
fn more_connections_than_there_is_room_for_keep_nobody_out() {
    let server = serve(Options { connections: 8, ..options() });
    assert_eq!(server.ask(&format!("(START m left ({FOREVER}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY m NIL)"), "(go a)");
    let mut half_open = Vec::new();
    for _ in 0..100 {
        let mut stream = server.connect();
        let _ = stream.write_all(b"POST / HTTP/1.0\r\nContent-Le");
        half_open.push(stream);
        if half_open.len() % 20 == 0 {
            play_on(&server, "m", 1);
        }
    }
}

#[test]
fn endless_bodies_end() {
    let server = serve(options());
    let mut stream = server.connect();
    stream.write_all(b"POST / HTTP/1.0\r\n\r\n(START m left (").expect("the server listens");
    let block = [b' '; 64 << 10];
    let sent = (0..4096).take_while(|_| stream.write_all(&block).is_ok()).count();
    assert!(sent < 4096, "a quarter of a gigabyte was taken");
    let mut stream = server.connect();
    stream.write_all(b"POST / HTTP/1.0\r\nContent-Length: 100000000\r\n\r\n(").expect("the server listens");
    assert_eq!(read_all(stream), head("413 Content Too Large", 4) + "busy");
    assert_eq!(server.ask("(PING)"), "ready");
}

#[test]
fn rules_that_explode_hold_nobody_up() {
    // Each has a few lines and more instances than any memory: a state, a static relation, and terms that grow.
    let numbers = (0..40).map(|n| format!("(d {n}) ")).collect::<String>();
    let wide = format!(
        "(role left) (init (n 0)) {numbers}
         (<= (p ?a ?b ?c ?e ?f ?g ?h ?i) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g) (d ?h) (d ?i))
         (<= (legal left (go ?a ?b ?c ?e ?f ?g ?h ?i)) (p ?a ?b ?c ?e ?f ?g ?h ?i))
         (<= (next (n 0)) (true (n 0))) (<= terminal (true (n 1))) (goal left 0)"
    );
    let growing = "(role left) (init (n z)) (legal left go) (<= (next (n (s ?x ?x))) (true (n ?x)))
         (<= (big (s ?x)) (big ?x)) (big z) (<= terminal (big ?x) (true ?x)) (goal left 0)";
    let server = serve(Options { memory: 3 << 28, matches: 3, ..options() });
    assert_eq!(server.ask(&format!("(START m left ({FOREVER}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY m NIL)"), "(go a)");
    for (id, rules) in [("wide", wide.as_str()), ("growing", growing)] {
        let said = server.ask(&format!("(START {id} left ({rules}) 1 1)"));
        assert!(said == "ready" || said == "busy", "{said}");
        // Some answer within the clock, or none because there is no such match: never silence.
        assert!(!server.ask(&format!("(PLAY {id} NIL)")).is_empty());
        play_on(&server, "m", 10);
        server.ask(&format!("(ABORT {id})"));
    }
    play_on(&server, "m", 10);
}

#[test]
fn two_hosts_play_at_the_same_time() {
    let server = Arc::new(serve(Options { matches: 2, ..options() }));
    let hosts: Vec<_> = ["left", "right"]
        .map(|role| {
            let server = server.clone();
            thread::spawn(move || {
                for round in 0..10 {
                    let id = format!("{role}.{round}");
                    // All places may be taken while the threads of earlier matches end: the server waits for them.
                    assert_eq!(server.ask(&format!("(START {id} {role} ({LINE}) 60 60)")), "ready");
                    let moves: [&str; 3] = match role {
                        "left" => ["(take a)", "noop", "(take c)"],
                        _ => ["noop", "(take b)", "noop"],
                    };
                    assert_eq!(server.ask(&format!("(PLAY {id} NIL)")), moves[0]);
                    assert_eq!(server.ask(&format!("(PLAY {id} ((take a) noop))")), moves[1]);
                    assert_eq!(server.ask(&format!("(PLAY {id} (noop (take b)))")), moves[2]);
                    assert_eq!(server.ask(&format!("(STOP {id} ((take c) noop))")), "done");
                }
            })
        })
        .into_iter()
        .collect();
    for host in hosts {
        host.join().expect("a host");
    }
}
