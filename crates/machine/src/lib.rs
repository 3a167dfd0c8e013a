//! Machines: games that can be played. A [`Machine`] stands in a state of its game and answers what a match asks: is the
//! match over, which moves are legal, what is each role's goal; and it goes on to the next state when told the moves.
//! Each engine under [`engines`] is one way to do that, and all give the same answers.
//!
//! On machines stand [`playout`] (random matches), [`run()`] (many of them, over several threads) and [`InWords`], by
//! which recorded matches are replayed; [`Batch`] asks about many states at once, and [`Lockstep`] keeps many matches that are
//! told their moves. Choosing good moves is left to later crates; here moves are only made.

mod batch;
pub mod compiled;
pub mod engines;
mod index;
pub mod lockstep;
mod machine;
mod moves;
mod one_by_one;
mod outcomes;
pub mod playout;
mod plays;
mod rows;
pub mod run;
mod tally;
mod views;
mod vocabulary;

pub use batch::{Batch, PlayoutLimits};
pub use compiled::Compiled;
pub use lockstep::{Actions, Arrays, LaneLayout, LaneOptions, Lockstep, Rolled, StepError};
pub use machine::{Machine, MachineError, Move, State};
pub use moves::MoveError;
pub use one_by_one::OneByOne;
pub use outcomes::Outcomes;
pub use plays::InWords;
pub use rows::Rows;
pub use run::run;
pub use tally::{Goals, Mean, Moments, Tally};
pub use views::Views;
pub use vocabulary::{Fluent, Vocabulary};
