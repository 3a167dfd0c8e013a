//! `groundrules bench WHAT`: how fast the program is, on this machine, in this run. Figures are given beside a
//! yardstick measured in the same run, because machines differ and are shared.

mod ground;
mod read;

use std::process::ExitCode;

use anyhow::Result;

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

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Read(arguments) => read::run(arguments),
        What::Ground(arguments) => ground::run(arguments),
    }
}
