//! The values that every argument can have, as a superset, without grounding.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;

use super::{Argument, Columns, Pattern, Subject, bodies, positive, text};
use crate::axis::Values;

/// The most values that are kept for an argument. An argument with more is no axis and no set of pieces.
const MOST_VALUES: usize = 400;

/// The most values that are looked at, all rules and rounds together.
const MOST_STEPS: usize = 20_000_000;

/// An argument of a fluent, a move or a relation.
type Position = (Subject, String, usize, usize);

/// A rule as it passes values on.
struct Passing {
    head: Vec<(usize, Source)>,
}

/// Where the values of a head's argument come from.
enum Source {
    Value(String, String),
    /// What all these positions have in common.
    Positions(Vec<usize>),
}

/// The values of the arguments of fluents and of moves.
pub(super) fn of(game: &Game) -> (Columns, Columns) {
    let mut positions: IndexMap<Position, Values, FxBuildHasher> = IndexMap::default();
    let mut families: (Columns, Columns) = Default::default();
    let rules = passings(game, &mut positions, &mut families);
    settle(&rules, &mut positions);
    let fill = |families: &mut Columns, subject: Subject| {
        for ((name, arity), columns) in families.iter_mut() {
            for (column, values) in columns.iter_mut().enumerate() {
                if let Some(found) = positions.get(&(subject, name.clone(), *arity, column)) {
                    values.clone_from(found);
                }
            }
        }
    };
    fill(&mut families.0, Subject::Fluent);
    fill(&mut families.1, Subject::Move);
    families
}

fn passings(
    game: &Game,
    positions: &mut IndexMap<Position, Values, FxBuildHasher>,
    families: &mut (Columns, Columns),
) -> Vec<Passing> {
    let mut place = |pattern: &Pattern, column: usize| {
        let key = (pattern.subject, pattern.name.clone(), pattern.arguments.len(), column);
        positions.entry(key).or_default();
        positions.get_index_of(&(pattern.subject, pattern.name.clone(), pattern.arguments.len(), column))
    };
    let mut all = Vec::new();
    for rule in game.rules() {
        let Some(head) = Pattern::of(game, &rule.head) else { continue };
        let family = match head.subject {
            Subject::Fluent => Some(&mut families.0),
            Subject::Move => Some(&mut families.1),
            Subject::Relation => None,
        };
        if let Some(family) = family {
            family.entry(head.family()).or_insert_with(|| vec![Values::default(); head.arguments.len()]);
        }
        for body in bodies(rule) {
            let mut sources: FxHashMap<String, Vec<usize>> = FxHashMap::default();
            for atom in positive(&body) {
                let Some(pattern) = Pattern::of(game, atom) else { continue };
                for (column, argument) in pattern.arguments.iter().enumerate() {
                    if let (Argument::Variable(name), Some(at)) = (argument, place(&pattern, column)) {
                        sources.entry(name.clone()).or_default().push(at);
                    }
                }
                // The role of a move is no part of the pattern.
                if let (RelationId::DOES | RelationId::LEGAL, Some(&first)) =
                    (atom.relation, atom.arguments.first())
                    && let Argument::Variable(name) = super::argument(game, first)
                {
                    let role = Pattern {
                        subject: Subject::Relation,
                        name: "role".to_owned(),
                        arguments: vec![Argument::Other],
                    };
                    sources.entry(name).or_default().extend(place(&role, 0));
                }
            }
            let passed = |(column, argument): (usize, &Argument)| {
                let source = match argument {
                    Argument::Value(key, label) => Source::Value(key.clone(), label.clone()),
                    Argument::Variable(name) => Source::Positions(sources.get(name)?.clone()),
                    Argument::Other => return None,
                };
                Some((place(&head, column)?, source))
            };
            all.push(Passing { head: head.arguments.iter().enumerate().filter_map(passed).collect() });
        }
    }
    for &role in game.roles() {
        let key = (Subject::Relation, "role".to_owned(), 1, 0);
        let label = text(game, role);
        positions.entry(key).or_default().insert(label.to_lowercase(), label);
    }
    all
}

/// Passes values on until nothing changes, or the steps are used up.
fn settle(rules: &[Passing], positions: &mut IndexMap<Position, Values, FxBuildHasher>) {
    let mut steps = 0;
    let mut changed = true;
    while changed && steps < MOST_STEPS {
        changed = false;
        for (to, source) in rules.iter().flat_map(|rule| &rule.head) {
            steps += 1;
            let new: Vec<(String, String)> = match source {
                Source::Value(key, label) => vec![(key.clone(), label.clone())],
                Source::Positions(sources) => {
                    let Some(&least) = sources.iter().min_by_key(|&&source| positions[source].len()) else {
                        continue;
                    };
                    steps += positions[least].len() * sources.len();
                    let held =
                        |key: &String| sources.iter().all(|&source| positions[source].contains_key(key));
                    let is_new = |key: &String| !positions[*to].contains_key(key);
                    let rows = positions[least].iter().filter(|(key, _)| held(key) && is_new(key));
                    rows.map(|(key, label)| (key.clone(), label.clone())).collect()
                }
            };
            for (key, label) in new {
                if positions[*to].len() < MOST_VALUES && positions[*to].insert(key, label).is_none() {
                    changed = true;
                }
            }
        }
    }
}
