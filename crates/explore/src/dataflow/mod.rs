//! The exploration on several processes, on one machine or on many, by timely dataflow: every worker of every process runs
//! the program that threads run, and states go to their owners through a dataflow that exchanges them by hash. A
//! round of the search is a time of the dataflow; its frontier tells when a round is over everywhere.
//!
//! `connect` makes the connections, and makes sure that all processes explore the same; `timely_link` is the way of a worker
//! through the dataflow. When a process is lost, all others end with [`ExploreError::LostProcess`], each by itself; what
//! checkpoints they have written stays as it is.

mod connect;
mod timely_link;

use std::net::{Shutdown, TcpStream};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

use groundrules_machine::Batch;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};
use timely::execute::execute_from;
use timely::worker::Worker;

use crate::error::ExploreError;
use crate::link::Link;
use crate::run::{NO_WORKER, first_of};
use timely_link::TimelyLink;

/// The processes of a run, as one of them sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Where each process listens, as host and port.
    pub addresses: Vec<String>,
    /// Which of them this is.
    pub process: usize,
    /// Workers of each process.
    pub threads: NonZeroUsize,
    /// What is explored, and how, as a number: processes that have another one are refused.
    pub digest: u64,
    /// How long to wait for the others at the beginning.
    pub patience: Duration,
}

/// Runs a program on the workers of all processes. Every process gets what its own first worker comes to; programs come to
/// the same on all workers.
pub fn on_processes<T: Send + 'static>(
    batch: &dyn Batch,
    cluster: &Cluster,
    program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Send + Sync + 'static,
) -> Result<T, ExploreError> {
    let sockets = connect::connect(cluster)?;
    let copies: Vec<TcpStream> =
        sockets.iter().flatten().filter_map(|socket| socket.try_clone().ok()).collect();
    watch_for_lost_processes();
    let (hooks, threads) = (Hooks::default(), cluster.threads.get());
    let within = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
    let fails = |why: String| cluster.unreachable(cluster.process, why);
    let (builders, guard) =
        initialize_networking_from_sockets(within, sockets, cluster.process, threads, hooks)
            .map_err(|cause| fails(cause.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let batches = Mutex::new((0..threads).map(|_| batch.fork()).collect::<Vec<_>>());
    let (sender, results) = channel();
    let work = move |worker: &mut Worker| {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut link = TimelyLink::new(worker, threads);
        let result = batch.map(|batch| catch_unwind(AssertUnwindSafe(|| program(batch, &mut link))));
        let result = result.and_then(Result::ok).unwrap_or(Err(NO_WORKER));
        let is_well = result.is_ok() && link.leave().is_ok();
        let _ = sender.send(result);
        if !is_well {
            // Whoever fails takes the others with it: they would wait for what never comes.
            copies.iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
            // To go on would be to take apart what is broken, and that panics.
            loop {
                thread::park();
            }
        }
    };
    let running = execute_from(builders, Box::new(guard), WorkerConfig::default(), work).map_err(fails)?;
    let results: Vec<Result<T, ExploreError>> = results.iter().take(threads).collect();
    if results.iter().all(Result::is_ok) {
        // What the threads came to has been told; that the last word of another process is missing does no harm.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(running)));
    } else {
        std::mem::forget(running);
    }
    first_of(results).map_err(|error| cluster.name_lost(error))
}

impl Cluster {
    fn unreachable(&self, process: usize, why: String) -> ExploreError {
        let address = self.addresses.get(process).cloned().unwrap_or_default();
        ExploreError::Unreachable { process, address, why }
    }

    /// Says which process it was when a worker was lost.
    fn name_lost(&self, error: ExploreError) -> ExploreError {
        let ExploreError::Lost(lost) = &error else { return error };
        let known = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
        let process = known.unwrap_or(lost.worker / self.threads);
        let address = self.addresses.get(process).cloned().unwrap_or_default();
        ExploreError::LostProcess { process, address }
    }
}

/// The process whose connection broke first.
static LOST: Mutex<Option<usize>> = Mutex::new(None);

/// Timely's threads end by a panic when a connection breaks. That is no fault of this program, so nothing is printed; the
/// name of the thread tells which process it was.
fn watch_for_lost_processes() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = thread::current();
            let name = thread.name().unwrap_or_default();
            let remote = ["timely:recv-", "timely:send-"].iter().find_map(|kind| name.strip_prefix(kind));
            if let Some(remote) = remote.and_then(|remote| remote.parse().ok()) {
                LOST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(remote);
            } else if !timely_link::is_stepping() {
                others(panic);
            }
        }));
    });
}
