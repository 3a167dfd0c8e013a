//! Where a worker keeps its states, and how it recognises a state that it has seen.
//!
//! - exact, in memory: a [`Shard`];
//! - by fingerprint: rows on disk, 64 bits of each in memory ([`Fingerprints`]);
//! - exact, on disk: sorted files, compared level by level ([`Sorted`]).
//!
//! The search uses their common interface: rows are added to the next level, and a level is read from its start. Passes
//! that need numbers of states, such as values and cycles, work on a shard only.

use std::ops::Range;
use std::path::Path;

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::exchange::Delivery;
use crate::fingerprints::Fingerprints;
use crate::shard::Shard;
use crate::sorted::Sorted;

/// The states of a worker.
#[derive(Debug)]
pub(crate) enum Store {
    /// Exact, in memory.
    Exact {
        /// The states.
        shard: Shard,
        /// Numbers of the rows added last.
        numbers: Vec<usize>,
    },
    /// By fingerprint.
    Fingerprints(Box<Fingerprints>),
    /// Exact, on disk.
    Sorted(Box<Sorted>),
}

impl Store {
    /// An exact one in memory.
    pub(crate) fn exact(width: Option<usize>) -> Self {
        Store::Exact { shard: Shard::new(width), numbers: Vec::new() }
    }

    /// How many words a state has, if all have the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Store::Exact { shard, .. } => shard.width(),
            Store::Fingerprints(fingerprints) => Some(fingerprints.width()),
            Store::Sorted(sorted) => Some(sorted.width()),
        }
    }

    /// Whether states are in their level as soon as they are added, so that they can be saved between any two rounds. On
    /// disk they are when the level is over.
    pub(crate) fn is_immediate(&self) -> bool {
        !matches!(self, Store::Sorted(_))
    }

    /// Goes from memory to disk. `depth` is the level that is being expanded, `done` how many of its states are.
    pub(crate) fn go_to_disk(
        &mut self,
        folder: &Path,
        memory: usize,
        depth: usize,
        done: usize,
    ) -> Result<bool, ExploreError> {
        let Store::Exact { shard, .. } = self else { return Ok(false) };
        let Some(width) = shard.width() else { return Ok(false) };
        *self = Store::Sorted(Box::new(Sorted::of(shard, folder, width, memory, depth, done)?));
        Ok(true)
    }

    /// The shard, if there is one.
    pub(crate) fn shard(&self) -> Option<&Shard> {
        match self {
            Store::Exact { shard, .. } => Some(shard),
            Store::Fingerprints(_) | Store::Sorted(_) => None,
        }
    }

    /// How many states there are, as far as is known: on disk those of the level that is being made are not counted.
    pub(crate) fn len(&self) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.len(),
            Store::Fingerprints(fingerprints) => fingerprints.len(),
            Store::Sorted(sorted) => sorted.len(),
        }
    }

    /// How many bytes of memory are held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.bytes(),
            Store::Fingerprints(fingerprints) => fingerprints.bytes(),
            Store::Sorted(sorted) => sorted.bytes(),
        }
    }

    /// How many states a level has.
    pub(crate) fn level_len(&self, depth: usize) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.level(depth).len(),
            Store::Fingerprints(fingerprints) => fingerprints.level_len(depth),
            Store::Sorted(sorted) => sorted.level_len(depth),
        }
    }

    /// What is added from now on belongs to the next level.
    pub(crate) fn begin_level(&mut self) -> Result<(), ExploreError> {
        match self {
            Store::Exact { shard, .. } => shard.begin_level(),
            Store::Fingerprints(fingerprints) => fingerprints.begin_level(),
            Store::Sorted(sorted) => sorted.begin_level(),
        }
        Ok(())
    }

    /// Makes room for what a round may bring. Workers that did it in the middle of rounds would do it one after the other,
    /// and all would wait for each.
    pub(crate) fn prepare(&mut self) -> Result<(), ExploreError> {
        match self {
            Store::Exact { shard, .. } => shard.prepare(),
            Store::Fingerprints(_) | Store::Sorted(_) => Ok(()),
        }
    }

    /// Adds rows to the level begun last, unless they are there. Says whether one was in an earlier level, as far as is
    /// known at once; the rest is known when the level ends.
    pub(crate) fn insert(&mut self, delivery: Delivery<'_>) -> Result<bool, ExploreError> {
        match self {
            Store::Exact { shard, numbers } => {
                shard.insert(delivery.rows, delivery.hashes, numbers)?;
                let first = shard.level(shard.levels().saturating_sub(1)).start;
                Ok(numbers.iter().any(|&number| number < first))
            }
            Store::Fingerprints(fingerprints) => fingerprints.insert(delivery.rows, delivery.hashes),
            Store::Sorted(sorted) => {
                sorted.insert(delivery.rows)?;
                Ok(false)
            }
        }
    }

    /// Ends the level begun last. Says whether a row that was added is in an earlier level, if that was not said before.
    pub(crate) fn end_level(&mut self) -> Result<bool, ExploreError> {
        match self {
            Store::Exact { .. } | Store::Fingerprints(_) => Ok(false),
            Store::Sorted(sorted) => sorted.end_level(),
        }
    }

    /// Puts some states of a level into a block.
    pub(crate) fn copy(
        &mut self,
        depth: usize,
        places: Range<usize>,
        block: &mut Rows,
    ) -> Result<(), ExploreError> {
        match self {
            Store::Exact { shard, .. } => {
                let first = shard.level(depth).start;
                shard.copy(first + places.start..first + places.end, block);
                Ok(())
            }
            Store::Fingerprints(fingerprints) => fingerprints.copy(depth, places, block),
            Store::Sorted(sorted) => sorted.copy(depth, places, block),
        }
    }
}
