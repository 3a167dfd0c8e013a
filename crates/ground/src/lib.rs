//! Grounding: from a checked [`Game`] to a [`GroundGame`] of fluents, moves and ground rules. Only atoms that depend on the
//! state or on the moves are left in the rules.
//!
//! ```
//! use groundrules_ground::{Options, ground};
//!
//! let rules = "(role you) (init (light off)) (legal you push) (opposite on off) (opposite off on)
//!     (<= (next (light ?to)) (does you push) (true (light ?from)) (opposite ?from ?to))
//!     (<= terminal (true (light on))) (<= (goal you 100) (true (light on)))";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.ok_or("not GDL")?;
//! let grounded = ground(&game, &Options::default())?;
//! assert_eq!((grounded.fluents.len(), grounded.moves.len()), (2, 1));
//! assert!(grounded.to_kif().contains("(<= (next (light on)) (true (light off)) (does you push))"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ground`] runs these stages. `functors` finds the terms that a variable for a whole fluent or move can stand for.
//! `clause` removes disjunctions and such variables. `rewrite` transforms the clauses so that they have fewer instances.
//! `statics` evaluates the relations that no state decides. One of the `methods` computes a superset of the fluents and moves
//! that can occur. `emit` instantiates the rules that the game needs, where `conditions` represents conditions on the moves
//! alone as sets of moves. `tidy` simplifies the ground rules, and `finish` numbers and names everything. [`passes()`] lists the
//! optimisations among them.
//!
//! Below the stages, `table` stores tuples, `plan` and `join` evaluate bodies, `lazy` answers queries to relations that are too
//! large to enumerate, and `store` enforces the [`Limits`]. `methods::gringo` replaces the stages between `clause` and `tidy` by
//! a run of the program gringo. [`mod@explain`] says why an atom is in the ground game or not. With the feature `evaluator`, the
//! module of that name plays a ground game directly, for tests. Gates and packed states are left to later crates.
//!
//! Grounding never relies on the relations `base` and `input` of a description.

mod blame;
mod clause;
mod conditions;
mod draft;
mod emit;
mod error;
#[cfg(feature = "evaluator")]
pub mod evaluator;
pub mod explain;
mod finish;
mod fixpoint;
mod functors;
pub mod ground_game;
mod join;
mod kept;
mod kif;
mod lazy;
mod limits;
mod methods;
mod numbering;
mod options;
mod passes;
mod plan;
mod rewrite;
mod statics;
mod store;
mod subsume;
mod table;
mod tidy;

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::term::TermId;

pub use error::{Blame, GroundError};
pub use explain::{ExplainError, Explanation, explain};
pub use ground_game::{GroundGame, MadeByRule};
pub use kif::Kif;
pub use limits::Limits;
pub use methods::Method;
#[cfg(feature = "gringo")]
pub use methods::gringo::{Gringo, GringoError};
pub use options::{Options, Switch, Switches};
pub use passes::{PassInfo, passes};
pub use store::Progress;

use clause::{Predicate, Program};
use draft::Draft;
use methods::{FillTables, How};
use numbering::{Numbering, TableNames};
use store::Store;

/// Grounds a game.
pub fn ground(game: &Game, options: &Options) -> Result<GroundGame, GroundError> {
    ground_watched(game, options, &mut |_| {})
}

/// Grounds a game and reports progress now and then.
pub fn ground_watched(
    game: &Game,
    options: &Options,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<GroundGame, GroundError> {
    match options.method.how() {
        How::FillTables(fill_tables) => ground_by_tables(game, options, fill_tables, watch),
        #[cfg(feature = "gringo")]
        How::Ground(run) => run(game, options),
    }
}

/// The pipeline of the methods that fill tables.
fn ground_by_tables(
    game: &Game,
    options: &Options,
    fill_tables: FillTables,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<GroundGame, GroundError> {
    let switches = options.switches;
    let mut program = Program::of(game)?;
    let questions = passes::rewrite(game, &mut program, switches);
    let mut store = Store::new(game, &program, options.limits.clone(), watch);
    for (predicate, table) in questions {
        store.tables[predicate.index()] = table;
    }
    let instantiated = instantiate(game, switches, fill_tables, &mut program, &mut store);
    let (mut draft, numbering, roles) = match instantiated {
        Ok(instantiated) => instantiated,
        Err(error) => return Err(blame::named(error, game, &program, &mut store)),
    };
    if switches.has(Switch::Exclusion) {
        draft.families = numbering.families(&store);
        draft.movers = numbering.movers(&roles, &store);
    }
    passes::tidy(&mut draft, switches, &options.limits.cancel)?;
    let prefix = numbering::free_prefix(game);
    let mut names = TableNames {
        game,
        program: &program,
        numbering: &numbering,
        store: &mut store,
        roles: &roles,
        prefix,
    };
    let mut ground = finish::finish(draft, &mut names, roles.clone());
    ground.symbols = game.symbols().clone();
    ground.made_by_rule = store.made_by_rule();
    ground.terms = store.terms;
    Ok(ground)
}

/// Fills the tables and makes the ground rules.
fn instantiate(
    game: &Game,
    switches: Switches,
    fill_tables: FillTables,
    program: &mut Program,
    store: &mut Store<'_>,
) -> Result<(Draft, Numbering, Vec<TermId>), GroundError> {
    statics::evaluate(&program.whole(), store)?;
    let roles = roles(game, program, store)?;
    store.roles = roles.iter().copied().collect();
    let first_state = first_state(program, store);
    passes::rewrite_evaluated(game, program, switches, store)?;
    methods::run(program, fill_tables, switches, store)?;
    let numbering = Numbering::of(program, store);
    let mut draft = emit::emit(program, switches.has(Switch::Demand), store, &numbering)?;
    let row = |(index, tuple): &(usize, Vec<TermId>)| Some((*index, store.tables[*index].find(tuple)?));
    draft.init =
        first_state.iter().filter_map(row).map(|(index, row)| numbering.fluent(index, row)).collect();
    Ok((draft, numbering, roles))
}

/// The answer set program whose grounding by gringo holds that of the game (Schiffel's method). Only the switches for
/// projection and demand apply.
pub fn answer_set_program(game: &Game, switches: Switches) -> Result<String, GroundError> {
    methods::gringo::answer_set_program(game, switches)
}

/// The fluents that hold at first: predicates and tuples.
fn first_state(program: &Program, store: &Store<'_>) -> Vec<(usize, Vec<TermId>)> {
    let fluents = program.predicates.iter().enumerate();
    let fluents = fluents.filter(|(_, predicate)| matches!(predicate, Predicate::Fluent(..)));
    let tuples = |(index, _): (usize, &Predicate)| {
        let table = &store.tables[index];
        (0..table.len()).map(move |row| (index, table.row(row).to_vec()))
    };
    fluents.flat_map(tuples).collect()
}

/// The roles: those given by facts in the order of the description, then those that rules give, by name.
fn roles(game: &Game, program: &Program, store: &mut Store<'_>) -> Result<Vec<TermId>, GroundError> {
    let mut roles = game.roles().to_vec();
    let Some(index) = program.predicates.get_index_of(&Predicate::Relation(RelationId::ROLE)) else {
        return Ok(roles);
    };
    if store.is_lazy(index) {
        lazy::ask(store, index, &[], &[])?;
    }
    let name = |term: TermId| {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = store.terms.write_kif(term, game.symbols(), &mut text);
        text
    };
    let table = &store.tables[index];
    let mut others: Vec<TermId> = (0..table.len()).map(|row| table.row(row)[0]).collect();
    others.retain(|role| !roles.contains(role));
    others.sort_by_cached_key(|&role| name(role));
    others.dedup();
    roles.extend(others);
    Ok(roles)
}
