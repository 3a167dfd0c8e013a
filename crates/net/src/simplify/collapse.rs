//! Single-use chains: an And that only one And needs is part of it, and likewise Or.

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::network::Network;
use crate::simplify::rebuild::{Pass, rebuild, uses};

/// Only leaves out what is not needed and finds equal gates.
pub(crate) fn tidy(network: &Network) -> Network {
    rebuild(network, &mut Tidy)
}

/// Collapses chains.
pub(crate) fn run(network: &Network) -> Network {
    // The gates that were spliced into others are not needed any more.
    tidy(&rebuild(network, &mut Collapse { network, uses: uses(network) }))
}

pub(crate) struct Tidy;

impl Pass for Tidy {
    fn gate(
        &mut self,
        _old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        _map: &[Literal],
    ) -> Literal {
        gates.make(kind, operands)
    }
}

struct Collapse<'n> {
    network: &'n Network,
    uses: Vec<u32>,
}

impl Pass for Collapse<'_> {
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        _map: &[Literal],
    ) -> Literal {
        for (place, &operand) in self.network.operands(old).iter().enumerate() {
            let single = self.network.gates.gate_of(operand.node()).is_some_and(|gate| self.uses[gate] == 1);
            let new = operands[place];
            if single
                && let Some((seen, gate)) = gates.seen(new)
                && seen == kind
                && !gates.is_in_component(gate)
            {
                let inner = gates.operands(gate).iter();
                operands.extend(inner.map(|&operand| operand.complemented_if(new.is_complemented())));
                // What decides nothing is dropped when the gate is made.
                operands[place] = !kind.deciding();
            }
        }
        gates.make(kind, operands)
    }
}
