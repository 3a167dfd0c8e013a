//! `groundrules completions SHELL`: a script that lets a shell complete this program's commands and options.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::output;

/// Write a completion script for a shell to standard output.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules completions bash > ~/.local/share/bash-completion/completions/groundrules
  groundrules completions zsh > ~/.zfunc/_groundrules        with ~/.zfunc in fpath
  groundrules completions fish > ~/.config/fish/completions/groundrules.fish")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut command = crate::Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "groundrules", &mut script);
    output::print_bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}
