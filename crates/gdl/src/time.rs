//! Time limits and cancellation of long computations. Every crate that computes for long takes its clocks and its cancel flag
//! from here, so that front ends stop all of them in the same way.
//!
//! Limits on computing count processor time ([`Stopwatch`]): the load of the machine does not change what a computation comes
//! to. Limits on waiting (for a person, a player or the network) count the wall clock ([`Instant`]).
//!
//! This module only measures; nothing in this crate has a time limit.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A point on the wall clock. Where the standard library has no clock (WebAssembly in a browser), this one works.
pub use web_time::Instant;

/// A flag that cancels a computation from outside: from another thread, or from whatever the computation calls.
///
/// Clones share the flag. A flag that was set stays set; a later computation gets a new one. Whoever computes for long looks at
/// the flag wherever it looks at its time limit, and ends with an error that says so.
///
/// ```
/// use groundrules_gdl::time::{Cancel, Cancelled};
///
/// let cancel = Cancel::new();
/// let of_the_user_interface = cancel.clone();
/// assert_eq!(cancel.check(), Ok(()));
/// of_the_user_interface.cancel();
/// assert_eq!(cancel.check(), Err(Cancelled));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
}

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The flag itself, for code that takes one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// An error if the flag is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// A computation was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was cancelled")]
pub struct Cancelled;

/// Measures the processor time of the current thread, from when it is made. It stays in its thread, because other threads have
/// other times. Where the system does not tell processor time, it measures the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Reading,
    /// Neither `Send` nor `Sync`.
    stays: PhantomData<*const ()>,
}

#[derive(Clone, Copy, Debug)]
enum Reading {
    Processor(Duration),
    Wall(Instant),
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        let start = thread_time().map_or_else(|| Reading::Wall(Instant::now()), Reading::Processor);
        Stopwatch { start, stays: PhantomData }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        match self.start {
            Reading::Processor(start) => thread_time().unwrap_or_default().saturating_sub(start),
            Reading::Wall(start) => start.elapsed(),
        }
    }
}

/// The processor time that the current thread has used so far, where the system tells it.
pub fn thread_time() -> Option<Duration> {
    processor_time(Of::Thread)
}

/// The processor time that all threads of this process have used so far, where the system tells it.
pub fn process_time() -> Option<Duration> {
    processor_time(Of::Process)
}

/// What has a processor time.
#[derive(Clone, Copy)]
enum Of {
    Thread,
    Process,
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
fn processor_time(of: Of) -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(match of {
        Of::Thread => ClockId::ThreadCPUTime,
        Of::Process => ClockId::ProcessCPUTime,
    });
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn processor_time(_of: Of) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_flag_and_other_flags_do_not() {
        let (cancel, other) = (Cancel::new(), Cancel::new());
        cancel.clone().cancel();
        assert!(cancel.is_cancelled() && !other.is_cancelled());
    }

    #[test]
    fn waiting_takes_hardly_any_processor_time() {
        let (stopwatch, wall) = (Stopwatch::start(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        if thread_time().is_some() {
            assert!(stopwatch.elapsed() < wall.elapsed());
        }
        let before = stopwatch.elapsed();
        while stopwatch.elapsed() == before {
            std::hint::spin_loop();
        }
        assert!(stopwatch.elapsed() > before);
    }
}
