//! `groundrules verify GAME --sample N`: evidence by random playouts, worded as such.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use groundrules_explore::{Property, Sample, SampleOptions, move_texts, sample};
use serde_json::json;

use super::{Arguments, write_lines};
use crate::engine::set_up;
use crate::game::Loaded;
use crate::output::{self, counted, printable, thousands};

/// Playouts end after so many joint moves.
const LONGEST: usize = 10_000;

/// Properties of which a playout can show a violation.
const SHOWN: [Property; 4] =
    [Property::Termination, Property::Playability, Property::Utility, Property::Monotonicity];

/// Carries the command out.
pub(super) fn run(arguments: &Arguments, loaded: Loaded, playouts: u64) -> Result<ExitCode> {
    let compiled = arguments.exploration.engine.compile(loaded.game)?;
    let roles = set_up(|| compiled.machine())?.roles().to_vec();
    let options = SampleOptions { playouts, max_moves: LONGEST, seed: arguments.seed };
    let sample = sample(&compiled, &options).context("the game cannot be played")?;
    if let Some(folder) = &arguments.counterexamples {
        let lines = sample.violations.iter();
        let lines =
            lines.map(|one| (one.property.name().to_owned(), one.line.clone(), "found by a random playout"));
        write_lines(folder, &loaded.name, lines, &compiled)?;
    }
    let missing: Vec<&str> = sample.short_of_maximum.iter().map(|&role| roles[role].as_str()).collect();
    if arguments.json {
        let violations: Vec<_> = sample
            .violations
            .iter()
            .map(|one| {
                let line: Vec<_> =
                    one.line.iter().map(|joint| move_texts(&compiled, joint)).collect::<Result<_, _>>()?;
                Ok(json!({ "property": one.property.name(), "playouts": one.playouts, "line": line }))
            })
            .collect::<Result<_>>()?;
        let object = json!({
            "game": loaded.name,
            "evidence_only": true,
            "playouts": sample.playouts,
            "states": sample.states,
            "unfinished": sample.unfinished,
            "confidence": 0.95,
            "bound": sample.bound(),
            "violations": violations,
            "never_at_maximal_goal": missing,
        });
        output::print(&format!("{object}\n"))?;
    } else {
        output::print(&text(&loaded.name, &sample, &missing))?;
    }
    let is_broken = sample.violations.iter().any(|one| one.property != Property::Monotonicity);
    Ok(ExitCode::from(if is_broken { 1 } else { 2 }))
}

fn text(game: &str, sample: &Sample, missing: &[&str]) -> String {
    let mut text = format!(
        "{game}: {}, {} seen; evidence, not proof\n",
        counted(sample.playouts, "random playout"),
        counted(sample.states, "state")
    );
    for property in SHOWN {
        let name = property.name();
        let _ = match sample.violations.iter().find(|one| one.property == property) {
            Some(one) => writeln!(
                text,
                "  {name:<19} fails: {} showed it, the shortest after {}",
                counted(one.playouts, "playout"),
                counted(one.line.len() as u64, "move")
            ),
            None => writeln!(
                text,
                "  {name:<19} open: no playout showed a violation; with 95 % confidence fewer than {:.4} % of random playouts do",
                sample.bound() * 100.0
            ),
        };
    }
    let weak = if missing.is_empty() {
        "holds: every role reached its maximal goal".to_owned()
    } else {
        format!("open: {} never reached a stated maximal goal", missing.join(", "))
    };
    let _ = writeln!(text, "  {:<19} {}", Property::WeakWinnability.name(), printable(&weak));
    if sample.unfinished > 0 {
        let _ = writeln!(text, "  {} not ended after 10,000 moves", thousands(sample.unfinished));
    }
    text
}
