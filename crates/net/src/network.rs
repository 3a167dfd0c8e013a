//! The network: gates over fluents and moves that say what is next, what is legal, whether the match is over and what the
//! goals are. Flat vectors and numbers only, so that engines can copy what they need into shapes of their own.
//!
//! Invariants: fluents and moves have the numbers of the ground game. An operand's node comes before its gate, except
//! inside a [component](Network::components), whose gates depend on each other, positively.

use std::ops::Range;
use std::sync::Arc;

use crate::gates::{Blocks, Gates, Kind};
use crate::literal::{Literal, NodeId};

/// What a node is, with its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Never holds.
    Constant,
    /// The fluent with this number holds.
    Fluent(usize),
    /// The move with this number is made.
    Move(usize),
    /// The gate with this number.
    Gate(usize),
}

/// A goal: a value of a role and when it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The role's number.
    pub role: usize,
    /// The value.
    pub value: i32,
    /// Holds where this is the role's goal.
    pub literal: Literal,
}

/// The outputs of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// For each fluent, whether it holds next.
    pub next: Vec<Literal>,
    /// For each move, whether it is legal. Depends on no move.
    pub legal: Vec<Literal>,
    /// Whether the state is terminal. Depends on no move.
    pub terminal: Literal,
    /// The goals by role and value. They depend on no move. Goals that are not whole numbers are omitted.
    pub goals: Vec<Goal>,
}

impl Outputs {
    /// The literals of all outputs.
    pub fn literals(&self) -> impl Iterator<Item = Literal> {
        let goals = self.goals.iter().map(|goal| goal.literal);
        self.next.iter().chain(&self.legal).copied().chain([self.terminal]).chain(goals)
    }

    /// The same outputs by other literals.
    #[must_use]
    pub fn map(&self, mut new: impl FnMut(Literal) -> Literal) -> Outputs {
        Outputs {
            next: self.next.iter().map(|&literal| new(literal)).collect(),
            legal: self.legal.iter().map(|&literal| new(literal)).collect(),
            terminal: new(self.terminal),
            goals: self.goals.iter().map(|goal| Goal { literal: new(goal.literal), ..*goal }).collect(),
        }
    }
}

/// A propositional network.
///
/// Nodes are numbered: 0 is the constant, then come the fluents, the moves, and the gates in topological order.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) gates: Gates,
    /// The number of roles.
    pub roles: usize,
    /// The role of each move.
    pub movers: Vec<u32>,
    /// The words of each move: a number for its name, then one for each argument. The same argument has the same number in
    /// all moves. Only for finding moves that have something in common.
    pub words: Arc<[Box<[u32]>]>,
    /// For each fluent, whether it holds initially.
    pub init: Vec<bool>,
    /// Fluents with an assumed value: the network is only valid in states where they have it.
    pub fixed: Vec<(usize, bool)>,
    /// The outputs.
    pub outputs: Outputs,
    /// Derived atoms of the ground game by number, with their literals; only for naming gates.
    pub labels: Vec<(u32, Literal)>,
}

impl Network {
    /// The literals of all outputs.
    pub(crate) fn roots(&self) -> Vec<Literal> {
        self.outputs.literals().collect()
    }

    /// The number of fluents.
    pub fn fluents(&self) -> usize {
        self.init.len()
    }

    /// The number of moves.
    pub fn moves(&self) -> usize {
        self.movers.len()
    }

    /// The number of gates.
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// How many nodes there are, constant, fluents, moves and gates.
    pub fn node_count(&self) -> usize {
        self.gates.nodes()
    }

    /// How many operands all the gates have.
    pub fn operand_count(&self) -> usize {
        self.gates.operand_count()
    }

    /// The node of a fluent.
    pub fn fluent(&self, fluent: usize) -> NodeId {
        NodeId::new(1 + fluent)
    }

    /// The node of a move.
    pub fn does(&self, number: usize) -> NodeId {
        NodeId::new(1 + self.fluents() + number)
    }

    /// The node of a gate.
    pub fn gate(&self, gate: usize) -> NodeId {
        NodeId::new(self.gates.first() + gate)
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        let (index, fluents) = (node.index(), self.fluents());
        match index {
            0 => NodeKind::Constant,
            _ if index <= fluents => NodeKind::Fluent(index - 1),
            _ if index < self.gates.first() => NodeKind::Move(index - 1 - fluents),
            _ => NodeKind::Gate(index - self.gates.first()),
        }
    }

    /// Whether a gate is a conjunction or a disjunction.
    pub fn gate_kind(&self, gate: usize) -> Kind {
        self.gates.kind(gate)
    }

    /// A gate's operands.
    pub fn operands(&self, gate: usize) -> &[Literal] {
        self.gates.operands(gate)
    }

    /// Groups of gates that depend on each other, as ranges of gates in ascending order. Inside a group literals of the
    /// group's gates are not complemented, and the gates' values are the least ones that agree with their operands: begin
    /// with all of them false, evaluate them again and again until nothing changes (at most once for each gate and
    /// once more). All gates outside the groups come after their operands.
    pub fn components(&self) -> &[Range<u32>] {
        &self.gates.components
    }

    /// The component that a gate is in.
    pub fn component_of(&self, gate: usize) -> Option<Range<usize>> {
        self.gates.component_of(gate)
    }

    /// The gates in topological order, the gates of a component together.
    pub fn blocks(&self) -> Blocks<'_> {
        self.gates.blocks()
    }

    /// The values of all nodes for given fluents and moves. Simple and slow: this defines the meaning of a network.
    pub fn evaluate(&self, fluents: impl Fn(usize) -> bool, made: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut values = vec![false];
        values.extend((0..self.fluents()).map(fluents));
        values.extend((0..self.moves()).map(made));
        values.resize(self.node_count(), false);
        for block in self.blocks() {
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for member in block.gates.clone() {
                    let value = self.gate_value(member, &values);
                    let old = std::mem::replace(&mut values[self.gates.first() + member], value);
                    changed |= block.is_component && old != value;
                }
            }
        }
        values
    }

    fn gate_value(&self, gate: usize, values: &[bool]) -> bool {
        let mut operands = self.operands(gate).iter().map(|&operand| holds(operand, values));
        match self.gate_kind(gate) {
            Kind::And => operands.all(|value| value),
            Kind::Or => operands.any(|value| value),
        }
    }
}

/// Whether a literal holds, given the values of all nodes.
pub fn holds(literal: Literal, values: &[bool]) -> bool {
    values[literal.node().index()] != literal.is_complemented()
}
