//! The language server: the questions of an editor come in by the Language Server Protocol and are answered by
//! `groundrules_analysis`. This crate knows the protocol and time; it knows nothing of GDL that the analysis does not.
//!
//! `transport` reads and writes messages, with limits, because the other side may send anything. `server` is the loop: it
//! holds the open documents, answers requests in order, and reports diagnostics once no further edit is waiting. `requests`
//! has one function per question, `convert` turns offsets into positions, `folder` knows the files of the workspace. `background` computes what takes long (grounding,
//! network, states) on a thread of its own within a budget; the next edit cancels it, and what it finds arrives as hints,
//! lenses and warnings.
//!
//! A client talks to the server over any pair of channels; here both are in one process:
//!
//! ```
//! use groundrules_lsp::lsp_server::{Connection, Message, Notification, Request};
//! use serde_json::json;
//!
//! let (client, server) = Connection::memory();
//! let serving = std::thread::spawn(move || groundrules_lsp::serve(server));
//! client.sender.send(Request::new(1.into(), "initialize".into(), json!({ "capabilities": {} })).into())?;
//! let Message::Response(answer) = client.receiver.recv()? else { panic!("not an answer") };
//! assert_eq!(answer.response_result.expect("capabilities")["capabilities"]["hoverProvider"], true);
//! client.sender.send(Notification::new("initialized".into(), json!({})).into())?;
//! client.sender.send(Request::new(2.into(), "shutdown".into(), json!(null)).into())?;
//! client.sender.send(Notification::new("exit".into(), json!(null)).into())?;
//! serving.join().expect("no panic")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod background;
mod capabilities;
mod convert;
mod folder;
mod requests;
mod server;
mod settings;
mod transport;

use lsp_server::Connection;

pub use lsp_server;

pub use server::serve;
pub use settings::Settings;
pub use transport::{listen, stdio};

/// Why the server stopped before it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not begin as the protocol says, or went away.
    #[error("the client broke the protocol: {0}")]
    Protocol(#[from] lsp_server::ProtocolError),
    /// The connection could not be made.
    #[error("no connection")]
    Connection(#[from] std::io::Error),
    /// The client's parameters could not be read.
    #[error("the client's first message could not be read")]
    Parameters(#[from] serde_json::Error),
    /// The client left without a word.
    #[error("the client closed the connection without `exit`")]
    Gone,
}

/// Serves over standard input and output until the client says `exit`.
pub fn serve_stdio() -> Result<(), ServeError> {
    let (connection, threads) = stdio();
    finish(connection, threads)
}

/// Waits for one client at a port of this machine, and serves it.
pub fn serve_tcp(port: u16, ready: impl FnOnce(std::net::SocketAddr)) -> Result<(), ServeError> {
    let (connection, threads) = listen(port, ready)?;
    finish(connection, threads)
}

fn finish(connection: Connection, threads: transport::Threads) -> Result<(), ServeError> {
    let result = serve(connection);
    threads.join_writer();
    result
}
