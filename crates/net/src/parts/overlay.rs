//! The effect of one move, or of one of each role together: the gates that depend on them are rebuilt with the moves made and all other moves
//! not made, on top of the defaults, in which no move is made. Only gates that change are followed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::gates::{Gates, Kind};
use crate::literal::{Literal, NodeId};
use crate::network::Network;
use crate::simplify::rebuild::mapped;
use crate::users::Users;

/// The most literals that a legal move is known to imply.
const MOST_IMPLIED: usize = 64;

pub(crate) struct Overlay<'n> {
    old: &'n Gates,
    network: &'n Network,
    users: Users,
    /// Which old nodes are not taken apart.
    whole: &'n [bool],
    /// For each old node what it is by default.
    default: &'n [Literal],
    /// The old nodes of what is next, with the fluents, sorted.
    next: Vec<(NodeId, u32)>,
    /// For each old node the last move that changed it, and what it is then.
    changed: Vec<(u32, Literal)>,
    /// For each old gate the last move for which it was put into the queue, and for which an operand decided it.
    queued: Vec<u32>,
    decided: Vec<u32>,
    queue: BinaryHeap<Reverse<u32>>,
    /// For each new literal the last move that implied it.
    implied: Vec<u32>,
    /// The number of the current list of effects plus one.
    stamp: u32,
}

impl<'n> Overlay<'n> {
    pub(crate) fn new(network: &'n Network, whole: &'n [bool], default: &'n [Literal]) -> Self {
        let old = &network.gates;
        let mut next: Vec<(NodeId, u32)> =
            network.outputs.next.iter().zip(0..).map(|(literal, fluent)| (literal.node(), fluent)).collect();
        next.sort_unstable();
        Overlay {
            old,
            network,
            users: Users::of(old),
            whole,
            default,
            next,
            changed: vec![(0, Literal::FALSE); old.nodes()],
            queued: vec![0; old.len()],
            decided: vec![0; old.len()],
            queue: BinaryHeap::new(),
            implied: Vec::new(),
            stamp: 0,
        }
    }

    /// Adds what legal moves do that are made together, at most one of each role. With each comes what says in the new gates
    /// that it is legal.
    pub(crate) fn effects(
        &mut self,
        made: impl Iterator<Item = (usize, Literal)>,
        gates: &mut Gates,
        effects: &mut Vec<(u32, Literal)>,
    ) {
        self.stamp += 1;
        for (number, legal) in made {
            self.imply(legal, gates);
            self.change(self.network.does(number), Literal::TRUE, effects);
        }
        while let Some(Reverse(gate)) = self.queue.pop() {
            let gate = gate as usize;
            let node = NodeId::new(self.old.first() + gate);
            let value = self.value(gate, gates);
            if value != self.default[node.index()] {
                self.change(node, value, effects);
            }
        }
    }

    /// Remembers what holds in the new gates when the move is legal.
    fn imply(&mut self, legal: Literal, gates: &Gates) {
        self.implied.resize(2 * gates.nodes(), 0);
        let mut known = vec![legal];
        let mut next = 0;
        while next < known.len() {
            let literal = known[next];
            self.implied[literal.0 as usize] = self.stamp;
            if known.len() < MOST_IMPLIED
                && let Some((Kind::And, gate)) = gates.seen(literal)
            {
                let operands = gates.operands(gate).iter();
                known.extend(operands.map(|operand| operand.complemented_if(literal.is_complemented())));
            }
            next += 1;
        }
    }

    /// A new literal in view of what the move implies.
    fn seen(&self, literal: Literal) -> Literal {
        let is_implied = |literal: Literal| self.implied.get(literal.0 as usize) == Some(&self.stamp);
        match literal {
            _ if is_implied(literal) => Literal::TRUE,
            _ if is_implied(!literal) => Literal::FALSE,
            _ => literal,
        }
    }

    fn value(&self, gate: usize, gates: &mut Gates) -> Literal {
        let kind = self.old.kind(gate);
        if self.decided[gate] == self.stamp {
            return kind.deciding();
        }
        let operand = |&operand: &Literal| {
            let (stamp, value) = self.changed[operand.node().index()];
            let changed = stamp == self.stamp;
            let new = if changed {
                value.complemented_if(operand.is_complemented())
            } else {
                mapped(operand, self.default)
            };
            self.seen(new)
        };
        let mut operands: Vec<Literal> = self.old.operands(gate).iter().map(operand).collect();
        let value = gates.make(kind, &mut operands);
        self.seen(value)
    }

    /// An old node has another value now: those that use it are looked at, and what is next if it is that.
    fn change(&mut self, node: NodeId, value: Literal, effects: &mut Vec<(u32, Literal)>) {
        self.changed[node.index()] = (self.stamp, value);
        for place in self.users.range(node) {
            let gate = self.users.gates[place];
            if self.whole[self.old.first() + gate as usize] {
                continue; // And so is all that depends on it.
            }
            if value.complemented_if(self.users.complemented[place])
                == self.old.kind(gate as usize).deciding()
            {
                self.decided[gate as usize] = self.stamp;
            }
            if std::mem::replace(&mut self.queued[gate as usize], self.stamp) != self.stamp {
                self.queue.push(Reverse(gate));
            }
        }
        let start = self.next.partition_point(|&(output, _)| output < node);
        for &(_, fluent) in self.next[start..].iter().take_while(|&&(output, _)| output == node) {
            let complemented = self.network.outputs.next[fluent as usize].is_complemented();
            effects.push((fluent, value.complemented_if(complemented)));
        }
    }
}
