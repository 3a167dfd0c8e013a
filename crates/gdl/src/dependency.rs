//! Which relations depend on which. The graph has an edge from the head of a rule to every relation of its body,
//! marked positive or negative; strongly connected components are its recursion groups. A relation is dynamic when
//! it depends on `true` or `does`, otherwise static. The checks, the fragments and every later stage read this.

use rustc_hash::FxHashSet;

use crate::components::Graph;
use crate::game::{Game, RelationId};
use crate::syntax::NodeId;

/// One reason why a relation depends on another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The relation depended on.
    pub to: RelationId,
    /// Whether it stands there without a negation.
    pub positive: bool,
    /// A rule where it does.
    pub rule: usize,
    /// The literal there.
    pub literal: NodeId,
}

/// The dependency graph of a game.
#[derive(Clone, Debug)]
pub struct Dependencies {
    edges: Vec<Vec<Edge>>,
    group: Vec<usize>,
    recursive: Vec<bool>,
    dynamic: Vec<bool>,
}

impl Dependencies {
    /// Draws the graph of a game.
    pub fn of(game: &Game) -> Self {
        Dependencies::from_edges(edges_of(game))
    }

    /// Draws the graph of a game with the rules that carry one state to the next: what holds was made by `next` or
    /// `init`, and what is done was `legal`.
    pub fn across_states(game: &Game) -> Self {
        let mut edges = edges_of(game);
        let rules = [
            (RelationId::TRUE, RelationId::NEXT),
            (RelationId::TRUE, RelationId::INIT),
            (RelationId::DOES, RelationId::LEGAL),
        ];
        for (from, to) in rules {
            let made = game.rules().iter().position(|rule| rule.head.relation == to);
            if let Some(rule) = made {
                edges[from.index()].push(Edge {
                    to,
                    positive: true,
                    rule,
                    literal: game.rules()[rule].head_node,
                });
            }
        }
        Dependencies::from_edges(edges)
    }

    fn from_edges(edges: Vec<Vec<Edge>>) -> Self {
        let (group, recursive) = groups(&edges);
        let dynamic = reaching(&edges, &[RelationId::TRUE, RelationId::DOES]);
        Dependencies { edges, group, recursive, dynamic }
    }

    /// What a relation depends on directly.
    pub fn edges(&self, relation: RelationId) -> &[Edge] {
        &self.edges[relation.index()]
    }

    /// Whether two relations are part of one cycle; for one relation, whether it depends on itself.
    pub fn in_cycle(&self, a: RelationId, b: RelationId) -> bool {
        self.group[a.index()] == self.group[b.index()] && self.recursive[a.index()]
    }

    /// The recursion group of a relation; relations that are part of one cycle have the same.
    pub fn group(&self, relation: RelationId) -> usize {
        self.group[relation.index()]
    }

    /// Whether a relation depends on itself, directly or through others.
    pub fn is_recursive(&self, relation: RelationId) -> bool {
        self.recursive[relation.index()]
    }

    /// Whether a relation depends on `true` or `does`.
    pub fn is_dynamic(&self, relation: RelationId) -> bool {
        self.dynamic[relation.index()]
    }

    /// How many groups of relations depend on themselves.
    pub fn recursion_groups(&self) -> usize {
        let recursive = self.group.iter().zip(&self.recursive).filter(|&(_, &recursive)| recursive);
        recursive.map(|(group, _)| group).collect::<FxHashSet<_>>().len()
    }

    /// A shortest chain of dependencies from one relation to another through relations that `through` admits.
    pub fn path(
        &self,
        from: RelationId,
        to: RelationId,
        through: impl Fn(RelationId) -> bool,
    ) -> Option<Vec<(RelationId, Edge)>> {
        let mut came_by: Vec<Option<(RelationId, Edge)>> = vec![None; self.edges.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(relation) = queue.pop_front() {
            for &edge in self.edges(relation) {
                if came_by[edge.to.index()].is_some() || (edge.to != to && !through(edge.to)) {
                    continue;
                }
                came_by[edge.to.index()] = Some((relation, edge));
                if edge.to == to {
                    return Some(walk_back(&came_by, from, to));
                }
                queue.push_back(edge.to);
            }
        }
        None
    }
}

fn edges_of(game: &Game) -> Vec<Vec<Edge>> {
    let mut edges = vec![Vec::new(); game.relation_count()];
    let mut seen = FxHashSet::default();
    for (index, rule) in game.rules().iter().enumerate() {
        for literal in rule.literals() {
            let Some(atom) = literal.atom() else { continue };
            if seen.insert((rule.head.relation, atom.relation, literal.positive)) {
                let (to, positive) = (atom.relation, literal.positive);
                edges[rule.head.relation.index()].push(Edge {
                    to,
                    positive,
                    rule: index,
                    literal: literal.node,
                });
            }
        }
    }
    edges
}

fn walk_back(
    came_by: &[Option<(RelationId, Edge)>],
    from: RelationId,
    to: RelationId,
) -> Vec<(RelationId, Edge)> {
    let mut path = Vec::new();
    let mut at = to;
    while let Some(step) = came_by[at.index()] {
        path.push(step);
        at = step.0;
        if at == from {
            break;
        }
    }
    path.reverse();
    path
}

/// Numbers the strongly connected components and finds the relations on a cycle.
fn groups(edges: &[Vec<Edge>]) -> (Vec<usize>, Vec<bool>) {
    let mut graph = Graph::default();
    edges.iter().for_each(|edges| graph.push(edges.iter().map(|edge| edge.to.as_u32())));
    let components = graph.components();
    let group: Vec<usize> = (0..edges.len()).map(|relation| components.of(relation)).collect();
    let recursive = group.iter().map(|&group| components.is_cyclic(group)).collect();
    (group, recursive)
}

/// The relations from which one of the targets can be reached, the targets included.
fn reaching(edges: &[Vec<Edge>], targets: &[RelationId]) -> Vec<bool> {
    let mut users = vec![Vec::new(); edges.len()];
    for (from, edges) in edges.iter().enumerate() {
        edges.iter().for_each(|edge| users[edge.to.index()].push(from));
    }
    let mut reached = vec![false; edges.len()];
    let mut stack: Vec<usize> = targets.iter().map(|target| target.index()).collect();
    while let Some(relation) = stack.pop() {
        if !std::mem::replace(&mut reached[relation], true) {
            stack.extend(&users[relation]);
        }
    }
    reached
}
