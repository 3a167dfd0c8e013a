//! What every engine must do, on every game of the library: see what the oracle sees, come back to states that were
//! saved, fork, name its moves. An engine is tested by being in the list of engines.

mod oracle_machine;

use std::fs;
use std::path::Path;

use groundrules_gdl::{Game, Options, read};
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::playout::Choices;
use groundrules_machine::{Compiled, Machine, MachineError, Move, State};
use oracle_machine::OracleMachine;

/// How far matches go, how many there are, and what the oracle may spend on one answer.
const STEPS: usize = 6;
const MATCHES: u64 = 2;
const ORACLE: u64 = 300_000;

/// The game whose terms grow without end: engines that need a grounding say that there is none.
const NOT_GROUNDED: [&str; 1] = ["busy-beaver"];

/// What there is to see in a state, sorted where the order is free.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    fluents: Vec<String>,
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Vec<i32>>,
}

fn look(machine: &mut dyn Machine) -> Result<Seen, MachineError> {
    let roles = 0..machine.roles().len();
    let mut fluents = machine.fluents();
    let is_sorted = fluents.is_sorted();
    fluents.sort();
    assert!(is_sorted, "fluents are sorted: {fluents:?}");
    let mut legal = Vec::new();
    for role in roles.clone() {
        let moves = machine.legal(role)?.to_vec();
        legal.push(sorted(moves.into_iter().map(|made| machine.move_text(made)).collect()));
    }
    let goals = roles.map(|role| machine.goals(role).map(<[i32]>::to_vec)).collect::<Result<_, _>>()?;
    Ok(Seen { fluents, terminal: machine.is_terminal()?, legal, goals })
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

fn saved(machine: &dyn Machine) -> State {
    let mut state = State::default();
    machine.save(&mut state);
    state
}

/// A match as the oracle sees it: states, and the joint moves between them.
struct Record {
    seen: Vec<Seen>,
    joints: Vec<Vec<String>>,
}

fn record(oracle: &mut OracleMachine, seed: u64) -> Record {
    let mut choices = Choices::new(seed, 0);
    let mut record = Record { seen: Vec::new(), joints: Vec::new() };
    oracle.reset();
    while let Ok(seen) = look(oracle) {
        let joint: Option<Vec<String>> = seen
            .legal
            .iter()
            .map(|moves| choices.one_of(&moves.iter().collect::<Vec<_>>()).cloned())
            .collect();
        let is_last = seen.terminal || record.seen.len() >= STEPS;
        record.seen.push(seen);
        let Some(joint) = joint.filter(|_| !is_last) else { break };
        let moves: Vec<Move> =
            joint.iter().enumerate().filter_map(|(role, text)| oracle.find_move(role, text)).collect();
        if oracle.advance(&moves).is_err() {
            break;
        }
        record.joints.push(joint);
    }
    record.joints.truncate(record.seen.len().saturating_sub(1));
    record
}

fn find(machine: &mut dyn Machine, joint: &[String]) -> Vec<Move> {
    let find = |(role, text): (usize, &String)| {
        let shouted = text.to_uppercase();
        machine.find_move(role, &shouted).unwrap_or_else(|| panic!("{shouted} is no move"))
    };
    joint.iter().enumerate().map(find).collect()
}

/// The legal moves as the machine lists them.
fn listed(machine: &mut dyn Machine) -> Vec<Vec<Move>> {
    (0..machine.roles().len()).map(|role| machine.legal(role).expect("legal moves").to_vec()).collect()
}

/// Plays a recorded match, then visits its states again in another order, with a fork.
fn conforms(machine: &mut dyn Machine, record: &Record) {
    machine.reset();
    let mut visited = Vec::new();
    for (number, seen) in record.seen.iter().enumerate() {
        assert_eq!(look(machine).as_ref(), Ok(seen), "state {number}");
        visited.push((saved(machine), listed(machine)));
        if let Some(joint) = record.joints.get(number) {
            for (role, moves) in seen.legal.iter().enumerate() {
                for text in moves {
                    let found = machine.find_move(role, text).expect("a legal move has a name");
                    assert_eq!(machine.move_text(found), *text);
                }
            }
            let joint = find(machine, joint);
            machine.advance(&joint).expect("the next state");
        }
    }
    let mut fork = machine.fork();
    for (number, (state, legal)) in visited.iter().enumerate().rev() {
        machine.enter(state);
        assert_eq!(saved(machine), *state, "state {number} again");
        assert_eq!(listed(machine), *legal, "the order of moves depends on the state alone");
        assert_eq!(look(machine).as_ref(), Ok(&record.seen[number]), "state {number} again");
        fork.enter(state);
        assert_eq!(listed(&mut *fork), *legal, "the fork lists the same moves");
        assert_eq!(look(&mut *fork).as_ref(), Ok(&record.seen[number]), "state {number} of the fork");
    }
    for (number, (state, _)) in visited.iter().enumerate() {
        let same = visited.iter().position(|(other, _)| other == state);
        let same_fluents = record.seen.iter().position(|seen| seen.fluents == record.seen[number].fluents);
        assert_eq!(same, same_fluents, "states are equal when their fluents are");
    }
}

fn games() -> Vec<(String, Game)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).expect("the library").map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "kif")).collect();
    files.sort();
    let read_game = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let game = read(&fs::read(path).expect("a description"), &Options::default()).game;
        (name, game.expect("a valid description"))
    };
    files.iter().map(read_game).collect()
}

#[test]
fn every_engine_conforms_on_every_game_of_the_library() {
    let mut states = 0;
    for (name, game) in games() {
        let mut oracle = OracleMachine::new(&game, ORACLE);
        let records: Vec<Record> = (0..MATCHES).map(|seed| record(&mut oracle, seed)).collect();
        states += records.iter().map(|record| record.seen.len()).sum::<usize>();
        let compiled = Compiled::new(game);
        for &engine in Engine::ALL {
            let mut machine = match compiled.on(engine).machine() {
                Ok(machine) => machine,
                Err(EngineError::Ground(_)) if NOT_GROUNDED.contains(&name.as_str()) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            assert_eq!(machine.roles(), oracle.roles(), "{name}");
            println!("{name} by {}", engine.name());
            records.iter().for_each(|record| conforms(&mut *machine, record));
            let wrong = vec![Move(0); machine.roles().len() + 1];
            let error = machine.advance(&wrong);
            assert!(matches!(error, Err(MachineError::WrongJointMove { .. })), "{name}: {error:?}");
        }
    }
    println!("{states} states compared");
    assert!(states > 300, "only {states} states were within the oracle's reach");
}

#[test]
fn what_is_no_move_is_not_found() {
    let game = oracle_machine::game(
        "(role you) (init a) (legal you (go 1)) (<= (next a) (true a)) (<= terminal (true b)) (goal you 1)",
    );
    let compiled = Compiled::new(game);
    for &engine in Engine::ALL {
        let mut machine = compiled.on(engine).machine().expect("a machine");
        for text in [
            "",
            "(",
            ")",
            "(go",
            "(go 1))",
            "(go 1) (go 1)",
            "(go nowhere)",
            "(fly 1)",
            "?x",
            "(go ?x)",
            "((go) 1)",
        ] {
            let found = machine.find_move(0, text);
            let is_legal = found.is_some_and(|found| machine.legal(0).expect("legal").contains(&found));
            assert!(!is_legal, "`{text}` by {}", engine.name());
        }
        assert_eq!(machine.find_move(7, "(go 1)"), None, "there is no such role");
        assert!(machine.find_move(0, " ( GO  1 ) ").is_some());
    }
}
