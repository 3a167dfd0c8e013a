//! The answers: what holds, what fails, and how that was found.

use std::fmt;

use crate::invariants::Invariant;
use crate::playouts::Line;
use crate::termination::Measure;

/// What is proved or refuted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Every match ends.
    Termination,
    /// Every role has a legal move wherever the match is not over.
    Playability,
    /// Every role has exactly one goal wherever the match is over.
    Utility,
    /// For every role some line of play leads to its maximal goal.
    WeakWinnability,
    /// Every role has exactly one goal everywhere, and it never falls.
    Monotonicity,
    /// A formula holds in every state.
    Always(String),
    /// A formula holds in no state.
    Never(String),
    /// A formula holds in some state of every match.
    Eventually(String),
}

impl Claim {
    /// The properties of a game that need no formula, in the order of reports.
    pub const PROPERTIES: [Claim; 5] =
        [Claim::Termination, Claim::Playability, Claim::Utility, Claim::WeakWinnability, Claim::Monotonicity];
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Termination => f.write_str("termination"),
            Claim::Playability => f.write_str("playability"),
            Claim::Utility => f.write_str("utility structure"),
            Claim::WeakWinnability => f.write_str("weak winnability"),
            Claim::Monotonicity => f.write_str("monotonicity"),
            Claim::Always(formula) => write!(f, "always {formula}"),
            Claim::Never(formula) => write!(f, "never {formula}"),
            Claim::Eventually(formula) => write!(f, "eventually {formula}"),
        }
    }
}

/// Why no bad state can be reached: an inductive invariant that excludes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Each holds at first; where all hold, and no state is bad, all hold after every legal joint move, and the next state is not bad.
    pub invariants: Vec<Invariant>,
    /// Why every match ends, if that is the claim and a measure shows it.
    pub measure: Option<Measure>,
    /// No match has so many moves: then what bounded model checking did not reach is never reached, and every match ends.
    pub longer_than_all: Option<usize>,
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The rules alone say it, in every state.
    Rules,
    /// Random playouts.
    Playouts,
    /// Random play that is drawn towards what is looked for.
    Guided,
    /// A search for lines, by others.
    Search,
    /// Bounded model checking.
    Bounded,
    /// Guessed invariants that prove each other.
    Induction,
    /// IC3/PDR.
    Pdr,
    /// A measure.
    Measure,
    /// Several, one for each role.
    Several,
}

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Rules => "rules",
            Method::Playouts => "playouts",
            Method::Guided => "guided playouts",
            Method::Search => "search",
            Method::Bounded => "bounded model checking",
            Method::Induction => "induction",
            Method::Pdr => "PDR",
            Method::Measure => "measure",
            Method::Several => "several",
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The claim holds, for this reason.
    Proved(Proof),
    /// Lines of play show that it holds: one for each role that is judged.
    Shown(Vec<Line>),
    /// It fails, as a line of play shows.
    Refuted(Line),
    /// It fails, and no line can show it: for this role there is none, for this reason.
    Impossible(usize, Proof),
    /// It is not known, for this reason.
    Open(String),
}

/// What was found about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The claim.
    pub claim: Claim,
    /// The answer.
    pub answer: Answer,
    /// How it was found; nothing if it is open.
    pub method: Option<Method>,
    /// The answer in words.
    pub why: String,
    /// How long it took, in seconds from the beginning.
    pub seconds: f64,
}

impl Verdict {
    /// Whether the claim holds; nothing if that is open.
    pub fn holds(&self) -> Option<bool> {
        match self.answer {
            Answer::Proved(_) | Answer::Shown(_) => Some(true),
            Answer::Refuted(_) | Answer::Impossible(..) => Some(false),
            Answer::Open(_) => None,
        }
    }
}
