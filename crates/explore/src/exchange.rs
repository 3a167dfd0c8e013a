//! Sends rows to their owners. A worker's own rows are delivered at once; others travel in large buffers. Each row
//! carries a fixed number of extra words per round. Rows are delivered in blocks, so that the receiver can look up many
//! of them together.

use groundrules_machine::Rows;

use crate::duplicates::RecentRows;
use crate::error::ExploreError;
use crate::hash::{hash, owner};
use crate::link::Link;

/// Words in a buffer, about.
const BUFFER: usize = 1 << 13;

/// Rows that arrived, with their hashes and the words that came with them.
#[derive(Clone, Copy)]
pub(crate) struct Delivery<'a> {
    /// The rows.
    pub(crate) rows: &'a Rows,
    /// Their hashes.
    pub(crate) hashes: &'a [u64],
    /// The words with them, the same number for each.
    pub(crate) extras: &'a [u64],
}

/// A receiver of deliveries.
pub(crate) type Take<'a> = dyn FnMut(Delivery<'_>) -> Result<(), ExploreError> + 'a;

/// A worker's side of the exchange of rows, for one kind of rounds.
pub(crate) struct Exchange {
    /// Words that go with each row.
    extra: usize,
    width: Option<usize>,
    /// What goes to each worker; own rows lie there until they are delivered.
    buffers: Vec<Buffer>,
    /// Memory of buffers that were opened, to be filled again.
    empty: Vec<Vec<u64>>,
    /// What need not be sent again, if that is so.
    recent: Option<RecentRows>,
    /// Rows that arrived, while they are sorted out.
    rows: Rows,
    hashes: Vec<u64>,
    extras: Vec<u64>,
}

/// Words on their way to a worker: of the words that lie there the first ones are meant.
#[derive(Clone, Default)]
struct Buffer {
    words: Vec<u64>,
    filled: usize,
    /// The hashes of rows that go alone, which own ones need not be hashed again for.
    hashes: Vec<u64>,
    hashed: usize,
}

impl Buffer {
    fn push(&mut self, words: &[u64]) {
        self.words.truncate(self.filled);
        self.words.extend_from_slice(words);
        self.filled = self.words.len();
    }

    /// Takes the words out and leaves others' memory.
    fn replace(&mut self, empty: Vec<u64>) -> Vec<u64> {
        let mut words = std::mem::replace(&mut self.words, empty);
        words.truncate(std::mem::take(&mut self.filled));
        self.hashed = 0;
        words
    }
}

impl Exchange {
    /// For rows of so many words, if it is always the same number, each with some words more.
    pub(crate) fn new(peers: usize, width: Option<usize>, extra: usize) -> Self {
        let rows = Rows::new(width);
        Exchange {
            extra,
            width: rows.width(),
            buffers: vec![Buffer::default(); peers],
            empty: Vec::new(),
            recent: None,
            rows,
            hashes: Vec::new(),
            extras: Vec::new(),
        }
    }

    /// For rows that say nothing new when they come again: those that were sent a moment ago may be left out.
    pub(crate) fn without_repetitions(peers: usize, width: Option<usize>) -> Self {
        let mut exchange = Exchange::new(peers, width, 0);
        exchange.recent = exchange.width.map(RecentRows::new);
        exchange
    }

    /// From now on rows that were sent before are to be sent again.
    pub(crate) fn forget(&mut self) {
        self.recent.iter_mut().for_each(RecentRows::forget);
    }

    /// How many words a row has, if it is always the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Sends rows to their owners; own ones are delivered.
    pub(crate) fn send(
        &mut self,
        link: &mut dyn Link,
        rows: &Rows,
        extras: &[u64],
        take: &mut Take<'_>,
    ) -> Result<(), ExploreError> {
        if link.peers() == 1 && self.recent.is_none() {
            self.hashes.clear();
            self.hashes.extend(rows.iter().map(hash));
            return take(Delivery { rows, hashes: &self.hashes, extras });
        }
        match (self.width, self.extra) {
            (Some(1), 0) => self.put_plain::<1>(rows, 1),
            (Some(2), 0) => self.put_plain::<2>(rows, 2),
            (Some(3), 0) => self.put_plain::<3>(rows, 3),
            (Some(4), 0) => self.put_plain::<4>(rows, 4),
            (Some(width), 0) => self.put_plain::<0>(rows, width),
            _ => self.put(rows, extras),
        }
        for to in 0..self.buffers.len() {
            let filled = self.buffers[to].filled;
            let is_own = to == link.me();
            if filled >= BUFFER || is_own && filled > 0 {
                let empty = self.empty.pop().unwrap_or_default();
                let words = self.buffers[to].replace(empty);
                if is_own {
                    self.open_own(to, words, take)?;
                } else {
                    link.send(to, words)?;
                }
            }
        }
        Ok(())
    }

    /// Puts rows into buffers, where they are of one width and go alone. Who gets a row and whether it is new is as good as
    /// random, so nothing here branches on it: every row is written, and counted or not. `WIDTH` is the width where the
    /// compiler should know it, else zero.
    fn put_plain<const WIDTH: usize>(&mut self, rows: &Rows, width: usize) {
        let width = if WIDTH == 0 { width } else { WIDTH };
        let peers = self.buffers.len();
        for buffer in &mut self.buffers {
            let room = buffer.filled + rows.len() * width;
            if buffer.words.len() < room {
                buffer.words.resize(room, 0);
            }
            let room = buffer.hashed + rows.len();
            if buffer.hashes.len() < room {
                buffer.hashes.resize(room, 0);
            }
        }
        for row in rows.words().chunks_exact(width) {
            let hash = hash(row);
            let is_new = self.recent.as_mut().is_none_or(|recent| recent.is_new::<WIDTH>(hash, row));
            let buffer = &mut self.buffers[owner(hash, peers)];
            let place = &mut buffer.words[buffer.filled..buffer.filled + width];
            place.iter_mut().zip(row).for_each(|(place, &word)| *place = word);
            buffer.hashes[buffer.hashed] = hash;
            buffer.filled += usize::from(is_new) * width;
            buffer.hashed += usize::from(is_new);
        }
    }

    /// Puts any rows into buffers, with what goes with them.
    fn put(&mut self, rows: &Rows, extras: &[u64]) {
        let peers = self.buffers.len();
        for (index, row) in rows.iter().enumerate() {
            let buffer = &mut self.buffers[owner(hash(row), peers)];
            if self.width.is_none() {
                buffer.push(&[row.len() as u64]);
            }
            buffer.push(row);
            buffer.push(&extras[index * self.extra..(index + 1) * self.extra]);
        }
    }

    /// Delivers what has arrived meanwhile.
    pub(crate) fn poll(&mut self, link: &mut dyn Link, take: &mut Take<'_>) -> Result<(), ExploreError> {
        while let Some(words) = link.take()? {
            self.open(words, take)?;
        }
        Ok(())
    }

    /// Sends what is left and delivers until the round is over for all.
    pub(crate) fn finish(&mut self, link: &mut dyn Link, take: &mut Take<'_>) -> Result<(), ExploreError> {
        for (to, buffer) in self.buffers.iter_mut().enumerate() {
            if buffer.filled > 0 {
                link.send(to, buffer.replace(Vec::new()))?;
            }
        }
        while let Some(words) = link.finish()? {
            self.open(words, take)?;
        }
        Ok(())
    }

    /// Delivers own rows, whose hashes are known if they go alone.
    fn open_own(&mut self, me: usize, words: Vec<u64>, take: &mut Take<'_>) -> Result<(), ExploreError> {
        let (Some(width), 0) = (self.width, self.extra) else { return self.open(words, take) };
        let rows = Rows::of_words(width, words);
        take(Delivery { rows: &rows, hashes: &self.buffers[me].hashes[..rows.len()], extras: &[] })?;
        self.keep(rows.into_words());
        Ok(())
    }

    /// Delivers the rows of a buffer: as they lie there, where nothing lies between them.
    fn open(&mut self, mut words: Vec<u64>, take: &mut Take<'_>) -> Result<(), ExploreError> {
        self.hashes.clear();
        if let (Some(width), 0) = (self.width, self.extra) {
            assert!(words.len().is_multiple_of(width), "{} words are no rows of {width}", words.len());
            let rows = Rows::of_words(width, words);
            self.hashes.extend(rows.iter().map(hash));
            take(Delivery { rows: &rows, hashes: &self.hashes, extras: &[] })?;
            words = rows.into_words();
        } else {
            self.sort_out(&words);
            take(Delivery { rows: &self.rows, hashes: &self.hashes, extras: &self.extras })?;
        }
        self.keep(words);
        Ok(())
    }

    /// Keeps the memory of a buffer for another.
    fn keep(&mut self, words: Vec<u64>) {
        if self.empty.len() <= self.buffers.len() {
            self.empty.push(words);
        }
    }

    fn sort_out(&mut self, words: &[u64]) {
        self.rows.clear();
        self.extras.clear();
        let mut left = words;
        while !left.is_empty() {
            let width = match self.width {
                Some(width) => width,
                None => {
                    let width = usize::try_from(left[0]).expect("a row fits into memory");
                    left = &left[1..];
                    width
                }
            };
            let (row, rest) = left.split_at(width);
            let (extra, rest) = rest.split_at(self.extra);
            left = rest;
            self.rows.push(row);
            self.hashes.push(hash(row));
            self.extras.extend_from_slice(extra);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Local;

    fn rows(width: Option<usize>, values: impl Iterator<Item = u64>) -> Rows {
        let mut rows = Rows::new(width);
        values.for_each(|value| rows.push(&[value, !value]));
        rows
    }

    /// What two workers get when each sends the same rows twice: row and word with it.
    fn delivered(make: fn() -> Exchange, width: Option<usize>, extra: usize) -> Vec<(u64, u64)> {
        let run = |mut link: Local| {
            let (mut exchange, mut got) = (make(), Vec::new());
            let mut take = |delivery: Delivery<'_>| {
                for (index, row) in delivery.rows.iter().enumerate() {
                    assert_eq!((row.len(), row[1]), (2, !row[0]));
                    assert_eq!(delivery.hashes[index], hash(row));
                    got.push((row[0], delivery.extras.get(index).copied().unwrap_or(0)));
                }
                Ok(())
            };
            for _ in 0..2 {
                let sent = rows(width, 0..10_000);
                let extras: Vec<u64> = (0..10_000 * extra as u64).map(|word| word + 5).collect();
                exchange.send(&mut link, &sent, &extras, &mut take).unwrap();
                exchange.poll(&mut link, &mut take).unwrap();
            }
            exchange.finish(&mut link, &mut take).unwrap();
            got
        };
        let mut all: Vec<(u64, u64)> = std::thread::scope(|scope| {
            let running: Vec<_> =
                Local::new(2).into_iter().map(|link| scope.spawn(move || run(link))).collect();
            running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.sort_unstable();
        all
    }

    #[test]
    fn every_row_arrives_with_what_goes_with_it() {
        let plain: Vec<(u64, u64)> = (0..10_000).flat_map(|value| [(value, 0); 4]).collect();
        assert_eq!(delivered(|| Exchange::new(2, Some(2), 0), Some(2), 0), plain);
        assert_eq!(delivered(|| Exchange::new(2, None, 0), None, 0), plain);
        let more: Vec<(u64, u64)> = (0..10_000).flat_map(|value| [(value, value + 5); 4]).collect();
        assert_eq!(delivered(|| Exchange::new(2, Some(2), 1), Some(2), 1), more);
        assert_eq!(delivered(|| Exchange::new(2, None, 1), None, 1), more);
    }

    #[test]
    fn of_rows_sent_again_at_least_one_arrives() {
        let mut all = delivered(|| Exchange::without_repetitions(2, Some(2)), Some(2), 0);
        assert!(all.len() < 40_000, "nothing was remembered");
        all.dedup();
        assert_eq!(all, (0..10_000).map(|value| (value, 0)).collect::<Vec<_>>());
    }
}
