//! A run that starts interpreted and continues compiled. Playouts begin at once, and the faster engine takes over when
//! it is built. Every playout that begins is finished and counted, so the means are those of any other run.

use std::ops::ControlFlow;
use std::time::Duration;

use groundrules_gdl::time::Instant;

use super::{Options, Progress, Run, RunError, Until, run};
use crate::compiled::Started;
use crate::engines::auto::Decision;
use crate::playout::Playouts;

/// The result of a run that started interpreted.
#[derive(Debug)]
pub struct StartedRun {
    /// The engine that played last, and why.
    pub decision: Decision,
    /// The playouts that were interpreted before something faster was ready, and when that was.
    pub interpreted: Option<(u64, Duration)>,
    /// The combined run.
    pub run: Run,
}

/// Plays with the current engine and continues with the faster one once it is built. `watch` is called from time to time, as
/// by [`run`].
pub fn run_started(
    mut started: Started<Box<dyn Playouts>>,
    options: &Options,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<StartedRun, RunError> {
    let Until::Time(time) = options.until else { return run_alone(started, options, watch) };
    if !started.upgrade.is_coming() {
        return run_alone(started, options, watch);
    }
    let start = Instant::now();
    let mut coming = None;
    // Another seed: what comes plays the playouts of the seed itself, and no playout may count twice.
    let first = Options { seed: options.seed.wrapping_add(0x9E37_79B9_7F4A_7C15), ..options.clone() };
    let mut earlier = run(&*started.now, &first, &mut |progress| {
        coming = coming.take().or_else(|| started.upgrade.poll());
        // If nothing faster comes, the current engine keeps playing.
        match &coming {
            Some((Ok(Some(_)), _)) => ControlFlow::Break(()),
            _ => watch(progress),
        }
    })?;
    let left = time.saturating_sub(start.elapsed());
    let (faster, decision) = match coming {
        Some((Ok(Some(faster)), decision)) if !left.is_zero() => (faster, decision),
        Some((Ok(None), decision)) => return Ok(StartedRun { decision, interpreted: None, run: earlier }),
        Some((Err(error), _)) => {
            let decision = Decision { why: error.to_string(), ..started.decision };
            return Ok(StartedRun { decision, interpreted: None, run: earlier });
        }
        _ => {
            let why = "the time was over before anything faster was ready".to_owned();
            let decision = Decision { why, ..started.decision };
            return Ok(StartedRun { decision, interpreted: None, run: earlier });
        }
    };
    let interpreted = Some((earlier.tally.playouts, start.elapsed()));
    let (before, began) = (earlier.tally.playouts, start.elapsed());
    let rest = Options { until: Until::Time(left), ..options.clone() };
    let later = run(&*faster, &rest, &mut |progress| {
        watch(Progress { playouts: before + progress.playouts, elapsed: began + progress.elapsed })
    })?;
    earlier.join(later);
    Ok(StartedRun { decision, interpreted, run: earlier })
}

fn run_alone(
    started: Started<Box<dyn Playouts>>,
    options: &Options,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<StartedRun, RunError> {
    let run = run(&*started.now, options, watch)?;
    Ok(StartedRun { decision: started.decision, interpreted: None, run })
}
