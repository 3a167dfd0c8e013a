//! Players: who chooses moves in a match. A [`Player`] is asked for a move at its [`Seat`], which is one role's place in a
//! match and knows the state, the legal moves and how to look ahead; a [`Turn`] tells until when to think, and holds the
//! best move so far, so that there is an answer at any moment.
//!
//! [`players`] lists them; to add one, write the methods of [`Player`] (`examples/cautious.rs` does) and, for the program, a
//! line in that list. [`referee`] plays matches between players in one program. Clocks on a wire are left to later crates.

mod error;
mod player;
pub mod players;
pub mod referee;
mod seat;
mod turn;

pub use error::SearchError;
pub use player::{Player, Settings};
pub use seat::{Equipment, Seat};
pub use turn::Turn;
