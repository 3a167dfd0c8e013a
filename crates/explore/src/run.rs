//! Runs the same program on several threads, one worker each.

use std::num::NonZeroUsize;
use std::thread;

use groundrules_machine::Batch;

use crate::error::ExploreError;
use crate::link::{Link, Local};

pub(crate) const NO_WORKER: ExploreError = ExploreError::Unsupported("there is no worker");

/// Runs a program on so many threads, each with a link to the others and an engine of its own. Gives what the first of
/// them does; what goes wrong in one goes wrong for all.
pub fn on_threads<T: Send>(
    batch: &dyn Batch,
    threads: NonZeroUsize,
    program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Sync,
) -> Result<T, ExploreError> {
    let links = Local::new(threads.get());
    let workers: Vec<_> = links.into_iter().map(|link| (link, batch.fork())).collect();
    let program = &program;
    let results: Vec<Result<T, ExploreError>> = thread::scope(|scope| {
        let run = |(mut link, batch): (Local, Box<dyn Batch>)| scope.spawn(move || program(batch, &mut link));
        let running: Vec<_> = workers.into_iter().map(run).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    first_of(results)
}

/// What the first worker came to, unless something went wrong with one. That a worker is lost says less than why it is.
pub(crate) fn first_of<T>(results: Vec<Result<T, ExploreError>>) -> Result<T, ExploreError> {
    let mut first = None;
    let mut lost = None;
    for result in results {
        match result {
            Ok(result) => first = first.or(Some(result)),
            Err(error @ ExploreError::Lost(_)) => lost = lost.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match (lost, first) {
        (None, Some(result)) => Ok(result),
        (Some(error), _) => Err(error),
        (None, None) => Err(NO_WORKER),
    }
}
