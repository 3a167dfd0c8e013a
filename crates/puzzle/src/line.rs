//! A line of one player: the moves from a state to an end, with its goal.

use groundrules_machine::{Batch, Machine, MachineError, Move, Rows, State};

use crate::solver::Found;

/// Moves that lead from a state to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    goal: i32,
    start: State,
    moves: Vec<Move>,
}

/// The number of moves up to which a line is nearly over.
const SHORT: usize = 3;

impl Line {
    /// A line that was found from a state.
    pub fn new(start: State, found: Found) -> Self {
        let Found { goal, moves } = found;
        Line { goal, start, moves }
    }

    /// The goal at the end.
    pub fn goal(&self) -> i32 {
        self.goal
    }

    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The next move.
    pub fn next(&self) -> Option<Move> {
        self.moves.first().copied()
    }

    /// The line that some moves, as texts, make from the state in which a machine stands; nothing if they are not legal or do
    /// not lead to an end with this goal. Texts mean the same to every engine.
    pub fn from_texts(
        machine: &mut dyn Machine,
        texts: &[String],
        goal: i32,
    ) -> Result<Option<Line>, MachineError> {
        let (mut start, mut moves) = (State::default(), Vec::new());
        machine.save(&mut start);
        for text in texts {
            let Some(made) = machine.find_move(0, text) else { return Ok(None) };
            if machine.is_terminal()? || !machine.legal(0)?.contains(&made) {
                return Ok(None);
            }
            machine.advance(&[made])?;
            moves.push(made);
        }
        let leads_there = !moves.is_empty() && machine.is_terminal()? && machine.goals(0)? == [goal];
        Ok(leads_there.then(|| Line::new(start, Found { goal, moves })))
    }

    /// Whether to prefer another line: one to a higher goal, or a longer one to the same goal, because it leaves more time to
    /// find a better one.
    pub fn is_worse_than(&self, other: &Found) -> bool {
        other.goal > self.goal || other.goal == self.goal && other.moves.len() > self.moves.len()
    }

    /// The goal that a playout has to exceed to be of interest. A line that is nearly over gives way to longer ones to
    /// the same goal.
    pub fn to_beat(&self) -> i32 {
        let is_short = self.moves.len() <= SHORT;
        if is_short && self.goal < 100 { self.goal - 1 } else { self.goal }
    }

    /// The rest of the line from a state of the match: the one where it starts, or the one after its next move.
    pub fn follow(mut self, state: &State, batch: &mut dyn Batch) -> Result<Option<Line>, MachineError> {
        if self.start == *state {
            return Ok(Some(self));
        }
        let Some(made) = self.next() else { return Ok(None) };
        let (width, mut next) = (batch.row_width(), Rows::new(batch.row_width()));
        batch.advance(&Rows::of_row(width, self.start.words()), &[0], &[made], &mut next)?;
        self.start.set(next.row(0));
        self.moves.remove(0);
        Ok((self.start == *state && !self.moves.is_empty()).then_some(self))
    }
}
