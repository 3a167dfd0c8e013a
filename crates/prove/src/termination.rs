//! Termination by a measure. A group of latches of which at most one holds has a value: the latch that holds, or none. Where the
//! changes of its value have a direction (a step counter, a cell that is filled and never empty again), it changes from one class of
//! values to another only finitely often, so an infinite match would in the end keep the classes of all such groups. Under that
//! restriction further groups have a direction, and so on: a lexicographic measure. After them come sums that only fall ([`falling`]). If at
//! last no legal move keeps all classes and sums, or no few moves in a row, every match ends.

use std::time::Duration;

use batsat::Lit;
use groundrules_gdl::components::Graph;
use groundrules_net::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::Unrolled;
use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::cofactor::{self, Effect};
use crate::effects;
use crate::falling::{self, Asked, Counts, Falling};
use crate::invariants::Invariant;
use crate::known::Known;
use crate::linear::{self, Ranking};
use crate::playouts::{LANES, Lanes, Playouts, bit};
use crate::sat::Sat;
use crate::state::StateLiteral;
use crate::step::Step;

/// Groups with more classes are not looked at.
const MOST_MEMBERS: usize = 300;

/// How long one question about all groups together may take, as a share of the time and at least; then they are asked about one by one.
const PATIENCE_SHARE: u32 = 4;
const LEAST_PATIENCE: Duration = Duration::from_millis(200);

/// How long one group may take, as a share of the time and at least; then it is left out of the round.
const GROUP_SHARE: u32 = 40;
const LEAST_FOR_GROUP: Duration = Duration::from_millis(30);

/// The most moves of 256 random matches that groups see before the solver is asked, and the share of the time that this may take.
const MOST_WATCHED: usize = 300;
const WATCH_SHARE: u32 = 10;

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

impl Direction {
    /// Whether the class stays.
    fn is_kept(&self, before: &[bool], after: &[bool]) -> bool {
        let class = |state: &[bool]| {
            let place = self.latches.iter().position(|&latch| state[latch]);
            self.classes[place.unwrap_or(self.latches.len())]
        };
        class(before) == class(after)
    }
}

/// Why every match ends.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Measure {
    /// Rounds of groups. Those of a round have a direction in all moves that keep the classes of the rounds before.
    pub rounds: Vec<Vec<Direction>>,
    /// Sums that no move raises that keeps the classes of all rounds and the sums before.
    pub falling: Vec<Falling>,
    /// What decreases with every move that keeps all of these.
    pub ranking: Option<Ranking>,
    /// So many moves in a row never keep all classes and sums.
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

    fn value_in(&self, latches: &[Lanes], lane: usize) -> u32 {
        let place = self.latches.iter().position(|&latch| bit(&latches[latch], lane));
        place.unwrap_or(self.latches.len()) as u32
    }

    fn see(&mut self, before: &[bool], after: &[bool]) -> bool {
        self.see_change(self.value(before), self.value(after))
    }

    /// Says whether it is a new one.
    fn see_change(&mut self, before: u32, after: u32) -> bool {
        let is_new = before != after && self.seen.insert((before, after));
        if is_new {
            self.find_classes();
        }
        is_new
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

/// Classes by number, each with what says that a group is in it.
type Classes = Vec<(u32, Lit)>;

/// What says that a group is in each class, given what says that its latches hold.
fn in_classes(sat: &mut Sat, direction: &Direction, lits: &[Lit]) -> Classes {
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
    /// What sums that only fall are made of.
    counts: Counts,
    /// For each of them the joint moves that lower it, where all others leave it as it is.
    lowering: Vec<Option<Vec<Vec<usize>>>>,
    measure: Measure,
    /// What says that a group goes down, for the classes that it had then.
    downs: Vec<Option<Lit>>,
}

impl<'c> Search<'c> {
    pub(crate) fn new(
        circuit: &'c Circuit,
        invariants: &[Invariant],
        known: &Known,
        counts: Counts,
        clock: &Clock,
    ) -> Self {
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
        let downs = vec![None; groups.len()];
        Search {
            circuit,
            known: known.clone(),
            groups,
            step,
            parts,
            counts,
            lowering: Vec::new(),
            measure: Measure::default(),
            downs,
        }
    }

    /// Takes moves of many random matches into account: most groups without a direction are seen to have none.
    pub(crate) fn watch(&mut self, seed: u64, clock: &Clock) {
        let enough = clock.within(clock.left().map_or(Duration::from_secs(1), |left| left / WATCH_SHARE));
        let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); self.circuit.latch_count()];
        for (number, group) in self.groups.iter().enumerate() {
            group.latches.iter().for_each(|&latch| groups_of[latch].push(number));
        }
        let mut playouts = Playouts::new(self.circuit, seed.wrapping_add(1));
        for _ in 0..MOST_WATCHED {
            if enough.is_over() {
                return;
            }
            let (before, over) = (playouts.latches(), playouts.over());
            playouts.advance();
            let after = playouts.latches();
            let mut changed: FxHashSet<(usize, usize)> = FxHashSet::default();
            for latch in 0..before.len() {
                for lane in (0..LANES).filter(|&lane| bit(&before[latch], lane) != bit(&after[latch], lane)) {
                    if !bit(&over, lane) {
                        changed.extend(groups_of[latch].iter().map(|&number| (number, lane)));
                    }
                }
            }
            for (number, lane) in changed {
                let group = &mut self.groups[number];
                group.see_change(group.value_in(&before, lane), group.value_in(&after, lane));
            }
        }
    }

    /// Takes moves of real matches into account. Groups that change class most often come first.
    pub(crate) fn learn(&mut self, transitions: &[(Vec<bool>, Vec<bool>)]) {
        for (before, after) in transitions {
            for group in &mut self.groups {
                group.see(before, after);
            }
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
        if self.fall(clock)? {
            return Some(Some(self.measure));
        }
        if let Some(moves) = self.stalled(clock)? {
            self.measure.stalled = moves;
            return Some(Some(self.measure));
        }
        let ranking = linear::search(self.circuit, &mut self.step, &self.parts, clock)?;
        Some(ranking.map(|ranking| Measure { ranking: Some(ranking), ..self.measure }))
    }

    /// Finds sums that only fall; says whether every move lowers one of them.
    fn fall(&mut self, clock: &Clock) -> Option<bool> {
        let part = clock.left().map_or_else(|| clock.clone(), |left| clock.within(left / 2));
        self.step.sat.set_clock(&part);
        let (counts, parts) = (std::mem::take(&mut self.counts), std::mem::take(&mut self.parts));
        let found = falling::search(self.circuit, &counts, &parts, self, &part);
        self.parts = parts;
        self.step.sat.set_clock(clock);
        // What was kept was shown before, even if the time was over then.
        Some(found.is_some_and(|(_, is_enough)| is_enough))
    }

    /// Whether a move keeps all classes so far, and these literals hold. All groups see it.
    fn ask_move(&mut self, assumed: &[Lit]) -> Option<bool> {
        if !self.step.sat.ask(assumed)? {
            return Some(false);
        }
        let (before, after) = transition(self.circuit, &self.step);
        for (group, down) in self.groups.iter_mut().zip(&mut self.downs) {
            if group.see(&before, &after) {
                *down = None;
            }
        }
        Some(true)
    }

    /// Finds the groups that have a direction now; says whether there are any.
    fn round(&mut self, clock: &Clock) -> Option<bool> {
        let left = clock.left().unwrap_or(Duration::from_secs(60));
        let together = clock.within((left / PATIENCE_SHARE).max(LEAST_PATIENCE));
        let all: Vec<usize> = (0..self.groups.len()).collect();
        let mut found = Vec::new();
        if self.complete(&all, &together).is_some() {
            found.extend(self.directions(&all));
        } else {
            // One that is hard must not spoil the others.
            for place in all {
                if clock.is_over() {
                    return None;
                }
                let alone = clock.within((left / GROUP_SHARE).max(LEAST_FOR_GROUP));
                match self.complete(&[place], &alone) {
                    // What the next groups see may change its classes, so it is taken as it is shown.
                    Some(()) => found.extend(self.directions(&[place])),
                    None => self.groups[place].is_useless = true,
                }
            }
        }
        self.step.sat.set_clock(clock);
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
        self.downs.fill(None);
        self.measure.rounds.push(found);
        Some(true)
    }

    /// What says that a move keeps a sum.
    fn kept(&mut self, sum: &Falling) -> Lit {
        let latches: Vec<usize> = sum.groups.iter().flatten().map(|term| term.0).collect();
        let (before, after) = self.lits(&latches);
        let place: FxHashMap<usize, usize> = latches.into_iter().zip(0..).collect();
        sum.kept(&mut self.step.sat, |latch| before[place[&latch]], |latch| after[place[&latch]])
    }

    fn lits(&mut self, latches: &[usize]) -> (Vec<Lit>, Vec<Lit>) {
        let before = latches.iter().map(|&latch| self.step.now(StateLiteral::new(latch, true))).collect();
        let after = latches.iter().map(|&latch| self.step.next(StateLiteral::new(latch, true))).collect();
        (before, after)
    }

    /// The groups among these that have a direction, where that was just shown.
    fn directions(&self, places: &[usize]) -> Vec<Direction> {
        let groups = places.iter().map(|&place| &self.groups[place]);
        groups.filter(|group| !group.is_useless && group.has_progress()).map(Group::direction).collect()
    }

    /// Asks for changes of class that go against all that were seen, until there are none in any of these groups, and for changes of groups
    /// of which none was seen. Whatever is seen may number classes anew, so everything is asked again. Groups whose values all go round
    /// are useless.
    fn complete(&mut self, places: &[usize], clock: &Clock) -> Option<()> {
        self.step.sat.set_clock(clock);
        loop {
            let downs: Vec<Lit> = places.iter().filter_map(|&place| self.down(place)).collect();
            let down = self.step.sat.gate(Kind::Or, downs);
            if self.ask_move(&[down])? {
                continue;
            }
            let is_waiting = |group: &Group| !group.is_useless && !group.has_progress();
            let waiting = places.iter().copied().filter(|&place| is_waiting(&self.groups[place]));
            let changes: Vec<Lit> =
                waiting.collect::<Vec<_>>().into_iter().map(|place| self.change(place)).collect();
            let change = self.step.sat.gate(Kind::Or, changes);
            if !self.ask_move(&[change])? {
                return Some(());
            }
        }
    }

    /// What says that a group goes down, where what was seen goes upwards; nothing if all its values go round.
    fn down(&mut self, place: usize) -> Option<Lit> {
        if self.groups[place].is_useless || self.downs[place].is_some() {
            return self.downs[place];
        }
        if self.groups[place].class_count() == 1 {
            self.groups[place].is_useless = true;
            return None;
        }
        let (from, to) = self.classes(place);
        let sat = &mut self.step.sat;
        let mut downwards = Vec::new();
        for &(high, from) in &from {
            let below: Vec<Lit> = to.iter().filter(|&&(low, _)| low < high).map(|&(_, lit)| lit).collect();
            if !below.is_empty() {
                let below = sat.gate(Kind::Or, below);
                downwards.push(sat.gate(Kind::And, vec![from, below]));
            }
        }
        let down = sat.gate(Kind::Or, downwards);
        self.downs[place] = Some(down);
        Some(down)
    }

    /// What says that a group changes its class.
    fn change(&mut self, place: usize) -> Lit {
        let (from, to) = self.classes(place);
        let sat = &mut self.step.sat;
        let changes =
            from.iter().zip(&to).map(|(from, to)| sat.gate(Kind::And, vec![from.1, !to.1])).collect();
        sat.gate(Kind::Or, changes)
    }

    /// What says that a group is in each class, before and after the move.
    fn classes(&mut self, place: usize) -> (Classes, Classes) {
        let direction = self.groups[place].direction();
        let (before, after) = self.lits(&direction.latches);
        let sat = &mut self.step.sat;
        (in_classes(sat, &direction, &before), in_classes(sat, &direction, &after))
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
            for (sum, lowering) in self.measure.falling.iter().zip(&self.lowering) {
                if let Some(joints) = lowering {
                    for joint in joints {
                        let input =
                            |&made: &usize| !unrolled.literal(moves - 1, self.circuit.input_literal(made));
                        let block: Vec<Lit> = joint.iter().map(input).collect();
                        unrolled.sat.clause(block);
                    }
                    continue;
                }
                let lits = |at: usize| -> FxHashMap<usize, Lit> {
                    let latches = sum.groups.iter().flatten().map(|term| term.0);
                    latches.map(|latch| (latch, unrolled.latch(at, latch))).collect()
                };
                let (before, after) = (lits(moves - 1), lits(moves));
                let kept = sum.kept(&mut unrolled.sat, |latch| before[&latch], |latch| after[&latch]);
                unrolled.sat.clause([kept]);
            }
            if !unrolled.sat.ask(&[])? {
                return Some(Some(moves));
            }
        }
        Some(None)
    }
}

impl Asked for Search<'_> {
    fn raise(&mut self, sum: &Falling, clock: &Clock) -> Option<Option<(Vec<bool>, Vec<bool>)>> {
        let lowered = match cofactor::effect(&mut self.step, &sum.groups, clock)? {
            Effect::Rises => return Some(Some(transition(self.circuit, &self.step))),
            Effect::Falls(joints) => Some(joints),
            Effect::MayFall => None,
        };
        self.lowering.truncate(self.measure.falling.len());
        self.lowering.push(lowered);
        Some(None)
    }

    fn keep(&mut self, sum: &Falling) -> Option<bool> {
        match &self.lowering[self.measure.falling.len()] {
            Some(joints) => {
                for joint in joints {
                    let block: Vec<Lit> = joint.iter().map(|&made| !self.step.input(made)).collect();
                    self.step.sat.clause(block);
                }
            }
            None => {
                let kept = self.kept(sum);
                self.step.sat.clause([kept]);
            }
        }
        self.measure.falling.push(sum.clone());
        self.ask_move(&[])
    }

    fn is_kept(&self, before: &[bool], after: &[bool]) -> bool {
        self.measure.rounds.iter().flatten().all(|direction| direction.is_kept(before, after))
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
