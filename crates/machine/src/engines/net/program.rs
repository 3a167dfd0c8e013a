//! Programs: gates that are evaluated on demand, such as the effects of a move or the goals of a finished match. A
//! program lists its gates in topological order. It reads gates that propagation keeps up to date where they are.

use groundrules_net::{Gates, Literal};

use crate::index::index32;

use super::wiring::{Lit, Places};

/// Code for many programs. An instruction is the node to be computed, the number of operands, and the operands of the
/// conjunction.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    words: Vec<u32>,
}

/// Where a program is in the code.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Program {
    start: u32,
    end: u32,
}

impl Program {
    /// How many words of code it has.
    pub(super) fn length(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// In place of a node: the next word tells how many words of instructions are to be repeated until nothing changes,
/// after the nodes of the cycle got what the words behind that say: how many nodes, and for each its first value.
const CYCLE: u32 = u32::MAX;

/// The value of a literal.
pub(super) fn value(lit: Lit, values: &[u8]) -> u8 {
    values[lit as usize >> 1] ^ (lit & 1) as u8
}

impl Code {
    /// Computes what a program computes.
    pub(super) fn run(&self, program: Program, values: &mut [u8]) {
        let mut code = &self.words[program.start as usize..program.end as usize];
        while let [node, count, rest @ ..] = code {
            code = if *node == CYCLE {
                let (firsts, rest) = rest.split_at(1 + rest[0] as usize);
                let (cycle, rest) = rest.split_at(*count as usize);
                firsts[1..].iter().for_each(|&first| values[first as usize >> 1] = (first & 1) as u8);
                while straight(cycle, values) {}
                rest
            } else if let (2, [left, right, rest @ ..]) = (*count, rest) {
                values[*node as usize] = value(*left, values) & value(*right, values);
                rest
            } else {
                let (operands, rest) = rest.split_at(*count as usize);
                values[*node as usize] = operands.iter().fold(1, |all, &lit| all & value(lit, values));
                rest
            };
        }
    }
}

/// Runs instructions without cycles once; says whether a value changed.
fn straight(mut code: &[u32], values: &mut [u8]) -> bool {
    let mut changed = false;
    while let [node, count, rest @ ..] = code {
        let (operands, rest) = rest.split_at(*count as usize);
        let new = operands.iter().fold(1, |all, &lit| all & value(lit, values));
        changed |= std::mem::replace(&mut values[*node as usize], new) != new;
        code = rest;
    }
    changed
}

/// Writes programs.
pub(super) struct Writer<'g> {
    gates: &'g Gates,
    /// Which gates are kept up to date and so are no part of any program.
    kept: &'g [bool],
    places: &'g mut Places,
    /// How many nodes have a place.
    pub(super) nodes: usize,
    pub(super) code: Code,
    /// For each gate the last program that has it.
    stamps: Vec<u32>,
    stamp: u32,
    found: Vec<usize>,
}

impl<'g> Writer<'g> {
    pub(super) fn new(gates: &'g Gates, kept: &'g [bool], places: &'g mut Places, nodes: usize) -> Self {
        let stamps = vec![0; gates.len()];
        let (code, found) = (Code::default(), Vec::new());
        Writer { gates, kept, places, nodes, code, stamps, stamp: 0, found }
    }

    /// A program after which some literals have their values.
    pub(super) fn program(&mut self, wanted: impl Iterator<Item = Literal>) -> Program {
        self.stamp += 1;
        self.found.clear();
        wanted.for_each(|literal| self.want(literal));
        let mut next = 0;
        while let Some(&gate) = self.found.get(next) {
            let gates = self.gates;
            match gates.component_of(gate) {
                None => gates.operands(gate).iter().for_each(|&operand| self.want(operand)),
                Some(members) => {
                    for member in members {
                        self.want(gates.literal(member));
                        gates.operands(member).iter().for_each(|&operand| self.want(operand));
                    }
                }
            }
            next += 1;
        }
        self.found.sort_unstable();
        for place in 0..self.found.len() {
            let gate = self.found[place];
            if !self.places.has(gate) {
                self.places.place(gate, self.nodes);
                self.nodes += 1;
            }
        }
        let start = self.length();
        self.write();
        Program { start, end: self.length() }
    }

    /// A literal in the order of the wiring; its gate must be kept or wanted by some program.
    pub(super) fn lit(&self, literal: Literal) -> Lit {
        self.places.lit(literal)
    }

    fn want(&mut self, literal: Literal) {
        if let Some(gate) = self.gates.gate_of(literal.node())
            && !self.kept[gate]
            && std::mem::replace(&mut self.stamps[gate], self.stamp) != self.stamp
        {
            self.found.push(gate);
        }
    }

    fn length(&self) -> u32 {
        index32(self.code.words.len())
    }

    fn write(&mut self) {
        let mut place = 0;
        while let Some(&gate) = self.found.get(place) {
            let Some(members) = self.gates.component_of(gate) else {
                self.instruction(gate);
                place += 1;
                continue;
            };
            let header = self.code.words.len() + 1;
            let count = index32(members.len());
            self.code.words.extend([CYCLE, 0, count]);
            for member in members.clone() {
                // Nothing holds at first; a disjunction is stored as its complement.
                let first = self.places.lit(self.gates.literal(member));
                self.code.words.push(first);
            }
            let start = self.length();
            members.clone().for_each(|member| self.instruction(member));
            self.code.words[header] = self.length() - start;
            place += members.len();
        }
    }

    fn instruction(&mut self, gate: usize) {
        let node = self.places.lit(self.gates.literal(gate)) >> 1;
        let count = index32(self.gates.operands(gate).len());
        self.code.words.extend([node, count]);
        self.code.words.extend(self.places.operands(self.gates, gate));
    }
}
