//! Packed states in flat memory, one row of words each: what searches over millions of states keep and pass on. An engine
//! whose states all have the same number of words has rows of fixed width, where a row is a place and nothing else is
//! stored; other engines have free rows, with their ends beside them.

/// Packed states, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    words: Vec<u64>,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// So many words each, at least one.
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
    /// No rows yet, of so many words each; of any number if none is given. A width of none is taken as one.
    pub fn new(width: Option<usize>) -> Self {
        let shape = width.map_or_else(Shape::default, |width| Shape::Fixed(width.max(1)));
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

    /// Rows of so many words each, one after the other; words that are too few for a row are left out.
    pub fn of_words(width: usize, mut words: Vec<u64>) -> Self {
        let width = width.max(1);
        words.truncate(words.len() / width * width);
        Rows { words, shape: Shape::Fixed(width) }
    }

    /// The words, for those who want their memory.
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

    /// How many rows there are.
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

    /// Adds a row; words that a fixed row lacks are zero, those that it has no room for are left out.
    #[inline]
    pub fn push(&mut self, row: &[u64]) {
        match &mut self.shape {
            Shape::Fixed(width) if row.len() == *width => self.words.extend_from_slice(row),
            Shape::Fixed(width) => {
                let own = row.iter().copied().chain(std::iter::repeat(0)).take(*width);
                self.words.extend(own);
            }
            Shape::Free(ends) => {
                self.words.extend_from_slice(row);
                ends.push(self.words.len());
            }
        }
    }

    /// Adds rows of zeros, to be written; only rows of fixed width have such.
    #[inline]
    pub fn grow(&mut self, rows: usize) -> &mut [u64] {
        let first = self.words.len();
        if let Shape::Fixed(width) = self.shape {
            self.words.resize(first + rows * width, 0);
        }
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
        let mut fixed = Rows::new(Some(0));
        fixed.push(&[]);
        assert_eq!((fixed.len(), fixed.row(0)), (1, &[0][..]), "a game without fluents has one state");
        fixed.grow(1)[0] = 5;
        assert_eq!(fixed.row(1), &[5]);
        let pairs = Rows::of_words(2, vec![1, 2, 3, 4, 5]);
        assert_eq!((pairs.len(), pairs.row(1)), (2, &[3, 4][..]), "no row is broken");
        assert_eq!(pairs.into_words(), [1, 2, 3, 4]);
    }
}
