//! `groundrules serve`: serves a player to hosts over the network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use groundrules_host::serve::{Options, Server};

use crate::cache;
use crate::output;
use crate::player::Named;
use crate::service::{Log, Thinking, interrupted, runtime};

/// Be a player that hosts can reach: waits on a port for the messages of the match protocol.
///
/// Several matches may be played at a time. Every answer leaves before its deadline, with a margin that adapts to how late
/// this computer is seen to be. Whatever strangers send, memory and connections are bounded, and matches go on.
#[derive(clap::Args)]
#[command(after_help = "\
When all places are taken, a host that asks for another match is told that the player is busy, unless a \
match has had no request since its clocks ran out: that match is abandoned. So is a match whose host has \
been silent for a long time. Moves are spelt as the host spelt them. Ctrl-C or SIGTERM ends the program.

Examples:
  groundrules serve                                  the player mcts, on the default port
  groundrules serve --player random --port 9148
  groundrules serve --allow 192.0.2.7 127.0.0.1      for these hosts only
  groundrules serve --threads 8 --matches 1 --memory 16000
  curl --data '(INFO)' http://localhost:9147/        who is there?")]
pub(crate) struct Arguments {
    /// The port; 0 takes any free port.
    #[arg(long, value_name = "PORT", default_value_t = 9147)]
    port: u16,
    /// The address to listen on; all addresses of this computer unless one is given.
    #[arg(long, value_name = "ADDRESS")]
    address: Option<IpAddr>,
    /// Serve these addresses only; others are refused. May be given several times.
    #[arg(long, value_name = "ADDRESS", num_args = 1..)]
    allow: Vec<IpAddr>,
    /// The player, with or without an engine.
    #[arg(long, value_name = "PLAYER[:ENGINE]", default_value = "mcts")]
    player: Named,
    /// The name that hosts see.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// How many matches may be played at a time.
    #[arg(long, value_name = "N", default_value_t = 4)]
    matches: usize,
    /// How many megabytes all the matches may use together.
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    memory: usize,
    /// The least time, in milliseconds, between an answer and its deadline; it grows when answers leave late.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    margin: u64,
    #[command(flatten)]
    thinking: Thinking,
    #[command(flatten)]
    log: Log,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.log.begin();
    let options = options(arguments)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let server = bind(arguments, &options).await?;
        let address = server.address().context("cannot determine the port")?;
        // Whoever reads the port may end the program at once.
        let ended = interrupted();
        output::print(&format!("{} listens on port {}\n", options.name, address.port()))?;
        server.run(ended).await;
        tracing::info!("the server ends");
        anyhow::Ok(())
    })?;
    // A player that thinks does not hold the end up.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

fn options(arguments: &Arguments) -> Result<Options> {
    let settings = arguments.thinking.settings()?;
    let usual = Options::new(arguments.player.choice(&settings));
    let name = arguments.name.as_deref().map_or(usual.name.clone(), one_word);
    Ok(Options {
        name,
        matches: arguments.matches.max(1),
        memory: arguments.memory.saturating_mul(1 << 20),
        margin: Duration::from_millis(arguments.margin),
        allow: arguments.allow.clone(),
        shelf: cache::shelf(),
        ..usual
    })
}

/// A name as hosts can read it.
fn one_word(name: &str) -> String {
    let word = |c: char| if c.is_whitespace() || c.is_control() || "();".contains(c) { '-' } else { c };
    let word: String = name.chars().map(word).collect();
    if word.is_empty() { "groundrules".to_owned() } else { word }
}

/// Takes the port on all addresses, old and new, or on the one that was given.
async fn bind(arguments: &Arguments, options: &Options) -> Result<Server> {
    let all: [IpAddr; 2] = [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()];
    let addresses = arguments.address.as_ref().map_or(&all[..], std::slice::from_ref);
    let mut last = None;
    for &address in addresses {
        match Server::bind(SocketAddr::new(address, arguments.port), options.clone()).await {
            Ok(server) => return Ok(server),
            Err(error) => last = Some(error),
        }
    }
    let error = last.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into());
    Err(error).with_context(|| format!("cannot listen on port {}", arguments.port))
}
