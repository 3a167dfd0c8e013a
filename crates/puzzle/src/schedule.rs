//! How a portfolio shares time: probability matching, carried out by start-time fair queueing.
//!
//! Each arm of this bandit has a quality, the recency-weighted mean of the rewards of its steps, from 0 to 1. Its share of the time
//! is proportional to its quality plus a floor, so that nobody starves and an arm whose time has come is noticed. Qualities
//! start at the optimistic 1: every arm is tried in earnest first. Steps cost what they cost: an arm that takes a long step waits
//! until the others have had their shares.

/// Arms that share time, or any other cost.
#[derive(Clone, Debug)]
pub struct Schedule {
    arms: Vec<Arm>,
    /// The virtual time: the start tag of the last step.
    now: f64,
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    quality: f64,
    /// The virtual time at which its next step may start.
    start: f64,
}

/// The share of an arm that achieves nothing, relative to one that always does.
const FLOOR: f64 = 0.1;

/// The weight of the last reward in the quality.
const RECENCY: f64 = 0.1;

impl Schedule {
    /// A schedule of so many arms.
    pub fn new(arms: usize) -> Self {
        Schedule { arms: vec![Arm { quality: 1.0, start: 0.0 }; arms], now: 0.0 }
    }

    /// Begins anew at another state: all arms may start, and keep their qualities.
    pub fn restart(&mut self) {
        self.now = 0.0;
        self.arms.iter_mut().for_each(|arm| arm.start = 0.0);
    }

    /// The arm whose turn it is among those that are ready, the first one of several.
    pub fn next(&self, is_ready: impl Fn(usize) -> bool) -> Option<usize> {
        let ready = (0..self.arms.len()).filter(|&arm| is_ready(arm));
        ready.min_by(|&one, &other| self.tag(one).total_cmp(&self.tag(other)))
    }

    /// Charges an arm for a step: its cost, and its reward from 0 to 1.
    pub fn charge(&mut self, arm: usize, cost: f64, reward: f64) {
        // An arm that was not ready for a while does not get that time back.
        self.now = self.tag(arm).max(self.now);
        let arm = &mut self.arms[arm];
        arm.start = self.now + cost / (FLOOR + arm.quality);
        arm.quality += RECENCY * (reward.clamp(0.0, 1.0) - arm.quality);
    }

    /// The share of the time that an arm would get if all were ready.
    pub fn share(&self, arm: usize) -> f64 {
        let all: f64 = self.arms.iter().map(|arm| FLOOR + arm.quality).sum();
        (FLOOR + self.arms[arm].quality) / all
    }

    fn tag(&self, arm: usize) -> f64 {
        self.arms[arm].start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each arm spent when steps cost this and earn that.
    fn spent(costs: &[f64], rewards: &[f64], steps: usize) -> Vec<f64> {
        let (mut schedule, mut spent) = (Schedule::new(costs.len()), vec![0.0; costs.len()]);
        for _ in 0..steps {
            let arm = schedule.next(|_| true).expect("an arm");
            schedule.charge(arm, costs[arm], rewards[arm]);
            spent[arm] += costs[arm];
        }
        spent
    }

    #[test]
    fn arms_that_achieve_as_much_get_as_much_whatever_their_steps_cost() {
        let spent = spent(&[1.0, 10.0, 3.0], &[0.0; 3], 10_000);
        let all: f64 = spent.iter().sum();
        assert!(spent.iter().all(|spent| (spent / all - 1.0 / 3.0).abs() < 0.01), "{spent:?}");
    }

    #[test]
    fn an_arm_that_achieves_something_gets_more_and_the_others_still_some() {
        let spent = spent(&[1.0, 1.0, 1.0], &[0.0, 1.0, 0.0], 12_000);
        assert!(spent[1] > 9.0 * spent[0] && spent[0] > 900.0, "{spent:?}");
    }

    #[test]
    fn an_arm_that_was_not_ready_does_not_catch_up() {
        let mut schedule = Schedule::new(2);
        for _ in 0..100 {
            let arm = schedule.next(|arm| arm == 0).expect("an arm");
            schedule.charge(arm, 1.0, 0.0);
        }
        let mut late = 0;
        for _ in 0..100 {
            let arm = schedule.next(|_| true).expect("an arm");
            schedule.charge(arm, 1.0, 0.0);
            late += arm;
        }
        assert!((30..95).contains(&late), "{late}");
        assert_eq!(schedule.next(|_| false), None);
        assert!((schedule.share(0) + schedule.share(1) - 1.0).abs() < 1e-9);
    }
}
