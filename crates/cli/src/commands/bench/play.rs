//! `groundrules bench play`: how many simulations and playouts a move the player `mcts` manages in a second, by engine. Every
//! engine searches the same states: the first ones of a match that is made of first legal moves.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use groundrules_gdl::Game;
use groundrules_machine::engines::Engine;
use groundrules_search::players::Mcts;
use groundrules_search::{Player, SearchError, Seat, Settings, Turn};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::means::geometric_mean;
use super::tables::{factor, nothing, table};
use crate::game;
use crate::output;

/// Measure how many simulations a second the player `mcts` manages with every engine.
#[derive(clap::Args)]
#[command(after_help = "\
A simulation is one way down the search tree to a state and what it is worth; with lanes several playouts
are played for each. One thread searches, with a new tree in every state. The ratio is that of playouts,
sliced over tree.

Examples:
  groundrules bench play
  groundrules bench play connect-four breakthrough --seconds 2 --json")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, some of the library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How many seconds a move is searched.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    seconds: f64,
    /// How many states of a match are searched.
    #[arg(long, default_value_t = 2, value_name = "N")]
    moves: usize,
    /// Write JSON: everything that was measured.
    #[arg(long)]
    json: bool,
}

/// What is measured if nothing is named: two players, one, several, at the same time, with chance.
const SOME: [&str; 8] = [
    "breakthrough",
    "connect-four",
    "dice-race",
    "lights-out",
    "pecking-order",
    "reversi",
    "tic-tac-toe",
    "tron",
];

const ENGINES: [Engine; 3] = [Engine::Tree, Engine::Net, Engine::Sliced];

/// All that was measured.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    seconds: f64,
    games: Vec<GameResult>,
    /// The geometric mean of the playouts of one engine over those of another.
    sliced_over_tree: f64,
    net_over_tree: f64,
}

#[derive(Serialize)]
struct GameResult {
    game: String,
    engines: Vec<Outcome>,
}

#[derive(Clone, Copy, Serialize)]
struct Searched {
    simulations_per_second: f64,
    playouts_per_second: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Searched(Searched),
    Failed { error: String },
}

impl Outcome {
    fn searched(&self) -> Option<Searched> {
        match self {
            Outcome::Searched(searched) => Some(*searched),
            Outcome::Failed { .. } => None,
        }
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let time = match Duration::try_from_secs_f64(arguments.seconds) {
        Ok(time) if !time.is_zero() => time,
        _ => bail!("--seconds {} is no time to search in", arguments.seconds),
    };
    let some: Vec<PathBuf> = SOME.iter().map(PathBuf::from).collect();
    let games = super::games(if arguments.files.is_empty() { &some } else { &arguments.files })?;
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::new();
    for (name, source) in &games {
        progress.inc(1);
        let Some(loaded) = game::load(source)? else { return Ok(ExitCode::from(1)) };
        let engines = ENGINES.map(|engine| {
            progress.set_message(format!("{name}, {}", engine.name()));
            match measure(&loaded.game, engine, time, arguments.moves) {
                Ok(searched) => Outcome::Searched(searched),
                Err(error) => Outcome::Failed { error: error.to_string() },
            }
        });
        results.push(GameResult { game: name.clone(), engines: engines.into() });
    }
    progress.finish_and_clear();
    let report = Report::new(arguments.seconds, results);
    let text = if arguments.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        report.to_text()
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Searches the first states of a match.
fn measure(game: &Game, engine: Engine, time: Duration, moves: usize) -> Result<Searched, SearchError> {
    let mut seat = Seat::with_engine(game, 0, engine)?;
    let (mut simulations, mut playouts, mut seconds) = (0, 0, 0.0);
    for _ in 0..moves.max(1) {
        if seat.is_terminal()? {
            break;
        }
        let mut player = Mcts::new(&Settings::default());
        let began = Instant::now();
        player.choose(&mut seat, &Turn::of(time))?;
        seconds += began.elapsed().as_secs_f64();
        let effort = player.effort();
        (simulations, playouts) = (simulations + effort.0, playouts + effort.1);
        let mut joint = Vec::new();
        for role in 0..seat.roles().len() {
            joint.extend(seat.legal_of(role)?.first().copied());
        }
        seat.advance(&joint)?;
    }
    let rate = |count: u64| count as f64 / seconds.max(1e-9);
    Ok(Searched { simulations_per_second: rate(simulations), playouts_per_second: rate(playouts) })
}

impl Report {
    fn new(seconds: f64, games: Vec<GameResult>) -> Report {
        let over =
            |one: usize, other: usize| geometric_mean(games.iter().filter_map(|game| game.ratio(one, other)));
        let (sliced_over_tree, net_over_tree) = (over(2, 0), over(1, 0));
        Report { version: env!("CARGO_PKG_VERSION"), seconds, games, sliced_over_tree, net_over_tree }
    }

    fn to_text(&self) -> String {
        let mut header = vec!["a second of a move".to_owned()];
        header.extend(ENGINES.map(|engine| format!("{} simulations", engine.name())));
        header.extend(["sliced playouts".to_owned(), "sliced/tree".to_owned()]);
        let mut text = format!("{}\n", table(&header, self.games.iter().map(GameResult::row)));
        let _ = writeln!(
            text,
            "geometric means of playouts: sliced is {} times tree, net {} times tree",
            factor(self.sliced_over_tree),
            factor(self.net_over_tree)
        );
        for game in &self.games {
            for (engine, outcome) in ENGINES.iter().zip(&game.engines) {
                if let Outcome::Failed { error } = outcome {
                    let _ = writeln!(text, "{}: {} did not search: {error}", game.game, engine.name());
                }
            }
        }
        text
    }
}

impl GameResult {
    fn ratio(&self, one: usize, other: usize) -> Option<f64> {
        let rate = |engine: usize| self.engines.get(engine)?.searched().map(|it| it.playouts_per_second);
        // What is proved at once has no rate.
        let (one, other) = (rate(one)?, rate(other)?);
        (one > 0.0 && other > 0.0).then(|| one / other)
    }

    fn row(&self) -> Vec<String> {
        let figure =
            |value: Option<f64>| value.map_or_else(nothing, |value| output::thousands(value.round() as u64));
        let mut row = vec![self.game.clone()];
        let searched = || self.engines.iter().map(Outcome::searched);
        row.extend(searched().map(|it| figure(it.map(|it| it.simulations_per_second))));
        row.push(figure(searched().next_back().flatten().map(|it| it.playouts_per_second)));
        row.push(self.ratio(2, 0).map_or_else(nothing, factor));
        row
    }
}
