//! Conditions on the move alone. In a frame rule such as
//!
//! ```text
//! (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?r (mark ?u ?v)) (distinct ?x ?u))
//! ```
//!
//! the last two literals say "some move of a certain set is made", and the set depends on `?x` only. Instantiated move by
//! move that is moves × cells rules. Each role makes exactly one move, so "one of this set is made" is "none of the
//! others is made": a condition becomes one literal over an atom for the smaller of the two sets. Equal sets share
//! their atom, whatever rules they come from.

mod ask;
mod sets;

use crate::clause::{Body, Clause, Mode, PatternAtom, Predicate, Program, take_chosen};

pub(crate) use ask::{Condition, Conditions};
pub(crate) use sets::{Choice, Outcome, Sets};

/// Takes the conditions on the move alone out of every clause that has some.
pub(crate) fn take_out(program: &mut Program) {
    let mut clauses = std::mem::take(&mut program.clauses);
    clauses.iter_mut().for_each(|clause| take_out_of(program, clause));
    program.clauses = clauses;
}

/// Takes the conditions on the move alone out of a clause.
pub(crate) fn take_out_of(program: &Program, clause: &mut Clause) {
    if program.is_dynamic(&clause.head) {
        while let Some(condition) = condition(program, clause) {
            clause.conditions.push(condition);
        }
    }
}

/// One condition on the move alone, taken out of a clause.
fn condition(program: &Program, clause: &mut Clause) -> Option<Body> {
    let places = 0..clause.body.positive.len();
    let chosen = { places }.find_map(|place| {
        let mut inner = inner_variables(program, clause, place)?;
        let parts = connected(program, clause, place, &mut inner);
        is_decided_by_head(clause, &parts, &inner).then_some(parts)
    })?;
    let mut condition = Body {
        positive: take_chosen(&mut clause.body.positive, &chosen.positive),
        negative: take_chosen(&mut clause.body.negative, &chosen.negative),
        tests: take_chosen(&mut clause.body.tests, &chosen.tests),
    };
    // The move stands first.
    let does = condition.positive.iter().position(|atom| is_move(program, atom))?;
    condition.positive.swap(0, does);
    Some(condition)
}

/// Whether a literal says which move is made.
fn is_move(program: &Program, atom: &PatternAtom) -> bool {
    atom.mode == Mode::Does || program.predicates[atom.predicate.index()] == Predicate::Whole(Mode::Does)
}

/// Which literals of a body belong to a condition.
struct Chosen {
    positive: Vec<bool>,
    negative: Vec<bool>,
    tests: Vec<bool>,
}

/// The variables that a literal about a move shares with nothing that the state decides.
fn inner_variables(program: &Program, clause: &Clause, place: usize) -> Option<Vec<bool>> {
    let does = &clause.body.positive[place];
    if !is_move(program, does) {
        return None;
    }
    let mut inner = vec![false; clause.variables.len()];
    does.for_each_variable(&mut |variable| inner[variable] = true);
    let outer = outer_variables(program, clause, place);
    inner.iter_mut().zip(outer).for_each(|(inner, outer)| *inner &= !outer);
    inner.contains(&true).then_some(inner)
}

/// The variables of the head and of all other literals that the state or a move decides.
fn outer_variables(program: &Program, clause: &Clause, place: usize) -> Vec<bool> {
    let mut outer = vec![false; clause.variables.len()];
    clause.head.for_each_variable(&mut |variable| outer[variable] = true);
    for (other, atom) in clause.body.positive.iter().enumerate() {
        if other != place && program.is_dynamic(atom) {
            atom.for_each_variable(&mut |variable| outer[variable] = true);
        }
    }
    for atom in clause.body.negative.iter().filter(|atom| program.is_dynamic(atom)) {
        atom.for_each_variable(&mut |variable| outer[variable] = true);
    }
    for condition in &clause.conditions {
        condition.for_each_variable(&mut |variable| outer[variable] = true);
    }
    outer
}

/// The static literals and tests that share an inner variable, one after the other.
fn connected(program: &Program, clause: &Clause, place: usize, inner: &mut [bool]) -> Chosen {
    let body = &clause.body;
    let outer = outer_variables(program, clause, place);
    let mut chosen = Chosen {
        positive: vec![false; body.positive.len()],
        negative: vec![false; body.negative.len()],
        tests: vec![false; body.tests.len()],
    };
    chosen.positive[place] = true;
    loop {
        let mut grown = false;
        let mut look = |chosen: &mut bool, is_static: bool, variables: Vec<usize>| {
            if !*chosen && is_static && variables.iter().any(|&variable| inner[variable]) {
                *chosen = true;
                grown = true;
                variables.into_iter().for_each(|variable| inner[variable] |= !outer[variable]);
            }
        };
        for (chosen, atom) in chosen.positive.iter_mut().zip(&body.positive) {
            look(chosen, !program.is_dynamic(atom), atom.variables());
        }
        for (chosen, atom) in chosen.negative.iter_mut().zip(&body.negative) {
            look(chosen, !program.is_dynamic(atom), atom.variables());
        }
        for (chosen, test) in chosen.tests.iter_mut().zip(&body.tests) {
            look(chosen, true, test.variables());
        }
        if !grown {
            return chosen;
        }
    }
}

/// Whether the head decides the condition, and what is left of the clause still binds every variable that it uses.
fn is_decided_by_head(clause: &Clause, chosen: &Chosen, inner: &[bool]) -> bool {
    let mut bound = vec![false; inner.len()];
    clause.head.for_each_variable(&mut |variable| bound[variable] = true);
    let mut is_decided = true;
    let mut look = |variable: usize| is_decided &= bound[variable] || inner[variable];
    for (atom, _) in clause.body.positive.iter().zip(&chosen.positive).filter(|(_, chosen)| **chosen) {
        atom.for_each_variable(&mut look);
    }
    for (atom, _) in clause.body.negative.iter().zip(&chosen.negative).filter(|(_, chosen)| **chosen) {
        atom.for_each_variable(&mut look);
    }
    for (test, _) in clause.body.tests.iter().zip(&chosen.tests).filter(|(_, chosen)| **chosen) {
        test.for_each_variable(&mut look);
    }
    is_decided
}
