//! The bodies of one head without duplicates and subsumed ones: a rule whose body contains the body of another rule for
//! the same head is redundant.

use std::ops::Range;

/// The bodies of one head.
#[derive(Default)]
pub(crate) struct Bodies {
    head: u32,
    literals: Vec<u32>,
    bodies: Vec<Range<usize>>,
    /// Where the bodies begin that are being written.
    open: usize,
}

/// Beyond so many bodies of one head only equal ones are looked for.
const MOST_COMPARED: usize = 300;

impl Bodies {
    /// No bodies yet for a head; the room of those for another one is used again.
    pub(crate) fn restart(&mut self, head: u32) {
        self.head = head;
        self.literals.clear();
        self.bodies.clear();
        self.open = 0;
    }

    /// The head.
    pub(crate) fn head(&self) -> u32 {
        self.head
    }

    /// A body begins.
    pub(crate) fn begin(&mut self) {
        self.open = self.bodies.len();
        let start = self.literals.len();
        self.bodies.push(start..start);
    }

    /// Adds a literal to the body that was begun.
    pub(crate) fn add(&mut self, literal: u32) {
        self.literals.push(literal);
        if let Some(body) = self.bodies.last_mut() {
            body.end += 1;
        }
    }

    /// The body that was begun becomes several, each with one of some literals more.
    pub(crate) fn multiply(&mut self, choices: &[u32]) {
        let open: Vec<Range<usize>> = self.bodies.drain(self.open..).collect();
        for &choice in choices {
            for body in &open {
                let start = self.literals.len();
                self.literals.extend_from_within(body.clone());
                self.literals.push(choice);
                self.bodies.push(start..self.literals.len());
            }
        }
    }

    /// The body that was begun is none.
    pub(crate) fn drop_last(&mut self) {
        self.bodies.truncate(self.open);
        self.literals.truncate(self.bodies.last().map_or(0, |body| body.end));
    }

    /// The body that was begun is none of these; gives its literals in order.
    pub(crate) fn take_last(&mut self) -> Vec<u32> {
        let mut literals =
            self.bodies.last().map_or_else(Vec::new, |body| self.literals[body.clone()].to_vec());
        self.drop_last();
        literals.sort_unstable();
        literals.dedup();
        literals
    }

    /// The body that was begun is complete. What contradicts itself, or needs its own head, is none.
    pub(crate) fn end(&mut self) {
        let head = self.head;
        let mut kept = self.open;
        for place in self.open..self.bodies.len() {
            let body = self.bodies[place].clone();
            let literals = &mut self.literals[body.clone()];
            literals.sort_unstable();
            let mut length = 0;
            for index in 0..literals.len() {
                if length == 0 || literals[length - 1] != literals[index] {
                    literals[length] = literals[index];
                    length += 1;
                }
            }
            let is_none = literals[..length].windows(2).any(|pair| pair[0] ^ 1 == pair[1])
                || literals[..length].contains(&(head << 1));
            if !is_none {
                self.bodies[kept] = body.start..body.start + length;
                kept += 1;
            }
        }
        self.bodies.truncate(kept);
    }

    /// The bodies that matter.
    pub(crate) fn finish(&mut self) -> impl Iterator<Item = &[u32]> + use<'_> {
        let literals = &self.literals;
        self.bodies.sort_unstable_by(|a, b| {
            let (a, b) = (&literals[a.clone()], &literals[b.clone()]);
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        });
        self.bodies.dedup_by(|a, b| literals[a.clone()] == literals[b.clone()]);
        if self.bodies.len() > 1 && self.bodies.len() <= MOST_COMPARED {
            drop_subsumed(literals, &mut self.bodies);
        } else if self.bodies.first().is_some_and(Range::is_empty) {
            self.bodies.truncate(1);
        }
        self.bodies.iter().map(|body| &literals[body.clone()])
    }
}

/// Drops the bodies that contain another one. They are in the order of their lengths.
fn drop_subsumed(literals: &[u32], bodies: &mut Vec<Range<usize>>) {
    let signature = |body: &Range<usize>| {
        literals[body.clone()]
            .iter()
            .fold(0u64, |bits, literal| bits | 1 << (literal.wrapping_mul(0x9E37_79B1) >> 26))
    };
    let signatures: Vec<u64> = bodies.iter().map(signature).collect();
    let mut kept: Vec<usize> = Vec::with_capacity(bodies.len());
    for place in 0..bodies.len() {
        let larger = &literals[bodies[place].clone()];
        let is_subsumed = kept.iter().any(|&other| {
            signatures[other] & !signatures[place] == 0 && is_subset(&literals[bodies[other].clone()], larger)
        });
        if !is_subsumed {
            kept.push(place);
        }
    }
    *bodies = kept.into_iter().map(|place| bodies[place].clone()).collect();
}

/// Whether every literal of a sorted body is in another one.
pub(crate) fn is_subset(smaller: &[u32], larger: &[u32]) -> bool {
    let mut rest = larger.iter();
    smaller.len() <= larger.len() && smaller.iter().all(|literal| rest.any(|other| other == literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bodies: &[&[u32]]) -> Vec<Vec<u32>> {
        let mut store = Bodies::default();
        store.restart(100);
        for body in bodies {
            store.begin();
            body.iter().for_each(|&literal| store.add(literal));
            store.end();
        }
        store.finish().map(<[u32]>::to_vec).collect()
    }

    #[test]
    fn what_says_more_than_another_goes() {
        assert_eq!(kept(&[&[6, 2], &[2], &[8, 6, 8]]), [vec![2], vec![6, 8]]);
        assert_eq!(kept(&[&[2, 4], &[4, 2, 2]]), [vec![2, 4]]);
        assert_eq!(kept(&[&[], &[4]]), [Vec::<u32>::new()]);
    }

    #[test]
    fn contradictions_and_circles_go() {
        assert_eq!(kept(&[&[2, 3], &[200, 4], &[4, 7]]), [vec![4, 7]]);
    }

    #[test]
    fn choices_multiply() {
        let mut store = Bodies::default();
        store.restart(100);
        store.begin();
        store.add(2);
        store.multiply(&[4, 6]);
        store.end();
        store.begin();
        store.add(8);
        store.drop_last();
        assert_eq!(store.finish().map(<[u32]>::to_vec).collect::<Vec<_>>(), [vec![2, 4], vec![2, 6]]);
    }
}
