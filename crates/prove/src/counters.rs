//! Counters: fluents that depend on nothing but each other and on the end of the match, such as its steps and whose turn it is. All
//! that they can do is one line of values, which is played through here without a solver. A group of such fluents of which exactly one
//! holds at a time, and never one that held before, counts the moves of every match: it is an invariant and a measure at once.

use std::collections::VecDeque;

use groundrules_ground::GroundGame;
use groundrules_net::{Kind, Literal, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::{Circuit, Node};
use crate::clock::Clock;
use crate::invariants::{Invariant, words};
use crate::state::StateLiteral;
use crate::termination::Direction;

/// The most latches of a counter, and the most nodes that its next values are made of.
const MOST_LATCHES: usize = 600;
const MOST_NODES: usize = 60_000;

/// The most gates that are evaluated to play a counter through.
const MOST_EVALUATED: usize = 100_000_000;

/// A group of latches of which exactly one holds in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    /// The latches in the order in which they first hold.
    pub(crate) order: Vec<usize>,
    /// Those of the group that never hold.
    pub(crate) never: Vec<usize>,
    /// Whether one that held before holds again: then the group counts nothing.
    pub(crate) comes_again: bool,
}

impl Counter {
    /// What is true of it in every state. Together these are inductive: each value has one that follows it.
    pub(crate) fn invariants(&self) -> Vec<Invariant> {
        let mut found = Vec::new();
        if self.order.len() > 1 {
            let mut latches = self.order.clone();
            latches.sort_unstable();
            found.extend([Invariant::AtMostOne(latches.clone()), Invariant::AtLeastOne(latches)]);
        } else {
            found.extend(
                self.order.iter().map(|&latch| Invariant::Clause(vec![StateLiteral::new(latch, true)])),
            );
        }
        found
            .extend(self.never.iter().map(|&latch| Invariant::Clause(vec![StateLiteral::new(latch, false)])));
        found
    }

    /// Its values in their order, if every move goes on to the next one.
    pub(crate) fn direction(&self) -> Option<Direction> {
        if self.comes_again {
            return None;
        }
        let mut placed: Vec<(usize, u32)> = self.order.iter().copied().zip(1..).collect();
        placed.sort_unstable();
        let latches = placed.iter().map(|&(latch, _)| latch).collect();
        // That none holds never happens.
        let classes = placed.iter().map(|&(_, place)| place).chain([0]).collect();
        Some(Direction { latches, classes })
    }
}

/// The counters of a game: fluents of one name that depend only on each other.
pub(crate) fn counters(circuit: &Circuit, game: &GroundGame, clock: &Clock) -> Vec<Counter> {
    let mut named: FxHashMap<(String, usize), Vec<usize>> = FxHashMap::default();
    for (latch, &fluent) in game.fluents.iter().enumerate() {
        let words = words(&game.term(fluent));
        named.entry((words[0].clone(), words.len())).or_default().push(latch);
    }
    let mut groups: Vec<Vec<usize>> =
        named.into_values().filter(|group| (1..=MOST_LATCHES).contains(&group.len())).collect();
    groups.sort_unstable();
    groups.into_iter().filter_map(|group| counter(circuit, &group, clock)).collect()
}

fn counter(circuit: &Circuit, group: &[usize], clock: &Clock) -> Option<Counter> {
    let next: Vec<Literal> = group.iter().map(|&latch| circuit.next(latch)).collect();
    let cone = closed_cone(circuit, group, &next)?;
    let end = cone_of_end(circuit, group);
    let mut values: FxHashMap<NodeId, Value> = FxHashMap::default();
    let mut holds: Vec<usize> = group.iter().copied().filter(|&latch| circuit.init()[latch]).collect();
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut left = MOST_EVALUATED;
    loop {
        // Something else than a counter is left to others.
        let [only] = holds[..] else { return None };
        if clock.is_over() {
            return None;
        }
        if !seen.insert(only) {
            return Some(finished(group, order, true));
        }
        order.push(only);
        left = left.checked_sub(cone.len() + end.len())?;
        values.clear();
        for &latch in group {
            let value = if latch == only { Value::True } else { Value::False };
            values.insert(circuit.latch_literal(latch).node(), value);
        }
        // What the end depends on besides is unknown here.
        evaluate(circuit, &end, &mut values);
        if value_of(circuit.terminal, &values) == Value::True {
            return Some(finished(group, order, false));
        }
        // Moves are made only where the match is not over.
        values.insert(circuit.terminal.node(), Value::of(circuit.terminal.is_complemented()));
        evaluate(circuit, &cone, &mut values);
        holds.clear();
        for (&latch, &literal) in group.iter().zip(&next) {
            match value_of(literal, &values) {
                Value::True => holds.push(latch),
                Value::False => {}
                Value::Unknown => return None,
            }
        }
    }
}

fn finished(group: &[usize], order: Vec<usize>, comes_again: bool) -> Counter {
    let never = group.iter().copied().filter(|latch| !order.contains(latch)).collect();
    Counter { order, never, comes_again }
}

/// The gates that the next values depend on, in ascending order, if they depend on the latches of the group and the end alone.
fn closed_cone(circuit: &Circuit, group: &[usize], next: &[Literal]) -> Option<Vec<NodeId>> {
    let own: FxHashSet<usize> = group.iter().copied().collect();
    let mut waiting: Vec<NodeId> = next.iter().map(|literal| literal.node()).collect();
    let mut seen: FxHashSet<NodeId> = waiting.iter().copied().collect();
    let mut gates = Vec::new();
    while let Some(node) = waiting.pop() {
        match circuit.node(node) {
            Node::Constant => {}
            Node::Latch(latch) if own.contains(&(latch as usize)) => {}
            Node::Gate(..) if node == circuit.terminal.node() => {}
            Node::Latch(_) | Node::Input(_) => return None,
            Node::Gate(..) if circuit.component_of(node).is_some() => return None,
            Node::Gate(..) => {
                gates.push(node);
                let operands = circuit.operands(node).iter().map(|operand| operand.node());
                waiting.extend(operands.filter(|&operand| seen.insert(operand)));
            }
        }
        if seen.len() > MOST_NODES {
            return None;
        }
    }
    gates.sort_unstable();
    Some(gates)
}

/// The gates that say whether the match is over and depend on the group, as far as they are few; all others count as unknown.
fn cone_of_end(circuit: &Circuit, group: &[usize]) -> Vec<NodeId> {
    let mut waiting = VecDeque::from([circuit.terminal.node()]);
    let mut seen: FxHashSet<NodeId> = waiting.iter().copied().collect();
    let mut gates = Vec::new();
    while let Some(node) = waiting.pop_front() {
        if matches!(circuit.node(node), Node::Gate(..)) && circuit.component_of(node).is_none() {
            gates.push(node);
            let operands = circuit.operands(node).iter().map(|operand| operand.node());
            waiting.extend(operands.filter(|&operand| seen.insert(operand)));
        }
        if seen.len() > MOST_NODES {
            break;
        }
    }
    gates.sort_unstable();
    let mut depends: FxHashSet<NodeId> =
        group.iter().map(|&latch| circuit.latch_literal(latch).node()).collect();
    gates.retain(|&gate| {
        let is_dependent = circuit.operands(gate).iter().any(|operand| depends.contains(&operand.node()));
        is_dependent && depends.insert(gate)
    });
    gates
}

/// Whether something holds, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    True,
    False,
    Unknown,
}

impl Value {
    fn of(value: bool) -> Value {
        if value { Value::True } else { Value::False }
    }
}

fn value_of(literal: Literal, values: &FxHashMap<NodeId, Value>) -> Value {
    let value = match literal.node() {
        node if node == Literal::FALSE.node() => Value::of(Literal::FALSE.is_complemented()),
        node => values.get(&node).copied().unwrap_or(Value::Unknown),
    };
    match value {
        Value::Unknown => Value::Unknown,
        known => Value::of((known == Value::True) != literal.is_complemented()),
    }
}

/// Evaluates gates in ascending order: operands come before their gates. What is known already stays.
fn evaluate(circuit: &Circuit, gates: &[NodeId], values: &mut FxHashMap<NodeId, Value>) {
    for &gate in gates {
        let Node::Gate(kind, ..) = circuit.node(gate) else { continue };
        let deciding = Value::of(kind == Kind::Or);
        let mut all = Value::of(kind == Kind::And);
        for &operand in circuit.operands(gate) {
            match value_of(operand, values) {
                value if value == deciding => {
                    all = deciding;
                    break;
                }
                Value::Unknown => all = Value::Unknown,
                _ => {}
            }
        }
        if all != Value::Unknown {
            values.insert(gate, all);
        }
    }
}
