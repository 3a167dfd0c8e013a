//! Which predicates depend on each other, on the state, on the moves: groups of mutually recursive predicates, and the
//! level that decides how long an answer stays good.

use groundrules_gdl::game::RelationId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::program::{Level, Meaning, Predicate, Rule};

/// Finds the groups and the levels.
pub(super) fn find(predicates: &mut [Predicate], rules: &[Rule]) {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = predicates.iter().map(|_| graph.add_node(())).collect();
    for rule in rules {
        let head = nodes[rule.head.predicate];
        for condition in &rule.body {
            condition.for_each_atom(&mut |atom, _| {
                graph.update_edge(head, nodes[atom.predicate], ());
            });
        }
    }
    // Kosaraju's algorithm gives what is depended on first.
    for (number, members) in kosaraju_scc(&graph).iter().enumerate() {
        let mut level = Level::Static;
        for &member in members {
            let predicate = &mut predicates[member.index()];
            predicate.group = number;
            predicate.is_recursive = members.len() > 1 || graph.contains_edge(member, member);
            level = level.max(given_level(predicate.meaning));
            for below in graph.neighbors(member) {
                level = level.max(predicates[below.index()].level);
            }
        }
        members.iter().for_each(|member| predicates[member.index()].level = level);
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
