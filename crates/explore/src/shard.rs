//! The states that one worker owns: their rows in the order in which they were found, level after level, and a table by
//! which a row is found again. A state's number is its place in that order, so a level is a range of numbers.
//!
//! Many rows are looked up at a time: what they will touch is read for all of them first, so that the waiting for memory
//! overlaps. Which rows belong to this worker is left to the caller.

use std::ops::Range;

use groundrules_machine::Rows;

use crate::arena::Arena;
use crate::error::ExploreError;
use crate::table::{Full, Slot, Table};

/// How many rows are looked up together.
const TOGETHER: usize = 64;

/// The states of one worker.
#[derive(Debug)]
pub(crate) struct Shard {
    arena: Arena,
    table: Table,
    /// The first number of each level.
    levels: Vec<usize>,
}

impl Shard {
    /// No states yet, of so many words each.
    pub(crate) fn new(width: Option<usize>) -> Self {
        Shard { arena: Arena::new(width), table: Table::new(), levels: Vec::new() }
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.arena.len()
    }

    /// How many words a state has, if all have the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        self.arena.width()
    }

    /// A state.
    #[inline]
    pub(crate) fn row(&self, number: usize) -> &[u64] {
        self.arena.row(number)
    }

    /// An empty block of rows like these.
    pub(crate) fn block(&self) -> Rows {
        Rows::new(self.arena.width())
    }

    /// Puts states into a block.
    pub(crate) fn copy(&self, numbers: Range<usize>, block: &mut Rows) {
        block.clear();
        numbers.for_each(|number| block.push(self.row(number)));
    }

    /// What is added from now on belongs to the next level.
    pub(crate) fn begin_level(&mut self) {
        self.levels.push(self.len());
    }

    /// How many levels were begun.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The numbers of a level.
    pub(crate) fn level(&self, depth: usize) -> Range<usize> {
        let start = |depth: usize| self.levels.get(depth).copied().unwrap_or(self.len());
        start(depth)..start(depth + 1)
    }

    /// How deep a state is.
    pub(crate) fn depth(&self, number: usize) -> usize {
        self.levels.partition_point(|&start| start <= number).saturating_sub(1)
    }

    /// How many bytes are held.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.bytes()
    }

    /// Makes room ahead of time, if little is left.
    pub(crate) fn prepare(&mut self) -> Result<(), ExploreError> {
        self.table.prepare().map_err(|Full| ExploreError::TooManyStates)
    }

    /// Adds the rows that are not there; gives the number of each.
    pub(crate) fn insert(
        &mut self,
        rows: &Rows,
        hashes: &[u64],
        numbers: &mut Vec<usize>,
    ) -> Result<(), ExploreError> {
        self.table.reserve(rows.len()).map_err(|Full| ExploreError::TooManyStates)?;
        numbers.clear();
        for (chunk, hashes) in hashes.chunks(TOGETHER).enumerate() {
            let places = self.touch(hashes);
            for (index, &hash) in hashes.iter().enumerate() {
                let row = rows.row(chunk * TOGETHER + index);
                let (place, known) = self.search(row, hash, places[index]);
                let number = known.unwrap_or_else(|| {
                    let number = self.arena.len();
                    self.table.put(place, hash, number);
                    self.arena.push(row);
                    number
                });
                numbers.push(number);
            }
        }
        Ok(())
    }

    /// The number of each row; `None` where it is not there.
    pub(crate) fn find(&self, rows: &Rows, hashes: &[u64], numbers: &mut Vec<Option<usize>>) {
        numbers.clear();
        for (chunk, hashes) in hashes.chunks(TOGETHER).enumerate() {
            let places = self.touch(hashes);
            let found = hashes
                .iter()
                .enumerate()
                .map(|(i, &hash)| self.search(rows.row(chunk * TOGETHER + i), hash, places[i]).1);
            numbers.extend(found);
        }
    }

    /// Reads what will be needed, each for itself: the processor waits for all of it at the same time. Gives where each
    /// hash is to be looked for; what is added meanwhile fills empty slots only, so that stays right.
    #[inline]
    fn touch(&self, hashes: &[u64]) -> [usize; TOGETHER] {
        let mut places = [0; TOGETHER];
        let mut touched = 0;
        for (place, &hash) in places.iter_mut().zip(hashes) {
            *place = self.table.place(hash);
            touched ^= self.table.raw(*place);
        }
        for (place, &hash) in places.iter_mut().zip(hashes) {
            let slot;
            (*place, slot) = self.table.first(*place, hash);
            if let Slot::Like(number) = slot {
                touched ^= self.row(number).first().copied().unwrap_or(0);
            }
        }
        std::hint::black_box(touched);
        places
    }

    /// Where a row stands or would stand, and its number; looked for from a place on.
    #[inline]
    fn search(&self, row: &[u64], hash: u64, mut place: usize) -> (usize, Option<usize>) {
        loop {
            match self.table.slot(place, hash) {
                Slot::Empty => return (place, None),
                Slot::Like(number) if is_same(self.row(number), row) => return (place, Some(number)),
                Slot::Like(_) | Slot::Other => place += 1,
            }
        }
    }
}

/// Rows are short: a call to compare memory would take longer than comparing.
#[inline(always)]
fn is_same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash;

    #[test]
    fn states_keep_their_numbers() {
        let mut shard = Shard::new(Some(2));
        let (mut rows, mut numbers) = (shard.block(), Vec::new());
        for level in 0..3_u64 {
            shard.begin_level();
            rows.clear();
            // Half of the rows of a level were there before.
            (level * 5000..level * 5000 + 10_000).for_each(|value| rows.push(&[value, !value]));
            let hashes: Vec<u64> = rows.iter().map(hash).collect();
            shard.insert(&rows, &hashes, &mut numbers).unwrap();
            let first = usize::try_from(level).unwrap() * 5000;
            assert_eq!(numbers, (first..first + 10_000).collect::<Vec<_>>());
        }
        assert_eq!(shard.len(), 20_000);
        assert_eq!((shard.level(0), shard.level(2)), (0..10_000, 15_000..20_000));
        assert_eq!([0, 9_999, 10_000, 19_999].map(|number| shard.depth(number)), [0, 0, 1, 2]);
        let mut found = Vec::new();
        rows.clear();
        rows.push(&[19_999, !19_999]);
        rows.push(&[1, 1]);
        let hashes: Vec<u64> = rows.iter().map(hash).collect();
        shard.find(&rows, &hashes, &mut found);
        assert_eq!(found, [Some(19_999), None]);
        assert!(shard.bytes() < 20_000 * (16 + 24));
    }
}
