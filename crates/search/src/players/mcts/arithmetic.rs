//! Logarithms and exponentials that are the same on every computer. Those of the standard library are the system's, which takes other
//! instructions on other processors and then differs in the last bit; a search that compares scores would then make other moves. These
//! use only operations that IEEE 754 settles to the last bit.

/// The natural logarithm of a positive number; errors stay below 10⁻¹⁴.
pub(super) fn ln(number: f64) -> f64 {
    let bits = number.to_bits();
    let mut exponent = f64::from((bits >> 52 & 0x7ff) as u32) - 1023.0;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1.0);
    }
    // ln m = 2 artanh s.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..9).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent * std::f64::consts::LN_2 + 2.0 * s * series
}

/// The exponential; relative errors stay below 10⁻¹³. What is beyond ±700 counts as ±700.
pub(super) fn exp(number: f64) -> f64 {
    let number = number.clamp(-700.0, 700.0);
    let halvings = (number / std::f64::consts::LN_2).round();
    let rest = number - halvings * std::f64::consts::LN_2;
    let series = (1..=11).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    series * f64::from_bits(((halvings as i64 + 1023) as u64) << 52)
}

/// A logit as a share, from 0 to 1.
pub(super) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + exp(-logit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_standard_library_but_for_little() {
        for step in 1..20_000 {
            let number = f64::from(step) * 0.37;
            assert!((ln(number) - number.ln()).abs() < 1e-14, "{number}");
            let number = f64::from(step - 10_000) * 0.0123;
            assert!((exp(number) / number.exp() - 1.0).abs() < 1e-13, "{number}");
        }
        assert_eq!((ln(1.0), exp(0.0), logistic(0.0)), (0.0, 1.0, 0.5));
        assert!(logistic(-1e9) < 1e-300 && logistic(1e9) == 1.0);
    }

    #[test]
    fn they_are_the_same_to_the_last_bit_everywhere() {
        let mix = |bits: u64, value: f64| bits.rotate_left(5) ^ value.to_bits();
        let logarithms = (1..=10_000).fold(0, |bits, number| mix(bits, ln(f64::from(number))));
        let shares = (-5_000..=5_000).fold(0, |bits, step| mix(bits, logistic(f64::from(step) / 500.0)));
        assert_eq!((logarithms, shares), (0xc1fb_71b5_6b3e_0599, 0x348b_8718_820c_be5d));
    }
}
