//! From the data of the analysis to the types of the protocol. Offsets become positions here, and nowhere else.

use groundrules_analysis::names::Kind;
use groundrules_analysis::tokens::{Token, TokenKind};
use groundrules_analysis::{Document, Position};
use groundrules_gdl::{Diagnostic, Edit, Severity, Span};
use lsp_types::{
    CompletionItemKind, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Range, SemanticToken, SymbolKind, TextEdit, Uri,
};

pub(crate) fn offset(document: &Document, position: lsp_types::Position) -> usize {
    document.offset(Position { line: position.line, column: position.character })
}

pub(crate) fn position(document: &Document, offset: u32) -> lsp_types::Position {
    let Position { line, column } = document.position(offset as usize);
    lsp_types::Position { line, character: column }
}

pub(crate) fn range(document: &Document, span: Span) -> Range {
    Range { start: position(document, span.start), end: position(document, span.end) }
}

pub(crate) fn offsets(document: &Document, range: Range) -> std::ops::Range<usize> {
    let start = offset(document, range.start);
    start..offset(document, range.end).max(start)
}

pub(crate) fn location(document: &Document, uri: &Uri, span: Span) -> Location {
    Location { uri: uri.clone(), range: range(document, span) }
}

pub(crate) fn text_edit(document: &Document, edit: &Edit) -> TextEdit {
    TextEdit { range: range(document, edit.span), new_text: edit.text.clone() }
}

/// A diagnostic with its code, its other places, and its advice as part of the message.
pub(crate) fn diagnostic(document: &Document, uri: &Uri, found: &Diagnostic) -> lsp_types::Diagnostic {
    let mut message = found.message.clone();
    for help in &found.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let related: Vec<DiagnosticRelatedInformation> = found
        .labels
        .iter()
        .skip(1)
        .map(|label| DiagnosticRelatedInformation {
            location: location(document, uri, label.span),
            message: if label.text.is_empty() { "here too".to_owned() } else { label.text.clone() },
        })
        .collect();
    // Editors grey out what has no effect.
    let unnecessary = matches!(found.code.id, "G211" | "G212" | "G513");
    lsp_types::Diagnostic {
        range: range(document, found.span()),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(found.code.id.to_owned())),
        source: Some("groundrules".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: unnecessary.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..lsp_types::Diagnostic::default()
    }
}

pub(crate) fn symbol_kind(kind: Option<Kind>) -> SymbolKind {
    match kind {
        None => SymbolKind::NAMESPACE,
        Some(Kind::Keyword) => SymbolKind::KEY,
        Some(Kind::Relation) => SymbolKind::FUNCTION,
        Some(Kind::Fluent) => SymbolKind::PROPERTY,
        Some(Kind::Move) => SymbolKind::METHOD,
        Some(Kind::Role) => SymbolKind::CLASS,
        Some(Kind::Function) => SymbolKind::STRUCT,
        Some(Kind::Constant) => SymbolKind::CONSTANT,
        Some(Kind::Variable) => SymbolKind::VARIABLE,
    }
}

pub(crate) fn completion_kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Keyword => CompletionItemKind::KEYWORD,
        Kind::Relation => CompletionItemKind::FUNCTION,
        Kind::Fluent => CompletionItemKind::PROPERTY,
        Kind::Move => CompletionItemKind::METHOD,
        Kind::Role => CompletionItemKind::CLASS,
        Kind::Function => CompletionItemKind::STRUCT,
        Kind::Constant => CompletionItemKind::CONSTANT,
        Kind::Variable => CompletionItemKind::VARIABLE,
    }
}

/// The index of a kind of token in the legend of [`crate::capabilities`].
fn token_type(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Name(Kind::Keyword) => 0,
        TokenKind::Name(Kind::Relation) => 1,
        TokenKind::Name(Kind::Fluent) => 2,
        TokenKind::Name(Kind::Move) => 3,
        TokenKind::Name(Kind::Role) => 4,
        TokenKind::Name(Kind::Function) => 5,
        TokenKind::Name(Kind::Constant) => 6,
        TokenKind::Name(Kind::Variable) => 7,
        TokenKind::Number => 8,
        TokenKind::Comment => 9,
    }
}

/// Tokens as the protocol wants them: each by its distance from the one before.
pub(crate) fn tokens(document: &Document, tokens: &[Token]) -> Vec<SemanticToken> {
    let mut before = lsp_types::Position::default();
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        let range = range(document, token.span);
        let delta_line = range.start.line - before.line;
        let delta_start =
            if delta_line == 0 { range.start.character - before.character } else { range.start.character };
        out.push(SemanticToken {
            delta_line,
            delta_start,
            length: range.end.character.saturating_sub(range.start.character),
            token_type: token_type(token.kind),
            token_modifiers_bitset: u32::from(token.defines) | u32::from(token.is_static) << 1,
        });
        before = range.start;
    }
    out
}
