//! One worker of an exploration: its engine, the states that it owns, and its link to the others. The search and the
//! passes after it are methods of a worker, in modules of their own. All workers must call the same methods in the same
//! order.

use std::path::PathBuf;
use std::sync::Arc;

use groundrules_gdl::time::{Cancel, Stopwatch};
use groundrules_machine::Batch;

use crate::budget::{Budget, Observer, Progress, Stage};
use crate::checkpoint::Checkpoint;
use crate::cycle::Cycles;
use crate::error::ExploreError;
use crate::expand::Expander;
use crate::fingerprints::Fingerprints;
use crate::link::Link;
use crate::maximal_goal::MaximalGoal;
use crate::options::Options;
use crate::search::Position;
use crate::store::Store;

/// A worker with its states.
pub(crate) struct Worker<'l> {
    pub(crate) expander: Expander,
    pub(crate) store: Store,
    pub(crate) link: &'l mut dyn Link,
    pub(crate) cycles: Cycles,
    pub(crate) budget: Budget,
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Where a checkpoint left off.
    pub(crate) resumed: Option<Position>,
    pub(crate) spill: Option<PathBuf>,
    /// The roles whose goals are judged: all but nature.
    pub(crate) judged: Vec<usize>,
    /// The processor time of this worker since the search began.
    pub(crate) stopwatch: Stopwatch,
    /// Whether a state stands for all that are symmetric to it.
    pub(crate) has_symmetry: bool,
    observer: Arc<dyn Observer>,
}

impl<'l> Worker<'l> {
    /// A worker that asks an engine; with the states of a checkpoint, if there is one to resume.
    pub(crate) fn new(
        batch: Box<dyn Batch>,
        link: &'l mut dyn Link,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self, ExploreError> {
        let width = batch.row_width();
        let mut store = if options.fingerprint {
            let folder = options.spill.clone().unwrap_or_else(std::env::temp_dir);
            Store::Fingerprints(Box::new(Fingerprints::new(&folder, width)?))
        } else {
            Store::exact(width)
        };
        let (mut checkpoint, mut resumed) = (None, None);
        if let Some(checkpoints) = &options.checkpoints {
            let checkpoint = checkpoint.insert(Checkpoint::new(checkpoints, &store)?);
            if checkpoints.resume {
                resumed = checkpoint.resume(link, &mut store)?;
            }
        }
        Ok(Worker {
            judged: (0..batch.roles().len()).collect(),
            expander: Expander::new(batch, cancel),
            store,
            link,
            cycles: Cycles::Unknown,
            budget: options.budget,
            checkpoint,
            resumed,
            spill: options.spill.clone(),
            stopwatch: Stopwatch::start(),
            has_symmetry: options.symmetry.is_some(),
            observer: Arc::clone(&options.observer),
        })
    }

    /// Judges the goals of those roles only that want something.
    pub(crate) fn judge(&mut self, maximal: &[MaximalGoal]) {
        self.judged.retain(|&role| maximal[role].is_judged);
    }

    /// Whether passes after the search should be given up. They may take as long again as the search.
    pub(crate) fn is_late(&self) -> bool {
        self.budget.time.is_some_and(|time| self.stopwatch.elapsed() >= time.saturating_mul(2))
    }

    /// Whether the observer wants to stop; only the first worker asks.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.link.me() == 0 && self.observer.is_cancelled()
    }

    /// Reports progress; only the first worker does.
    pub(crate) fn report(&self, progress: &Progress) {
        if self.link.me() == 0 {
            self.observer.progress(progress);
        }
    }

    /// Reports at which depth of a later pass it is, and how many states there are.
    pub(crate) fn report_pass(&self, stage: Stage, depth: usize, frontier: u64) {
        self.report(&Progress { stage, depth, frontier, ..Progress::default() });
    }
}
