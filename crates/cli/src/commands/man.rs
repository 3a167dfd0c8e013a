//! `groundrules man [DIR]`: the manual pages, made from what `--help` prints.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;

use crate::output;

/// Write the manual pages: one for the program and one per command.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules man | man -l -                   read the first page
  groundrules man ~/.local/share/man/man1      install them all")]
pub(crate) struct Arguments {
    /// The folder, created if necessary; without one, the program's page goes to standard output.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let command = crate::Arguments::command();
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        output::print_bytes(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
