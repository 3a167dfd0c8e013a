//! Random bits for the lanes: a generalised feedback shift register with four taps, whose every bit position is a
//! generator of its own. A new vector of bits costs three exclusive ors and no shift, so every path (wide or portable)
//! computes the same bits at full width.
//!
//! The recurrence is xₙ = xₙ₋₁₃₇ ⊕ xₙ₋₂₅₆ ⊕ xₙ₋₄₃₉ ⊕ xₙ₋₅₂₁. Its characteristic polynomial is irreducible of degree 521, and
//! 2⁵²¹ − 1 is prime: the period is 2⁵²¹ − 1 from every beginning but zero. Four taps have none of the three-point
//! correlations that two taps are known for (Ziff 1998). The 64 positions of a word and the words of a block differ by
//! their beginnings, which SplitMix64 makes from the seed and the word's number; a word of lanes therefore sees the same
//! bits however many words are computed together.

use std::cell::Cell;
use std::ops::Range;

use super::native::{Work, widely};
use super::vector::Vector;

const LAGS: [usize; 4] = [137, 256, 439, 521];
/// How many vectors the generator remembers at least.
const DEGREE: usize = 521;

/// A source of vectors of random bits.
#[derive(Clone, Debug)]
pub(super) struct Generator<V> {
    /// The last vectors, a ring that is renewed as a whole.
    ring: Vec<V>,
    taken: Range<usize>,
}

impl<V: Vector> Generator<V> {
    /// A generator that hands out `cycle` vectors again and again, in portions, for the words from `first_word` on.
    pub(super) fn new(cycle: usize, seed: u64, first_word: usize) -> Self {
        let cycle = cycle.max(1);
        let mut ring = vec![V::default(); DEGREE.div_ceil(cycle) * cycle];
        let len = ring.len();
        for word in 0..V::WORDS {
            let mut mixer = SplitMix::of(seed, (first_word + word) as u64);
            for vector in &mut ring[len - DEGREE..] {
                vector.words_mut()[word] = mixer.next();
            }
        }
        Generator { ring, taken: len..len }
    }

    /// Takes the next vectors, no more than a cycle has.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) {
        let mut start = self.taken.end;
        if start + count > self.ring.len() {
            renew_widely(&mut self.ring);
            start = 0;
        }
        self.taken = start..start + count;
    }

    /// The vectors that were taken last.
    #[inline(always)]
    pub(super) fn taken(&self) -> &[V] {
        &self.ring[self.taken.clone()]
    }
}

#[inline(never)]
fn renew_widely<V: Vector>(ring: &mut [V]) {
    widely(V::WORDS, Renewal(ring));
}

/// Replaces all vectors of a ring by the next ones.
struct Renewal<'v, V>(&'v mut [V]);

impl<V: Vector> Work for Renewal<'_, V> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let cells = Cell::from_mut(self.0).as_slice_of_cells();
        let mut start = 0;
        // Between these ends every lag reaches either into what is new or into what is old.
        for end in LAGS.into_iter().chain([cells.len()]) {
            renew(cells, start..end);
            start = end;
        }
    }
}

#[inline(always)]
fn renew<V: Vector>(ring: &[Cell<V>], range: Range<usize>) {
    let len = range.len();
    let from = |lag: usize| {
        let start = if range.start >= lag { range.start - lag } else { range.start + ring.len() - lag };
        &ring[start..start + len]
    };
    let (a, b, c, d) = (from(LAGS[0]), from(LAGS[1]), from(LAGS[2]), from(LAGS[3]));
    let new = &ring[range.clone()];
    let mut index = 0;
    while index < len {
        let value = a[index].get().xor(b[index].get()).xor(c[index].get().xor(d[index].get()));
        new[index].set(value);
        index += 1;
    }
}

/// Steele, Lea and Flood's generator, which spreads a seed over many words.
struct SplitMix(u64);

impl SplitMix {
    fn of(seed: u64, stream: u64) -> Self {
        let mut mixer = SplitMix(seed);
        let start = mixer.next();
        let mut mixer = SplitMix(start ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        mixer.next();
        mixer
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}
