//! Lines of moves as recorded matches, so that others can replay them.

use std::collections::BTreeMap;

use groundrules_gdl::trace::{GoalValue, Match, Step};
use groundrules_machine::{Machine, MachineError, Move};

/// Plays a line and records all there is to see. The machine must have the moves of the line; `end` says in words how it
/// ended.
pub fn record(
    machine: &mut dyn Machine,
    game: &str,
    line: &[Vec<Move>],
    end: &str,
) -> Result<Match, MachineError> {
    machine.reset();
    let roles = machine.roles().to_vec();
    let mut steps = vec![see(machine, &roles)?];
    for joint in line {
        steps.last_mut().expect("the initial state was seen").joint = Some(move_texts(machine, joint));
        machine.advance(joint)?;
        steps.push(see(machine, &roles)?);
    }
    Ok(Match { game: game.to_owned(), roles, steps, end: end.to_owned() })
}

/// The moves of a joint move as KIF, in the order of the roles.
pub fn move_texts(machine: &dyn Machine, joint: &[Move]) -> Vec<String> {
    joint.iter().map(|&made| machine.move_text(made)).collect()
}

fn see(machine: &mut dyn Machine, roles: &[String]) -> Result<Step, MachineError> {
    let terminal = machine.is_terminal()?;
    let (mut legal, mut goals) = (BTreeMap::new(), BTreeMap::new());
    for (number, role) in roles.iter().enumerate() {
        let moves = machine.legal(number)?.to_vec();
        let mut moves = move_texts(machine, &moves);
        moves.sort_unstable();
        legal.insert(role.clone(), moves);
        let values = machine.goals(number)?.iter().map(|&goal| GoalValue::Number(i64::from(goal)));
        goals.insert(role.clone(), values.collect());
    }
    Ok(Step { state: machine.fluents(), legal, terminal, goals, joint: None })
}
