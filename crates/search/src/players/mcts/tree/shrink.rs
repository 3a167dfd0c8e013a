//! Cutting a tree back: the nodes below the root that were visited often are copied, all others dropped.

use super::{Arm, NONE, Node, NodeId, PENDING, Stats, Tree, number};

impl Tree {
    /// Forgets everything.
    pub(in super::super) fn clear(&mut self) {
        self.nodes.clear();
        self.stats.clear();
        self.arms.clear();
        self.words.clear();
        self.joints.clear();
        self.index.clear();
    }

    /// Keeps the nodes below a root; if they take more than half of what is allowed, only those visited most. Returns the root's
    /// new number.
    pub(in super::super) fn shrink(&mut self, root: NodeId) -> NodeId {
        let mut least = 0;
        loop {
            let kept = self.reachable(root, least);
            let bytes = self.bytes() / self.nodes.len().max(1) * kept.len();
            if bytes <= self.limit / 4 || kept.len() <= 1 {
                self.keep(&kept);
                return 0;
            }
            least = least * 2 + 1;
        }
    }

    /// The nodes below a root with more visits than `least`, the root first.
    fn reachable(&self, root: NodeId, least: u32) -> Vec<NodeId> {
        let mut beyond: Vec<Vec<NodeId>> = Vec::new();
        if !self.joints.is_empty() {
            beyond.resize(self.nodes.len(), Vec::new());
            for (&(node, _), &child) in self.joints.iter().filter(|(_, child)| **child < PENDING) {
                beyond[node as usize].push(child);
            }
            // The order of a hash map must not decide anything.
            beyond.iter_mut().for_each(|children| children.sort_unstable());
        }
        let mut is_seen = vec![false; self.nodes.len()];
        is_seen[root as usize] = true;
        let (mut kept, mut next) = (vec![root], 0);
        while let Some(&node) = kept.get(next) {
            next += 1;
            let stats = (0..self.roles).flat_map(|role| self.arms(node, role));
            let own = stats.map(|arm| arm.child).filter(|&child| child < PENDING);
            let others = beyond.get(node as usize).into_iter().flatten().copied();
            for child in own.chain(others) {
                let is_wanted = self.nodes[child as usize].visits > least;
                if is_wanted && !std::mem::replace(&mut is_seen[child as usize], true) {
                    kept.push(child);
                }
            }
        }
        kept
    }

    fn keep(&mut self, kept: &[NodeId]) {
        let mut renamed = vec![NONE; self.nodes.len()];
        kept.iter().enumerate().for_each(|(new, &old)| renamed[old as usize] = number(new));
        let rename = |child: NodeId| renamed.get(child as usize).copied().unwrap_or(NONE);
        let (mut nodes, mut stats) = (Vec::new(), Vec::new());
        let (mut arms, mut words) = (Vec::new(), Vec::new());
        for &old in kept {
            let first_word = number(words.len());
            words.extend_from_slice(self.row(old));
            nodes.push(Node { first_word, ..self.nodes[old as usize] });
            for role in 0..self.roles {
                stats.push(Stats { first: number(arms.len()), ..*self.stats(old, role) });
                let renamed = self.arms(old, role).iter().map(|arm| Arm { child: rename(arm.child), ..*arm });
                arms.extend(renamed);
            }
        }
        let joints = std::mem::take(&mut self.joints).into_iter();
        let joints = joints.map(|((node, code), child)| ((rename(node), code), rename(child)));
        self.joints = joints.filter(|&((node, _), child)| node != NONE && child != NONE).collect();
        (self.nodes, self.stats, self.arms, self.words) = (nodes, stats, arms, words);
        self.index.clear();
        (0..number(self.nodes.len())).for_each(|node| self.enter_into_index(node));
    }
}
