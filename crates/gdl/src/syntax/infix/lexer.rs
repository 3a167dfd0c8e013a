//! The tokens of infix syntax. What is no token of it is an [`Kind::Other`], which the parser reports where it stands.

use crate::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Open,
    Close,
    Comma,
    /// `:-` or `<=`.
    Implies,
    /// `&`.
    And,
    /// `|` or `;`.
    Or,
    /// `~`, `\+`, or the word `not` before a literal.
    Not,
    /// `!=`, `\=` or `\==`.
    Differs,
    /// `.`, which may end a clause.
    Stop,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The operators, longer ones before their beginnings.
const OPERATORS: [(&[u8], Kind); 15] = [
    (b":-", Kind::Implies),
    (b"<=", Kind::Implies),
    (b"\\==", Kind::Differs),
    (b"\\=", Kind::Differs),
    (b"!=", Kind::Differs),
    (b"\\+", Kind::Not),
    (b"~", Kind::Not),
    (b"&", Kind::And),
    (b"|", Kind::Or),
    (b";", Kind::Or),
    (b",", Kind::Comma),
    (b"(", Kind::Open),
    (b")", Kind::Close),
    (b".", Kind::Stop),
    (b"\xEF\xBB\xBF", Kind::Other),
];

/// The tokens and the comments of a text.
pub(super) fn tokens(text: &[u8]) -> (Vec<Token>, Vec<Span>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        if byte.is_ascii_whitespace() || byte == 0x0B {
            at += 1;
        } else if let Some(len) = comment(rest) {
            comments.push(Span::new(at, at + len));
            at += len;
        } else {
            let (kind, len) = token(rest);
            tokens.push(Token { kind, span: Span::new(at, at + len) });
            at += len;
        }
    }
    (tokens, comments)
}

/// The length of the comment at the beginning of a text. One that does not end takes the rest.
fn comment(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"%") {
        return Some(memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len()));
    }
    let inside = text.strip_prefix(b"/*")?;
    Some(memchr::memmem::find(inside, b"*/").map_or(text.len(), |at| at + 4))
}

fn token(text: &[u8]) -> (Kind, usize) {
    if let Some((operator, kind)) = OPERATORS.iter().find(|(operator, _)| text.starts_with(operator)) {
        return (*kind, operator.len());
    }
    if let Some(quoted) = text.strip_prefix(b"'") {
        let end = memchr::memchr2(b'\'', b'\n', quoted).filter(|&at| quoted[at] == b'\'');
        return end.map_or((Kind::Other, 1), |at| (Kind::Word, at + 2));
    }
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_?+-*$@".contains(byte) || !byte.is_ascii();
    match text.iter().take_while(is_word).count() {
        0 => (Kind::Other, 1),
        // `not p(X)`, `not(p(X))`.
        3 if text[..3].eq_ignore_ascii_case(b"not") => (Kind::Not, 3),
        len => (Kind::Word, len),
    }
}
