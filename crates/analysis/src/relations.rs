//! What depends on what, by name: the relations that the rules for a relation ask for. Fluents and moves take part by the
//! rules that make them.

use groundrules_gdl::keyword::Keyword;
use rustc_hash::FxHashSet;

use crate::names::{Name, NameId, Names, Occurrence};

/// The dependencies among names that have rules.
#[derive(Clone, Debug)]
pub(crate) struct Relations {
    /// What the rules of each name ask for, by the name's index, in the order of the text.
    asks: Vec<Vec<NameId>>,
    /// Which names' rules ask for each name.
    asked_by: Vec<Vec<NameId>>,
    dynamic: Vec<bool>,
}

impl Relations {
    pub(crate) fn of(names: &Names) -> Self {
        let mut asks = vec![Vec::new(); names.len()];
        let mut asked_by = vec![Vec::new(); names.len()];
        let mut seen = FxHashSet::default();
        let mut form = 0;
        while !names.of_form(form).is_empty()
            || names.occurrences().last().is_some_and(|last| last.form as usize > form)
        {
            let words = names.of_form(form);
            if let Some(head) = head(words, names) {
                for word in words.iter().filter(|word| !word.in_head && is_asked(word, names)) {
                    if seen.insert((head, word.name)) {
                        asks[head.index()].push(word.name);
                        asked_by[word.name.index()].push(head);
                    }
                }
            }
            form += 1;
        }
        let dynamic = dynamic(names, &asked_by);
        Relations { asks, asked_by, dynamic }
    }

    /// What the rules of a name ask for.
    pub(crate) fn asks(&self, name: NameId) -> &[NameId] {
        &self.asks[name.index()]
    }

    /// Whose rules ask for a name.
    pub(crate) fn asked_by(&self, name: NameId) -> &[NameId] {
        &self.asked_by[name.index()]
    }

    /// Whether a relation depends on the state or on a move.
    pub(crate) fn is_dynamic(&self, name: NameId) -> bool {
        self.dynamic[name.index()]
    }
}

/// What the head of a form is about: its fluent or move, else its relation.
pub(crate) fn head(words: &[Occurrence], names: &Names) -> Option<NameId> {
    let defined = words.iter().filter(|word| word.defines && word.in_head);
    let relation = defined.clone().find(|word| word.is_atom)?;
    let is_maker = matches!(
        names.name(relation.name),
        Name::Keyword(Keyword::Init | Keyword::Next | Keyword::Legal | Keyword::Role)
    );
    let thing = defined.filter(|word| !word.is_atom).find(|_| is_maker);
    Some(thing.unwrap_or(relation).name)
}

/// Whether a word in a body is something that rules are written for, or a keyword that asks.
fn is_asked(word: &Occurrence, names: &Names) -> bool {
    match names.name(word.name) {
        Name::Relation(..) => word.is_atom,
        Name::Keyword(keyword) => {
            word.is_atom
                && !matches!(
                    keyword,
                    Keyword::Not | Keyword::Or | Keyword::And | Keyword::Distinct | Keyword::Implies
                )
        }
        Name::Function(..) | Name::Constant(_) => {
            matches!(names.kind(word.name), crate::names::Kind::Fluent | crate::names::Kind::Move)
        }
        Name::Variable(..) => false,
    }
}

fn dynamic(names: &Names, asked_by: &[Vec<NameId>]) -> Vec<bool> {
    let mut dynamic = vec![false; names.len()];
    let roots = [Keyword::True, Keyword::Does].map(Name::Keyword);
    let mut stack: Vec<NameId> = roots.iter().filter_map(|&root| names.find(root)).collect();
    while let Some(name) = stack.pop() {
        if !std::mem::replace(&mut dynamic[name.index()], true) {
            stack.extend(&asked_by[name.index()]);
        }
    }
    dynamic
}

#[cfg(test)]
mod tests {
    use crate::Document;
    use crate::names::Name;

    #[test]
    fn dependencies_go_through_fluents_and_moves() {
        let text = "(role r) (e 1 2) (<= (p ?x) (e ?x ?y)) (<= (next (at ?x)) (p ?x) (does r (go ?x)))
                    (<= (q ?x) (true (at ?x))) (legal r (go 1))";
        let document = Document::new(text.to_owned());
        let reading = document.reading();
        let (names, relations) = (reading.names(), reading.relations());
        let named = |word: &str| {
            names.all().find(|&(id, _)| names.spelling(reading.tree(), id) == word).expect("named").0
        };
        let asks = |word: &str| -> Vec<&str> {
            relations.asks(named(word)).iter().map(|&id| names.spelling(reading.tree(), id)).collect()
        };
        assert_eq!(asks("at"), ["p", "does", "go"]);
        assert_eq!(asks("q"), ["true", "at"]);
        assert!(relations.is_dynamic(named("q")) && !relations.is_dynamic(named("p")));
        assert!(matches!(names.name(relations.asked_by(named("e"))[0]), Name::Relation(..)));
    }
}
