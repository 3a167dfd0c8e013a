//! `groundrules run GAME`: random playouts, their speed and their results.

mod played;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_gdl::time::Cancel;
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_machine::run::{Options, Run, StartedRun, Until};

use crate::engine::{Choice, set_up};
use crate::game::{self, Loaded};
use crate::output;
use crate::player::threads;
use played::{Played, play};
use report::Report;

/// Play a game at random: complete playouts, in which every role chooses among its legal moves with equal chances.
///
/// Prints how long the game takes to set up (reading, checking, preparing the engine), how many playouts and states per
/// second there are, how long playouts are, how many joint moves a state has to choose from, and what each role gets.
/// States are those reached by a joint move. The same seed and number of playouts give the same result whatever the
/// number of threads.
#[derive(clap::Args)]
#[command(after_help = "\
With --seconds, the engine auto interprets the rules until the network is built; with --playouts, the engine \
that it chooses plays all of them. The states counted are those reached by a joint move. The branching \
factor is the mean number of joint moves per state; the engine sliced estimates it from 64 playouts. The \
same seed and number of playouts give the same result on the same engine, for any number of threads; \
--engine pins the one that auto would choose.

Examples:
  groundrules run connect-four                            for five seconds
  groundrules run connect-four --playouts 10000 --seed 7  the same every time
  groundrules run mygame.kif --seconds 60 --threads 1     on one processor
  groundrules run reversi --playouts 100 --json           one JSON object")]
pub(crate) struct Arguments {
    /// A file, a name of the library, or - for standard input.
    game: PathBuf,
    #[command(flatten)]
    engine: Choice,
    /// Play this many playouts.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    playouts: Option<u64>,
    /// Play for this many seconds; playouts that are under way then are finished.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    seconds: f64,
    /// The seed of the random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How many threads play; 0 means all processors.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// End a playout after this many joint moves and count it as unfinished.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_steps: u64,
    /// Write a JSON object.
    #[arg(long)]
    json: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let options = options(arguments)?;
    let source = game::source(&arguments.game)?;
    let start = Instant::now();
    let Some(Loaded { name, game, .. }) = game::load(&source)? else { return Ok(ExitCode::from(1)) };
    game::warn_of_hidden_information(&game, "playouts choose among all legal moves, which needs none");
    let compiled = arguments.engine.compile(game)?;
    let started = match (arguments.engine.engine, options.until) {
        (Engine::Auto, Until::Time(_)) => {
            compiled.start(Compiled::playouts, ()).context("the game cannot be set up")?
        }
        _ => set_up(|| compiled.ready(Compiled::playouts))?,
    };
    let setup = start.elapsed();
    let Played { roles, cpu, circuit, result } = play(started, &options);
    let StartedRun { decision, interpreted, run: Run { tally, elapsed, counters } } = match result {
        Ok(run) => run,
        Err(error) => {
            anstream::eprintln!("{name}: {error}");
            return Ok(ExitCode::from(1));
        }
    };
    let report = Report {
        game: name,
        engine: decision.engine.name(),
        why: decision.why,
        roles,
        setup,
        meanwhile: interpreted.map(|(playouts, ready)| (playouts, setup + ready)),
        elapsed,
        cpu,
        circuit,
        options,
        tally,
        counters,
    };
    output::print(&if arguments.json { format!("{}\n", report.to_json()) } else { report.to_text() })?;
    Ok(ExitCode::SUCCESS)
}

fn options(arguments: &Arguments) -> Result<Options> {
    let until = match arguments.playouts {
        Some(playouts) => Until::Playouts(playouts),
        None => match Duration::try_from_secs_f64(arguments.seconds) {
            Ok(time) if !time.is_zero() => Until::Time(time),
            _ => bail!("--seconds {} is too short: it must be greater than 0", arguments.seconds),
        },
    };
    let (threads, cancel) = (threads(arguments.threads)?, Cancel::new());
    Ok(Options { until, seed: arguments.seed, threads, max_steps: arguments.max_steps, cancel })
}
