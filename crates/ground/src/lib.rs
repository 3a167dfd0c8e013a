//! Grounding: from a checked [`Game`] to a [`GroundGame`], that is fluents, moves and ground rules whose atoms a state or a
//! move decides.
//!
//! The road: `functors` finds what whole fluents and moves can be; `clause` takes disjunctions and such variables apart; `tuples` stores what is known of a predicate; `join` finds
//! every way to satisfy a clause; `instantiate` repeats that until nothing new follows, which gives the superset of
//! what can ever hold and, in the same pass, every ground rule; `convert` numbers the atoms and takes out what is
//! decided. [`evaluator`] plays a ground game directly, for tests. Gates and states are left to later crates.
//!
//! This is the one-step method of Vittaut and Méhat: one least fixpoint over `base ← init`, `base ← next` and
//! `input ← legal` with dynamic negation passed over. `base` and `input` of the description are never trusted.

mod clause;
mod convert;
#[allow(dead_code, reason = "the methods move to it one by one")]
mod draft;
mod error;
pub mod evaluator;
mod functors;
pub mod ground_game;
mod instantiate;
mod join;
mod limits;
mod tuples;

use groundrules_gdl::Game;

pub use error::GroundError;
pub use ground_game::GroundGame;
pub use limits::Limits;

/// Grounds a game.
pub fn ground(game: &Game, limits: Limits) -> Result<GroundGame, GroundError> {
    let mut fixpoint = instantiate::Fixpoint::new(game, limits)?;
    fixpoint.run()?;
    Ok(convert::convert(&fixpoint))
}
