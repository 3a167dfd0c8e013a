//! Literals, cubes and clauses over latches: what invariants are made of.

use std::ops::Not;

use groundrules_gdl::index::index32;

/// A latch that holds, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateLiteral(u32);

impl StateLiteral {
    /// The literal that wants a latch to have a value.
    pub fn new(latch: usize, value: bool) -> Self {
        StateLiteral(index32(latch, "latches") << 1 | u32::from(!value))
    }

    /// The latch.
    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the latch must hold.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether it holds in a state.
    pub fn holds(self, state: &[bool]) -> bool {
        state[self.latch()] == self.is_positive()
    }
}

impl Not for StateLiteral {
    type Output = StateLiteral;

    fn not(self) -> StateLiteral {
        StateLiteral(self.0 ^ 1)
    }
}

/// Latches of which one has its value. As an invariant: in every state that play can reach.
pub type Clause = Vec<StateLiteral>;

/// Whether a clause holds in a state.
pub(crate) fn clause_holds(clause: &[StateLiteral], state: &[bool]) -> bool {
    clause.iter().any(|literal| literal.holds(state))
}
