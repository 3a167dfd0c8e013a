//! What the commands that speak the protocol share: the runtime, the log on standard error, the signals that end them, and
//! players by name or address.

use anyhow::{Context, Result, anyhow};
use groundrules_host::manager::{Player, Who};
use groundrules_search::Settings;
use tokio::runtime::{Builder, Runtime};
use tracing::level_filters::LevelFilter;

use crate::player::{Named, threads};

/// How much is told on standard error.
#[derive(clap::Args)]
pub(crate) struct Log {
    /// Print only the result.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Log every message.
    #[arg(long, conflicts_with = "quiet")]
    verbose: bool,
}

impl Log {
    /// Begins to write the log.
    pub(crate) fn begin(&self) {
        self.begin_at(LevelFilter::INFO);
    }

    /// Begins to write the log, at this level unless a flag says another.
    pub(crate) fn begin_at(&self, usual: LevelFilter) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => LevelFilter::OFF,
            (false, true) => LevelFilter::DEBUG,
            (false, false) => usual,
        };
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        // Only tests begin it twice.
        let _ = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(std::io::stderr)
            .with_ansi(is_terminal)
            .with_target(false)
            .try_init();
    }
}

/// The runtime of connections and clocks. Players think in threads of their own.
pub(crate) fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().worker_threads(4).enable_all().build().context("cannot start the runtime")
}

/// Waits for a signal that ends the program. Signals count from the call on, even before the future is polled. Must be
/// called inside the runtime.
pub(crate) fn interrupted() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let terminate = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate())
    };
    async move {
        #[cfg(unix)]
        if let Ok(mut terminate) = terminate {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// How players of this program think in matches by the protocol, where the clocks are the match's.
#[derive(clap::Args)]
pub(crate) struct Thinking {
    /// How many threads each player of this program thinks with; 0 means all processors.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Run this many simulations per move, however much time there is.
    #[arg(long, value_name = "N")]
    simulations: Option<u64>,
    /// The seed of random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Thinking {
    /// The settings of a player.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let (threads, simulations, seed) = (threads(self.threads)?, self.simulations, self.seed);
        Ok(Settings { threads, simulations, seed, ..Settings::default() })
    }
}

/// The player that a word stands for: an address with `http://`, or a player of this program.
pub(crate) fn player(name: &str, word: &str, settings: &Settings) -> Result<Player> {
    let who = match word.starts_with("http://") {
        true => Who::Remote(word.parse().map_err(|error: String| anyhow!(error))?),
        false => {
            let named: Named = word.parse().map_err(|error: String| {
                anyhow!("{error}; give a remote player by its address, http://HOST:PORT")
            })?;
            Who::Local(named.choice(settings))
        }
    };
    Ok(Player { name: name.to_owned(), word: word.to_owned(), who })
}
