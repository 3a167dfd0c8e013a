//! Terms, each stored once: constants, variables and functions applied to terms. Two terms are equal exactly when
//! their [`TermId`]s are. Depth and groundness are kept with each term, and subterms come before the terms that
//! hold them, so that nothing here or later needs recursion to look into a term.

use std::fmt;
use std::hash::{Hash, Hasher};

use indexmap::{Equivalent, IndexSet};

use crate::index::index32;
use crate::packed::{Packer, Unpacker};
use crate::symbol::{Symbol, Symbols};

/// A term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

impl TermId {
    /// The term's index in the order of first appearance.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The term's index as the number it is.
    pub fn as_u32(self) -> u32 {
        self.0
    }
}

/// A term. The name of a variable includes its question mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A constant such as `white` or `7`.
    Constant(Symbol),
    /// A variable such as `?x`; it belongs to the rule in which it stands.
    Variable(Symbol),
    /// A function applied to at least one argument, such as `(cell 1 ?y)`.
    Function(Symbol, Box<[TermId]>),
}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Term::Constant(name) | Term::Variable(name) => name.hash(state),
            Term::Function(name, arguments) => Application(*name, arguments).hash(state),
        }
    }
}

/// A function with its arguments that is looked for and need not be a term yet.
#[derive(PartialEq, Eq, Hash)]
struct Application<'a>(Symbol, &'a [TermId]);

impl Equivalent<Term> for Application<'_> {
    fn equivalent(&self, term: &Term) -> bool {
        matches!(term, Term::Function(name, arguments) if *name == self.0 && **arguments == *self.1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Properties {
    ground: bool,
    depth: u32,
}

/// The table of terms. Like that of the names it hashes with a random seed, because strangers choose what is in it.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: IndexSet<Term, foldhash::fast::RandomState>,
    properties: Vec<Properties>,
}

impl Terms {
    /// An empty table.
    pub fn new() -> Self {
        Terms::default()
    }

    /// Stores a term, or finds it where it is stored already. Its arguments must be of this table.
    pub fn intern(&mut self, term: Term) -> TermId {
        if let Some(index) = self.terms.get_index_of(&term) {
            return term_at(index);
        }
        self.properties.push(self.properties_of(&term));
        let (index, _) = self.terms.insert_full(term);
        term_at(index)
    }

    /// Stores the application of a function, or finds it where it is stored already.
    pub fn intern_function(&mut self, name: Symbol, arguments: &[TermId]) -> TermId {
        match self.terms.get_index_of(&Application(name, arguments)) {
            Some(index) => term_at(index),
            None => self.intern(Term::Function(name, arguments.into())),
        }
    }

    /// A term, if it is stored.
    pub fn find(&self, term: &Term) -> Option<TermId> {
        self.terms.get_index_of(term).map(term_at)
    }

    /// The application of a function, if it is stored.
    pub fn find_function(&self, name: Symbol, arguments: &[TermId]) -> Option<TermId> {
        self.terms.get_index_of(&Application(name, arguments)).map(term_at)
    }

    fn properties_of(&self, term: &Term) -> Properties {
        match term {
            Term::Constant(_) => Properties { ground: true, depth: 0 },
            Term::Variable(_) => Properties { ground: false, depth: 0 },
            Term::Function(_, arguments) => Properties {
                ground: arguments.iter().all(|&argument| self.is_ground(argument)),
                depth: 1 + arguments.iter().map(|&argument| self.depth(argument)).max().unwrap_or(0),
            },
        }
    }

    /// The term with this identifier.
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    /// Whether the term holds no variable.
    pub fn is_ground(&self, id: TermId) -> bool {
        self.properties[id.index()].ground
    }

    /// How deep functions nest in the term: 0 for a constant or a variable.
    pub fn depth(&self, id: TermId) -> u32 {
        self.properties[id.index()].depth
    }

    /// The variable's name, if the term is a variable.
    pub fn variable(&self, id: TermId) -> Option<Symbol> {
        match self.get(id) {
            Term::Variable(name) => Some(*name),
            _ => None,
        }
    }

    /// The constant's name, if the term is a constant.
    pub fn constant(&self, id: TermId) -> Option<Symbol> {
        match self.get(id) {
            Term::Constant(name) => Some(*name),
            _ => None,
        }
    }

    /// The arguments of a function; none for other terms.
    pub fn arguments(&self, id: TermId) -> &[TermId] {
        match self.get(id) {
            Term::Function(_, arguments) => arguments,
            _ => &[],
        }
    }

    /// The name and the number of arguments, if the term is not a variable.
    pub fn functor(&self, id: TermId) -> Option<(Symbol, usize)> {
        match self.get(id) {
            Term::Constant(name) => Some((*name, 0)),
            Term::Function(name, arguments) => Some((*name, arguments.len())),
            Term::Variable(_) => None,
        }
    }

    /// Calls `visit` with every variable in the term and how deep it is nested, once for each occurrence.
    pub fn for_each_variable(&self, id: TermId, mut visit: impl FnMut(Symbol, u32)) {
        let mut stack = vec![(id, 0)];
        while let Some((id, depth)) = stack.pop() {
            if self.is_ground(id) {
                continue;
            }
            match self.get(id) {
                Term::Constant(_) => {}
                Term::Variable(name) => visit(*name, depth),
                Term::Function(_, arguments) => {
                    stack.extend(arguments.iter().rev().map(|&arg| (arg, depth + 1)));
                }
            }
        }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The term with this number, if there is one.
    pub fn at(&self, number: u32) -> Option<TermId> {
        ((number as usize) < self.len()).then_some(TermId(number))
    }

    /// Writes the terms from a number on; [`unpack`](Self::unpack) adds them to a table that has those before.
    pub fn pack_from(&self, start: usize, out: &mut Packer) {
        out.index(self.len() - start);
        for term in self.terms.iter().skip(start) {
            let (kind, name, arguments) = match term {
                Term::Constant(name) => (0, *name, &[][..]),
                Term::Variable(name) => (1, *name, &[][..]),
                Term::Function(name, arguments) => (2, *name, &arguments[..]),
            };
            out.number(kind);
            out.index(name.index());
            out.numbers(arguments.iter().map(|argument| argument.0));
        }
    }

    /// Adds terms as they were written; nothing if these are not the terms that come next in this table.
    pub fn unpack(&mut self, symbols: &Symbols, from: &mut Unpacker<'_>) -> Option<()> {
        let count = from.index()?;
        // Each takes twelve bytes or more.
        let most = count.min(from.left() / 12);
        self.terms.reserve(most);
        self.properties.reserve(most);
        for _ in 0..count {
            let (kind, name) = (from.number()?, from.index()?);
            let name = (name < symbols.len()).then(|| Symbol::from_index(name))?;
            let arguments = from.numbers_below(self.len())?.map(TermId);
            let term = match kind {
                0 if arguments.len() == 0 => Term::Constant(name),
                1 if arguments.len() == 0 => Term::Variable(name),
                2 if arguments.len() > 0 => Term::Function(name, arguments.collect()),
                _ => return None,
            };
            let next = self.len();
            (self.intern(term).index() == next).then_some(())?;
        }
        Some(())
    }

    /// Writes a term as KIF.
    pub fn write_kif(&self, id: TermId, symbols: &Symbols, out: &mut impl fmt::Write) -> fmt::Result {
        enum Piece {
            Term(TermId),
            Space,
            Close,
        }
        let mut stack = vec![Piece::Term(id)];
        while let Some(step) = stack.pop() {
            match step {
                Piece::Space => out.write_char(' ')?,
                Piece::Close => out.write_char(')')?,
                Piece::Term(id) => match self.get(id) {
                    Term::Constant(name) | Term::Variable(name) => out.write_str(symbols.spelling(*name))?,
                    Term::Function(name, arguments) => {
                        write!(out, "({}", symbols.spelling(*name))?;
                        stack.push(Piece::Close);
                        stack
                            .extend(arguments.iter().rev().flat_map(|&arg| [Piece::Term(arg), Piece::Space]));
                    }
                },
            }
        }
        Ok(())
    }
}

fn term_at(place: usize) -> TermId {
    // A text has fewer than 2^32 bytes (see `Limits`), hence fewer terms; grounding limits those that it adds.
    TermId(index32(place, "terms"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one_term() {
        let (mut symbols, mut terms) = (Symbols::new(), Terms::new());
        let (f, x, one) = (symbols.intern("f"), symbols.intern("?x"), symbols.intern("1"));
        let x = terms.intern(Term::Variable(x));
        let one = terms.intern(Term::Constant(one));
        let inner = terms.intern(Term::Function(f, [one, x].into()));
        let outer = terms.intern(Term::Function(f, [inner, one].into()));
        assert_eq!(terms.intern(Term::Function(f, [one, x].into())), inner);
        assert_eq!((terms.depth(outer), terms.is_ground(outer), terms.is_ground(one)), (2, false, true));
        let mut text = String::new();
        terms.write_kif(outer, &symbols, &mut text).unwrap();
        assert_eq!(text, "(f (f 1 ?x) 1)");
        let mut seen = Vec::new();
        terms.for_each_variable(outer, |name, depth| seen.push((symbols.spelling(name).to_owned(), depth)));
        assert_eq!(seen, [("?x".to_owned(), 2)]);
    }
}
