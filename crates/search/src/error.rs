//! What can go wrong while a match is played.

use groundrules_machine::engines::EngineError;
use groundrules_machine::{MachineError, MoveError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// No engine can play the game.
    #[error("the game cannot be set up: {0}")]
    Engine(#[from] EngineError),
    /// There is no such role.
    #[error("the game has {roles} roles: there is no role number {role}")]
    NoSuchRole {
        /// The number that was given.
        role: usize,
        /// How many there are.
        roles: usize,
    },
    /// The role cannot move.
    #[error("{role} has no legal move here")]
    NoLegalMove {
        /// The role.
        role: String,
    },
    /// A text is no move of the role.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The player has left the match.
    #[error("the player has left the match")]
    Quit,
    /// The match is over: nobody moves.
    #[error("the match is over")]
    MatchOver,
}
