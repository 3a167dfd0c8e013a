//! Counters are played through without a solver. What they show must be right, also where a counter runs out, goes back, or ends the match
//! only together with something else.

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_ground::GroundGame;
use groundrules_prove::{Certificate, Claim, Method, Options, Subject, Verdict, check, prove};

const TIME: Duration = Duration::from_secs(60);

struct Made {
    text: String,
    game: Game,
    ground: Arc<GroundGame>,
    subject: Subject,
}

fn made(text: String) -> Made {
    let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
    let game = game.game.expect("a game");
    let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
    let ground = Arc::new(ground.expect("a small game"));
    let subject = Subject::new(&game, Arc::clone(&ground)).expect("a circuit");
    Made { text, game, ground, subject }
}

/// A light that a role switches on and off, and a clock of so many ticks. `after` is what the clock does besides.
fn clock(ticks: usize, after: &str) -> String {
    let mut text = String::from(
        "(role a) (init (tick 1))
        (<= (legal a switch)) (<= (legal a wait))
        (<= (next lit) (does a switch) (not (true lit)))
        (<= (next lit) (does a wait) (true lit))
        (<= (next (tick ?m)) (true (tick ?n)) (succ ?n ?m))
        (<= (goal a 100) (true lit)) (<= (goal a 0) (not (true lit)))\n",
    );
    (1..ticks).for_each(|number| text += &format!("(succ {number} {})\n", number + 1));
    text + after
}

fn termination(made: &Made, seconds: u64) -> Verdict {
    let options = Options { time: Some(Duration::from_secs(seconds)), ..Options::default() };
    prove(&made.subject, &[Claim::Termination], &[], &options).remove(0)
}

#[test]
fn a_clock_of_many_ticks_ends_every_match() {
    for end in [
        "(<= terminal (true (tick 100)))",
        "(<= terminal (true (tick 100)))(<= terminal (true lit) (true (tick 7)))",
    ] {
        let made = made(clock(100, end));
        let verdict = termination(&made, 60);
        assert_eq!((verdict.holds(), verdict.method), (Some(true), Some(Method::Measure)), "{}", verdict.why);
        let certificate = Certificate::of(&made.subject, made.text.as_bytes(), &[verdict]);
        check(&made.game, &made.ground, &certificate, TIME).expect("a checked certificate");
    }
}

#[test]
fn a_clock_that_waits_for_the_end_is_still_a_clock() {
    let made = made(clock(
        12,
        "(<= terminal (true (tick 12))) (<= (next (phase 2)) (true (phase 1)) (not terminal)) (init (phase 1))
        (<= (next (phase 2)) (true (phase 2)))",
    ));
    let verdict = termination(&made, 60);
    assert_eq!(verdict.holds(), Some(true), "{}", verdict.why);
    let certificate = Certificate::of(&made.subject, made.text.as_bytes(), &[verdict]);
    check(&made.game, &made.ground, &certificate, TIME).expect("a checked certificate");
}

#[test]
fn clocks_that_do_not_end_the_match_show_nothing() {
    for (name, after) in [
        ("goes round", "(succ 12 1) (<= terminal (true (tick 13)))"),
        ("goes back", "(succ 12 5) (<= terminal (true (tick 13)))"),
        ("runs out", "(<= terminal (true (tick 13)))"),
        ("ends only where the light is on", "(succ 12 1) (<= terminal (true (tick 12)) (true lit))"),
        ("is two clocks", "(init (tick 3)) (<= terminal (true (tick 12)) (true (tick 11)))"),
    ] {
        let made = made(clock(12, after));
        let verdict = termination(&made, 20);
        assert_eq!(verdict.holds(), Some(false), "the clock that {name}: {}", verdict.why);
    }
}
