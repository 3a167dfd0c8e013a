//! Places in a text, in bytes here and in UTF-16 code units in a browser. Most descriptions are plain ASCII, where both are the same.

/// Converts places in one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offsets {
    bytes: usize,
    units: usize,
    /// Behind each character that is not ASCII: bytes and units before that place.
    wide: Vec<(usize, usize)>,
}

impl Offsets {
    pub(crate) fn of(text: &str) -> Self {
        let (mut units, mut wide) = (0, Vec::new());
        for (at, c) in text.char_indices() {
            units += c.len_utf16();
            if !c.is_ascii() {
                wide.push((at + c.len_utf8(), units));
            }
        }
        Offsets { bytes: text.len(), units, wide }
    }

    /// A place in bytes as units.
    pub(crate) fn units(&self, byte: usize) -> usize {
        let byte = byte.min(self.bytes);
        let (known, units) = self.before(|&(bytes, _)| bytes <= byte);
        (units + (byte - known)).min(self.units)
    }

    /// A place in units as bytes, at the beginning of a character.
    pub(crate) fn bytes(&self, unit: usize, text: &str) -> usize {
        let unit = unit.min(self.units);
        let (bytes, known) = self.before(|&(_, units)| units <= unit);
        let byte = (bytes + (unit - known)).min(self.bytes);
        (0..=byte).rev().find(|&byte| text.is_char_boundary(byte)).unwrap_or(0)
    }

    fn before(&self, is_before: impl Fn(&(usize, usize)) -> bool) -> (usize, usize) {
        let count = self.wide.partition_point(is_before);
        count.checked_sub(1).map_or((0, 0), |last| self.wide[last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_in_any_text() {
        let text = "(cell ä 𝄞) ; ✓ end";
        let offsets = Offsets::of(text);
        let mut units = 0;
        for (byte, c) in text.char_indices() {
            assert_eq!((offsets.units(byte), offsets.bytes(units, text)), (units, byte), "{c}");
            units += c.len_utf16();
        }
        assert_eq!(offsets.units(text.len() + 9), units);
        assert_eq!(offsets.bytes(units + 9, text), text.len());
    }
}
