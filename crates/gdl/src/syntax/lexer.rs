//! The five kinds of token of KIF: `(`, `)`, a word, a comment and white space. The lexer only finds where tokens
//! begin and end; whether a word is fit to be a symbol is the parser's concern.

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

    fn comment(&mut self, start: usize) -> Token {
        let rest = &self.text[start..];
        let len = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.at = start + len;
        Token::Comment(Span::new(start, self.at))
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
            Class::Semicolon => self.comment(start),
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
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(Lexer::new(b"\xEF\xBB\xBFa").collect::<Vec<_>>(), [Token::Word(Span::new(3, 4))]);
    }
}
