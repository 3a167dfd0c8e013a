//! Which constants and functions an argument can have, as far as the rules show it: what facts and heads write there, and
//! what variables bring from the arguments that bind them. It is a superset of what can really occur, found by a least
//! fixpoint over the arguments' sets; conditions that a variable must meet together are intersected.

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::syntax::{NodeId, Tree};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::names::{Name, NameId, Names};
use crate::setting::{Setting, Slot, keyword, of_member, slot};

/// An argument of something, from zero, or what several keywords speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    /// Of a relation or a function.
    Of(Name, usize),
    /// Fluents: the argument of `true`, `next`, `init`.
    Fluent,
    /// Moves: the second argument of `does` and `legal`.
    Move,
    /// Roles.
    Role,
}

/// The argument at a place among the members of a list; the first argument has the index 1.
pub(crate) fn argument(tree: &Tree, list: NodeId, setting: Setting, index: usize) -> Option<Argument> {
    let place = index.checked_sub(1)?;
    let members = tree.children(list);
    let symbol = tree.word(*members.first()?)?;
    if matches!(setting, Setting::Term(_)) {
        return Some(Argument::Of(Name::Function(symbol, members.len() - 1), place));
    }
    Some(match keyword(tree, list) {
        Some(Keyword::Implies | Keyword::Not | Keyword::Or | Keyword::And | Keyword::Distinct) => {
            return None;
        }
        Some(keyword) => match slot(keyword, index) {
            Slot::Fluent => Argument::Fluent,
            Slot::Move => Argument::Move,
            Slot::Role => Argument::Role,
            Slot::Value | Slot::Argument => Argument::Of(Name::Keyword(keyword), place),
        },
        None => Argument::Of(Name::Relation(symbol, members.len() - 1), place),
    })
}

/// A set of names, by index.
type Set = Vec<u64>;

/// The values of every argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains {
    arguments: IndexMap<Argument, Set, FxBuildHasher>,
    /// The constants and functions that are values.
    values: IndexSet<NameId, FxBuildHasher>,
}

/// A head's argument takes what a variable brings.
struct Link {
    to: usize,
    from: Vec<usize>,
}

impl Domains {
    /// Larger tables than this are not made; nothing is known then.
    const MOST_BITS: usize = 1 << 26;

    pub(crate) fn of(tree: &Tree, names: &Names) -> Self {
        let mut domains = Domains::default();
        let mut links = Vec::new();
        let mut direct: Vec<(usize, usize)> = Vec::new();
        for &form in tree.forms() {
            domains.read_form(tree, names, form, &mut direct, &mut links);
        }
        let words = domains.values.len().div_ceil(64);
        if domains.arguments.len() * words * 64 > Self::MOST_BITS {
            return Domains::default();
        }
        domains.arguments.values_mut().for_each(|set| set.resize(words, 0));
        for (argument, value) in direct {
            domains.arguments[argument][value / 64] |= 1 << (value % 64);
        }
        domains.propagate(&links, words);
        domains
    }

    /// The values that an argument can have, in the order of the text.
    pub(crate) fn values(&self, argument: Argument) -> impl Iterator<Item = NameId> + '_ {
        let set = self.arguments.get(&argument).map_or(&[][..], Vec::as_slice);
        (0..self.values.len())
            .filter(|&value| set.get(value / 64).is_some_and(|word| word >> (value % 64) & 1 == 1))
            .map(|value| self.values[value])
    }

    fn slot(&mut self, argument: Argument) -> usize {
        let entry = self.arguments.entry(argument);
        let index = entry.index();
        entry.or_default();
        index
    }

    fn read_form(
        &mut self,
        tree: &Tree,
        names: &Names,
        form: NodeId,
        direct: &mut Vec<(usize, usize)>,
        links: &mut Vec<Link>,
    ) {
        let mut heads: Vec<(usize, Symbol)> = Vec::new();
        let mut binds: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        let mut may_bind: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        // A list, its setting, and whether it is part of the head, of a positive condition, or neither.
        let mut stack = vec![(form, Setting::Form, Part::Head)];
        while let Some((list, setting, part)) = stack.pop() {
            let part = part_inside(tree, list, setting, part);
            for (index, &member) in tree.children(list).iter().enumerate().skip(1) {
                let inner = of_member(tree, list, setting, index);
                let part = match (setting, inner) {
                    (Setting::Form, Setting::Body) => Part::Binding,
                    _ => part,
                };
                if matches!(inner, Setting::Head | Setting::Body) {
                    stack.push((member, inner, part));
                    continue;
                }
                let Some(argument) = argument(tree, list, setting, index) else { continue };
                let argument = self.slot(argument);
                match (tree.word(member), part) {
                    (Some(symbol), Part::Head) if tree.symbols.is_variable(symbol) => {
                        heads.push((argument, symbol));
                    }
                    (Some(symbol), Part::Binding) if tree.symbols.is_variable(symbol) => {
                        binds.entry(symbol).or_default().push(argument);
                    }
                    (Some(symbol), Part::Alternative) if tree.symbols.is_variable(symbol) => {
                        may_bind.entry(symbol).or_default().push(argument);
                    }
                    (Some(symbol), Part::Head) => {
                        direct
                            .extend(self.value(names, Name::Constant(symbol)).map(|value| (argument, value)));
                    }
                    (None, _) => {
                        let functor = tree.children(member).first().and_then(|&word| tree.word(word));
                        let arity = tree.children(member).len().saturating_sub(1);
                        if let Some(symbol) = functor.filter(|_| part == Part::Head) {
                            let name = if arity == 0 {
                                Name::Constant(symbol)
                            } else {
                                Name::Function(symbol, arity)
                            };
                            direct.extend(self.value(names, name).map(|value| (argument, value)));
                        }
                        stack.push((member, inner, part));
                    }
                    (Some(_), _) => {}
                }
            }
        }
        for (to, variable) in heads {
            if let Some(from) = binds.get(&variable) {
                links.push(Link { to, from: from.clone() });
            } else {
                let one_of = may_bind.get(&variable).into_iter().flatten();
                links.extend(one_of.map(|&from| Link { to, from: vec![from] }));
            }
        }
    }

    fn value(&mut self, names: &Names, name: Name) -> Option<usize> {
        Some(self.values.insert_full(names.find(name)?).0)
    }

    /// Brings values along the links until nothing is new.
    fn propagate(&mut self, links: &[Link], words: usize) {
        /// Far more than the longest chain of rules in any game.
        const MOST_ROUNDS: usize = 1_000;
        let mut brought: Set = vec![0; words];
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for link in links {
                brought.fill(u64::MAX);
                for &from in &link.from {
                    brought.iter_mut().zip(&self.arguments[from]).for_each(|(word, from)| *word &= from);
                }
                for (to, word) in self.arguments[link.to].iter_mut().zip(&brought) {
                    changed |= word & !*to != 0;
                    *to |= word;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Part of a head that says what is.
    Head,
    /// Part of a positive condition.
    Binding,
    /// Part of a positive condition that is one of several.
    Alternative,
    /// Anything else.
    Other,
}

fn part_inside(tree: &Tree, list: NodeId, setting: Setting, part: Part) -> Part {
    match (setting, keyword(tree, list)) {
        // The supersets that a description gives are hints, and need not be right.
        (Setting::Form | Setting::Head, Some(Keyword::Base | Keyword::Input)) => Part::Other,
        (Setting::Body, Some(Keyword::Not | Keyword::Distinct)) => Part::Other,
        (Setting::Body, Some(Keyword::Or)) if part == Part::Binding => Part::Alternative,
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn values_follow_the_rules() {
        let text = "(n 1) (n 2) (m 2) (m 3) (init (cell 1 b))
            (<= (next (cell ?x ?c)) (n ?x) (m ?x) (c ?c)) (c x) (c (f y))
            (<= (p ?x) (true (cell ?x ?any))) (<= (q ?x) (or (m ?x) (c ?x)))";
        let document = Document::new(text.to_owned());
        let reading = document.reading();
        let (names, domains, tree) = (reading.names(), reading.domains(), reading.tree());
        let spelled =
            |argument| -> Vec<&str> { domains.values(argument).map(|id| names.spelling(tree, id)).collect() };
        let symbol = |name: &str| tree.symbols.find(name).expect("a name");
        let cell = Name::Function(symbol("cell"), 2);
        assert_eq!(spelled(Argument::Of(cell, 0)), ["1", "2"]);
        assert_eq!(spelled(Argument::Of(cell, 1)), ["b", "x", "f"]);
        assert_eq!(spelled(Argument::Of(Name::Relation(symbol("p"), 1), 0)), ["1", "2"]);
        assert_eq!(spelled(Argument::Of(Name::Relation(symbol("q"), 1), 0)), ["2", "3", "x", "f"]);
        assert_eq!(spelled(Argument::Fluent), ["cell"]);
    }
}
