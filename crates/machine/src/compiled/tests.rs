use std::time::Duration;

use groundrules_gdl::{Options, read};

use super::*;
use crate::machine::State;
use crate::rows::Rows;
use crate::views::Views;

const COUNT: &str = "(role you) (init (n 0)) (legal you go) (legal you stay) (s 0 1) (s 1 2)
    (<= (next (n ?y)) (true (n ?x)) (s ?x ?y) (does you go)) (<= (next (n ?x)) (true (n ?x)) (does you stay))
    (<= terminal (true (n 2))) (<= (goal you 100) (true (n 2))) (<= (goal you 0) (not (true (n 2))))";

fn count() -> Game {
    read(COUNT.as_bytes(), &Options::default()).game.expect("a valid description")
}

fn within(budget: Budget) -> Compiled {
    Compiled::with(count(), Settings { budget, ..Settings::default() })
}

#[test]
fn what_grounds_is_run_by_its_network() {
    let compiled = Compiled::new(count());
    let playouts = compiled.playouts().expect("a playable game");
    assert_eq!((compiled.decision().engine, playouts.roles().len()), (Engine::Sliced, 1));
}

#[test]
fn a_large_network_is_run_state_by_state() {
    let compiled = within(Budget { gates: 0, ..Budget::default() });
    compiled.playouts().expect("a playable game");
    assert_eq!(compiled.decision().engine, Engine::Net, "{:?}", compiled.decision());
}

#[test]
fn what_does_not_ground_is_interpreted() {
    let compiled = within(Budget { rules: 1, ..Budget::default() });
    assert_eq!(compiled.decision().engine, Engine::Tree, "{:?}", compiled.decision());
    let mut started = compiled.start(Compiled::playouts, ()).expect("a playable game");
    let (built, decision) = started.upgrade.wait(Duration::from_secs(600)).expect("an end");
    assert!(matches!(built, Ok(None)), "nothing is faster");
    assert_eq!(decision.engine, Engine::Tree);
    assert!(!started.upgrade.is_coming() && started.upgrade.poll().is_none());
}

#[test]
fn an_engine_that_is_named_has_other_limits_than_auto() {
    let compiled = within(Budget { rules: 1, ..Budget::default() });
    assert!(compiled.ground().is_err());
    assert!(compiled.on(Engine::Net).machine().is_ok());
    assert!(compiled.ground().is_ok(), "what is there is shared");
}

#[test]
fn what_is_derived_is_made_once() {
    let compiled = Compiled::new(count());
    let (one, other) = (compiled.network().expect("a network"), compiled.on(Engine::Net).network());
    assert!(Arc::ptr_eq(&one, &other.expect("a network")));
    let names = compiled.vocabulary().expect("names");
    assert!(Arc::ptr_eq(&names, &compiled.on(Engine::Sliced).vocabulary().expect("names")));
    let go = names.find_move(0, " ( GO )").expect("a move");
    assert_eq!((names.move_text(go), names.role_of(go)), ("go".to_owned(), 0));
    assert_eq!(names.find_move(0, "((go))"), None);
    let zero = names.find_fluent("(N 0)").expect("a fluent");
    assert_eq!(names.fluent_text(zero), "(n 0)");
}

#[test]
fn it_begins_interpreted_and_goes_on_compiled() {
    let compiled = Compiled::new(count());
    let mut started = compiled.start(Compiled::machine, ()).expect("a playable game");
    assert_eq!(started.decision.engine, Engine::Tree);
    assert_eq!(started.now.fluents(), ["(n 0)"]);
    let (built, decision) = started.upgrade.wait(Duration::from_secs(600)).expect("an end");
    let machine = built.expect("a network").expect("something faster");
    assert_eq!((decision.engine, machine.fluents()), (Engine::Sliced, vec!["(n 0)".to_owned()]));
}

#[test]
fn states_and_moves_are_those_of_machine_and_batch() {
    let compiled = Compiled::new(count());
    for &engine in Engine::ALL {
        let compiled = compiled.on(engine);
        let (mut machine, mut batch) = (compiled.machine().unwrap(), compiled.batch().unwrap());
        let go = machine.find_move(0, "go").expect("a move");
        assert_eq!(compiled.move_text(go).unwrap(), "go");
        let (mut views, mut state) = (Views::default(), State::default());
        machine.save(&mut state);
        assert_eq!(state, batch.initial(), "{engine:?}");
        let mut row = Rows::of_row(batch.row_width(), state.words());
        batch.look(&row, &mut views).expect("an answer");
        assert_eq!(views.legal(0, 0), machine.legal(0).expect("moves"), "{engine:?}");
        for _ in 0..2 {
            machine.advance(&[go]).expect("a next state");
            let mut next = Rows::new(batch.row_width());
            batch.advance(&row, &[0], &[go], &mut next).expect("a next state");
            row = next;
        }
        let mut saved = State::default();
        machine.save(&mut saved);
        assert_eq!(saved.words(), row.row(0), "{engine:?}");
        batch.look(&row, &mut views).expect("an answer");
        assert!(views.is_terminal(0) && views.goals(0, 0) == [100], "{engine:?}");
    }
}
