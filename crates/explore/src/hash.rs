//! The hash of a packed state. It decides which worker owns the state, where it stands in a table, and it is the fingerprint
//! where only that is kept. All processes of a run must agree on it, whatever computer and compiler they have, so it is
//! XXH3 with 64 bits, which is specified and will not change. Nothing on disk depends on it: a checkpoint has whole states.

use xxhash_rust::xxh3::xxh3_64;

/// The hash of a row: of its words as bytes, the lowest first.
#[inline]
pub(crate) fn hash(row: &[u64]) -> u64 {
    if cfg!(target_endian = "little") {
        return xxh3_64(bytemuck::cast_slice(row));
    }
    let bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Which of some workers owns the states of a hash. Tables use the upper half, so this uses the lower.
#[inline]
pub(crate) fn owner(hash: u64, peers: usize) -> usize {
    (((hash & 0xffff_ffff) * peers as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_specification() {
        // Reference values of XXH3_64bits: no input, and the bytes 0 to 7 and 0 to 15.
        assert_eq!(hash(&[]), 0x2d06_8005_38d3_94c2);
        let words = [0, 8].map(|first| u64::from_le_bytes(std::array::from_fn(|byte| first + byte as u8)));
        assert_eq!(hash(&words[..1]), 0x3a1c_2d7c_85af_88f8);
        assert_eq!(hash(&words), 0x8355_e3a6_f617_70db);
    }
}
