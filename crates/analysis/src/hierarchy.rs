//! What depends on what, as editors ask for calls: the rules of a relation, fluent or move ask for others.

use groundrules_gdl::Span;

use crate::names::{Kind, Name, NameId};
use crate::reading::Reading;
use crate::relations::head;
use crate::signature;

/// Something that has rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name.
    pub id: NameId,
    /// How it is written.
    pub name: String,
    /// What it is, in words.
    pub detail: String,
    /// What it is.
    pub kind: Kind,
    /// Its first rule, or its first use where it has none.
    pub span: Span,
    /// The word there.
    pub word: Span,
}

/// A dependency, with the words that make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The other one.
    pub item: Item,
    /// Where the one that depends asks for the other.
    pub places: Vec<Span>,
}

/// What the word at an offset names, if rules can be about it.
pub fn at(reading: &Reading, offset: usize) -> Option<Item> {
    let word = reading.names().at(offset)?;
    let has_rules =
        !matches!(reading.names().kind(word.name), Kind::Variable | Kind::Constant | Kind::Function);
    has_rules.then(|| item(reading, word.name)).flatten()
}

/// The names whose rules ask for a name.
pub fn used_by(reading: &Reading, id: NameId) -> Vec<Dependency> {
    let others = reading.relations().asked_by(id);
    others.iter().filter_map(|&other| dependency(reading, other, id, other)).collect()
}

/// The names that the rules of a name ask for.
pub fn depends_on(reading: &Reading, id: NameId) -> Vec<Dependency> {
    let others = reading.relations().asks(id);
    others.iter().filter_map(|&other| dependency(reading, id, other, other)).collect()
}

/// A name that stands in a text, found again by where an item says its word is.
pub fn again(reading: &Reading, word: usize) -> Option<NameId> {
    reading.names().at(word).map(|word| word.name)
}

fn dependency(reading: &Reading, from: NameId, to: NameId, shown: NameId) -> Option<Dependency> {
    let names = reading.names();
    let asked = names.uses(to).filter(|word| !word.in_head);
    let places = asked
        .filter(|word| head(names.of_form(word.form as usize), names) == Some(from))
        .map(|word| word.span)
        .collect();
    Some(Dependency { item: item(reading, shown)?, places })
}

fn item(reading: &Reading, id: NameId) -> Option<Item> {
    let (names, tree) = (reading.names(), reading.tree());
    let first = names.uses(id).find(|word| word.defines).or_else(|| names.uses(id).next())?;
    let name = match names.name(id) {
        Name::Keyword(keyword) => keyword.name().to_owned(),
        _ => signature::of(reading, id).label,
    };
    Some(Item {
        id,
        name,
        detail: signature::described(reading, id).to_owned(),
        kind: names.kind(id),
        span: tree.forms().get(first.form as usize).map_or(first.span, |&form| tree.span(form)),
        word: first.span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn dependencies_are_found_both_ways() {
        let text = "(e 1 2) (<= (p ?x) (e ?x ?y) (e ?y ?x)) (<= (q ?x) (p ?x))";
        let document = Document::new(text.to_owned());
        let reading = document.reading();
        let p = at(reading, text.find("p ?x").unwrap()).expect("a relation");
        let down = depends_on(reading, p.id);
        assert_eq!((down.len(), down[0].item.name.as_str(), down[0].places.len()), (1, "(e ?x ?y)", 2));
        let up = used_by(reading, p.id);
        assert_eq!((up.len(), up[0].item.name.as_str()), (1, "(q ?x)"));
        assert_eq!(at(reading, text.find("?x").unwrap()), None);
    }
}
