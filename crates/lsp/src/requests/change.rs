//! Questions whose answers change the text: layout, rename, fixes; and the command that explains a code.

use std::collections::HashMap;

use groundrules_analysis::{fixes, layout, rename as renaming, sort};
use groundrules_gdl::{Diagnostic, Edit, codes};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, DocumentFormattingParams,
    DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, ExecuteCommandParams,
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};
use serde_json::{Value, json};

use super::{Failure, document, place};
use crate::capabilities::{EXPLAIN, sort_clauses};
use crate::convert;
use crate::server::{Open, Server};

fn edits(open: &Open, edits: impl IntoIterator<Item = Edit>) -> Vec<TextEdit> {
    edits.into_iter().map(|edit| convert::text_edit(&open.document, &edit)).collect()
}

#[allow(clippy::mutable_key_type, reason = "the protocol's type; an address is never changed here")]
fn workspace_edit(open: &Open, changes: impl IntoIterator<Item = Edit>) -> WorkspaceEdit {
    let changes = HashMap::from([(open.uri.clone(), edits(open, changes))]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

pub(super) fn format(server: &Server, params: &DocumentFormattingParams) -> Result<Vec<TextEdit>, Failure> {
    let open = document(server, &params.text_document)?;
    Ok(edits(open, layout::whole(open.document.reading())))
}

pub(super) fn format_range(
    server: &Server,
    params: &DocumentRangeFormattingParams,
) -> Result<Vec<TextEdit>, Failure> {
    let open = document(server, &params.text_document)?;
    let range = convert::offsets(&open.document, params.range);
    Ok(edits(open, layout::range(open.document.reading(), range)))
}

pub(super) fn format_on_type(
    server: &Server,
    params: &DocumentOnTypeFormattingParams,
) -> Result<Vec<TextEdit>, Failure> {
    let (open, offset) = place(server, &params.text_document_position)?;
    let reading = open.document.reading();
    Ok(match params.ch.as_str() {
        ")" => edits(open, layout::after_close(reading, offset)),
        _ => edits(open, layout::after_line_end(reading, offset)),
    })
}

fn refused(refusal: &renaming::Refusal) -> Failure {
    Failure::new(ErrorCode::RequestFailed, refusal.to_string())
}

pub(super) fn prepare_rename(
    server: &Server,
    params: &TextDocumentPositionParams,
) -> Result<PrepareRenameResponse, Failure> {
    let (open, offset) = place(server, params)?;
    let (span, placeholder) =
        renaming::prepare(open.document.reading(), offset).map_err(|refusal| refused(&refusal))?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: convert::range(&open.document, span),
        placeholder,
    })
}

pub(super) fn rename(server: &Server, params: &RenameParams) -> Result<WorkspaceEdit, Failure> {
    let (open, offset) = place(server, &params.text_document_position)?;
    let changes = renaming::rename(open.document.reading(), offset, &params.new_name);
    Ok(workspace_edit(open, changes.map_err(|refusal| refused(&refusal))?))
}

pub(super) fn actions(
    server: &Server,
    params: &CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Failure> {
    let open = document(server, &params.text_document)?;
    let wanted = |kind: &CodeActionKind| {
        params.context.only.as_ref().is_none_or(|only| {
            only.iter().any(|wanted| {
                kind.as_str() == wanted.as_str()
                    || kind.as_str().starts_with(&format!("{}.", wanted.as_str()))
            })
        })
    };
    let reading = open.document.reading();
    let mut actions = Vec::new();
    if wanted(&CodeActionKind::QUICKFIX) {
        let range = convert::offsets(&open.document, params.range);
        let touched = |found: &&Diagnostic| {
            let span = found.span().range();
            span.start <= range.end && range.start <= span.end
        };
        for found in reading.diagnostics().iter().filter(touched) {
            actions.extend(quick_fixes(open, found));
            actions.push(explain(found));
        }
    }
    if wanted(&CodeActionKind::SOURCE_FIX_ALL)
        && reading.diagnostics().iter().any(|found| fixes::of(reading, found).iter().any(|fix| fix.safe))
        && let Some(edit) = fixes::all_safe(reading)
    {
        actions.push(action(open, "apply all safe fixes", CodeActionKind::SOURCE_FIX_ALL, [edit]));
    }
    if wanted(&CodeActionKind::REFACTOR_REWRITE) {
        let offset = convert::offset(&open.document, params.range.start);
        for fix in fixes::between_variables(reading, offset) {
            actions.push(action(open, &fix.title, CodeActionKind::REFACTOR_REWRITE, fix.edits));
        }
    }
    if wanted(&sort_clauses())
        && let Some(edit) = sort::clauses(reading)
    {
        actions.push(action(open, "sort the clauses by the parts of a game", sort_clauses(), [edit]));
    }
    Ok(actions)
}

fn action(
    open: &Open,
    title: &str,
    kind: CodeActionKind,
    changes: impl IntoIterator<Item = Edit>,
) -> CodeActionOrCommand {
    CodeActionOrCommand::CodeAction(CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        edit: Some(workspace_edit(open, changes)),
        ..CodeAction::default()
    })
}

fn quick_fixes(open: &Open, found: &Diagnostic) -> Vec<CodeActionOrCommand> {
    let fixes = fixes::of(open.document.reading(), found).into_iter().enumerate();
    fixes
        .map(|(index, fix)| {
            CodeActionOrCommand::CodeAction(CodeAction {
                title: fix.title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![convert::diagnostic(&open.document, &open.uri, found)]),
                edit: Some(workspace_edit(open, fix.edits)),
                is_preferred: Some(index == 0),
                ..CodeAction::default()
            })
        })
        .collect()
}

fn explain(found: &Diagnostic) -> CodeActionOrCommand {
    let title = format!("explain {}: {}", found.code.id, found.code.title);
    let command = Command {
        title: title.clone(),
        command: EXPLAIN.to_owned(),
        arguments: Some(vec![json!(found.code.id)]),
    };
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        command: Some(command),
        ..CodeAction::default()
    })
}

/// Explains a diagnostic code: as a message, and as Markdown for clients that show it themselves.
pub(super) fn execute(server: &Server, params: &ExecuteCommandParams) -> Result<Value, Failure> {
    if params.command != EXPLAIN {
        let message = format!("the command `{}` is not known here", params.command);
        return Err(Failure::new(ErrorCode::InvalidParams, message));
    }
    let id = params.arguments.first().and_then(Value::as_str).unwrap_or_default();
    let Some(code) = codes::find(id) else {
        return Err(Failure::new(ErrorCode::InvalidParams, format!("there is no diagnostic code `{id}`")));
    };
    let mut text = format!("{}: {}\n\n{}", code.id, code.title, code.explanation);
    for (title, example) in [("Wrong", code.wrong), ("Right", code.right)] {
        if !example.is_empty() {
            text.push_str(&format!("\n\n{title}:\n\n```gdl\n{example}\n```"));
        }
    }
    server.notify("window/showMessage", json!({ "type": 3, "message": text }));
    Ok(json!(text))
}
