//! `groundrules games [NAME]`: lists the games of the library, or prints one.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use comfy_table::{ContentArrangement, Table, presets};
use groundrules::library::{self, LibraryGame};
use groundrules_gdl::nearest::nearest;
use groundrules_gdl::roles::NATURE;
use groundrules_gdl::{Options, read};
use serde_json::json;

use crate::output::{self, counted};

/// List the games of the library, describe one, or print it.
///
/// A game's name can be used wherever a file can: `groundrules check connect-four`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules games
  groundrules games --describe reversi     what the game is about, and its figures
  groundrules games reversi > reversi.kif")]
pub(crate) struct Arguments {
    /// Print the description of this game.
    name: Option<String>,
    /// Describe the game instead: what it is about, its roles and figures.
    #[arg(long, requires = "name")]
    describe: bool,
    /// Write a JSON object; of all games, one object with a list.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.name {
        Some(name) => print_game(&found(name)?, arguments)?,
        None if arguments.json => {
            let games: Vec<LibraryGame> = library::games().collect();
            output::print(&format!("{}\n", json!({ "games": games })))?;
        }
        None => output::print(&list())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn found(name: &str) -> Result<LibraryGame> {
    library::game(name).ok_or_else(|| {
        let near = nearest(name, library::games().map(|game| game.id));
        let advice = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        anyhow!("there is no game `{name}` in the library{advice}")
    })
}

fn print_game(game: &LibraryGame, arguments: &Arguments) -> Result<()> {
    if arguments.json {
        output::print(&format!("{}\n", serde_json::to_string(game)?))
    } else if arguments.describe {
        output::print(&description(game))
    } else {
        output::print(game.text)
    }
}

/// What a game is about, and its figures.
fn description(game: &LibraryGame) -> String {
    let checked = read(game.text.as_bytes(), &Options::default());
    let (figures, verdict) = (&checked.figures, checked.verdict.words());
    let rules = format!("{}, {verdict}", counted(figures.rules as u64, "rule"));
    let first =
        figures.roles.iter().find(|role| !role.eq_ignore_ascii_case(NATURE)).map_or("ROLE", String::as_str);
    let tries = format!("groundrules play {} --as {first}", game.id);
    let rows = [
        ("name", game.id),
        ("players", game.players),
        ("kind", game.kind),
        ("exercises", game.exercises),
        ("roles", &figures.roles.join(" ")),
        ("description", &rules),
        ("play it", &tries),
    ];
    let rows: String = rows.iter().map(|(key, value)| format!("  {key:<12} {value}\n")).collect();
    format!("{}: {}\n{rows}", game.name, game.about)
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
