//! `groundrules bench lsp`: how long an editor waits. A client in the same process types into a description, one letter at a
//! time, and waits for the diagnostics; now and then it asks for hover and completion. The yardstick is one plain read of the
//! text in the same run. Latency is wall time: it is what a person feels.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use groundrules_command::output;
use groundrules_gdl::{Options, read};
use groundrules_lsp::lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde::Serialize;
use serde_json::{Value, json};

/// Measure how long an editor waits for the language server.
///
/// Letters are typed and deleted all over each description. Give the largest description that matters.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files, folders or names of the library; without any, the whole library.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How many edits to make in each description.
    #[arg(long, default_value_t = 500)]
    edits: usize,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// One row of the result; times in milliseconds.
#[derive(Serialize)]
struct Row {
    game: String,
    bytes: usize,
    what: &'static str,
    times: usize,
    median: f64,
    percentile_99: f64,
    longest: f64,
    /// How many megabytes the process has grown from the first tenth of the edits to the last one.
    grown_megabytes: Option<f64>,
}

/// Carries the command out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut rows = Vec::new();
    for (name, source) in crate::games(&arguments.files)? {
        let text = source.read(Options::default().limits.bytes)?;
        let text = String::from_utf8(text).with_context(|| format!("{name} is not UTF-8"))?;
        rows.extend(measure(&name, &text, arguments.edits.max(10))?);
    }
    let text = if arguments.json { format!("{}\n", serde_json::to_string(&rows)?) } else { table(&rows) };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["game", "bytes", "what", "times", "median ms", "99 % ms", "longest ms", "grown MB"]);
    for row in rows {
        let grown = row.grown_megabytes.map_or(String::new(), |grown| format!("{grown:.1}"));
        table.add_row([
            row.game.clone(),
            row.bytes.to_string(),
            row.what.to_owned(),
            row.times.to_string(),
            format!("{:.3}", row.median),
            format!("{:.3}", row.percentile_99),
            format!("{:.3}", row.longest),
            grown,
        ]);
    }
    for column in [1, 3, 4, 5, 6, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

fn measure(name: &str, text: &str, edits: usize) -> Result<Vec<Row>> {
    // The memory for the times is taken before anything is measured, for the process must not grow by it.
    let room = || {
        let mut times = vec![Duration::MAX; edits];
        times.clear();
        times
    };
    let (mut plain, mut diagnostics, mut hover, mut completion) = (room(), room(), room(), room());
    let mut editor = Editor::start()?;
    editor.open(text)?;
    let mut early = None;
    for edit in 0..edits {
        let place = text.len() * (edit * 7919 % edits) / edits;
        diagnostics.push(editor.press(text, place)?);
        if edit % 5 == 0 {
            hover.push(editor.ask("textDocument/hover", text, place)?);
            completion.push(editor.ask("textDocument/completion", text, place)?);
            let begun = Instant::now();
            std::hint::black_box(read(text.as_bytes(), &Options::default()));
            plain.push(begun.elapsed());
        }
        if edit == edits / 10 {
            early = resident();
        }
    }
    let grown = early.zip(resident()).map(|(early, late)| (late - early) / 1e6);
    editor.stop()?;
    let row = |what, times: &mut Vec<Duration>, grown| row(name, text, what, times, grown);
    Ok(vec![
        row("plain read", &mut plain, None),
        row("diagnostics after a key press", &mut diagnostics, grown),
        row("hover", &mut hover, None),
        row("completion", &mut completion, None),
    ])
}

fn row(name: &str, text: &str, what: &'static str, times: &mut [Duration], grown: Option<f64>) -> Row {
    times.sort_unstable();
    let at = |share: usize| {
        let place = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    Row {
        game: name.to_owned(),
        bytes: text.len(),
        what,
        times: times.len(),
        median: at(50),
        percentile_99: at(99),
        longest: at(100),
        grown_megabytes: grown,
    }
}

/// The memory of this process in bytes, where the system tells.
fn resident() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split_whitespace().nth(1)?.parse::<f64>().ok()? * 4096.0)
}

/// A client in the same process.
struct Editor {
    connection: Connection,
    server: std::thread::JoinHandle<Result<(), groundrules_lsp::ServeError>>,
    version: i32,
    next: i32,
    /// A letter stands at this offset that was typed last.
    typed: Option<usize>,
}

const URI: &str = "file:///bench.kif";

impl Editor {
    fn start() -> Result<Self> {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || groundrules_lsp::serve(server));
        let mut editor = Editor { connection, server, version: 1, next: 0, typed: None };
        let options = json!({ "background": false });
        editor.request("initialize", json!({ "capabilities": {}, "initializationOptions": options }))?;
        editor.tell("initialized", json!({}))?;
        Ok(editor)
    }

    fn open(&mut self, text: &str) -> Result<()> {
        let item = json!({ "uri": URI, "languageId": "gdl", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }))?;
        self.await_diagnostics()
    }

    /// Types a letter, or deletes the one that was typed, and waits for the diagnostics.
    fn press(&mut self, text: &str, place: usize) -> Result<Duration> {
        let place = (0..=place).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let (start, end, new) = match self.typed.take() {
            Some(typed) => (typed, typed + 1, ""),
            None => {
                self.typed = Some(place);
                (place, place, "x")
            }
        };
        self.version += 1;
        let first = position(text, start);
        let last = json!({ "line": first["line"], "character": first["character"].as_u64().unwrap_or(0) + (end - start) as u64 });
        let change = json!({ "range": { "start": first, "end": last }, "text": new });
        let of = json!({ "uri": URI, "version": self.version });
        let begun = Instant::now();
        self.tell("textDocument/didChange", json!({ "textDocument": of, "contentChanges": [change] }))?;
        self.await_diagnostics()?;
        Ok(begun.elapsed())
    }

    fn ask(&mut self, method: &str, text: &str, place: usize) -> Result<Duration> {
        let place = (0..=place).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let params = json!({ "textDocument": { "uri": URI }, "position": position(text, place) });
        let begun = Instant::now();
        self.request(method, params)?;
        Ok(begun.elapsed())
    }

    fn await_diagnostics(&mut self) -> Result<()> {
        loop {
            match self.connection.receiver.recv()? {
                Message::Notification(note)
                    if note.method == "textDocument/publishDiagnostics"
                        && note.params["version"] == self.version =>
                {
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(request.into())?;
        loop {
            if let Message::Response(response) = self.connection.receiver.recv()?
                && response.id == id
            {
                return match response.response_result {
                    Ok(value) => Ok(value),
                    Err(error) => bail!("{method}: {}", error.message),
                };
            }
        }
    }

    fn tell(&self, method: &str, params: Value) -> Result<()> {
        Ok(self.connection.sender.send(Notification { method: method.to_owned(), params }.into())?)
    }

    fn stop(mut self) -> Result<()> {
        self.request("shutdown", Value::Null)?;
        self.tell("exit", Value::Null)?;
        let ended = self.server.join();
        ended.map_err(|_| anyhow::anyhow!("the server panicked"))?.context("the server did not end well")
    }
}

/// A place as the protocol counts.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    json!({ "line": line, "character": last.encode_utf16().count() })
}
