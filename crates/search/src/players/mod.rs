//! The players, one file or folder each, and their list. A player is added by its file, its `mod` and its line here.

mod legal;
mod random;

pub use legal::Legal;
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
];

/// The player with a name.
pub fn find(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
