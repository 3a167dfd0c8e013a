//! What the tests of the wire share: a server on a port of its own, raw sockets, and games.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::time::Duration;

use groundrules_host::Choice;
use groundrules_host::serve::{Options, Server};
use groundrules_machine::engines::Engine;
use groundrules_search::Settings;
use tokio::sync::oneshot;

/// Tic-tac-toe's little sister: two roles take turns on three cells.
pub(crate) const LINE: &str = "(role left) (role right)
    (cell a) (cell b) (cell c) (init (turn left)) (<= (init (free ?c)) (cell ?c))
    (<= (legal ?r (take ?c)) (true (turn ?r)) (true (free ?c)))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
    (<= (next (free ?c)) (true (free ?c)) (not (taken ?c)))
    (<= (taken ?c) (does ?r (take ?c)))
    (<= open (true (free ?c))) (<= terminal (not open))
    (<= (goal left 100) (true (turn right))) (<= (goal left 0) (true (turn left)))
    (<= (goal right 0) (true (turn right))) (<= (goal right 100) (true (turn left)))";

/// A server in a thread of its own, stopped when it is dropped.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// A player whose answers are the same every time: engines list legal moves in orders of their own.
pub(crate) fn choice(name: &str) -> Choice {
    let settings = Settings { engine: Engine::Tree, ..Settings::default() };
    Choice::named(name, settings).expect("a player")
}

/// The options of the tests: the player `legal`, generous limits.
pub(crate) fn options() -> Options {
    Options { name: "tester".to_owned(), ..Options::new(choice("legal")) }
}

pub(crate) fn serve(options: Options) -> Serving {
    let (stop, stopped) = oneshot::channel();
    let (sender, address) = channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let server = Server::bind(([127, 0, 0, 1], 0).into(), options).await.expect("a port");
            sender.send(server.address().expect("an address")).expect("a test that waits");
            server.run(async { drop(stopped.await) }).await;
        });
        runtime.shutdown_background();
    });
    Serving { address: address.recv().expect("an address"), stop: Some(stop), thread: Some(thread) }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

impl Serving {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time-out");
        stream
    }

    /// Sends bytes as they are and reads to the end of the stream.
    pub(crate) fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the server listens");
        read_all(stream)
    }

    /// Posts a message as the usual host does and gives the body of the reply, whose head must be exact.
    pub(crate) fn ask(&self, message: &str) -> String {
        body(&self.say(post(message).as_bytes()))
    }

    /// Begins a match of [`LINE`].
    pub(crate) fn start(&self, id: &str, role: &str) {
        assert_eq!(self.ask(&format!("(START {id} {role} ({LINE}) 60 60)")), "ready");
    }
}

pub(crate) fn read_all(mut stream: TcpStream) -> String {
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("a reply and the end of the stream");
    let _ = stream.shutdown(Shutdown::Both);
    String::from_utf8_lossy(&reply).into_owned()
}

pub(crate) fn post(message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: tester\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

/// The head of a reply whose body has so many bytes.
pub(crate) fn head(status: &str, length: usize) -> String {
    format!(
        "HTTP/1.0 {status}\r\nContent-type: text/acl\r\nContent-length: {length}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Accept, Content-Type, Sender, Receiver\r\n\
         Access-Control-Max-Age: 86400\r\nConnection: close\r\n\r\n"
    )
}

/// A whole reply, byte for byte.
pub(crate) fn reply(body: &str) -> String {
    head("200 OK", body.len()) + body
}

/// The body of a reply with the status OK.
pub(crate) fn body(reply: &str) -> String {
    let (_, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply: {reply:?}"));
    assert_eq!(reply, head("200 OK", body.len()) + body);
    body.to_owned()
}
