//! Playouts and runs of them, on the oracle: what they count, and that neither threads nor blocks change it.

mod oracle_machine;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use groundrules_gdl::time::Cancel;
use groundrules_gdl::trace::{Outcome, matches, replay};
use groundrules_machine::playout::{ByMachine, End, Playouts, Setting, playout};
use groundrules_machine::run::{Options, RunError, Until};
use groundrules_machine::{InWords, Machine, Tally, run};
use oracle_machine::{OracleMachine, game};

/// Two roles count to ten by ones and twos, in turns; who says ten wins.
const TO_TEN: &str = "(role left) (role right) (init (at 0)) (init (turn left))
    (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8) (s 8 9) (s 9 10) (other left right)
    (other right left)
    (<= (legal ?r one) (true (turn ?r))) (<= (legal ?r two) (true (turn ?r)) (not (true (at 9))))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (at ?n)) (does ?r one) (true (at ?m)) (s ?m ?n))
    (<= (next (at ?n)) (does ?r two) (true (at ?m)) (s ?m ?k) (s ?k ?n))
    (<= (next (turn ?r)) (true (turn ?o)) (other ?o ?r))
    (<= terminal (true (at 10))) (<= (goal ?r 100) (true (turn ?o)) (other ?r ?o) (true (at 10)))
    (<= (goal ?r 0) (true (turn ?r)))";

fn machine(text: &str) -> Box<dyn Machine> {
    Box::new(OracleMachine::new(&game(text), 100_000))
}

fn options(until: Until, threads: usize) -> Options {
    Options {
        until,
        seed: 7,
        threads: NonZeroUsize::new(threads).unwrap(),
        max_steps: 50,
        cancel: Cancel::new(),
    }
}

fn tally(text: &str, until: Until, threads: usize) -> Tally {
    run(&ByMachine::new(machine(text)), &options(until, threads), &mut |_| ControlFlow::Continue(()))
        .unwrap()
        .tally
}

#[test]
fn threads_do_not_change_the_result() {
    let one = tally(TO_TEN, Until::Playouts(200), 1);
    for threads in [2, 3, 7] {
        assert_eq!(one, tally(TO_TEN, Until::Playouts(200), threads), "{threads} threads");
    }
    assert_ne!(one, tally(TO_TEN, Until::Playouts(199), 1));
    assert_eq!((one.playouts, one.unfinished, one.unplayable, one.cut_short), (200, 0, 0, 0));
}

#[test]
fn what_is_counted_fits_together() {
    let tally = tally(TO_TEN, Until::Playouts(300), 2);
    assert_eq!(i128::from(tally.states), tally.lengths.sum);
    assert_eq!(tally.lengths.count, 300);
    assert!((5.0..=10.0).contains(&tally.lengths.mean().unwrap()));
    // One role moves at a time: two moves, except at nine.
    let branching = tally.branching.value().unwrap();
    assert!(branching > 1.5 && branching < 2.0, "{branching}");
    assert_eq!(tally.branching.count, tally.states);
    assert_eq!(tally.choices.value(), Some(2.0));
    for goals in &tally.goals {
        assert_eq!(goals.histogram.values().sum::<u64>(), 300);
        assert!(goals.histogram.keys().all(|value| [0, 100].contains(value)));
    }
    let sum: i128 = tally.goals.iter().map(|goals| goals.moments().sum).sum();
    assert_eq!(sum, 300 * 100, "one of the two wins");
}

#[test]
fn every_move_has_the_same_chance() {
    let text = "(role you) (init begin) (m a 10) (m b 20) (m c 30) (<= (legal you ?m) (m ?m ?v))
        (<= (next (made ?m)) (does you ?m)) (<= terminal (not (true begin)))
        (<= (goal you ?v) (true (made ?m)) (m ?m ?v))";
    let tally = tally(text, Until::Playouts(3000), 2);
    let counts: Vec<u64> = tally.goals[0].histogram.values().copied().collect();
    // Six deviations of a binomial with a third.
    assert!(counts.len() == 3 && counts.iter().all(|&count| (845..=1155).contains(&count)), "{counts:?}");
}

#[test]
fn playouts_that_do_not_end_well_are_counted_apart() {
    let endless =
        "(role you) (init a) (legal you wait) (<= (next a) (true a)) (<= terminal (true b)) (goal you 1)";
    let counted = tally(endless, Until::Playouts(3), 2);
    assert_eq!((counted.playouts, counted.unfinished, counted.states), (3, 3, 150));
    assert!(counted.goals[0].histogram.is_empty());

    let stuck =
        "(role you) (role me) (init a) (legal you go) (<= (legal me go) (true a)) (<= (next b) (true a))
        (<= terminal (true c)) (goal you 1)";
    let counted = tally(stuck, Until::Playouts(3), 1);
    assert_eq!(
        (counted.playouts, counted.unplayable, counted.stuck_role, counted.states),
        (3, 3, Some(1), 3)
    );

    let goals = "(role you) (role me) (init a) (<= terminal (true a)) (legal you x) (legal me x) (goal you 1) (goal you 2)";
    let counted = tally(goals, Until::Playouts(4), 1);
    assert_eq!((counted.goals[0].several, counted.goals[1].none, counted.lengths.sum), (4, 4, 0));
    assert_eq!(counted.branching.value(), None);
}

#[test]
fn the_first_failure_is_told_whatever_the_number_of_threads() {
    // A chain of rules that costs more the further the match is.
    let text = "(role you) (init (at 0)) (s 0 1) (s 1 2) (s 2 3) (legal you go) (legal you stay)
        (<= (next (at ?n)) (does you go) (true (at ?m)) (s ?m ?n)) (<= (next (at ?m)) (does you stay) (true (at ?m)))
        (<= (big ?a ?b ?c ?d) (s ?a ?x) (s ?b ?y) (s ?c ?z) (s ?d ?w) (true (at 3)))
        (<= terminal (big 0 0 0 0)) (goal you 1)";
    let cheap = OracleMachine::new(&game(text), 100);
    let player = ByMachine::new(Box::new(cheap));
    let options = |threads| Options { max_steps: 4, ..options(Until::Playouts(500), threads) };
    let failure = |threads| run(&player, &options(threads), &mut |_| ControlFlow::Continue(())).unwrap_err();
    let one = failure(1);
    assert!(matches!(one, RunError::Playout { playout: 0..100, .. }), "{one}");
    assert_eq!(one, failure(2));
    assert_eq!(one, failure(5));
}

#[test]
fn time_ends_a_run() {
    let mut told = 0;
    let endless =
        "(role you) (init a) (legal you wait) (<= (next a) (true a)) (<= terminal (true b)) (goal you 1)";
    let until = Until::Time(Duration::from_millis(150));
    let options = Options { max_steps: u64::MAX, ..options(until, 2) };
    let run = run(&ByMachine::new(machine(endless)), &options, &mut |_| {
        told += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(run.tally.playouts == 0 && run.tally.cut_short <= 2 && told > 0);
    assert!(run.elapsed >= Duration::from_millis(150));
    let none = tally(TO_TEN, Until::Time(Duration::ZERO), 1);
    assert_eq!(none.unfinished, 0);
}

#[test]
fn no_playouts_are_no_playouts() {
    assert_eq!(tally(TO_TEN, Until::Playouts(0), 3), Tally::new(2));
}

#[test]
fn a_playout_says_how_it_ended_and_leaves_the_machine_there() {
    let stop = AtomicBool::new(false);
    let setting = Setting { seed: 1, max_steps: 50, stop: &stop };
    let (mut machine, mut tally) = (machine(TO_TEN), Tally::new(2));
    let end = playout(&mut *machine, &mut setting.choices(0), &setting, &mut Vec::new(), &mut tally);
    assert_eq!(end, Ok(End::Terminal));
    assert!(machine.fluents().contains(&"(at 10)".to_owned()), "{:?}", machine.fluents());
    assert_eq!(ByMachine::new(machine).roles()[..], ["left", "right"]);
}

const TRACE: &str = r#"{"game":"to ten","roles":["LEFT","right"],"steps":[
    {"state":["(at 0)","(turn left)"],"legal":{"LEFT":["one","two"],"right":["wait"]},"terminal":false,
     "joint":["TWO","wait"]},
    {"state":["(at 2)","(turn right)"],"legal":{"LEFT":["wait"],"right":["one","two"]},"terminal":false,
     "joint":["wait","one"]},
    {"state":["(at 3)","(turn left)"],"legal":{"LEFT":["one","two"],"right":["wait"]},"terminal":false}]}"#;

#[test]
fn recorded_matches_are_replayed_on_machines() {
    let mut machine = machine(TO_TEN);
    let mut replayed = |text: &str| {
        let recorded = matches(text.replace('\n', "").as_bytes()).next().unwrap().unwrap();
        replay(&mut InWords::new(&mut *machine), &recorded)
    };
    let same = replayed(TRACE);
    assert_eq!((same.states, same.outcome), (3, Outcome::Same));
    let differs = replayed(&TRACE.replace("(at 3)", "(at 4)"));
    let Outcome::Differs(difference) = differs.outcome else { panic!("{differs:?}") };
    assert_eq!(difference.to_string(), "state 2: the state: only here (at 3); only in the trace (at 4)");
}
