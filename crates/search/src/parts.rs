//! The parts of the search that can be switched off one by one, to measure what each is worth.

/// A part of the player `mcts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The successors of a new state are evaluated with it, so that moves that end the match are seen at once.
    LookAhead,
    /// The value of a move is that of the state it leads to, whichever way that was reached.
    Pooling,
    /// A value function over fluents is learnt during the search and backed up by minimax beside the means.
    Heuristic,
    /// Proof-number search solves small games and endgames beside the tree.
    Solver,
    /// Where time counts, new states are looked ahead of only as far as that brings more than it costs.
    Thrift,
    /// Exploration is in proportion to how far the values of states are spread.
    Spread,
    /// Many playouts are played from each new state: where states are small they take little time beside the tree.
    Wide,
}

impl Part {
    /// All parts.
    pub const ALL: &[Part] = &[
        Part::LookAhead,
        Part::Pooling,
        Part::Heuristic,
        Part::Solver,
        Part::Thrift,
        Part::Spread,
        Part::Wide,
    ];

    /// The name by which it is switched off.
    pub fn name(self) -> &'static str {
        match self {
            Part::LookAhead => "look-ahead",
            Part::Pooling => "pooling",
            Part::Heuristic => "heuristic",
            Part::Solver => "solver",
            Part::Thrift => "thrift",
            Part::Spread => "spread",
            Part::Wide => "wide",
        }
    }
}

/// A set of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// All of them.
    pub const ALL: Parts = Parts(u32::MAX);

    /// None of them.
    pub const NONE: Parts = Parts(0);

    /// Whether a part is on.
    pub fn has(self, part: Part) -> bool {
        self.0 >> part as u32 & 1 == 1
    }

    /// The same without a part.
    #[must_use]
    pub fn without(self, part: Part) -> Parts {
        Parts(self.0 & !(1 << part as u32))
    }
}

impl Default for Parts {
    fn default() -> Self {
        Parts::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_switched_one_by_one() {
        for &part in Part::ALL {
            assert!(Parts::ALL.has(part) && !Parts::NONE.has(part));
            let left = Parts::ALL.without(part);
            assert!(Part::ALL.iter().all(|&other| left.has(other) == (other != part)));
        }
    }
}
