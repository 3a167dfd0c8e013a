//! The conditions under which moves are legal, as sets of literals that all have to hold.

use rustc_hash::FxHashMap;

use super::super::graph::{Graph, Literal, Node};
use super::classes::Classes;
use crate::index::index32;

/// Literals that only occur together, as one: by their number.
pub(super) type Atom = u32;

/// What candidates need.
pub(super) struct Conditions {
    /// The literals of each atom.
    atoms: Vec<Vec<Literal>>,
    /// For each candidate the atoms that it needs, ascending.
    pub(super) of: Vec<Vec<Atom>>,
}

/// The most gates of a conjunction that are looked through.
const MOST_GATES: usize = 400;
/// The most literals that all candidates together may need.
const MOST_IN_ALL: usize = 20_000_000;
/// In sets of more atoms no smaller ones are looked for, one atom or two atoms less.
const MOST_LESS_ONE: usize = 96;
const MOST_LESS_TWO: usize = 24;

impl Conditions {
    /// Takes apart the conjunctions that decide which candidates are legal, unless that is too much work.
    pub(super) fn of(graph: &Graph, legal: &[Literal]) -> Option<Conditions> {
        let mut numbers: FxHashMap<Literal, u32> = FxHashMap::default();
        let mut literals = Vec::new();
        let mut number = |literal: Literal| {
            *numbers.entry(literal).or_insert_with(|| {
                literals.push(literal);
                index32(literals.len() - 1)
            })
        };
        let mut in_all = 0;
        let mut needs = Vec::with_capacity(legal.len());
        for &literal in legal {
            let mut own: Vec<u32> = leaves(graph, literal).into_iter().map(&mut number).collect();
            own.sort_unstable();
            own.dedup();
            in_all += own.len();
            if in_all > MOST_IN_ALL {
                return None;
            }
            needs.push(own);
        }
        let classes = Classes::refined(literals.len(), needs.iter().map(Vec::as_slice));
        let atoms = |own: &Vec<u32>| {
            let mut atoms: Vec<Atom> = own.iter().map(|&leaf| classes.of[leaf as usize]).collect();
            atoms.sort_unstable();
            atoms.dedup();
            atoms
        };
        let of = needs.iter().map(atoms).collect();
        let literals = |members: &Vec<u32>| members.iter().map(|&leaf| literals[leaf as usize]).collect();
        Some(Conditions { atoms: classes.members.iter().map(literals).collect(), of })
    }

    /// The literals of some atoms, ascending.
    pub(super) fn literals(&self, atoms: &[Atom]) -> Vec<Literal> {
        let mut literals: Vec<Literal> =
            atoms.iter().flat_map(|&atom| self.atoms[atom as usize].iter().copied()).collect();
        literals.sort_unstable();
        literals
    }
}

/// What a conjunction consists of. `TRUE` consists of nothing.
fn leaves(graph: &Graph, value: Literal) -> Vec<Literal> {
    let mut pending = vec![value];
    let mut leaves = Vec::new();
    let mut gates = 0;
    while let Some(literal) = pending.pop() {
        match graph.node(literal) {
            Node::And(a, b) if !literal.is_complemented() && gates < MOST_GATES => {
                gates += 1;
                pending.extend([a, b]);
            }
            _ if literal == Literal::TRUE => {}
            _ => leaves.push(literal),
        }
    }
    leaves
}

/// What two ascending lists have in common.
pub(super) fn common(left: &[u32], right: &[u32]) -> Vec<u32> {
    left.iter().copied().filter(|it| right.binary_search(it).is_ok()).collect()
}

/// What the first of two ascending lists has and the second has not.
pub(super) fn without(left: &[u32], right: &[u32]) -> Vec<u32> {
    left.iter().copied().filter(|it| right.binary_search(it).is_err()).collect()
}

/// Writes conjunctions of atoms, each from another one that has an atom or two less: so a path to each square of a line
/// takes a gate.
pub(super) struct Conjunctions<'c> {
    conditions: &'c Conditions,
    known: FxHashMap<Box<[Atom]>, Literal>,
}

impl<'c> Conjunctions<'c> {
    /// Writes some conjunctions.
    pub(super) fn write<'s>(
        graph: &mut Graph,
        conditions: &'c Conditions,
        sets: impl Iterator<Item = &'s [Atom]>,
    ) -> Self {
        let mut sets: Vec<&[Atom]> = sets.collect();
        sets.sort_unstable_by(|left, right| (left.len(), left).cmp(&(right.len(), right)));
        sets.dedup();
        let mut written = Conjunctions { conditions, known: FxHashMap::default() };
        for set in sets {
            let literal = written.conjunction(graph, set);
            written.known.insert(set.into(), literal);
        }
        written
    }

    /// A conjunction that was written.
    pub(super) fn get(&self, set: &[Atom]) -> Literal {
        self.known.get(set).copied().expect("the conjunction was written")
    }

    fn conjunction(&self, graph: &mut Graph, set: &[Atom]) -> Literal {
        let mut smaller = Vec::with_capacity(set.len());
        let atom =
            |graph: &mut Graph, place: usize| graph.and_all(&self.conditions.atoms[set[place] as usize]);
        let may_miss = |most: usize| if set.len() <= most { set.len() } else { 0 };
        for last in (0..may_miss(MOST_LESS_ONE)).rev() {
            smaller.clear();
            smaller.extend(set.iter().enumerate().filter(|&(place, _)| place != last).map(|(_, &it)| it));
            if let Some(&known) = self.known.get(&smaller[..]) {
                let last = atom(graph, last);
                return graph.and(known, last);
            }
        }
        for last in (0..may_miss(MOST_LESS_TWO)).rev() {
            for other in (0..last).rev() {
                smaller.clear();
                let rest = set.iter().enumerate().filter(|&(place, _)| place != last && place != other);
                smaller.extend(rest.map(|(_, &it)| it));
                if let Some(&known) = self.known.get(&smaller[..]) {
                    let (other, last) = (atom(graph, other), atom(graph, last));
                    let both = graph.and(known, other);
                    return graph.and(both, last);
                }
            }
        }
        graph.and_all(&self.conditions.literals(set))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::graph::Source;
    use super::*;

    #[test]
    fn conjunctions_are_taken_apart_and_put_together() {
        let mut graph = Graph::new();
        let inputs: Vec<Literal> = (0..6).map(|slot| graph.input(Source::Slot(slot))).collect();
        let legal: Vec<Literal> = (1..=6).map(|count| graph.and_all(&inputs[..count])).collect();
        let conditions = Conditions::of(&graph, &legal).expect("small");
        for (count, atoms) in conditions.of.iter().enumerate() {
            assert_eq!(conditions.literals(atoms), inputs[..=count]);
        }
        let before = graph.len();
        let sets = conditions.of.iter().map(Vec::as_slice);
        let written = Conjunctions::write(&mut graph, &conditions, sets);
        assert!(graph.len() <= before + 5, "a gate for each");
        for (count, atoms) in conditions.of.iter().enumerate().skip(1) {
            let (shorter, last) = (written.get(&conditions.of[count - 1]), inputs[count]);
            assert_eq!(written.get(atoms), graph.and(shorter, last));
        }
    }

    #[test]
    fn what_always_holds_needs_nothing() {
        let mut graph = Graph::new();
        let conditions = Conditions::of(&graph, &[Literal::TRUE]).expect("small");
        assert!(conditions.of[0].is_empty());
        let written = Conjunctions::write(&mut graph, &conditions, [&[][..]].into_iter());
        assert_eq!(written.get(&[]), Literal::TRUE);
    }
}
