//! The players, one file or folder each, and their list. A player is added by its file, its `mod` and its line here.

mod greedy;
mod legal;
mod mcts;
mod random;

pub use greedy::Greedy;
pub use legal::Legal;
pub use mcts::{FoundLine, Mcts, Policy, Thought, Thoughts};
pub use random::Random;

use crate::player::{Player, Settings};

/// A player that can be named.
pub struct Kind {
    /// The name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    make: fn(&Settings) -> Box<dyn Player>,
}

impl Kind {
    /// Makes one.
    pub fn player(&self, settings: &Settings) -> Box<dyn Player> {
        (self.make)(settings)
    }
}

/// All the players, the weakest first.
pub const ALL: &[Kind] = &[
    Kind { name: "legal", about: "Makes the first legal move", make: |_| Box::new(Legal) },
    Kind { name: "random", about: "Makes any legal move", make: |settings| Box::new(Random::new(settings)) },
    Kind {
        name: "greedy",
        about: "Looks one step ahead and plays some playouts from there",
        make: |settings| Box::new(Greedy::new(settings)),
    },
    Kind {
        name: "mcts",
        about: "Searches: Monte Carlo tree search",
        make: |settings| Box::new(Mcts::new(settings)),
    },
];

/// The player with a name.
pub fn find(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
