//! States on disk: exact, for spaces beyond memory. Each level is a part of one file, in order; successors are collected,
//! sorted in pieces, and when a level is over merged, each once, without those that an earlier level has (delayed
//! duplicate detection). Memory holds one piece and a buffer for each level.

use std::ops::Range;
use std::path::Path;

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::file::{Cursor, RowFile};
use crate::shard::Shard;

/// States on disk.
#[derive(Debug)]
pub(crate) struct Sorted {
    width: usize,
    states: RowFile,
    /// First row and number of rows of each level.
    levels: Vec<(usize, usize)>,
    /// Parts of the file that are in order; a level has one, or two if it was put on disk while it was expanded.
    parts: Vec<(usize, usize)>,
    /// Successors that are not yet in order, and pieces that are.
    piece: Rows,
    pieces: RowFile,
    piece_parts: Vec<(usize, usize)>,
    /// Rows in a piece.
    most: usize,
}

impl Sorted {
    /// The states of a shard, put on disk. Of the level at `depth` the first `done` states are expanded and stay in front.
    pub(crate) fn of(
        shard: &Shard,
        folder: &Path,
        width: usize,
        memory: usize,
        depth: usize,
        done: usize,
    ) -> Result<Self, ExploreError> {
        // Sorting takes a reference for each row beside the rows.
        let most = (memory / 4 / (width * 8 + 16)).max(1024);
        let mut new = Sorted {
            width,
            states: RowFile::new(folder, width)?,
            levels: Vec::new(),
            parts: Vec::new(),
            piece: Rows::new(Some(width)),
            pieces: RowFile::new(folder, width)?,
            piece_parts: Vec::new(),
            most,
        };
        for level in 0..=depth {
            let numbers = shard.level(level);
            new.levels.push((new.states.len(), numbers.len()));
            let cut = if level == depth { numbers.start + done } else { numbers.end };
            for own in [numbers.start..cut, cut..numbers.end] {
                let mut rows: Vec<&[u64]> = own.map(|number| shard.row(number)).collect();
                rows.sort_unstable();
                new.parts.push((new.states.len(), rows.len()));
                rows.into_iter().try_for_each(|row| new.states.push(row))?;
            }
        }
        let mut block = shard.block();
        shard.copy(shard.level(depth + 1), &mut block);
        new.insert(&block)?;
        Ok(new)
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.piece.bytes()
    }

    pub(crate) fn level_len(&self, depth: usize) -> usize {
        self.levels.get(depth).map_or(0, |level| level.1)
    }

    /// Levels are known when they end.
    pub(crate) fn begin_level(&mut self) {}

    pub(crate) fn copy(
        &mut self,
        depth: usize,
        places: Range<usize>,
        block: &mut Rows,
    ) -> Result<(), ExploreError> {
        block.clear();
        let first = self.levels[depth].0;
        self.states.read(first + places.start, places.len(), block)
    }

    /// Collects rows for the next level.
    pub(crate) fn insert(&mut self, rows: &Rows) -> Result<(), ExploreError> {
        for row in rows.iter() {
            self.piece.push(row);
            if self.piece.len() >= self.most {
                self.sort_piece()?;
            }
        }
        Ok(())
    }

    fn sort_piece(&mut self) -> Result<(), ExploreError> {
        let mut rows: Vec<&[u64]> = self.piece.iter().collect();
        rows.sort_unstable();
        rows.dedup();
        self.piece_parts.push((self.pieces.len(), rows.len()));
        rows.into_iter().try_for_each(|row| self.pieces.push(row))?;
        self.piece.clear();
        Ok(())
    }

    /// Makes the next level of what was collected. Says whether something of it is in an earlier level.
    pub(crate) fn end_level(&mut self) -> Result<bool, ExploreError> {
        self.sort_piece()?;
        let readers = self.parts.len() + self.piece_parts.len();
        let buffer = (self.most / readers.max(1)).clamp(16, 1 << 14);
        let cursor = |&(first, count): &(usize, usize)| Cursor::new(first, count, self.width, buffer);
        let mut before: Vec<Cursor> = self.parts.iter().map(cursor).collect();
        let mut new: Vec<Cursor> = self.piece_parts.iter().map(cursor).collect();
        let first = self.states.len();
        let mut turns_back = false;
        while let Some(row) = take_least(&mut new, &mut self.pieces)? {
            if is_among(&mut before, &mut self.states, &row)? {
                turns_back = true;
            } else {
                self.states.push(&row)?;
            }
        }
        let count = self.states.len() - first;
        self.levels.push((first, count));
        self.parts.push((first, count));
        self.pieces.clear()?;
        self.piece_parts.clear();
        Ok(turns_back)
    }
}

/// The least row of all; it is taken out wherever it is.
fn take_least(cursors: &mut [Cursor], file: &mut RowFile) -> Result<Option<Vec<u64>>, ExploreError> {
    let mut least: Option<Vec<u64>> = None;
    for cursor in cursors.iter_mut() {
        if let Some(row) = cursor.row(file)?
            && least.as_deref().is_none_or(|least| row < least)
        {
            least = Some(row.to_vec());
        }
    }
    if let Some(least) = &least {
        for cursor in cursors {
            if cursor.row(file)? == Some(&least[..]) {
                cursor.advance();
            }
        }
    }
    Ok(least)
}

/// Whether a row is in one of some parts. Rows must be asked for in order.
fn is_among(cursors: &mut [Cursor], file: &mut RowFile, wanted: &[u64]) -> Result<bool, ExploreError> {
    for cursor in cursors {
        while let Some(row) = cursor.row(file)? {
            match row.cmp(wanted) {
                std::cmp::Ordering::Less => cursor.advance(),
                std::cmp::Ordering::Equal => return Ok(true),
                std::cmp::Ordering::Greater => break,
            }
        }
    }
    Ok(false)
}
