//! `step` and `play` on a pseudo-terminal, as a person has them: line editing and history, boards that are drawn in place of the one
//! before, `undo`, `hint` and `help`. Waiting has a generous limit, because machines are shared.

#![cfg(unix)]

use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

/// How long an answer may take, in milliseconds.
const PATIENCE: u64 = 300_000;

/// What clears the screen.
const CLEAR: &str = "\x1b[H\x1b[2J";

const UP: &str = "\x1b[A";
const HOME: &str = "\x01";
const BACKSPACE: &str = "\x7f";

fn start(arguments: &[&str]) -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groundrules"));
    command.args(arguments).env("TERM", "xterm").env_remove("NO_COLOR");
    spawn_command(command, Some(PATIENCE)).expect("the program starts")
}

/// Types keys and then Enter.
fn enter(session: &mut PtySession, keys: &str) {
    session.send(keys).and_then(|_| session.send_line("")).expect("keys are typed");
}

/// Waits for a text, and gives what was printed before it.
fn wait(session: &mut PtySession, text: &str) -> String {
    session.exp_string(text).unwrap_or_else(|error| panic!("waiting for {text:?}: {error}"))
}

fn end(mut session: PtySession) {
    enter(&mut session, "quit");
    session.exp_eof().expect("the program ends");
}

#[test]
fn step_has_line_editing_and_history() {
    let mut session = start(&["step", "tic-tac-toe"]);
    assert!(wait(&mut session, "state 0").contains(CLEAR), "the screen is cleared");
    wait(&mut session, "9 (place 3 3)");
    enter(&mut session, "5");
    // The board is drawn where the one before was.
    assert!(wait(&mut session, "state 1, after cross (place 2 2), nought noop").contains(CLEAR));
    wait(&mut session, "8 (place 3 3)");
    // The line before comes again: the fifth of the moves that are left.
    enter(&mut session, UP);
    wait(&mut session, "state 2, after cross noop, nought (place 2 3)");
    wait(&mut session, "7 (place 3 3)");
    // A line is edited: "ndox", less its end, with what is missing at its beginning.
    enter(&mut session, &format!("ndox{BACKSPACE}{HOME}u"));
    wait(&mut session, "state 1, after cross (place 2 2), nought noop");
    wait(&mut session, "8 (place 3 3)");
    enter(&mut session, "help");
    wait(&mut session, "take back the last move, or the last n");
    enter(&mut session, "nonsense");
    wait(&mut session, "`nonsense` is neither a command nor a legal move of nought");
    end(session);
}

#[test]
fn play_takes_moves_back_and_gives_hints() {
    let mut session = start(&["play", "tic-tac-toe", "--as", "cross", "--player", "legal"]);
    assert!(wait(&mut session, "you are cross").contains(CLEAR));
    wait(&mut session, "9 (place 3 3)");
    enter(&mut session, "5");
    wait(&mut session, "state 2, after cross noop, nought (place 1 1)");
    wait(&mut session, "7 (place 3 3)");
    enter(&mut session, "hint");
    wait(&mut session, "cross could play (place ");
    enter(&mut session, "undo");
    wait(&mut session, "state 0");
    wait(&mut session, "9 (place 3 3)");
    enter(&mut session, "undo");
    wait(&mut session, "you have made no choice yet");
    enter(&mut session, "(place 1 1)");
    // The player sees the match as it is now: the first field that is free is another one.
    wait(&mut session, "state 2, after cross noop, nought (place 1 2)");
    end(session);
}

#[test]
fn what_a_role_has_not_seen_is_not_shown() {
    let mut session = start(&["play", "kuhn-poker", "--as", "elder", "--player", "legal"]);
    let first = wait(&mut session, "2 check");
    let cards = ["jack", "queen", "king"].iter().filter(|card| first.contains(*card)).count();
    assert_eq!(cards, 1, "{first}");
    assert!(!first.contains("hand"), "{first}");
    enter(&mut session, "hint");
    wait(&mut session, "there are no hints: players see the whole state, and you do not");
    end(session);
}

#[test]
fn the_end_of_the_input_ends_a_match() {
    let mut session = start(&["step", "nim"]);
    wait(&mut session, "state 0");
    session.send_control('d').expect("a key");
    session.exp_eof().expect("the program ends");
}
