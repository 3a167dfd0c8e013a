//! Plays a machine by text, so that recorded matches can be replayed on it.

use groundrules_gdl::trace::Plays;

use crate::machine::{Machine, State};
use crate::moves::MoveError;

/// A machine that plays recorded matches; see [`groundrules_gdl::trace::replay`].
pub struct InWords<'m> {
    machine: &'m mut dyn Machine,
    /// The current state of the machine, saved, so that it is only moved when it has to be.
    place: Option<State>,
}

impl<'m> InWords<'m> {
    /// Adapts a machine, which may be in any state.
    pub fn new(machine: &'m mut dyn Machine) -> Self {
        InWords { machine, place: None }
    }

    fn go_to(&mut self, state: &State) {
        if self.place.as_ref() != Some(state) {
            self.machine.enter(state);
            self.place = Some(state.clone());
        }
    }

    fn saved(&mut self) -> State {
        let mut state = State::default();
        self.machine.save(&mut state);
        self.place = Some(state.clone());
        state
    }
}

impl Plays for InWords<'_> {
    type State = State;
    type Error = MoveError;

    fn roles(&mut self) -> Result<Vec<String>, MoveError> {
        Ok(self.machine.roles().to_vec())
    }

    fn initial_state(&mut self) -> Result<State, MoveError> {
        self.machine.reset();
        Ok(self.saved())
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, MoveError> {
        self.go_to(state);
        Ok(self.machine.fluents())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MoveError> {
        self.go_to(state);
        Ok(self.machine.is_terminal()?)
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MoveError> {
        self.go_to(state);
        let mut all = Vec::new();
        for role in 0..self.machine.roles().len() {
            let moves = self.machine.legal(role)?.to_vec();
            all.push(moves.into_iter().map(|made| self.machine.move_text(made)).collect());
        }
        Ok(all)
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, MoveError> {
        self.go_to(state);
        let roles = 0..self.machine.roles().len();
        roles.map(|role| Ok(self.machine.goals(role)?.iter().map(i32::to_string).collect())).collect()
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, MoveError> {
        self.go_to(state);
        let moves = self.machine.joint_of(joint)?;
        self.machine.advance(&moves)?;
        Ok(self.saved())
    }
}
