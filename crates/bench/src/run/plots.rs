//! The plots: `sliced` and `tree` against `net`, and the speed-up by lanes game by game.

use anyhow::Result;

use super::report::Report;
use crate::bars::Bars;
use crate::chart::{Axis, BLUE, Chart, GREEN, GREY, Look, Series};

/// Draws the plots: the names of the files and their contents. What nothing was measured for is not drawn.
pub(super) fn draw(report: &Report) -> Result<Vec<(&'static str, String)>> {
    let mut pictures = Vec::new();
    if let Some(chart) = speeds(report) {
        pictures.push(("states-by-engine.svg", chart.draw()?));
    }
    if let Some(bars) = lanes(report) {
        pictures.push(("lanes.svg", bars.draw()?));
    }
    Ok(pictures)
}

/// States a second of the other engines against those of `net`.
fn speeds(report: &Report) -> Option<Chart> {
    let against_net = |engine: usize| -> Vec<(String, (f64, f64))> {
        let points = report.games.iter().filter_map(|game| {
            let speed = |engine| Some(game.played(engine)?.states_per_second().log10());
            Some((game.game.clone(), (speed(1)?, speed(engine)?)))
        });
        points.filter(|(_, (x, y))| x.is_finite() && y.is_finite()).collect()
    };
    let (tree, sliced) = (against_net(0), against_net(2));
    let values: Vec<f64> = tree.iter().chain(&sliced).flat_map(|&(_, (x, y))| [x, y]).collect();
    if values.is_empty() {
        return None;
    }
    let x = Axis::counts("net: states per second", &values, false);
    let y = Axis::counts("states per second", &values, false);
    let equal = vec![(x.from, x.from), (x.to, x.to)];
    let series = vec![
        Series::new("equal", Look::Line, GREY, equal),
        Series::named("sliced", Look::Dot, BLUE, sliced),
        Series::named("tree", Look::Ring, GREEN, tree),
    ];
    let title = "States per second on one core, engine by engine".to_owned();
    Some(Chart { title, x, y, series, size: (760, 720) })
}

/// How many times as many states lanes play, game by game.
fn lanes(report: &Report) -> Option<Bars> {
    let mut bars: Vec<(String, f64)> =
        report.games.iter().filter_map(|game| Some((game.game.clone(), game.times(2, 1)?))).collect();
    bars.sort_by(|a, b| b.1.total_cmp(&a.1));
    Bars::new("How many times as many states sliced plays as net (logarithmic)", bars)
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn every_plot_is_a_picture() {
        let pictures = draw(&report()).unwrap();
        let names: Vec<&str> = pictures.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["states-by-engine.svg", "lanes.svg"]);
        assert!(pictures.iter().all(|(_, picture)| picture.starts_with("<svg") && !picture.contains("NaN")));
    }
}
