//! The choice of the move: proved wins first, then the most visited move. Where others choose at the same time it is drawn from the
//! moves visited often, because a deterministic choice can be exploited.

use groundrules_machine::Move;
use groundrules_machine::playout::Choices;
use groundrules_puzzle::{Found, Line};

use super::bounds::FULL;
use super::search::{Count, Search};
use super::tree::{Arm, PENDING};

/// At the same time, moves visited less than this share of the most visited one are not made.
const OFTEN: f64 = 0.3;

impl Search {
    /// Adds the root statistics of another thread's search of the same state.
    pub(super) fn merge(&mut self, other: &Search) {
        let roles = self.tree.roles;
        self.other_threads.resize(roles, Vec::new());
        for (role, others) in self.other_threads.iter_mut().enumerate() {
            let arms = other.tree.arms(other.root, role);
            others.resize(arms.len().max(others.len()), (0, 0.0));
            for ((visits, sum), arm) in others.iter_mut().zip(arms) {
                (*visits, *sum) = (visits.saturating_add(arm.visits), *sum + arm.sum);
            }
        }
        self.count.simulations += other.count.simulations;
        self.count.playouts += other.count.playouts;
        self.count.states += other.count.states;
        if other.line_bound() > self.line_bound() {
            self.line.clone_from(&other.line);
        }
    }

    /// The moves of a role at the root, with the statistics of all threads, which have them in the same order.
    pub(super) fn merged(&self, role: usize) -> Vec<Arm> {
        let mut arms = self.tree.arms(self.root, role).to_vec();
        for (arm, &(visits, sum)) in arms.iter_mut().zip(self.other_threads.get(role).into_iter().flatten()) {
            (arm.visits, arm.sum) = (arm.visits.saturating_add(visits), arm.sum + sum);
        }
        arms
    }

    /// The best move of a role at the root.
    pub(super) fn best(&self, role: usize) -> Move {
        let arms = self.merged(role);
        let bound = self.tree.stats(self.root, role).bound;
        let sure = bound.lower;
        let is_solved = sure == FULL || bound.is_exact() && self.counter.is_none();
        if let Some(line) = self.line.as_ref().filter(|_| self.line_bound() >= sure && !is_solved) {
            return line.next().unwrap_or(Move(u32::MAX));
        }
        let best = arms.iter().filter(|arm| self.may_be_made(role, arm)).max_by(|one, other| {
            self.rank(role, one).cmp(&self.rank(role, other)).then(mean(one).total_cmp(&mean(other)))
        });
        best.or(arms.first()).map_or(Move(u32::MAX), |arm| arm.made)
    }

    /// The move to make.
    pub(super) fn decide(&self, role: usize, seed: u64) -> Move {
        let arms = self.merged(role);
        let bound = self.tree.stats(self.root, role).bound;
        let is_joint = self.tree.nodes[self.root as usize].key.is_none();
        if !is_joint || bound.lower == FULL || self.tree.is_opposed() && bound.is_exact() {
            return self.best(role);
        }
        let most = arms.iter().map(|arm| arm.visits).max().unwrap_or(0);
        let is_often =
            |arm: &&Arm| f64::from(arm.visits) >= OFTEN * f64::from(most) && self.may_be_made(role, arm);
        let often: Vec<&Arm> = arms.iter().filter(is_often).collect();
        // Probabilities are proportional to visits: as many tickets, in a lottery of about a thousand.
        let tickets = often.iter().flat_map(|arm| {
            let count = u64::from(arm.visits) * 1000 / u64::from(most.max(1));
            (0..=count).map(|_| arm.made)
        });
        let tickets: Vec<Move> = tickets.collect();
        Choices::new(seed, 0).one_of(&tickets).unwrap_or_else(|| self.best(role))
    }

    /// Whether a move is not proved to be worse than another.
    fn may_be_made(&self, role: usize, arm: &Arm) -> bool {
        let sure = self.tree.stats(self.root, role).bound.lower;
        !self.tree.is_opposed() || arm.upper > sure || arm.lower == sure
    }

    /// What counts first: a proved win, the nearer the better; then that a move is not proved to lose; then how often it was made.
    fn rank(&self, role: usize, arm: &Arm) -> (bool, u16, bool, u32) {
        let is_win = arm.lower == FULL || self.is_best_there_is(role, arm);
        let plies = if is_win && arm.child < PENDING {
            self.tree.stats(arm.child, role).bound.plies
        } else {
            u16::MAX
        };
        let may_be_worth_something = arm.upper > 0 || !self.tree.is_opposed();
        (is_win, u16::MAX - plies, may_be_worth_something, arm.visits)
    }

    /// Whether a move of the only player is sure to give the most that was found.
    fn is_best_there_is(&self, role: usize, arm: &Arm) -> bool {
        let bound = self.tree.stats(self.root, role).bound;
        self.is_puzzle() && arm.lower == bound.lower && bound.lower > 0
    }

    /// The moves of the only player to the end that is proved to be had, as far as the tree remembers them.
    pub(super) fn proved_line(&self) -> Option<Line> {
        let (mut node, mut moves) = (self.root, Vec::new());
        let bound = self.tree.stats(node, 0).bound;
        for _ in 0..=bound.plies {
            if self.tree.nodes[node as usize].is_end {
                let goal = i32::from(bound.lower / 100);
                return Some(Line::new(self.root_state(), Found { goal, moves }));
            }
            let arms = self.tree.arms(node, 0).iter().filter(|arm| arm.child < PENDING);
            let ways = arms.map(|arm| (self.tree.stats(arm.child, 0).bound, arm));
            let sure = ways.filter(|(below, _)| below.lower >= bound.lower);
            let (_, arm) = sure.min_by_key(|(below, _)| below.plies)?;
            moves.push(arm.made);
            node = arm.child;
        }
        None
    }

    /// A report on the root, for people.
    pub(super) fn report(&self, role: usize) -> String {
        let (stats, node) = (self.tree.stats(self.root, role), &self.tree.nodes[self.root as usize]);
        let value = match stats.bound {
            bound if self.tree.is_opposed() && bound.is_exact() && self.counter.is_none() => {
                format!("proved {}", bound.value() * 100.0)
            }
            bound if bound.lower == FULL => "proved 100".to_owned(),
            bound if self.line_bound().max(bound.lower) > 0 && self.line.is_some() => {
                format!("has a line to {}", f64::from(self.line_bound().max(bound.lower)) / 100.0)
            }
            _ => format!("expects {:.1}", 100.0 * stats.sum / f64::from(node.visits.max(1))),
        };
        let Count { simulations, playouts, .. } = self.count;
        let known = self.heuristic.as_ref().map(|heuristic| format!(" heuristic {:.2},", heuristic.trust()));
        let solved = self.count.solved;
        let known = known.unwrap_or_default()
            + &if solved > 0 { format!(" {solved} solver states,") } else { String::new() };
        let states = self.tree.nodes.len();
        format!("{value}; {simulations} simulations, {playouts} playouts,{known} {states} states")
    }
}

fn mean(arm: &Arm) -> f64 {
    arm.sum / f64::from(arm.visits.max(1))
}
