//! What is wrong with a machine's description. Faults are collected, never thrown, so that one run of the
//! reader finds them all. Places are turned into lines and columns at the end and in one sweep over the text:
//! a file may be a single line of many megabytes with a fault at every word, and counting each column afresh
//! would take hours.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::index::index32;
use crate::span::Span;

/// One thing that is wrong with a machine's description, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
    /// The bytes of the text that the fault is about; empty where something is missing altogether.
    pub span: Span,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// Why a text describes no machine: at least one fault, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}", one_a_line(faults))]
pub struct MachineError {
    faults: Vec<Fault>,
}

impl MachineError {
    /// The faults, in the order of the text.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

fn one_a_line(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

/// The faults found so far.
pub(super) struct Faults<'text> {
    text: &'text [u8],
    line_starts: Vec<usize>,
    found: Vec<(Range<usize>, String)>,
}

impl<'text> Faults<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let text = text.as_bytes();
        let line_starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1)).collect();
        Faults { text, line_starts, found: Vec::new() }
    }

    pub(super) fn push(&mut self, place: Range<usize>, message: impl Into<String>) {
        self.found.push((place, message.into()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The line of an offset, from one.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    pub(super) fn into_error(mut self) -> MachineError {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|(place, _)| place.start);
        let (mut at, mut column) = (0, 1);
        let mut faults = Vec::with_capacity(found.len());
        for (place, message) in found {
            let start = place.start.min(self.text.len());
            let line = self.line(start);
            let line_start = self.line_starts[line - 1];
            if line_start > at {
                (at, column) = (line_start, 1);
            }
            // Continuation bytes of UTF-8 do not begin a character.
            column += self.text[at..start].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
            at = start;
            let span = Span::new(start, place.end.clamp(start, self.text.len()));
            faults.push(Fault {
                line: index32(line, "lines"),
                column: index32(column, "columns"),
                span,
                message,
            });
        }
        MachineError { faults }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_sorted_and_counted_in_characters() {
        let mut faults = Faults::new("é = 1\n\nab é x\n");
        for (start, end) in [(14, 15), (0, 2), (8, 10), (3, 4), (99, 120)] {
            faults.push(start..end, "x");
        }
        assert_eq!((faults.line(0), faults.line(6), faults.line(7), faults.line(8)), (1, 1, 2, 3));
        let error = faults.into_error();
        let places: Vec<_> = error.faults().iter().map(|fault| (fault.line, fault.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (3, 1), (3, 6), (4, 1)]);
        assert_eq!(error.to_string().lines().next(), Some("line 1, column 1: x"));
    }

    #[test]
    fn a_long_line_full_of_faults_is_placed_in_one_sweep() {
        let text = "é".repeat(400_000);
        let mut faults = Faults::new(&text);
        (0..400_000).rev().for_each(|index| faults.push(2 * index..2 * index + 2, ""));
        let error = faults.into_error();
        assert_eq!(error.faults().last().map(|fault| (fault.line, fault.column)), Some((1, 400_000)));
    }
}
