//! Changes of a text that mend what a diagnostic is about, where the check that reports it knows the right text. They
//! are data: editors offer them, and [`apply`] carries them out. Layout is left to `format`, and rewriting that needs
//! nothing but the shape of the text to the crate `analysis`.

use serde::Serialize;

use crate::span::Span;

/// The text of a span is replaced by another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// What is replaced; an empty span is a place where text is inserted.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Replaces the text of a span.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Edit { span, text: text.into() }
    }

    /// Removes the text of a span.
    pub fn remove(span: Span) -> Self {
        Edit { span, text: String::new() }
    }

    /// Inserts text at an offset.
    pub fn insert(at: u32, text: impl Into<String>) -> Self {
        Edit { span: Span { start: at, end: at }, text: text.into() }
    }
}

/// A way to mend what a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What it does, as an imperative: "remove the fact".
    pub title: String,
    /// The edits, in the order of the text; they do not overlap.
    pub edits: Vec<Edit>,
    /// The description means the same afterwards, and this is surely wanted: it may be applied without a question.
    pub safe: bool,
}

impl Fix {
    /// A fix that somebody has to choose.
    pub fn new(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Fix { title: title.into(), edits, safe: false }
    }

    /// A fix that keeps the meaning of the description.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Fix { title: title.into(), edits, safe: true }
    }
}

/// Applies edits to a text. Edits that overlap one before them, or do not fit the text, are left out.
pub fn apply(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut order: Vec<&Edit> = edits.iter().collect();
    order.sort_by_key(|edit| edit.span);
    let mut out = Vec::with_capacity(text.len());
    let mut done = 0;
    for edit in order {
        let range = edit.span.range();
        if range.start < done || range.end > text.len() || range.start > range.end {
            continue;
        }
        out.extend_from_slice(&text[done..range.start]);
        out.extend_from_slice(edit.text.as_bytes());
        done = range.end;
    }
    out.extend_from_slice(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    /// The text after the first fix of the first diagnostic with a code.
    fn fixed(text: &str, code: &str) -> String {
        let checked = check(text);
        let found = checked.diagnostics.iter().find(|found| found.code.id == code);
        let found = found.unwrap_or_else(|| panic!("no {code} in {:?}", checked.diagnostics));
        let fix = found.fixes.first().unwrap_or_else(|| panic!("no fix for {code}"));
        String::from_utf8(apply(text.as_bytes(), &fix.edits)).expect("UTF-8")
    }

    #[test]
    fn edits_that_overlap_or_do_not_fit_are_left_out() {
        let edits = [
            Edit::replace(Span::new(2, 4), "x"),
            Edit::remove(Span::new(3, 5)),
            Edit::insert(0, "<"),
            Edit::remove(Span::new(5, 99)),
        ];
        assert_eq!(apply(b"abcdef", &edits), b"<abxef");
    }

    #[test]
    fn parentheses_are_mended() {
        assert_eq!(
            fixed("(role a)\n(<= (p ?x) (q ?x ; why\n(role b)", "G101"),
            "(role a)\n(<= (p ?x) (q ?x)) ; why\n(role b)"
        );
        assert_eq!(fixed("(role a))\n(role b)", "G102"), "(role a)\n(role b)");
        assert_eq!(fixed("(<= p (q a))\n   (r b))", "G102"), "(<= p (q a)\n   (r b))");
        assert_eq!(fixed("(<= p ())", "G107"), "(<= p )");
    }

    #[test]
    fn spellings_are_mended() {
        assert_eq!(
            fixed("(role White)\n(init (control white))", "G109"),
            "(role White)\n(init (control White))"
        );
        assert_eq!(fixed("(role\u{A0}white)", "G103"), "(role white)");
    }

    #[test]
    fn forms_are_mended() {
        assert_eq!(fixed("(p 1) (p 1)", "G211"), "(p 1) ");
        assert_eq!(fixed("(role a) (role a)", "G212"), "(role a) ");
        assert_eq!(fixed("(<= (next x) (next y))", "G202"), "(<= (next x) (true y))");
        assert_eq!(fixed("(<= (true x) (true y))", "G202"), "(<= (next x) (true y))");
    }

    #[test]
    fn variables_are_mended() {
        assert_eq!(fixed("(role a) (legal ?r go)", "G301"), "(role a) (<= (legal ?r go) (role ?r))");
        assert_eq!(
            fixed("(<= (goal ?r 0) (not (true x)))", "G301"),
            "(<= (goal ?r 0) (role ?r) (not (true x)))"
        );
        assert_eq!(
            fixed("(<= (p ?plyer) (q ?player ?player))", "G301"),
            "(<= (p ?player) (q ?player ?player))"
        );
        assert_eq!(
            fixed("(<= (p ?player) (q ?player) (r ?plyer))", "G302"),
            "(<= (p ?player) (q ?player) (r ?player))"
        );
    }

    #[test]
    fn names_are_mended_wherever_they_stand() {
        let text = "(adjacent 1 2) (<= (p ?x) (adjacnt ?x ?_y)) (<= (q ?x) (adjacnt ?x ?_y))";
        assert_eq!(fixed(text, "G510"), text.replace("adjacnt", "adjacent"));
        let text = "(init (control a)) (<= terminal (control a)) (<= p (not (control a)))";
        let right = "(init (control a)) (<= terminal (true (control a))) (<= p (not (true (control a))))";
        assert_eq!(fixed(text, "G510"), right);
        assert_eq!(
            fixed("(init (cell 1)) (<= p (true (cel 1)))", "G511"),
            "(init (cell 1)) (<= p (true (cell 1)))"
        );
        assert_eq!(fixed("(role white) (legal wite go)", "G508"), "(role white) (legal white go)");
        assert_eq!(fixed("(a 1) (b 1) (<= terminal (b 1))", "G513"), " (b 1) (<= terminal (b 1))");
        let text = "(base (on a)) (input w go) (legal w go) (init (on b))";
        assert_eq!(fixed(text, "G514"), text.replace("(input", "(base (on b)) (input"));
    }

    #[test]
    fn a_safe_fix_takes_its_diagnostic_away() {
        for code in crate::codes::all().into_iter().filter(|code| !code.wrong.is_empty()) {
            for found in check(code.wrong).diagnostics.iter().filter(|found| found.code == code) {
                for fix in found.fixes.iter().filter(|fix| fix.safe) {
                    let text = apply(code.wrong.as_bytes(), &fix.edits);
                    let again = crate::read(&text, &crate::Options::default());
                    let gone = again
                        .diagnostics
                        .iter()
                        .all(|other| other.code != code || other.span() != found.span());
                    assert!(gone, "{}: {}", code.id, String::from_utf8_lossy(&text));
                }
            }
        }
    }
}
