//! Weighted sums of latches that no move raises: the empty cells of a board whose pieces wander, the pieces that are left. They are guessed
//! by linear programming over what moves of random matches do to counts of fluents, and shown by the solver; a move that raises a
//! guess becomes one more constraint. A sum that some moves lower and none raises is a part of a measure.

use batsat::Lit;
use groundrules_ground::GroundGame;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::circuit::Circuit;
use crate::clock::Clock;
use crate::invariants::{Invariant, Samples};
use crate::linear;
use crate::playouts::Playouts;
use crate::sat::Sat;
use crate::sums;

/// The most sums, one after the other, and the most guesses for each.
const MOST_SUMS: usize = 5;
const MOST_GUESSES: usize = 60;

/// The most gates that a sum is written out as.
const MOST_GATES: usize = 150_000;

/// How many matches are watched for how many moves.
const WATCHED: usize = 24;
const MOVES: usize = 120;

/// The most differences that weights are sought for.
const MOST_DIFFERENCES: usize = 1200;

/// A weighted sum that no move raises. Of each group at most one latch holds, as invariants say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Falling {
    /// Latches with their weights.
    pub groups: Vec<Vec<(usize, i64)>>,
}

/// What a move does to each count, by number, where it does something.
type Difference = Vec<(usize, i64)>;

/// The counts that sums are made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    counts: Vec<Vec<(usize, i64)>>,
}

impl Counts {
    /// Counts of fluents that have a name and an argument in common, and the numbers that counters show.
    pub(crate) fn of(game: &GroundGame, known: &[Invariant], samples: &Samples<'_>) -> Self {
        Counts { counts: sums::counts(game, known, samples) }
    }

    fn difference(&self, before: &[bool], after: &[bool]) -> Difference {
        let change =
            |latch: usize, weight: i64| weight * (i64::from(after[latch]) - i64::from(before[latch]));
        let of = |terms: &Vec<(usize, i64)>| terms.iter().map(|term| change(term.0, term.1)).sum::<i64>();
        let all = self.counts.iter().map(of).enumerate();
        all.filter(|&(_, change)| change != 0).collect()
    }

    /// The sum with these weights of counts, by groups.
    fn sum(&self, weights: &[i64], parts: &[Vec<usize>]) -> Falling {
        let mut of: FxHashMap<usize, i64> = FxHashMap::default();
        for (terms, factor) in self.counts.iter().zip(weights).filter(|(_, factor)| **factor != 0) {
            for &(latch, weight) in terms {
                *of.entry(latch).or_default() += factor * weight;
            }
        }
        let weigh =
            |latch: &usize| of.get(latch).filter(|&&weight| weight != 0).map(|&weight| (*latch, weight));
        let groups = parts.iter().map(|part| part.iter().filter_map(weigh).collect::<Vec<_>>());
        Falling { groups: groups.filter(|group| !group.is_empty()).collect() }
    }
}

impl Falling {
    /// What says that a move leaves it as it is.
    pub(crate) fn kept(
        &self,
        sat: &mut Sat,
        before: impl Fn(usize) -> Lit,
        after: impl Fn(usize) -> Lit,
    ) -> Lit {
        let changes = sums::changes(sat, &self.groups, before, after);
        changes.get(&0).copied().unwrap_or_else(|| sat.constant(false))
    }

    fn gates(&self) -> usize {
        let width = |group: &Vec<(usize, i64)>| {
            let weights = || group.iter().map(|term| term.1).chain([0]);
            (weights().max().unwrap_or(0) - weights().min().unwrap_or(0)) as usize
        };
        let (mut whole, mut gates) = (1, 0);
        for group in &self.groups {
            whole += 2 * width(group);
            gates += whole.saturating_mul((2 * width(group) + 1).min(group.len() * group.len() + 1));
        }
        gates
    }
}

/// What the search asks of the solver.
pub(crate) trait Asked {
    /// Whether a move may raise a sum, where all that came before stays as it is; if so, the states before and after it. Nothing if there was
    /// no time.
    fn raise(&mut self, sum: &Falling, clock: &Clock) -> Option<Option<(Vec<bool>, Vec<bool>)>>;

    /// From now on only moves count that leave the sum as it is; says whether there are any.
    fn keep(&mut self, sum: &Falling) -> Option<bool>;

    /// Whether a move of a match keeps all that came before.
    fn is_kept(&self, before: &[bool], after: &[bool]) -> bool;
}

/// Sums, each of which falls where those before it stay, and whether every move lowers one; nothing if there was no time.
pub(crate) fn search(
    circuit: &Circuit,
    counts: &Counts,
    parts: &[Vec<usize>],
    asked: &mut impl Asked,
    clock: &Clock,
) -> Option<(Vec<Falling>, bool)> {
    let mut differences = watch(circuit, counts, asked, clock);
    let mut found = Vec::new();
    let mut guesses = 0;
    while found.len() < MOST_SUMS && guesses < MOST_GUESSES && !differences.is_empty() {
        guesses += 1;
        if clock.is_over() {
            return None;
        }
        let Some(weights) = linear::weights_of(&differences, counts.counts.len(), clock) else { break };
        let sum = counts.sum(&weights, parts);
        if sum.groups.is_empty() || sum.gates() > MOST_GATES {
            break;
        }
        match asked.raise(&sum, clock)? {
            Some((before, after)) => {
                let difference = counts.difference(&before, &after);
                // What says nothing new would be guessed again.
                if differences.contains(&difference) {
                    break;
                }
                differences.push(difference);
            }
            None => {
                let change =
                    |all: &Difference| all.iter().map(|&(count, by)| by * weights[count]).sum::<i64>();
                differences.retain(|difference| change(difference) == 0);
                found.push(sum);
                if !asked.keep(&found[found.len() - 1])? {
                    return Some((found, true));
                }
            }
        }
    }
    Some((found, false))
}

/// What moves of random matches do.
fn watch(circuit: &Circuit, counts: &Counts, asked: &impl Asked, clock: &Clock) -> Vec<Difference> {
    let mut playouts = Playouts::without_memory(circuit, 7);
    let mut seen: FxHashSet<Difference> = FxHashSet::default();
    for _ in 0..MOVES {
        if clock.is_over() || seen.len() >= MOST_DIFFERENCES {
            break;
        }
        let lanes: Vec<usize> = (0..WATCHED).map(|lane| lane * 10).collect();
        let over = playouts.over();
        let before: Vec<Vec<bool>> = lanes.iter().map(|&lane| playouts.state(lane)).collect();
        playouts.advance();
        for (&lane, before) in lanes.iter().zip(&before) {
            let after = playouts.state(lane);
            if !crate::playouts::bit(&over, lane) && asked.is_kept(before, &after) {
                seen.insert(counts.difference(before, &after));
            }
        }
    }
    let mut differences: Vec<Difference> = seen.into_iter().filter(|all| !all.is_empty()).collect();
    differences.sort_unstable();
    differences
}
