//! Latches: fluents that change one way only, and what follows from them: ends and goals that stay once they hold.

use groundrules_net::{Changes, Literal, Network, changes};

/// A fluent that changes one way only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The fluent.
    pub fluent: usize,
    /// Whether it stays once it holds; otherwise it never holds again once it does not.
    pub is_on: bool,
}

/// The latches of a network for legal play.
pub(crate) fn latches(network: &Network) -> Vec<Latch> {
    let changes = changes(network);
    let latch = |fluent: usize| match changes[fluent] {
        Changes::OnlyOn => Some(Latch { fluent, is_on: true }),
        Changes::OnlyOff => Some(Latch { fluent, is_on: false }),
        Changes::Never | Changes::Freely => None,
    };
    (0..network.fluents()).filter_map(latch).collect()
}

/// How nodes change, each as a pair: whether the node stays once it holds, and whether it stays away once it does not.
pub(crate) struct Staying {
    nodes: Vec<(bool, bool)>,
}

impl Staying {
    /// What follows from the latches of a network for legal play. Moves are made anew in every state.
    pub(crate) fn of(network: &Network) -> Staying {
        let mut staying = Staying { nodes: vec![(true, true); network.node_count()] };
        for (fluent, change) in changes(network).into_iter().enumerate() {
            staying.nodes[network.fluent(fluent).index()] = match change {
                Changes::Never => (true, true),
                Changes::OnlyOn => (true, false),
                Changes::OnlyOff => (false, true),
                Changes::Freely => (false, false),
            };
        }
        for number in 0..network.moves() {
            staying.nodes[network.does(number).index()] = (false, false);
        }
        // Both kinds of gates are monotone in their operands, and least fixpoints of them, too: inside of a cycle everything is
        // supposed to stay until an operand from outside does not.
        for block in network.blocks() {
            let mut has_changed = true;
            while std::mem::take(&mut has_changed) {
                for gate in block.gates.clone() {
                    let operands = network.operands(gate).iter().map(|&operand| staying.of_literal(operand));
                    let both = operands.fold((true, true), |all, one| (all.0 && one.0, all.1 && one.1));
                    let place = network.gate(gate).index();
                    has_changed |= block.is_component && staying.nodes[place] != both;
                    staying.nodes[place] = both;
                }
            }
        }
        staying
    }

    fn of_literal(&self, literal: Literal) -> (bool, bool) {
        let (on, off) = self.nodes[literal.node().index()];
        if literal.is_complemented() { (off, on) } else { (on, off) }
    }

    /// Whether a literal stays once it holds.
    pub(crate) fn stays(&self, literal: Literal) -> bool {
        self.of_literal(literal).0
    }
}
