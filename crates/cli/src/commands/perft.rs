//! `groundrules perft GAME DEPTH`: how many sequences of joint moves and how many states there are at each depth.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use groundrules_explore::{Count, perft};
use serde_json::json;

use crate::exploration::Exploration;
use crate::game::{self, Loaded};
use crate::output;

/// Count sequences of joint moves and distinct states by depth.
#[derive(clap::Args)]
#[command(after_help = "\
A state counts at every depth at which it can be reached. Sequences end in terminal states.

Examples:
  groundrules perft tic-tac-toe 9
  groundrules perft connect-four 8 --json")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    /// The depth, in joint moves.
    depth: usize,
    #[command(flatten)]
    exploration: Exploration,
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
    let counts = arguments
        .exploration
        .run(&description, &compiled, None, |options| perft(&compiled, arguments.depth, options));
    let counts = counts.context("the game cannot be explored")?;
    if !arguments.exploration.processes.is_first() {
        return Ok(ExitCode::SUCCESS);
    }
    let text = if arguments.json {
        let depths: Vec<_> = counts.iter().map(object).collect();
        format!("{}\n", json!({ "game": name, "depths": depths }))
    } else {
        table(&counts)
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Numbers beyond what JSON readers take are written as strings, those beyond what was counted as null.
fn object(count: &Count) -> serde_json::Value {
    let number = |number: Option<u128>| match number {
        Some(number) if number < 1 << 53 => json!(number as u64),
        Some(number) => json!(number.to_string()),
        None => json!(null),
    };
    json!({
        "sequences": number(count.sequences),
        "states": count.states,
        "ends": number(count.ends),
        "terminal_states": count.terminal,
    })
}

fn table(counts: &[Count]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["depth", "sequences", "states", "ends", "terminal states"]);
    for (depth, count) in counts.iter().enumerate() {
        let most = |number: Option<u128>| {
            number.map_or_else(|| "more than 10^38".to_owned(), |number| number.to_string())
        };
        table.add_row([
            depth.to_string(),
            most(count.sequences),
            count.states.to_string(),
            most(count.ends),
            count.terminal.to_string(),
        ]);
    }
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let lines: Vec<String> = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    lines.concat()
}
