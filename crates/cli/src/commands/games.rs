//! `groundrules games [NAME]`: lists the games of the library, or prints one.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use groundrules::library::{self, LibraryGame};
use groundrules_gdl::nearest::nearest;

use crate::output;

/// List the games of the library, or print one.
///
/// A game's name can be used wherever a file can: `groundrules check connect-four`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  groundrules games\n  groundrules games reversi > reversi.kif")]
pub(crate) struct Arguments {
    /// Print the description of this game.
    name: Option<String>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.name {
        Some(name) => print_game(name, arguments.json)?,
        None if arguments.json => {
            let games: Vec<LibraryGame> = library::games().collect();
            output::print(&format!("{}\n", serde_json::to_string(&games)?))?;
        }
        None => output::print(&list())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_game(name: &str, json: bool) -> Result<()> {
    let Some(game) = library::game(name) else {
        let near = nearest(name, library::games().map(|game| game.id));
        let advice = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        bail!("there is no game `{name}` in the library{advice}");
    };
    if json {
        output::print(&format!("{}\n", serde_json::to_string(&game)?))
    } else {
        output::print(game.text)
    }
}

fn list() -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["name", "players", "kind", "exercises"]);
    for game in library::games() {
        table.add_row([game.id, game.players, game.kind, game.exercises]);
    }
    format!("{table}\n")
}
