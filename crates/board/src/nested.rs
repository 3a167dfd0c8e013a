//! Terms inside fluents that people see as one thing: places such as `(square a 1)`, whose two coordinates are taken as arguments of the
//! fluent or move itself, and lists such as `(cons 1 (cons 2 nil))`, which are drawn as piles.

use std::collections::{BTreeMap, BTreeSet};

use crate::axis::{Axis, Chain, Values};
use crate::words::{Words, fold};

/// The longest list that is drawn as a pile.
const LONGEST_LIST: usize = 100;

/// The functors whose terms are places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nested {
    functors: BTreeSet<String>,
}

impl Nested {
    /// The functors of places among these fluents: binary, both arguments have an order, and wherever an argument of a fluent is such
    /// a term, all its values are.
    pub(crate) fn of(fluents: &[String], successors: &[Chain]) -> Nested {
        let mut columns: BTreeMap<(String, usize, usize), Functors> = BTreeMap::new();
        let mut coordinates: BTreeMap<String, [Values; 2]> = BTreeMap::new();
        for fluent in fluents {
            let words = Words::of(fluent);
            let (name, arity) = words.family();
            for (column, argument) in words.arguments.iter().enumerate() {
                let functor = pair(argument).map(|place| {
                    let functor = fold(place.name);
                    let values = coordinates.entry(functor.clone()).or_default();
                    for (values, word) in values.iter_mut().zip(&place.arguments) {
                        values.insert(fold(word), (*word).to_owned());
                    }
                    functor
                });
                columns.entry((name.clone(), arity, column)).or_default().insert(functor);
            }
        }
        let is_mixed = |functor: &String| {
            let is_in = |values: &&Functors| values.contains(&Some(functor.clone()));
            columns.values().filter(is_in).any(|values| values.len() > 1)
        };
        let has_order = |values: &[Values; 2]| values.iter().all(|one| Axis::of(one, successors).is_some());
        let is_place = |(functor, values): &(String, [Values; 2])| has_order(values) && !is_mixed(functor);
        Nested { functors: coordinates.into_iter().filter(is_place).map(|(functor, _)| functor).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functors.is_empty()
    }

    /// The place that an argument is.
    pub(crate) fn place<'text>(&self, argument: &'text str) -> Option<Words<'text>> {
        pair(argument).filter(|place| self.functors.contains(&fold(place.name)))
    }

    /// The columns of a fluent's places, as they are numbered with the coordinates in their stead.
    pub(crate) fn columns(&self, fluent: &str) -> Vec<[usize; 2]> {
        let (mut found, mut column) = (Vec::new(), 0);
        for argument in Words::of(fluent).arguments {
            if self.place(argument).is_some() {
                found.push([column, column + 1]);
                column += 1;
            }
            column += 1;
        }
        found
    }
}

/// The functors that the values of an argument have; nothing stands for values that are no pairs.
type Functors = BTreeSet<Option<String>>;

/// A term with two arguments that are words.
fn pair(text: &str) -> Option<Words<'_>> {
    let words = Words::of(text);
    let is_pair = words.arguments.len() == 2 && words.arguments.iter().all(|word| !word.starts_with('('));
    is_pair.then_some(words)
}

/// The elements of a list, and what it is made of: a functor and a last word.
fn list(text: &str) -> Option<(Vec<&str>, Option<&str>, &str)> {
    let (mut elements, mut functor, mut rest) = (Vec::new(), None, text);
    while rest.starts_with('(') {
        let words = Words::of(rest);
        let &[element, next] = &words.arguments[..] else { return None };
        let is_element = !element.starts_with('(') && functor.is_none_or(|known| known == words.name);
        if !is_element || elements.len() == LONGEST_LIST {
            return None;
        }
        elements.push(element);
        (functor, rest) = (Some(words.name), next);
    }
    Some((elements, functor, rest))
}

/// The elements of a list, in its order.
pub(crate) fn elements(text: &str) -> Vec<&str> {
    list(text).map(|(elements, _, _)| elements).unwrap_or_default()
}

/// Whether these values are lists: made of one functor, with one last word, and some of two elements or more.
pub(crate) fn are_lists(values: &Values) -> bool {
    let (mut functors, mut ends, mut longest) = (BTreeSet::new(), BTreeSet::new(), 0);
    for value in values.keys() {
        let Some((elements, functor, end)) = list(value) else { return false };
        functors.extend(functor);
        ends.insert(end);
        longest = longest.max(elements.len());
    }
    longest > 1 && functors.len() == 1 && ends.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(fluents: &[&str]) -> Nested {
        Nested::of(&fluents.iter().map(|&fluent| fluent.to_owned()).collect::<Vec<_>>(), &[])
    }

    fn values(words: &[&str]) -> Values {
        words.iter().map(|&word| (word.to_owned(), word.to_owned())).collect()
    }

    #[test]
    fn the_coordinates_of_places_are_arguments() {
        let places = nested(&["(on (square a 1) white)", "(on (square b 2) black)", "(turn white)"]);
        let words = Words::flat("(move (Square a 1) (square b 2))", &places);
        assert_eq!(words.arguments, ["a", "1", "b", "2"]);
        assert_eq!(places.columns("(on (square a 1) white)"), [[0, 1]]);
        assert_eq!(places.columns("(wall x (square a 1) (square a 2))"), [[1, 2], [3, 4]]);
    }

    #[test]
    fn terms_without_order_or_among_other_values_are_no_places() {
        assert!(nested(&["(on (piece red king) 1)", "(on (piece blue rook) 2)"]).is_empty());
        assert!(nested(&["(at (square a 1))", "(at (square b 2))", "(at hand)"]).is_empty());
        assert!(nested(&["(at (box (square a 1) 1))", "(at (box (square b 2) 2))"]).is_empty());
    }

    #[test]
    fn lists_have_elements_and_one_end() {
        assert!(are_lists(&values(&["nil", "(cons 1 nil)", "(cons 1 (cons 2 nil))"])));
        assert_eq!(elements("(cons 1 (cons 2 nil))"), ["1", "2"]);
        for other in [
            &["nil", "(cons 1 nil)"][..],
            &["(a 1 (b 2 nil))"],
            &["(a 1 (a 2 x))", "(a 1 (a 2 y))"],
            &["(a 1 2 3)"],
        ] {
            assert!(!are_lists(&values(other)), "{other:?}");
        }
        let deep = format!("{}nil{}", "(a 1 ".repeat(1000), ")".repeat(1000));
        assert!(!are_lists(&values(&[&deep])));
    }
}
