//! Where a worker keeps its states, and by what it knows that a state was there before.
//!
//! - exact, in memory: a [`Shard`];
//! - by fingerprint: rows on disk, 64 bits of each in memory ([`Compact`]);
//! - exact, on disk: sorted files, compared level by level ([`Sorted`]).
//!
//! The search uses what is common to them: rows are added to the next level, a level is read from its beginning. What
//! needs numbers of states, as values and cycles do, works on a shard only.

use std::ops::Range;

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::mail::Delivery;
use crate::shard::Shard;

/// The states of a worker.
#[derive(Debug)]
pub enum Store {
    /// Exact, in memory.
    Exact {
        /// The states.
        shard: Shard,
        /// Numbers of the rows added last.
        numbers: Vec<usize>,
    },
}

impl Store {
    /// An exact one in memory.
    pub fn exact(width: Option<usize>) -> Self {
        Store::Exact { shard: Shard::new(width), numbers: Vec::new() }
    }

    /// The shard, if there is one.
    pub fn shard(&self) -> Option<&Shard> {
        match self {
            Store::Exact { shard, .. } => Some(shard),
        }
    }

    /// How many states there are, as far as is known: on disk those of the level that is being made are not counted.
    pub fn len(&self) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes of memory are held.
    pub fn bytes(&self) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.bytes(),
        }
    }

    /// How many states a level has.
    pub fn level_len(&self, depth: usize) -> usize {
        match self {
            Store::Exact { shard, .. } => shard.level(depth).len(),
        }
    }

    /// What is added from now on belongs to the next level.
    pub fn begin_level(&mut self) -> Result<(), ExploreError> {
        match self {
            Store::Exact { shard, .. } => shard.begin_level(),
        }
        Ok(())
    }

    /// Adds rows to the level begun last, unless they are there. Says whether one was in an earlier level, as far as is
    /// known at once; the rest is known when the level ends.
    pub fn insert(&mut self, delivery: Delivery<'_>) -> Result<bool, ExploreError> {
        match self {
            Store::Exact { shard, numbers } => {
                shard.insert(delivery.rows, delivery.hashes, numbers)?;
                let first = shard.level(shard.levels().saturating_sub(1)).start;
                Ok(numbers.iter().any(|&number| number < first))
            }
        }
    }

    /// Ends the level begun last. Says whether a row that was added is in an earlier level, if that was not said before.
    pub fn end_level(&mut self) -> Result<bool, ExploreError> {
        match self {
            Store::Exact { .. } => Ok(false),
        }
    }

    /// Puts some states of a level into a block.
    pub fn copy(&mut self, depth: usize, places: Range<usize>, block: &mut Rows) -> Result<(), ExploreError> {
        match self {
            Store::Exact { shard, .. } => {
                let first = shard.level(depth).start;
                shard.copy(first + places.start..first + places.end, block);
                Ok(())
            }
        }
    }
}
