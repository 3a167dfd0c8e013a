//! The engines, one folder each. Every engine is a [`Machine`]; [`Engine`] is their list, by which programs and tests
//! name them.

pub mod net;
pub mod sliced;
pub mod tree;

use groundrules_gdl::Game;

use crate::machine::{Machine, MachineError};
use tree::{TreeMachine, TreeOptions};

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Resolution trees.
    #[default]
    Tree,
}

/// The optimisations of the engine `tree`, and how each is left out.
const TREE: [(&str, fn(&mut TreeOptions)); 7] = [
    ("filters", |options| options.filters = false),
    ("filter-removal", |options| options.remove_filters = false),
    ("hashing", |options| options.hash_rows = false),
    ("inlining", |options| options.inline_renamings = false),
    ("join-order", |options| options.join_order = false),
    ("memo", |options| options.memo = false),
    ("tables", |options| options.table_recurrence = false),
];

impl Engine {
    /// All the engines.
    pub const ALL: &[Engine] = &[Engine::Tree];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Tree => "tree",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Engine::Tree => "Interprets the rules on resolution trees: needs no grounding, plays everything",
        }
    }

    /// The names of the optimisations that can be left out.
    pub fn optimisations(self) -> Vec<&'static str> {
        match self {
            Engine::Tree => TREE.iter().map(|(name, _)| *name).collect(),
        }
    }

    /// Makes a machine for a game, without some of the optimisations. Names that are none are passed over.
    pub fn machine(self, game: &Game, without: &[&str]) -> Result<Box<dyn Machine>, MachineError> {
        match self {
            Engine::Tree => {
                let mut options = TreeOptions::default();
                let left_out = TREE.iter().filter(|(name, _)| without.contains(name));
                left_out.for_each(|(_, leave_out)| leave_out(&mut options));
                Ok(Box::new(TreeMachine::new(game, options)?))
            }
        }
    }
}
