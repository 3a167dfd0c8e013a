//! Questions about a whole document, or about all that are open: outline, colours, folds, hints, lenses.

use groundrules_analysis::folding::{self, FoldKind};
use groundrules_analysis::hints::{self as hinting, grouped};
use groundrules_analysis::{Document, outline, tokens as colours};
use lsp_types::{
    CodeLens, CodeLensParams, Command, DocumentSymbol, DocumentSymbolParams, FoldingRange, FoldingRangeKind,
    FoldingRangeParams, InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, Range, SemanticTokens,
    SemanticTokensParams, SemanticTokensRangeParams, SymbolInformation, Uri, WorkspaceSymbolParams,
};
use serde_json::json;

use super::{Failure, document};
use crate::convert;
use crate::server::{Open, Server};

pub(super) fn symbols(
    server: &Server,
    params: &DocumentSymbolParams,
) -> Result<Vec<DocumentSymbol>, Failure> {
    let open = document(server, &params.text_document)?;
    let found = outline::sections(open.document.reading());
    Ok(found.iter().map(|symbol| nested(open, symbol)).collect())
}

#[allow(deprecated, reason = "the field `deprecated` must be given")]
fn nested(open: &Open, symbol: &outline::Symbol) -> DocumentSymbol {
    let children = symbol.children.iter().map(|child| nested(open, child)).collect::<Vec<_>>();
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: (!symbol.detail.is_empty()).then(|| symbol.detail.clone()),
        kind: convert::symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: convert::range(&open.document, symbol.span),
        selection_range: convert::range(&open.document, symbol.word),
        children: (!children.is_empty()).then_some(children),
    }
}

/// What the descriptions define that are open, or lie in the folders of the workspace, by a part of its name.
pub(super) fn workspace_symbols(
    server: &Server,
    params: &WorkspaceSymbolParams,
) -> Result<Vec<SymbolInformation>, Failure> {
    const MOST: usize = 1_000;
    let wanted = params.query.to_lowercase();
    let mut open: Vec<&Open> = server.documents.values().collect();
    open.sort_by_key(|open| open.uri.as_str());
    let mut found = Vec::new();
    for open in open {
        found.extend(fitting(&open.document, &open.uri, &wanted));
    }
    for (uri, document) in server.folders.borrow_mut().documents() {
        // What an editor has open may differ from the file.
        if found.len() < MOST
            && !server.documents.contains_key(&uri)
            && let Ok(uri) = uri.parse()
        {
            found.extend(fitting(&document, &uri, &wanted));
        }
    }
    found.truncate(MOST);
    Ok(found)
}

#[allow(deprecated, reason = "the field `deprecated` must be given")]
fn fitting(document: &Document, uri: &Uri, wanted: &str) -> Vec<SymbolInformation> {
    let found = outline::defined(document.reading());
    let fitting = found.into_iter().filter(|symbol| symbol.name.to_lowercase().contains(wanted));
    fitting
        .map(|symbol| SymbolInformation {
            name: symbol.name,
            kind: convert::symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: convert::location(document, uri, symbol.word),
            container_name: Some(symbol.detail),
        })
        .collect()
}

pub(super) fn tokens(server: &Server, params: &SemanticTokensParams) -> Result<SemanticTokens, Failure> {
    let open = document(server, &params.text_document)?;
    Ok(coloured(open, 0..open.document.text().len()))
}

pub(super) fn tokens_in_range(
    server: &Server,
    params: &SemanticTokensRangeParams,
) -> Result<SemanticTokens, Failure> {
    let open = document(server, &params.text_document)?;
    Ok(coloured(open, convert::offsets(&open.document, params.range)))
}

fn coloured(open: &Open, range: std::ops::Range<usize>) -> SemanticTokens {
    let found = colours::within(open.document.reading(), range);
    SemanticTokens { result_id: None, data: convert::tokens(&open.document, &found) }
}

pub(super) fn folds(server: &Server, params: &FoldingRangeParams) -> Result<Vec<FoldingRange>, Failure> {
    let open = document(server, &params.text_document)?;
    let found = folding::folds(open.document.reading());
    Ok(found
        .iter()
        .map(|fold| {
            let range = convert::range(&open.document, fold.span);
            FoldingRange {
                start_line: range.start.line,
                end_line: range.end.line,
                kind: (fold.kind == FoldKind::Comment).then_some(FoldingRangeKind::Comment),
                ..FoldingRange::default()
            }
        })
        .collect())
}

pub(super) fn hints(server: &Server, params: &InlayHintParams) -> Result<Vec<InlayHint>, Failure> {
    let open = document(server, &params.text_document)?;
    let wanted =
        hinting::Wanted { instances: server.settings.instance_hints, domains: server.settings.domain_hints };
    let range = convert::offsets(&open.document, params.range);
    let found = hinting::within(open.document.reading(), range, wanted, open.knowledge.grounding.as_ref());
    Ok(found
        .into_iter()
        .map(|hint| InlayHint {
            position: convert::position(&open.document, hint.at),
            label: InlayHintLabel::String(hint.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(hint.tooltip)),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
        .collect())
}

/// Lenses above the first rule: what can be done with the game, and what is known of it.
pub(super) fn lenses(server: &Server, params: &CodeLensParams) -> Result<Vec<CodeLens>, Failure> {
    let open = document(server, &params.text_document)?;
    let reading = open.document.reading();
    let Some(&first) = reading.tree().forms().first().filter(|_| server.settings.lenses) else {
        return Ok(Vec::new());
    };
    let at = convert::position(&open.document, reading.tree().span(first).start);
    let range = Range::new(at, at);
    let mut commands = Vec::new();
    if reading.checked().game.is_some() {
        for (name, title) in [
            ("groundrules.play", "play"),
            ("groundrules.verify", "verify"),
            ("groundrules.network", "network"),
        ] {
            if server.settings.commands.iter().any(|known| known == name) {
                let arguments = Some(vec![json!(open.uri)]);
                commands.push(Command { title: title.to_owned(), command: name.to_owned(), arguments });
            }
        }
    }
    commands.extend(known(open).into_iter().map(|title| Command {
        title,
        command: String::new(),
        arguments: None,
    }));
    Ok(commands.into_iter().map(|command| CodeLens { range, command: Some(command), data: None }).collect())
}

/// What is known of a game, in a few words each.
fn known(open: &Open) -> Vec<String> {
    let knowledge = &open.knowledge;
    let mut known = vec![open.document.reading().checked().verdict.words().to_owned()];
    let number = |count: usize| grouped(count as u64);
    if let Some(grounding) = &knowledge.grounding {
        let (fluents, moves, rules) = (grounding.fluents, grounding.moves, grounding.rules);
        known.push(format!(
            "{} fluents, {} moves, {} ground rules",
            number(fluents),
            number(moves),
            number(rules)
        ));
    }
    known.extend(knowledge.gates.map(|gates| format!("{} gates", number(gates))));
    known.extend(knowledge.states.map(|(states, all)| {
        if all {
            format!("{} states", grouped(states))
        } else {
            format!("more than {} states", grouped(states))
        }
    }));
    known.extend(knowledge.rate.map(|rate| format!("{} states per second", rounded(rate))));
    known
}

/// A large number in two or three digits: "3.1 M".
fn rounded(number: f64) -> String {
    let (scaled, unit) = match number {
        _ if number >= 1e9 => (number / 1e9, " G"),
        _ if number >= 1e6 => (number / 1e6, " M"),
        _ if number >= 1e3 => (number / 1e3, " k"),
        _ => (number, ""),
    };
    if scaled < 10.0 { format!("{scaled:.1}{unit}") } else { format!("{scaled:.0}{unit}") }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn rates_are_short() {
        assert_eq!(
            [0.5, 950.0, 3_100.0, 31e6, 3.14e9].map(rounded),
            ["0.5", "950", "3.1 k", "31 M", "3.1 G"]
        );
    }
}
