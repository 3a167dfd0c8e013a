//! `groundrules explain CODE`: the long text of a diagnostic, with a wrong and a right example.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use groundrules_gdl::Code;
use groundrules_gdl::codes;

use crate::output;

/// Explain a diagnostic: why it is reported, a wrong and a right example.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  groundrules explain G301\n  groundrules explain          list all the codes"
)]
pub(crate) struct Arguments {
    /// The code, for example G301; without one, all the codes are listed.
    code: Option<String>,
    /// Write a JSON object; of all codes, one object with a list.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let shown = match &arguments.code {
        None => codes::all(),
        Some(id) => match codes::find(id) {
            Some(code) => vec![code],
            None => bail!("there is no code `{id}`; `groundrules explain` lists them all"),
        },
    };
    let text = match (arguments.json, &arguments.code) {
        (true, None) => {
            let codes: Vec<_> = shown.iter().map(|code| json(code)).collect();
            format!("{}\n", serde_json::json!({ "codes": codes }))
        }
        (true, Some(_)) => format!("{}\n", json(shown[0])),
        (false, None) => list(&shown),
        (false, Some(_)) => explanation(shown[0]),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn list(codes: &[&Code]) -> String {
    let mut text = String::new();
    for code in codes {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}  {:7}  {}", code.id, code.severity.word(), code.title);
    }
    text
}

fn explanation(code: &Code) -> String {
    let mut text =
        format!("{} ({}): {}\n\n{}\n", code.id, code.severity.word(), code.title, code.explanation);
    for (word, example) in [("Wrong", code.wrong), ("Right", code.right)] {
        if !example.is_empty() {
            let _ = writeln!(text, "\n{word}:");
            for line in example.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

fn json(code: &Code) -> serde_json::Value {
    serde_json::json!({
        "code": code.id,
        "severity": code.severity,
        "title": code.title,
        "explanation": code.explanation,
        "wrong": code.wrong,
        "right": code.right,
    })
}
