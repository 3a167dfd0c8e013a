//! Verdicts on all reachable states, where there are few enough of them.

use groundrules_explore::{Budget, Options, Outcome, verify as explore};
use serde_json::{Value, json};

use crate::limits::MOST_STATES;
use crate::session::{Answer, sentence};
use crate::table::Table;

/// The bytes that states may take.
const MOST_BYTES: usize = 400 << 20;

pub(crate) fn verify(table: &Table, states: u64) -> Answer {
    let states = states.clamp(1, MOST_STATES);
    let budget = Budget { states: Some(states), memory: Some(MOST_BYTES), ..Budget::default() };
    let found = explore(&table.compiled, &Options { budget, ..Options::default() }).map_err(sentence)?;
    let text = |made: &groundrules_machine::Move| table.compiled.move_text(*made).unwrap_or_default();
    let verdicts = found.verdicts.iter().map(|verdict| {
        json!({
            "property": verdict.property.name(),
            "outcome": match verdict.outcome { Outcome::Holds => "holds", Outcome::Fails => "fails", Outcome::Open => "open" },
            "why": verdict.why,
            "line": verdict.line.as_ref().map(|line| line.iter().map(|joint| joint.iter().map(text).collect()).collect::<Vec<Vec<String>>>()),
        })
    });
    Ok(json!({
        "states": found.explored.states(),
        "stop": found.explored.stop.as_ref().map(ToString::to_string),
        "verdicts": verdicts.collect::<Vec<Value>>(),
    }))
}
