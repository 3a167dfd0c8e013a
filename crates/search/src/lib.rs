//! Players: who chooses moves in a match. A [`Player`] is asked for a move at its [`Seat`], which is one role's place in a match
//! with the state, the legal moves and the means to look ahead. A [`Turn`] has the deadline and the best move so far, so that there is
//! an answer at any moment.
//!
//! [`players`] lists them. To add one, implement [`Player`] (as `examples/cautious.rs` does) and, for the program, add a line to that
//! list. [`referee`] plays matches between players in one program. Network protocols are left to later crates.
//!
//! ```
//! use groundrules_machine::Compiled;
//! use groundrules_search::{Seat, Settings, Turn, players};
//!
//! // One door leads to the goal.
//! let text = "(role you) (init here) (door 1) (door 2) (door 3) (<= (legal you (open ?d)) (door ?d))
//!     (<= (next (behind ?d)) (does you (open ?d))) (<= terminal (not (true here)))
//!     (<= (goal you 100) (true (behind 2))) (<= (goal you 0) (not (true (behind 2))))";
//! let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
//! let mut seat = Seat::at_once(&Compiled::new(game), 0)?;
//! let settings = Settings { simulations: Some(100), ..Settings::default() };
//! let mut player = players::find("mcts").expect("a player").player(&settings);
//! let made = player.choose(&mut seat, &Turn::without_clock())?;
//! assert_eq!(seat.move_text(made), "(open 2)");
//! # Ok::<(), groundrules_search::SearchError>(())
//! ```

mod error;
pub mod parts;
mod player;
pub mod players;
pub mod referee;
mod seat;
mod turn;

pub use error::SearchError;
pub use player::{Player, Settings};
pub use seat::{Equipment, Seat};
pub use turn::Turn;
