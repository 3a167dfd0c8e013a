//! A variable that nothing binds gets a condition that does: a relation of one argument, given by facts, that has all the
//! values that are known to stand at the variable's places.

use groundrules_gdl::{Edit, Fix, Span};

use crate::domains::Argument;
use crate::names::{Name, NameId};
use crate::navigate::argument_at;
use crate::reading::Reading;
use crate::setting::is_rule;

/// Conditions that bind the variable at a place, the tightest first.
pub(super) fn by_relation(reading: &Reading, span: Span) -> Vec<Fix> {
    const MOST: usize = 3;
    let (tree, names) = (reading.tree(), reading.names());
    let Some(word) = names.at(span.start as usize) else { return Vec::new() };
    let places = names.uses(word.name).filter_map(|word| argument_at(reading, word.span));
    let known = places.map(|argument| reading.domains().values(argument).collect::<Vec<_>>());
    let Some(wanted) = known.filter(|set| !set.is_empty()).min_by_key(Vec::len) else { return Vec::new() };
    let mut relations: Vec<(usize, NameId)> = names
        .all()
        .filter_map(|(id, name)| {
            let Name::Relation(_, 1) = name else { return None };
            let values: Vec<NameId> = reading.domains().values(Argument::Of(name, 0)).collect();
            let fits = wanted.iter().all(|value| values.contains(value)) && is_given_by_facts(reading, id);
            fits.then_some((values.len(), id))
        })
        .collect();
    relations.sort();
    let variable = names.spelling(tree, word.name);
    relations
        .into_iter()
        .take(MOST)
        .map(|(_, id)| condition(reading, word.form as usize, &names_condition(reading, id, variable)))
        .collect()
}

fn names_condition(reading: &Reading, relation: NameId, variable: &str) -> String {
    format!("({} {variable})", reading.names().spelling(reading.tree(), relation))
}

fn is_given_by_facts(reading: &Reading, relation: NameId) -> bool {
    let (tree, names) = (reading.tree(), reading.names());
    let mut defining = names.uses(relation).filter(|word| word.defines).peekable();
    defining.peek().is_some() && defining.all(|word| !is_rule(tree, tree.forms()[word.form as usize]))
}

/// Adds a condition behind a form's head.
fn condition(reading: &Reading, form: usize, text: &str) -> Fix {
    let tree = reading.tree();
    let form = tree.forms()[form];
    let edits = match tree.children(form).get(1).filter(|_| is_rule(tree, form)) {
        Some(&head) => vec![Edit::insert(tree.span(head).end, format!(" {text}"))],
        None => {
            let span = tree.span(form);
            vec![Edit::insert(span.start, "(<= "), Edit::insert(span.end, format!(" {text})"))]
        }
    };
    Fix::new(format!("add `{text}`"), edits)
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixed;

    #[test]
    fn a_relation_with_the_right_values_binds() {
        let text = "(row 1) (row 2) (wide 1) (wide 2) (wide 3) (narrow 1) (init (at 1)) (init (at 2))
            (<= (next (at ?r)) (not (true (at ?r))))";
        assert_eq!(
            fixed(text, "G301"),
            text.replace("(next (at ?r))", "(next (at ?r)) (row ?r)"),
            "narrow has too few values, wide too many"
        );
        assert_eq!(fixed("(n 1) (p 1) (p ?x)", "G301"), "(n 1) (p 1) (<= (p ?x) (n ?x))");
    }
}
