//! What may stand at a place of a description: a rule, a head, a condition or a term, and of a term whether it is a role, a
//! fluent, a move or a value. A place's setting follows from the list around it, whether the text is valid or not.

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::syntax::{NodeId, Tree};

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Setting {
    /// A rule or a fact.
    Form,
    /// The word `<=`.
    Arrow,
    /// The head of a rule.
    Head,
    /// A condition.
    Body,
    /// A term.
    Term(Slot),
}

/// What a term stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// A player.
    Role,
    /// What holds in a state.
    Fluent,
    /// What a player does.
    Move,
    /// What a state is worth.
    Value,
    /// An argument of a relation or a function.
    Argument,
}

/// The keyword that a list begins with, or that a word is.
pub(crate) fn keyword(tree: &Tree, node: NodeId) -> Option<Keyword> {
    let word = tree.children(node).first().copied().unwrap_or(node);
    Keyword::named(tree.symbols.folded(tree.word(word)?))
}

/// Whether a form is written with `<=`.
pub(crate) fn is_rule(tree: &Tree, form: NodeId) -> bool {
    tree.is_list(form) && keyword(tree, form) == Some(Keyword::Implies)
}

/// The setting of a member of a list that itself has a setting. The member need not be there yet.
pub(crate) fn of_member(tree: &Tree, list: NodeId, setting: Setting, index: usize) -> Setting {
    match setting {
        Setting::Form if is_rule(tree, list) => match index {
            0 => Setting::Arrow,
            1 => Setting::Head,
            _ => Setting::Body,
        },
        Setting::Form => of_argument(keyword(tree, list), Setting::Head, index),
        Setting::Arrow => Setting::Arrow,
        Setting::Head | Setting::Body => of_argument(keyword(tree, list), setting, index),
        Setting::Term(_) if index == 0 => setting,
        Setting::Term(_) => Setting::Term(Slot::Argument),
    }
}

fn of_argument(keyword: Option<Keyword>, setting: Setting, index: usize) -> Setting {
    if index == 0 {
        return setting;
    }
    match keyword {
        Some(Keyword::Not | Keyword::Or | Keyword::And | Keyword::Implies) => Setting::Body,
        Some(keyword) => Setting::Term(slot(keyword, index)),
        None => Setting::Term(Slot::Argument),
    }
}

/// What an argument of a keyword stands for; the first has the index 1.
pub(crate) fn slot(keyword: Keyword, index: usize) -> Slot {
    match (keyword, index) {
        (Keyword::Role, 1) => Slot::Role,
        (Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base, 1) => Slot::Fluent,
        (Keyword::Does | Keyword::Legal | Keyword::Input | Keyword::Goal | Keyword::Sees, 1) => Slot::Role,
        (Keyword::Does | Keyword::Legal | Keyword::Input, 2) => Slot::Move,
        (Keyword::Goal, 2) => Slot::Value,
        _ => Slot::Argument,
    }
}

/// The lists around an offset, the outermost first, each with its setting.
pub(crate) fn lists_around(tree: &Tree, text: &str, offset: usize) -> Vec<(NodeId, Setting)> {
    let mut around = Vec::new();
    let mut members = tree.forms();
    let mut parent: Option<(NodeId, Setting)> = None;
    loop {
        // Of members that begin before the offset only the last can hold it.
        let behind = members.partition_point(|&member| (tree.span(member).start as usize) < offset);
        let Some(index) = behind.checked_sub(1) else { return around };
        let member = members[index];
        if !tree.is_list(member) || !is_inside(tree, text, member, offset) {
            return around;
        }
        let setting = parent.map_or(Setting::Form, |(list, setting)| of_member(tree, list, setting, index));
        around.push((member, setting));
        parent = Some((member, setting));
        members = tree.children(member);
    }
}

/// Whether an offset is inside a list: before its `)`, or in the white space behind a list that has none.
fn is_inside(tree: &Tree, text: &str, list: NodeId, offset: usize) -> bool {
    let end = tree.span(list).end as usize;
    if is_closed(tree, text, list) {
        return offset < end;
    }
    let behind = text.get(end..offset).unwrap_or_default();
    behind.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Whether a list has its `)`: the last byte is one, and no list inside ends there too.
fn is_closed(tree: &Tree, text: &str, list: NodeId) -> bool {
    let end = tree.span(list).end;
    let shares_end = |&last: &NodeId| tree.is_list(last) && tree.span(last).end == end;
    text.as_bytes().get(end as usize - 1) == Some(&b')')
        && !tree.children(list).last().is_some_and(shares_end)
}

/// What is being written at an offset.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The lists around, the outermost first, with their settings.
    pub(crate) around: Vec<(NodeId, Setting)>,
    /// The place among the members of the innermost list, or among the forms.
    pub(crate) index: usize,
    /// The word at the offset.
    pub(crate) word: Option<NodeId>,
    /// What may stand there.
    pub(crate) setting: Setting,
}

/// What is being written at an offset.
pub(crate) fn context(tree: &Tree, text: &str, offset: usize) -> Context {
    let around = lists_around(tree, text, offset);
    let members = around.last().map_or(tree.forms(), |&(list, _)| tree.children(list));
    let at = members.partition_point(|&member| (tree.span(member).end as usize) < offset);
    let word = members.get(at).copied().filter(|&node| {
        let span = tree.span(node);
        !tree.is_list(node) && (span.start as usize) <= offset
    });
    let setting = around.last().map_or(Setting::Form, |&(list, setting)| of_member(tree, list, setting, at));
    Context { around, index: at, word, setting }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn at(text: &str) -> Context {
        let offset = text.find('|').expect("a mark");
        let text = text.replacen('|', "", 1);
        let document = Document::new(text.clone());
        context(document.reading().tree(), &text, offset)
    }

    #[test]
    fn places_have_settings() {
        assert_eq!(at("|").setting, Setting::Form);
        assert_eq!(at("(|").setting, Setting::Head);
        assert_eq!(at("(<= (leg|al a b) c)").setting, Setting::Head);
        assert_eq!(at("(<= p (not (|").setting, Setting::Body);
        assert_eq!(at("(<= p (does |").setting, Setting::Term(Slot::Role));
        assert_eq!(at("(<= p (does x |))\n(role x)").setting, Setting::Term(Slot::Move));
        assert_eq!(at("(<= p (true (cell |)))").setting, Setting::Term(Slot::Argument));
        assert_eq!(at("(<= p (true (ce|").setting, Setting::Term(Slot::Fluent));
        assert_eq!(at("(goal x 1|00)").setting, Setting::Term(Slot::Value));
        assert_eq!(at("(role x) |").setting, Setting::Form);
        assert_eq!(at("(<= p\n  |\n(role x)").setting, Setting::Body);
    }

    #[test]
    fn the_word_at_a_place_is_known() {
        assert!(at("(role whi|te)").word.is_some());
        assert!(at("(role |white)").word.is_some());
        assert!(at("(role white |)").word.is_none());
        assert_eq!(at("(p a| b)").index, 1);
        assert_eq!(at("(p a |b)").index, 2);
        assert_eq!(at("(p a b |)").index, 3);
    }
}
