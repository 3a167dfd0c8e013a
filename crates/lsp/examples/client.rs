//! A client in twenty lines: opens a description and prints what an editor would mark in it. `cargo run -p groundrules-lsp
//! --example client [FILE]`.

use groundrules_lsp::lsp_server::{Connection, Message, Notification, Request};
use groundrules_lsp::serve;
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => "(role you)\n(<= (legal you go) (tru x))\n".to_owned(),
    };
    let (client, server) = Connection::memory();
    let serving = std::thread::spawn(move || serve(server));
    let send = |message: Message| client.sender.send(message).map_err(|_| "the server is gone");
    let notify = |method: &str, parameters| send(Notification::new(method.into(), parameters).into());
    send(Request::new(1.into(), "initialize".into(), json!({ "capabilities": {} })).into())?;
    notify("initialized", json!({}))?;
    let document = json!({ "uri": "file:///game.kif", "languageId": "gdl", "version": 1, "text": text });
    notify("textDocument/didOpen", json!({ "textDocument": document }))?;
    while let Ok(message) = client.receiver.recv() {
        let Message::Notification(told) = message else { continue };
        if told.method == "textDocument/publishDiagnostics" {
            for diagnostic in told.params["diagnostics"].as_array().into_iter().flatten() {
                let line = diagnostic["range"]["start"]["line"].as_u64().unwrap_or_default() + 1;
                println!("line {line}: {}", diagnostic["message"].as_str().unwrap_or_default());
            }
            break;
        }
    }
    send(Request::new(2.into(), "shutdown".into(), json!(null)).into())?;
    notify("exit", json!(null))?;
    serving.join().map_err(|_| "the server panicked")??;
    Ok(())
}
