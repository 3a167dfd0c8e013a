//! Fractions, for expected goals: exact as long as numerator and denominator fit, and rounded in a chosen direction where
//! they do not, so that a lower bound stays a lower one and an upper bound an upper one.

use std::cmp::Ordering;
use std::fmt;

/// The denominator of fractions that were rounded.
const GRID: i128 = 1 << 20;

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: i64,
    /// At least one.
    denominator: i64,
}

/// In which direction a fraction is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Down,
    Up,
}

impl Fraction {
    /// The numerator, with the sign.
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator, which is positive.
    pub fn denominator(self) -> i64 {
        self.denominator
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The sum, rounded only if it has no room.
    pub(crate) fn add(self, other: Fraction, rounding: Rounding) -> Fraction {
        // Each product is less than 2^126.
        let [a, b, c, d] =
            [self.numerator, self.denominator, other.numerator, other.denominator].map(i128::from);
        Fraction::new(a * d + c * b, b * d, rounding)
    }

    /// A part of it, rounded only if it has no room.
    pub(crate) fn divide(self, by: usize, rounding: Rounding) -> Fraction {
        let by = i64::try_from(by).expect("moves are counted by fewer bits");
        Fraction::new(i128::from(self.numerator), i128::from(self.denominator) * i128::from(by), rounding)
    }

    /// The next multiple of 2⁻²⁰ in a direction, or itself.
    pub(crate) fn on_grid(self, rounding: Rounding) -> Fraction {
        let (numerator, denominator) = (i128::from(self.numerator), i128::from(self.denominator));
        if denominator <= GRID && GRID % denominator == 0 {
            return self;
        }
        Fraction::rounded(numerator, denominator, rounding)
    }

    /// How far it is from another, in multiples of 2⁻²⁰.
    pub(crate) fn grid_steps(self, other: Fraction) -> f64 {
        (self.to_f64() - other.to_f64()).abs() * GRID as f64
    }

    fn new(numerator: i128, denominator: i128, rounding: Rounding) -> Fraction {
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).cast_signed();
        let (numerator, denominator) = (numerator / common, denominator / common);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(numerator), Ok(denominator)) => Fraction { numerator, denominator },
            _ => Fraction::rounded(numerator, denominator, rounding),
        }
    }

    fn rounded(numerator: i128, denominator: i128, rounding: Rounding) -> Fraction {
        let (whole, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
        // The rest is brought down to where it can be multiplied; what is cut off goes in the direction of the rounding.
        let shift = (128 - denominator.leading_zeros()).saturating_sub(100);
        let (rest, denominator) = (rest >> shift, denominator >> shift);
        let cut = i128::from(shift > 0);
        let steps = match rounding {
            Rounding::Down => rest * GRID / (denominator + cut),
            Rounding::Up => ((rest + cut) * GRID).div_euclid(denominator) + 1,
        };
        let steps = i64::try_from(whole * GRID + steps).expect("goals are small numbers");
        Fraction::new(i128::from(steps), GRID, rounding)
    }

    pub(crate) fn to_words(self) -> [u64; 2] {
        [self.numerator.cast_unsigned(), self.denominator.cast_unsigned()]
    }

    pub(crate) fn from_words([numerator, denominator]: [u64; 2]) -> Fraction {
        Fraction { numerator: numerator.cast_signed(), denominator: denominator.cast_signed() }
    }
}

impl From<i32> for Fraction {
    fn from(whole: i32) -> Fraction {
        Fraction { numerator: i64::from(whole), denominator: 1 }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        let [a, b, c, d] =
            [self.numerator, self.denominator, other.numerator, other.denominator].map(i128::from);
        (a * d).cmp(&(c * b))
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_fractions_are_exact() {
        let third = Fraction::from(100).divide(3, Rounding::Down);
        assert_eq!(third.to_string(), "100/3");
        let sum = third.add(third, Rounding::Up).add(third, Rounding::Down);
        assert_eq!((sum, sum.to_string()), (Fraction::from(100), "100".to_owned()));
        assert!(
            third < Fraction::from(34)
                && third > Fraction::from(33)
                && Fraction::from(-1) < Fraction::from(0)
        );
        assert_eq!(Fraction::from_words(third.to_words()), third);
    }

    #[test]
    fn what_has_no_room_is_rounded_in_its_direction() {
        for start in [1, -1, 77, -100] {
            let (mut low, mut high) = (Fraction::from(start), Fraction::from(start));
            let mut value = f64::from(start);
            for by in [3, 7, 11, 13, 1_000_003, 999_983, 1_000_033, 3, 5, 99_991] {
                // Towards 50, so that the value stays large.
                low = low.add(Fraction::from(50), Rounding::Down).divide(by, Rounding::Down);
                high = high.add(Fraction::from(50), Rounding::Up).divide(by, Rounding::Up);
                value = (value + 50.0) / by as f64;
                assert!(
                    low.to_f64() <= value + 1e-9 && value <= high.to_f64() + 1e-9,
                    "{low} {value} {high}"
                );
                assert!(low <= high && high.to_f64() - low.to_f64() < 1e-5);
            }
            assert!(low < high, "rounding took place");
        }
        let seventh = Fraction::from(1).divide(7, Rounding::Down);
        assert!(seventh.on_grid(Rounding::Down) < seventh && seventh < seventh.on_grid(Rounding::Up));
        assert_eq!(Fraction::from(5).divide(4, Rounding::Up).on_grid(Rounding::Up).to_string(), "5/4");
    }
}
