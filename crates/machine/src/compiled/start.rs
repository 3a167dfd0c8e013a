//! Start interpreted, continue compiled. The interpreter needs no preparation, so a match or a run begins at once. A
//! background thread builds the faster engine, and the caller switches to it when it is ready.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use super::Compiled;
use crate::engines::auto::Decision;
use crate::engines::{Engine, EngineError};

/// Something to play with now, and perhaps something faster later.
pub struct Started<T> {
    /// What is available now.
    pub now: T,
    /// The engine of `now`.
    pub decision: Decision,
    /// The faster replacement.
    pub upgrade: Upgrade<T>,
}

/// A faster replacement, built in the background. It arrives at most once.
pub struct Upgrade<T> {
    coming: Option<Receiver<Built<T>>>,
}

/// What was built, or `None` if nothing is faster, and the decision.
type Built<T> = (Result<Option<T>, EngineError>, Decision);

impl Compiled {
    /// Builds something on the interpreter at once, and the same on the engine of this compiled game in the background. `held`
    /// is dropped when building ends; it can be a permit that limits concurrent builds.
    ///
    /// If the rules cannot be interpreted, this waits for the background build.
    pub fn start<T: Send + 'static>(
        &self,
        make: fn(&Compiled) -> Result<T, EngineError>,
        held: impl Send + 'static,
    ) -> Result<Started<T>, EngineError> {
        let mut upgrade = self.in_background(make, held);
        match make(&self.on(Engine::Tree)) {
            Ok(now) => {
                let why = "the rules are interpreted while something faster is built".to_owned();
                Ok(Started { now, decision: Decision { engine: Engine::Tree, why }, upgrade })
            }
            Err(error) => {
                let (built, decision) = upgrade.finish().ok_or(EngineError::Interrupted)?;
                Ok(Started { now: built?.ok_or(error)?, decision, upgrade })
            }
        }
    }

    /// Builds something on the engine of this compiled game, without a replacement.
    pub fn ready<T>(&self, make: fn(&Compiled) -> Result<T, EngineError>) -> Result<Started<T>, EngineError> {
        Ok(Started { now: make(self)?, decision: self.decision(), upgrade: Upgrade::none() })
    }

    fn in_background<T: Send + 'static>(
        &self,
        make: fn(&Compiled) -> Result<T, EngineError>,
        held: impl Send + 'static,
    ) -> Upgrade<T> {
        let (sender, receiver) = channel();
        let compiled = self.clone();
        let build = move || {
            let built = match compiled.decision().engine {
                // That is what plays already.
                Engine::Tree => Ok(None),
                _ => make(&compiled).map(Some),
            };
            // If nobody waits any more, what was built is not needed.
            let _ = sender.send((built, compiled.decision()));
            drop(held);
        };
        // Without a thread there is nothing to come, and the rules go on being interpreted.
        let is_building = thread::Builder::new().name("builder".to_owned()).spawn(build).is_ok();
        Upgrade { coming: is_building.then_some(receiver) }
    }
}

impl<T> Upgrade<T> {
    /// No replacement.
    pub fn none() -> Self {
        Upgrade { coming: None }
    }

    /// Whether a replacement may still arrive.
    pub fn is_coming(&self) -> bool {
        self.coming.is_some()
    }

    /// The result of the build, if it has finished.
    pub fn poll(&mut self) -> Option<Built<T>> {
        match self.coming.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => None,
            received => self.end(received.ok()),
        }
    }

    /// Waits for the result of the build, for a limited time.
    pub fn wait(&mut self, time: Duration) -> Option<Built<T>> {
        match self.coming.as_ref()?.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => None,
            received => self.end(received.ok()),
        }
    }

    fn finish(&mut self) -> Option<Built<T>> {
        let received = self.coming.as_ref()?.recv();
        self.end(received.ok())
    }

    fn end(&mut self, received: Option<Built<T>>) -> Option<Built<T>> {
        self.coming = None;
        let interrupted = || {
            let why = "building an engine was interrupted".to_owned();
            (Err(EngineError::Interrupted), Decision { engine: Engine::Tree, why })
        };
        Some(received.unwrap_or_else(interrupted))
    }
}
