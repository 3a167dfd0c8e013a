//! Ten thousand edits through the protocol, over the library and the public descriptions: letters typed, text deleted, forms pasted, edits undone. After every one the
//! server's diagnostics are those of a fresh read of the text. `GROUNDRULES_LSP_EDITS` sets how many edits are made.

mod support;

use std::path::Path;
use std::sync::Arc;

use groundrules_analysis::Reading;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use support::{Client, position};

/// Edits of one document before the next is opened.
const EDITS_PER_DOCUMENT: usize = 40;

fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for folder in [root.join("games"), root.join("../shared/games")] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
        paths.sort();
        texts.extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    }
    texts
}

/// An edit of a text.
#[derive(Clone, Debug)]
struct Change {
    start: usize,
    end: usize,
    new: String,
}

impl Change {
    fn apply(&self, text: &mut String) -> Change {
        let old = text[self.start..self.end].to_owned();
        text.replace_range(self.start..self.end, &self.new);
        Change { start: self.start, end: self.start + self.new.len(), new: old }
    }
}

fn boundary(text: &str, mut offset: usize) -> usize {
    // The protocol has no place between \r and \n.
    while !text.is_char_boundary(offset) || text[..offset].ends_with('\r') && text[offset..].starts_with('\n')
    {
        offset -= 1;
    }
    offset
}

fn random_change(text: &str, others: &[String], random: &mut Xoshiro256PlusPlus) -> Change {
    const TYPED: [&str; 16] =
        ["(", ")", " ", "\n", "?x", "?", "a", "true", "(not ", "(<= ", ";", "é", "𝄞", "\r\n", "0", "next"];
    let start = boundary(text, random.random_range(0..=text.len()));
    match random.random_range(0..10) {
        0..=4 => Change { start, end: start, new: TYPED[random.random_range(0..TYPED.len())].to_owned() },
        5..=7 => {
            let end = boundary(text, (start + random.random_range(0..20)).min(text.len())).max(start);
            Change { start, end, new: String::new() }
        }
        _ => {
            let other = &others[random.random_range(0..others.len())];
            let from = boundary(other, random.random_range(0..=other.len()));
            let to = boundary(other, (from + random.random_range(0..400)).min(other.len())).max(from);
            Change { start, end: start, new: other[from..to].to_owned() }
        }
    }
}

/// What matters of a diagnostic: its code, its place and its message.
fn essence(found: &Value) -> (String, Value, Value) {
    let message = found["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
    (format!("{} {message}", found["code"]), found["range"]["start"].clone(), found["range"]["end"].clone())
}

fn expected(text: &str) -> Vec<(String, Value, Value)> {
    let reading = Reading::of(Arc::from(text));
    let describe = |found: &groundrules_gdl::Diagnostic| {
        let span = found.span().range();
        let message = format!("\"{}\" {}", found.code.id, found.message.lines().next().unwrap_or_default());
        (message, position(text, span.start), position(text, span.end))
    };
    reading.diagnostics().iter().map(describe).collect()
}

/// Makes a quarter of the edits, with random numbers of their own: the quarters run at the same time.
fn try_quarter(seed: u64) {
    let count: usize =
        std::env::var("GROUNDRULES_LSP_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let count = count.div_ceil(4);
    let texts = texts();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut client = Client::new();
    for edit in (0..count).step_by(EDITS_PER_DOCUMENT) {
        try_document(&mut client, edit, (count - edit).min(EDITS_PER_DOCUMENT), &texts, &mut random);
    }
}

#[test]
fn edits_give_what_a_fresh_read_gives() {
    try_quarter(7);
}

#[test]
fn more_edits_give_what_a_fresh_read_gives() {
    try_quarter(8);
}

#[test]
fn other_edits_give_what_a_fresh_read_gives() {
    try_quarter(9);
}

#[test]
fn still_other_edits_give_what_a_fresh_read_gives() {
    try_quarter(10);
}

fn try_document(
    client: &mut Client,
    number: usize,
    edits: usize,
    texts: &[String],
    random: &mut Xoshiro256PlusPlus,
) {
    let uri = format!("file:///{number}.kif");
    let mut text = texts[random.random_range(0..texts.len())].clone();
    let mut undo: Vec<Change> = Vec::new();
    client.open(&uri, &text);
    client.diagnostics(&uri, 1);
    for version in 2..edits as i64 + 2 {
        let change = match undo.pop().filter(|_| random.random_range(0..4) == 0) {
            Some(change) => change,
            None => random_change(&text, texts, random),
        };
        let range = json!({ "start": position(&text, change.start), "end": position(&text, change.end) });
        let sent = json!({ "range": range, "text": change.new });
        let of = json!({ "uri": uri, "version": version });
        client.tell("textDocument/didChange", json!({ "textDocument": of, "contentChanges": [sent] }));
        undo.push(change.apply(&mut text));
        let found: Vec<_> = client.diagnostics(&uri, version).iter().map(essence).collect();
        assert_eq!(found, expected(&text), "document {number}, version {version}:\n{text}");
        let place = boundary(&text, random.random_range(0..=text.len()));
        let at = json!({ "textDocument": { "uri": uri }, "position": position(&text, place) });
        for method in ["textDocument/hover", "textDocument/completion", "textDocument/definition"] {
            client.ask(method, at.clone());
        }
    }
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
}
