//! What the tests share: games by name or text, verified on any engine and any number of threads.
#![allow(dead_code)]

use std::num::NonZeroUsize;

use groundrules_explore::perft::{Count, perft};
use groundrules_explore::run::on_threads;
use groundrules_explore::search::Worker;
use groundrules_explore::solve::{Solution, solve};
use groundrules_explore::store::Store;
use groundrules_explore::target::targets;
use groundrules_explore::verify::{Outcome, Property, Verdict, Verification, verify};
use groundrules_explore::{Budget, Silent};
use groundrules_gdl::{Game, Options, read};
use groundrules_machine::engines::Engine;
use groundrules_machine::{Batch, Compiled};

pub(crate) fn game(text: &str) -> Game {
    let checked = read(text.as_bytes(), &Options::default());
    checked.game.unwrap_or_else(|| panic!("not GDL: {:?}", checked.diagnostics))
}

pub(crate) fn library(name: &str) -> Game {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(path).expect("a game of the library"))
}

pub(crate) fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("at least one")
}

pub(crate) fn batch(game: &Game, engine: Engine) -> Box<dyn Batch> {
    Compiled::new(game.clone()).on(engine).batch().expect("an engine")
}

pub(crate) fn verified(game: &Game, engine: Engine, count: usize, budget: &Budget) -> Verification {
    let batch = batch(game, engine);
    let roles = batch.roles().to_vec();
    let targets = targets(game, &roles);
    on_threads(&*batch, threads(count), |batch, link| {
        let store = Store::exact(batch.row_width());
        verify(&mut Worker::new(batch, store, link, &Silent), &roles, &targets, budget, None, None)
    })
    .expect("verdicts")
}

pub(crate) fn solved(game: &Game, count: usize) -> Solution {
    let batch = batch(game, Engine::Auto);
    let most = vec![Some(100); batch.roles().len()];
    let solved = on_threads(&*batch, threads(count), |batch, link| {
        let store = Store::exact(batch.row_width());
        solve(&mut Worker::new(batch, store, link, &Silent), &most, &Budget::default(), None, None)
    });
    solved.expect("a solution").0
}

pub(crate) fn counts(game: &Game, engine: Engine, depth: usize, count: usize) -> Vec<Count> {
    let batch = batch(game, engine);
    on_threads(&*batch, threads(count), |batch, link| perft(batch, link, depth, &Silent, &mut |_, _| {}))
        .expect("counts")
}

pub(crate) fn verdict(verification: &Verification, property: Property) -> &Verdict {
    verification.verdicts.iter().find(|verdict| verdict.property == property).expect("a verdict on each")
}

/// The properties that fail.
pub(crate) fn failing(verification: &Verification) -> Vec<Property> {
    let failing = verification.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Fails);
    failing.map(|verdict| verdict.property).collect()
}
