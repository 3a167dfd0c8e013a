//! What the search thinks, for people who watch it: the moves with their visits and values, what is proved of them, and the
//! line that it expects. It only reads the tree.

use groundrules_machine::Machine;

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
    /// States that the tree holds.
    pub nodes: usize,
    /// The goal that the role expects.
    pub value: f64,
    /// What is proved: the role can guarantee the first, and if all others play against it, gets no more than the second.
    pub proved: (f64, f64),
    /// Within how many moves it gets what it can guarantee; meaningful if that is more than nothing.
    pub plies: u16,
    /// The role's moves, the most visited first.
    pub moves: Vec<Thought>,
    /// The line that is expected: moves of the roles that have a choice, with their role's number.
    pub line: Vec<(usize, String)>,
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
        let thought = |arm: &Arm| Thought {
            made: machine.move_text(arm.made),
            visits: arm.visits,
            value: 100.0 * arm.sum / f64::from(arm.visits.max(1)),
            proved: (hundred(arm.lower), hundred(arm.upper)),
        };
        let mut moves: Vec<Thought> = search.merged(self.role).iter().map(thought).collect();
        moves.sort_by_key(|thought| std::cmp::Reverse(thought.visits));
        Some(Thoughts {
            simulations: search.count.simulations,
            playouts: search.count.playouts,
            states: search.count.states,
            nodes: search.tree.nodes.len(),
            value: 100.0 * stats.sum / f64::from(node.visits.max(1)),
            proved: (hundred(stats.bound.lower), hundred(stats.bound.upper)),
            plies: stats.bound.plies,
            moves,
            line: line(search, &*machine),
        })
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
