//! Points of matches with their statistics: means with intervals, Elo, and a sequential test.

use serde::Serialize;

/// The points of one side, in samples that are independent of each other.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Score {
    matches: u64,
    samples: f64,
    sum: f64,
    squares: f64,
}

/// What a sequential test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Not yet clear.
    Open,
    /// The first is stronger.
    Stronger,
    /// The first is not as much stronger as asked.
    NotStronger,
}

impl Verdict {
    pub(super) fn text(self) -> &'static str {
        match self {
            Verdict::Open => "not clear",
            Verdict::Stronger => "stronger",
            Verdict::NotStronger => "not stronger",
        }
    }
}

/// Where the test ends: the logarithm of the likelihood ratio for errors of 5 %.
const CLEAR: f64 = 2.94;

/// Samples before the test may end: a variance of fewer means little.
const FEWEST: f64 = 6.0;

/// The variance is thought to be at least this: a few equal samples are no certainty.
const LEAST_VARIANCE: f64 = 0.03;

/// The half of an interval that holds 95 % of the time, in standard errors.
const WIDTH: f64 = 1.96;

impl Score {
    /// Adds a sample, the mean points of so many matches.
    pub(super) fn add(&mut self, points: f64, matches: u64) {
        self.matches += matches;
        self.samples += 1.0;
        self.sum += points;
        self.squares += points * points;
    }

    fn mean(&self) -> f64 {
        if self.samples > 0.0 { self.sum / self.samples } else { 0.5 }
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        let few = self.samples.max(2.0);
        ((self.squares - self.samples * mean * mean) / (few - 1.0)).max(LEAST_VARIANCE)
    }

    /// The half of an interval that holds 95 % of the time.
    fn error(&self) -> f64 {
        WIDTH * (self.variance() / self.samples.max(1.0)).sqrt()
    }

    /// A sequential test of half the points against half and half of a margin more (Wald's, by the normal approximation).
    pub(super) fn verdict(&self, margin: f64) -> Verdict {
        let (least, most) = (0.5, 0.5 + margin / 2.0);
        let drift = (most - least) * (self.mean() - f64::midpoint(least, most));
        let ratio = self.samples * drift / self.variance();
        match () {
            () if self.samples < FEWEST => Verdict::Open,
            () if ratio > CLEAR => Verdict::Stronger,
            () if ratio < -CLEAR => Verdict::NotStronger,
            () => Verdict::Open,
        }
    }

    /// The points in short.
    pub(super) fn to_text(self) -> String {
        format!("{:.1} ± {:.1} % of {}", 100.0 * self.mean(), 100.0 * self.error(), self.matches)
    }

    /// A row of a table.
    pub(super) fn row(&self, name: String, verdict: &str) -> Vec<String> {
        let (mean, error) = (self.mean(), self.error());
        vec![
            name,
            self.matches.to_string(),
            format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * error),
            format!("{} ({} to {})", elo(mean), elo(mean - error), elo(mean + error)),
            verdict.to_owned(),
        ]
    }
}

/// The difference in strength that a share of the points stands for.
fn elo(points: f64) -> String {
    match () {
        () if points < 0.01 => "below -800".to_owned(),
        () if points > 0.99 => "above 800".to_owned(),
        () => format!("{:+.0}", 400.0 * (points / (1.0 - points)).log10()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(samples: &[f64]) -> Score {
        let mut score = Score::default();
        samples.iter().for_each(|&points| score.add(points, 2));
        score
    }

    #[test]
    fn what_is_clear_ends_the_test() {
        let wins = vec![1.0; 30];
        assert_eq!(score(&wins).verdict(0.1), Verdict::Stronger);
        assert_eq!(score(&[0.0; 30]).verdict(0.1), Verdict::NotStronger);
        assert_eq!(score(&wins[..3]).verdict(0.1), Verdict::Open);
        let mixed = [1.0, 0.5, 0.0, 0.5].repeat(4);
        assert_eq!(score(&mixed).verdict(0.1), Verdict::Open);
        // In the long run equals are told from those who are better.
        assert_eq!(score(&mixed.repeat(100)).verdict(0.1), Verdict::NotStronger);
    }

    #[test]
    fn shares_of_points_are_elo() {
        assert_eq!([0.5, 0.75, 0.0].map(elo), ["+0", "+191", "below -800"]);
        let row = score(&[1.0, 0.5, 0.5, 0.0]).row("x".to_owned(), "");
        assert_eq!(row[1..3], ["8".to_owned(), "50.0 ± 40.0".to_owned()]);
    }
}
