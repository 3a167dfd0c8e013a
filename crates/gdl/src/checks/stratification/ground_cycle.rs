//! Whether a cycle through negation among relations is also one among atoms. Two looks, the cheap one first: the
//! graph of rules, where a rule leads to the rules whose head unifies with one of its literals; then the graph of
//! ground atoms, from the rules instantiated over those body literals whose relations are given by ground facts
//! alone. Both leave out conditions, never add any, so that "harmless" is always true; a cycle that is found may
//! still be impossible for reasons that only evaluation can see.

use indexmap::IndexSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::Subject;
use crate::game::{Atom, Game, RelationId, Rule};
use crate::limits::{Budget, Exhausted};
use crate::symbol::Symbol;
use crate::term::{Term, TermId, Terms};
use crate::unify::may_unify;

/// What the closer look found.
pub(super) enum Outcome {
    /// No atom depends on its own negation.
    Harmless,
    /// These atoms do, in words.
    Cycle(Vec<String>),
    /// The atoms could not be enumerated; the cycle among relations stands.
    Unknown,
}

/// Looks at the recursion group of `relation`.
pub(super) fn look(subject: &Subject<'_>, relation: RelationId) -> Outcome {
    let mut budget = Budget::steps(subject.limits.steps);
    let in_group = |other: RelationId| subject.dependencies.in_cycle(relation, other);
    let rules: Vec<&Rule> = subject.game.rules().iter().filter(|rule| in_group(rule.head.relation)).collect();
    match unifying_rules_have_cycle(subject.game, &rules, &in_group, &mut budget) {
        Ok(false) => return Outcome::Harmless,
        Err(Exhausted) => return Outcome::Unknown,
        Ok(true) => {}
    }
    match instantiate(subject.game, &rules, &in_group, &mut budget) {
        Ok(Some(atoms)) => match atoms.negative_cycle() {
            Some(cycle) => Outcome::Cycle(cycle),
            None => Outcome::Harmless,
        },
        Ok(None) | Err(Exhausted) => Outcome::Unknown,
    }
}

/// A graph with signed edges.
type SignedGraph = DiGraph<(), bool>;

/// A negative edge inside a strongly connected component.
fn negative_edge_in_cycle(graph: &SignedGraph) -> Option<(NodeIndex, NodeIndex)> {
    let mut component = vec![0; graph.node_count()];
    for (number, members) in kosaraju_scc(graph).iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    let inside = |a: NodeIndex, b: NodeIndex| component[a.index()] == component[b.index()];
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
                if may_unify(game.terms(), &atom.arguments, &rules[to].head.arguments) {
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
    terms: Terms,
    atoms: IndexSet<Atom, FxBuildHasher>,
    edges: IndexSet<(usize, usize, bool), FxBuildHasher>,
}

type Substitution = FxHashMap<Symbol, TermId>;

/// The dependencies among the ground atoms of a group, or nothing if some variable is not bound by facts.
fn instantiate<'a>(
    game: &'a Game,
    rules: &[&Rule],
    in_group: &impl Fn(RelationId) -> bool,
    budget: &mut Budget,
) -> Result<Option<AtomGraph<'a>>, Exhausted> {
    let facts = ground_facts(game);
    let mut graph = AtomGraph {
        game,
        terms: game.terms().clone(),
        atoms: IndexSet::default(),
        edges: IndexSet::default(),
    };
    for rule in rules {
        let conditions: Vec<&Atom> = rule
            .body
            .iter()
            .filter_map(|part| match part {
                crate::game::Formula::Literal(literal) => literal.positive_atom(),
                _ => None,
            })
            .filter(|atom| facts.contains_key(&atom.relation))
            .collect();
        let dependent: Vec<(&Atom, bool)> = rule
            .literals()
            .into_iter()
            .filter_map(|literal| Some((literal.atom()?, literal.positive)))
            .filter(|(atom, _)| in_group(atom.relation))
            .collect();
        let mut complete = true;
        join(game.terms(), &facts, &conditions, &mut Substitution::default(), budget, &mut |substitution| {
            complete &= graph.add_instance(&rule.head, &dependent, substitution);
        })?;
        if !complete {
            return Ok(None);
        }
    }
    Ok(Some(graph))
}

/// The relations given by ground facts alone, with the facts' arguments.
fn ground_facts(game: &Game) -> FxHashMap<RelationId, Vec<&[TermId]>> {
    let mut facts: FxHashMap<RelationId, Option<Vec<&[TermId]>>> = FxHashMap::default();
    for rule in game.rules() {
        let entry = facts.entry(rule.head.relation).or_insert_with(|| Some(Vec::new()));
        let ground =
            rule.is_fact() && rule.head.arguments.iter().all(|&argument| game.terms().is_ground(argument));
        match entry {
            Some(list) if ground => list.push(&rule.head.arguments),
            _ => *entry = None,
        }
    }
    facts.into_iter().filter_map(|(relation, list)| Some((relation, list?))).collect()
}

/// Calls `found` with every substitution under which all the conditions are facts.
fn join(
    terms: &Terms,
    facts: &FxHashMap<RelationId, Vec<&[TermId]>>,
    conditions: &[&Atom],
    substitution: &mut Substitution,
    budget: &mut Budget,
    found: &mut impl FnMut(&Substitution),
) -> Result<(), Exhausted> {
    let Some((first, rest)) = conditions.split_first() else {
        budget.spend(10)?;
        found(substitution);
        return Ok(());
    };
    for fact in facts.get(&first.relation).into_iter().flatten() {
        budget.spend(1)?;
        let mut bound = Vec::new();
        if matches(terms, &first.arguments, fact, substitution, &mut bound) {
            join(terms, facts, rest, substitution, budget, found)?;
        }
        for variable in &bound {
            substitution.remove(variable);
        }
    }
    Ok(())
}

/// Extends the substitution so that the patterns become the ground terms, and notes which variables were bound.
fn matches(
    terms: &Terms,
    patterns: &[TermId],
    ground: &[TermId],
    substitution: &mut Substitution,
    bound: &mut Vec<Symbol>,
) -> bool {
    let mut pairs: Vec<(TermId, TermId)> = patterns.iter().copied().zip(ground.iter().copied()).collect();
    while let Some((pattern, ground)) = pairs.pop() {
        match (terms.get(pattern), terms.get(ground)) {
            _ if pattern == ground => {}
            (Term::Variable(name), _) => match substitution.get(name) {
                Some(&value) if value == ground => {}
                Some(_) => return false,
                None => {
                    substitution.insert(*name, ground);
                    bound.push(*name);
                }
            },
            (Term::Function(f, xs), Term::Function(g, ys)) if f == g && xs.len() == ys.len() => {
                pairs.extend(xs.iter().copied().zip(ys.iter().copied()));
            }
            _ => return false,
        }
    }
    true
}

impl AtomGraph<'_> {
    /// Adds what an instance of a rule says; false if it is not ground.
    fn add_instance(
        &mut self,
        head: &Atom,
        dependent: &[(&Atom, bool)],
        substitution: &Substitution,
    ) -> bool {
        let Some(from) = self.atom(head, substitution) else { return false };
        for &(atom, positive) in dependent {
            let Some(to) = self.atom(atom, substitution) else { return false };
            self.edges.insert((from, to, positive));
        }
        true
    }

    fn atom(&mut self, atom: &Atom, substitution: &Substitution) -> Option<usize> {
        let arguments: Option<Box<[TermId]>> =
            atom.arguments.iter().map(|&argument| self.apply(argument, substitution)).collect();
        Some(self.atoms.insert_full(Atom { relation: atom.relation, arguments: arguments? }).0)
    }

    /// The ground instance of a term: flat terms only, which is what such rules have; nothing for others.
    fn apply(&mut self, term: TermId, substitution: &Substitution) -> Option<TermId> {
        if self.terms.is_ground(term) {
            return Some(term);
        }
        match self.terms.get(term).clone() {
            Term::Constant(_) => Some(term),
            Term::Variable(name) => substitution.get(&name).copied(),
            Term::Function(name, arguments) => {
                let plain = |&argument: &TermId| match self.terms.get(argument) {
                    Term::Variable(name) => substitution.get(name).copied(),
                    _ => self.terms.is_ground(argument).then_some(argument),
                };
                let arguments: Option<Box<[TermId]>> = arguments.iter().map(plain).collect();
                Some(self.terms.intern(Term::Function(name, arguments?)))
            }
        }
    }

    /// A cycle with a negation in it, in words.
    fn negative_cycle(&self) -> Option<Vec<String>> {
        let mut graph = SignedGraph::new();
        let nodes: Vec<NodeIndex> = self.atoms.iter().map(|_| graph.add_node(())).collect();
        for &(from, to, positive) in &self.edges {
            graph.add_edge(nodes[from], nodes[to], positive);
        }
        let (from, to) = negative_edge_in_cycle(&graph)?;
        let mut words = vec![self.write(from.index()), format!("not {}", self.write(to.index()))];
        for (atom, positive) in shortest_path(&graph, to, from) {
            let sign = if positive { "" } else { "not " };
            words.push(format!("{sign}{}", self.write(atom.index())));
        }
        Some(words)
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
