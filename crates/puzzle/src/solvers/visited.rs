//! The positions that a search has visited: by their hashes, without the fluents that count steps, and each with the one that it came
//! from. A collision of hashes loses a position, so searches that use this prove nothing by exhaustion.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;
use groundrules_machine::Move;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

/// The number of a visited position. The start is 0.
pub(super) type PositionId = u32;

#[derive(Default)]
pub(super) struct Visited {
    /// The bits of states that count steps.
    mask: Vec<u64>,
    /// For each position the one before it, and the move between them.
    origins: Vec<(PositionId, Move)>,
    hashes: HashSet<u64, FxBuildHasher>,
}

impl Visited {
    pub(super) fn new(mask: &[u64]) -> Self {
        Visited { mask: mask.to_vec(), ..Visited::default() }
    }

    /// Forgets everything but the start.
    pub(super) fn restart(&mut self, start: &[u64]) {
        self.origins.clear();
        self.origins.push((0, Move(0)));
        self.hashes.clear();
        self.hashes.insert(self.hash(start));
    }

    /// Adds a position; gives its number if it is new.
    pub(super) fn enter(&mut self, row: &[u64], from: PositionId, made: Move) -> Option<PositionId> {
        let hash = self.hash(row);
        self.hashes.insert(hash).then(|| {
            let id = position_id(self.origins.len());
            self.origins.push((from, made));
            id
        })
    }

    /// Lets a position be entered again.
    pub(super) fn forget(&mut self, row: &[u64]) {
        let hash = self.hash(row);
        self.hashes.remove(&hash);
    }

    /// The move that led to a position.
    pub(super) fn last_move(&self, id: PositionId) -> Move {
        self.origins[id as usize].1
    }

    /// The moves from the start to a position.
    pub(super) fn moves_to(&self, id: PositionId) -> Vec<Move> {
        moves_to(&self.origins, id)
    }

    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.origins.len() * 8 + self.hashes.len() * 16
    }

    fn hash(&self, row: &[u64]) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        row.iter().enumerate().for_each(|(word, &bits)| hasher.write_u64(bits & !masked(&self.mask, word)));
        hasher.finish()
    }
}

/// The moves from the start to a position.
pub(super) fn moves_to(origins: &[(PositionId, Move)], mut id: PositionId) -> Vec<Move> {
    let mut moves = Vec::new();
    while id != 0 {
        let (from, made) = origins[id as usize];
        moves.push(made);
        id = from;
    }
    moves.reverse();
    moves
}

/// The bits of a word that count steps.
pub(super) fn masked(mask: &[u64], word: usize) -> u64 {
    mask.get(word).copied().unwrap_or(0)
}

/// The number of the next position. Limits of memory keep it small.
pub(super) fn position_id(place: usize) -> PositionId {
    PositionId::try_from(place).expect("fewer than 2^32 positions")
}
