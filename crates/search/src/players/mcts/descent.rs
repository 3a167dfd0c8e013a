//! Selection and backup. A descent goes from the root to a joint move whose successor is not in the tree yet, or to a node whose value is
//! proved. Every role with a choice selects by the upper confidence bound of its own values (decoupled UCT where several choose
//! at once). Moves proved to be no better than the role's lower bound are passed over; moves proved to win are made. Virtual loss is
//! applied during descent: a visit counts at once and its value later, so the descents of a pass differ.

use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;

use super::arithmetic::ln;
use super::bounds::FULL;
use super::policy::{MoveAverages, Policy};
use super::tree::{Arm, NONE, NodeId, Opposition, PENDING, Tree};
use crate::parts::Part;

/// The nodes of a descent, and the moves selected in them: for each role the move's place among the legal ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) nodes: Vec<NodeId>,
    picks: Vec<u32>,
}

impl Path {
    /// The moves chosen in a node of the path.
    pub(super) fn picks(&self, step: usize, roles: usize) -> &[u32] {
        &self.picks[step * roles..(step + 1) * roles]
    }

    /// The last node.
    pub(super) fn last(&self) -> NodeId {
        *self.nodes.last().expect("a path begins with the root")
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.picks.clear();
    }
}

/// Where a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The successor of the last joint move is not in the tree; its place is marked as pending.
    New,
    /// In a node whose value is proved.
    Known(NodeId),
    /// In a node that is on the path already.
    Cycle(NodeId),
    /// At a leaf of another descent of the same pass; this one is undone.
    Collision,
}

/// What a descent selects by.
pub(super) struct Guide<'a> {
    pub(super) policy: &'a Policy,
    pub(super) averages: &'a MoveAverages,
    pub(super) random: &'a mut Xoshiro256PlusPlus,
    /// A number that no other descent has.
    pub(super) stamp: u32,
    /// The weight of the heuristic beside the mean.
    pub(super) trust: f64,
    /// The exploration constant.
    pub(super) exploration: f64,
}

impl Tree {
    /// Descends from a root.
    pub(super) fn descend(&mut self, root: NodeId, guide: &mut Guide<'_>, path: &mut Path) -> Stop {
        path.clear();
        let mut node = root;
        loop {
            if node != root && self.is_solved(node) {
                return Stop::Known(node);
            }
            let own = &mut self.nodes[node as usize];
            if own.stamp == guide.stamp {
                return Stop::Cycle(node);
            }
            own.stamp = guide.stamp;
            own.visits += 1;
            path.nodes.push(node);
            let first = path.picks.len();
            for role in 0..self.roles {
                let pick = self.pick(node, role, guide);
                self.arm_mut(node, role, pick).visits += 1;
                path.picks.push(pick);
            }
            let picks = &path.picks[first..];
            match self.child(node, picks) {
                NONE => {
                    self.set_child(node, picks, PENDING);
                    return Stop::New;
                }
                PENDING => {
                    self.undo(path);
                    return Stop::Collision;
                }
                child => node = child,
            }
        }
    }

    /// Undoes a descent.
    pub(super) fn undo(&mut self, path: &Path) {
        for (step, &node) in path.nodes.iter().enumerate() {
            self.nodes[node as usize].visits -= 1;
            for (role, &pick) in path.picks(step, self.roles).iter().enumerate() {
                self.arm_mut(node, role, pick).visits -= 1;
            }
        }
    }

    /// The move that a role selects in a node, by its place.
    fn pick(&self, node: NodeId, role: usize, guide: &mut Guide<'_>) -> u32 {
        let (stats, arms) = (self.stats(node, role), self.arms(node, role));
        if arms.len() == 1 {
            return 0;
        }
        if self.nature[role] {
            return one_of(arms.len(), guide.random);
        }
        let own = &self.nodes[node as usize];
        let visits = f64::from(own.visits);
        let (log, usual) = (ln(visits.max(1.0)), stats.sum / visits);
        let (is_opposed, is_joint) = (self.is_opposed(), own.key.is_none());
        let (exploration, Policy { first_play, parts, .. }) = (guide.exploration, *guide.policy);
        let is_pooled = parts.has(Part::Pooling) && !is_joint;
        let trust = if own.has_guesses { guide.trust } else { 0.0 };
        let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
        for (pick, arm) in (0..).zip(arms) {
            if arm.lower == FULL {
                return pick;
            }
            if is_opposed && arm.upper <= stats.bound.lower {
                continue;
            }
            let (value, count) = match f64::from(arm.visits) {
                0.0 => (guide.averages.value(role, arm.made, usual), first_play),
                count if is_pooled => (self.pooled_mean(arm, role), count),
                count => (arm.sum / count, count),
            };
            let mut score =
                value + trust * (f64::from(arm.guess) - value) + exploration * (log / count).sqrt();
            if is_joint {
                // Roles that choose at once must not choose in step.
                score += (guide.random.next_u32() as f64) * (0.05 / f64::from(u32::MAX));
            }
            if score > best {
                (best, chosen) = (score, Some(pick));
            }
        }
        // Where no move can be better than the lower bound, the move that has it is made.
        chosen.unwrap_or_else(|| self.safest(node, role))
    }

    /// The mean of a move's values, from all the ways that lead to the same state.
    fn pooled_mean(&self, arm: &Arm, role: usize) -> f64 {
        let own = arm.sum / f64::from(arm.visits);
        if arm.child >= PENDING {
            return own;
        }
        let (node, stats) = (&self.nodes[arm.child as usize], self.stats(arm.child, role));
        // The visit that made the child counts at the move only, and those under way have no value yet.
        match node.visits {
            0 => own,
            visits if visits < arm.visits => own,
            visits => stats.sum / f64::from(visits),
        }
    }

    /// The move with the highest lower bound for a role.
    fn safest(&self, node: NodeId, role: usize) -> u32 {
        let arms = (0..).zip(self.arms(node, role));
        arms.max_by_key(|(_, arm)| (arm.lower, arm.visits)).map_or(0, |(pick, _)| pick)
    }

    /// Backs up the values of a descent, one from 0 to 1 per role.
    pub(super) fn back_up(&mut self, path: &Path, values: &[f64], averages: &mut MoveAverages) {
        for (step, &node) in path.nodes.iter().enumerate() {
            for (role, &pick) in path.picks(step, self.roles).iter().enumerate() {
                self.stats_mut(node, role).sum += values[role];
                let has_choice = self.arms(node, role).len() > 1;
                let arm = self.arm_mut(node, role, pick);
                arm.sum += values[role];
                if has_choice {
                    averages.learn(role, arm.made, values[role]);
                }
            }
        }
    }

    /// Counts the evaluation of a node among its visits.
    pub(super) fn count_evaluation(&mut self, node: NodeId, values: &[f64]) {
        self.nodes[node as usize].visits += 1;
        for (role, value) in values.iter().enumerate() {
            self.stats_mut(node, role).sum += value;
        }
    }

    /// Backs up the heuristic's values along a path by minimax: the role that chooses takes its best move.
    pub(super) fn back_up_guesses(&mut self, path: &Path) {
        for (step, &node) in path.nodes.iter().enumerate().rev() {
            let own = &self.nodes[node as usize];
            let Some(key) = own.key.filter(|_| own.has_guesses).map(usize::from) else { continue };
            let pick = path.picks(step, self.roles)[key];
            let child = self.arms(node, key)[pick as usize].child;
            if child < PENDING {
                self.arm_mut(node, key, pick).guess = self.guess(child, key);
            }
            self.guess_by_best_move(node, key);
        }
    }

    /// Sets the values of the moves of a new node by the heuristic. Those that are proved count as such.
    pub(super) fn set_guesses(&mut self, node: NodeId, key: usize, values: &[f32]) {
        for (pick, &value) in (0..).zip(values) {
            let child = self.arms(node, key)[pick as usize].child;
            let value = if child < PENDING { self.guess(child, key) } else { value };
            self.arm_mut(node, key, pick).guess = value;
        }
        self.nodes[node as usize].has_guesses = true;
        self.guess_by_best_move(node, key);
    }

    /// Sets the value of a new node for a role by the heuristic, where its moves have none.
    pub(super) fn set_guess(&mut self, node: NodeId, role: usize, value: f32) {
        self.stats_mut(node, role).guess = value;
    }

    /// Takes the value of the best move, by the heuristic, for the value of the node.
    fn guess_by_best_move(&mut self, node: NodeId, key: usize) {
        let best = self.arms(node, key).iter().max_by(|one, other| one.guess.total_cmp(&other.guess));
        let Some(&Arm { guess, child, .. }) = best else { return };
        self.stats_mut(node, key).guess = guess;
        for role in (0..self.roles).filter(|&role| role != key) {
            let other = match self.opposition {
                Opposition::Constant(sum) => Some(sum as f32 / 100.0 - guess),
                _ if child < PENDING => Some(self.guess(child, role)),
                _ => None,
            };
            if let Some(other) = other {
                self.stats_mut(node, role).guess = other;
            }
        }
    }

    /// The value of a node for a role: proved, or by the heuristic.
    fn guess(&self, node: NodeId, role: usize) -> f32 {
        let stats = self.stats(node, role);
        if stats.bound.is_exact() { stats.bound.value() as f32 } else { stats.guess }
    }

    /// Backs up proofs along a path whose last joint move leads to a node with new bounds.
    pub(super) fn prove(&mut self, path: &Path) {
        for &node in path.nodes.iter().rev() {
            if !self.update_bounds(node) {
                return;
            }
        }
    }
}

/// One of so many places, each with the same chance.
fn one_of(count: usize, random: &mut Xoshiro256PlusPlus) -> u32 {
    let product = u64::from(random.next_u32()) * count as u64;
    (product >> 32) as u32
}
