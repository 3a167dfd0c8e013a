//! Walking a body with what its positive literals provide. A literal sees what the positive literals beside it and
//! around it provide: in a conjunction everything that one of the parts provides, in a disjunction only what all the
//! alternatives do. Safety asks this of variables, the recursion restriction of arguments.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::{Formula, Literal};

/// How often each thing is provided around the current literal.
pub(crate) struct Scope<Item> {
    provided: FxHashMap<Item, usize>,
}

impl<Item: Hash + Eq + Copy> Scope<Item> {
    pub(crate) fn provides(&self, item: Item) -> bool {
        self.provided.contains_key(&item)
    }

    fn enter(&mut self, items: &FxHashSet<Item>) {
        items.iter().for_each(|&item| *self.provided.entry(item).or_default() += 1);
    }

    fn leave(&mut self, items: &FxHashSet<Item>) {
        for item in items {
            if let Some(count) = self.provided.get_mut(item) {
                *count -= 1;
                if *count == 0 {
                    self.provided.remove(item);
                }
            }
        }
    }
}

/// Calls `visit` with each literal of a body and its scope, and at the end gives what the whole body provides.
/// `gives` lists what one literal provides.
pub(crate) fn walk<'rule, Item: Hash + Eq + Copy>(
    body: &'rule [Formula],
    gives: &impl Fn(&Literal) -> Vec<Item>,
    visit: &mut impl FnMut(&'rule Literal, &Scope<Item>),
) -> FxHashSet<Item> {
    let mut scope = Scope { provided: FxHashMap::default() };
    walk_conjunction(body, gives, visit, &mut scope)
}

fn walk_conjunction<'rule, Item: Hash + Eq + Copy>(
    parts: &'rule [Formula],
    gives: &impl Fn(&Literal) -> Vec<Item>,
    visit: &mut impl FnMut(&'rule Literal, &Scope<Item>),
    scope: &mut Scope<Item>,
) -> FxHashSet<Item> {
    let here: FxHashSet<Item> = parts.iter().flat_map(|part| provided_by(part, gives)).collect();
    scope.enter(&here);
    for part in parts {
        match part {
            Formula::Literal(literal) => visit(literal, scope),
            Formula::And(inner) => drop(walk_conjunction(inner, gives, visit, scope)),
            Formula::Or(alternatives) => alternatives.iter().for_each(|alternative| {
                walk_conjunction(std::slice::from_ref(alternative), gives, visit, scope);
            }),
        }
    }
    scope.leave(&here);
    here
}

fn provided_by<Item: Hash + Eq + Copy>(
    part: &Formula,
    gives: &impl Fn(&Literal) -> Vec<Item>,
) -> FxHashSet<Item> {
    match part {
        Formula::Literal(literal) => gives(literal).into_iter().collect(),
        Formula::And(parts) => parts.iter().flat_map(|part| provided_by(part, gives)).collect(),
        Formula::Or(alternatives) => {
            let mut alternatives = alternatives.iter();
            let Some(first) = alternatives.next() else { return FxHashSet::default() };
            alternatives.fold(provided_by(first, gives), |common, alternative| {
                let other = provided_by(alternative, gives);
                common.into_iter().filter(|item| other.contains(item)).collect()
            })
        }
    }
}
