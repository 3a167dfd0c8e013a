//! The names of a ground game: its moves and fluents as KIF, and back. Engines that run the network number moves and
//! fluents as the ground game does, so one vocabulary serves all of them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use groundrules_gdl::{Roles, canonical};
use groundrules_ground::GroundGame;

use crate::machine::Move;

/// A fluent of a ground game, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fluent(pub u32);

/// The names of a ground game.
#[derive(Debug)]
pub struct Vocabulary {
    game: Arc<GroundGame>,
    roles: Roles,
    moves: OnceLock<HashMap<(usize, String), Move>>,
    fluents: OnceLock<HashMap<String, Fluent>>,
}

impl Vocabulary {
    /// The names of a game. The first look-up by text builds an index.
    pub fn new(game: Arc<GroundGame>) -> Self {
        let roles = game.roles.iter().map(|&role| game.term(role)).collect();
        Vocabulary { game, roles, moves: OnceLock::new(), fluents: OnceLock::new() }
    }

    /// The ground game.
    pub fn game(&self) -> &GroundGame {
        &self.game
    }

    /// The roles, in the order of joint moves.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// How many moves there are, those of all roles.
    pub fn moves(&self) -> usize {
        self.game.moves.len()
    }

    /// The number of fluents.
    pub fn fluents(&self) -> usize {
        self.game.fluents.len()
    }

    /// The role that can make a move.
    pub fn role_of(&self, made: Move) -> usize {
        self.game.moves[made.0 as usize].0
    }

    /// A move as KIF.
    pub fn move_text(&self, made: Move) -> String {
        self.game.term(self.game.moves[made.0 as usize].1)
    }

    /// A fluent as KIF.
    pub fn fluent_text(&self, fluent: Fluent) -> String {
        self.game.term(self.game.fluents[fluent.0 as usize])
    }

    /// The fluents that hold in a packed state, as KIF, sorted.
    pub fn fluents_of(&self, row: &[u64]) -> Vec<String> {
        let holds = |fluent: &usize| row[fluent / 64] >> (fluent % 64) & 1 == 1;
        let holding = (0..self.fluents()).filter(holds);
        let mut texts: Vec<String> =
            holding.map(|fluent| self.game.term(self.game.fluents[fluent])).collect();
        texts.sort_unstable();
        texts
    }

    /// The move of a role with this text, in any letter case.
    pub fn find_move(&self, role: usize, text: &str) -> Option<Move> {
        let moves = self.moves.get_or_init(|| {
            let named = (0..).zip(&self.game.moves);
            named
                .filter_map(|(number, &(role, term))| {
                    Some(((role, canonical(&self.game.term(term))?), Move(number)))
                })
                .collect()
        });
        moves.get(&(role, canonical(text)?)).copied()
    }

    /// The fluent with this text, in any letter case.
    pub fn find_fluent(&self, text: &str) -> Option<Fluent> {
        let fluents = self.fluents.get_or_init(|| {
            let named = (0..).zip(&self.game.fluents);
            named
                .filter_map(|(number, &term)| Some((canonical(&self.game.term(term))?, Fluent(number))))
                .collect()
        });
        fluents.get(&canonical(text)?).copied()
    }
}
