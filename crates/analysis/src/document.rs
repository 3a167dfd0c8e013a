//! A text that changes by edits. What is known of it is found out when first asked for, and again after an edit; no other
//! document is looked at.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::position::{LineIndex, Position, floor_boundary};
use crate::reading::Reading;

/// An open description.
#[derive(Debug)]
pub struct Document {
    text: Arc<str>,
    lines: LineIndex,
    reading: OnceLock<Arc<Reading>>,
}

impl Document {
    /// A document with this text.
    pub fn new(text: String) -> Self {
        let lines = LineIndex::new(&text);
        Document { text: text.into(), lines, reading: OnceLock::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines of the text.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        self.lines.offset(&self.text, position)
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// Replaces a part of the text. Ends outside the text, or inside a character, are moved to where they can be.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        let start = floor_boundary(&self.text, range.start);
        let end = floor_boundary(&self.text, range.end).max(start);
        let mut text = String::with_capacity(self.text.len() - (end - start) + new.len());
        text.push_str(&self.text[..start]);
        text.push_str(new);
        text.push_str(&self.text[end..]);
        *self = Document::new(text);
    }

    /// What is known of the text.
    pub fn reading(&self) -> &Arc<Reading> {
        self.reading.get_or_init(|| Arc::new(Reading::of(Arc::clone(&self.text))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_the_text_wherever_they_point() {
        let mut document = Document::new("aé".to_owned());
        document.edit(2..99, "b");
        assert_eq!(document.text(), "ab");
        #[allow(clippy::reversed_empty_ranges)]
        document.edit(2..1, "c");
        assert_eq!(document.text(), "abc");
    }
}
