//! Machines: games that can be played. A [`Machine`] stands in a state of its game and answers what a match asks: is the
//! match over, which moves are legal, what is each role's goal; and it goes on to the next state when told the moves.
//! Each engine under [`engines`] is one way to do that, and all give the same answers.
//!
//! Choosing good moves is left to later crates; here moves are only made.

pub mod engines;
mod machine;

pub use machine::{Machine, MachineError, Move, State};
