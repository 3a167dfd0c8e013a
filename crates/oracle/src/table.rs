//! The atoms of one relation that hold, as rows of arguments. Rows keep the order in which they came, so that
//! "what is new since" is "the rows from here on". Rows are found again by one of their arguments, or by one
//! argument of the function that an argument is: `(true (cell ?x 1 ?c))` finds the cells with a 1 in the
//! second place.

use groundrules_gdl::symbol::Symbol;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::ground::{Ground, GroundTerms};
use crate::pattern::{Bindings, Pattern, Piece};

/// The arguments of an atom that holds.
pub(crate) type Row = Box<[Ground]>;

/// By what an argument is looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lookup {
    /// By the term that it is.
    pub(crate) whole: bool,
    /// By the function that it is, and each of its arguments.
    pub(crate) inside: bool,
}

/// What a group of rows has in common. The first number is the place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The argument is this term.
    Whole(usize, Ground),
    /// The argument is this function.
    Function(usize, Symbol),
    /// The argument is this function, and has this term in this place.
    Inside(usize, Symbol, usize, Ground),
}

/// The rows of a relation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    rows: IndexSet<Row, FxBuildHasher>,
    lookups: Box<[Lookup]>,
    index: FxHashMap<Key, Vec<usize>>,
}

/// Rows that may match an atom; all the rows that do are among them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Candidates<'t> {
    /// All the rows from this number on, up to the second.
    Range(usize, usize),
    /// The rows with these numbers.
    Listed(&'t [usize]),
}

impl Candidates<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Candidates::Range(from, to) => to - from,
            Candidates::Listed(rows) => rows.len(),
        }
    }

    pub(crate) fn get(self, index: usize) -> usize {
        match self {
            Candidates::Range(from, _) => from + index,
            Candidates::Listed(rows) => rows[index],
        }
    }
}

impl Table {
    pub(crate) fn new(lookups: Box<[Lookup]>) -> Self {
        Table { lookups, ..Table::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    pub(crate) fn row(&self, number: usize) -> &[Ground] {
        &self.rows[number]
    }

    /// The number of a row that holds.
    pub(crate) fn find(&self, row: &[Ground]) -> Option<usize> {
        self.rows.get_index_of(row)
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.index.clear();
    }

    /// Adds a row, unless it is there.
    pub(crate) fn insert(&mut self, row: Row, terms: &GroundTerms) {
        let number = self.rows.len();
        if self.rows.contains(&row) {
            return;
        }
        for (place, (&term, lookup)) in row.iter().zip(&self.lookups).enumerate() {
            if lookup.whole {
                self.index.entry(Key::Whole(place, term)).or_default().push(number);
            }
            let (name, arguments) = terms.parts(term);
            if lookup.inside && !arguments.is_empty() {
                self.index.entry(Key::Function(place, name)).or_default().push(number);
                for (inner, &part) in arguments.iter().enumerate() {
                    let rows = self.index.entry(Key::Inside(place, name, inner, part)).or_default();
                    // A term of another arity with this name comes here too, but no row comes twice.
                    rows.push(number);
                }
            }
        }
        self.rows.insert(row);
    }

    /// The smallest known set of rows, from number `from` on, that holds all the matches of the patterns.
    pub(crate) fn candidates(
        &self,
        patterns: &[Pattern],
        bindings: &Bindings,
        from: usize,
    ) -> Candidates<'_> {
        let mut best = Candidates::Range(from.min(self.len()), self.len());
        let mut consider = |key: Key| {
            let rows = self.index.get(&key).map_or(&[][..], Vec::as_slice);
            let rows = &rows[rows.partition_point(|&row| row < from)..];
            if rows.len() < best.len() {
                best = Candidates::Listed(rows);
            }
        };
        let value = |piece: Piece| match piece {
            Piece::Ground(term) => Some(term),
            Piece::Variable(number) => bindings.get(number),
            Piece::Function(..) => None,
        };
        for (place, pattern) in patterns.iter().enumerate() {
            match pattern.head() {
                Some(Piece::Function(name, _)) => {
                    consider(Key::Function(place, name));
                    for &(inner, piece) in pattern.inside() {
                        if let Some(term) = value(piece) {
                            consider(Key::Inside(place, name, inner, term));
                        }
                    }
                }
                Some(piece) => {
                    if let Some(term) = value(piece) {
                        consider(Key::Whole(place, term));
                    }
                }
                None => {}
            }
        }
        best
    }
}
