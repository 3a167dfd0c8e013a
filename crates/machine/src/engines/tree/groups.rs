//! Which predicates depend on each other, on the state, on the moves: groups of mutually recursive predicates, and the
//! level that decides how long an answer stays good.

use groundrules_gdl::components::Graph;
use groundrules_gdl::game::RelationId;

use super::program::{Level, Meaning, Predicate, Rule};

/// Finds the groups and the levels.
pub(super) fn find(predicates: &mut [Predicate], rules: &[Rule]) {
    let mut below = vec![Vec::new(); predicates.len()];
    for rule in rules {
        for condition in &rule.body {
            condition.for_each_atom(&mut |atom, _| below[rule.head.predicate].push(atom.predicate));
        }
    }
    let edges = below.iter().enumerate().flat_map(|(from, below)| below.iter().map(move |&to| (from, to)));
    let graph = Graph::from_edges(predicates.len(), edges);
    let components = graph.components();
    for (number, members) in components.iter().enumerate() {
        let mut level = Level::Static;
        for &member in members {
            let predicate = &mut predicates[member as usize];
            predicate.group = number;
            predicate.is_recursive = components.is_cyclic(number);
            level = level.max(given_level(predicate.meaning));
            for &below in &below[member as usize] {
                level = level.max(predicates[below].level);
            }
        }
        members.iter().for_each(|&member| predicates[member as usize].level = level);
    }
    mark_negated(predicates, rules);
}

fn given_level(meaning: Meaning) -> Level {
    match meaning {
        Meaning::True(_) => Level::State,
        Meaning::Relation(RelationId::DOES) => Level::Moves,
        _ => Level::Static,
    }
}

fn mark_negated(predicates: &mut [Predicate], rules: &[Rule]) {
    let mut negated = vec![false; predicates.len()];
    for rule in rules {
        let group = predicates[rule.head.predicate].group;
        for condition in &rule.body {
            condition.for_each_atom(&mut |atom, positive| {
                negated[group] |= !positive && predicates[atom.predicate].group == group;
            });
        }
    }
    predicates.iter_mut().for_each(|predicate| predicate.is_negated = negated[predicate.group]);
}
