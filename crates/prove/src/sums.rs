//! Weighted sums of latches that never change: pieces on a board and the counter that counts them, stones that only wander. They are
//! guessed from sampled states by linear algebra, and proved like other invariants: no move changes the sum.

use std::collections::BTreeMap;

use batsat::Lit;
use groundrules_ground::GroundGame;
use groundrules_net::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::effects::partition;
use crate::invariants::{Invariant, Samples, words};
use crate::sat::Sat;

/// The most columns of the matrix of which the kernel is computed, and the most sampled states, its rows.
const MOST_FEATURES: usize = 300;
const MOST_ROWS: usize = 1500;

/// The most sums that are guessed, and the most gates that one is written out as.
const MOST_SUMS: usize = 24;
const MOST_GATES: usize = 120_000;

/// The largest weight.
const LARGEST: i64 = 2000;

/// A weighted sum that is always the same. Of each group at most one latch holds, as other invariants say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Latches with their weights.
    pub groups: Vec<Vec<(usize, i64)>>,
    /// What the weights of the latches that hold add up to.
    pub total: i64,
}

/// Some values, each with what says that it is the one; exactly one is.
type Part = Vec<(i64, Lit)>;

impl Sum {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &[bool]) -> bool {
        let weights = self.groups.iter().flatten().filter(|term| state[term.0]);
        weights.map(|term| term.1).sum::<i64>() == self.total
    }

    /// Whether it holds in all of some states.
    pub(crate) fn holds_in(&self, samples: &Samples<'_>) -> bool {
        (0..samples.words()).all(|word| {
            let mut sums = [0i64; 64];
            for &(latch, weight) in self.groups.iter().flatten() {
                let mut bits = samples.latches[latch][word];
                while bits != 0 {
                    sums[bits.trailing_zeros() as usize] += weight;
                    bits &= bits - 1;
                }
            }
            sums.iter().all(|&sum| sum == self.total)
        })
    }

    /// What says that it holds, given what says that each latch does.
    pub(crate) fn encode(&self, sat: &mut Sat, latch: impl Fn(usize) -> Lit) -> Lit {
        let parts: Vec<Part> = self.groups.iter().map(|group| part(sat, group, &latch)).collect();
        equals(sat, &parts, self.total)
    }

    /// What says that a move does not change it, given what says that each latch holds before and after.
    pub(crate) fn encode_kept(
        &self,
        sat: &mut Sat,
        before: impl Fn(usize) -> Lit,
        after: impl Fn(usize) -> Lit,
    ) -> Lit {
        let parts = differences(sat, &self.groups, before, after);
        equals(sat, &parts, 0)
    }

    /// How many gates it is written out as, about.
    fn gates(&self) -> usize {
        let range = |weights: &mut dyn Iterator<Item = i64>| {
            weights.fold((0i64, 0i64), |(low, high), weight| (low.min(weight), high.max(weight)))
        };
        let width = |group: &Vec<(usize, i64)>| {
            let (low, high) = range(&mut group.iter().map(|term| term.1));
            (high - low) as usize
        };
        let whole: usize = self.groups.iter().map(width).sum();
        let widest = |group: &Vec<(usize, i64)>| 2 * group.len() * (group.len() + 1) + 3 * whole.min(4000);
        self.groups.iter().map(widest).sum()
    }
}

/// By how much a move changes a weighted sum: what says so for every number.
pub(crate) fn changes(
    sat: &mut Sat,
    groups: &[Vec<(usize, i64)>],
    before: impl Fn(usize) -> Lit,
    after: impl Fn(usize) -> Lit,
) -> BTreeMap<i64, Lit> {
    let parts = differences(sat, groups, before, after);
    totals(sat, &parts)
}

/// What the values of parts add up to: what says so for every number.
pub(crate) fn totals(sat: &mut Sat, parts: &[Part]) -> BTreeMap<i64, Lit> {
    let mut sums = BTreeMap::from([(0, sat.truth())]);
    for part in parts {
        let mut next: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
        for (&sum, &so_far) in &sums {
            for &(value, lit) in part {
                let both = sat.gate(Kind::And, vec![so_far, lit]);
                next.entry(sum + value).or_default().push(both);
            }
        }
        sums = any_of(sat, next).into_iter().collect();
    }
    sums
}

/// The changes of each group.
fn differences(
    sat: &mut Sat,
    groups: &[Vec<(usize, i64)>],
    before: impl Fn(usize) -> Lit,
    after: impl Fn(usize) -> Lit,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for group in groups {
        let (before, after) = (part(sat, group, &before), part(sat, group, &after));
        let mut differences: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
        for &(from, was) in &before {
            for &(to, is) in &after {
                let both = sat.gate(Kind::And, vec![was, is]);
                differences.entry(to - from).or_default().push(both);
            }
        }
        parts.push(any_of(sat, differences));
    }
    parts
}

/// The values of a group of which at most one latch holds.
fn part(sat: &mut Sat, group: &[(usize, i64)], latch: impl Fn(usize) -> Lit) -> Part {
    let mut values: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
    for &(own, weight) in group {
        values.entry(weight).or_default().push(latch(own));
    }
    let none = group.iter().map(|term| !latch(term.0)).collect();
    let none = sat.gate(Kind::And, none);
    values.entry(0).or_default().push(none);
    any_of(sat, values)
}

fn any_of(sat: &mut Sat, values: BTreeMap<i64, Vec<Lit>>) -> Part {
    let never = sat.constant(false);
    let any = values.into_iter().map(|(value, lits)| (value, sat.gate(Kind::Or, lits)));
    any.filter(|&(_, lit)| lit != never).collect()
}

/// What says that the values of all parts add up to a number: from part to part the sums that there may be, without those from which
/// the number is out of reach.
fn equals(sat: &mut Sat, parts: &[Part], total: i64) -> Lit {
    // What the parts from here on can add.
    let mut ranges = vec![(0, 0)];
    for part in parts.iter().rev() {
        let (low, high) = ranges[ranges.len() - 1];
        let values = || part.iter().map(|value| value.0);
        ranges.push((low + values().min().unwrap_or(0), high + values().max().unwrap_or(0)));
    }
    ranges.reverse();
    let mut sums = BTreeMap::from([(0, sat.truth())]);
    for (place, part) in parts.iter().enumerate() {
        let (low, high) = ranges[place + 1];
        let mut next: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
        for (&sum, &so_far) in &sums {
            for &(value, lit) in part {
                let sum = sum + value;
                if (low..=high).contains(&(total - sum)) {
                    let both = sat.gate(Kind::And, vec![so_far, lit]);
                    next.entry(sum).or_default().push(both);
                }
            }
        }
        sums = next.into_iter().map(|(sum, lits)| (sum, sat.gate(Kind::Or, lits))).collect();
    }
    sums.get(&total).copied().unwrap_or_else(|| sat.constant(false))
}

/// Something that is counted in a state: latches with weights.
struct Feature {
    terms: Vec<(usize, i64)>,
}

/// Sums that were the same in all samples.
pub(crate) fn candidates(
    circuit: &Circuit,
    game: &GroundGame,
    known: &[Invariant],
    samples: &Samples<'_>,
) -> Vec<Sum> {
    let features = features(game, known, samples);
    if features.is_empty() {
        return Vec::new();
    }
    let parts = partition(circuit, known);
    let rows = rows(&features, samples);
    let kernel = kernel(rows, features.len() + 1);
    let sums = kernel.iter().filter_map(|vector| sum_of(vector, &features, &parts));
    let init = circuit.init();
    sums.filter(|sum| sum.holds(init) && sum.holds_in(samples) && sum.gates() <= MOST_GATES)
        .take(MOST_SUMS)
        .collect()
}

/// What sums are made of, each as latches with weights.
pub(crate) fn counts(
    game: &GroundGame,
    known: &[Invariant],
    samples: &Samples<'_>,
) -> Vec<Vec<(usize, i64)>> {
    features(game, known, samples).into_iter().map(|feature| feature.terms).collect()
}

/// Counts of fluents that have a name and one argument in common, then the numbers that counters show. A count that groups fix is left
/// out.
fn features(game: &GroundGame, known: &[Invariant], samples: &Samples<'_>) -> Vec<Feature> {
    let names: Vec<Vec<String>> = game.fluents.iter().map(|&fluent| words(&game.term(fluent))).collect();
    let changes = |latch: &usize| !samples.always(*latch, true) && !samples.always(*latch, false);
    let mut counted: BTreeMap<(String, usize, String), Vec<usize>> = BTreeMap::new();
    for (number, words) in names.iter().enumerate() {
        for (place, word) in words.iter().enumerate().skip(1) {
            counted.entry((words[0].clone(), place, word.clone())).or_default().push(number);
        }
        counted.entry((words[0].clone(), 0, String::new())).or_default().push(number);
    }
    let least: FxHashSet<&Vec<usize>> = known
        .iter()
        .filter_map(|invariant| match invariant {
            Invariant::AtLeastOne(latches) => Some(latches),
            _ => None,
        })
        .collect();
    let groups = known.iter().filter_map(|invariant| match invariant {
        Invariant::AtMostOne(latches) => Some(latches),
        _ => None,
    });
    let exact: Vec<&Vec<usize>> = groups.clone().filter(|latches| least.contains(latches)).collect();
    let is_fixed = |latches: &[usize]| {
        let own: FxHashSet<usize> = latches.iter().copied().collect();
        exact.iter().any(|group| group.iter().all(|latch| own.contains(latch)))
    };
    let mut seen = FxHashSet::default();
    let mut features = Vec::new();
    for latches in counted.into_values() {
        if latches.len() > 1
            && latches.iter().any(changes)
            && !is_fixed(&latches)
            && seen.insert(latches.clone())
        {
            features.push(Feature { terms: latches.into_iter().map(|latch| (latch, 1)).collect() });
        }
    }
    let mut is_taken = vec![false; names.len()];
    for latches in groups {
        if latches.iter().any(|&latch| latch >= names.len() || is_taken[latch])
            || latches.iter().filter(|latch| changes(latch)).count() < 2
        {
            continue;
        }
        if let Some(terms) = numbers(latches, &names) {
            latches.iter().for_each(|&latch| is_taken[latch] = true);
            features.push(Feature { terms });
        }
    }
    features.truncate(MOST_FEATURES);
    features
}

/// The numbers of a group whose fluents differ in one argument that ends in a number.
fn numbers(latches: &[usize], names: &[Vec<String>]) -> Option<Vec<(usize, i64)>> {
    let first = &names[latches[0]];
    let differs = |place: &usize| {
        latches.iter().any(|&latch| names[latch].get(*place).is_none_or(|word| *word != first[*place]))
    };
    let places: Vec<usize> = (0..first.len()).filter(differs).collect();
    let [place] = places[..] else { return None };
    let number = |&latch: &usize| {
        let word = names[latch].get(place).filter(|_| names[latch].len() == first.len())?;
        let digits = word.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let number: i64 = digits.parse().ok()?;
        (number <= LARGEST).then_some((latch, number))
    };
    let terms: Vec<(usize, i64)> = latches.iter().map(number).collect::<Option<_>>()?;
    let distinct: FxHashSet<i64> = terms.iter().map(|term| term.1).collect();
    (distinct.len() == terms.len()).then_some(terms)
}

/// A prime: rows are reduced modulo it. What comes out is only a guess.
const PRIME: i64 = 2_147_483_647;

/// For some samples one and the value of each feature.
fn rows(features: &[Feature], samples: &Samples<'_>) -> Vec<Vec<i64>> {
    let states = samples.words() * 64;
    let apart = states.div_ceil(MOST_ROWS).max(1) | 1;
    let mut rows: Vec<Vec<i64>> = Vec::new();
    let mut seen = FxHashSet::default();
    for state in (0..states).step_by(apart) {
        let (word, bit) = (state / 64, state % 64);
        let value = |feature: &Feature| {
            let holds = |latch: usize| samples.latches[latch][word] >> bit & 1 == 1;
            feature.terms.iter().filter(|term| holds(term.0)).map(|term| term.1).sum::<i64>()
        };
        let row: Vec<i64> = [1].into_iter().chain(features.iter().map(value)).collect();
        if seen.insert(row.clone()) {
            rows.push(row);
        }
    }
    rows
}

/// A basis of the vectors that are orthogonal to all rows, modulo the prime: each has one column that no other row decides, and columns
/// before it.
fn kernel(rows: Vec<Vec<i64>>, columns: usize) -> Vec<Vec<i64>> {
    let mut reduced: Vec<(usize, Vec<i64>)> = Vec::new();
    for mut row in rows {
        for (pivot, other) in &reduced {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|&value| value != 0) else { continue };
        let factor = inverse(row[pivot]);
        row.iter_mut().for_each(|value| *value = *value * factor % PRIME);
        for (_, other) in &mut reduced {
            subtract(other, &row, pivot);
        }
        reduced.push((pivot, row));
    }
    let pivots: FxHashSet<usize> = reduced.iter().map(|row| row.0).collect();
    let free = (0..columns).filter(|column| !pivots.contains(column));
    let vector = |column: usize| {
        let mut vector = vec![0; columns];
        vector[column] = 1;
        reduced.iter().for_each(|(pivot, row)| vector[*pivot] = (PRIME - row[column]) % PRIME);
        vector
    };
    free.map(vector).collect()
}

/// Makes a column of a row zero by another row that has one there.
fn subtract(row: &mut [i64], other: &[i64], pivot: usize) {
    let factor = row[pivot].rem_euclid(PRIME);
    if factor != 0 {
        for (value, other) in row.iter_mut().zip(other) {
            *value = (*value - factor * other % PRIME).rem_euclid(PRIME);
        }
    }
}

/// The inverse modulo the prime.
fn inverse(value: i64) -> i64 {
    let (mut result, mut base, mut exponent) = (1, value.rem_euclid(PRIME), PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// The sum that a vector of the kernel stands for, if its weights are small.
fn sum_of(vector: &[i64], features: &[Feature], parts: &[Vec<usize>]) -> Option<Sum> {
    let whole = (1..=12).find_map(|scale: i64| {
        let small = |&value: &i64| {
            let value = value * scale % PRIME;
            let value = if value > PRIME / 2 { value - PRIME } else { value };
            (value.abs() <= LARGEST).then_some(value)
        };
        vector.iter().map(small).collect::<Option<Vec<i64>>>()
    })?;
    let mut weights: FxHashMap<usize, i64> = FxHashMap::default();
    for (feature, factor) in features.iter().zip(&whole[1..]) {
        for &(latch, weight) in &feature.terms {
            *weights.entry(latch).or_default() += factor * weight;
        }
    }
    let weigh =
        |latch: &usize| weights.get(latch).filter(|&&weight| weight != 0).map(|&weight| (*latch, weight));
    let groups: Vec<Vec<(usize, i64)>> =
        parts.iter().map(|part| part.iter().filter_map(weigh).collect::<Vec<_>>()).collect();
    let groups: Vec<_> = groups.into_iter().filter(|group: &Vec<_>| !group.is_empty()).collect();
    (!groups.is_empty()).then_some(Sum { groups, total: -whole[0] })
}
