//! Random bits for the lanes: a generalised feedback shift register with four taps, whose every bit position is a
//! generator of its own. A new vector of bits costs three exclusive ors and no shift, so every path (wide or portable)
//! computes the same bits at full width.
//!
//! The recurrence is xₙ = xₙ₋₁₃₇ ⊕ xₙ₋₂₅₆ ⊕ xₙ₋₄₃₉ ⊕ xₙ₋₅₂₁. Its characteristic polynomial is irreducible of degree 521, and
//! 2⁵²¹ − 1 is prime: the period is 2⁵²¹ − 1 from every beginning but zero. Four taps have none of the three-point
//! correlations that two taps are known for (Ziff 1998). The 64 positions of a word and the words of a block differ by
//! their beginnings, which SplitMix64 makes from the seed and the word's number; a word of lanes therefore sees the same
//! bits however many words are computed together.

use super::native::{Work, widely};
use super::vector::Vector;

/// How many vectors the generator remembers.
const DEGREE: usize = 521;
/// How many vectors can be made without using one that was just made.
const CHUNK: usize = 137;
/// How many chunks are made at once, at least.
const CHUNKS: usize = 7;

/// A source of vectors of random bits.
#[derive(Clone, Debug)]
pub(super) struct Generator<V> {
    /// The last vectors before those that are handed out, and these.
    vectors: Vec<V>,
    used: usize,
}

impl<V: Vector> Generator<V> {
    /// A generator that hands out at most `most` vectors at once, for the words from `first_word` on.
    pub(super) fn new(most: usize, seed: u64, first_word: usize) -> Self {
        let chunks = most.div_ceil(CHUNK).max(CHUNKS);
        let mut vectors = vec![V::default(); DEGREE + chunks * CHUNK];
        let len = vectors.len();
        for word in 0..V::WORDS {
            let mut mixer = SplitMix::of(seed, (first_word + word) as u64);
            for vector in &mut vectors[len - DEGREE..] {
                vector.words_mut()[word] = mixer.next();
            }
        }
        Generator { vectors, used: len }
    }

    /// The next vectors.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> &[V] {
        if self.used + count > self.vectors.len() {
            self.refill();
        }
        let start = self.used;
        self.used += count;
        &self.vectors[start..self.used]
    }

    #[inline(never)]
    fn refill(&mut self) {
        widely(V::WORDS, Renewal(&mut self.vectors));
        self.used = DEGREE;
    }
}

/// Makes new vectors behind the last ones, which come to the front.
struct Renewal<'v, V>(&'v mut [V]);

impl<V: Vector> Work for Renewal<'_, V> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        renew(self.0);
    }
}

#[inline(always)]
fn renew<V: Vector>(vectors: &mut [V]) {
    let len = vectors.len();
    vectors.copy_within(len - DEGREE.., 0);
    let mut start = DEGREE;
    while start + CHUNK <= len {
        let (old, new) = vectors.split_at_mut(start);
        let old = &old[start - DEGREE..];
        let (a, b) = (&old[DEGREE - 137..][..CHUNK], &old[DEGREE - 256..][..CHUNK]);
        let (c, d) = (&old[DEGREE - 439..][..CHUNK], &old[..CHUNK]);
        let new = &mut new[..CHUNK];
        let mut index = 0;
        while index < CHUNK {
            new[index] = a[index].xor(b[index]).xor(c[index].xor(d[index]));
            index += 1;
        }
        start += CHUNK;
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
