//! The safety margin before a deadline. A reply has to arrive before the clock stops, and latency depends on the machine and its load. So
//! it is measured: the margin is a small part of the clock, and grows when replies left late.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much earlier than the clock replies are sent; adapts to their measured latency.
#[derive(Debug)]
pub struct Margin {
    floor: Duration,
    lateness: Mutex<Duration>,
}

/// The deadlines of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// The player thinks until here.
    pub think_until: Instant,
    /// If it has not answered by then, its move in hand is the answer.
    pub answer_at: Instant,
}

/// The least margin unless another is wanted.
pub const LEAST: Duration = Duration::from_millis(100);

/// The largest margin that is kept before anything was measured.
const MOST_AT_FIRST: Duration = Duration::from_secs(1);

impl Margin {
    /// A margin that is never smaller than `floor`, but for very short clocks.
    pub fn new(floor: Duration) -> Self {
        Margin { floor, lateness: Mutex::default() }
    }

    /// The margin for a clock: at least the floor, a fortieth of a long clock, and what lateness asks for; never more than
    /// half the clock.
    pub fn of(&self, clock: Duration) -> Duration {
        let calm = self.floor.max((clock / 40).min(MOST_AT_FIRST));
        let lateness = *self.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        (calm + lateness * 3 / 2).min(clock / 2)
    }

    /// The deadlines of a reply that is due when a clock has run since `begin`.
    pub fn deadlines(&self, begin: Instant, clock: Duration) -> Deadlines {
        let margin = self.of(clock);
        let think_until = begin + (clock - margin);
        Deadlines { think_until, answer_at: think_until + margin / 3 }
    }

    /// Learns from an answer that left now. One bad moment is remembered for some dozens of answers.
    pub fn learn(&self, deadlines: &Deadlines) {
        let late = deadlines.lateness(Instant::now());
        let mut lateness = self.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        *lateness = late.max(*lateness * 15 / 16);
    }
}

impl Deadlines {
    fn lateness(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.think_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn margins_grow_with_lateness_and_shrink_again() {
        let margin = Margin::new(LEAST);
        assert_eq!(margin.of(SECOND), LEAST);
        assert_eq!(margin.of(SECOND * 100), SECOND);
        assert_eq!(margin.of(Duration::from_millis(100)), Duration::from_millis(50));
        assert_eq!(margin.of(Duration::ZERO), Duration::ZERO);
        let late = Instant::now().checked_sub(SECOND).expect("a clock that has run for a second");
        margin.learn(&Deadlines { think_until: late, answer_at: late });
        assert!(margin.of(SECOND * 10) > SECOND);
        assert_eq!(margin.of(SECOND), SECOND / 2);
        let calm = margin.deadlines(Instant::now(), SECOND * 3600);
        (0..200).for_each(|_| margin.learn(&calm));
        assert!(margin.of(SECOND) < LEAST + Duration::from_millis(1));
    }

    #[test]
    fn deadlines_leave_time_to_reply() {
        let begin = Instant::now();
        let Deadlines { think_until, answer_at } = Margin::new(LEAST).deadlines(begin, SECOND);
        assert!(begin < think_until && think_until < answer_at && answer_at < begin + SECOND);
    }
}
