//! The plots: our speed against Prolog's, the speed-up game by game, and what the optimisations are worth.

use anyhow::Result;

use super::figures::Outcome;
use super::report::Report;
use crate::bars::Bars;
use crate::chart::{Axis, BLUE, Chart, GREY, Look, ORANGE, Series};

/// Draws the plots: the names of the files and their contents. What nothing was measured for is not drawn.
pub(super) fn draw(report: &Report) -> Result<Vec<(&'static str, String)>> {
    let mut pictures = Vec::new();
    if let Some(chart) = speeds(report) {
        pictures.push(("states-ours-prolog.svg", chart.draw()?));
    }
    for (name, bars) in [("speed-up.svg", speed_up(report)), ("optimisations.svg", optimisations(report))] {
        if let Some(bars) = bars {
            pictures.push((name, bars.draw()?));
        }
    }
    Ok(pictures)
}

/// States a second, ours against Prolog's.
fn speeds(report: &Report) -> Option<Chart> {
    let points: Vec<(String, (f64, f64))> = report
        .games
        .iter()
        .filter_map(|game| {
            let (ours, prolog) = (game.ours.played()?, game.prolog.as_ref().and_then(Outcome::played)?);
            let speeds = (prolog.states_per_second().log10(), ours.states_per_second().log10());
            Some((game.game.clone(), speeds))
        })
        .filter(|(_, (x, y))| x.is_finite() && y.is_finite())
        .collect();
    if points.is_empty() {
        return None;
    }
    let values: Vec<f64> = points.iter().flat_map(|&(_, (x, y))| [x, y]).collect();
    let x = Axis::counts("SWI-Prolog: states per second", &values, false);
    let y = Axis::counts("ours: states per second", &values, false);
    let line = |shift: f64| vec![(x.from, x.from + shift), (x.to - shift, x.to)];
    let series = vec![
        Series::new("equal", Look::Line, GREY, line(0.0)),
        Series::new("5 times", Look::Dashes, ORANGE, line(5_f64.log10())),
        Series::named("a game", Look::Dot, BLUE, points),
    ];
    let title = "States per second: ours against SWI-Prolog".to_owned();
    Some(Chart { title, x, y, series, size: (760, 720) })
}

/// How many times as many states, game by game.
fn speed_up(report: &Report) -> Option<Bars> {
    let mut bars: Vec<(String, f64)> =
        report.games.iter().filter_map(|game| Some((game.game.clone(), game.speed_up()?))).collect();
    bars.sort_by(|a, b| b.1.total_cmp(&a.1));
    Bars::new("How many times as many states as SWI-Prolog (logarithmic)", bars)
}

/// How many times as many states with an optimisation as without.
fn optimisations(report: &Report) -> Option<Bars> {
    let bars =
        report.optimisations.iter().filter_map(|worth| Some((worth.optimisation.to_owned(), worth.factor?)));
    Bars::new(
        "How many times as many states with an optimisation as without (geometric mean)",
        bars.collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn every_plot_is_a_picture() {
        let pictures = draw(&report()).unwrap();
        let names: Vec<&str> = pictures.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["states-ours-prolog.svg", "speed-up.svg", "optimisations.svg"]);
        assert!(pictures.iter().all(|(_, picture)| picture.starts_with("<svg") && !picture.contains("NaN")));
    }

    #[test]
    fn nothing_measured_is_nothing_drawn() {
        assert!(draw(&Report::new(None, 1.0, Vec::new(), Vec::new())).unwrap().is_empty());
    }
}
