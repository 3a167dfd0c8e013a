//! Moves as numbers. Numbers are given out by one table under a lock, which machines forked from the same one share; each
//! keeps a copy of what it has seen, so that the lock is only taken for a move that is new to it.

use std::sync::{Arc, Mutex, PoisonError};

use super::row_set::{NONE, RowSet};
use crate::Move;

/// The moves that a machine has seen.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    known: RowSet,
    all: Arc<Mutex<RowSet>>,
}

impl Moves {
    pub(super) fn new(sizes: &[u64]) -> Self {
        let none = RowSet::new(sizes, true);
        Moves { known: none.clone(), all: Arc::new(Mutex::new(none)) }
    }

    /// The number of a move.
    pub(super) fn number(&mut self, columns: &[u32]) -> Move {
        let known = self.known.find(columns);
        if known != NONE {
            return Move(known);
        }
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(columns);
        complete(&mut self.known, &all);
        Move(self.known.find(columns))
    }

    /// The columns of a move, if there is one with this number.
    pub(super) fn columns(&mut self, made: Move) -> Option<&[u32]> {
        if made.0 >= self.known.len() {
            let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            complete(&mut self.known, &all);
        }
        (made.0 < self.known.len()).then(|| self.known.row(made.0))
    }

    /// The columns of a move, asked of a machine that must not change.
    pub(super) fn columns_of(&self, made: Move) -> Option<Vec<u32>> {
        if made.0 < self.known.len() {
            return Some(self.known.row(made.0).to_vec());
        }
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        (made.0 < all.len()).then(|| all.row(made.0).to_vec())
    }
}

fn complete(known: &mut RowSet, all: &RowSet) {
    for row in known.len()..all.len() {
        known.insert(all.row(row));
    }
}
