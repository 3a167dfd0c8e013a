//! Iterates to a fixpoint, as the first grounders did: each round derives everything that follows from the fluents and
//! moves found so far, from scratch, and adds what is legal or next, until a round adds nothing. A counter would need
//! one round per number, so a run without moves, by the exact rules, seeds the fluents.

use groundrules_gdl::components::Graph;
use rustc_hash::FxHashSet;

use crate::clause::{Mode, Predicate, Program};
use crate::error::Halt;
use crate::fixpoint::{Aside, Saturation};
use crate::methods::{State, fluents, one_step, set_state};
use crate::store::Store;
use crate::table::Table;

/// Fills the tables.
pub(crate) fn run(program: &Program, store: &mut Store<'_>) -> Result<(), Halt> {
    seed(program, store)?;
    let rules = one_step::dynamic(program);
    loop {
        let mut aside = fresh(store);
        forget_derived(program, store);
        rules.run(store, Some(&mut aside))?;
        if !take_over(&aside, store)? {
            return Ok(());
        }
    }
}

fn fresh(store: &Store<'_>) -> Aside {
    store.tables.iter().map(|table| Table::new(table.arity())).collect()
}

fn is_state(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Fluent(..) | Predicate::Move(..))
}

fn forget_derived(program: &Program, store: &mut Store<'_>) {
    for (index, predicate) in program.predicates.iter().enumerate() {
        let is_derived = program.dynamic[index] && !is_state(*predicate);
        if is_derived || matches!(predicate, Predicate::Domain(_)) {
            store.forget(store.tables[index].len());
            store.tables[index].clear();
        }
    }
}

/// Adds what was found; says whether any of it is new.
fn take_over(aside: &Aside, store: &mut Store<'_>) -> Result<bool, Halt> {
    let mut grown = false;
    for (index, table) in aside.iter().enumerate() {
        for row in 0..table.len() {
            grown |= store.insert(index, table.row(row))?.1;
        }
    }
    Ok(grown)
}

/// Plays the match in which nobody moves and adds every fluent met. A description whose negation only its arguments
/// stratify is not played: seeding is a short cut, and the rounds find the rest.
fn seed(program: &Program, store: &mut Store<'_>) -> Result<(), Halt> {
    const MOST_STEPS: usize = 10_000;
    let Some(strata) = strata(program) else { return Ok(()) };
    let first = fluents(program, &store.tables);
    let mut met = first.clone();
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut here = first;
    while !here.is_empty() && seen.len() < MOST_STEPS && seen.insert(here.clone()) {
        set_state(program, store, &here)?;
        let mut aside = fresh(store);
        for stratum in &strata {
            let decided = vec![true; program.predicates.len()];
            Saturation { program, clauses: stratum.clone(), decided }.run(store, Some(&mut aside))?;
        }
        here = fluents(program, &aside);
        met.extend(here.iter().cloned());
    }
    met.sort_unstable();
    met.dedup();
    set_state(program, store, &met)
}

/// The dynamic clauses in groups, each after the groups it depends on; none if a group depends on its own negation.
fn strata(program: &Program) -> Option<Vec<Vec<usize>>> {
    let clauses: Vec<usize> =
        (0..program.clauses.len()).filter(|&clause| program.is_late(&program.clauses[clause])).collect();
    // What is read and what is made of a fluent or a move are different things here.
    let count = program.predicates.len();
    let node = |predicate: usize, is_head: bool| {
        predicate + if is_head && is_state(program.predicates[predicate]) { count } else { 0 }
    };
    let is_made = |mode| matches!(mode, Mode::Next | Mode::Legal);
    let mut edges = Vec::new();
    for &clause in &clauses {
        let clause = &program.clauses[clause];
        let head = node(clause.head.predicate.index(), true);
        for atom in clause.body.positive.iter().chain(&clause.body.negative) {
            edges.push((head, node(atom.predicate.index(), is_made(atom.mode))));
        }
    }
    let graph = Graph::from_edges(2 * count, edges);
    let groups = graph.components();
    let mut strata = vec![Vec::new(); groups.len()];
    for &index in &clauses {
        let clause = &program.clauses[index];
        let own = groups.of(node(clause.head.predicate.index(), true));
        let is_own = |atom: &crate::clause::PatternAtom| {
            groups.of(node(atom.predicate.index(), is_made(atom.mode))) == own
        };
        if clause.body.negative.iter().any(is_own) {
            return None;
        }
        strata[own].push(index);
    }
    strata.retain(|stratum| !stratum.is_empty());
    Some(strata)
}
