//! Lowers a graph to a list of gates of two inputs, or of up to three, in topological order, with the slots that
//! results are stored to.
//!
//! There is no instruction for a complement. A node is kept plain or complemented, whichever is free, and its users
//! choose their instructions accordingly. Results are stored in place: a slot is overwritten only after the last gate
//! that reads its old value, and copies between slots go through a gate first.

use crate::index::index32;

use super::cover::{Cover, Cut};
use super::graph::{Graph, Literal, Node, Source};

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// `a ∧ b`
    And,
    /// `¬a ∧ b`
    AndNot,
    /// `a ∨ b`
    Or,
    /// `a ⊕ b`
    Xor,
    /// `¬a`
    Not,
    /// `a`
    Copy,
    /// Bit `4a + 2b + c` of the table.
    Table(u8),
}

/// What a gate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    /// A stored value, as it was before the gates ran.
    Slot(u32),
    /// A vector of random bits.
    Random(u32),
    /// The result of a gate.
    Gate(u32),
    /// All lanes alike.
    Constant(bool),
}

/// A gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gate {
    pub(super) op: Op,
    pub(super) a: Operand,
    /// The same as `a` if there is only one.
    pub(super) b: Operand,
    /// The same as `a` if there are fewer than three.
    pub(super) c: Operand,
}

impl Gate {
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> {
        let count = match self.op {
            Op::Not | Op::Copy => 1,
            Op::Table(_) => 3,
            _ => 2,
        };
        [self.a, self.b, self.c].into_iter().take(count)
    }
}

/// A result to be stored once so many gates have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Store {
    pub(super) after: u32,
    pub(super) slot: u32,
    pub(super) value: Operand,
}

/// A list of gates.
#[derive(Clone, Debug, Default)]
pub(super) struct GateList {
    pub(super) gates: Vec<Gate>,
    /// What is stored, in order of time.
    pub(super) stores: Vec<Store>,
    /// The number of slots.
    pub(super) slots: usize,
    /// How many vectors of random bits are used.
    pub(super) randoms: usize,
}

/// A graph with the values that are to be stored in slots.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    pub(super) graph: Graph,
    pub(super) outputs: Vec<(u32, Literal)>,
    pub(super) slots: usize,
    pub(super) randoms: usize,
}

impl Circuit {
    /// Lowers the circuit to gates of two inputs.
    pub(super) fn lower(&self) -> GateList {
        self.lower_by(None)
    }

    /// Lowers the circuit to gates of up to three inputs.
    pub(super) fn lower_to_three(&self) -> GateList {
        let cover = Cover::of(&self.graph, self.outputs.iter().map(|&(_, literal)| literal));
        self.lower_by(Some(&cover))
    }

    fn lower_by(&self, cover: Option<&Cover>) -> GateList {
        let mut lowering = Lowering {
            graph: &self.graph,
            cover,
            gates: Vec::new(),
            placed: vec![None; self.graph.len()],
            complements: vec![None; self.graph.len()],
        };
        lowering.placed[0] = Some(Placed { at: Operand::Constant(false), complemented: false });
        let mut values = Vec::new();
        // What only moves is read before anything is overwritten.
        for &(slot, literal) in &self.outputs {
            if let Node::Input(source @ (Source::Slot(_) | Source::Random(_))) = self.graph.node(literal)
                && source != Source::Slot(slot)
            {
                lowering.copy(literal);
            }
        }
        for &(slot, literal) in &self.outputs {
            if self.graph.node(literal) == Node::Input(Source::Slot(slot)) && !literal.is_complemented() {
                continue;
            }
            lowering.place(literal.node());
            values.push((slot, lowering.value(literal)));
        }
        let mut list =
            GateList { gates: lowering.gates, stores: Vec::new(), slots: self.slots, randoms: self.randoms };
        list.schedule_stores(&values);
        list
    }
}

/// Where a node's value is.
#[derive(Clone, Copy)]
struct Placed {
    at: Operand,
    /// Whether it is the node's complement that is there.
    complemented: bool,
}

/// What `Lowering::place` sees to. Reading something else instead would compute another function.
const PLACED: &str = "operands are placed before the gate that reads them";

struct Lowering<'g> {
    graph: &'g Graph,
    cover: Option<&'g Cover>,
    gates: Vec<Gate>,
    placed: Vec<Option<Placed>>,
    /// The gates that were needed to complement a node.
    complements: Vec<Option<Operand>>,
}

impl Lowering<'_> {
    fn push(&mut self, op: Op, a: Operand, b: Operand) -> Operand {
        self.gates.push(Gate { op, a, b, c: a });
        Operand::Gate(index32(self.gates.len() - 1))
    }

    fn copy(&mut self, literal: Literal) {
        let Node::Input(source) = self.graph.node(literal) else { panic!("only inputs are copied") };
        let op = if literal.is_complemented() { Op::Not } else { Op::Copy };
        let from = operand(source);
        let at = self.push(op, from, from);
        if literal.is_complemented() {
            self.complements[literal.node()] = Some(at);
        } else {
            self.placed[literal.node()].get_or_insert(Placed { at, complemented: false });
        }
    }

    /// Makes the gates of a node and of what it rests on, operands first.
    fn place(&mut self, node: usize) {
        let mut pending = vec![node];
        while let Some(&node) = pending.last() {
            if self.placed[node].is_some() {
                pending.pop();
                continue;
            }
            match self.graph.nodes()[node] {
                Node::And(a, b) | Node::Xor(a, b) => {
                    let before = pending.len();
                    let missing = |node: &usize| self.placed[*node].is_none();
                    let cut = self.cover.and_then(|cover| cover.cut(node)).copied();
                    match &cut {
                        Some(cut) => {
                            let leaves = cut.leaves().iter().rev().map(|&leaf| leaf as usize);
                            pending.extend(leaves.filter(missing));
                        }
                        None => pending.extend([b.node(), a.node()].into_iter().filter(missing)),
                    }
                    if pending.len() == before {
                        self.placed[node] = Some(match &cut {
                            Some(cut) => self.gate_of_cut(cut),
                            None => self.gate(a, b, node),
                        });
                        pending.pop();
                    }
                }
                Node::Input(source) => {
                    self.placed[node] = Some(Placed { at: operand(source), complemented: false });
                }
                Node::False => {
                    pending.pop();
                }
            }
        }
    }

    /// Makes a node's gate, whose operands are placed.
    fn gate(&mut self, a: Literal, b: Literal, node: usize) -> Placed {
        let is_and = matches!(self.graph.nodes()[node], Node::And(..));
        let ((a, not_a), (b, not_b)) = (self.read(a), self.read(b));
        self.two(is_and, (a, not_a), (b, not_b))
    }

    /// A conjunction or exclusive or of two operands, each perhaps complemented.
    fn two(&mut self, is_and: bool, (a, not_a): (Operand, bool), (b, not_b): (Operand, bool)) -> Placed {
        let (op, a, b, complemented) = match (is_and, not_a, not_b) {
            (true, false, false) => (Op::And, a, b, false),
            (true, true, false) => (Op::AndNot, a, b, false),
            (true, false, true) => (Op::AndNot, b, a, false),
            (true, true, true) => (Op::Or, a, b, true),
            (false, ..) => (Op::Xor, a, b, not_a != not_b),
        };
        Placed { at: self.push(op, a, b), complemented }
    }

    /// Makes the gate of a cut, whose leaves are placed.
    fn gate_of_cut(&mut self, cut: &Cut) -> Placed {
        let mut table = cut.table;
        let mut operands = Vec::new();
        for &leaf in cut.leaves() {
            let placed = self.placed[leaf as usize].expect(PLACED);
            let place = operands.len();
            if placed.complemented {
                table = turned(table, place);
            }
            match placed.at {
                Operand::Constant(value) => table = decided(table, place, value),
                at => operands.push(at),
            }
        }
        match operands[..] {
            [a, b, c] => {
                self.gates.push(Gate { op: Op::Table(table), a, b, c });
                let at = Operand::Gate(index32(self.gates.len() - 1));
                Placed { at, complemented: false }
            }
            [a, b] => self.gate_of_rows(table, a, b),
            [a] => of_one(a, table & 1 == 1, table >> 4 & 1 == 1),
            _ => Placed { at: Operand::Constant(table & 1 == 1), complemented: false },
        }
    }

    /// The gate of a function of two operands, by its table over three of which the last does not matter.
    fn gate_of_rows(&mut self, table: u8, a: Operand, b: Operand) -> Placed {
        let row = |row: u8| table >> (2 * row) & 1 == 1;
        match [row(0), row(1), row(2), row(3)] {
            [a0, a1, b0, b1] if a0 == a1 && b0 == b1 => of_one(a, a0, b0),
            [a0, a1, b0, b1] if a0 == b0 && a1 == b1 => of_one(b, a0, a1),
            [none, second, first, both] if none == both && first == second => {
                let placed = self.two(false, (a, false), (b, false));
                Placed { complemented: placed.complemented != none, ..placed }
            }
            rows => {
                // One row differs from the other three: a conjunction, or the complement of one.
                let is_rare = rows.iter().filter(|&&value| value).count() == 1;
                let place = rows.iter().position(|&value| value == is_rare).expect("one row differs");
                let placed = self.two(true, (a, place < 2), (b, place % 2 == 0));
                Placed { complemented: placed.complemented == is_rare, ..placed }
            }
        }
    }

    /// Where a literal's node is, and whether the literal is the complement of what is there.
    fn read(&self, literal: Literal) -> (Operand, bool) {
        let placed = self.placed[literal.node()].expect(PLACED);
        (placed.at, placed.complemented != literal.is_complemented())
    }

    /// A literal's value, with a gate more if it is not there.
    fn value(&mut self, literal: Literal) -> Operand {
        match self.read(literal) {
            (Operand::Constant(value), complemented) => Operand::Constant(value != complemented),
            (at, false) => at,
            (at, true) => {
                if let Some(known) = self.complements[literal.node()] {
                    return known;
                }
                let complement = self.push(Op::Not, at, at);
                self.complements[literal.node()] = Some(complement);
                complement
            }
        }
    }
}

/// A function of one operand, by its values where the operand does not hold and where it does.
fn of_one(a: Operand, no: bool, yes: bool) -> Placed {
    if no == yes {
        Placed { at: Operand::Constant(no), complemented: false }
    } else {
        Placed { at: a, complemented: no }
    }
}

/// The table of the same function of the complement of one operand.
fn turned(table: u8, place: usize) -> u8 {
    let (mask, shift) = [(0xf0, 4), (0xcc, 2), (0xaa, 1)][place];
    (table & mask) >> shift | (table & !mask) << shift
}

/// The table where one operand is known; those behind it move up, and the last place does not matter any more.
fn decided(table: u8, place: usize, value: bool) -> u8 {
    let mut new = 0;
    for row in 0..8_usize {
        let bits = [row >> 2 & 1, row >> 1 & 1, row & 1];
        let mut old = [0; 3];
        old[place] = usize::from(value);
        let others = (0..3).filter(|&other| other != place);
        others.zip(bits).for_each(|(other, bit)| old[other] = bit);
        new |= (table >> (4 * old[0] + 2 * old[1] + old[2]) & 1) << row;
    }
    new
}

fn operand(source: Source) -> Operand {
    match source {
        Source::Slot(slot) => Operand::Slot(slot),
        Source::Random(index) => Operand::Random(index),
    }
}

impl GateList {
    /// Finds for each value the first moment at which it may be stored.
    pub(super) fn schedule_stores(&mut self, values: &[(u32, Operand)]) {
        let mut last_read = vec![0; self.slots];
        for (index, gate) in self.gates.iter().enumerate() {
            for operand in gate.operands() {
                if let Operand::Slot(slot) = operand {
                    last_read[slot as usize] = index32(index + 1);
                }
            }
        }
        let made = |value| if let Operand::Gate(gate) = value { gate + 1 } else { 0 };
        let store = |&(slot, value): &(u32, Operand)| Store {
            after: made(value).max(last_read[slot as usize]),
            slot,
            value,
        };
        self.stores = values.iter().map(store).collect();
        self.stores.sort_by_key(|store| store.after);
    }
}
