//! Plays a ground game directly: derived atoms in dependency order, with a least fixpoint inside each strongly
//! connected component. It is slow and simple, and shows that a ground game means what its description means. Its one
//! optimisation: a rule is only evaluated if a fluent or move that it needs is present.

use groundrules_gdl::components::Graph;
use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::ground_game::{AtomKind, GroundGame, GroundLiteral};

/// A ground game prepared for evaluation.
pub struct Evaluator<'g> {
    game: &'g GroundGame,
    /// The rules in groups, each after the groups it depends on.
    strata: Vec<Stratum>,
    /// The rules, with the groups' numbers, that need each fluent or move; a rule is with one of those that it needs.
    needing: Vec<Vec<(u32, u32)>>,
    /// The rules that need none.
    always: Vec<(u32, u32)>,
}

/// Rules whose heads depend on each other.
struct Stratum {
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
        let edges = game
            .rules()
            .flat_map(|(head, body)| body.iter().map(move |literal| (head.index(), literal.atom().index())));
        let graph = Graph::from_edges(game.atom_count(), edges);
        let components = graph.components();
        let mut strata: Vec<Stratum> =
            components.iter().map(|_| Stratum { waiting: FxHashMap::default() }).collect();
        let mut evaluator = Evaluator { game, strata: Vec::new(), needing: Vec::new(), always: Vec::new() };
        evaluator.needing.resize_with(game.fluents.len() + game.moves.len(), Vec::new);
        for (place, (head, body)) in game.rules().enumerate() {
            let own = components.of(head.index());
            let inside = |literal: &&GroundLiteral| components.of(literal.atom().index()) == own;
            if body.iter().filter(inside).any(|literal| !literal.is_positive()) {
                return Err(NotStratified { atom: game.atom_kif(head) });
            }
            let rule = index32(place, "ground rules");
            evaluator.file(index32(own, "strata"), rule, body);
            for literal in body.iter().filter(inside) {
                strata[own].waiting.entry(literal.atom().0).or_default().push(rule);
            }
        }
        evaluator.strata = strata;
        Ok(evaluator)
    }

    /// Puts a rule to the fluent or move that it needs and the fewest others were put to.
    fn file(&mut self, stratum: u32, rule: u32, body: &[GroundLiteral]) {
        let needed = body.iter().filter(|literal| literal.is_positive()).map(|it| it.atom().index());
        let needed = needed.filter(|&atom| atom < self.needing.len());
        match needed.min_by_key(|&atom| self.needing[atom].len()) {
            Some(atom) => self.needing[atom].push((stratum, rule)),
            None => self.always.push((stratum, rule)),
        }
    }

    /// Which atoms hold in a state, given by the numbers of its fluents, when the moves with some numbers are made.
    pub fn model(&self, state: &[usize], moves: &[usize]) -> Vec<bool> {
        let mut holds = vec![false; self.game.atom_count()];
        let fluents = state.iter().map(|&fluent| self.game.atom(AtomKind::True(fluent)).index());
        let moves = moves.iter().map(|&number| self.game.atom(AtomKind::Does(number)).index());
        let mut rules = self.always.clone();
        for atom in fluents.chain(moves) {
            if !std::mem::replace(&mut holds[atom], true) {
                rules.extend_from_slice(&self.needing[atom]);
            }
        }
        rules.sort_unstable();
        for group in rules.chunk_by(|a, b| a.0 == b.0) {
            let stratum = &self.strata[group[0].0 as usize];
            let mut pending: Vec<u32> = Vec::new();
            for &(_, rule) in group {
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

    /// What roles see when some moves are made in a state: roles and percepts.
    pub fn percepts(&self, state: &[usize], moves: &[usize]) -> Vec<(TermId, TermId)> {
        let holds = self.model(state, moves);
        self.derived("sees", &holds).map(|arguments| (arguments[0], arguments[1])).collect()
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
