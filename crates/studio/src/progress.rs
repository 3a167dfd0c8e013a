//! What is told about a long task while it goes on: messages between a question and its answer, with the question's number. Whoever
//! holds the session decides how they travel.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use groundrules_gdl::time::Instant;
use serde_json::{Value, json};

/// Receives messages about tasks under way, each an object with `id` and `progress`.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&str) + Send + Sync>);

impl Listener {
    /// A listener that calls a function.
    pub fn new(told: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Listener(Arc::new(told))
    }
}

impl Default for Listener {
    fn default() -> Self {
        Listener::new(|_| {})
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// The time between two messages that nobody misses.
const PAUSE: Duration = Duration::from_millis(100);

/// The messages about one question.
#[derive(Clone)]
pub(crate) struct Progress {
    id: u64,
    listener: Listener,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Progress {
    pub(crate) fn new(id: u64, listener: &Listener) -> Self {
        Progress { id, listener: listener.clone(), last: Arc::default() }
    }

    /// Tells something that must not be missed.
    pub(crate) fn tell(&self, what: &Value) {
        (self.listener.0)(&json!({ "id": self.id, "progress": what }).to_string());
    }

    /// Tells how far a task is, unless that was told a moment ago.
    pub(crate) fn tell_now_and_then(&self, what: impl FnOnce() -> Value) {
        if let Ok(mut last) = self.last.lock()
            && last.is_none_or(|last| last.elapsed() >= PAUSE)
        {
            *last = Some(Instant::now());
            self.tell(&what());
        }
    }
}
