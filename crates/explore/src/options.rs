//! How a game is explored: on what, within which budget, and what is kept.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use groundrules_structure::Group;

use crate::budget::{Budget, Observer, Silent};
use crate::checkpoint::Checkpoints;
use crate::processes::Cluster;

/// How a game is explored. By default on one thread, exactly, in memory, and without a limit.
#[derive(Clone)]
pub struct Options {
    /// Workers of this process, each on a thread of its own.
    pub threads: NonZeroUsize,
    /// What the search may spend.
    pub budget: Budget,
    /// Whether states are identified by 64-bit fingerprints: less memory, and a small
    /// [probability of error](crate::error_probability).
    pub fingerprint: bool,
    /// The folder for states that do not fit into memory. Without one the search stops at its memory budget. Fingerprints need
    /// one; the default is the system's folder for temporary files.
    pub spill: Option<PathBuf>,
    /// Checkpoints, from which a later run can resume.
    pub checkpoints: Option<Checkpoints>,
    /// The processes that explore together, if there are several.
    pub cluster: Option<Cluster>,
    /// Symmetries that keep all roles: of states that they map to each other one is visited. They need an engine with one bit per
    /// fluent in its order, `net` or `sliced`.
    pub symmetry: Option<Arc<Group>>,
    /// Receives progress reports.
    pub observer: Arc<dyn Observer>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: NonZeroUsize::MIN,
            budget: Budget::default(),
            fingerprint: false,
            spill: None,
            checkpoints: None,
            cluster: None,
            symmetry: None,
            observer: Arc::new(Silent),
        }
    }
}
