//! Ways to find the fluents and moves that may ever occur. Each fills the tables of the dynamic predicates with supersets
//! of what can hold in a reachable state; they agree on the result and differ in how they get there. `gringo` stands
//! apart: it hands the whole work to another program.

pub(crate) mod gringo;
mod iterative;
mod one_step;

use groundrules_gdl::term::TermId;

use crate::clause::{Predicate, PredicateId, Program};
use crate::error::Halt;
use crate::options::{Method, Options};
use crate::rewrite::direct;
use crate::store::Store;
use crate::table::Table;

/// How many atoms may be found, and how many rows tried, before relations that grow are derived by what is asked.
const MOST_ATOMS: usize = 3_000_000;
const MOST_TRIES: u64 = 150_000_000;

/// Fills the tables of the dynamic predicates, which hold the first state and nothing else. Relations that turn out too
/// large to derive in full are derived by what is asked of them, from the beginning.
pub(crate) fn run(program: &mut Program, options: &Options, store: &mut Store<'_>) -> Result<(), Halt> {
    let first = fluents(program, &store.tables);
    let mut directed: Vec<PredicateId> = Vec::new();
    let mut may_direct = options.switches.demand;
    loop {
        if may_direct {
            store.allow(MOST_ATOMS << directed.len().min(2), MOST_TRIES << directed.len().min(2));
        }
        let result = run_method(&program.whole(), options.method, store);
        store.allow_all();
        if !matches!(result, Err(Halt::TooMany)) {
            return result;
        }
        let large = large_relations(program, &directed, store);
        let count = direct::direct(program, &large);
        may_direct = count > 0;
        directed.extend(large);
        store.add_predicates(program);
        set_state(program, store, &first)?;
    }
}

fn run_method(program: &Program, method: Method, store: &mut Store<'_>) -> Result<(), Halt> {
    match method {
        Method::OneStep => one_step::run(program, store),
        Method::Iterative => iterative::run(program, store),
    }
}

/// The derived relations that make up most of what was found.
fn large_relations(program: &Program, known: &[PredicateId], store: &Store<'_>) -> Vec<PredicateId> {
    let is_derived =
        |predicate: &Predicate| matches!(predicate, Predicate::Relation(_) | Predicate::Auxiliary(_));
    let rows = |index: usize| store.tables[index].len() as usize;
    let derived = (0..program.predicates.len())
        .filter(|&index| program.dynamic[index] && is_derived(&program.predicates[index]));
    let most = derived.clone().map(rows).max().unwrap_or(0);
    derived
        .filter(|&index| 10 * rows(index) >= most)
        .map(|index| PredicateId(u32::try_from(index).unwrap_or(u32::MAX)))
        .filter(|predicate| !known.contains(predicate))
        .collect()
}

/// Fluents that hold together: predicates and tuples.
type State = Vec<(usize, Vec<TermId>)>;

/// The fluents in some tables, in order; those that never change are not among them.
fn fluents(program: &Program, tables: &[Table]) -> State {
    let mut state = State::new();
    for (index, predicate) in program.predicates.iter().enumerate() {
        if program.dynamic[index] && matches!(predicate, Predicate::Fluent(..)) {
            state.extend((0..tables[index].len()).map(|row| (index, tables[index].row(row).to_vec())));
        }
    }
    state.sort_unstable();
    state
}

/// Forgets all that depends on the state or the moves, and makes some fluents hold.
fn set_state(program: &Program, store: &mut Store<'_>, state: &State) -> Result<(), Halt> {
    for (index, predicate) in program.predicates.iter().enumerate() {
        if program.dynamic[index] || matches!(predicate, Predicate::Domain(_)) {
            store.forget(store.tables[index].len());
            store.tables[index].clear();
        }
    }
    for (index, tuple) in state {
        store.insert(*index, tuple)?;
    }
    Ok(())
}
