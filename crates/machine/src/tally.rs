//! Tallies of playouts, in whole numbers. They can be added in any order, by any number of threads, with the same
//! result.

use std::collections::BTreeMap;

use crate::playout::End;

/// Counts over some playouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Playouts that came to an end: in a terminal state, at the limit of steps, or where a role has no move.
    pub playouts: u64,
    /// States reached by joint moves, in playouts that were cut short, too. The first state of a playout is given, not
    /// reached.
    pub states: u64,
    /// The joint moves of the playouts that came to an end.
    pub lengths: Moments,
    /// Joint moves there were to choose from, over the states in which that was counted.
    pub branching: Mean,
    /// Legal moves of a role that had more than one, over the roles and states in which that was counted.
    pub choices: Mean,
    /// Playouts that stopped at the limit of steps.
    pub unfinished: u64,
    /// Playouts in which a role had no legal move before the end.
    pub unplayable: u64,
    /// The role that had no legal move, in the first such playout that was counted.
    pub stuck_role: Option<usize>,
    /// Playouts that were cut short because the time was over; they count nowhere else but in `states`.
    pub cut_short: u64,
    /// The goals of each role in terminal states.
    pub goals: Vec<Goals>,
}

/// The goals of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    /// How many playouts ended with each value; those with exactly one count.
    pub histogram: BTreeMap<i32, u64>,
    /// Terminal states in which the role has no goal value.
    pub none: u64,
    /// Terminal states in which it has several.
    pub several: u64,
}

/// A count of numbers, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// How many numbers.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// The sum of their squares.
    pub squares: i128,
}

/// A count of numbers and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mean {
    /// How many numbers.
    pub count: u64,
    /// Their sum.
    pub sum: u128,
}

impl Mean {
    /// Adds a number.
    pub fn add(&mut self, number: u128) {
        self.count += 1;
        self.sum = self.sum.saturating_add(number);
    }

    /// The mean; `None` without numbers.
    pub fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    fn join(&mut self, other: &Mean) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
    }
}

impl Moments {
    /// Adds a number a number of times.
    pub fn add(&mut self, number: i64, times: u64) {
        let (number, count) = (i128::from(number), i128::from(times));
        self.count += times;
        self.sum = self.sum.saturating_add(number.saturating_mul(count));
        self.squares = self.squares.saturating_add(number.saturating_mul(number).saturating_mul(count));
    }

    /// The mean; `None` without numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The standard error of the mean; `None` for fewer than two numbers.
    pub fn standard_error(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let count = self.count as f64;
        let mean = self.sum as f64 / count;
        let variance = (self.squares as f64 - count * mean * mean).max(0.0) / (count - 1.0);
        Some((variance / count).sqrt())
    }

    fn join(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
    }
}

impl Goals {
    /// Adds the goal values of one terminal state.
    pub fn add(&mut self, values: &[i32]) {
        match values {
            [] => self.none += 1,
            [value] => *self.histogram.entry(*value).or_default() += 1,
            _ => self.several += 1,
        }
    }

    /// The values in numbers.
    pub fn moments(&self) -> Moments {
        let mut moments = Moments::default();
        self.histogram.iter().for_each(|(&value, &times)| moments.add(value.into(), times));
        moments
    }

    fn join(&mut self, other: &Goals) {
        other.histogram.iter().for_each(|(&value, times)| *self.histogram.entry(value).or_default() += times);
        self.none += other.none;
        self.several += other.several;
    }
}

impl Tally {
    /// An empty tally, for a number of roles.
    pub fn new(roles: usize) -> Self {
        Tally { goals: vec![Goals::default(); roles], ..Tally::default() }
    }

    /// Counts the end of a playout; the goals are counted apart, where they are.
    pub fn add_end(&mut self, end: End, length: u64) {
        match end {
            End::Terminal => {}
            End::Unfinished => self.unfinished += 1,
            End::Unplayable { role } => {
                self.unplayable += 1;
                self.stuck_role = Some(self.stuck_role.map_or(role, |known| known.min(role)));
            }
            End::CutShort => {
                self.cut_short += 1;
                return;
            }
        }
        self.playouts += 1;
        self.lengths.add(i64::try_from(length).unwrap_or(i64::MAX), 1);
    }

    /// Adds another tally of the same game.
    pub fn join(&mut self, other: &Tally) {
        self.playouts += other.playouts;
        self.states += other.states;
        self.lengths.join(&other.lengths);
        self.branching.join(&other.branching);
        self.choices.join(&other.choices);
        self.unfinished += other.unfinished;
        self.unplayable += other.unplayable;
        self.stuck_role = [self.stuck_role, other.stuck_role].into_iter().flatten().min();
        self.cut_short += other.cut_short;
        self.goals.resize(self.goals.len().max(other.goals.len()), Goals::default());
        self.goals.iter_mut().zip(&other.goals).for_each(|(goals, others)| goals.join(others));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_adding_does_not_count() {
        let mut one = Tally::new(2);
        one.add_end(End::Terminal, 5);
        one.goals[0].add(&[100]);
        one.goals[1].add(&[0, 50]);
        one.branching.add(7);
        let mut two = Tally::new(2);
        two.add_end(End::Unplayable { role: 1 }, 3);
        two.add_end(End::Unfinished, 9);
        two.add_end(End::CutShort, 4);
        two.goals[0].add(&[]);
        let (mut left, mut right) = (one.clone(), two.clone());
        left.join(&two);
        right.join(&one);
        assert_eq!(left, right);
        assert_eq!((left.playouts, left.unfinished, left.unplayable, left.cut_short), (3, 1, 1, 1));
        assert_eq!((left.goals[0].none, left.goals[1].several, left.stuck_role), (1, 1, Some(1)));
        assert_eq!(left.lengths.mean(), Some(17.0 / 3.0));
    }

    #[test]
    fn means_and_their_errors() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.standard_error()), (None, None));
        moments.add(0, 50);
        moments.add(100, 50);
        assert_eq!(moments.mean(), Some(50.0));
        // The deviation of a fair coin of 0 and 100 is 50, corrected for a sample of a hundred.
        assert!((moments.standard_error().unwrap() - 50.0 / 99_f64.sqrt()).abs() < 1e-9);
        moments.add(i64::MAX, u64::MAX / 2);
        assert!(moments.mean().is_some());
    }

    #[test]
    fn no_number_is_too_large() {
        let mut mean = Mean::default();
        mean.add(u128::MAX);
        mean.add(1);
        assert!(mean.value().unwrap() > 1e38);
    }
}
