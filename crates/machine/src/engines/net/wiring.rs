//! The network laid out for propagation. Every gate is a conjunction with a counter of its false operands, so a counter
//! of zero means true; a disjunction is stored as its complement. A node lists the gates that read it and the output
//! bits that flip with it. Gates are in topological order.

use std::ops::Range;

use groundrules_net::{Gates, Kind, Literal};

use crate::index::index32;

/// A node or its complement in the order of the wiring: twice the node's number, plus one for the complement.
pub(super) type Lit = u32;

/// Where a node's edges and outputs are.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    edges: u32,
    outputs: u32,
    end: u32,
}

/// Gates in a cycle, which are evaluated together.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub(super) gates: Range<u32>,
    /// For each gate the operands inside the cycle, and where each list ends.
    pub(super) inside: Vec<Lit>,
    pub(super) ends: Vec<u32>,
    /// For each gate whether it is stored as its complement, so that false is true.
    pub(super) is_or: Vec<bool>,
    /// For each gate, by its place in the cycle, the places of those that use it, and where each list ends.
    users: Vec<u32>,
    user_ends: Vec<u32>,
}

/// The layout.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    /// The number of the first gate's node: before it are the constant, the fluents and the moves.
    pub(super) first: usize,
    /// How many gates are kept up to date.
    pub(super) gates: usize,
    spans: Vec<Span>,
    /// For each node: gates (twice the number, plus one for the complement), then output bits.
    targets: Vec<u32>,
    /// For each gate how many operands do not hold when no fluent does, and whether it holds itself.
    pub(super) first_counts: Vec<u32>,
    pub(super) first_values: Vec<u8>,
    pub(super) cycles: Vec<Cycle>,
}

/// Where the nodes of a store of gates are in the wiring.
pub(super) struct Places {
    first: usize,
    /// For each gate its node and whether that is its complement; nothing for gates not placed.
    nodes: Vec<u32>,
    is_or: Vec<bool>,
}

pub(super) const NOT_PLACED: u32 = u32::MAX;

impl Places {
    pub(super) fn new(gates: &Gates) -> Self {
        let is_or = (0..gates.len()).map(|gate| gates.kind(gate) == Kind::Or).collect();
        Places { first: gates.first(), nodes: vec![NOT_PLACED; gates.len()], is_or }
    }

    /// Places a gate.
    pub(super) fn place(&mut self, gate: usize, node: usize) {
        self.nodes[gate] = index32(node);
    }

    /// Whether a gate has a place.
    pub(super) fn has(&self, gate: usize) -> bool {
        self.nodes[gate] != NOT_PLACED
    }

    /// A literal in the order of the wiring.
    pub(super) fn lit(&self, literal: Literal) -> Lit {
        let node = literal.node().index();
        match node.checked_sub(self.first) {
            None => literal.0,
            Some(gate) => self.nodes[gate] << 1 | u32::from(literal.is_complemented() != self.is_or[gate]),
        }
    }

    /// A gate's operands as those of a conjunction.
    pub(super) fn operands<'p>(&'p self, gates: &'p Gates, gate: usize) -> impl Iterator<Item = Lit> + 'p {
        let flip = self.is_or[gate];
        gates.operands(gate).iter().map(move |&operand| self.lit(operand.complemented_if(flip)))
    }

    pub(super) fn is_or(&self, gate: usize) -> bool {
        self.is_or[gate]
    }
}

impl Wiring {
    /// Lays out some gates, which get places in their order. Output bits flip with literals.
    pub(super) fn new(gates: &Gates, kept: &[bool], outputs: &[(Literal, u32)], places: &mut Places) -> Self {
        let chosen: Vec<usize> = (0..gates.len()).filter(|&gate| kept[gate]).collect();
        for (number, &gate) in chosen.iter().enumerate() {
            places.place(gate, gates.first() + number);
        }
        let mut wiring = Wiring {
            first: gates.first(),
            gates: chosen.len(),
            spans: Vec::new(),
            targets: Vec::new(),
            first_counts: vec![0; chosen.len()],
            first_values: vec![0; gates.first() + chosen.len()],
            cycles: cycles(gates, kept, places),
        };
        wiring.connect(gates, &chosen, outputs, places);
        wiring.evaluate(gates, &chosen, places);
        wiring
    }

    /// The gates that use a node, each twice its number plus one if it uses the complement, and the output bits that flip
    /// with the node.
    #[inline]
    pub(super) fn followers(&self, node: usize) -> (&[u32], &[u32]) {
        let span = self.spans[node];
        let all = &self.targets[span.edges as usize..span.end as usize];
        all.split_at((span.outputs - span.edges) as usize)
    }

    /// Whether anything follows a node.
    pub(super) fn is_used(&self, node: usize) -> bool {
        let span = self.spans[node];
        span.edges < span.end
    }

    fn connect(&mut self, gates: &Gates, chosen: &[usize], outputs: &[(Literal, u32)], places: &Places) {
        let nodes = self.first + self.gates;
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(gates.operand_count());
        for (number, &gate) in (0u32..).zip(chosen) {
            let cycle = self.cycle_of(number);
            let operands = places.operands(gates, gate);
            let own = |lit: &Lit| {
                // Inside a cycle nothing is counted: the cycle is evaluated as a whole.
                let gate = (lit >> 1).checked_sub(index32(self.first));
                !gate.is_some_and(|gate| cycle.is_some_and(|cycle| cycle.gates.contains(&gate)))
            };
            edges.extend(operands.filter(own).map(|lit| (lit >> 1, number << 1 | lit & 1)));
        }
        let mut outputs: Vec<(u32, u32)> =
            outputs.iter().map(|&(literal, bit)| (places.lit(literal) >> 1, bit)).collect();
        edges.sort_unstable();
        outputs.sort_unstable();
        let (mut edges, mut outputs) = (edges.into_iter().peekable(), outputs.into_iter().peekable());
        for node in 0..index32(nodes) {
            let start = self.targets.len();
            while let Some((_, target)) = edges.next_if(|&(from, _)| from == node) {
                self.targets.push(target);
            }
            let middle = self.targets.len();
            while let Some((_, bit)) = outputs.next_if(|&(from, _)| from == node) {
                self.targets.push(bit);
            }
            let place = |index: usize| index32(index);
            let (edges, outputs, end) = (place(start), place(middle), place(self.targets.len()));
            self.spans.push(Span { edges, outputs, end });
        }
    }

    fn cycle_of(&self, gate: u32) -> Option<&Cycle> {
        let after = self.cycles.partition_point(|cycle| cycle.gates.start <= gate);
        self.cycles.get(after.checked_sub(1)?).filter(|cycle| cycle.gates.contains(&gate))
    }

    /// Counts and values where no fluent holds.
    fn evaluate(&mut self, gates: &Gates, chosen: &[usize], places: &Places) {
        let mut number = 0;
        while number < chosen.len() {
            let cycle = self.cycle_of(index32(number)).cloned();
            let end = cycle.as_ref().map_or(number + 1, |cycle| cycle.gates.end as usize);
            for (member, &gate) in chosen.iter().enumerate().take(end).skip(number) {
                let inside = |lit: Lit| (lit >> 1) as usize >= self.first + number && cycle.is_some();
                let operands = places.operands(gates, gate).filter(|&lit| !inside(lit));
                let failing = operands.filter(|&lit| self.first_values[lit as usize >> 1] == (lit & 1) as u8);
                self.first_counts[member] = index32(failing.count());
            }
            match cycle {
                Some(cycle) => {
                    let values = &mut self.first_values;
                    cycle.settle(self.first, &self.first_counts, values, &mut Vec::new());
                }
                None => {
                    self.first_values[self.first + number] = u8::from(self.first_counts[number] == 0);
                }
            }
            number = end;
        }
    }
}

fn cycles(gates: &Gates, kept: &[bool], places: &Places) -> Vec<Cycle> {
    let mut cycles = Vec::new();
    for range in gates.components().iter().filter(|range| kept[range.start as usize]) {
        let gate = |gate: u32| places.nodes[gate as usize] - index32(gates.first());
        let own = gate(range.start)..gate(range.end - 1) + 1;
        let (mut inside, mut ends, mut is_or) = (Vec::new(), Vec::new(), Vec::new());
        for member in range.clone() {
            let operands = places.operands(gates, member as usize);
            let number = |lit: Lit| (lit >> 1).checked_sub(index32(gates.first()));
            inside.extend(operands.filter(|&lit| number(lit).is_some_and(|number| own.contains(&number))));
            ends.push(index32(inside.len()));
            is_or.push(places.is_or(member as usize));
        }
        let first = index32(gates.first()) + own.start;
        let (users, user_ends) = users(first, &inside, &ends);
        cycles.push(Cycle { gates: own, inside, ends, is_or, users, user_ends });
    }
    cycles
}

/// Who uses each gate of a cycle, whose first node is given.
fn users(first: u32, inside: &[Lit], ends: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(inside.len());
    let mut begin = 0;
    for (user, &end) in (0..).zip(ends) {
        pairs.extend(inside[begin as usize..end as usize].iter().map(|lit| ((lit >> 1) - first, user)));
        begin = end;
    }
    pairs.sort_unstable();
    let end = |used: u32| pairs.partition_point(|&(other, _)| other <= used);
    let user_ends = (0..).zip(ends).map(|(used, _)| index32(end(used))).collect();
    (pairs.into_iter().map(|(_, user)| user).collect(), user_ends)
}

impl Cycle {
    /// Gives the gates their least values, in view of how many operands from outside do not hold. Nothing holds at
    /// first; a gate that changes makes those that use it be looked at again, and each changes at most once.
    pub(super) fn settle(&self, first: usize, counts: &[u32], values: &mut [u8], pending: &mut Vec<u32>) {
        let start = self.gates.start as usize;
        for (place, &is_or) in self.is_or.iter().enumerate() {
            values[first + start + place] = u8::from(is_or);
        }
        for place in 0..self.ends.len() {
            self.look_at(place, first, counts, values, pending);
        }
        while let Some(place) = pending.pop() {
            self.look_at(place as usize, first, counts, values, pending);
        }
    }

    fn look_at(&self, place: usize, first: usize, counts: &[u32], values: &mut [u8], pending: &mut Vec<u32>) {
        let start = self.gates.start as usize;
        let begin = |ends: &[u32]| if place == 0 { 0 } else { ends[place - 1] as usize };
        let operands = &self.inside[begin(&self.ends)..self.ends[place] as usize];
        let holds = counts[start + place] == 0
            && operands.iter().all(|&lit| values[lit as usize >> 1] != (lit & 1) as u8);
        let value = &mut values[first + start + place];
        if std::mem::replace(value, u8::from(holds)) != u8::from(holds) {
            pending.extend_from_slice(&self.users[begin(&self.user_ends)..self.user_ends[place] as usize]);
        }
    }
}
