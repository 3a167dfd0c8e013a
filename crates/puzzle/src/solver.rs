//! The interface of a solver: it takes a step within an allowance and reports a better line or a proof.

use groundrules_machine::{Batch, MachineError, Move, PlayoutLimits, State};

/// A solver of puzzles, which works step by step from a state.
pub trait Solver: Send {
    /// The name, for reports.
    fn name(&self) -> &'static str;

    /// Begins at a state: the first one of a match, the same one again, or a later one of the same match.
    fn begin(&mut self, start: &State, batch: &mut dyn Batch) -> Result<(), MachineError>;

    /// Takes a step. Does nothing once the status is not [`Status::Running`].
    fn step(&mut self, batch: &mut dyn Batch, allowance: &Allowance) -> Result<Progress, MachineError>;

    /// Whether there is anything left to try from the state at which it began.
    fn status(&self) -> Status;

    /// The work of the next step in network nodes, if that step is large and cannot be divided. It is taken only
    /// under an allowance that covers it.
    fn indivisible_work(&self) -> usize {
        0
    }
}

/// What a step may spend, and what it has to achieve.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Only a line to a higher goal is of interest; nothing if any line to an end is.
    pub to_beat: Option<i32>,
    /// The seed and the length of playouts.
    pub playouts: PlayoutLimits,
    /// The most work of an indivisible step, in network nodes.
    pub work: usize,
}

/// A line from the state at which a solver began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The goal at its end.
    pub goal: i32,
    /// The moves.
    pub moves: Vec<Move>,
}

/// What a step achieved.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// A line to a goal above the one to beat.
    pub found: Option<Found>,
    /// A proved upper bound on the goal of every line from the state at which the solver began.
    pub upper: Option<i32>,
    /// How well the solver's own idea works here, from 0 to 1: for example the share of the successors that it could rule
    /// out. A schedule goes by it as long as nobody finds better lines.
    pub headway: f64,
    /// How many states were evaluated, about. It is the currency where time does not count.
    pub work: u64,
}

/// Whether a solver has anything left to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has.
    Running,
    /// It has not, but there may be better lines.
    GaveUp,
    /// Every reachable position was evaluated: there is no better line.
    Exhausted,
}

impl Allowance {
    /// Whether a line to this goal is of interest when the best one found in the same step is given.
    pub(crate) fn is_beaten_by(&self, goal: i32, found: Option<&Found>) -> bool {
        let to_beat = found.map(|found| found.goal).max(self.to_beat);
        to_beat.is_none_or(|to_beat| goal > to_beat)
    }
}
