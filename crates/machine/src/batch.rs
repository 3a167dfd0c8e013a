//! Queries on many states at once, and random playouts from them. An engine that processes states in parallel
//! implements [`Batch`] itself. [`OneByOne`](crate::OneByOne) adapts every other [`Machine`](crate::Machine).
//!
//! States are passed as [`Rows`]: packed, in flat memory. Results are written to flat arrays that callers reuse, so
//! queries do not allocate in the long run. Searches decide which states to query.
//!
//! ```
//! use groundrules_machine::{Batch, Rows, Views};
//!
//! /// Whether every role has a legal move in each state that is not terminal.
//! fn is_playable(batch: &mut dyn Batch, states: &Rows) -> bool {
//!     let mut views = Views::default();
//!     let roles = batch.roles().len();
//!     batch.look(states, &mut views).is_ok()
//!         && (0..states.len()).all(|state| {
//!             views.is_terminal(state) || (0..roles).all(|role| !views.legal(state, role).is_empty())
//!         })
//! }
//! ```

use groundrules_gdl::Roles;

use crate::index::index32;
use crate::machine::{MachineError, Move, State};
use crate::outcomes::Outcomes;
use crate::rows::Rows;
use crate::views::Views;

/// A game that answers queries on many states at once.
pub trait Batch: Send {
    /// The roles as KIF, in the order of joint moves.
    fn roles(&self) -> &Roles;

    /// The initial state.
    fn initial(&self) -> State;

    /// How many words a packed state has, if all have the same number.
    fn row_width(&self) -> Option<usize>;

    /// The preferred number of states per call. Fewer cost nearly as much.
    fn width(&self) -> usize;

    /// Computes terminality, legal moves and goals of states.
    fn look(&mut self, rows: &Rows, views: &mut Views) -> Result<(), MachineError>;

    /// Makes joint moves: for each number in `from`, takes the row with that number, makes the next joint move of `joints`
    /// in it and appends the next state to `next`. `joints` has one move for each role, in their order, for each number in
    /// `from`. The moves must be legal; engines do not check that. After an error `next` may have some of the states.
    fn advance(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
    ) -> Result<(), MachineError>;

    /// Makes joint moves as [`advance`](Batch::advance) does, and tells which of the next states are ends: `ends` gets the numbers,
    /// ascending, of those that are terminal or in which a role has no legal move. The legal moves are not listed, so this is cheaper
    /// than `advance` and `look`. `next` must be empty.
    fn advance_to_ends(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
        ends: &mut Vec<u32>,
    ) -> Result<(), MachineError> {
        let (mut views, roles) = (Views::default(), self.roles().len());
        self.advance(rows, from, joints, next)?;
        self.look(next, &mut views)?;
        let is_end = |&state: &u32| {
            let state = state as usize;
            views.is_terminal(state) || (0..roles).any(|role| views.legal(state, role).is_empty())
        };
        ends.clear();
        ends.extend((0..index32(next.len())).filter(is_end));
        Ok(())
    }

    /// Plays random playouts to the end, `each` from every state, and writes their outcomes. The seed determines everything.
    fn play_out(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError>;

    /// Plays playouts as [`play_out`](Batch::play_out) does, in which some moves are preferred to others, where the engine can do that
    /// ([`can_be_guided`](Batch::can_be_guided)), and adds to a record which moves were made; else uniform ones, without a record.
    fn play_out_guided(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        _preferences: &Preferences,
        _record: &mut MoveRecord,
        outcomes: &mut Outcomes,
    ) -> Result<(), MachineError> {
        self.play_out(rows, each, limits, outcomes)
    }

    /// The roles of moves, by their numbers, where playouts can be guided.
    fn movers(&self) -> &[u32] {
        &[]
    }

    /// Whether playouts can prefer moves. The first question may take as long as the engine took to be made.
    fn can_be_guided(&self) -> bool {
        false
    }

    /// Replays one of the uniform playouts of such a call and returns its moves: for each joint move one per role, in their order.
    /// `number` counts the playouts from the first state first, then those from the second, and so on. `None` if the moves cannot
    /// be reconstructed because there are too many candidates.
    fn retrace(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError>;

    /// Another batch for another thread. The two may exchange moves and states.
    fn fork(&self) -> Box<dyn Batch>;
}

/// The limits of playouts from given states, and their seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutLimits {
    /// The seed.
    pub seed: u64,
    /// The maximal number of joint moves of a playout.
    pub max_steps: u64,
}

/// Which moves playouts prefer. Those of moves that are not listed are never preferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// For each move by its number.
    pub of_moves: Vec<Preference>,
}

/// In which share of playouts, in sixteenths, a move counts among the best moves, and among the good ones. Each playout draws which do.
/// It then chooses among the good legal moves, where there are any, else among all; and of these among the best, where there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preference {
    /// Among the best of the good ones.
    pub best: u8,
    /// Among the good ones.
    pub good: u8,
}

/// Which moves playouts made, where their role had others, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveRecord {
    /// For each move by its number in how many playouts it was made, and the sum of its role's goals there. A playout counts if its role had
    /// exactly one goal in the end.
    pub of_moves: Vec<(u64, i64)>,
}

/// Whether there is one move for each role for each state that a joint move is made in.
pub(crate) fn check_joints(roles: usize, from: &[u32], joints: &[Move]) -> Result<(), MachineError> {
    if joints.len() == from.len() * roles {
        return Ok(());
    }
    let given = joints.len().checked_div(from.len()).unwrap_or(0);
    Err(MachineError::WrongJointMove { roles, given })
}
