//! What was measured, as a table, as Markdown, as JSON and as a plot.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;

use super::super::chart::{Axis, BLUE, Chart, GREEN, Look, ORANGE, Series};
use super::super::tables;
use super::{Judged, Measured, PROPERTIES};

/// All games.
#[derive(Serialize)]
pub(super) struct Report {
    seconds: f64,
    abc_seconds: Option<f64>,
    games: Vec<Measured>,
}

/// What both programs say.
struct Agreement {
    both: usize,
    /// Decided here among those that ABC was asked about, and by ABC.
    here: usize,
    abc: usize,
    different: Vec<String>,
}

impl Report {
    pub(super) fn new(seconds: f64, abc_seconds: f64, has_abc: bool, games: Vec<Measured>) -> Report {
        Report { seconds, abc_seconds: has_abc.then_some(abc_seconds), games }
    }

    /// Whether all verdicts agree, and all lines were replayed.
    pub(super) fn is_right(&self) -> bool {
        self.agreement().different.is_empty() && self.games.iter().all(|game| game.replay.is_none())
    }

    fn agreement(&self) -> Agreement {
        let mut found = Agreement { both: 0, here: 0, abc: 0, different: Vec::new() };
        for game in &self.games {
            for answer in &game.abc {
                let own = game.verdicts.iter().find(|judged| judged.property == answer.property);
                let own = own.and_then(|judged| match judged.verdict.as_str() {
                    "holds" => Some(true),
                    "fails" => Some(false),
                    _ => None,
                });
                found.here += usize::from(own.is_some());
                found.abc += usize::from(answer.holds.is_some());
                if let (Some(own), Some(abc)) = (own, answer.holds) {
                    found.both += 1;
                    if own != abc {
                        found.different.push(format!("{}: {}", game.game, answer.property));
                    }
                }
            }
        }
        found
    }

    fn rows(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut header = vec!["game".to_owned()];
        header.extend(PROPERTIES.map(str::to_owned));
        header.push("processor s".to_owned());
        if self.abc_seconds.is_some() {
            header.push("ABC".to_owned());
        }
        let row = |game: &Measured| {
            let mut row = vec![game.game.clone()];
            match &game.error {
                Some(error) => row.extend(PROPERTIES.map(|_| error.clone()).into_iter().take(1)),
                None => row.extend(PROPERTIES.iter().map(|property| {
                    let own = game.verdicts.iter().find(|judged| judged.property == *property);
                    own.map_or_else(tables::no_figure, cell)
                })),
            }
            row.resize(PROPERTIES.len() + 1, tables::no_figure());
            row.push(format!("{:.1}", game.cpu_seconds));
            if self.abc_seconds.is_some() {
                let answer = |it: &super::abc::Answer| match it.holds {
                    Some(true) => "+",
                    Some(false) => "−",
                    None => "?",
                };
                row.push(game.abc.iter().map(answer).collect());
            }
            row
        };
        (header, self.games.iter().map(row).collect())
    }

    /// The counts below the table.
    fn summary(&self) -> String {
        let mut text = String::new();
        let all = self.games.len();
        for property in PROPERTIES {
            let count = self.games.iter().filter(|game| game.is_decided(property)).count();
            let _ = writeln!(text, "{property}: {count} of {all} decided");
        }
        let whole = self.games.iter().filter(|game| game.is_whole()).count();
        let _ = writeln!(text, "all five: {whole} of {all}");
        let lines: usize = self.games.iter().map(|game| game.replayed).sum();
        let _ = writeln!(text, "lines replayed by the engine tree: {lines}");
        for game in &self.games {
            if let Some(error) = &game.replay {
                let _ = writeln!(text, "not replayed: {}: {error}", game.game);
            }
        }
        if let Some(seconds) = self.abc_seconds {
            let Agreement { both, here, abc, different } = self.agreement();
            let _ = writeln!(
                text,
                "playability, utility structure and monotonicity: {here} decided here, {abc} by ABC in {seconds} s each; \
                 both decide {both}, and differ about {}",
                if different.is_empty() { "none".to_owned() } else { different.join(", ") }
            );
        }
        text
    }

    pub(super) fn to_text(&self) -> String {
        let (header, rows) = self.rows();
        format!("{}\n{}", tables::table(&header, rows.into_iter()), self.summary())
    }

    pub(super) fn to_markdown(&self) -> String {
        let (header, rows) = self.rows();
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&header);
        text += &format!("|{}\n", " --- |".repeat(header.len()));
        rows.iter().for_each(|row| text += &line(row));
        for count in self.summary().lines() {
            let _ = write!(text, "\n{count}\n");
        }
        text
    }

    /// How many games are decided after how long.
    pub(super) fn plot(&self) -> Result<String> {
        let all = self.games.len().max(1) as f64;
        let curve = |times: Vec<f64>| -> Vec<(f64, f64)> {
            let mut times = times;
            times.sort_by(f64::total_cmp);
            let points = times.iter().enumerate();
            points.map(|(place, time)| (time.max(0.01).log10(), (place + 1) as f64 / all * 100.0)).collect()
        };
        let of = |property: &str| -> Vec<f64> {
            let judged = self.games.iter().flat_map(|game| &game.verdicts);
            let own = judged.filter(|judged| judged.property == property && judged.verdict != "open");
            own.map(|judged| judged.seconds).collect()
        };
        let whole = self.games.iter().filter(|game| game.is_whole()).map(|game| game.cpu_seconds).collect();
        let curves = [
            Series::new("all five properties", Look::Line, BLUE, curve(whole)),
            Series::new("playability", Look::Line, GREEN, curve(of("playability"))),
            Series::new("termination", Look::Line, ORANGE, curve(of("termination"))),
        ];
        let chart = Chart {
            title: format!("Games decided over time, {} games", self.games.len()),
            x: Axis::times("processor time", &[0.01f64.log10(), self.seconds.log10()], false),
            y: Axis::percent("% of the games"),
            series: curves.into(),
            size: (900, 560),
        };
        chart.draw()
    }
}

/// A verdict in a cell: what it is, by what, and when.
fn cell(judged: &Judged) -> String {
    let sign = match judged.verdict.as_str() {
        "holds" => "+",
        "fails" => "−",
        _ => return "open".to_owned(),
    };
    let method = judged.method.as_deref().unwrap_or_default();
    let method = match method {
        "bounded model checking" => "BMC",
        "exploration" => "explored",
        other => other,
    };
    let moves = judged.moves.map_or_else(String::new, |moves| format!(", {moves} moves"));
    format!("{sign} {method} {:.2}{moves}", judged.seconds)
}
