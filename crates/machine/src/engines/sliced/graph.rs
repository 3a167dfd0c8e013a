//! The circuit under construction: an and-xor graph of two-input gates with complemented edges, structural hashing and
//! constant folding. Gates come after their operands. [`super::lower`] turns the graph into instructions.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// A value of the graph: a node, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal(u32);

impl Literal {
    pub(super) const FALSE: Literal = Literal(0);
    pub(super) const TRUE: Literal = Literal(1);

    fn of(node: usize) -> Self {
        // The limit on gates is far below this.
        assert!(node < 1 << 31, "{node} nodes are too many for literals of 32 bits");
        Literal((node as u32) << 1)
    }

    pub(super) fn constant(value: bool) -> Self {
        Literal(u32::from(value))
    }

    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The literal, complemented on demand.
    pub(super) fn complement_if(self, complement: bool) -> Self {
        Literal(self.0 ^ u32::from(complement))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// Where a value of the circuit comes from when it is no gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// A stored value: part of the state of the lanes.
    Slot(u32),
    /// Fresh random bits.
    Random(u32),
}

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// False in every lane; its complement is true.
    False,
    /// Given from outside.
    Input(Source),
    /// Both hold.
    And(Literal, Literal),
    /// Exactly one holds; the operands are not complemented.
    Xor(Literal, Literal),
}

/// The most nodes of a graph: a circuit that is larger is no gain over an engine that only looks at what changes.
pub(super) const MOST_NODES: usize = 3_000_000;

/// A graph of gates.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Whether there were too many nodes. What is built then means nothing.
    is_full: bool,
    known: HashMap<Node, Literal, FxBuildHasher>,
}

impl Graph {
    pub(super) fn new() -> Self {
        Graph { nodes: vec![Node::False], is_full: false, known: HashMap::default() }
    }

    /// How many nodes there are, inputs included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, literal: Literal) -> Node {
        self.nodes[literal.node()]
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn input(&mut self, source: Source) -> Literal {
        self.add(Node::Input(source))
    }

    /// Whether there were too many nodes, so that the graph means nothing.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    fn add(&mut self, node: Node) -> Literal {
        if self.nodes.len() >= MOST_NODES {
            self.is_full = true;
            return Literal::FALSE;
        }
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Literal::of(nodes.len() - 1)
        })
    }

    /// Both hold.
    pub(super) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        if a == Literal::TRUE || a == b {
            return b;
        }
        if let Some(simpler) = self.and_absorbed(b, a).or_else(|| self.and_absorbed(a, b)) {
            return simpler;
        }
        if let Some(simpler) = self.and_of_two(a, b) {
            return simpler;
        }
        self.add(Node::And(a, b))
    }

    /// What `outer ∧ a` is when `outer` is a gate over `a` itself.
    fn and_absorbed(&mut self, outer: Literal, a: Literal) -> Option<Literal> {
        match self.node(outer) {
            Node::And(c, d) if !outer.is_complemented() => match () {
                () if a == c || a == d => Some(outer),
                () if a == !c || a == !d => Some(Literal::FALSE),
                () => None,
            },
            Node::And(c, d) => match () {
                () if a == !c || a == !d => Some(a),
                () if a == c => Some(self.and(a, !d)),
                () if a == d => Some(self.and(a, !c)),
                () => None,
            },
            Node::Xor(c, d) => {
                let (c, d) = (c.complement_if(outer.is_complemented()), d);
                match () {
                    () if a == c => Some(self.and(a, !d)),
                    () if a == !c => Some(self.and(a, d)),
                    () if a == d => Some(self.and(a, !c)),
                    () if a == !d => Some(self.and(a, c)),
                    () => None,
                }
            }
            _ => None,
        }
    }

    /// What `a ∧ b` is when both are conjunctions, or negated ones, that share an operand.
    fn and_of_two(&mut self, a: Literal, b: Literal) -> Option<Literal> {
        let (Node::And(a1, a2), Node::And(b1, b2)) = (self.node(a), self.node(b)) else { return None };
        let disagree = a1 == !b1 || a1 == !b2 || a2 == !b1 || a2 == !b2;
        match (a.is_complemented(), b.is_complemented()) {
            (false, false) if disagree => Some(Literal::FALSE),
            (false, true) if disagree => Some(a),
            (true, false) if disagree => Some(b),
            // Within a conjunction, what the other one already says need not be said again.
            (false, true) if b1 == a1 || b1 == a2 => Some(self.and(a, !b2)),
            (false, true) if b2 == a1 || b2 == a2 => Some(self.and(a, !b1)),
            (true, false) if a1 == b1 || a1 == b2 => Some(self.and(b, !a2)),
            (true, false) if a2 == b1 || a2 == b2 => Some(self.and(b, !a1)),
            // Neither (x and y) nor (not x and y): not y.
            (true, true) if (a1 == !b1 && a2 == b2) || (a1 == !b2 && a2 == b1) => Some(!a2),
            (true, true) if (a2 == !b1 && a1 == b2) || (a2 == !b2 && a1 == b1) => Some(!a1),
            _ => None,
        }
    }

    /// At least one holds.
    pub(super) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// Exactly one holds.
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let complement = a.is_complemented() ^ b.is_complemented();
        let (a, b) = (a.complement_if(a.is_complemented()), b.complement_if(b.is_complemented()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let value = match () {
            () if a == b => Literal::FALSE,
            () if a == Literal::FALSE => b,
            () => match (self.node(a), self.node(b)) {
                (_, Node::Xor(c, d)) if c == a => d,
                (_, Node::Xor(c, d)) if d == a => c,
                (Node::Xor(c, d), _) if c == b => d,
                (Node::Xor(c, d), _) if d == b => c,
                _ => self.add(Node::Xor(a, b)),
            },
        };
        value.complement_if(complement)
    }

    /// `yes` where the condition holds, `no` elsewhere.
    pub(super) fn choose(&mut self, condition: Literal, yes: Literal, no: Literal) -> Literal {
        if yes == no {
            return yes;
        }
        if yes == !no {
            return !self.xor(condition, yes);
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    /// The sum and the carry of three bits.
    pub(super) fn full_adder(&mut self, a: Literal, b: Literal, c: Literal) -> (Literal, Literal) {
        let differ = self.xor(a, b);
        let sum = self.xor(differ, c);
        let carry = match () {
            () if a.is_constant() || b.is_constant() || c.is_constant() || differ.is_constant() => {
                let (both, passed) = (self.and(a, b), self.and(differ, c));
                self.or(both, passed)
            }
            () => {
                // a where a and b agree, else c: one gate less than the usual form.
                let other = self.xor(a, c);
                let turned = self.and(differ, other);
                self.xor(a, turned)
            }
        };
        (sum, carry)
    }

    /// All hold; the graph is balanced.
    pub(super) fn and_all(&mut self, operands: &[Literal]) -> Literal {
        self.balanced(operands, Literal::TRUE, Graph::and)
    }

    /// At least one holds; the graph is balanced.
    pub(super) fn or_all(&mut self, operands: &[Literal]) -> Literal {
        self.balanced(operands, Literal::FALSE, Graph::or)
    }

    fn balanced(
        &mut self,
        operands: &[Literal],
        of_none: Literal,
        join: fn(&mut Graph, Literal, Literal) -> Literal,
    ) -> Literal {
        // In a fixed order, so that the same set gives the same gates.
        let mut row: Vec<Literal> = operands.iter().copied().filter(|&literal| literal != of_none).collect();
        row.sort_unstable();
        row.dedup();
        while row.len() > 1 {
            row =
                row.chunks(2).map(|pair| pair[1..].iter().fold(pair[0], |a, &b| join(self, a, b))).collect();
        }
        row.first().copied().unwrap_or(of_none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decided_gates_fold() {
        let mut graph = Graph::new();
        let [a, b, c] = [0, 1, 2].map(|slot| graph.input(Source::Slot(slot)));
        assert_eq!(graph.and(a, !a), Literal::FALSE);
        let both = graph.and(a, b);
        assert_eq!(graph.and(b, a), both);
        assert_eq!(graph.and(both, a), both);
        assert_eq!(graph.and(both, !a), Literal::FALSE);
        assert_eq!(graph.or(both, a), a);
        let differ = graph.xor(a, !b);
        assert_eq!(graph.xor(differ, b), !a);
        assert_eq!(graph.choose(c, a, a), a);
        let (x, y) = (graph.and(a, b), graph.and(!a, b));
        assert_eq!(graph.or(x, y), b);
    }
}
