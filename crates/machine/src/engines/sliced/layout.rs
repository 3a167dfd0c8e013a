//! The layout of lasting memory: one slot per stored fluent, and masks of the lanes that wait or have finished.

use std::ops::Range;

use groundrules_net::{Literal, Network, NodeKind, Outputs};

use crate::index::index32;

use super::phases::Phases;
use super::plan::Purpose;

/// The slots.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// For each fluent its slot; nothing for fluents that the phase decides.
    pub(super) fluents: Vec<Option<u32>>,
    /// Lanes whose playout is over and was not yet scored.
    pub(super) done: u32,
    /// For each role the lanes in which it had no legal move; they are done, too.
    pub(super) stuck: Vec<u32>,
    /// For each phase the lanes that wait for it, having had no luck; empty if there is only one phase.
    pub(super) waiting: Vec<u32>,
    /// Lanes that make no move; only for rollouts.
    pub(super) held: Option<u32>,
    /// For each phase the slots of loops that go on from what they found in the step before. Behind those in use are some that nobody uses.
    pub(super) kept: Vec<Range<u32>>,
    /// How many slots last.
    pub(super) lasting: usize,
}

impl Layout {
    /// Slots for a game that is played in some phases, `kept` of them for loops of each phase.
    pub(super) fn new(network: &Network, phases: &Phases, purpose: Purpose, kept: &[usize]) -> Self {
        let mut next = 0_u32;
        let mut slot = || {
            next += 1;
            next - 1
        };
        let is_shown = purpose == Purpose::Rollouts;
        let (needed, scored) = (needed_fluents(network), scored_fluents(network));
        let is_stored = |fluent: usize| {
            let values = || phases.known.iter().map(|known| known[fluent]);
            let differs = values().any(|value| value != phases.known[0][fluent]);
            (is_shown || needed[fluent])
                && (values().any(|value| value.is_none()) || (scored[fluent] && differs))
        };
        let fluents = (0..network.fluents()).map(|fluent| is_stored(fluent).then(&mut slot)).collect();
        let done = slot();
        let stuck = (0..network.roles).map(|_| slot()).collect();
        let waiting = if phases.len() > 1 { (0..phases.len()).map(|_| slot()).collect() } else { Vec::new() };
        let held = is_shown.then(&mut slot);
        let kept = kept.iter().map(|&count| {
            let first = next;
            next += index32(count);
            first..next
        });
        let kept = kept.collect();
        Layout { fluents, done, stuck, waiting, held, kept, lasting: next as usize }
    }
}

/// The fluents that goals rest on.
fn scored_fluents(network: &Network) -> Vec<bool> {
    let mut cone = Cone::new(network);
    network.outputs.goals.iter().for_each(|goal| cone.add(goal.literal));
    cone.fluents
}

/// The fluents that decide anything that is ever asked.
fn needed_fluents(network: &Network) -> Vec<bool> {
    let mut cone = Cone::new(network);
    let Outputs { legal, terminal, goals, next } = &network.outputs;
    legal.iter().for_each(|&literal| cone.add(literal));
    goals.iter().for_each(|goal| cone.add(goal.literal));
    cone.add(*terminal);
    let mut followed = vec![false; network.fluents()];
    while let Some(fluent) = (0..followed.len()).find(|&fluent| cone.fluents[fluent] && !followed[fluent]) {
        // One pass over all that are new, not one search for each.
        for later in fluent..followed.len() {
            if cone.fluents[later] && !std::mem::replace(&mut followed[later], true) {
                cone.add(next[later]);
            }
        }
    }
    cone.fluents
}

/// What some literals rest on.
struct Cone<'n> {
    network: &'n Network,
    seen: Vec<bool>,
    fluents: Vec<bool>,
}

impl<'n> Cone<'n> {
    fn new(network: &'n Network) -> Self {
        let (nodes, fluents) = (network.node_count(), network.fluents());
        Cone { network, seen: vec![false; nodes], fluents: vec![false; fluents] }
    }

    fn add(&mut self, literal: Literal) {
        let mut pending = vec![literal];
        while let Some(literal) = pending.pop() {
            if std::mem::replace(&mut self.seen[literal.node().index()], true) {
                continue;
            }
            match self.network.kind(literal.node()) {
                NodeKind::Fluent(fluent) => self.fluents[fluent] = true,
                NodeKind::Gate(gate) => pending.extend(self.network.operands(gate)),
                NodeKind::Constant | NodeKind::Move(_) => {}
            }
        }
    }
}
