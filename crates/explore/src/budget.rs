//! What an exploration may spend, why it stopped before it was through, and what it tells on its way.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What an exploration may spend. It stops at the end of a round, so it may spend a little more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most states.
    pub states: Option<u64>,
    /// The most time for the search.
    pub time: Option<Duration>,
    /// The most bytes that states take in memory, of all workers of this process together.
    pub memory: Option<usize>,
}

/// Why an exploration stopped before it was through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The states were spent.
    States(u64),
    /// The time was spent, in milliseconds.
    Time(u64),
    /// The memory was spent.
    Memory(usize),
    /// Somebody asked for it.
    Cancelled,
    /// The engine had no answer.
    Engine(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::States(states) => write!(f, "the limit of {states} states was reached"),
            Stop::Time(milliseconds) => {
                write!(f, "the limit of {} s was reached", *milliseconds as f64 / 1000.0)
            }
            Stop::Memory(bytes) => write!(f, "the limit of {} MB was reached", bytes >> 20),
            Stop::Cancelled => f.write_str("it was stopped"),
            Stop::Engine(why) => f.write_str(why),
        }
    }
}

/// How far an exploration is.
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

/// The parts of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Finding the states.
    #[default]
    Search,
    /// Looking for a cycle.
    Cycles,
    /// Finding what can be forced, backwards.
    Values,
    /// Finding lines of moves.
    Lines,
}

/// Whoever wants to know. Asked by the first worker only.
pub trait Observer: Sync {
    /// How far it is.
    fn progress(&self, progress: &Progress);

    /// Whether to stop.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Nobody wants to know.
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: &Progress) {}
}
