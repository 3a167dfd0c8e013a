//! One connection: a request is read within limits, answered, and the connection is closed, because some hosts read to the
//! end of the stream.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Shared;
use super::crowd::Place;
use super::matches::Reply;
use crate::wire::{Asked, Message, Refusal, Status, WireError, read_request, reply_bytes, word};

/// Serves one connection from its first byte to its end.
pub(super) async fn serve(
    mut stream: TcpStream,
    from: SocketAddr,
    accepted: Instant,
    shared: &Shared,
    place: Place,
) {
    let _ = stream.set_nodelay(true);
    let asked = read_request(&mut stream, &shared.request, &shared.pool).await;
    let kept = place.keep();
    let (status, reply) = match asked {
        Ok(Asked::Options) => (Status::Ok, Reply::word("")),
        Ok(Asked::Message(bytes, held)) => {
            // Somebody looks with a browser: say who is here.
            let is_empty = bytes.is_empty();
            let message = if is_empty { Ok(Message::Info) } else { read_message(&bytes).await };
            drop((bytes, held));
            (Status::Ok, answer(message, from, accepted, shared).await)
        }
        Err(Refusal::Answer(status)) => (status, Reply::word(word::BUSY)),
        Err(Refusal::Gone) => return,
    };
    let written = timeout(WRITE, stream.write_all(&reply_bytes(status, reply.text()))).await;
    shared.matches.has_left(&reply);
    drop(kept);
    if matches!(written, Ok(Ok(()))) {
        close(stream).await;
    }
}

/// A reply is a few bytes, which the system takes at once from whoever reads at all.
const WRITE: Duration = Duration::from_secs(2);

/// Messages larger than this are read on a thread of their own, one at a time, so that they hold nobody up.
const LARGE: usize = 64 << 10;

static LARGE_ONES: Semaphore = Semaphore::const_new(1);

async fn read_message(bytes: &[u8]) -> Result<Message, WireError> {
    if bytes.len() <= LARGE {
        return Message::read(bytes);
    }
    let _one = LARGE_ONES.acquire().await;
    tokio::task::block_in_place(|| Message::read(bytes))
}

async fn answer(
    message: Result<Message, WireError>,
    from: SocketAddr,
    accepted: Instant,
    shared: &Shared,
) -> Reply {
    match message {
        Ok(message) => {
            let id = message.id().unwrap_or_default().to_owned();
            let asked = message.name();
            let reply = shared.matches.answer(message, accepted).await;
            tracing::debug!(%from, asked, id, reply = reply.text());
            reply
        }
        Err(error) => {
            tracing::debug!(%from, %error, "not understood");
            Reply::word(word::BUSY)
        }
    }
}

/// Closes without losing the reply: a connection that is closed on bytes not yet read takes back what was written.
async fn close(mut stream: TcpStream) {
    let drain = async {
        stream.shutdown().await?;
        let mut rest = [0; 4 << 10];
        let mut left: usize = 1 << 20;
        while left > 0 {
            match stream.read(&mut rest).await? {
                0 => break,
                read => left = left.saturating_sub(read),
            }
        }
        std::io::Result::Ok(())
    };
    let _ = timeout(LINGER, drain).await;
}

/// How long the other side has to finish.
const LINGER: Duration = Duration::from_secs(1);
