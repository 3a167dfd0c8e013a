//! From a word to the places that concern it: its definition, its uses, and the lists around it.

use groundrules_gdl::Span;
use groundrules_gdl::keyword::Keyword;

use crate::domains::{Argument, argument};
use crate::names::{Name, NameId, Names, Occurrence};
use crate::reading::Reading;
use crate::setting::lists_around;

/// Where the name at an offset is defined: the heads of its rules and facts. A variable is defined by the first positive
/// condition that binds it, and a constant that nothing defines by the first place where it stands.
pub fn definitions(reading: &Reading, offset: usize) -> Vec<Span> {
    let names = reading.names();
    let Some(word) = names.at(offset) else { return Vec::new() };
    defined_by(names, word.name).iter().map(|word| word.span).collect()
}

fn defined_by(names: &Names, id: NameId) -> Vec<Occurrence> {
    let defining = |id: NameId| names.uses(id).filter(|word| word.defines).copied();
    let found: Vec<Occurrence> = match names.name(id) {
        Name::Keyword(Keyword::True) => of_keywords(names, &[Keyword::Init, Keyword::Next]),
        Name::Keyword(Keyword::Does) => of_keywords(names, &[Keyword::Legal]),
        Name::Variable(..) => {
            let binding = names.uses(id).find(|word| !word.in_head && !word.negated);
            binding.into_iter().copied().collect()
        }
        _ => defining(id).collect(),
    };
    if found.is_empty() { names.uses(id).take(1).copied().collect() } else { found }
}

fn of_keywords(names: &Names, keywords: &[Keyword]) -> Vec<Occurrence> {
    let ids = keywords.iter().filter_map(|&keyword| names.find(Name::Keyword(keyword)));
    let mut found: Vec<Occurrence> =
        ids.flat_map(|id| names.uses(id).filter(|word| word.defines).copied()).collect();
    found.sort_by_key(|word| word.span);
    found
}

/// Where the name at an offset stands.
pub fn references(reading: &Reading, offset: usize) -> Vec<Occurrence> {
    let names = reading.names();
    names.at(offset).map_or_else(Vec::new, |word| names.uses(word.name).copied().collect())
}

/// The places of the variable at an offset, which change together while it is typed.
pub fn linked(reading: &Reading, offset: usize) -> Option<Vec<Span>> {
    let names = reading.names();
    let word = names.at(offset)?;
    matches!(names.name(word.name), Name::Variable(..))
        .then(|| names.uses(word.name).map(|word| word.span).collect())
}

/// The word at an offset and the lists around it, the innermost first, and the whole text last.
pub fn selection(reading: &Reading, offset: usize) -> Vec<Span> {
    let tree = reading.tree();
    let mut spans: Vec<Span> = Vec::new();
    spans.extend(reading.names().at(offset).map(|word| word.span));
    for &(list, _) in lists_around(tree, reading.text(), offset).iter().rev() {
        let span = tree.span(list);
        // What is between the parentheses comes before the list with them.
        if let (Some(&first), Some(&last)) = (tree.children(list).first(), tree.children(list).last()) {
            spans.push(Span { start: tree.span(first).start, end: tree.span(last).end });
        }
        spans.push(span);
    }
    spans.push(Span::new(0, reading.text().len()));
    let mut around: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        let holds = around
            .last()
            .is_none_or(|inner| span.start <= inner.start && inner.end <= span.end && span != *inner);
        if holds {
            around.push(span);
        }
    }
    around
}

/// Which argument the word at a place is.
pub(crate) fn argument_at(reading: &Reading, word: Span) -> Option<Argument> {
    let tree = reading.tree();
    let &(list, setting) = lists_around(tree, reading.text(), word.start as usize).last()?;
    let index = tree.children(list).iter().position(|&member| tree.span(member).start == word.start)?;
    argument(tree, list, setting, index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    const TEXT: &str = "(role a) (adj 1 2) (<= (next (at ?y)) (true (at ?x)) (adj ?x ?y)) (init (at 1)) (<= p (not (q ?z)) (r ?z))";

    fn defined(word: &str) -> Vec<u32> {
        let document = Document::new(TEXT.to_owned());
        let found = definitions(document.reading(), TEXT.find(word).expect("the word"));
        found.iter().map(|span| span.start).collect()
    }

    fn places(words: &[&str]) -> Vec<u32> {
        words.iter().map(|word| u32::try_from(TEXT.find(word).expect("the word")).unwrap()).collect()
    }

    #[test]
    fn definitions_are_heads() {
        assert_eq!(defined("adj ?x"), places(&["adj 1"]));
        assert_eq!(defined("at ?x"), places(&["at ?y", "at 1"]));
        assert_eq!(defined("true"), places(&["next", "init"]));
        assert_eq!(
            defined("?z)) (r"),
            places(&["?z))"])
                .iter()
                .map(|_| u32::try_from(TEXT.rfind("?z").unwrap()).unwrap())
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn selections_grow() {
        let document = Document::new(TEXT.to_owned());
        let reading = document.reading();
        let grown: Vec<&str> =
            selection(reading, TEXT.find("2)").unwrap()).iter().map(|&span| reading.slice(span)).collect();
        assert_eq!(grown, ["2", "adj 1 2", "(adj 1 2)", TEXT]);
        assert_eq!(selection(reading, 9999).len(), 1);
    }

    #[test]
    fn a_variables_places_are_linked() {
        let document = Document::new(TEXT.to_owned());
        assert_eq!(linked(document.reading(), TEXT.find("?x").unwrap()).map(|spans| spans.len()), Some(2));
        assert_eq!(linked(document.reading(), TEXT.find("adj").unwrap()), None);
    }
}
