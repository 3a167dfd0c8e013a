//! The engine `net` plays as the oracle says: games made at random, and games written for what is easily got wrong: cycles,
//! illegal moves, games that cannot be played, one role, eight roles.

#[path = "../../ground/tests/support/generator/mod.rs"]
#[allow(dead_code, reason = "only descriptions are used here")]
mod generator;
mod net_support;
#[path = "../../ground/tests/support/tricky.rs"]
#[allow(dead_code, reason = "the reasons are told by the tests of grounding")]
mod tricky;

use std::collections::BTreeSet;

use generator::{Description, Descriptions, description};
use groundrules_gdl::Game;
use groundrules_ground::evaluator::Evaluator;
use groundrules_ground::{Limits, Options as GroundOptions, ground};
use groundrules_machine::engines::net::NetMachine;
use groundrules_machine::{Machine, Move, State};
use groundrules_oracle::playout::Xorshift;
use groundrules_oracle::{Budget, Oracle, Plays, random_playout};
use net_support::{Asked, game, machine};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use tricky::{DERIVED, FRAMES, SHAPES, UNUSUAL};

fn small() -> Limits {
    let mut limits = Limits::default();
    (limits.rules, limits.atoms) = (20_000, 20_000);
    limits
}

fn set(texts: Vec<String>) -> BTreeSet<String> {
    texts.into_iter().map(|text| text.to_ascii_lowercase()).collect()
}

/// The goal values that are whole numbers.
fn values(goals: &[String]) -> BTreeSet<i32> {
    goals.iter().filter_map(|goal| goal.parse().ok()).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, right: &T) -> Result<(), String> {
    if ours == right { Ok(()) } else { Err(format!("{what}: {ours:?}, by the oracle {right:?}")) }
}

/// Why a game was not compared, or what is different.
enum Trouble {
    Skipped(String),
    Difference(String),
}

/// Plays some matches with the oracle and follows them.
fn follows_oracle(game: &Game) -> Result<(), Trouble> {
    let skipped = |error: &dyn std::fmt::Display| Trouble::Skipped(error.to_string());
    let mut oracle = Oracle::new(game, Budget::steps(2_000_000)).map_err(|error| skipped(&error))?;
    let mut engine = Asked(Box::new(machine(game, small()).map_err(|error| skipped(&error))?));
    for seed in 1..=2 {
        let playout = random_playout(&mut oracle, seed, 12).map_err(|error| skipped(&error))?;
        let mut ours = engine.initial_state().map_err(|error| skipped(&error))?;
        for (step, right) in playout.states.iter().enumerate() {
            let words = |words: String| Trouble::Difference(format!("seed {seed}, state {step}: {words}"));
            compare(&mut engine, &ours, &mut oracle, right).map_err(words)?;
            if let Some(joint) = playout.joints.get(step) {
                let joint: Vec<String> = joint.iter().map(|&made| oracle.kif(made).unwrap()).collect();
                ours = engine.next_state(&ours, &joint).map_err(|error| skipped(&error))?;
            }
        }
    }
    Ok(())
}

fn compare(
    engine: &mut Asked,
    ours: &State,
    oracle: &mut Oracle,
    right: &<Oracle as Plays>::State,
) -> Result<(), String> {
    let text = |error: groundrules_oracle::OracleError| error.to_string();
    same("the state", &set(engine.fluents(ours).unwrap()), &set(oracle.fluents(right).map_err(text)?))?;
    let terminal = Plays::is_terminal(oracle, right).map_err(text)?;
    same("the end", &engine.is_terminal(ours).unwrap(), &terminal)?;
    let legal = Plays::legal(oracle, right).map_err(text)?.into_iter().map(set).collect::<Vec<_>>();
    same("the moves", &engine.legal(ours).unwrap().into_iter().map(set).collect(), &legal)?;
    let goals =
        Plays::goals(oracle, right).map_err(text)?.iter().map(|goals| values(goals)).collect::<Vec<_>>();
    same("the goals", &engine.goals(ours).unwrap().iter().map(|goals| values(goals)).collect(), &goals)
}

/// Makes any moves, legal or not, and goes back to states seen before; the ground game's evaluator is right.
fn follows_evaluator(game: &Game) -> Result<(), Trouble> {
    let options = GroundOptions { limits: small(), ..GroundOptions::default() };
    let ground = ground(game, &options).map_err(|error| Trouble::Skipped(error.to_string()))?;
    let evaluator = Evaluator::new(&ground).map_err(|error| Trouble::Skipped(error.to_string()))?;
    let mut machine = NetMachine::new(ground.clone()).map_err(|error| Trouble::Skipped(error.to_string()))?;
    let roles = ground.roles.len();
    let of_role = |role: usize| {
        (0..ground.moves.len()).filter(|&made| ground.moves[made].0 == role).collect::<Vec<_>>()
    };
    if (0..roles).any(|role| of_role(role).is_empty()) {
        return Ok(());
    }
    let mut random = Xorshift::new(5);
    let mut seen: Vec<(State, Vec<usize>)> = Vec::new();
    let mut state = ground.init.clone();
    for step in 0..25 {
        let view = evaluator.view(&state);
        let mut found = BTreeSet::new();
        for role in 0..roles {
            found.extend(machine.legal(role).unwrap().iter().map(|made| made.0 as usize));
        }
        let right: BTreeSet<usize> = view.legal.iter().copied().collect();
        let words = |words| Trouble::Difference(format!("step {step}: {words}"));
        same("the moves", &found, &right).map_err(words)?;
        same("the end", &machine.is_terminal().unwrap(), &view.is_terminal).map_err(words)?;
        let mut saved = State::default();
        machine.save(&mut saved);
        let fluents = state.iter().map(|&fluent| ground.term(ground.fluents[fluent])).collect();
        same("the state", &set(machine.fork().fluents()), &set(fluents)).map_err(words)?;
        seen.push((saved, state.clone()));
        if random.below(4) == 0 {
            let (saved, before) = &seen[random.below(seen.len())];
            machine.enter(saved);
            state.clone_from(before);
        }
        let legal = evaluator.view(&state).legal;
        let choose = |role: usize, random: &mut Xorshift| {
            let own: Vec<usize> =
                legal.iter().copied().filter(|&made| ground.moves[made].0 == role).collect();
            let own = if own.is_empty() || random.below(5) == 0 { of_role(role) } else { own };
            own[random.below(own.len())]
        };
        let joint: Vec<usize> = (0..roles).map(|role| choose(role, &mut random)).collect();
        state = evaluator.next(&state, &joint);
        let joint: Vec<Move> = joint.iter().map(|&made| Move(u32::try_from(made).unwrap())).collect();
        machine.advance(&joint).unwrap();
    }
    Ok(())
}

fn check(text: &str) -> Result<(), Trouble> {
    let game = game(text.as_bytes()).map_err(Trouble::Skipped)?;
    follows_oracle(&game)?;
    follows_evaluator(&game)
}

#[test]
fn generated_games() {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 250 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(47),
        failure_persistence: None,
        max_global_rejects: 2 * cases,
        ..Config::default()
    };
    let one = |description: Description| match check(&description.to_string()) {
        Ok(()) => Ok(()),
        Err(Trouble::Skipped(words)) => Err(TestCaseError::reject(words)),
        Err(Trouble::Difference(words)) => Err(TestCaseError::fail(words)),
    };
    if let Err(error) = TestRunner::new(config).run(&Descriptions(description), one) {
        panic!("{error}");
    }
}

fn must_agree(name: &str, text: &str) {
    match check(text) {
        Ok(()) => {}
        Err(Trouble::Skipped(words) | Trouble::Difference(words)) => panic!("{name}: {words}"),
    }
}

#[test]
fn tricky_games() {
    for tricky in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        must_agree(tricky.name, tricky.text);
    }
}

/// Bridges are built and torn down between fifteen islands; what is reached from the first is a least fixpoint over a
/// graph full of cycles. A flood runs along the bridges from where a move opens the gate, so the cycle also depends
/// on moves.
const ISLANDS: &str = "
    (role builder) (role sea)
    (island 1) (island 2) (island 3) (island 4) (island 5) (island 6) (island 7) (island 8)
    (island 9) (island 10) (island 11) (island 12) (island 13) (island 14) (island 15)
    (near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 5 6) (near 6 7) (near 7 8) (near 8 9) (near 9 10)
    (near 10 11) (near 11 12) (near 12 13) (near 13 14) (near 14 15) (near 15 1) (near 2 9) (near 4 12) (near 6 14)
    (near 3 8) (near 5 15) (near 1 10)
    (init (bridge 1 2)) (init (bridge 2 3)) (init (bridge 3 4)) (init (bridge 4 12)) (init (bridge 12 13))
    (init (bridge 6 14)) (init (bridge 3 8)) (init (bridge 5 15)) (init (bridge 1 10)) (init (turn 1))
    (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
    (<= (legal builder (toggle ?a ?b)) (near ?a ?b))
    (<= (legal sea (open ?a)) (island ?a) (not (reached ?a)))
    (legal sea wait)
    (<= (linked ?a ?b) (true (bridge ?a ?b)))
    (<= (linked ?a ?b) (true (bridge ?b ?a)))
    (reached 1)
    (<= (reached ?b) (reached ?a) (linked ?a ?b))
    (<= (wet ?a) (does sea (open ?a)))
    (<= (wet ?b) (wet ?a) (linked ?a ?b))
    (<= (next (flooded ?a)) (wet ?a))
    (<= (next (bridge ?a ?b)) (near ?a ?b) (does builder (toggle ?a ?b)) (not (true (bridge ?a ?b))))
    (<= (next (bridge ?a ?b)) (true (bridge ?a ?b)) (not (does builder (toggle ?a ?b))))
    (<= (next (turn ?n)) (true (turn ?m)) (after ?m ?n))
    (<= terminal (true (turn 9)))
    (<= (goal builder 100) (reached 15))
    (<= (goal builder 0) (not (reached 15)))
    (<= (goal sea 70) (true (flooded 15)))
    (<= (goal sea 10) (not (true (flooded 15))))";

#[test]
fn cycles() {
    let game = game(ISLANDS.as_bytes()).unwrap();
    let ground = ground(&game, &GroundOptions::default()).unwrap();
    let network = groundrules_net::Network::of(&ground).unwrap();
    assert!(!network.components().is_empty(), "the cycles are so short that none is left");
    must_agree("islands", ISLANDS);
}

#[test]
fn a_game_that_cannot_be_played() {
    let text = "(role a) (role b) (init p) (legal a x) (<= (legal b y) (not (true p))) (<= (next p) (true p))
                (<= terminal (not (true p))) (goal a 100) (goal b 0)";
    must_agree("nothing legal", text);
    let mut machine = machine(&game(text.as_bytes()).unwrap(), small()).unwrap();
    assert_eq!(machine.legal(1), Ok(&[][..]));
    assert_eq!(machine.is_terminal(), Ok(false));
}

#[test]
fn one_role_and_eight_roles() {
    let one = "(role you) (init (n 1)) (s 1 2) (s 2 3) (s 3 4) (legal you up) (legal you stay)
               (<= (next (n ?y)) (true (n ?x)) (does you up) (s ?x ?y)) (<= (next (n ?x)) (true (n ?x)) (does you stay))
               (<= terminal (true (n 4))) (<= (goal you 100) (true (n 4))) (<= (goal you 0) (not (true (n 4))))";
    must_agree("one role", one);
    let mut eight =
        "(init (round 1)) (s 1 2) (s 2 3) (s 3 4) (<= (next (round ?n)) (true (round ?m)) (s ?m ?n))
                     (<= terminal (true (round 4)))
                     (<= (legal ?r raise) (role ?r)) (<= (legal ?r lower) (role ?r) (true (up ?r)))
                     (<= (some ?r) (role ?r) (does ?o raise) (distinct ?r ?o))
                     (<= (next (up ?r)) (does ?r raise) (some ?r))
                     (<= (next (up ?r)) (true (up ?r)) (not (does ?r lower)))
                     (<= (goal ?r 100) (true (up ?r))) (<= (goal ?r 0) (role ?r) (not (true (up ?r))))"
            .to_owned();
    (1..=8).for_each(|role| eight += &format!(" (role r{role})"));
    must_agree("eight roles", &eight);
}

#[test]
fn a_joint_move_has_one_move_for_each_role() {
    let text = "(role a) (role b) (init p) (legal a x) (legal b y) (<= terminal (not (true p))) (goal a 1) (goal b 1)";
    let mut machine = machine(&game(text.as_bytes()).unwrap(), small()).unwrap();
    assert!(machine.advance(&[Move(0)]).is_err());
    assert_eq!(machine.fluents(), ["p"]);
    machine.advance(&[Move(0), Move(1)]).unwrap();
    assert_eq!(machine.is_terminal(), Ok(true));
    assert_eq!(machine.find_move(0, " X "), Some(Move(0)));
    assert_eq!(machine.find_move(0, "y"), None);
}
