//! Makes a network anew, gate by gate in topological order, leaving out what no output needs. Every simplification is
//! such a pass and says only how one gate is to be made of its new operands.

use crate::cycles::{Operand, System};
use crate::gates::{Gates, Kind};
use crate::literal::{Literal, NodeId};
use crate::network::Network;

/// How a pass makes gates.
pub(crate) trait Pass {
    /// What stands for a fluent or a move; itself unless the pass knows better.
    fn leaf(&mut self, leaf: NodeId) -> Literal {
        leaf.literal()
    }

    /// Makes a gate. `old` is its number in the old network, `operands` are the new ones; `map` gives for each old
    /// node the new literal.
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        map: &[Literal],
    ) -> Literal;
}

/// Makes a network anew with a pass.
pub(crate) fn rebuild(old: &Network, pass: &mut impl Pass) -> Network {
    let needed = needed(old);
    let mut gates = Gates::new(old.fluents() + old.moves());
    let mut map = vec![Literal::FALSE; old.node_count()];
    for (leaf, new) in map.iter_mut().enumerate().take(old.gates.first()).skip(1) {
        *new = pass.leaf(NodeId::new(leaf));
    }
    let mut components = old.components().iter().peekable();
    let (mut gate, mut operands) = (0, Vec::new());
    while gate < old.gate_count() {
        if let Some(range) = components.next_if(|range| range.start as usize == gate) {
            if needed[gate] {
                remake(old, range.start as usize..range.end as usize, &mut gates, &mut map);
            }
            gate = range.end as usize;
            continue;
        }
        if needed[gate] {
            operands.clear();
            operands.extend(old.operands(gate).iter().map(|&operand| mapped(operand, &map)));
            let kind = old.gate_kind(gate);
            map[old.gates.first() + gate] = pass.gate(gate, kind, &mut operands, &mut gates, &map);
        }
        gate += 1;
    }
    gates.forget_hashes();
    let is_known = |literal: Literal| old.gates.gate_of(literal.node()).is_none_or(|gate| needed[gate]);
    let labels = old.labels.iter().filter(|&&(_, literal)| is_known(literal));
    Network {
        roles: old.roles,
        movers: old.movers.clone(),
        init: old.init.clone(),
        outputs: old.outputs.map(|literal| mapped(literal, &map)),
        labels: labels.map(|&(atom, literal)| (atom, mapped(literal, &map))).collect(),
        gates,
    }
}

/// The new literal for an old one.
pub(crate) fn mapped(old: Literal, map: &[Literal]) -> Literal {
    map[old.node().index()].complemented_if(old.is_complemented())
}

/// Which gates some output needs; a component is needed as a whole.
pub(crate) fn needed(network: &Network) -> Vec<bool> {
    let mut needed = vec![false; network.gate_count()];
    let mark = |literal: Literal, needed: &mut [bool]| {
        if let Some(gate) = network.gates.gate_of(literal.node()) {
            needed[gate] = true;
        }
    };
    network.outputs.literals().for_each(|literal| mark(literal, &mut needed));
    let mut components = network.components().iter().rev().peekable();
    let mut end = network.gate_count();
    while end > 0 {
        let own = components.next_if(|range| range.end as usize == end);
        let range = own.map_or(end - 1..end, |range| range.start as usize..range.end as usize);
        end = range.start;
        if needed[range.clone()].contains(&true) {
            for gate in range {
                needed[gate] = true;
                network.operands(gate).iter().for_each(|&operand| mark(operand, &mut needed));
            }
        }
    }
    needed
}

/// How often each gate is used, by gates and outputs.
pub(crate) fn uses(network: &Network) -> Vec<u32> {
    let mut uses = vec![0u32; network.gate_count()];
    let mut count = |literal: Literal| {
        if let Some(gate) = network.gates.gate_of(literal.node()) {
            uses[gate] = uses[gate].saturating_add(1);
        }
    };
    network.outputs.literals().for_each(&mut count);
    for gate in 0..network.gate_count() {
        network.operands(gate).iter().for_each(|&operand| count(operand));
    }
    uses
}

/// Makes a component anew; with what is known by now it may fall apart.
fn remake(old: &Network, range: std::ops::Range<usize>, gates: &mut Gates, map: &mut [Literal]) {
    let mut system = System::default();
    for gate in range.clone() {
        let operand = |&operand: &Literal| match old.gates.gate_of(operand.node()) {
            Some(other) if range.contains(&other) => {
                Operand::Member(u32::try_from(other - range.start).unwrap_or(u32::MAX))
            }
            _ => Operand::Outside(mapped(operand, map)),
        };
        system.push(old.gate_kind(gate), old.operands(gate).iter().map(operand));
    }
    let values = system.solve(gates);
    for (gate, value) in range.zip(values) {
        map[old.gates.first() + gate] = value;
    }
}
