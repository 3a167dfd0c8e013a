//! Limits of grounding. A few lines of a description can have more instances than any memory holds.

use std::time::Duration;

use groundrules_gdl::time::Cancel;

/// Atoms and rules have four-byte numbers, and a literal twice the number of its atom; an atom of the description can
/// become two of the ground game. Whatever limits are set, no more than this is made.
const MOST_ATOMS: usize = 1 << 29;
const MOST_RULES: usize = 1 << 30;
/// The literals of the rules are numbered too, and take four bytes each.
const MOST_BYTES: u64 = 15 << 30;

/// What there is too much of in the error of a grounding that met its limit of time.
pub(crate) const SECONDS: &str = "seconds of processor time";

/// The limits within which a game is grounded. Some have a ceiling that no setting lifts: where four-byte numbers end.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximal number of ground rules, up to 2^30.
    pub rules: usize,
    /// The maximal number of atoms, static ones included, up to 2^29.
    pub atoms: usize,
    /// The maximal number of rows that joins may try. Unlike seconds, this gives the same answer on every machine.
    pub tries: u64,
    /// The approximate limit on memory, in bytes; up to 15 GiB.
    pub bytes: usize,
    /// How deep terms may nest before they count as growing without end.
    pub depth: u32,
    /// The most processor time of the thread that grounds, from when grounding begins. Passes over the finished rules may take
    /// longer.
    pub time: Option<Duration>,
    /// Cancels the grounding.
    pub cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rules: 50_000_000,
            atoms: 50_000_000,
            tries: u64::MAX,
            bytes: 4 << 30,
            depth: 500,
            time: None,
            cancel: Cancel::new(),
        }
    }
}

impl Limits {
    /// Stop after so much processor time.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Stop when the flag is set.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    pub(crate) fn most_rules(&self) -> usize {
        self.rules.min(MOST_RULES)
    }

    pub(crate) fn most_atoms(&self) -> usize {
        self.atoms.min(MOST_ATOMS)
    }

    pub(crate) fn most_bytes(&self) -> u64 {
        (self.bytes as u64).min(MOST_BYTES)
    }

    /// The limit of time, if so much time is more than it.
    pub(crate) fn exceeded(&self, elapsed: Duration) -> Option<Duration> {
        self.time.filter(|&time| elapsed >= time)
    }
}
