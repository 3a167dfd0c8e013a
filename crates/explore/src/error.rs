//! What can go wrong in an exploration, other than that a budget ends it.

use std::io;
use std::path::PathBuf;

use groundrules_gdl::time::Cancelled;
use groundrules_machine::MachineError;
use groundrules_machine::engines::EngineError;

/// Another worker is gone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker {worker} is lost")]
pub struct Lost {
    /// Which one.
    pub worker: usize,
}

/// Why an exploration failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The cancel flag of the compiled game was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// There is no engine for the game.
    #[error("the game cannot be set up: {0}")]
    Engine(EngineError),
    /// The engine has no answer.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Another worker is gone.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A worker panicked.
    #[error("worker {worker} panicked: {message}")]
    Panicked {
        /// Which one.
        worker: usize,
        /// What it said.
        message: String,
    },
    /// Another process is gone.
    #[error("process {process} at {address} is lost")]
    LostProcess {
        /// Which one.
        process: usize,
        /// Where it was.
        address: String,
    },
    /// Another process cannot be reached, or does not belong to the run.
    #[error("process {process} at {address}: {why}")]
    Unreachable {
        /// Which one.
        process: usize,
        /// Where it should be.
        address: String,
        /// Why.
        why: String,
    },
    /// A process that does not belong to the run called.
    #[error("a process that called from {caller} is refused: {why}")]
    Refused {
        /// Where it called from.
        caller: String,
        /// Why.
        why: String,
    },
    /// There are more states than one worker can number.
    #[error("one worker holds at most three thousand million states: use more workers")]
    TooManyStates,
    /// A file cannot be read or written.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// A checkpoint is damaged or does not match.
    #[error("the checkpoint in {} cannot be used: {why}", .path.display())]
    Checkpoint {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Checkpoints and fingerprints need states of a fixed width.
    #[error("states of this engine have no fixed width, so they cannot be saved")]
    NoFixedWidth,
    /// The run has fewer processes.
    #[error("there is no process {process}: the run has {processes}")]
    NoSuchProcess {
        /// Which one was asked for.
        process: usize,
        /// How many there are.
        processes: usize,
    },
    /// What another worker shared cannot be read: it is not the same program.
    #[error("what worker {worker} sent cannot be read: {why}")]
    Unreadable {
        /// Which one.
        worker: usize,
        /// Why.
        why: String,
    },
}

impl From<EngineError> for ExploreError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Cancelled(cancelled) => cancelled.into(),
            error => ExploreError::Engine(error),
        }
    }
}
