//! What can go wrong when a game is instantiated. Each error names what is to blame.

/// Why a game was not grounded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// The disjunctions of a rule multiply out to too many clauses.
    #[error("the disjunctions of a rule multiply out to too many clauses")]
    Disjunctions {
        /// The rule's index in the game.
        rule: usize,
    },
    /// A rule has more literals, or terms nested deeper around a variable, than can be worked with.
    #[error("a rule has too many literals, or terms nested too deep around a variable")]
    Unwieldy {
        /// The rule's index in the game.
        rule: usize,
    },
    /// A limit was met.
    #[error("the limit of {limit} {what} was met")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// The rule that made the most instances, by its index in the game.
        rule: usize,
        /// How many it made.
        instances: usize,
    },
    /// Static relations depend on their own negation, and only their arguments tell them apart.
    #[error("static relations are stratified only by their arguments")]
    StaticNegation {
        /// A rule on the cycle, by its index in the game.
        rule: usize,
    },
    /// A variable is not bound by any positive literal; checked games have none.
    #[error("a variable is bound by no positive literal")]
    Unsafe {
        /// The rule's index in the game.
        rule: usize,
    },
}
