//! Expected goals where nature takes part: every move of nature is equally probable, and each role does what is best for it
//! against all others together. A value is a pair of bounds. They are equal where the value is exact: where roles take turns and
//! there is no cycle. Where roles choose at the same time, the lower bound is what a role gets if the others know its move,
//! and the upper one what it gets if it knows theirs. Where there is a cycle, both are approached step by step; endless
//! play counts as nothing, that is as 0 or the least goal, whichever is less.

use groundrules_machine::{Rows, Views};

use crate::error::ExploreError;
use crate::fraction::{Fraction, Rounding};
use crate::search::Explored;
use crate::values::NoValues;
use crate::worker::Worker;

/// Bounds of an expected goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: Fraction,
    pub(crate) high: Fraction,
}

/// Words of an interval.
const WORDS: usize = 4;

impl Interval {
    fn of(goal: i32) -> Self {
        Interval { low: goal.into(), high: goal.into() }
    }

    fn add(self, other: Interval) -> Self {
        Interval {
            low: self.low.add(other.low, Rounding::Down),
            high: self.high.add(other.high, Rounding::Up),
        }
    }

    fn divide(self, by: usize) -> Self {
        Interval { low: self.low.divide(by, Rounding::Down), high: self.high.divide(by, Rounding::Up) }
    }

    fn append_words(self, words: &mut Vec<u64>) {
        words.extend([self.low, self.high].into_iter().flat_map(Fraction::to_words));
    }

    fn from_words(words: &[u64; WORDS]) -> Self {
        let [a, b, c, d] = *words;
        Interval { low: Fraction::from_words([a, b]), high: Fraction::from_words([c, d]) }
    }

    /// The tighter bounds of both, on a grid, so that a sequence of them ends.
    fn tightened(self, new: Interval) -> Self {
        Interval {
            low: self.low.max(new.low.on_grid(Rounding::Down)),
            high: self.high.min(new.high.on_grid(Rounding::Up)),
        }
    }

    /// Whether it is more than one step of the grid away from another.
    fn is_far_from(self, other: Interval) -> bool {
        self.low.grid_steps(other.low) > 1.5 || self.high.grid_steps(other.high) > 1.5
    }
}

/// Expected goals of the own states.
struct Expectations {
    /// The roles that want something, and that of nature.
    players: Vec<usize>,
    nature: usize,
    /// For each state those of all players.
    values: Vec<Interval>,
    /// Whether bounds are approached step by step.
    is_cyclic: bool,
}

impl Worker<'_> {
    /// The expected goals of all players in the initial state. The search must be complete.
    pub(crate) fn expectations(
        &mut self,
        explored: &Explored,
        players: &[usize],
        nature: usize,
    ) -> Result<Result<Vec<Interval>, NoValues>, ExploreError> {
        if self.store.shard().is_none() {
            return Ok(Err(NoValues::NotInMemory));
        }
        let goals = explored.findings.reached.iter().filter(|reached| reached.role != nature);
        let goals: Vec<i32> = goals.map(|reached| reached.goal).collect();
        let least = goals.iter().copied().min().unwrap_or(0).min(0);
        let most = goals.iter().copied().max().unwrap_or(0).max(least);
        let start = Interval { low: least.into(), high: most.into() };
        let is_cyclic = self.has_cycle(explored)? != Some(false);
        let values = vec![start; self.shard().len() * players.len()];
        let mut expected = Expectations { players: players.to_vec(), nature, values, is_cyclic };
        let is_complete = self.backwards(explored, &mut |worker, block, numbers| {
            worker.update_expected(block, numbers, &mut expected)
        })?;
        // Bounds that are approached are bounds at every time.
        if !is_complete && !is_cyclic {
            return Ok(Err(NoValues::Cancelled));
        }
        let mut rows = Rows::new(self.expander.width());
        rows.push(self.expander.initial().words());
        self.intervals(&rows, &expected).map(Ok)
    }

    /// Computes the expected goals of some own states; says whether one changed by more than a step.
    fn update_expected(
        &mut self,
        block: &Rows,
        numbers: &[usize],
        expected: &mut Expectations,
    ) -> Result<bool, ExploreError> {
        let (views, wanted) = self.all_successors(block)?;
        let found = self.intervals(&wanted, expected)?;
        let players = expected.players.len();
        let (mut left, mut changed) = (&found[..], false);
        for (state, &number) in numbers.iter().enumerate() {
            let count = usize::try_from(views.joint_moves(state)).expect("all successors were made");
            let (successors, rest) = left.split_at(count * players);
            left = rest;
            for index in 0..players {
                let new = expected.value(&views, state, index, successors);
                let own = &mut expected.values[number * players + index];
                let new = if expected.is_cyclic { own.tightened(new) } else { new };
                changed |= own.is_far_from(new);
                *own = new;
            }
        }
        Ok(changed)
    }

    /// The expected goals of some rows, wherever they are.
    fn intervals(&mut self, wanted: &Rows, expected: &Expectations) -> Result<Vec<Interval>, ExploreError> {
        let players = expected.players.len();
        let words = self.fetch(wanted, players * WORDS, &|number, words| {
            let own = &expected.values[number * players..(number + 1) * players];
            own.iter().for_each(|interval| interval.append_words(words));
        })?;
        let (intervals, _) = words.as_chunks();
        Ok(intervals.iter().map(Interval::from_words).collect())
    }
}

impl Expectations {
    /// The expected goal of a player in a state, by those of its successors in their order.
    fn value(&self, views: &Views, state: usize, index: usize, successors: &[Interval]) -> Interval {
        let role = self.players[index];
        if views.is_terminal(state) {
            let [goal] = *views.goals(state, role) else {
                panic!("a game whose goals are not unique is refused")
            };
            return Interval::of(goal);
        }
        let players = self.players.len();
        let joints = successors.len() / players;
        assert!(joints > 0, "a game with a stuck state is refused");
        let moves = |role: usize| views.legal(state, role).len();
        // How many joint moves pass before a role's move changes.
        let stride = |role: usize| (role + 1..=players).map(moves).product::<usize>();
        let (chances, stride_of_nature) = (moves(self.nature), stride(self.nature));
        let mut sums: Vec<Option<Interval>> = vec![None; joints / chances];
        for joint in 0..joints {
            let chosen = without(joint, chances, stride_of_nature);
            let value = successors[joint * players + index];
            sums[chosen] = Some(sums[chosen].map_or(value, |sum| sum.add(value)));
        }
        let means: Vec<Interval> =
            sums.into_iter().map(|sum| sum.expect("nature has a move").divide(chances)).collect();
        let stride = if self.nature > role { stride(role) / chances } else { stride(role) };
        best(&means, moves(role), stride)
    }
}

/// The number of a joint move without the move of one role, which has so many.
fn without(joint: usize, moves: usize, stride: usize) -> usize {
    joint / (moves * stride) * stride + joint % stride
}

/// The lower and upper value of a role that has so many moves, by what comes of each joint move.
fn best(means: &[Interval], moves: usize, stride: usize) -> Interval {
    let mut worst: Vec<Option<Fraction>> = vec![None; moves];
    let mut best: Vec<Option<Fraction>> = vec![None; means.len() / moves];
    for (joint, mean) in means.iter().enumerate() {
        let (own, others) = (joint / stride % moves, without(joint, moves, stride));
        worst[own] = Some(worst[own].map_or(mean.low, |low| low.min(mean.low)));
        best[others] = Some(best[others].map_or(mean.high, |high| high.max(mean.high)));
    }
    let low = worst.into_iter().flatten().max().expect("every move was looked at");
    let high = best.into_iter().flatten().min().expect("every answer was looked at");
    Interval { low, high }
}
