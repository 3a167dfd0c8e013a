//! Puzzles with too many states to explore them all: the solvers of the crate `puzzle` go on where the exploration stopped. They
//! may find a better line, and prove that no goal above a bound is reachable; their lines are not the shortest ones.

use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::Compiled;
use groundrules_machine::engines::Engine;
use groundrules_puzzle::{Limits, Line as PuzzleLine, Outcome, Portfolio};

use crate::budget::Stop;
use crate::error::ExploreError;
use crate::options::Options;
use crate::solve::Solution;

/// The least time of the solvers where there is no limit of time.
const LEAST: Duration = Duration::from_secs(10);

/// The memory of each solver in bytes where there is no limit of memory.
const MEMORY: usize = 256 << 20;

/// How long the exploration of a puzzle may take, so that the solvers get as much: half of the limit.
pub(crate) fn exploration_time(options: &Options) -> Option<Duration> {
    options.budget.time.map(|time| time / 2)
}

/// Improves the plan of a puzzle that was not explored completely. The solvers get the other half of the limit of time, and without
/// a limit as long as the exploration took; their time is that of the wall clock. What they cannot evaluate leaves the plan as it is.
pub(crate) fn improve(
    game: &Compiled,
    options: &Options,
    explored_for: Duration,
    solution: Solution,
    maximal: Option<i32>,
) -> Solution {
    let Solution::Plan { best, plan, is_shortest, unless: Some(stop), .. } = solution else {
        return solution;
    };
    let stop = match (stop, options.budget.time) {
        (Stop::Time(_), Some(limit)) => Stop::Time(limit),
        (stop, _) => stop,
    };
    let time = match options.budget.time {
        Some(limit) => limit / 2,
        None => explored_for.max(LEAST),
    };
    let found = match game.decision().engine {
        Engine::Tree => None,
        _ => search(game, options, time, best, maximal).ok(),
    };
    let Some(found) = found else {
        return Solution::Plan { best, plan, is_shortest, upper: maximal, unless: Some(stop) };
    };
    let upper = [found.upper, maximal].into_iter().flatten().min();
    let best = found.line.as_ref().map(PuzzleLine::goal).max(best);
    let is_exact = found.is_proved || best.is_some_and(|best| upper.is_some_and(|upper| best >= upper));
    let unless = (!is_exact).then_some(stop);
    let upper = if is_exact { best } else { upper };
    match found.line {
        Some(line) => {
            let plan = line.moves().iter().map(|&made| vec![made]).collect();
            Solution::Plan { best, plan, is_shortest: false, upper, unless }
        }
        None => Solution::Plan { best, plan, is_shortest, upper, unless },
    }
}

/// Lets the solvers search for a line that beats the best one, until there can be no better one or the time is over.
fn search(
    game: &Compiled,
    options: &Options,
    time: Duration,
    to_beat: Option<i32>,
    maximal: Option<i32>,
) -> Result<Outcome, ExploreError> {
    let began = Instant::now();
    let (mut batch, network) = (game.batch()?, game.network()?);
    let start = batch.initial();
    let memory = options.budget.memory.map_or(MEMORY, |memory| memory / 8);
    let mut portfolio = Portfolio::new(&network, &mut *batch, &start, memory)?;
    let limits = Limits { to_beat, time: Some(time.saturating_sub(began.elapsed())), ..Limits::default() };
    let is_maximal = |line: &PuzzleLine| maximal.is_some_and(|most| line.goal() >= most);
    let mut go_on =
        |line: Option<&PuzzleLine>| !options.observer.is_cancelled() && !line.is_some_and(is_maximal);
    Ok(portfolio.solve(&mut *batch, &start, &limits, &mut go_on)?)
}
