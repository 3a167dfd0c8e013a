//! When work has to stop: after some processor time, or when somebody says so.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use batsat::{Callbacks, ClauseKind, Lit};
use groundrules_gdl::time::Stopwatch;

/// The memory that clauses take, as estimated, and how much they may.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    used: Cell<usize>,
    most: Option<usize>,
}

impl Memory {
    /// Counts bytes that were taken.
    pub(crate) fn take(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_add(bytes));
    }

    /// Counts bytes that were given back.
    pub(crate) fn give_back(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }

    /// Whether a share of the limit, in percent, is exceeded.
    pub(crate) fn exceeds(&self, percent: usize) -> bool {
        self.most.is_some_and(|most| self.used.get() > most / 100 * percent)
    }
}

/// A limit on the processor time of this thread, and a flag that ends the work sooner.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    watch: Stopwatch,
    until: Option<Duration>,
    cancelled: Arc<AtomicBool>,
    memory: Rc<Memory>,
    asked: Cell<u32>,
    stopped: Cell<bool>,
    /// What the clauses take that the solver with this clock has learnt, as estimated.
    learnt: usize,
}

/// What a learnt clause takes besides its literals, and for each of them.
const BYTES_PER_CLAUSE: usize = 48;
const BYTES_PER_LITERAL: usize = 8;

impl Clock {
    /// Stops after some time, if there is a limit, or when the flag is set.
    pub(crate) fn new(until: Option<Duration>, most: Option<usize>, cancelled: Arc<AtomicBool>) -> Self {
        let watch = Stopwatch::start();
        let memory = Rc::new(Memory { used: Cell::new(0), most });
        let (asked, stopped) = (Cell::new(0), Cell::new(false));
        Clock { watch, until, cancelled, memory, asked, stopped, learnt: 0 }
    }

    /// The same clock with an end that is at most so far away.
    #[must_use]
    pub(crate) fn within(&self, time: Duration) -> Self {
        let end = self.elapsed().saturating_add(time);
        Clock {
            until: Some(self.until.map_or(end, |own| own.min(end))),
            asked: Cell::new(0),
            stopped: Cell::new(false),
            learnt: 0,
            ..self.clone()
        }
    }

    /// The time that is left, if there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(self.elapsed()))
    }

    /// What the solver with this clock has learnt takes, in bytes.
    pub(crate) fn learnt(&self) -> usize {
        self.learnt
    }

    /// The same clock for a solver that has learnt something already.
    #[must_use]
    pub(crate) fn with_learnt(&self, learnt: usize) -> Self {
        Clock { learnt, ..self.clone() }
    }

    /// The processor time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    /// Where memory is counted.
    pub(crate) fn memory(&self) -> &Rc<Memory> {
        &self.memory
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.memory.exceeds(100)
            || self.until.is_some_and(|until| self.elapsed() >= until)
    }
}

impl Callbacks for Clock {
    fn on_new_clause(&mut self, clause: &[Lit], _kind: ClauseKind) {
        let bytes = BYTES_PER_CLAUSE + clause.len() * BYTES_PER_LITERAL;
        self.learnt += bytes;
        self.memory.take(bytes);
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        let bytes = (BYTES_PER_CLAUSE + clause.len() * BYTES_PER_LITERAL).min(self.learnt);
        self.learnt -= bytes;
        self.memory.give_back(bytes);
    }

    /// Asked before every decision: the time is looked up now and then. Once it is over it stays over, because the solver asks again
    /// before it gives up.
    fn stop(&self) -> bool {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(64) && self.is_over() {
            self.stopped.set(true);
        }
        self.stopped.get()
    }
}
