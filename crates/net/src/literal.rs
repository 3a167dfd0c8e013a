//! Nodes of a network and literals over them, as small numbers. A literal is a node or its complement, so there are no
//! gates that only negate. The numbers are laid out as constant, fluents, moves, gates; an operand of a gate has a
//! smaller number than the gate, except inside a component (see [`Network`](crate::Network)).

use std::ops::Not;

use groundrules_gdl::index::index32;
use serde::Serialize;

/// A literal is twice its node's number, in four bytes; the largest one is left to a sentinel.
const MOST_NODES: usize = (1 << 31) - 1;

/// A node of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node with an index.
    pub(crate) fn new(index: usize) -> Self {
        // `NetError::TooLarge` refuses the ground games whose networks could need more.
        assert!(index < MOST_NODES, "{index} nodes are too many: the limit is {MOST_NODES}");
        NodeId(index32(index, "nodes"))
    }

    /// The literal that holds when the node does.
    pub fn literal(self) -> Literal {
        Literal(self.0 << 1)
    }
}

/// A node or its complement: twice the node's number, plus one for the complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Literal(pub u32);

impl Literal {
    /// Never holds: the constant node.
    pub const FALSE: Literal = Literal(0);
    /// Always holds: the constant node's complement.
    pub const TRUE: Literal = Literal(1);

    /// The node.
    pub fn node(self) -> NodeId {
        NodeId(self.0 >> 1)
    }

    /// Whether the literal holds when its node does not.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal itself, or its complement if so wanted.
    #[must_use]
    pub fn complemented_if(self, wanted: bool) -> Literal {
        Literal(self.0 ^ u32::from(wanted))
    }

    /// The value, if it is always the same.
    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Literal::TRUE)
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Literal(u32::from(value))
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
