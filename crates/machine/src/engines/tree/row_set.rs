//! Row sets: the rows of a relation as flat memory with a stride, each row once, in the order in which they came. Rows
//! are only ever taken out all at once, so "what is new since" is "the rows from here on", and clearing costs nothing:
//! indexes carry a generation, and what an earlier generation wrote counts as empty.
//!
//! Rows are hashed on the columns that queries use. A key becomes one number, its code: where the domains of the
//! columns are small the code is the place in the index, where the product fits 64 bits it is the key itself, and
//! only beyond that is it a hash that has to be verified against the row.

use super::coding::Coding;

/// The end of a chain of rows.
pub(super) const NONE: u32 = u32::MAX;

/// How many places an index may have that is addressed by the code itself.
const MOST_PLACES: u64 = 1 << 13;

/// Where the latest row with a code is found.
#[derive(Clone, Debug)]
enum Places {
    /// At the place of the code; generation above, row below.
    Direct(Vec<u64>),
    /// By open addressing.
    Hashed { entries: Vec<(u64, u64)>, used: usize },
    /// Nowhere: all rows are tried. Rows are not hashed on these columns.
    Scan,
}

/// The rows by the values of some columns.
#[derive(Clone, Debug)]
pub(super) struct Index {
    columns: Box<[usize]>,
    coding: Coding,
    places: Places,
    generation: u32,
    /// For each row the one before it with the same code; not kept where a code has at most one row.
    before: Vec<u32>,
    is_set: bool,
    /// How many rows are in the index.
    filled: u32,
}

#[inline]
fn entry(generation: u32, row: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(row)
}

#[inline]
fn row_of(entry: u64, generation: u32) -> u32 {
    // The generation stands in the upper half; the cast takes the lower.
    if (entry >> 32) as u32 == generation { entry as u32 } else { NONE }
}

#[inline]
fn slot_of(code: u64, slots: usize) -> usize {
    (code.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize & (slots - 1)
}

impl Index {
    fn new(columns: &[usize], sizes: &[u64], is_all: bool, hashed: bool) -> Self {
        let coding = Coding::of(columns.iter().map(|&column| sizes[column]));
        let places = match coding.codes {
            _ if !hashed => Places::Scan,
            Some(codes) if codes <= MOST_PLACES => Places::Direct(Vec::new()),
            _ => Places::Hashed { entries: Vec::new(), used: 0 },
        };
        Index {
            columns: columns.into(),
            is_set: is_all && coding.is_exact(),
            coding,
            places,
            generation: 1,
            before: Vec::new(),
            filled: 0,
        }
    }

    fn clear(&mut self) {
        self.filled = 0;
        self.before.clear();
        if let Places::Hashed { used, .. } = &mut self.places {
            *used = 0;
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            match &mut self.places {
                Places::Direct(places) => places.fill(0),
                Places::Hashed { entries, .. } => entries.fill((0, 0)),
                Places::Scan => {}
            }
            self.generation = 1;
        }
    }

    /// The latest row with a code; `len` is the number of rows.
    #[inline]
    pub(super) fn latest(&self, code: u64, len: u32) -> u32 {
        match &self.places {
            Places::Direct(places) => match places.get(code as usize) {
                Some(&entry) => row_of(entry, self.generation),
                None => NONE,
            },
            Places::Hashed { entries, .. } => {
                if entries.is_empty() {
                    return NONE;
                }
                let mut slot = slot_of(code, entries.len());
                loop {
                    let (found, entry) = entries[slot];
                    let row = row_of(entry, self.generation);
                    if row == NONE || found == code {
                        return row;
                    }
                    slot = (slot + 1) & (entries.len() - 1);
                }
            }
            Places::Scan => len.wrapping_sub(1),
        }
    }

    /// The row before another one with the same code.
    #[inline]
    pub(super) fn before(&self, row: u32) -> u32 {
        match self.places {
            Places::Scan => row.wrapping_sub(1),
            _ if self.is_set => NONE,
            _ => self.before[row as usize],
        }
    }

    /// Whether rows found by a code have to be compared with the key.
    pub(super) fn needs_comparing(&self) -> bool {
        matches!(self.places, Places::Scan) || !self.coding.is_exact()
    }

    /// Makes a row the latest with its code; gives the one that was.
    #[inline]
    fn put(&mut self, code: u64, row: u32) -> u32 {
        let new = entry(self.generation, row);
        match &mut self.places {
            Places::Direct(places) => {
                let place = code as usize;
                if places.len() <= place {
                    let codes = self.coding.codes.expect("direct places are for exact codes");
                    places.resize(codes as usize, 0);
                }
                row_of(std::mem::replace(&mut places[place], new), self.generation)
            }
            Places::Hashed { entries, used } => {
                if *used * 2 >= entries.len() {
                    grow(entries, self.generation);
                }
                let mut slot = slot_of(code, entries.len());
                loop {
                    let (found, entry) = entries[slot];
                    let row = row_of(entry, self.generation);
                    if row == NONE {
                        *used += 1;
                    }
                    if row == NONE || found == code {
                        entries[slot] = (code, new);
                        return row;
                    }
                    slot = (slot + 1) & (entries.len() - 1);
                }
            }
            Places::Scan => NONE,
        }
    }

    fn bytes(&self) -> usize {
        let places = match &self.places {
            Places::Direct(places) => places.capacity() * 8,
            Places::Hashed { entries, .. } => entries.capacity() * 16,
            Places::Scan => 0,
        };
        places + self.before.capacity() * 4
    }
}

fn grow(entries: &mut Vec<(u64, u64)>, generation: u32) {
    let larger = (entries.len() * 2).max(16);
    let old = std::mem::replace(entries, vec![(0, 0); larger]);
    for (code, entry) in old {
        if row_of(entry, generation) == NONE {
            continue;
        }
        let mut slot = slot_of(code, larger);
        while row_of(entries[slot].1, generation) != NONE {
            slot = (slot + 1) & (larger - 1);
        }
        entries[slot] = (code, entry);
    }
}

/// The rows of a relation.
#[derive(Clone, Debug)]
pub(super) struct RowSet {
    stride: usize,
    /// How many different values each column can have.
    sizes: Box<[u64]>,
    cells: Vec<u32>,
    len: u32,
    /// The first is over all columns and keeps rows from coming twice.
    indexes: Vec<Index>,
    hashed: bool,
}

impl RowSet {
    /// No rows yet. Without hashing, only whole rows are found without trying all of them.
    pub(super) fn new(sizes: &[u64], hashed: bool) -> Self {
        let columns: Vec<usize> = (0..sizes.len()).collect();
        let all = Index::new(&columns, sizes, true, true);
        RowSet {
            stride: sizes.len(),
            sizes: sizes.into(),
            cells: Vec::new(),
            len: 0,
            indexes: vec![all],
            hashed,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    #[inline]
    pub(super) fn row(&self, row: u32) -> &[u32] {
        let start = row as usize * self.stride;
        &self.cells[start..start + self.stride]
    }

    /// The rows in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len).map(|row| self.row(row))
    }

    /// Takes all the rows out.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.len = 0;
        self.indexes.iter_mut().for_each(Index::clear);
    }

    /// Takes all the rows out and gives the memory back.
    pub(super) fn release(&mut self) {
        self.clear();
        self.cells = Vec::new();
        for index in &mut self.indexes {
            index.before = Vec::new();
            match &mut index.places {
                Places::Direct(places) => *places = Vec::new(),
                Places::Hashed { entries, .. } => *entries = Vec::new(),
                Places::Scan => {}
            }
        }
    }

    /// Adds a row; says whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, row: &[u32]) -> bool {
        let code = self.indexes[0].coding.code_of(row);
        self.insert_coded(code, row)
    }

    /// Adds the rows of another set.
    pub(super) fn extend(&mut self, other: &RowSet) {
        for row in other.rows() {
            self.insert(row);
        }
    }

    /// Adds a row whose code over all columns is known; says whether it is new.
    #[inline]
    pub(super) fn insert_coded(&mut self, code: u64, row: &[u32]) -> bool {
        if self.find_coded(code, row) != NONE {
            return false;
        }
        let new = self.len;
        let latest = self.indexes[0].put(code, new);
        if !self.indexes[0].is_set {
            self.indexes[0].before.push(latest);
        }
        self.indexes[0].filled = new + 1;
        self.cells.extend_from_slice(row);
        self.len += 1;
        true
    }

    #[inline]
    fn find_coded(&self, code: u64, row: &[u32]) -> u32 {
        let index = &self.indexes[0];
        let mut found = index.latest(code, self.len);
        if index.coding.is_exact() {
            return found;
        }
        while found != NONE && self.row(found) != row {
            found = index.before(found);
        }
        found
    }

    /// The number of a row, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, row: &[u32]) -> u32 {
        self.find_coded(self.indexes[0].coding.code_of(row), row)
    }

    /// The index over some columns in ascending order, made if need be.
    pub(super) fn index_over(&mut self, columns: &[usize]) -> usize {
        if let Some(known) = self.indexes.iter().position(|index| *index.columns == *columns) {
            return known;
        }
        self.indexes.push(Index::new(columns, &self.sizes, false, self.hashed && !columns.is_empty()));
        self.indexes.len() - 1
    }

    /// How keys of an index become codes.
    pub(super) fn coding(&self, index: usize) -> &Coding {
        &self.indexes[index].coding
    }

    #[inline]
    pub(super) fn index(&self, index: usize) -> &Index {
        &self.indexes[index]
    }

    /// Brings an index up to date.
    #[inline]
    pub(super) fn refresh(&mut self, index: usize) {
        if self.indexes[index].filled < self.len {
            self.fill(index);
        }
    }

    fn fill(&mut self, index: usize) {
        let (cells, stride) = (&self.cells, self.stride);
        let index = &mut self.indexes[index];
        for row in index.filled..self.len {
            let start = row as usize * stride;
            let code = index.coding.code_at(&cells[start..start + stride], &index.columns);
            let latest = index.put(code, row);
            index.before.push(latest);
        }
        index.filled = self.len;
    }

    /// Exchanges the rows of two sets with the same columns.
    pub(super) fn swap_rows(&mut self, other: &mut RowSet) {
        std::mem::swap(&mut self.cells, &mut other.cells);
        std::mem::swap(&mut self.len, &mut other.len);
        std::mem::swap(&mut self.indexes[0], &mut other.indexes[0]);
        self.indexes[1..].iter_mut().for_each(Index::clear);
        other.indexes[1..].iter_mut().for_each(Index::clear);
    }

    /// Takes over the rows of another set with the same columns.
    pub(super) fn replace_rows(&mut self, other: &RowSet) {
        self.clear();
        self.extend(other);
    }

    /// How many different values a column has.
    pub(super) fn spread(&self, column: usize) -> usize {
        let mut values: Vec<u32> = self.rows().map(|row| row[column]).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    }

    /// About how many bytes this takes.
    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() * 4 + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(set: &RowSet, index: usize, key: &[u32]) -> Vec<u32> {
        let code = set.coding(index).code(key.iter().copied());
        let mut found = Vec::new();
        let mut row = set.index(index).latest(code, set.len());
        while row != NONE {
            found.push(row);
            row = set.index(index).before(row);
        }
        found
    }

    #[test]
    fn rows_come_once_and_are_found_by_columns() {
        for sizes in [[9, 9, 9], [1 << 20, 1 << 20, 1 << 20], [1 << 32, 1 << 32, 1 << 32]] {
            let mut set = RowSet::new(&sizes, true);
            let index = set.index_over(&[1]);
            for generation in 0..3 {
                assert!(set.insert(&[1, 2, 3]) && set.insert(&[2, 2, 3]) && !set.insert(&[1, 2, 3]));
                set.refresh(index);
                assert!(set.insert(&[3, 4, generation]));
                set.refresh(index);
                assert_eq!(chain(&set, index, &[2]), [1, 0], "{sizes:?}");
                assert_eq!(chain(&set, index, &[4]), [2]);
                assert_eq!(chain(&set, index, &[7]), [0u32; 0]);
                assert_eq!((set.find(&[2, 2, 3]), set.find(&[2, 3, 3])), (1, NONE));
                set.clear();
                assert_eq!((set.len(), set.find(&[2, 2, 3])), (0, NONE));
            }
        }
    }

    #[test]
    fn many_rows_grow_the_index() {
        let mut set = RowSet::new(&[1 << 32, 1 << 32], true);
        let index = set.index_over(&[0]);
        assert!((0..5000).all(|number| set.insert(&[number % 100, number])));
        set.refresh(index);
        assert_eq!(chain(&set, index, &[7]).len(), 50);
        assert!((0..5000).all(|number| set.find(&[number % 100, number]) == number));
    }

    #[test]
    fn without_hashing_all_rows_are_candidates() {
        let mut set = RowSet::new(&[9, 9], false);
        let index = set.index_over(&[0]);
        assert!(set.insert(&[1, 1]) && set.insert(&[2, 1]));
        assert!(set.index(index).needs_comparing());
        assert_eq!(chain(&set, index, &[1]), [1, 0]);
    }

    #[test]
    fn a_row_without_columns_holds_or_does_not() {
        let mut set = RowSet::new(&[], true);
        assert_eq!(set.find(&[]), NONE);
        assert!(set.insert(&[]) && !set.insert(&[]));
        assert_eq!(set.find(&[]), 0);
    }
}
