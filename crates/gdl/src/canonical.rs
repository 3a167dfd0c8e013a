//! The canonical spelling of a term, by which terms are compared as text: lower case, one blank between words, and
//! `(k)` written as `k`. Every part of the program that looks a term up by its text (the moves of a match, the fluents
//! of a trace, the name of a role) goes through [`canonical`], so that they agree on what is the same term and on what
//! is no term at all.

use crate::symbol::fold_onto;
use crate::syntax::lexer::{Lexer, Token};

/// The canonical spelling of the one term that `text` holds; `None` if the text is not exactly one term.
///
/// A term is a word, or a list of a word and terms. An empty list, a list that begins with a list (`((f) 1)`) or with
/// a variable, unbalanced parentheses and two terms side by side are not terms. Comments count as white space.
///
/// ```
/// use groundrules_gdl::canonical;
///
/// assert_eq!(canonical(" ( Cell (K)  1 )").as_deref(), Some("(cell k 1)"));
/// assert_eq!(canonical("((f) 1)"), None);
/// ```
pub fn canonical(text: &str) -> Option<String> {
    let mut spelling = Spelling { out: String::with_capacity(text.len()), open: Vec::new(), is_whole: false };
    for token in Lexer::new(text.as_bytes()) {
        match token {
            Token::Open(_) => spelling.open_list()?,
            Token::Close(_) => spelling.close_list()?,
            Token::Word(span) => spelling.word(&text[span.range()])?,
            Token::Comment(_) => {}
        }
    }
    spelling.is_whole.then_some(spelling.out)
}

/// A term as far as it has been read. Each step gives nothing where the text cannot be a term any more.
struct Spelling {
    out: String,
    /// The lists that are open, innermost last.
    open: Vec<OpenList>,
    /// Whether a whole term has been read.
    is_whole: bool,
}

struct OpenList {
    /// Where its `(` stands in the spelling.
    at: usize,
    members: usize,
}

impl Spelling {
    /// Makes room for the next member of the innermost list, or for the term itself.
    fn begin_member(&mut self) -> Option<usize> {
        let Some(list) = self.open.last_mut() else { return (!self.is_whole).then_some(0) };
        if list.members > 0 {
            self.out.push(' ');
        }
        list.members += 1;
        Some(list.members - 1)
    }

    fn open_list(&mut self) -> Option<()> {
        let is_name = self.begin_member()? == 0 && !self.open.is_empty();
        if is_name {
            return None;
        }
        self.open.push(OpenList { at: self.out.len(), members: 0 });
        self.out.push('(');
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_name = self.begin_member()? == 0 && !self.open.is_empty();
        if is_name && word.starts_with('?') {
            return None;
        }
        fold_onto(word, &mut self.out);
        self.end_member();
        Some(())
    }

    fn close_list(&mut self) -> Option<()> {
        let list = self.open.pop()?;
        match list.members {
            0 => return None,
            1 => drop(self.out.remove(list.at)),
            _ => self.out.push(')'),
        }
        self.end_member();
        Some(())
    }

    fn end_member(&mut self) {
        self.is_whole = self.open.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_spelled(text: &str, expected: &str) {
        assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        assert_eq!(canonical(expected).as_deref(), Some(expected), "{expected} is canonical");
    }

    #[test]
    fn case_and_white_space_do_not_count() {
        assert_spelled("K", "k");
        assert_spelled("( Cell (K)  1 )", "(cell k 1)");
        assert_spelled("(f\t(g 1 2)\n(h 3 4))", "(f (g 1 2) (h 3 4))");
        assert_spelled("(mark É ?X)", "(mark é ?x)");
        assert_spelled("(f ; a comment)\n 1)", "(f 1)");
    }

    #[test]
    fn a_constant_in_parentheses_is_the_constant() {
        assert_spelled("(k)", "k");
        assert_spelled("(f (g (k)) h)", "(f (g k) h)");
        assert_spelled("(f (g (k) (l)) (h))", "(f (g k l) h)");
    }

    #[test]
    fn what_is_not_one_term_has_no_spelling() {
        for text in ["", " ", "; nothing", "()", "(f ())", "((f) 1)", "((k))", "(?x 1)", "(?x)"] {
            assert_eq!(canonical(text), None, "{text}");
        }
        for text in ["(f 1", "f)", "(f 1))", ")", "(", "a b", "(f 1) (g 2)", "(a) b"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn nesting_is_not_limited_by_the_stack() {
        let deep = "(s ".repeat(100_000) + "z x" + &")".repeat(100_000);
        assert!(canonical(&deep).is_some_and(|spelling| spelling.starts_with("(s (s (s ")));
    }
}
