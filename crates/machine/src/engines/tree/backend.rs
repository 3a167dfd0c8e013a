//! How the engine `tree` is made for a game.

use super::{TreeMachine, TreeOptions};
use crate::compiled::Compiled;
use crate::engines::{Backend, EngineError};
use crate::machine::Machine;

/// The engine `tree`.
pub struct TreeBackend;

/// The name of an optimisation, and how it is left out.
type Optimisation = (&'static str, fn(&mut TreeOptions));

const OPTIMISATIONS: [Optimisation; 7] = [
    ("filters", |options| options.filters = false),
    ("filter-removal", |options| options.remove_filters = false),
    ("hashing", |options| options.hash_rows = false),
    ("inlining", |options| options.inline_renamings = false),
    ("join-order", |options| options.join_order = false),
    ("memo", |options| options.memo = false),
    ("tables", |options| options.table_recurrence = false),
];

static NAMES: [&str; OPTIMISATIONS.len()] = {
    let mut names = [""; OPTIMISATIONS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = OPTIMISATIONS[place].0;
        place += 1;
    }
    names
};

impl Backend for TreeBackend {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn about(&self) -> &'static str {
        "Interprets the rules on resolution trees: needs no grounding, plays everything"
    }

    fn optimisations(&self) -> &'static [&'static str] {
        &NAMES
    }

    fn machine(&self, game: &Compiled) -> Result<Box<dyn Machine>, EngineError> {
        let mut options = game.settings().tree;
        let left_out = OPTIMISATIONS.iter().filter(|(name, _)| game.is_without(name));
        left_out.for_each(|(_, leave_out)| leave_out(&mut options));
        Ok(Box::new(TreeMachine::new(game.game(), options)?))
    }
}
