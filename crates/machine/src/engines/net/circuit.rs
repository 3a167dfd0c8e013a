//! The values of a network in the current state. Flipping a fluent marks the gates whose counters cross zero. One sweep
//! in topological order then flips the marked gates and propagates the change. Each gate flips at most once per sweep,
//! however often its operands changed.

use super::wiring::Wiring;

/// The values.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    /// For each node, one if it holds. After the nodes of the wiring come those that programs compute.
    pub(super) values: Vec<u8>,
    counts: Vec<u32>,
    /// Output bits.
    pub(super) outputs: Vec<u64>,
    /// Gates to be flipped.
    marked: Vec<u64>,
    /// For cycles: the values before, and the gates to be looked at again. Empty in between.
    before: Vec<u8>,
    pending: Vec<u32>,
}

impl Circuit {
    /// The values where no fluent holds, with room for nodes that programs compute.
    pub(super) fn new(wiring: &Wiring, nodes: usize, outputs: Vec<u64>) -> Self {
        let mut values = wiring.first_values.clone();
        values.resize(nodes, 0);
        let marked = vec![0; wiring.gates.div_ceil(64)];
        let counts = wiring.first_counts.clone();
        Circuit { values, counts, outputs, marked, before: Vec::new(), pending: Vec::new() }
    }

    /// Flips a fluent, or another leaf. Gates are not up to date until the next [`settle`](Self::settle).
    #[inline]
    pub(super) fn flip(&mut self, wiring: &Wiring, node: usize) {
        let value = self.values[node] ^ 1;
        self.values[node] = value;
        let (edges, outputs) = wiring.followers(node);
        for &target in edges {
            let gate = (target >> 1) as usize;
            let holds = u32::from(value) ^ (target & 1);
            let count = &mut self.counts[gate];
            // One more operand that holds is one less in the counter.
            let old = *count;
            *count = old.wrapping_add(1).wrapping_sub(holds << 1);
            let passes_zero = u64::from(old == 0) | u64::from(*count == 0);
            self.marked[gate >> 6] ^= passes_zero << (gate & 63);
        }
        for &bit in outputs {
            self.outputs[(bit >> 6) as usize] ^= 1 << (bit & 63);
        }
    }

    /// Brings all gates up to date.
    pub(super) fn settle(&mut self, wiring: &Wiring) {
        if wiring.cycles.is_empty() {
            for word in 0..self.marked.len() {
                while self.marked[word] != 0 {
                    let gate = word << 6 | self.marked[word].trailing_zeros() as usize;
                    self.marked[word] &= self.marked[word] - 1;
                    self.flip(wiring, wiring.first + gate);
                }
            }
        } else {
            self.settle_cycles(wiring);
        }
    }

    fn settle_cycles(&mut self, wiring: &Wiring) {
        let mut cycles = wiring.cycles.iter().peekable();
        for word in 0..self.marked.len() {
            while self.marked[word] != 0 {
                let gate = word << 6 | self.marked[word].trailing_zeros() as usize;
                while cycles.next_if(|cycle| cycle.gates.end as usize <= gate).is_some() {}
                match cycles.peek() {
                    Some(cycle) if cycle.gates.start as usize <= gate => {
                        let cycle = *cycle;
                        self.settle_cycle(wiring, cycle);
                    }
                    _ => {
                        self.marked[word] &= self.marked[word] - 1;
                        self.flip(wiring, wiring.first + gate);
                    }
                }
            }
        }
    }

    /// Re-evaluates a cycle and propagates what changed.
    fn settle_cycle(&mut self, wiring: &Wiring, cycle: &super::wiring::Cycle) {
        let (start, end) = (cycle.gates.start as usize, cycle.gates.end as usize);
        let nodes = wiring.first + start..wiring.first + end;
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.extend_from_slice(&self.values[nodes.clone()]);
        cycle.settle(wiring.first, &self.counts, &mut self.values, &mut self.pending);
        for gate in start..end {
            self.marked[gate >> 6] &= !(1 << (gate & 63));
        }
        for (node, &old) in nodes.zip(&before) {
            if self.values[node] != old {
                self.values[node] = old;
                self.flip(wiring, node);
            }
        }
        self.before = before;
    }
}
