//! The engines, one folder each. Every engine is a [`Machine`]; [`Engine`] is their list, by which programs and tests
//! name them.

pub mod net;
pub mod sliced;
pub mod tree;

use groundrules_gdl::Game;

use crate::machine::{Machine, MachineError};
use crate::playout::{ByMachine, Playouts};
use tree::{TreeMachine, TreeOptions};

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Resolution trees.
    #[default]
    Tree,
}

/// How an optimisation is left out.
type LeaveOut<Options> = fn(&mut Options);

/// The optimisations of the engine `tree`.
const TREE: [(&str, LeaveOut<TreeOptions>); 7] = [
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

    /// Makes what plays playouts of a game: many at once where the engine can, else one after the other.
    pub fn playouts(self, game: &Game, without: &[&str]) -> Result<Box<dyn Playouts>, MachineError> {
        match self {
            Engine::Tree => Ok(Box::new(ByMachine::new(self.machine(game, without)?))),
        }
    }
}
