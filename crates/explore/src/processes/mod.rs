//! The exploration on several processes, on one machine or on many, by timely dataflow: every worker of every process runs
//! the program that threads run, and states go to their owners through a dataflow that exchanges them by hash. A
//! round of the search is a time of the dataflow; its frontier tells when a round is over everywhere.
//!
//! `connect` makes the connections, and makes sure that all processes explore the same; `stream` notices when one breaks;
//! `timely_link` is the way of a worker through the dataflow. When a process is lost, all others end with
//! [`ExploreError::LostProcess`], each by itself; the checkpoints that they have written stay as they are.

mod connect;
mod stream;
mod timely_link;

use std::net::{Shutdown, TcpStream};
use std::num::NonZeroUsize;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use groundrules_machine::Batch;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};
use timely::execute::execute_from;
use timely::worker::Worker;

use crate::digest::{Digest, GameId};
use crate::error::ExploreError;
use crate::link::Link;
use crate::run::{caught, first_of};
use stream::{Connections, WatchedStream};
use timely_link::TimelyLink;

/// The processes of a run, as one of them sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Where each process listens, as host and port.
    pub addresses: Vec<String>,
    /// Which of them this is.
    pub process: usize,
    /// What is explored: processes that explore another game are refused.
    pub game: GameId,
    /// How long to wait for the others at the beginning.
    pub patience: Duration,
}

/// Runs a program on the workers of all processes, as many threads in each. Every process gets what its own first worker comes
/// to; programs come to the same on all workers. `digest` tells what is explored, and how: processes that have another one
/// are refused.
pub(crate) fn on_processes<T: Send + 'static>(
    batch: &dyn Batch,
    cluster: &Cluster,
    threads: NonZeroUsize,
    digest: Digest,
    program: impl Fn(Box<dyn Batch>, &mut dyn Link) -> Result<T, ExploreError> + Send + Sync + 'static,
) -> Result<T, ExploreError> {
    let fails = |why: String| cluster.unreachable(cluster.process, why);
    let sockets = connect::connect(cluster, threads, digest)?;
    let copies = sockets.iter().flatten().map(TcpStream::try_clone).collect::<Result<Vec<_>, _>>();
    let copies = copies.map_err(|cause| fails(cause.to_string()))?;
    let connections = Arc::new(Connections::default());
    let watch = |(process, socket): (usize, Option<TcpStream>)| {
        socket.map(|socket| WatchedStream::new(socket, process, Arc::clone(&connections)))
    };
    let sockets = sockets.into_iter().enumerate().map(watch).collect();
    let (hooks, threads) = (Hooks::default(), threads.get());
    let within = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
    let (builders, guard) =
        initialize_networking_from_sockets(within, sockets, cluster.process, threads, hooks)
            .map_err(|cause| fails(cause.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let batches = Mutex::new((0..threads).map(|_| batch.fork()).collect::<Vec<_>>());
    let (sender, results) = channel();
    let watched = Arc::clone(&connections);
    let work = move |worker: &mut Worker| {
        let mut link = TimelyLink::new(worker, threads, Arc::clone(&watched));
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let batch = batch.expect("timely starts as many workers as there are threads");
        let index = link.me();
        let result = caught(index, || program(batch, &mut link));
        // What was found stays found when another process is lost at the very end.
        let is_well = result.is_ok() && link.leave().is_ok();
        if !is_well {
            // A process that fails ends the others: they would wait for ever. A connection that cannot be shut
            // down is broken already.
            copies.iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
        }
        // The receiver is there until every worker has sent its result.
        drop(sender.send((result, is_well)));
        if !is_well {
            // Timely would wait for a dataflow that never ends.
            loop {
                thread::park();
            }
        }
    };
    let running = execute_from(builders, Box::new(guard), WorkerConfig::default(), work).map_err(fails)?;
    let (results, well): (Vec<_>, Vec<bool>) = results.iter().take(threads).unzip();
    if well.into_iter().all(|is_well| is_well) {
        connections.close();
        drop(running);
    } else {
        // Its threads wait for good; to join them would be to wait with them.
        std::mem::forget(running);
    }
    first_of(results).map_err(|error| cluster.name_lost(error, threads))
}

impl Cluster {
    fn unreachable(&self, process: usize, why: String) -> ExploreError {
        ExploreError::Unreachable { process, address: self.addresses[process].clone(), why }
    }

    /// Says which process it was when a worker was lost.
    fn name_lost(&self, error: ExploreError, threads: usize) -> ExploreError {
        let ExploreError::Lost(lost) = &error else { return error };
        let process = lost.worker / threads;
        ExploreError::LostProcess { process, address: self.addresses[process].clone() }
    }
}
