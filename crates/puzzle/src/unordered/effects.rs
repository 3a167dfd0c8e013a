//! The effects of moves, read off the network once per game. A fluent persists once true if no move that its next value depends
//! on can make it false, and it does not become false by itself. Each such move is evaluated alone, with all other fluents open
//! except the move's preconditions. A move whose preconditions never hold together with the fluent in the sampled states is left
//! out: that a cell has one content, for example, is an invariant that the rules do not state. Such mutual exclusions are guesses, as
//! good as the sample, so nothing that rests on them is a proof.

use std::sync::Arc;

use groundrules_machine::Rows;
use groundrules_net::{Kind, Literal, Network, NodeKind};
use hashbrown::HashSet;

use crate::outlook::{Bits, LANES, May, Outlook, bit};

/// The most work, in nodes and operands of all evaluations.
const MOST_WORK: usize = 60_000_000;

/// The most bytes for the sets of moves that gates depend on.
const MOST_BYTES: usize = 64 << 20;

/// What can change a fluent.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    /// Moves that may make it true while it is false, and those that may make it false while it is true.
    pub(super) made_by: Vec<u32>,
    pub(super) undone_by: Vec<u32>,
    /// The same, whatever is moved.
    pub(super) comes: bool,
    pub(super) goes: bool,
}

impl Fate {
    pub(super) fn stays_true(&self) -> bool {
        !self.goes && self.undone_by.is_empty()
    }

    pub(super) fn stays_false(&self) -> bool {
        !self.comes && self.made_by.is_empty()
    }
}

/// Which fluents persist, and what moves do to them.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    pub(super) fates: Vec<Fate>,
    /// For each move the persistent values that it establishes.
    pub(super) sure: Vec<Vec<(u32, bool)>>,
}

/// A fluent with a value, and a move made or none that counts for it.
struct Case {
    fluent: usize,
    value: bool,
    made: Option<u32>,
}

/// All the cases of a network.
pub(super) struct Cases {
    network: Arc<Network>,
    causes: Vec<Vec<u32>>,
    needs: Vec<Vec<(u32, bool)>>,
    cases: Vec<Case>,
}

impl Cases {
    /// The cases of a network with one role, as far as states that were seen tell; nothing if there are too many.
    pub(super) fn of(network: &Arc<Network>, seen: &Rows) -> Option<Cases> {
        if network.roles != 1 {
            return None;
        }
        let causes = causes(network)?;
        let count: usize = causes.iter().map(|causes| 2 * causes.len() + 2).sum();
        if work(network, count) > MOST_WORK {
            return None;
        }
        let needs: Vec<_> = (0..network.moves()).map(|number| needs(network, number)).collect();
        let seen = Seen::new(network.fluents(), seen);
        // What a move needs is not otherwise when it is made.
        let is_possible = |case: &Case| {
            let own = (case.fluent as u32, case.value);
            let otherwise = (own.0, !own.1);
            let is_possible = |need: &(u32, bool)| *need != otherwise && seen.go_together(own, *need);
            case.made.is_none_or(|made| needs[made as usize].iter().all(is_possible))
        };
        let of_fluent = |(fluent, causes): (usize, &Vec<u32>)| {
            let made = causes.iter().copied().map(Some).chain([None]);
            let cases = made.flat_map(|made| [false, true].map(|value| Case { fluent, value, made }));
            cases.filter(is_possible).collect::<Vec<_>>()
        };
        let cases = causes.iter().enumerate().flat_map(of_fluent).collect();
        Some(Cases { network: Arc::clone(network), causes, needs, cases })
    }

    /// How much work it is to know what moves do.
    pub(super) fn work(&self) -> usize {
        work(&self.network, self.cases.len() + self.network.moves())
    }
}

/// Sampled states: for each fluent the states in which it holds, one bit per state.
struct Seen {
    columns: Vec<u64>,
    stride: usize,
    /// The bits of the last word that stand for states.
    last: u64,
}

impl Seen {
    fn new(fluents: usize, seen: &Rows) -> Seen {
        let stride = seen.len().div_ceil(64);
        let mut columns = vec![0; fluents * stride];
        for (number, row) in seen.iter().enumerate() {
            for (place, &word) in row.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let fluent = place * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if fluent < fluents {
                        columns[fluent * stride + number / 64] |= 1 << (number % 64);
                    }
                }
            }
        }
        let last = if seen.len().is_multiple_of(64) { !0 } else { (1 << (seen.len() % 64)) - 1 };
        Seen { columns, stride, last }
    }

    /// Whether two fluents may have these values at the same time. It takes having seen both values to say that they
    /// may not.
    fn go_together(&self, one: (u32, bool), other: (u32, bool)) -> bool {
        let (mut one_alone, mut other_alone) = (false, false);
        for word in 0..self.stride {
            let mask = if word + 1 == self.stride { self.last } else { !0 };
            let bits = |(fluent, value): (u32, bool)| {
                let bits = self.columns[fluent as usize * self.stride + word];
                (if value { bits } else { !bits }) & mask
            };
            let (one, other) = (bits(one), bits(other));
            if one & other != 0 {
                return true;
            }
            (one_alone, other_alone) = (one_alone | (one != 0), other_alone | (other != 0));
        }
        !(one_alone && other_alone)
    }
}

fn work(network: &Network, cases: usize) -> usize {
    cases.div_ceil(LANES).saturating_mul(size(network))
}

/// How much work it is to evaluate a network once: gates that depend on each other are gone through several times.
pub(super) fn size(network: &Network) -> usize {
    let cyclic: usize = network.components().iter().map(|range| (range.end - range.start) as usize).sum();
    network.node_count() + network.operand_count() + 8 * cyclic
}

impl Effects {
    /// The effects of a network's moves; nothing if nothing stays.
    pub(super) fn of(cases: Cases, outlook: &mut Outlook) -> Option<Effects> {
        let Cases { network, causes, needs, cases } = cases;
        let mut fates = vec![Fate::default(); network.fluents()];
        for cases in cases.chunks(LANES) {
            look_at(outlook, &network, &causes, &needs, cases, &mut fates);
        }
        let sure = sure(outlook, &network, &needs, &fates);
        fates.iter().any(|fate| fate.stays_true() != fate.stays_false()).then_some(Effects { fates, sure })
    }
}

/// For each fluent the moves that its next value depends on.
fn causes(network: &Network) -> Option<Vec<Vec<u32>>> {
    let stride = network.moves().div_ceil(64);
    if network.node_count().checked_mul(stride * 8)? > MOST_BYTES {
        return None;
    }
    let first = network.node_count() - network.gate_count();
    let mut reach = vec![0_u64; network.node_count() * stride];
    for number in 0..network.moves() {
        reach[network.does(number).index() * stride + number / 64] |= 1 << (number % 64);
    }
    let mut add = |gate: usize| {
        let mut grew = false;
        for &operand in network.operands(gate) {
            for word in 0..stride {
                let more = reach[operand.node().index() * stride + word];
                let own = &mut reach[(first + gate) * stride + word];
                grew |= more & !*own != 0;
                *own |= more;
            }
        }
        grew
    };
    for block in network.blocks() {
        while block.gates.clone().filter(|&member| add(member)).count() > 0 && block.is_component {}
    }
    let own = |next: &Literal| {
        let words = &reach[next.node().index() * stride..(next.node().index() + 1) * stride];
        (0..network.moves())
            .filter(|number| words[number / 64] >> (number % 64) & 1 == 1)
            .map(|n| n as u32)
            .collect()
    };
    Some(network.outputs.next.iter().map(own).collect())
}

/// The fluents that must have certain values wherever a move is legal, as far as its gates say so plainly.
fn needs(network: &Network, number: usize) -> Vec<(u32, bool)> {
    let mut needs = Vec::new();
    let (mut open, mut seen) = (vec![network.outputs.legal[number]], HashSet::new());
    while let Some(literal) = open.pop() {
        if !seen.insert(literal) {
            continue;
        }
        let value = !literal.is_complemented();
        match network.kind(literal.node()) {
            NodeKind::Fluent(fluent) => needs.push((fluent as u32, value)),
            NodeKind::Gate(gate) => {
                // All operands of a true conjunction are true, and all of a false disjunction false.
                let is_plain = (network.gate_kind(gate) == Kind::And) == value;
                if is_plain || network.operands(gate).len() == 1 {
                    open.extend(
                        network.operands(gate).iter().map(|&operand| if value { operand } else { !operand }),
                    );
                }
            }
            NodeKind::Constant | NodeKind::Move(_) => {}
        }
    }
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// Evaluates some cases, one per lane.
fn look_at(
    outlook: &mut Outlook,
    network: &Network,
    causes: &[Vec<u32>],
    needs: &[Vec<(u32, bool)>],
    cases: &[Case],
    fates: &mut [Fate],
) {
    // A move that is looked at is made alone; otherwise one is made that does not count for the fluent.
    let mut others = Bits::default();
    for (lane, _) in cases.iter().enumerate().filter(|(_, case)| case.made.is_none()) {
        others[lane / 64] |= 1 << (lane % 64);
    }
    outlook.fill(May::EITHER, May { hold: others, fail: May::EITHER.fail });
    for (lane, case) in cases.iter().enumerate() {
        match case.made {
            Some(made) => make(outlook, lane, made, &needs[made as usize]),
            None => causes[case.fluent].iter().for_each(|&made| outlook.made(made as usize).set(lane, false)),
        }
        outlook.fluent(case.fluent).set(lane, case.value);
    }
    outlook.evaluate();
    for (lane, case) in cases.iter().enumerate() {
        let next = outlook.may(network.outputs.next[case.fluent]);
        let fate = &mut fates[case.fluent];
        let may_change = bit(if case.value { &next.fail } else { &next.hold }, lane);
        match (case.value, case.made) {
            _ if !may_change => {}
            (false, Some(made)) => fate.made_by.push(made),
            (true, Some(made)) => fate.undone_by.push(made),
            (false, None) => fate.comes = true,
            (true, None) => fate.goes = true,
        }
    }
}

/// A move is made in a lane, where what it needs is so.
fn make(outlook: &mut Outlook, lane: usize, made: u32, needs: &[(u32, bool)]) {
    outlook.made(made as usize).set(lane, true);
    needs.iter().for_each(|&(fluent, value)| outlook.fluent(fluent as usize).set(lane, value));
}

/// For each move the persistent values that it establishes.
fn sure(
    outlook: &mut Outlook,
    network: &Network,
    needs: &[Vec<(u32, bool)>],
    fates: &[Fate],
) -> Vec<Vec<(u32, bool)>> {
    let mut sure = vec![Vec::new(); network.moves()];
    for first in (0..network.moves()).step_by(LANES) {
        let count = LANES.min(network.moves() - first);
        outlook.fill(May::EITHER, May::FALSE);
        (0..count).for_each(|lane| make(outlook, lane, (first + lane) as u32, &needs[first + lane]));
        outlook.evaluate();
        for (fluent, fate) in fates.iter().enumerate() {
            let next = outlook.may(network.outputs.next[fluent]);
            for (lane, sure) in sure[first..first + count].iter_mut().enumerate() {
                if fate.stays_true() && !bit(&next.fail, lane) {
                    sure.push((fluent as u32, true));
                } else if fate.stays_false() && !bit(&next.hold, lane) {
                    sure.push((fluent as u32, false));
                }
            }
        }
    }
    sure
}
