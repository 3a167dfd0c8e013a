//! The way down and the way up. A descent goes from the root to a joint move that leads to a state not looked at yet, or
//! to a state whose value is known. Every role that has a choice makes its own, by the upper confidence bound of its own
//! values (decoupled where several choose at once); moves proved to be no better than what the role is sure of are passed
//! over, moves proved to win are made. Who is on the way down counts as having lost, so that many descents in a row go
//! different ways.

use rand::Rng;
use rand::rngs::Xoshiro256PlusPlus;

use super::bounds::FULL;
use super::policy::{Habits, Policy};
use super::tree::{NONE, NodeId, PENDING, Tree};

/// The nodes of a descent, and the moves that were chosen in them, for each role its place among the legal ones.
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

    fn clear(&mut self) {
        self.nodes.clear();
        self.picks.clear();
    }
}

/// Where a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The last joint move leads to a state that was not looked at; the place is marked.
    New,
    /// In a node whose value is known.
    Known(NodeId),
    /// In a node that is on the path already.
    Round(NodeId),
    /// Somebody else is looking at where it leads; the descent is undone.
    Busy,
}

/// What a descent goes by.
pub(super) struct Guide<'a> {
    pub(super) policy: &'a Policy,
    pub(super) habits: &'a Habits,
    pub(super) random: &'a mut Xoshiro256PlusPlus,
    /// A number that no other descent has.
    pub(super) stamp: u32,
}

impl Tree {
    /// Goes down from a root.
    pub(super) fn descend(&mut self, root: NodeId, guide: &mut Guide<'_>, path: &mut Path) -> Stop {
        path.clear();
        let mut node = root;
        loop {
            if node != root && self.is_solved(node) {
                return Stop::Known(node);
            }
            let own = &mut self.nodes[node as usize];
            if own.stamp == guide.stamp {
                return Stop::Round(node);
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
                    return Stop::Busy;
                }
                child => node = child,
            }
        }
    }

    /// Takes a descent back.
    pub(super) fn undo(&mut self, path: &Path) {
        for (step, &node) in path.nodes.iter().enumerate() {
            self.nodes[node as usize].visits -= 1;
            for (role, &pick) in path.picks(step, self.roles).iter().enumerate() {
                self.arm_mut(node, role, pick).visits -= 1;
            }
        }
    }

    /// The move that a role makes in a node, by its place.
    fn pick(&self, node: NodeId, role: usize, guide: &mut Guide<'_>) -> u32 {
        let (stake, arms) = (self.stake(node, role), self.arms(node, role));
        if arms.len() == 1 {
            return 0;
        }
        if self.nature[role] {
            return one_of(arms.len(), guide.random);
        }
        let own = &self.nodes[node as usize];
        let visits = f64::from(own.visits);
        let (log, usual) = (visits.ln().max(0.0), stake.sum / visits);
        let (is_opposed, is_joint) = (self.is_opposed(), own.key.is_none());
        let Policy { exploration, first_play, .. } = *guide.policy;
        let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
        for (pick, arm) in (0..).zip(arms) {
            if arm.lower == FULL {
                return pick;
            }
            if is_opposed && arm.upper <= stake.bound.lower {
                continue;
            }
            let mut score = if arm.visits == 0 {
                guide.habits.worth(role, arm.made, usual) + exploration * (log / first_play).sqrt()
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
        // Where no move can be better than what is sure, the sure one is made.
        chosen.unwrap_or_else(|| self.surest(node, role))
    }

    /// The move of which a role is surest.
    fn surest(&self, node: NodeId, role: usize) -> u32 {
        let arms = (0..).zip(self.arms(node, role));
        arms.max_by_key(|(_, arm)| (arm.lower, arm.visits)).map_or(0, |(pick, _)| pick)
    }

    /// Brings what a descent came to back up: a value from 0 to 1 for each role.
    pub(super) fn back_up(&mut self, path: &Path, values: &[f64], habits: &mut Habits) {
        for (step, &node) in path.nodes.iter().enumerate() {
            for (role, &pick) in path.picks(step, self.roles).iter().enumerate() {
                self.stake_mut(node, role).sum += values[role];
                let has_choice = self.arms(node, role).len() > 1;
                let arm = self.arm_mut(node, role, pick);
                arm.sum += values[role];
                if has_choice {
                    habits.learn(role, arm.made, values[role]);
                }
            }
        }
    }

    /// Brings proofs back up a path whose last joint move leads to a state of which more is known now.
    pub(super) fn prove(&mut self, path: &Path) {
        for &node in path.nodes.iter().rev() {
            if !self.reckon(node) {
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
