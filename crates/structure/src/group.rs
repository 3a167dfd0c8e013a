//! A group of symmetries, listed, and what it does to packed states: every state has a canonical form, the same for all states that are
//! symmetric to it.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

/// What a symmetry does: for each fluent, move and role the one in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// By fluent.
    pub fluents: Vec<u32>,
    /// By move.
    pub moves: Vec<u32>,
    /// By role.
    pub roles: Vec<u32>,
}

impl Permutation {
    /// The one that changes nothing.
    #[must_use]
    pub fn identity(fluents: usize, moves: usize, roles: usize) -> Self {
        let all = |count: usize| (0..count as u32).collect();
        Permutation { fluents: all(fluents), moves: all(moves), roles: all(roles) }
    }

    /// First this one, then another.
    #[must_use]
    pub fn then(&self, other: &Permutation) -> Permutation {
        let through = |one: &[u32], other: &[u32]| one.iter().map(|&to| other[to as usize]).collect();
        Permutation {
            fluents: through(&self.fluents, &other.fluents),
            moves: through(&self.moves, &other.moves),
            roles: through(&self.roles, &other.roles),
        }
    }

    /// The one that takes everything back.
    #[must_use]
    pub fn inverse(&self) -> Permutation {
        let inverted = |images: &[u32]| {
            let mut inverse = vec![0; images.len()];
            images.iter().enumerate().for_each(|(from, &to)| inverse[to as usize] = from as u32);
            inverse
        };
        Permutation {
            fluents: inverted(&self.fluents),
            moves: inverted(&self.moves),
            roles: inverted(&self.roles),
        }
    }

    /// How often it has to be made until everything is back.
    pub fn order(&self) -> u64 {
        let cycles = [&self.fluents, &self.moves, &self.roles].map(|images| cycle_lengths(images));
        cycles.into_iter().flatten().fold(1, least_common_multiple)
    }

    /// Writes the image of a packed state, which has one bit per fluent.
    pub fn apply(&self, row: &[u64], image: &mut [u64]) {
        image.fill(0);
        for (word, &bits) in row.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let to = self.fluents[word * 64 + left.trailing_zeros() as usize] as usize;
                image[to / 64] |= 1 << (to % 64);
                left &= left - 1;
            }
        }
    }
}

fn cycle_lengths(images: &[u32]) -> Vec<u64> {
    let (mut lengths, mut is_seen) = (Vec::new(), vec![false; images.len()]);
    for first in 0..images.len() {
        let (mut length, mut at) = (0, first);
        while !std::mem::replace(&mut is_seen[at], true) {
            length += 1;
            at = images[at] as usize;
        }
        if length > 1 {
            lengths.push(length);
        }
    }
    lengths
}

fn least_common_multiple(one: u64, other: u64) -> u64 {
    let (mut divisor, mut rest) = (one, other);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one / divisor).saturating_mul(other)
}

/// A group of permutations, all of them listed, the identity first.
#[derive(Clone, Debug)]
pub struct Group {
    elements: Vec<Permutation>,
}

impl Group {
    /// The group that some permutations generate. If it has more than so many elements, only the identity is in it.
    pub(crate) fn generated(generators: &[Permutation], most: usize) -> Group {
        let Some(first) = generators.first() else { return Group { elements: Vec::new() } };
        let identity = Permutation::identity(first.fluents.len(), first.moves.len(), first.roles.len());
        let mut seen: HashSet<Permutation, FxBuildHasher> = HashSet::default();
        seen.insert(identity.clone());
        let (mut elements, mut next) = (vec![identity], 0);
        while next < elements.len() {
            for generator in generators {
                let product = elements[next].then(generator);
                if seen.insert(product.clone()) {
                    elements.push(product);
                }
            }
            if elements.len() > most {
                elements.truncate(1);
                break;
            }
            next += 1;
        }
        Group { elements }
    }

    /// How many symmetries it has, the identity included.
    pub fn order(&self) -> usize {
        self.elements.len().max(1)
    }

    /// Its symmetries, the identity first; nothing where there is only that.
    pub fn elements(&self) -> &[Permutation] {
        &self.elements
    }

    /// Replaces a packed state by its canonical form: the least of the states symmetric to it. `memory` is for use.
    pub fn make_canonical(&self, row: &mut [u64], memory: &mut Vec<u64>) {
        memory.clear();
        memory.resize(2 * row.len(), 0);
        let (image, best) = memory.split_at_mut(row.len());
        best.copy_from_slice(row);
        for element in self.elements.iter().skip(1) {
            element.apply(row, image);
            if *image < *best {
                best.copy_from_slice(image);
            }
        }
        row.copy_from_slice(best);
    }

    /// A symmetry that maps one packed state to another, if there is one.
    pub fn between(&self, from: &[u64], to: &[u64]) -> Option<&Permutation> {
        let mut image = vec![0; from.len()];
        self.elements.iter().find(|element| {
            element.apply(from, &mut image);
            image == to
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_a_group() {
        let turn = Permutation { fluents: vec![1, 2, 3, 0], moves: vec![0], roles: vec![0] };
        let flip = Permutation { fluents: vec![1, 0, 3, 2], moves: vec![0], roles: vec![0] };
        assert_eq!((turn.order(), flip.order()), (4, 2));
        assert_eq!(turn.then(&turn.inverse()), Permutation::identity(4, 1, 1));
        let group = Group::generated(&[turn, flip], 100);
        assert_eq!(group.order(), 8);
        let mut classes = HashSet::new();
        for state in 0..16_u64 {
            let (mut row, mut memory) = ([state], Vec::new());
            group.make_canonical(&mut row, &mut memory);
            assert_eq!(row[0].count_ones(), state.count_ones());
            assert!(group.between(&[state], &row).is_some());
            classes.insert(row[0]);
        }
        // Necklaces of four beads in two colours.
        assert_eq!(classes.len(), 6);
    }
}
