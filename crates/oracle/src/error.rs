//! What can go wrong while a description that passed the checks is evaluated.

/// Why the oracle has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// The budget is spent.
    #[error("out of steps in {rule}")]
    OutOfSteps {
        /// The rule that was being evaluated.
        rule: String,
    },
    /// An atom depends on its own negation, so the rules do not say whether it holds.
    #[error("an atom depends on its own negation: {}", .cycle.join(" → "))]
    NegativeCycle {
        /// The atoms of the cycle, each with `not` before it where it is negated; the last is the first
        /// again.
        cycle: Vec<String>,
    },
    /// A variable that no positive literal binds. The checks of `gdl` refuse such rules.
    #[error("a variable is not bound in {rule}")]
    Unsafe {
        /// The rule.
        rule: String,
    },
    /// More conditions wait for each other than the search can nest.
    #[error("too many conditions in {rule}")]
    LargeRule {
        /// The rule.
        rule: String,
    },
    /// A term whose text is too long to be written down.
    #[error("a term has {length} bytes as text")]
    LongTerm {
        /// How long the text would be.
        length: u64,
    },
    /// A text that is no term made of the description's names.
    #[error("`{text}` is not a term of this game")]
    UnknownTerm {
        /// The text.
        text: String,
    },
    /// A joint move has one move for each role.
    #[error("{given} moves for {roles} roles")]
    WrongJointMove {
        /// The number of roles.
        roles: usize,
        /// How many moves were given.
        given: usize,
    },
}
