//! `groundrules solve GAME`: exact values of the initial position.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use groundrules_explore::{Line, Meaning, Solution, Solved, move_texts, record, solve};
use groundrules_machine::{Compiled, Move};
use serde_json::{Value, json};

use crate::exploration::{Exploration, Saving};
use crate::game::{self, Loaded};
use crate::output::{self, counted, printable};

/// Solve a game: exact values of the initial position.
///
/// For one role the best goal and a shortest plan. For two roles that take turns and whose goals always add up to the
/// same, the minimax value and a line of best play. For others what each role can force against all others, said to be
/// that.
#[derive(clap::Args)]
#[command(after_help = "\
Exit code 0 when the value was found, 2 when it was not.

Examples:
  groundrules solve tic-tac-toe
  groundrules solve eight-puzzle --trace plan.jsonl
  groundrules solve connect-four-4x4 --json")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    exploration: Exploration,
    #[command(flatten)]
    saving: Saving,
    /// Write the line as a trace, for `groundrules replay`.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = game::source(&arguments.game)?;
    let Some(Loaded { name, game, text: description, .. }) = game::load(&source)? else {
        return Ok(ExitCode::from(1));
    };
    let compiled = arguments.exploration.compile(game)?;
    let roles = compiled.batch().context("the game cannot be set up")?.roles().to_vec();
    let solved = arguments
        .exploration
        .run(&description, &compiled, Some(&arguments.saving), |options| solve(&compiled, options));
    let Solved { solution, explored } = solved.context("the game cannot be explored")?;
    if !arguments.exploration.processes.is_first() {
        return Ok(ExitCode::SUCCESS);
    }
    let line = match &solution {
        Solution::Plan { plan: line, .. } | Solution::Forced { line, .. } => line.clone(),
        Solution::Open(_) => Line::new(),
    };
    if let Some(path) = &arguments.trace {
        let recorded = record(&compiled, &name, &line, "solved").context("the line cannot be played")?;
        output::write_file(path, format!("{}\n", recorded.to_line()).as_bytes())?;
    }
    let text = if arguments.json {
        let mut object = object(&solution, &roles, &line, &compiled);
        object["game"] = json!(name);
        object["states"] = json!(explored.states());
        format!("{object}\n")
    } else {
        let head = format!("{name}: {}\n", counted(explored.states(), "state"));
        head + &text(&solution, &roles, &line, &compiled)
    };
    output::print(&text)?;
    Ok(match solution {
        Solution::Open(_) | Solution::Plan { unless: Some(_), .. } => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    })
}

fn goal(goal: Option<i32>) -> String {
    goal.map_or_else(|| "cannot force an end".to_owned(), |goal| goal.to_string())
}

fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Minimax => "minimax value: the roles take turns and their goals always add up to the same",
        Meaning::Sure => "what each role can force against all others",
        Meaning::LowerBound => {
            "what each role can force against all others; moves are made at the same time, so by chance it might do better"
        }
    }
}

fn text(solution: &Solution, roles: &[String], line: &Line, compiled: &Compiled) -> String {
    let mut text = match solution {
        Solution::Plan { best: None, unless: None, .. } => "  no line of play ends\n".to_owned(),
        Solution::Plan { best, unless, .. } => {
            let best = best.map_or_else(|| "none".to_owned(), |best| best.to_string());
            match unless {
                None => {
                    format!("  best goal {best}, shortest plan: {}\n", counted(line.len() as u64, "move"))
                }
                Some(stop) => format!("  best goal so far {best}; not all states were seen: {stop}\n"),
            }
        }
        Solution::Forced { goals, meaning: means, .. } => {
            let mut text = format!("  {}\n", meaning(*means));
            for (role, value) in roles.iter().zip(goals) {
                let _ = writeln!(text, "  {}: {}", printable(role), goal(*value));
            }
            text
        }
        Solution::Open(why) => format!("  open: {why}\n"),
    };
    for (number, joint) in line.iter().enumerate() {
        let moves =
            roles.iter().zip(texts(compiled, joint)).map(|(role, made)| printable(&format!("{role} {made}")));
        let _ = writeln!(text, "  {:>3}  {}", number + 1, moves.collect::<Vec<_>>().join(", "));
    }
    text
}

/// A joint move as texts. The line was found on the engine that names its moves.
fn texts(compiled: &Compiled, joint: &[Move]) -> Vec<String> {
    move_texts(compiled, joint).expect("the engine that explored the game")
}

fn object(solution: &Solution, roles: &[String], line: &Line, compiled: &Compiled) -> Value {
    let line: Vec<Vec<String>> = line.iter().map(|joint| texts(compiled, joint)).collect();
    match solution {
        Solution::Plan { best, unless, .. } => json!({
            "roles": roles,
            "kind": "plan",
            "best": best,
            "is_exact": unless.is_none(),
            "line": line,
        }),
        Solution::Forced { goals, meaning, .. } => json!({
            "roles": roles,
            "kind": match meaning {
                Meaning::Minimax => "minimax",
                Meaning::Sure => "forced",
                Meaning::LowerBound => "lower bound",
            },
            "goals": goals,
            "line": line,
        }),
        Solution::Open(why) => json!({ "roles": roles, "kind": "open", "why": why }),
    }
}
