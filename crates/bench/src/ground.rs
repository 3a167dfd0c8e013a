//! `groundrules bench ground`: how long each grounding method takes on each game, beside gringo on the same games.
//! Every measurement is a process of its own: its peak memory can be measured, and a crash or a hang is an entry in the
//! table and does not end the benchmark.

mod figures;
mod measure;
mod plots;
mod report;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules::Source;
use groundrules_command::output;
use indicatif::{ProgressBar, ProgressStyle};

use figures::GameResult;
use measure::Bench;
use report::Report;

/// Measure grounding, method by method, compared with gringo.
///
/// Each game is read, checked and grounded by each method in a process of its own; gringo is given the same game as an
/// answer set program. Our time is the whole of reading, checking and grounding; gringo's is its whole processor time.
/// Medians of several runs, taken in turns, so that a busy machine is busy for all of them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules bench ground                               the whole library
  groundrules bench ground connect-four games/ --runs 5
  groundrules bench ground reversi --switches            the effect of each optimisation
  groundrules bench ground --json --plots plots > bench.json")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How often to measure, for the median; a run of more than 5 seconds is not repeated.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Abandon a run after this many seconds.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    timeout: f64,
    /// Abandon a run at about this many megabytes.
    #[arg(long, alias = "max-memory", default_value_t = 4_000, value_name = "MB")]
    memory: usize,
    /// Also measure with each optimisation turned off in turn.
    #[arg(long)]
    switches: bool,
    /// Write JSON: everything that was measured.
    #[arg(long)]
    json: bool,
    /// Draw plots as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let games = super::games(&arguments.files)?;
    // Made before anything is measured: a folder that cannot be written to should not cost an hour.
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let timeout = Duration::try_from_secs_f64(arguments.timeout).ok().filter(|timeout| !timeout.is_zero());
    let Some(timeout) = timeout else {
        bail!("--timeout {} is not a positive number of seconds", arguments.timeout)
    };
    let bench = Bench::new(arguments.runs.into(), timeout, arguments.memory, arguments.switches)?;
    if bench.gringo.is_none() {
        anstream::eprintln!("{}", measure::NO_GRINGO);
    }
    let report = Report::new(&bench, arguments.timeout, measure_all(&bench, &games));
    if let Some(folder) = &arguments.plots {
        write_plots(folder, &report)?;
    }
    let text =
        if arguments.json { format!("{}\n", serde_json::to_string(&report)?) } else { report.to_text() };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn measure_all(bench: &Bench, games: &[(String, Source)]) -> Vec<GameResult> {
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::with_capacity(games.len());
    for (name, source) in games {
        progress.inc(1);
        progress.set_message(name.clone());
        results.push(GameResult { game: name.clone(), methods: bench.measure(source) });
    }
    progress.finish_and_clear();
    results
}

fn write_plots(folder: &Path, report: &Report) -> Result<()> {
    for (name, picture) in plots::draw(report)? {
        output::write_file(&folder.join(name), picture.as_bytes())?;
    }
    Ok(())
}
