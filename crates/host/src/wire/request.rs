//! Reading one untrusted request. Malformed requests end in an error: the head, the body and the time have limits, and bodies beyond a few
//! kilobytes share a [`Pool`], so that many senders at once take no more memory than a few.
//!
//! `httparse` reads the headers. The first line is taken apart here, because hosts put messages into it that are no proper
//! target.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::http::{Status, decode_target};
use super::kif::MOST_BYTES;

/// What a request may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of the first line and the headers.
    pub head: usize,
    /// The most bytes of a body.
    pub body: usize,
    /// The time from the connection to the last byte.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { head: 64 << 10, body: MOST_BYTES, time: Duration::from_secs(10) }
    }
}

/// Memory that large bodies share.
#[derive(Clone, Debug)]
pub struct Pool {
    pages: Arc<Semaphore>,
}

/// What a connection may use without asking, and the step in which it asks for more.
const PAGE: usize = 64 << 10;

impl Pool {
    /// A pool of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Pool { pages: Arc::new(Semaphore::new((bytes / PAGE).min(Semaphore::MAX_PERMITS))) }
    }
}

/// What was asked for.
#[derive(Debug)]
pub enum Asked {
    /// A message, and the memory that it takes.
    Message(Vec<u8>, Held),
    /// What a web page may ask (OPTIONS).
    Options,
}

/// Memory of a [`Pool`], given back when it is dropped.
#[derive(Debug, Default)]
pub struct Held(Option<OwnedSemaphorePermit>);

/// Why a request was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The sender went away.
    Gone,
    /// To be answered with a status.
    Answer(Status),
}

/// Reads a request from a connection.
pub async fn read_request<S>(stream: &mut S, limits: &Limits, pool: &Pool) -> Result<Asked, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut reading = Reading { stream, bytes: Vec::new(), limits, pool, held: Held::default() };
    match timeout(limits.time, reading.request()).await {
        Ok(read) => read,
        Err(_) => Err(Refusal::Answer(Status::TooSlow)),
    }
}

struct Reading<'a, S> {
    stream: &'a mut S,
    /// What was read and not yet used.
    bytes: Vec<u8>,
    limits: &'a Limits,
    pool: &'a Pool,
    held: Held,
}

/// What the first line and the headers say.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    method: Method,
    target: Vec<u8>,
    body: Body,
    waits_for_word: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Get,
    Post,
    Options,
}

/// How the end of the body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Length(usize),
    Chunked,
    /// By nothing but its parentheses, or the end of the stream.
    Unknown,
}

const BAD: Refusal = Refusal::Answer(Status::BadRequest);
const TOO_LARGE: Refusal = Refusal::Answer(Status::TooLarge);

impl<S: AsyncRead + AsyncWrite + Unpin> Reading<'_, S> {
    async fn request(&mut self) -> Result<Asked, Refusal> {
        let end = loop {
            match end_of_head(&self.bytes) {
                Some(end) if end <= self.limits.head => break end,
                None if self.bytes.len() <= self.limits.head => {}
                _ => return Err(TOO_LARGE),
            }
            self.more().await?.then_some(()).ok_or(Refusal::Gone)?;
        };
        let head: Vec<u8> = self.bytes.drain(..end).collect();
        let head = read_head(&head).ok_or(BAD)?;
        match head.method {
            Method::Options => Ok(Asked::Options),
            Method::Get => Ok(Asked::Message(decode_target(&head.target), Held::default())),
            Method::Post => {
                if head.waits_for_word {
                    let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
                    self.stream.write_all(go_on).await.map_err(|_| Refusal::Gone)?;
                }
                let body = self.body(head.body).await?;
                Ok(Asked::Message(body, std::mem::take(&mut self.held)))
            }
        }
    }

    async fn body(&mut self, body: Body) -> Result<Vec<u8>, Refusal> {
        match body {
            Body::Length(length) => {
                if length > self.limits.body {
                    return Err(TOO_LARGE);
                }
                while self.bytes.len() < length {
                    self.more().await?.then_some(()).ok_or(Refusal::Gone)?;
                }
                self.bytes.truncate(length);
                Ok(std::mem::take(&mut self.bytes))
            }
            Body::Chunked => self.chunks().await,
            Body::Unknown => {
                let mut balance = Balance::default();
                while !balance.is_whole(&self.bytes) && self.more().await? {}
                Ok(std::mem::take(&mut self.bytes))
            }
        }
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, Refusal> {
        let mut body = Vec::new();
        loop {
            let (size_line, size) = loop {
                match httparse::parse_chunk_size(&self.bytes) {
                    Ok(httparse::Status::Complete(size)) => break size,
                    Ok(httparse::Status::Partial) if self.bytes.len() <= LONGEST_CHUNK_LINE => {}
                    _ => return Err(BAD),
                }
                self.more().await?.then_some(()).ok_or(Refusal::Gone)?;
            };
            if size == 0 {
                return Ok(body);
            }
            let size = usize::try_from(size).map_err(|_| TOO_LARGE)?;
            if size > self.limits.body.saturating_sub(body.len()) {
                return Err(TOO_LARGE);
            }
            // A chunk ends with a line end of its own.
            while self.bytes.len() < size_line + size + 2 {
                self.more().await?.then_some(()).ok_or(Refusal::Gone)?;
            }
            body.extend_from_slice(&self.bytes[size_line..size_line + size]);
            self.bytes.drain(..size_line + size + 2);
            self.hold(body.len() + self.bytes.len())?;
        }
    }

    /// Reads on; says whether there was more.
    async fn more(&mut self) -> Result<bool, Refusal> {
        if self.bytes.len() > self.limits.head + self.limits.body {
            return Err(TOO_LARGE);
        }
        self.hold(self.bytes.len() + STEP)?;
        self.bytes.reserve(STEP);
        let read = self.stream.read_buf(&mut self.bytes).await.map_err(|_| Refusal::Gone)?;
        Ok(read > 0)
    }

    /// Takes memory from the pool for so many bytes, or says that there is none.
    fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        let wanted = bytes.saturating_sub(PAGE).div_ceil(PAGE);
        let has = self.held.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if wanted <= has {
            return Ok(());
        }
        let missing = u32::try_from(wanted - has).map_err(|_| TOO_LARGE)?;
        let permit = self.pool.pages.clone().try_acquire_many_owned(missing).map_err(|_| TOO_LARGE)?;
        match &mut self.held.0 {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        Ok(())
    }
}

/// How much is read at once.
const STEP: usize = 8 << 10;

/// The size of a chunk takes no longer line than this.
const LONGEST_CHUNK_LINE: usize = 1 << 10;

/// Where the head ends: behind the first empty line.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let mut line = 0;
    ends.find_map(|end| {
        let is_empty = matches!(&bytes[line..end], b"" | b"\r");
        let first = line == 0;
        line = end + 1;
        // Empty lines before the request are passed over by `read_head`.
        (is_empty && !first).then_some(end + 1)
    })
}

fn read_head(head: &[u8]) -> Option<Head> {
    let head = head.trim_ascii_start();
    let end = head.iter().position(|&byte| byte == b'\n')?;
    let (line, headers) = (head[..end].trim_ascii_end(), &head[end + 1..]);
    let method_end = line.iter().position(|&byte| byte == b' ')?;
    let method = match line[..method_end].to_ascii_uppercase().as_slice() {
        b"GET" => Method::Get,
        b"POST" => Method::Post,
        b"OPTIONS" => Method::Options,
        _ => return None,
    };
    let rest = line[method_end..].trim_ascii();
    // Some hosts write the message into the target with its spaces; the version is behind the last one.
    let version = rest
        .iter()
        .rposition(|&byte| byte == b' ')
        .filter(|&at| rest.get(at + 1..at + 6).is_some_and(|version| version.eq_ignore_ascii_case(b"HTTP/")));
    let target = rest[..version.unwrap_or(rest.len())].trim_ascii().to_vec();
    let (body, waits_for_word) = read_headers(headers)?;
    Some(Head { method, target, body, waits_for_word })
}

/// What headers say about the body, and whether the sender waits for a word before it sends one.
fn read_headers(bytes: &[u8]) -> Option<(Body, bool)> {
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let httparse::Status::Complete((_, headers)) = httparse::parse_headers(bytes, &mut headers).ok()? else {
        return None;
    };
    let (mut body, mut waits) = (Body::Unknown, false);
    for header in headers {
        let value = header.value.trim_ascii();
        if header.name.eq_ignore_ascii_case("content-length") && body != Body::Chunked {
            body = Body::Length(std::str::from_utf8(value).ok()?.parse().ok()?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            body = value.eq_ignore_ascii_case(b"chunked").then_some(Body::Chunked)?;
        } else if header.name.eq_ignore_ascii_case("expect") {
            waits = value.eq_ignore_ascii_case(b"100-continue");
        }
    }
    Some((body, waits))
}

/// Counts parentheses, so that a message without a length has an end before its sender closes the connection.
#[derive(Default)]
struct Balance {
    seen: usize,
    depth: usize,
    in_comment: bool,
    opened: bool,
}

impl Balance {
    /// Whether what was read so far is a whole list.
    fn is_whole(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes.get(self.seen..).unwrap_or_default() {
            match byte {
                b'\n' | b'\r' => self.in_comment = false,
                _ if self.in_comment => {}
                b';' => self.in_comment = true,
                b'(' => (self.depth, self.opened) = (self.depth + 1, true),
                b')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.seen = bytes.len();
        self.opened && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Result<Asked, Refusal> {
        let (mut here, mut there) = tokio::io::duplex(1 << 20);
        there.write_all(bytes).await.expect("a pipe");
        drop(there);
        let limits = Limits { head: 1000, body: 200_000, time: Duration::from_secs(60) };
        read_request(&mut here, &limits, &Pool::new(1 << 20)).await
    }

    async fn message(bytes: &[u8]) -> String {
        match read(bytes).await {
            Ok(Asked::Message(message, _)) => String::from_utf8_lossy(&message).into_owned(),
            other => panic!("{}: {other:?}", String::from_utf8_lossy(bytes)),
        }
    }

    #[tokio::test]
    async fn messages_come_in_many_forms() {
        assert_eq!(message(b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)").await, "(INFO)");
        assert_eq!(message(b"\r\npost / http/1.1\ncontent-length: 6\nHost: x\n\n(INFO)more").await, "(INFO)");
        assert_eq!(message(b"POST / HTTP/1.0\r\n\r\n(IN FO)\r\n").await, "(IN FO)\r\n");
        assert_eq!(message(b"POST / HTTP/1.0\r\n\r\n(never closed").await, "(never closed");
        assert_eq!(message(b"GET /%28INFO%29 HTTP/1.0\r\n\r\n").await, "(INFO)");
        assert_eq!(message(b"GET /( INFO ) HTTP/1.0\r\nAccept: text/delim\r\n\r\n\r\n").await, "( INFO )");
        let chunked =
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3;x=y\r\nFO)\r\n0\r\n\r\n";
        assert_eq!(message(chunked).await, "(INFO)");
        assert!(matches!(read(b"OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n").await, Ok(Asked::Options)));
    }

    #[tokio::test]
    async fn limits_are_kept() {
        let refused = |bytes: Vec<u8>| async move { read(&bytes).await.map(|_| ()).unwrap_err() };
        assert_eq!(refused(b"".to_vec()).await, Refusal::Gone);
        assert_eq!(
            refused(b"POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n(INFO)".to_vec()).await,
            Refusal::Gone
        );
        assert_eq!(refused(b"hello\r\n\r\n".to_vec()).await, BAD);
        assert_eq!(refused(b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n".to_vec()).await, BAD);
        assert_eq!(refused(b"POST / HTTP/1.0\r\nContent-Length: 200001\r\n\r\n".to_vec()).await, TOO_LARGE);
        assert_eq!(refused(vec![b'a'; 5000]).await, TOO_LARGE);
        let endless = [b"POST / HTTP/1.0\r\n\r\n(".to_vec(), vec![b' '; 500_000]].concat();
        assert_eq!(refused(endless).await, TOO_LARGE);
        let chunks =
            [b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n".to_vec(), vec![0; 9000]]
                .concat();
        assert_eq!(refused(chunks).await, TOO_LARGE);
        assert_eq!(
            refused(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec()).await,
            BAD
        );
    }

    #[tokio::test]
    async fn large_bodies_share_a_pool() {
        let (mut here, mut there) = tokio::io::duplex(1 << 20);
        let request =
            [b"POST / HTTP/1.0\r\nContent-Length: 150000\r\n\r\n".to_vec(), vec![b' '; 150_000]].concat();
        there.write_all(&request).await.expect("a pipe");
        let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
        let small = Pool::new(PAGE);
        assert_eq!(read_request(&mut here, &limits, &small).await.map(|_| ()), Err(TOO_LARGE));
        assert_eq!(small.pages.available_permits(), 1, "what was taken is given back");
    }

    #[tokio::test]
    async fn slow_senders_are_left() {
        let (mut here, _there) = tokio::io::duplex(100);
        let limits = Limits { time: Duration::from_millis(5), ..Limits::default() };
        let refused = read_request(&mut here, &limits, &Pool::new(0)).await.map(|_| ());
        assert_eq!(refused, Err(Refusal::Answer(Status::TooSlow)));
    }
}
