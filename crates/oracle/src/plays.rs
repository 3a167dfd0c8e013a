//! Plays the oracle by text, so that recorded matches can be replayed on it.

use groundrules_gdl::trace::Plays;

use crate::error::OracleError;
use crate::oracle::{Oracle, State};

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
