//! Long computations. They run on a thread of their own, without the interpreter, while this thread asks for signals: Ctrl-C
//! cancels the computation, waits until it has stopped, and is raised then.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use groundrules::explore::{Observer, Progress};
use groundrules::gdl::time::Cancel;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are asked for.
const EVERY: Duration = Duration::from_millis(50);

/// What a computation and the thread that waits for it share.
#[derive(Default)]
pub(crate) struct Watch {
    cancel: Cancel,
    progress: Mutex<Option<Progress>>,
}

impl Watch {
    /// Whether the computation is to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The flag that cancels it.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        if let Ok(mut slot) = self.progress.lock() {
            *slot = Some(*progress);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }
}

/// Runs a computation that looks at the watch. `progress` is called with what it reported: states, depth, frontier.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let progress = progress.map(|call| call.clone().unbind());
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, result) = channel();
            let thread = std::thread::Builder::new().name("groundrules".into());
            let started = thread.spawn_scoped(scope, move || {
                // Nobody is left to be told only if the waiting thread has gone, which it does not.
                let _ = done.send(work());
            });
            started.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let mut raised = None;
            loop {
                match result.recv_timeout(EVERY) {
                    Ok(value) => return raised.map_or(Ok(value), Err),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the computation ended without a result"));
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| report(py, watch, progress.as_ref())) {
                            watch.cancel.cancel();
                            raised = raised.or(Some(error));
                        }
                    }
                }
            }
        })
    })
}

/// Asks for signals and passes progress on.
fn report(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    let news = watch.progress.lock().ok().and_then(|mut slot| slot.take());
    if let (Some(call), Some(news)) = (progress, news) {
        call.call1(py, (news.states, news.depth, news.frontier))?;
    }
    Ok(())
}
