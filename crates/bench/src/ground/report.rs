//! The result of the benchmark, as JSON, and as tables with a summary in sentences.

use std::fmt::Write;

use comfy_table::Table;
use serde::Serialize;

use super::figures::{Figures, GameResult};
use super::measure::{Bench, GRINGO};
use super::summary::{MethodSummary, NOTEWORTHY_SECONDS, SwitchSummary, summarise, summarise_switch};
use crate::statistics::ratio;
use crate::tables::{factor, listed, no_figure, table};

/// How many characters of an error are shown in the text.
const ERROR_CHARACTERS: usize = 120;

/// All that was measured, and what it comes to.
#[derive(Serialize)]
pub(super) struct Report {
    /// The version of this program.
    version: &'static str,
    /// What gringo calls itself; `None` if it was not there.
    pub(super) gringo: Option<String>,
    /// The seconds after which a run was given up.
    timeout: f64,
    /// Game by game.
    pub(super) games: Vec<GameResult>,
    /// Our methods, the one called "ours" first, and gringo if it was there.
    pub(super) methods: Vec<MethodSummary>,
    /// The optimisations, if they were asked for.
    switches: Vec<SwitchSummary>,
}

impl Report {
    /// Sums up what was measured.
    pub(super) fn new(bench: &Bench, timeout: f64, games: Vec<GameResult>) -> Report {
        let ours: Vec<&'static str> = bench.methods.iter().map(|method| method.name).collect();
        let switches: Vec<&'static str> = bench.switches.iter().map(|switch| switch.name).collect();
        Report::of(&ours, &switches, bench.gringo.clone(), timeout, games)
    }

    /// The same from the names alone.
    pub(super) fn of(
        ours: &[&'static str],
        switches: &[&'static str],
        gringo: Option<String>,
        timeout: f64,
        games: Vec<GameResult>,
    ) -> Report {
        let all = ours.iter().copied().chain(gringo.as_ref().map(|_| GRINGO));
        let methods = all.map(|method| summarise(method, &games)).collect();
        let switches = switches.iter().map(|switch| summarise_switch(switch, ours[0], &games)).collect();
        Report { version: env!("CARGO_PKG_VERSION"), gringo, timeout, games, methods, switches }
    }

    /// Our methods.
    pub(super) fn ours(&self) -> impl Iterator<Item = &MethodSummary> {
        self.methods.iter().filter(|summary| summary.method != GRINGO)
    }

    /// The method called "ours" where there is room for one.
    fn first(&self) -> &'static str {
        self.methods.first().map_or("", |summary| summary.method)
    }

    /// The tables and the summary.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.game_table());
        let first = self.first();
        let _ = writeln!(
            text,
            "Seconds are medians: ours of reading, checking and grounding, gringo's of its processor time.\n\
             Our rules, the ratio and the memory are those of {first}.\n\n{}",
            self.time_table()
        );
        self.ours().for_each(|summary| comparison(&mut text, summary));
        self.ours().for_each(|summary| memory(&mut text, summary));
        if !self.switches.is_empty() {
            let _ = writeln!(text, "\nWithout an optimisation of {first}:\n{}", self.switch_table());
        }
        self.errors(&mut text);
        text
    }

    fn game_table(&self) -> Table {
        let mut header = ["game", "gringo's\nrules", "our\nrules"].map(str::to_owned).to_vec();
        header.extend(self.methods.iter().map(|summary| format!("{}\ns", summary.method)));
        header.extend(["ours /\ngringo", "peak\nMB", "bytes /\nrule"].map(str::to_owned));
        let rows = self.games.iter().map(|game| {
            let (ours, theirs) = (game.figures(self.first()), game.figures(GRINGO));
            let rules = |figures: &Figures| figures.size.rules.to_string();
            let mut row = vec![game.game.clone(), cell(theirs, rules), cell(ours, rules)];
            row.extend(
                self.methods.iter().map(|summary| cell(game.figures(summary.method), |f| seconds(f.seconds))),
            );
            row.push(
                ours.zip(theirs)
                    .map_or_else(no_figure, |(ours, theirs)| factor(ratio(ours.seconds, theirs.seconds))),
            );
            row.push(cell(ours, |figures| format!("{:.1}", figures.peak_bytes as f64 / 1e6)));
            row.push(cell(ours, |figures| format!("{:.0}", figures.bytes_per_rule())));
            row
        });
        table(&header, rows)
    }

    fn time_table(&self) -> Table {
        let header =
            ["seconds of the games grounded", "games", "50 %", "75 %", "90 %", "95 %", "99 %", "all"];
        let rows = self.methods.iter().map(|summary| {
            let mut row = vec![summary.method.to_owned(), summary.grounded.to_string()];
            match &summary.seconds {
                Some(p) => row.extend([p.p50, p.p75, p.p90, p.p95, p.p99, p.max].map(seconds)),
                None => row.extend((0..6).map(|_| no_figure())),
            }
            row
        });
        table(&header.map(str::to_owned), rows)
    }

    fn switch_table(&self) -> Table {
        let header = ["", "games", "× time", "× rules", "most, of a game", "", "needed by"];
        let rows = self.switches.iter().map(|switch| {
            let most = switch.most.as_ref().map(|most| (factor(most.time_factor), most.game.clone()));
            let (most, game) = most.unwrap_or((no_figure(), no_figure()));
            let needed = if switch.needed_by.is_empty() { no_figure() } else { switch.needed_by.join(", ") };
            let [time, rules] = [switch.time_factor, switch.rules_factor].map(factor);
            vec![switch.switch.to_owned(), switch.games.to_string(), time, rules, most, game, needed]
        });
        table(&header.map(str::to_owned), rows)
    }

    /// What was not grounded, by whom and why.
    fn errors(&self, text: &mut String) {
        let switches = self.switches.iter().map(|switch| switch.switch);
        for method in self.methods.iter().map(|summary| summary.method).chain(switches) {
            let failed: Vec<(&str, &str)> =
                self.games.iter().filter_map(|game| Some((&game.game[..], game.error(method)?))).collect();
            if !failed.is_empty() {
                let _ = writeln!(text, "\nNot grounded by {method}: {}", failed.len());
            }
            for (game, error) in failed {
                let _ = writeln!(text, "  {game}: {}", shortened(error));
            }
        }
    }
}

/// How a method of ours stands beside gringo.
fn comparison(text: &mut String, summary: &MethodSummary) {
    let Some(beside) = &summary.beside_gringo else { return };
    let _ = writeln!(
        text,
        "\n{} beside gringo, {} games: {} × gringo's time (geometric mean; {} × comparing whole processes), at most \
         a fifth of it in {:.0} %\n  slower, where gringo takes over {:.0} ms: {}\n  more rules than gringo: {}",
        summary.method,
        beside.games,
        factor(beside.ratio),
        factor(beside.cpu_ratio),
        100.0 * beside.at_most_a_fifth,
        1e3 * NOTEWORTHY_SECONDS,
        listed(&beside.slower),
        listed(&beside.more_rules),
    );
}

/// How much memory a method of ours takes for a rule.
fn memory(text: &mut String, summary: &MethodSummary) {
    let large = summary.largest.iter();
    let large =
        large.map(|large| format!("{:.0} in {} ({} rules)", large.bytes_per_rule, large.game, large.rules));
    let large: Vec<String> = large.collect();
    if !large.is_empty() {
        let _ = writeln!(text, "\n{}, bytes for each ground rule: {}", summary.method, large.join(", "));
    }
}

fn cell(figures: Option<&Figures>, show: impl Fn(&Figures) -> String) -> String {
    figures.map_or_else(no_figure, show)
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.4}")
}

/// The error as far as it fits, without the beginning that says what its place in the list says already.
fn shortened(error: &str) -> String {
    let error = error.split_once(" was not grounded: ").map_or(error, |(_, error)| error);
    if error.chars().count() <= ERROR_CHARACTERS {
        return error.to_owned();
    }
    error.chars().take(ERROR_CHARACTERS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::{failed, game, games, grounded};
    use super::*;

    fn report() -> Report {
        Report::of(&["one-step", "iterative"], &[], Some("gringo version 5".to_owned()), 60.0, games())
    }

    #[test]
    fn every_game_has_a_row_and_every_failure_a_line() {
        let text = report().to_text();
        let row = text.lines().find(|line| line.starts_with("│ b")).unwrap();
        let cells: Vec<&str> = row.split(['│', '┆']).map(str::trim).collect();
        assert_eq!(cells[1..10], ["b", "40", "50", "0.4000", "–", "0.1000", "4.00", "0.1", "1000"]);
        assert!(text.contains("one-step beside gringo, 3 games: 0.93 × gringo's time"), "{text}");
        assert!(text.contains("slower, where gringo takes over 50 ms: b\n"), "{text}");
        assert!(text.contains("Not grounded by iterative: 2\n  b: too large\n  d: too large\n"), "{text}");
        assert!(
            text.contains("one-step, bytes for each ground rule: 1000 in b (50 rules), 1000 in a"),
            "{text}"
        );
    }

    #[test]
    fn without_gringo_its_columns_are_empty() {
        let alone = vec![game("a", [("one-step", grounded(1.0, 10))])];
        let report = Report::of(&["one-step"], &[], None, 60.0, alone);
        let text = report.to_text();
        assert!(text.contains("│ a    ┆        – ┆    10 ┆   1.0000 ┆      – ┆"), "{text}");
        assert!(!text.contains("beside gringo"));
        assert_eq!(serde_json::to_value(&report).unwrap()["gringo"], serde_json::Value::Null);
    }

    #[test]
    fn switches_have_a_table_of_their_own() {
        let games = vec![
            game("a", [("one-step", grounded(1.0, 10)), ("no-demand", grounded(2.0, 40))]),
            game("b", [("one-step", grounded(1.0, 10)), ("no-demand", failed())]),
        ];
        let text = Report::of(&["one-step"], &["no-demand"], None, 60.0, games).to_text();
        let row = text.lines().find(|line| line.starts_with("│ no-demand")).unwrap();
        let cells: Vec<&str> = row.split(['│', '┆']).map(str::trim).collect();
        assert_eq!(cells[1..8], ["no-demand", "1", "2.00", "4.00", "2.00", "a", "b"]);
    }

    #[test]
    fn json_has_every_method_of_every_game() {
        let value = serde_json::to_value(report()).unwrap();
        assert_eq!(value["games"][0]["methods"]["one-step"]["rules"], 10);
        assert_eq!(value["games"][1]["methods"]["iterative"]["error"], "too large");
        assert_eq!(value["methods"][2]["method"], "gringo");
        assert_eq!(value["methods"][0]["beside_gringo"]["slower"][0], "b");
    }

    #[test]
    fn long_errors_are_cut() {
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened("chess was not grounded: why"), "why");
        assert_eq!(shortened(&"é".repeat(500)).chars().count(), ERROR_CHARACTERS + 1);
    }
}
