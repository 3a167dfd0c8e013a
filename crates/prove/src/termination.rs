//! Termination by a measure. A group of latches of which at most one holds has a value: the latch that holds, or none. Where the
//! changes of its value have a direction (a step counter, a cell that is filled and never empty again), it changes from one class of
//! values to another only finitely often, so an infinite match would in the end keep the classes of all such groups. Under that
//! restriction further groups have a direction, and so on: a lexicographic measure. If at last no legal move keeps all classes, or no
//! few moves in a row, every match ends.

use std::time::Duration;

use batsat::Lit;
use groundrules_gdl::components::Graph;
use groundrules_net::Kind;
use rustc_hash::FxHashSet;

use crate::bounded::Unrolled;
use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::effects;
use crate::invariants::Invariant;
use crate::known::Known;
use crate::linear::{self, Ranking};
use crate::sat::Sat;
use crate::state::StateLiteral;
use crate::step::Step;

/// Groups with more classes are not looked at.
const MOST_MEMBERS: usize = 300;

/// A round that has found something ends after this time.
const ENOUGH: Duration = Duration::from_millis(300);

/// The most moves in a row without progress that are ruled out.
const MOST_STALLED: usize = 6;

/// A group with the classes of its values. The last value stands for none of the latches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// The latches, of which at most one holds.
    pub latches: Vec<usize>,
    /// The class of each latch, and of none. A move goes from a class to itself or to one with a larger number.
    pub classes: Vec<u32>,
}

/// Why every match ends.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Measure {
    /// Rounds of groups. Those of a round have a direction in all moves that keep the classes of the rounds before.
    pub rounds: Vec<Vec<Direction>>,
    /// What decreases with every move that keeps the classes of all rounds.
    pub ranking: Option<Ranking>,
    /// So many moves in a row never keep all classes.
    pub stalled: usize,
}

/// A group while its classes are found.
struct Group {
    latches: Vec<usize>,
    /// The class of each value; classes merge as changes are seen.
    classes: Vec<u32>,
    /// Changes between classes that were seen, by values.
    seen: FxHashSet<(u32, u32)>,
    is_useless: bool,
}

impl Group {
    fn new(latches: Vec<usize>) -> Self {
        let classes = (0..=latches.len() as u32).collect();
        Group { latches, classes, seen: FxHashSet::default(), is_useless: false }
    }

    fn value(&self, state: &[bool]) -> u32 {
        let place = self.latches.iter().position(|&latch| state[latch]);
        place.unwrap_or(self.latches.len()) as u32
    }

    fn see(&mut self, before: &[bool], after: &[bool]) {
        let change = (self.value(before), self.value(after));
        if change.0 != change.1 && self.seen.insert(change) {
            self.find_classes();
        }
    }

    /// Classes are the strongly connected components, numbered so that changes go upwards.
    fn find_classes(&mut self) {
        let edges = self.seen.iter().map(|&(from, to)| (from as usize, to as usize));
        let graph = Graph::from_edges(self.latches.len() + 1, edges);
        let components = graph.components();
        let count = components.iter().count() as u32;
        // A component comes after those that it leads to.
        self.classes = (0..self.classes.len()).map(|value| count - 1 - components.of(value) as u32).collect();
    }

    fn class_count(&self) -> usize {
        let distinct: FxHashSet<u32> = self.classes.iter().copied().collect();
        distinct.len()
    }

    /// Whether a change from one class to another was seen.
    fn has_progress(&self) -> bool {
        self.seen.iter().any(|&(from, to)| self.classes[from as usize] != self.classes[to as usize])
    }

    fn direction(&self) -> Direction {
        Direction { latches: self.latches.clone(), classes: self.classes.clone() }
    }
}

/// What says that a group is in each class, given what says that its latches hold.
fn in_classes(sat: &mut Sat, direction: &Direction, lits: &[Lit]) -> Vec<(u32, Lit)> {
    let mut classes = direction.classes.clone();
    classes.sort_unstable();
    classes.dedup();
    let none_class = direction.classes[direction.latches.len()];
    // The class of no latch is what the others are not.
    let mut found: Vec<(u32, Lit)> = Vec::new();
    for &class in classes.iter().filter(|&&class| class != none_class) {
        let members = (0..lits.len()).filter(|&place| direction.classes[place] == class);
        let members = members.map(|place| lits[place]).collect();
        found.push((class, sat.gate(Kind::Or, members)));
    }
    let others = found.iter().map(|&(_, lit)| !lit).collect();
    found.push((none_class, sat.gate(Kind::And, others)));
    found
}

/// Adds clauses: a group keeps its class.
fn keep(sat: &mut Sat, direction: &Direction, before: &[Lit], after: &[Lit]) {
    let (before, after) = (in_classes(sat, direction, before), in_classes(sat, direction, after));
    for ((_, before), (_, after)) in before.into_iter().zip(after) {
        sat.clause([!before, after]);
        sat.clause([before, !after]);
    }
}

/// The search for a measure.
pub(crate) struct Search<'c> {
    circuit: &'c Circuit,
    known: Known,
    groups: Vec<Group>,
    step: Step<'c>,
    /// Groups without common latches, for weighted sums.
    parts: Vec<Vec<usize>>,
    measure: Measure,
}

impl<'c> Search<'c> {
    pub(crate) fn new(circuit: &'c Circuit, invariants: &[Invariant], known: &Known, clock: &Clock) -> Self {
        let mut step = Step::new(circuit, clock);
        step.assume(known);
        step.sat.clause([step.step]);
        let mut is_grouped = vec![false; circuit.latch_count()];
        let mut groups = Vec::new();
        for invariant in invariants {
            if let Invariant::AtMostOne(latches) = invariant
                && latches.len() <= MOST_MEMBERS
            {
                latches.iter().for_each(|&latch| is_grouped[latch] = true);
                groups.push(Group::new(latches.clone()));
            }
        }
        let alone = (0..circuit.fluent_count()).filter(|&latch| !is_grouped[latch]);
        groups.extend(alone.map(|latch| Group::new(vec![latch])));
        let parts = effects::partition(circuit, invariants);
        Search { circuit, known: known.clone(), groups, step, parts, measure: Measure::default() }
    }

    /// Takes moves of real matches into account. Groups that change class most often come first: a step counter decides alone.
    pub(crate) fn learn(&mut self, transitions: &[(Vec<bool>, Vec<bool>)]) {
        for (before, after) in transitions {
            self.groups.iter_mut().for_each(|group| group.see(before, after));
        }
        let progress = |group: &Group| {
            let class = |state: &[bool]| group.classes[group.value(state) as usize];
            transitions.iter().filter(|(before, after)| class(before) != class(after)).count()
        };
        self.groups.sort_by_cached_key(|group| std::cmp::Reverse(progress(group)));
    }

    /// A measure, if one is found; nothing at all if there was no time.
    pub(crate) fn run(mut self, clock: &Clock) -> Option<Option<Measure>> {
        self.step.sat.set_clock(clock);
        loop {
            if !self.ask_move(&[])? {
                return Some(Some(self.measure));
            }
            if !self.round(clock)? {
                break;
            }
        }
        if let Some(moves) = self.stalled(clock)? {
            self.measure.stalled = moves;
            return Some(Some(self.measure));
        }
        let ranking = linear::search(self.circuit, &mut self.step, &self.parts, clock)?;
        Some(ranking.map(|ranking| Measure { ranking: Some(ranking), ..self.measure }))
    }

    /// Whether a move keeps all classes so far, and these literals hold. All groups see it.
    fn ask_move(&mut self, assumed: &[Lit]) -> Option<bool> {
        if !self.step.sat.ask(assumed)? {
            return Some(false);
        }
        let (before, after) = transition(self.circuit, &self.step);
        self.groups.iter_mut().for_each(|group| group.see(&before, &after));
        Some(true)
    }

    /// Finds the groups that have a direction now; says whether there are any.
    fn round(&mut self, clock: &Clock) -> Option<bool> {
        let mut found = Vec::new();
        let enough = clock.within(ENOUGH);
        for place in 0..self.groups.len() {
            if clock.is_over() {
                return None;
            }
            if self.groups[place].is_useless {
                continue;
            }
            self.complete(place)?;
            if self.groups[place].has_progress() {
                found.push(self.groups[place].direction());
                // What has a direction may decide alone.
                if enough.is_over() || place == 0 {
                    break;
                }
            }
        }
        if found.is_empty() {
            return Some(false);
        }
        for direction in &found {
            let (before, after) = self.lits(&direction.latches);
            keep(&mut self.step.sat, direction, &before, &after);
        }
        // From now on only changes that keep the classes count.
        for group in &mut self.groups {
            group.is_useless = false;
            group.seen.clear();
            group.find_classes();
        }
        self.measure.rounds.push(found);
        Some(true)
    }

    fn lits(&mut self, latches: &[usize]) -> (Vec<Lit>, Vec<Lit>) {
        let before = latches.iter().map(|&latch| self.step.now(StateLiteral::new(latch, true))).collect();
        let after = latches.iter().map(|&latch| self.step.next(StateLiteral::new(latch, true))).collect();
        (before, after)
    }

    /// Asks for changes of a group's class that go against all that were seen, until there are none.
    fn complete(&mut self, place: usize) -> Option<()> {
        let latches = self.groups[place].latches.clone();
        let (before, after) = self.lits(&latches);
        loop {
            if self.groups[place].class_count() == 1 {
                self.groups[place].is_useless = true;
                return Some(());
            }
            let direction = self.groups[place].direction();
            let sat = &mut self.step.sat;
            let (from, to) = (in_classes(sat, &direction, &before), in_classes(sat, &direction, &after));
            // Classes are numbered so that what was seen goes upwards: is there a move that goes down?
            let mut downwards = Vec::new();
            for &(high, from) in &from {
                let below = to.iter().filter(|&&(low, _)| low < high).map(|&(_, lit)| lit).collect();
                let below = sat.gate(Kind::Or, below);
                downwards.push(sat.gate(Kind::And, vec![from, below]));
            }
            let down = sat.gate(Kind::Or, downwards);
            if !self.ask_move(&[down])? {
                break;
            }
        }
        // Whether there is any change of class at all.
        if !self.groups[place].has_progress() {
            let direction = self.groups[place].direction();
            let sat = &mut self.step.sat;
            let (from, to) = (in_classes(sat, &direction, &before), in_classes(sat, &direction, &after));
            let changes = from.iter().zip(&to).map(|(from, to)| (from.1, !to.1)).collect::<Vec<_>>();
            let changes = changes.into_iter().map(|(from, to)| sat.gate(Kind::And, vec![from, to])).collect();
            let change = sat.gate(Kind::Or, changes);
            self.ask_move(&[change])?;
        }
        Some(())
    }

    /// The number of moves in a row that never keep all classes, if it is small.
    fn stalled(&mut self, clock: &Clock) -> Option<Option<usize>> {
        let mut unrolled = Unrolled::new(self.circuit, &self.known, false, clock);
        for moves in 1..=MOST_STALLED {
            if clock.is_over() {
                return None;
            }
            unrolled.extend();
            for direction in self.measure.rounds.iter().flatten() {
                let lits = |at: usize| -> Vec<Lit> {
                    direction.latches.iter().map(|&latch| unrolled.latch(at, latch)).collect()
                };
                let (before, after) = (lits(moves - 1), lits(moves));
                keep(&mut unrolled.sat, direction, &before, &after);
            }
            if !unrolled.sat.ask(&[])? {
                return Some(Some(moves));
            }
        }
        Some(None)
    }
}

/// The states before and after the move of the last answer.
pub(crate) fn transition(circuit: &Circuit, step: &Step<'_>) -> (Vec<bool>, Vec<bool>) {
    let state = step.state();
    let mut made = vec![false; circuit.input_count()];
    step.moves().into_iter().for_each(|input| made[input] = true);
    let values = circuit.evaluate(&state, |input| made[input]);
    let after = circuit.next_state(&values);
    (state, after)
}
