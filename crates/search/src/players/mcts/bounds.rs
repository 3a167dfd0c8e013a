//! What is proved of a state: for each role the least that it can be sure of, and the most that it can get if everybody
//! else is against it. Both are sound for moves made in turn and at the same time; nature's moves count by their mean. For
//! one player, and for two whose goals always add up to the same, the two meet at the value of the game.

/// Goals are counted in hundredths, so that means of chance stay sound when they are rounded.
pub(super) const FULL: u16 = 10_000;

/// What is proved for a role: what it gets lies between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// The role can be sure of so much.
    pub(super) lower: u16,
    /// The others can see to it that it gets no more.
    pub(super) upper: u16,
    /// Within how many moves it gets what it can be sure of.
    pub(super) plies: u16,
}

impl Bound {
    /// Nothing is known.
    pub(super) const OPEN: Bound = Bound { lower: 0, upper: FULL, plies: 0 };

    /// The value of an end.
    pub(super) fn exact(goal: i32) -> Bound {
        let value = u16::try_from(goal.clamp(0, 100)).unwrap_or(0) * 100;
        Bound { lower: value, upper: value, plies: 0 }
    }

    /// Whether the value is known.
    pub(super) fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// The value from 0 to 1, where it is known.
    pub(super) fn value(self) -> f64 {
        f64::from(self.lower) / f64::from(FULL)
    }

    /// Learns another proof of the same state; says whether anything is new.
    pub(super) fn tighten(&mut self, other: Bound) -> bool {
        let before = *self;
        if other.lower > self.lower || other.lower == self.lower && other.plies < self.plies {
            (self.lower, self.plies) = (other.lower, other.plies);
        }
        self.upper = self.upper.min(other.upper).max(self.lower);
        before != *self
    }
}

/// The bounds of what a role gets, for each of its own moves and each joint move of the others, nature's chances reckoned
/// in: a matrix.
#[derive(Default)]
pub(super) struct Matrix {
    own: usize,
    others: usize,
    /// Sums over nature's moves of lower and upper bounds.
    sums: Vec<(u64, u64)>,
    /// How many moves nature has.
    chances: u64,
    plies: u16,
}

impl Matrix {
    /// A matrix of nothing.
    pub(super) fn reset(&mut self, own: usize, others: usize, chances: usize) {
        (self.own, self.others, self.chances, self.plies) = (own, others, chances.max(1) as u64, 0);
        self.sums.clear();
        self.sums.resize(own * others, (0, 0));
    }

    /// Adds what one joint move leads to.
    pub(super) fn add(&mut self, own: usize, others: usize, bound: Bound) {
        let sum = &mut self.sums[own * self.others + others];
        *sum = (sum.0 + u64::from(bound.lower), sum.1 + u64::from(bound.upper));
        if bound.lower > 0 {
            self.plies = self.plies.max(bound.plies);
        }
    }

    /// The worst and the best that one of the role's own moves can lead to.
    pub(super) fn of_move(&self, own: usize) -> (u16, u16) {
        let row = &self.sums[own * self.others..(own + 1) * self.others];
        let lower = row.iter().map(|sum| sum.0).min().unwrap_or(0);
        let upper = row.iter().map(|sum| sum.1).max().unwrap_or(0);
        (self.down(lower), self.up(upper))
    }

    /// What the role can be sure of, and what the others can hold it to: no mixing of moves leads outside.
    pub(super) fn bound(&self) -> Bound {
        let rows = (0..self.own).map(|own| self.of_move(own).0);
        let columns = (0..self.others).map(|column| {
            let cells = (0..self.own).map(|own| self.sums[own * self.others + column].1);
            self.up(cells.max().unwrap_or(0))
        });
        let (lower, upper) = (rows.max().unwrap_or(0), columns.min().unwrap_or(FULL));
        // Where means of chance were rounded the two may cross by as much.
        Bound { lower: lower.min(upper), upper, plies: self.plies.saturating_add(1) }
    }

    fn down(&self, sum: u64) -> u16 {
        u16::try_from(sum / self.chances).unwrap_or(FULL)
    }

    fn up(&self, sum: u64) -> u16 {
        u16::try_from(sum.div_ceil(self.chances)).unwrap_or(FULL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_only_tighten() {
        let mut bound = Bound::OPEN;
        assert!(!bound.tighten(Bound::OPEN));
        assert!(bound.tighten(Bound { lower: 5000, upper: FULL, plies: 9 }));
        assert!(bound.tighten(Bound { lower: 5000, upper: 7000, plies: 3 }));
        assert!(!bound.tighten(Bound { lower: 100, upper: 9000, plies: 1 }));
        assert_eq!(bound, Bound { lower: 5000, upper: 7000, plies: 3 });
        assert!(Bound::exact(100).is_exact() && Bound::exact(-5).value() == 0.0 && !bound.is_exact());
    }

    #[test]
    fn matching_pennies_is_open_and_a_sure_thing_is_not() {
        let mut matrix = Matrix::default();
        matrix.reset(2, 2, 1);
        for (own, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            matrix.add(own, other, Bound::exact(if own == other { 100 } else { 0 }));
        }
        assert_eq!(matrix.bound(), Bound { lower: 0, upper: FULL, plies: 1 });
        matrix.reset(2, 2, 1);
        for (own, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            matrix.add(own, other, Bound::exact(if own == 0 { 70 } else { 30 }));
        }
        assert_eq!(matrix.bound(), Bound { lower: 7000, upper: 7000, plies: 1 });
        assert_eq!(matrix.of_move(1), (3000, 3000));
    }

    #[test]
    fn chances_count_by_their_mean() {
        let mut matrix = Matrix::default();
        matrix.reset(1, 1, 3);
        [0, 100, 100].into_iter().for_each(|goal| matrix.add(0, 0, Bound::exact(goal)));
        assert_eq!(matrix.bound(), Bound { lower: 6666, upper: 6667, plies: 1 });
    }
}
