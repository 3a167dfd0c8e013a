//! Technology mapping: covers a graph with functions of up to three inputs, which AVX-512 computes in one instruction.
//! The cuts of every node are enumerated from those of its operands, and the cheapest by area flow is chosen. Exact
//! area then improves the choice.

use crate::index::index32;

use super::graph::{Graph, Literal, Node};

/// The most cuts that are remembered for a node.
const MOST_CUTS: usize = 5;

/// A way to compute a node: up to three nodes, ascending, and the table of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    leaves: [u32; 3],
    len: u8,
    /// Bit `4a + 2b + c` is the value where the leaves are `a`, `b` and `c`; leaves that are not there do not matter.
    pub(super) table: u8,
}

/// The tables of the first, second and third leaf.
const LEAVES: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Cut {
    fn of_leaf(node: usize) -> Cut {
        Cut { leaves: [index32(node), 0, 0], len: 1, table: LEAVES[0] }
    }

    /// The nodes it computes from.
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    /// The table over other leaves, which include its own.
    fn table_over(&self, leaves: &[u32]) -> u8 {
        let places = self
            .leaves()
            .iter()
            .map(|leaf| leaves.iter().position(|other| other == leaf).expect("its leaves are among them"));
        let mut rows = [0_u8; 8];
        for (own, place) in places.enumerate() {
            for (row, bits) in rows.iter_mut().enumerate() {
                *bits |= ((row >> (2 - place) & 1) as u8) << (2 - own);
            }
        }
        rows.iter().enumerate().fold(0, |table, (row, &own)| table | (self.table >> own & 1) << row)
    }

    /// The cut of a gate over two cuts, if it has no more than three leaves.
    fn join(node: Node, a: &Cut, b: &Cut) -> Option<Cut> {
        let mut leaves = [0; 3];
        let mut len = 0;
        let (mut left, mut right) = (a.leaves().iter().peekable(), b.leaves().iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(&&l), Some(&&r)) => l.min(r),
                (Some(&&one), None) | (None, Some(&&one)) => one,
                (None, None) => break,
            };
            left.next_if(|&&leaf| leaf == next);
            right.next_if(|&&leaf| leaf == next);
            *leaves.get_mut(len)? = next;
            len += 1;
        }
        let turned = |cut: &Cut, literal: Literal| {
            let table = cut.table_over(&leaves[..len]);
            if literal.is_complemented() { !table } else { table }
        };
        let table = match node {
            Node::And(x, y) => turned(a, x) & turned(b, y),
            Node::Xor(x, y) => turned(a, x) ^ turned(b, y),
            _ => return None,
        };
        Some(Cut { leaves, len: u8::try_from(len).expect("at most three leaves"), table })
    }
}

/// The chosen cut of every node.
pub(super) struct Cover {
    cuts: Vec<Option<Cut>>,
}

impl Cover {
    /// The cut by which a gate is computed.
    pub(super) fn cut(&self, node: usize) -> Option<&Cut> {
        self.cuts[node].as_ref()
    }

    /// Covers a graph of which some literals are wanted.
    pub(super) fn of(graph: &Graph, wanted: impl Iterator<Item = Literal> + Clone) -> Cover {
        let all = all_cuts(graph);
        let first = all
            .iter()
            .enumerate()
            .map(|(node, cuts)| if is_gate(graph, node) { cuts.first().copied() } else { None });
        let mut search = Search { cuts: first.collect(), references: vec![0; graph.len()] };
        wanted.for_each(|literal| {
            search.reference(literal.node());
        });
        for _ in 0..2 {
            for (node, cuts) in all.iter().enumerate() {
                if search.references[node] > 0 && search.cuts[node].is_some() {
                    search.improve(node, cuts);
                }
            }
        }
        Cover { cuts: search.cuts }
    }
}

fn is_gate(graph: &Graph, node: usize) -> bool {
    matches!(graph.nodes()[node], Node::And(..) | Node::Xor(..))
}

/// The cuts of every node, the cheapest by area flow first; the last one of a gate is the node itself.
fn all_cuts(graph: &Graph) -> Vec<Vec<Cut>> {
    let mut fanout = vec![0_u32; graph.len()];
    for node in graph.nodes() {
        if let Node::And(a, b) | Node::Xor(a, b) = node {
            fanout[a.node()] += 1;
            fanout[b.node()] += 1;
        }
    }
    let mut flow = vec![0.0_f32; graph.len()];
    let mut all: Vec<Vec<Cut>> = Vec::with_capacity(graph.len());
    for (index, &node) in graph.nodes().iter().enumerate() {
        let itself = Cut::of_leaf(index);
        let (Node::And(a, b) | Node::Xor(a, b)) = node else {
            all.push(vec![itself]);
            continue;
        };
        let mut cuts: Vec<(f32, Cut)> = Vec::new();
        for left in &all[a.node()] {
            for right in &all[b.node()] {
                let Some(cut) = Cut::join(node, left, right) else { continue };
                if cuts.iter().all(|(_, known)| known.leaves() != cut.leaves()) {
                    let cost = 1.0 + cut.leaves().iter().map(|&leaf| flow[leaf as usize]).sum::<f32>();
                    cuts.push((cost, cut));
                }
            }
        }
        cuts.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        cuts.truncate(MOST_CUTS);
        flow[index] = cuts.first().map_or(1.0, |(cost, _)| *cost) / fanout[index].max(1) as f32;
        all.push(cuts.into_iter().map(|(_, cut)| cut).chain([itself]).collect());
    }
    all
}

struct Search {
    cuts: Vec<Option<Cut>>,
    /// By how many chosen cuts and outputs each node is used.
    references: Vec<u32>,
}

impl Search {
    /// Uses a node once more; gives how many gates more that takes.
    fn reference(&mut self, node: usize) -> usize {
        let mut gates = 0;
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            self.references[node] += 1;
            if let (1, Some(cut)) = (self.references[node], &self.cuts[node]) {
                gates += 1;
                pending.extend(cut.leaves().iter().map(|&leaf| leaf as usize));
            }
        }
        gates
    }

    /// Uses a node once less.
    fn release(&mut self, node: usize) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            self.references[node] -= 1;
            if let (0, Some(cut)) = (self.references[node], &self.cuts[node]) {
                pending.extend(cut.leaves().iter().map(|&leaf| leaf as usize));
            }
        }
    }

    /// Chooses the cut of a used node that takes the fewest gates.
    fn improve(&mut self, node: usize, cuts: &[Cut]) {
        let release = |search: &mut Self, cut: &Cut| {
            cut.leaves().iter().for_each(|&leaf| search.release(leaf as usize));
        };
        let reference = |search: &mut Self, cut: &Cut| -> usize {
            cut.leaves().iter().map(|&leaf| search.reference(leaf as usize)).sum()
        };
        let Some(chosen) = self.cuts[node] else { return };
        release(self, &chosen);
        let mut best = (usize::MAX, chosen);
        // The last one is the node itself.
        for cut in &cuts[..cuts.len() - 1] {
            let gates = reference(self, cut);
            release(self, cut);
            if gates < best.0 {
                best = (gates, *cut);
            }
        }
        self.cuts[node] = Some(best.1);
        reference(self, &best.1);
    }
}
