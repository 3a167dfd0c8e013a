//! Lines of moves as recorded matches, so that others can replay them.

use std::collections::BTreeMap;

use groundrules_gdl::trace::{GoalValue, Match, RecordedState};
use groundrules_machine::{Compiled, Machine, MachineError, Move};

use crate::error::ExploreError;

/// Replays a line of a game and records every state. `name` is the name of the game in the record, and `end` says how the line
/// ended.
pub fn record(game: &Compiled, name: &str, line: &[Vec<Move>], end: &str) -> Result<Match, ExploreError> {
    let mut machine = game.machine()?;
    let machine = &mut *machine;
    let roles = machine.roles().to_vec();
    let mut steps = vec![see(machine, &roles)?];
    for joint in line {
        steps.last_mut().expect("the initial state was seen").joint = Some(texts(machine, joint));
        machine.advance(joint)?;
        steps.push(see(machine, &roles)?);
    }
    Ok(Match { game: name.to_owned(), roles, steps, end: end.to_owned() })
}

/// The moves of a joint move as KIF, in the order of the roles.
pub fn move_texts(game: &Compiled, joint: &[Move]) -> Result<Vec<String>, ExploreError> {
    joint.iter().map(|&made| Ok(game.move_text(made)?)).collect()
}

fn texts(machine: &dyn Machine, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&made| machine.move_text(made)).collect()
}

fn see(machine: &mut dyn Machine, roles: &[String]) -> Result<RecordedState, MachineError> {
    let terminal = machine.is_terminal()?;
    let (mut legal, mut goals) = (BTreeMap::new(), BTreeMap::new());
    for (number, role) in roles.iter().enumerate() {
        let moves = machine.legal(number)?.to_vec();
        let mut moves = texts(machine, &moves);
        moves.sort_unstable();
        legal.insert(role.clone(), moves);
        let values = machine.goals(number)?.iter().map(|&goal| GoalValue::Number(i64::from(goal)));
        goals.insert(role.clone(), values.collect());
    }
    Ok(RecordedState { state: machine.fluents(), legal, terminal, goals, joint: None })
}
