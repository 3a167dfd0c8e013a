//! Ground rules under construction, the result of every method. Atoms are numbers and rules are ranges of one flat
//! vector. Names are kept apart until the end, when most atoms are gone. Numbers are laid out as in
//! [`GroundGame`](crate::GroundGame): `true`, `does`, `next`, `legal`, then derived atoms.

use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;

/// A literal by its number: twice the atom's, plus one when negated.
pub(crate) fn literal(atom: u32, positive: bool) -> u32 {
    atom << 1 | u32::from(!positive)
}

/// The rules, each a head and a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    heads: Vec<u32>,
    /// Where each body ends.
    ends: Vec<u32>,
    literals: Vec<u32>,
}

impl Rules {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Adds a rule.
    pub(crate) fn push(&mut self, head: u32, body: &[u32]) {
        self.heads.push(head);
        self.literals.extend_from_slice(body);
        self.ends.push(index32(self.literals.len(), "literals of ground rules"));
    }

    /// A rule's head.
    #[inline]
    pub(crate) fn head(&self, rule: usize) -> u32 {
        self.heads[rule]
    }

    /// A rule's literals.
    #[inline]
    pub(crate) fn body(&self, rule: usize) -> &[u32] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] as usize };
        &self.literals[start..self.ends[rule] as usize]
    }

    /// Every rule's head and body.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        (0..self.len()).map(|rule| (self.heads[rule], self.body(rule)))
    }

    /// Room for about as many rules and literals as others have.
    pub(crate) fn like(other: &Rules) -> Rules {
        Rules {
            heads: Vec::with_capacity(other.heads.len()),
            ends: Vec::with_capacity(other.ends.len()),
            literals: Vec::with_capacity(other.literals.len()),
        }
    }

    /// The number of literals.
    pub(crate) fn literals(&self) -> usize {
        self.literals.len()
    }

    /// Gives back room that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.heads.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.literals.shrink_to_fit();
    }

    /// The heads, where the bodies end, and all literals.
    pub(crate) fn into_parts(self) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        (self.heads, self.ends, self.literals)
    }

    /// The rules of each head: from the first to before the second.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let head = *self.heads.get(start)?;
            let length = self.heads[start..].iter().take_while(|&&other| other == head).count();
            let run = (start, start + length);
            start += length;
            Some(run)
        })
    }

    /// About how many bytes this takes.
    pub(crate) fn bytes(&self) -> usize {
        (self.heads.capacity() + self.ends.capacity() + self.literals.capacity()) * size_of::<u32>()
    }
}

/// A ground game in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// How many fluents there are; each has two atoms, `true` and `next`.
    pub(crate) fluents: u32,
    /// How many moves there are; each has two atoms, `does` and `legal`.
    pub(crate) moves: u32,
    /// How many other atoms there are.
    pub(crate) derived: u32,
    /// The first derived atom, by its number among them, that is no part of the description: such atoms may go or stay
    /// as it suits.
    pub(crate) first_part: u32,
    /// The derived atoms that are asked for from outside: `goal`, `terminal`, `sees`.
    pub(crate) roots: Vec<u32>,
    /// The fluents that hold at the beginning, by number.
    pub(crate) init: Vec<u32>,
    /// Sets of fluents of which perhaps at most one holds at a time.
    pub(crate) families: Vec<Vec<u32>>,
    /// Whose each move is, by the role's number; empty if that is not known.
    pub(crate) movers: Vec<Option<u32>>,
    /// The rules; all rules of a head follow each other.
    pub(crate) rules: Rules,
}

impl Draft {
    /// The number of atoms.
    pub(crate) fn atoms(&self) -> usize {
        2 * (self.fluents as usize + self.moves as usize) + self.derived as usize
    }

    /// The atom that says that a fluent holds next.
    pub(crate) fn next(&self, fluent: u32) -> u32 {
        self.fluents + self.moves + fluent
    }

    /// The fluent whose next state an atom is about.
    pub(crate) fn next_fluent(&self, atom: u32) -> Option<u32> {
        atom.checked_sub(self.fluents + self.moves).filter(|&fluent| fluent < self.fluents)
    }

    /// The `true` or `does` that an atom makes possible, if it is a `next` or a `legal`.
    pub(crate) fn made_possible(&self, atom: u32) -> Option<u32> {
        let half = self.fluents + self.moves;
        atom.checked_sub(half).filter(|&made| made < half)
    }

    /// The `next` or `legal` that makes an atom possible, if it is a `true` or a `does`.
    pub(crate) fn maker(&self, atom: u32) -> Option<u32> {
        let half = self.fluents + self.moves;
        (atom < half).then(|| atom + half)
    }

    /// The number of the first derived atom.
    pub(crate) fn first_derived(&self) -> u32 {
        2 * (self.fluents + self.moves)
    }

    /// Whether an atom is no part of the description.
    pub(crate) fn is_part(&self, atom: u32) -> bool {
        atom >= self.first_derived() + self.first_part
    }
}

/// Tells what the atoms of a draft are called, by their numbers within fluents, moves and derived atoms.
pub(crate) trait Naming {
    /// A fluent.
    fn fluent(&mut self, number: u32) -> Option<TermId>;
    /// A move: the role's number and the move.
    fn step(&mut self, number: u32) -> Option<(usize, TermId)>;
    /// Another atom: a relation's name and its arguments.
    fn derived(&mut self, number: u32) -> Option<(String, Box<[TermId]>)>;
}

/// What the atoms of a draft are called, written out.
#[cfg(feature = "gringo")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The fluents.
    pub(crate) fluents: Vec<TermId>,
    /// The moves: the role's number and the move.
    pub(crate) moves: Vec<(usize, TermId)>,
    /// The derived atoms: a relation's name and its arguments.
    pub(crate) derived: Vec<(String, Box<[TermId]>)>,
}

#[cfg(feature = "gringo")]
impl Naming for Names {
    fn fluent(&mut self, number: u32) -> Option<TermId> {
        self.fluents.get(number as usize).copied()
    }

    fn step(&mut self, number: u32) -> Option<(usize, TermId)> {
        self.moves.get(number as usize).copied()
    }

    fn derived(&mut self, number: u32) -> Option<(String, Box<[TermId]>)> {
        self.derived.get(number as usize).cloned()
    }
}
