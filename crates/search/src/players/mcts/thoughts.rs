//! What the search thinks, for people who watch it: the moves with their visits and values, what is proved of them, and the
//! line that it expects; of a puzzle the best line that anybody found. It only reads the tree.

use groundrules_machine::Machine;
use groundrules_puzzle::Line;

use super::Mcts;
use super::bounds::FULL;
use super::search::Search;
use super::tree::{Arm, PENDING};
use crate::seat::Seat;

/// What the search thinks of the last state that it searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Thoughts {
    /// Simulations of the last turn.
    pub simulations: u64,
    /// Playouts of the last turn.
    pub playouts: u64,
    /// States evaluated in the last turn, in playouts and otherwise.
    pub states: u64,
    /// States that the solver beside the tree made in the last turn, or the solvers of a puzzle.
    pub solver_states: u64,
    /// States that the tree holds.
    pub nodes: usize,
    /// The goal that the role expects.
    pub value: f64,
    /// What is proved: the role can guarantee the first, and if all others play against it, gets no more than the second.
    pub proved: (f64, f64),
    /// Within how many moves it gets what it can guarantee; meaningful if that is more than nothing.
    pub plies: u16,
    /// The line that a single player found and would play, and where it leads.
    pub found: Option<FoundLine>,
    /// The role's moves: the next one of the line that was found, then the most visited first.
    pub moves: Vec<Thought>,
    /// The line that is expected: moves of the roles that have a choice, with their role's number.
    pub line: Vec<(usize, String)>,
}

/// A line of a puzzle from the state that was searched to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// The goal at its end.
    pub goal: i32,
    /// How many moves it has.
    pub moves: usize,
    /// Whether no line leads to a higher goal, by a proof.
    pub is_best: bool,
}

/// What the search thinks of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move, as KIF.
    pub made: String,
    /// How often it was tried.
    pub visits: u32,
    /// The goal that it leads to on average.
    pub value: f64,
    /// The least and the most that it leads to, as far as that is proved.
    pub proved: (f64, f64),
}

/// The line is shown so far.
const LONGEST_LINE: usize = 24;

impl Mcts {
    /// What it thinks of the state that it searched last; nothing before the first search, or if the seat has changed its
    /// engine since.
    pub fn thoughts(&self, seat: &Seat) -> Option<Thoughts> {
        let (generation, threads) = self.threads.as_ref()?;
        let search =
            threads.first().map(|thread| &thread.search).filter(|_| *generation == seat.generation())?;
        let machine = seat.machine();
        let (stats, node) =
            (search.tree.stats(search.root, self.role), &search.tree.nodes[search.root as usize]);
        let (found, next) = (search.found_line(), search.line.as_ref().and_then(Line::next));
        // A line that was found can be played, so its goal is a lower bound.
        let sure = found.map_or(0.0, |found| f64::from(found.goal));
        let thought = |arm: &Arm| {
            let sure = if next == Some(arm.made) { sure } else { 0.0 };
            let mean = 100.0 * arm.sum / f64::from(arm.visits.max(1));
            let (lower, upper) = (hundred(arm.lower).max(sure), search.proved_upper(arm.upper));
            Thought {
                made: machine.move_text(arm.made),
                visits: arm.visits,
                value: mean.max(sure),
                proved: (lower, upper.max(lower)),
            }
        };
        let mut arms = search.merged(self.role);
        arms.sort_by_key(|arm| (next != Some(arm.made), std::cmp::Reverse(arm.visits)));
        let mean = 100.0 * stats.sum / f64::from(node.visits.max(1));
        let upper = match found {
            Some(found) if found.is_best => sure,
            _ => search.proved_upper(stats.bound.upper).max(sure),
        };
        let lower = hundred(stats.bound.lower);
        let plies = match found {
            Some(found) if sure >= lower => u16::try_from(found.moves).unwrap_or(u16::MAX),
            _ => stats.bound.plies,
        };
        Some(Thoughts {
            simulations: search.count.simulations,
            playouts: search.count.playouts,
            states: search.count.states,
            solver_states: search.count.solved,
            nodes: search.tree.nodes.len(),
            value: mean.max(sure),
            proved: (lower.max(sure), upper),
            plies,
            found,
            moves: arms.iter().map(thought).collect(),
            line: line(search, &*machine),
        })
    }
}

impl Search {
    /// An upper bound as a goal. Where states are pruned by the step counter it is a guess, and nothing is proved.
    fn proved_upper(&self, upper: u16) -> f64 {
        if self.counter.is_some() { 100.0 } else { hundred(upper) }
    }

    /// The best line of a single player.
    fn found_line(&self) -> Option<FoundLine> {
        let line = self.line.as_ref()?;
        let bound = self.tree.stats(self.root, 0).bound;
        let is_best = line.goal() >= 100
            || self.upper.is_some_and(|upper| line.goal() >= upper)
            || self.counter.is_none() && self.line_bound() >= bound.upper;
        Some(FoundLine { goal: line.goal(), moves: line.moves().len(), is_best })
    }
}

/// A bound as a goal.
fn hundred(bound: u16) -> f64 {
    100.0 * f64::from(bound) / f64::from(FULL)
}

/// The most visited moves from the root on, as long as one role alone has a choice.
fn line(search: &Search, machine: &dyn Machine) -> Vec<(usize, String)> {
    if let Some(line) = &search.line {
        let moves = line.moves().iter().take(LONGEST_LINE);
        return moves.map(|&made| (0, machine.move_text(made))).collect();
    }
    let (mut node, mut line) = (search.root, Vec::new());
    while let Some(role) = search.tree.nodes[node as usize].key.map(usize::from) {
        let arms = search.tree.arms(node, role).iter().filter(|arm| arm.visits > 0);
        let Some(best) = arms.max_by_key(|arm| arm.visits) else { break };
        line.push((role, machine.move_text(best.made)));
        if best.child >= PENDING || line.len() == LONGEST_LINE {
            break;
        }
        node = best.child;
    }
    line
}
