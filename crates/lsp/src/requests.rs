//! The questions of the protocol, one function each: find the document and the place, ask the analysis, convert the answer.

mod change;
mod look;
mod whole;

use groundrules_analysis::Document;
use lsp_server::ErrorCode;
use lsp_types::{TextDocumentIdentifier, TextDocumentPositionParams, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::convert;
use crate::server::{Open, Server};

/// Why a question has no answer.
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Failure {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }
}

type Answer = Result<Value, Failure>;

/// Answers a question.
pub(crate) fn answer(server: &mut Server, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => with(server, params, look::hover),
        "textDocument/definition" => with(server, params, look::definition),
        "textDocument/references" => with(server, params, look::references),
        "textDocument/documentHighlight" => with(server, params, look::highlights),
        "textDocument/completion" => with(server, params, look::completion),
        "textDocument/signatureHelp" => with(server, params, look::signature),
        "textDocument/linkedEditingRange" => with(server, params, look::linked),
        "textDocument/selectionRange" => with(server, params, look::selections),
        "textDocument/prepareCallHierarchy" => with(server, params, look::prepare_hierarchy),
        "callHierarchy/incomingCalls" => with(server, params, look::used_by),
        "callHierarchy/outgoingCalls" => with(server, params, look::depends_on),
        "textDocument/documentSymbol" => with(server, params, whole::symbols),
        "workspace/symbol" => with(server, params, whole::workspace_symbols),
        "textDocument/semanticTokens/full" => with(server, params, whole::tokens),
        "textDocument/semanticTokens/range" => with(server, params, whole::tokens_in_range),
        "textDocument/foldingRange" => with(server, params, whole::folds),
        "textDocument/inlayHint" => with(server, params, whole::hints),
        "textDocument/codeLens" => with(server, params, whole::lenses),
        "textDocument/formatting" => with(server, params, change::format),
        "textDocument/rangeFormatting" => with(server, params, change::format_range),
        "textDocument/onTypeFormatting" => with(server, params, change::format_on_type),
        "textDocument/prepareRename" => with(server, params, change::prepare_rename),
        "textDocument/rename" => with(server, params, change::rename),
        "textDocument/codeAction" => with(server, params, change::actions),
        "workspace/executeCommand" => with(server, params, change::execute),
        _ => Err(Failure::new(ErrorCode::MethodNotFound, format!("{method} is not known here"))),
    }
}

/// Reads the parameters, asks, and writes the answer.
fn with<P: DeserializeOwned, R: Serialize>(
    server: &Server,
    params: Value,
    ask: impl FnOnce(&Server, &P) -> Result<R, Failure>,
) -> Answer {
    let params: P = serde_json::from_value(params)
        .map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))?;
    let result = ask(server, &params)?;
    serde_json::to_value(result).map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// The open document with an address.
fn open<'s>(server: &'s Server, uri: &Uri) -> Result<&'s Open, Failure> {
    let missing = || Failure::new(ErrorCode::InvalidParams, format!("{} is not open", uri.as_str()));
    server.documents.get(uri.as_str()).ok_or_else(missing)
}

/// The open document of a question.
fn document<'s>(server: &'s Server, of: &TextDocumentIdentifier) -> Result<&'s Open, Failure> {
    open(server, &of.uri)
}

/// The open document and the offset of a question.
fn place<'s>(server: &'s Server, at: &TextDocumentPositionParams) -> Result<(&'s Open, usize), Failure> {
    let open = document(server, &at.text_document)?;
    Ok((open, offset(&open.document, at.position)))
}

fn offset(document: &Document, position: lsp_types::Position) -> usize {
    convert::offset(document, position)
}
