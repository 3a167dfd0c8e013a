//! What can go wrong in an exploration, other than that a budget ends it.

use std::io;
use std::path::PathBuf;

use groundrules_machine::MachineError;

use crate::link::Lost;

/// Why an exploration cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The engine has no answer.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Another worker is gone.
    #[error(transparent)]
    Lost(#[from] Lost),
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
    /// One worker cannot number so many states.
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
    /// A checkpoint is not what it should be.
    #[error("the checkpoint in {} cannot be used: {why}", .path.display())]
    Checkpoint {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something that does not go together.
    #[error("{0}")]
    Unsupported(&'static str),
}
