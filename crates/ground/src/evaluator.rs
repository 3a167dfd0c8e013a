//! Plays a ground game directly: derived atoms in the order of their dependencies, the least fixpoint inside a group of
//! atoms that depend on each other. Slow and simple; it shows that a ground game means what its description means.

use groundrules_gdl::term::TermId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::ground_game::{AtomKind, GroundGame};

/// A ground game made ready to be asked.
pub struct Evaluator<'g> {
    game: &'g GroundGame,
    /// The rules in groups, each after the groups it depends on.
    strata: Vec<Vec<usize>>,
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
        let mut strata = vec![Vec::new(); components.len()];
        for (index, (head, body)) in game.rules().enumerate() {
            let own = group[head.index()];
            if body.iter().any(|literal| !literal.is_positive() && group[literal.atom().index()] == own) {
                return Err(NotStratified { atom: game.atom_kif(head) });
            }
            strata[own].push(index);
        }
        strata.retain(|stratum| !stratum.is_empty());
        Ok(Evaluator { game, strata })
    }

    /// Which atoms hold in a state, given by the numbers of its fluents, when the moves with some numbers are made.
    fn model(&self, state: &[usize], moves: &[usize]) -> Vec<bool> {
        let mut holds = vec![false; self.game.atom_count()];
        state.iter().for_each(|&fluent| holds[self.game.atom(AtomKind::True(fluent)).index()] = true);
        moves.iter().for_each(|&number| holds[self.game.atom(AtomKind::Does(number)).index()] = true);
        for stratum in &self.strata {
            loop {
                let mut changed = false;
                for &rule in stratum {
                    let head = self.game.heads[rule].index();
                    let applies = |holds: &[bool]| {
                        let body = self.game.body(rule).iter();
                        body.copied().all(|literal| holds[literal.atom().index()] == literal.is_positive())
                    };
                    if !holds[head] && applies(&holds) {
                        holds[head] = true;
                        changed = true;
                    }
                }
                if !changed || stratum.len() == 1 {
                    break;
                }
            }
        }
        holds
    }

    /// Whether a state is terminal.
    pub fn is_terminal(&self, state: &[usize]) -> bool {
        let holds = self.model(state, &[]);
        self.derived("terminal", &holds).next().is_some()
    }

    /// The numbers of the legal moves in a state.
    pub fn legal(&self, state: &[usize]) -> Vec<usize> {
        let holds = self.model(state, &[]);
        (0..self.game.moves.len())
            .filter(|&number| holds[self.game.atom(AtomKind::Legal(number)).index()])
            .collect()
    }

    /// The goals in a state: roles and values.
    pub fn goals(&self, state: &[usize]) -> Vec<(TermId, TermId)> {
        let holds = self.model(state, &[]);
        self.derived("goal", &holds).map(|arguments| (arguments[0], arguments[1])).collect()
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
