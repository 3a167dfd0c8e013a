//! A weighted sum of latches that decreases with every move, found by linear programming: pawns that only go forward, pieces that
//! are only captured. All ways in which a move changes the latches are enumerated; the weights come from the simplex method, are
//! rounded to whole numbers, and count only if they are right for every change exactly. Several sums may decide one after the other.

use std::time::Duration;

use batsat::Lit;
use groundrules_net::Kind;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};

use crate::circuit::Circuit;
use crate::sat::Clock;
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
    pub changes: Vec<Change>,
}

impl Change {
    fn difference(&self, weights: &[i64]) -> i64 {
        let on: i64 = self.on.iter().map(|&latch| weights[latch]).sum();
        on - self.off.iter().map(|&latch| weights[latch]).sum::<i64>()
    }
}

/// Weights, if there are any; nothing at all if there was no time.
pub(crate) fn search(circuit: &Circuit, step: &mut Step<'_>, clock: &Clock) -> Option<Option<Ranking>> {
    let Some(changes) = enumerate(circuit, step, clock)? else { return Some(None) };
    let mut left: Vec<&Change> = changes.iter().collect();
    let mut sums = Vec::new();
    while !left.is_empty() {
        if sums.len() == MOST_SUMS || clock.is_over() {
            return Some(None);
        }
        let Some(weights) = weights(&left, circuit.latch_count()) else { return Some(None) };
        left.retain(|change| change.difference(&weights) == 0);
        let nonzero = weights.iter().copied().enumerate().filter(|&(_, weight)| weight != 0);
        sums.push(nonzero.collect());
    }
    Some(Some(Ranking { sums, changes }))
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

/// Whole weights by which no change gains and as many as possible lose.
fn weights(changes: &[&Change], latches: usize) -> Option<Vec<i64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut is_used = vec![false; latches];
    changes
        .iter()
        .flat_map(|change| change.on.iter().chain(&change.off))
        .for_each(|&latch| is_used[latch] = true);
    let weight: Vec<_> =
        is_used.iter().map(|used| used.then(|| problem.add_var(0.0, (-1000.0, 1000.0)))).collect();
    for change in changes {
        let loss = problem.add_var(1.0, (0.0, 1.0));
        let mut sum: Vec<_> = change.on.iter().filter_map(|&latch| Some((weight[latch]?, 1.0))).collect();
        sum.extend(change.off.iter().filter_map(|&latch| Some((weight[latch]?, -1.0))));
        sum.push((loss, 1.0));
        problem.add_constraint(sum, ComparisonOp::Le, 0.0);
    }
    problem.set_time_limit(MOST_TIME);
    let SolveOutcome::Solution(solution) = problem.solve().ok()? else { return None };
    let solved: Vec<f64> =
        weight.iter().map(|weight| weight.map_or(0.0, |weight| solution[weight])).collect();
    [1.0, 2.0, 3.0, 4.0, 6.0, 12.0, 60.0, 840.0, 5040.0].into_iter().find_map(|scale| {
        let whole: Vec<i64> = solved.iter().map(|weight| (weight * scale).round() as i64).collect();
        let differences = || changes.iter().map(|change| change.difference(&whole));
        (differences().all(|difference| difference <= 0) && differences().any(|difference| difference < 0))
            .then_some(whole)
    })
}
