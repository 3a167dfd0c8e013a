//! What one gate computes at once: a vector of lanes, one bit each, in words of 64.

/// A vector of lanes.
pub(super) trait Vector: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// How many words of 64 lanes it has.
    const WORDS: usize;
    /// The words.
    fn words(&self) -> &[u64];
    /// The words, to write.
    fn words_mut(&mut self) -> &mut [u64];
    /// Word by word.
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self;

    /// The same in every lane.
    fn filled(value: bool) -> Self {
        let mut vector = Self::default();
        vector.words_mut().fill(if value { u64::MAX } else { 0 });
        vector
    }

    /// Both.
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The other and not this.
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| !a & b)
    }

    /// At least one.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Exactly one.
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    /// Whether no lane is set.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        let mut all = 0;
        for &word in self.words() {
            all |= word;
        }
        all == 0
    }

    /// How many lanes are set.
    #[inline(always)]
    fn count(&self) -> u64 {
        let mut count = 0;
        for &word in self.words() {
            count += u64::from(word.count_ones());
        }
        count
    }
}

/// 256 lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lanes256([u64; 4]);

/// 512 lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes512([u64; 8]);

macro_rules! vector {
    ($name:ident, $words:literal) => {
        impl Vector for $name {
            const WORDS: usize = $words;

            #[inline(always)]
            fn words(&self) -> &[u64] {
                &self.0
            }

            #[inline(always)]
            fn words_mut(&mut self) -> &mut [u64] {
                &mut self.0
            }

            #[inline(always)]
            fn zip(mut self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
                // No iterator: all of this must be inlined where wider instructions are allowed.
                let mut word = 0;
                while word < $words {
                    self.0[word] = join(self.0[word], other.0[word]);
                    word += 1;
                }
                self
            }
        }
    };
}

vector!(Lanes256, 4);
vector!(Lanes512, 8);
