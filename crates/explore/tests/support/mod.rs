//! What the tests share: games by name or text, verified on any engine and any number of threads.
#![allow(dead_code)]

use std::num::NonZeroUsize;

use groundrules_explore::{
    Budget, Count, Options, Outcome, Property, Solution, Verdict, Verification, perft, solve, verify,
};
use groundrules_gdl::{Game, read};
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;

pub(crate) fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &groundrules_gdl::Options::default());
    checked.game.unwrap_or_else(|| panic!("not GDL: {:?}", checked.diagnostics))
}

pub(crate) fn library(name: &str) -> Game {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(path).expect("a game of the library"))
}

/// Options for so many threads.
pub(crate) fn threads(count: usize) -> Options {
    Options { threads: NonZeroUsize::new(count).expect("at least one"), ..Options::default() }
}

pub(crate) fn compiled(game: &Game, engine: Engine) -> Compiled {
    Compiled::new(game.clone()).on(engine)
}

pub(crate) fn verified(game: &Game, engine: Engine, count: usize, budget: &Budget) -> Verification {
    verify(&compiled(game, engine), &Options { budget: *budget, ..threads(count) }).expect("verdicts")
}

pub(crate) fn solved(game: &Game, count: usize) -> Solution {
    solve(&compiled(game, Engine::Auto), &threads(count)).expect("a solution").solution
}

pub(crate) fn counts(game: &Game, engine: Engine, depth: usize, count: usize) -> Vec<Count> {
    perft(&compiled(game, engine), depth, &threads(count)).expect("counts")
}

pub(crate) fn verdict(verification: &Verification, property: Property) -> &Verdict {
    verification.verdict(property)
}

/// The properties that fail.
pub(crate) fn failing(verification: &Verification) -> Vec<Property> {
    let failing = verification.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Fails);
    failing.map(|verdict| verdict.property).collect()
}
