//! Interned names. GDL compares keywords, symbols and variables without regard to letter case, so the interner
//! folds case before it looks a name up, and keeps the first spelling that it saw for printing. A variable's name
//! includes its question mark: `?x` and `x` are two symbols.

use crate::index::index32;

use indexmap::IndexSet;

/// An interned name: a constant, function, relation or variable. Two symbols are equal exactly when their names
/// are, letter case aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The symbol's index in the order of first appearance.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        symbol_at(index)
    }
}

/// The table of all the names of a description.
///
/// The hasher is seeded at random (names come from strangers, who must not be able to choose collisions); order is
/// the order of insertion, so nothing that is printed depends on the seed.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    folded: IndexSet<Box<str>, foldhash::fast::RandomState>,
    spellings: Vec<Option<Box<str>>>,
    buffer: String,
}

impl Symbols {
    /// An empty table.
    pub fn new() -> Self {
        Symbols::default()
    }

    /// The symbol called `name`; a new one keeps this spelling.
    pub fn intern(&mut self, name: &str) -> Symbol {
        fold_into(name, &mut self.buffer);
        if let Some(index) = self.folded.get_index_of(self.buffer.as_str()) {
            return symbol_at(index);
        }
        let spelling = (self.buffer != name).then(|| name.into());
        let (index, _) = self.folded.insert_full(self.buffer.as_str().into());
        self.spellings.push(spelling);
        symbol_at(index)
    }

    /// The symbol called `name`, if it has been interned.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        let mut folded = String::new();
        fold_into(name, &mut folded);
        self.folded.get_index_of(folded.as_str()).map(symbol_at)
    }

    /// The first spelling seen of a symbol.
    pub fn spelling(&self, symbol: Symbol) -> &str {
        match self.spellings.get(symbol.index()) {
            Some(Some(spelling)) => spelling,
            Some(None) => self.folded(symbol),
            None => "",
        }
    }

    /// A symbol's name in lower case: what it is compared by.
    pub fn folded(&self, symbol: Symbol) -> &str {
        self.folded.get_index(symbol.index()).map_or("", AsRef::as_ref)
    }

    /// Whether the symbol is a variable's name.
    pub fn is_variable(&self, symbol: Symbol) -> bool {
        self.folded(symbol).starts_with('?')
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.folded.len()
    }

    /// Whether there is no name yet.
    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }
}

/// Whether a character cannot be seen and therefore makes two names that look alike differ.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control() || c.is_whitespace() || ('\u{200B}'..='\u{200F}').contains(&c) || c == '\u{FEFF}'
}

fn symbol_at(place: usize) -> Symbol {
    // A text has fewer than 2^32 bytes (see `Limits`), hence fewer names.
    Symbol(index32(place, "names"))
}

fn fold_into(name: &str, buffer: &mut String) {
    buffer.clear();
    fold_onto(name, buffer);
}

/// Appends a name in the lower case by which names are compared.
pub(crate) fn fold_onto(name: &str, out: &mut String) {
    if name.is_ascii() {
        let start = out.len();
        out.push_str(name);
        out[start..].make_ascii_lowercase();
    } else {
        out.extend(name.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_and_the_first_spelling_kept() {
        let mut symbols = Symbols::new();
        let white = symbols.intern("White");
        assert_eq!(symbols.intern("WHITE"), white);
        assert_eq!(symbols.spelling(white), "White");
        assert_eq!(symbols.folded(white), "white");
        assert_eq!(symbols.find("wHITE"), Some(white));
        assert_ne!(symbols.intern("?white"), white);
        assert_eq!(symbols.intern("É"), symbols.intern("é"));
    }

    #[test]
    fn numbers_are_symbols() {
        let mut symbols = Symbols::new();
        assert_ne!(symbols.intern("01"), symbols.intern("1"));
    }
}
