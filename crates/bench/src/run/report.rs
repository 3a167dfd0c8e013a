//! The result of the benchmark: a table with a row for each game, and a summary.

use std::fmt::Write;

use serde::Serialize;

use super::handwritten::Handwritten;
use super::measure::{ENGINES, GameResult, Outcome, Played};
use crate::statistics::{geometric_mean, median};
use crate::tables::{factor, no_figure, rate, table};

/// All that was measured.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    /// How long each engine played a game.
    seconds: f64,
    /// The yardstick, before and after.
    hand: Vec<Handwritten>,
    pub(super) games: Vec<GameResult>,
    summary: Summary,
}

/// What follows from all the games.
#[derive(Serialize)]
struct Summary {
    /// The geometric mean of the states per second of one engine over those of another.
    sliced_over_net: f64,
    net_over_tree: f64,
    /// The geometric mean of all cores over one, for engine `sliced`.
    all_cores_over_one: f64,
    /// Set-up of engine `sliced` in seconds: half and 95 % of the games are ready within these.
    median_setup: f64,
    setup_of_95_percent: f64,
}

impl GameResult {
    /// What an engine did on one core.
    pub(super) fn played(&self, engine: usize) -> Option<&Played> {
        self.engines.get(engine).and_then(Outcome::played)
    }

    /// How many times as many states one engine plays as another.
    pub(super) fn times(&self, one: usize, other: usize) -> Option<f64> {
        Some(self.played(one)?.states_per_second() / self.played(other)?.states_per_second().max(1e-9))
    }

    /// How many times as many states all cores play as one.
    pub(super) fn scaling(&self) -> Option<f64> {
        let all = self.all_cores.played()?;
        let one = self.engines.iter().filter_map(Outcome::played).find(|one| one.engine == all.engine)?;
        Some(all.states_per_second() / one.states_per_second().max(1e-9))
    }
}

/// The places of the engines in [`ENGINES`].
const TREE: usize = 0;
const NET: usize = 1;
const SLICED: usize = 2;

impl Summary {
    fn of(games: &[GameResult]) -> Summary {
        let mean = |one, other| geometric_mean(games.iter().filter_map(|game| game.times(one, other)));
        let mut setups: Vec<f64> =
            games.iter().filter_map(|game| Some(game.played(SLICED)?.setup_seconds)).collect();
        setups.sort_by(f64::total_cmp);
        let late = (setups.len() * 95).div_ceil(100).saturating_sub(1);
        Summary {
            sliced_over_net: mean(SLICED, NET),
            net_over_tree: mean(NET, TREE),
            all_cores_over_one: geometric_mean(games.iter().filter_map(GameResult::scaling)),
            setup_of_95_percent: setups.get(late).copied().unwrap_or(f64::NAN),
            median_setup: median(setups),
        }
    }
}

impl Report {
    /// Puts the figures together.
    pub(super) fn new(seconds: f64, hand: Vec<Handwritten>, games: Vec<GameResult>) -> Report {
        let summary = Summary::of(&games);
        Report { version: env!("CARGO_PKG_VERSION"), seconds, hand, games, summary }
    }

    /// A table and a few lines.
    pub(super) fn to_text(&self) -> String {
        let mut header = vec!["states/s, one core".to_owned()];
        header.extend(ENGINES.map(|engine| engine.name().to_owned()));
        header.extend(["playouts/s", "sliced/net", "all cores", "set-up s"].map(str::to_owned));
        let mut text = format!("{}\n", table(&header, self.games.iter().map(row)));
        for (when, hand) in ["before", "after"].iter().zip(&self.hand) {
            let _ = writeln!(
                text,
                "by hand, {when}: tic-tac-toe {} states/s ({} playouts/s), connect four {} states/s ({} playouts/s)",
                rate(hand.tic_tac_toe.states_per_second),
                rate(hand.tic_tac_toe.playouts_per_second),
                rate(hand.connect_four.states_per_second),
                rate(hand.connect_four.playouts_per_second),
            );
        }
        let Summary { sliced_over_net, net_over_tree, all_cores_over_one, median_setup, setup_of_95_percent } =
            self.summary;
        let _ = writeln!(
            text,
            "geometric means: sliced is {} times net, net {} times tree, all cores {} times one",
            factor(sliced_over_net),
            factor(net_over_tree),
            factor(all_cores_over_one)
        );
        let _ = writeln!(
            text,
            "set-up of sliced: half of the games within {median_setup:.3} s, 95 % within {setup_of_95_percent:.3} s"
        );
        for (game, engine, error) in self.failures() {
            let _ = writeln!(text, "{game}: {engine} did not play: {error}");
        }
        text
    }

    fn failures(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.games.iter().flat_map(|game| {
            ENGINES.iter().zip(&game.engines).filter_map(|(engine, outcome)| match outcome {
                Outcome::Failed { error } => Some((game.game.as_str(), engine.name(), error.as_str())),
                Outcome::Played(_) => None,
            })
        })
    }
}

fn row(game: &GameResult) -> Vec<String> {
    let figure = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(no_figure, show);
    let mut row = vec![game.game.clone()];
    row.extend((0..ENGINES.len()).map(|it| figure(game.played(it).map(Played::states_per_second), rate)));
    row.push(figure(game.played(SLICED).or(game.played(NET)).map(Played::playouts_per_second), rate));
    row.push(figure(game.times(SLICED, NET), factor));
    row.push(figure(game.scaling(), factor));
    row.push(figure(game.played(SLICED).map(|played| played.setup_seconds), |time| format!("{time:.3}")));
    row
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    /// A report of one game that two engines play.
    pub(in super::super) fn report() -> Report {
        let played = |engine: &str, states, threads| {
            Outcome::Played(Played {
                engine: engine.to_owned(),
                threads,
                playouts: 10,
                states,
                seconds: 2.0,
                setup_seconds: 0.25,
                setup_cpu_seconds: Some(0.2),
                gates_per_step: None,
                lanes: None,
                mean_length: Some(5.0),
                goals: serde_json::Map::new(),
            })
        };
        let game = GameResult {
            game: "g".to_owned(),
            engines: vec![
                Outcome::Failed { error: "no tree".to_owned() },
                played("net", 2_000, 1),
                played("sliced", 400_000, 1),
            ],
            all_cores: played("sliced", 760_000, 2),
        };
        Report::new(2.0, vec![Handwritten::measure(Duration::from_millis(1)); 2], vec![game])
    }

    #[test]
    fn the_text_has_the_ratios() {
        let text = report().to_text();
        for part in ["1.0 k", "200.0 k", "sliced is 200 times net", "all cores 1.90 times one", "no tree"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn the_object_has_everything() {
        let object = serde_json::to_value(report()).unwrap();
        assert_eq!(object["games"][0]["engines"][1]["states"], 2_000);
        assert!(object["hand"][1]["connect_four"]["states_per_second"].as_f64().unwrap() > 0.0);
        assert_eq!(object["summary"]["median_setup"], 0.25);
    }
}
