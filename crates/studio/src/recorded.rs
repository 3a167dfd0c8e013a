//! Matches from files: match files of a host, as one object or as the journal that a host writes line by line, and traces.

use groundrules_gdl::trace;
use serde_json::{Map, Value, json};

use crate::session::Answer;

/// The most matches of one file.
const MOST_MATCHES: usize = 200;

/// Reads a file: a list of matches with their roles, players and joint moves.
pub(crate) fn read(text: &str) -> Answer {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let whole = serde_json::from_str::<Value>(text).ok();
    let first = match &whole {
        Some(whole) => Some(whole.clone()),
        None => lines.first().and_then(|line| serde_json::from_str(line).ok()),
    };
    match first {
        Some(first) if first.get("steps").is_some() => traces(text),
        Some(first) if first.get("moves").is_some() || first.get("matchId").is_some() => {
            let parts = match whole {
                Some(whole) => vec![whole],
                // A torn last line is left out, as a host does.
                None => lines.iter().map_while(|line| serde_json::from_str(line).ok()).collect(),
            };
            Ok(json!({ "matches": [of_host(&joined(parts))] }))
        }
        _ => Err("this is neither a match file nor a trace: both are JSON, with `moves` or with `steps`"
            .to_owned()),
    }
}

fn traces(text: &str) -> Answer {
    let mut matches = Vec::new();
    for found in trace::matches(text.as_bytes()).take(MOST_MATCHES) {
        let found = found.map_err(|error| error.to_string())?;
        let moves: Vec<&Vec<String>> = found.steps.iter().filter_map(|step| step.joint.as_ref()).collect();
        matches.push(json!({
            "name": found.game, "game": found.game, "roles": found.roles, "players": [], "moves": moves, "completed": true,
            "goals": Value::Null, "rules": Value::Null,
        }));
    }
    if matches.is_empty() {
        Err("the trace has no match".to_owned())
    } else {
        Ok(json!({ "matches": matches }))
    }
}

/// A journal as one object: lists are joined to what there is, and everything else replaces it.
fn joined(parts: Vec<Value>) -> Map<String, Value> {
    let mut all = Map::new();
    for part in parts {
        let Value::Object(part) = part else { continue };
        for (key, value) in part {
            match (all.get_mut(&key), value) {
                (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                (_, value) => drop(all.insert(key, value)),
            }
        }
    }
    all
}

fn of_host(found: &Map<String, Value>) -> Value {
    let get = |key: &str| found.get(key).cloned().unwrap_or(Value::Null);
    let rules = found.get("resume").and_then(|resume| resume.get("rules")).cloned().unwrap_or(Value::Null);
    json!({
        "name": get("matchId"),
        "game": get("gameName"),
        "roles": get("gameRoleNames"),
        "players": get("playerNamesFromHost"),
        "moves": found.get("moves").cloned().unwrap_or_else(|| json!([])),
        "errors": get("errors"),
        "completed": get("isCompleted"),
        "goals": get("goalValues"),
        "rules": rules,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_joined_and_a_torn_line_left_out() {
        let text = "{\"matchId\":\"m\",\"moves\":[],\"gameRoleNames\":[\"a\"],\"isCompleted\":false,\"resume\":{\"rules\":\"(role a)\"}}\n\
            {\"moves\":[[\"go\"]],\"errors\":[[\"\"]]}\n{\"moves\":[[\"stay\"]],\"isCompleted\":true,\"goalValues\":[100]}\n{\"mov";
        let answer = read(text).unwrap();
        let found = &answer["matches"][0];
        assert_eq!(found["moves"], json!([["go"], ["stay"]]));
        assert_eq!(
            (&found["completed"], &found["goals"], &found["rules"]),
            (&json!(true), &json!([100]), &json!("(role a)"))
        );
        assert!(read("nonsense").is_err() && read("{\"a\": 1}").is_err() && read("").is_err());
    }
}
