//! Where a line of play ends: the position as a picture, and the goals of each role there.

use std::fmt::Write;

use anyhow::Result;
use groundrules::board::Last;
use groundrules_machine::Compiled;
use serde_json::{Map, Value};

use crate::output::printable;
use crate::show::Show;

/// The position at the end of a line of play.
pub(super) struct Position {
    fluents: Vec<String>,
    /// The fluents before the last move, which the picture marks.
    before: Vec<String>,
    /// The goal values of each role, in the order of the roles: exactly one each in a well-formed game.
    goals: Vec<Vec<i32>>,
}

impl Position {
    /// Plays a line again; nothing where the engine cannot.
    pub(super) fn after(game: &Compiled, line: &[Vec<String>]) -> Option<Position> {
        Self::play(game, line).ok()
    }

    fn play(game: &Compiled, line: &[Vec<String>]) -> Result<Position> {
        let mut machine = game.machine()?;
        let mut before = Vec::new();
        for joint in line {
            before = machine.fluents();
            let joint = machine.joint_of(joint)?;
            machine.advance(&joint)?;
        }
        let goals =
            (0..game.roles().len()).map(|role| Ok(machine.goals(role)?.to_vec())).collect::<Result<_>>()?;
        Ok(Position { fluents: machine.fluents(), before, goals })
    }

    /// The picture of the position after `line`, and the goals of each role below it.
    pub(super) fn to_text(
        &self,
        show: &Show,
        roles: &[String],
        line: &[Vec<String>],
        indent: &str,
    ) -> String {
        let last = line.last().map(|moves| Last { moves, before: &self.before });
        let mut text = show.state(&self.fluents, last);
        for (name, goals) in roles.iter().zip(&self.goals) {
            let goals: Vec<String> = goals.iter().map(i32::to_string).collect();
            let goals = if goals.is_empty() { "none".to_owned() } else { goals.join(" and ") };
            let _ = writeln!(text, "goal of {}: {goals}", printable(name));
        }
        text.lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
    }

    /// The goal values of each role by its name.
    pub(super) fn goals_to_json(&self, roles: &[String]) -> Value {
        let goals = roles.iter().zip(&self.goals);
        Value::Object(goals.map(|(role, goals)| (role.clone(), goals.clone().into())).collect::<Map<_, _>>())
    }
}
