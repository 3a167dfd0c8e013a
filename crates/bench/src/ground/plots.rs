//! The plots that papers on grounding show: time against time, the share of games grounded within a time, size against
//! time, size against size.

use anyhow::Result;

use super::figures::{Figures, GameResult};
use super::measure::GRINGO;
use super::report::Report;
use crate::chart::{Axis, BLUE, Chart, Colour, GREEN, GREY, Look, ORANGE, Series};

/// What no clock tells from nothing is drawn as this many seconds.
const SHORTEST: f64 = 1e-5;

/// How much of a decade the marks of games not grounded are away from the edge.
const FROM_EDGE: f64 = 0.25;

/// How our methods are drawn, in their order.
const OURS: [(Look, Colour); 3] = [(Look::Dot, BLUE), (Look::Cross, ORANGE), (Look::Ring, GREEN)];

/// Draws the plots: the names of the files and their contents. What nothing was measured for is not drawn.
pub(super) fn draw(report: &Report) -> Result<Vec<(&'static str, String)>> {
    let charts = [
        ("time-ours-gringo.svg", time_beside_gringo(report)),
        ("time-methods.svg", time_of_methods(report)),
        ("within-time.svg", within_time(report)),
        ("rules-time.svg", rules_and_time(report)),
        ("rules-ours-gringo.svg", rules_beside_gringo(report)),
    ];
    let drawable = charts.into_iter().filter_map(|(name, chart)| Some((name, chart?)));
    drawable.map(|(name, chart)| Ok((name, chart.draw()?))).collect()
}

fn time_beside_gringo(report: &Report) -> Option<Chart> {
    report.gringo.as_ref()?;
    let ours: Vec<&'static str> = report.ours().map(|summary| summary.method).collect();
    let label = "ours: reading, checking and grounding";
    let pairs = ours.iter().map(|method| Pairs::new(report, GRINGO, method, seconds)).collect::<Vec<_>>();
    against(
        "Time for a game: ours against gringo",
        ["gringo: processor time", label],
        &ours,
        &pairs,
        Axis::times,
    )
}

fn time_of_methods(report: &Report) -> Option<Chart> {
    let ours: Vec<&'static str> = report.ours().map(|summary| summary.method).collect();
    let [first, second, ..] = ours[..] else { return None };
    let pairs = [Pairs::new(report, first, second, seconds)];
    let title = format!("Time for a game: {second} against {first}");
    let [x, y] = [first, second].map(|method| format!("{method}: reading, checking and grounding"));
    against(&title, [&x, &y], &["a game"], &pairs, Axis::times)
}

fn rules_beside_gringo(report: &Report) -> Option<Chart> {
    report.gringo.as_ref()?;
    let ours: Vec<&'static str> = report.ours().map(|summary| summary.method).collect();
    let pairs = ours.iter().map(|method| Pairs::new(report, GRINGO, method, rules)).collect::<Vec<_>>();
    let labels = ["gringo's ground rules, facts included", "our ground rules"];
    against("Ground rules of a game: ours against gringo's", labels, &ours, &pairs, Axis::counts)
}

/// Both axes alike, and the line on which the two are equal.
fn against(
    title: &str,
    [x, y]: [&str; 2],
    names: &[&str],
    pairs: &[Pairs],
    axis: fn(&str, &[f64], bool) -> Axis,
) -> Option<Chart> {
    let values: Vec<f64> = pairs.iter().flat_map(Pairs::values).collect();
    if values.is_empty() {
        return None;
    }
    let failures = pairs.iter().any(|pairs| !pairs.only_x.is_empty() || !pairs.only_y.is_empty());
    let (x, y) = (axis(x, &values, failures), axis(y, &values, failures));
    let (from, to) = (x.from, x.to);
    let mut series = vec![Series::new("equal", Look::Dashes, GREY, vec![(from, from), (to, to)])];
    for ((name, pairs), (look, colour)) in names.iter().zip(pairs).zip(OURS) {
        series.push(Series::named(name, look, colour, pairs.both.clone()));
    }
    let at_edge = pairs.iter().flat_map(|pairs| pairs.at_edge(to - FROM_EDGE)).collect::<Vec<_>>();
    if !at_edge.is_empty() {
        series.push(Series::named("not grounded by one of the two", Look::Square, GREY, at_edge));
    }
    Some(Chart { title: title.to_owned(), x, y, series, size: (760, 800) })
}

fn within_time(report: &Report) -> Option<Chart> {
    let all: Vec<f64> =
        report.methods.iter().flat_map(|summary| values(report, summary.method, seconds)).collect();
    if all.is_empty() {
        return None;
    }
    let x = Axis::times("time for a game", &all, false);
    let games = report.games.len().max(1) as f64;
    let series = looks(report).map(|(method, _, colour)| {
        let mut times = values(report, method, seconds);
        times.sort_by(f64::total_cmp);
        Series::new(method, Look::Line, colour, stairs(&times, games, x.from, x.to))
    });
    let series = series.collect();
    let title = "Games grounded within a time".to_owned();
    Some(Chart { title, x, y: Axis::percent("share of all games (%)"), series, size: (860, 600) })
}

/// A step up at each time, from the left edge to the right.
fn stairs(times: &[f64], games: f64, from: f64, to: f64) -> Vec<(f64, f64)> {
    let mut line = vec![(from, 0.0)];
    for (done, &time) in times.iter().enumerate() {
        line.push((time, 100.0 * done as f64 / games));
        line.push((time, 100.0 * (done + 1) as f64 / games));
    }
    line.push((to, 100.0 * times.len() as f64 / games));
    line
}

fn rules_and_time(report: &Report) -> Option<Chart> {
    let of_all = |figure: fn(&Figures) -> f64| -> Vec<f64> {
        report.methods.iter().flat_map(|summary| values(report, summary.method, figure)).collect()
    };
    let (sizes, times) = (of_all(rules), of_all(seconds));
    if sizes.is_empty() {
        return None;
    }
    let series = looks(report).map(|(method, look, colour)| {
        let points = report.games.iter().filter_map(|game| {
            let figures = game.figures(method)?;
            Some((game.game.clone(), (rules(figures), seconds(figures))))
        });
        Series::named(method, look, colour, points.collect())
    });
    Some(Chart {
        title: "Ground rules and the time for them".to_owned(),
        x: Axis::counts("ground rules of a game", &sizes, false),
        y: Axis::times("time for a game", &times, false),
        series: series.collect(),
        size: (860, 600),
    })
}

/// Our methods and gringo with how they are drawn.
fn looks(report: &Report) -> impl Iterator<Item = (&'static str, Look, Colour)> {
    let ours = report.ours().zip(OURS).map(|(summary, (look, colour))| (summary.method, look, colour));
    ours.chain(report.gringo.as_ref().map(|_| (GRINGO, Look::Ring, GREY)))
}

/// The time of a game, as the axes have it: the logarithm.
fn seconds(figures: &Figures) -> f64 {
    figures.seconds.max(SHORTEST).log10()
}

/// The size of a game, as the axes have it: the logarithm.
fn rules(figures: &Figures) -> f64 {
    (figures.size.rules.max(1) as f64).log10()
}

fn values(report: &Report, method: &str, figure: fn(&Figures) -> f64) -> Vec<f64> {
    report.games.iter().filter_map(|game| game.figures(method)).map(figure).collect()
}

/// The games under two methods: with a figure of both, or of one alone.
struct Pairs {
    both: Vec<(String, (f64, f64))>,
    only_x: Vec<(String, f64)>,
    only_y: Vec<(String, f64)>,
}

impl Pairs {
    fn new(report: &Report, x: &str, y: &str, figure: fn(&Figures) -> f64) -> Pairs {
        let mut pairs = Pairs { both: Vec::new(), only_x: Vec::new(), only_y: Vec::new() };
        let of = |game: &GameResult, method: &str| game.figures(method).map(figure);
        for game in &report.games {
            match (of(game, x), of(game, y)) {
                (Some(x), Some(y)) => pairs.both.push((game.game.clone(), (x, y))),
                (Some(x), None) => pairs.only_x.push((game.game.clone(), x)),
                (None, Some(y)) => pairs.only_y.push((game.game.clone(), y)),
                (None, None) => {}
            }
        }
        pairs
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let both = self.both.iter().flat_map(|&(_, (x, y))| [x, y]);
        both.chain(self.only_x.iter().chain(&self.only_y).map(|&(_, value)| value))
    }

    /// A method without a figure is drawn at the far edge of its axis.
    fn at_edge(&self, edge: f64) -> impl Iterator<Item = (String, (f64, f64))> {
        let x = self.only_x.iter().map(move |(name, x)| (name.clone(), (*x, edge)));
        x.chain(self.only_y.iter().map(move |(name, y)| (name.clone(), (edge, *y))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::{failed, game, games, grounded};
    use super::*;

    #[test]
    fn all_plots_are_drawn_with_their_words() {
        let report = Report::of(&["one-step", "iterative"], &[], Some(String::new()), 60.0, games());
        let plots = draw(&report).unwrap();
        assert_eq!(plots.len(), 5);
        for (name, picture) in &plots {
            assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{name}");
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{name}");
        }
        assert!(plots[0].1.contains("gringo: processor time") && plots[0].1.contains("iterative"));
        assert!(plots[0].1.contains("not grounded by one of the two"));
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        let nothing = Report::of(&["one-step"], &[], None, 60.0, vec![game("a", [("one-step", failed())])]);
        assert!(draw(&nothing).unwrap().is_empty());
        let alone = vec![game("a", [("one-step", grounded(0.0, 0))])];
        let names: Vec<_> = draw(&Report::of(&["one-step"], &[], None, 60.0, alone)).unwrap();
        assert_eq!(
            names.iter().map(|plot| plot.0).collect::<Vec<_>>(),
            ["within-time.svg", "rules-time.svg"]
        );
    }

    #[test]
    fn stairs_end_at_the_share_that_is_done() {
        assert_eq!(stairs(&[1.0], 2.0, 0.0, 3.0), [(0.0, 0.0), (1.0, 0.0), (1.0, 50.0), (3.0, 50.0)]);
    }
}
