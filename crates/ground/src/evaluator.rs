//! Plays a ground game directly: derived atoms in the order of their dependencies, the least fixpoint inside a group of
//! atoms that depend on each other. Slow and simple; it shows that a ground game means what its description means.

use groundrules_gdl::term::TermId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::ground_game::{AtomKind, GroundGame, GroundLiteral};

/// A ground game made ready to be asked.
pub struct Evaluator<'g> {
    game: &'g GroundGame,
    /// The rules in groups, each after the groups it depends on.
    strata: Vec<Stratum>,
}

/// Rules whose heads depend on each other.
struct Stratum {
    rules: Vec<u32>,
    /// For each head the rules of the group that wait for it; empty if no head waits for another.
    waiting: FxHashMap<u32, Vec<u32>>,
}

/// What there is to see in a state before anybody moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Whether the match is over.
    pub is_terminal: bool,
    /// The numbers of the legal moves.
    pub legal: Vec<usize>,
    /// The goals: roles and values.
    pub goals: Vec<(TermId, TermId)>,
}

/// Some atoms depend on their own negation, so the rules do not say what holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{atom} depends on its own negation")]
pub struct NotStratified {
    /// One of the atoms.
    pub atom: String,
}

impl<'g> Evaluator<'g> {
    /// Orders the rules of a game.
    pub fn new(game: &'g GroundGame) -> Result<Self, NotStratified> {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = (0..game.atom_count()).map(|_| graph.add_node(())).collect();
        for (head, body) in game.rules() {
            for literal in body {
                graph.add_edge(nodes[head.index()], nodes[literal.atom().index()], ());
            }
        }
        let components = kosaraju_scc(&graph);
        let mut group = vec![0; nodes.len()];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|member| group[member.index()] = number);
        }
        let mut strata: Vec<Stratum> =
            components.iter().map(|_| Stratum { rules: Vec::new(), waiting: FxHashMap::default() }).collect();
        for (index, (head, body)) in game.rules().enumerate() {
            let own = group[head.index()];
            let inside = |literal: &&GroundLiteral| group[literal.atom().index()] == own;
            if body.iter().filter(inside).any(|literal| !literal.is_positive()) {
                return Err(NotStratified { atom: game.atom_kif(head) });
            }
            let rule = u32::try_from(index).unwrap_or(u32::MAX);
            strata[own].rules.push(rule);
            for literal in body.iter().filter(inside) {
                strata[own].waiting.entry(literal.atom().0).or_default().push(rule);
            }
        }
        strata.retain(|stratum| !stratum.rules.is_empty());
        Ok(Evaluator { game, strata })
    }

    /// Which atoms hold in a state, given by the numbers of its fluents, when the moves with some numbers are made.
    fn model(&self, state: &[usize], moves: &[usize]) -> Vec<bool> {
        let mut holds = vec![false; self.game.atom_count()];
        state.iter().for_each(|&fluent| holds[self.game.atom(AtomKind::True(fluent)).index()] = true);
        moves.iter().for_each(|&number| holds[self.game.atom(AtomKind::Does(number)).index()] = true);
        for stratum in &self.strata {
            let mut pending: Vec<u32> = Vec::new();
            for &rule in &stratum.rules {
                self.apply(rule, &mut holds, stratum, &mut pending);
            }
            while let Some(atom) = pending.pop() {
                for &rule in stratum.waiting.get(&atom).into_iter().flatten() {
                    self.apply(rule, &mut holds, stratum, &mut pending);
                }
            }
        }
        holds
    }

    /// Applies a rule; a head that is new and that others wait for is to be looked at.
    fn apply(&self, rule: u32, holds: &mut [bool], stratum: &Stratum, pending: &mut Vec<u32>) {
        let head = self.game.heads[rule as usize];
        let body = self.game.body(rule as usize);
        if !holds[head.index()]
            && body.iter().all(|literal| holds[literal.atom().index()] == literal.is_positive())
        {
            holds[head.index()] = true;
            if stratum.waiting.contains_key(&head.0) {
                pending.push(head.0);
            }
        }
    }

    /// What there is to see in a state.
    pub fn view(&self, state: &[usize]) -> View {
        let holds = self.model(state, &[]);
        let is_legal = |&number: &usize| holds[self.game.atom(AtomKind::Legal(number)).index()];
        View {
            is_terminal: self.derived("terminal", &holds).next().is_some(),
            legal: (0..self.game.moves.len()).filter(is_legal).collect(),
            goals: self.derived("goal", &holds).map(|arguments| (arguments[0], arguments[1])).collect(),
        }
    }

    /// The state after some moves.
    pub fn next(&self, state: &[usize], moves: &[usize]) -> Vec<usize> {
        let holds = self.model(state, moves);
        (0..self.game.fluents.len())
            .filter(|&fluent| holds[self.game.atom(AtomKind::Next(fluent)).index()])
            .collect()
    }

    fn derived<'e>(&'e self, name: &'e str, holds: &'e [bool]) -> impl Iterator<Item = &'e [TermId]> {
        let derived = self.game.derived.iter().enumerate();
        derived
            .filter(move |(index, (found, _))| {
                found.eq_ignore_ascii_case(name) && holds[self.game.atom(AtomKind::Derived(*index)).index()]
            })
            .map(|(_, (_, arguments))| &arguments[..])
    }
}
