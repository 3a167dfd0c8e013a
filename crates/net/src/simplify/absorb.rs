//! Absorption: operands that the other operands imply say nothing.
//!
//! `a & (a | b)` is `a`; `a & (!a | b)` is `a & b`; `a & (a & b)` is the inner gate; `a & (!a & b)` never holds; and the
//! same with And and Or exchanged. An inner gate's operands come before the gate itself, so no two operands can both
//! be dropped on account of each other.

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::simplify::rebuild::{Pass, Rebuilt, rebuild, uses};

/// Looks into inner gates of at most so many operands: long ones are seldom absorbed, and looking must stay cheap.
const LONGEST: usize = 32;

/// Drops operands that others imply.
pub(crate) fn run(gates: &Gates, roots: &[Literal]) -> Rebuilt {
    let mut pass =
        Absorb { old: gates, uses: uses(gates, roots), stamps: Vec::new(), stamp: 0, inner: Vec::new() };
    rebuild(gates, roots, &mut pass)
}

struct Absorb<'o> {
    old: &'o Gates,
    uses: Vec<u32>,
    /// For each new literal the last gate that has it as an operand.
    stamps: Vec<u32>,
    stamp: u32,
    inner: Vec<Literal>,
}

impl Pass for Absorb<'_> {
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        _map: &[Literal],
    ) -> Literal {
        self.stamp += 1;
        self.stamps.resize(2 * gates.nodes(), 0);
        operands.iter().for_each(|operand| self.stamps[operand.0 as usize] = self.stamp);
        for place in 0..operands.len() {
            let Some((seen, gate)) = gates.seen(operands[place]) else { continue };
            if gates.operands(gate).len() > LONGEST || gates.is_in_component(gate) {
                continue;
            }
            self.inner.clear();
            let complemented = operands[place].is_complemented();
            self.inner.extend(gates.operands(gate).iter().map(|inner| inner.complemented_if(complemented)));
            if seen == kind {
                if self.inner.iter().any(|&inner| self.has(!inner)) {
                    return kind.deciding();
                }
                self.drop_implied(kind, operands);
            } else if self.inner.iter().any(|&inner| self.has(inner)) {
                operands[place] = !kind.deciding();
            } else if self.inner.iter().any(|&inner| self.has(!inner)) {
                self.shorten(self.is_used_once(old, place), seen, &mut operands[place], gates);
            }
        }
        gates.make(kind, operands)
    }
}

impl Absorb<'_> {
    fn has(&self, operand: Literal) -> bool {
        self.stamps.get(operand.0 as usize) == Some(&self.stamp)
    }

    fn is_used_once(&self, old: usize, place: usize) -> bool {
        let operand = self.old.operands(old)[place];
        self.old.gate_of(operand.node()).is_some_and(|gate| self.uses[gate] == 1)
    }

    /// Drops the operands that an operand of the same kind repeats.
    fn drop_implied(&mut self, kind: Kind, operands: &mut [Literal]) {
        if self.inner.iter().any(|&inner| self.has(inner)) {
            for operand in operands {
                if self.inner.contains(operand) {
                    *operand = !kind.deciding();
                }
            }
        }
    }

    /// Leaves out of an inner gate what cannot matter there, if that costs no gate.
    fn shorten(&mut self, used_once: bool, seen: Kind, operand: &mut Literal, gates: &mut Gates) {
        let (stamps, stamp) = (&self.stamps, self.stamp);
        self.inner.retain(|&inner| stamps.get((!inner).0 as usize) != Some(&stamp));
        if used_once || self.inner.len() <= 1 {
            *operand = gates.make(seen, &mut self.inner);
        }
    }
}
