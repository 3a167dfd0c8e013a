//! How a game is played in lanes: which circuits run in which order, and where they leave what happened.
//!
//! Everything here depends on the game alone, never on the processor or the clock: the same plan everywhere gives the same
//! playouts everywhere.

use groundrules_net::Network;

use super::SlicedError;
use super::graph::MOST_NODES;
use super::layout::Layout;
use super::lower::{Circuit, GateList};
use super::options::Method;
use super::phases::Phases;
use super::segment::{Material, Results, Segment};

/// A circuit of a plan.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) circuit: Circuit,
    pub(super) gates: GateList,
    pub(super) results: Results,
}

/// The circuits of a game and their order.
#[derive(Clone, Debug)]
pub(super) struct CircuitPlan {
    pub(super) layout: Layout,
    /// What each lasting slot holds at the beginning.
    pub(super) first: Vec<bool>,
    pub(super) parts: Vec<Part>,
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
    pub(super) methods: Vec<Method>,
    /// How many rounds of phases are played before a scoring.
    pub(super) rounds: usize,
    /// Whether a whole cycle is one circuit.
    pub(super) joined: bool,
    /// Whether the moves made are left in slots, too.
    pub(super) recorded: bool,
}

impl CircuitPlan {
    pub(super) fn new(network: &Network, shape: &Shape) -> Result<Self, SlicedError> {
        let layout = Layout::new(network, &shape.phases);
        let material = Material {
            network,
            phases: &shape.phases,
            layout: &layout,
            methods: &shape.methods,
            recorded: shape.recorded,
        };
        let phases = shape.phases.len();
        let (parts, cycle) = if shape.joined {
            let mut segment = Segment::new(&material);
            (0..phases * shape.rounds).for_each(|step| segment.step(step % phases));
            segment.score();
            (vec![part(segment)?], vec![0])
        } else {
            let step = |phase| {
                let mut segment = Segment::new(&material);
                segment.step(phase);
                part(segment)
            };
            let mut parts = (0..phases).map(step).collect::<Result<Vec<Part>, _>>()?;
            let mut segment = Segment::new(&material);
            segment.score();
            parts.push(part(segment)?);
            (parts, unjoined_cycle(phases, shape.rounds))
        };
        let mut first = vec![false; layout.lasting];
        for (fluent, slot) in layout.fluents.iter().enumerate() {
            if let Some(slot) = *slot {
                first[slot as usize] = network.init[fluent];
            }
        }
        let slots = parts.iter().map(|part| part.gates.slots).max().unwrap_or(0);
        Ok(CircuitPlan { layout, first, parts, cycle, slots })
    }

    /// Changes how many rounds of phases are played before a scoring. The plan must not be joined.
    pub(super) fn set_rounds(&mut self, rounds: usize) {
        self.cycle = unjoined_cycle(self.parts.len() - 1, rounds);
    }

    /// About what one step of all lanes costs, scoring included, in gates.
    pub(super) fn cost(&self) -> f64 {
        let cost = |&part: &usize| {
            let list = &self.parts[part].gates;
            list.gates.len() as f64 + 1.5 * list.stores.len() as f64 + RANDOM_COST * list.randoms as f64
        };
        self.cycle.iter().map(cost).sum::<f64>() / self.steps() as f64
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

/// The phases some times, and the scoring.
fn unjoined_cycle(phases: usize, rounds: usize) -> Vec<usize> {
    (0..phases * rounds).map(|step| step % phases).chain([phases]).collect()
}

fn part(segment: Segment<'_>) -> Result<Part, SlicedError> {
    let (circuit, results) = segment.finish();
    Part::new(circuit, results)
}

impl Part {
    /// A circuit with its gate list.
    pub(super) fn new(circuit: Circuit, results: Results) -> Result<Part, SlicedError> {
        if circuit.graph.is_full() {
            return Err(SlicedError::TooLarge { gates: MOST_NODES });
        }
        let gates = circuit.lower();
        Ok(Part { circuit, gates, results })
    }
}
