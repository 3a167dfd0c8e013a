//! Statistics over all games: means, shares, percentiles, and outliers.

use serde::Serialize;

use super::figures::{Figures, GameResult};
use super::measure::GRINGO;
use crate::statistics::{geometric_mean, ratio};

/// Being slower counts only where gringo takes longer than this: below, starting a process is most of its time.
pub(super) const NOTEWORTHY_SECONDS: f64 = 0.05;

/// The share of gringo's time that is aimed at.
const AIM: f64 = 0.2;

/// How many of the largest games the memory per rule is averaged over.
const LARGEST: usize = 3;

/// One method over all games.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct MethodSummary {
    /// The method.
    pub(super) method: &'static str,
    /// How many games it grounded.
    pub(super) grounded: usize,
    /// The games that it did not ground.
    pub(super) not_grounded: Vec<String>,
    /// The times of those it grounded.
    pub(super) seconds: Option<Percentiles>,
    /// Its largest ground games, the largest first.
    pub(super) largest: Vec<Large>,
    /// Beside gringo, over the games that both grounded.
    pub(super) beside_gringo: Option<Comparison>,
}

/// Times at which a share of the games is done.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Percentiles {
    /// Half of the games.
    pub(super) p50: f64,
    /// Three quarters.
    pub(super) p75: f64,
    /// 90 %.
    pub(super) p90: f64,
    /// 95 %.
    pub(super) p95: f64,
    /// 99 %.
    pub(super) p99: f64,
    /// All of them.
    pub(super) max: f64,
}

/// One of the largest ground games.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Large {
    /// The game.
    pub(super) game: String,
    /// Its ground rules.
    pub(super) rules: u64,
    /// The process's memory, divided by them.
    pub(super) bytes_per_rule: f64,
}

/// A method beside gringo.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Comparison {
    /// How many games both grounded.
    pub(super) games: usize,
    /// The geometric mean of our whole time divided by gringo's.
    pub(super) ratio: f64,
    /// The same of the processor times of both whole processes, the start of ours included.
    pub(super) cpu_ratio: f64,
    /// The share of games in which our time is at most a fifth of gringo's.
    pub(super) at_most_a_fifth: f64,
    /// Games in which we are slower, though gringo takes noteworthy time.
    pub(super) slower: Vec<String>,
    /// Games in which we make more rules.
    pub(super) more_rules: Vec<String>,
}

/// The first method without one of its optimisations, over the games that it grounds with and without.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct SwitchSummary {
    /// What is left out.
    pub(super) switch: &'static str,
    /// How many games are compared.
    pub(super) games: usize,
    /// How many times longer it takes without, as a geometric mean.
    pub(super) time_factor: f64,
    /// How many times more rules it makes without, as a geometric mean.
    pub(super) rules_factor: f64,
    /// The game that it helps most.
    pub(super) most: Option<Slowdown>,
    /// Games that are grounded only with it.
    pub(super) needed_by: Vec<String>,
}

/// How many times longer a game takes.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Slowdown {
    /// The game.
    pub(super) game: String,
    /// How many times.
    pub(super) time_factor: f64,
}

/// Sums a method up.
pub(super) fn summarise(method: &'static str, games: &[GameResult]) -> MethodSummary {
    let grounded: Vec<(&GameResult, &Figures)> =
        games.iter().filter_map(|game| Some((game, game.figures(method)?))).collect();
    let failed = games.iter().filter(|game| game.error(method).is_some());
    MethodSummary {
        method,
        grounded: grounded.len(),
        not_grounded: failed.map(|game| game.game.clone()).collect(),
        seconds: percentiles(grounded.iter().map(|(_, figures)| figures.seconds).collect()),
        largest: largest(&grounded),
        beside_gringo: if method == GRINGO { None } else { compare(&grounded) },
    }
}

/// Sums up what an optimisation of a method is worth.
pub(super) fn summarise_switch(
    switch: &'static str,
    method: &'static str,
    games: &[GameResult],
) -> SwitchSummary {
    let both: Vec<(&GameResult, &Figures, &Figures)> =
        games.iter().filter_map(|game| Some((game, game.figures(method)?, game.figures(switch)?))).collect();
    let slowdown = |(game, with, without): &(&GameResult, &Figures, &Figures)| Slowdown {
        game: game.game.clone(),
        time_factor: ratio(without.seconds, with.seconds),
    };
    let needed = games.iter().filter(|game| game.figures(method).is_some() && game.error(switch).is_some());
    SwitchSummary {
        switch,
        games: both.len(),
        time_factor: geometric_mean(
            both.iter().map(|(_, with, without)| ratio(without.seconds, with.seconds)),
        ),
        rules_factor: geometric_mean(
            both.iter().map(|(_, with, without)| ratio(without.size.rules as f64, with.size.rules as f64)),
        ),
        most: both.iter().map(slowdown).max_by(|a, b| a.time_factor.total_cmp(&b.time_factor)),
        needed_by: needed.map(|game| game.game.clone()).collect(),
    }
}

fn compare(grounded: &[(&GameResult, &Figures)]) -> Option<Comparison> {
    let both: Vec<(&str, &Figures, &Figures)> = grounded
        .iter()
        .filter_map(|(game, ours)| Some((&game.game[..], *ours, game.figures(GRINGO)?)))
        .collect();
    if both.is_empty() {
        return None;
    }
    let named = |wanted: fn(&Figures, &Figures) -> bool| -> Vec<String> {
        both.iter()
            .filter(|(_, ours, theirs)| wanted(ours, theirs))
            .map(|(game, ..)| (*game).to_owned())
            .collect()
    };
    let fast = both.iter().filter(|(_, ours, theirs)| ours.seconds <= AIM * theirs.seconds).count();
    Some(Comparison {
        games: both.len(),
        ratio: geometric_mean(both.iter().map(|(_, ours, theirs)| ratio(ours.seconds, theirs.seconds))),
        cpu_ratio: geometric_mean(
            both.iter().map(|(_, ours, theirs)| ratio(ours.cpu_seconds, theirs.cpu_seconds)),
        ),
        at_most_a_fifth: fast as f64 / both.len() as f64,
        slower: named(|ours, theirs| theirs.seconds > NOTEWORTHY_SECONDS && ours.seconds > theirs.seconds),
        more_rules: named(|ours, theirs| ours.size.rules > theirs.size.rules),
    })
}

fn largest(grounded: &[(&GameResult, &Figures)]) -> Vec<Large> {
    let mut by_size = grounded.to_vec();
    by_size.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.size.rules));
    by_size.truncate(LARGEST);
    let large = |(game, figures): &(&GameResult, &Figures)| Large {
        game: game.game.clone(),
        rules: figures.size.rules,
        bytes_per_rule: figures.bytes_per_rule(),
    };
    by_size.iter().map(large).collect()
}

fn percentiles(mut seconds: Vec<f64>) -> Option<Percentiles> {
    seconds.sort_by(f64::total_cmp);
    let max = *seconds.last()?;
    let at = |percent| percentile(&seconds, percent);
    Some(Percentiles { p50: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99), max })
}

/// The smallest of the sorted values that is at least as large as the given share of them.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::figures::{Outcome, Size};
    use super::super::measure::METHODS;
    use super::*;

    /// A method that grounded a game.
    pub(in super::super) fn grounded(seconds: f64, rules: u64) -> Outcome {
        Outcome::Grounded(Figures {
            size: Size { rules, ..Size::default() },
            seconds,
            cpu_seconds: seconds + 0.001,
            wall_seconds: seconds + 0.002,
            peak_bytes: 1000 * rules,
            resident_bytes: 1000 * rules,
            runs: vec![seconds],
        })
    }

    /// A method that did not.
    pub(in super::super) fn failed() -> Outcome {
        Outcome::Failed { error: "too large".to_owned() }
    }

    /// What a game came to.
    pub(in super::super) fn game<const N: usize>(
        name: &str,
        methods: [(&'static str, Outcome); N],
    ) -> GameResult {
        GameResult { game: name.to_owned(), methods: methods.into() }
    }

    /// Four games, of which one is grounded by nobody and one is slow.
    pub(in super::super) fn games() -> Vec<GameResult> {
        vec![
            game(
                "a",
                [
                    ("one-step", grounded(0.01, 10)),
                    ("iterative", grounded(0.02, 10)),
                    (GRINGO, grounded(0.1, 20)),
                ],
            ),
            game(
                "b",
                [("one-step", grounded(0.4, 50)), ("iterative", failed()), (GRINGO, grounded(0.1, 40))],
            ),
            game(
                "c",
                [
                    ("one-step", grounded(0.002, 5)),
                    ("iterative", grounded(0.002, 5)),
                    (GRINGO, grounded(0.001, 5)),
                ],
            ),
            game("d", [("one-step", failed()), ("iterative", failed()), (GRINGO, failed())]),
        ]
    }

    #[test]
    fn percentiles_are_values_that_occur() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let all = percentiles(hundred.into_iter().rev().collect()).unwrap();
        assert_eq!(
            (all.p50, all.p75, all.p90, all.p95, all.p99, all.max),
            (50.0, 75.0, 90.0, 95.0, 99.0, 100.0)
        );
        let one = percentiles(vec![7.0]).unwrap();
        assert_eq!((one.p50, one.p99, one.max), (7.0, 7.0, 7.0));
        assert_eq!(percentiles(vec![]), None);
    }

    #[test]
    fn a_method_is_summed_up() {
        let summary = summarise(METHODS[0].0, &games());
        assert_eq!((summary.grounded, &summary.not_grounded[..]), (3, &["d".to_owned()][..]));
        assert_eq!(summary.largest[0], Large { game: "b".to_owned(), rules: 50, bytes_per_rule: 1000.0 });
        let beside = summary.beside_gringo.unwrap();
        assert_eq!(
            (beside.games, beside.slower, beside.more_rules),
            (3, vec!["b".to_owned()], vec!["b".to_owned()])
        );
        assert!((beside.ratio - 0.8_f64.cbrt()).abs() < 1e-9, "of 0.1, 4 and 2, not {}", beside.ratio);
        assert!((beside.at_most_a_fifth - 1.0 / 3.0).abs() < 1e-9);
        assert!(beside.cpu_ratio > beside.ratio * 0.5);
    }

    #[test]
    fn gringo_is_not_compared_with_itself_and_may_be_absent() {
        assert_eq!(summarise(GRINGO, &games()).beside_gringo, None);
        let alone = [game("a", [("one-step", grounded(1.0, 1))])];
        assert_eq!(summarise("one-step", &alone).beside_gringo, None);
        let absent = summarise(GRINGO, &alone);
        assert_eq!((absent.grounded, absent.not_grounded.len(), absent.seconds), (0, 0, None));
    }

    #[test]
    fn a_switch_is_summed_up() {
        let games = [
            game("a", [("one-step", grounded(1.0, 10)), ("no-demand", grounded(2.0, 40))]),
            game("b", [("one-step", grounded(1.0, 10)), ("no-demand", grounded(8.0, 10))]),
            game("c", [("one-step", grounded(1.0, 10)), ("no-demand", failed())]),
        ];
        let summary = summarise_switch("no-demand", "one-step", &games);
        assert_eq!((summary.games, summary.needed_by), (2, vec!["c".to_owned()]));
        assert!((summary.time_factor - 4.0).abs() < 1e-9 && (summary.rules_factor - 2.0).abs() < 1e-9);
        assert_eq!(summary.most, Some(Slowdown { game: "b".to_owned(), time_factor: 8.0 }));
    }
}
