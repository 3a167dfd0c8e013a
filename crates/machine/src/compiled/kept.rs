//! What a compiled game keeps beyond the life of the program. Grounding and building a network can take many seconds, and
//! give the same every time; a [`Shelf`] keeps the results under a name that says all that they depend on. This crate has no
//! files: whoever compiles may bring a shelf.

use std::fmt::Debug;
use std::time::Duration;

use groundrules_gdl::time::Stopwatch;

use super::Compiled;
use crate::engines::EngineError;

/// A place where results are kept from one run of the program to the next.
///
/// A shelf gives back the bytes that it was given under exactly this name, or nothing: if it cannot be sure of them, nothing.
/// It may forget at any time.
pub trait Shelf: Debug + Send + Sync {
    /// What is kept under a name.
    fn find(&self, name: &[u8]) -> Option<Vec<u8>>;

    /// Keeps something under a name. Failing to is no error.
    fn keep(&self, name: &[u8], content: &[u8]);

    /// Whether something that took so much processor time is worth keeping.
    fn is_worth_keeping(&self, took: Duration) -> bool {
        took >= WORTH_KEEPING
    }
}

/// What took less processor time than this is usually not kept: making it again costs little more than looking for it.
const WORTH_KEEPING: Duration = Duration::from_millis(10);

impl Compiled {
    /// Takes something from the shelf, or makes it, and puts it there if it took long. `what` tells it from everything else that
    /// is made of this game, with all options that it depends on.
    pub(super) fn kept<T>(
        &self,
        what: &str,
        read: impl FnOnce(&[u8]) -> Option<T>,
        write: impl FnOnce(&T) -> Vec<u8>,
        make: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let Some(shelf) = &self.engine.settings.shelf else { return make() };
        let mut name = self.game().identity();
        name.extend_from_slice(what.as_bytes());
        if let Some(kept) = shelf.find(&name).and_then(|content| read(&content)) {
            return Ok(kept);
        }
        let stopwatch = Stopwatch::start();
        let made = make()?;
        if shelf.is_worth_keeping(stopwatch.elapsed()) {
            shelf.keep(&name, &write(&made));
        }
        Ok(made)
    }
}
