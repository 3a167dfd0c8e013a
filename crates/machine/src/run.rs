//! Many playouts over several threads. The work is split into blocks, each with its own seed, which threads take in
//! turn. Tallies are whole numbers, so the same seed gives the same result with any number of threads. A run with a
//! time limit hands out blocks until the time is over.

mod started;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use groundrules_gdl::time::{Cancel, Cancelled, Instant};

use crate::machine::MachineError;
use crate::playout::{Playouts, Setting};
use crate::tally::Tally;

pub use started::{StartedRun, run_started};

/// What to play.
#[derive(Clone, Debug)]
pub struct Options {
    /// When to end.
    pub until: Until,
    /// The seed.
    pub seed: u64,
    /// How many threads play.
    pub threads: NonZeroUsize,
    /// The maximal number of joint moves of a playout.
    pub max_steps: u64,
    /// Cancels the run. Playouts under way are cut short, and nothing is counted.
    pub cancel: Cancel,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After a number of playouts.
    Playouts(u64),
    /// When the time is over. Playouts under way are then finished and counted, since dropping them would bias every mean towards
    /// short playouts. Only playouts that take as long again are cut short, and counted as such.
    Time(Duration),
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Playouts done.
    pub playouts: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The tally.
    pub tally: Tally,
    /// How long it took.
    pub elapsed: Duration,
    /// Performance counters of the engines of all threads. Unlike the tally, they may depend on the number of threads.
    pub counters: BTreeMap<&'static str, u64>,
}

impl Run {
    /// Adds a later run of the same game.
    fn join(&mut self, later: Run) {
        self.tally.join(&later.tally);
        self.elapsed += later.elapsed;
        for (name, count) in later.counters {
            *self.counters.entry(name).or_default() += count;
        }
    }
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A playout could not be played.
    #[error("playout {playout} could not be played: {cause}")]
    Playout {
        /// The playout, from 0, or the first of its block: of those that fail, the first.
        playout: u64,
        /// Why not.
        cause: MachineError,
    },
    /// Somebody cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How often the run is watched.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// A thread comes back for more work after about this time, so that the end is near for all at the same time.
const SHORT: Duration = Duration::from_millis(2);

/// Plays. `watch` is called from time to time. If it breaks, no further playouts begin, and those under way are finished.
pub fn run(
    playouts: &dyn Playouts,
    options: &Options,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Run, RunError> {
    let start = Instant::now();
    let shared = Shared::new(playouts, options);
    let stop = AtomicBool::new(false);
    let setting = Setting { seed: options.seed, max_steps: options.max_steps, stop: &stop };
    thread::scope(|scope| {
        let (done, all_done) = channel::<()>();
        for _ in 0..options.threads.get() {
            let (player, done, shared) = (playouts.fork(), done.clone(), &shared);
            scope.spawn(move || {
                shared.work(player, &setting);
                drop(done);
            });
        }
        drop(done);
        while let Err(RecvTimeoutError::Timeout) = all_done.recv_timeout(shared.pause(start)) {
            if shared.rest(start).is_zero() {
                shared.no_more.store(true, Ordering::Relaxed);
            }
            if options.cancel.is_cancelled() {
                shared.no_more.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
            if shared.is_late(start) {
                stop.store(true, Ordering::Relaxed);
            }
            let playouts = shared.done.load(Ordering::Relaxed);
            if watch(Progress { playouts, elapsed: start.elapsed() }).is_break() {
                shared.no_more.store(true, Ordering::Relaxed);
            }
        }
    });
    options.cancel.check()?;
    shared.into_result(start.elapsed())
}

/// What the threads share.
struct Shared {
    until: Until,
    block_size: u64,
    roles: usize,
    /// The next block.
    next: AtomicU64,
    /// Playouts done, for progress only.
    done: AtomicU64,
    /// Set when no more blocks are to be taken.
    no_more: AtomicBool,
    /// The first block that failed, or no block at all.
    failed: AtomicU64,
    result: Mutex<Gathered>,
}

/// The results of the threads.
#[derive(Default)]
struct Gathered {
    tally: Tally,
    failed: Option<(u64, MachineError)>,
    counters: BTreeMap<&'static str, u64>,
}

impl Shared {
    fn new(playouts: &dyn Playouts, options: &Options) -> Self {
        let roles = playouts.roles().len();
        Shared {
            until: options.until,
            block_size: playouts.block_size().max(1),
            roles,
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            no_more: AtomicBool::new(false),
            failed: AtomicU64::new(u64::MAX),
            result: Mutex::new(Gathered { tally: Tally::new(roles), ..Gathered::default() }),
        }
    }

    /// The work of one thread.
    fn work(&self, mut player: Box<dyn Playouts>, setting: &Setting<'_>) {
        let mut tally = Tally::new(self.roles);
        let mut blocks = 1;
        while !self.no_more.load(Ordering::Relaxed) {
            let began = Instant::now();
            let first = self.next.fetch_add(blocks, Ordering::Relaxed);
            let before = tally.playouts;
            let more =
                self.play_blocks(first..first.saturating_add(blocks), &mut *player, setting, &mut tally);
            self.done.fetch_add(tally.playouts - before, Ordering::Relaxed);
            if !more {
                break;
            }
            // Asking for work costs little, but playouts can cost less.
            blocks = if began.elapsed() < SHORT { (blocks * 2).min(1 << 16) } else { (blocks / 2).max(1) };
        }
        self.add(&tally, &*player);
    }

    /// Plays some blocks; says whether there may be more.
    fn play_blocks(
        &self,
        blocks: Range<u64>,
        player: &mut dyn Playouts,
        setting: &Setting<'_>,
        tally: &mut Tally,
    ) -> bool {
        for block in blocks {
            let count = self.count_of(block);
            if count == 0 || block > self.failed.load(Ordering::Relaxed) || setting.is_stopped() {
                return false;
            }
            if let Err(error) = player.play(block, count, setting, tally) {
                self.fail(block, error);
                return false;
            }
        }
        true
    }

    /// How many playouts of a block are to be played.
    fn count_of(&self, block: u64) -> u64 {
        match self.until {
            Until::Time(_) => self.block_size,
            Until::Playouts(playouts) => {
                playouts.saturating_sub(block.saturating_mul(self.block_size)).min(self.block_size)
            }
        }
    }

    fn add(&self, tally: &Tally, player: &dyn Playouts) {
        let mut gathered = self.gathered();
        gathered.tally.join(tally);
        for (name, count) in player.counters() {
            *gathered.counters.entry(name).or_default() += count;
        }
    }

    /// Remembers the first block that failed. Blocks before it are still played, so that it is the same one whatever
    /// the number of threads.
    fn fail(&self, block: u64, error: MachineError) {
        self.failed.fetch_min(block, Ordering::Relaxed);
        let mut gathered = self.gathered();
        if gathered.failed.as_ref().is_none_or(|(known, _)| block < *known) {
            gathered.failed = Some((block, error));
        }
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        // A thread that panicked has not been adding: what is behind the lock is whole.
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long to wait for the threads before their time is looked at again.
    fn pause(&self, start: Instant) -> Duration {
        match self.rest(start) {
            Duration::ZERO => SHORT,
            rest => rest.min(WATCH_EVERY),
        }
    }

    /// How much time is left.
    fn rest(&self, start: Instant) -> Duration {
        match self.until {
            Until::Playouts(_) => Duration::MAX,
            Until::Time(time) => time.saturating_sub(start.elapsed()),
        }
    }

    fn is_late(&self, start: Instant) -> bool {
        match self.until {
            Until::Playouts(_) => false,
            Until::Time(time) => start.elapsed() > time.saturating_mul(2),
        }
    }

    fn into_result(self, elapsed: Duration) -> Result<Run, RunError> {
        let Gathered { tally, failed, counters } =
            self.result.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some((block, cause)) => {
                Err(RunError::Playout { playout: block.saturating_mul(self.block_size), cause })
            }
            None => Ok(Run { tally, elapsed, counters }),
        }
    }
}
