//! The methods of grounding, in one list. Most of them find the fluents and moves that may ever occur: each fills the
//! tables of the dynamic predicates with a superset of what can hold in a reachable state, and the rest of the pipeline is
//! shared. `gringo` hands the whole instantiation to another program.

pub(crate) mod gringo;
mod iterative;
mod one_step;

#[cfg(feature = "gringo")]
use groundrules_gdl::Game;
use groundrules_gdl::term::TermId;

use crate::clause::{Predicate, PredicateId, Program};
#[cfg(feature = "gringo")]
use crate::error::GroundError;
use crate::error::Halt;
#[cfg(feature = "gringo")]
use crate::ground_game::GroundGame;
#[cfg(feature = "gringo")]
use crate::options::Options;
use crate::options::{Switch, Switches};
use crate::rewrite::direct;
use crate::store::Store;
use crate::table::Table;

/// How a game is grounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// One least fixpoint over the first state, what is next and what is legal.
    #[default]
    OneStep,
    /// Iteration to a fixpoint: each round derives what is legal and next from what all rounds before found.
    Iterative,
    /// Instantiation by the program gringo, which must be installed.
    #[cfg(feature = "gringo")]
    Gringo,
}

/// A method in the list.
struct Entry {
    method: Method,
    name: &'static str,
    about: &'static str,
    how: How,
}

/// The methods, the first one being the default.
static METHODS: &[Entry] = &[
    Entry {
        method: Method::OneStep,
        name: "one-step",
        about: "One least fixpoint over what holds first, what is next and what is legal",
        how: How::FillTables(one_step::run),
    },
    Entry {
        method: Method::Iterative,
        name: "iterative",
        about: "Iterate to a fixpoint, seeded by a run without moves",
        how: How::FillTables(iterative::run),
    },
    #[cfg(feature = "gringo")]
    Entry {
        method: Method::Gringo,
        name: "gringo",
        about: "By the program gringo, which must be installed; only the projection and demand optimisations apply",
        how: How::Ground(|game, options| gringo::Gringo::default().ground(game, options)),
    },
];

/// What a method does.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// Finds the fluents and moves that may ever occur; the rest is shared.
    FillTables(FillTables),
    /// Grounds the game by means of its own.
    #[cfg(feature = "gringo")]
    Ground(fn(&Game, &Options) -> Result<GroundGame, GroundError>),
}

/// Fills the tables of the dynamic predicates.
pub(crate) type FillTables = fn(&Program, &mut Store<'_>) -> Result<(), Halt>;

impl Method {
    /// All the methods.
    pub fn all() -> impl Iterator<Item = Method> {
        METHODS.iter().map(|entry| entry.method)
    }

    /// The method with a name.
    pub fn named(name: &str) -> Option<Method> {
        METHODS.iter().find(|entry| entry.name == name).map(|entry| entry.method)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// How it works, in a few words.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    pub(crate) fn how(self) -> How {
        self.entry().how
    }

    /// How the tables are filled that explanations look into: by the method itself, or by the default one if it leaves
    /// none behind.
    pub(crate) fn with_tables(self) -> (Method, FillTables) {
        match self.how() {
            How::FillTables(fill) => (self, fill),
            #[cfg(feature = "gringo")]
            How::Ground(_) => (Method::OneStep, one_step::run),
        }
    }

    fn entry(self) -> &'static Entry {
        let entry = METHODS.iter().find(|entry| entry.method == self);
        entry.expect("every method is in the list")
    }
}

/// How many atoms may be found, and how many rows tried, before relations that grow are derived by what is asked.
const MOST_ATOMS: usize = 3_000_000;
const MOST_TRIES: u64 = 150_000_000;

/// Fills the tables of the dynamic predicates, which hold the first state and nothing else. Relations that turn out too
/// large to derive in full are derived by what is asked of them, from the beginning.
pub(crate) fn run(
    program: &mut Program,
    fill_tables: FillTables,
    switches: Switches,
    store: &mut Store<'_>,
) -> Result<(), Halt> {
    let first = fluents(program, &store.tables);
    let mut directed: Vec<PredicateId> = Vec::new();
    let mut may_direct = switches.has(Switch::Demand);
    loop {
        if may_direct {
            store.allow(MOST_ATOMS << directed.len().min(2), MOST_TRIES << directed.len().min(2));
        }
        let result = fill_tables(&program.whole(), store);
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
        .map(PredicateId::new)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_different_names() {
        assert!(Method::all().all(|method| Method::named(method.name()) == Some(method)));
        assert_eq!(Method::all().next(), Some(Method::default()));
    }
}
