//! The best line that one player alone has found: the moves to an end, with its goal. A playout that came to more than was
//! known is played again and its moves are kept, so that luck is not lost.

use groundrules_machine::{Batch, MachineError, Move, Rows, State};

use crate::error::SearchError;
use crate::seat::Seat;

/// Joint moves of a line that is soon over.
const SHORT: usize = 3;

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

    /// The moves of one role alone as texts, which mean the same to every engine.
    pub(super) fn texts(&self, seat: &Seat) -> Vec<String> {
        self.moves.iter().map(|&made| seat.move_text(made)).collect()
    }

    /// The line from the seat's state by moves of one role alone, as far as they were not made yet; nothing if it leads to no
    /// such goal from there.
    pub(super) fn by_texts(seat: &Seat, texts: &[String], goal: i32) -> Result<Option<Line>, SearchError> {
        let (mut machine, mut moves) = (seat.machine(), Vec::new());
        for text in texts {
            let Some(made) = machine.find_move(0, text) else { return Ok(None) };
            if machine.is_terminal()? || !machine.legal(0)?.contains(&made) {
                return Ok(None);
            }
            machine.advance(&[made])?;
            moves.push(made);
        }
        let is_there = !moves.is_empty() && machine.is_terminal()? && machine.goals(0)? == [goal];
        Ok(is_there.then(|| Line::new(goal, seat.state(), moves, 1)))
    }

    /// Whether another line would be taken instead: a better one, or one as good that leaves more time to find a better.
    pub(super) fn is_worse_than(&self, goal: i32, moves: usize) -> bool {
        goal > self.goal || goal == self.goal && moves > self.moves.len()
    }

    /// What a playout must exceed to be worth another look. Lines that are soon over are given up for longer ones.
    pub(super) fn to_beat(&self) -> i32 {
        let is_short = self.moves.len() <= SHORT * self.roles;
        if is_short && self.goal < 100 { self.goal - 1 } else { self.goal }
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
        let (width, mut next) = (batch.row_width(), Rows::new(batch.row_width()));
        batch.advance(&Rows::of_row(width, self.start.words()), &[0], joint, &mut next)?;
        self.start.set(next.row(0));
        self.moves.drain(..self.roles);
        Ok((self.start == *state && !self.moves.is_empty()).then_some(self))
    }
}
