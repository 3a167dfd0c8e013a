//! A machine behind the questions of a match, for the tests.

use groundrules_machine::{Machine, MachineError, State};
use groundrules_oracle::Plays;

/// A machine behind the questions of a match. It goes to a state only when it is not there already, so that what one
/// question proved is there for the next, as in a match.
pub(crate) struct Player<M> {
    /// The machine.
    pub(crate) machine: M,
    here: State,
}

impl<M: Machine> Player<M> {
    /// Asks a machine.
    pub(crate) fn new(machine: M) -> Self {
        let mut here = State::default();
        machine.save(&mut here);
        Player { machine, here }
    }

    fn go(&mut self, state: &State) {
        if self.here != *state {
            self.machine.enter(state);
            self.here.clone_from(state);
        }
    }
}

impl<M: Machine> Plays for Player<M> {
    type State = State;
    type Error = MachineError;

    fn roles(&mut self) -> Result<Vec<String>, MachineError> {
        Ok(self.machine.roles().to_vec())
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        self.machine.reset();
        self.machine.save(&mut self.here);
        Ok(self.here.clone())
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, MachineError> {
        self.go(state);
        Ok(self.machine.fluents())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        self.go(state);
        self.machine.is_terminal()
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        self.go(state);
        let roles = 0..self.machine.roles().len();
        roles
            .map(|role| {
                let moves = self.machine.legal(role)?.to_vec();
                Ok(moves.into_iter().map(|made| self.machine.move_text(made)).collect())
            })
            .collect()
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        self.go(state);
        let roles = 0..self.machine.roles().len();
        roles.map(|role| Ok(self.machine.goals(role)?.iter().map(i32::to_string).collect())).collect()
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, MachineError> {
        self.go(state);
        let found = joint.iter().enumerate().map(|(role, text)| {
            self.machine.find_move(role, text).unwrap_or_else(|| panic!("{text} is no move"))
        });
        let joint: Vec<_> = found.collect();
        self.machine.advance(&joint)?;
        self.machine.save(&mut self.here);
        Ok(self.here.clone())
    }
}
