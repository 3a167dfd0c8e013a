//! Fluents that never change. If a fluent is kept whenever it holds, and no rule makes it where it does not hold already,
//! then what holds at first is what holds always: the fluent is as good as a static relation.

use crate::clause::{Clause, Mode, Pattern, PatternAtom, Predicate, PredicateId, Program};

/// Makes the fluents static that never change.
pub(crate) fn find(program: &mut Program) {
    let is_constant = |index: usize| {
        let clauses = || next_clauses(program, index);
        clauses().all(keeps) && clauses().any(keeps_always)
    };
    let fluents = program.predicates.iter().enumerate();
    let fluents = fluents.filter(|(_, predicate)| matches!(predicate, Predicate::Fluent(..)));
    let constants: Vec<PredicateId> =
        fluents.filter(|&(index, _)| is_constant(index)).map(|(index, _)| PredicateId::new(index)).collect();
    program
        .clauses
        .retain(|clause| !(clause.head.mode == Mode::Next && constants.contains(&clause.head.predicate)));
    // A rule that asks what is next of such a fluent asks whether it holds.
    for clause in &mut program.clauses {
        let atoms = clause.body.positive.iter_mut().chain(&mut clause.body.negative);
        atoms.filter(|atom| constants.contains(&atom.predicate)).for_each(|atom| atom.mode = Mode::Plain);
    }
    program.constants = constants;
    program.find_dynamic();
}

fn next_clauses(program: &Program, fluent: usize) -> impl Iterator<Item = &Clause> {
    program
        .clauses
        .iter()
        .filter(move |clause| clause.head.mode == Mode::Next && clause.head.predicate.index() == fluent)
}

fn is_same(head: &PatternAtom, atom: &PatternAtom) -> bool {
    atom.mode == Mode::Plain && atom.predicate == head.predicate && atom.columns == head.columns
}

/// Whether a clause only keeps what holds.
fn keeps(clause: &Clause) -> bool {
    clause.body.positive.iter().any(|atom| is_same(&clause.head, atom))
}

/// Whether a clause keeps every instance of the fluent, on no condition.
fn keeps_always(clause: &Clause) -> bool {
    let body = &clause.body;
    let mut seen = Vec::new();
    let is_fresh = |column: &Pattern| match column {
        Pattern::Variable(variable) if !seen.contains(variable) => {
            seen.push(*variable);
            true
        }
        _ => false,
    };
    clause.head.columns.iter().all(is_fresh)
        && body.negative.is_empty()
        && body.tests.is_empty()
        && body.positive.iter().all(|atom| is_same(&clause.head, atom))
}
