//! The result of the benchmark, as JSON, and as tables with a summary in sentences.

use std::fmt::Write;

use comfy_table::Table;
use groundrules_command::output::thousands;
use serde::Serialize;

use super::figures::{Agreement, GameResult, Outcome, Played};
use crate::statistics::geometric_mean;
use crate::tables::{factor, listed, no_figure, table};

/// Setting a game up should not take longer than this.
const SHORT_SETUP: f64 = 0.05;

/// All that was measured, and what it comes to.
#[derive(Serialize)]
pub(super) struct Report {
    /// The version of this program.
    version: &'static str,
    /// What SWI-Prolog calls itself; `None` if it was not there.
    pub(super) prolog: Option<String>,
    /// The processor seconds of a run.
    seconds: f64,
    /// The sum of it.
    summary: Summary,
    /// What each optimisation is worth, if that was asked for.
    pub(super) optimisations: Vec<Worth>,
    /// Game by game.
    pub(super) games: Vec<GameResult>,
}

#[derive(Serialize)]
struct Summary {
    /// Games that both played.
    games: usize,
    /// Games in which we reach more states in the same time.
    faster: usize,
    /// Those in which we do not.
    slower: Vec<String>,
    /// How many times as many states we reach, as a geometric mean.
    speed_up: Option<f64>,
    /// Games that take us long to set up.
    long_setup: Vec<String>,
    /// Games in which the two do not see the same.
    disagree: Vec<String>,
    /// Games that Prolog plays only with tables.
    tabled: Vec<String>,
}

/// What an optimisation is worth.
#[derive(Serialize)]
pub(super) struct Worth {
    /// Its name.
    pub(super) optimisation: &'static str,
    /// How many times as many states we reach with it, as a geometric mean.
    pub(super) factor: Option<f64>,
    /// Games that are played only with it.
    needed_by: Vec<String>,
}

impl Report {
    /// Sums up what was measured.
    pub(super) fn new(
        prolog: Option<String>,
        seconds: f64,
        without: Vec<&'static str>,
        games: Vec<GameResult>,
    ) -> Report {
        let optimisations = without.into_iter().map(|name| Worth::of(name, &games)).collect();
        let summary = Summary::of(&games);
        Report { version: env!("CARGO_PKG_VERSION"), prolog, seconds, summary, optimisations, games }
    }

    /// The tables and the summary.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.game_table());
        let _ = writeln!(
            text,
            "States a second of processor time, one thread, over {} s; set-up is the processor time before the first \
             playout.",
            self.seconds
        );
        self.summary.write(&mut text);
        if !self.optimisations.is_empty() {
            let _ =
                writeln!(text, "\nWhat each optimisation makes faster, in percent:\n{}", self.worth_table());
        }
        self.write_errors(&mut text);
        text
    }

    fn game_table(&self) -> Table {
        let header = [
            "game",
            "SWI-Prolog\nstates/s",
            "ours\nstates/s",
            "ours /\nSWI-Prolog",
            "its set-up\nms",
            "our set-up\nms",
            "goals and\nlengths",
        ];
        let rows = self.games.iter().map(|game| {
            let (ours, prolog) = (game.ours.played(), game.prolog.as_ref().and_then(Outcome::played));
            let rate = |played: &Played| thousands(played.states_per_second().round() as u64);
            let setup = |played: &Played| format!("{:.1}", 1e3 * played.setup_seconds);
            let cell = |played: Option<&Played>, show: &dyn Fn(&Played) -> String| {
                played.map_or_else(no_figure, show)
            };
            vec![
                game.game.clone(),
                cell(prolog, &rate),
                cell(ours, &rate),
                game.speed_up().map_or_else(no_figure, factor),
                cell(prolog, &setup),
                cell(ours, &setup),
                match &game.agreement {
                    Agreement::Agree(words) => (*words).to_owned(),
                    Agreement::Differ { .. } => "DIFFER".to_owned(),
                },
            ]
        });
        table(&header.map(str::to_owned), rows)
    }

    fn worth_table(&self) -> Table {
        let mut header = vec!["game".to_owned(), "filters\nremoved %".to_owned()];
        header.extend(self.optimisations.iter().map(|worth| worth.optimisation.replace('-', "\n")));
        let rows = self.games.iter().map(|game| {
            let removed =
                game.filters_removed().map_or_else(no_figure, |share| format!("{:.0}", 100.0 * share));
            let mut row = vec![game.game.clone(), removed];
            row.extend(self.optimisations.iter().map(|worth| {
                let is_needed = worth.needed_by.contains(&game.game);
                if is_needed { "needed".to_owned() } else { percent(game.worth(worth.optimisation)) }
            }));
            row
        });
        let mut last = vec!["geometric mean".to_owned(), no_figure()];
        last.extend(self.optimisations.iter().map(|worth| percent(worth.factor)));
        table(&header, rows.chain([last]))
    }

    fn write_errors(&self, text: &mut String) {
        for game in &self.games {
            let without = game.without.iter().map(|(name, outcome)| (format!("without {name}"), outcome));
            let both =
                [("ours".to_owned(), Some(&game.ours)), ("SWI-Prolog".to_owned(), game.prolog.as_ref())];
            let both = both.into_iter().filter_map(|(who, outcome)| Some((who, outcome?)));
            for (who, outcome) in both.chain(without) {
                if let Some(error) = outcome.error() {
                    let _ = writeln!(text, "{}, {who}: not played: {error}", game.game);
                }
            }
            if let Agreement::Differ { differs } = &game.agreement {
                let _ = writeln!(text, "{}: the two do not see the same game: {differs}", game.game);
            }
        }
    }
}

impl Summary {
    fn of(games: &[GameResult]) -> Summary {
        let both: Vec<(&GameResult, f64)> =
            games.iter().filter_map(|game| Some((game, game.speed_up()?))).collect();
        let named = |wanted: &dyn Fn(&GameResult) -> bool| -> Vec<String> {
            games.iter().filter(|game| wanted(game)).map(|game| game.game.clone()).collect()
        };
        Summary {
            games: both.len(),
            faster: both.iter().filter(|(_, factor)| *factor > 1.0).count(),
            slower: named(&|game| game.speed_up().is_some_and(|factor| factor <= 1.0)),
            speed_up: mean(both.iter().map(|(_, factor)| *factor)),
            long_setup: named(&|game| {
                game.ours.played().is_some_and(|played| played.setup_seconds > SHORT_SETUP)
            }),
            disagree: named(&|game| matches!(game.agreement, Agreement::Differ { .. })),
            tabled: named(&|game| {
                let played = game.prolog.as_ref().and_then(Outcome::played);
                played.is_some_and(|played| played.recursion == Some("tabled"))
            }),
        }
    }

    fn write(&self, text: &mut String) {
        if let Some(speed_up) = self.speed_up {
            let _ = writeln!(
                text,
                "Beside SWI-Prolog, {} games: {} × its states (geometric mean), more of them in {}; not in: {}",
                self.games,
                factor(speed_up),
                self.faster,
                listed(&self.slower)
            );
        }
        let _ = writeln!(text, "Set-up over {:.0} ms: {}", 1e3 * SHORT_SETUP, listed(&self.long_setup));
        if !self.tabled.is_empty() {
            let tabled = listed(&self.tabled);
            let _ =
                writeln!(text, "Recursion tabled in Prolog, where the plain program would not end: {tabled}");
        }
    }
}

impl Worth {
    fn of(optimisation: &'static str, games: &[GameResult]) -> Worth {
        let failed = |game: &&GameResult| {
            let without = game.without.get(optimisation);
            game.ours.played().is_some() && without.is_some_and(|without| without.error().is_some())
        };
        Worth {
            optimisation,
            factor: mean(games.iter().filter_map(|game| game.worth(optimisation))),
            needed_by: games.iter().filter(failed).map(|game| game.game.clone()).collect(),
        }
    }
}

/// The geometric mean; nothing of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    Some(geometric_mean(values)).filter(|mean| mean.is_finite())
}

/// A factor as percent faster.
fn percent(factor: Option<f64>) -> String {
    factor.map_or_else(no_figure, |factor| format!("{:.0}", 100.0 * (factor - 1.0)))
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::super::figures::agreement;
    use super::super::figures::tests::played;
    use super::*;

    fn game(name: &str, ours: Outcome, prolog: Option<Outcome>, without: Outcome) -> GameResult {
        GameResult {
            game: name.to_owned(),
            file: format!("{name}.kif"),
            agreement: agreement(&ours, prolog.as_ref()),
            ours,
            prolog,
            without: BTreeMap::from([("memo", without)]),
        }
    }

    /// Three games: one that is faster, one that is slower and does not agree, one that fails without an optimisation.
    pub(in super::super) fn report() -> Report {
        let failed = || Outcome::Failed { error: "too slow".to_owned() };
        let games = vec![
            game("a", played(1000, 5.0, 0.1), Some(played(100, 5.0, 0.1)), played(500, 5.0, 0.1)),
            game("b", played(100, 5.0, 0.1), Some(played(250, 9.0, 0.1)), played(100, 5.0, 0.1)),
            game("c", played(70, 5.0, 0.1), Some(failed()), failed()),
        ];
        Report::new(Some("SWI-Prolog 9".to_owned()), 2.0, vec!["memo"], games)
    }

    #[test]
    fn every_game_has_a_row_and_every_failure_a_line() {
        let text = report().to_text();
        let row = |name: &str| {
            let row = text.lines().find(|line| line.starts_with(&format!("│ {name} "))).unwrap();
            row.split(['│', '┆']).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(row("a")[1..8], ["a", "100", "1000", "10", "10.0", "10.0", "agree"]);
        assert_eq!(row("b")[4..8], ["0.40", "10.0", "10.0", "DIFFER"]);
        assert_eq!(row("c")[2..5], ["–", "70", "–"]);
        assert!(text.contains("Beside SWI-Prolog, 2 games: 2.00 × its states"), "{text}");
        assert!(text.contains("more of them in 1; not in: b\n"), "{text}");
        assert!(text.contains("c, SWI-Prolog: not played: too slow\n"), "{text}");
        assert!(text.contains("b: the two do not see the same game: mean length: ours 5.000"), "{text}");
    }

    #[test]
    fn optimisations_have_a_table_of_their_own() {
        let report = report();
        assert_eq!(report.optimisations[0].needed_by, ["c"]);
        assert!((report.optimisations[0].factor.unwrap() - 2_f64.sqrt()).abs() < 1e-9);
        let text = report.to_text();
        let last = text.lines().rfind(|line| line.starts_with("│ geometric mean")).unwrap();
        assert!(last.contains("41"), "{last}");
        let value = serde_json::to_value(&report).unwrap();
        assert_eq!(value["games"][0]["agreement"], "agree");
        assert_eq!(value["games"][1]["agreement"]["differs"].as_str().map(str::is_empty), Some(false));
        assert_eq!(value["games"][2]["prolog"]["error"], "too slow");
        assert_eq!(value["summary"]["slower"][0], "b");
    }

    #[test]
    fn without_prolog_its_columns_are_empty() {
        let games = vec![game("a", played(10, 1.0, 0.1), None, played(10, 1.0, 0.1))];
        let report = Report::new(None, 2.0, Vec::new(), games);
        let text = report.to_text();
        assert!(!text.contains("Beside") && text.contains("not compared"), "{text}");
        assert_eq!(serde_json::to_value(&report).unwrap()["prolog"], serde_json::Value::Null);
    }
}
