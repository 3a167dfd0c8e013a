//! The plot: states a second over the gates of a step, with the limit of the processor.

use super::report::Report;
use super::{Limit, Measured};
use crate::chart::{Axis, BLUE, Chart, GREEN, GREY, Look, ORANGE, Series};
use crate::run::measure::{Outcome, Played};

/// The plot; `None` where nothing was measured.
pub(super) fn chart(report: &Report) -> Option<Chart> {
    let points = |outcome: fn(&Measured) -> Option<&Outcome>| -> Vec<(String, (f64, f64))> {
        let played = report.games.iter().filter_map(|game| Some((game, outcome(game)?.played()?)));
        let points = played.filter_map(|(game, played)| Some((game.game.clone(), point(played)?)));
        points.filter(|(_, (x, y))| x.is_finite() && y.is_finite()).collect()
    };
    let wide = points(|game| Some(&game.sliced));
    let narrow = points(|game| game.narrow.as_ref());
    if wide.is_empty() {
        return None;
    }
    let all = || wide.iter().chain(&narrow).map(|(_, point)| *point);
    let gates: Vec<f64> = all().map(|(x, _)| x).collect();
    let x = Axis::counts("gates of a step", &gates, false);
    let lines: Vec<Vec<(f64, f64)>> = report.limits.iter().map(|limit| line(limit, &x)).collect();
    let ends = lines.iter().flatten().map(|&(_, y)| y);
    let y = Axis::counts("states per second", &all().map(|(_, y)| y).chain(ends).collect::<Vec<_>>(), false);
    let mut series = Vec::new();
    for ((limit, line), (look, colour)) in
        report.limits.iter().zip(lines).zip([(Look::Line, GREY), (Look::Dashes, ORANGE)])
    {
        series.push(Series::new(&format!("limit with {} lanes", limit.lanes), look, colour, line));
    }
    series.push(Series::named("sliced", Look::Dot, BLUE, wide));
    series.push(Series::named("without AVX-512", Look::Ring, GREEN, narrow));
    let title = "States per second over the size of a step, one core".to_owned();
    Some(Chart { title, x, y, series, size: (900, 680) })
}

fn point(played: &Played) -> Option<(f64, f64)> {
    Some((played.gates_per_step?.log10(), played.states_per_second().log10()))
}

/// What the processor could do if it did nothing but evaluate gates.
fn line(limit: &Limit, x: &Axis) -> Vec<(f64, f64)> {
    let at = |gates: f64| (gates, (limit.gates_per_second * limit.lanes as f64).log10() - gates);
    vec![at(x.from), at(x.to)]
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    #[test]
    fn games_stand_below_the_limit_of_the_processor() {
        let picture = chart(&report()).unwrap().draw().unwrap();
        assert!(picture.contains("limit with 512 lanes") && picture.contains("<title>quick</title>"));
        assert!(!picture.contains("NaN") && !picture.contains("<title>none</title>"));
        // Half a million gates a second and lane, of which a state takes a thousand.
        let axis = Axis::counts("x", &[3.0], false);
        let (x, y) = line(&Limit { lanes: 512, gates_per_second: 1e9 }, &axis)[0];
        assert!((x - 3.0).abs() < 1e-9 && (y - 512e6f64.log10()).abs() < 1e-9);
    }
}
