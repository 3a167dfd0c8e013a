//! Rebuilds the gates of a network in topological order, without those that no output needs. Every simplification is
//! such a pass and only defines how one gate is made from its new operands. The next pass removes gates that turn out
//! unused.

use std::sync::Arc;

use groundrules_gdl::index::index32;

use crate::cycles::{Operand, System};
use crate::gates::{Block, Gates, Kind};
use crate::literal::{Literal, NodeId};
use crate::network::Network;

/// How a pass makes gates.
pub(crate) trait Pass {
    /// What stands for a fluent or a move; itself unless the pass knows better.
    fn leaf(&mut self, leaf: NodeId) -> Literal {
        leaf.literal()
    }

    /// Makes a gate; the same one unless the pass knows better. `old` is its number in the old network, `operands` are the new ones; `map` gives for each old
    /// node the new literal.
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

/// The rebuilt gates, and the new literals of the old nodes.
pub(crate) struct Rebuilt {
    pub(crate) gates: Gates,
    /// For each old node the new literal; [`GONE`] for gates that nothing needed.
    map: Vec<Literal>,
}

/// What stands for an old gate that nothing needed.
const GONE: Literal = Literal(u32::MAX);

impl Rebuilt {
    /// The new literal for an old one that was needed; false for others.
    pub(crate) fn literal(&self, old: Literal) -> Literal {
        self.kept(old).unwrap_or(Literal::FALSE)
    }

    /// The new literal for an old one, if it was needed.
    pub(crate) fn kept(&self, old: Literal) -> Option<Literal> {
        (self.map[old.node().index()] != GONE).then(|| mapped(old, &self.map))
    }

    /// The network with these gates instead of its own.
    pub(crate) fn network(self, old: &Network) -> Network {
        let label = |&(atom, literal): &(u32, Literal)| Some((atom, self.kept(literal)?));
        Network {
            roles: old.roles,
            movers: old.movers.clone(),
            words: Arc::clone(&old.words),
            init: old.init.clone(),
            fixed: old.fixed.clone(),
            outputs: old.outputs.map(|literal| self.literal(literal)),
            labels: old.labels.iter().filter_map(label).collect(),
            gates: self.gates,
        }
    }

    /// This and then another pass.
    pub(crate) fn then(self, roots: &[Literal], pass: impl Fn(&Gates, &[Literal]) -> Rebuilt) -> Rebuilt {
        let roots: Vec<Literal> = roots.iter().map(|&root| self.literal(root)).collect();
        let again = pass(&self.gates, &roots);
        let twice =
            |&literal: &Literal| if literal == GONE { GONE } else { again.kept(literal).unwrap_or(GONE) };
        Rebuilt { map: self.map.iter().map(twice).collect(), gates: again.gates }
    }
}

/// Makes every gate as it is; only leaves out what is not needed and finds equal gates.
pub(crate) struct Tidy;

impl Pass for Tidy {}

/// Rebuilds what some roots need with a pass.
pub(crate) fn rebuild(old: &Gates, roots: &[Literal], pass: &mut impl Pass) -> Rebuilt {
    let mut gates = Gates::new(old.leaves());
    let map = rebuild_into(&mut gates, old, roots, pass);
    gates.forget_hashes();
    Rebuilt { gates, map }
}

/// Rebuilds what some roots need among other gates over the same leaves; gives the new literal of each old node.
pub(crate) fn rebuild_into(
    gates: &mut Gates,
    old: &Gates,
    roots: &[Literal],
    pass: &mut impl Pass,
) -> Vec<Literal> {
    let needed = needed(old, roots);
    gates.reserve(needed.iter().filter(|&&needed| needed).count(), 0);
    let mut map = vec![GONE; old.nodes()];
    map[0] = Literal::FALSE;
    for (leaf, new) in map.iter_mut().enumerate().take(old.first()).skip(1) {
        *new = pass.leaf(NodeId::new(leaf));
    }
    let mut operands = Vec::new();
    for Block { gates: members, is_component } in old.blocks() {
        let gate = members.start;
        if !needed[gate] {
            continue;
        }
        if is_component {
            remake(old, members, gates, &mut map);
        } else {
            operands.clear();
            operands.extend(old.operands(gate).iter().map(|&operand| mapped(operand, &map)));
            map[old.first() + gate] = pass.gate(gate, old.kind(gate), &mut operands, gates, &map);
        }
    }
    map
}

/// The new literal for an old one.
pub(crate) fn mapped(old: Literal, map: &[Literal]) -> Literal {
    map[old.node().index()].complemented_if(old.is_complemented())
}

/// Which gates some root needs; a component is needed as a whole.
pub(crate) fn needed(gates: &Gates, roots: &[Literal]) -> Vec<bool> {
    let mut needed = vec![false; gates.len()];
    let mark = |literal: Literal, needed: &mut [bool]| {
        if let Some(gate) = gates.gate_of(literal.node()) {
            needed[gate] = true;
        }
    };
    roots.iter().for_each(|&literal| mark(literal, &mut needed));
    for Block { gates: members, .. } in gates.blocks().rev() {
        if needed[members.clone()].contains(&true) {
            for gate in members {
                needed[gate] = true;
                gates.operands(gate).iter().for_each(|&operand| mark(operand, &mut needed));
            }
        }
    }
    needed
}

/// How often each gate is used, by needed gates and by roots.
pub(crate) fn uses(gates: &Gates, roots: &[Literal]) -> Vec<u32> {
    let needed = needed(gates, roots);
    let mut uses = vec![0u32; gates.len()];
    let mut count = |literal: Literal| {
        if let Some(gate) = gates.gate_of(literal.node()) {
            uses[gate] = uses[gate].saturating_add(1);
        }
    };
    roots.iter().for_each(|&literal| count(literal));
    for gate in (0..gates.len()).filter(|&gate| needed[gate]) {
        gates.operands(gate).iter().for_each(|&operand| count(operand));
    }
    uses
}

/// Rebuilds a component; with what is known by now it may be acyclic in part.
fn remake(old: &Gates, range: std::ops::Range<usize>, gates: &mut Gates, map: &mut [Literal]) {
    let mut system = System::default();
    for gate in range.clone() {
        let operand = |&operand: &Literal| match old.gate_of(operand.node()) {
            Some(other) if range.contains(&other) => Operand::Member(index32(other - range.start, "gates")),
            _ => Operand::Outside(mapped(operand, map)),
        };
        system.push(old.kind(gate), old.operands(gate).iter().map(operand));
    }
    // What was too long to write out before is too long now.
    let values = system.solve(gates, false);
    for (gate, value) in range.zip(values) {
        map[old.first() + gate] = value;
    }
}
