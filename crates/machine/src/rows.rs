//! Packed states in flat memory, one row of words each. Searches keep and exchange millions of them. If all states of
//! an engine have the same number of words, rows have a fixed width and need no further data; otherwise their ends are
//! stored as well.

/// Packed states, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    words: Vec<u64>,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// A fixed number of words per row, at least one.
    Fixed(usize),
    /// Where each row ends.
    Free(Vec<usize>),
}

impl Default for Shape {
    fn default() -> Self {
        Shape::Free(Vec::new())
    }
}

impl Rows {
    /// No rows yet, of a fixed width, or of any number of words if none is given.
    ///
    /// # Panics
    ///
    /// If the width is zero: rows without words could not be counted.
    pub fn new(width: Option<usize>) -> Self {
        assert!(width != Some(0), "rows of fixed width have at least one word");
        let shape = width.map_or_else(Shape::default, Shape::Fixed);
        Rows { words: Vec::new(), shape }
    }

    /// No rows yet, with room for some.
    pub fn with_capacity(width: Option<usize>, rows: usize) -> Self {
        let mut new = Rows::new(width);
        match &mut new.shape {
            Shape::Fixed(width) => new.words.reserve_exact(*width * rows),
            Shape::Free(ends) => ends.reserve_exact(rows),
        }
        new
    }

    /// One row, of the width that all states of its engine have.
    pub fn of_row(width: Option<usize>, row: &[u64]) -> Self {
        let mut rows = Rows::new(width);
        rows.push(row);
        rows
    }

    /// Some rows, of the width that all states of their engine have.
    pub fn of_rows<'r>(width: Option<usize>, rows: impl IntoIterator<Item = &'r [u64]>) -> Self {
        let mut new = Rows::new(width);
        rows.into_iter().for_each(|row| new.push(row));
        new
    }

    /// Rows of a fixed width, from their concatenated words.
    ///
    /// # Panics
    ///
    /// If the words do not make whole rows.
    pub fn of_words(width: usize, words: Vec<u64>) -> Self {
        assert!(width > 0 && words.len().is_multiple_of(width), "{} words in rows of {width}", words.len());
        Rows { words, shape: Shape::Fixed(width) }
    }

    /// The words with their memory.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// How many words a row has, if all have the same number.
    #[inline]
    pub fn width(&self) -> Option<usize> {
        match self.shape {
            Shape::Fixed(width) => Some(width),
            Shape::Free(_) => None,
        }
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Fixed(width) => self.words.len() / width,
            Shape::Free(ends) => ends.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.len() == 0
    }

    /// A row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn row(&self, index: usize) -> &[u64] {
        match &self.shape {
            Shape::Fixed(width) => &self.words[index * width..(index + 1) * width],
            Shape::Free(ends) => {
                let start = if index == 0 { 0 } else { ends[index - 1] };
                &self.words[start..ends[index]]
            }
        }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// All the words, row after row.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a row.
    ///
    /// # Panics
    ///
    /// If rows have a fixed width and this one has another: it is a state of another engine.
    #[inline]
    pub fn push(&mut self, row: &[u64]) {
        match &mut self.shape {
            Shape::Fixed(width) => {
                assert!(row.len() == *width, "a row of {} words among rows of {width}", row.len());
                self.words.extend_from_slice(row);
            }
            Shape::Free(ends) => {
                self.words.extend_from_slice(row);
                ends.push(self.words.len());
            }
        }
    }

    /// Appends rows of zeros, to be written.
    ///
    /// # Panics
    ///
    /// If rows have no fixed width.
    #[inline]
    pub fn grow(&mut self, rows: usize) -> &mut [u64] {
        let Shape::Fixed(width) = self.shape else {
            panic!("only rows of fixed width grow by a number of rows")
        };
        let first = self.words.len();
        self.words.resize(first + rows * width, 0);
        &mut self.words[first..]
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        if let Shape::Free(ends) = &mut self.shape {
            ends.clear();
        }
    }

    /// How many bytes are held.
    pub fn bytes(&self) -> usize {
        let ends = match &self.shape {
            Shape::Fixed(_) => 0,
            Shape::Free(ends) => ends.capacity(),
        };
        (self.words.capacity() + ends) * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        for width in [Some(2), None] {
            let mut rows = Rows::new(width);
            assert!(rows.is_empty());
            rows.push(&[1, 2]);
            rows.push(&[3, 4]);
            assert_eq!((rows.len(), rows.row(1), rows.iter().count()), (2, &[3, 4][..], 2));
            rows.clear();
            assert_eq!(rows.len(), 0);
        }
        let mut free = Rows::new(None);
        free.push(&[]);
        free.push(&[7]);
        assert_eq!((free.len(), free.row(0), free.row(1)), (2, &[][..], &[7][..]));
        let mut fixed = Rows::of_row(Some(1), &[4]);
        fixed.grow(1)[0] = 5;
        assert_eq!((fixed.row(0), fixed.row(1)), (&[4][..], &[5][..]));
        let pairs = Rows::of_words(2, vec![1, 2, 3, 4]);
        assert_eq!((pairs.len(), pairs.row(1)), (2, &[3, 4][..]));
        assert_eq!(pairs.into_words(), [1, 2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "a row of 3 words among rows of 2")]
    fn a_row_of_another_engine_is_refused() {
        Rows::new(Some(2)).push(&[1, 2, 3]);
    }

    #[test]
    #[should_panic(expected = "5 words in rows of 2")]
    fn no_row_is_broken() {
        Rows::of_words(2, vec![1, 2, 3, 4, 5]);
    }
}
