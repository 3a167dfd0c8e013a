//! Questions about a place: what is it, where does it come from, what may follow.

use groundrules_analysis::{complete, hierarchy, hover as hovering, navigate, signature as signatures};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, CompletionItem,
    CompletionList, CompletionParams, CompletionTextEdit, DocumentHighlight, DocumentHighlightKind,
    DocumentHighlightParams, Documentation, GotoDefinitionParams, Hover, HoverContents, HoverParams,
    InsertTextFormat, LinkedEditingRangeParams, LinkedEditingRanges, Location, MarkupContent, MarkupKind,
    ParameterInformation, ParameterLabel, Position, ReferenceParams, SelectionRange, SelectionRangeParams,
    SignatureHelp, SignatureHelpParams, SignatureInformation, TextEdit,
};

use super::{Failure, document, offset, open, place};
use crate::convert;
use crate::server::{Open, Server};

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

pub(super) fn hover(server: &Server, params: &HoverParams) -> Result<Option<Hover>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    let found = hovering::at(open.document.reading(), offset, open.knowledge.grounding.as_ref());
    Ok(found.map(|found| Hover {
        contents: HoverContents::Markup(markdown(found.markdown)),
        range: Some(convert::range(&open.document, found.span)),
    }))
}

pub(super) fn definition(server: &Server, params: &GotoDefinitionParams) -> Result<Vec<Location>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    let found = navigate::definitions(open.document.reading(), offset);
    Ok(found.into_iter().map(|span| convert::location(&open.document, &open.uri, span)).collect())
}

pub(super) fn references(server: &Server, params: &ReferenceParams) -> Result<Vec<Location>, Failure> {
    let (open, offset) = place(server, &params.text_document_position)?;
    let with_definitions = params.context.include_declaration;
    let found = navigate::references(open.document.reading(), offset);
    let found = found.iter().filter(|word| with_definitions || !word.defines);
    Ok(found.map(|word| convert::location(&open.document, &open.uri, word.span)).collect())
}

pub(super) fn highlights(
    server: &Server,
    params: &DocumentHighlightParams,
) -> Result<Vec<DocumentHighlight>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    let found = navigate::references(open.document.reading(), offset);
    let kind = |defines| if defines { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
    Ok(found
        .iter()
        .map(|word| DocumentHighlight {
            range: convert::range(&open.document, word.span),
            kind: Some(kind(word.defines)),
        })
        .collect())
}

pub(super) fn completion(server: &Server, params: &CompletionParams) -> Result<CompletionList, Failure> {
    let (open, offset) = place(server, &params.text_document_position)?;
    let snippets = server.client().snippets;
    let found = complete::at(open.document.reading(), offset);
    let items = found.into_iter().map(|found| {
        let edit = if snippets { &found.snippet } else { &found.plain };
        let TextEdit { range, new_text } = convert::text_edit(&open.document, edit);
        CompletionItem {
            label: found.label.clone(),
            kind: Some(convert::completion_kind(found.kind)),
            detail: Some(found.detail),
            sort_text: Some(format!("{:02} {}", found.rank, found.label)),
            filter_text: Some(if new_text.starts_with('(') {
                format!("({}", found.label)
            } else {
                found.label
            }),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
            insert_text_format: Some(if snippets {
                InsertTextFormat::SNIPPET
            } else {
                InsertTextFormat::PLAIN_TEXT
            }),
            ..CompletionItem::default()
        }
    });
    Ok(CompletionList { is_incomplete: false, items: items.collect() })
}

pub(super) fn signature(
    server: &Server,
    params: &SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    let Some((found, active)) = signatures::at(open.document.reading(), offset) else { return Ok(None) };
    let active = u32::try_from(active).ok();
    let parameters =
        found.parameters.iter().zip(&found.domains).map(|(range, domain)| ParameterInformation {
            label: ParameterLabel::Simple(found.label[range.clone()].to_owned()),
            documentation: (!domain.is_empty()).then(|| Documentation::String(domain.clone())),
        });
    let information = SignatureInformation {
        parameters: Some(parameters.collect()),
        label: found.label.clone(),
        documentation: None,
        active_parameter: active,
    };
    Ok(Some(SignatureHelp {
        signatures: vec![information],
        active_signature: Some(0),
        active_parameter: active,
    }))
}

pub(super) fn linked(
    server: &Server,
    params: &LinkedEditingRangeParams,
) -> Result<Option<LinkedEditingRanges>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    let spans = navigate::linked(open.document.reading(), offset);
    Ok(spans.map(|spans| LinkedEditingRanges {
        ranges: spans.into_iter().map(|span| convert::range(&open.document, span)).collect(),
        word_pattern: Some(r"\?[^\s();]*".to_owned()),
    }))
}

pub(super) fn selections(
    server: &Server,
    params: &SelectionRangeParams,
) -> Result<Vec<SelectionRange>, Failure> {
    /// A text nests deeper than anybody selects, and the answer nests as the text does.
    const MOST: usize = 100;
    let open = document(server, &params.text_document)?;
    let at = |position: Position| {
        let offset = offset(&open.document, position);
        let mut spans = navigate::selection(open.document.reading(), offset);
        if spans.len() > MOST {
            spans.drain(MOST - 1..spans.len() - 1);
        }
        let mut around: Option<Box<SelectionRange>> = None;
        for span in spans.into_iter().rev() {
            let range = convert::range(&open.document, span);
            around = Some(Box::new(SelectionRange { range, parent: around.take() }));
        }
        let whole = || SelectionRange { range: lsp_types::Range::new(position, position), parent: None };
        around.map_or_else(whole, |range| *range)
    };
    Ok(params.positions.iter().copied().map(at).collect())
}

pub(super) fn prepare_hierarchy(
    server: &Server,
    params: &CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>, Failure> {
    let (open, offset) = place(server, &params.text_document_position_params)?;
    Ok(hierarchy::at(open.document.reading(), offset).map(|found| vec![item(open, &found)]))
}

fn item(open: &Open, found: &hierarchy::Item) -> CallHierarchyItem {
    CallHierarchyItem {
        name: found.name.clone(),
        kind: convert::symbol_kind(Some(found.kind)),
        tags: None,
        detail: Some(found.detail.clone()),
        uri: open.uri.clone(),
        range: convert::range(&open.document, found.span),
        selection_range: convert::range(&open.document, found.word),
        data: None,
    }
}

/// The dependencies of an item, with the document in which it stands.
fn dependencies<'s>(
    server: &'s Server,
    of: &CallHierarchyItem,
    ask: fn(
        &groundrules_analysis::Reading,
        groundrules_analysis::names::NameId,
    ) -> Vec<hierarchy::Dependency>,
) -> Result<(&'s Open, Vec<hierarchy::Dependency>), Failure> {
    let open = open(server, &of.uri)?;
    let reading = open.document.reading();
    let name = hierarchy::again(reading, offset(&open.document, of.selection_range.start));
    Ok((open, name.map_or_else(Vec::new, |name| ask(reading, name))))
}

pub(super) fn used_by(
    server: &Server,
    params: &CallHierarchyIncomingCallsParams,
) -> Result<Vec<CallHierarchyIncomingCall>, Failure> {
    let (open, found) = dependencies(server, &params.item, hierarchy::used_by)?;
    let range = |span: &groundrules_gdl::Span| convert::range(&open.document, *span);
    Ok(found
        .iter()
        .map(|it| CallHierarchyIncomingCall {
            from: item(open, &it.item),
            from_ranges: it.places.iter().map(range).collect(),
        })
        .collect())
}

pub(super) fn depends_on(
    server: &Server,
    params: &CallHierarchyOutgoingCallsParams,
) -> Result<Vec<CallHierarchyOutgoingCall>, Failure> {
    let (open, found) = dependencies(server, &params.item, hierarchy::depends_on)?;
    let range = |span: &groundrules_gdl::Span| convert::range(&open.document, *span);
    Ok(found
        .iter()
        .map(|it| CallHierarchyOutgoingCall {
            to: item(open, &it.item),
            from_ranges: it.places.iter().map(range).collect(),
        })
        .collect())
}
