//! Gates of a network under construction, with structural hashing: each gate is stored once, whatever the order of its
//! operands, and gates that their operands decide are folded. By De Morgan's laws a conjunction and the disjunction of
//! the complements are the same gate; the form whose smallest operand is not complemented is stored.

use std::ops::Range;

use groundrules_gdl::index::index32;
use hashbrown::HashTable;
use serde::Serialize;

use crate::literal::{Literal, NodeId};

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// All operands hold.
    And,
    /// Some operand holds.
    Or,
}

impl Kind {
    /// The other kind.
    #[must_use]
    pub fn dual(self) -> Kind {
        match self {
            Kind::And => Kind::Or,
            Kind::Or => Kind::And,
        }
    }

    /// The operand value that decides a gate of this kind alone.
    pub fn deciding(self) -> Literal {
        Literal::from(self == Kind::Or)
    }
}

/// Gates in topological order, each once, over fluents and moves. Their nodes are numbered as in a
/// [`Network`](crate::Network).
#[derive(Clone, Debug, Default)]
pub struct Gates {
    /// How many nodes come before the gates.
    first: usize,
    kinds: Vec<Kind>,
    /// Where each gate's operands end.
    ends: Vec<u32>,
    operands: Vec<Literal>,
    /// The gates that may be found again, by kind and operands, each with its hash.
    table: HashTable<(u32, u32)>,
    /// Ranges of gates that depend on each other.
    pub(crate) components: Vec<Range<u32>>,
}

impl Gates {
    /// No gates yet over so many fluents and moves together.
    pub(crate) fn new(leaves: usize) -> Self {
        Gates { first: 1 + leaves, ..Gates::default() }
    }

    /// Gates from their parts, if these keep what everything relies on: operands come before their gates, except for those
    /// that are not complemented inside a component, and components do not overlap.
    pub(crate) fn checked(
        leaves: usize,
        kinds: Vec<Kind>,
        ends: Vec<u32>,
        operands: Vec<Literal>,
        components: Vec<Range<u32>>,
    ) -> Option<Gates> {
        let whole = ends.last().map_or(0, |&end| end as usize) == operands.len();
        if !(whole && ends.is_sorted() && ends.len() == kinds.len()) {
            return None;
        }
        let mut end = 0;
        for range in &components {
            if range.start < end || range.is_empty() || range.end as usize > kinds.len() {
                return None;
            }
            end = range.end;
        }
        let gates = Gates { kinds, ends, operands, components, ..Gates::new(leaves) };
        let in_order = gates.blocks().all(|block| {
            let (start, end) = (gates.first + block.gates.start, gates.first + block.gates.end);
            block.gates.flat_map(|gate| gates.operands(gate)).all(|operand| {
                let node = operand.node().index();
                node < start || block.is_component && node < end && !operand.is_complemented()
            })
        });
        in_order.then_some(gates)
    }

    /// The number of the first gate's node.
    pub fn first(&self) -> usize {
        self.first
    }

    /// How many fluents and moves there are.
    pub(crate) fn leaves(&self) -> usize {
        self.first - 1
    }

    /// The number of gates.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// How many nodes there are: constant, fluents, moves and gates.
    pub fn nodes(&self) -> usize {
        self.first + self.len()
    }

    /// How many operands all gates have.
    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// Whether a gate is a conjunction or a disjunction.
    pub fn kind(&self, gate: usize) -> Kind {
        self.kinds[gate]
    }

    /// A gate's operands.
    pub fn operands(&self, gate: usize) -> &[Literal] {
        let start = if gate == 0 { 0 } else { self.ends[gate - 1] as usize };
        &self.operands[start..self.ends[gate] as usize]
    }

    /// The gate's number if a node is one.
    pub fn gate_of(&self, node: NodeId) -> Option<usize> {
        node.index().checked_sub(self.first)
    }

    /// The kind and number of the gate behind a literal, the kind seen through the complement: `!or(a, b)` is an And
    /// of complements.
    pub(crate) fn seen(&self, literal: Literal) -> Option<(Kind, usize)> {
        let gate = self.gate_of(literal.node())?;
        let kind = self.kinds[gate];
        Some((if literal.is_complemented() { kind.dual() } else { kind }, gate))
    }

    /// The component that a gate is in.
    pub fn component_of(&self, gate: usize) -> Option<Range<usize>> {
        let after = self.components.partition_point(|range| range.start as usize <= gate);
        let range = &self.components[after.checked_sub(1)?];
        (gate < range.end as usize).then_some(range.start as usize..range.end as usize)
    }

    /// Which gates some literals need; a component is needed as a whole.
    pub fn needed(&self, roots: &[Literal]) -> Vec<bool> {
        crate::simplify::rebuild::needed(self, roots)
    }

    /// Groups of gates that depend on each other; see [`Network::components`](crate::Network::components).
    pub fn components(&self) -> &[Range<u32>] {
        &self.components
    }

    /// The gates in topological order, one at a time except that the gates of a component come together. This is the walk
    /// of everything that evaluates or rewrites gates.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks { components: self.components.iter(), gates: 0..self.len() }
    }

    /// Whether a gate depends on itself.
    pub(crate) fn is_in_component(&self, gate: usize) -> bool {
        !self.components.is_empty() && self.component_of(gate).is_some()
    }

    /// The literal that says what a gate of this kind would with these operands. The list is used up as scratch.
    pub(crate) fn make(&mut self, kind: Kind, operands: &mut Vec<Literal>) -> Literal {
        if let Some(decided) = normalise(kind, operands) {
            return decided;
        }
        let flipped = operands[0].is_complemented();
        if flipped {
            operands.iter_mut().for_each(|operand| *operand = !*operand);
        }
        let kind = if flipped { kind.dual() } else { kind };
        self.find_or_add(kind, operands).complemented_if(flipped)
    }

    fn find_or_add(&mut self, kind: Kind, operands: &[Literal]) -> Literal {
        let hash = hash(kind, operands);
        let found = self.table.find(hash, |&(_, gate)| {
            self.kinds[gate as usize] == kind && self.operands(gate as usize) == operands
        });
        if let Some(&(_, gate)) = found {
            return self.literal(gate as usize);
        }
        let gate = self.add(kind, operands);
        let entry = (short(hash), index32(gate, "gates"));
        self.table.insert_unique(hash, entry, |&(short, _)| long(short));
        self.literal(gate)
    }

    /// Makes room for so many gates.
    pub(crate) fn reserve(&mut self, gates: usize, operands: usize) {
        self.kinds.reserve(gates);
        self.ends.reserve(gates);
        self.operands.reserve(operands);
        self.table.reserve(gates, |&(short, _)| long(short));
    }

    /// Adds a gate as it is, which will not be found again.
    pub(crate) fn add(&mut self, kind: Kind, operands: &[Literal]) -> usize {
        self.kinds.push(kind);
        self.operands.extend_from_slice(operands);
        self.ends.push(index32(self.operands.len(), "operands"));
        self.kinds.len() - 1
    }

    /// The literal that holds when a gate does.
    pub fn literal(&self, gate: usize) -> Literal {
        NodeId::new(self.first + gate).literal()
    }

    /// Forgets how to find gates again, which only matters while new ones are made.
    pub(crate) fn forget_hashes(&mut self) {
        self.table = HashTable::new();
        self.operands.shrink_to_fit();
    }

    /// Takes back all gates from a number on; they must not be in a component.
    pub(crate) fn truncate(&mut self, gates: usize) {
        for gate in (gates..self.len()).rev() {
            let hash = hash(self.kinds[gate], self.operands(gate));
            if let Ok(entry) = self.table.find_entry(hash, |&(_, other)| other as usize == gate) {
                entry.remove();
            }
        }
        let operands = if gates == 0 { 0 } else { self.ends[gates - 1] as usize };
        self.kinds.truncate(gates);
        self.ends.truncate(gates);
        self.operands.truncate(operands);
    }
}

/// A gate that does not depend on itself, or all gates of a component; see [`Gates::blocks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The gates.
    pub gates: Range<usize>,
    /// Whether they depend on themselves, so that evaluating them takes an iteration to a fixpoint.
    pub is_component: bool,
}

/// The blocks of some gates in topological order; see [`Gates::blocks`].
#[derive(Clone, Debug)]
pub struct Blocks<'gates> {
    /// The components that were not met yet, from either end.
    components: std::slice::Iter<'gates, Range<u32>>,
    /// The gates that were not.
    gates: Range<usize>,
}

impl Blocks<'_> {
    fn component(range: &Range<u32>) -> Block {
        Block { gates: range.start as usize..range.end as usize, is_component: true }
    }

    fn single(gate: usize) -> Block {
        Block { gates: gate..gate + 1, is_component: false }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    #[inline]
    fn next(&mut self) -> Option<Block> {
        if self.gates.is_empty() {
            return None;
        }
        let gate = self.gates.start;
        let block = match self.components.as_slice().first() {
            Some(range) if range.start as usize == gate => {
                self.components.next();
                Blocks::component(range)
            }
            _ => Blocks::single(gate),
        };
        self.gates.start = block.gates.end;
        Some(block)
    }
}

impl DoubleEndedIterator for Blocks<'_> {
    fn next_back(&mut self) -> Option<Block> {
        if self.gates.is_empty() {
            return None;
        }
        let end = self.gates.end;
        let block = match self.components.as_slice().last() {
            Some(range) if range.end as usize == end => {
                self.components.next_back();
                Blocks::component(range)
            }
            _ => Blocks::single(end - 1),
        };
        self.gates.end = block.gates.start;
        Some(block)
    }
}

/// Sorts the operands and takes out what says nothing; gives the answer if no gate is needed.
fn normalise(kind: Kind, operands: &mut Vec<Literal>) -> Option<Literal> {
    let deciding = kind.deciding();
    operands.sort_unstable();
    operands.dedup();
    // Constants have the smallest numbers.
    let constants = operands.iter().take_while(|operand| operand.constant().is_some()).count();
    if operands[..constants].contains(&deciding)
        || operands.windows(2).any(|pair| pair[0].node() == pair[1].node())
    {
        return Some(deciding);
    }
    if constants > 0 {
        operands.drain(..constants);
    }
    match operands[..] {
        [] => Some(!deciding),
        [only] => Some(only),
        _ => None,
    }
}

fn hash(kind: Kind, operands: &[Literal]) -> u64 {
    let start = if kind == Kind::And { 0x9E37 } else { 0x79B9 };
    let mix = |hash: u32, word: u32| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B1);
    long(operands.iter().fold(start, |hash, operand| mix(hash, operand.0)))
}

/// The part of a hash that is stored.
fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The hash of which a part is stored: the table looks at both ends of it.
fn long(short: u32) -> u64 {
    u64::from(short) << 32 | u64::from(short.wrapping_mul(0x85EB_CA6B))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_same_from_both_ends() {
        let mut gates = Gates::new(2);
        for _ in 0..7 {
            gates.add(Kind::And, &[Literal::FALSE]);
        }
        gates.components = vec![1..3, 3..4, 5..7];
        let forward: Vec<Block> = gates.blocks().collect();
        let mut backward: Vec<Block> = gates.blocks().rev().collect();
        backward.reverse();
        assert_eq!(forward, backward);
        let found: Vec<(Range<usize>, bool)> =
            forward.into_iter().map(|block| (block.gates, block.is_component)).collect();
        assert_eq!(found, [(0..1, false), (1..3, true), (3..4, true), (4..5, false), (5..7, true)]);
    }
}
