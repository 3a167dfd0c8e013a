//! The users of each node: the network in reverse.

use std::ops::Range;

use groundrules_gdl::index::index32;

use crate::gates::Gates;
use crate::literal::NodeId;

/// For each node the gates that use it.
pub(crate) struct Users {
    pub(crate) gates: Vec<u32>,
    /// Whether they use its complement.
    pub(crate) complemented: Vec<bool>,
    /// Where each node's list ends.
    ends: Vec<u32>,
}

impl Users {
    pub(crate) fn of(network: &Gates) -> Self {
        let mut ends = vec![0u32; network.nodes()];
        let all = || {
            let operands = |gate| network.operands(gate).iter().map(move |&operand| (gate, operand));
            (0..network.len()).flat_map(operands)
        };
        all().for_each(|(_, operand)| ends[operand.node().index()] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total - *end;
        }
        let (mut gates, mut complemented) = (vec![0; total as usize], vec![false; total as usize]);
        for (gate, operand) in all() {
            let place = &mut ends[operand.node().index()];
            gates[*place as usize] = index32(gate, "gates");
            complemented[*place as usize] = operand.is_complemented();
            *place += 1;
        }
        Users { gates, complemented, ends }
    }

    /// Where a node's users are in the lists.
    pub(crate) fn range(&self, node: NodeId) -> Range<usize> {
        let start = if node.0 == 0 { 0 } else { self.ends[node.index() - 1] };
        start as usize..self.ends[node.index()] as usize
    }
}
