//! How a game is played in lanes: which circuits run in which order, and where they leave what happened.
//!
//! Everything here depends on the game alone, never on the processor or the clock: the same plan everywhere gives the same
//! playouts everywhere.

use std::ops::Range;
use std::sync::Arc;

use groundrules_net::{Network, assume, changes, end_after, moves_apart};

use super::SlicedError;
use super::graph::MOST_NODES;
use super::layout::Layout;
use super::lower::{Circuit, GateList};
use super::options::Method;
use super::phases::Phases;
use super::segment::{Material, Results, Segment};
use super::stages::Stage;

/// A circuit of a plan.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) circuit: Circuit,
    pub(super) gates: GateList,
    pub(super) results: Results,
    /// If it is repeated until nothing changes: the slot that says in which lanes something changed.
    pub(super) repeat: Option<u32>,
}

/// The circuits of a game and their order.
#[derive(Clone, Debug)]
pub(super) struct CircuitPlan {
    pub(super) layout: Layout,
    pub(super) phases: Phases,
    /// What each lasting slot holds at the beginning.
    pub(super) first: Vec<bool>,
    pub(super) parts: Vec<Part>,
    /// The parts of each phase, and those of the scoring; of a whole cycle if that is one circuit.
    groups: Vec<Range<usize>>,
    /// One cycle: parts by number. The last one scores.
    pub(super) cycle: Vec<usize>,
    /// The most slots of any part.
    pub(super) slots: usize,
}

/// What a vector of random bits costs, in gates.
pub(super) const RANDOM_COST: f64 = 3.0;

/// What there is to decide about a plan.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) phases: Phases,
    /// For each phase the network of its steps.
    pub(super) steps: Arc<[Network]>,
    pub(super) methods: Vec<Method>,
    /// How many rounds of phases are played before a scoring.
    pub(super) rounds: usize,
    /// Whether a whole cycle is one circuit.
    pub(super) joined: bool,
    pub(super) purpose: Purpose,
    /// Whether some moves are preferred to others.
    pub(super) guided: bool,
    /// Whether playouts begin in given states.
    pub(super) given: bool,
}

impl Shape {
    /// For each phase how many slots its loops may keep from step to step. They may where all that happens in a lane is a match from the
    /// initial state, step by step.
    fn kept(&self) -> Vec<usize> {
        let plain = matches!(self.purpose, Purpose::Playouts | Purpose::Recording);
        if !plain || self.given || self.guided || self.joined {
            return vec![0; self.steps.len()];
        }
        let gates = |network: &Network| network.components().iter().map(ExactSizeIterator::len).sum();
        self.steps.iter().map(gates).collect()
    }
}

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Many playouts from the initial state, of which the results count.
    Playouts,
    /// The same, with the moves made left in slots.
    Recording,
    /// A number of moves in every lane, after which all of its fluents are seen.
    Rollouts,
}

impl CircuitPlan {
    pub(super) fn new(network: &Network, shape: &Shape) -> Result<Self, SlicedError> {
        let kept = shape.kept();
        let layout = Layout::new(network, &shape.phases, shape.purpose, &kept);
        let may_keep = kept.iter().any(|&count| count > 0);
        let material = Material {
            network,
            phases: &shape.phases,
            steps: &shape.steps,
            layout: &layout,
            methods: &shape.methods,
            recorded: shape.purpose == Purpose::Recording,
            guided: shape.guided,
            changes: may_keep.then(|| changes(network).into()),
        };
        let mut used: Vec<Range<u32>> = Vec::new();
        let phases = shape.phases.len();
        let mut parts = Vec::new();
        let mut groups = Vec::new();
        let mut add = |segment: Segment<'_>| {
            let before = parts.len();
            parts.extend(stages(segment)?);
            groups.push(before..parts.len());
            Ok::<_, SlicedError>(())
        };
        if shape.joined {
            let mut segment = Segment::new(&material);
            (0..phases * shape.rounds).for_each(|step| segment.step(step % phases));
            segment.score();
            add(segment)?;
        } else {
            for phase in 0..phases {
                let mut segment = Segment::of_phase(&material, phase);
                segment.step(phase);
                used.push(layout.kept[phase].start..segment.kept_end());
                add(segment)?;
            }
            let mut segment = Segment::new(&material);
            segment.score();
            used.into_iter().flatten().for_each(|slot| segment.forget(slot));
            add(segment)?;
        }
        let cycle =
            if shape.joined { (0..parts.len()).collect() } else { unjoined_cycle(&groups, shape.rounds) };
        let mut first = vec![false; layout.lasting];
        for (fluent, slot) in layout.fluents.iter().enumerate() {
            if let Some(slot) = *slot {
                first[slot as usize] = network.init[fluent];
            }
        }
        let slots = parts.iter().map(|part| part.gates.slots).max().unwrap_or(0);
        Ok(CircuitPlan { layout, phases: shape.phases.clone(), first, parts, groups, cycle, slots })
    }

    /// Changes how many rounds of phases are played before a scoring. The plan must not be joined.
    pub(super) fn set_rounds(&mut self, rounds: usize) {
        self.cycle = unjoined_cycle(&self.groups, rounds);
    }

    /// The parts of the phases, and those of the scoring. The plan must not be joined.
    pub(super) fn steps_and_score(&self) -> (&[Part], &[Part]) {
        let score = self.groups.last().map_or(0, |score| score.start);
        self.parts.split_at(score)
    }

    /// About what one step of all lanes costs, scoring included, in gates.
    pub(super) fn cost(&self) -> f64 {
        self.cycle.iter().map(|&part| self.parts[part].cost()).sum::<f64>() / self.steps() as f64
    }

    /// How many random vectors a cycle uses.
    pub(super) fn cycle_randoms(&self) -> usize {
        self.cycle.iter().map(|&part| self.parts[part].gates.randoms).sum()
    }

    /// How many steps a cycle has.
    pub(super) fn steps(&self) -> usize {
        self.cycle.iter().map(|&part| self.parts[part].results.moved.len()).sum()
    }

    /// The shape in one line.
    pub(super) fn summary(&self) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| format!("{}+{}", part.gates.gates.len(), part.gates.stores.len()))
            .collect();
        format!(
            "slots {} randoms {} parts {} cycle {:?}",
            self.slots,
            self.cycle_randoms(),
            parts.join(" "),
            self.cycle
        )
    }

    /// How many gates all the parts have.
    pub(super) fn gates(&self) -> usize {
        self.parts.iter().map(|part| part.gates.gates.len()).sum()
    }
}

/// For each phase the network of its steps: with what is known there, without the moves that are never legal there, and
/// with moves taken apart. Where playouts begin in no `given` states, it asks of the end only what the move before can have brought
/// about: a step is made in lanes that begin, or that were not over one phase ago.
pub(super) fn step_networks(network: &Network, phases: &Phases, given: bool) -> Arc<[Network]> {
    let known = |phase: usize| {
        let known = phases.known[phase].iter().enumerate();
        known.filter_map(|(fluent, value)| Some((fluent, (*value)?))).collect::<Vec<_>>()
    };
    let of_phase = |phase: usize, network: &Network| {
        let state = assume(network, &known(phase), &[]);
        let is_possible = |&number: &usize| state.outputs.legal[number].constant() != Some(false);
        let never = (0..network.moves()).filter(|number| !is_possible(number));
        let never: Vec<(usize, bool)> = never.map(|number| (number, false)).collect();
        assume(&state, &[], &never)
    };
    let count = phases.len();
    let plain: Vec<Network> = (0..count).map(|phase| of_phase(phase, network)).collect();
    let pruned = |phase: usize| {
        let before = (phase + count - 1) % count;
        let values = |fluent: usize| (phases.known[before][fluent], phases.known[phase][fluent]);
        let is_unchanged = |fluent: usize| match values(fluent) {
            (Some(old), Some(new)) => old == new,
            _ => plain[before].outputs.next[fluent] == network.fluent(fluent).literal(),
        };
        moves_apart(&if given {
            of_phase(phase, network)
        } else {
            of_phase(phase, &end_after(network, is_unchanged))
        })
    };
    (0..count).map(pruned).collect()
}

/// The phases some times, and the scoring.
fn unjoined_cycle(groups: &[Range<usize>], rounds: usize) -> Vec<usize> {
    let Some((score, phases)) = groups.split_last() else { return Vec::new() };
    let steps = (0..rounds).flat_map(|_| phases.iter().cloned().flatten());
    steps.chain(score.clone()).collect()
}

/// The parts of a segment; the last one has the results.
fn stages(segment: Segment<'_>) -> Result<Vec<Part>, SlicedError> {
    let (stages, results) = segment.finish().ok_or(SlicedError::TooLarge { gates: MOST_NODES })?;
    let mut parts = Vec::new();
    for Stage { circuit, repeat } in stages {
        parts.push(Part { repeat, ..Part::new(circuit, Results::default())? });
    }
    if let Some(last) = parts.last_mut() {
        last.results = results;
    }
    Ok(parts)
}

/// How often a loop is thought to run.
const ROUNDS_OF_A_LOOP: f64 = 4.0;

impl Part {
    /// A circuit with its gate list.
    pub(super) fn new(circuit: Circuit, results: Results) -> Result<Part, SlicedError> {
        if circuit.graph.is_full() {
            return Err(SlicedError::TooLarge { gates: MOST_NODES });
        }
        let gates = circuit.lower();
        Ok(Part { circuit, gates, results, repeat: None })
    }

    /// About what it costs, in gates.
    fn cost(&self) -> f64 {
        let list = &self.gates;
        let once = list.gates.len() as f64 + 1.5 * list.stores.len() as f64;
        let rounds = if self.repeat.is_some() { ROUNDS_OF_A_LOOP } else { 1.0 };
        rounds * once + RANDOM_COST * list.randoms as f64
    }
}
