//! A weighted sum of latches that decreases with every move, found by linear programming: pawns that only go forward, pieces that
//! are only captured. What joint moves do to groups of latches is enumerated, and if that says too little, all ways in which a move
//! changes the latches. The weights come from the simplex method, are rounded to whole numbers, and count only if they are right
//! exactly. Several sums may decide one after the other.

use std::time::Duration;

use batsat::Lit;
use groundrules_net::Kind;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::effects::{self, Effect};
use crate::state::StateLiteral;
use crate::step::Step;
use crate::termination::transition;

/// The most ways in which a move changes the latches.
const MOST_CHANGES: usize = 4000;

/// The most literals in the clauses that exclude changes already known.
const MOST_LITERALS: usize = 3_000_000;

/// The most time for one sum.
const MOST_TIME: Duration = Duration::from_secs(10);

/// The most sums, one deciding where those before it stay the same.
const MOST_SUMS: usize = 6;

/// The largest weight.
const LARGEST: f64 = 100_000.0;

/// What a move does to the latches: those that turn on, and those that turn off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// Turn on.
    pub on: Vec<usize>,
    /// Turn off.
    pub off: Vec<usize>,
}

/// Weighted sums of latches: each move lowers the first sum that it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The weights that are not zero, by latch.
    pub sums: Vec<Vec<(usize, i64)>>,
    /// All that moves can do.
    pub reasons: Reasons,
}

/// All that moves can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reasons {
    /// To all latches together.
    Changes(Vec<Change>),
    /// To each of these groups, by joint move. No latch is in two groups, and of each group at most one latch holds.
    Effects(Vec<Vec<usize>>, Vec<Effect>),
}

/// Something that happens to a weighted sum: latches with the sign of their weights.
pub(crate) type Difference = Vec<(usize, i64)>;

/// What a move does to a weighted sum at most: for each part one of several differences.
type Item = Vec<Vec<Difference>>;

/// Weights, if there are any; nothing at all if there was no time.
pub(crate) fn search<'c>(
    circuit: &'c Circuit,
    step: &mut Step<'c>,
    groups: &[Vec<usize>],
    clock: &Clock,
) -> Option<Option<Ranking>> {
    if let Some(effects) = effects::enumerate(circuit, step, groups, clock)? {
        let items = effects.iter().map(|effect| item_of_effect(groups, effect));
        if let Some(sums) = sums(items.collect(), circuit.latch_count(), clock) {
            return Some(Some(by_effects(sums, groups, effects)));
        }
    }
    let Some(changes) = enumerate(circuit, step, clock)? else { return Some(None) };
    let sums = sums(changes.iter().map(item_of_change).collect(), circuit.latch_count(), clock);
    Some(sums.map(|sums| Ranking { sums, reasons: Reasons::Changes(changes) }))
}

fn item_of_change(change: &Change) -> Item {
    let on = change.on.iter().map(|&latch| (latch, 1));
    vec![vec![on.chain(change.off.iter().map(|&latch| (latch, -1))).collect()]]
}

fn item_of_effect(groups: &[Vec<usize>], effect: &Effect) -> Item {
    let part = |(group, changes): &(usize, effects::Changes)| -> Vec<Difference> {
        let latch = |value: u32| groups[*group].get(value as usize).copied();
        let difference = |&(from, to): &(u32, u32)| -> Difference {
            let before = latch(from).map(|latch| (latch, -1));
            latch(to).map(|latch| (latch, 1)).into_iter().chain(before).collect()
        };
        let mut all: Vec<Difference> = changes.pairs.iter().map(difference).collect();
        if changes.may_stay {
            all.push(Vec::new());
        }
        all.sort_unstable();
        all
    };
    effect.groups.iter().map(part).collect()
}

/// Only groups that the sums are about are needed.
fn by_effects(sums: Vec<Vec<(usize, i64)>>, groups: &[Vec<usize>], effects: Vec<Effect>) -> Ranking {
    let weighed: FxHashSet<usize> = sums.iter().flatten().map(|&(latch, _)| latch).collect();
    let mut kept = Vec::new();
    let number: Vec<Option<usize>> = groups
        .iter()
        .map(|group| {
            group.iter().any(|latch| weighed.contains(latch)).then(|| {
                kept.push(group.clone());
                kept.len() - 1
            })
        })
        .collect();
    let effects = effects.into_iter().map(|effect| Effect {
        groups: effect.groups.into_iter().filter_map(|(group, all)| Some((number[group]?, all))).collect(),
        ..effect
    });
    let effects = effects.collect();
    Ranking { sums, reasons: Reasons::Effects(kept, effects) }
}

/// Sums by which every item is lowered: by the first one that it changes.
fn sums(items: Vec<Item>, latches: usize, clock: &Clock) -> Option<Vec<Vec<(usize, i64)>>> {
    let mut left: Vec<Item> = items;
    left.sort_unstable();
    left.dedup();
    let mut sums = Vec::new();
    while !left.is_empty() {
        if sums.len() == MOST_SUMS || clock.is_over() {
            return None;
        }
        let weights = weights(&left, latches, clock)?;
        left.retain(|item| raise(item, &weights) == 0);
        let nonzero = weights.iter().copied().enumerate().filter(|&(_, weight)| weight != 0);
        sums.push(nonzero.collect());
    }
    Some(sums)
}

/// By how much an item raises a sum at most.
fn raise(item: &Item, weights: &[i64]) -> i64 {
    let difference = |all: &Difference| all.iter().map(|&(latch, sign)| sign * weights[latch]).sum::<i64>();
    item.iter().map(|part| part.iter().map(difference).max().unwrap_or(0)).sum()
}

/// All changes that a move can make; nothing if there are too many.
fn enumerate(circuit: &Circuit, step: &mut Step<'_>, clock: &Clock) -> Option<Option<Vec<Change>>> {
    let latches = circuit.fluent_count();
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for latch in 0..latches {
        let (now, next) = (StateLiteral::new(latch, true), StateLiteral::new(latch, true));
        let (now, next) = (step.now(now), step.next(next));
        on.push(step.sat.gate(Kind::And, vec![!now, next]));
        off.push(step.sat.gate(Kind::And, vec![now, !next]));
    }
    let mut found = Vec::new();
    loop {
        if found.len() == MOST_CHANGES || found.len() * latches > MOST_LITERALS {
            return Some(None);
        }
        if clock.is_over() {
            return None;
        }
        if !step.sat.ask(&[])? {
            return Some(Some(found));
        }
        let (before, after) = transition(circuit, step);
        let which = |is_it: fn(bool, bool) -> bool| -> Vec<usize> {
            (0..latches).filter(|&latch| is_it(before[latch], after[latch])).collect()
        };
        let change = Change { on: which(|a, b| !a && b), off: which(|a, b| a && !b) };
        if change.on.is_empty() && change.off.is_empty() {
            return Some(None);
        }
        let mut clause: Vec<Lit> = (0..latches).flat_map(|latch| [on[latch], off[latch]]).collect();
        change.on.iter().for_each(|&latch| clause[2 * latch] = !on[latch]);
        change.off.iter().for_each(|&latch| clause[2 * latch + 1] = !off[latch]);
        step.sat.clause(clause);
        found.push(change);
    }
}

/// The largest weight of a thing, and what a weight of one costs: small weights, and few of them, are easier to show.
const LARGEST_OF_THING: f64 = 64.0;
const COST_OF_WEIGHT: f64 = 0.001;

/// Whole weights of some things by which no difference of them is raised, and as many as possible are lowered; each difference says by
/// how much a thing changes.
pub(crate) fn weights_of(differences: &[Difference], things: usize, clock: &Clock) -> Option<Vec<i64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut part = || problem.add_var(-COST_OF_WEIGHT, (0.0, LARGEST_OF_THING));
    let weight: Vec<_> = (0..things).map(|_| (part(), part())).collect();
    for difference in differences {
        let loss = problem.add_var(1.0, (0.0, 1.0));
        let terms = difference.iter().flat_map(|&(thing, by)| {
            let (above, below) = weight[thing];
            [(above, by as f64), (below, -by as f64)]
        });
        let row: Vec<_> = terms.chain([(loss, 1.0)]).collect();
        problem.add_constraint(merged(row), ComparisonOp::Le, 0.0);
    }
    problem.set_time_limit(clock.left().map_or(MOST_TIME, |left| left.min(MOST_TIME)));
    let SolveOutcome::Solution(solution) = problem.solve().ok()? else { return None };
    let solved: Vec<f64> = weight.iter().map(|&(above, below)| solution[above] - solution[below]).collect();
    SCALES.into_iter().find_map(|scale| {
        let whole: Vec<i64> = solved.iter().map(|weight| (weight * scale).round() as i64).collect();
        let change = |all: &Difference| all.iter().map(|&(thing, by)| by * whole[thing]).sum::<i64>();
        let changes = || differences.iter().map(change);
        (changes().all(|change| change <= 0) && changes().any(|change| change < 0)).then_some(whole)
    })
}

/// What weights are multiplied by before they are rounded.
const SCALES: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 6.0, 12.0, 60.0, 840.0, 5040.0];

/// Whole weights by which no item gains and as many as possible lose.
fn weights(items: &[Item], latches: usize, clock: &Clock) -> Option<Vec<i64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut weight = vec![None; latches];
    for &(latch, _) in items.iter().flatten().flatten().flatten() {
        weight[latch].get_or_insert_with(|| problem.add_var(0.0, (-LARGEST, LARGEST)));
    }
    // The same part of several items has one variable, which is at least each of its differences.
    let mut bounds: FxHashMap<&Vec<Difference>, _> = FxHashMap::default();
    for item in items {
        let mut row = Vec::new();
        for part in item {
            if let [only] = &part[..] {
                row.extend(only.iter().filter_map(|&(latch, sign)| Some((weight[latch]?, sign as f64))));
                continue;
            }
            let bound = *bounds.entry(part).or_insert_with(|| {
                let bound = problem.add_var(0.0, (-2.0 * LARGEST, 2.0 * LARGEST));
                for difference in part {
                    let terms =
                        difference.iter().filter_map(|&(latch, sign)| Some((weight[latch]?, sign as f64)));
                    let terms: Vec<_> = terms.chain([(bound, -1.0)]).collect();
                    problem.add_constraint(terms, ComparisonOp::Le, 0.0);
                }
                bound
            });
            row.push((bound, 1.0));
        }
        let loss = problem.add_var(1.0, (0.0, 1.0));
        row.push((loss, 1.0));
        problem.add_constraint(merged(row), ComparisonOp::Le, 0.0);
    }
    problem.set_time_limit(clock.left().map_or(MOST_TIME, |left| left.min(MOST_TIME)));
    let SolveOutcome::Solution(solution) = problem.solve().ok()? else { return None };
    let solved: Vec<f64> =
        weight.iter().map(|weight| weight.map_or(0.0, |weight| solution[weight])).collect();
    SCALES.into_iter().find_map(|scale| {
        let whole: Vec<i64> = solved.iter().map(|weight| (weight * scale).round() as i64).collect();
        let raises = || items.iter().map(|item| raise(item, &whole));
        (raises().all(|raise| raise <= 0) && raises().any(|raise| raise < 0)).then_some(whole)
    })
}

/// Each variable once.
fn merged(row: Vec<(microlp::Variable, f64)>) -> Vec<(microlp::Variable, f64)> {
    let mut row = row;
    row.sort_by_key(|term| term.0.idx());
    let mut sum: Vec<(microlp::Variable, f64)> = Vec::new();
    for (variable, factor) in row {
        match sum.last_mut() {
            Some(last) if last.0 == variable => last.1 += factor,
            _ => sum.push((variable, factor)),
        }
    }
    sum
}
