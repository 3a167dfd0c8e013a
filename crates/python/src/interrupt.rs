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
    /// Three numbers that the computation reported last.
    progress: Mutex<Option<[u64; 3]>>,
}

impl Watch {
    /// Whether the computation is to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Reports how far the computation is.
    pub(crate) fn tell(&self, news: [u64; 3]) {
        if let Ok(mut slot) = self.progress.lock() {
            *slot = Some(news);
        }
    }

    /// The flag that cancels it.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        self.tell([progress.states, progress.depth as u64, progress.frontier]);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }
}

/// Who is told how far a computation is: by default, a line on the screen of whoever watches; nobody for `False`; or
/// what the caller gave, which is called with three numbers.
fn listener<'py>(
    py: Python<'py>,
    progress: Option<&Bound<'py, PyAny>>,
    what: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let module = py.import("groundrules._progress")?;
    let listener = module.call_method1("listener", (progress, what))?;
    Ok((!listener.is_none()).then_some(listener))
}

/// Runs a computation that looks at the watch. `progress` is called with what it reported, which are numbers of `what` and two
/// more.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
    what: &str,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let listener = listener(py, progress, what)?;
    let result = watched(py, watch, listener.as_ref(), work);
    if let Some(close) = listener.and_then(|listener| listener.getattr_opt("close").ok().flatten()) {
        close.call0()?;
    }
    result
}

/// Runs a computation that looks at the watch and tells nobody how far it is.
pub(crate) fn quietly<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    watched(py, watch, None, work)
}

fn watched<T: Send>(
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
    if let (Some(call), Some([first, second, third])) = (progress, news) {
        call.call1(py, (first, second, third))?;
    }
    Ok(())
}
