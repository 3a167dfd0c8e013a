//! A worker's way through the dataflow: parcels of words go in with the number of the worker that they are for, and come out
//! there. Rounds are the times of the dataflow: a round is over when its probe has passed it, which it does when every
//! worker has moved on and every parcel has come out.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandleVec;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::probe::{Handle as ProbeHandle, Probe};
use timely::dataflow::operators::vec::Input;
use timely::worker::Worker;

use super::stream::Connections;
use crate::error::Lost;
use crate::link::Link;

/// A parcel: the worker that it is for, and words.
type Parcel = (u64, Vec<u64>);

/// Parcels that have come out, with their rounds.
type Inbox = Rc<RefCell<VecDeque<(u64, Vec<u64>)>>>;

/// How long a worker sleeps at most when nothing comes.
const NAP: Duration = Duration::from_millis(5);

/// A worker's way to the workers of all processes.
pub(super) struct TimelyLink<'w> {
    me: usize,
    peers: usize,
    /// Workers of each process.
    threads: usize,
    connections: Arc<Connections>,
    /// Nothing once the worker has left.
    inside: Option<Inside<'w>>,
    probe: ProbeHandle<u64>,
    inbox: Inbox,
    round: u64,
    is_finishing: bool,
}

struct Inside<'w> {
    worker: &'w mut Worker,
    input: InputHandleVec<u64, Parcel>,
}

impl<'w> TimelyLink<'w> {
    pub(super) fn new(worker: &'w mut Worker, threads: usize, connections: Arc<Connections>) -> Self {
        let mut input = InputHandleVec::new();
        let (probe, inbox) = (ProbeHandle::new(), Inbox::default());
        let (watched, arrived) = (probe.clone(), Rc::clone(&inbox));
        worker.dataflow::<u64, _, _>(|scope| {
            let to_owner = Exchange::new(|parcel: &Parcel| parcel.0);
            scope
                .input_from(&mut input)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to_owner, "deliver", move |_, _| {
                    move |parcels, _| {
                        parcels.for_each(|time, parcels| {
                            let round = *time.time();
                            let words = parcels.drain(..).map(|(_, words)| (round, words));
                            arrived.borrow_mut().extend(words);
                        });
                    }
                })
                .probe_with(&watched);
        });
        let (me, peers) = (worker.index(), worker.peers());
        let inside = Some(Inside { worker, input });
        TimelyLink { me, peers, threads, connections, inside, probe, inbox, round: 0, is_finishing: false }
    }

    /// Does something inside timely, unless a connection broke: what is waited for would never come then.
    fn with<R>(&mut self, act: impl FnOnce(&mut Inside<'w>) -> R) -> Result<R, Lost> {
        if let Some(process) = self.connections.lost() {
            return Err(Lost { worker: process * self.threads });
        }
        Ok(act(self.inside.as_mut().expect("a worker that has left does nothing more")))
    }

    /// The next parcel of this round that has come out. Those of the next one may be there already.
    fn pop(&mut self) -> Option<Vec<u64>> {
        let mut inbox = self.inbox.borrow_mut();
        let place = inbox.iter().position(|(round, _)| *round == self.round)?;
        inbox.remove(place).map(|(_, words)| words)
    }

    /// Says goodbye, and waits until all have: nobody takes the end of this process for a loss then.
    pub(super) fn leave(mut self) -> Result<(), Lost> {
        self.with(|inside| drop(mem::replace(&mut inside.input, InputHandleVec::new())))?;
        while self.with(|inside| inside.worker.has_dataflows())? {
            self.with(|inside| inside.worker.step_or_park(Some(NAP)))?;
        }
        // Nothing is left in it that would be missed.
        drop(self.inside.take());
        Ok(())
    }
}

impl Drop for TimelyLink<'_> {
    // Who goes without goodbye leaves everything as it is: others learn of it by the broken connection.
    fn drop(&mut self) {
        mem::forget(self.inside.take());
    }
}

impl Link for TimelyLink<'_> {
    fn me(&self) -> usize {
        self.me
    }

    fn peers(&self) -> usize {
        self.peers
    }

    fn leads(&self) -> bool {
        self.me.is_multiple_of(self.threads)
    }

    fn send(&mut self, to: usize, words: Vec<u64>) -> Result<(), Lost> {
        self.with(|inside| {
            inside.input.send((to as u64, words));
            inside.input.flush();
        })
    }

    fn take(&mut self) -> Result<Option<Vec<u64>>, Lost> {
        if let Some(words) = self.pop() {
            return Ok(Some(words));
        }
        self.with(|inside| inside.worker.step())?;
        Ok(self.pop())
    }

    fn finish(&mut self) -> Result<Option<Vec<u64>>, Lost> {
        let next = self.round + 1;
        if !mem::replace(&mut self.is_finishing, true) {
            self.with(|inside| inside.input.advance_to(next))?;
        }
        loop {
            if let Some(words) = self.pop() {
                return Ok(Some(words));
            }
            if !self.probe.less_than(&next) {
                self.round = next;
                self.is_finishing = false;
                return Ok(None);
            }
            self.with(|inside| inside.worker.step_or_park(Some(NAP)))?;
        }
    }

    fn share(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost> {
        let mut words = vec![self.me as u64, bytes.len() as u64];
        words.extend(bytes.chunks(8).map(to_word));
        for other in 0..self.peers {
            self.send(other, words.clone())?;
        }
        let mut shared = vec![None; self.peers];
        while let Some(words) = self.finish()? {
            let (from, bytes) = from_words(&words);
            shared[from] = Some(bytes);
        }
        // One that went early has sent nothing, and holds nobody up.
        let all = shared.into_iter().enumerate();
        all.map(|(worker, bytes)| bytes.ok_or(Lost { worker })).collect()
    }
}

fn to_word(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(whole)
}

/// Who shares, and what.
fn from_words(words: &[u64]) -> (usize, Vec<u8>) {
    let (&[from, len], words) = words.split_first_chunk().expect("a number, a length and bytes are shared");
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (from, len) = (from as usize, len as usize);
    assert_eq!(len.div_ceil(8), words.len(), "worker {from} has not shared all bytes");
    bytes.truncate(len);
    (from, bytes)
}
