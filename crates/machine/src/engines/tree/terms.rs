//! Interned nested terms, for arguments that can grow without bound. Equal terms of a domain have equal numbers, in
//! every machine forked from the same one: numbers are given out by one table under a lock, and each machine reads a
//! copy of its own, which it completes when it meets a number that it does not know.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::index::index32;

use super::domains::DomainId;

/// A term: its domain, its name's number there, and its arguments.
#[derive(Clone, Copy, Debug)]
struct Entry {
    domain: DomainId,
    name: u32,
    start: usize,
    len: u32,
    depth: u32,
}

#[derive(Clone, Debug)]
struct Store {
    entries: Vec<Entry>,
    arguments: Vec<u32>,
    numbers: HashTable<u32>,
}

fn hash(domain: DomainId, name: u32, arguments: &[u32]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    hasher.write_u32(domain);
    hasher.write_u32(name);
    arguments.iter().for_each(|&argument| hasher.write_u32(argument));
    hasher.finish()
}

impl Store {
    fn new() -> Self {
        // The number 0 is the empty symbol's.
        let nothing = Entry { domain: DomainId::MAX, name: 0, start: 0, len: 0, depth: 0 };
        Store { entries: vec![nothing], arguments: Vec::new(), numbers: HashTable::new() }
    }

    fn arguments(&self, term: u32) -> &[u32] {
        match self.entries.get(term as usize) {
            Some(entry) => &self.arguments[entry.start..entry.start + entry.len as usize],
            None => &[],
        }
    }

    fn find(&self, domain: DomainId, name: u32, arguments: &[u32]) -> Option<u32> {
        let same = |&term: &u32| {
            let entry = &self.entries[term as usize];
            entry.domain == domain && entry.name == name && self.arguments(term) == arguments
        };
        self.numbers.find(hash(domain, name, arguments), same).copied()
    }

    fn add(&mut self, domain: DomainId, name: u32, arguments: &[u32], depth: u32) -> u32 {
        let new = index32(self.entries.len());
        let len = index32(arguments.len());
        self.entries.push(Entry { domain, name, start: self.arguments.len(), len, depth });
        self.arguments.extend_from_slice(arguments);
        let (entries, cells) = (&self.entries, &self.arguments);
        self.numbers.insert_unique(hash(domain, name, arguments), new, |&term| {
            let entry = &entries[term as usize];
            hash(entry.domain, entry.name, &cells[entry.start..entry.start + entry.len as usize])
        });
        new
    }

    /// Adds what another store has beyond this one.
    fn complete(&mut self, from: &Store) {
        for term in self.entries.len()..from.entries.len() {
            let entry = from.entries[term];
            let end = entry.start + entry.len as usize;
            self.add(entry.domain, entry.name, &from.arguments[entry.start..end], entry.depth);
        }
    }
}

/// The terms that a machine knows.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    known: Store,
    all: Arc<Mutex<Store>>,
}

impl Terms {
    pub(super) fn new() -> Self {
        Terms { known: Store::new(), all: Arc::new(Mutex::new(Store::new())) }
    }

    /// The number of a term. `nested` says which arguments are interned terms themselves: their depth counts.
    pub(super) fn intern(&mut self, domain: DomainId, name: u32, arguments: &[u32], nested: &[bool]) -> u32 {
        if let Some(term) = self.known.find(domain, name, arguments) {
            return term;
        }
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        self.known.complete(&all);
        drop(all);
        if let Some(term) = self.known.find(domain, name, arguments) {
            return term;
        }
        let depths = arguments.iter().zip(nested).filter(|&(_, &nested)| nested);
        let depth = depths.map(|(&argument, _)| self.depth(argument) + 1).max().unwrap_or(0);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.find(domain, name, arguments).is_none() {
            all.add(domain, name, arguments, depth);
        }
        self.known.complete(&all);
        drop(all);
        self.known.find(domain, name, arguments).expect("the term was added")
    }

    /// Learns the terms up to a number that came from another machine.
    pub(super) fn learn(&mut self, term: u32) {
        if term as usize >= self.known.entries.len() {
            let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            self.known.complete(&all);
        }
    }

    /// The number of a term's name in its domain.
    pub(super) fn name(&self, term: u32) -> u32 {
        self.known.entries.get(term as usize).map_or(0, |entry| entry.name)
    }

    pub(super) fn arguments(&self, term: u32) -> &[u32] {
        self.known.arguments(term)
    }

    /// How deep interned terms nest in this one.
    pub(super) fn depth(&self, term: u32) -> u32 {
        self.known.entries.get(term as usize).map_or(0, |entry| entry.depth)
    }

    /// About how many bytes this takes.
    pub(super) fn bytes(&self) -> usize {
        let store = &self.known;
        store.entries.capacity() * size_of::<Entry>()
            + store.arguments.capacity() * 4
            + store.numbers.capacity() * 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_agree_on_numbers() {
        let mut one = Terms::new();
        let nil = one.intern(0, 1, &[], &[]);
        let mut two = one.clone();
        let a = one.intern(0, 2, &[7, nil], &[false, true]);
        let b = two.intern(0, 2, &[8, nil], &[false, true]);
        assert_eq!(two.intern(0, 2, &[7, nil], &[false, true]), a);
        one.learn(b);
        assert_eq!((one.arguments(b), one.name(b), one.depth(b)), (&[8, nil][..], 2, 1));
        assert_eq!(one.intern(0, 2, &[8, nil], &[false, true]), b);
    }
}
