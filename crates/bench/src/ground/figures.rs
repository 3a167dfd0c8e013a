//! The measurements of one game: for each method its figures, or why there are none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What one game came to.
#[derive(Serialize)]
pub(super) struct GameResult {
    /// The game's name.
    pub(super) game: String,
    /// What each method came to, gringo and the switches among them.
    pub(super) methods: BTreeMap<&'static str, Outcome>,
}

impl GameResult {
    /// The figures of a method, if it grounded the game.
    pub(super) fn figures(&self, method: &str) -> Option<&Figures> {
        match self.methods.get(method)? {
            Outcome::Grounded(figures) => Some(figures),
            Outcome::Failed { .. } => None,
        }
    }

    /// Why a method did not ground the game.
    pub(super) fn error(&self, method: &str) -> Option<&str> {
        match self.methods.get(method)? {
            Outcome::Grounded(_) => None,
            Outcome::Failed { error } => Some(error),
        }
    }
}

/// What a method came to on a game.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outcome {
    /// It grounded the game.
    Grounded(Figures),
    /// It did not.
    Failed {
        /// The first line of the error.
        error: String,
    },
}

/// The figures of a method on a game: medians of its runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Figures {
    /// How large the ground game is.
    #[serde(flatten)]
    pub(super) size: Size,
    /// The time that counts: ours, of reading, checking and grounding; gringo's, of its whole processor time.
    pub(super) seconds: f64,
    /// Processor time of the whole process.
    pub(super) cpu_seconds: f64,
    /// From the start of the process to its end.
    pub(super) wall_seconds: f64,
    /// The most memory the process held at a time, by its own account where it gives one, else by the system's.
    pub(super) peak_bytes: u64,
    /// The same by the system's account.
    pub(super) resident_bytes: u64,
    /// The time that counts in each run, in the order of the runs.
    pub(super) runs: Vec<f64>,
}

impl Figures {
    /// Bytes of memory for each ground rule.
    pub(super) fn bytes_per_rule(&self) -> f64 {
        self.peak_bytes as f64 / self.size.rules.max(1) as f64
    }
}

/// How large a ground game is. gringo tells only its rules, facts among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Size {
    /// Ground rules.
    pub(super) rules: u64,
    /// Literals in their bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) literals: Option<u64>,
    /// Fluents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) base: Option<u64>,
    /// Moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<u64>,
    /// Derived atoms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) derived: Option<u64>,
    /// Rules without a body among the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) facts: Option<u64>,
}
