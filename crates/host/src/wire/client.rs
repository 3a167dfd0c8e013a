//! The client of a player: one connection per message, as the protocol has it. The player is untrusted, too: its reply has a limit in
//! bytes and in time.

use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};

use super::http::request_bytes;

/// Where a player listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

/// The usual port of players.
const USUAL_PORT: u16 = 9147;

impl Address {
    /// An address by its parts.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Address { host: host.into(), port }
    }
}

impl FromStr for Address {
    type Err = String;

    /// Reads `http://host:port/`, `host:port` or `http://host`.
    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let rest = rest.trim_end_matches('/');
        let fault = || format!("`{text}` is not the address of a player: write http://HOST:PORT");
        let (host, port) = match rest.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((host, port)) if !port.contains(']') => (host, port.parse().map_err(|_| fault())?),
            _ => (rest, USUAL_PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_name = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "/()".contains(c));
        is_name.then(|| Address::new(host, port)).ok_or_else(fault)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "http://[{}]:{}", self.host, self.port),
            false => write!(f, "http://{}:{}", self.host, self.port),
        }
    }
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The time was over.
    #[error("no reply in time")]
    TooLate,
    /// There is nobody, or the connection broke.
    #[error("no connection: {0}")]
    Connection(std::io::Error),
    /// What came is no reply.
    #[error("the reply is not HTTP")]
    NoReply,
}

/// How long connecting may take, whatever the clock: the time of the usual host.
const CONNECT: Duration = Duration::from_secs(5);

/// The largest reply that is read.
const LARGEST_REPLY: usize = 1 << 20;

/// Sends a message to a player and reads its reply, both before `deadline`.
pub async fn ask(
    address: &Address,
    receiver: &str,
    message: &str,
    deadline: Instant,
) -> Result<String, AskError> {
    let mut stream = match timeout(CONNECT, timeout_at(deadline, connect(address))).await {
        Ok(Ok(connected)) => connected.map_err(AskError::Connection)?,
        Ok(Err(_)) | Err(_) => return Err(AskError::Connection(std::io::ErrorKind::TimedOut.into())),
    };
    let conversation = async {
        let request = request_bytes(&address.host, receiver, message);
        stream.write_all(&request).await.map_err(AskError::Connection)?;
        read_reply(&mut stream).await
    };
    timeout_at(deadline, conversation).await.unwrap_or(Err(AskError::TooLate))
}

async fn connect(address: &Address) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    let found: Vec<SocketAddr> = lookup_host((address.host.as_str(), address.port)).await?.collect();
    for address in found {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn read_reply(stream: &mut TcpStream) -> Result<String, AskError> {
    let mut bytes = Vec::new();
    loop {
        if let Some(reply) = whole_reply(&bytes, false)? {
            return Ok(reply);
        }
        if bytes.len() > LARGEST_REPLY {
            return Err(AskError::NoReply);
        }
        bytes.reserve(4 << 10);
        if stream.read_buf(&mut bytes).await.map_err(AskError::Connection)? == 0 {
            return whole_reply(&bytes, true)?.ok_or(AskError::NoReply);
        }
    }
}

/// The body of a reply, once it is whole: as long as it says, or all there is when the stream has ended.
fn whole_reply(bytes: &[u8], ended: bool) -> Result<Option<String>, AskError> {
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut response = httparse::Response::new(&mut headers);
    let start = match response.parse(bytes) {
        Ok(httparse::Status::Complete(start)) => start,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(AskError::NoReply),
    };
    let body = bytes.get(start..).unwrap_or_default();
    let mut headers = response.headers.iter();
    let length = headers.find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length =
        length.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse::<usize>().ok());
    let body = match length {
        Some(length) if length <= body.len() => &body[..length],
        _ if ended => body,
        _ => return Ok(None),
    };
    Ok(Some(String::from_utf8_lossy(body).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let written = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        assert_eq!(written("http://localhost:9148/"), Ok("http://localhost:9148".into()));
        assert_eq!(written("localhost:80"), Ok("http://localhost:80".into()));
        assert_eq!(written("http://example.org"), Ok("http://example.org:9147".into()));
        assert_eq!(written("http://[::1]:7"), Ok("http://[::1]:7".into()));
        assert_eq!(written("http://[::1]"), Ok("http://[::1]:9147".into()));
        for none in ["", "http://", "localhost:many", "a b", "http://a/b"] {
            assert!(written(none).is_err(), "{none}");
        }
    }

    #[test]
    fn replies_end_by_length_or_with_the_stream() {
        let reply = |bytes: &str, ended| whole_reply(bytes.as_bytes(), ended).ok().flatten();
        let headed = "HTTP/1.0 200 OK\r\nContent-length: 5\r\n\r\nready";
        assert_eq!(reply(headed, false).as_deref(), Some("ready"));
        assert_eq!(reply(&headed[..headed.len() - 1], false), None);
        assert_eq!(reply(&headed[..headed.len() - 1], true).as_deref(), Some("read"));
        assert_eq!(reply("HTTP/1.0 200 OK\r\n\r\n(a b)\n", false), None);
        assert_eq!(reply("HTTP/1.0 200 OK\r\n\r\n(a b)\n", true).as_deref(), Some("(a b)"));
        assert!(whole_reply(b"garbage\r\n\r\n", true).is_err());
        assert_eq!(reply("HTTP", true), None);
    }
}
