//! The engine `net` behind the questions of a match in words, for the tests.

use groundrules_gdl::{Game, Options, read};
use groundrules_ground::{GroundError, Limits, Options as GroundOptions, ground};
use groundrules_machine::engines::net::NetMachine;
use groundrules_machine::{Machine, MachineError, Move, State};
use groundrules_oracle::Plays;

/// A machine that is asked in words.
pub(crate) struct Asked(pub(crate) Box<dyn Machine>);

impl Asked {
    fn at(&mut self, state: &State) -> &mut dyn Machine {
        self.0.enter(state);
        &mut *self.0
    }
}

impl Plays for Asked {
    type State = State;
    type Error = MachineError;

    fn roles(&mut self) -> Result<Vec<String>, MachineError> {
        Ok(self.0.roles().to_vec())
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        self.0.reset();
        let mut state = State::default();
        self.0.save(&mut state);
        Ok(state)
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, MachineError> {
        Ok(self.at(state).fluents())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        self.at(state).is_terminal()
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        let machine = self.at(state);
        let mut lists = Vec::new();
        for role in 0..machine.roles().len() {
            let moves = machine.legal(role)?.to_vec();
            lists.push(moves.into_iter().map(|made| machine.move_text(made)).collect());
        }
        Ok(lists)
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        let machine = self.at(state);
        let roles = machine.roles().len();
        (0..roles).map(|role| Ok(machine.goals(role)?.iter().map(i32::to_string).collect())).collect()
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, MachineError> {
        let machine = self.at(state);
        // What cannot be a move at all is no move.
        let nothing = Move(u32::MAX);
        let joint: Vec<Move> = joint
            .iter()
            .enumerate()
            .map(|(role, text)| machine.find_move(role, text).unwrap_or(nothing))
            .collect();
        machine.advance(&joint)?;
        let mut next = State::default();
        machine.save(&mut next);
        Ok(next)
    }
}

/// A checked game.
pub(crate) fn game(text: &[u8]) -> Result<Game, String> {
    let checked = read(text, &Options::default());
    checked.game.ok_or_else(|| checked.reason.unwrap_or_default())
}

/// The machine of a game that grounds within limits.
pub(crate) fn machine(game: &Game, limits: Limits) -> Result<NetMachine, GroundError> {
    let ground = ground(game, &GroundOptions { limits, ..GroundOptions::default() })?;
    Ok(NetMachine::new(ground).expect("a game that was checked is stratified"))
}
