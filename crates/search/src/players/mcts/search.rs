//! A tree while it is searched: the root, what is known about it, and when there is nothing left to find out.

use groundrules_machine::State;
use groundrules_puzzle::{Found, Line, StepCounter};

use super::bounds::{Bound, FULL};
use super::heuristic::Heuristic;
use super::policy::{MoveAverages, Policy};
use super::preferences::Guidance;
use super::solver::Solver;
use super::solving::Shares;
use super::tree::{NodeId, Tree};
use super::worth::Worth;
use crate::parts::Part;

/// The search of one thread.
pub(super) struct Search {
    pub(super) tree: Tree,
    pub(super) root: NodeId,
    pub(super) averages: MoveAverages,
    pub(super) policy: Policy,
    /// The value function over fluents, where states have a bit for each.
    pub(super) heuristic: Option<Heuristic>,
    /// What solves the root beside the tree.
    pub(super) solver: Option<Solver>,
    pub(super) shares: Shares,
    /// What looking ahead is worth.
    pub(super) worth: Worth,
    /// How far the values of leaves are spread.
    pub(super) spread: Spread,
    /// What playouts prefer.
    pub(super) guidance: Guidance,
    pub(super) count: Count,
    /// The best line found, if there is one player and no chance.
    pub(super) line: Option<Line>,
    /// A proved upper bound on the goal of a single player.
    pub(super) upper: Option<i32>,
    /// The step counter of a puzzle, as long as states are pruned by it.
    pub(super) counter: Option<StepCounter>,
    /// For each role and move at the root the visits of the other threads, and the sum of their values.
    pub(super) other_threads: Vec<Vec<(u32, f64)>>,
    stamp: u32,
}

/// How far the values of leaves are spread, recent ones counting more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    count: f64,
    mean: f64,
    variance: f64,
}

/// The spread, as a standard deviation, for which the exploration constant is made: that of leaves with few playouts, which are won or lost. And the
/// least and the most that the constant is multiplied by.
const USUAL_SPREAD: f64 = 0.3;
const LEAST_FACTOR: f64 = 0.15;
const MOST_FACTOR: f64 = 1.25;

/// A new value counts at least so much.
const LEAST_RATE: f64 = 0.0005;

impl Spread {
    /// Learns the value of a leaf for one of the players.
    pub(super) fn see(&mut self, value: f64) {
        self.count += 1.0;
        let rate = (1.0 / self.count).max(LEAST_RATE);
        let distance = value - self.mean;
        self.mean += rate * distance;
        self.variance += rate * (distance * (value - self.mean) - self.variance);
    }

    /// What the exploration constant is multiplied by.
    pub(super) fn factor(&self) -> f64 {
        if self.count < 64.0 {
            return 1.0;
        }
        (self.variance.max(0.0).sqrt() / USUAL_SPREAD).clamp(LEAST_FACTOR, MOST_FACTOR)
    }
}

/// The playouts of a pass where it has few.
const FEW_PLAYOUTS: usize = 256;

/// How much was done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Descents that were backed up.
    pub(super) simulations: u64,
    /// Playouts.
    pub(super) playouts: u64,
    /// States evaluated, in playouts and otherwise.
    pub(super) states: u64,
    /// States that the solver made, or the solvers of a puzzle.
    pub(super) solved: u64,
    /// Steps of the solver.
    pub(super) solver_steps: u64,
    /// New leaves that had an end among their successors.
    pub(super) with_ends: u64,
}

impl Search {
    /// A search of an empty tree.
    pub(super) fn new(tree: Tree, policy: Policy) -> Self {
        let averages = MoveAverages::new(tree.roles);
        Search {
            tree,
            root: 0,
            averages,
            policy,
            heuristic: None,
            solver: None,
            shares: Shares::default(),
            worth: Worth::default(),
            spread: Spread::default(),
            guidance: Guidance::default(),
            count: Count::default(),
            line: None,
            upper: None,
            counter: None,
            other_threads: Vec::new(),
            stamp: 0,
        }
    }

    /// Whether there is nothing left to find out for a role.
    pub(super) fn is_done(&self, role: usize) -> bool {
        let bound = self.tree.stats(self.root, role).bound;
        let most = if self.counter.is_some() { FULL } else { bound.upper };
        self.tree.nodes[self.root as usize].is_end && self.counter.is_none()
            || self.tree.is_opposed() && bound.lower == most
            || bound.lower == FULL
            || self.line_bound() >= most
            || self.line.as_ref().is_some_and(|line| self.upper.is_some_and(|upper| line.goal() >= upper))
    }

    /// Whether pruning by the step counter left nothing to try.
    pub(super) fn is_overpruned(&self) -> bool {
        self.counter.is_some() && {
            let bound = self.tree.stats(self.root, 0).bound;
            bound.upper <= bound.lower.max(self.line_bound())
        }
    }

    /// The goal of the best line as a lower bound.
    pub(super) fn line_bound(&self) -> u16 {
        self.line.as_ref().map_or(0, |line| Bound::exact(line.goal()).lower)
    }

    /// Whether there is one player and no chance, so that a line that was found can be played.
    pub(super) fn is_puzzle(&self) -> bool {
        self.tree.nature == [false]
    }

    /// The goal that a line has to exceed to be of interest.
    pub(super) fn to_beat(&self) -> Option<i32> {
        self.is_puzzle().then(|| self.line.as_ref().map_or(0, Line::to_beat))
    }

    /// The state of the root.
    pub(super) fn root_state(&self) -> State {
        State::of(self.tree.row(self.root))
    }

    /// Takes a line from the root if it is better than the one it has.
    pub(super) fn take_line(&mut self, found: Found) {
        if self.line.as_ref().is_none_or(|line| line.is_worse_than(&found)) {
            self.line = Some(Line::new(self.root_state(), found));
        }
    }

    /// The weight of the heuristic beside the means.
    pub(super) fn trust(&self) -> f64 {
        self.heuristic.as_ref().map_or(0.0, |heuristic| heuristic.trust() * self.policy.implicit_minimax)
    }

    /// The exploration constant for values that are spread as they are here.
    pub(super) fn exploration(&self) -> f64 {
        let is_scaled = self.policy.parts.has(Part::Spread) && !self.is_puzzle();
        self.policy.exploration * if is_scaled { self.spread.factor() } else { 1.0 }
    }

    /// How many playouts a pass has, with an engine that evaluates many states at once. Puzzles have solvers that need the time more.
    pub(super) fn playouts(&self) -> usize {
        let is_wide = self.policy.parts.has(Part::Wide) && !self.is_puzzle();
        if is_wide { self.policy.playouts } else { self.policy.playouts.min(FEW_PLAYOUTS) }
    }

    /// A number that no other descent has.
    pub(super) fn next_stamp(&mut self) -> u32 {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.tree.nodes.iter_mut().for_each(|node| node.stamp = 0);
            self.stamp = 1;
        }
        self.stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_follows_the_spread_of_values() {
        let mut spread = Spread::default();
        assert_eq!(spread.factor(), 1.0);
        (0..5_000).for_each(|number| spread.see(f64::from(number % 2) * 0.1));
        assert!((spread.factor() - 0.05 / USUAL_SPREAD).abs() < 0.01, "{spread:?}");
        (0..20_000).for_each(|number| spread.see(f64::from(number % 2)));
        assert_eq!(spread.factor(), MOST_FACTOR);
    }
}
