//! Random bits for the lanes: a generalised feedback shift register with four taps, whose every bit position is a
//! generator of its own. A new vector of bits costs three exclusive ors and no shift, so every path (wide or portable)
//! computes the same bits at full width.
//!
//! The recurrence is xₙ = xₙ₋₁₃₇ ⊕ xₙ₋₂₅₆ ⊕ xₙ₋₄₃₉ ⊕ xₙ₋₅₂₁. Its characteristic polynomial is irreducible of degree 521, and
//! 2⁵²¹ − 1 is prime: the period is 2⁵²¹ − 1 from every beginning but zero. Four taps have none of the three-point
//! correlations that two taps are known for (Ziff 1998). The 64 positions of a word and the words of a block differ by
//! their beginnings, which SplitMix64 makes from the seed and the word's number; a word of lanes therefore sees the same
//! bits however many words are computed together.

use super::native::widely;
use super::vector::Vector;

const LAGS: [usize; 4] = [137, 256, 439, 521];
/// How many vectors the generator remembers at least.
const DEGREE: usize = 521;

/// A source of vectors of random bits.
#[derive(Clone, Debug)]
pub(super) struct Generator<V> {
    /// The last vectors, oldest first once it was filled: a ring that is rewritten as a whole.
    ring: Vec<V>,
    used: usize,
}

impl<V: Vector> Generator<V> {
    /// A generator that hands out at most `most` vectors at once, for the words from `first_word` on.
    pub(super) fn new(most: usize, seed: u64, first_word: usize) -> Self {
        let mut ring = vec![V::default(); most.max(DEGREE)];
        let len = ring.len();
        for word in 0..V::WORDS {
            let mut mixer = SplitMix::of(seed, (first_word + word) as u64);
            for vector in &mut ring[len - DEGREE..] {
                vector.words_mut()[word] = mixer.next();
            }
        }
        Generator { ring, used: len }
    }

    /// The next vectors.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> &[V] {
        if self.used + count > self.ring.len() {
            self.refill();
        }
        let start = self.used;
        self.used += count;
        &self.ring[start..self.used]
    }

    fn refill(&mut self) {
        let ring = &mut self.ring[..];
        widely(V::WORDS, || renew(ring));
        self.used = 0;
    }
}

/// Replaces all the vectors of a ring by the next ones.
#[inline(always)]
fn renew<V: Vector>(ring: &mut [V]) {
    let len = ring.len();
    for index in 0..len {
        let at = |lag: usize| if index >= lag { index - lag } else { index + len - lag };
        let [a, b, c, d] = LAGS.map(|lag| ring[at(lag)]);
        ring[index] = a.xor(b).xor(c.xor(d));
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
