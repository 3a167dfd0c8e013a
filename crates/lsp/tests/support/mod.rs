//! A client in the same process: it sends what an editor sends, and keeps what the server says.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// Longer than any answer takes; a server that is silent for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor.
pub(crate) struct Client {
    connection: Connection,
    server: Option<std::thread::JoinHandle<()>>,
    next: i32,
    /// Notifications that were not awaited.
    pub(crate) notes: Vec<Notification>,
}

impl Client {
    /// An editor whose server has started, without work in the background.
    pub(crate) fn new() -> Self {
        Client::with(&json!({ "background": false }))
    }

    /// An editor whose server has started with these options.
    pub(crate) fn with(options: &Value) -> Self {
        Client::in_folder(options, &Value::Null)
    }

    /// The same with a folder open.
    pub(crate) fn in_folder(options: &Value, uri: &Value) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || groundrules_lsp::serve(server).expect("a clean end"));
        let mut client = Client { connection, server: Some(server), next: 0, notes: Vec::new() };
        let capabilities = json!({
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
            "workspace": { "inlayHint": { "refreshSupport": true }, "codeLens": { "refreshSupport": true } },
        });
        let params =
            json!({ "capabilities": capabilities, "initializationOptions": options, "rootUri": uri });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "groundrules");
        client.tell("initialized", json!({}));
        client
    }

    /// Asks and waits for the answer, which must not be an error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Asks and waits for the answer or the error's message.
    pub(crate) fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).expect("the server listens");
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    return response.response_result.map_err(|error| error.message);
                }
                Message::Notification(note) => self.notes.push(note),
                Message::Request(_) | Message::Response(_) => {}
            }
        }
    }

    /// Tells the server something.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let note = Notification { method: method.to_owned(), params };
        self.connection.sender.send(note.into()).expect("the server listens");
    }

    fn receive(&mut self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "gdl", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// The diagnostics of a version of a document, once they come.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let at = self.notes.iter().position(|note| {
                note.method == "textDocument/publishDiagnostics"
                    && note.params["uri"] == uri
                    && note.params["version"] == version
            });
            if let Some(at) = at {
                let note = self.notes.remove(at);
                self.notes.clear();
                return note.params["diagnostics"].as_array().expect("a list").clone();
            }
            if let Message::Notification(note) = self.receive() {
                self.notes.push(note);
            }
        }
    }

    /// Waits for a request of the server with this method.
    pub(crate) fn await_request(&mut self, method: &str) {
        loop {
            match self.receive() {
                Message::Request(request) if request.method == method => return,
                Message::Notification(note) => self.notes.push(note),
                _ => {}
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().expect("a server").join().expect("the server ended well");
    }
}

/// A place in a text as the protocol counts, found the slow and obvious way.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = text[..offset].replace("\r\n", "\n").replace('\r', "\n");
    // A line end that the offset cuts in two belongs to the line before.
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    json!({ "line": line, "character": last.encode_utf16().count() })
}

/// Parameters for a place in a document.
pub(crate) fn at(uri: &str, text: &str, offset: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position(text, offset) })
}
