//! Verdicts: by visiting all reachable states, where there are few enough of them, and by proofs, which need none of them.

use std::sync::Arc;
use std::time::Duration;

use groundrules_explore::{self as explore, Observer, Outcome, Stage};
use groundrules_gdl::time::Cancel;
use groundrules_prove::{self as prove, Answer as Found, Claim, Subject};
use serde_json::{Value, json};

use crate::limits::{LONGEST_PROOF, MOST_BYTES, MOST_STATES};
use crate::progress::Progress;
use crate::session::{Answer, sentence};
use crate::table::Table;

/// Tells how far an exploration is.
struct Following(Progress);

impl Observer for Following {
    fn progress(&self, progress: &explore::Progress) {
        self.0.tell_now_and_then(|| {
            let what = match progress.stage {
                Stage::Search => "visiting states",
                Stage::Cycles => "looking for cycles",
                Stage::Values => "computing values",
                Stage::Lines => "reconstructing lines",
                Stage::Minimax => "searching",
            };
            json!({ "what": what, "states": progress.states, "depth": progress.depth })
        });
    }
}

/// Explores a game.
pub(crate) fn verify(table: &Table, states: u64, progress: Progress) -> Answer {
    let states = states.clamp(1, MOST_STATES);
    let budget = explore::Budget { states: Some(states), memory: Some(MOST_BYTES), ..Default::default() };
    let observer = Arc::new(Following(progress));
    let found =
        explore::verify(&table.compiled, &explore::Options { budget, observer, ..Default::default() })
            .map_err(sentence)?;
    let text = |made: &groundrules_machine::Move| table.compiled.move_text(*made).unwrap_or_default();
    let verdicts = found.verdicts.iter().map(|verdict| {
        json!({
            "property": verdict.property.name(),
            "outcome": match verdict.outcome { Outcome::Holds => "holds", Outcome::Fails => "fails", Outcome::Open => "open" },
            "method": (verdict.outcome != Outcome::Open).then_some("exploration"),
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

/// Searches for proofs. Verdicts are told as they are found.
pub(crate) fn prove(table: &Table, seconds: f64, cancel: &Cancel, progress: Progress) -> Answer {
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default().min(LONGEST_PROOF);
    progress.tell_now_and_then(|| json!({ "what": "building the circuit" }));
    let ground = table.compiled.ground().map_err(sentence)?;
    let subject = Arc::new(Subject::new(table.compiled.game(), ground).map_err(sentence)?);
    let (attempts, verdicts, of) = (progress.clone(), progress, Arc::clone(&subject));
    let options = prove::Options {
        time: Some(time),
        memory: Some(MOST_BYTES),
        cancelled: cancel.flag(),
        seed: 1,
        observer: Some(Arc::new(move |what: &str| attempts.tell_now_and_then(|| json!({ "what": what })))),
        on_verdict: Some(Arc::new(move |verdict| verdicts.tell(&json!({ "verdict": found(&of, verdict) })))),
        ..prove::Options::default()
    };
    let verdicts = prove::prove(&subject, &Claim::PROPERTIES, &[], &options);
    let mut all = vec![well_formedness(&verdicts)];
    all.extend(verdicts.iter().map(|verdict| found(&subject, verdict)));
    Ok(json!({ "verdicts": all }))
}

/// What follows from the others: a game is well-formed if it terminates, is playable, has goals and can be won.
fn well_formedness(verdicts: &[prove::Verdict]) -> Value {
    let parts = || verdicts.iter().filter(|verdict| verdict.claim != Claim::Monotonicity);
    let with = |holds: Option<bool>| -> Vec<String> {
        parts().filter(|verdict| verdict.holds() == holds).map(|verdict| verdict.claim.to_string()).collect()
    };
    let (failing, open) = (with(Some(false)), with(None));
    let (outcome, why) = match (&failing[..], &open[..]) {
        ([], []) => ("holds", String::new()),
        ([], open) => ("open", format!("not known: {}", open.join(", "))),
        (failing, _) => ("fails", format!("not satisfied: {}", failing.join(", "))),
    };
    json!({ "property": "well-formedness", "outcome": outcome, "method": null, "why": why, "line": null })
}

fn found(subject: &Subject, verdict: &prove::Verdict) -> Value {
    let line: Option<Vec<Vec<String>>> = match &verdict.answer {
        Found::Refuted(line) => Some(line.iter().map(|joint| subject.move_texts(joint)).collect()),
        _ => None,
    };
    json!({
        "property": verdict.claim.to_string(),
        "outcome": match verdict.holds() { Some(true) => "holds", Some(false) => "fails", None => "open" },
        "method": verdict.method.map(prove::Method::name),
        "why": verdict.why,
        "line": line,
    })
}
