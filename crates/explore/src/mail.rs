//! Brings rows to their owners: own rows are delivered at once, others travel in parcels. With each row go some words more,
//! as many as a round wants. Delivery is in blocks, so that whoever takes the rows can look many up together.

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::hash::{hash, owner};
use crate::link::Link;

/// Words in a parcel, about.
const PARCEL: usize = 1 << 13;

/// Rows that arrived, with their hashes and the words that came with them.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    /// The rows.
    pub rows: &'a Rows,
    /// Their hashes.
    pub hashes: &'a [u64],
    /// The words with them, the same number for each.
    pub extras: &'a [u64],
}

/// Whoever takes deliveries.
pub type Take<'a> = dyn FnMut(Delivery<'_>) -> Result<(), ExploreError> + 'a;

/// The mail of a worker for one kind of rounds.
pub struct Mail {
    /// Words that go with each row.
    extra: usize,
    parcels: Vec<Vec<u64>>,
    hashes: Vec<u64>,
    /// Own rows, and rows that arrived, while they are sorted out.
    own: Rows,
    own_hashes: Vec<u64>,
    own_extras: Vec<u64>,
}

impl Mail {
    /// Mail for rows of so many words, if it is always the same number, each with some words more.
    pub fn new(peers: usize, width: Option<usize>, extra: usize) -> Self {
        Mail {
            extra,
            parcels: vec![Vec::new(); peers],
            hashes: Vec::new(),
            own: Rows::new(width),
            own_hashes: Vec::new(),
            own_extras: Vec::new(),
        }
    }

    /// How many words a row has, if it is always the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        self.own.width()
    }

    /// Sends rows to their owners; own ones are delivered.
    pub fn send(
        &mut self,
        link: &mut dyn Link,
        rows: &Rows,
        extras: &[u64],
        take: &mut Take<'_>,
    ) -> Result<(), ExploreError> {
        self.hashes.clear();
        self.hashes.extend(rows.iter().map(hash));
        let (me, peers) = (link.me(), link.peers());
        if peers == 1 {
            return take(Delivery { rows, hashes: &self.hashes, extras });
        }
        self.clear_own();
        for (index, &hash) in self.hashes.iter().enumerate() {
            let (row, to) = (rows.row(index), owner(hash, peers));
            let extra = &extras[index * self.extra..(index + 1) * self.extra];
            if to == me {
                self.own.push(row);
                self.own_hashes.push(hash);
                self.own_extras.extend_from_slice(extra);
                continue;
            }
            let parcel = &mut self.parcels[to];
            if self.own.width().is_none() {
                parcel.push(row.len() as u64);
            }
            parcel.extend_from_slice(row);
            parcel.extend_from_slice(extra);
            if parcel.len() >= PARCEL {
                link.send(to, std::mem::replace(parcel, Vec::with_capacity(PARCEL + 64)))?;
            }
        }
        self.deliver_own(take)
    }

    /// Delivers what has arrived meanwhile.
    pub fn poll(&mut self, link: &mut dyn Link, take: &mut Take<'_>) -> Result<(), ExploreError> {
        while let Some(words) = link.take()? {
            self.open(&words, take)?;
        }
        Ok(())
    }

    /// Sends what is left and delivers until the round is over for all.
    pub fn finish(&mut self, link: &mut dyn Link, take: &mut Take<'_>) -> Result<(), ExploreError> {
        for (to, parcel) in self.parcels.iter_mut().enumerate() {
            if !parcel.is_empty() {
                link.send(to, std::mem::take(parcel))?;
            }
        }
        while let Some(words) = link.finish()? {
            self.open(&words, take)?;
        }
        Ok(())
    }

    fn clear_own(&mut self) {
        self.own.clear();
        self.own_hashes.clear();
        self.own_extras.clear();
    }

    fn deliver_own(&mut self, take: &mut Take<'_>) -> Result<(), ExploreError> {
        if self.own_hashes.is_empty() {
            return Ok(());
        }
        take(Delivery { rows: &self.own, hashes: &self.own_hashes, extras: &self.own_extras })
    }

    fn open(&mut self, words: &[u64], take: &mut Take<'_>) -> Result<(), ExploreError> {
        self.clear_own();
        let mut left = words;
        while !left.is_empty() {
            let width = match self.own.width() {
                Some(width) => width,
                None => {
                    let width = left[0] as usize;
                    left = &left[1..];
                    width
                }
            };
            // What another worker sent is whole; if not, the rest says nothing.
            let Some((row, rest)) = left.split_at_checked(width) else { break };
            let Some((extra, rest)) = rest.split_at_checked(self.extra) else { break };
            left = rest;
            self.own.push(row);
            self.own_hashes.push(hash(row));
            self.own_extras.extend_from_slice(extra);
        }
        self.deliver_own(take)
    }
}
