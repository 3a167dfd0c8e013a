//! Where a line of play ends: the position as a picture, and the goals of each role there.

use std::fmt::Write;

use anyhow::Result;
use groundrules::board::Last;
use groundrules_machine::Compiled;

use crate::output::printable;
use crate::show::Show;

/// The position at the end of a line, with the goal values there; nothing where the engine cannot play the line again.
pub(super) fn final_position(
    game: &Compiled,
    show: &Show,
    roles: &[String],
    line: &[Vec<String>],
    indent: &str,
) -> String {
    let text = position(game, show, roles, line).unwrap_or_default();
    text.lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
}

fn position(game: &Compiled, show: &Show, roles: &[String], line: &[Vec<String>]) -> Result<String> {
    let Ok(mut machine) = game.machine() else { return Ok(String::new()) };
    let mut before = Vec::new();
    for joint in line {
        before = machine.fluents();
        let joint = machine.joint_of(joint)?;
        machine.advance(&joint)?;
    }
    let last = line.last().map(|moves| Last { moves, before: &before });
    let mut text = show.state(&machine.fluents(), last);
    for (role, name) in roles.iter().enumerate() {
        let goals: Vec<String> = machine.goals(role)?.iter().map(i32::to_string).collect();
        let goals = if goals.is_empty() { "none".to_owned() } else { goals.join(" and ") };
        let _ = writeln!(text, "goal of {}: {goals}", printable(name));
    }
    Ok(text)
}
