//! Ground rules while they are worked on. Every method ends here: atoms are numbers, rules are stretches of one flat
//! vector, and the names of the atoms are kept apart until the end, when most atoms are gone. The numbers are laid out as
//! in [`GroundGame`](crate::GroundGame): what is true, what is done, what is next, what is legal, then derived atoms.

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
        self.ends.push(u32::try_from(self.literals.len()).unwrap_or(u32::MAX));
    }

    /// A rule's head.
    pub(crate) fn head(&self, rule: usize) -> u32 {
        self.heads[rule]
    }

    /// A rule's literals.
    pub(crate) fn body(&self, rule: usize) -> &[u32] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] as usize };
        &self.literals[start..self.ends[rule] as usize]
    }

    /// Every rule's head and body.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        (0..self.len()).map(|rule| (self.heads[rule], self.body(rule)))
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
    /// The fluents that hold at the beginning, by number.
    pub(crate) init: Vec<u32>,
    /// The rules.
    pub(crate) rules: Rules,
}

/// What the atoms of a draft are called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The fluents.
    pub(crate) fluents: Vec<TermId>,
    /// The moves: the role's number and the move.
    pub(crate) moves: Vec<(usize, TermId)>,
    /// The derived atoms: a relation's name and its arguments.
    pub(crate) derived: Vec<(String, Box<[TermId]>)>,
}
