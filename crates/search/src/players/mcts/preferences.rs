//! What playouts prefer: moves that did better than others in earlier playouts. Shares rest on how far a move's average is from the usual
//! one, in units of how far averages are spread, so that they need no scale of their own. `pass` renews them from time to time; what
//! the engine does with them is left to [`Batch::play_out_guided`](groundrules_machine::Batch::play_out_guided).

use groundrules_machine::{MoveRecord, Preference, Preferences};

use super::arithmetic::logistic;

/// What is known of the moves of all roles, and the preferences that follow.
#[derive(Default)]
pub(super) struct Guidance {
    /// What playouts made since the preferences were renewed.
    pub(super) record: MoveRecord,
    pub(super) preferences: Preferences,
    averages: Vec<Average>,
    /// Passes until they are renewed.
    due: u32,
}

/// The average of a move; older playouts count less.
#[derive(Clone, Copy, Default)]
struct Average {
    count: f64,
    sum: f64,
}

/// Passes between two renewals.
const EVERY: u32 = 8;

/// What was learnt before counts so much less at each renewal.
const FADING: f64 = 0.95;

/// Moves made less often are not told from the usual one.
const FEWEST: f64 = 16.0;

/// Averages that are spread by less, as parts of a goal, tell nothing.
const LEAST_SPREAD: f64 = 0.01;

/// Sixteenths.
const ALL: f64 = 16.0;

impl Guidance {
    /// A pass is over: renews the preferences if it is time. `movers` tells the role of each move, `strength` how sharply moves are told
    /// apart.
    pub(super) fn after_pass(&mut self, movers: impl Fn(usize) -> usize, roles: usize, strength: f64) {
        if self.due > 0 {
            self.due -= 1;
            return;
        }
        self.due = EVERY;
        let moves = self.record.of_moves.len();
        self.averages.resize(moves, Average::default());
        for (average, (count, sum)) in self.averages.iter_mut().zip(&mut self.record.of_moves) {
            average.count = FADING * average.count + *count as f64;
            average.sum = FADING * average.sum + *sum as f64 / 100.0;
            (*count, *sum) = (0, 0);
        }
        self.preferences.of_moves.clear();
        self.preferences.of_moves.resize(moves, Preference::default());
        for role in 0..roles {
            self.renew(&(0..moves).filter(|&number| movers(number) == role).collect::<Vec<_>>(), strength);
        }
    }

    /// Renews the preferences of a role's moves.
    fn renew(&mut self, moves: &[usize], strength: f64) {
        let known = || moves.iter().map(|&number| self.averages[number]).filter(|own| own.count >= FEWEST);
        // Averages count by how often moves were made.
        let (count, sum) = known().fold((0.0, 0.0), |all, own| (all.0 + own.count, all.1 + own.sum));
        if count == 0.0 {
            return;
        }
        let mean = sum / count;
        let squares: f64 = known().map(|own| own.count * (own.sum / own.count - mean).powi(2)).sum();
        let spread = (squares / count).sqrt().max(LEAST_SPREAD);
        for &number in moves {
            let Average { count, sum } = self.averages[number];
            // Shrunk towards the usual value.
            let own = (sum + FEWEST * mean) / (count + FEWEST);
            let distance = strength * (own - mean) / spread;
            self.preferences.of_moves[number] =
                Preference { best: sixteenths(2.0 * distance - 2.0), good: sixteenths(1.5 * distance) };
        }
    }
}

/// A logit as a share.
fn sixteenths(logit: f64) -> u8 {
    (ALL * logistic(logit)).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_moves_are_preferred() {
        let mut guidance = Guidance::default();
        // The even moves are the first role's.
        guidance.record.of_moves =
            vec![(100, 2_000), (100, 9_000), (100, 5_000), (0, 0), (100, 9_000), (100, 9_000)];
        guidance.after_pass(|number| number % 2, 2, 1.0);
        let of = &guidance.preferences.of_moves;
        assert!(of[0].good < of[2].good && of[2].good < of[4].good, "{of:?}");
        assert!(of[0].best <= of[2].best && of[2].best < of[4].best && of[4].best <= 16, "{of:?}");
        assert_eq!(
            (of[1], of[3]),
            (of[5], of[5]),
            "all moves are worth the same, and nothing is known of one"
        );
        assert_eq!(guidance.record.of_moves[0], (0, 0), "what is known is not learnt twice");
    }
}
