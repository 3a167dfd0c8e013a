//! The game as a sequential circuit: latches, inputs and gates over them. A latch is a fluent, or a bit that a property needs to
//! remember; an input is a move. The gates are those of a network that means the same in every state, so that nothing about
//! reachability is assumed here.
//!
//! Invariants: an operand comes before its gate, except inside a [component](Circuit::components), whose gates depend on each other
//! positively and have the least values that agree with their operands. Fluents and moves have the ground game's numbers; further
//! latches come behind the fluents.

use std::ops::Range;

use groundrules_gdl::index::index32;
use groundrules_net::{Kind, Literal, Network, NodeId, NodeKind};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// Never holds.
    Constant,
    /// A latch, by number.
    Latch(u32),
    /// An input, by number.
    Input(u32),
    /// A gate, with the place of its operands.
    Gate(Kind, u32, u32),
}

/// A value of a role, and when the role has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalValue {
    /// The role's number.
    pub role: usize,
    /// The value.
    pub value: i32,
    /// Holds where the value is a goal of the role.
    pub literal: Literal,
}

/// A sequential circuit. See the [module](self).
#[derive(Clone, Debug)]
pub struct Circuit {
    nodes: Vec<Node>,
    operands: Vec<Literal>,
    components: Vec<Range<u32>>,
    /// For each latch its node, its first value, and what it is next.
    latches: Vec<NodeId>,
    init: Vec<bool>,
    next: Vec<Literal>,
    fluents: usize,
    inputs: Vec<NodeId>,
    /// Whose each input is.
    pub movers: Vec<u32>,
    /// How many roles there are.
    pub roles: usize,
    /// For each input, whether the move is legal.
    pub legal: Vec<Literal>,
    /// Whether the match is over.
    pub terminal: Literal,
    /// The goals by role and value, each value of a role once.
    pub goals: Vec<GoalValue>,
}

impl Circuit {
    /// The circuit of a network, which must mean the same in every state.
    pub fn of(network: &Network) -> Circuit {
        let mut circuit = Circuit {
            nodes: Vec::with_capacity(network.node_count()),
            operands: Vec::with_capacity(network.operand_count()),
            components: network.components().to_vec(),
            latches: (0..network.fluents()).map(|fluent| network.fluent(fluent)).collect(),
            init: network.init.clone(),
            next: network.outputs.next.clone(),
            fluents: network.fluents(),
            inputs: (0..network.moves()).map(|number| network.does(number)).collect(),
            movers: network.movers.clone(),
            roles: network.roles,
            legal: network.outputs.legal.clone(),
            terminal: network.outputs.terminal,
            goals: Vec::new(),
        };
        for index in 0..network.node_count() {
            let node = match network.kind(NodeId(index32(index, "nodes"))) {
                NodeKind::Constant => Node::Constant,
                NodeKind::Fluent(number) => Node::Latch(index32(number, "fluents")),
                NodeKind::Move(number) => Node::Input(index32(number, "moves")),
                NodeKind::Gate(gate) => circuit.node_of_gate(network.gate_kind(gate), network.operands(gate)),
            };
            circuit.nodes.push(node);
        }
        let first = index32(network.node_count() - network.gate_count(), "nodes");
        circuit.components.iter_mut().for_each(|range| *range = range.start + first..range.end + first);
        circuit.merge_goals(network);
        circuit
    }

    /// A value that a description spells in several ways is one value.
    fn merge_goals(&mut self, network: &Network) {
        let goals = &network.outputs.goals;
        for same in goals.chunk_by(|a, b| (a.role, a.value) == (b.role, b.value)) {
            let literals: Vec<Literal> = same.iter().map(|goal| goal.literal).collect();
            let literal = self.or(&literals);
            self.goals.push(GoalValue { role: same[0].role, value: same[0].value, literal });
        }
    }

    fn node_of_gate(&mut self, kind: Kind, operands: &[Literal]) -> Node {
        let start = index32(self.operands.len(), "operands");
        self.operands.extend_from_slice(operands);
        Node::Gate(kind, start, index32(self.operands.len(), "operands"))
    }

    fn push(&mut self, node: Node) -> Literal {
        let id = NodeId(index32(self.nodes.len(), "nodes"));
        self.nodes.push(node);
        id.literal()
    }

    /// Holds where all of these do.
    pub fn and(&mut self, operands: &[Literal]) -> Literal {
        self.gate(Kind::And, operands)
    }

    /// Holds where one of these does.
    pub fn or(&mut self, operands: &[Literal]) -> Literal {
        self.gate(Kind::Or, operands)
    }

    fn gate(&mut self, kind: Kind, operands: &[Literal]) -> Literal {
        let deciding = kind.deciding();
        let mut operands: Vec<Literal> =
            operands.iter().copied().filter(|&operand| operand != !deciding).collect();
        operands.sort_unstable();
        operands.dedup();
        let decided = operands.contains(&deciding) || operands.windows(2).any(|pair| pair[0] == !pair[1]);
        match operands[..] {
            _ if decided => deciding,
            [] => !deciding,
            [only] => only,
            _ => {
                let node = self.node_of_gate(kind, &operands);
                self.push(node)
            }
        }
    }

    /// Holds where exactly one of these does.
    pub fn exactly_one(&mut self, literals: &[Literal]) -> Literal {
        // One pass: whether one of those so far holds, and whether two of them do.
        let (mut one, mut two) = (Literal::FALSE, Literal::FALSE);
        for &literal in literals {
            let both = self.and(&[one, literal]);
            two = self.or(&[two, both]);
            one = self.or(&[one, literal]);
        }
        self.and(&[one, !two])
    }

    /// A new latch that is false at first; [`set_next`](Self::set_next) says what it becomes.
    pub fn latch(&mut self) -> Literal {
        let number = index32(self.latches.len(), "latches");
        let literal = self.push(Node::Latch(number));
        self.latches.push(literal.node());
        self.init.push(false);
        self.next.push(Literal::FALSE);
        literal
    }

    /// Says what a latch made by [`latch`](Self::latch) becomes.
    pub fn set_next(&mut self, latch: Literal, next: Literal) {
        if let Node::Latch(number) = self.node(latch.node()) {
            self.next[number as usize] = next;
        }
    }

    /// What a node is.
    pub fn node(&self, node: NodeId) -> Node {
        self.nodes[node.index()]
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A gate's operands; nothing for other nodes.
    pub fn operands(&self, node: NodeId) -> &[Literal] {
        match self.node(node) {
            Node::Gate(_, start, end) => &self.operands[start as usize..end as usize],
            _ => &[],
        }
    }

    /// How many latches there are.
    pub fn latch_count(&self) -> usize {
        self.latches.len()
    }

    /// How many of them are fluents: the first ones.
    pub fn fluent_count(&self) -> usize {
        self.fluents
    }

    /// How many inputs there are.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Holds when a latch does.
    pub fn latch_literal(&self, latch: usize) -> Literal {
        self.latches[latch].literal()
    }

    /// Holds when an input does.
    pub fn input_literal(&self, input: usize) -> Literal {
        self.inputs[input].literal()
    }

    /// What a latch is next.
    pub fn next(&self, latch: usize) -> Literal {
        self.next[latch]
    }

    /// The first values of the latches.
    pub fn init(&self) -> &[bool] {
        &self.init
    }

    /// The inputs of a role.
    pub fn inputs_of(&self, role: usize) -> impl Iterator<Item = usize> {
        (0..self.movers.len()).filter(move |&input| self.movers[input] as usize == role)
    }

    /// Groups of gates that depend on each other, as ranges of nodes in ascending order.
    pub fn components(&self) -> &[Range<u32>] {
        &self.components
    }

    /// The component of a node.
    pub fn component_of(&self, node: NodeId) -> Option<Range<u32>> {
        let after = self.components.partition_point(|range| range.start <= node.0);
        let range = &self.components[after.checked_sub(1)?];
        (node.0 < range.end).then(|| range.clone())
    }

    /// The values of all nodes in a state, where some inputs hold.
    pub fn evaluate(&self, state: &[bool], made: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut values = vec![false; self.nodes.len()];
        let mut index = 0;
        let mut components = self.components.iter().peekable();
        while index < self.nodes.len() {
            match components.next_if(|range| range.start as usize == index) {
                Some(range) => {
                    let gates = range.start as usize..range.end as usize;
                    let mut changed = true;
                    while std::mem::take(&mut changed) {
                        for gate in gates.clone() {
                            let value = self.value(gate, &values, state, &made);
                            changed |= std::mem::replace(&mut values[gate], value) != value;
                        }
                    }
                    index = gates.end;
                }
                None => {
                    values[index] = self.value(index, &values, state, &made);
                    index += 1;
                }
            }
        }
        values
    }

    fn value(&self, index: usize, values: &[bool], state: &[bool], made: &impl Fn(usize) -> bool) -> bool {
        match self.nodes[index] {
            Node::Constant => false,
            Node::Latch(latch) => state[latch as usize],
            Node::Input(input) => made(input as usize),
            Node::Gate(kind, start, end) => {
                let mut operands = self.operands[start as usize..end as usize].iter();
                match kind {
                    Kind::And => operands.all(|&operand| holds(operand, values)),
                    Kind::Or => operands.any(|&operand| holds(operand, values)),
                }
            }
        }
    }

    /// The state after a joint move, from the values of all nodes.
    pub fn next_state(&self, values: &[bool]) -> Vec<bool> {
        self.next.iter().map(|&next| holds(next, values)).collect()
    }
}

/// Whether a literal holds, given the values of all nodes.
pub fn holds(literal: Literal, values: &[bool]) -> bool {
    values[literal.node().index()] != literal.is_complemented()
}
