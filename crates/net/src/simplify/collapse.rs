//! Single-use chains: an And that only one And needs is part of it, and likewise Or.

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::simplify::rebuild::{Pass, Rebuilt, rebuild, uses};

/// Collapses chains.
pub(crate) fn run(gates: &Gates, roots: &[Literal]) -> Rebuilt {
    rebuild(gates, roots, &mut Collapse { old: gates, uses: uses(gates, roots) })
}

struct Collapse<'o> {
    old: &'o Gates,
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
        for (place, &operand) in self.old.operands(old).iter().enumerate() {
            let single = self.old.gate_of(operand.node()).is_some_and(|gate| self.uses[gate] == 1);
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
