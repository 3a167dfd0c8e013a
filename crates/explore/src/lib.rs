//! Exhaustive exploration of games: all reachable states, and what holds in them. [`verify`] gives verdicts on the
//! properties that make a game well formed, with counterexamples; [`mod@solve`] exact values; [`mod@perft`] counts.
//!
//! The layers, each knowing only those before it: packed states in memory ([`arena`], [`shard`]) and how they are expanded
//! in blocks ([`expand`]); how workers reach each other ([`link`], [`mail`]); the [`search`], which runs on any number of
//! workers and finds every state once, with what it sees on its way ([`findings`]); what is found in further passes over the
//! same states ([`lines`](mod@lines), [`cycle`], [`values`]). Every worker runs the same program on the states that it owns, and they
//! speak through a [`link::Link`] alone: threads of one process do, and so may processes.
//!
//! Files are read and written for checkpoints and for states beyond memory, and nowhere else. Progress is told to an
//! observer.

pub mod arena;
pub mod budget;
pub mod checkpoint;
pub mod compact;
pub mod cycle;
pub mod dataflow;
mod error;
pub mod expand;
mod file;
pub mod findings;
pub mod hash;
pub mod lines;
pub mod link;
pub mod mail;
pub mod perft;
mod recent;
pub mod record;
pub mod run;
pub mod sample;
pub mod search;
pub mod shard;
pub mod solve;
pub mod sorted;
pub mod store;
mod table;
pub mod target;
pub mod values;
pub mod verify;

pub use budget::{Budget, Observer, Progress, Silent, Stage, Stop};
pub use error::ExploreError;
pub use lines::Line;
