//! The tuples of a predicate: rows of ground terms in one flat vector, each stored once, in the order in which they
//! were found. Rows are never removed, so a range of row numbers is a set of tuples as of some moment; semi-naive
//! evaluation rests on that. Indexes over some of the columns are made when a join first asks for them and then kept up.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use groundrules_gdl::term::TermId;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The tuples of one predicate.
#[derive(Clone, Debug)]
pub(crate) struct Tuples {
    arity: usize,
    values: Vec<TermId>,
    count: u32,
    /// Row numbers by the hash of the whole row.
    rows: HashTable<u32>,
    indexes: Vec<Index>,
}

/// The rows by the values of some columns.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[usize]>,
    /// Groups by the hash of the key; a group's key is that of its first row.
    groups: HashTable<u32>,
    members: Vec<Vec<u32>>,
    /// How many rows are in the index.
    filled: u32,
}

/// An index of a predicate's tuples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexId(usize);

fn hash(values: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    values.for_each(|value| hasher.write_u32(value.as_u32()));
    hasher.finish()
}

impl Tuples {
    pub(crate) fn new(arity: usize) -> Self {
        Tuples { arity, values: Vec::new(), count: 0, rows: HashTable::new(), indexes: Vec::new() }
    }

    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    pub(crate) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.values[start..start + self.arity]
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
        self.count += 1;
        (self.count - 1, true)
    }

    /// The index over some columns, in ascending order, made if need be.
    pub(crate) fn index(&mut self, columns: &[usize]) -> IndexId {
        let known = self.indexes.iter().position(|index| *index.columns == *columns);
        IndexId(known.unwrap_or_else(|| {
            let index =
                Index { columns: columns.into(), groups: HashTable::new(), members: Vec::new(), filled: 0 };
            self.indexes.push(index);
            self.indexes.len() - 1
        }))
    }

    /// Brings every index up to date.
    pub(crate) fn refresh(&mut self) {
        let (arity, values) = (self.arity, &self.values);
        for index in &mut self.indexes {
            let Index { columns, groups, members, filled } = index;
            let key = |row: u32| columns.iter().map(move |&column| values[row as usize * arity + column]);
            for row in *filled..self.count {
                let same = |&group: &u32| {
                    members[group as usize].first().is_some_and(|&first| key(first).eq(key(row)))
                };
                match groups.find(hash(key(row)), same) {
                    Some(&group) => members[group as usize].push(row),
                    None => {
                        let group = u32::try_from(members.len()).unwrap_or(u32::MAX);
                        let rehash = |&group: &u32| {
                            members[group as usize].first().map_or(0, |&first| hash(key(first)))
                        };
                        groups.insert_unique(hash(key(row)), group, rehash);
                        members.push(vec![row]);
                    }
                }
            }
            *filled = self.count;
        }
    }

    /// The rows within a range whose indexed columns have the values of the key.
    pub(crate) fn lookup(&self, index: IndexId, key: &[TermId], range: &Range<u32>) -> &[u32] {
        let index = &self.indexes[index.0];
        let same = |&group: &u32| {
            let Some(&first) = index.members[group as usize].first() else { return false };
            let row = self.row(first);
            index.columns.iter().zip(key).all(|(&column, &value)| row[column] == value)
        };
        let Some(&group) = index.groups.find(hash(key.iter().copied()), same) else { return &[] };
        let members = &index.members[group as usize];
        // Members are in the order of their rows.
        let start = if range.start == 0 { 0 } else { members.partition_point(|&row| row < range.start) };
        let end = if range.end == self.count {
            members.len()
        } else {
            members.partition_point(|&row| row < range.end)
        };
        &members[start..end.max(start)]
    }

    /// About how many bytes this takes.
    pub(crate) fn bytes(&self) -> usize {
        let indexes: usize =
            self.indexes.iter().map(|index| index.filled as usize * 4 + index.members.len() * 32).sum();
        self.values.capacity() * 4 + self.rows.capacity() * 5 + indexes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groundrules_gdl::symbol::Symbols;
    use groundrules_gdl::term::{Term, Terms};

    #[test]
    fn tuples_are_stored_once_and_found_by_columns() {
        let (mut symbols, mut terms) = (Symbols::new(), Terms::new());
        let id: Vec<TermId> =
            (0..5).map(|i| terms.intern(Term::Constant(symbols.intern(&i.to_string())))).collect();
        let mut tuples = Tuples::new(2);
        let index = tuples.index(&[1]);
        assert_eq!(tuples.insert(&[id[0], id[1]]), (0, true));
        assert_eq!(tuples.insert(&[id[2], id[1]]), (1, true));
        tuples.refresh();
        assert_eq!(tuples.insert(&[id[0], id[1]]), (0, false));
        assert_eq!(tuples.insert(&[id[3], id[1]]), (2, true));
        assert_eq!(tuples.lookup(index, &[id[1]], &(0..2)), [0, 1]);
        tuples.refresh();
        assert_eq!(tuples.lookup(index, &[id[1]], &(1..3)), [1, 2]);
        assert_eq!(tuples.lookup(index, &[id[4]], &(0..3)), [0u32; 0]);
        assert_eq!(tuples.find(&[id[3], id[1]]), Some(2));
    }
}
