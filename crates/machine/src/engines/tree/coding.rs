//! Keys as numbers: the values of some columns become one number, its code. Where the domains of the columns are small
//! enough different keys have different codes; beyond 64 bits a code is a hash.

/// How the values of some columns become one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coding {
    /// What the value of each column is multiplied by.
    pub(super) factors: Box<[u64]>,
    /// How many codes there are, if different keys have different codes.
    pub(super) codes: Option<u64>,
}

impl Coding {
    /// The coding of columns that have so many different values each.
    pub(super) fn of(sizes: impl Iterator<Item = u64>) -> Self {
        let mut product = Some(1u64);
        let mut factors = Vec::new();
        for size in sizes {
            factors.push(product.unwrap_or(0));
            product = product.and_then(|product| product.checked_mul(size.max(1)));
        }
        if product.is_none() {
            // Odd numbers without a pattern; the sum of the products is a good enough hash.
            let mut factor = 0x9E37_79B9_7F4A_7C15u64;
            for place in &mut factors {
                *place = factor | 1;
                factor = factor.wrapping_mul(0xD129_0DDD_7A3C_9E4D).rotate_left(17) ^ 0xA5A5_1234;
            }
        }
        Coding { factors: factors.into(), codes: product }
    }

    /// The code of a key.
    #[inline]
    pub(super) fn code(&self, key: impl Iterator<Item = u32>) -> u64 {
        self.factors
            .iter()
            .zip(key)
            .fold(0, |code, (&factor, value)| code.wrapping_add(u64::from(value).wrapping_mul(factor)))
    }

    /// The code of a row that is the key.
    #[inline]
    pub(super) fn code_of(&self, row: &[u32]) -> u64 {
        let mut code = 0u64;
        for (&factor, &value) in self.factors.iter().zip(row) {
            code = code.wrapping_add(u64::from(value).wrapping_mul(factor));
        }
        code
    }

    /// The code of some columns of a row.
    #[inline]
    pub(super) fn code_at(&self, row: &[u32], columns: &[usize]) -> u64 {
        let mut code = 0u64;
        for (&factor, &column) in self.factors.iter().zip(columns) {
            code = code.wrapping_add(u64::from(row[column]).wrapping_mul(factor));
        }
        code
    }

    /// Whether different keys have different codes.
    #[inline]
    pub(super) fn is_exact(&self) -> bool {
        self.codes.is_some()
    }
}
