//! The five kinds of token of KIF: `(`, `)`, a word, a comment and white space. A comment runs from `;` to the end of its
//! line, or from `#|` at the beginning of a token to the `|#` that matches it: block comments nest. The lexer only finds
//! where tokens begin and end; whether a word is fit to be a symbol is the parser's concern.

use crate::span::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open(usize),
    Close(usize),
    Word(Span),
    Comment(Span),
}

/// A cursor over the bytes of a text.
pub(crate) struct Lexer<'text> {
    text: &'text [u8],
    at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Open,
    Close,
    Semicolon,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Word; 256];
    let spaces = [b' ', b'\t', b'\n', b'\r', 0x0B, 0x0C];
    let mut i = 0;
    while i < spaces.len() {
        table[spaces[i] as usize] = Class::Space;
        i += 1;
    }
    table[b'(' as usize] = Class::Open;
    table[b')' as usize] = Class::Close;
    table[b';' as usize] = Class::Semicolon;
    table
}

impl<'text> Lexer<'text> {
    /// A lexer at the beginning of `text`; a byte order mark is passed over.
    pub(crate) fn new(text: &'text [u8]) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Lexer { text, at }
    }

    fn class_at(&self, at: usize) -> Option<Class> {
        self.text.get(at).map(|&byte| CLASSES[byte as usize])
    }

    fn word(&mut self, start: usize) -> Token {
        while self.class_at(self.at) == Some(Class::Word) {
            self.at += 1;
        }
        Token::Word(Span::new(start, self.at))
    }

    fn line_comment(&mut self, start: usize) -> Token {
        let rest = &self.text[start..];
        let len = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.at = start + len;
        Token::Comment(Span::new(start, self.at))
    }
}

/// Whether a comment that begins with `#|` has the `|#` that ends it.
pub(crate) fn is_closed(comment: &[u8]) -> bool {
    block_comment(comment).is_some_and(|len| len == comment.len())
}

/// How long the block comment is with which a text begins; nothing if it does not end.
fn block_comment(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'#', b'|', text.get(at..)?)?;
        match text.get(at..at + 2)? {
            b"#|" => depth += 1,
            b"|#" if depth == 1 => return Some(at + 2),
            b"|#" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while self.class_at(self.at)? == Class::Space {
            self.at += 1;
        }
        let start = self.at;
        let class = self.class_at(start)?;
        self.at += 1;
        Some(match class {
            Class::Open => Token::Open(start),
            Class::Close => Token::Close(start),
            Class::Semicolon => self.line_comment(start),
            Class::Word if self.text[start..].starts_with(b"#|") => {
                let rest = &self.text[start..];
                self.at = start + block_comment(rest).unwrap_or(rest.len());
                Token::Comment(Span::new(start, self.at))
            }
            Class::Word | Class::Space => self.word(start),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_exact_places() {
        let tokens: Vec<_> = Lexer::new(b"(a ?b;c)\r\n)x").collect();
        let word = |start, end| Token::Word(Span::new(start, end));
        let comment = Token::Comment(Span::new(5, 8));
        assert_eq!(tokens, [Token::Open(0), word(1, 2), word(3, 5), comment, Token::Close(10), word(11, 12)]);
    }

    #[test]
    fn block_comments_nest() {
        let tokens = |text: &str| Lexer::new(text.as_bytes()).collect::<Vec<_>>();
        let (word, comment) = (|s, e| Token::Word(Span::new(s, e)), |s, e| Token::Comment(Span::new(s, e)));
        assert_eq!(tokens("#|a|#b"), [comment(0, 5), word(5, 6)]);
        assert_eq!(tokens("#| #| ) |# ; |#\nb"), [comment(0, 15), word(16, 17)]);
        assert_eq!(tokens("#|| |##||#"), [comment(0, 6), comment(6, 10)]);
        assert_eq!(tokens("a#|b #|#"), [word(0, 4), comment(5, 8)], "inside a word it begins no comment");
        assert_eq!(
            ["#||#", "#|#", "#|", "#|#||#"].map(|text| is_closed(text.as_bytes())),
            [true, false, false, false]
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(Lexer::new(b"\xEF\xBB\xBFa").collect::<Vec<_>>(), [Token::Word(Span::new(3, 4))]);
    }
}
