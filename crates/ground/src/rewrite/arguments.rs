//! Arguments that never matter. If every literal that asks for a relation has in some place a variable that it uses
//! nowhere else, the place says nothing, and the relation is as good without it. A variable that only goes on to a place
//! of the head that does not matter either counts as used nowhere, so whole chains of relations lose the place.

use groundrules_gdl::game::RelationId;

use super::alike;
use crate::clause::{Clause, Pattern, Predicate, Program};

/// Drops the arguments that never matter, then those that are alike for a whole domain. Says of every predicate which
/// places went.
pub(crate) fn drop_useless(program: &mut Program) -> Vec<Vec<bool>> {
    let mut gone = idle(program);
    if gone.iter().flatten().any(|&is_idle| is_idle) {
        drop_idle(program, &gone);
    }
    let alike = alike::find(program);
    if alike.iter().flatten().any(Option::is_some) {
        alike::drop_places(program, &alike);
        for (gone, alike) in gone.iter_mut().zip(&alike) {
            let left = gone.iter_mut().filter(|is_gone| !**is_gone);
            left.zip(alike).for_each(|(is_gone, alike)| *is_gone = alike.is_some());
        }
    }
    gone
}

fn drop_idle(program: &mut Program, idle: &[Vec<bool>]) {
    for clause in &mut program.clauses {
        let body = &mut clause.body;
        for atom in std::iter::once(&mut clause.head).chain(&mut body.positive).chain(&mut body.negative) {
            let mut places = idle[atom.predicate.index()].iter();
            let columns = std::mem::take(&mut atom.columns).into_vec();
            atom.columns = columns.into_iter().filter(|_| places.next() == Some(&false)).collect();
        }
    }
    for (arity, idle) in program.arities.iter_mut().zip(idle) {
        *arity = idle.iter().filter(|is_idle| !**is_idle).count();
    }
}

/// Of each predicate which places never matter.
fn idle(program: &Program) -> Vec<Vec<bool>> {
    let may_be_idle = |predicate: &Predicate| match predicate {
        Predicate::Relation(relation) => {
            ![RelationId::ROLE, RelationId::GOAL, RelationId::TERMINAL, RelationId::SEES].contains(relation)
        }
        _ => false,
    };
    let given = program.predicates.iter().zip(&program.arities);
    let mut idle: Vec<Vec<bool>> =
        given.map(|(predicate, &arity)| vec![may_be_idle(predicate); arity]).collect();
    loop {
        let mut changed = false;
        for clause in &program.clauses {
            let used = used(clause, &idle);
            for atom in clause.body.positive.iter().chain(&clause.body.negative) {
                let places = &mut idle[atom.predicate.index()];
                for (is_idle, column) in places.iter_mut().zip(&atom.columns) {
                    let matters = !matches!(column, Pattern::Variable(it) if used[*it] <= 1);
                    changed |= *is_idle && matters;
                    *is_idle &= !matters;
                }
            }
        }
        if !changed {
            return idle;
        }
    }
}

/// How often each variable of a clause is used, places of the head that do not matter left out.
fn used(clause: &Clause, idle: &[Vec<bool>]) -> Vec<u32> {
    let mut used = vec![0; clause.variables.len()];
    clause.body.for_each_variable(&mut |variable| used[variable] += 1);
    for (column, is_idle) in clause.head.columns.iter().zip(&idle[clause.head.predicate.index()]) {
        if !is_idle {
            column.for_each_variable(&mut |variable| used[variable] += 1);
        }
    }
    used
}
