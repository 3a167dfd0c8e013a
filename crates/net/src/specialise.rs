//! Specialises a network to an assumption, such as whose turn it is.

use crate::literal::{Literal, NodeId};
use crate::network::Network;
use crate::simplify::rebuild::{Pass, rebuild};
use crate::simplify::{Options, simplify};

/// Simplifies a network under assumed values of fluents. The result is valid in states that satisfy the assumption. `next` is
/// also evaluated there, so `reachable_states` is not used again.
#[must_use]
pub fn specialise(network: &Network, assumed: &[(usize, bool)], options: &Options) -> Network {
    let mut leaves: Vec<Literal> =
        (0..network.gates.first()).map(|leaf| NodeId::new(leaf).literal()).collect();
    for &(fluent, value) in assumed {
        leaves[network.fluent(fluent).index()] = Literal::from(value);
    }
    let mut special = rebuild(&network.gates, &network.roots(), &mut Assume { leaves }).network(network);
    special.fixed.extend_from_slice(assumed);
    simplify(&special, &Options { reachable_states: false, ..*options }).0
}

/// The network with assumed values of fluents and moves in the place of them, and nothing else done.
#[must_use]
pub fn assume(network: &Network, fluents: &[(usize, bool)], moves: &[(usize, bool)]) -> Network {
    let mut leaves: Vec<Literal> =
        (0..network.gates.first()).map(|leaf| NodeId::new(leaf).literal()).collect();
    let fluents = fluents.iter().map(|&(fluent, value)| (network.fluent(fluent), value));
    let moves = moves.iter().map(|&(number, value)| (network.does(number), value));
    fluents.chain(moves).for_each(|(node, value)| leaves[node.index()] = Literal::from(value));
    rebuild(&network.gates, &network.roots(), &mut Assume { leaves }).network(network)
}

/// Puts literals for leaves.
pub(crate) struct Assume {
    /// For each leaf what stands for it.
    pub(crate) leaves: Vec<Literal>,
}

impl Pass for Assume {
    fn leaf(&mut self, leaf: NodeId) -> Literal {
        self.leaves[leaf.index()]
    }
}
