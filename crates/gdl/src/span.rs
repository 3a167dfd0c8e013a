//! Positions in a source text. A [`Span`] is a half-open range of byte offsets; [`Lines`] turns offsets into
//! lines and columns for people. Spans are four-byte offsets, so a text is limited to 4 GiB; the reader
//! refuses larger ones (see [`crate::Limits`]) before a span is ever made.

use serde::Serialize;

use crate::index::{END, index32};

/// The largest text that spans can point into.
pub const MOST_BYTES: usize = END - 1;

/// A half-open range of byte offsets in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: index32(start, "bytes"), end: index32(end, "bytes") }
    }

    /// The span as a range that can index a byte slice.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line and a column, both counted from one; the column counts characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines<'text> {
    text: &'text [u8],
    starts: Vec<u32>,
    /// How many characters begin before every so many bytes: lines can be as long as the text.
    characters: Vec<u32>,
}

/// The bytes between two counts of characters.
const BLOCK: usize = 4096;

impl<'text> Lines<'text> {
    /// Finds the lines of `text`; of one larger than [`MOST_BYTES`], which has no spans, those of its beginning.
    pub fn new(text: &'text [u8]) -> Self {
        let text = &text[..text.len().min(MOST_BYTES)];
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| Span::new(at + 1, at + 1).start));
        let mut characters = vec![0];
        for block in text.chunks(BLOCK) {
            let before = characters.last().copied().unwrap_or(0);
            characters.push(before + count_characters(block));
        }
        Lines { text, starts, characters }
    }

    fn characters_before(&self, offset: usize) -> u32 {
        let block = offset / BLOCK;
        self.characters[block] + count_characters(&self.text[block * BLOCK..offset])
    }

    /// The line and column of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(Span::new(self.text.len(), 0).start);
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let column =
            self.characters_before(offset as usize) - self.characters_before(self.starts[line] as usize) + 1;
        Position { line: Span::new(line + 1, 0).start, column }
    }
}

/// How many characters begin in some bytes of UTF-8: continuation bytes begin none.
fn count_characters(bytes: &[u8]) -> u32 {
    Span::new(bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count(), 0).start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let lines = Lines::new("a\nbé c\n".as_bytes());
        assert_eq!(lines.position(0), Position { line: 1, column: 1 });
        assert_eq!(lines.position(2), Position { line: 2, column: 1 });
        assert_eq!(lines.position(6), Position { line: 2, column: 4 });
        assert_eq!(lines.position(999), Position { line: 3, column: 1 });
        let long = "é".repeat(10_000);
        assert_eq!(Lines::new(long.as_bytes()).position(2 * 7_000), Position { line: 1, column: 7_001 });
    }
}
