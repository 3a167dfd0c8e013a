//! The circuits of lanes that are told their moves: one makes the moves, the other looks. Looking finds the end, the legal
//! moves and the goals, and also who has the turn and whether somebody is stuck.

use groundrules_net::Network;

use crate::index::index32;
use crate::lockstep::LaneLayout;

use super::super::SlicedError;
use super::super::batch;
use super::super::graph::{Graph, Literal, Source};
use super::super::lower::Circuit;
use super::super::plan::Part;
use super::super::segment::Results;
use super::super::vector::Vector;
use super::super::writer::Writer;

/// Where looking leaves its answers, behind the fluents.
pub(super) struct Places {
    pub(super) terminal: usize,
    pub(super) legal: usize,
    pub(super) goals: usize,
    /// For each role, whether it alone has the turn.
    pub(super) mover: usize,
    /// Whether the match goes on and a role has no legal move.
    pub(super) stuck: usize,
    pub(super) end: usize,
    /// Each goal's role and value.
    pub(super) values: Vec<(usize, i32)>,
}

impl Places {
    /// The lanes in which a goal is its role's only one. The same value may have several gates.
    pub(super) fn only_goal<V: Vector>(&self, memory: &[V], index: usize) -> V {
        let (role, value) = self.values[index];
        let others = self.values.iter().enumerate().filter(|(_, goal)| goal.0 == role && goal.1 != value);
        let others = others.fold(V::default(), |all, (other, _)| all.or(memory[self.goals + other]));
        // Of several gates with the same value the first that holds counts.
        let earlier = self.values[..index].iter().enumerate().filter(|(_, goal)| **goal == (role, value));
        let earlier = earlier.fold(others, |all, (other, _)| all.or(memory[self.goals + other]));
        earlier.and_not(memory[self.goals + index])
    }
}

/// The circuits, by the numbers that `batch` gives them, and the places of what they find.
pub(super) fn circuits(network: &Network, layout: &LaneLayout) -> Result<(Vec<Part>, Places), SlicedError> {
    let terminal = network.fluents();
    let legal = terminal + 1;
    let goals = legal + network.moves();
    let mover = goals + network.outputs.goals.len();
    let stuck = mover + layout.roles();
    let values = network.outputs.goals.iter().map(|goal| (goal.role, goal.value)).collect();
    let places = Places { terminal, legal, goals, mover, stuck, end: stuck + 1, values };
    Ok((vec![look(network, layout)?, batch::advance(network)?], places))
}

fn look(network: &Network, layout: &LaneLayout) -> Result<Part, SlicedError> {
    let mut graph = Graph::new();
    let fluents: Vec<Literal> =
        (0..network.fluents()).map(|fluent| graph.input(Source::Slot(index32(fluent)))).collect();
    let outputs = &network.outputs;
    let mut wanted = vec![outputs.terminal];
    wanted.extend(&outputs.legal);
    wanted.extend(outputs.goals.iter().map(|goal| goal.literal));
    let mut values = Writer::new(network, &fluents).write(&mut graph, &wanted);
    let (movers, stuck) = turns(&mut graph, layout, values[0], &values[1..=network.moves()]);
    values.extend(movers);
    values.push(stuck);
    let place = |(index, value)| (index32(fluents.len() + index), value);
    let slots = fluents.len() + values.len();
    let outputs = values.into_iter().enumerate().map(place).collect();
    Part::new(Circuit { graph, outputs, slots, randoms: 0 }, Results::default())
}

/// For each role whether it alone has the turn; and whether the match goes on and somebody has no legal move.
fn turns(
    graph: &mut Graph,
    layout: &LaneLayout,
    terminal: Literal,
    legal: &[Literal],
) -> (Vec<Literal>, Literal) {
    let mut several = Vec::new();
    let mut matters = Vec::new();
    let mut stuck = Literal::FALSE;
    for role in 0..layout.roles() {
        let own = layout.actions(role);
        let (one, two) = counted(graph, own.iter().map(|made| legal[made.0 as usize]));
        several.push(two);
        stuck = graph.or(stuck, !one);
        let weighty: Vec<Literal> =
            own.iter().filter(|&&made| layout.matters(made)).map(|made| legal[made.0 as usize]).collect();
        matters.push(graph.or_all(&weighty));
    }
    let (somebody, two) = counted(graph, several.iter().copied());
    let mut free = !terminal;
    // Where nobody chooses: the first role whose one move matters, else the first role.
    let mut nobody = graph.and(free, !somebody);
    free = graph.and(free, !two);
    let mut movers = Vec::new();
    for (&several, &matters) in several.iter().zip(&matters) {
        let (alone, forced) = (graph.and(free, several), graph.and(nobody, matters));
        nobody = graph.and(nobody, !matters);
        movers.push(graph.or(alone, forced));
    }
    if let Some(first) = movers.first_mut() {
        *first = graph.or(*first, nobody);
    }
    (movers, graph.and(stuck, !terminal))
}

/// Whether at least one literal holds, and whether at least two do.
fn counted(graph: &mut Graph, literals: impl Iterator<Item = Literal>) -> (Literal, Literal) {
    let (mut one, mut two) = (Literal::FALSE, Literal::FALSE);
    for literal in literals {
        let both = graph.and(one, literal);
        two = graph.or(two, both);
        one = graph.or(one, literal);
    }
    (one, two)
}
