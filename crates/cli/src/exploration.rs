//! What all commands share that explore a game: limits, threads, the engine, and the line of progress.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_explore::{Budget, Checkpoints, ExploreError, GameId, Observer, Options, Progress, Stage};
use groundrules_gdl::Game;
use groundrules_machine::Compiled;
use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::{Choice, set_up};
use crate::output::thousands;
use crate::processes::Processes;

/// How far an exploration may go, and on what.
#[derive(clap::Args)]
pub(crate) struct Exploration {
    #[command(flatten)]
    pub(crate) engine: Choice,
    /// How many threads explore; 0 means all processors.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Stop at about this many states.
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Stop the search after about this many seconds of processor time; without it, search to the end.
    #[arg(long, alias = "max-seconds", value_name = "SECONDS")]
    seconds: Option<f64>,
    /// The most memory for states, in megabytes; without it, half of the memory that is available.
    #[arg(long, alias = "max-memory", value_name = "MB")]
    memory: Option<usize>,
    #[command(flatten)]
    pub(crate) processes: Processes,
}

impl Exploration {
    /// How many threads.
    pub(crate) fn threads(&self) -> Result<NonZeroUsize> {
        // More threads than any computer has would only take its memory.
        if self.threads > 4096 {
            bail!("--threads {} is too many", self.threads);
        }
        Ok(NonZeroUsize::new(self.threads).unwrap_or_else(|| self.processes.default_threads()))
    }

    /// Explores on all threads of all processes, and draws the progress meanwhile. `text` is the description.
    pub(crate) fn run<T, E: Into<anyhow::Error>>(
        &self,
        text: &[u8],
        compiled: &Compiled,
        saving: Option<&Saving>,
        explore: impl FnOnce(&Options) -> Result<T, E>,
    ) -> Result<T> {
        let (threads, budget, game) = (self.threads()?, self.budget()?, game_id(text, compiled));
        let checkpoints = saving.map(|saving| saving.checkpoints(game, compiled)).transpose()?.flatten();
        let bar = Arc::new(Bar::new());
        let observer: Arc<dyn Observer> = Arc::clone(&bar) as _;
        let fingerprint = saving.is_some_and(|saving| saving.fingerprint);
        let spill = saving.map(Saving::spill_folder);
        let found = self.processes.run(threads, game, |cluster| {
            explore(&Options {
                threads,
                budget,
                fingerprint,
                spill,
                checkpoints,
                cluster,
                symmetry: None,
                observer,
            })
        });
        bar.clear();
        match saving {
            Some(saving) => found.map_err(|error| saving.advise(error)),
            None => found,
        }
    }

    /// What may be spent.
    pub(crate) fn budget(&self) -> Result<Budget> {
        let time = match self.seconds.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(time)) if !time.is_zero() => Some(time),
            Some(_) => bail!("--seconds must be greater than 0"),
        };
        let memory = memory(self.memory);
        let computers = self.processes.computers()?;
        let memory = memory.map(|bytes| bytes.saturating_mul(computers));
        Ok(Budget { states: self.max_states, time, memory })
    }

    /// Compiles the game and builds the engine.
    pub(crate) fn compile(&self, game: Game) -> Result<Compiled> {
        let compiled = self.engine.compile(game)?;
        set_up(|| compiled.batch())?;
        Ok(compiled)
    }
}

/// Where states are kept, and what outlives the run.
#[derive(clap::Args)]
pub(crate) struct Saving {
    /// Keep 64 bits of each state in memory: less memory, and a small probability of error, which is reported.
    #[arg(long)]
    pub(crate) fingerprint: bool,
    /// Write checkpoints into this folder.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint in that folder.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Seconds between checkpoints.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    checkpoint_every: f64,
    /// Where to keep states that do not fit in memory; by default the system's folder for temporary files.
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
}

impl Saving {
    /// Checks that the options go together; gives where checkpoints are written, if they are.
    fn checkpoints(&self, game: GameId, compiled: &Compiled) -> Result<Option<Checkpoints>> {
        let width = compiled.batch().context("the game cannot be set up")?.row_width();
        if width.is_none() && (self.checkpoint.is_some() || self.fingerprint) {
            let engine = compiled.decision().engine.name();
            bail!("the engine {engine} packs states in a way that cannot be saved");
        }
        let every = Duration::try_from_secs_f64(self.checkpoint_every)
            .context("--checkpoint-every is not a number of seconds")?;
        let Some(folder) = &self.checkpoint else { return Ok(None) };
        if folder.is_file() {
            bail!("{} is a file, and should be a folder", folder.display());
        }
        match (Checkpoints::exist(folder), self.resume) {
            (true, false) => {
                bail!("{} has a checkpoint: go on with --resume, or take another folder", folder.display())
            }
            (false, true) => bail!("there is no checkpoint in {}", folder.display()),
            _ => {}
        }
        Ok(Some(Checkpoints { folder: folder.clone(), game, every, resume: self.resume }))
    }

    fn spill_folder(&self) -> PathBuf {
        self.spill.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Says how to go on when another process was lost.
    fn advise(&self, error: anyhow::Error) -> anyhow::Error {
        match (&self.checkpoint, error.downcast_ref()) {
            (Some(folder), Some(ExploreError::LostProcess { .. } | ExploreError::Lost(_))) => {
                let folder = folder.display();
                anyhow::anyhow!("{error}; the last checkpoint in {folder} is whole: go on with --resume")
            }
            _ => error,
        }
    }
}

/// A game as the engine that was chosen packs its states.
pub(crate) fn game_id(text: &[u8], compiled: &Compiled) -> GameId {
    GameId::new(text, compiled.decision().engine.name())
}

/// What `--memory` allows, in bytes: what was given in megabytes, otherwise half of what is available.
pub(crate) fn memory(given: Option<usize>) -> Option<usize> {
    match given {
        Some(megabytes) => Some(megabytes.saturating_mul(1 << 20)),
        None => groundrules::available_memory().map(|bytes| bytes / 2),
    }
}

/// Draws how far an exploration is.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
    /// When it was drawn last.
    drawn: Mutex<Option<Instant>>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
            bar.set_style(style);
        }
        Bar { bar, start: Instant::now(), drawn: Mutex::new(None) }
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn progress(&self, progress: &Progress) {
        let Ok(mut drawn) = self.drawn.lock() else { return };
        if drawn.is_some_and(|drawn| drawn.elapsed() < Duration::from_millis(100)) {
            return;
        }
        *drawn = Some(Instant::now());
        let Progress { depth, frontier, states, bytes, .. } = *progress;
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_message(match progress.stage {
            Stage::Search => format!(
                "depth {depth}: {} to go, {} states, {} states/s, {} MB",
                thousands(frontier),
                thousands(states),
                thousands((states as f64 / seconds) as u64),
                thousands((bytes >> 20) as u64)
            ),
            Stage::Cycles => format!("searching for a cycle, depth {depth}"),
            Stage::Values => format!("computing values: depth {depth}, {} states", thousands(frontier)),
            Stage::Lines => format!("reconstructing lines of moves: depth {depth}"),
            Stage::Minimax => format!(
                "alpha-beta search: depth {depth}, {} states expanded, {} states/s",
                thousands(states),
                thousands((states as f64 / seconds) as u64)
            ),
        });
        self.bar.tick();
    }
}
