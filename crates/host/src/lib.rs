//! Matches by the protocol of general game playing: players that serve ([`serve`]), a manager that runs matches
//! ([`manager`]), and tournaments of them ([`tournament`]). What is said and in which bytes is in [`wire`]; a player at work
//! in a thread of its own is a [`sitting`]; [`margin`] keeps answers before their deadlines.
//!
//! Whoever speaks to a program of this crate is a stranger: what is sent has limits in bytes and time, rules have limits
//! in steps and memory ([`Allowance`]), and nothing that one sender does disturbs another's match. Which files are read
//! and what is printed is left to the program.

mod allowance;
mod journal;
pub mod manager;
pub mod margin;
pub mod serve;
pub mod sitting;
pub mod tournament;
pub mod wire;

pub use allowance::{Allowance, Choice, SitError};
pub use journal::JournalError;
