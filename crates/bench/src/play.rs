//! `groundrules bench play`: simulations and playouts per second of the player `mcts`, by engine. Every engine searches the
//! same states: the first states of the match in which everybody makes the first legal move.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use groundrules_command::game;
use groundrules_command::output;
use groundrules_gdl::time::process_time;
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_search::players::Mcts;
use groundrules_search::{Player, SearchError, Seat, Settings, Turn};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::statistics::geometric_mean;
use super::tables::{factor, no_figure, table};

/// Measure how many simulations per second the player `mcts` manages with every engine.
#[derive(clap::Args)]
#[command(after_help = "\
A simulation is one descent of the search tree and the evaluation of the state that it reaches; with lanes \
there are several playouts per simulation. Seconds are seconds of processor time. One thread searches, with \
a new tree in every state. The ratio is that of playouts, sliced over tree. The gain by all processors is \
the ratio of playouts by the clock, with one thread per processor over one thread.

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

/// What is measured if nothing is named: two players, several, at the same time, with chance. One player alone mostly does
/// other things than simulations.
const SOME: [&str; 7] =
    ["breakthrough", "connect-four", "dice-race", "pecking-order", "reversi", "tic-tac-toe", "tron"];

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
    /// How many processors there are, and the geometric mean of what they are worth.
    processors: usize,
    all_over_one: f64,
}

#[derive(Serialize)]
struct GameResult {
    game: String,
    engines: Vec<Outcome>,
    /// Sliced playouts with all processors over those with one.
    all_over_one: Option<f64>,
}

#[derive(Clone, Copy, Serialize)]
struct Searched {
    simulations_per_second: f64,
    playouts_per_second: f64,
    /// By the clock on the wall.
    playouts_per_wall_second: f64,
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
        _ => bail!("--seconds {} is not a positive number of seconds", arguments.seconds),
    };
    let some: Vec<PathBuf> = SOME.iter().map(PathBuf::from).collect();
    let games = super::games(if arguments.files.is_empty() { &some } else { &arguments.files })?;
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::new();
    let (one, all) = (NonZeroUsize::MIN, thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    for (name, source) in &games {
        progress.inc(1);
        let Some(loaded) = game::load(source)? else { return Ok(ExitCode::from(1)) };
        let compiled = Compiled::new(loaded.game);
        let engines = ENGINES.map(|engine| {
            progress.set_message(format!("{name}, {}", engine.name()));
            match measure(&compiled, engine, time, arguments.moves, one) {
                Ok(searched) => Outcome::Searched(searched),
                Err(error) => Outcome::Failed { error: error.to_string() },
            }
        });
        progress.set_message(format!("{name}, all processors"));
        let alone = engines.last().and_then(Outcome::searched).filter(|_| all > one);
        let together =
            alone.and_then(|_| measure(&compiled, Engine::Sliced, time, arguments.moves, all).ok());
        let all_over_one = alone.zip(together).and_then(|(alone, together)| {
            over(together.playouts_per_wall_second, alone.playouts_per_wall_second)
        });
        results.push(GameResult { game: name.clone(), engines: engines.into(), all_over_one });
    }
    progress.finish_and_clear();
    let report = Report::new(arguments.seconds, all.get(), results);
    let text =
        if arguments.json { format!("{}\n", serde_json::to_string(&report)?) } else { report.to_text() };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Searches the first states of a match.
fn measure(
    game: &Compiled,
    engine: Engine,
    time: Duration,
    moves: usize,
    threads: NonZeroUsize,
) -> Result<Searched, SearchError> {
    let mut seat = Seat::with_engine(game, 0, engine)?;
    let (mut simulations, mut playouts, mut seconds, mut wall) = (0, 0, 0.0, 0.0);
    for _ in 0..moves.max(1) {
        if seat.is_terminal()? {
            break;
        }
        let mut player = Mcts::new(&Settings { threads, ..Settings::default() });
        let (began, cpu) = (Instant::now(), process_time());
        player.choose(&mut seat, &Turn::of(time))?;
        // Where the system tells, what counts is the processor's time: the machine may be busy with other things.
        let used = process_time().zip(cpu).map(|(now, before)| now.saturating_sub(before));
        seconds += used.unwrap_or_else(|| began.elapsed()).as_secs_f64();
        wall += began.elapsed().as_secs_f64();
        let effort = player.effort();
        (simulations, playouts) = (simulations + effort.0, playouts + effort.1);
        let mut joint = Vec::new();
        for role in 0..seat.roles().len() {
            joint.extend(seat.legal_of(role)?.first().copied());
        }
        seat.advance(&joint)?;
    }
    let rate = |count: u64, seconds: f64| count as f64 / seconds.max(1e-9);
    Ok(Searched {
        simulations_per_second: rate(simulations, seconds),
        playouts_per_second: rate(playouts, seconds),
        playouts_per_wall_second: rate(playouts, wall),
    })
}

/// The ratio of two rates. What is proved at once has no rate.
fn over(one: f64, other: f64) -> Option<f64> {
    (one > 0.0 && other > 0.0).then(|| one / other)
}

impl Report {
    fn new(seconds: f64, processors: usize, games: Vec<GameResult>) -> Report {
        let over =
            |one: usize, other: usize| geometric_mean(games.iter().filter_map(|game| game.ratio(one, other)));
        let (sliced_over_tree, net_over_tree) = (over(2, 0), over(1, 0));
        let all_over_one = geometric_mean(games.iter().filter_map(|game| game.all_over_one));
        let version = env!("CARGO_PKG_VERSION");
        Report { version, seconds, games, sliced_over_tree, net_over_tree, processors, all_over_one }
    }

    fn to_text(&self) -> String {
        let mut header = vec!["a second of a move".to_owned()];
        header.extend(ENGINES.map(|engine| format!("{} simulations", engine.name())));
        header.extend(["sliced playouts".to_owned(), "sliced/tree".to_owned()]);
        header.push(format!("{} threads/one", self.processors));
        let mut text = format!("{}\n", table(&header, self.games.iter().map(GameResult::row)));
        let _ = writeln!(
            text,
            "geometric means of playouts: sliced is {} times tree, net {} times tree, {} threads {} times one",
            factor(self.sliced_over_tree),
            factor(self.net_over_tree),
            self.processors,
            factor(self.all_over_one)
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
        over(rate(one)?, rate(other)?)
    }

    fn row(&self) -> Vec<String> {
        let figure = |value: Option<f64>| {
            value.map_or_else(no_figure, |value| output::thousands(value.round() as u64))
        };
        let mut row = vec![self.game.clone()];
        let searched = || self.engines.iter().map(Outcome::searched);
        row.extend(searched().map(|it| figure(it.map(|it| it.simulations_per_second))));
        row.push(figure(searched().next_back().flatten().map(|it| it.playouts_per_second)));
        row.push(self.ratio(2, 0).map_or_else(no_figure, factor));
        row.push(self.all_over_one.map_or_else(no_figure, factor));
        row
    }
}
