//! The match file: a journal, in which every line is synced to disk before the match goes on.
//!
//! A line is a JSON object with fields of the public match format. Read in order, lists are joined to what there is and
//! everything else replaces it: [`Record::public`] is the match as other programs know it. Two fields are our own: the
//! first line's `resume` is what it takes to go on, and lines with a `reply` tell what a player said the moment it did.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::journal::{Journal, JournalError};

/// A match file, open for more, and what stands in it.
#[derive(Debug)]
pub struct Record {
    journal: Journal,
    first: First,
}

/// What is known when a match begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct First {
    /// The name of the match.
    pub match_id: String,
    /// A word that nobody can guess.
    pub random_token: String,
    /// When it began, in milliseconds since 1970.
    pub start_time: u64,
    /// The name of the game.
    pub game_name: String,
    /// The roles in the order of moves.
    pub game_role_names: Vec<String>,
    /// The players in the order of the roles.
    pub player_names_from_host: Vec<String>,
    /// The seconds to look at the rules.
    #[serde(serialize_with = "seconds")]
    pub start_clock: f64,
    /// The seconds for each move.
    #[serde(serialize_with = "seconds")]
    pub play_clock: f64,
    /// Whether the players were given other names for the symbols.
    pub scrambled: bool,
    /// What it takes to go on after a crash.
    pub resume: Resume,
}

/// Other programs expect whole seconds where they are whole.
fn seconds<S: serde::Serializer>(clock: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match clock.fract() == 0.0 && (0.0..1e9).contains(clock) {
        true => serializer.serialize_u64(*clock as u64),
        false => serializer.serialize_f64(*clock),
    }
}

/// What it takes to go on with a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// The description.
    pub rules: String,
    /// The seed of random moves and of the scrambled names.
    pub seed: u64,
    /// The players as they were named on the command line, in the order of the roles.
    pub players: Vec<String>,
}

/// What a player said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replied {
    /// The step of the match, from 0.
    pub step: usize,
    /// The role's number.
    pub role: usize,
    /// The move that is made, in the game's own names.
    pub made: String,
    /// `TO`, `IL`, `CE`, or nothing.
    pub error: String,
    /// What the player said, if that was no legal move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// How long it took.
    pub millis: u64,
}

/// One step of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchStep {
    /// The joint move.
    pub moves: Vec<String>,
    /// What went wrong, by role.
    pub errors: Vec<String>,
    /// The state that it led to, as KIF.
    pub state: String,
}

impl Record {
    /// Begins a file, which must not be there yet.
    pub fn create(path: &Path, first: First, state: &str) -> Result<Record, JournalError> {
        let mut line = serde_json::to_value(&first).map_err(|error| JournalError::damaged(1, &error))?;
        if let Some(line) = line.as_object_mut() {
            line.insert("isCompleted".into(), false.into());
            line.insert("isAborted".into(), false.into());
            line.insert("states".into(), json!([state]));
            line.insert("stateTimes".into(), json!([first.start_time]));
            line.insert("moves".into(), json!([]));
            line.insert("errors".into(), json!([]));
        }
        let mut journal = Journal::create(path)?;
        journal.append(line)?;
        Ok(Record { journal, first })
    }

    /// Opens a file to go on with its match.
    pub fn open(path: &Path) -> Result<Record, JournalError> {
        let journal = Journal::open(path)?;
        let first = journal.lines().first().ok_or(JournalError::Empty)?;
        let first =
            serde_json::from_value(first.clone()).map_err(|error| JournalError::damaged(1, &error))?;
        Ok(Record { journal, first })
    }

    /// The match of a file in the public format.
    pub fn read(path: &Path) -> Result<Value, JournalError> {
        match Journal::read(path)?.as_slice() {
            [] => Err(JournalError::Empty),
            lines => Ok(public(lines)),
        }
    }

    /// What was known when the match began.
    pub fn first(&self) -> &First {
        &self.first
    }

    /// A player has replied.
    pub fn reply(&mut self, reply: &Replied) -> Result<(), JournalError> {
        self.journal.append(json!({ "reply": reply }))
    }

    /// The players have been told the rules.
    pub fn started(&mut self, errors: &[String]) -> Result<(), JournalError> {
        self.journal.append(json!({ "errors": [errors] }))
    }

    /// A joint move was made at a time.
    pub fn step(&mut self, step: &MatchStep, time: u64) -> Result<(), JournalError> {
        let MatchStep { moves, errors, state } = step;
        self.journal
            .append(json!({ "moves": [moves], "errors": [errors], "states": [state], "stateTimes": [time] }))
    }

    /// The match is over.
    pub fn completed(&mut self, goals: &[i32]) -> Result<(), JournalError> {
        self.journal.append(json!({ "isCompleted": true, "goalValues": goals }))
    }

    /// The match was given up.
    pub fn aborted(&mut self, why: &str) -> Result<(), JournalError> {
        self.journal.append(json!({ "isAborted": true, "abortedBecause": why }))
    }

    /// Whether the players have been told the rules.
    pub fn is_started(&self) -> bool {
        self.lines()
            .iter()
            .any(|line| line.get("errors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty()))
    }

    /// Whether the match is over, by its end or by being given up.
    pub fn is_over(&self) -> bool {
        let is = |line: &Value, field: &str| line.get(field) == Some(&Value::Bool(true));
        self.lines().iter().any(|line| is(line, "isCompleted") || is(line, "isAborted"))
    }

    /// The joint moves so far.
    pub fn moves(&self) -> Vec<Vec<String>> {
        let public = self.public();
        serde_json::from_value(public.get("moves").cloned().unwrap_or_default()).unwrap_or_default()
    }

    /// What players have already replied in a step that is not finished.
    pub fn replies_of(&self, step: usize) -> Vec<Replied> {
        let replies = self.lines().iter().filter_map(|line| line.get("reply"));
        let replies = replies.filter_map(|reply| serde_json::from_value::<Replied>(reply.clone()).ok());
        replies.filter(|reply| reply.step == step).collect()
    }

    /// All the replies of the match.
    pub fn replies(&self) -> Vec<Replied> {
        let replies = self.lines().iter().filter_map(|line| line.get("reply"));
        replies.filter_map(|reply| serde_json::from_value(reply.clone()).ok()).collect()
    }

    /// The match in the public format.
    pub fn public(&self) -> Value {
        public(self.lines())
    }

    fn lines(&self) -> &[Value] {
        self.journal.lines()
    }
}

/// The lines as one object of the public format.
fn public(lines: &[Value]) -> Value {
    let mut whole = Map::new();
    for (field, value) in lines.iter().filter_map(Value::as_object).flatten() {
        match (whole.get_mut(field), value) {
            (_, _) if field == "reply" || field == "resume" => {}
            (Some(Value::Array(there)), Value::Array(more)) => there.extend(more.iter().cloned()),
            (_, value) => drop(whole.insert(field.clone(), value.clone())),
        }
    }
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first() -> First {
        First {
            match_id: "m.1".into(),
            random_token: "abc".into(),
            start_time: 1000,
            game_name: "nim".into(),
            game_role_names: vec!["a".into(), "b".into()],
            player_names_from_host: vec!["x".into(), "y".into()],
            start_clock: 10.0,
            play_clock: 5.0,
            scrambled: false,
            resume: Resume {
                rules: "(role a)".into(),
                seed: 1,
                players: vec!["legal".into(), "random".into()],
            },
        }
    }

    fn step() -> MatchStep {
        let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        MatchStep {
            moves: texts(["(take 1)", "noop"]),
            errors: texts(["", "TO"]),
            state: "((heap 2))".into(),
        }
    }

    #[test]
    fn lines_add_up_to_the_public_format() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        let mut record = Record::create(&path, first(), "((heap 3))").unwrap();
        assert!(!record.is_started());
        record.started(&[String::new(), String::new()]).unwrap();
        let (made, error) = ("(take 1)".to_owned(), String::new());
        let reply = Replied { step: 0, role: 0, made, error, said: String::new(), millis: 7 };
        record.reply(&reply).unwrap();
        assert_eq!(record.replies_of(0), [reply]);
        record.step(&step(), 2000).unwrap();
        record.completed(&[100, 0]).unwrap();
        let public = record.public();
        assert_eq!(public["states"], json!(["((heap 3))", "((heap 2))"]));
        assert_eq!(public["moves"], json!([["(take 1)", "noop"]]));
        assert_eq!(public["errors"], json!([["", ""], ["", "TO"]]));
        assert_eq!(public["stateTimes"], json!([1000, 2000]));
        assert_eq!((&public["isCompleted"], &public["goalValues"]), (&json!(true), &json!([100, 0])));
        assert_eq!((public.get("reply"), public.get("resume")), (None, None));
        assert!(record.is_started() && record.is_over());
        assert!(matches!(Record::create(&path, first(), ""), Err(JournalError::Exists)), "never overwritten");
        drop(record);
        assert_eq!(Record::open(&path).unwrap().public(), public);
        assert_eq!(Record::read(&path).unwrap(), public);
    }

    #[test]
    fn what_is_no_match_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        assert!(matches!(Record::open(&path), Err(JournalError::Damaged { line: 1, .. })));
        std::fs::write(&path, "{\"matchId\"").unwrap();
        assert!(matches!(Record::open(&path), Err(JournalError::Empty)));
        assert!(matches!(Record::read(&path), Err(JournalError::Empty)));
    }
}
