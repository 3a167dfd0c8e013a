//! Matches by the protocol of general game playing: players that serve ([`serve`]), a manager that runs matches
//! ([`manager`]), and tournaments of them ([`tournament`]). What is said and in which bytes is in [`wire`]; a player at work
//! in a thread of its own is a [`sitting`]; [`margin`] keeps answers before their deadlines.
//!
//! All peers are untrusted: messages have limits in bytes and time, rules have limits in steps and memory ([`Allowance`]), and malformed traffic
//! cannot disturb running matches. Which files are read and what is printed is left to the program.
//!
//! Messages are lists in KIF, in any letter case:
//!
//! ```
//! use groundrules_host::wire::Message;
//!
//! let message = Message::read(b"(play m.1 ((mark 1 1) noop))")?;
//! let Message::Play { id, moves } = message else { panic!("a request for a move") };
//! assert_eq!((id.as_str(), moves.len()), ("m.1", 2));
//! assert!(Message::read(b"(play").is_err(), "malformed requests are errors");
//! # Ok::<(), groundrules_host::wire::WireError>(())
//! ```

mod allowance;
mod fallback;
mod journal;
pub mod manager;
pub mod margin;
pub mod serve;
pub mod sitting;
pub mod tournament;
pub mod wire;

pub use allowance::{Allowance, Choice, SitError};
pub use journal::JournalError;
