//! A cache of recently sent rows. Transpositions lead to the same state, and a breadth-first search finds them shortly
//! after each other. Remembering a few thousand rows avoids looking up or sending many of the successors again.
//!
//! Each row has one slot, which holds the last row with that slot. A forgotten row is sent again, which is harmless. A
//! remembered row is compared in full, so no row is dropped by mistake.

/// How many words are kept at most: about what lies near a core.
const WORDS: usize = 1 << 14;

/// The fewest slots, however wide rows are.
const LEAST: usize = 64;

/// Rows of fixed width that were sent last.
#[derive(Debug)]
pub(crate) struct RecentRows {
    width: usize,
    /// For each slot a hash and a row.
    slots: Vec<u64>,
    mask: usize,
}

impl RecentRows {
    /// No rows yet, of so many words each.
    pub(crate) fn new(width: usize) -> Self {
        let count = (WORDS / (width + 1)).max(LEAST);
        // The largest power of two that is not more.
        let count = count.next_power_of_two() >> usize::from(!count.is_power_of_two());
        let mut recent = RecentRows { width, slots: vec![0; count * (width + 1)], mask: count - 1 };
        recent.forget();
        recent
    }

    /// Forgets all rows.
    pub(crate) fn forget(&mut self) {
        for (index, slot) in self.slots.chunks_exact_mut(self.width + 1).enumerate() {
            // A hash that belongs to another slot is never found.
            slot[0] = !(index as u64);
        }
    }

    /// Whether a row is not remembered. It is from now on. Both are about as likely, so nothing branches on it.
    /// `WIDTH` is the width where the compiler should know it, else zero.
    #[inline]
    pub(crate) fn is_new<const WIDTH: usize>(&mut self, hash: u64, row: &[u64]) -> bool {
        let width = if WIDTH == 0 { self.width } else { WIDTH };
        let first = (hash as usize & self.mask) * (width + 1);
        let slot = &mut self.slots[first..first + width + 1];
        let mut difference = slot[0] ^ hash;
        slot[0] = hash;
        for (known, &word) in slot[1..].iter_mut().zip(row) {
            difference |= *known ^ word;
            *known = word;
        }
        difference != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash;

    #[test]
    fn a_row_is_new_until_it_is_seen_and_when_it_is_forgotten() {
        let mut recent = RecentRows::new(2);
        assert!(recent.is_new::<0>(0, &[0, 0]));
        assert!(!recent.is_new::<0>(0, &[0, 0]));
        assert!(recent.is_new::<0>(0, &[0, 1]), "the hash alone does not tell");
        assert!(recent.is_new::<0>(0, &[0, 0]), "another row has its slot");
        recent.forget();
        assert!(recent.is_new::<0>(0, &[0, 0]));
    }

    #[test]
    fn nothing_is_taken_for_something_else() {
        for width in [1, 3, 2000] {
            let mut recent = RecentRows::new(width);
            let row = |number: u64| (0..width as u64).map(|word| number ^ word).collect::<Vec<_>>();
            let rows: Vec<_> = (0..3 * WORDS as u64 / width as u64 + 100).map(row).collect();
            assert!(rows.iter().all(|row| recent.is_new::<0>(hash(row), row)));
            let last = rows.last().unwrap();
            assert!(!recent.is_new::<0>(hash(last), last));
        }
    }
}
