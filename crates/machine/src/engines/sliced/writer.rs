//! Adds a network to a graph, once per use: with the fluents of one phase known, with the chosen moves, or without
//! moves. Components whose least fixpoint is reached in few rounds are unrolled. Others become loops, for those who run loops
//! (`stages`); who does not has all of them unrolled.

use std::ops::Range;

use groundrules_net::{Kind, Literal as Wanted, Network, NodeKind};

use super::graph::{Graph, Literal};
use super::stages::{Loops, Members, Reads};

/// How many gates the rounds of a component may take, as a multiple of the operands of its gates, before it becomes a loop.
const UNROLLED: usize = 6;

/// Writes a network's nodes for given fluents and moves.
#[derive(Clone)]
pub(super) struct Writer<'n> {
    network: &'n Network,
    /// What each node is in the graph, if it was written.
    values: Vec<Option<Literal>>,
}

impl<'n> Writer<'n> {
    /// A writer for lanes in which the fluents are these values.
    pub(super) fn new(network: &'n Network, fluents: &[Literal]) -> Self {
        let mut values = vec![None; network.node_count()];
        values[0] = Some(Literal::FALSE);
        for (fluent, &literal) in fluents.iter().enumerate() {
            values[network.fluent(fluent).index()] = Some(literal);
        }
        Writer { network, values }
    }

    /// From here on moves are known: what mentions them must not have been written before.
    pub(super) fn make_moves(&mut self, made: &[Literal]) {
        for (number, &literal) in made.iter().enumerate() {
            self.values[self.network.does(number).index()] = Some(literal);
        }
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
        wanted.iter().map(|&literal| self.value(literal)).collect()
    }

    fn value(&self, wanted: Wanted) -> Literal {
        let value = self.values[wanted.node().index()].unwrap_or_else(|| {
            let is_gate = matches!(self.network.kind(wanted.node()), NodeKind::Gate(_));
            assert!(!is_gate, "a gate is written before it is read");
            Literal::FALSE
        });
        value.complement_if(wanted.is_complemented())
    }

    /// The gates not yet written that some literals rest on, in order.
    fn needed(&self, wanted: &[Wanted]) -> Vec<usize> {
        let mut is_needed = vec![false; self.network.gate_count()];
        let mut pending: Vec<Wanted> = wanted.to_vec();
        while let Some(literal) = pending.pop() {
            let NodeKind::Gate(gate) = self.network.kind(literal.node()) else { continue };
            if self.values[literal.node().index()].is_none() && !std::mem::replace(&mut is_needed[gate], true)
            {
                pending.extend(self.network.operands(gate));
            }
        }
        (0..is_needed.len()).filter(|&gate| is_needed[gate]).collect()
    }

    fn gate(&self, graph: &mut Graph, gate: usize) -> Literal {
        let operands: Vec<Literal> =
            self.network.operands(gate).iter().map(|&operand| self.value(operand)).collect();
        match self.network.gate_kind(gate) {
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
            let values = loops.add(graph, self.members(&range), slots);
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
    fn members(&self, range: &Range<usize>) -> Members {
        let read = |&operand: &Wanted| match self.network.kind(operand.node()) {
            NodeKind::Gate(other) if range.contains(&other) => Reads::Member(other - range.start),
            _ => Reads::Outside(self.value(operand)),
        };
        let member = |gate: usize| {
            (self.network.gate_kind(gate), self.network.operands(gate).iter().map(read).collect())
        };
        range.clone().map(member).collect()
    }
}
