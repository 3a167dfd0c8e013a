//! Bits to bytes and bytes to bits, by the widest instructions of the processor: what lanes write for callers who want a byte
//! for each fluent and move, and how they read the moves made.

/// Writes bits as bytes, 0 or 1: for each lane the first `bits` bits of its words, row after row. Word `k` of lane `l` is
/// `squares[k][l]`.
///
/// # Panics
///
/// If `out` is not `lanes` rows of `bits` bytes, or the squares have fewer bits or lanes.
pub(in super::super) fn spread(squares: &[[u64; 64]], lanes: usize, bits: usize, out: &mut [u8]) {
    assert!(
        lanes <= 64 && bits <= squares.len() * 64 && out.len() == lanes * bits,
        "{lanes} lanes of {bits} bits from {} squares into {} bytes",
        squares.len(),
        out.len(),
    );
    platform::spread(squares, lanes, bits, out);
}

/// Finds which bytes have which value: bit `l` of `found[v]` is set where `bytes[l]` is `v`.
#[inline]
pub(in super::super) fn find(bytes: &[u8; 64], found: &mut [u64]) {
    platform::find(bytes, found);
}

/// Eight bits as eight bytes, the lowest bit first.
#[inline]
pub(in super::super) fn spread_byte(byte: u8) -> u64 {
    // Seven copies of the low seven bits, each moved so that one bit of it is the lowest of a byte; the eighth by itself.
    let low = u64::from(byte & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & 0x0001_0101_0101_0101;
    low | u64::from(byte >> 7) << 56
}

fn spread_plainly(squares: &[[u64; 64]], bits: usize, out: &mut [u8]) {
    for (lane, row) in out.chunks_exact_mut(bits.max(1)).enumerate() {
        for (word, part) in squares.iter().zip(row.chunks_mut(64)) {
            for (bytes, byte) in part.chunks_mut(8).zip(word[lane].to_le_bytes()) {
                bytes.copy_from_slice(&spread_byte(byte).to_le_bytes()[..bytes.len()]);
            }
        }
    }
}

fn find_plainly(bytes: &[u8; 64], found: &mut [u64]) {
    found.fill(0);
    for (lane, &byte) in bytes.iter().enumerate() {
        if let Some(lanes) = found.get_mut(usize::from(byte)) {
            *lanes |= 1 << lane;
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod platform {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
        _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_shuffle_epi8,
        _mm256_storeu_si256, _mm512_cmpeq_epi8_mask, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
        _mm512_maskz_mov_epi8, _mm512_set1_epi8,
    };

    fn has_bytes_512() -> bool {
        std::is_x86_feature_detected!("avx512bw") && super::super::has_512()
    }

    pub(super) fn spread(squares: &[[u64; 64]], lanes: usize, bits: usize, out: &mut [u8]) {
        if has_bytes_512() {
            // SAFETY: the features were detected; the caller has checked the lengths.
            unsafe { spread_512(squares, lanes, bits, out) }
        } else if super::super::has_256() {
            // SAFETY: the features were detected.
            unsafe { spread_256(squares, lanes, bits, out) }
        } else {
            super::spread_plainly(squares, bits, out);
        }
    }

    #[inline]
    pub(super) fn find(bytes: &[u8; 64], found: &mut [u64]) {
        if has_bytes_512() {
            // SAFETY: the features were detected.
            unsafe { find_512(bytes, found) }
        } else if super::super::has_256() {
            // SAFETY: the features were detected.
            unsafe { find_256(bytes, found) }
        } else {
            super::find_plainly(bytes, found);
        }
    }

    /// # Safety
    /// `out` must have `lanes` rows of `bits` bytes.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn spread_512(squares: &[[u64; 64]], lanes: usize, bits: usize, out: &mut [u8]) {
        let one = _mm512_set1_epi8(1);
        let first: *mut u8 = out.as_mut_ptr();
        for lane in 0..lanes {
            for (index, square) in squares.iter().enumerate() {
                let from = index * 64;
                if from >= bits {
                    break;
                }
                let here = u64::MAX >> (64 - (bits - from).min(64));
                let bytes: __m512i = _mm512_maskz_mov_epi8(square[lane], one);
                // SAFETY: only the bytes of `here` are written, and they are within the lane's row.
                unsafe { _mm512_mask_storeu_epi8(first.add(lane * bits + from).cast(), here, bytes) }
            }
        }
    }

    /// 32 bytes at once, and what is left of a row plainly.
    #[target_feature(enable = "avx2")]
    fn spread_256(squares: &[[u64; 64]], lanes: usize, bits: usize, out: &mut [u8]) {
        for (lane, row) in out.chunks_exact_mut(bits.max(1)).take(lanes).enumerate() {
            for (index, part) in row.chunks_mut(32).enumerate() {
                let half = (squares[index / 2][lane] >> (index % 2 * 32)) as u32;
                let bytes = bytes_of(half);
                part.copy_from_slice(&bytes[..part.len()]);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bytes_of(bits: u32) -> [u8; 32] {
        let which =
            _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
        let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(bits.cast_signed()), which);
        let set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, bit), bit);
        let ones: __m256i = _mm256_and_si256(set, _mm256_set1_epi8(1));
        let mut bytes = [0; 32];
        // SAFETY: there are 32 bytes.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), ones) }
        bytes
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn find_512(bytes: &[u8; 64], found: &mut [u64]) {
        // SAFETY: there are 64 bytes.
        let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        for (value, lanes) in (0_u8..).zip(found) {
            *lanes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(value.cast_signed()));
        }
    }

    #[target_feature(enable = "avx2")]
    fn find_256(bytes: &[u8; 64], found: &mut [u64]) {
        // SAFETY: there are 64 bytes.
        let (low, high) = unsafe {
            (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(bytes.as_ptr().add(32).cast()))
        };
        for (value, lanes) in (0_u8..).zip(found) {
            let value = _mm256_set1_epi8(value.cast_signed());
            let mask = |half| u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(half, value)).cast_unsigned());
            *lanes = mask(low) | mask(high) << 32;
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod platform {
    pub(super) fn spread(squares: &[[u64; 64]], _: usize, bits: usize, out: &mut [u8]) {
        super::spread_plainly(squares, bits, out);
    }

    pub(super) fn find(bytes: &[u8; 64], found: &mut [u64]) {
        super::find_plainly(bytes, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(index: u64) -> u64 {
        index
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    #[test]
    fn every_bit_becomes_its_byte() {
        for (bits, lanes) in [(0, 64), (1, 64), (8, 3), (63, 64), (64, 64), (86, 64), (86, 1), (129, 17)] {
            let squares: Vec<[u64; 64]> =
                (0..3).map(|square| std::array::from_fn(|lane| noise(square * 64 + lane as u64))).collect();
            let expected: Vec<u8> = (0..lanes)
                .flat_map(|lane| (0..bits).map(move |bit| (lane, bit)))
                .map(|(lane, bit)| (squares[bit / 64][lane] >> (bit % 64) & 1) as u8)
                .collect();
            let mut out = vec![7; lanes * bits];
            spread(&squares, lanes, bits, &mut out);
            assert_eq!(out, expected, "{bits} bits of {lanes} lanes");
            let mut plain = vec![7; lanes * bits];
            spread_plainly(&squares, bits, &mut plain);
            assert_eq!(plain, expected);
        }
    }

    #[test]
    fn every_value_is_found() {
        let bytes: [u8; 64] = std::array::from_fn(|lane| (noise(lane as u64) % 9) as u8);
        for values in [1, 8, 200] {
            let (mut found, mut plain) = (vec![1; values], vec![2; values]);
            find(&bytes, &mut found);
            find_plainly(&bytes, &mut plain);
            assert_eq!(found, plain);
            for (value, lanes) in found.iter().enumerate() {
                for (lane, &byte) in bytes.iter().enumerate() {
                    assert_eq!(lanes >> lane & 1 == 1, usize::from(byte) == value);
                }
            }
        }
    }
}
