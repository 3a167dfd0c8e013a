//! Colours by meaning: what each word is, so that a role looks different from a fluent of the same spelling.

use groundrules_gdl::Span;

use crate::names::{Kind, Name};
use crate::reading::Reading;

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word that names something.
    Name(Kind),
    /// A constant that is a number.
    Number,
    /// A comment.
    Comment,
}

/// A piece of the text with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands; never across lines.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// A rule for it begins here.
    pub defines: bool,
    /// No state decides it.
    pub is_static: bool,
}

/// The words and comments within a range, in order.
pub fn within(reading: &Reading, range: std::ops::Range<usize>) -> Vec<Token> {
    let (tree, names, relations) = (reading.tree(), reading.names(), reading.relations());
    let is_inside = |span: Span| (span.start as usize) < range.end && range.start < span.end as usize;
    let words = names.occurrences().iter().filter(|word| is_inside(word.span)).map(|word| {
        let kind = names.kind(word.name);
        let number =
            kind == Kind::Constant && reading.slice(word.span).bytes().all(|byte| byte.is_ascii_digit());
        Token {
            span: word.span,
            kind: if number { TokenKind::Number } else { TokenKind::Name(kind) },
            defines: word.defines && kind != Kind::Keyword,
            is_static: matches!(names.name(word.name), Name::Relation(..))
                && !relations.is_dynamic(word.name),
        }
    });
    let comments =
        tree.comments().iter().filter(|&&span| is_inside(span)).flat_map(|&span| lines(reading, span));
    let mut tokens: Vec<Token> = words.chain(comments).collect();
    tokens.sort_by_key(|token| token.span);
    tokens
}

/// A comment, cut at line ends: tokens of editors do not go across.
fn lines(reading: &Reading, span: Span) -> impl Iterator<Item = Token> {
    let text = reading.slice(span);
    let base = text.as_ptr() as usize;
    text.split(['\n', '\r']).filter(|line| !line.is_empty()).map(move |line| {
        let start = span.start as usize + (line.as_ptr() as usize - base);
        Token {
            span: Span::new(start, start + line.len()),
            kind: TokenKind::Comment,
            defines: false,
            is_static: false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn words_and_comments_are_tokens() {
        let document = Document::new("(role a) ; x\n(n 7)".to_owned());
        let tokens = within(document.reading(), 0..99);
        let kinds: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
        assert_eq!(
            kinds,
            [
                TokenKind::Name(Kind::Keyword),
                TokenKind::Name(Kind::Role),
                TokenKind::Comment,
                TokenKind::Name(Kind::Relation),
                TokenKind::Number
            ]
        );
        assert!(tokens[3].is_static && tokens[3].defines);
        assert_eq!(within(document.reading(), 13..99).len(), 2);
    }
}
