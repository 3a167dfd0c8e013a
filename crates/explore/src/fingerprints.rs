//! States by fingerprint: 64 bits of each in memory, the rows in a temporary file, where they are only read level by level.
//! Two states with the same fingerprint are taken for one, so a state may be missed: among n states that happens with a
//! probability of at most n² / 2⁶⁵ ([`error_probability`]).

use std::ops::Range;
use std::path::Path;

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::file::RowFile;

/// The probability that among so many states two have the same fingerprint, at most.
pub fn error_probability(states: u64) -> f64 {
    (states as f64).powi(2) / 2_f64.powi(65)
}

/// States by fingerprint.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    width: usize,
    rows: RowFile,
    /// The first row of each level.
    levels: Vec<usize>,
    /// Fingerprints, zero where there is none, and the levels of their states, as far as a byte can tell.
    slots: Vec<u64>,
    depths: Vec<u8>,
    len: usize,
}

/// Slots behind the last place.
const MARGIN: usize = 64;

impl Fingerprints {
    /// No states yet; rows go to a file in a folder.
    pub(crate) fn new(folder: &Path, width: Option<usize>) -> Result<Self, ExploreError> {
        let width = width.ok_or(ExploreError::NoFixedWidth)?;
        let rows = RowFile::new(folder, width)?;
        let (slots, depths) = (vec![0; 1024 + MARGIN], vec![0; 1024 + MARGIN]);
        Ok(Fingerprints { width, rows, levels: Vec::new(), slots, depths, len: 0 })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * 9
    }

    pub(crate) fn level_len(&self, depth: usize) -> usize {
        let start = |depth: usize| self.levels.get(depth).copied().unwrap_or(self.len);
        start(depth + 1) - start(depth)
    }

    pub(crate) fn begin_level(&mut self) {
        self.levels.push(self.len);
    }

    pub(crate) fn copy(
        &mut self,
        depth: usize,
        places: Range<usize>,
        block: &mut Rows,
    ) -> Result<(), ExploreError> {
        block.clear();
        let first = self.levels[depth];
        self.rows.read(first + places.start, places.len(), block)
    }

    /// Adds rows; says whether one was in an earlier level, or may have been.
    pub(crate) fn insert(&mut self, rows: &Rows, hashes: &[u64]) -> Result<bool, ExploreError> {
        let deepest = self.levels.len().saturating_sub(1);
        // A byte cannot tell levels apart from here on: every state that comes again may have been in an earlier one.
        let now = u8::try_from(deepest).unwrap_or(u8::MAX);
        let mut turns_back = false;
        for (row, &hash) in rows.iter().zip(hashes) {
            if (self.len + 1) * 4 > (self.slots.len() - MARGIN) * 3 {
                self.spread();
            }
            let fingerprint = hash.max(1);
            let mut place = self.place(fingerprint);
            while self.slots.get(place).is_some_and(|&slot| slot != 0 && slot != fingerprint) {
                place += 1;
            }
            if self.slots.get(place) == Some(&fingerprint) {
                turns_back |= self.depths[place] < now || now == u8::MAX;
                continue;
            }
            self.put(place, fingerprint, now);
            self.rows.push(row)?;
            self.len += 1;
        }
        Ok(turns_back)
    }

    fn place(&self, fingerprint: u64) -> usize {
        (((fingerprint >> 32) * (self.slots.len() - MARGIN) as u64) >> 32) as usize
    }

    fn put(&mut self, place: usize, fingerprint: u64, depth: u8) {
        if place >= self.slots.len() {
            // Only what overflows behind the last place; the places stay where they are until all is spread again.
            self.spread();
            let mut place = self.place(fingerprint);
            while self.slots[place] != 0 {
                place += 1;
            }
            (self.slots[place], self.depths[place]) = (fingerprint, depth);
            return;
        }
        (self.slots[place], self.depths[place]) = (fingerprint, depth);
    }

    /// Puts everything into a larger table. Fingerprints are sorted, so one pass over both suffices.
    fn spread(&mut self) {
        let places = (self.slots.len() - MARGIN) / 2 * 3;
        let old = std::mem::replace(&mut self.slots, vec![0; places + MARGIN]);
        let depths = std::mem::replace(&mut self.depths, vec![0; places + MARGIN]);
        for (fingerprint, depth) in old.into_iter().zip(depths).filter(|(fingerprint, _)| *fingerprint != 0) {
            let mut place = self.place(fingerprint);
            while self.slots.get(place).is_some_and(|&slot| slot != 0) {
                place += 1;
            }
            self.put(place, fingerprint, depth);
        }
    }
}
