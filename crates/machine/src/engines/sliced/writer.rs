//! Adds a network to a graph, once per use: with the fluents of one phase known, with the chosen moves, or without
//! moves. Components whose least fixpoint is reached in few rounds are unrolled. Others become loops, for those who run loops
//! (`stages`); who does not has all of them unrolled.

use std::ops::Range;
use std::rc::Rc;

use groundrules_net::{Kind, Literal as Wanted, Network, NodeKind};

use super::graph::{Graph, Literal};
use super::growth::grows;
use super::made::{Made, Questions};
use super::stages::{Loops, Members, Reads};

/// How many gates the rounds of a component may take, as a multiple of the operands of its gates, before it becomes a loop.
const UNROLLED: usize = 6;

/// Writes a network's nodes for given fluents and moves.
#[derive(Clone)]
pub(super) struct Writer<'n> {
    network: &'n Network,
    /// What each node is in the graph, if it was written.
    values: Vec<Option<Literal>>,
    /// The moves, once they are known.
    moves: Option<Moves<'n>>,
}

/// Moves that are known, and the gates that only ask about them.
#[derive(Clone)]
struct Moves<'n> {
    made: &'n Made,
    questions: Rc<Questions>,
}

impl<'n> Writer<'n> {
    /// A writer for lanes in which the fluents are these values.
    pub(super) fn new(network: &'n Network, fluents: &[Literal]) -> Self {
        let mut values = vec![None; network.node_count()];
        values[0] = Some(Literal::FALSE);
        for (fluent, &literal) in fluents.iter().enumerate() {
            values[network.fluent(fluent).index()] = Some(literal);
        }
        Writer { network, values, moves: None }
    }

    /// The same, and moves are known: what mentions them must not have been written before.
    pub(super) fn with_moves<'m>(&self, made: &'m Made) -> Writer<'m>
    where
        'n: 'm,
    {
        let questions = Rc::new(made.questions(self.network));
        let moves = Some(Moves { made, questions });
        Writer { network: self.network, values: self.values.clone(), moves }
    }

    /// Writes what some literals need, and gives their values. A move that is not known counts as not made.
    pub(super) fn write(&mut self, graph: &mut Graph, wanted: &[Wanted]) -> Vec<Literal> {
        self.write_with(graph, wanted, None)
    }

    /// Writes what some literals need, and gives their values. Components may become loops; the second of `loops` is how
    /// many slots are taken.
    pub(super) fn write_with(
        &mut self,
        graph: &mut Graph,
        wanted: &[Wanted],
        mut loops: Option<(&mut Loops, &mut u32)>,
    ) -> Vec<Literal> {
        for gate in self.needed(wanted) {
            match self.network.component_of(gate) {
                Some(gates) => {
                    let loops = loops.as_mut().map(|(loops, slots)| (&mut **loops, &mut **slots));
                    self.write_group(graph, gates, loops);
                }
                None => self.values[self.network.gate(gate).index()] = Some(self.gate(graph, gate)),
            }
        }
        wanted.iter().map(|&literal| self.value(graph, literal)).collect()
    }

    fn value(&self, graph: &mut Graph, wanted: Wanted) -> Literal {
        let node = wanted.node();
        let value = match (self.values[node.index()], self.network.kind(node), &self.moves) {
            (Some(value), ..) => value,
            (None, NodeKind::Move(number), Some(moves)) => moves.made.one(graph, number),
            (None, NodeKind::Gate(gate), Some(moves)) if moves.questions.has(gate) => {
                self.answer(graph, moves, [wanted].into_iter())
            }
            (None, NodeKind::Gate(_), _) => panic!("a gate is written before it is read"),
            (None, ..) => Literal::FALSE,
        };
        value.complement_if(wanted.is_complemented())
    }

    /// Whether one of the moves is made that some literals ask about.
    fn answer(&self, graph: &mut Graph, moves: &Moves<'_>, asked: impl Iterator<Item = Wanted>) -> Literal {
        let asked = moves.questions.moves(self.network, asked);
        moves.made.any(graph, asked)
    }

    /// The gates not yet written that some literals rest on, in order.
    fn needed(&self, wanted: &[Wanted]) -> Vec<usize> {
        let mut is_needed = vec![false; self.network.gate_count()];
        let mut pending: Vec<Wanted> = wanted.to_vec();
        while let Some(literal) = pending.pop() {
            let NodeKind::Gate(gate) = self.network.kind(literal.node()) else { continue };
            if self.moves.as_ref().is_some_and(|moves| moves.questions.has(gate)) {
                continue;
            }
            if self.values[literal.node().index()].is_none() && !std::mem::replace(&mut is_needed[gate], true)
            {
                pending.extend(self.network.operands(gate));
            }
        }
        (0..is_needed.len()).filter(|&gate| is_needed[gate]).collect()
    }

    fn gate(&self, graph: &mut Graph, gate: usize) -> Literal {
        let kind = self.network.gate_kind(gate);
        let operands = self.network.operands(gate);
        let operands: Vec<Literal> = match &self.moves {
            Some(moves) => {
                // What is asked about moves is asked at once: a disjunction of them, or that none is made.
                let is_conjunction = kind == Kind::And;
                let asks =
                    |&&it: &&Wanted| moves.questions.asks(self.network, moves.made, it, is_conjunction);
                let asked: Vec<Wanted> = operands.iter().filter(asks).copied().collect();
                let others = operands.iter().filter(|operand| !asks(operand));
                let mut values: Vec<Literal> = others.map(|&operand| self.value(graph, operand)).collect();
                if !asked.is_empty() {
                    let any = self.answer(graph, moves, asked.into_iter());
                    values.push(any.complement_if(is_conjunction));
                }
                values
            }
            None => operands.iter().map(|&operand| self.value(graph, operand)).collect(),
        };
        match kind {
            Kind::And => graph.and_all(&operands),
            Kind::Or => graph.or_all(&operands),
        }
    }

    /// Writes gates that depend on each other, if they are not written.
    fn write_group(&mut self, graph: &mut Graph, range: Range<usize>, loops: Option<(&mut Loops, &mut u32)>) {
        let nodes = self.network.gate(range.start).index()..self.network.gate(range.end).index();
        if self.values[nodes.start].is_some() {
            return;
        }
        let operands: usize = range.clone().map(|gate| self.network.operands(gate).len()).sum();
        let most = if loops.is_some() { graph.len() + UNROLLED * operands } else { usize::MAX };
        if !self.unroll(graph, &range, &nodes, most)
            && let Some((loops, slots)) = loops
        {
            let is_given = |fluent: usize| {
                let value = self.values[self.network.fluent(fluent).index()];
                value.is_some_and(Literal::is_constant)
            };
            let grows = loops.changes().is_some_and(|changes| grows(self.network, &range, changes, is_given));
            let values = {
                let members = self.members(graph, &range);
                loops.add(graph, &members, grows, slots)
            };
            nodes.zip(values).for_each(|(node, value)| self.values[node] = Some(value));
        }
    }

    /// Writes round after round until nothing changes; says whether it came to that, with at most so many nodes.
    fn unroll(&mut self, graph: &mut Graph, range: &Range<usize>, nodes: &Range<usize>, most: usize) -> bool {
        self.values[nodes.clone()].fill(Some(Literal::FALSE));
        for _ in range.clone() {
            let before = self.values[nodes.clone()].to_vec();
            for gate in range.clone() {
                self.values[self.network.gate(gate).index()] = Some(self.gate(graph, gate));
            }
            if before == self.values[nodes.clone()] || graph.is_full() {
                break;
            }
            if graph.len() > most {
                return false;
            }
        }
        true
    }

    /// The gates of a component.
    fn members(&self, graph: &mut Graph, range: &Range<usize>) -> Members {
        let mut read = |&operand: &Wanted| match self.network.kind(operand.node()) {
            NodeKind::Gate(other) if range.contains(&other) => Reads::Member(other - range.start),
            _ => Reads::Outside(self.value(graph, operand)),
        };
        let member = |gate: usize| {
            (self.network.gate_kind(gate), self.network.operands(gate).iter().map(&mut read).collect())
        };
        range.clone().map(member).collect()
    }
}
