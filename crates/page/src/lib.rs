//! The studio as a local server: the built page, embedded, and beside it native engines behind a WebSocket and the match files of a
//! folder. What questions mean is left to the crate `studio`, and what the page shows to the page.
//!
//! `files` are the page's. [`Server`] binds and serves them; `guard` decides who may ask: only pages of this server, by the `Host` and
//! `Origin` of a request, and only who knows the token. `sessions` runs one thread per connection, and `matches` reads the folder.
//! Bytes, connections and files are bounded.

pub mod files;
mod guard;
mod matches;
mod server;
mod sessions;

pub use server::{Options, Server};
