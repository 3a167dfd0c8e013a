//! Neighbourhoods: a relation that leads from one pair of coordinates to another by steps of a successor relation. Six
//! steps, along both axes and along one diagonal, make a board of hexagons.

use std::collections::{BTreeMap, BTreeSet};

use groundrules_gdl::{Dependencies, Game};
use rustc_hash::FxHashMap;

use super::{Argument, Family, Pattern, Subject, bodies, positive};
use crate::axis::Chain;
use crate::shape::place_parts;

/// Which diagonal of a hexagonal board joins neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slope {
    /// Both coordinates grow together: (1, 1).
    Same,
    /// One grows and the other falls: (1, -1).
    Opposite,
}

/// A step along the first and along the second axis.
type Step = (i32, i32);

/// The diagonal of the hexagonal neighbourhood that some relation of the description is.
pub(super) fn slope(game: &Game, facts: &BTreeMap<Family, Vec<Vec<String>>>) -> Option<Slope> {
    let successors = successor_relations(facts);
    let equalities = equalities(facts);
    let dependencies = Dependencies::of(game);
    let mut steps: BTreeMap<Family, BTreeSet<Step>> = BTreeMap::new();
    for rule in game.rules() {
        let Some(head) = Pattern::of(game, &rule.head) else { continue };
        if head.subject != Subject::Relation
            || head.arguments.len() != 4
            || dependencies.is_dynamic(rule.head.relation)
        {
            continue;
        }
        for body in bodies(rule) {
            let mut links: FxHashMap<(&str, &str), i32> = FxHashMap::default();
            let patterns: Vec<Pattern> = positive(&body).filter_map(|atom| Pattern::of(game, atom)).collect();
            for pattern in patterns.iter().filter(|pattern| successors.contains(&pattern.name)) {
                if let [Argument::Variable(a), Argument::Variable(b)] = &pattern.arguments[..] {
                    links.insert((a, b), 1);
                    links.insert((b, a), -1);
                }
            }
            for pattern in patterns.iter().filter(|pattern| equalities.contains(&pattern.name)) {
                if let [Argument::Variable(a), Argument::Variable(b)] = &pattern.arguments[..] {
                    links.insert((a, b), 0);
                    links.insert((b, a), 0);
                }
            }
            let step = |from: &Argument, to: &Argument| match (from, to) {
                (Argument::Variable(a), Argument::Variable(b)) if a == b => Some(0),
                (Argument::Variable(a), Argument::Variable(b)) => {
                    links.get(&(a.as_str(), b.as_str())).copied()
                }
                _ => None,
            };
            if let [a, b, c, d] = &head.arguments[..]
                && let (Some(first), Some(second)) = (step(a, c), step(b, d))
            {
                steps.entry(head.family()).or_default().extend([(first, second), (-first, -second)]);
            }
        }
    }
    steps.values().chain(by_facts(facts).values()).find_map(hexagonal)
}

fn successor_relations(facts: &BTreeMap<Family, Vec<Vec<String>>>) -> BTreeSet<String> {
    let pairs = |rows: &Vec<Vec<String>>| -> Vec<(String, String)> {
        rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect()
    };
    let binary = facts.iter().filter(|((_, arity), _)| *arity == 2);
    binary
        .filter(|(_, rows)| !Chain::of(&pairs(rows)).is_empty())
        .map(|((name, _), _)| name.clone())
        .collect()
}

/// The relations that hold of everything and itself, by facts.
fn equalities(facts: &BTreeMap<Family, Vec<Vec<String>>>) -> BTreeSet<String> {
    let is_equality = |rows: &Vec<Vec<String>>| rows.len() > 1 && rows.iter().all(|row| row[0] == row[1]);
    let binary = facts.iter().filter(|((_, arity), rows)| *arity == 2 && is_equality(rows));
    binary.map(|((name, _), _)| name.clone()).collect()
}

/// The diagonal of the hexagonal neighbourhood that facts give for places such as `a1`.
pub(super) fn slope_of_places(facts: &BTreeMap<Family, Vec<Vec<String>>>) -> Option<Slope> {
    let binary = facts.iter().filter(|((_, arity), rows)| *arity == 2 && rows.len() > 5);
    let steps_of = |rows: &Vec<Vec<String>>| -> Option<BTreeSet<Step>> {
        let step = |row: &Vec<String>| {
            let ((from, first), (to, second)) = (place_parts(&row[0])?, place_parts(&row[1])?);
            let letter = |letter: &str| letter.bytes().next().map(i32::from);
            let along = i32::try_from(second).ok()? - i32::try_from(first).ok()?;
            Some((letter(to)? - letter(from)?, along))
        };
        let found: BTreeSet<Step> = rows.iter().map(step).collect::<Option<_>>()?;
        Some(found.into_iter().flat_map(|(first, second)| [(first, second), (-first, -second)]).collect())
    };
    binary.filter_map(|(_, rows)| steps_of(rows)).find_map(|steps| hexagonal(&steps))
}

/// The steps of neighbourhoods that are written out as facts.
fn by_facts(facts: &BTreeMap<Family, Vec<Vec<String>>>) -> BTreeMap<Family, BTreeSet<Step>> {
    let number = |word: &String| match word.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(i32::from(*letter)),
        _ => word.parse::<i32>().ok(),
    };
    let mut steps: BTreeMap<Family, BTreeSet<Step>> = BTreeMap::new();
    for (family, rows) in facts.iter().filter(|((_, arity), rows)| *arity == 4 && rows.len() > 5) {
        let step = |row: &Vec<String>| {
            let place = |column: usize| number(&row[column]);
            let (first, second) = (place(2)?.saturating_sub(place(0)?), place(3)?.saturating_sub(place(1)?));
            (first.unsigned_abs() < 100 && second.unsigned_abs() < 100).then_some((first, second))
        };
        if let Some(found) = rows.iter().map(step).collect::<Option<BTreeSet<Step>>>() {
            let both = found.iter().flat_map(|&(first, second)| [(first, second), (-first, -second)]);
            steps.insert(family.clone(), both.collect());
        }
    }
    steps
}

fn hexagonal(steps: &BTreeSet<Step>) -> Option<Slope> {
    let straight = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let is_six = steps.len() == 6 && straight.iter().all(|step| steps.contains(step));
    match (is_six, steps.contains(&(1, 1)), steps.contains(&(1, -1))) {
        (true, true, false) => Some(Slope::Same),
        (true, false, true) => Some(Slope::Opposite),
        _ => None,
    }
}
