//! The names of a description while it is read: which are states, which are symbols, which may have been
//! meant, and which cannot be written in GDL at all.

use std::ops::Range;

use super::machine::id;
use crate::limits::Limits;
use crate::nearest::nearest;
use crate::symbol::{Symbol, Symbols, is_invisible};

/// What a name is the name of. The two kinds are numbered apart, and a name may be of both.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    State,
    Symbol,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::State => "state",
            Kind::Symbol => "symbol",
        }
    }
}

/// A string of the description and its place.
pub(super) struct Word<'d> {
    pub(super) text: &'d str,
    pub(super) place: Range<usize>,
}

/// The names defined so far.
#[derive(Default)]
pub(super) struct Names {
    pub(super) table: Symbols,
    /// Where each name was first defined, by the name's index.
    defined_at: Vec<usize>,
    /// The number that each name has as a state and as a symbol, by the name's index.
    numbers: Vec<[Option<u32>; 2]>,
    /// The states and the symbols in the order of their numbers.
    lists: [Vec<Symbol>; 2],
    /// Some state, some symbol could not be read: others may then be missing for no fault of theirs.
    pub(super) incomplete: [bool; 2],
}

impl Names {
    /// Takes a name up; one that is new is defined where the word stands.
    pub(super) fn add(&mut self, word: &Word<'_>) -> Symbol {
        let name = self.table.intern(word.text);
        if name.index() == self.numbers.len() {
            self.numbers.push([None; 2]);
            self.defined_at.push(word.place.start);
        }
        name
    }

    /// Gives a name the next number of its kind, and says whether it had none before.
    pub(super) fn number(&mut self, kind: Kind, name: Symbol) -> bool {
        let (number, list) = (&mut self.numbers[name.index()][kind as usize], &mut self.lists[kind as usize]);
        let is_new = number.is_none();
        if is_new {
            *number = Some(id(list.len()));
            list.push(name);
        }
        is_new
    }

    /// Where a name was first defined.
    pub(super) fn defined_at(&self, name: Symbol) -> usize {
        self.defined_at[name.index()]
    }

    /// The number of a name, if it is a name of that kind.
    pub(super) fn find(&self, kind: Kind, text: &str) -> Option<u32> {
        let name = self.table.find(text)?;
        self.numbers[name.index()][kind as usize]
    }

    /// The names of a kind in the order of their numbers.
    pub(super) fn list(&self, kind: Kind) -> &[Symbol] {
        &self.lists[kind as usize]
    }

    /// The name with a number.
    pub(super) fn spelling(&self, kind: Kind, number: u32) -> &str {
        self.list(kind).get(number as usize).map_or("", |&name| self.table.spelling(name))
    }

    pub(super) fn spellings(&self, kind: Kind) -> Vec<Box<str>> {
        self.list(kind).iter().map(|&name| self.table.spelling(name).into()).collect()
    }
}

/// Offers of names that may have been meant. Comparing names is the only work here that is not linear in the
/// text, so it is done only so often.
pub(super) struct Suggestions {
    comparisons_left: usize,
}

impl Default for Suggestions {
    fn default() -> Self {
        Suggestions { comparisons_left: 100_000 }
    }
}

impl Suggestions {
    /// `; did you mean …?`, or nothing if no candidate is near.
    pub(super) fn nearest<'c>(
        &mut self,
        name: &str,
        candidates: impl ExactSizeIterator<Item = &'c str>,
    ) -> String {
        if candidates.len() > self.comparisons_left {
            return String::new();
        }
        self.comparisons_left -= candidates.len();
        nearest(name, candidates).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
    }
}

/// Why a name cannot be written in GDL, if it cannot.
pub(super) fn unfit(name: &str) -> Option<String> {
    let longest = Limits::default().symbol_bytes;
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name.starts_with('?') {
        return Some("with a leading `?` it would be a variable".to_owned());
    }
    if name.len() > longest {
        return Some(format!("it has {} bytes, more than the limit of {longest}", name.len()));
    }
    let bad = name.chars().find(|&c| matches!(c, '(' | ')' | ';') || is_invisible(c))?;
    Some(match bad {
        '(' | ')' | ';' => format!("it holds a `{bad}`"),
        _ if bad.is_whitespace() => "it holds white space".to_owned(),
        _ => format!("it holds the invisible character U+{:04X}", u32::from(bad)),
    })
}

/// The beginning of a name that may be long; nobody wants to see the rest in a message.
pub(super) fn clipped(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_offered_and_not_for_ever() {
        let mut suggestions = Suggestions::default();
        assert_eq!(
            suggestions.nearest("carry-q", ["carry-a", "back"].into_iter()),
            "; did you mean `carry-a`?"
        );
        assert_eq!(suggestions.nearest("x", ["a", "b"].into_iter()), "");
        let many = vec!["carry-a"; 60_000];
        assert_ne!(suggestions.nearest("carry-q", many.iter().copied()), "");
        assert_eq!(suggestions.nearest("carry-q", many.iter().copied()), "");
    }

    #[test]
    fn words_of_gdl_and_odd_signs_are_fit() {
        for name in ["true", "<=", "0", "a?", "#", "é", "\"", "|"] {
            assert_eq!(unfit(name), None, "{name}");
        }
        assert_eq!(clipped(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
    }
}
