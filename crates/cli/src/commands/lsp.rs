//! `groundrules lsp`: the language server, for editors.

use std::process::ExitCode;

use anyhow::{Context, Result};

/// Serve editors: diagnostics with fixes, completion, hover, navigation, rename, layout, hints.
///
/// Speaks the Language Server Protocol over standard input and output; editors start it themselves. docs/editors.md has
/// the settings for VS Code, Neovim, Helix, Emacs and Kate.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  groundrules lsp                 the way editors start it
  groundrules lsp --tcp 9257      wait for one client at a port of this computer")]
pub(crate) struct Arguments {
    /// Wait for one client at this port of this computer instead; 0 takes any free port.
    #[arg(long, value_name = "PORT")]
    tcp: Option<u16>,
    /// Accepted for clients that always say how they connect; it is what happens anyway.
    #[arg(long, conflicts_with = "tcp", hide = true)]
    stdio: bool,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match arguments.tcp {
        Some(port) => {
            let ready = |address| anstream::eprintln!("groundrules: waiting for a client at {address}");
            groundrules_lsp::serve_tcp(port, ready).with_context(|| format!("serving at port {port}"))?;
        }
        None => groundrules_lsp::serve_stdio()?,
    }
    Ok(ExitCode::SUCCESS)
}
