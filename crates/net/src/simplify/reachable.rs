//! Constants of reachable states: fluents that never change, moves that are never legal, and all gates that these
//! decide. They are found by three-valued evaluation (false, true, unknown): the initial fluents are known, a move
//! becomes unknown once it can be legal, and a fluent once its value can change. Every node becomes unknown at most
//! once, so the work is linear.

use groundrules_gdl::index::index32;

use crate::gates::Kind;
use crate::literal::{Literal, NodeId};
use crate::network::{Network, holds};
use crate::simplify::rebuild::{Pass, rebuild};
use crate::users::Users;

/// Puts constants for all that never changes.
pub(crate) fn run(network: &Network, legal_play: bool) -> Network {
    let values = values(network, legal_play);
    let mut pass = Constants { values: &values };
    let mut constant = rebuild(&network.gates, &network.roots(), &mut pass).network(network);
    let is_fixed = |&fluent: &usize| values[network.fluent(fluent).index()] != Value::Open;
    let fixed = (0..network.fluents()).filter(is_fixed);
    constant.fixed.extend(fixed.map(|fluent| (fluent, network.init[fluent])));
    constant.fixed.sort_unstable();
    constant.fixed.dedup();
    constant
}

/// What is known of a node in all the states that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Never holds.
    False,
    /// Always holds.
    True,
    /// Can be either.
    Open,
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        if value { Value::True } else { Value::False }
    }
}

struct Constants<'v> {
    values: &'v [Value],
}

impl Pass for Constants<'_> {
    fn leaf(&mut self, leaf: NodeId) -> Literal {
        match self.values[leaf.index()] {
            Value::Open => leaf.literal(),
            Value::False => Literal::FALSE,
            Value::True => Literal::TRUE,
        }
    }
}

/// What is known of each node.
pub(crate) fn values(network: &Network, legal_play: bool) -> Vec<Value> {
    let mut search = Search::new(network);
    if !legal_play {
        (0..network.moves()).for_each(|number| search.open(network.does(number)));
    }
    search.run();
    search.values
}

struct Search<'n> {
    network: &'n Network,
    values: Vec<Value>,
    users: Users,
    /// For each gate how many operands still decide it alone.
    deciding: Vec<u32>,
    /// The leaves that follow an output: the output's node and the leaf, sorted.
    follows: Vec<(NodeId, NodeId)>,
    /// Nodes that became open, and whether they held before.
    pending: Vec<(NodeId, bool)>,
}

impl<'n> Search<'n> {
    fn new(network: &'n Network) -> Self {
        let held = network.evaluate(|fluent| network.init[fluent], |_| false);
        let deciding = |gate: usize| {
            let wanted = network.gate_kind(gate) == Kind::Or;
            network.operands(gate).iter().filter(|&&operand| holds(operand, &held) == wanted).count()
        };
        let deciding = (0..network.gate_count()).map(|gate| index32(deciding(gate), "operands"));
        let next = network.outputs.next.iter().enumerate();
        let next = next.map(|(fluent, &next)| (next, network.fluent(fluent), network.init[fluent]));
        let legal = network.outputs.legal.iter().enumerate();
        let legal = legal.map(|(number, &legal)| (legal, network.does(number), false));
        let outputs: Vec<(Literal, NodeId, bool)> = next.chain(legal).collect();
        let mut follows: Vec<(NodeId, NodeId)> =
            outputs.iter().map(|&(output, leaf, _)| (output.node(), leaf)).collect();
        follows.sort_unstable();
        let mut search = Search {
            network,
            deciding: deciding.collect(),
            values: held.iter().map(|&value| Value::from(value)).collect(),
            users: Users::of(&network.gates),
            follows,
            pending: Vec::new(),
        };
        for (output, leaf, first) in outputs {
            if holds(output, &held) != first {
                search.open(leaf);
            }
        }
        search
    }

    fn open(&mut self, node: NodeId) {
        let value = &mut self.values[node.index()];
        if *value != Value::Open {
            self.pending.push((node, *value == Value::True));
            *value = Value::Open;
        }
    }

    fn run(&mut self) {
        while let Some((node, held)) = self.pending.pop() {
            for place in self.users.range(node) {
                let gate = self.users.gates[place] as usize;
                self.look_at(gate, held != self.users.complemented[place]);
            }
            let mut place = self.follows.partition_point(|&(output, _)| output < node);
            while let Some(&(_, leaf)) = self.follows.get(place).filter(|&&(output, _)| output == node) {
                self.open(leaf);
                place += 1;
            }
        }
    }

    /// An operand of a gate, which held or not, is open now.
    fn look_at(&mut self, gate: usize, operand_held: bool) {
        // Members of a component can keep each other up for no reason; as soon as one may change, all may.
        if let Some(range) = self.network.gates.component_of(gate) {
            range.for_each(|member| self.open(self.network.gate(member)));
            return;
        }
        if operand_held == (self.network.gate_kind(gate) == Kind::Or) {
            self.deciding[gate] -= 1;
        }
        if self.deciding[gate] == 0 {
            self.open(self.network.gate(gate));
        }
    }
}
