//! Operands that several gates share: a pair of operands that occurs in several gates becomes a gate of its own. Repeated,
//! this finds larger shared sets too. Gates are seen as conjunctions (an Or is the complement of one), so what an And
//! and an Or have in common is found as well.

use rustc_hash::FxHashMap;

use crate::gates::{Gates, Kind};
use crate::literal::Literal;
use crate::simplify::collapse;
use crate::simplify::rebuild::{Pass, Rebuilt, mapped, needed, rebuild};

/// Of longer gates only neighbours at this distance are paired: the work must stay near-linear.
const REACH: usize = 12;

/// One round of sharing.
pub(crate) fn run(gates: &Gates, roots: &[Literal]) -> Rebuilt {
    let mut count: FxHashMap<(Literal, Literal), u32> = FxHashMap::default();
    let needed = needed(gates, roots);
    for gate in (0..gates.len()).filter(|&gate| needed[gate]) {
        if gates.operands(gate).len() > 2 && !gates.is_in_component(gate) {
            pairs(gates, gate).for_each(|(_, _, pair)| *count.entry(pair).or_default() += 1);
        }
    }
    count.retain(|_, count| *count >= 2);
    let shared = rebuild(gates, roots, &mut Share { old: gates, count });
    // A pair that was chosen once only goes back to where it came from.
    shared.then(roots, collapse::run)
}

/// The pairs of a gate's operands that are looked at: their places, and the pair as part of a conjunction.
fn pairs(gates: &Gates, gate: usize) -> impl Iterator<Item = (usize, usize, (Literal, Literal))> {
    let operands = gates.operands(gate);
    let complement = gates.kind(gate) == Kind::Or;
    (0..operands.len()).flat_map(move |left| {
        (left + 1..operands.len().min(left + 1 + REACH)).map(move |right| {
            let seen = |place: usize| operands[place].complemented_if(complement);
            (left, right, (seen(left), seen(right)))
        })
    })
}

struct Share<'o> {
    old: &'o Gates,
    /// In how many gates each pair occurs; two at least.
    count: FxHashMap<(Literal, Literal), u32>,
}

impl Pass for Share<'_> {
    fn gate(
        &mut self,
        old: usize,
        kind: Kind,
        operands: &mut Vec<Literal>,
        gates: &mut Gates,
        map: &[Literal],
    ) -> Literal {
        if operands.len() <= 2 {
            return gates.make(kind, operands);
        }
        let mut found: Vec<(u32, usize, usize)> = pairs(self.old, old)
            .filter_map(|(left, right, pair)| Some((*self.count.get(&pair)?, left, right)))
            .collect();
        found.sort_unstable_by_key(|&(count, left, right)| (std::cmp::Reverse(count), left, right));
        let old = self.old.operands(old);
        let mut taken = vec![false; old.len()];
        let mut left_over = operands.len();
        for (_, left, right) in found {
            if left_over > 2 && !taken[left] && !taken[right] {
                (taken[left], taken[right]) = (true, true);
                left_over -= 1;
                let mut pair = vec![mapped(old[left], map), mapped(old[right], map)];
                operands.push(gates.make(kind, &mut pair));
            }
        }
        let mut places = taken.iter();
        operands.retain(|_| !places.next().copied().unwrap_or(false));
        gates.make(kind, operands)
    }
}
