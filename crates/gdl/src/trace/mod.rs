//! Recorded matches: what another program saw in a match of a game. The format is one JSON object a line, one match
//! each, the whole packed with gzip or not. [`matches()`] reads it; [`replay()`] drives an engine by the recorded moves
//! and compares what it sees.
//!
//! Where the bytes come from is left to the caller, and how a [`Difference`] is drawn to the program. A trace comes
//! from a stranger: whatever stands in it gives matches or errors with the number of the line, and a line has a limit.

mod replay;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

pub use replay::{Difference, Outcome, Plays, Replay, What, replay};

/// A recorded match.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Match {
    /// The name of the game.
    #[serde(default)]
    pub game: String,
    /// The roles in the order of the joint moves.
    pub roles: Vec<String>,
    /// What was seen.
    pub steps: Vec<RecordedState>,
    /// How the match ended, in the recorder's words.
    #[serde(default)]
    pub end: String,
}

/// One state of a recorded match.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RecordedState {
    /// The fluents that hold.
    pub state: Vec<String>,
    /// The legal moves of each role; empty where the recorder left them out, and then only the moves made are compared.
    #[serde(default)]
    pub legal: BTreeMap<String, Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal values of each role.
    #[serde(default)]
    pub goals: BTreeMap<String, Vec<GoalValue>>,
    /// The moves made, in the order of the roles; none in the last state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Vec<String>>,
}

/// A goal value; recorders write them as numbers or as strings.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum GoalValue {
    /// As a number.
    Number(i64),
    /// As a string.
    Text(String),
}

impl fmt::Display for GoalValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoalValue::Number(value) => write!(f, "{value}"),
            GoalValue::Text(value) => f.write_str(value),
        }
    }
}

impl Match {
    /// The match as one line of a trace, without the end of the line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and lists of them are always JSON")
    }
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The bytes cannot be had, or cannot be unpacked.
    #[error("line {line} cannot be read: {cause}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// Why not.
        cause: io::Error,
    },
    /// The line is longer than any match could need.
    #[error("line {line} is longer than {most} bytes")]
    TooLong {
        /// The line, from 1.
        line: usize,
        /// The limit.
        most: usize,
    },
    /// The line is no match.
    #[error("line {line}, column {} is not part of a recorded match: {}", .cause.column(), words(.cause))]
    NoMatch {
        /// The line, from 1.
        line: usize,
        /// Why not.
        cause: serde_json::Error,
    },
}

/// The error without its place: each line is a text of its own, so its place is always in line 1.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(words, _)| words.to_owned())
}

/// The longest line that is read: a packed file can be a thousand times larger than it looks.
const LONGEST_LINE: usize = 1 << 28;

/// Reads a trace match by match, packed or not; what cannot be read ends it.
pub fn matches<R: Read>(trace: R) -> Matches<R> {
    Matches { trace: Some(trace), lines: None, line: 0 }
}

/// The matches of a trace; see [`matches()`].
#[derive(Debug)]
pub struct Matches<R: Read> {
    /// Until the first match is asked for.
    trace: Option<R>,
    lines: Option<Lines<R>>,
    /// The last line that was read, from 1.
    line: usize,
}

type Whole<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// The text of a trace.
#[derive(Debug)]
enum Lines<R: Read> {
    Plain(BufReader<Whole<R>>),
    Packed(Box<BufReader<MultiGzDecoder<Whole<R>>>>),
}

impl<R: Read> Lines<R> {
    /// Looks at the first bytes to see whether the trace is packed.
    fn new(mut trace: R) -> io::Result<Self> {
        const MAGIC: [u8; 2] = [0x1f, 0x8b];
        let mut first = Vec::new();
        trace.by_ref().take(MAGIC.len() as u64).read_to_end(&mut first)?;
        let is_packed = first == MAGIC;
        let whole = Cursor::new(first).chain(trace);
        Ok(if is_packed {
            Lines::Packed(Box::new(BufReader::new(MultiGzDecoder::new(whole))))
        } else {
            Lines::Plain(BufReader::new(whole))
        })
    }

    /// The next line, at most one byte longer than the limit; empty at the end.
    fn next_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let most = LONGEST_LINE as u64 + 1;
        match self {
            Lines::Plain(text) => text.take(most).read_until(b'\n', &mut line)?,
            Lines::Packed(text) => text.take(most).read_until(b'\n', &mut line)?,
        };
        Ok(line)
    }
}

impl<R: Read> Matches<R> {
    /// The next line that is not blank.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, TraceError> {
        if let Some(trace) = self.trace.take() {
            self.lines = Some(Lines::new(trace).map_err(|cause| TraceError::Unreadable { line: 1, cause })?);
        }
        let Some(lines) = &mut self.lines else { return Ok(None) };
        loop {
            self.line += 1;
            let read = lines.next_line();
            let bytes = read.map_err(|cause| TraceError::Unreadable { line: self.line, cause })?;
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() > LONGEST_LINE {
                return Err(TraceError::TooLong { line: self.line, most: LONGEST_LINE });
            }
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some(bytes));
            }
        }
    }
}

impl<R: Read> Iterator for Matches<R> {
    type Item = Result<Match, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.next_line().transpose()?;
        let parse = |line: Vec<u8>| {
            serde_json::from_slice(&line).map_err(|cause| TraceError::NoMatch { line: self.line, cause })
        };
        let read = read.and_then(parse);
        if read.is_err() {
            self.lines = None;
        }
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const LINES: &str = r#"{"game":"g","playout":0,"roles":["you"],"end":"terminal","steps":[
        {"state":["(k)"],"legal":{"you":["up"]},"terminal":false,"goals":{"you":[1]},"joint":["up"]}]}
        
        {"roles":[],"steps":[{"state":[],"terminal":true,"goals":{"you":["9"]}}]}"#;

    fn lines() -> String {
        LINES.replace("[\n", "[")
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn packed_and_plain_traces_are_read_alike() {
        for bytes in [lines().into_bytes(), packed(&lines()), [packed(&lines()), packed("")].concat()] {
            let read: Vec<Match> = matches(&bytes[..]).map(Result::unwrap).collect();
            assert_eq!((read.len(), &read[0].game[..], &read[0].end[..]), (2, "g", "terminal"));
            assert_eq!(read[0].steps[0].joint.as_deref(), Some(&["up".to_owned()][..]));
            assert_eq!(read[1].steps[0].goals["you"][0].to_string(), "9");
        }
    }

    #[test]
    fn nothing_holds_no_match() {
        assert_eq!(matches(&b""[..]).count(), 0);
        assert_eq!(matches(&b"\n \n"[..]).count(), 0);
        assert_eq!(matches(&packed("")[..]).count(), 0);
    }

    #[test]
    fn what_is_wrong_ends_the_trace_with_its_line() {
        let told = |bytes: &[u8]| {
            let read: Vec<_> = matches(bytes).collect();
            read.last().unwrap().as_ref().unwrap_err().to_string()
        };
        assert_eq!(
            told(b"{}\n{}"),
            "line 1, column 2 is not part of a recorded match: missing field `roles`"
        );
        assert!(told(&[lines().as_bytes(), b"\nx"].concat()).starts_with("line 4, column 1 is not part"));
        assert!(told(&packed(&lines())[..40]).contains("cannot be read"));
        assert!(told(b"\x1f").starts_with("line 1, column 1 is not part"));
        assert_eq!(matches(&b"{}\n{}"[..]).count(), 1);
    }
}
