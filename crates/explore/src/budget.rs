//! What an exploration may spend, why it stopped before it was complete, and how it reports progress.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What an exploration may spend. It stops at the end of a round, so it may spend a little more.
///
/// An exploration is also stopped by its [observer](Observer::is_cancelled), with what is known by then, and cancelled by the flag of the
/// [`Compiled`](groundrules_machine::Compiled) game, with an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// The maximal number of states.
    pub states: Option<u64>,
    /// The most processor time for the search, of each worker. The passes after it may take as long again.
    pub time: Option<Duration>,
    /// The maximal number of bytes of states in memory, over all workers of this process.
    pub memory: Option<usize>,
}

/// Why an exploration stopped before it was complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// It found that many states.
    States(u64),
    /// It took that long.
    Time(Duration),
    /// States took that many bytes of memory.
    Memory(usize),
    /// The observer cancelled it.
    Cancelled,
    /// The engine could not answer.
    Engine(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::States(states) => write!(f, "the limit of {states} states was reached"),
            Stop::Time(time) => {
                write!(f, "the limit of {} s of processor time was reached", time.as_secs_f64())
            }
            Stop::Memory(bytes) => write!(f, "the limit of {} MB was reached", bytes >> 20),
            Stop::Cancelled => f.write_str("it was cancelled"),
            Stop::Engine(why) => f.write_str(why),
        }
    }
}

/// The progress of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// The depth of the states that are being expanded.
    pub depth: usize,
    /// States of this depth that are not yet expanded.
    pub frontier: u64,
    /// All states found.
    pub states: u64,
    /// Joint moves made.
    pub edges: u64,
    /// Bytes of memory that states take.
    pub bytes: usize,
}

/// The stages of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Finding the states.
    #[default]
    Search,
    /// Searching for a cycle.
    Cycles,
    /// Computing values backwards.
    Values,
    /// Reconstructing lines of moves.
    Lines,
    /// Alpha-beta search.
    Minimax,
}

/// Follows an exploration. Called by the first worker only.
pub trait Observer: Send + Sync {
    /// Called now and then with the progress so far.
    fn progress(&self, progress: &Progress);

    /// Whether the exploration is to stop.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: &Progress) {}
}
