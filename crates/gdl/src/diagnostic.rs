//! What the reader and the checks have to say about a description: data, never text on a terminal. A
//! [`Diagnostic`] carries a stable [`Code`], a sentence, labelled spans and help; drawing it is left to the
//! program. [`Diagnostics`] collects them and bounds how many of one code are kept, so that a hostile file cannot
//! fill the memory with complaints.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::fix::Fix;
use crate::span::Span;

/// How much a diagnostic weighs. A description with an error is not GDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The description is not valid GDL.
    Error,
    /// Valid, but probably not what the author meant.
    Warning,
    /// A fact worth knowing.
    Note,
}

impl Severity {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A kind of diagnostic: its stable identifier and its long text for `groundrules explain`.
#[derive(Debug)]
pub struct Code {
    /// The identifier, for example `G301`. Never reused for another meaning.
    pub id: &'static str,
    /// The severity, unless a lenient reading lowers it.
    pub severity: Severity,
    /// The diagnostic in a few words.
    pub title: &'static str,
    /// Why this is reported and what to do about it.
    pub explanation: &'static str,
    /// A description that gets this diagnostic.
    pub wrong: &'static str,
    /// The same, mended.
    pub right: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// A place in the source with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there; may be empty.
    pub text: String,
}

/// One thing found in a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The kind.
    pub code: &'static Code,
    /// The weight here.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// Where: the first label is the main one.
    pub labels: Vec<Label>,
    /// What to write instead, or what else to know.
    pub help: Vec<String>,
    /// Changes of the text that mend it, the most likely first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic about the place `span`.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.severity,
            message: clipped(message.into()),
            labels: vec![Label { span, text: String::new() }],
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Says what is to be seen at the main place.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = clipped(text.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: clipped(text.into()) });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(clipped(text.into()));
        self
    }

    /// Adds a change of the text that mends it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Changes the weight.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The main place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// In the order of the text; what is about no place in particular comes last.
    fn order(&self) -> (bool, Span, &'static str) {
        let span = self.span();
        (span.start == span.end, span, self.code.id)
    }
}

/// The text, or its beginning where it is long: messages quote terms, and a stranger's term may fill megabytes.
fn clipped(mut text: String) -> String {
    const LONGEST: usize = 400;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The diagnostics of one description, at most so many of each code.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    counts: BTreeMap<&'static str, usize>,
    errors: usize,
    most_per_code: usize,
}

impl Diagnostics {
    /// An empty collection that keeps at most `most_per_code` diagnostics of a code.
    pub fn new(most_per_code: usize) -> Self {
        Diagnostics { list: Vec::new(), counts: BTreeMap::new(), errors: 0, most_per_code }
    }

    /// Adds a diagnostic, or only counts it when its code has had its share.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        let count = self.counts.entry(diagnostic.code.id).or_default();
        *count += 1;
        if *count <= self.most_per_code {
            self.list.push(diagnostic);
        }
    }

    /// Adds the diagnostic that `build` makes, or only counts it when its code has had its share. For diagnostics that
    /// take work to make: a text can call for very many.
    pub fn push_with(&mut self, code: &'static Code, severity: Severity, build: impl FnOnce() -> Diagnostic) {
        if self.is_full(code) {
            self.errors += usize::from(severity == Severity::Error);
            *self.counts.entry(code.id).or_default() += 1;
        } else {
            self.push(build().severity(severity));
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Diagnostics::new(self.most_per_code);
    }

    /// Takes over what another collection holds.
    pub fn append(&mut self, other: Diagnostics) {
        let omitted = other.omitted();
        other.list.into_iter().for_each(|diagnostic| self.push(diagnostic));
        for (code, count) in omitted {
            *self.counts.entry(code).or_default() += count;
        }
    }

    /// Whether further diagnostics of this code would only be counted; lets a check skip costly advice.
    pub fn is_full(&self, code: &'static Code) -> bool {
        self.counts.get(code.id).is_some_and(|&count| count >= self.most_per_code)
    }

    /// Whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The message of the first error in the order of the text.
    pub fn first_error(&self) -> Option<String> {
        let errors = self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.min_by_key(|diagnostic| diagnostic.order()).map(|diagnostic| diagnostic.message.clone())
    }

    /// How many of a code were found beyond those kept, for each code with any.
    pub fn omitted(&self) -> BTreeMap<&'static str, usize> {
        let over = |&count: &usize| count.checked_sub(self.most_per_code).filter(|&over| over > 0);
        self.counts.iter().filter_map(|(&code, count)| Some((code, over(count)?))).collect()
    }

    /// The diagnostics kept, in the order of their places.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(Diagnostic::order);
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CODE: Code =
        Code { id: "G000", severity: Severity::Error, title: "", explanation: "", wrong: "", right: "" };

    #[test]
    fn a_flood_is_counted_not_kept() {
        let mut diagnostics = Diagnostics::new(2);
        for at in (0..5).rev() {
            diagnostics.push(Diagnostic::new(&CODE, Span::new(at, at + 1), "x"));
        }
        assert!(diagnostics.has_errors() && diagnostics.is_full(&CODE));
        assert_eq!(diagnostics.omitted(), BTreeMap::from([("G000", 3)]));
        let kept = diagnostics.into_sorted();
        assert_eq!(kept.iter().map(|d| d.span().start).collect::<Vec<_>>(), [3, 4]);
    }
}
