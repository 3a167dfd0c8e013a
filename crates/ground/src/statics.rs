//! Static evaluation: relations that do not depend on the state or the moves are enumerated stratum by stratum, with
//! negation. A relation that turns out too large, or that only its arguments stratify, is evaluated on demand instead
//! (`lazy`), and so is everything that depends on it.

use groundrules_gdl::components::Graph;

use crate::clause::{Mode, Program};
use crate::error::{GroundError, Halt};
use crate::fixpoint::Saturation;
use crate::store::Store;

/// How many atoms a stratum may have, and how many rows may be tried for it, before it is left to be asked.
const MOST_ATOMS: usize = 400_000;
const MOST_TRIES: u64 = 20_000_000;

/// Evaluates the static relations and the first state.
pub(crate) fn evaluate(program: &Program, store: &mut Store<'_>) -> Result<(), GroundError> {
    for stratum in strata(program) {
        if stratum.is_negated || rests_on_lazy(program, &stratum.clauses, store) {
            postpone(program, &stratum.clauses, store);
            continue;
        }
        store.allow(MOST_ATOMS, MOST_TRIES);
        let result = saturate(program, &stratum.clauses, store);
        store.allow_all();
        match result {
            Err(Halt::TooMany) => postpone(program, &stratum.clauses, store),
            other => other?,
        }
    }
    let first_state: Vec<usize> = (0..program.clauses.len())
        .filter(|&clause| {
            let head = &program.clauses[clause].head;
            head.mode == Mode::Init && program.dynamic[head.predicate.index()]
        })
        .collect();
    Ok(saturate(program, &first_state, store)?)
}

fn saturate(program: &Program, clauses: &[usize], store: &mut Store<'_>) -> Result<(), Halt> {
    let decided = vec![true; program.predicates.len()];
    Saturation { program, clauses: clauses.to_vec(), decided }.run(store, None)
}

fn rests_on_lazy(program: &Program, clauses: &[usize], store: &Store<'_>) -> bool {
    let body = |&clause: &usize| program.clauses[clause].body.positive.iter();
    clauses.iter().flat_map(body).any(|atom| store.is_lazy(atom.predicate.index()))
}

fn postpone(program: &Program, clauses: &[usize], store: &mut Store<'_>) {
    for &clause in clauses {
        let head = program.clauses[clause].head.predicate.index();
        if !store.is_lazy(head) {
            store.forget(store.tables[head].len());
            store.tables[head].clear();
            store.lazy.postpone(head, program);
        }
    }
}

/// Clauses whose heads depend on each other.
struct Stratum {
    clauses: Vec<usize>,
    /// Whether one of them depends on the negation of another.
    is_negated: bool,
}

/// The static clauses in groups, each after the groups it depends on.
fn strata(program: &Program) -> Vec<Stratum> {
    let is_static = |&clause: &usize| {
        let clause = &program.clauses[clause];
        !program.dynamic[clause.head.predicate.index()] && !program.is_late(clause)
    };
    let clauses: Vec<usize> = (0..program.clauses.len()).filter(is_static).collect();
    let mut edges = Vec::new();
    for &clause in &clauses {
        let clause = &program.clauses[clause];
        for atom in clause.body.positive.iter().chain(&clause.body.negative) {
            edges.push((clause.head.predicate.index(), atom.predicate.index()));
        }
    }
    let graph = Graph::from_edges(program.predicates.len(), edges);
    let groups = graph.components();
    let mut strata: Vec<Stratum> =
        groups.iter().map(|_| Stratum { clauses: Vec::new(), is_negated: false }).collect();
    for &index in &clauses {
        let clause = &program.clauses[index];
        let own = groups.of(clause.head.predicate.index());
        strata[own].clauses.push(index);
        strata[own].is_negated |=
            clause.body.negative.iter().any(|atom| groups.of(atom.predicate.index()) == own);
    }
    strata.retain(|stratum| !stratum.clauses.is_empty());
    strata
}
