//! One least fixpoint over `base ← init`, `base ← next` and `input ← legal`, with dynamic negation passed over.

use crate::clause::{Clause, Mode, Program};
use crate::error::Halt;
use crate::fixpoint::Saturation;
use crate::store::Store;

/// Fills the tables.
pub(crate) fn run(program: &Program, store: &mut Store<'_>) -> Result<(), Halt> {
    dynamic(program).run(store, None)
}

/// The dynamic clauses, with their dynamic negation passed over.
pub(crate) fn dynamic(program: &Program) -> Saturation<'_> {
    let is_needed = |&index: &usize| {
        let clause = &program.clauses[index];
        program.is_late(clause) && !only_keeps(clause)
    };
    Saturation {
        program,
        clauses: (0..program.clauses.len()).filter(is_needed).collect(),
        decided: program.dynamic.iter().map(|dynamic| !dynamic).collect(),
    }
}

/// Whether a clause says only that a fluent stays: then it makes nothing that was not there before.
fn only_keeps(clause: &Clause) -> bool {
    let head = &clause.head;
    let is_kept = |atom: &crate::clause::PatternAtom| {
        atom.mode == Mode::Plain && atom.predicate == head.predicate && atom.columns == head.columns
    };
    head.mode == Mode::Next && clause.body.positive.iter().any(is_kept)
}
