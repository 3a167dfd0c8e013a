//! What all commands share that explore a game: limits, threads, the engine, and the line of progress.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_explore::checkpoint::Checkpoint;
use groundrules_explore::compact::Compact;
use groundrules_explore::hash::hash;
use groundrules_explore::link::Link;
use groundrules_explore::search::{Position, Worker};
use groundrules_explore::store::Store;
use groundrules_explore::{Budget, ExploreError, Observer, Progress, Stage};
use groundrules_gdl::Game;
use groundrules_machine::{Batch, Compiled, Move};
use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::{Choice, set_up};
use crate::output::thousands;
use crate::processes::Processes;

/// How far an exploration may go, and on what.
#[derive(clap::Args)]
pub(crate) struct Exploration {
    #[command(flatten)]
    pub(crate) engine: Choice,
    /// How many threads explore; 0 stands for all processors.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Stop at about so many states.
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Stop the search after about so many seconds.
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<f64>,
    /// The most memory for states, in megabytes; without it, half of what the system has left.
    #[arg(long, value_name = "MB")]
    max_memory: Option<usize>,
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

    /// Explores on all threads of all processes. `what` tells them apart from those that explore something else.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        game: &Compiled,
        what: &str,
        program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Send + Sync + 'static,
    ) -> Result<T> {
        let Exploration { max_states, max_seconds, max_memory, .. } = self;
        let batch = game.batch().context("the game cannot be set up")?;
        let all = format!("{what} {:?} {max_states:?} {max_seconds:?} {max_memory:?}", batch.row_width());
        self.processes.run(&*batch, self.threads()?, digest(all.as_bytes()), program)
    }

    /// What may be spent.
    pub(crate) fn budget(&self) -> Result<Budget> {
        let time = match self.max_seconds.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(time)) if !time.is_zero() => Some(time),
            Some(_) => bail!("--max-seconds is no time to search in"),
        };
        let memory = match self.max_memory {
            Some(megabytes) => Some(megabytes << 20),
            None => available_memory().map(|bytes| bytes / 2),
        };
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
    /// Keep 64 bits of each state in memory: less memory, and a small probability of error, which is told.
    #[arg(long)]
    pub(crate) fingerprint: bool,
    /// Write checkpoints into this folder.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint in that folder.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Seconds between checkpoints.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    checkpoint_every: f64,
    /// Where states go that memory has no room for; else the system's folder for temporary files.
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
}

impl Saving {
    /// Checks that it goes together.
    pub(crate) fn prepare(&self, text: &[u8], compiled: &Compiled) -> Result<Prepared> {
        let width = compiled.batch().context("the game cannot be set up")?.row_width();
        if width.is_none() && (self.checkpoint.is_some() || self.fingerprint) {
            let engine = compiled.decision().engine.name();
            bail!("the engine {engine} packs states in a way that cannot be saved");
        }
        let every =
            Duration::try_from_secs_f64(self.checkpoint_every).context("--checkpoint-every is no time")?;
        if let Some(folder) = &self.checkpoint {
            match (Checkpoint::exists(folder), self.resume) {
                (true, false) => {
                    bail!(
                        "{} has a checkpoint: go on with --resume, or take another folder",
                        folder.display()
                    )
                }
                (false, true) => bail!("there is no checkpoint in {}", folder.display()),
                _ => {}
            }
        }
        let game = format!("{} fingerprint {}", what(text, compiled), self.fingerprint);
        Ok(Prepared {
            width,
            game,
            every,
            folder: self.checkpoint.clone(),
            resume: self.resume,
            fingerprint: self.fingerprint,
            spill: self.spill.clone().unwrap_or_else(std::env::temp_dir),
        })
    }
}

impl Saving {
    /// Says how to go on when another process was lost.
    pub(crate) fn advise(&self, error: anyhow::Error) -> anyhow::Error {
        match (&self.checkpoint, error.downcast_ref()) {
            (Some(folder), Some(ExploreError::LostProcess { .. } | ExploreError::Lost(_))) => {
                let folder = folder.display();
                anyhow::anyhow!("{error}; the last checkpoint in {folder} is whole: go on with --resume")
            }
            _ => error,
        }
    }
}

/// A number for some bytes.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    hash(&bytes.chunks(8).map(word).collect::<Vec<u64>>())
}

/// A joint move as texts. No machine is built for it.
pub(crate) fn words(game: &Compiled, joint: &[Move]) -> Vec<String> {
    let text = |&made: &Move| game.move_text(made).expect("the game was explored on this engine");
    joint.iter().map(text).collect()
}

/// A game and the engine that plays it, in a few words.
pub(crate) fn what(text: &[u8], compiled: &Compiled) -> String {
    format!("{:016x} {}", digest(text), compiled.decision().engine.name())
}

/// Where states are kept, made ready for every worker.
pub(crate) struct Prepared {
    width: Option<usize>,
    /// What is explored, in a few words.
    pub(crate) game: String,
    every: Duration,
    folder: Option<PathBuf>,
    resume: bool,
    fingerprint: bool,
    spill: PathBuf,
}

impl Prepared {
    /// A worker with its states, and how far it is.
    pub(crate) fn worker<'l>(
        &self,
        batch: Box<dyn Batch>,
        link: &'l mut dyn Link,
        observer: &'l dyn Observer,
    ) -> Result<(Worker<'l>, Option<Position>, Option<Checkpoint>), ExploreError> {
        let mut store = if self.fingerprint {
            Store::Compact(Box::new(Compact::new(&self.spill, self.width)?))
        } else {
            Store::exact(self.width)
        };
        let mut checkpoint =
            self.folder.as_ref().map(|folder| Checkpoint::new(folder, &self.game, self.every));
        let resumed = match &mut checkpoint {
            Some(checkpoint) if self.resume => checkpoint.resume(link, &mut store)?,
            _ => None,
        };
        let mut worker = Worker::new(batch, store, link, observer);
        worker.spill_to(&self.spill);
        Ok((worker, resumed, checkpoint))
    }
}

/// How much memory the system could still give, where it tells.
fn available_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
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
            Stage::Cycles => format!("looking for a cycle, depth {depth}"),
            Stage::Values => format!("what can be forced: depth {depth}, {} states", thousands(frontier)),
            Stage::Lines => format!("lines of moves: depth {depth}"),
        });
        self.bar.tick();
    }
}
