//! `groundrules bench WHAT`: how fast the program is, on this machine, in this run. Figures are given beside a
//! yardstick measured in the same run, because machines differ and are shared.

mod read;

use std::process::ExitCode;

use anyhow::Result;

/// Measure how fast this program is.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  groundrules bench read             on the games of the library\n  groundrules bench read games/ --json"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Reading and checking, beside a plain pass over the bytes
    Read(read::Arguments),
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Read(arguments) => read::run(arguments),
    }
}
