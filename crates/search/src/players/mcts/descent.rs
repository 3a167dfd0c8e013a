//! Selection and backup. A descent goes from the root to a joint move whose successor is not in the tree yet, or to a node whose value is
//! proved. Every role with a choice selects by the upper confidence bound of its own values (decoupled UCT where several choose
//! at once). Moves proved to be no better than the role's lower bound are passed over; moves proved to win are made. Virtual loss is
//! applied during descent: a visit counts at once and its value later, so the descents of a pass differ.

use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;

use super::bounds::FULL;
use super::policy::{MoveAverages, Policy};
use super::tree::{NONE, NodeId, PENDING, Tree};

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
        let (log, usual) = (visits.ln().max(0.0), stats.sum / visits);
        let (is_opposed, is_joint) = (self.is_opposed(), own.key.is_none());
        let Policy { exploration, first_play, .. } = *guide.policy;
        let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
        for (pick, arm) in (0..).zip(arms) {
            if arm.lower == FULL {
                return pick;
            }
            if is_opposed && arm.upper <= stats.bound.lower {
                continue;
            }
            let mut score = if arm.visits == 0 {
                guide.averages.value(role, arm.made, usual) + exploration * (log / first_play).sqrt()
            } else {
                let count = f64::from(arm.visits);
                arm.sum / count + exploration * (log / count).sqrt()
            };
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
