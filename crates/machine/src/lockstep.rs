//! Many matches at once, one lane each, that stay loaded between calls and are told their moves: what training loops need.
//! Answers are written into flat memory that the caller owns, so that a front end can hand it on without a copy.
//!
//! The engine `sliced` keeps lanes as columns of bits (`engines/sliced/lockstep`); all others go through [`ByBatch`]. Which moves are good is left to the caller.
//!
//! ```
//! use groundrules_machine::{Actions, Arrays, Compiled, LaneOptions};
//!
//! let rules = "(role you) (init (n 0)) (s 0 1) (s 1 2) (legal you go) (legal you stay)
//!     (<= (next (n ?y)) (true (n ?x)) (does you go) (s ?x ?y)) (<= (next (n ?x)) (true (n ?x)) (does you stay))
//!     (<= terminal (true (n 2))) (goal you 100)";
//! let game = groundrules_gdl::read(rules.as_bytes(), &groundrules_gdl::Options::default()).game.unwrap();
//! let mut lanes = Compiled::new(game).lockstep(3, LaneOptions::default())?;
//! let go = lanes.layout().find(0, "go").unwrap() as i64;
//! let mut rewards = [0.0; 3];
//! for _ in 0..2 {
//!     let mut arrays = Arrays { rewards: &mut rewards, ..Arrays::default() };
//!     lanes.step(Actions::Joint((&[go, go, 1 - go]).into()), true, &mut arrays)?;
//! }
//! assert_eq!(rewards, [100.0, 100.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrays;
mod by_batch;
mod layout;

use crate::machine::{MachineError, Move};
use crate::rows::Rows;

pub use arrays::{Actions, Arrays, Legal, Numbers, Observations};
pub use by_batch::ByBatch;
pub use layout::LaneLayout;

pub(crate) use arrays::{ActionNumber, with_numbers};

/// What becomes of lanes whose match is over, and when a match is cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOptions {
    /// Whether a lane begins a new match in the same step in which its match ended. Otherwise it stays where it is, and
    /// its moves are not looked at.
    pub auto_reset: bool,
    /// Matches are cut short after so many joint moves.
    pub max_steps: u32,
}

impl Default for LaneOptions {
    fn default() -> Self {
        LaneOptions { auto_reset: true, max_steps: u32::MAX }
    }
}

/// Whose turn it is, by the codes that OpenSpiel has for it. A role has the turn where it alone has several legal moves. Where
/// nobody has, it is the first role whose one move some rule refers to.
pub mod turn {
    /// The role `random` has the turn.
    pub const CHANCE: i8 = -1;
    /// Several roles choose at the same time.
    pub const SIMULTANEOUS: i8 = -2;
    /// The match is over.
    pub const TERMINAL: i8 = -4;
}

/// Why lanes make no step. Then nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// There is not one number for each place.
    #[error("{expected} {what} are needed, and {given} were given")]
    WrongLength {
        /// Of what.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// A number is that of no move.
    #[error("lane {lane}: action {action} of role {role} is not in 0..{count}")]
    NoSuchAction {
        /// The lane.
        lane: usize,
        /// The role.
        role: usize,
        /// The number that was given.
        action: i64,
        /// How many moves the role has.
        count: usize,
    },
    /// A move is not legal.
    #[error("lane {lane}: action {action} of role {role} is not legal")]
    Illegal {
        /// The lane.
        lane: usize,
        /// The role.
        role: usize,
        /// The number that was given.
        action: usize,
        /// The move.
        made: Move,
    },
    /// One move for a lane says nothing where several roles choose.
    #[error(
        "lane {lane}: several roles choose at the same time, so there must be an action for each of them"
    )]
    SeveralChoose {
        /// The lane.
        lane: usize,
    },
    /// A state that was to be loaded is none of this game.
    #[error("states of this game have {expected} words, and these have {given}")]
    OtherStates {
        /// The words of a state.
        expected: usize,
        /// What was given.
        given: usize,
    },
}

/// What random moves came to, in all lanes together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rolled {
    /// Joint moves made.
    pub moves: u64,
    /// Matches that ended by the rules.
    pub matches: u64,
    /// Matches that were cut short.
    pub truncated: u64,
    /// For each role the sum of its goals where matches ended with exactly one.
    pub rewards: Vec<i64>,
}

/// Many matches at once.
pub trait Lockstep: Send {
    /// How lanes, roles, moves and fluents are numbered.
    fn layout(&self) -> &LaneLayout;

    /// Puts some lanes, or all of them, into the initial state, and writes what is seen then.
    fn reset(&mut self, lanes: Option<&[bool]>, arrays: &mut Arrays<'_>) -> Result<(), StepError>;

    /// Makes one joint move in every lane whose match is not over and which is not held, and writes what is seen then. Unchecked moves must be legal:
    /// what an illegal one leads to is some state, not always the one that the rules give.
    fn step(&mut self, actions: Actions<'_>, checked: bool, arrays: &mut Arrays<'_>)
    -> Result<(), StepError>;

    /// Says which lanes take part in steps and rollouts from now on; the others stay where they are. All of them if nothing is
    /// said.
    fn hold_others(&mut self, moving: Option<&[bool]>) -> Result<(), StepError>;

    /// Writes random legal actions, for each lane one of each role; 0 where the match is over. The seed decides all of them.
    fn random_actions(&mut self, seed: u64, actions: &mut [i32]) -> Result<(), StepError>;

    /// Makes random legal moves, so many times in every lane whose match is not over, and writes what is seen at the end.
    fn rollout(&mut self, steps: u64, seed: u64, arrays: &mut Arrays<'_>) -> Result<Rolled, StepError>;

    /// The states of all lanes, packed as those of the engine's [`Batch`](crate::Batch).
    fn save(&self) -> Rows;

    /// How many joint moves each lane's match has had.
    fn steps(&self) -> Vec<u32>;

    /// Puts all lanes into saved states, and writes what is seen then.
    fn load(&mut self, states: &Rows, steps: &[u32], arrays: &mut Arrays<'_>) -> Result<(), StepError>;
}

/// Whether there is what is needed.
pub(crate) fn check_length(what: &'static str, expected: usize, given: usize) -> Result<(), StepError> {
    if expected == given { Ok(()) } else { Err(StepError::WrongLength { what, expected, given }) }
}
