//! The tuples of a predicate: rows of ground terms in one flat vector, each stored once, in the order in which they
//! were found. Rows are never removed one by one, so a range of row numbers is a set of tuples as of some moment;
//! semi-naive evaluation rests on that. Indexes over some of the columns are made when a join first asks for them. An
//! index chains the rows with the same key from the latest to the first, so a join may walk a chain while rows are added.

use std::hash::{BuildHasher, Hasher};

use groundrules_gdl::index::index32;
use groundrules_gdl::term::TermId;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The end of a chain.
pub(crate) const NONE: u32 = u32::MAX;

/// The tuples of one predicate.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    arity: usize,
    values: Vec<TermId>,
    count: u32,
    /// Row numbers by the hash of the whole row.
    rows: HashTable<u32>,
    indexes: Vec<Index>,
    /// The number of different values in each column, and of how many rows that was found.
    spread: Vec<(u32, u32)>,
}

/// The rows by the values of some columns.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[usize]>,
    /// The latest row of each key, by the hash of the key.
    latest: HashTable<u32>,
    /// For each row the one before it with the same key.
    before: Vec<u32>,
}

/// An index of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexId(usize);

fn hash(values: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    values.for_each(|value| hasher.write_u32(value.as_u32()));
    hasher.finish()
}

fn indexed(rows: usize) -> u32 {
    index32(rows, "rows of a table")
}

impl Table {
    pub(crate) fn new(arity: usize) -> Self {
        Table {
            arity,
            values: Vec::new(),
            count: 0,
            rows: HashTable::new(),
            indexes: Vec::new(),
            spread: vec![(0, 0); arity],
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    pub(crate) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.values[start..start + self.arity]
    }

    /// Takes every row out.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.rows.clear();
        self.count = 0;
        self.spread.fill((0, 0));
        for index in &mut self.indexes {
            index.latest.clear();
            index.before.clear();
        }
    }

    pub(crate) fn find(&self, tuple: &[TermId]) -> Option<u32> {
        self.rows.find(hash(tuple.iter().copied()), |&row| self.row(row) == tuple).copied()
    }

    /// Stores a tuple; gives its row and whether it is new.
    pub(crate) fn insert(&mut self, tuple: &[TermId]) -> (u32, bool) {
        let hashed = hash(tuple.iter().copied());
        let (arity, values) = (self.arity, &self.values);
        let at = |row: u32| &values[row as usize * arity..row as usize * arity + arity];
        if let Some(&row) = self.rows.find(hashed, |&row| at(row) == tuple) {
            return (row, false);
        }
        self.rows.insert_unique(hashed, self.count, |&row| hash(at(row).iter().copied()));
        self.values.extend_from_slice(tuple);
        let row = self.count;
        self.count = indexed(row as usize + 1);
        (row, true)
    }

    /// The index over some columns, in ascending order, made if need be.
    pub(crate) fn index(&mut self, columns: &[usize]) -> IndexId {
        let known = self.indexes.iter().position(|index| *index.columns == *columns);
        IndexId(known.unwrap_or_else(|| {
            let index = Index { columns: columns.into(), latest: HashTable::new(), before: Vec::new() };
            self.indexes.push(index);
            self.indexes.len() - 1
        }))
    }

    /// Brings an index up to date.
    pub(crate) fn refresh(&mut self, index: IndexId) {
        let (arity, values) = (self.arity, &self.values);
        let Index { columns, latest, before } = &mut self.indexes[index.0];
        let key = |row: u32| columns.iter().map(move |&column| values[row as usize * arity + column]);
        let filled = indexed(before.len());
        for row in filled..self.count {
            let hashed = hash(key(row));
            match latest.find_mut(hashed, |&other| key(other).eq(key(row))) {
                Some(last) => before.push(std::mem::replace(last, row)),
                None => {
                    before.push(NONE);
                    latest.insert_unique(hashed, row, |&row| hash(key(row)));
                }
            }
        }
    }

    /// The latest indexed row whose columns have the values of the key, or [`NONE`].
    pub(crate) fn latest(&self, index: IndexId, key: &[TermId]) -> u32 {
        let index = &self.indexes[index.0];
        let same = |&row: &u32| {
            let row = self.row(row);
            index.columns.iter().zip(key).all(|(&column, &value)| row[column] == value)
        };
        index.latest.find(hash(key.iter().copied()), same).copied().unwrap_or(NONE)
    }

    /// The row before another one with the same key, or [`NONE`].
    pub(crate) fn before(&self, index: IndexId, row: u32) -> u32 {
        self.indexes[index.0].before[row as usize]
    }

    /// About how many different values a column has.
    pub(crate) fn spread(&mut self, column: usize) -> u32 {
        let (found, rows) = self.spread[column];
        if rows > 0 && self.count < 2 * rows {
            return found;
        }
        let values = (0..self.count as usize).map(|row| self.values[row * self.arity + column].as_u32());
        let different: rustc_hash::FxHashSet<u32> = values.collect();
        let found = indexed(different.len());
        self.spread[column] = (found, self.count);
        found
    }

    /// About how many bytes this takes.
    pub(crate) fn bytes(&self) -> usize {
        let of_index = |index: &Index| index.before.capacity() * 4 + index.latest.capacity() * 5;
        self.values.capacity() * size_of::<TermId>()
            + self.rows.capacity() * 5
            + self.indexes.iter().map(of_index).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groundrules_gdl::symbol::Symbols;
    use groundrules_gdl::term::{Term, Terms};

    fn chain(table: &Table, index: IndexId, key: &[TermId]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut row = table.latest(index, key);
        while row != NONE {
            found.push(row);
            row = table.before(index, row);
        }
        found
    }

    #[test]
    fn tuples_are_stored_once_and_found_by_columns() {
        let (mut symbols, mut terms) = (Symbols::new(), Terms::new());
        let id: Vec<TermId> =
            (0..5).map(|i| terms.intern(Term::Constant(symbols.intern(&i.to_string())))).collect();
        let mut table = Table::new(2);
        let index = table.index(&[1]);
        assert_eq!(table.insert(&[id[0], id[1]]), (0, true));
        assert_eq!(table.insert(&[id[2], id[1]]), (1, true));
        table.refresh(index);
        assert_eq!(table.insert(&[id[0], id[1]]), (0, false));
        assert_eq!(table.insert(&[id[3], id[1]]), (2, true));
        assert_eq!(chain(&table, index, &[id[1]]), [1, 0], "an index is as of its last refreshing");
        table.refresh(index);
        assert_eq!(chain(&table, index, &[id[1]]), [2, 1, 0]);
        assert_eq!(chain(&table, index, &[id[4]]), [0u32; 0]);
        assert_eq!(table.find(&[id[3], id[1]]), Some(2));
        assert_eq!((table.spread(0), table.spread(1)), (3, 1));
        table.clear();
        assert_eq!(
            (table.len(), table.find(&[id[3], id[1]]), table.latest(index, &[id[1]])),
            (0, None, NONE)
        );
    }
}
