//! The files that `groundrules host` writes, as recorded matches: rules, states and moves are in them. Hosts do not record legal moves.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use groundrules::board::fluents_of;
use groundrules_gdl::trace::{GoalValue, Match, RecordedState};
use groundrules_host::manager::Record;
use serde_json::Value;

/// The longest first line that is looked at; it has the rules.
const LONGEST: u64 = 64 << 20;

/// A match of a host.
pub(super) struct Hosted {
    /// The name of the game.
    pub(super) name: String,
    /// The rules that it was played by.
    pub(super) rules: String,
    pub(super) recorded: Match,
}

impl Hosted {
    /// Reads the match, if the file is one of a host.
    pub(super) fn read(path: &Path) -> Result<Option<Hosted>> {
        let file = std::fs::File::open(path).context("cannot open it")?;
        let mut line = Vec::new();
        BufReader::new(file.take(LONGEST)).read_until(b'\n', &mut line).context("cannot read it")?;
        let Ok(first) = serde_json::from_slice::<Value>(&line) else { return Ok(None) };
        if !first["matchId"].is_string() {
            return Ok(None);
        }
        let Some(rules) = first["resume"]["rules"].as_str() else {
            bail!("it is a match of a host without its rules");
        };
        let public = Record::read(path)?;
        let name = public["gameName"].as_str().unwrap_or_default().to_owned();
        let recorded = recorded(&public).context("it is a match of a host, and damaged")?;
        Ok(Some(Hosted { name, rules: rules.to_owned(), recorded }))
    }
}

/// The match as a trace. Whether the last state of a match that was not completed is terminal is not in the file, so that state is left out.
fn recorded(public: &Value) -> Option<Match> {
    let roles: Vec<String> = texts(&public["gameRoleNames"])?;
    let is_completed = public["isCompleted"].as_bool()?;
    let joints = public["moves"].as_array()?.iter().map(texts).collect::<Option<Vec<_>>>()?;
    let states = texts(&public["states"])?;
    let last = states.len().checked_sub(1)?;
    let mut steps = Vec::new();
    for (number, state) in states.iter().enumerate() {
        let is_last = number == last;
        if is_last && !is_completed && last > 0 {
            break;
        }
        let terminal = is_last && is_completed;
        let mut goals = BTreeMap::new();
        if terminal {
            for (role, goal) in roles.iter().zip(public["goalValues"].as_array()?) {
                goals.insert(role.clone(), vec![GoalValue::Number(goal.as_i64()?)]);
            }
        }
        let joint = joints.get(number).cloned();
        steps.push(RecordedState {
            state: fluents_of(state),
            legal: BTreeMap::new(),
            terminal,
            goals,
            joint,
        });
    }
    let game = public["gameName"].as_str().unwrap_or_default().to_owned();
    Some(Match { game, roles, steps, end: String::new() })
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(is_completed: bool) -> Value {
        json!({
            "gameName": "g", "gameRoleNames": ["a"], "isCompleted": is_completed, "goalValues": [100],
            "states": ["((at 1))", "((at 2) done)"], "moves": [["go"]],
        })
    }

    #[test]
    fn a_match_becomes_a_trace() {
        let found = recorded(&file(true)).unwrap();
        assert_eq!(found.steps.len(), 2);
        assert_eq!((found.steps[0].terminal, &found.steps[0].joint), (false, &Some(vec!["go".to_owned()])));
        assert_eq!(found.steps[1].state, ["(at 2)", "done"]);
        assert!(found.steps[1].terminal && found.steps[1].joint.is_none());
        assert_eq!(found.steps[1].goals["a"][0].to_string(), "100");
    }

    #[test]
    fn what_is_not_known_is_not_compared() {
        assert_eq!(recorded(&file(false)).unwrap().steps.len(), 1);
        let mut damaged = file(true);
        damaged["states"] = json!([1]);
        assert!(recorded(&damaged).is_none());
        damaged["states"] = json!([]);
        assert!(recorded(&damaged).is_none());
    }
}
