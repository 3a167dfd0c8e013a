//! Classes of things that only ever occur together, by refining a partition.

use rustc_hash::FxHashMap;

use crate::index::index32;

/// Things in classes.
pub(super) struct Classes {
    /// The class of each thing.
    pub(super) of: Vec<u32>,
    /// The things of each class, ascending.
    pub(super) members: Vec<Vec<u32>>,
}

impl Classes {
    /// The classes of so many things: two are in one class if every set has both of them or neither. No set has a thing twice.
    pub(super) fn refined<'s>(things: usize, sets: impl Iterator<Item = &'s [u32]>) -> Classes {
        let mut of = vec![0; things];
        let mut sizes = vec![things];
        let mut touched: FxHashMap<u32, usize> = FxHashMap::default();
        for set in sets {
            touched.clear();
            for &thing in set {
                *touched.entry(of[thing as usize]).or_default() += 1;
            }
            // Classes of which the set has only a part are split; the part becomes a class of its own.
            let mut parts: FxHashMap<u32, u32> = FxHashMap::default();
            for &thing in set {
                let class = of[thing as usize];
                let count = touched.get(&class).copied().unwrap_or(0);
                if count == 0 || (count == sizes[class as usize] && !parts.contains_key(&class)) {
                    continue;
                }
                let part = *parts.entry(class).or_insert_with(|| {
                    sizes.push(0);
                    index32(sizes.len() - 1)
                });
                of[thing as usize] = part;
                sizes[class as usize] -= 1;
                sizes[part as usize] += 1;
            }
        }
        let mut members = vec![Vec::new(); sizes.len()];
        of.iter().enumerate().for_each(|(thing, &class)| members[class as usize].push(index32(thing)));
        Classes { of, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_always_occurs_together_is_one_class() {
        let sets: [&[u32]; 4] = [&[0, 1, 2, 5], &[3, 4], &[0, 1, 4, 3], &[2, 5, 6]];
        let classes = Classes::refined(8, sets.into_iter());
        let mut found: Vec<&Vec<u32>> = classes.members.iter().filter(|class| !class.is_empty()).collect();
        found.sort();
        assert_eq!(found, [&vec![0, 1], &vec![2, 5], &vec![3, 4], &vec![6], &vec![7]]);
        for (class, members) in classes.members.iter().enumerate() {
            assert!(members.iter().all(|&thing| classes.of[thing as usize] as usize == class));
        }
    }
}
