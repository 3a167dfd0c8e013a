//! How workers communicate. All workers run the same program, each on the states that it owns; a state that a worker finds and
//! does not own goes to its owner. That happens in rounds: every worker sends, receives, and announces when it has sent
//! everything; a round is over when all have announced that and everything has arrived. Between rounds a worker may share a
//! few bytes with all.
//!
//! [`Local`] links the threads of one process, [`processes`](crate::processes) those of several.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{ExploreError, Lost};

/// A worker's way to the others.
pub(crate) trait Link {
    /// Which worker this is, from 0.
    fn me(&self) -> usize;

    /// The number of workers.
    fn peers(&self) -> usize;

    /// Whether this is the first worker of its process.
    fn leads(&self) -> bool {
        self.me() == 0
    }

    /// Sends words to a worker in this round.
    fn send(&mut self, to: usize, words: Vec<u64>) -> Result<(), Lost>;

    /// Takes words that have arrived, without waiting.
    fn take(&mut self) -> Result<Option<Vec<u64>>, Lost>;

    /// Says that nothing more is sent in this round, and waits for words; `None` when the round is over. It must be
    /// called until then.
    fn finish(&mut self) -> Result<Option<Vec<u64>>, Lost>;

    /// Gives some bytes to all and takes those of all, in the order of the workers. Between rounds only; all must do it.
    fn share(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost>;
}

/// Shares something with all workers.
pub(crate) fn gather<T: Serialize + DeserializeOwned>(
    link: &mut dyn Link,
    own: &T,
) -> Result<Vec<T>, ExploreError> {
    let bytes = serde_json::to_vec(own).expect("what workers share can be written");
    let all = link.share(bytes)?;
    assert_eq!(all.len(), link.peers(), "every worker shares something");
    let read = |(worker, bytes): (usize, Vec<u8>)| {
        let unreadable =
            |cause: serde_json::Error| ExploreError::Unreadable { worker, why: cause.to_string() };
        serde_json::from_slice(&bytes).map_err(unreadable)
    };
    all.into_iter().enumerate().map(read).collect()
}

enum Message {
    Words {
        round: u64,
        words: Vec<u64>,
    },
    /// All of a round has been sent.
    Done {
        round: u64,
        from: usize,
    },
    Shared {
        round: u64,
        from: usize,
        bytes: Vec<u8>,
    },
    Gone {
        worker: usize,
    },
}

/// Threads of one process.
pub(crate) struct Local {
    me: usize,
    others: Vec<Sender<Message>>,
    inbox: Receiver<Message>,
    round: u64,
    /// What has come for this round, or too early for it.
    words: VecDeque<Vec<u64>>,
    early: Vec<Message>,
    /// Who has sent all of this round.
    done: Vec<bool>,
    said_done: bool,
    /// Who is gone; no harm as long as it owes nothing.
    gone: Vec<bool>,
    /// Rounds of sharing, and what has come for this one.
    shares: u64,
    shared: Vec<Option<Vec<u8>>>,
}

impl Local {
    /// Links for so many threads.
    pub(crate) fn new(peers: usize) -> Vec<Local> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..peers.max(1)).map(|_| channel()).unzip();
        let local = |(me, inbox)| Local {
            me,
            others: senders.clone(),
            inbox,
            round: 0,
            words: VecDeque::new(),
            early: Vec::new(),
            done: vec![false; senders.len()],
            said_done: false,
            gone: vec![false; senders.len()],
            shares: 0,
            shared: vec![None; senders.len()],
        };
        receivers.into_iter().enumerate().map(local).collect()
    }

    fn post(&self, to: usize, message: Message) -> Result<(), Lost> {
        self.others[to].send(message).map_err(|_| Lost { worker: to })
    }

    fn accept(&mut self, message: Message) {
        match message {
            Message::Words { round, words } if round == self.round => self.words.push_back(words),
            Message::Done { round, from } if round == self.round => self.done[from] = true,
            Message::Shared { round, from, bytes } if round == self.shares => self.shared[from] = Some(bytes),
            Message::Gone { worker } => self.gone[worker] = true,
            early => self.early.push(early),
        }
    }

    fn accept_early(&mut self) {
        std::mem::take(&mut self.early).into_iter().for_each(|message| self.accept(message));
    }

    /// Waits for a message, unless somebody who owes one is gone: what it sent before has arrived by then.
    fn wait(&mut self, owes: impl Fn(&Self, usize) -> bool) -> Result<(), Lost> {
        if let Some(worker) = (0..self.peers()).find(|&worker| self.gone[worker] && owes(self, worker)) {
            return Err(Lost { worker });
        }
        let message = self.inbox.recv().map_err(|_| Lost { worker: self.me })?;
        self.accept(message);
        Ok(())
    }
}

impl Link for Local {
    fn me(&self) -> usize {
        self.me
    }

    fn peers(&self) -> usize {
        self.others.len()
    }

    fn send(&mut self, to: usize, words: Vec<u64>) -> Result<(), Lost> {
        self.post(to, Message::Words { round: self.round, words })
    }

    fn take(&mut self) -> Result<Option<Vec<u64>>, Lost> {
        loop {
            match self.inbox.try_recv() {
                Ok(message) => self.accept(message),
                Err(TryRecvError::Empty) => return Ok(self.words.pop_front()),
                Err(TryRecvError::Disconnected) => return Err(Lost { worker: self.me }),
            }
        }
    }

    fn finish(&mut self) -> Result<Option<Vec<u64>>, Lost> {
        if !std::mem::replace(&mut self.said_done, true) {
            for other in 0..self.peers() {
                self.post(other, Message::Done { round: self.round, from: self.me })?;
            }
        }
        loop {
            if let Some(words) = self.words.pop_front() {
                return Ok(Some(words));
            }
            if self.done.iter().all(|&done| done) {
                self.round += 1;
                self.done.fill(false);
                self.said_done = false;
                self.accept_early();
                return Ok(None);
            }
            self.wait(|link, worker| !link.done[worker])?;
        }
    }

    fn share(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost> {
        for other in 0..self.peers() {
            let (round, from, bytes) = (self.shares, self.me, bytes.clone());
            self.post(other, Message::Shared { round, from, bytes })?;
        }
        while self.shared.iter().any(Option::is_none) {
            self.wait(|link, worker| link.shared[worker].is_none())?;
        }
        let all = self.shared.iter_mut().map(|shared| shared.take().expect("all have shared")).collect();
        self.shares += 1;
        self.accept_early();
        Ok(all)
    }
}

impl Drop for Local {
    // A worker that leaves early, by an error or a panic, must not keep the others waiting. At the end nobody listens any more.
    fn drop(&mut self) {
        for other in 0..self.peers() {
            drop(self.post(other, Message::Gone { worker: self.me }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn everything_arrives_in_its_round() {
        let run = |mut link: Local| {
            for round in 0..50_u64 {
                for to in 0..link.peers() {
                    link.send(to, vec![round, link.me() as u64]).unwrap();
                }
                let mut got = Vec::new();
                got.extend(link.take().unwrap());
                while let Some(words) = link.finish().unwrap() {
                    got.push(words);
                }
                got.sort();
                assert_eq!(got, [vec![round, 0], vec![round, 1], vec![round, 2]]);
                let own = (round, link.me());
                let all = gather(&mut link, &own).unwrap();
                assert_eq!(all, [(round, 0), (round, 1), (round, 2)]);
            }
        };
        thread::scope(|scope| {
            Local::new(3).into_iter().for_each(|link| drop(scope.spawn(move || run(link))));
        });
    }

    #[test]
    fn who_goes_early_is_missed() {
        let mut links = Local::new(2);
        drop(links.pop());
        let mut link = links.pop().unwrap();
        assert!(link.finish().is_err());
    }
}
