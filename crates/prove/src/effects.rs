//! What joint moves do to groups of latches. A group of which at most one latch holds has a value; a joint move takes it from one value to
//! another, and a few such changes for each group say all that the joint move can do. They are enumerated by the solver, move by
//! move, so their number does not multiply as the number of whole changes of a state does.

use batsat::Lit;
use groundrules_net::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::invariants::Invariant;
use crate::sat::Sat;
use crate::state::StateLiteral;
use crate::step::Step;
use crate::termination::transition;

/// The most joint moves.
const MOST_JOINT: usize = 8000;

/// The most literals in the clauses that ask for what is not known yet.
const MOST_LITERALS: usize = 12_000_000;

/// What a joint move can do to a group: the values before and after, by the place of the latch that holds, or the number of latches for none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Changes {
    /// Whether the value may stay.
    pub may_stay: bool,
    /// Other changes, each once.
    pub pairs: Vec<(u32, u32)>,
}

/// All that a joint move can do: groups by number. Those that are not listed keep their value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The moves.
    pub joint: Vec<usize>,
    /// The groups that may change.
    pub groups: Vec<(usize, Changes)>,
}

/// Groups that have no latch in common and cover all fluents: those of which exactly one holds first, and large ones.
pub(crate) fn partition(circuit: &Circuit, invariants: &[Invariant]) -> Vec<Vec<usize>> {
    let exact: FxHashSet<&Vec<usize>> = invariants
        .iter()
        .filter_map(|invariant| match invariant {
            Invariant::AtLeastOne(latches) => Some(latches),
            _ => None,
        })
        .collect();
    let mut groups: Vec<&Vec<usize>> = invariants
        .iter()
        .filter_map(|invariant| match invariant {
            Invariant::AtMostOne(latches) => Some(latches),
            _ => None,
        })
        .collect();
    groups.sort_by_key(|latches| (!exact.contains(latches), std::cmp::Reverse(latches.len())));
    let mut is_taken = vec![false; circuit.latch_count()];
    let mut found = Vec::new();
    for latches in groups {
        let own: Vec<usize> = latches
            .iter()
            .copied()
            .filter(|&latch| latch < circuit.fluent_count() && !is_taken[latch])
            .collect();
        if own.len() > 1 {
            own.iter().for_each(|&latch| is_taken[latch] = true);
            found.push(own);
        }
    }
    let alone = (0..circuit.fluent_count()).filter(|&latch| !is_taken[latch]);
    found.extend(alone.map(|latch| vec![latch]));
    found
}

/// The value of a group in a state.
fn value(latches: &[usize], state: &[bool]) -> u32 {
    let place = latches.iter().position(|&latch| state[latch]);
    place.unwrap_or(latches.len()) as u32
}

/// A group in the solver.
struct Coded {
    latches: Vec<usize>,
    /// What says that the group has each value, before and after.
    before: Vec<Lit>,
    after: Vec<Lit>,
    /// What says that the value changes.
    changed: Lit,
}

impl Coded {
    fn new(step: &mut Step<'_>, latches: &[usize]) -> Coded {
        let mut before: Vec<Lit> =
            latches.iter().map(|&latch| step.now(StateLiteral::new(latch, true))).collect();
        let mut after: Vec<Lit> =
            latches.iter().map(|&latch| step.next(StateLiteral::new(latch, true))).collect();
        let mut changes = Vec::new();
        for (&now, &next) in before.iter().zip(&after) {
            changes.push(step.sat.gate(Kind::And, vec![now, !next]));
            changes.push(step.sat.gate(Kind::And, vec![!now, next]));
        }
        let changed = step.sat.gate(Kind::Or, changes);
        for lits in [&mut before, &mut after] {
            let none = lits.iter().map(|&lit| !lit).collect();
            lits.push(step.sat.gate(Kind::And, none));
        }
        Coded { latches: latches.to_vec(), before, after, changed }
    }

    /// What says that a change happens that is not known.
    fn unknown(&self, sat: &mut Sat, known: Option<&Changes>) -> Lit {
        let Some(known) = known else { return self.changed };
        let mut all: Vec<Lit> = Vec::new();
        if known.may_stay {
            all.push(self.changed);
        }
        for &(from, to) in &known.pairs {
            all.push(!sat.gate(Kind::And, vec![self.before[from as usize], self.after[to as usize]]));
        }
        sat.gate(Kind::And, all)
    }
}

/// The search for all effects of all joint moves.
struct Enumeration<'a, 'c> {
    circuit: &'c Circuit,
    step: &'a mut Step<'c>,
    groups: Vec<Coded>,
    found: Vec<Effect>,
    number: FxHashMap<Vec<usize>, usize>,
    literals: usize,
}

/// The effects of all joint moves that the clauses of a step allow; nothing if there are too many, and nothing at all if there was no time.
pub(crate) fn enumerate<'c>(
    circuit: &'c Circuit,
    step: &mut Step<'c>,
    groups: &[Vec<usize>],
    clock: &Clock,
) -> Option<Option<Vec<Effect>>> {
    let groups = groups.iter().map(|latches| Coded::new(step, latches)).collect();
    let mut own =
        Enumeration { circuit, step, groups, found: Vec::new(), number: FxHashMap::default(), literals: 0 };
    // Joint moves that are known are ruled out only here.
    let other = own.step.sat.fresh();
    let mut complete = 0;
    loop {
        while complete < own.found.len() {
            if own.found.len() > MOST_JOINT || own.literals > MOST_LITERALS {
                return Some(None);
            }
            if clock.is_over() {
                return None;
            }
            if own.ask_about(complete)? {
                continue;
            }
            let block: Vec<Lit> =
                own.found[complete].joint.iter().map(|&made| !own.step.input(made)).collect();
            own.step.sat.clause(block.into_iter().chain([!other]));
            complete += 1;
        }
        if !own.step.sat.ask(&[other])? {
            own.step.sat.clause([!other]);
            return Some(Some(own.found));
        }
        own.learn();
    }
}

impl Enumeration<'_, '_> {
    /// Asks whether a joint move can do something that is not known of it, and learns it.
    fn ask_about(&mut self, place: usize) -> Option<bool> {
        let effect = &self.found[place];
        let on = self.step.sat.fresh();
        let mut clause = vec![!on];
        let known: FxHashMap<usize, &Changes> =
            effect.groups.iter().map(|(group, changes)| (*group, changes)).collect();
        for (number, group) in self.groups.iter().enumerate() {
            clause.push(group.unknown(&mut self.step.sat, known.get(&number).copied()));
        }
        self.literals += clause.len();
        let mut assumed: Vec<Lit> = effect.joint.iter().map(|&made| self.step.input(made)).collect();
        assumed.push(on);
        self.step.sat.clause(clause);
        let answer = self.step.sat.ask(&assumed);
        if answer == Some(true) {
            self.learn();
        }
        self.step.sat.clause([!on]);
        answer
    }

    /// Takes the move of the last answer into account.
    fn learn(&mut self) {
        let joint = self.step.moves();
        let (before, after) = transition(self.circuit, self.step);
        let place = *self.number.entry(joint.clone()).or_insert_with(|| {
            self.found.push(Effect { joint, groups: Vec::new() });
            self.found.len() - 1
        });
        for (number, group) in self.groups.iter().enumerate() {
            let pair = (value(&group.latches, &before), value(&group.latches, &after));
            let groups = &mut self.found[place].groups;
            let at = groups.binary_search_by_key(&number, |own| own.0);
            match at {
                Ok(at) if pair.0 == pair.1 => groups[at].1.may_stay = true,
                Ok(at) if !groups[at].1.pairs.contains(&pair) => groups[at].1.pairs.push(pair),
                Err(at) if pair.0 != pair.1 => {
                    groups.insert(at, (number, Changes { may_stay: false, pairs: vec![pair] }));
                }
                _ => {}
            }
        }
    }
}
