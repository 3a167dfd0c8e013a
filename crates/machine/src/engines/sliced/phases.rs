//! What the number of moves made so far decides: in most games of turns, whose turn it is.
//!
//! A match of `n` phases is in phase `t mod n` after `t` joint moves. A fluent is known in a phase if it has the same value
//! there in every match; the values are found by stepping with unknown moves and unknown fluents until nothing changes,
//! so they are right whatever is played.

/// The phases of a game and the fluents known in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phases {
    /// For each phase and fluent the value, if it is known.
    pub(super) known: Vec<Vec<Option<bool>>>,
}

impl Phases {
    /// One phase, in which nothing is known.
    pub(super) fn none(fluents: usize) -> Self {
        Phases { known: vec![vec![None; fluents]] }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}
