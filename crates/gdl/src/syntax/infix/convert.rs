//! Writes a description in infix syntax as KIF, in the canonical layout and with its comments.

use super::parse_infix;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::format::format;
use crate::limits::Limits;
use crate::span::Span;
use crate::syntax::{NodeId, Tree};

/// Converts a description in infix syntax to KIF, or gives the faults that stand in the way. Comments inside a clause are
/// written before it.
///
/// ```
/// use groundrules_gdl::{Limits, syntax::infix_to_kif};
///
/// let kif = infix_to_kif(b"legal(W, noop) :- role(W) & ~true(control(W))", &Limits::default());
/// assert_eq!(kif.unwrap(), b"(<= (legal ?w noop)\n    (role ?w)\n    (not (true (control ?w))))\n");
/// ```
pub fn to_kif(text: &[u8], limits: &Limits) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::new(limits.diagnostics_per_code);
    let tree = parse_infix(text, limits, &mut diagnostics);
    if diagnostics.has_errors() {
        let mut faults = diagnostics.into_sorted();
        faults.retain(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(faults);
    }
    format(
        Writer { text, tree: &tree, out: Vec::with_capacity(text.len() * 2), end: 0 }.run().as_slice(),
        limits,
    )
}

struct Writer<'a> {
    text: &'a [u8],
    tree: &'a Tree,
    out: Vec<u8>,
    /// Where what was written last ends in the text.
    end: usize,
}

impl Writer<'_> {
    fn run(mut self) -> Vec<u8> {
        let mut comments = self.tree.comments().iter().copied().peekable();
        for &form in self.tree.forms() {
            let span = self.tree.span(form);
            while let Some(comment) = comments.next_if(|comment| comment.start < span.end) {
                self.comment(comment);
            }
            self.separate(span);
            self.node(form);
            self.end = span.end as usize;
        }
        comments.for_each(|comment| self.comment(comment));
        self.out.push(b'\n');
        self.out
    }

    /// Begins a new line, behind a blank one where the text has one.
    fn separate(&mut self, next: Span) {
        let gap = self.text.get(self.end..next.start as usize).unwrap_or_default();
        let lines = gap.iter().filter(|&&byte| byte == b'\n').count();
        self.out.extend_from_slice(if lines > 1 { b"\n\n" } else { b"\n" });
    }

    fn comment(&mut self, span: Span) {
        let gap = self.text.get(self.end..span.start as usize);
        let same_line = self.end > 0 && gap.is_some_and(|gap| !gap.contains(&b'\n'));
        if same_line {
            self.out.push(b' ');
        } else {
            self.separate(span);
        }
        let text = &self.text[span.range()];
        let inside = match text.strip_prefix(b"/*") {
            Some(block) => block.strip_suffix(b"*/").unwrap_or(block),
            None => text.trim_ascii_start().strip_prefix(b"%").unwrap_or(text),
        };
        for (number, line) in inside.trim_ascii_end().split(|&byte| byte == b'\n').enumerate() {
            self.out.extend_from_slice(if number == 0 { b";" } else { b"\n;" });
            self.out.extend_from_slice(line.trim_ascii_end());
        }
        self.end = self.end.max(span.end as usize);
    }

    /// Writes a node on one line. Its nesting is bounded by the parser.
    fn node(&mut self, node: NodeId) {
        if let Some(word) = self.tree.word(node) {
            return self.out.extend_from_slice(self.tree.symbols.spelling(word).as_bytes());
        }
        self.out.push(b'(');
        for (place, &member) in self.tree.children(node).iter().enumerate() {
            if place > 0 {
                self.out.push(b' ');
            }
            self.node(member);
        }
        self.out.push(b')');
    }
}
