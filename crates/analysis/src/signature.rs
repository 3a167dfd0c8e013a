//! Signatures, inferred from use: nobody declares what a relation's arguments are, so they are called as the variables are
//! that stand there most often, and described by the values that can stand there.

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::syntax::{NodeId, Tree};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::domains::Argument;
use crate::names::{Kind, Name, NameId};
use crate::reading::Reading;
use crate::setting::{Setting, lists_around};

/// How something is written, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// For example `(cell ?x ?y ?mark)`.
    pub label: String,
    /// Where each argument is named in the label, in bytes.
    pub parameters: Vec<std::ops::Range<usize>>,
    /// What each argument can be, in words; may be empty.
    pub domains: Vec<String>,
}

/// The signature of what is being written at an offset, and which argument.
pub fn at(reading: &Reading, offset: usize) -> Option<(Signature, usize)> {
    let (tree, names) = (reading.tree(), reading.names());
    let around = lists_around(tree, reading.text(), offset);
    let &(list, setting) = around.last()?;
    let members = tree.children(list);
    let behind = members.partition_point(|&member| (tree.span(member).end as usize) < offset);
    let active = behind.checked_sub(1)?;
    let word = *members.first()?;
    let written = names.at(tree.span(word).start as usize)?.name;
    let meant = best_arity(reading, written, members.len() - 1, setting);
    Some((of(reading, meant), active))
}

/// The name with the arity that has rules: what is being written may lack arguments yet.
fn best_arity(reading: &Reading, written: NameId, given: usize, setting: Setting) -> NameId {
    let names = reading.names();
    let Some(symbol) = names.symbol(written) else { return written };
    let is_term = matches!(setting, Setting::Term(_));
    let same = names.all().filter(|&(_, name)| match name {
        Name::Relation(other, _) => !is_term && other == symbol,
        Name::Function(other, arity) => is_term && other == symbol && arity > 0,
        _ => false,
    });
    let rank = |&(id, _): &(NameId, Name)| {
        let arity = names.arity(id).unwrap_or(0);
        let defined = names.uses(id).filter(|word| word.defines).count();
        (arity >= given, defined, id != written)
    };
    same.max_by_key(rank).map_or(written, |(id, _)| id)
}

/// The signature of a name.
pub fn of(reading: &Reading, id: NameId) -> Signature {
    let (tree, names) = (reading.tree(), reading.names());
    if let Name::Keyword(keyword) = names.name(id) {
        return of_keyword(keyword);
    }
    let spelling = names.spelling(tree, id);
    let arity = names.arity(id).unwrap_or(0);
    if arity == 0 {
        return Signature { label: spelling.to_owned(), parameters: Vec::new(), domains: Vec::new() };
    }
    let (mut label, mut parameters, mut domains) = (format!("({spelling}"), Vec::new(), Vec::new());
    for (place, name) in argument_names(reading, id, arity).into_iter().enumerate() {
        label.push(' ');
        parameters.push(label.len()..label.len() + name.len());
        label.push_str(&name);
        domains.push(domain(reading, Argument::Of(names.name(id), place)));
    }
    label.push(')');
    Signature { label, parameters, domains }
}

fn of_keyword(keyword: Keyword) -> Signature {
    let label = keyword.usage().to_owned();
    let mut parameters = Vec::new();
    let mut at = label.find(' ').unwrap_or(label.len());
    while at < label.len() {
        let start = at + 1;
        let end = label[start..].find([' ', ')']).map_or(label.len(), |end| start + end);
        parameters.push(start..end);
        at = if label[end..].starts_with(' ') { end } else { label.len() };
    }
    let domains = vec![String::new(); parameters.len()];
    Signature { label, parameters, domains }
}

/// The names of a keyword's arguments.
pub(crate) fn of_keyword_names(keyword: Keyword) -> Vec<&'static str> {
    let inside = keyword.usage().trim_matches(['(', ')']);
    inside.split(' ').skip(1).filter(|name| *name != "…").collect()
}

/// What an argument can be, in words.
pub(crate) fn domain(reading: &Reading, argument: Argument) -> String {
    const MOST_NAMED: usize = 6;
    let (tree, names) = (reading.tree(), reading.names());
    let values: Vec<NameId> = reading.domains().values(argument).collect();
    let shown = |&id: &NameId| match names.name(id) {
        Name::Function(..) => format!("({} …)", names.spelling(tree, id)),
        _ => names.spelling(tree, id).to_owned(),
    };
    let first: Vec<String> = values.iter().take(MOST_NAMED).map(shown).collect();
    match values.len() {
        0 => String::new(),
        count if count <= MOST_NAMED => first.join(", "),
        count => format!("{}, … ({count} values)", first.join(", ")),
    }
}

/// The variables that stand most often as the arguments of a name, first in heads, then anywhere.
fn argument_names(reading: &Reading, id: NameId, arity: usize) -> Vec<String> {
    const MOST_LOOKED_AT: usize = 1_000;
    let (tree, names) = (reading.tree(), reading.names());
    let mut counts: Vec<IndexMap<&str, usize, FxBuildHasher>> = vec![IndexMap::default(); arity];
    for word in names.uses(id).take(MOST_LOOKED_AT) {
        let Some(list) = list_of(tree, reading.text(), word.span.start as usize) else { continue };
        for (place, &member) in tree.children(list).iter().skip(1).enumerate().take(arity) {
            if let Some(symbol) = tree.word(member).filter(|&symbol| tree.symbols.is_variable(symbol)) {
                let weight = if word.defines { 3 } else { 1 };
                *counts[place].entry(tree.symbols.spelling(symbol)).or_default() += weight;
            }
        }
    }
    let mut taken: Vec<String> = Vec::with_capacity(arity);
    for (place, counts) in counts.iter().enumerate() {
        let mut ranked: Vec<(&&str, &usize)> = counts.iter().collect();
        ranked.sort_by_key(|&(_, count)| std::cmp::Reverse(*count));
        let free =
            ranked.iter().map(|(name, _)| **name).find(|name| !taken.iter().any(|other| other == name));
        taken.push(free.map_or_else(|| format!("?{}", place + 1), str::to_owned));
    }
    taken
}

/// The list that begins with the word at an offset.
fn list_of(tree: &Tree, text: &str, word: usize) -> Option<NodeId> {
    lists_around(tree, text, word).last().map(|&(list, _)| list)
}

/// What a name is, in words.
pub(crate) fn described(reading: &Reading, id: NameId) -> &'static str {
    let names = reading.names();
    match names.kind(id) {
        Kind::Relation if reading.relations().is_dynamic(id) => "dynamic relation",
        Kind::Relation => "static relation",
        kind => kind.word(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn arguments_are_called_as_the_variables_are() {
        let text = "(<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w))) (<= (p ?a) (true (cell ?a ?b ?w))) (init (cell 1 2 b))";
        let document = Document::new(text.to_owned());
        let (signature, active) = at(document.reading(), text.find("?y").unwrap()).expect("a signature");
        assert_eq!((signature.label.as_str(), active), ("(cell ?x ?y ?w)", 1));
        assert_eq!(signature.domains, ["1", "2", "b"]);
        assert_eq!(&signature.label[signature.parameters[2].clone()], "?w");
    }

    #[test]
    fn what_is_being_written_may_lack_arguments() {
        let text = "(adj 1 2) (<= (p ?x) (adj ";
        let document = Document::new(text.to_owned());
        let (signature, active) = at(document.reading(), text.len()).expect("a signature");
        assert_eq!((signature.label.as_str(), active), ("(adj ?1 ?2)", 0));
        let text = "(<= (legal ";
        let document = Document::new(text.to_owned());
        let (signature, active) = at(document.reading(), text.len()).expect("a signature");
        assert_eq!((signature.label.as_str(), active, signature.parameters.len()), ("(legal r m)", 0, 2));
    }
}
