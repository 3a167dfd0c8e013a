//! What can go wrong when a game is instantiated. Each error names what is to blame.

use std::fmt;
#[cfg(feature = "gringo")]
use std::sync::Arc;

use groundrules_gdl::time::Cancelled;

#[cfg(feature = "gringo")]
use crate::methods::gringo::GringoError;

/// The rule that made a grounding too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The rule, by its index in the game.
    pub rule: usize,
    /// How many atoms and ground rules it made.
    pub made: u64,
    /// How many rows were tried for it.
    pub tried: u64,
    /// Its variables with the number of values that each has, the most first.
    pub variables: Vec<(String, u32)>,
}

impl fmt::Display for Blame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "it made {} instances and tried {} rows", self.made, self.tried)?;
        for (place, (name, values)) in self.variables.iter().enumerate() {
            write!(out, "{} {name} has {values} values", if place == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

/// Why a game was not grounded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroundError {
    /// The disjunctions of a rule multiply out to too many clauses.
    #[error("the disjunctions of a rule multiply out to too many clauses")]
    Disjunctions {
        /// The rule's index in the game.
        rule: usize,
    },
    /// A rule has too many literals, or terms nested too deep around a variable.
    #[error("a rule has too many literals, or terms nested too deep around a variable")]
    Unwieldy {
        /// The rule's index in the game.
        rule: usize,
    },
    /// A limit was exceeded.
    #[error("the limit of {limit} {what} was met")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The rule that made the most.
        blame: Blame,
    },
    /// Terms nest deeper and deeper.
    #[error("terms grow without end: one is nested {depth} deep")]
    Depth {
        /// How deep the term is that was one too many.
        depth: usize,
        /// The rule that made the most.
        blame: Blame,
    },
    /// Static atoms depend on their own negation.
    #[error("a static atom depends on its own negation")]
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
    /// Somebody cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The program gringo did not ground it.
    #[cfg(feature = "gringo")]
    #[error(transparent)]
    Gringo(#[from] Arc<GringoError>),
}

#[cfg(feature = "gringo")]
impl From<GringoError> for GroundError {
    fn from(error: GringoError) -> Self {
        match error {
            GringoError::Cancelled(cancelled) => cancelled.into(),
            error => GroundError::Gringo(Arc::new(error)),
        }
    }
}

impl GroundError {
    /// The rule that is to blame, by its index in the game, where one is.
    pub fn rule(&self) -> Option<usize> {
        match self {
            GroundError::Limit { blame, .. } | GroundError::Depth { blame, .. } => Some(blame.rule),
            GroundError::Disjunctions { rule }
            | GroundError::Unwieldy { rule }
            | GroundError::StaticNegation { rule }
            | GroundError::Unsafe { rule } => Some(*rule),
            GroundError::Cancelled(_) => None,
            #[cfg(feature = "gringo")]
            GroundError::Gringo(_) => None,
        }
    }

    /// What the rule made, where that is why it is to blame.
    pub fn blame(&self) -> Option<&Blame> {
        match self {
            GroundError::Limit { blame, .. } | GroundError::Depth { blame, .. } => Some(blame),
            _ => None,
        }
    }
}

/// Why a join stops early; small, because joins hand it through many levels.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The game cannot be grounded.
    Error(Box<GroundError>),
    /// Writing a relation out has become too much; it can still be evaluated on demand.
    TooMany,
}

impl From<GroundError> for Halt {
    fn from(error: GroundError) -> Self {
        Halt::Error(Box::new(error))
    }
}

impl From<Halt> for GroundError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Error(error) => *error,
            // Whoever allows only so much also says what happens then.
            Halt::TooMany => GroundError::Limit {
                what: "atoms of a static relation",
                limit: 0,
                blame: Blame { rule: 0, made: 0, tried: 0, variables: Vec::new() },
            },
        }
    }
}
