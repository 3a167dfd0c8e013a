//! What can go wrong between this program and gringo.

use std::io;

use groundrules_gdl::time::Cancelled;

/// Why gringo did not ground a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GringoError {
    /// The program is not there.
    #[error("gringo was not found as `{path}`; it comes with Debian's package `gringo` (apt install gringo)")]
    Absent {
        /// Where it was looked for.
        path: String,
    },
    /// The system did not start it, or did not let us talk to it.
    #[error("gringo cannot be used: {0}")]
    System(#[from] io::Error),
    /// It gave up.
    #[error("gringo failed ({status}): {stderr}")]
    Failed {
        /// How it ended.
        status: String,
        /// What it said.
        stderr: String,
    },
    /// Its answer is not understood.
    #[error("gringo's answer is not understood in line {line}: {what}")]
    Syntax {
        /// The line of the answer.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// Its answer ends too early.
    #[error("gringo's answer is cut off")]
    Cut,
    /// A limit was met.
    #[error("the limit of {limit} {what} was met")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// Somebody cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// What holds at first, or who plays, depends on its own negation.
    #[error("{atom} depends on its own negation")]
    Undecided {
        /// The atom, as gringo writes it.
        atom: String,
    },
}
