//! Bounds on a grounding. Descriptions come from strangers, and a few lines can stand for more instances than there is
//! memory in the world.

use std::time::{Duration, Instant};

/// The limits within which a game is grounded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most ground rules.
    pub rules: usize,
    /// The most atoms, static ones included.
    pub atoms: usize,
    /// The most rows that joins may try. Unlike seconds, this gives the same answer on every machine.
    pub tries: u64,
    /// The most bytes of memory, about.
    pub bytes: usize,
    /// How deep terms may nest before they count as growing without end.
    pub depth: u32,
    /// When to stop, and how long that was allowed to take.
    deadline: Option<(Instant, Duration)>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rules: 50_000_000,
            atoms: 50_000_000,
            tries: u64::MAX,
            bytes: 4 << 30,
            depth: 500,
            deadline: None,
        }
    }
}

impl Limits {
    /// Stop after so much time from now.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time).map(|end| (end, time));
        self
    }

    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|(end, _)| Instant::now() >= end)
    }

    pub(crate) fn seconds(&self) -> u64 {
        self.deadline.map_or(0, |(_, time)| time.as_secs())
    }
}
