//! The order of evaluation. Relations that depend on each other form a group; groups are listed so that each
//! comes after those it depends on. A group also knows what of a match it can see: nothing, the state, or the
//! moves made.

use std::collections::BTreeSet;

use groundrules_gdl::Game;
use groundrules_gdl::components::Graph;
use groundrules_gdl::game::RelationId;
use petgraph::graph::{DiGraph, NodeIndex};

/// What a relation can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The rules alone: static.
    Static,
    /// The state.
    State,
    /// The state and the moves made.
    Moves,
}

/// Relations that depend on each other, or one that does not depend on itself.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The indices of its relations.
    pub(crate) relations: Vec<usize>,
    /// The indices of the rules for them.
    pub(crate) rules: Vec<usize>,
    /// Whether one of these rules negates a relation of the group.
    pub(crate) negates_itself: bool,
    /// What it can depend on.
    pub(crate) level: Level,
    /// The groups it depends on directly.
    needs: BTreeSet<usize>,
}

/// The groups of a game.
#[derive(Clone, Debug)]
pub(crate) struct Strata {
    groups: Vec<Group>,
    group_of: Vec<usize>,
}

impl Strata {
    pub(crate) fn of(game: &Game) -> Self {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in game.relations() {
            graph.add_node(());
        }
        for_each_dependency(game, |head, body, _| {
            graph.add_edge(NodeIndex::new(head), NodeIndex::new(body), ());
        });
        let components = dependencies_first(&graph);
        let mut group_of = vec![0; game.relation_count()];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|&member| group_of[member] = number);
        }
        let mut groups: Vec<Group> = components.into_iter().map(Group::new).collect();
        for (index, rule) in game.rules().iter().enumerate() {
            groups[group_of[rule.head.relation.index()]].rules.push(index);
        }
        for_each_dependency(game, |head, body, positive| {
            let (head, body) = (group_of[head], group_of[body]);
            groups[head].needs.insert(body);
            groups[head].negates_itself |= head == body && !positive;
        });
        let mut strata = Strata { groups, group_of };
        strata.find_levels();
        strata
    }

    fn find_levels(&mut self) {
        for number in 0..self.groups.len() {
            let below = self.groups[number].needs.iter().filter(|&&other| other != number);
            let level = below.map(|&other| self.groups[other].level).max().unwrap_or(Level::Static);
            let own = &mut self.groups[number].level;
            *own = (*own).max(level);
        }
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn group_of(&self, relation: usize) -> usize {
        self.group_of[relation]
    }

    /// The groups that must be evaluated to know a relation, in the order of evaluation.
    pub(crate) fn needed_for(&self, relation: usize) -> Vec<usize> {
        let mut needed = BTreeSet::new();
        let mut stack = vec![self.group_of[relation]];
        while let Some(group) = stack.pop() {
            if needed.insert(group) {
                stack.extend(&self.groups[group].needs);
            }
        }
        needed.into_iter().collect()
    }
}

impl Group {
    fn new(relations: Vec<usize>) -> Self {
        let level = match relations[..] {
            _ if relations.contains(&RelationId::DOES.index()) => Level::Moves,
            _ if relations.contains(&RelationId::TRUE.index()) => Level::State,
            _ => Level::Static,
        };
        Group { relations, rules: Vec::new(), negates_itself: false, level, needs: BTreeSet::new() }
    }
}

/// Calls `visit` with the relation of a head, one of the body and whether that stands there without negation.
fn for_each_dependency(game: &Game, mut visit: impl FnMut(usize, usize, bool)) {
    for rule in game.rules() {
        for literal in rule.literals() {
            if let Some(atom) = literal.atom() {
                visit(rule.head.relation.index(), atom.relation.index(), literal.positive);
            }
        }
    }
}

/// The strongly connected components of a graph whose edges point at what is depended on, each after those
/// that it depends on, and each sorted.
pub(crate) fn dependencies_first<N, E>(graph: &DiGraph<N, E>) -> Vec<Vec<usize>> {
    let edges = graph.raw_edges().iter().map(|edge| (edge.source().index(), edge.target().index()));
    let plain = Graph::from_edges(graph.node_count(), edges);
    let sorted = |members: &[u32]| {
        let mut members: Vec<usize> = members.iter().map(|&member| member as usize).collect();
        members.sort_unstable();
        members
    };
    plain.components().iter().map(sorted).collect()
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;

    #[test]
    fn groups_come_after_what_they_need() {
        let text = "(role a) (e 1 2) (<= (p ?x) (e ?x ?_y)) (<= (r ?x ?y) (e ?x ?y))
                    (<= (r ?x ?z) (e ?x ?y) (r ?y ?z))
                    (<= (legal a (go ?x)) (true (at ?x)) (r ?x 2)) (<= (next (at ?x)) (does a (go ?x)) (p ?x))
                    (init (at 1)) (<= terminal (true (at 2))) (goal a 0)";
        let game = read(text.as_bytes(), &Options::default()).game.unwrap();
        let strata = Strata::of(&game);
        let named = |name: &str, arity| {
            game.find_relation(game.symbols().find(name).unwrap(), arity).unwrap().index()
        };
        let group = |name: &str, arity| strata.group_of(named(name, arity));
        assert!(group("e", 2) < group("r", 2) && group("r", 2) < group("legal", 2));
        assert_eq!(strata.groups()[group("r", 2)].level, Level::Static);
        assert_eq!(strata.groups()[group("legal", 2)].level, Level::State);
        assert_eq!(strata.groups()[group("next", 1)].level, Level::Moves);
        assert!(!strata.needed_for(named("legal", 2)).contains(&group("p", 1)));
        assert!(strata.needed_for(named("next", 1)).contains(&group("p", 1)));
    }
}
