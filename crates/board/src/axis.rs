//! Axes: values of an argument that have an order, so that they can be the columns or rows of a board. The order is that
//! of numbers, of letters, of numbered names such as `c1`, or of a successor relation in the rules.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The most values that an axis may have.
pub(crate) const LONGEST: usize = 100;

/// Values by their folded words, with their spelling.
pub(crate) type Values = IndexMap<String, String, FxBuildHasher>;

/// What gives an axis its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Numbers.
    Numbers,
    /// Single letters.
    Letters,
    /// Names with a number: `c1`, `c2`.
    Numbered,
    /// A successor relation in the rules.
    Successors,
}

/// The values of an argument in their order.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The values as they are spelt.
    pub(crate) labels: Vec<String>,
    /// Where a folded value stands.
    places: FxHashMap<String, usize>,
    pub(crate) order: Order,
}

impl Axis {
    /// The axis of these values, if they have an order.
    pub(crate) fn of(values: &Values, successors: &[Chain]) -> Option<Axis> {
        if values.len() > LONGEST {
            return None;
        }
        numbers(values)
            .or_else(|| letters(values, successors))
            .or_else(|| numbered(values))
            .or_else(|| by_successors(values, successors))
    }

    fn new(values: impl IntoIterator<Item = (String, String)>, order: Order) -> Axis {
        let (keys, labels): (Vec<String>, Vec<String>) = values.into_iter().unzip();
        let places = keys.into_iter().enumerate().map(|(place, key)| (key, place)).collect();
        Axis { labels, places, order }
    }

    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Where a folded value stands.
    pub(crate) fn place(&self, value: &str) -> Option<usize> {
        self.places.get(value).copied()
    }

    /// Whether both have the same values.
    pub(crate) fn is_same(&self, other: &Axis) -> bool {
        self.len() == other.len() && self.places.keys().all(|key| other.places.contains_key(key))
    }

    /// Whether every value is one of the other's too.
    pub(crate) fn is_within(&self, other: &Axis) -> bool {
        self.places.keys().all(|key| other.places.contains_key(key))
    }

    /// Whether all the values that are given stand on it.
    pub(crate) fn covers(&self, values: &Values) -> bool {
        values.keys().all(|key| self.places.contains_key(key))
    }

    /// What all values begin with, if they are numbered names.
    pub(crate) fn prefix(&self) -> Option<String> {
        let stem = |label: &String| label.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
        (self.order == Order::Numbered).then(|| self.labels.first().map(stem))?
    }
}

/// Numbers, with those that are missing in between: a board has all its columns.
fn numbers(values: &Values) -> Option<Axis> {
    let numbers: BTreeMap<i64, &String> =
        values.iter().map(|(key, label)| Some((key.parse().ok()?, label))).collect::<Option<_>>()?;
    let (&first, &last) = (numbers.keys().next()?, numbers.keys().next_back()?);
    let is_plain = |key: &String| key.parse::<i64>().is_ok_and(|number| number.to_string() == *key);
    let span = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
    if span > LONGEST || span > 2 * numbers.len() + 2 || !values.keys().all(is_plain) {
        return None;
    }
    let texts = (first..=last).map(|number| (number.to_string(), number.to_string()));
    Some(Axis::new(texts, Order::Numbers)).filter(|axis| axis.len() > 1)
}

/// Letters that follow each other. Two or three letters from anywhere are more likely the names of pieces.
fn letters(values: &Values, successors: &[Chain]) -> Option<Axis> {
    let letter = |key: &String| match key.as_bytes() {
        [byte @ b'a'..=b'z'] => Some(*byte),
        _ => None,
    };
    let letters: BTreeSet<u8> = values.keys().map(letter).collect::<Option<_>>()?;
    let (&first, &last) = (letters.first()?, letters.last()?);
    let span = usize::from(last - first) + 1;
    let is_row = span == letters.len() && (first == b'a' || letters.len() > 3);
    let nearly = first == b'a' && letters.len() > 3 && span <= letters.len() + 2;
    if !(is_row || nearly) || span < 2 {
        return by_successors(values, successors).map(|axis| Axis { order: Order::Letters, ..axis });
    }
    let upper = values.values().any(|label| label.chars().all(char::is_uppercase));
    let texts = (first..=last).map(|byte| {
        let key = char::from(byte).to_string();
        (key.clone(), if upper { key.to_uppercase() } else { key })
    });
    Some(Axis::new(texts, Order::Letters))
}

/// A common beginning and a number.
fn numbered(values: &Values) -> Option<Axis> {
    let (mut stem, mut rows) = (None, BTreeMap::new());
    for (key, label) in values {
        let digits = key.len() - key.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (name, number) = key.split_at(key.len() - digits);
        if name.is_empty() || *stem.get_or_insert(name) != name {
            return None;
        }
        rows.insert(number.parse::<u64>().ok()?, (key.clone(), label.clone()));
    }
    let span = rows.keys().next_back()?.checked_sub(*rows.keys().next()?)?;
    let is_dense = span < 2 * rows.len() as u64;
    (is_dense && rows.len() == values.len() && rows.len() > 1)
        .then(|| Axis::new(rows.into_values(), Order::Numbered))
}

fn by_successors(values: &Values, successors: &[Chain]) -> Option<Axis> {
    if values.len() < 2 {
        return None;
    }
    let chain = successors.iter().find(|chain| values.keys().all(|key| chain.place(key).is_some()))?;
    let mut rows: Vec<(usize, (String, String))> = values
        .iter()
        .filter_map(|(key, label)| Some((chain.place(key)?, (key.clone(), label.clone()))))
        .collect();
    rows.sort();
    let span = rows.last()?.0 - rows.first()?.0;
    (span < 2 * rows.len()).then(|| Axis::new(rows.into_iter().map(|(_, row)| row), Order::Successors))
}

/// The values that a successor relation puts in a row.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    places: FxHashMap<String, usize>,
}

impl Chain {
    /// The rows that the pairs of a relation make, if it is a successor relation: everything has at most one successor
    /// and one predecessor, and no row closes to a ring.
    pub(crate) fn of(pairs: &[(String, String)]) -> Vec<Chain> {
        let (mut next, mut before) = (FxHashMap::default(), FxHashMap::default());
        for (from, to) in pairs {
            let one_next = next.insert(from.as_str(), to.as_str()).is_none_or(|old| old == to);
            let one_before = before.insert(to.as_str(), from.as_str()).is_none_or(|old| old == from);
            if from == to || !one_next || !one_before {
                return Vec::new();
            }
        }
        let mut firsts: Vec<&str> = next.keys().copied().filter(|from| !before.contains_key(from)).collect();
        firsts.sort_unstable();
        let row = |first: &str| {
            let (mut places, mut at) = (FxHashMap::default(), Some(first));
            while let Some(value) = at {
                places.insert(value.to_owned(), places.len());
                at = next.get(value).copied();
            }
            Chain { places }
        };
        firsts.into_iter().map(row).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn place(&self, value: &str) -> Option<usize> {
        self.places.get(value).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(words: &str) -> Values {
        words.split(' ').map(|word| (word.to_lowercase(), word.to_owned())).collect()
    }

    fn labels(words: &str, chains: &[Chain]) -> Option<String> {
        Axis::of(&values(words), chains).map(|axis| axis.labels.join(" "))
    }

    #[test]
    fn numbers_letters_and_numbered_names_have_an_order() {
        assert_eq!(labels("10 9 1 2 3 5 6 7 8", &[]).unwrap(), "1 2 3 4 5 6 7 8 9 10");
        assert_eq!(labels("c a b", &[]).unwrap(), "a b c");
        assert_eq!(labels("c10 c9 c11", &[]).unwrap(), "c9 c10 c11");
        for words in ["x o b", "red blue", "1 2 b", "1", "p0 p1000 p1100", "1 1000"] {
            assert_eq!(labels(words, &[]), None, "{words}");
        }
    }

    #[test]
    fn a_successor_relation_gives_an_order() {
        let pairs = |text: &str| -> Vec<(String, String)> {
            let words: Vec<&str> = text.split(' ').collect();
            words.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
        };
        let chains = Chain::of(&pairs("low middle high top"));
        assert_eq!(labels("top low high middle", &chains).unwrap(), "low middle high top");
        assert!(Chain::of(&pairs("white black white")).is_empty(), "a ring has no order");
    }
}
