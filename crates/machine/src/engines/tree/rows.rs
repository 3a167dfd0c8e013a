//! The rows of an AND node between two merge operations: flat memory with a stride, used again and again. Here too is what
//! finds rows that came twice.

use crate::index::index32;

/// The rows at hand. The memory behind the last row is of no account: it is used again and never cleared.
#[derive(Debug)]
pub(super) struct Rows {
    cells: Vec<u32>,
    pub(super) count: usize,
    pub(super) width: usize,
}

impl Rows {
    /// No rows, in used memory.
    #[inline]
    pub(super) fn new(cells: Vec<u32>, width: usize) -> Self {
        Rows { cells, count: 0, width }
    }

    /// The memory, to be used again.
    pub(super) fn into_cells(self) -> Vec<u32> {
        self.cells
    }

    /// How many bytes the memory takes.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.cells.len() * 4
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.count).map(|row| self.row(row))
    }

    /// One more row, to be written.
    #[inline]
    pub(super) fn push(&mut self) -> &mut [u32] {
        let start = self.count * self.width;
        let end = start + self.width;
        if end > self.cells.len() {
            self.cells.resize((end * 2).max(64), 0);
        }
        self.count += 1;
        &mut self.cells[start..end]
    }

    /// One more row, made of columns of two others.
    #[inline]
    pub(super) fn push_joined(&mut self, left: &[u32], keep: &[usize], right: &[u32], take: &[usize]) {
        let row = self.push();
        for (cell, &slot) in row.iter_mut().zip(keep) {
            *cell = left[slot];
        }
        for (cell, &column) in row[keep.len()..].iter_mut().zip(take) {
            *cell = right[column];
        }
    }

    /// Takes the last row back.
    pub(super) fn pop(&mut self) {
        self.count -= 1;
    }

    /// A copy of some of the rows.
    pub(super) fn copy(&self, from: usize, to: usize, mut cells: Vec<u32>) -> Rows {
        cells.clear();
        cells.extend_from_slice(&self.cells[from * self.width..to * self.width]);
        Rows { cells, count: to - from, width: self.width }
    }

    /// Keeps the rows that pass.
    #[inline]
    pub(super) fn retain(&mut self, mut passes: impl FnMut(&[u32]) -> bool) {
        let mut kept = 0;
        for row in 0..self.count {
            if passes(self.row(row)) {
                if kept < row {
                    self.cells.copy_within(row * self.width..(row + 1) * self.width, kept * self.width);
                }
                kept += 1;
            }
        }
        self.count = kept;
    }
}

/// How often rows came twice at some step. After so many rows without one, nobody looks any more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sieve {
    pub(super) rows: u64,
    pub(super) removed: u64,
}

impl Sieve {
    const TRIAL: u64 = 2_000;

    pub(super) fn is_useless(&self) -> bool {
        self.rows > Self::TRIAL && self.removed * 8 < self.rows
    }
}

/// Scratch memory for finding equal rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: Vec<(u32, u32)>,
    generation: u32,
}

impl Places {
    /// Keeps the first of equal rows.
    pub(super) fn retain_first(&mut self, rows: &mut Rows) {
        if rows.width == 0 {
            rows.count = rows.count.min(1);
            return;
        }
        let size = (rows.count * 2).next_power_of_two().max(16);
        if self.places.len() < size {
            self.places = vec![(0, 0); size];
            self.generation = 0;
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.places.fill((0, 0));
            self.generation = 1;
        }
        let mask = self.places.len() - 1;
        let width = rows.width;
        let mut kept = 0;
        for row in 0..rows.count {
            let start = row * width;
            let mut slot = hash(&rows.cells[start..start + width]) as usize & mask;
            let is_new = loop {
                let (generation, other) = self.places[slot];
                if generation != self.generation {
                    break true;
                }
                let other = other as usize * width;
                if rows.cells[other..other + width] == rows.cells[start..start + width] {
                    break false;
                }
                slot = (slot + 1) & mask;
            };
            if is_new {
                self.places[slot] = (self.generation, index32(kept));
                rows.cells.copy_within(start..start + width, kept * width);
                kept += 1;
            }
        }
        rows.count = kept;
    }
}

fn hash(row: &[u32]) -> u64 {
    let mixed = row.iter().fold(0u64, |hash, &value| {
        (hash.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x517C_C1B7_2722_0A95)
    });
    mixed >> 24
}
