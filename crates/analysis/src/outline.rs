//! The outline of a description by the parts of a game: roles, initial state, moves, state transition, goals, end, and
//! the relations that they use.

use groundrules_gdl::Span;
use groundrules_gdl::keyword::Keyword;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::names::{Kind, Name, NameId, Occurrence};
use crate::reading::Reading;
use crate::relations::head;
use crate::signature;

/// A part of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it is called.
    pub name: String,
    /// More about it.
    pub detail: String,
    /// What it is; a section is none of these.
    pub kind: Option<Kind>,
    /// All of it.
    pub span: Span,
    /// The word to show.
    pub word: Span,
    /// Its parts.
    pub children: Vec<Symbol>,
}

/// The parts of a game, in the order of the outline.
const SECTIONS: [(&str, &[Keyword]); 9] = [
    ("roles", &[Keyword::Role]),
    ("initial state", &[Keyword::Init]),
    ("legal moves", &[Keyword::Legal]),
    ("state transition", &[Keyword::Next]),
    ("percepts", &[Keyword::Sees]),
    ("goals", &[Keyword::Goal]),
    ("terminal", &[Keyword::Terminal]),
    ("base and input", &[Keyword::Base, Keyword::Input]),
    ("relations", &[]),
];

/// The sections of a description, each with what it defines, and that with its rules.
pub fn sections(reading: &Reading) -> Vec<Symbol> {
    let names = reading.names();
    let mut sections: Vec<IndexMap<NameId, Vec<Symbol>, FxBuildHasher>> =
        vec![IndexMap::default(); SECTIONS.len()];
    for (index, _) in reading.tree().forms().iter().enumerate() {
        let words = names.of_form(index);
        let Some(relation) = words.iter().find(|word| word.defines && word.is_atom && word.in_head) else {
            continue;
        };
        let section = section(names.name(relation.name));
        let about = head(words, names).unwrap_or(relation.name);
        sections[section].entry(about).or_default().push(rule(reading, index, words));
    }
    let titled = SECTIONS.iter().zip(sections).filter(|(_, members)| !members.is_empty());
    titled.map(|((title, _), members)| whole(title, members, reading)).collect()
}

/// What the description defines, flat: relations, fluents, moves and roles, each at its first rule.
pub fn defined(reading: &Reading) -> Vec<Symbol> {
    let names = reading.names();
    let named = names.all().filter(|&(id, name)| {
        !matches!(name, Name::Keyword(_) | Name::Variable(..))
            && matches!(names.kind(id), Kind::Relation | Kind::Fluent | Kind::Move | Kind::Role)
    });
    named
        .filter_map(|(id, _)| {
            let first = names.uses(id).find(|word| word.defines)?;
            Some(Symbol {
                name: names.spelling(reading.tree(), id).to_owned(),
                detail: signature::described(reading, id).to_owned(),
                kind: Some(names.kind(id)),
                span: form_span(reading, first.form as usize),
                word: first.span,
                children: Vec::new(),
            })
        })
        .collect()
}

/// The part of a game that the rules of a relation belong to, by its place in the outline.
pub(crate) fn section(name: Name) -> usize {
    let Name::Keyword(keyword) = name else { return SECTIONS.len() - 1 };
    SECTIONS.iter().position(|(_, keywords)| keywords.contains(&keyword)).unwrap_or(SECTIONS.len() - 1)
}

fn whole(title: &str, members: IndexMap<NameId, Vec<Symbol>, FxBuildHasher>, reading: &Reading) -> Symbol {
    let children: Vec<Symbol> = members.into_iter().map(|(id, rules)| named(reading, id, rules)).collect();
    Symbol {
        name: title.to_owned(),
        detail: String::new(),
        kind: None,
        span: around(&children),
        word: children.first().map_or(Span::default(), |first| first.word),
        children,
    }
}

/// A name with its rules; of a single rule only the name is shown.
fn named(reading: &Reading, id: NameId, mut rules: Vec<Symbol>) -> Symbol {
    let names = reading.names();
    let (span, word) = (around(&rules), rules.first().map_or(Span::default(), |first| first.word));
    let detail = match rules.len() {
        1 => String::new(),
        count => format!("{count} rules"),
    };
    if rules.len() == 1 {
        rules.clear();
    }
    let name = signature::of(reading, id).label;
    Symbol { name, detail, kind: Some(names.kind(id)), span, word, children: rules }
}

fn rule(reading: &Reading, index: usize, words: &[Occurrence]) -> Symbol {
    let tree = reading.tree();
    let form = tree.forms()[index];
    let is_rule = crate::setting::is_rule(tree, form);
    let head = if is_rule { tree.children(form).get(1).copied().unwrap_or(form) } else { form };
    let conditions = tree.children(form).len().saturating_sub(2);
    let detail = match (is_rule, conditions) {
        (false, _) => String::new(),
        (true, 1) => "1 condition".to_owned(),
        (true, count) => format!("{count} conditions"),
    };
    let word = words.iter().find(|word| word.defines).map_or(tree.span(head), |word| word.span);
    let name = crate::layout::one_line(reading.slice(tree.span(head)));
    Symbol { name, detail, kind: None, span: tree.span(form), word, children: Vec::new() }
}

fn form_span(reading: &Reading, form: usize) -> Span {
    reading.tree().forms().get(form).map_or(Span::default(), |&form| reading.tree().span(form))
}

fn around(symbols: &[Symbol]) -> Span {
    let start = symbols.iter().map(|symbol| symbol.span.start).min().unwrap_or(0);
    let end = symbols.iter().map(|symbol| symbol.span.end).max().unwrap_or(0);
    Span { start, end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn parts_of_the_game_come_in_order() {
        let text = "(succ 1 2) (role a) (init (step 1)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (goal a 100)";
        let document = Document::new(text.to_owned());
        let found = sections(document.reading());
        let titles: Vec<&str> = found.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(titles, ["roles", "initial state", "state transition", "goals", "relations"]);
        assert_eq!(found[2].children[0].name, "(step ?y)");
        assert_eq!(found[4].children[0].name, "(succ ?x ?y)");
        let all: Vec<String> = defined(document.reading()).into_iter().map(|symbol| symbol.name).collect();
        assert_eq!(all, ["succ", "a", "step"]);
    }
}
