//! Gates that depend on each other. Recursive rules mean their least fixpoint: start with everything false and apply
//! the rules until nothing changes. Short iterations are unrolled into ordinary gates, which removes the cycle.
//! Otherwise the gates form a component, which an evaluator iterates.
//!
//! Operands inside a cycle are never complemented: the ground game is stratified, which the caller guarantees.

use groundrules_gdl::components::Graph;
use groundrules_gdl::index::index32;

use crate::gates::{Gates, Kind};
use crate::literal::Literal;

/// An operand of a gate that may be on a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Something known.
    Outside(Literal),
    /// Another gate of the system.
    Member(u32),
}

/// Gates defined by each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    kinds: Vec<Kind>,
    ends: Vec<u32>,
    operands: Vec<Operand>,
}

impl System {
    /// Adds a gate and gives its number.
    pub(crate) fn push(&mut self, kind: Kind, operands: impl IntoIterator<Item = Operand>) -> u32 {
        let number = index32(self.kinds.len(), "gates");
        self.kinds.push(kind);
        self.operands.extend(operands);
        self.ends.push(index32(self.operands.len(), "operands"));
        number
    }

    fn operands(&self, member: u32) -> &[Operand] {
        let start = if member == 0 { 0 } else { self.ends[member as usize - 1] as usize };
        &self.operands[start..self.ends[member as usize] as usize]
    }

    /// Makes the gates; gives for each member what says that it holds. Rounds are written out only if `may_unroll`.
    pub(crate) fn solve(&self, gates: &mut Gates, may_unroll: bool) -> Vec<Literal> {
        let mut graph = Graph::default();
        for member in 0..index32(self.kinds.len(), "gates") {
            graph.push(self.operands(member).iter().filter_map(|operand| match operand {
                Operand::Member(other) => Some(*other),
                Operand::Outside(_) => None,
            }));
        }
        let mut values = vec![Literal::FALSE; self.kinds.len()];
        let components = graph.components();
        for (number, members) in components.iter().enumerate() {
            match members {
                &[single] if !components.is_cyclic(number) => {
                    values[single as usize] = self.evaluate(single, &values, gates);
                }
                _ => self.solve_cycle(members, &mut values, gates, may_unroll),
            }
        }
        values
    }

    /// Makes a gate of what is known of its operands.
    fn evaluate(&self, member: u32, values: &[Literal], gates: &mut Gates) -> Literal {
        let mut operands = self.known(member, values);
        gates.make(self.kinds[member as usize], &mut operands)
    }

    fn known(&self, member: u32, values: &[Literal]) -> Vec<Literal> {
        let value = |operand: &Operand| match *operand {
            Operand::Outside(literal) => literal,
            Operand::Member(other) => values[other as usize],
        };
        self.operands(member).iter().map(value).collect()
    }

    fn solve_cycle(&self, members: &[u32], values: &mut [Literal], gates: &mut Gates, may_unroll: bool) {
        let before = gates.len();
        if !may_unroll || !self.unroll(members, values, gates) {
            gates.truncate(before);
            self.keep(members, values, gates);
        }
    }

    /// Writes out rounds until nothing changes any more; says whether that took few gates.
    fn unroll(&self, members: &[u32], values: &mut [Literal], gates: &mut Gates) -> bool {
        let most = gates.len() + members.len() * 6 + 64;
        // Each round makes at least one more member final.
        for _ in 0..=members.len() {
            let mut changed = false;
            for &member in members {
                let value = self.evaluate(member, values, gates);
                changed |= value != values[member as usize];
                values[member as usize] = value;
            }
            if !changed {
                return true;
            }
            if gates.len() > most {
                return false;
            }
        }
        true
    }

    /// Keeps the gates as a component.
    fn keep(&self, members: &[u32], values: &mut [Literal], gates: &mut Gates) {
        let first = gates.len();
        for (place, &member) in members.iter().enumerate() {
            values[member as usize] = gates.literal(first + place);
        }
        for &member in members {
            let kind = self.kinds[member as usize];
            let mut operands = self.known(member, values);
            operands.retain(|&operand| operand != !kind.deciding());
            operands.sort_unstable();
            operands.dedup();
            gates.add(kind, &operands);
        }
        let number = |gate: usize| index32(gate, "gates");
        gates.components.push(number(first)..number(gates.len()));
    }
}
