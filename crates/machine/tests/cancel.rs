//! A cancel flag stops grounding, building an engine and playing, and leaves the compiled game usable.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use groundrules_gdl::time::Cancel;
use groundrules_gdl::{Game, Options as ReadOptions, read};
use groundrules_ground::{GroundError, Limits, Options as GroundOptions, ground_watched};
use groundrules_machine::Compiled;
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::run::{Options, RunError, Until, run};

fn game(text: &str) -> Game {
    read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description")
}

const ENDLESS: &str =
    "(role you) (init a) (legal you wait) (<= (next a) (true a)) (<= terminal (true b)) (goal you 1)";

#[test]
fn grounding_stops_when_it_is_cancelled_on_its_way() {
    let facts: String = (0..300).map(|i| format!("(n {i}) (init (f {i})) ")).collect();
    let text = format!(
        "(role r) {facts} (<= (legal r (go ?x ?y)) (true (f ?x)) (true (f ?y))) (goal r 0)
         (<= (next (f ?x)) (true (f ?x)) (not (does r (go ?x ?x)))) (<= terminal (not (true (f 0))))"
    );
    let cancel = Cancel::new();
    let limits = Limits::default().cancelled_by(&cancel);
    let options = GroundOptions { limits, ..GroundOptions::default() };
    let mut reports = 0;
    let result = ground_watched(&game(&text), &options, &mut |_| {
        reports += 1;
        cancel.cancel();
    });
    assert!(matches!(result, Err(GroundError::Cancelled(_))), "{:?}", result.err());
    assert_eq!(reports, 1, "nothing is tried after that");
}

#[test]
fn what_was_cancelled_can_be_made_later_with_another_flag() {
    let cancel = Cancel::new();
    let compiled = Compiled::new(game(ENDLESS)).cancelled_by(&cancel);
    cancel.cancel();
    for engine in [Engine::Auto, Engine::Net, Engine::Sliced, Engine::Tree] {
        let cancelled = compiled.on(engine);
        assert!(matches!(cancelled.machine(), Err(EngineError::Cancelled(_))), "{engine:?}");
        assert!(matches!(cancelled.batch(), Err(EngineError::Cancelled(_))), "{engine:?}");
        assert!(matches!(cancelled.playouts(), Err(EngineError::Cancelled(_))), "{engine:?}");
        assert!(cancelled.cancelled_by(&Cancel::new()).machine().is_ok(), "{engine:?}");
    }
    // The decision of a cancelled call is not the last word.
    assert_eq!(compiled.decision().engine, Engine::Sliced);
}

#[test]
fn a_run_stops_in_the_middle_of_a_playout() {
    let playouts = Compiled::new(game(ENDLESS)).on(Engine::Tree).playouts().expect("playouts");
    let cancel = Cancel::new();
    let options = Options {
        until: Until::Playouts(10),
        seed: 1,
        threads: NonZeroUsize::new(2).expect("two"),
        max_steps: u64::MAX,
        cancel: cancel.clone(),
    };
    let result = run(&*playouts, &options, &mut |_| {
        cancel.cancel();
        ControlFlow::Continue(())
    });
    assert!(matches!(result, Err(RunError::Cancelled(_))));
}
