//! What the number of moves made so far decides: in most games of turns, whose turn it is.
//!
//! A match of `n` phases is in phase `t mod n` after `t` joint moves. A fluent is known in a phase if it has the same value
//! there in every match. The values are found by stepping with moves and fluents that can be either until nothing changes,
//! so they are right whatever is played.

use groundrules_net::{Kind, Literal, Network};

/// The phases of a game and the fluents known in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phases {
    /// For each phase and fluent the value, if it is known.
    pub(super) known: Vec<Vec<Option<bool>>>,
    /// How many moves may be legal in all the phases together.
    pub(super) candidates: usize,
}

/// Operands looked at before the search for phases is given up.
const WORK: usize = 30_000_000;

impl Phases {
    /// One phase, in which nothing is known.
    pub(super) fn none(fluents: usize) -> Self {
        Phases { known: vec![vec![None; fluents]], candidates: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// The phases of a game with so many of them; nothing if that takes too long to find out.
    pub(super) fn of(network: &Network, count: usize) -> Option<Self> {
        let size = network.node_count() + network.operand_count();
        let mut rounds = WORK / size.max(1);
        let mut phases = vec![vec![Possible::NONE; network.fluents()]; count];
        phases[0] = network.init.iter().map(|&value| Possible::only(value)).collect();
        let mut is_new = vec![false; count];
        is_new[0] = true;
        let mut phase = 0;
        while is_new.contains(&true) {
            if std::mem::take(&mut is_new[phase]) {
                rounds = rounds.checked_sub(1)?;
                let next = step(network, &phases[phase]);
                let after = (phase + 1) % count;
                for (old, new) in phases[after].iter_mut().zip(next) {
                    is_new[after] |= old.join(new) != *old;
                    *old = old.join(new);
                }
            }
            phase = (phase + 1) % count;
        }
        let known = phases.iter().map(|values| values.iter().map(|value| value.known()).collect());
        let candidates = phases.iter().map(|fluents| legal(network, fluents).1).sum();
        Some(Phases { known: known.collect(), candidates })
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

/// The values of all nodes while no move is made, and how many moves can be legal.
fn legal(network: &Network, fluents: &[Possible]) -> (Vec<Possible>, usize) {
    let mut values = vec![Possible::only(false); network.node_count()];
    for (fluent, &value) in fluents.iter().enumerate() {
        values[network.fluent(fluent).index()] = value;
    }
    evaluate(network, &mut values);
    let count = network.outputs.legal.iter().filter(|&&literal| read(&values, literal).yes).count();
    (values, count)
}

/// What the fluents can be next.
fn step(network: &Network, fluents: &[Possible]) -> Vec<Possible> {
    let (mut values, _) = legal(network, fluents);
    let legal: Vec<Possible> = network.outputs.legal.iter().map(|&literal| read(&values, literal)).collect();
    let mut can_make = vec![0; network.roles];
    for (number, &role) in network.movers.iter().enumerate() {
        can_make[role as usize] += usize::from(legal[number].yes);
    }
    for (number, &role) in network.movers.iter().enumerate() {
        values[network.does(number).index()] = match (legal[number].yes, can_make[role as usize]) {
            (false, _) => Possible::only(false),
            (true, 1) => Possible::only(true),
            (true, _) => Possible::EITHER,
        };
    }
    evaluate(network, &mut values);
    network.outputs.next.iter().map(|&literal| read(&values, literal)).collect()
}

/// Evaluates all gates.
fn evaluate(network: &Network, values: &mut [Possible]) {
    let mut components = network.components().iter().peekable();
    let mut gate = 0;
    while gate < network.gate_count() {
        let own = components.next_if(|range| range.start as usize == gate);
        let end = own.map_or(gate + 1, |range| range.end as usize);
        (gate..end).for_each(|member| values[network.gate(member).index()] = Possible::only(false));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for member in gate..end {
                let node = network.gate(member).index();
                let value = gate_value(network, member, values);
                changed |= own.is_some() && values[node] != value;
                values[node] = value;
            }
        }
        gate = end;
    }
}

fn gate_value(network: &Network, gate: usize, values: &[Possible]) -> Possible {
    let operands = network.operands(gate).iter();
    let operands =
        operands.map(|operand| values[operand.node().index()].complement_if(operand.is_complemented()));
    match network.gate_kind(gate) {
        Kind::And => operands
            .fold(Possible::only(true), |all, one| Possible { no: all.no | one.no, yes: all.yes & one.yes }),
        Kind::Or => operands
            .fold(Possible::only(false), |all, one| Possible { no: all.no & one.no, yes: all.yes | one.yes }),
    }
}
