//! Playing under a progress bar, with the processor time that it takes.

use std::ops::ControlFlow;
use std::time::Duration;

use groundrules_gdl::time::process_time;
use groundrules_machine::compiled::Started;
use groundrules_machine::playout::{Circuit, Playouts};
use groundrules_machine::run::{Options, Progress, RunError, StartedRun, Until, run_started};
use indicatif::{ProgressBar, ProgressStyle};

/// What was played, by what.
pub(super) struct Played {
    pub(super) roles: Vec<String>,
    /// The processor time of this process, setting up and playing.
    pub(super) cpu: Option<[Duration; 2]>,
    /// The circuits of what played from the beginning.
    pub(super) circuit: Option<Circuit>,
    pub(super) result: Result<StartedRun, RunError>,
}

/// Plays with what there is, and with what comes meanwhile.
pub(super) fn play(started: Started<Box<dyn Playouts>>, options: &Options) -> Played {
    let (roles, circuit) = (started.now.roles().to_vec(), started.now.circuit());
    let before = process_time();
    let result = watched(started, options);
    let cpu = before.zip(process_time()).map(|(then, now)| [then, now.saturating_sub(then)]);
    Played { roles, cpu, circuit, result }
}

/// Plays under a progress bar.
fn watched(started: Started<Box<dyn Playouts>>, options: &Options) -> Result<StartedRun, RunError> {
    let (length, template) = match options.until {
        Until::Playouts(playouts) => (playouts, "{bar:30} {pos} of {len} playouts, {msg} [{eta} left]"),
        Until::Time(time) => (time.as_millis() as u64, "{bar:30} {msg} [{eta} left]"),
    };
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let result = run_started(started, options, &mut |Progress { playouts, elapsed }| {
        bar.set_message(format!("{:.0} playouts/s", playouts as f64 / elapsed.as_secs_f64().max(1e-3)));
        bar.set_position(match options.until {
            Until::Playouts(_) => playouts,
            Until::Time(_) => elapsed.as_millis() as u64,
        });
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    result
}
