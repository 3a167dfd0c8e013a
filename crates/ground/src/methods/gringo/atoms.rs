//! Reads atoms as gringo writes them, `true(cell(1,2,_x'2b'))`, back into terms of the game, without recursion.

use groundrules_gdl::symbol::{Symbol, Symbols};
use groundrules_gdl::term::{Term, TermId, Terms};

use super::names;

/// An atom: its predicate and the terms it is applied to.
pub(super) type Atom<'a> = (&'a str, Vec<TermId>);

/// Reads an atom over the names of the game, or says what is wrong with it.
pub(super) fn read<'a>(text: &'a [u8], symbols: &Symbols, terms: &mut Terms) -> Result<Atom<'a>, String> {
    let text = std::str::from_utf8(text).map_err(|_| String::from("an atom is not UTF-8"))?;
    let wrong = || format!("`{}` is not an atom of the game", shortened(text));
    let Some((predicate, rest)) = text.split_once('(') else { return Ok((text, Vec::new())) };
    let mut reader =
        TermReader { symbols, terms, open: Vec::new(), done: vec![Vec::new()], is_closed: false };
    let mut rest = rest;
    while let Some(end) = rest.find(['(', ')', ',']) {
        let (word, mark) = (&rest[..end], rest.as_bytes()[end]);
        rest = &rest[end + 1..];
        let arguments = reader.step(word, mark).ok_or_else(wrong)?;
        if let Some(arguments) = arguments {
            return if rest.is_empty() { Ok((predicate, arguments)) } else { Err(wrong()) };
        }
    }
    Err(wrong())
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

struct TermReader<'t> {
    symbols: &'t Symbols,
    terms: &'t mut Terms,
    /// The functions whose arguments are being read.
    open: Vec<Symbol>,
    /// The arguments read so far, of the atom and of each open function.
    done: Vec<Vec<TermId>>,
    /// Whether a closing bracket was just read: then the last argument is complete.
    is_closed: bool,
}

impl TermReader<'_> {
    /// Takes a word and the mark behind it; gives the atom's arguments when that ends it, and nothing at all if the word
    /// makes no sense.
    fn step(&mut self, word: &str, mark: u8) -> Option<Option<Vec<TermId>>> {
        if std::mem::replace(&mut self.is_closed, mark == b')') {
            if !word.is_empty() || mark == b'(' {
                return None;
            }
        } else if mark == b'(' {
            self.open.push(self.symbol(&names::name_of_functor(word)?)?);
            self.done.push(Vec::new());
            return Some(None);
        } else {
            let name = self.symbol(&names::name_of_constant(word)?)?;
            let term = self.terms.intern(Term::Constant(name));
            self.done.last_mut()?.push(term);
        }
        if mark == b',' {
            return Some(None);
        }
        let arguments = self.done.pop()?;
        let Some(function) = self.open.pop() else { return Some(Some(arguments)) };
        let term = self.terms.intern_function(function, &arguments);
        self.done.last_mut()?.push(term);
        Some(None)
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.find(name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known() -> Symbols {
        let mut symbols = Symbols::new();
        ["f", "g", "a", "1", "-5", "++", "01", "not"].iter().for_each(|name| {
            symbols.intern(name);
        });
        symbols
    }

    fn kif(text: &str) -> Result<String, String> {
        let (symbols, mut terms) = (known(), Terms::new());
        let (predicate, arguments) = read(text.as_bytes(), &symbols, &mut terms)?;
        let mut kif = String::from(predicate);
        for argument in arguments {
            kif.push(' ');
            terms.write_kif(argument, &symbols, &mut kif).unwrap();
        }
        Ok(kif)
    }

    #[test]
    fn atoms_come_back_as_terms() {
        for (text, expected) in [
            ("p", "p"),
            ("p(a)", "p a"),
            ("p(1,-5,_x01)", "p 1 -5 01"),
            ("p(f(a,g(1)),_x'2b''2b'(_xnot))", "p (f a (g 1)) (++ not)"),
            ("p(_x1(1))", "p (1 1)"),
        ] {
            assert_eq!(kif(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_is_no_atom_is_refused() {
        for text in [
            "p(",
            "p()",
            "p(a",
            "p(a,)",
            "p(,a)",
            "p(a,,a)",
            "p(a)a",
            "p(a))",
            "p(f(a)a)",
            "p(f(a)(a))",
            "p(f(a)",
            "p(b)",
            "p((a,a))",
            "p(\"a\")",
            "p(f())",
            "p(#inf)",
            "p(not)",
            "p(_x1)",
        ] {
            assert!(kif(text).is_err(), "{text}");
        }
        assert!(read(b"p(\xff)", &known(), &mut Terms::new()).is_err());
    }

    #[test]
    fn deep_terms_are_read_without_recursion() {
        let text = format!("p({}a{})", "f(".repeat(100_000), ")".repeat(100_000));
        let mut terms = Terms::new();
        let (_, arguments) = read(text.as_bytes(), &known(), &mut terms).unwrap();
        assert_eq!(terms.depth(arguments[0]), 100_000);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "p?[(][a,()1fg'_-]{0,30}") {
            let _ = kif(&text);
        }
    }
}
