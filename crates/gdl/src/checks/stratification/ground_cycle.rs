//! Whether a cycle through negation among relations is also one among atoms. Two looks, the cheap one first: the
//! graph of rules, where a rule leads to the rules whose head unifies with one of its literals; then the graph of
//! ground atoms, from the rules instantiated over those body literals whose relations are static. Both leave out
//! conditions and never add any, so that "harmless" is always true; a cycle that is found may still be impossible for
//! reasons that only evaluation can see.

use indexmap::{IndexMap, IndexSet};
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::super::Subject;
use super::static_tuples::{MOST_ALTERNATIVES, StaticTuples, Substitution};
use crate::components::Graph;
use crate::game::{Atom, Game, Literal, RelationId, Rule};
use crate::limits::{Budget, Exhausted};
use crate::syntax::NodeId;
use crate::term::Terms;
use crate::unify::may_unify;

/// What the closer look found.
pub(super) enum Outcome<'a> {
    /// No atom depends on its own negation.
    Harmless,
    /// Some atoms do.
    Cycle {
        /// The atoms in words.
        words: Vec<String>,
        /// A negated literal on the way.
        literal: NodeId,
        /// The rule that it stands in.
        rule: &'a Rule,
    },
    /// The atoms could not be enumerated; the cycle among relations stands.
    Unknown,
}

/// Looks at a recursion group, given by its relations.
pub(super) fn look<'a>(subject: &Subject<'a>, group: &[RelationId], budget: &mut Budget) -> Outcome<'a> {
    let members: FxHashSet<RelationId> = group.iter().copied().collect();
    let in_group = |relation: RelationId| members.contains(&relation);
    let rules: Vec<&'a Rule> =
        group.iter().flat_map(|&relation| subject.game.rules_of(relation)).map(|(_, rule)| rule).collect();
    match unifying_rules_have_cycle(subject.game, &rules, &in_group, budget) {
        Ok(false) => return Outcome::Harmless,
        Err(Exhausted) => return Outcome::Unknown,
        Ok(true) => {}
    }
    match instantiate(subject, &rules, &in_group, budget) {
        Ok(Some(atoms)) => match atoms.negative_cycle() {
            Some((words, (literal, rule))) => Outcome::Cycle { words, literal, rule },
            None => Outcome::Harmless,
        },
        Ok(None) | Err(Exhausted) => Outcome::Unknown,
    }
}

/// A graph with signed edges.
type SignedGraph = DiGraph<(), bool>;

/// A negative edge inside a strongly connected component.
fn negative_edge_in_cycle(graph: &SignedGraph) -> Option<(NodeIndex, NodeIndex)> {
    let edges = graph.raw_edges().iter().map(|edge| (edge.source().index(), edge.target().index()));
    let plain = Graph::from_edges(graph.node_count(), edges);
    let components = plain.components();
    let inside = |a: NodeIndex, b: NodeIndex| components.of(a.index()) == components.of(b.index());
    let mut edges = graph.raw_edges().iter();
    edges
        .find(|edge| !edge.weight && inside(edge.source(), edge.target()))
        .map(|edge| (edge.source(), edge.target()))
}

fn unifying_rules_have_cycle(
    game: &Game,
    rules: &[&Rule],
    in_group: &impl Fn(RelationId) -> bool,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let mut graph = SignedGraph::new();
    let nodes: Vec<NodeIndex> = rules.iter().map(|_| graph.add_node(())).collect();
    let mut by_head: FxHashMap<RelationId, Vec<usize>> = FxHashMap::default();
    for (index, rule) in rules.iter().enumerate() {
        by_head.entry(rule.head.relation).or_default().push(index);
    }
    for (from, rule) in rules.iter().enumerate() {
        for literal in rule.literals() {
            let Some(atom) = literal.atom().filter(|atom| in_group(atom.relation)) else { continue };
            for &to in by_head.get(&atom.relation).into_iter().flatten() {
                budget.spend(1 + atom.arguments.len() as u64)?;
                if may_unify(game.terms(), &atom.arguments, &rules[to].head.arguments, budget)? {
                    graph.add_edge(nodes[from], nodes[to], literal.positive);
                }
            }
        }
    }
    Ok(negative_edge_in_cycle(&graph).is_some())
}

/// Ground atoms and which of them depend on which.
struct AtomGraph<'a> {
    game: &'a Game,
    atoms: IndexSet<Atom, FxBuildHasher>,
    /// From an atom to another, positive or not, with a literal and its rule that say so.
    edges: IndexMap<(usize, usize, bool), (NodeId, &'a Rule), FxBuildHasher>,
    /// The terms of the atoms.
    terms: Terms,
}

/// The dependencies among the ground atoms of a group, or `None` if some variable is not bound by static relations.
fn instantiate<'a>(
    subject: &Subject<'a>,
    rules: &[&'a Rule],
    in_group: &impl Fn(RelationId) -> bool,
    budget: &mut Budget,
) -> Result<Option<AtomGraph<'a>>, Exhausted> {
    let Some(mut tuples) = StaticTuples::asked_for_by(subject, rules, budget)? else { return Ok(None) };
    let mut graph = AtomGraph {
        game: subject.game,
        atoms: IndexSet::default(),
        edges: IndexMap::default(),
        terms: Terms::new(),
    };
    for &rule in rules {
        let Some(alternatives) = rule.alternatives(MOST_ALTERNATIVES) else { return Ok(None) };
        for literals in alternatives {
            let dependent: Vec<&Literal> = literals
                .iter()
                .copied()
                .filter(|literal| literal.atom().is_some_and(|atom| in_group(atom.relation)))
                .collect();
            for substitution in tuples.join(&literals, budget)? {
                if !graph.add_instance(rule, &dependent, &substitution, &mut tuples) {
                    return Ok(None);
                }
            }
        }
    }
    graph.terms = tuples.into_terms();
    Ok(Some(graph))
}

impl<'a> AtomGraph<'a> {
    /// Adds what an instance of a rule says; false if it is not ground.
    fn add_instance(
        &mut self,
        rule: &'a Rule,
        dependent: &[&Literal],
        substitution: &Substitution,
        tuples: &mut StaticTuples<'_>,
    ) -> bool {
        let mut ground = |atom: &Atom| {
            let arguments = tuples.instance(&atom.arguments, substitution)?;
            Some(self.atoms.insert_full(Atom { relation: atom.relation, arguments }).0)
        };
        let Some(from) = ground(&rule.head) else { return false };
        for literal in dependent {
            let Some(to) = literal.atom().and_then(&mut ground) else { return false };
            self.edges.entry((from, to, literal.positive)).or_insert((literal.node, rule));
        }
        true
    }

    /// A cycle with a negation in it: in words, and where the negation stands.
    fn negative_cycle(&self) -> Option<(Vec<String>, (NodeId, &'a Rule))> {
        let mut graph = SignedGraph::new();
        let nodes: Vec<NodeIndex> = self.atoms.iter().map(|_| graph.add_node(())).collect();
        for &(from, to, positive) in self.edges.keys() {
            graph.add_edge(nodes[from], nodes[to], positive);
        }
        let (from, to) = negative_edge_in_cycle(&graph)?;
        let mut words = vec![self.write(from.index()), format!("not {}", self.write(to.index()))];
        for (atom, positive) in shortest_path(&graph, to, from) {
            let sign = if positive { "" } else { "not " };
            words.push(format!("{sign}{}", self.write(atom.index())));
        }
        Some((words, *self.edges.get(&(from.index(), to.index(), false))?))
    }

    fn write(&self, atom: usize) -> String {
        let atom = &self.atoms[atom];
        let mut text = self.game.relation_name(atom.relation).to_owned();
        for &argument in &atom.arguments {
            text.push(' ');
            // Writing to a string does not fail.
            let _ = self.terms.write_kif(argument, self.game.symbols(), &mut text);
        }
        if atom.arguments.is_empty() { text } else { format!("({text})") }
    }
}

/// The nodes after `from` on a shortest way to `to`, each with the sign of the edge that leads to it.
fn shortest_path(graph: &SignedGraph, from: NodeIndex, to: NodeIndex) -> Vec<(NodeIndex, bool)> {
    use petgraph::visit::EdgeRef;
    if from == to {
        return Vec::new();
    }
    let mut came_by: Vec<Option<(NodeIndex, bool)>> = vec![None; graph.node_count()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for edge in graph.edges(node) {
            if edge.target() != from && came_by[edge.target().index()].is_none() {
                came_by[edge.target().index()] = Some((node, *edge.weight()));
                queue.push_back(edge.target());
            }
        }
    }
    let mut path = Vec::new();
    let mut at = to;
    while let Some((before, positive)) = came_by[at.index()] {
        path.push((at, positive));
        at = before;
    }
    path.reverse();
    path
}
