//! `groundrules tournament FILE.toml`: a round robin over games and players, with a table and ratings.

mod report;
mod svg;

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use comfy_table::{CellAlignment, Table, presets};
use groundrules_host::JournalError;
use groundrules_host::manager::Player;
use groundrules_host::tournament::{Finished, Row, Tournament, TournamentError, TournamentPlan};
use groundrules_search::Settings;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use serde_json::json;
use tracing::level_filters::LevelFilter;

use crate::game::{self, Loaded};
use crate::output::{self, counted};
use crate::service::{Log, interrupted, player, runtime};

/// Play a tournament: in every round each player meets each other at every game, in every role.
///
/// Every match has a file in the tournament's folder, and every result a line in `results.jsonl` there. A tournament that
/// was stopped or killed goes on where it was when the command is given again; nothing is lost.
#[derive(clap::Args)]
#[command(after_help = "\
The file says who plays what. Only games and players are required:

  games = [\"tic-tac-toe\", \"my/game.kif\"]     # names of the library, or files relative to this one
  rounds = 1                                 # how often all players meet
  start-clock = 10                           # seconds to study the rules
  play-clock = 5                             # seconds for each move
  scramble = false                           # rename symbols for remote players
  seed = 1
  at-once = 1                                # matches at the same time
  folder = \"spring\"                          # where matches are kept; default: this file's name

  [[player]]
  name = \"careful\"                           # default: the player itself
  player = \"mcts\"                            # a name, perhaps with an engine, or http://HOST:PORT
  threads = 2                                # these two are for local players only
  simulations = 1000

Ratings are those of the Bradley-Terry model on the Elo scale: 1500 is the mean of the players, and 400 \
points mean odds of ten to one. In each match, every two players are compared by their goals. Intervals are \
95 % confidence intervals.

Examples:
  groundrules tournament spring.toml
  groundrules tournament spring.toml --json > table.json
  groundrules tournament spring.toml --table     the results so far, even while it is running
  groundrules tournament spring.toml --html spring.html --plots plots")]
pub(crate) struct Arguments {
    /// The tournament.
    file: PathBuf,
    /// Play nothing: print the table of what was played so far, also while another process plays.
    #[arg(long)]
    table: bool,
    /// Write the table as a JSON object.
    #[arg(long)]
    json: bool,
    /// Write a report as one HTML page: table, ratings over time, cross table, matches.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw ratings over time and the cross table as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    log: Log,
}

/// The file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    games: Vec<PathBuf>,
    player: Vec<Entry>,
    #[serde(default = "one")]
    rounds: usize,
    #[serde(default = "ten")]
    start_clock: f64,
    #[serde(default = "five")]
    play_clock: f64,
    #[serde(default)]
    scramble: bool,
    #[serde(default)]
    seed: u64,
    #[serde(default = "one")]
    at_once: usize,
    folder: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    player: String,
    threads: Option<NonZeroUsize>,
    simulations: Option<u64>,
}

fn one() -> usize {
    1
}

fn ten() -> f64 {
    10.0
}

fn five() -> f64 {
    5.0
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // Every match gets a line of its own; what its players tell would drown that.
    arguments.log.begin_at(LevelFilter::WARN);
    let text = std::fs::read_to_string(&arguments.file)
        .with_context(|| format!("cannot read {}", arguments.file.display()))?;
    let file: File = toml::from_str(&text).with_context(|| arguments.file.display().to_string())?;
    let beside = arguments.file.parent().unwrap_or(Path::new(""));
    let usual = PathBuf::from(arguments.file.file_stem().unwrap_or("tournament".as_ref()));
    let folder = beside.join(file.folder.as_ref().unwrap_or(&usual));
    let Some(plan) = plan(&file, beside)? else { return Ok(ExitCode::from(1)) };
    let mut tournament = if arguments.table {
        Tournament::look(plan, &folder)?
    } else {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Tournament::open(plan, &folder).map_err(|error| advised(error, &folder))?
    };
    if !arguments.table {
        let runtime = runtime()?;
        let is_over = runtime.block_on(async {
            tokio::select! {
                played = play(&mut tournament, arguments.log.quiet) => played.map(|()| true),
                () = interrupted() => Ok(false),
            }
        });
        runtime.shutdown_background();
        if !is_over? {
            anstream::eprintln!("stopped; the same command goes on with the tournament");
            return Ok(ExitCode::from(2));
        }
    }
    output::print(&if arguments.json { as_json(&tournament) } else { as_text(&tournament) })?;
    report::write(
        &tournament,
        &usual.to_string_lossy(),
        arguments.html.as_deref(),
        arguments.plots.as_deref(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Says what can be done when a tournament cannot be opened.
fn advised(error: TournamentError, folder: &Path) -> anyhow::Error {
    let in_use = matches!(&error, TournamentError::Journal { cause: JournalError::InUse, .. });
    let folder = folder.display();
    match error {
        _ if in_use => anyhow!(
            "another process plays the tournament in {folder}: `--table` shows how it stands, or wait until it is over"
        ),
        TournamentError::OtherPlan(_) => {
            anyhow!("{error}: folder = \"…\" in the file, or remove {folder}")
        }
        other => other.into(),
    }
}

/// What the file asks for; nothing if a game is not GDL, which was said then.
fn plan(file: &File, beside: &Path) -> Result<Option<TournamentPlan>> {
    if file.games.is_empty() || file.player.is_empty() {
        bail!("a tournament needs games and players");
    }
    for (name, clock) in [("start-clock", file.start_clock), ("play-clock", file.play_clock)] {
        if !(0.0..=86_400.0).contains(&clock) {
            bail!("{name} = {clock} is not a time of at most a day");
        }
    }
    let mut games = Vec::new();
    for word in &file.games {
        let by_file = beside.join(word);
        let source = game::source(if by_file.exists() { &by_file } else { word })?;
        let Some(Loaded { name, text, game, .. }) = game::load(&source)? else { return Ok(None) };
        game::warn_of_hidden_information(&game, "players see the whole state and all moves");
        games.push((name, text));
    }
    let mut players: Vec<Player> = Vec::new();
    for entry in &file.player {
        let made = entered(entry, file.seed)?;
        if players.iter().any(|other| other.name == made.name) {
            bail!("two players are called `{}`: give them names of their own", made.name);
        }
        players.push(made);
    }
    Ok(Some(TournamentPlan {
        games,
        players,
        rounds: file.rounds,
        start_clock: file.start_clock,
        play_clock: file.play_clock,
        scramble: file.scramble,
        seed: file.seed,
        at_once: file.at_once,
    }))
}

fn entered(entry: &Entry, seed: u64) -> Result<Player> {
    let usual = Settings::default();
    let threads = entry.threads.unwrap_or(usual.threads);
    if threads.get() > 4096 {
        bail!("threads = {threads} is too many");
    }
    let settings = Settings { threads, simulations: entry.simulations, seed, ..usual };
    player(entry.name.as_ref().unwrap_or(&entry.player), &entry.player, &settings)
}

async fn play(tournament: &mut Tournament, quiet: bool) -> Result<()> {
    let is_live = !quiet && std::io::stderr().is_terminal();
    let bar = if is_live { ProgressBar::new(tournament.matches() as u64) } else { ProgressBar::hidden() };
    // The table stands below the bar and is drawn anew after every match.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} match {pos} of {len} [{elapsed}]\n{msg}") {
        bar.set_style(style);
    }
    bar.set_position(tournament.finished().len() as u64);
    bar.set_message(table(tournament));
    let mut tell = |tournament: &Tournament, finished: &Finished| {
        let (done, all) = (tournament.finished().len(), tournament.matches());
        let line = format!("{done} of {all}: {}", in_words(tournament, finished));
        match (quiet, is_live) {
            (true, _) => {}
            (false, true) => bar.println(line),
            (false, false) => anstream::eprintln!("{line}"),
        }
        bar.set_message(table(tournament));
        bar.inc(1);
    };
    tournament.play(&mut tell).await?;
    bar.finish_and_clear();
    Ok(())
}

/// A match in words: the game, and each player with its goal.
fn in_words(tournament: &Tournament, finished: &Finished) -> String {
    let game = tournament.game(&finished.key).unwrap_or(&finished.key);
    let names: Vec<&str> = tournament.players().collect();
    let name = |player: &usize| names.get(*player).copied().unwrap_or("?");
    if let Some(why) = &finished.aborted {
        let players: Vec<&str> = finished.players.iter().map(name).collect();
        return format!("{game}, {}: given up: {why}", players.join(" – "));
    }
    let seats = finished.players.iter().zip(&finished.goals).zip(&finished.errors);
    let seat = |((player, goal), errors): ((&usize, &i32), &usize)| match errors {
        0 => format!("{} {goal}", name(player)),
        &errors => format!("{} {goal} ({})", name(player), counted(errors as u64, "error")),
    };
    format!("{game}: {}", seats.map(seat).collect::<Vec<_>>().join(", "))
}

fn as_text(tournament: &Tournament) -> String {
    let (done, all) = (tournament.finished().len(), tournament.matches());
    format!("{done} of {all} matches\n{}\n", table(tournament))
}

/// The table, drawn.
fn table(tournament: &Tournament) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["player", "rating", "±", "matches", "wins", "draws", "mean goal", "errors"]);
    for row in tournament.table() {
        let Row { player, matches, wins, draws, mean_goal, errors, rating, interval } = row;
        let (rating, interval, mean) =
            (format!("{rating:.0}"), format!("{interval:.0}"), format!("{mean_goal:.1}"));
        let [matches, wins, draws, errors] = [matches, wins, draws, errors].map(|count| count.to_string());
        table.add_row([player, rating, interval, matches, wins, draws, mean, errors]);
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn as_json(tournament: &Tournament) -> String {
    let (done, all) = (tournament.finished().len(), tournament.matches());
    let names: Vec<&str> = tournament.players().collect();
    let played = |finished: &Finished| {
        let players: Vec<&str> =
            finished.players.iter().filter_map(|&player| names.get(player).copied()).collect();
        json!({
            "key": finished.key,
            "game": tournament.game(&finished.key),
            "players": players,
            "goals": finished.goals,
            "errors": finished.errors,
            "steps": finished.steps,
            "aborted": finished.aborted,
        })
    };
    let object = json!({
        "matches": all,
        "finished": done,
        "table": tournament.table(),
        "players": names,
        "cross_table": tournament.cross_table(),
        "played": tournament.finished().iter().map(played).collect::<Vec<_>>(),
    });
    format!("{object}\n")
}
