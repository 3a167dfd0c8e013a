//! The cancel flag of a compiled game stops every exploration of it, with an error.

use std::num::NonZeroUsize;
use std::sync::Arc;

use groundrules_explore::{
    ExploreError, Observer, Options, Progress, SampleOptions, perft, sample, search, solve, verify,
};
use groundrules_gdl::time::Cancel;
use groundrules_machine::Compiled;

/// Sixty switches, any of which may be thrown: far too many states.
fn switches() -> Compiled {
    let switches: String = (0..60).map(|i| format!("(switch {i}) ")).collect();
    let text = format!(
        "(role you) {switches} (init (on 0)) (<= (legal you (throw ?x)) (switch ?x))
         (<= (next (on ?x)) (does you (throw ?x)) (not (true (on ?x))))
         (<= (next (on ?x)) (true (on ?x)) (not (does you (throw ?x))))
         (<= terminal (true (on 0)) (true (on 1)) (true (on 2))) (goal you 100)"
    );
    let checked = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
    Compiled::new(checked.game.expect("a game"))
}

/// Cancels at the first report.
struct Impatient(Cancel);

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {
        self.0.cancel();
    }
}

#[test]
fn every_exploration_is_cancelled_on_its_way() {
    let game = switches();
    for threads in [1, 3] {
        let threads = NonZeroUsize::new(threads).expect("not zero");
        let cancelled = |explore: &dyn Fn(&Compiled, &Options) -> Option<ExploreError>| {
            let cancel = Cancel::new();
            let observer: Arc<dyn Observer> = Arc::new(Impatient(cancel.clone()));
            let options = Options { threads, observer, ..Options::default() };
            matches!(explore(&game.cancelled_by(&cancel), &options), Some(ExploreError::Cancelled(_)))
        };
        assert!(cancelled(&|game, options| search(game, options).err()));
        assert!(cancelled(&|game, options| verify(game, options).err()));
        assert!(cancelled(&|game, options| solve(game, options).err()));
        assert!(cancelled(&|game, options| perft(game, 30, options).err()));
    }
}

#[test]
fn sampling_is_cancelled() {
    let cancel = Cancel::new();
    let game = switches().cancelled_by(&cancel);
    game.machine().expect("a machine");
    cancel.cancel();
    let options = SampleOptions { playouts: u64::MAX, max_moves: 100, seed: 1 };
    assert!(matches!(sample(&game, &options), Err(ExploreError::Cancelled(_))));
}
