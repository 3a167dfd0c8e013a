//! Messages of the protocol over bytes: headers, a blank line, JSON. The other side may send anything: a message has a
//! largest size, and one that is not a message of the protocol is answered with an error and passed over.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::{Connection, Message};
use serde_json::json;

/// The largest message, in bytes. Whole texts are sent when documents are opened.
const MOST_BYTES: usize = 128 << 20;
/// The longest header line, and the most of them.
const LONGEST_HEADER: u64 = 4 << 10;
const MOST_HEADERS: usize = 64;
/// Messages that wait to be looked at, or to be written.
const WAITING: usize = 256;

/// The threads behind a connection.
pub struct Threads {
    writer: JoinHandle<()>,
}

impl Threads {
    /// Waits until everything is written. The connection must have been dropped.
    pub(crate) fn join_writer(self) {
        // A writer that failed has nobody left to tell.
        let _ = self.writer.join();
    }
}

/// A connection over standard input and output.
pub fn stdio() -> (Connection, Threads) {
    connect(|| BufReader::new(io::stdin()), io::stdout())
}

/// Waits for one client at a port of this machine; port 0 takes a free one. `ready` is told the address.
pub fn listen(port: u16, ready: impl FnOnce(SocketAddr)) -> io::Result<(Connection, Threads)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    ready(listener.local_addr()?);
    let (stream, _) = listener.accept()?;
    let input = stream.try_clone()?;
    Ok(connect(move || BufReader::new(input), stream))
}

fn connect<R: BufRead>(
    input: impl FnOnce() -> R + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, Threads) {
    let (send_in, receive_in) = bounded(WAITING);
    let (send_out, receive_out) = bounded::<Message>(WAITING);
    let (send_raw, receive_raw) = bounded::<Vec<u8>>(WAITING);
    // The reader waits for input and cannot be joined; it ends with the process.
    std::thread::spawn(move || read_all(&mut input(), &send_in, &send_raw));
    let writer = std::thread::spawn(move || write_all(output, &receive_out, &receive_raw));
    (Connection { sender: send_out, receiver: receive_in }, Threads { writer })
}

/// What came in.
enum Incoming {
    Message(Message),
    /// Something that is no message of the protocol.
    Malformed(String),
}

fn read_all(input: &mut impl BufRead, messages: &Sender<Message>, replies: &Sender<Vec<u8>>) {
    while let Ok(Some(incoming)) = read(input) {
        let sent = match incoming {
            Incoming::Message(message) => {
                let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
                let sent = messages.send(message).is_ok();
                sent && !is_exit
            }
            Incoming::Malformed(why) => {
                let error = json!({ "code": -32700, "message": why });
                let reply = json!({ "jsonrpc": "2.0", "id": null, "error": error });
                replies.send(framed(reply.to_string().as_bytes())).is_ok()
            }
        };
        if !sent {
            return;
        }
    }
}

/// Reads one message; nothing at the end of the input. An error means that where the next message begins is not known.
fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = read_headers(input)? else { return Ok(None) };
    if length > MOST_BYTES {
        // What is too large is passed over, not kept.
        io::copy(&mut input.take(length as u64), &mut io::sink())?;
        return Ok(Some(Incoming::Malformed(format!(
            "a message has {length} bytes, more than {MOST_BYTES}"
        ))));
    }
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(format!("this is not a message of the protocol: {error}")),
    }))
}

/// Reads headers up to the blank line, and gives the length of the body.
fn read_headers(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut length = None;
    for _ in 0..MOST_HEADERS {
        let mut line = Vec::new();
        let read = input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            return length.ok_or_else(|| broken("a message without Content-Length")).map(Some);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse().map_err(|_| broken("a Content-Length that is no number"))?);
        }
    }
    Err(broken("a message with too many headers"))
}

fn write_all(mut output: impl Write, messages: &Receiver<Message>, raw: &Receiver<Vec<u8>>) {
    loop {
        let bytes = crossbeam_channel::select! {
            recv(messages) -> message => match message {
                Ok(message) => encoded(&message),
                Err(_) => return,
            },
            recv(raw) -> bytes => match bytes {
                Ok(bytes) => bytes,
                // No more input; the server may still have something to say.
                Err(_) => match messages.recv() {
                    Ok(message) => encoded(&message),
                    Err(_) => return,
                },
            },
        };
        if output.write_all(&bytes).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn encoded(message: &Message) -> Vec<u8> {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.insert("jsonrpc".to_owned(), json!("2.0"));
    }
    framed(value.to_string().as_bytes())
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(bytes: &[u8]) -> io::Result<Option<Incoming>> {
        read(&mut BufReader::new(bytes))
    }

    #[test]
    fn messages_are_read_whatever_their_headers() {
        let body = br#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
        let mut bytes = format!("content-length: {}\r\nContent-Type: x\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        assert!(matches!(read_one(&bytes), Ok(Some(Incoming::Message(Message::Notification(_))))));
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        assert!(matches!(read_one(b"Content-Length: 3\r\n\r\n{]}"), Ok(Some(Incoming::Malformed(_)))));
        assert!(matches!(read_one(b"Content-Length: 99\r\n\r\n{}"), Ok(None)), "cut short");
        assert!(matches!(
            read_one(b"Content-Length: 99999999999\r\n\r\n{}"),
            Ok(Some(Incoming::Malformed(_)))
        ));
        assert!(read_one(b"Content-Length: -1\r\n\r\n").is_err());
        assert!(read_one(b"\r\n").is_err());
        assert!(read_one(&b"x".repeat(1 << 20)).is_err(), "no end of headers");
        assert!(matches!(read_one(b""), Ok(None)));
    }
}
