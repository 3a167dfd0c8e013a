//! The loop of the server: messages in, answers out, in order. Edits are applied at once; diagnostics follow when no further
//! message is waiting, so that a burst of edits is read once.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Sender, select};
use groundrules_analysis::Document;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, PublishDiagnosticsParams,
    TextDocumentContentChangeEvent, Uri,
};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::background::{Background, Knowledge, Report};
use crate::capabilities::capabilities;
use crate::folder::Folders;
use crate::settings::Settings;
use crate::{ServeError, convert, requests};

/// An open document.
pub(crate) struct Open {
    pub(crate) uri: Uri,
    pub(crate) document: Document,
    /// The client's number for this text.
    version: i32,
    /// Our number for this text: the client's need not grow.
    edition: u64,
    pub(crate) knowledge: Knowledge,
}

/// The state of the server.
pub(crate) struct Server {
    out: Sender<Message>,
    pub(crate) documents: FxHashMap<String, Open>,
    /// Documents whose diagnostics are out of date, in the order in which they changed.
    stale: Vec<String>,
    pub(crate) settings: Settings,
    client: Client,
    /// The folders that the client has open.
    pub(crate) folders: RefCell<Folders>,
    background: Background,
    edition: u64,
    next_request: i32,
    shutting_down: bool,
}

/// What the client can do, as far as it matters here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    pub(crate) snippets: bool,
    refreshes_hints: bool,
    refreshes_lenses: bool,
}

impl Client {
    fn of(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let completion = capabilities.text_document.as_ref().and_then(|it| it.completion.as_ref());
        Client {
            snippets: completion.and_then(|it| it.completion_item.as_ref()?.snippet_support).unwrap_or(false),
            refreshes_hints: workspace
                .and_then(|it| it.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_lenses: workspace
                .and_then(|it| it.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
        }
    }
}

/// Serves one client until it says `exit`.
#[allow(clippy::needless_pass_by_value, reason = "the writer ends when the connection is dropped")]
pub fn serve(connection: Connection) -> Result<(), ServeError> {
    let (id, parameters) = connection.initialize_start()?;
    let parameters: InitializeParams = serde_json::from_value(parameters)?;
    let info = json!({ "name": "groundrules", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": info }))?;
    let folders = folders(&parameters);
    let mut server = Server {
        out: connection.sender.clone(),
        documents: FxHashMap::default(),
        stale: Vec::new(),
        settings: Settings::read(parameters.initialization_options),
        client: Client::of(&parameters.capabilities),
        folders: RefCell::new(folders),
        background: Background::start(),
        edition: 0,
        next_request: 0,
        shutting_down: false,
    };
    server.run(&connection)
}

/// The folders that a client names at the beginning.
#[allow(deprecated, reason = "clients that know no folders give a root")]
fn folders(parameters: &InitializeParams) -> Folders {
    match &parameters.workspace_folders {
        Some(folders) => Folders::new(folders.iter().map(|folder| folder.uri.as_str())),
        None => Folders::new(parameters.root_uri.iter().map(|uri| uri.as_str())),
    }
}

impl Server {
    pub(crate) fn client(&self) -> Client {
        self.client
    }

    fn run(&mut self, connection: &Connection) -> Result<(), ServeError> {
        loop {
            while let Ok(message) = connection.receiver.try_recv() {
                if self.take(message) {
                    return Ok(());
                }
            }
            self.publish_stale();
            let reports = self.background.reports.clone();
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(message) => if self.take(message) { return Ok(()) },
                    Err(_) if self.shutting_down => return Ok(()),
                    Err(_) => return Err(ServeError::Gone),
                },
                recv(reports) -> report => if let Ok(report) = report { self.learn(report) },
            }
        }
    }

    /// Takes a message; says whether it was the last.
    fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) if request.method == "shutdown" => {
                self.shutting_down = true;
                self.send(Response::new_ok(request.id, Value::Null));
            }
            Message::Request(request) if self.shutting_down => {
                let message = "the server is shutting down".to_owned();
                self.send(Response::new_err(request.id, ErrorCode::InvalidRequest as i32, message));
            }
            Message::Request(request) => self.answer(request),
            Message::Notification(notification) if notification.method == "exit" => return true,
            Message::Notification(notification) => self.note(notification),
            Message::Response(_) => {}
        }
        false
    }

    fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        // One wrong answer must not take the editor's server away; the fault is told to whoever asked.
        let answer = catch_unwind(AssertUnwindSafe(|| requests::answer(self, &method, params)));
        let response = match answer {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err(failure)) => Response::new_err(id, failure.code as i32, failure.message),
            Err(_) => internal_error(id, &method),
        };
        self.send(response);
    }

    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => self.with(params, Self::open),
            "textDocument/didChange" => self.with(params, Self::change),
            "textDocument/didClose" => self.with(params, Self::close),
            "workspace/didChangeConfiguration" => {
                self.with(params, |server, it: DidChangeConfigurationParams| {
                    server.settings = Settings::read(Some(it.settings));
                });
            }
            // Everything else is of no consequence here, as the protocol allows.
            _ => {}
        }
    }

    /// Does something with the parameters of a notification; wrong ones are told to the client's log.
    fn with<P: DeserializeOwned>(&mut self, params: Value, act: impl FnOnce(&mut Self, P)) {
        match serde_json::from_value(params) {
            Ok(params) => act(self, params),
            Err(error) => {
                let message = format!("a notification was passed over: {error}");
                self.notify("window/logMessage", json!({ "type": 2, "message": message }));
            }
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        self.edition += 1;
        let open = Open {
            uri: item.uri.clone(),
            document: Document::new(item.text),
            version: item.version,
            edition: self.edition,
            knowledge: Knowledge::default(),
        };
        let key = item.uri.as_str().to_owned();
        self.documents.insert(key.clone(), open);
        self.changed(key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(open) = self.documents.get_mut(&key) else { return };
        for TextDocumentContentChangeEvent { range, text, .. } in params.content_changes {
            match range {
                Some(range) => {
                    let range = convert::offsets(&open.document, range);
                    open.document.edit(range, &text);
                }
                None => open.document = Document::new(text),
            }
        }
        self.edition += 1;
        open.version = params.text_document.version;
        open.edition = self.edition;
        // What was known is about another text.
        open.knowledge = Knowledge::default();
        self.changed(key);
    }

    fn changed(&mut self, key: String) {
        self.background.cancel(&key);
        if !self.stale.contains(&key) {
            self.stale.push(key);
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.background.cancel(uri.as_str());
        self.stale.retain(|key| key != uri.as_str());
        if self.documents.remove(uri.as_str()).is_some() {
            let nothing = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
            self.notify("textDocument/publishDiagnostics", json!(nothing));
        }
    }

    /// Reads the documents that changed, reports what is wrong with them, and asks for what takes long.
    fn publish_stale(&mut self) {
        for key in std::mem::take(&mut self.stale) {
            let read = catch_unwind(AssertUnwindSafe(|| self.publish(&key)));
            if read.is_err() {
                let message = "internal error while reading a description; please report it";
                self.notify("window/logMessage", json!({ "type": 1, "message": message }));
                continue;
            }
            let Some(open) = self.documents.get(&key) else { continue };
            if self.settings.background && open.document.reading().checked().game.is_some() {
                let reading = open.document.reading().clone();
                self.background.ask(&key, open.edition, reading, self.settings.background_seconds);
            }
        }
    }

    fn publish(&self, key: &str) {
        let Some(open) = self.documents.get(key) else { return };
        let found = open.document.reading().diagnostics().iter().chain(&open.knowledge.problem);
        let diagnostics = found.map(|found| convert::diagnostic(&open.document, &open.uri, found)).collect();
        let params =
            PublishDiagnosticsParams { uri: open.uri.clone(), diagnostics, version: Some(open.version) };
        self.notify("textDocument/publishDiagnostics", json!(params));
    }

    /// Something was found out in the background.
    fn learn(&mut self, report: Report) {
        let Some(open) = self.documents.get_mut(&report.uri) else { return };
        if open.edition != report.version {
            return;
        }
        let has_problem = report.knowledge.problem.is_some();
        open.knowledge = report.knowledge;
        if has_problem {
            self.publish(&report.uri);
        }
        if self.client.refreshes_hints {
            self.request("workspace/inlayHint/refresh");
        }
        if self.client.refreshes_lenses {
            self.request("workspace/codeLens/refresh");
        }
    }

    fn request(&mut self, method: &str) {
        self.next_request = self.next_request.wrapping_add(1);
        let id = RequestId::from(self.next_request);
        self.send(Request { id, method: method.to_owned(), params: Value::Null });
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed when the next message is awaited.
        let _ = self.out.send(message.into());
    }
}

fn internal_error(id: RequestId, method: &str) -> Response {
    let message = format!("internal error while answering {method}; please report it with the description");
    Response::new_err(id, ErrorCode::InternalError as i32, message)
}
