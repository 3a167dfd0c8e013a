//! A literal common to several operands is taken out of them: `(a & b) | (a & c)` is `a & (b | c)`, and the same with And
//! and Or exchanged. Only inner gates that nothing else needs are taken apart, so gates never become more.

use rustc_hash::FxHashMap;

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::simplify::rebuild::{Pass, Rebuilt, rebuild, uses};

/// Takes common literals out.
pub(crate) fn run(gates: &Gates, roots: &[Literal]) -> Rebuilt {
    let mut pass = Distribute { old: gates, uses: uses(gates, roots), count: FxHashMap::default() };
    rebuild(gates, roots, &mut pass)
}

struct Distribute<'o> {
    old: &'o Gates,
    uses: Vec<u32>,
    /// In how many inner gates each literal is.
    count: FxHashMap<Literal, u32>,
}

impl Pass for Distribute<'_> {
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        _map: &[Literal],
    ) -> Literal {
        let inner: Vec<usize> = (0..operands.len())
            .filter(|&place| self.is_used_once(old, place))
            .filter(|&place| {
                gates
                    .seen(operands[place])
                    .is_some_and(|(seen, gate)| seen != kind && !gates.is_in_component(gate))
            })
            .collect();
        if inner.len() >= 2 {
            self.take_out(kind, operands, &inner, gates);
        }
        gates.make(kind, operands)
    }
}

impl Distribute<'_> {
    fn is_used_once(&self, old: usize, place: usize) -> bool {
        let operand = self.old.operands(old)[place];
        self.old.gate_of(operand.node()).is_some_and(|gate| self.uses[gate] == 1)
    }

    /// Groups inner gates by the commonest of their literals and takes it out of each group.
    fn take_out(&mut self, kind: Kind, operands: &mut Vec<Literal>, inner: &[usize], gates: &mut Gates) {
        self.count.clear();
        for &place in inner {
            for literal in inside(operands[place], gates) {
                *self.count.entry(literal).or_default() += 1;
            }
        }
        let mut groups: Vec<(Literal, usize)> = Vec::new();
        for &place in inner {
            let literals = inside(operands[place], gates);
            // Of equals the smallest literal, so that the choice does not depend on the order.
            let common = literals.max_by_key(|literal| (self.count[literal], std::cmp::Reverse(*literal)));
            groups.extend(common.filter(|literal| self.count[literal] >= 2).map(|literal| (literal, place)));
        }
        groups.sort_unstable();
        for group in groups.chunk_by(|left, right| left.0 == right.0).filter(|group| group.len() >= 2) {
            let common = group[0].0;
            let mut rests = Vec::with_capacity(group.len());
            for &(_, place) in group {
                let mut rest: Vec<Literal> = inside(operands[place], gates).collect();
                rest.retain(|&literal| literal != common);
                rests.push(gates.make(kind.dual(), &mut rest));
                operands[place] = !kind.deciding();
            }
            let rest = gates.make(kind, &mut rests);
            operands.push(gates.make(kind.dual(), &mut vec![common, rest]));
        }
    }
}

/// The operands of an inner gate, seen through its complement.
fn inside(literal: Literal, gates: &Gates) -> impl Iterator<Item = Literal> {
    let operands = gates.gate_of(literal.node()).map_or(&[][..], |gate| gates.operands(gate));
    operands.iter().map(move |operand| operand.complemented_if(literal.is_complemented()))
}
