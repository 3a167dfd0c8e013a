//! `groundrules bench interpret`: how fast the rules are interpreted, beside SWI-Prolog on the same games, and what each
//! optimisation of the interpreter is worth. Every measurement is a process of its own; processor time counts.

mod figures;
mod games;
mod measure;
mod plots;
mod prolog;
mod report;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use groundrules_command::output;
use indicatif::{ProgressBar, ProgressStyle};

use measure::{Bench, NO_PROLOG};
use report::Report;

/// Measure how fast games are played by their rules alone, compared with SWI-Prolog.
///
/// Both play complete random playouts for the same processor time, one thread each, Prolog in a loop of its own on the
/// game translated the usual way: the state as facts, findall on legal and next. The mean goals and lengths of both are
/// compared: they must agree within their confidence.
#[derive(clap::Args)]
#[command(after_help = "\
If a folder has a manifest.json that marks the games of table III of the paper on the interpreter, only \
these are measured; with --all, every game in the folder is.

Examples:
  groundrules bench interpret                          the whole library
  groundrules bench interpret games/ --seconds 5       the games of the paper
  groundrules bench interpret reversi --switches       the effect of each optimisation
  groundrules bench interpret --json --plots plots > bench.json")]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Measure every game of a folder, whatever its manifest says.
    #[arg(long)]
    all: bool,
    /// How many seconds of processor time to play for.
    #[arg(long, default_value_t = 2.0, value_name = "SECONDS")]
    seconds: f64,
    /// How often to measure; the run in the middle counts.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Abandon a run that takes this many seconds more than it should.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    timeout: f64,
    /// Also measure with each optimisation left out in turn.
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
    let games = games::games(&arguments.files, arguments.all)?;
    // Made before anything is measured: a folder that cannot be written to should not cost an hour.
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let time = |name, seconds| match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => bail!("--{name} {seconds} is not a positive number of seconds"),
    };
    let bench = Bench::new(
        time("seconds", arguments.seconds)?,
        time("timeout", arguments.timeout)?,
        arguments.runs.into(),
        arguments.switches,
    )?;
    if bench.prolog.is_none() {
        anstream::eprintln!("{NO_PROLOG}");
    }
    let progress = ProgressBar::new(games.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("game {pos} of {len}: {msg} [{elapsed}]") {
        progress.set_style(style);
    }
    let mut results = Vec::with_capacity(games.len());
    for game in &games {
        progress.inc(1);
        results.push(bench.measure(game, &|what| progress.set_message(format!("{}, {what}", game.name))));
    }
    progress.finish_and_clear();
    let report = Report::new(bench.prolog.clone(), arguments.seconds, bench.without.clone(), results);
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
