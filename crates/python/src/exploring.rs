//! Explorations and playouts as Python has them: dictionaries and lists of plain values.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use groundrules::explore::{
    self, Bounds, Budget, Explored, Fraction, Options, Outcome, Solution, move_texts,
};
use groundrules::machine::Move;
use groundrules::machine::run::{Options as RunOptions, Until, run as play};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors;
use crate::interrupt::{Watch, interruptible};
use crate::shared::Shared;

/// What an exploration may spend.
pub(crate) struct Limits {
    pub(crate) seconds: Option<f64>,
    pub(crate) states: Option<u64>,
    pub(crate) memory: Option<usize>,
    pub(crate) threads: usize,
}

/// The most threads: more than any computer has would only take its memory.
const MOST_THREADS: usize = 512;

fn threads(number: usize) -> PyResult<NonZeroUsize> {
    if number > MOST_THREADS {
        return Err(PyValueError::new_err(format!("{number} threads are more than {MOST_THREADS}")));
    }
    NonZeroUsize::new(number).ok_or_else(|| PyValueError::new_err("there must be at least one thread"))
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} is not a number of seconds")))
}

impl Limits {
    fn options(&self, watch: &Arc<Watch>) -> PyResult<Options> {
        let defaults = Budget::default();
        let budget = Budget {
            states: self.states.or(defaults.states),
            time: self.seconds.map(duration).transpose()?.or(defaults.time),
            // Without a limit, what the command line allows: whoever takes more than there is gets killed.
            memory: self.memory.or_else(|| groundrules::available_memory().map(|bytes| bytes / 2)),
        };
        let observer = Arc::clone(watch) as Arc<dyn explore::Observer>;
        Ok(Options { threads: threads(self.threads)?, budget, observer, ..Options::default() })
    }
}

fn explored(found: &Explored, into: &Bound<'_, PyDict>) -> PyResult<()> {
    into.set_item("states", found.states())?;
    into.set_item("complete", found.stop.is_none())?;
    into.set_item("stopped", found.stop.as_ref().map(ToString::to_string))
}

/// A line of joint moves as texts.
fn line_texts(game: &Shared, line: &[Vec<Move>]) -> PyResult<Vec<Vec<String>>> {
    let texts = |joint: &Vec<Move>| move_texts(&game.compiled, joint);
    line.iter().map(texts).collect::<Result<_, _>>().map_err(|error| errors::of_exploration(&error))
}

pub(crate) fn verify<'py>(
    py: Python<'py>,
    game: &Shared,
    limits: &Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let watch = Arc::new(Watch::default());
    let options = limits.options(&watch)?;
    let found = interruptible(py, &watch, progress, "states", || {
        explore::verify(&game.compiled.cancelled_by(watch.cancel()), &options)
    })?
    .map_err(|error| errors::of_exploration(&error))?;
    let verdicts = PyDict::new(py);
    for verdict in &found.verdicts {
        let item = PyDict::new(py);
        let holds = match verdict.outcome {
            Outcome::Holds => Some(true),
            Outcome::Fails => Some(false),
            _ => None,
        };
        item.set_item("holds", holds)?;
        item.set_item("why", &verdict.why)?;
        let line = verdict.line.as_ref().map(|line| line_texts(game, line)).transpose()?;
        item.set_item("line", line)?;
        verdicts.set_item(verdict.property.name(), item)?;
    }
    let result = PyDict::new(py);
    result.set_item("verdicts", verdicts)?;
    explored(&found.explored, &result)?;
    Ok(result)
}

pub(crate) fn solve<'py>(
    py: Python<'py>,
    game: &Shared,
    limits: &Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let watch = Arc::new(Watch::default());
    let options = limits.options(&watch)?;
    let solved = interruptible(py, &watch, progress, "states", || {
        explore::solve(&game.compiled.cancelled_by(watch.cancel()), &options)
    })?
    .map_err(|error| errors::of_exploration(&error))?;
    let result = PyDict::new(py);
    result.set_item("exact", solved.solution.is_exact())?;
    result.set_item("line", line_texts(game, solved.solution.line())?)?;
    let roles = game.compiled.roles();
    match &solved.solution {
        Solution::Plan { best, unless, .. } => {
            result.set_item("kind", "plan")?;
            let values = PyDict::new(py);
            values.set_item(roles.first(), (best, best))?;
            result.set_item("values", values)?;
            result.set_item("unless", unless.as_ref().map(ToString::to_string))?;
        }
        Solution::Guaranteed(found) => {
            result.set_item("kind", format!("{:?}", found.meaning).to_lowercase())?;
            let values = PyDict::new(py);
            for (role, bounds) in roles.iter().zip(&found.values) {
                values.set_item(role, bounds.as_ref().map(pair))?;
            }
            result.set_item("values", values)?;
            result.set_item("chance", found.chance)?;
            result.set_item("simultaneous", found.simultaneous)?;
            result.set_item("endless", found.endless)?;
        }
        Solution::Refused { why, .. } | Solution::Open(why) => {
            let refused = matches!(solved.solution, Solution::Refused { .. });
            result.set_item("kind", if refused { "refused" } else { "open" })?;
            result.set_item("why", why)?;
        }
    }
    explored(&solved.explored, &result)?;
    Ok(result)
}

/// Bounds as two numbers; nothing for less than any goal.
fn pair(bounds: &Bounds) -> (Option<f64>, Option<f64>) {
    let number = |fraction: Option<Fraction>| fraction.map(Fraction::to_f64);
    (number(bounds.lower), number(bounds.upper))
}

pub(crate) fn perft<'py>(
    py: Python<'py>,
    game: &Shared,
    depth: usize,
    limits: &Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let watch = Arc::new(Watch::default());
    let options = limits.options(&watch)?;
    let counts = interruptible(py, &watch, progress, "states", || {
        explore::perft(&game.compiled.cancelled_by(watch.cancel()), depth, &options)
    })?
    .map_err(|error| errors::of_exploration(&error))?;
    let list = PyList::empty(py);
    for (depth, count) in counts.iter().enumerate() {
        let item = PyDict::new(py);
        item.set_item("depth", depth)?;
        item.set_item("sequences", count.sequences)?;
        item.set_item("states", count.states)?;
        item.set_item("ends", count.ends)?;
        item.set_item("terminal_states", count.terminal)?;
        list.append(item)?;
    }
    Ok(list)
}

#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn run<'py>(
    py: Python<'py>,
    game: &Shared,
    playouts: Option<u64>,
    seconds: Option<f64>,
    seed: u64,
    number: usize,
    max_steps: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let until = match (playouts, seconds) {
        (Some(playouts), None) => Until::Playouts(playouts),
        (None, Some(seconds)) => Until::Time(duration(seconds)?),
        (None, None) => Until::Playouts(10_000),
        (Some(_), Some(_)) => return Err(PyValueError::new_err("give either playouts or seconds")),
    };
    let watch = Watch::default();
    let cancel = watch.cancel().clone();
    let options = RunOptions { until, seed, threads: threads(number)?, max_steps, cancel };
    let work = || {
        let compiled = game.compiled.cancelled_by(watch.cancel());
        let playouts = compiled.playouts().map_err(|error| error.to_string())?;
        let mut go_on = |news: groundrules::machine::run::Progress| {
            watch.tell([news.playouts, 0, 0]);
            if watch.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        play(&*playouts, &options, &mut go_on).map_err(|error| error.to_string())
    };
    let run = interruptible(py, &watch, progress, "playouts", work)?.map_err(errors::GdlError::new_err)?;
    let (tally, result) = (&run.tally, PyDict::new(py));
    result.set_item("playouts", tally.playouts)?;
    result.set_item("states", tally.states)?;
    result.set_item("elapsed", run.elapsed.as_secs_f64())?;
    result.set_item("unfinished", tally.unfinished)?;
    result.set_item("unplayable", tally.unplayable)?;
    result.set_item("length", tally.lengths.mean())?;
    result.set_item("length_error", tally.lengths.standard_error())?;
    result.set_item("branching", tally.branching.value())?;
    let mean = |of: fn(&groundrules::machine::Moments) -> Option<f64>| {
        let numbers = tally.goals.iter().map(|goals| of(&goals.moments()).unwrap_or(f64::NAN));
        PyArray1::from_vec(py, numbers.collect())
    };
    result.set_item("goals", mean(groundrules::machine::Moments::mean))?;
    result.set_item("goals_error", mean(groundrules::machine::Moments::standard_error))?;
    let histograms = PyList::empty(py);
    for goals in &tally.goals {
        let (values, counts): (Vec<i64>, Vec<u64>) =
            goals.histogram.iter().map(|(&value, &count)| (i64::from(value), count)).unzip();
        histograms.append((PyArray1::from_vec(py, values), PyArray1::from_vec(py, counts)))?;
    }
    result.set_item("histograms", histograms)?;
    Ok(result)
}
