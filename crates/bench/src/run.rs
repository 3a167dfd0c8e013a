//! `groundrules bench run`: how fast every engine plays, on one core and on all, beside hand-written programs for two
//! games. Every measurement is a process of its own that plays complete random playouts. One core is measured by
//! processor time, all cores by wall time.

mod handwritten;
pub(crate) mod measure;
mod plots;
mod report;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules_command::output;
use indicatif::{ProgressBar, ProgressStyle};

use handwritten::Handwritten;
use measure::Bench;
use report::Report;

/// Measure how fast every engine plays, compared with hand-written programs.
#[derive(clap::Args)]
#[command(after_help = "\
The yardstick is playouts of tic-tac-toe and connect four (8 columns) on bitboards, written by hand for \
these games and measured on one core in the same run. Set-up is everything from the text to the first \
playout.

Examples:
  groundrules bench run                          the whole library
  groundrules bench run connect-four reversi --seconds 3
  groundrules bench run games/ --json --plots plots > bench.json")]
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
    let time = |name, seconds| match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => bail!("--{name} {seconds} is not a positive number of seconds"),
    };
    let seconds = time("seconds", arguments.seconds)?;
    let bench = Bench::new(seconds, time("timeout", arguments.timeout)?, arguments.memory)?;
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut hands = vec![Handwritten::measure(seconds)];
    let mut results = Vec::with_capacity(games.len());
    for (name, source) in &games {
        progress.inc(1);
        results
            .push(bench.measure(name, source, &|engine| progress.set_message(format!("{name}, {engine}"))));
    }
    progress.finish_and_clear();
    // Before and after: a machine that became busy meanwhile is seen by that.
    hands.push(Handwritten::measure(seconds));
    let report = Report::new(arguments.seconds, hands, results);
    if let Some(folder) = &arguments.plots {
        for (name, picture) in plots::draw(&report)? {
            output::write_file(&folder.join(name), picture.as_bytes())?;
        }
    }
    let text =
        if arguments.json { format!("{}\n", serde_json::to_string(&report)?) } else { report.to_text() };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
