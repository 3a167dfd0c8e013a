//! The ground game: fluents, moves, and rules without variables over atoms that a state or a move decides. It is what
//! the network is built from; `kif` writes it as a description of its own.

use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::Symbols;
use groundrules_gdl::term::{TermId, Terms};

/// An atom of a ground game, by its place in one of the groups of [`AtomKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub(crate) u32);

impl AtomId {
    /// The atom's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Literals are numbered by twice the atom's number, in four bytes.
const MOST_ATOMS: usize = 1 << 31;

fn atom_at(place: usize) -> AtomId {
    assert!(place < MOST_ATOMS, "{place} atoms are too many: the limit is {MOST_ATOMS}");
    AtomId(index32(place, "atoms"))
}

/// What an atom says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomKind {
    /// The fluent with this number holds now.
    True(usize),
    /// The move with this number is made.
    Does(usize),
    /// The fluent with this number holds next.
    Next(usize),
    /// The move with this number is legal.
    Legal(usize),
    /// The derived atom with this number holds: `terminal`, `goal`, or one of the description's own relations.
    Derived(usize),
}

/// A literal of a ground rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    /// A positive or negative literal.
    pub fn new(atom: AtomId, positive: bool) -> Self {
        GroundLiteral(atom.0 << 1 | u32::from(!positive))
    }

    /// The literal with a number.
    pub(crate) fn of_number(number: u32) -> Self {
        GroundLiteral(number)
    }

    /// The literal's number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The atom.
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// Whether the atom must hold.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

/// A game without variables.
#[derive(Clone, Debug)]
pub struct GroundGame {
    pub(crate) symbols: Symbols,
    pub(crate) terms: Terms,
    /// The roles in order.
    pub roles: Vec<TermId>,
    /// Every fluent that may hold in a reachable state.
    pub fluents: Vec<TermId>,
    /// Every move that may be legal in a reachable state: the role's number and the move.
    pub moves: Vec<(usize, TermId)>,
    /// The derived atoms: a relation's name and its arguments.
    pub derived: Vec<(String, Box<[TermId]>)>,
    /// The fluents of the initial state, by number.
    pub init: Vec<usize>,
    pub(crate) heads: Vec<AtomId>,
    pub(crate) ends: Vec<u32>,
    pub(crate) literals: Vec<GroundLiteral>,
    /// What each rule of the description made while it was grounded, by its index; later passes took some of it out
    /// again. Empty where the method does not know.
    pub made_by_rule: Vec<MadeByRule>,
}

/// What one rule of a description made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MadeByRule {
    /// Atoms that may hold, found first by this rule.
    pub atoms: u64,
    /// Ground rules.
    pub rules: u64,
    /// Rows tried for it.
    pub tried: u64,
}

impl GroundGame {
    /// The rules: each a head and the literals that must all hold.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (AtomId, &[GroundLiteral])> {
        (0..self.heads.len()).map(|rule| (self.heads[rule], self.body(rule)))
    }

    pub(crate) fn body(&self, rule: usize) -> &[GroundLiteral] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] as usize };
        &self.literals[start..self.ends[rule] as usize]
    }

    /// The number of atoms.
    pub fn atom_count(&self) -> usize {
        2 * (self.fluents.len() + self.moves.len()) + self.derived.len()
    }

    /// What an atom says.
    pub fn kind(&self, atom: AtomId) -> AtomKind {
        let (fluents, moves) = (self.fluents.len(), self.moves.len());
        let index = atom.index();
        match index {
            _ if index < fluents => AtomKind::True(index),
            _ if index < fluents + moves => AtomKind::Does(index - fluents),
            _ if index < 2 * fluents + moves => AtomKind::Next(index - fluents - moves),
            _ if index < 2 * (fluents + moves) => AtomKind::Legal(index - 2 * fluents - moves),
            _ => AtomKind::Derived(index - 2 * (fluents + moves)),
        }
    }

    /// The atom that says something.
    pub fn atom(&self, kind: AtomKind) -> AtomId {
        let (fluents, moves) = (self.fluents.len(), self.moves.len());
        let index = match kind {
            AtomKind::True(fluent) => fluent,
            AtomKind::Does(number) => fluents + number,
            AtomKind::Next(fluent) => fluents + moves + fluent,
            AtomKind::Legal(number) => 2 * fluents + moves + number,
            AtomKind::Derived(number) => 2 * (fluents + moves) + number,
        };
        atom_at(index)
    }

    /// The number of a term's name, and the term's arguments. Terms of one game with the same name have the same number.
    pub fn parts(&self, term: TermId) -> (usize, &[TermId]) {
        let name = self.terms.functor(term).map_or(0, |(name, _)| name.index());
        (name, self.terms.arguments(term))
    }

    /// A term as KIF.
    pub fn term(&self, term: TermId) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.terms.write_kif(term, &self.symbols, &mut text);
        text
    }
}
