//! A compact hash set of row numbers, keyed by the hashes of the rows: eight bytes per slot, the upper half of the hash
//! and the number. Slots are roughly in the order of the hashes, so the table grows in place, in one pass, without
//! reading the rows.
//!
//! Comparing the row behind a number with the one looked up is left to the caller.

/// The largest number, and at most how many slots there are.
const MOST: usize = u32::MAX as usize - 1;

/// Slots behind the last place, for what overflows there.
const MARGIN: usize = 32;

/// The table.
#[derive(Debug)]
pub(crate) struct Table {
    /// The tag and one more than the number; zero if empty.
    slots: Vec<u64>,
    /// How many places hashes are spread over.
    places: u64,
    len: usize,
}

/// No more numbers fit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// What stands at a slot.
pub(crate) enum Slot {
    /// Nothing.
    Empty,
    /// Something with another tag.
    Other,
    /// A number with the same tag.
    Like(usize),
}

impl Table {
    pub(crate) fn new() -> Self {
        let places = 1 << 10;
        Table { slots: vec![0; places + MARGIN], places: places as u64, len: 0 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// Where a hash is looked for first; the next slots follow.
    #[inline]
    pub(crate) fn place(&self, hash: u64) -> usize {
        (((hash >> 32) * self.places) >> 32) as usize
    }

    /// What stands at a slot, as it is stored; for reading many before any is needed.
    #[inline]
    pub(crate) fn raw(&self, place: usize) -> u64 {
        self.slots[place]
    }

    /// The first slot from a place on that is empty or has the tag of a hash. Until something is put into it, or behind it
    /// into an empty one, searches for the hash may begin there.
    #[inline]
    pub(crate) fn first(&self, mut place: usize, hash: u64) -> (usize, Slot) {
        loop {
            match self.slot(place, hash) {
                Slot::Other => place += 1,
                found => return (place, found),
            }
        }
    }

    /// What a stored slot means for a hash.
    #[inline]
    fn meaning(raw: u64, hash: u64) -> Slot {
        if raw == 0 {
            Slot::Empty
        } else if raw >> 32 == hash >> 32 {
            Slot::Like((raw as u32 - 1) as usize)
        } else {
            Slot::Other
        }
    }

    /// What stands at a slot; nothing behind the last.
    #[inline]
    pub(crate) fn slot(&self, place: usize, hash: u64) -> Slot {
        self.slots.get(place).map_or(Slot::Empty, |&raw| Self::meaning(raw, hash))
    }

    /// Puts a number into an empty slot. There must be room; see [`reserve`](Self::reserve).
    #[inline]
    pub(crate) fn put(&mut self, place: usize, hash: u64, number: usize) {
        let raw = hash >> 32 << 32 | (number as u64 + 1);
        match self.slots.get_mut(place) {
            Some(slot) => *slot = raw,
            None => self.slots.push(raw),
        }
        self.len += 1;
    }

    /// Makes room ahead of time if little is left, so that workers with about as many numbers each do it at the same time.
    pub(crate) fn prepare(&mut self) -> Result<(), Full> {
        self.reserve(self.len / 20)
    }

    /// Makes room for more numbers, so that at most eleven of sixteen places are taken: chains stay short then.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Full> {
        let needed = self.len + more;
        if needed >= MOST / 16 * 11 {
            return Err(Full);
        }
        // Sizes are always the same ones, so that workers with as many numbers have tables of the same size.
        let mut places = self.places as usize;
        while needed * 16 > places * 11 {
            places = (places / 2 * 3).min(MOST);
        }
        if places > self.places as usize {
            self.spread(places);
        }
        Ok(())
    }

    /// Spreads everything over so many more places, where it lies. Going backwards, a number's new place is hardly ever one
    /// that was not visited yet; those few numbers wait until the end.
    fn spread(&mut self, places: usize) {
        let old = self.slots.len();
        let slots = old.max(places + MARGIN);
        self.slots.reserve_exact(slots - old);
        self.slots.resize(slots, 0);
        self.places = places as u64;
        let mut waiting = Vec::new();
        for from in (0..old).rev() {
            let raw = std::mem::take(&mut self.slots[from]);
            if raw == 0 {
                continue;
            }
            match self.place(raw) {
                place if place >= from => self.put_raw(place, raw),
                _ => waiting.push(raw),
            }
        }
        for raw in waiting {
            self.put_raw(self.place(raw), raw);
        }
    }

    /// Puts a stored slot where it belongs.
    #[inline]
    fn put_raw(&mut self, mut place: usize, raw: u64) {
        while self.slots.get(place).is_some_and(|&other| other != 0) {
            place += 1;
        }
        match self.slots.get_mut(place) {
            Some(slot) => *slot = raw,
            None => self.slots.push(raw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(table: &Table, hash: u64, wanted: usize) -> (usize, bool) {
        let mut place = table.place(hash);
        loop {
            match table.slot(place, hash) {
                Slot::Empty => return (place, false),
                Slot::Like(number) if number == wanted => return (place, true),
                _ => place += 1,
            }
        }
    }

    #[test]
    fn what_was_put_is_found_however_the_table_grew() {
        let mut table = Table::new();
        // Every other number has a hash at the very end, where slots overflow.
        let hash = |number: usize| match number % 2 {
            0 => (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            _ => u64::MAX - ((number as u64 % 7) << 32),
        };
        for number in 0..3000 {
            table.reserve(1).unwrap();
            let (place, found) = find(&table, hash(number), number);
            assert!(!found);
            table.put(place, hash(number), number);
        }
        assert!((0..3000).all(|number| find(&table, hash(number), number).1));
        assert_eq!(table.reserve(usize::MAX / 2), Err(Full));
    }
}
