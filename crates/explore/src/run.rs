//! Runs the same program on all workers of an exploration: on the threads of this process, or on those of several processes.

use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use groundrules_machine::{Batch, Compiled};

use crate::budget::Budget;
use crate::digest::Digest;
use crate::error::ExploreError;
use crate::link::{Link, Local};
use crate::options::Options;
use crate::processes::on_processes;
use crate::symmetry::Quotient;
use crate::worker::Worker;

/// Runs a program on every worker, each with an engine of its own and a link to the others. Gives what the first worker of this
/// process comes to. `task` says what the program does: processes that do something else are refused.
pub(crate) fn on_links<T: Send + 'static>(
    batch: &dyn Batch,
    options: &Options,
    task: &str,
    program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Send + Sync + 'static,
) -> Result<T, ExploreError> {
    match &options.cluster {
        Some(cluster) if cluster.addresses.len() > 1 => {
            // Memory limits may differ: by default they follow from how much memory is available.
            let budget = Budget { memory: None, ..options.budget };
            let budget = serde_json::to_vec(&budget).expect("numbers can be written");
            let digest = Digest::of(
                "run",
                &[
                    task.as_bytes(),
                    cluster.game.as_bytes(),
                    format!("{:?}", batch.row_width()).as_bytes(),
                    &budget,
                    &[u8::from(options.fingerprint), u8::from(options.checkpoints.is_some())],
                ],
            );
            on_processes(batch, cluster, options.threads, digest, program)
        }
        _ => on_threads(batch, options.threads, program),
    }
}

/// Runs a program on every worker, each with a store for its states.
pub(crate) fn on_workers<T: Send + 'static>(
    game: &Compiled,
    options: &Options,
    task: &str,
    program: impl Fn(&mut Worker<'_>) -> Result<T, ExploreError> + Send + Sync + 'static,
) -> Result<T, ExploreError> {
    let (own, cancel) = (options.clone(), game.cancel().clone());
    let batch = Quotient::batch(game.batch()?, options.symmetry.as_ref());
    on_links(&*batch, options, task, move |batch, link| {
        program(&mut Worker::new(batch, link, &own, &cancel)?)
    })
}

/// Runs a program on so many threads. What goes wrong in one goes wrong for all.
fn on_threads<T: Send>(
    batch: &dyn Batch,
    threads: NonZeroUsize,
    program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Sync,
) -> Result<T, ExploreError> {
    let links = Local::new(threads.get());
    let workers: Vec<_> = links.into_iter().map(|link| (link, batch.fork())).collect();
    let program = &program;
    // One worker needs no thread of its own, and where there are no threads (in a browser) there is one worker.
    if workers.len() == 1 {
        let mut results = Vec::new();
        for (mut link, batch) in workers {
            results.push(caught(link.me(), || program(batch, &mut link)));
        }
        return first_of(results);
    }
    let results: Vec<Result<T, ExploreError>> = thread::scope(|scope| {
        let run = |(mut link, batch): (Local, Box<dyn Batch>)| {
            scope.spawn(move || caught(link.me(), || program(batch, &mut link)))
        };
        let running: Vec<_> = workers.into_iter().map(run).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("panics were caught");
        running.into_iter().map(join).collect()
    });
    first_of(results)
}

/// Runs a worker's program. A panic in it becomes an error, so that the other workers end as well, and the reason is known.
pub(crate) fn caught<T>(
    worker: usize,
    program: impl FnOnce() -> Result<T, ExploreError>,
) -> Result<T, ExploreError> {
    let result = catch_unwind(AssertUnwindSafe(program));
    result.unwrap_or_else(|panic| Err(ExploreError::Panicked { worker, message: panic_message(&*panic) }))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

/// What the first worker came to, unless one of them failed. That a worker is lost says less than why it is.
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
    match lost {
        Some(error) => Err(error),
        None => Ok(first.expect("there is at least one worker")),
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::read;
    use groundrules_machine::engines::Engine;

    use super::*;
    use crate::link::gather;

    #[test]
    fn a_panic_in_one_worker_is_an_error_for_all() {
        let text =
            "(role you) (init a) (legal you go) (<= (next a) (true a)) (<= terminal (true b)) (goal you 0)";
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("a game");
        let batch = Compiled::new(game).on(Engine::Tree).batch().expect("an engine");
        let threads = NonZeroUsize::new(3).expect("not zero");
        let ended = on_threads(&*batch, threads, |_, link| {
            assert!(link.me() != 1, "worker {} gives up", link.me());
            gather(link, &())
        });
        let error = ended.expect_err("a worker panicked");
        assert_eq!(error.to_string(), "worker 1 panicked: worker 1 gives up");
    }
}
