//! Phases: the fluents whose values the number of moves made so far decides. In most turn-based games these say whose
//! turn it is.
//!
//! A match of `n` phases is in phase `t mod n` after `t` joint moves. A fluent is known in a phase if it has the same
//! value there in every match. An abstract interpretation with unknown moves and fluents, iterated to a fixpoint, finds
//! these values; they hold whatever is played.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use groundrules_net::{Kind, Literal, Network};

use crate::index::index32;

/// The phases of a game and the fluents known in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phases {
    /// For each phase and fluent the value, if it is known.
    pub(super) known: Vec<Vec<Option<bool>>>,
    /// How many moves may be legal in all the phases together.
    pub(super) candidates: usize,
}

/// Operands looked at before the search for phases is given up.
const WORK: usize = 20_000_000;

impl Phases {
    /// One phase, in which nothing is known.
    pub(super) fn none(fluents: usize) -> Self {
        Phases { known: vec![vec![None; fluents]], candidates: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// How many moves can be legal after 0, 1, 2, … joint moves, for so many steps.
    pub(super) fn candidates(network: &Network, steps: usize) -> Vec<usize> {
        let mut search = Search::new(network, steps);
        let mut fluents: Vec<Possible> = network.init.iter().map(|&value| Possible::only(value)).collect();
        for step in 0..steps {
            search.enter(step, &fluents);
            fluents = search.next(step);
        }
        search.phases.iter().map(|phase| phase.legal.iter().filter(|legal| **legal).count()).collect()
    }

    /// The phases of a game with so many of them; `None` if that takes too long to find out.
    pub(super) fn of(network: &Network, count: usize) -> Option<Self> {
        let mut search = Search::new(network, count);
        search.run().then(|| {
            let fluent = |values: &[Possible], fluent| values[network.fluent(fluent).index()].known();
            let known =
                |phase: &Phase| (0..network.fluents()).map(|index| fluent(&phase.values, index)).collect();
            let candidates =
                search.phases.iter().map(|phase| phase.legal.iter().filter(|legal| **legal).count());
            Phases { candidates: candidates.sum(), known: search.phases.iter().map(known).collect() }
        })
    }
}

/// The values that something can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Possible {
    no: bool,
    yes: bool,
}

impl Possible {
    const NONE: Possible = Possible { no: false, yes: false };
    const EITHER: Possible = Possible { no: true, yes: true };

    fn only(value: bool) -> Self {
        Possible { no: !value, yes: value }
    }

    fn join(self, other: Self) -> Self {
        Possible { no: self.no | other.no, yes: self.yes | other.yes }
    }

    fn known(self) -> Option<bool> {
        (self.no != self.yes).then_some(self.yes)
    }

    fn complement_if(self, complement: bool) -> Self {
        if complement { Possible { no: self.yes, yes: self.no } } else { self }
    }
}

fn read(values: &[Possible], literal: Literal) -> Possible {
    values[literal.node().index()].complement_if(literal.is_complemented())
}

/// The search: what each node can be in each phase. Values only grow, and only what they reach is looked at again.
struct Search<'n> {
    network: &'n Network,
    /// The gates that use each node, and where each node's list ends.
    users: Vec<u32>,
    ends: Vec<usize>,
    phases: Vec<Phase>,
    work: usize,
}

#[derive(Clone)]
struct Phase {
    values: Vec<Possible>,
    /// Whether each move can be legal, and how many of each role can.
    legal: Vec<bool>,
    can_make: Vec<usize>,
    /// Gates to be looked at again, in order.
    pending: BinaryHeap<Reverse<u32>>,
    is_reached: bool,
}

impl<'n> Search<'n> {
    fn new(network: &'n Network, count: usize) -> Self {
        let mut lists = vec![Vec::new(); network.node_count()];
        for gate in 0..network.gate_count() {
            for operand in network.operands(gate) {
                lists[operand.node().index()].push(index32(gate));
            }
        }
        let ends = lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        });
        let phase = Phase {
            values: vec![Possible::NONE; network.node_count()],
            legal: vec![false; network.moves()],
            can_make: vec![0; network.roles],
            pending: BinaryHeap::new(),
            is_reached: false,
        };
        Search { network, ends: ends.collect(), users: lists.concat(), phases: vec![phase; count], work: 0 }
    }

    /// Goes on until nothing grows; says whether it came to that.
    fn run(&mut self) -> bool {
        let init: Vec<Possible> = self.network.init.iter().map(|&value| Possible::only(value)).collect();
        let mut phase = 0;
        let mut changed = self.enter(0, &init);
        while changed {
            let next = self.next(phase);
            phase = (phase + 1) % self.phases.len();
            changed = self.enter(phase, &next);
            if self.work > WORK {
                return false;
            }
        }
        true
    }

    /// What the fluents can be after a phase.
    fn next(&self, phase: usize) -> Vec<Possible> {
        let values = &self.phases[phase].values;
        self.network.outputs.next.iter().map(|&literal| read(values, literal)).collect()
    }

    /// Lets a phase begin with these fluents, too, and finds what that makes possible; says whether it is new.
    fn enter(&mut self, phase: usize, fluents: &[Possible]) -> bool {
        let network = self.network;
        self.work += fluents.len();
        if !std::mem::replace(&mut self.phases[phase].is_reached, true) {
            let values = &mut self.phases[phase].values;
            values[0] = Possible::only(false);
            for number in 0..network.moves() {
                values[network.does(number).index()] = Possible::only(false);
            }
            for (fluent, &value) in fluents.iter().enumerate() {
                values[network.fluent(fluent).index()] = value;
            }
            evaluate(network, values);
            self.allow_moves(phase);
            evaluate(network, &mut self.phases[phase].values);
            self.phases[phase].pending.clear();
            self.work += 2 * (network.operand_count() + network.node_count());
            return true;
        }
        let mut is_new = false;
        for (fluent, &value) in fluents.iter().enumerate() {
            is_new |= self.grow(phase, network.fluent(fluent).index(), value);
        }
        if is_new {
            self.propagate(phase);
            self.allow_moves(phase);
            self.propagate(phase);
        }
        is_new
    }

    /// A node can have more values; says whether that is new.
    fn grow(&mut self, phase: usize, node: usize, value: Possible) -> bool {
        let old = self.phases[phase].values[node];
        if old.join(value) == old {
            return false;
        }
        self.phases[phase].values[node] = old.join(value);
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        self.phases[phase]
            .pending
            .extend(self.users[start..self.ends[node]].iter().map(|&gate| Reverse(gate)));
        true
    }

    /// Finds which moves can be made in a phase.
    fn allow_moves(&mut self, phase: usize) {
        let network = self.network;
        self.work += network.moves();
        let mut more = vec![false; network.roles];
        for (number, &role) in network.movers.iter().enumerate() {
            let Phase { values, legal, can_make, .. } = &mut self.phases[phase];
            if !legal[number] && read(values, network.outputs.legal[number]).yes {
                legal[number] = true;
                can_make[role as usize] += 1;
                more[role as usize] = true;
            }
        }
        for (number, &role) in network.movers.iter().enumerate() {
            if more[role as usize] && self.phases[phase].legal[number] {
                // The only move of a role is made; one of several may be.
                let is_only = self.phases[phase].can_make[role as usize] == 1;
                let node = network.does(number).index();
                if is_only {
                    self.phases[phase].values[node] = Possible::NONE;
                }
                self.grow(phase, node, if is_only { Possible::only(true) } else { Possible::EITHER });
            }
        }
    }

    fn propagate(&mut self, phase: usize) {
        let network = self.network;
        while let Some(Reverse(gate)) = self.phases[phase].pending.pop() {
            while self.phases[phase].pending.peek() == Some(&Reverse(gate)) {
                self.phases[phase].pending.pop();
            }
            let components = network.components();
            let after = components.partition_point(|range| range.end <= gate);
            match components.get(after).filter(|range| range.contains(&gate)) {
                Some(range) => self.renew_group(phase, range.start as usize..range.end as usize),
                None => {
                    let value = gate_value(network, gate as usize, &self.phases[phase].values);
                    self.work += network.operands(gate as usize).len() + 1;
                    self.grow(phase, network.gate(gate as usize).index(), value);
                }
            }
        }
    }

    /// Evaluates gates that depend on each other from the beginning.
    fn renew_group(&mut self, phase: usize, gates: Range<usize>) {
        let nodes = self.network.gate(gates.start).index()..self.network.gate(gates.end).index();
        let old = self.phases[phase].values[nodes.clone()].to_vec();
        evaluate_group(self.network, &mut self.phases[phase].values, gates.clone(), true);
        let new = self.phases[phase].values[nodes.clone()].to_vec();
        self.phases[phase].values[nodes.clone()].copy_from_slice(&old);
        for (node, new) in nodes.zip(new) {
            self.grow(phase, node, new);
        }
        self.work += gates.map(|gate| self.network.operands(gate).len() + 1).sum::<usize>();
    }
}

/// Evaluates all gates.
fn evaluate(network: &Network, values: &mut [Possible]) {
    for block in network.blocks() {
        evaluate_group(network, values, block.gates, block.is_component);
    }
}

/// Evaluates a gate, or gates that depend on each other.
fn evaluate_group(network: &Network, values: &mut [Possible], gates: Range<usize>, is_component: bool) {
    gates.clone().for_each(|gate| values[network.gate(gate).index()] = Possible::only(false));
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for gate in gates.clone() {
            let node = network.gate(gate).index();
            let value = gate_value(network, gate, values);
            changed |= is_component && values[node] != value;
            values[node] = value;
        }
    }
}

fn gate_value(network: &Network, gate: usize, values: &[Possible]) -> Possible {
    let operands = network.operands(gate).iter().map(|&operand| read(values, operand));
    match network.gate_kind(gate) {
        Kind::And => operands
            .fold(Possible::only(true), |all, one| Possible { no: all.no | one.no, yes: all.yes & one.yes }),
        Kind::Or => operands
            .fold(Possible::only(false), |all, one| Possible { no: all.no & one.no, yes: all.yes | one.yes }),
    }
}
