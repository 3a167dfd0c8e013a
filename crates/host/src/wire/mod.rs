//! The wire: what programs of general game playing say to each other, and how that is put into HTTP.
//!
//! [`Message`] is what a host says; a player answers with a word or a move. `kif` takes texts apart, `request` reads
//! untrusted requests within limits, `http` writes and decodes bytes, `client` asks a player. Nothing here knows a match.

mod client;
mod http;
mod kif;
mod message;
mod request;

pub use client::{Address, AskError, ask};
pub use http::{Status, decode_target, reply_bytes, request_bytes};
pub use kif::{Text, WireError, one_term, rules_on_one_line};
pub use message::{Message, Start, word};
pub use request::{Asked, Limits, Pool, Refusal, read_request};
