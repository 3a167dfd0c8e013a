//! Runs that begin interpreted and go on compiled: every playout that begins is finished and counted, whatever it costs, so
//! that the means do not favour short playouts.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use groundrules_gdl::time::Cancel;
use groundrules_gdl::{Game, Options as ReadOptions, Roles, read};
use groundrules_machine::compiled::{Settings, Started, Upgrade};
use groundrules_machine::engines::Engine;
use groundrules_machine::engines::auto::{Budget, Decision};
use groundrules_machine::playout::{End, Playouts, Setting};
use groundrules_machine::run::{Options, StartedRun, Until, run, run_started};
use groundrules_machine::{Compiled, MachineError, Tally};

fn options(time: Duration) -> Options {
    let threads = NonZeroUsize::new(2).expect("two");
    Options { until: Until::Time(time), seed: 3, threads, max_steps: 1_000_000, cancel: Cancel::new() }
}

fn game(text: &str) -> Game {
    read(text.as_bytes(), &ReadOptions::default()).game.expect("a valid description")
}

/// Every other playout takes longer than runs are watched, and counts when it began.
struct Slow {
    roles: Roles,
    begun: Arc<AtomicU64>,
}

impl Playouts for Slow {
    fn roles(&self) -> &Roles {
        &self.roles
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn play(&mut self, block: u64, _: u64, _: &Setting<'_>, tally: &mut Tally) -> Result<(), MachineError> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let is_long = block % 2 == 1;
        thread::sleep(Duration::from_millis(if is_long { 60 } else { 1 }));
        tally.add_end(End::Terminal, if is_long { 60 } else { 1 });
        tally.goals[0].add(&[if is_long { 100 } else { 0 }]);
        Ok(())
    }

    fn fork(&self) -> Box<dyn Playouts> {
        Box::new(Slow { roles: self.roles.clone(), begun: Arc::clone(&self.begun) })
    }
}

#[test]
fn what_begins_is_counted() {
    let begun = Arc::new(AtomicU64::new(0));
    let now: Box<dyn Playouts> =
        Box::new(Slow { roles: Roles::new(vec!["you".to_owned()]), begun: Arc::clone(&begun) });
    let decision = Decision { engine: Engine::Tree, why: String::new() };
    let started = Started { now, decision, upgrade: Upgrade::none() };
    let watch = &mut |_| ControlFlow::Continue(());
    let StartedRun { run, interpreted, .. } =
        run_started(started, &options(Duration::from_millis(400)), watch).expect("a run");
    assert_eq!((run.tally.playouts, run.tally.cut_short), (begun.load(Ordering::Relaxed), 0));
    assert!(run.tally.playouts > 0 && interpreted.is_none());
}

/// The first move decides: a match is over at once and worth nothing, or it is long and worth 100.
fn long_or_short(length: usize) -> Game {
    let numbers: String = (0..length).map(|n| format!("(s {n} {}) ", n + 1)).collect();
    game(&format!(
        "(role you) (init (at 0)) {numbers} (<= (legal you short) (true (at 0))) (<= (legal you long) (true (at 0)))
         (<= (legal you on) (true (at ?x)) (distinct ?x 0))
         (<= (next (at 1)) (does you long)) (<= (next (at out)) (does you short))
         (<= (next (at ?y)) (true (at ?x)) (distinct ?x 0) (s ?x ?y))
         (<= terminal (true (at {length}))) (<= terminal (true (at out)))
         (<= (goal you 100) (true (at {length}))) (<= (goal you 0) (not (true (at {length}))))"
    ))
}

fn is_near_50(tally: &Tally) -> bool {
    let playouts = tally.playouts as f64;
    let mean = tally.goals[0].moments().mean().expect("some playouts");
    (mean - 50.0).abs() <= 4.5 * 50.0 / playouts.sqrt()
}

#[test]
fn means_are_those_of_other_engines_though_long_playouts_are_slow() {
    // Nothing faster comes: the budget is too small for the network.
    let slow = long_or_short(3000);
    let settings = Settings { budget: Budget { rules: 1, ..Budget::default() }, ..Settings::default() };
    let compiled = Compiled::with(slow.clone(), settings);
    let started = compiled.start(Compiled::playouts, ()).expect("a playable game");
    let watch = &mut |_| ControlFlow::Continue(());
    let by_rules = run_started(started, &options(Duration::from_millis(700)), watch).expect("a run");
    assert_eq!(by_rules.decision.engine, Engine::Tree, "{:?}", by_rules.decision);
    assert!(is_near_50(&by_rules.run.tally), "{:?}", by_rules.run.tally);
    let lanes = Compiled::new(slow).on(Engine::Net).playouts().expect("lanes");
    let by_network = run(&*lanes, &options(Duration::from_millis(200)), watch).expect("a run");
    assert!(is_near_50(&by_network.tally), "{:?}", by_network.tally);
}

#[test]
fn what_was_interpreted_counts_when_something_faster_comes() {
    let compiled = Compiled::new(long_or_short(20));
    let started = compiled.start(Compiled::playouts, ()).expect("a playable game");
    let mut seen = 0;
    let watch = &mut |progress: groundrules_machine::run::Progress| {
        assert!(progress.playouts >= seen, "progress goes on where it was");
        seen = progress.playouts;
        ControlFlow::Continue(())
    };
    let result = run_started(started, &options(Duration::from_secs(2)), watch).expect("a run");
    assert!(is_near_50(&result.run.tally), "{:?}", result.run.tally);
    if let Some((interpreted, _)) = result.interpreted {
        assert_eq!(result.decision.engine, Engine::Sliced, "{:?}", result.decision);
        assert!(interpreted <= result.run.tally.playouts);
    }
}
