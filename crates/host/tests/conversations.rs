//! Conversations over raw sockets, byte for byte, in the forms that real hosts use.

mod support;

use std::io::Write;

use support::{LINE, options, post, read_all, reply, serve};

#[test]
fn a_whole_match_as_the_usual_host_plays_it() {
    let server = serve(options());
    let info = "((name tester)(status available)(species alien))";
    assert_eq!(server.say(post("( INFO )").as_bytes()), reply(info));
    assert_eq!(server.ask(&format!("( PREVIEW ({LINE}) 10 )")), "ready");
    assert_eq!(server.say(post(&format!("( START m.1 left ({LINE}) 60 60 )")).as_bytes()), reply("ready"));
    assert_eq!(server.say(post("( PLAY m.1 NIL )").as_bytes()), reply("(take a)"));
    assert_eq!(server.say(post("( PLAY m.1 ( ( take a ) noop ) )").as_bytes()), reply("noop"));
    assert_eq!(server.say(post("( PLAY m.1 ( noop ( take c ) ) )").as_bytes()), reply("(take b)"));
    assert_eq!(server.say(post("( STOP m.1 ( ( take b ) noop ) )").as_bytes()), reply("done"));
    assert_eq!(server.ask("( PLAY m.1 NIL )"), "busy", "the match is over");
}

#[test]
fn upper_case_is_answered_in_upper_case() {
    let server = serve(options());
    let rules = LINE.to_uppercase();
    assert_eq!(server.ask(&format!("(START MATCH.7 RIGHT ({rules}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY MATCH.7 NIL)"), "NOOP");
    assert_eq!(server.ask("(PLAY MATCH.7 ((TAKE A) NOOP))"), "(TAKE B)");
    assert_eq!(server.ask("(ABORT MATCH.7)"), "aborted");
}

#[test]
fn scrambled_symbols_are_answered_in_the_same_symbols() {
    let server = serve(options());
    let names = ["left", "right", "cell", "turn", "free", "take", "noop", "taken", "open", "a", "b", "c"];
    let mut rules = format!(" {} ", LINE.replace('(', " ( ").replace(')', " ) "));
    for (number, name) in names.iter().enumerate() {
        while rules.contains(&format!(" {name} ")) {
            rules = rules.replace(&format!(" {name} "), &format!(" Zq{number:02}X "));
        }
    }
    assert_eq!(server.ask(&format!("(START m Zq00X ({rules}) 60 60)")), "ready");
    assert_eq!(server.ask("(PLAY m NIL)"), "(Zq05X Zq09X)");
    assert_eq!(server.ask("(play m ((zq05x zq09x) zq06x))"), "Zq06X");
}

#[test]
fn messages_come_in_many_forms_of_http() {
    let server = serve(options());
    let info = reply("((name tester)(status available)(species alien))");
    let forms: [&str; 10] = [
        "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a browser\r\n\r\n",
        "POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
        "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: 6\r\n\r\n(INFO)",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n(I\r\n4\r\nNFO)\r\n0\r\n\r\n",
        "POST /player HTTP/1.0\nContent-length: 6\n\n(info)",
        "POST / HTTP/1.0\r\n\r\n(INFO)",
        "GET /%28+INFO+%29 HTTP/1.0\r\nAccept: text/delim\r\nHost: h\r\nSender: GAMESERVER\r\nReceiver: x\r\n\r\n\r\n",
        "GET /(INFO) HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /( INFO ) HTTP/1.0\r\n\r\n",
        "GET /?%28info%29 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ];
    for form in forms {
        assert_eq!(server.say(form.as_bytes()), info, "{form}");
    }
    assert_eq!(server.say(b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x\r\n\r\n"), reply(""));
    assert_eq!(server.say(post("(PING)").as_bytes()), reply("ready"));
}

#[test]
fn a_sender_that_waits_to_be_told_is_told() {
    let server = serve(options());
    let mut stream = server.connect();
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("the server listens");
    let mut go_on = [0; 25];
    std::io::Read::read_exact(&mut stream, &mut go_on).expect("a word");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"(PING)").expect("the server listens");
    assert_eq!(read_all(stream), reply("ready"));
}

#[test]
fn messages_in_a_wrong_order_are_refused_and_change_nothing() {
    let server = serve(options());
    for early in ["(PLAY m NIL)", "(STOP m NIL)", "(ABORT m)", "(PLAY)", "(DANCE m)", " ", "(PLAY m"] {
        assert_eq!(server.ask(early), "busy", "{early}");
    }
    server.start("m", "left");
    assert_eq!(server.ask(&format!("(START m left ({LINE}) 60 60)")), "ready", "the same again");
    assert_eq!(server.ask(&format!("(START m right ({LINE}) 60 60)")), "busy", "another of the same name");
    assert_eq!(server.ask("(PLAY m ((take a) (take b)))"), "busy", "not legal");
    assert_eq!(server.ask("(PLAY m NIL)"), "(take a)");
    assert_eq!(server.ask(&format!("(START m left ({LINE}) 60 60)")), "busy", "it is being played");
    assert_eq!(server.ask("(PLAY m NIL)"), "(take a)", "a question repeated");
    assert_eq!(server.ask("(PLAY n ((take a) noop))"), "busy", "no such match");
    assert_eq!(server.ask("(PLAY m ((take a) noop))"), "noop");
    assert_eq!(server.ask("(PLAY m NIL)"), "busy", "the beginning is over");
    assert_eq!(server.ask("(PLAY m (noop (take b)))"), "(take c)");
    assert_eq!(server.ask("(STOP m ((take c) noop))"), "done");
    assert_eq!(server.ask("(STOP m ((take c) noop))"), "busy");
}

#[test]
fn a_host_may_have_replaced_the_move() {
    let server = serve(options());
    server.start("m", "left");
    assert_eq!(server.ask("(PLAY m NIL)"), "(take a)");
    assert_eq!(server.ask("(PLAY m ((take b) noop))"), "noop");
    assert_eq!(server.ask("(PLAY m (noop (take a)))"), "(take c)");
}

#[test]
fn there_are_as_many_matches_as_there_are_places() {
    let server = serve(groundrules_host::serve::Options { matches: 2, ..options() });
    server.start("one", "left");
    server.start("two", "right");
    assert_eq!(server.ask(&format!("(START three left ({LINE}) 60 60)")), "busy");
    assert_eq!(server.ask("(INFO)"), "((name tester)(status busy)(species alien))");
    assert_eq!(server.ask("(PING)"), "busy");
    assert_eq!(server.ask("(PLAY two NIL)"), "noop");
    assert_eq!(server.ask("(PLAY one NIL)"), "(take a)");
    assert_eq!(server.ask("(ABORT one)"), "aborted");
    // The place is free when the player's thread has ended, which takes a moment.
    while server.ask("(PING)") == "busy" {
        std::thread::yield_now();
    }
    server.start("three", "left");
}

#[test]
fn what_is_no_game_is_refused() {
    let server = serve(options());
    for rules in ["(role left", "()", "(role left) (<= (legal left ?x))", "(init (a b))"] {
        let reply = server.ask(&format!("(START m left ({rules}) 60 60)"));
        assert_eq!(reply, "busy", "{rules}");
    }
    assert_eq!(server.ask(&format!("(START m nobody ({LINE}) 60 60)")), "busy");
    server.start("m", "left");
}
