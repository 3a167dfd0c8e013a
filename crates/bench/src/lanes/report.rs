//! The result: a table with a row for each game, those where lanes gain least first, and a summary.

use std::fmt::Write;

use serde::Serialize;

use super::peers::{Figure, Peers};
use super::{Limit, Measured};
use crate::run::measure::{Outcome, Played};
use crate::statistics::geometric_mean;
use crate::tables::{factor, listed, markdown, no_figure, rate, table};

/// Games in which lanes gain less than these are counted.
const LOW: [f64; 2] = [33.0, 100.0];

/// All that was measured.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    /// How long each engine played a game.
    seconds: f64,
    pub(super) limits: Vec<Limit>,
    peers: Peers,
    pub(super) games: Vec<Measured>,
}

impl Measured {
    /// How many times a figure of another program this is.
    fn times(&self, figure: &Figure) -> Option<f64> {
        Some(figure.unit.of(self.sliced.played()?) / figure.per_second)
    }
}

impl Report {
    /// Puts the figures together.
    pub(super) fn new(seconds: f64, limits: Vec<Limit>, peers: Peers, mut games: Vec<Measured>) -> Report {
        // Where there is no gain to be told, that comes first.
        let gain = |measured: &Measured| measured.gain().unwrap_or(0.0);
        games.sort_by(|a, b| gain(a).total_cmp(&gain(b)));
        Report { version: env!("CARGO_PKG_VERSION"), seconds, limits, peers, games }
    }

    /// A table and a few lines.
    pub(super) fn to_text(&self, is_markdown: bool) -> String {
        let has_narrow = self.games.iter().any(|game| game.narrow.is_some());
        let programs = self.peers.programs();
        let programs: Vec<&str> = programs
            .into_iter()
            .filter(|program| self.games.iter().any(|game| self.peers.figure(&game.game, program).is_some()))
            .collect();
        let mut header = vec!["states/s, one core", "gates/step", "sliced"];
        header.extend(has_narrow.then_some("AVX2"));
        header.extend(["net", "sliced/net", "set-up s"]);
        let mut header: Vec<String> = header.into_iter().map(str::to_owned).collect();
        header.extend(programs.iter().map(|program| format!("× {program}")));
        let rows = self.games.iter().map(|game| self.row(game, has_narrow, &programs));
        let table = if is_markdown { markdown(&header, rows) } else { format!("{}\n", table(&header, rows)) };
        let end = if is_markdown { "\n" } else { "" };
        let lines = self.summary(&programs);
        lines.iter().fold(table, |text, line| text + end + line + "\n")
    }

    fn row(&self, game: &Measured, has_narrow: bool, programs: &[&str]) -> Vec<String> {
        let figure = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(no_figure, show);
        let speed = |outcome: &Outcome| figure(outcome.played().map(Played::states_per_second), rate);
        let sliced = game.sliced.played();
        let gates = sliced.and_then(|played| played.gates_per_step);
        let mut row =
            vec![game.game.clone(), figure(gates, |gates| format!("{gates:.0}")), speed(&game.sliced)];
        if has_narrow {
            row.push(game.narrow.as_ref().map_or_else(no_figure, speed));
        }
        row.push(speed(&game.net));
        row.push(figure(game.gain(), factor));
        row.push(figure(sliced.map(setup), |time| format!("{time:.3}")));
        row.extend(programs.iter().map(|program| {
            let peer = self.peers.figure(&game.game, program);
            figure(peer.and_then(|peer| game.times(peer)), factor)
        }));
        row
    }

    fn summary(&self, programs: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        for Limit { lanes, gates_per_second } in &self.limits {
            lines.push(format!(
                "the limit of this processor: {} gates/s for {lanes} lanes each",
                rate(*gates_per_second)
            ));
        }
        let gains: Vec<f64> = self.games.iter().filter_map(Measured::gain).collect();
        let mut line = format!(
            "sliced is {} times net in the geometric mean of {} games",
            factor(geometric_mean(gains.iter().copied())),
            gains.len()
        );
        for low in LOW {
            let count = gains.iter().filter(|gain| **gain < low).count();
            let _ = write!(line, "; below {low} in {count}");
        }
        lines.push(line);
        lines.extend(programs.iter().filter_map(|program| self.against(program)));
        lines.extend(self.setups());
        let failed = |which: &str, outcome: fn(&Measured) -> &Outcome| {
            let games: Vec<String> = self
                .games
                .iter()
                .filter_map(|game| match outcome(game) {
                    Outcome::Failed { error } => Some(format!("{} ({error})", game.game)),
                    Outcome::Played(_) => None,
                })
                .collect();
            (!games.is_empty()).then(|| format!("{which} did not play {}", listed(&games)))
        };
        lines.extend(failed("sliced", |game| &game.sliced));
        lines.extend(failed("net", |game| &game.net));
        lines
    }

    /// The geometric mean against a program, and where it is least.
    fn against(&self, program: &str) -> Option<String> {
        let times = self.games.iter().filter_map(|game| {
            Some((game.times(self.peers.figure(&game.game, program)?)?, game.game.as_str()))
        });
        let mut times: Vec<(f64, &str)> = times.collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (least, game) = times.first()?;
        Some(format!(
            "sliced is {} times {program} in the geometric mean of {} games; least in {game}, {} times",
            factor(geometric_mean(times.iter().map(|(times, _)| *times))),
            times.len(),
            factor(*least)
        ))
    }

    /// Within which time games are set up.
    fn setups(&self) -> Option<String> {
        let mut times: Vec<f64> =
            self.games.iter().filter_map(|game| game.sliced.played().map(setup)).collect();
        times.sort_by(f64::total_cmp);
        let within = |percent: usize| times.get((times.len() * percent).div_ceil(100).checked_sub(1)?);
        Some(format!(
            "set-up of sliced: half of the games within {:.3} s, 90 % within {:.3} s, all within {:.1} s",
            within(50)?,
            within(90)?,
            within(100)?
        ))
    }
}

/// The processor time of setting up, or else the time on the wall.
fn setup(played: &Played) -> f64 {
    played.setup_cpu_seconds.unwrap_or(played.setup_seconds)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::peers::Peers;
    use super::*;

    /// A report of two games, of which one has no lanes.
    pub(in super::super) fn report() -> Report {
        let played = |states, gates_per_step: Option<f64>| {
            let lanes = gates_per_step.map_or(0, |_| 512);
            let object = serde_json::json!({
                "engine": "e", "threads": 1, "playouts": states / 10, "states": states, "seconds": 2.0, "setup_seconds": 0.5,
                "setup_cpu_seconds": 0.25, "gates_per_step": gates_per_step, "lanes": lanes, "mean_length": 10.0, "goals": {}
            });
            Outcome::Played(serde_json::from_value(object).unwrap())
        };
        let quick = Measured {
            game: "quick".to_owned(),
            net: played(2_000, None),
            sliced: played(400_000, Some(1000.0)),
            narrow: Some(played(200_000, Some(1500.0))),
        };
        let none = Measured {
            game: "none".to_owned(),
            net: played(2_000, None),
            sliced: Outcome::Failed { error: "too large".to_owned() },
            narrow: None,
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("peers");
        std::fs::write(&file, "quick,P,playouts,4000\nother,Q,states,1\n").unwrap();
        let limits = vec![Limit { lanes: 512, gates_per_second: 4e9 }];
        Report::new(2.0, limits, Peers::read(&file).unwrap(), vec![quick, none])
    }

    #[test]
    fn the_table_has_ratios_and_begins_where_lanes_gain_least() {
        let text = report().to_text(false);
        for part in
            ["200.0 k", "100.0 k", "4.00 G gates/s for 512", "below 33 in 0", "× P", "0.250", "too large"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(text.contains("sliced is 5.00 times P in the geometric mean of 1 games"), "{text}");
        assert!(!text.contains('Q'), "nothing that was measured has a figure of it:\n{text}");
        assert!(text.find("none") < text.find("quick"));
        let markdown = report().to_text(true);
        assert!(markdown.starts_with("| states/s, one core | gates/step |"), "{markdown}");
    }
}
