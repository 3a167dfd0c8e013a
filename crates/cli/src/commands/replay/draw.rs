//! The result of a replay, as text and as JSON. A difference is drawn as a diff: a minus before what is only in the trace,
//! a plus before what only the engine says.

use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use groundrules_gdl::trace::What;
use serde_json::{Value, json};

use super::{Found, Replayed, Verdict};
use crate::output::{counted, printable};

/// How many lines of each side are shown.
const LINES: usize = 10;

/// Up to so many traces have a line each though they agree.
const FEW: usize = 10;

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const BOLD: Style = Style::new().bold();

/// Everything that differs or failed, and how many agree.
pub(super) fn text(engine: &str, replayed: &[Replayed], time: Duration) -> String {
    let mut text = String::new();
    for one in replayed {
        match &one.verdict {
            Verdict::Same if replayed.len() > FEW => {}
            Verdict::Same => {
                let _ = writeln!(text, "{}: {}, {}: the same", one.trace, matches(one), states(one));
            }
            Verdict::Failed(reason) => {
                let reason = printable(reason);
                let _ = writeln!(text, "{BOLD}{}{BOLD:#} could not be replayed: {reason}", one.trace);
            }
            Verdict::Differs(found) => draw(&mut text, one, found),
        }
    }
    let count = |wanted: fn(&Verdict) -> bool| {
        replayed.iter().filter(|replayed| wanted(&replayed.verdict)).count() as u64
    };
    let total = |number: fn(&Replayed) -> usize| replayed.iter().map(number).sum::<usize>() as u64;
    let _ = writeln!(
        text,
        "{}: {} agree, {} differ, {} could not be replayed; {}, {} compared by {engine} in {:.1} s",
        counted(replayed.len() as u64, "trace"),
        count(|verdict| matches!(verdict, Verdict::Same)),
        count(|verdict| matches!(verdict, Verdict::Differs(_))),
        count(|verdict| matches!(verdict, Verdict::Failed(_))),
        counted_plural(total(|replayed| replayed.matches), "match", "matches"),
        counted(total(|replayed| replayed.states), "state"),
        time.as_secs_f64(),
    );
    text
}

fn matches(one: &Replayed) -> String {
    counted_plural(one.matches as u64, "match", "matches")
}

fn states(one: &Replayed) -> String {
    counted(one.states as u64, "state")
}

fn counted_plural(count: u64, one: &str, many: &str) -> String {
    let counted = counted(count, one);
    if count == 1 { counted } else { counted.replace(&format!("{one}s"), many) }
}

/// One difference.
fn draw(text: &mut String, one: &Replayed, found: &Found) {
    let difference = &found.difference;
    let state = difference.state.map_or_else(String::new, |state| format!(", state {state}"));
    let verb = match difference.what {
        What::Made(_) => "is not legal",
        What::Joint => "has not one move for each role",
        What::State | What::Terminal => "differs",
        _ => "differ",
    };
    let what = printable(&difference.what.to_string());
    let _ = writeln!(text, "{BOLD}{}: match {}{state}: {what} {verb}{BOLD:#}", one.trace, found.number);
    if let Some(joint) = &found.after {
        let _ = writeln!(text, "  after {}", printable(&joint.join(", ")));
    }
    let _ = writeln!(text, "{RED}  --- in the trace{RED:#}\n{GREEN}  +++ here{GREEN:#}");
    side(text, RED, '-', &difference.only_in_trace);
    side(text, GREEN, '+', &difference.only_here);
    let _ = writeln!(text, "  before: {} and {} without a difference\n", matches(one), states(one));
}

fn side(text: &mut String, style: Style, sign: char, lines: &[String]) {
    for line in lines.iter().take(LINES) {
        let _ = writeln!(text, "{style}  {sign} {}{style:#}", printable(line));
    }
    if lines.len() > LINES {
        let _ = writeln!(text, "{style}  {sign} … and {} more{style:#}", lines.len() - LINES);
    }
}

/// All of it as one object.
pub(super) fn object(engine: &str, replayed: &[Replayed], time: Duration) -> Value {
    let count = |outcome: &str| replayed.iter().filter(|replayed| name(&replayed.verdict) == outcome).count();
    json!({
        "engine": engine,
        "traces": replayed.iter().map(entry).collect::<Vec<_>>(),
        "agree": count("same"),
        "differ": count("differs"),
        "failed": count("failed"),
        "matches": replayed.iter().map(|replayed| replayed.matches).sum::<usize>(),
        "states": replayed.iter().map(|replayed| replayed.states).sum::<usize>(),
        "seconds": time.as_secs_f64(),
    })
}

fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::Differs(_) => "differs",
        Verdict::Failed(_) => "failed",
    }
}

fn entry(one: &Replayed) -> Value {
    let mut entry = json!({
        "trace": one.trace,
        "game": one.game,
        "outcome": name(&one.verdict),
        "matches": one.matches,
        "states": one.states,
    });
    match &one.verdict {
        Verdict::Same => {}
        Verdict::Failed(reason) => entry["error"] = json!(reason),
        Verdict::Differs(found) => {
            let difference = &found.difference;
            entry["difference"] = json!({
                "match": found.number,
                "state": difference.state,
                "after": found.after,
                "what": difference.what.to_string(),
                "only_here": difference.only_here,
                "only_in_trace": difference.only_in_trace,
            });
        }
    }
    entry
}
