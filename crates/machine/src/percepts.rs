//! What roles see in games with hidden information (GDL-II): the percepts that the rules for `sees` give a role, in a state and for the
//! joint move that is made in it. The ground rules are evaluated directly; that is slow, and fast enough for showing a match to a person.
//!
//! ```
//! use groundrules_machine::{Compiled, Percepts};
//!
//! let rules = "(role dealer) (role guest) (init (card ace)) (legal dealer deal) (legal guest wait)
//!     (<= (sees guest (got ?c)) (does dealer deal) (true (card ?c))) (<= (sees dealer done) (does guest wait))
//!     (<= (next over) (does dealer deal)) (<= terminal (true over)) (goal dealer 0) (goal guest 0)";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.unwrap();
//! assert!(game.has_hidden_information());
//! let percepts = Percepts::new(&Compiled::new(game))?;
//! let (state, joint) = (["(card ace)".to_owned()], ["deal".to_owned(), "wait".to_owned()]);
//! assert_eq!(percepts.of(1, &state, &joint), ["(got ace)"]);
//! assert_eq!(percepts.of(0, &state, &joint), ["done"]);
//! # Ok::<(), groundrules_machine::engines::EngineError>(())
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use groundrules_gdl::Roles;
use groundrules_ground::GroundGame;
use groundrules_ground::evaluator::Evaluator;

use crate::compiled::Compiled;
use crate::engines::EngineError;
use crate::machine::MachineError;

/// What roles see.
pub struct Percepts {
    ground: Arc<GroundGame>,
    roles: Roles,
    /// The numbers of fluents and moves by their texts in small letters; moves with the number of their role.
    fluents: HashMap<String, usize>,
    moves: HashMap<(usize, String), usize>,
}

impl Percepts {
    /// Grounds the game, if that has not been done.
    pub fn new(game: &Compiled) -> Result<Self, EngineError> {
        let ground = game.ground()?;
        Evaluator::new(&ground)
            .map_err(|error| MachineError::DependsOnItsNegation { atom: error.atom.clone() })?;
        let text = |term| ground.term(term).to_lowercase();
        let fluents =
            ground.fluents.iter().enumerate().map(|(number, &fluent)| (text(fluent), number)).collect();
        let moves = ground
            .moves
            .iter()
            .enumerate()
            .map(|(number, &(role, made))| ((role, text(made)), number))
            .collect();
        let roles = Roles::new(ground.roles.iter().map(|&role| ground.term(role)).collect());
        Ok(Percepts { roles, fluents, moves, ground })
    }

    /// The percepts of a role, sorted: `fluents` hold, and the joint move is made, a text for each role in their order.
    pub fn of(&self, role: usize, fluents: &[String], joint: &[String]) -> Vec<String> {
        let state: Vec<usize> =
            fluents.iter().filter_map(|it| self.fluents.get(&it.to_lowercase()).copied()).collect();
        let moves = joint.iter().enumerate();
        let moves: Vec<usize> =
            moves.filter_map(|(role, made)| self.moves.get(&(role, made.to_lowercase())).copied()).collect();
        let Ok(evaluator) = Evaluator::new(&self.ground) else { return Vec::new() };
        let name = self.roles[role].to_lowercase();
        let seen = evaluator.percepts(&state, &moves).into_iter();
        let mut percepts: Vec<String> = seen
            .filter(|&(whose, _)| self.ground.term(whose).to_lowercase() == name)
            .map(|(_, percept)| self.ground.term(percept))
            .collect();
        percepts.sort();
        percepts
    }
}
