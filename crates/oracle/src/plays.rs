//! The questions of a match in words, so that one replay judges every engine, whatever its states are made
//! of.

use std::fmt;

use crate::error::OracleError;
use crate::oracle::{Oracle, State};

/// Something that plays a game by its rules. Terms are given and taken as KIF; the order of fluents, moves
/// and goal values, and letter case, do not matter. What is listed for each role is in the order of the
/// roles.
pub trait Plays {
    /// A state.
    type State: Clone;
    /// Why there is no answer.
    type Error: fmt::Display;

    /// The roles, in the order in which joint moves are given.
    fn roles(&mut self) -> Result<Vec<String>, Self::Error>;

    /// The first state.
    fn initial_state(&mut self) -> Result<Self::State, Self::Error>;

    /// The fluents that hold in a state.
    fn fluents(&mut self, state: &Self::State) -> Result<Vec<String>, Self::Error>;

    /// Whether the match is over.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, Self::Error>;

    /// The legal moves of each role; asked of states that are not terminal.
    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<String>>, Self::Error>;

    /// The goal values of each role; asked of terminal states.
    fn goals(&mut self, state: &Self::State) -> Result<Vec<Vec<String>>, Self::Error>;

    /// The state after a joint move.
    fn next_state(&mut self, state: &Self::State, joint: &[String]) -> Result<Self::State, Self::Error>;
}

impl Plays for Oracle {
    type State = State;
    type Error = OracleError;

    fn roles(&mut self) -> Result<Vec<String>, OracleError> {
        Oracle::roles(self).iter().map(|&role| self.kif(role)).collect()
    }

    fn initial_state(&mut self) -> Result<State, OracleError> {
        Ok(Oracle::initial_state(self))
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, OracleError> {
        state.fluents().iter().map(|&fluent| self.kif(fluent)).collect()
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, OracleError> {
        Oracle::is_terminal(self, state)
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, OracleError> {
        let moves = Oracle::legal(self, state)?;
        moves.iter().map(|moves| moves.iter().map(|&made| self.kif(made)).collect()).collect()
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, OracleError> {
        let goals = Oracle::goals(self, state)?;
        goals.iter().map(|values| values.iter().map(|&value| self.kif(value)).collect()).collect()
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, OracleError> {
        let joint = joint.iter().map(|made| self.term(made)).collect::<Result<Vec<_>, _>>()?;
        Oracle::next_state(self, state, &joint)
    }
}
