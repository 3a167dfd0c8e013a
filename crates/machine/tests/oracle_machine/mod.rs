//! The oracle as a machine: slow, and right. What stands on machines is tested with it, whatever the engines do.

use std::sync::{Arc, Mutex};

use groundrules_gdl::{Game, Options, Roles, read};
use groundrules_machine::{Machine, MachineError, Move, State};
use groundrules_oracle::{Budget, Oracle, OracleError};

type Names = Arc<Mutex<Vec<String>>>;

/// The oracle in one state at a time. Names are numbered as they come, the same for all forks.
pub(crate) struct OracleMachine {
    oracle: Oracle,
    roles: Roles,
    state: groundrules_oracle::State,
    names: Names,
    legal: Vec<Move>,
    goals: Vec<i32>,
    /// How many steps one answer may take.
    steps: u64,
}

impl OracleMachine {
    /// A machine whose every answer may take so many steps.
    pub(crate) fn new(game: &Game, steps: u64) -> Self {
        let oracle = Oracle::new(game, Budget::steps(1_000_000)).expect("static relations");
        let roles = oracle.roles().iter().map(|&role| oracle.kif(role).expect("a name")).collect();
        let state = oracle.initial_state();
        let (names, legal, goals) = (Names::default(), Vec::new(), Vec::new());
        OracleMachine { oracle, roles, state, names, legal, goals, steps }
    }

    fn number(&self, name: String) -> u32 {
        let mut names = self.names.lock().unwrap();
        let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        u32::try_from(number).unwrap()
    }

    fn name(&self, number: u32) -> String {
        self.names.lock().unwrap()[number as usize].clone()
    }

    fn refilled(&mut self) -> &mut Oracle {
        self.oracle.refill(Budget::steps(self.steps));
        &mut self.oracle
    }
}

fn told(error: &OracleError) -> MachineError {
    MachineError::TooManySteps { relation: error.to_string(), steps: 0 }
}

impl Machine for OracleMachine {
    fn roles(&self) -> &Roles {
        &self.roles
    }

    fn reset(&mut self) {
        self.state = self.oracle.initial_state();
    }

    fn enter(&mut self, state: &State) {
        let fluents = state.words().iter().map(|&word| self.name(u32::try_from(word).unwrap()));
        let fluents: Vec<String> = fluents.collect();
        let fluents: Vec<_> = fluents.iter().map(|text| self.oracle.term(text).unwrap()).collect();
        self.state = self.oracle.state_of(&fluents);
    }

    fn save(&self, state: &mut State) {
        let mut words: Vec<u64> = self.fluents().into_iter().map(|text| self.number(text).into()).collect();
        words.sort_unstable();
        *state.words_mut() = words;
    }

    fn is_terminal(&mut self) -> Result<bool, MachineError> {
        let state = self.state.clone();
        self.refilled().is_terminal(&state).map_err(|error| told(&error))
    }

    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError> {
        let state = self.state.clone();
        let moves = self.refilled().legal(&state).map_err(|error| told(&error))?.swap_remove(role);
        self.legal = moves.iter().map(|&made| Move(self.number(self.oracle.kif(made).unwrap()))).collect();
        Ok(&self.legal)
    }

    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError> {
        let state = self.state.clone();
        let values = self.refilled().goals(&state).map_err(|error| told(&error))?.swap_remove(role);
        self.goals =
            values.iter().filter_map(|&value| self.oracle.kif(value).unwrap().parse().ok()).collect();
        self.goals.sort_unstable();
        Ok(&self.goals)
    }

    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let texts: Vec<String> = joint.iter().map(|&Move(made)| self.name(made)).collect();
        let joint: Vec<_> = texts.iter().map(|text| self.oracle.term(text).unwrap()).collect();
        let state = self.state.clone();
        self.state = self.refilled().next_state(&state, &joint).map_err(|error| told(&error))?;
        Ok(())
    }

    fn fluents(&self) -> Vec<String> {
        self.state.fluents().iter().map(|&fluent| self.oracle.kif(fluent).unwrap()).collect()
    }

    fn move_text(&self, made: Move) -> String {
        self.name(made.0)
    }

    fn find_move(&mut self, _role: usize, text: &str) -> Option<Move> {
        let term = self.oracle.term(text).ok()?;
        Some(Move(self.number(self.oracle.kif(term).ok()?)))
    }

    fn fork(&self) -> Box<dyn Machine> {
        Box::new(OracleMachine {
            oracle: self.oracle.clone(),
            roles: self.roles.clone(),
            state: self.state.clone(),
            names: self.names.clone(),
            legal: Vec::new(),
            goals: Vec::new(),
            steps: self.steps,
        })
    }
}

/// A game from its text.
pub(crate) fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &Options::default());
    checked.game.unwrap_or_else(|| panic!("{text}: {:?}", checked.reason))
}
