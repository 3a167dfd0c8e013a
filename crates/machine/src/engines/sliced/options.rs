//! Options of the engine. It decides for itself whatever is not set.

use super::path::Path;

/// How the engine is to work. Nothing of this changes what is counted on the average; everything but the path changes
/// which playouts a seed gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How gates are run.
    pub path: Option<Path>,
    /// Whether steps are specialised by what the number of moves decides, such as whose turn it is.
    pub phases: Option<bool>,
    /// How moves are chosen.
    pub choice: Option<Method>,
    /// How many rounds of phases are played before finished lanes are scored.
    pub rounds: Option<usize>,
    /// Whether a whole cycle of steps is one circuit.
    pub joined: Option<bool>,
    /// Whether playouts begin in given states. What follows from how a match came to its state is then not known.
    pub given: bool,
    /// Whether playouts from given states prefer some moves to others, as they are told.
    pub guided: bool,
}

/// How one of the legal moves is chosen; with equal chances in either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By its rank among the legal moves: a number below their count is drawn. Lanes in which so many draws were too large
    /// make no move in this step.
    Rank {
        /// How many times a number is drawn in one step.
        draws: usize,
    },
    /// By its rank, as above, but factor by factor: moves are laid out in rows and columns by their arguments. Where that is of
    /// no use, as with few moves, it is the same as by rank.
    Factors {
        /// How many times a number is drawn in one step.
        draws: usize,
    },
    /// By its own number among all moves of the role. Lanes in which that move is not legal make no move in this step.
    Index,
}
