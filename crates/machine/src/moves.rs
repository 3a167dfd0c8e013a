//! Moves given as text. Every front end that reads a move (a terminal, a match record, a message of the protocol) asks
//! here which move it is and whether it is legal.

use crate::machine::{Machine, MachineError, Move};

/// Why a text is not a move that can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The role has no such move.
    #[error("`{text}` is not a move of {role}")]
    NoSuchMove {
        /// The role.
        role: String,
        /// The text.
        text: String,
    },
}

impl dyn Machine + '_ {
    /// The move of a role with this text in KIF, in any letter case. It need not be legal here.
    pub fn move_of(&mut self, role: usize, text: &str) -> Result<Move, MoveError> {
        self.find_move(role, text).ok_or_else(|| MoveError::NoSuchMove {
            role: self.roles().get(role).cloned().unwrap_or_default(),
            text: text.to_owned(),
        })
    }

    /// The joint move with these texts, one per role in their order. The moves need not be legal here.
    pub fn joint_of<T: AsRef<str>>(&mut self, texts: &[T]) -> Result<Vec<Move>, MoveError> {
        let roles = self.roles().len();
        if texts.len() != roles {
            return Err(MachineError::WrongJointMove { roles, given: texts.len() }.into());
        }
        texts.iter().enumerate().map(|(role, text)| self.move_of(role, text.as_ref())).collect()
    }

    /// The legal move of a role with this text; `None` if there is none.
    pub fn find_legal(&mut self, role: usize, text: &str) -> Result<Option<Move>, MachineError> {
        let Some(found) = self.find_move(role, text) else { return Ok(None) };
        Ok(self.legal(role)?.contains(&found).then_some(found))
    }
}
