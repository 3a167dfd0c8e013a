//! `groundrules bench WHAT`: how fast the program is, on this machine, in this run. Figures are given beside a
//! yardstick measured in the same run, because machines differ and are shared.

mod ground;
mod read;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::library;
use crate::source::{Source, resolve};

/// Measure how fast this program is.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules bench read                       on the games of the library
  groundrules bench read games/ --json
  groundrules bench ground --runs 5            every method beside the real gringo
  groundrules bench ground games/ --plots out/ with figures")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Reading and checking, beside a plain pass over the bytes
    Read(read::Arguments),
    /// Grounding by every method, beside the real gringo
    Ground(ground::Arguments),
}

/// The games to measure: those that are given, or the whole library.
fn sources(files: &[PathBuf]) -> Result<Vec<Source>> {
    if files.is_empty() {
        return Ok(library::games().map(|game| Source::Library(game.id)).collect());
    }
    let resolved = resolve(files);
    match resolved.faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(resolved.sources),
    }
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Read(arguments) => read::run(arguments),
        What::Ground(arguments) => ground::run(arguments),
    }
}
