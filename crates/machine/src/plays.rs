//! A machine behind the questions of a match in words, so that recorded matches can be replayed on it.

use groundrules_gdl::trace::Plays;

use crate::machine::{Machine, MachineError, Move, State};

/// A machine that plays recorded matches; see [`groundrules_gdl::trace::replay`].
pub struct InWords<'m> {
    machine: &'m mut dyn Machine,
    /// Where the machine stands, saved; so it is told to go somewhere else only when it has to.
    place: Option<State>,
}

/// Why a machine has no answer to a question in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InWordsError {
    /// The machine has no answer.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A text that is no move.
    #[error("`{text}` is no move of {role} in this game")]
    NoMove {
        /// The role.
        role: String,
        /// The text.
        text: String,
    },
}

impl<'m> InWords<'m> {
    /// Puts a machine behind questions in words. Where it stands does not matter.
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

    fn find_move(&mut self, role: usize, text: &str) -> Result<Move, InWordsError> {
        self.machine.find_move(role, text).ok_or_else(|| InWordsError::NoMove {
            role: self.machine.roles().get(role).cloned().unwrap_or_default(),
            text: text.to_owned(),
        })
    }
}

impl Plays for InWords<'_> {
    type State = State;
    type Error = InWordsError;

    fn roles(&mut self) -> Result<Vec<String>, InWordsError> {
        Ok(self.machine.roles().to_vec())
    }

    fn initial_state(&mut self) -> Result<State, InWordsError> {
        self.machine.reset();
        Ok(self.saved())
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, InWordsError> {
        self.go_to(state);
        Ok(self.machine.fluents())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, InWordsError> {
        self.go_to(state);
        Ok(self.machine.is_terminal()?)
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, InWordsError> {
        self.go_to(state);
        let mut all = Vec::new();
        for role in 0..self.machine.roles().len() {
            let moves = self.machine.legal(role)?.to_vec();
            all.push(moves.into_iter().map(|made| self.machine.move_text(made)).collect());
        }
        Ok(all)
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, InWordsError> {
        self.go_to(state);
        let roles = 0..self.machine.roles().len();
        roles.map(|role| Ok(self.machine.goals(role)?.iter().map(i32::to_string).collect())).collect()
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, InWordsError> {
        self.go_to(state);
        let moves = joint.iter().enumerate().map(|(role, text)| self.find_move(role, text));
        let moves = moves.collect::<Result<Vec<Move>, _>>()?;
        self.machine.advance(&moves)?;
        Ok(self.saved())
    }
}
