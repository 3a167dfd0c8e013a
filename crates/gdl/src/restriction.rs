//! The recursion restriction itself: which arguments of a rule's body break it. The check asks it of the description, the
//! fragments of the description with the rules that carry one state to the next; they differ in which relations
//! are on a cycle and in what counts as an argument.

use rustc_hash::FxHashSet;

use crate::dependency::Dependencies;
use crate::game::{Atom, Game, Literal, RelationId, Rule};
use crate::scope;
use crate::term::TermId;

/// The arguments in a rule's body that break the restriction, with their literals. `arguments` says what counts as
/// the arguments of an atom.
pub(crate) fn offending_arguments<'rule>(
    game: &Game,
    dependencies: &Dependencies,
    rule: &'rule Rule,
    arguments: &impl Fn(&Atom) -> Vec<TermId>,
) -> Vec<(&'rule Literal, TermId)> {
    let mut offending = Vec::new();
    if !dependencies.is_recursive(rule.head.relation) {
        return offending;
    }
    let on_cycle = |relation: RelationId| dependencies.in_cycle(rule.head.relation, relation);
    let gives = |literal: &Literal| match literal.positive_atom() {
        Some(atom) if !on_cycle(atom.relation) => arguments(atom),
        _ => Vec::new(),
    };
    let of_head: FxHashSet<TermId> = arguments(&rule.head).into_iter().collect();
    scope::walk(&rule.body, &gives, &mut |literal, scope| {
        let Some(atom) = literal.positive_atom().filter(|atom| on_cycle(atom.relation)) else { return };
        for argument in arguments(atom) {
            let fine =
                game.terms().is_ground(argument) || of_head.contains(&argument) || scope.provides(argument);
            if !fine {
                offending.push((literal, argument));
            }
        }
    });
    offending
}
