//! What a host says to a player: read from bytes and written as the field's programs write it.

use std::fmt;

use groundrules_gdl::syntax::NodeId;

use super::kif::{Text, WireError};

/// The words with which players answer.
pub mod word {
    /// The player knows the game and waits.
    pub const READY: &str = "ready";
    /// The player cannot do what it is asked, or does not know the match.
    pub const BUSY: &str = "busy";
    /// The match is over.
    pub const DONE: &str = "done";
    /// The match was given up.
    pub const ABORTED: &str = "aborted";
    /// The player can take a match.
    pub const AVAILABLE: &str = "available";
}

/// A message of a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Who are you?
    Info,
    /// Are you there? Newer hosts ask so in place of `info`.
    Ping,
    /// Here is a game that may be played soon.
    Preview {
        /// The rules.
        rules: Vec<u8>,
        /// The seconds to look at them.
        clock: f64,
    },
    /// A match begins.
    Start(Start),
    /// Make a move.
    Play {
        /// The match.
        id: String,
        /// The moves made last, in the order of the roles; none at first.
        moves: Vec<String>,
    },
    /// The match is over.
    Stop {
        /// The match.
        id: String,
        /// The moves made last.
        moves: Vec<String>,
    },
    /// The match is given up.
    Abort {
        /// The match.
        id: String,
    },
}

/// The beginning of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The match.
    pub id: String,
    /// The player's role.
    pub role: String,
    /// The rules as they were sent.
    pub rules: Vec<u8>,
    /// The seconds to look at the rules.
    pub start_clock: f64,
    /// The seconds for each move.
    pub play_clock: f64,
}

/// No clock runs longer than this many seconds: a day.
const LONGEST_CLOCK: f64 = 86_400.0;

impl Message {
    /// Reads a message. Its first word is read in any letter case, further arguments of START are passed over.
    pub fn read(bytes: &[u8]) -> Result<Message, WireError> {
        let text = Text::read(bytes)?;
        let only = text.only().ok_or_else(|| not_understood("a message is one list"))?;
        let parts = match text.tree().children(only) {
            [] => &[only][..],
            parts => parts,
        };
        let (first, rest) = parts.split_first().ok_or_else(|| not_understood("an empty message"))?;
        let part = |index: usize| rest.get(index).copied().ok_or_else(|| not_understood("a part is missing"));
        Ok(match text.spelled(*first).to_ascii_lowercase().as_str() {
            "info" => Message::Info,
            "ping" => Message::Ping,
            "preview" => Message::Preview { rules: rules(&text, part(0)?)?, clock: clock(&text, part(1)?)? },
            "start" => Message::Start(Start {
                id: atom(&text, part(0)?)?,
                role: text.spelled(part(1)?),
                rules: rules(&text, part(2)?)?,
                start_clock: clock(&text, part(3)?)?,
                play_clock: clock(&text, part(4)?)?,
            }),
            "play" => Message::Play { id: atom(&text, part(0)?)?, moves: moves(&text, part(1)?) },
            "stop" => Message::Stop {
                id: atom(&text, part(0)?)?,
                moves: rest.get(1).map_or_else(Vec::new, |&node| moves(&text, node)),
            },
            "abort" => Message::Abort { id: atom(&text, part(0)?)? },
            other => return Err(not_understood(&format!("`{other:.40}` is not a word of the protocol"))),
        })
    }

    /// The word that the message begins with.
    pub fn name(&self) -> &'static str {
        match self {
            Message::Info => "info",
            Message::Ping => "ping",
            Message::Preview { .. } => "preview",
            Message::Start(_) => "start",
            Message::Play { .. } => "play",
            Message::Stop { .. } => "stop",
            Message::Abort { .. } => "abort",
        }
    }

    /// The match that the message is about.
    pub fn id(&self) -> Option<&str> {
        match self {
            Message::Start(Start { id, .. })
            | Message::Play { id, .. }
            | Message::Stop { id, .. }
            | Message::Abort { id } => Some(id),
            Message::Info | Message::Ping | Message::Preview { .. } => None,
        }
    }
}

fn not_understood(why: &str) -> WireError {
    WireError::NotUnderstood(why.to_owned())
}

fn atom(text: &Text<'_>, node: NodeId) -> Result<String, WireError> {
    match text.tree().word(node) {
        Some(_) => Ok(text.spelled(node)),
        None => Err(not_understood("the name of a match is one word")),
    }
}

/// The rules as bytes of their own: with their places and comments, for the reader of descriptions to judge.
fn rules(text: &Text<'_>, node: NodeId) -> Result<Vec<u8>, WireError> {
    match text.tree().is_list(node) {
        true => Ok(text.as_sent(node).to_vec()),
        false => Err(not_understood("the rules are one list")),
    }
}

fn clock(text: &Text<'_>, node: NodeId) -> Result<f64, WireError> {
    let seconds: Option<f64> = text.spelled(node).parse().ok();
    match seconds {
        Some(seconds) if seconds >= 0.0 => Ok(seconds.min(LONGEST_CLOCK)),
        _ => Err(not_understood("a clock is a number of seconds")),
    }
}

/// The moves in a list; NIL is none.
fn moves(text: &Text<'_>, node: NodeId) -> Vec<String> {
    text.tree().children(node).iter().map(|&made| text.spelled(made)).collect()
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Info => f.write_str("( INFO )"),
            Message::Ping => f.write_str("( PING )"),
            Message::Preview { rules, clock } => {
                write!(f, "( PREVIEW {} {clock} )", String::from_utf8_lossy(rules))
            }
            Message::Start(Start { id, role, rules, start_clock, play_clock }) => {
                let rules = String::from_utf8_lossy(rules);
                write!(f, "( START {id} {role} {rules} {start_clock} {play_clock} )")
            }
            Message::Play { id, moves } => write!(f, "( PLAY {id} {} )", InList(moves)),
            Message::Stop { id, moves } => write!(f, "( STOP {id} {} )", InList(moves)),
            Message::Abort { id } => write!(f, "( ABORT {id} )"),
        }
    }
}

struct InList<'a>(&'a [String]);

impl fmt::Display for InList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("NIL"),
            moves => write!(f, "( {} )", moves.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(id: &str, moves: &[&str]) -> Message {
        Message::Play { id: id.to_owned(), moves: moves.iter().map(|&made| made.to_owned()).collect() }
    }

    #[test]
    fn every_message_is_read_as_it_is_written() {
        let start = Start {
            id: "m.1".into(),
            role: "white".into(),
            rules: b"((role white) (init (at 1)))".to_vec(),
            start_clock: 10.0,
            play_clock: 5.0,
        };
        let all = [
            Message::Info,
            Message::Ping,
            Message::Preview { rules: b"((role a))".to_vec(), clock: 30.0 },
            Message::Start(start),
            play("m.1", &[]),
            play("m.1", &["(mark 1 1)", "noop"]),
            Message::Stop { id: "m.1".into(), moves: vec!["noop".into()] },
            Message::Abort { id: "m.1".into() },
        ];
        for message in all {
            assert_eq!(Message::read(message.to_string().as_bytes()).as_ref(), Ok(&message));
        }
    }

    #[test]
    fn odd_forms_are_understood() {
        assert_eq!(Message::read(b"info"), Ok(Message::Info));
        assert_eq!(Message::read(b"(pLaY M.1 nil)"), Ok(play("M.1", &[])));
        assert_eq!(Message::read(b"(PLAY M.1 ())"), Ok(play("M.1", &[])));
        assert_eq!(Message::read(b"\n(play x((a  b)c))\r\n"), Ok(play("x", &["(a b)", "c"])));
        assert!(matches!(Message::read(b"(START m x ((role x)) 1 1 extra (more 2))"), Ok(Message::Start(_))));
        assert_eq!(Message::read(b"(stop m)"), Ok(Message::Stop { id: "m".into(), moves: vec![] }));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let none: [&[u8]; 12] = [
            b"",
            b"()",
            b"(play)",
            b"(play (a) nil)",
            b"(start m r rules 1 1)",
            b"(start m r ((role r)) one 1)",
            b"(start m r ((role r)) -1 1)",
            b"(start m r ((role r)) nan 1)",
            b"(dance)",
            b"(info) (info)",
            b"(info",
            b"\xff\xfe",
        ];
        for bytes in none {
            assert!(Message::read(bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn clocks_end() {
        let Ok(Message::Preview { clock, .. }) = Message::read(b"(preview ((role r)) 1e300)") else {
            panic!("not understood")
        };
        assert_eq!(clock, LONGEST_CLOCK);
    }
}
