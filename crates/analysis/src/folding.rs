//! What can be folded: forms of several lines, and comments of several lines.

use groundrules_gdl::Span;

use crate::reading::Reading;

/// What is folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A rule or fact, or a list inside one.
    Form,
    /// Lines of comments.
    Comment,
}

/// A part of the text that goes over several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The part.
    pub span: Span,
    /// What it is.
    pub kind: FoldKind,
}

/// What can be folded, in the order of the text.
pub fn folds(reading: &Reading) -> Vec<Fold> {
    let tree = reading.tree();
    let goes_over_lines = |span: Span| reading.slice(span).contains(['\n', '\r']);
    let forms = tree.forms().iter().map(|&form| tree.span(form)).filter(|&span| goes_over_lines(span));
    let mut folds: Vec<Fold> = forms.map(|span| Fold { span, kind: FoldKind::Form }).collect();
    let mut block: Option<Span> = None;
    for &comment in tree.comments() {
        block = Some(match block {
            Some(before) if follows(reading, before, comment) => {
                Span { start: before.start, end: comment.end }
            }
            before => {
                folds.extend(before.filter(|&span| goes_over_lines(span)).map(comment_fold));
                comment
            }
        });
    }
    folds.extend(block.filter(|&span| goes_over_lines(span)).map(comment_fold));
    folds.sort_by_key(|fold| fold.span);
    folds
}

fn comment_fold(span: Span) -> Fold {
    Fold { span, kind: FoldKind::Comment }
}

/// Whether a comment stands in the line below another, with nothing between them.
fn follows(reading: &Reading, before: Span, comment: Span) -> bool {
    let gap = reading.text().get(before.end as usize..comment.start as usize).unwrap_or("x");
    gap.trim().is_empty() && gap.matches('\n').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn forms_and_comments_are_folded() {
        let text = "; a\n; b\n\n; c\n(<= p\n  (q a))\n(r b)";
        let document = Document::new(text.to_owned());
        let found: Vec<(&str, FoldKind)> = folds(document.reading())
            .iter()
            .map(|fold| (document.reading().slice(fold.span), fold.kind))
            .collect();
        assert_eq!(found, [("; a\n; b", FoldKind::Comment), ("(<= p\n  (q a))", FoldKind::Form)]);
    }
}
