//! `groundrules bench lanes`: what lanes gain, game by game. The engine `sliced` beside `net`, beside figures of other programs that were
//! measured elsewhere, and beside what the processor could do at most. Every measurement is a process of its own within limits; processor
//! time counts, on one core.

mod peers;
mod plot;
mod report;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules::Source;
use groundrules_command::output;
use groundrules_machine::engines::Engine;
use groundrules_machine::engines::sliced::{Path, peak};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::journal::{Entry, Journal};
use super::run::measure::{Bench, Outcome, Played};
use peers::Peers;
use report::Report;

/// Measure what lanes gain, game by game, compared with other programs and with the processor.
///
/// The table begins with the games in which lanes gain least.
#[derive(clap::Args)]
#[command(after_help = "\
A file of figures has a line for each figure, GAME,PROGRAM,UNIT,FIGURE, where UNIT is states or playouts \
and FIGURE is how many of them per second of processor time. Lines that begin with # are skipped.

The processor's limit is measured, too: gates per second whose operands are in registers, times the lanes \
of a vector.

Examples:
  groundrules bench lanes                              the whole library
  groundrules bench lanes games/ --peers figures.csv --avx2
  groundrules bench lanes games/ --journal run.jsonl   continues after a kill
  groundrules bench lanes games/ --markdown --plots plots > table.md")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How many seconds each engine plays a game.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    seconds: f64,
    /// Abandon a run that takes this many seconds more than it should.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    timeout: f64,
    /// Abandon a run at about this many megabytes.
    #[arg(long, alias = "max-memory", default_value_t = 6000, value_name = "MB")]
    memory: u64,
    /// Figures of other programs.
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
    /// Also measure without AVX-512.
    #[arg(long)]
    avx2: bool,
    /// Write every game that is done into this file, and go on from what it has.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write JSON: everything that was measured.
    #[arg(long)]
    json: bool,
    /// Write the table as Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Draw a plot as an SVG file into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

/// What was measured of a game.
#[derive(Clone, Serialize, Deserialize)]
struct Measured {
    game: String,
    net: Outcome,
    sliced: Outcome,
    /// Without AVX-512, if that was asked for.
    narrow: Option<Outcome>,
}

impl Entry for Measured {
    fn game(&self) -> &str {
        &self.game
    }
}

impl Measured {
    fn of(bench: &Bench, name: &str, source: &Source, avx2: bool) -> Measured {
        let sliced = |without: &[&str]| bench.play(source, Engine::Sliced, without, 1);
        Measured {
            game: name.to_owned(),
            net: bench.play(source, Engine::Net, &[], 1),
            sliced: sliced(&[]),
            narrow: avx2.then(|| sliced(&["avx512"])),
        }
    }

    /// How many times as many states `sliced` plays as `net`.
    fn gain(&self) -> Option<f64> {
        let speed = |outcome: &Outcome| outcome.played().map(Played::states_per_second);
        Some(speed(&self.sliced)? / speed(&self.net)?.max(1e-9))
    }
}

/// What the processor can do at most with vectors of some width.
#[derive(Clone, Copy, Serialize)]
struct Limit {
    lanes: usize,
    gates_per_second: f64,
}

impl Limit {
    /// The limits of this processor, the widest vectors first.
    fn all(time: Duration) -> Vec<Limit> {
        let paths = [(Path::Code512, 512), (Path::Code256, 256)];
        let limit = |(path, lanes)| Some(Limit { lanes, gates_per_second: peak(path, time)? });
        paths.into_iter().filter_map(limit).collect()
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let games = super::games(&arguments.files)?;
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let time = |name, seconds| match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => bail!("--{name} {seconds} is not a positive number of seconds"),
    };
    let (seconds, timeout) = (time("seconds", arguments.seconds)?, time("timeout", arguments.timeout)?);
    let peers = arguments.peers.as_deref().map_or_else(|| Ok(Peers::default()), Peers::read)?;
    let bench = Bench::new(seconds, timeout, arguments.memory)?;
    let counts = |measured: &Measured| measured.narrow.is_some() || !arguments.avx2;
    let mut journal = Journal::open(arguments.journal.as_deref(), counts)?;
    let limits = Limit::all(Duration::from_millis(200));
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::with_capacity(games.len());
    for (name, source) in &games {
        progress.inc(1);
        progress.set_message(name.clone());
        let measured = match journal.take(name) {
            Some(done) => done,
            None => {
                let measured = Measured::of(&bench, name, source, arguments.avx2);
                journal.add(&measured)?;
                measured
            }
        };
        results.push(measured);
    }
    progress.finish_and_clear();
    let report = Report::new(arguments.seconds, limits, peers, results);
    if let (Some(folder), Some(chart)) = (&arguments.plots, plot::chart(&report)) {
        output::write_file(&folder.join("lanes-by-gates.svg"), chart.draw()?.as_bytes())?;
    }
    output::print(&if arguments.json {
        format!("{}\n", serde_json::to_string(&report)?)
    } else {
        report.to_text(arguments.markdown)
    })?;
    Ok(ExitCode::SUCCESS)
}
