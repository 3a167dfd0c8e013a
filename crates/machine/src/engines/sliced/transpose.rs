//! Turns states (one word holds 64 fluents of a state) into vectors (one word holds a fluent of 64 lanes), and back.

/// Transposes a square of bits: bit `c` of word `r` becomes bit `r` of word `c`.
pub(super) fn transpose(square: &mut [u64; 64]) {
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    let mut half = 32;
    while half > 0 {
        for row in (0..64).filter(|row| row & half == 0) {
            let swapped = (square[row] >> half ^ square[row + half]) & mask;
            square[row] ^= swapped << half;
            square[row + half] ^= swapped;
        }
        half /= 2;
        mask ^= mask << half;
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
        transpose(&mut square);
        for (row, word) in before.iter().enumerate() {
            for (column, other) in square.iter().enumerate() {
                assert_eq!(word >> column & 1, other >> row & 1);
            }
        }
    }
}
