//! Turns states (one word holds 64 fluents of a state) into vectors (one word holds a fluent of 64 lanes), and back.

use super::native::{Work, widely};

/// The same as [`transpose`], on vectors as wide as the processor has, for callers that are not compiled for them.
#[inline]
pub(super) fn transpose_widely(square: &mut [u64; 64]) {
    widely(8, Transposition(square));
}

struct Transposition<'a>(&'a mut [u64; 64]);

impl Work for Transposition<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        transpose(self.0);
    }
}

/// Transposes a square of bits: bit `c` of word `r` becomes bit `r` of word `c`.
#[inline(always)]
pub(super) fn transpose(square: &mut [u64; 64]) {
    swap::<32>(square, 0x0000_0000_ffff_ffff);
    swap::<16>(square, 0x0000_ffff_0000_ffff);
    swap::<8>(square, 0x00ff_00ff_00ff_00ff);
    swap::<4>(square, 0x0f0f_0f0f_0f0f_0f0f);
    swap::<2>(square, 0x3333_3333_3333_3333);
    swap::<1>(square, 0x5555_5555_5555_5555);
}

/// Swaps the upper right and the lower left quarter of every square of `2 * HALF`. No iterators: all of it must become
/// plain instructions, on whole vectors of words.
#[inline(always)]
fn swap<const HALF: usize>(square: &mut [u64; 64], mask: u64) {
    let mut first = 0;
    while first < 64 {
        let mut row = first;
        while row < first + HALF {
            let swapped = (square[row] >> HALF ^ square[row + HALF]) & mask;
            square[row] ^= swapped << HALF;
            square[row + HALF] ^= swapped;
            row += 1;
        }
        first += 2 * HALF;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut square: [u64; 64] =
            std::array::from_fn(|row| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(row as u64 + 1));
        let before = square;
        let mut widely = square;
        transpose_widely(&mut widely);
        transpose(&mut square);
        assert_eq!(square, widely);
        for (row, word) in before.iter().enumerate() {
            for (column, other) in square.iter().enumerate() {
                assert_eq!(word >> column & 1, other >> row & 1);
            }
        }
    }
}
