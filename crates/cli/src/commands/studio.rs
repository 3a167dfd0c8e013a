//! `groundrules studio`: serves the page of the studio on this computer, with native engines behind it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use groundrules_page::{Options, Server};

use crate::output;
use crate::service::{Log, interrupted, runtime};

/// Open the studio: a page in which games are written, played, searched and inspected.
///
/// The page is part of this program and needs no network. It is served to this computer only, at an address with a token that nobody
/// else knows; engines run here, and not in the browser.
#[derive(clap::Args)]
#[command(after_help = "\
The same page works on any static web server; then the engines run in the browser. Ctrl-C or SIGTERM ends \
the program.

Examples:
  groundrules studio --open                    in the browser of this computer
  groundrules studio --port 8080
  groundrules studio --matches cup             watch the matches in the folder `cup`")]
pub(crate) struct Arguments {
    /// The port; 0 takes any free port.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// The address to listen on; only this computer reaches the default.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Show the match files of this folder, and of the folders in it, as they grow.
    #[arg(long, value_name = "FOLDER")]
    matches: Option<PathBuf>,
    #[command(flatten)]
    log: Log,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.log.begin();
    if let Some(folder) = &arguments.matches {
        anyhow::ensure!(folder.is_dir(), "{} is not a folder", folder.display());
    }
    let runtime = runtime()?;
    runtime.block_on(async {
        let address = SocketAddr::new(arguments.address, arguments.port);
        let options = Options { address, matches: arguments.matches.clone() };
        let server = Server::bind(options).await.with_context(|| format!("cannot listen on {address}"))?;
        let url = server.url();
        let ended = interrupted();
        output::print(&format!("the studio is at {url}\n"))?;
        if arguments.open && !open(&url) {
            tracing::warn!("no browser can be started: open the address yourself");
        }
        server.run(ended).await.context("serving the studio")
    })?;
    // Whoever computes does not hold the end up.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// Starts the browser; says whether that worked.
fn open(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
