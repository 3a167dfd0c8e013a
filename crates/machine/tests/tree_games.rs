//! The engine `tree` plays small games as the oracle does, with every optimisation switched on and off: games made at
//! random, games written by hand for what is easily got wrong, and recursion of every kind.

#[path = "../../ground/tests/support/generator/mod.rs"]
mod generator;
mod support;
#[path = "../../ground/tests/support/tricky.rs"]
mod tricky;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use generator::{Description, Descriptions, description};
use groundrules_gdl::{Game, Options, read};
use groundrules_machine::engines::tree::{TreeMachine, TreeOptions};
use groundrules_machine::{Machine, MachineError, State};
use groundrules_oracle::playout::Xorshift;
use groundrules_oracle::{Budget, Oracle, OracleError, Plays, random_playout};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use support::Player;
use tricky::{DERIVED, FRAMES, SHAPES, UNUSUAL};

/// The switches: everything on, each one off, everything off.
fn configurations() -> Vec<(&'static str, TreeOptions)> {
    let all = TreeOptions { steps: 50_000_000, ..TreeOptions::default() };
    let none = TreeOptions {
        filters: false,
        remove_filters: false,
        hash_rows: false,
        inline_renamings: false,
        join_order: false,
        memo: false,
        table_recurrence: false,
        ..all
    };
    vec![
        ("all", all),
        ("without filters", TreeOptions { filters: false, ..all }),
        ("without removal of filters", TreeOptions { remove_filters: false, ..all }),
        ("without hashing", TreeOptions { hash_rows: false, ..all }),
        ("with renamings", TreeOptions { inline_renamings: false, ..all }),
        ("in the order of the text", TreeOptions { join_order: false, ..all }),
        ("without a memo", TreeOptions { memo: false, ..all }),
        ("without tabled recurrence", TreeOptions { memo: false, table_recurrence: false, ..all }),
        ("with nothing", none),
    ]
}

fn game(text: &str) -> Result<Game, String> {
    let checked = read(text.as_bytes(), &Options { lenient: true, ..Options::default() });
    checked.game.ok_or_else(|| checked.reason.unwrap_or_default())
}

fn oracle(game: &Game) -> Result<Oracle, OracleError> {
    Oracle::new(game, Budget::steps(2_000_000))
}

/// What there is to see in a state: what holds, whether it is terminal, moves, goals.
fn seen<P: Plays>(engine: &mut P, state: &P::State) -> Result<[Vec<BTreeSet<String>>; 4], P::Error> {
    let set = |texts: Vec<String>| texts.into_iter().map(|it| it.to_lowercase()).collect::<BTreeSet<_>>();
    let sets = |lists: Vec<Vec<String>>| lists.into_iter().map(set).collect::<Vec<_>>();
    let is_number = |text: &String| text.parse::<i32>().is_ok();
    let goals = engine.goals(state)?.into_iter().map(|values| values.into_iter().filter(is_number).collect());
    Ok([
        vec![set(engine.fluents(state)?)],
        vec![set(vec![engine.is_terminal(state)?.to_string()])],
        sets(engine.legal(state)?),
        sets(goals.collect()),
    ])
}

/// Matches as the oracle plays them: the joint moves, and what there is to see in each state.
type Record = Vec<(Vec<Vec<String>>, Vec<[Vec<BTreeSet<String>>; 4]>)>;

fn record(game: &Game, matches: u64, steps: usize) -> Result<Record, OracleError> {
    let mut oracle = oracle(game)?;
    let mut all = Vec::new();
    for seed in 1..=matches {
        let playout = random_playout(&mut oracle, seed, steps)?;
        let text = |oracle: &Oracle, joint: &Vec<_>| joint.iter().map(|&it| oracle.kif(it)).collect();
        let joints = playout.joints.iter().map(|it| text(&oracle, it)).collect::<Result<Vec<_>, _>>()?;
        let states =
            playout.states.iter().map(|state| seen(&mut oracle, state)).collect::<Result<Vec<_>, _>>()?;
        all.push((joints, states));
    }
    Ok(all)
}

fn compare(game: &Game, record: &Record, options: TreeOptions) -> Result<(), String> {
    let machine = TreeMachine::new(game, options).map_err(|error| error.to_string())?;
    let mut player = Player::new(machine);
    for (joints, states) in record {
        let mut state = player.initial_state().map_err(|error| error.to_string())?;
        for (number, expected) in states.iter().enumerate() {
            // What is asked before must not change an answer, nor what was not asked in the state before.
            if number % 3 == 1 {
                player.legal(&state).map_err(|error| error.to_string())?;
            }
            let is_passed_over = number % 4 == 2;
            if !is_passed_over && seen(&mut player, &state).map_err(|error| error.to_string())? != *expected {
                let found = seen(&mut player, &state).map_err(|error| error.to_string())?;
                return Err(format!("state {number}: {found:?}, not {expected:?}, after {joints:?}"));
            }
            if let Some(joint) = joints.get(number) {
                state = player.next_state(&state, joint).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(())
}

fn agrees(text: &str) -> Result<(), String> {
    let game = game(text)?;
    let record = record(&game, 3, 12).map_err(|error| error.to_string())?;
    for (how, options) in configurations() {
        compare(&game, &record, options).map_err(|words| format!("{how}: {words}"))?;
    }
    Ok(())
}

fn one_case(description: &Description) -> Result<(), TestCaseError> {
    let game = game(&description.to_string()).map_err(TestCaseError::reject)?;
    let record = record(&game, 2, 10).map_err(|error| TestCaseError::reject(error.to_string()))?;
    for (how, options) in configurations() {
        compare(&game, &record, options).map_err(|words| TestCaseError::fail(format!("{how}: {words}")))?;
    }
    Ok(())
}

#[test]
fn generated_games_play_as_the_oracle_says() {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 400 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(44),
        failure_persistence: None,
        max_global_rejects: cases,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let result =
        TestRunner::new(config).run(&Descriptions(description), |description| one_case(&description));
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn tricky_games_play_as_the_oracle_says() {
    for tricky in DERIVED.iter().chain(FRAMES).chain(SHAPES).chain(UNUSUAL) {
        assert_eq!(agrees(tricky.text), Ok(()), "{} ({})", tricky.name, tricky.why);
    }
}

/// A game around some rules: fluents `(on 1)` to `(on 5)` that moves switch.
fn switches(rules: &str) -> String {
    format!(
        "(role r) (n 1) (n 2) (n 3) (n 4) (n 5) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (init (on 1)) (init (on 4))
         (<= (legal r (flip ?x)) (n ?x)) (<= (next (on ?x)) (true (on ?x)) (not (does r (flip ?x))))
         (<= (next (on ?x)) (does r (flip ?x)) (not (true (on ?x)))) (<= terminal (true (on 5)) (true (on 3)))
         (<= (goal r ?x) (found ?x)) {rules}"
    )
}

#[test]
fn recursion_of_every_kind() {
    let cases = [
        ("left", "(<= (p ?x ?y) (s ?x ?y) (true (on ?x)))
                  (<= (p ?x ?z) (p ?x ?y) (s ?y ?z) (true (on ?y))) (<= (found ?x) (p 1 ?x))"),
        ("right", "(<= (p ?x ?y) (s ?x ?y) (true (on ?x)))
                   (<= (p ?x ?z) (s ?x ?y) (true (on ?x)) (p ?y ?z)) (<= (found ?x) (p ?x 5))"),
        ("both sides at once", "(<= (p ?x ?y) (s ?x ?y) (true (on ?x)))
                   (<= (p ?x ?z) (p ?x ?y) (p ?y ?z)) (<= (found ?x) (p 1 ?x)) (<= (found 9) (p 2 5))"),
        ("left, by nothing but itself", "(<= (p ?x) (p ?x)) (<= (p ?x) (true (on ?x)) (p ?x) (n ?x))
                   (<= (found ?x) (p ?x)) (<= (found 7) (not (p 1)))"),
        ("cyclic data", "(e 1 2) (e 2 3) (e 3 1) (e 4 5) (<= (p ?x ?y) (e ?x ?y) (true (on ?y)))
                   (<= (p ?x ?z) (p ?x ?y) (e ?y ?z)) (<= (found ?x) (p ?x ?x)) (<= (found 8) (not (p 3 3)))"),
        ("mutual", "(<= (a ?x) (true (on ?x)) (s ?y ?x) (b ?y)) (<= (a 1) (true (on 1)))
                   (<= (b ?x) (s ?y ?x) (a ?y)) (<= (b ?x) (s ?x ?y) (a ?y) (c ?x))
                   (<= (c ?x) (b ?x)) (<= (c ?x) (a ?x)) (<= (found ?x) (c ?x) (not (a ?x)))"),
        ("through three, with a negation below", "(<= (a ?x) (true (on ?x)) (not (odd ?x)))
                   (odd 1) (odd 3) (odd 5) (<= (a ?y) (s ?x ?y) (b ?x)) (<= (b ?y) (s ?y ?x) (c ?x))
                   (<= (c ?x) (a ?x)) (<= (c ?x) (n ?x) (odd ?x) (true (on ?x))) (<= (found ?x) (b ?x))"),
        ("negation by arguments", "(<= (even 1) (true (on 1)))
                   (<= (even ?y) (s ?x ?y) (true (on ?y)) (not (even ?x)))
                   (<= (even ?y) (s ?x ?y) (even ?x) (not (true (on ?y)))) (<= (found ?x) (even ?x))"),
        ("negation by arguments, with a positive loop beside", "(<= (w ?x) (s ?x ?y) (not (w ?y)) (q ?x))
                   (<= (q ?x) (n ?x) (true (on ?x))) (<= (q ?x) (s ?x ?y) (w ?x) (q ?x)) (<= (found ?x) (w ?x))"),
        ("a win is a move to a loss", "(<= (win ?x) (s ?x ?y) (true (on ?x)) (lose ?y))
                   (<= (lose ?x) (n ?x) (not (win ?x))) (<= (found ?x) (win ?x)) (<= (found 7) (lose 1))"),
        ("same arguments twice", "(<= (p ?x ?x) (true (on ?x))) (<= (p ?x ?y) (s ?x ?y) (p ?x ?x))
                   (<= (p ?x ?x) (p ?y ?x)) (<= (found ?x) (p ?x ?x)) (<= (found 6) (p ?x ?y) (distinct ?x ?y))"),
        (
            "asked at one end in one state and at the other in the next",
            "(<= (p ?x) (q ?x)) (<= (q ?x) (n ?x) (true (on 1))) (<= (q ?y) (s ?x ?y) (p ?x) (true (on ?y)))
             (<= (found ?x) (p ?x) (true (on 4))) (<= (found ?x) (q ?x) (not (true (on 4))))",
        ),
        ("in a disjunction", "(<= (p ?x) (or (true (on ?x)) (and (s ?y ?x) (p ?y) (or (p ?y) (n ?y)))))
                   (<= (found ?x) (p ?x))"),
        ("static, too deep to nest calls", "(<= (up ?x ?y) (s ?x ?y)) (<= (up ?x ?z) (up ?x ?y) (s ?y ?z))
                   (<= (found ?x) (true (on ?x)) (up ?x 5)) (<= (found ?x) (n ?x) (not (up 2 ?x)))"),
    ];
    for (name, rules) in cases {
        assert_eq!(agrees(&switches(rules)), Ok(()), "{name}");
    }
}

/// The games of the library that end soon enough, long enough for the tree to be built again with what was measured, with
/// filters removed: the same in every state as a machine that does nothing clever.
#[test]
fn what_is_learnt_changes_no_answer() {
    let plain = TreeOptions {
        filters: false,
        remove_filters: false,
        inline_renamings: false,
        join_order: false,
        ..TreeOptions::default()
    };
    for name in
        ["breakthrough-small", "connect-four-4x4", "dots-and-boxes", "mini-checkers", "reversi", "tron"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.kif"));
        let game = game(&fs::read_to_string(path).unwrap()).unwrap();
        let mut clever = TreeMachine::new(&game, TreeOptions::default()).unwrap();
        let mut simple = TreeMachine::new(&game, plain).unwrap();
        let mut random = Xorshift::new(7);
        for number in 0..1400 {
            assert_eq!(clever.fluents(), simple.fluents(), "{name}, state {number}");
            let is_over = clever.is_terminal().unwrap();
            assert_eq!(is_over, simple.is_terminal().unwrap(), "{name}, state {number}");
            let mut joint = Vec::new();
            for role in 0..clever.roles().len() {
                assert_eq!(clever.goals(role), simple.goals(role), "{name}, state {number}");
                let texts = |machine: &mut TreeMachine| -> Vec<String> {
                    let moves = machine.legal(role).unwrap().to_vec();
                    moves.into_iter().map(|made| machine.move_text(made)).collect()
                };
                let moves = texts(&mut clever);
                assert_eq!(
                    moves,
                    texts(&mut simple),
                    "{name}, state {number}: the same moves in the same order"
                );
                joint.extend(moves.get(random.below(moves.len())).cloned());
            }
            if is_over || joint.len() < clever.roles().len() {
                clever.reset();
                simple.reset();
                continue;
            }
            for machine in [&mut clever, &mut simple] {
                let found =
                    joint.iter().enumerate().map(|(role, text)| machine.find_move(role, text).unwrap());
                let found: Vec<_> = found.collect();
                machine.advance(&found).unwrap();
            }
        }
        assert!(clever.figures().rebuilt >= 2, "{name}: {:?}", clever.figures());
    }
}

/// A Turing machine's tape grows without bound: its game has no finite grounding, and is played all the same.
#[test]
fn the_busy_beaver_runs_to_acceptance() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/busy-beaver.kif");
    let game = game(&fs::read_to_string(path).unwrap()).unwrap();
    let mut oracle = oracle(&game).unwrap();
    let mut machine = TreeMachine::new(&game, TreeOptions::default()).unwrap();
    let mut state = oracle.initial_state();
    let mut steps = 0;
    while !machine.is_terminal().unwrap() {
        assert_eq!(machine.fluents(), oracle.fluents(&state).unwrap(), "after {steps} steps");
        let joint: Vec<_> = (0..machine.roles().len()).map(|role| machine.legal(role).unwrap()[0]).collect();
        let texts: Vec<String> = joint.iter().map(|&made| machine.move_text(made)).collect();
        machine.advance(&joint).unwrap();
        state = Plays::next_state(&mut oracle, &state, &texts).unwrap();
        oracle.refill(Budget::steps(2_000_000));
        steps += 1;
    }
    assert!(oracle.is_terminal(&state).unwrap() && steps > 10);
    assert_eq!(machine.goals(0).unwrap(), [100]);
}

/// Memory stays as it is however long one plays.
#[test]
fn memory_stays_flat() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/reversi.kif");
    let game = game(&fs::read_to_string(path).unwrap()).unwrap();
    let mut machine = TreeMachine::new(&game, TreeOptions::default()).unwrap();
    let mut random = Xorshift::new(3);
    let mut after = Vec::new();
    for playout in 0..120 {
        machine.reset();
        while !machine.is_terminal().unwrap() {
            let mut joint = Vec::new();
            for role in 0..machine.roles().len() {
                let moves = machine.legal(role).unwrap();
                joint.extend(moves.get(random.below(moves.len())).copied());
            }
            machine.advance(&joint).unwrap();
        }
        if playout % 40 == 39 {
            after.push(machine.bytes());
        }
    }
    assert!(after[2] <= after[1] + after[1] / 10, "{after:?}");
}

#[test]
fn a_long_chain_is_walked() {
    // Both kinds of recursion go as deep as the facts reach.
    let chain: String = (0..3000).map(|number| format!("(s {number} {}) ", number + 1)).collect();
    let text = format!(
        "(role r) {chain} (init (at 0)) (legal r go) (<= (next (at ?y)) (true (at ?x)) (s ?x ?y))
         (<= (even 0) (true (at ?x))) (<= (even ?y) (s ?x ?y) (true (at ?z)) (not (even ?x)))
         (<= (far ?x) (true (at ?x))) (<= (far ?y) (s ?x ?y) (far ?x))
         (<= terminal (far 3000) (even 3001)) (<= terminal (true (at 1))) (<= (goal r 100) (even 3000) (far 2999))"
    );
    let game = game(&text).unwrap();
    let mut machine = TreeMachine::new(&game, TreeOptions::default()).unwrap();
    assert!(!machine.is_terminal().unwrap());
    assert_eq!(machine.goals(0).unwrap(), [100]);
}

#[test]
fn what_depends_on_its_own_negation_is_an_error_and_the_machine_goes_on() {
    let text = switches(
        "(<= (p ?x) (n ?x) (true (on ?x)) (not (q ?x))) (<= (q ?x) (n ?x) (not (p ?x))) (<= (found ?x) (p ?x))",
    );
    // The check for cycles among ground atoms refuses this, unless it is lenient.
    let Ok(game) = game(&text) else { return };
    let mut machine = TreeMachine::new(&game, TreeOptions::default()).unwrap();
    assert!(matches!(machine.goals(0), Err(MachineError::DependsOnItsNegation { .. })));
    assert_eq!(machine.legal(0).unwrap().len(), 5);
    assert!(!machine.is_terminal().unwrap());
}

#[test]
fn limits_are_errors_and_the_machine_goes_on() {
    let numbers: String = (0..100).map(|number| format!("(m {number}) ")).collect();
    let text = switches(&format!(
        "{numbers} (<= (found 1) (m ?a) (m ?b) (m ?c) (m ?d) (true (on ?a)) (r ?a ?b ?c ?d ?e))
         (<= (r ?a ?b ?c ?d ?e) (true (on ?x)) (m ?a) (m ?b) (m ?c) (m ?d) (m ?e))"
    ));
    let game = game(&text).unwrap();
    let options = TreeOptions { steps: 100_000, ..TreeOptions::default() };
    let mut machine = TreeMachine::new(&game, options).unwrap();
    assert!(matches!(machine.goals(0), Err(MachineError::TooManySteps { .. })));
    let before = machine.fluents();
    let first = machine.legal(0).unwrap()[0];
    machine.advance(&[first]).unwrap();
    assert_ne!(machine.fluents(), before);
    let error = machine.advance(&[]).unwrap_err();
    assert_eq!(error, MachineError::WrongJointMove { roles: 1, given: 0 });
}

#[test]
fn states_and_moves_pass_between_forks() {
    let text = "(role r) (init (stack nil)) (init (count 0 a)) (sym a) (sym b) (legal r pop)
        (<= (legal r (push ?x)) (sym ?x)) (<= (next (stack (cons ?x ?s))) (does r (push ?x)) (true (stack ?s)))
        (<= (next (stack ?s)) (does r pop) (true (stack (cons ?x ?s))))
        (<= (legal r (double ?s)) (true (stack ?s))) (<= (next (stack (cons ?s ?s))) (does r (double ?s)))
        (<= (next (count ?n ?x)) (true (count ?n ?x))) (<= terminal (true (stack (cons a (cons b (cons a nil))))))
        (goal r 100)";
    let game = game(text).unwrap();
    let mut one = TreeMachine::new(&game, TreeOptions::default()).unwrap();
    let mut two = one.fork();
    let push = |machine: &mut dyn Machine, text: &str| {
        let made = machine.find_move(0, text).unwrap();
        machine.advance(&[made]).unwrap();
        made
    };
    push(&mut one, "(push a)");
    let b = push(&mut *two, "(push b)");
    push(&mut *two, "(PUSH B)");
    let mut state = State::default();
    two.save(&mut state);
    one.enter(&state);
    assert_eq!(one.fluents(), two.fluents());
    assert_eq!(one.fluents(), ["(count 0 a)", "(stack (cons b (cons b nil)))"]);
    one.advance(&[b]).unwrap();
    assert_eq!(one.fluents()[1], "(stack (cons b (cons b (cons b nil))))");
    let texts = |machine: &mut dyn Machine| {
        let moves = machine.legal(0).unwrap().to_vec();
        moves.into_iter().map(|made| machine.move_text(made)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&mut one), ["(double (cons b (cons b (cons b nil))))", "(push a)", "(push b)", "pop"]);
    let double = one.legal(0).unwrap()[0];
    two.advance(&[double]).unwrap();
    assert_eq!(two.find_move(0, "(push r)"), None);
    assert_eq!(two.find_move(0, "(jump a)"), None);
    let mut again = State::default();
    one.reset();
    one.save(&mut again);
    two.reset();
    two.save(&mut state);
    assert_eq!(again, state);
    assert_eq!(agrees(text), Ok(()));
}
