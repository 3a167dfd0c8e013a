//! `distinct`: written for other spellings of it (`!=`, `neq`, `not` of `=`), and offered for two variables of a rule that can
//! have the same value.

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::syntax::NodeId;
use groundrules_gdl::{Edit, Fix, Span};

use crate::names::{Name, NameId, Occurrence};
use crate::navigate::argument_at;
use crate::reading::Reading;
use crate::setting::{is_rule, keyword, lists_around};

/// Names that people write where GDL has `distinct`.
const DIFFERENT: [&str; 15] = [
    "!=",
    "/=",
    "\\=",
    "<>",
    "~=",
    "neq",
    "ne",
    "noteq",
    "not-eq",
    "notequal",
    "not-equal",
    "unequal",
    "different",
    "differ",
    "dif",
];
/// Names whose negation is `distinct`.
const EQUAL: [&str; 7] = ["=", "==", "eq", "equal", "equals", "same", "is"];

/// Writes `distinct` where an undefined relation at a place says the same by another name.
pub(super) fn instead(reading: &Reading, span: Span) -> Option<Fix> {
    let (tree, names) = (reading.tree(), reading.names());
    let word = names.occurrences().iter().find(|word| word.span.start > span.start && word.is_atom)?;
    let Name::Relation(symbol, 2) = names.name(word.name) else { return None };
    let name = tree.symbols.folded(symbol);
    if DIFFERENT.contains(&name) {
        let edits = names.uses(word.name).map(|word| Edit::replace(word.span, "distinct")).collect();
        return Some(Fix::new("write `distinct`", edits));
    }
    if !EQUAL.contains(&name) {
        return None;
    }
    let edits: Option<Vec<Vec<Edit>>> = names.uses(word.name).map(|word| negated(reading, word)).collect();
    let edits: Vec<Edit> = edits?.into_iter().flatten().collect();
    Some(Fix::new("write `distinct`", edits))
}

/// The edits that turn `(not (= a b))` into `(distinct a b)`.
fn negated(reading: &Reading, word: &Occurrence) -> Option<Vec<Edit>> {
    let tree = reading.tree();
    let around = lists_around(tree, reading.text(), word.span.start as usize);
    let [.., (outer, _), (inner, _)] = around.as_slice() else { return None };
    let (not, equal) = (tree.span(*outer), tree.span(*inner));
    let plain = keyword(tree, *outer) == Some(Keyword::Not)
        && !super::holds_comment(tree, Span { start: not.start, end: equal.start })
        && !super::holds_comment(tree, Span { start: equal.end, end: not.end });
    plain.then(|| {
        vec![
            Edit::remove(Span { start: not.start, end: equal.start }),
            Edit::replace(word.span, "distinct"),
            Edit::remove(Span { start: equal.end, end: not.end }),
        ]
    })
}

/// Ways to say that the variable at an offset differs from another of its rule.
pub fn between_variables(reading: &Reading, offset: usize) -> Vec<Fix> {
    const MOST: usize = 4;
    let (tree, names) = (reading.tree(), reading.names());
    let Some(word) = names.at(offset).filter(|word| matches!(names.name(word.name), Name::Variable(..)))
    else {
        return Vec::new();
    };
    let Some(&form) = tree.forms().get(word.form as usize).filter(|&&form| is_rule(tree, form)) else {
        return Vec::new();
    };
    let own = values(reading, word.name);
    let mut others: Vec<NameId> = Vec::new();
    for other in names.of_form(word.form as usize).iter().filter(|other| is_bound(other)) {
        let is_variable = matches!(names.name(other.name), Name::Variable(..));
        if is_variable && other.name != word.name && !others.contains(&other.name) {
            others.push(other.name);
        }
    }
    others.retain(|&other| {
        !are_distinct(reading, form, word.name, other)
            && values(reading, other).iter().any(|value| own.contains(value))
    });
    others.into_iter().take(MOST).filter_map(|other| add(reading, form, word.name, other)).collect()
}

fn is_bound(word: &Occurrence) -> bool {
    !word.in_head && !word.negated
}

/// What a variable can be, by the places that bind it.
fn values(reading: &Reading, variable: NameId) -> Vec<NameId> {
    let binding = reading.names().uses(variable).filter(|word| is_bound(word));
    let places = binding.filter_map(|word| argument_at(reading, word.span));
    let sets = places.map(|argument| reading.domains().values(argument).collect::<Vec<_>>());
    sets.filter(|set| !set.is_empty()).min_by_key(Vec::len).unwrap_or_default()
}

/// Whether the rule says already that two variables differ.
fn are_distinct(reading: &Reading, form: NodeId, one: NameId, other: NameId) -> bool {
    let (tree, names) = (reading.tree(), reading.names());
    tree.children(form).iter().filter(|&&literal| keyword(tree, literal) == Some(Keyword::Distinct)).any(
        |&literal| {
            let members = tree.children(literal).get(1..).unwrap_or_default().iter();
            let said: Vec<Option<NameId>> = members
                .map(|&member| names.at(tree.span(member).start as usize).map(|word| word.name))
                .collect();
            said.contains(&Some(one)) && said.contains(&Some(other))
        },
    )
}

/// Adds the literal behind the last condition, in a line of its own where that has one.
fn add(reading: &Reading, form: NodeId, one: NameId, other: NameId) -> Option<Fix> {
    let (tree, names) = (reading.tree(), reading.names());
    let last = tree.span(*tree.children(form).get(2..)?.last()?);
    let literal = format!("(distinct {} {})", names.spelling(tree, one), names.spelling(tree, other));
    let line = reading.text()[..last.start as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
    let line_end = if reading.text().contains("\r\n") { "\r\n" } else { "\n" };
    let before = if line.trim().is_empty() { format!("{line_end}{line}") } else { " ".to_owned() };
    Some(Fix::new(format!("add `{literal}`"), vec![Edit::insert(last.end, format!("{before}{literal}"))]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixed;
    use super::*;
    use crate::Document;
    use groundrules_gdl::fix::apply;

    #[test]
    fn other_spellings_are_replaced() {
        assert_eq!(
            fixed("(n 1) (<= (p ?x ?y) (n ?x) (n ?y) (!= ?x ?y))", "G510"),
            "(n 1) (<= (p ?x ?y) (n ?x) (n ?y) (distinct ?x ?y))"
        );
        assert_eq!(
            fixed("(n 1) (<= (p ?x ?y) (n ?x) (n ?y) (not (= ?x ?y)))", "G510"),
            "(n 1) (<= (p ?x ?y) (n ?x) (n ?y) (distinct ?x ?y))"
        );
        let document = Document::new("(n 1) (<= (p ?x ?y) (n ?x) (n ?y) (= ?x ?y))".to_owned());
        let found = document.reading().diagnostics().iter().find(|found| found.code.id == "G510");
        assert_eq!(instead(document.reading(), found.expect("a diagnostic").span()), None);
    }

    fn offered(text: &str) -> Vec<String> {
        let document = Document::new(text.to_owned());
        let fixes = between_variables(document.reading(), text.find("?x").expect("?x"));
        fixes
            .iter()
            .map(|fix| String::from_utf8(apply(text.as_bytes(), &fix.edits)).expect("UTF-8"))
            .collect()
    }

    #[test]
    fn variables_with_common_values_can_be_kept_apart() {
        let text = "(n 1) (n 2) (m 2) (k 3)\n(<= (p ?x ?y)\n    (n ?x)\n    (m ?y)\n    (k ?z))";
        assert_eq!(
            offered(text),
            [text.replace("    (k ?z))", "    (k ?z)\n    (distinct ?x ?y))")],
            "?z has no value in common"
        );
        assert!(offered(&text.replace("(k ?z)", "(distinct ?y ?x)")).is_empty());
        assert!(offered("(p ?x)").is_empty());
    }
}
