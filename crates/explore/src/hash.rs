//! The hash of a packed state. It decides who owns a state and where it stands in a table, so it must be the same in
//! every process of a run; nothing on disk depends on it.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;

/// Any number does, as long as all use the same.
const SEED: u64 = 0x6772_6f75_6e64_7275;

/// The hash of a row.
#[inline]
pub fn hash(row: &[u64]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    for &word in row {
        hasher.write_u64(word);
    }
    hasher.finish()
}

/// Which of some workers owns the states of a hash. Tables use the upper half, so this uses the lower.
#[inline]
pub fn owner(hash: u64, peers: usize) -> usize {
    (((hash & 0xffff_ffff) * peers as u64) >> 32) as usize
}
