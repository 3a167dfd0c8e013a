//! Numbers and texts as flat bytes, for what is kept beyond the life of the program. Numbers are stored in four bytes,
//! lists with their length before them. Reading never panics and never reserves more memory than there are bytes: bytes
//! that are not what was written give `None`, and whoever reads checks what the numbers mean.

use crate::index::index32;

/// Writes.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    /// Nothing yet.
    pub fn new() -> Self {
        Packer::default()
    }

    /// A number.
    pub fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// A large number.
    pub fn long(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// How long something is, or where it is.
    pub fn index(&mut self, index: usize) {
        self.number(index32(index, "things to be written"));
    }

    /// A list of numbers.
    pub fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.index(numbers.len());
        self.bytes.reserve(4 * numbers.len());
        numbers.for_each(|number| self.number(number));
    }

    /// A list of yes and no.
    pub fn flags(&mut self, flags: impl ExactSizeIterator<Item = bool>) {
        self.index(flags.len());
        self.bytes.extend(flags.map(u8::from));
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.index(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what a [`Packer`] wrote, in the same order.
#[derive(Clone, Debug)]
pub struct Unpacker<'bytes> {
    bytes: &'bytes [u8],
}

impl<'bytes> Unpacker<'bytes> {
    /// Reads these bytes.
    pub fn new(bytes: &'bytes [u8]) -> Self {
        Unpacker { bytes }
    }

    /// A number.
    pub fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*number))
    }

    /// A large number.
    pub fn long(&mut self) -> Option<u64> {
        let (number, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// How long something is, or where it is.
    pub fn index(&mut self) -> Option<usize> {
        self.number().map(|number| number as usize)
    }

    /// A list of numbers.
    pub fn numbers(&mut self) -> Option<impl ExactSizeIterator<Item = u32> + Clone + use<'bytes>> {
        let bytes = self.index()?.checked_mul(4)?;
        let numbers = self.take(bytes)?.as_chunks::<4>().0;
        Some(numbers.iter().map(|number| u32::from_le_bytes(*number)))
    }

    /// A list of numbers that are all below a bound.
    pub fn numbers_below(
        &mut self,
        bound: usize,
    ) -> Option<impl ExactSizeIterator<Item = u32> + Clone + use<'bytes>> {
        let numbers = self.numbers()?;
        let largest = numbers.clone().fold(0, u32::max);
        (numbers.len() == 0 || (largest as usize) < bound).then_some(numbers)
    }

    /// Where the parts of a list of this length end, the last one at its end.
    pub fn ends(&mut self, length: usize) -> Option<Vec<u32>> {
        let ends: Vec<u32> = self.numbers()?.collect();
        let whole = ends.last().map_or(0, |&end| end as usize) == length;
        (whole && ends.is_sorted()).then_some(ends)
    }

    /// A list of yes and no.
    pub fn flags(&mut self) -> Option<Vec<bool>> {
        let length = self.index()?;
        let flags = self.take(length)?;
        flags.iter().all(|&flag| flag < 2).then(|| flags.iter().map(|&flag| flag == 1).collect())
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'bytes str> {
        let length = self.index()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes are left: a list whose items take a byte or more is not longer.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    fn take(&mut self, length: usize) -> Option<&'bytes [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut packer = Packer::new();
        packer.number(7);
        packer.long(1 << 40);
        packer.numbers([1, 2, 3].into_iter());
        packer.flags([true, false].into_iter());
        packer.text("word");
        packer.into_bytes()
    }

    type Read = (u32, u64, Vec<u32>, Vec<bool>, String);

    fn read(bytes: &[u8]) -> Option<Read> {
        let mut from = Unpacker::new(bytes);
        let read =
            (from.number()?, from.long()?, from.numbers()?.collect(), from.flags()?, from.text()?.to_owned());
        from.is_empty().then_some(read)
    }

    #[test]
    fn what_was_written_is_read() {
        let expected = (7, 1 << 40, vec![1, 2, 3], vec![true, false], "word".to_owned());
        assert_eq!(read(&written()), Some(expected));
    }

    #[test]
    fn whatever_is_cut_off_is_missed() {
        let whole = written();
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "the first {length} bytes");
        }
        assert_eq!(read(&[&whole[..], &[0]].concat()), None);
    }

    #[test]
    fn lengths_that_cannot_be_reserve_nothing() {
        let huge = [u32::MAX.to_le_bytes(), [0; 4]].concat();
        assert!(Unpacker::new(&huge).numbers().is_none());
        assert!(Unpacker::new(&huge).flags().is_none());
        assert!(Unpacker::new(&huge).text().is_none());
    }

    #[test]
    fn what_numbers_mean_is_checked() {
        let mut packer = Packer::new();
        packer.numbers([3, 1].into_iter());
        let bytes = packer.into_bytes();
        assert!(Unpacker::new(&bytes).numbers_below(4).is_some());
        assert!(Unpacker::new(&bytes).numbers_below(3).is_none());
        assert!(Unpacker::new(&bytes).ends(1).is_none(), "they do not ascend");
    }
}
