//! Lines and columns as editors count them: from zero, columns in UTF-16 code units. This is the only place that
//! converts; everything else speaks of byte offsets.

use groundrules_gdl::Span;
use groundrules_gdl::index::index32;

/// A place in a text as editors count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from zero.
    pub line: u32,
    /// The column in UTF-16 code units, from zero.
    pub column: u32,
}

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends_line {
                starts.push(index32(at + 1, "bytes"));
            }
        }
        LineIndex { starts }
    }

    /// How many lines there are: one more than there are line ends.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no line; there always is one.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The line of an offset.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    /// Where a line begins; one behind the last begins at the end of the text.
    pub fn start(&self, line: usize, text: &str) -> usize {
        self.starts.get(line).map_or(text.len(), |&start| start as usize)
    }

    /// Where the text of a line ends, without its line end.
    pub fn end(&self, line: usize, text: &str) -> usize {
        let (start, next) = (self.start(line, text), self.start(line + 1, text));
        start + text[start..next].trim_end_matches(['\n', '\r']).len()
    }

    /// The position of an offset. One past the end, or inside a character, counts as the character's beginning.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = floor_boundary(text, offset);
        let line = self.line(offset);
        let before = &text[self.start(line, text)..offset];
        let column = before.chars().map(char::len_utf16).sum();
        Position { line: index32(line, "lines"), column: index32(column, "columns") }
    }

    /// The offset of a position. A column past the end of its line is the end of the line, a line past the end the end of
    /// the text, and the middle of a pair of surrogates the beginning of the character.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return text.len();
        }
        let (start, end) = (self.start(line, text), self.end(line, text));
        let mut column = 0;
        for (at, character) in text[start..end].char_indices() {
            column += character.len_utf16();
            if column > position.column as usize {
                return start + at;
            }
        }
        end
    }
}

/// The greatest character boundary that is not beyond an offset.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Whether an offset is inside a span or at one of its ends.
pub(crate) fn touches(span: Span, offset: usize) -> bool {
    span.start as usize <= offset && offset <= span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16() {
        let text = "a𝄞b\r\né\rz";
        let lines = LineIndex::new(text);
        let at = |line, column| Position { line, column };
        assert_eq!(lines.len(), 3);
        assert_eq!(lines.position(text, text.find('b').unwrap()), at(0, 3));
        assert_eq!(lines.offset(text, at(0, 3)), 5);
        assert_eq!(lines.offset(text, at(0, 2)), 1, "the middle of a character");
        assert_eq!(lines.offset(text, at(0, 99)), 6);
        assert_eq!(lines.offset(text, at(99, 0)), text.len());
        assert_eq!(lines.position(text, 999), at(2, 1));
        for offset in (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)) {
            if text.as_bytes().get(offset) != Some(&b'\n') {
                assert_eq!(lines.offset(text, lines.position(text, offset)), offset);
            }
        }
    }
}
