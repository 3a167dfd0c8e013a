//! Which moves are made, as the circuit knows it: move by move, or for the moves of a role that were chosen factor by factor
//! ([`Chosen`]).

use groundrules_net::{Kind, Literal as Wanted, Network, NodeKind};

use super::factors::Chosen;
use super::graph::{Graph, Literal};

/// The moves made in every lane.
pub(super) struct Made {
    each: Vec<Move>,
    chosen: Vec<Chosen>,
}

/// Where a move is made.
#[derive(Clone, Copy)]
enum Move {
    /// In these lanes.
    In(Literal),
    /// Nowhere, as the chosen move of a role.
    Never,
    /// Where it was chosen: among which choice's candidates, and its number there.
    Chosen(usize, usize),
}

impl Made {
    /// So many moves, none of which is made.
    pub(super) fn none(moves: usize) -> Self {
        Made { each: vec![Move::In(Literal::FALSE); moves], chosen: Vec::new() }
    }

    /// A move is made where a literal holds.
    pub(super) fn set(&mut self, number: usize, literal: Literal) {
        self.each[number] = Move::In(literal);
    }

    /// One of these moves is made as it was chosen among some candidates, which are given by their places among the moves.
    pub(super) fn set_chosen(&mut self, moves: &[usize], candidates: &[usize], chosen: Chosen) {
        moves.iter().for_each(|&number| self.each[number] = Move::Never);
        for (candidate, &place) in candidates.iter().enumerate() {
            self.each[moves[place]] = Move::Chosen(self.chosen.len(), candidate);
        }
        self.chosen.push(chosen);
    }

    /// Where a move is made.
    pub(super) fn one(&self, graph: &mut Graph, number: usize) -> Literal {
        match self.each[number] {
            Move::In(literal) => literal,
            Move::Never => Literal::FALSE,
            Move::Chosen(choice, candidate) => self.chosen[choice].one(graph, candidate),
        }
    }

    /// Where one of some moves is made.
    pub(super) fn any(&self, graph: &mut Graph, mut moves: Vec<usize>) -> Literal {
        moves.sort_unstable();
        moves.dedup();
        let mut terms = Vec::new();
        let mut candidates = vec![Vec::new(); self.chosen.len()];
        for number in moves {
            match self.each[number] {
                Move::In(literal) => terms.push(literal),
                Move::Never => {}
                Move::Chosen(choice, candidate) => candidates[choice].push(candidate),
            }
        }
        for (chosen, candidates) in self.chosen.iter().zip(&candidates) {
            match candidates[..] {
                [] => {}
                [only] => terms.push(chosen.one(graph, only)),
                _ => terms.push(chosen.any(graph, candidates)),
            }
        }
        graph.or_all(&terms)
    }

    fn is_chosen(&self, number: usize) -> bool {
        !matches!(self.each[number], Move::In(_))
    }

    /// Gates that say only that one of some moves is made, so that they can be answered at once; none where nothing was
    /// chosen factor by factor.
    pub(super) fn questions(&self, network: &Network) -> Questions {
        let mut is_question = vec![false; network.gate_count()];
        if !self.chosen.is_empty() {
            for gate in 0..is_question.len() {
                let asks = |operand: &Wanted| {
                    !operand.is_complemented()
                        && match network.kind(operand.node()) {
                            NodeKind::Move(number) => self.is_chosen(number),
                            NodeKind::Gate(other) => other < gate && is_question[other],
                            NodeKind::Constant | NodeKind::Fluent(_) => false,
                        }
                };
                is_question[gate] =
                    network.gate_kind(gate) == Kind::Or && network.operands(gate).iter().all(asks);
            }
        }
        Questions { is_question }
    }
}

/// Which gates of a network ask whether one of some moves is made.
pub(super) struct Questions {
    is_question: Vec<bool>,
}

impl Questions {
    /// Whether a gate is one.
    pub(super) fn has(&self, gate: usize) -> bool {
        self.is_question[gate]
    }

    /// The moves that such gates, and moves, ask about.
    pub(super) fn moves(&self, network: &Network, asked: impl Iterator<Item = Wanted>) -> Vec<usize> {
        let mut pending: Vec<Wanted> = asked.collect();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut moves = Vec::new();
        while let Some(literal) = pending.pop() {
            match network.kind(literal.node()) {
                NodeKind::Move(number) => moves.push(number),
                NodeKind::Gate(gate) if seen.insert(gate) => pending.extend(network.operands(gate)),
                _ => {}
            }
        }
        moves
    }

    /// Whether a literal asks about moves that were chosen factor by factor, once its complement is taken away on demand.
    pub(super) fn asks(&self, network: &Network, made: &Made, literal: Wanted, complement: bool) -> bool {
        literal.is_complemented() == complement
            && match network.kind(literal.node()) {
                NodeKind::Move(number) => made.is_chosen(number),
                NodeKind::Gate(gate) => self.is_question[gate],
                NodeKind::Constant | NodeKind::Fluent(_) => false,
            }
    }
}
