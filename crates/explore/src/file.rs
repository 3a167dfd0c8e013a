//! Files of rows of fixed width: written at the end, read anywhere. They are temporary and have no name that outlives the
//! run.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use groundrules_machine::Rows;

use crate::error::ExploreError;

/// A file of rows.
#[derive(Debug)]
pub(crate) struct RowFile {
    file: File,
    /// For messages.
    folder: PathBuf,
    width: usize,
    /// Rows in the file, and those that wait to be written.
    written: usize,
    waiting: Vec<u8>,
    bytes: Vec<u8>,
}

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

impl RowFile {
    pub(crate) fn new(folder: &Path, width: usize) -> Result<Self, ExploreError> {
        let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
        let file = made.map_err(|cause| ExploreError::File { path: folder.to_owned(), cause })?;
        let (waiting, bytes) = (Vec::new(), Vec::new());
        Ok(RowFile { file, folder: folder.to_owned(), width, written: 0, waiting, bytes })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.written + self.waiting.len() / self.row_bytes()
    }

    fn row_bytes(&self) -> usize {
        self.width * size_of::<u64>()
    }

    fn at(&self, cause: io::Error) -> ExploreError {
        ExploreError::File { path: self.folder.clone(), cause }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &[u64]) -> Result<(), ExploreError> {
        assert_eq!(row.len(), self.width, "rows of a file have one width");
        self.waiting.extend(row.iter().flat_map(|word| word.to_le_bytes()));
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ExploreError> {
        let place = (self.written * self.row_bytes()) as u64;
        let written = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.write_all(&self.waiting));
        written.map_err(|cause| self.at(cause))?;
        self.written += self.waiting.len() / self.row_bytes();
        self.waiting.clear();
        Ok(())
    }

    /// Puts rows into a block, behind what is in it.
    pub(crate) fn read(&mut self, first: usize, count: usize, block: &mut Rows) -> Result<(), ExploreError> {
        if first + count > self.written {
            self.flush()?;
        }
        self.bytes.resize(count * self.row_bytes(), 0);
        let place = (first * self.row_bytes()) as u64;
        let read = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|cause| ExploreError::File { path: self.folder.clone(), cause })?;
        let (words, _) = self.bytes.as_chunks();
        let places = block.grow(count);
        assert_eq!(places.len(), words.len(), "the block has rows of another width");
        places.iter_mut().zip(words).for_each(|(place, &bytes)| *place = u64::from_le_bytes(bytes));
        Ok(())
    }

    /// Removes all rows.
    pub(crate) fn clear(&mut self) -> Result<(), ExploreError> {
        self.waiting.clear();
        self.written = 0;
        self.file.set_len(0).map_err(|cause| self.at(cause))
    }
}

/// Reads a part of a file row by row.
pub(crate) struct Cursor {
    next: usize,
    end: usize,
    block: Rows,
    place: usize,
    buffer: usize,
}

impl Cursor {
    /// A part of a file, read so many rows at a time.
    pub(crate) fn new(first: usize, count: usize, width: usize, buffer: usize) -> Self {
        Cursor {
            next: first,
            end: first + count,
            block: Rows::new(Some(width)),
            place: 0,
            buffer: buffer.max(1),
        }
    }

    /// The row it stands at; nothing behind the last.
    pub(crate) fn row(&mut self, file: &mut RowFile) -> Result<Option<&[u64]>, ExploreError> {
        if self.place == self.block.len() {
            self.block.clear();
            self.place = 0;
            let count = self.buffer.min(self.end - self.next);
            if count == 0 {
                return Ok(None);
            }
            file.read(self.next, count, &mut self.block)?;
            self.next += count;
        }
        Ok(Some(self.block.row(self.place)))
    }

    /// Goes on to the next row.
    pub(crate) fn advance(&mut self) {
        self.place += 1;
    }
}
