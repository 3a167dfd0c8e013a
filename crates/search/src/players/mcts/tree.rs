//! The search tree, a graph rather: one node per state, found by its state, so that transpositions share a node. Nodes, statistics per
//! role, moves and packed states lie in arrays of their own, and a number stands for a node. The tree knows its size in bytes, and
//! can be cut back to the nodes below a root that were visited often (`shrink`), which renumbers them.
//!
//! `descent` selects and backs up, `pass` adds nodes.

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use groundrules_machine::{Move, Views};

use super::bounds::{Bound, FULL, Matrix};

/// A node's number.
pub(super) type NodeId = u32;

/// Where a child is not there yet.
pub(super) const NONE: NodeId = u32::MAX;

/// Where a child is a leaf of the current pass.
pub(super) const PENDING: NodeId = u32::MAX - 1;

/// A state that was evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first_word: u32,
    words: u32,
    /// Visits, including those of descents that are not backed up yet.
    pub(super) visits: u32,
    /// How many joint moves lead here from the beginning of the match.
    pub(super) depth: u32,
    /// The last descent that passed through.
    pub(super) stamp: u32,
    /// The role whose moves hold the children; none where several have a choice.
    pub(super) key: Option<u16>,
    /// Whether the match ends here.
    pub(super) is_end: bool,
    /// Whether its moves have guesses.
    pub(super) has_guesses: bool,
}

/// The statistics of a node for a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stats {
    first: u32,
    count: u32,
    /// The sum of the values, from 0 to 1, of its visits.
    pub(super) sum: f64,
    /// The value by the heuristic, from 0 to 1, backed up by minimax.
    pub(super) guess: f32,
    /// What is proved.
    pub(super) bound: Bound,
}

/// A legal move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) made: Move,
    /// Where it leads, if its role is the only one with a choice.
    pub(super) child: NodeId,
    /// Visits, including those of descents that are not backed up yet.
    pub(super) visits: u32,
    /// The worst and the best that it can lead to for its role, as far as that is proved.
    pub(super) lower: u16,
    pub(super) upper: u16,
    /// The value by the heuristic of where it leads, if its role is the only one with a choice.
    pub(super) guess: f32,
    /// The sum of the role's values.
    pub(super) sum: f64,
}

/// Whether two players are opponents, as far as the ends seen so far tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opposition {
    /// There is one player: nobody is against it.
    Alone,
    /// Two players, and no end was seen yet.
    Unseen,
    /// The goals of the two always add up to this.
    Constant(i64),
    /// There is more to it.
    Mixed,
}

/// The search tree.
pub(super) struct Tree {
    pub(super) roles: usize,
    /// Which roles are nature's.
    pub(super) nature: Vec<bool>,
    pub(super) opposition: Opposition,
    pub(super) nodes: Vec<Node>,
    stats: Vec<Stats>,
    arms: Vec<Arm>,
    words: Vec<u64>,
    /// The children of nodes in which several roles have a choice.
    joints: HashMap<(NodeId, u64), NodeId, FxBuildHasher>,
    index: HashTable<NodeId>,
    limit: usize,
    matrix: Matrix,
}

/// Beyond so many joint moves in a state nothing is proved of it.
const MOST_JOINTS: u64 = 4096;

impl Tree {
    /// A tree of nothing for a game with such roles, of at most about so many bytes.
    pub(super) fn new(nature: Vec<bool>, limit: usize) -> Self {
        let players = nature.iter().filter(|&&is_nature| !is_nature).count();
        let opposition = match players {
            0 | 1 => Opposition::Alone,
            2 => Opposition::Unseen,
            _ => Opposition::Mixed,
        };
        Tree {
            roles: nature.len(),
            nature,
            opposition,
            nodes: Vec::new(),
            stats: Vec::new(),
            arms: Vec::new(),
            words: Vec::new(),
            joints: HashMap::default(),
            index: HashTable::new(),
            limit,
            matrix: Matrix::default(),
        }
    }

    /// Whether proofs against everybody else are proofs: there is nobody else, or the only other one loses what is won.
    pub(super) fn is_opposed(&self) -> bool {
        !matches!(self.opposition, Opposition::Mixed)
    }

    /// Learns what two players got together in some ends.
    pub(super) fn see_ends(&mut self, sum: i64, count: u64) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        match self.opposition {
            Opposition::Unseen if count > 0 && sum % count == 0 => {
                self.opposition = Opposition::Constant(sum / count);
            }
            Opposition::Constant(constant) if constant.saturating_mul(count) == sum => {}
            Opposition::Unseen if count == 0 => {}
            Opposition::Alone => {}
            _ => self.opposition = Opposition::Mixed,
        }
    }

    /// How many bytes it takes, about.
    pub(super) fn bytes(&self) -> usize {
        let of_node = size_of::<Node>() + 8 + self.roles * size_of::<Stats>();
        self.nodes.len() * of_node
            + self.arms.len() * size_of::<Arm>()
            + self.words.len() * 8
            + self.joints.len() * 32
    }

    /// Whether it may not grow any more, with so many bytes used beside it. Arrays reserve up to twice the room that they use.
    pub(super) fn is_full(&self, besides: usize) -> bool {
        let most = self.nodes.len().max(self.arms.len()).max(self.words.len());
        self.bytes() + besides > self.limit / 2 || most >= (PENDING / 4) as usize
    }

    /// The statistics of a node for a role.
    pub(super) fn stats(&self, node: NodeId, role: usize) -> &Stats {
        &self.stats[node as usize * self.roles + role]
    }

    pub(super) fn stats_mut(&mut self, node: NodeId, role: usize) -> &mut Stats {
        &mut self.stats[node as usize * self.roles + role]
    }

    /// The legal moves of a role.
    pub(super) fn arms(&self, node: NodeId, role: usize) -> &[Arm] {
        let stats = self.stats(node, role);
        &self.arms[stats.first as usize..(stats.first + stats.count) as usize]
    }

    pub(super) fn arm_mut(&mut self, node: NodeId, role: usize, pick: u32) -> &mut Arm {
        let place = self.stats(node, role).first + pick;
        &mut self.arms[place as usize]
    }

    /// Whether the value of a node is known for everybody.
    pub(super) fn is_solved(&self, node: NodeId) -> bool {
        self.nodes[node as usize].is_end
            || self.is_opposed() && (0..self.roles).all(|role| self.stats(node, role).bound.is_exact())
    }

    /// A node's state, packed.
    pub(super) fn row(&self, node: NodeId) -> &[u64] {
        let node = &self.nodes[node as usize];
        &self.words[node.first_word as usize..(node.first_word + node.words) as usize]
    }

    /// The node of a packed state.
    pub(super) fn find(&self, row: &[u64]) -> Option<NodeId> {
        let hash = FxBuildHasher.hash_one(row);
        self.index.find(hash, |&node| self.row(node) == row).copied()
    }

    /// Prunes a node: it counts as an end that is worth nothing.
    pub(super) fn prune(&mut self, node: NodeId) {
        self.nodes[node as usize].is_end = true;
        (0..self.roles).for_each(|role| self.stats_mut(node, role).bound = Bound::exact(0));
    }

    /// Adds the node of a state that was evaluated and has none.
    pub(super) fn add(&mut self, row: &[u64], depth: u32, views: &Views, view: usize) -> NodeId {
        let id = number(self.nodes.len());
        let first_word = number(self.words.len());
        self.words.extend_from_slice(row);
        let is_stuck = (0..self.roles).any(|role| views.legal(view, role).is_empty());
        let is_end = views.is_terminal(view) || is_stuck;
        let mut choosers = Vec::new();
        for role in 0..self.roles {
            let legal = if is_end { &[] } else { views.legal(view, role) };
            if legal.len() > 1 {
                choosers.push(u16::try_from(role).unwrap_or(u16::MAX));
            }
            let bound = if !is_end {
                Bound::OPEN
            } else if let (false, [goal]) = (is_stuck && !views.is_terminal(view), views.goals(view, role)) {
                Bound::exact(*goal)
            } else {
                Bound::exact(0)
            };
            self.stats.push(Stats {
                first: number(self.arms.len()),
                count: number(legal.len()),
                sum: 0.0,
                guess: bound.value() as f32,
                bound,
            });
            let arm =
                |&made| Arm { made, child: NONE, visits: 0, lower: 0, upper: FULL, guess: 0.0, sum: 0.0 };
            self.arms.extend(legal.iter().map(arm));
        }
        let key = match choosers[..] {
            [] => Some(0),
            [only] => Some(only),
            _ => None,
        };
        let words = number(row.len());
        self.nodes.push(Node {
            first_word,
            words,
            visits: 0,
            depth,
            stamp: 0,
            key,
            is_end,
            has_guesses: false,
        });
        self.enter_into_index(id);
        id
    }

    fn enter_into_index(&mut self, id: NodeId) {
        let Tree { index, nodes, words, .. } = self;
        let hash = |&node: &NodeId| {
            let node = &nodes[node as usize];
            let own = &words[node.first_word as usize..(node.first_word + node.words) as usize];
            FxBuildHasher.hash_one(own)
        };
        index.insert_unique(hash(&id), id, hash);
    }

    /// The number of a joint move among those of a node.
    fn code(&self, node: NodeId, picks: &[u32]) -> u64 {
        let step = |code: u64, (role, &pick): (usize, &u32)| {
            code.wrapping_mul(u64::from(self.stats(node, role).count)).wrapping_add(u64::from(pick))
        };
        picks.iter().enumerate().fold(0, step)
    }

    /// Where a joint move leads.
    pub(super) fn child(&self, node: NodeId, picks: &[u32]) -> NodeId {
        match self.nodes[node as usize].key {
            Some(role) => self.arms(node, role.into())[picks[usize::from(role)] as usize].child,
            None => self.joints.get(&(node, self.code(node, picks))).copied().unwrap_or(NONE),
        }
    }

    /// Tells where a joint move leads.
    pub(super) fn set_child(&mut self, node: NodeId, picks: &[u32], child: NodeId) {
        match self.nodes[node as usize].key {
            Some(role) => self.arm_mut(node, role.into(), picks[usize::from(role)]).child = child,
            None if child == NONE => {
                let code = self.code(node, picks);
                self.joints.remove(&(node, code));
            }
            None => {
                let code = self.code(node, picks);
                self.joints.insert((node, code), child);
            }
        }
    }

    /// What is proved of a child for a role.
    fn bound_of(&self, child: NodeId, role: usize) -> Bound {
        if child >= PENDING { Bound::OPEN } else { self.stats(child, role).bound }
    }

    /// Updates the bounds of a node from those of its children; says whether anything is new.
    pub(super) fn update_bounds(&mut self, node: NodeId) -> bool {
        if self.nodes[node as usize].is_end {
            return false;
        }
        let mut changed = false;
        for role in 0..self.roles {
            changed |= match self.nodes[node as usize].key {
                Some(key) if !self.nature[usize::from(key)] => self.update_in_turn(node, role, key.into()),
                _ => self.update_matrix(node, role),
            };
        }
        changed
    }

    /// The same for one role where only `key` has a choice.
    fn update_in_turn(&mut self, node: NodeId, role: usize, key: usize) -> bool {
        let Stats { first, count, .. } = *self.stats(node, key);
        let own = role == key;
        let mut bound = Bound {
            lower: if own { 0 } else { u16::MAX },
            upper: if own { 0 } else { FULL },
            plies: if own { u16::MAX } else { 0 },
        };
        for place in first as usize..(first + count) as usize {
            let arm = self.arms[place];
            let child = if own && arm.child == NONE {
                // A child that was proved and forgotten: what the move leads to is still known.
                Bound { lower: arm.lower, upper: arm.upper, plies: u16::MAX }
            } else {
                self.bound_of(arm.child, role)
            };
            if own {
                (self.arms[place].lower, self.arms[place].upper) = (child.lower, child.upper);
                if child.lower > bound.lower || child.lower == bound.lower && child.plies < bound.plies {
                    (bound.lower, bound.plies) = (child.lower, child.plies);
                }
                bound.upper = bound.upper.max(child.upper);
            } else {
                bound.lower = bound.lower.min(child.lower);
                bound.plies = bound.plies.max(child.plies);
                bound.upper = bound.upper.min(child.upper);
            }
        }
        bound.plies = bound.plies.saturating_add(1);
        self.stats_mut(node, role).bound.tighten(bound)
    }

    /// The same where several have a choice, or nature has.
    fn update_matrix(&mut self, node: NodeId, role: usize) -> bool {
        let counts: Vec<u64> = (0..self.roles).map(|other| self.stats(node, other).count.into()).collect();
        let joints = counts.iter().fold(1_u64, |all, &count| all.saturating_mul(count));
        if joints > MOST_JOINTS || self.nature[role] {
            return false;
        }
        let mut matrix = std::mem::take(&mut self.matrix);
        let is_other = |other: usize| other != role && !self.nature[other];
        let product = |wanted: &dyn Fn(usize) -> bool| {
            (0..self.roles).filter(|&other| wanted(other)).map(|other| counts[other]).product::<u64>()
                as usize
        };
        let (own, others) = (counts[role] as usize, product(&is_other));
        matrix.reset(own, others, product(&|other| self.nature[other]));
        let mut picks = vec![0_u32; self.roles];
        for joint in 0..joints {
            let (mut rest, mut column) = (joint, 0);
            for (other, pick) in picks.iter_mut().enumerate().rev() {
                *pick = number((rest % counts[other]) as usize);
                rest /= counts[other];
            }
            for other in (0..self.roles).filter(|&other| is_other(other)) {
                column = column * counts[other] as usize + picks[other] as usize;
            }
            let bound = self.bound_of(self.child(node, &picks), role);
            matrix.add(picks[role] as usize, column, bound);
        }
        let first = self.stats(node, role).first as usize;
        for (pick, arm) in self.arms[first..first + own].iter_mut().enumerate() {
            (arm.lower, arm.upper) = matrix.of_move(pick);
        }
        let bound = matrix.bound();
        self.matrix = matrix;
        self.stats_mut(node, role).bound.tighten(bound)
    }
}

/// The small number that stands for a place in an array.
pub(super) fn number(place: usize) -> u32 {
    u32::try_from(place).expect("limits of memory keep arrays below 2^32 places")
}

mod shrink;
