//! How a game is to be grounded.

use crate::limits::Limits;

/// How the fluents and moves that may ever occur are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// One least fixpoint over the first state, what is next and what is legal.
    #[default]
    OneStep,
    /// Round after round: what is legal and next in view of what was found before, all from the beginning each time.
    Iterative,
}

/// Savings, each of which can be left out to see what it does. The ground game plays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Switches {
    /// Parts of bodies whose variables matter nowhere else become relations of their own, where that saves rules.
    pub projection: bool,
    /// Only what `legal`, `next`, `goal` and `terminal` rest on is instantiated.
    pub demand: bool,
    /// Fluents that never change count as static.
    pub constants: bool,
    /// Conditions on the move alone are kept as sets of moves, or as their complements.
    pub frames: bool,
    /// Arguments that never matter are dropped.
    pub arguments: bool,
    /// Fluents that never hold together are found, and rules that need both dropped.
    pub exclusion: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            projection: true,
            demand: true,
            constants: true,
            frames: true,
            arguments: true,
            exclusion: true,
        }
    }
}

impl Switches {
    /// None of the savings: the methods as they were published.
    pub fn none() -> Self {
        Switches {
            projection: false,
            demand: false,
            constants: false,
            frames: false,
            arguments: false,
            exclusion: false,
        }
    }
}

/// How a game is to be grounded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How fluents and moves are found.
    pub method: Method,
    /// What is saved.
    pub switches: Switches,
    /// When to give up.
    pub limits: Limits,
}
