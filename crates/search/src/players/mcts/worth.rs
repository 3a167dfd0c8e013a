//! What looking ahead is worth and what it costs, and so how far a pass looks ahead of its new leaves. In some games it finds ends and tells
//! moves apart for little, in others (hex) it costs several times the rest of a simulation and finds nothing for half of the match. Where
//! simulations are counted it costs nothing, so it is always done, and a seed decides everything.

use std::time::Duration;

/// How far a pass looks ahead of its new leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sight {
    /// Not at all.
    Nothing,
    /// The successors' values by the heuristic.
    Guesses,
    /// These, and whether they are ends.
    #[default]
    Ends,
}

/// What was found and spent, recent passes counting more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worth {
    /// How far the current pass looks.
    pub(super) sight: Sight,
    passes: u32,
    /// The share of the leaves that have an end among their successors.
    ends: Average,
    /// The seconds that a leaf takes: what is spent on it without looking ahead, for its successors' values, and for their ends, too.
    rest: Average,
    guesses: Average,
    all: Average,
}

/// Every so many passes each way to look is tried, whatever is known of it: where a look takes four times the rest, so many tries cost little.
const EVERY: u32 = 64;

/// A leaf is worth so many times as much where the heuristic tells everything that is not chance, and where every leaf has an end behind it.
const WORTH_OF_TRUST: f64 = 2.0;
const WORTH_OF_ENDS: f64 = 8.0;

/// A new sample counts so much.
const RATE: f64 = 0.25;

/// An exponential average.
#[derive(Clone, Copy, Debug, Default)]
struct Average(Option<f64>);

impl Average {
    fn see(&mut self, value: f64) {
        self.0 = Some(self.0.map_or(value, |before| before + RATE * (value - before)));
    }
}

impl Worth {
    /// Decides how far the next pass looks, given how much of what is not chance the heuristic tells.
    pub(super) fn decide(&mut self, trust: f64, is_thrifty: bool) {
        self.passes = self.passes.wrapping_add(1);
        self.sight = match self.passes % EVERY {
            _ if !is_thrifty => Sight::Ends,
            1 => Sight::Ends,
            2 => Sight::Guesses,
            _ => self.best(trust),
        };
    }

    /// The way to look at which a leaf brings most for its time.
    fn best(&self, trust: f64) -> Sight {
        let (Some(rest), Some(all), Some(ends)) = (self.rest.0, self.all.0, self.ends.0) else {
            return Sight::Ends;
        };
        // Until it was tried, the values are thought to take half of what all takes.
        let guesses = self.guesses.0.unwrap_or(all / 2.0);
        let per_second = |worth: f64, cost: f64| worth / (rest + cost).max(1e-12);
        let ways = [
            (Sight::Nothing, per_second(1.0, 0.0)),
            (Sight::Guesses, per_second(1.0 + WORTH_OF_TRUST * trust, guesses)),
            (Sight::Ends, per_second(1.0 + WORTH_OF_TRUST * trust + WORTH_OF_ENDS * ends, all)),
        ];
        // Of equals the one that sees more.
        ways.into_iter()
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .map_or(Sight::Ends, |(sight, _)| sight)
    }

    /// A pass looked ahead of so many leaves, which took so long beside the rest. So many of them have an end behind them.
    pub(super) fn see(&mut self, leaves: usize, looked: Duration, rest: Duration, with_ends: usize) {
        if leaves == 0 {
            return;
        }
        let each = |time: Duration| time.as_secs_f64() / leaves as f64;
        self.rest.see(each(rest));
        match self.sight {
            Sight::Nothing => {}
            Sight::Guesses => self.guesses.see(each(looked)),
            Sight::Ends => {
                self.all.see(each(looked));
                self.ends.see(with_ends as f64 / leaves as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far is looked after many passes in which looking took so long, beside 100 microseconds of the rest.
    fn after(guesses: u64, all: u64, with_ends: usize, trust: f64) -> Sight {
        let mut worth = Worth::default();
        for _ in 0..10 * EVERY + 5 {
            worth.decide(trust, true);
            let looked = match worth.sight {
                Sight::Nothing => 0,
                Sight::Guesses => guesses,
                Sight::Ends => all,
            };
            worth.see(64, Duration::from_micros(looked), Duration::from_micros(100), with_ends);
        }
        worth.sight
    }

    #[test]
    fn what_costs_more_than_it_brings_is_left_out() {
        assert_eq!(after(30, 50, 0, 0.0), Sight::Nothing);
        assert_eq!(after(30, 50, 16, 0.0), Sight::Ends, "ends are found");
        assert_eq!(after(30, 300, 1, 1.0), Sight::Guesses, "the heuristic tells much, and ends are dear");
        assert_eq!(after(40, 50, 6, 0.8), Sight::Ends);
    }

    #[test]
    fn where_time_does_not_count_everything_is_looked_at() {
        let mut worth = Worth::default();
        for _ in 0..100 {
            worth.decide(0.0, false);
            worth.see(64, Duration::from_secs(1), Duration::from_millis(1), 0);
            assert_eq!(worth.sight, Sight::Ends);
        }
    }
}
