//! Append-only rows: the states of a worker in the order in which they were found. They are stored in chunks, so that
//! growing moves no data and wastes little memory.

use groundrules_machine::Rows;

/// Rows in a chunk, a power of two.
const CHUNK: usize = 1 << 13;

/// Rows in the order in which they were added.
#[derive(Debug)]
pub(crate) struct Arena {
    width: Option<usize>,
    chunks: Vec<Rows>,
    len: usize,
}

impl Arena {
    /// No rows yet, of so many words each.
    pub(crate) fn new(width: Option<usize>) -> Self {
        Arena { width, chunks: Vec::new(), len: 0 }
    }

    /// How many words a row has, if all have the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn row(&self, index: usize) -> &[u64] {
        self.chunks[index / CHUNK].row(index % CHUNK)
    }

    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, row: &[u64]) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Rows::with_capacity(self.width, CHUNK));
        }
        self.chunks.last_mut().expect("a chunk with room was added").push(row);
        self.len += 1;
    }

    /// How many bytes are held.
    pub(crate) fn bytes(&self) -> usize {
        // Full chunks are alike where rows have a fixed width.
        match self.width {
            Some(width) => self.chunks.len() * CHUNK * width * size_of::<u64>(),
            None => self.chunks.iter().map(Rows::bytes).sum(),
        }
    }
}
