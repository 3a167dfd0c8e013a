//! Medians, ratios and geometric means, the same for every benchmark.

/// The median.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// The ratio of two values. A value below the resolution of its clock counts as a millionth.
pub(super) fn ratio(one: f64, other: f64) -> f64 {
    one.max(1e-6) / other.max(1e-6)
}

/// The geometric mean.
pub(super) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, logarithms) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value.ln()));
    (logarithms / f64::from(count)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-12);
        assert!((geometric_mean([8.0].into_iter()) - 8.0).abs() < 1e-12);
        assert!(geometric_mean(std::iter::empty()).is_nan());
    }
}
