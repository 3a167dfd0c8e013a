//! Made-up games, each of which breaks exactly one property, with a shortest line that replays; and what is left open.

mod support;

use groundrules_explore::{Budget, Outcome, Property, Stop, Verification, record};
use groundrules_gdl::Game;
use groundrules_gdl::trace::{Outcome as Replayed, matches, replay};
use groundrules_machine::engines::Engine;
use groundrules_machine::{Compiled, InWords};
use support::{failing, game, library, verdict, verified};

/// Counts from 0 to 3 by steps of one or two; goals are always defined, and never fall.
const SOUND: &str = "(role you) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)
    (<= (legal you one) (true (n ?x)) (s ?x ?_y))
    (<= (legal you wait) (true (n ?x)) (s ?x ?_y))
    (<= (next (n ?y)) (does you one) (true (n ?x)) (s ?x ?y))
    (<= (next (n 3)) (does you wait))
    (<= terminal (true (n 3)))
    (<= (goal you 100) (true (n 3)))
    (<= (goal you 0) (not (true (n 3))))";

fn verify(game: &Game) -> Verification {
    let found = verified(game, Engine::Auto, 2, &Budget::default());
    for engine in [Engine::Tree, Engine::Net] {
        assert_eq!(failing(&verified(game, engine, 1, &Budget::default())), failing(&found), "{engine:?}");
    }
    replays(game, &found);
    found
}

/// Every line is replayed by another engine, from the text of its trace.
fn replays(game: &Game, found: &Verification) {
    let compiled = Compiled::new(game.clone());
    for verdict in &found.verdicts {
        let Some(line) = &verdict.line else { continue };
        let text =
            record(&compiled, "made up", line, &verdict.why).expect("a line that can be played").to_line();
        let recorded = matches(text.as_bytes()).next().expect("a match").expect("a readable one");
        assert_eq!(recorded.steps.len(), line.len() + 1);
        let mut machine = compiled.on(Engine::Tree).machine().expect("an engine");
        let replayed = replay(&mut InWords::new(&mut *machine), &recorded);
        assert_eq!(replayed.outcome, Replayed::Same, "{:?}", verdict.property);
    }
}

fn line_length(found: &Verification, property: Property) -> Option<usize> {
    verdict(found, property).line.as_ref().map(Vec::len)
}

#[test]
fn a_sound_game_has_every_property() {
    let found = verify(&game(SOUND));
    assert!(found.verdicts.iter().all(|verdict| verdict.outcome == Outcome::Holds), "{:?}", found.verdicts);
    assert_eq!(found.verdicts.len(), Property::ALL.len());
}

#[test]
fn only_termination_fails() {
    let text = format!("{SOUND} (<= (legal you back) (true (n 2))) (<= (next (n 1)) (does you back))");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::Termination, Property::WellFormedness]);
    assert_eq!(line_length(&found, Property::Termination), Some(3), "0, 1, 2 and back to 1");
}

#[test]
fn a_state_that_follows_itself_is_a_cycle() {
    let text = format!("{SOUND} (<= (legal you stay) (true (n 1))) (<= (next (n 1)) (does you stay))");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::Termination, Property::WellFormedness]);
    assert_eq!(line_length(&found, Property::Termination), Some(2));
}

#[test]
fn ways_of_different_lengths_are_no_cycle() {
    // By waiting the last state is reached at once, and by counting later.
    let found = verify(&game(SOUND));
    assert!(!found.explored.is_graded());
    assert_eq!(verdict(&found, Property::Termination).outcome, Outcome::Holds);
}

#[test]
fn only_playability_fails() {
    let text = format!("{SOUND} (<= (legal you jump) (true (n 1))) (<= (next (n 4)) (does you jump))");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::Playability, Property::WellFormedness]);
    assert_eq!(line_length(&found, Property::Playability), Some(2));
}

#[test]
fn only_utility_fails() {
    // Where it ends there are two goals; monotonicity asks for one everywhere, so it fails with it.
    let text = format!("{SOUND} (<= (goal you 50) (true (n 3)))");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::Utility, Property::WellFormedness, Property::Monotonicity]);
    assert_eq!(line_length(&found, Property::Utility), Some(1));
    let text = SOUND.replace("(<= (goal you 100) (true (n 3)))", "(<= (goal you 100) (true (n 9)))");
    let found = verify(&game(&text));
    assert!(failing(&found).contains(&Property::Utility), "none is as bad as two");
}

#[test]
fn only_weak_winnability_fails() {
    let text = format!("{SOUND} (role me) (legal me noop) (<= (goal me 100) (true (n 7))) (goal me 0)");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::WeakWinnability, Property::WellFormedness]);
    assert!(verdict(&found, Property::WeakWinnability).why.contains("no line of play gives me 100"));
}

#[test]
fn only_monotonicity_fails() {
    let text = SOUND.replace(
        "(<= (goal you 0) (not (true (n 3))))",
        "(<= (goal you 20) (true (n 1))) (<= (goal you 10) (true (n 2))) (<= (goal you 0) (true (n 0)))",
    );
    let found = verify(&game(&text));
    assert_eq!(failing(&found), [Property::Monotonicity]);
    assert_eq!(line_length(&found, Property::Monotonicity), Some(2), "from 20 to 10");
}

#[test]
fn only_strong_winnability_fails() {
    // Matching pennies: both can win, and nobody can force it.
    let text = "(role odd) (role even) (init start) (side heads) (side tails)
        (<= (legal ?r ?s) (role ?r) (side ?s) (true start))
        (<= (next same) (does odd ?s) (does even ?s))
        (<= (next different) (does odd ?s) (does even ?t) (distinct ?s ?t))
        (<= terminal (not (true start)))
        (<= (goal odd 100) (true different)) (<= (goal odd 0) (not (true different)))
        (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))";
    let found = verify(&game(text));
    assert_eq!(failing(&found), [Property::StrongWinnability]);
}

#[test]
fn chance_wants_nothing() {
    let text = format!("{SOUND} (role random) (legal random a) (legal random b)");
    let found = verify(&game(&text));
    assert_eq!(failing(&found), []);
}

#[test]
fn a_single_finite_run_proves_an_unbounded_game() {
    let found = verified(&library("busy-beaver"), Engine::Auto, 2, &Budget::default());
    assert_eq!((found.explored.stop.clone(), found.explored.states()), (None, 15));
    assert_eq!(failing(&found), [Property::Monotonicity]);
}

#[test]
fn what_was_not_seen_is_open() {
    let text = "(role you) (init (tape nil)) (legal you go)
        (<= (next (tape (cons one ?t))) (true (tape ?t))) (<= terminal (true stop)) (goal you 0)
        (<= (goal you 100) (true stop))";
    let budget = Budget { states: Some(500), ..Budget::default() };
    let found = verified(&game(text), Engine::Auto, 2, &budget);
    assert_eq!(found.explored.stop, Some(Stop::States(500)));
    let outcomes: Vec<Outcome> = found.verdicts.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Open; 7]);
}

#[test]
fn what_was_seen_counts_without_the_rest() {
    let budget = Budget { states: Some(10_000), ..Budget::default() };
    let found = verified(&library("connect-four"), Engine::Auto, 2, &budget);
    assert!(found.explored.stop.is_some());
    assert_eq!(verdict(&found, Property::WeakWinnability).outcome, Outcome::Open);
    assert_eq!(verdict(&found, Property::Monotonicity).outcome, Outcome::Open);
    assert_eq!(verdict(&found, Property::Playability).outcome, Outcome::Open);
}
