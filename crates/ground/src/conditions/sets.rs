//! Sets of moves. A set of moves of one role is stored by its members or by its complement, whichever is smaller. "One
//! of these moves is made" is then one literal, over a single move or over an atom that stands for the set. Equal sets
//! share their atom.

use std::rc::Rc;

use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::clause::{Mode, Predicate, Program};
use crate::draft::{Rules, literal};
use crate::numbering::Numbering;
use crate::store::Store;

/// Some of a role's moves, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MoveSet {
    /// These moves.
    These(Rc<[u32]>),
    /// All moves of the role but these.
    AllBut(Rc<[u32]>),
}

impl MoveSet {
    /// How many moves are written down.
    fn stored(&self) -> usize {
        match self {
            MoveSet::These(moves) | MoveSet::AllBut(moves) => moves.len(),
        }
    }

    /// The moves that are in one of two sets of the same role.
    fn union(&self, other: &MoveSet) -> MoveSet {
        match (self, other) {
            (MoveSet::These(a), MoveSet::These(b)) => {
                let mut both = [&a[..], &b[..]].concat();
                both.sort_unstable();
                both.dedup();
                MoveSet::These(both.into())
            }
            (MoveSet::AllBut(a), MoveSet::AllBut(b)) => {
                MoveSet::AllBut(kept(a, |it| b.binary_search(it).is_ok()))
            }
            (MoveSet::These(a), MoveSet::AllBut(b)) | (MoveSet::AllBut(b), MoveSet::These(a)) => {
                MoveSet::AllBut(kept(b, |it| a.binary_search(it).is_err()))
            }
        }
    }
}

fn kept(list: &[u32], is_kept: impl Fn(&u32) -> bool) -> Rc<[u32]> {
    list.iter().copied().filter(is_kept).collect()
}

/// Sets of moves, each with the role whose moves they are; a move of one of them must be made.
pub(crate) type Choice = Rc<[(TermId, MoveSet)]>;

/// What a choice comes to.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// No such move exists.
    Never,
    /// Every move of some role is such a move.
    Always,
    /// One of these literals must hold.
    OneOf(Vec<u32>),
}

/// The sets of moves that stand in the rules.
pub(crate) struct Sets {
    /// All moves of each role, in ascending order.
    moves: FxHashMap<TermId, Rc<[u32]>>,
    atoms: IndexMap<Rc<[u32]>, u32, FxBuildHasher>,
    first_atom: u32,
    /// Scratch: which moves are in a set.
    marks: Vec<bool>,
}

impl Sets {
    pub(crate) fn of(program: &Program, numbering: &Numbering, store: &Store<'_>) -> Self {
        let mut moves: FxHashMap<TermId, Vec<u32>> = FxHashMap::default();
        for (index, predicate) in program.predicates.iter().enumerate() {
            if matches!(predicate, Predicate::Move(..)) {
                for row in 0..store.tables[index].len() {
                    let role = store.tables[index].row(row)[0];
                    if store.roles.contains(&role) {
                        moves.entry(role).or_default().push(numbering.atom(index, row, Mode::Does));
                    }
                }
            }
        }
        let sorted = |(role, mut moves): (TermId, Vec<u32>)| {
            moves.sort_unstable();
            (role, moves.into())
        };
        Sets {
            moves: moves.into_iter().map(sorted).collect(),
            atoms: IndexMap::default(),
            first_atom: 2 * (numbering.fluents + numbering.moves) + numbering.derived,
            marks: vec![false; (numbering.fluents + numbering.moves) as usize],
        }
    }

    /// How many atoms for sets there are.
    fn atoms(&self) -> u32 {
        index32(self.atoms.len(), "sets of moves")
    }

    /// The set of some moves of a role.
    pub(crate) fn set(&mut self, role: TermId, mut moves: Vec<u32>) -> MoveSet {
        let all = self.moves.get(&role).cloned().unwrap_or_default();
        if 2 * moves.len() <= all.len() {
            moves.sort_unstable();
            return MoveSet::These(moves.into());
        }
        moves.iter().for_each(|&atom| self.marks[atom as usize] = true);
        let left_out = all.iter().copied().filter(|&atom| !self.marks[atom as usize]).collect();
        moves.iter().for_each(|&atom| self.marks[atom as usize] = false);
        MoveSet::AllBut(left_out)
    }

    /// The literals for one of several choices. Their union is one literal where that is shorter than the longest of them,
    /// as with complements, or where each is a single move; otherwise each keeps its own, which others may share.
    pub(crate) fn outcome_of_any(&mut self, choices: &[&Choice]) -> Outcome {
        let length = |choice: &[(TermId, MoveSet)]| choice.iter().map(|(_, set)| set.stored()).sum::<usize>();
        let longest = choices.iter().map(|choice| length(choice)).max().unwrap_or(0);
        let union = self.union(choices);
        if choices.len() == 1 || longest <= 1 || length(&union) <= longest {
            return self.outcome(&union);
        }
        let mut literals = Vec::new();
        for choice in choices {
            match self.outcome(choice) {
                Outcome::Never => {}
                Outcome::Always => return Outcome::Always,
                Outcome::OneOf(more) => literals.extend(more),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        if literals.is_empty() { Outcome::Never } else { Outcome::OneOf(literals) }
    }

    /// One of several choices: the sets of each role become one.
    fn union(&mut self, choices: &[&Choice]) -> Vec<(TermId, MoveSet)> {
        let mut by_role: IndexMap<TermId, MoveSet, FxBuildHasher> = IndexMap::default();
        for (role, set) in choices.iter().flat_map(|choice| choice.iter()) {
            let union = by_role.get(role).map_or_else(|| set.clone(), |known| known.union(set));
            by_role.insert(*role, union);
        }
        let normal = |(role, set): (TermId, MoveSet)| match set {
            MoveSet::These(moves) => (role, self.set(role, moves.to_vec())),
            all_but => (role, all_but),
        };
        by_role.into_iter().map(normal).collect()
    }

    /// The literals for a choice. What is in a set can stand together whatever the role; what is left out cannot.
    pub(crate) fn outcome(&mut self, choice: &[(TermId, MoveSet)]) -> Outcome {
        let (mut these, mut literals): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (_, set) in choice {
            match set {
                MoveSet::These(moves) => these.extend_from_slice(moves),
                MoveSet::AllBut(left_out) if left_out.is_empty() => return Outcome::Always,
                MoveSet::AllBut(left_out) => literals.push(literal(self.atom(left_out), false)),
            }
        }
        if !these.is_empty() {
            these.sort_unstable();
            literals.push(literal(self.atom(&these), true));
        }
        if literals.is_empty() { Outcome::Never } else { Outcome::OneOf(literals) }
    }

    /// The atom that says that one of some moves is made.
    fn atom(&mut self, moves: &[u32]) -> u32 {
        if let [single] = moves {
            return *single;
        }
        if let Some(&atom) = self.atoms.get(moves) {
            return atom;
        }
        let next = self.first_atom + self.atoms();
        self.atoms.insert(moves.into(), next);
        next
    }

    /// Writes the rules for the sets' atoms; gives how many atoms there are in the end. Moves that are in the same sets
    /// stand together in them by an atom of their own where that takes fewer rules: to mark a cell, whoever does it.
    pub(crate) fn define(&self, rules: &mut Rules) -> u32 {
        let classes = Classes::of(self.atoms.keys());
        let mut atoms = self.atoms();
        let mut of_class: FxHashMap<u32, u32> = FxHashMap::default();
        let mut written: FxHashSet<u32> = FxHashSet::default();
        for (set, &atom) in &self.atoms {
            written.clear();
            for &made in &**set {
                let class = classes.of_move[&made];
                if !classes.pays(class) {
                    rules.push(atom, &[literal(made, true)]);
                } else if written.insert(class) {
                    let shared = *of_class.entry(class).or_insert_with(|| {
                        atoms += 1;
                        self.first_atom + atoms - 1
                    });
                    rules.push(atom, &[literal(shared, true)]);
                }
            }
        }
        let mut members: Vec<(u32, u32)> = classes
            .of_move
            .iter()
            .filter_map(|(&made, class)| of_class.get(class).map(|&atom| (atom, made)))
            .collect();
        members.sort_unstable();
        members.iter().for_each(|&(atom, made)| rules.push(atom, &[literal(made, true)]));
        atoms
    }
}

/// Equivalence classes of moves: two moves are equivalent if every set contains both or neither.
#[derive(Default)]
struct Classes {
    of_move: FxHashMap<u32, u32>,
    /// How many moves each class has, and how many sets have them.
    sizes: Vec<(u32, u32)>,
}

impl Classes {
    fn of<'s>(sets: impl Iterator<Item = &'s Rc<[u32]>>) -> Self {
        let mut classes = Classes::default();
        let mut moved: FxHashMap<Option<u32>, u32> = FxHashMap::default();
        for set in sets {
            moved.clear();
            for &made in &**set {
                let old = classes.of_move.get(&made).copied();
                let new = *moved.entry(old).or_insert_with(|| {
                    let sets = old.map_or(0, |old| classes.sizes[old as usize].1);
                    classes.sizes.push((0, sets + 1));
                    index32(classes.sizes.len() - 1, "classes of moves")
                });
                if let Some(old) = old {
                    classes.sizes[old as usize].0 -= 1;
                }
                classes.sizes[new as usize].0 += 1;
                classes.of_move.insert(made, new);
            }
        }
        classes
    }

    /// Whether an atom for a class makes fewer rules.
    fn pays(&self, class: u32) -> bool {
        let (moves, sets) = self.sizes[class as usize];
        moves > 1 && u64::from(moves) * u64::from(sets) > u64::from(moves) + u64::from(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_of_sets() {
        let these = |moves: &[u32]| MoveSet::These(moves.into());
        let all_but = |moves: &[u32]| MoveSet::AllBut(moves.into());
        assert_eq!(these(&[1, 4]).union(&these(&[2, 4])), these(&[1, 2, 4]));
        assert_eq!(all_but(&[1, 4]).union(&all_but(&[2, 4])), all_but(&[4]));
        assert_eq!(these(&[1, 4]).union(&all_but(&[2, 4])), all_but(&[2]));
        assert_eq!(all_but(&[1]).union(&all_but(&[2])), all_but(&[]));
    }

    #[test]
    fn moves_of_the_same_sets_are_one_class() {
        let sets: Vec<Rc<[u32]>> = vec![[1, 2, 3, 4].into(), [1, 2, 5].into(), [1, 2, 3].into()];
        let classes = Classes::of(sets.iter());
        let class = |made: u32| classes.of_move[&made];
        assert_eq!(class(1), class(2));
        assert!([3, 4, 5].iter().all(|&other| class(other) != class(1)) && class(3) != class(4));
        assert!(classes.pays(class(1)) && !classes.pays(class(3)));
    }
}
