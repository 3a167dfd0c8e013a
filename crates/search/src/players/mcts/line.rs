//! The best line that one player alone has found: the moves to an end, with its goal. A playout that came to more than was
//! known is played again and its moves are kept, so that luck is not lost.

use groundrules_machine::{Batch, MachineError, Move, State};

/// Moves that lead to an end.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The goal there.
    pub(super) goal: i32,
    /// Where it begins.
    start: State,
    /// The joint moves, one after the other, each with a move for each role.
    moves: Vec<Move>,
    roles: usize,
}

impl Line {
    /// A line from a state.
    pub(super) fn new(goal: i32, start: State, moves: Vec<Move>, roles: usize) -> Self {
        Line { goal, start, moves, roles }
    }

    /// The next move of a role.
    pub(super) fn next(&self, role: usize) -> Option<Move> {
        self.moves.get(..self.roles).and_then(|joint| joint.get(role)).copied()
    }

    /// The line from a later state, if it leads there with its next joint move.
    pub(super) fn follow(
        mut self,
        state: &State,
        batch: &mut dyn Batch,
    ) -> Result<Option<Line>, MachineError> {
        if self.start == *state {
            return Ok(Some(self));
        }
        let Some(joint) = self.moves.get(..self.roles) else { return Ok(None) };
        batch.advance(std::slice::from_mut(&mut self.start), joint)?;
        self.moves.drain(..self.roles);
        Ok((self.start == *state && !self.moves.is_empty()).then_some(self))
    }
}
