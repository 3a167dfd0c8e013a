//! The engine `net`: the network of the game, updated incrementally as the machine moves from state to state.
//!
//! Propagation keeps the legal moves and terminality up to date and visits only what changed (`circuit`, over the
//! layout of `wiring`). The effects of a move are computed when it is made, and goals when they are queried
//! (`program`). Everything is split by whose turn it is and simplified for legal play (`tables`). After an illegal move
//! these assumptions do not hold; the network as the rules are written then answers (`odd`).
//!
//! A transition allocates no memory. A state has one bit per fluent.

mod activity;
mod backend;
mod board;
mod circuit;
mod odd;
mod program;
mod tables;
mod wiring;

use std::sync::Arc;

use groundrules_gdl::Roles;
use groundrules_gdl::time::Cancel;
use groundrules_ground::GroundGame;
use groundrules_net::{NetError, Network, simplify};

use crate::compiled::Compiled;
use crate::engines::EngineError;
use crate::machine::{Machine, MachineError, Move, State};
use crate::playout::Choices;
use crate::vocabulary::Vocabulary;
use board::Board;
use odd::Odd;
use program::value;

pub use backend::NetBackend;
pub(crate) use tables::{OPTIONS, Tables};

/// A machine that runs the network of a game.
pub struct NetMachine {
    tables: Arc<Tables>,
    board: Board,
    /// Whose turn it is; `None` if legal play does not lead here.
    turn: Option<usize>,
    /// The legal moves of each role, and whether the list is that of this state.
    legal: Vec<(bool, Vec<Move>)>,
    goals: Vec<i32>,
    /// What holds here if legal play does not lead here, once asked for.
    odd: Option<Odd>,
}

impl NetMachine {
    /// Builds the network of a ground game and stands in its initial state.
    pub fn new(game: GroundGame) -> Result<Self, NetError> {
        let (network, _) = simplify(&Network::of(&game)?, &OPTIONS);
        let names = Arc::new(Vocabulary::new(Arc::new(game)));
        Ok(Self::on(Arc::new(Tables::new(names, &network, &Cancel::new())?)))
    }

    /// Stands in the initial state of a compiled game.
    fn of(game: &Compiled) -> Result<Self, EngineError> {
        let names = game.vocabulary()?;
        let make = || Ok(Arc::new(Tables::new(names, &game.unshared_network()?, game.cancel())?));
        Ok(Self::on(game.net_tables(make)?))
    }

    fn on(tables: Arc<Tables>) -> Self {
        let most =
            |role: usize| tables.turns.iter().map(|turn| turn.legal[role].moves.len()).max().unwrap_or(0);
        let legal =
            (0..tables.names.roles().len()).map(|role| (false, Vec::with_capacity(most(role)))).collect();
        let board = Board::new(&tables);
        let mut machine = NetMachine { board, turn: None, legal, goals: Vec::new(), odd: None, tables };
        machine.reset();
        machine
    }

    /// Another machine in the same state.
    fn another(&self) -> Self {
        let mut other = Self::on(Arc::clone(&self.tables));
        other.go(|word| self.board.state[word]);
        other
    }

    /// How many gates are kept up to date.
    pub fn gates(&self) -> usize {
        self.tables.wiring.gates
    }

    /// Goes to a state that legal play need not lead to.
    fn go(&mut self, state: impl Fn(usize) -> u64) {
        self.board.go(&self.tables, state);
        let usual = self.board.is_usual(&self.tables);
        self.arrive(usual);
    }

    /// Forgets what was known of the last state. `usual` tells whether what never changes in legal play is as it always is.
    fn arrive(&mut self, usual: bool) {
        self.odd = None;
        self.legal.iter_mut().for_each(|(known, _)| *known = false);
        self.turn = if usual { self.board.whose_turn(&self.tables) } else { None };
    }
}

impl Machine for NetMachine {
    fn roles(&self) -> &Roles {
        self.tables.names.roles()
    }

    fn reset(&mut self) {
        let tables = Arc::clone(&self.tables);
        self.go(|word| tables.init[word]);
    }

    fn enter(&mut self, state: &State) {
        let words = self.board.state.len();
        assert!(
            state.words().len() == words,
            "a state of {} words in a game of {words}",
            state.words().len()
        );
        self.go(|word| state.words()[word]);
    }

    fn save(&self, state: &mut State) {
        state.words_mut().clear();
        state.words_mut().extend_from_slice(&self.board.state);
    }

    fn is_terminal(&mut self) -> Result<bool, MachineError> {
        Ok(match self.turn {
            Some(turn) => {
                let bit = self.tables.turns[turn].terminal;
                self.board.circuit.outputs[(bit >> 6) as usize] >> (bit & 63) & 1 == 1
            }
            None => self.odd().terminal,
        })
    }

    fn legal(&mut self, role: usize) -> Result<&[Move], MachineError> {
        let Some(turn) = self.turn else {
            return Ok(self.odd().legal.get(role).map_or(&[], Vec::as_slice));
        };
        let Some((known, list)) = self.legal.get_mut(role) else { return Ok(&[]) };
        if !std::mem::replace(known, true) {
            let own = &self.tables.turns[turn].legal[role];
            list.clear();
            let words = &self.board.circuit.outputs[own.start..];
            for (moves, &word) in own.moves.chunks(64).zip(words) {
                let mut left = word;
                while left != 0 {
                    list.push(moves[left.trailing_zeros() as usize]);
                    left &= left - 1;
                }
            }
        }
        Ok(list)
    }

    fn draw(&mut self, role: usize, choices: &mut Choices) -> Result<Option<(Move, usize)>, MachineError> {
        let (Some(turn), Some((false, _))) = (self.turn, self.legal.get(role)) else {
            let legal = self.legal(role)?;
            return Ok(choices.one_of(legal).map(|chosen| (chosen, legal.len())));
        };
        // Counting bits and finding one of them is less work than listing them all.
        let own = &self.tables.turns[turn].legal[role];
        let words = &self.board.circuit.outputs[own.start..own.start + own.moves.len().div_ceil(64)];
        let mut count = 0;
        for word in words {
            count += word.count_ones() as usize;
        }
        let mut place = choices.place_among(count);
        for (number, &word) in words.iter().enumerate() {
            let ones = word.count_ones() as usize;
            if place < ones {
                return Ok(Some((own.moves[number << 6 | nth_one(word, place)], count)));
            }
            place -= ones;
        }
        Ok(None)
    }

    fn goals(&mut self, role: usize) -> Result<&[i32], MachineError> {
        let Some(turn) = self.turn else {
            return Ok(self.odd().goals.get(role).map_or(&[], Vec::as_slice));
        };
        self.goals.clear();
        if let Some((program, goals)) = self.tables.turns[turn].goals.get(role) {
            self.tables.code.run(*program, &mut self.board.circuit.values);
            for &(goal, lit) in goals {
                if value(lit, &self.board.circuit.values) == 1 && self.goals.last() != Some(&goal) {
                    self.goals.push(goal);
                }
            }
        }
        Ok(&self.goals)
    }

    fn advance(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let roles = self.tables.names.roles().len();
        if joint.len() != roles {
            return Err(MachineError::WrongJointMove { roles, given: joint.len() });
        }
        match self.turn.map(|turn| &self.tables.turns[turn]) {
            Some(turn) if self.board.are_legal(turn, joint) => {
                self.board.advance(&self.tables, turn, joint);
                // Legal play never leads outside of what is usual.
                self.arrive(true);
            }
            _ => self.advance_oddly(joint),
        }
        Ok(())
    }

    fn row_width(&self) -> Option<usize> {
        Some(self.board.state.len())
    }

    fn fluents(&self) -> Vec<String> {
        self.tables.names.fluents_of(&self.board.state)
    }

    fn move_text(&self, made: Move) -> String {
        self.tables.names.move_text(made)
    }

    fn find_move(&mut self, role: usize, text: &str) -> Option<Move> {
        self.tables.names.find_move(role, text)
    }

    fn fork(&self) -> Box<dyn Machine> {
        Box::new(self.another())
    }
}

/// Where a word has its one number `place`, from 0.
fn nth_one(word: u64, place: usize) -> usize {
    let mut left = word;
    for _ in 0..place {
        left &= left - 1;
    }
    left.trailing_zeros() as usize
}
