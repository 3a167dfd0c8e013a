//! Ratings from results: the Bradley–Terry model, in which the chance of a player against another depends on the difference of
//! their strengths, fitted by Newton's method. A weak belief that nobody is far from the mean keeps strengths finite for
//! those who won or lost everything. Intervals come from the curvature at the fit and hold about 95 % of the time.

/// A comparison of two players: the first one's score, 1 for a win, a half for a draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compared {
    pub(crate) players: [usize; 2],
    pub(crate) score: f64,
}

/// A player's strength on the scale of Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating; the mean of all players is 1500.
    pub elo: f64,
    /// Half the width of the interval.
    pub interval: f64,
}

/// Points of Elo for one unit of the model: 400 points are odds of ten to one.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// How far from the mean players are believed to be: about 500 points.
const BELIEF: f64 = 500.0 / SCALE;

/// The ratings of players by their comparisons.
pub(crate) fn rate(players: usize, compared: &[Compared]) -> Vec<Rating> {
    let mut strengths = vec![0.0; players];
    let mut variances = vec![BELIEF * BELIEF; players];
    for _ in 0..100 {
        let (gradient, curvature) = slope(&strengths, compared);
        let Some(inverse) = inverse(curvature) else { break };
        let step: Vec<f64> = inverse.iter().map(|row| dot(row, &gradient)).collect();
        // Far from the fit a whole step can overshoot.
        let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        let part = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        strengths.iter_mut().zip(&step).for_each(|(strength, step)| *strength += part * step);
        variances = inverse.iter().enumerate().map(|(at, row)| row.get(at).copied().unwrap_or(0.0)).collect();
        if longest < 1e-9 {
            break;
        }
    }
    let mean = strengths.iter().sum::<f64>() / players.max(1) as f64;
    let rating = |(strength, variance): (&f64, &f64)| Rating {
        elo: 1500.0 + SCALE * (strength - mean),
        interval: 1.96 * SCALE * variance.max(0.0).sqrt(),
    };
    strengths.iter().zip(&variances).map(rating).collect()
}

/// The slope of the likelihood, and its curvature.
fn slope(strengths: &[f64], compared: &[Compared]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let players = strengths.len();
    let belief = 1.0 / (BELIEF * BELIEF);
    let mut gradient: Vec<f64> = strengths.iter().map(|strength| -strength * belief).collect();
    let mut curvature = vec![vec![0.0; players]; players];
    (0..players).for_each(|at| curvature[at][at] = belief);
    for &Compared { players: [one, other], score } in compared {
        if one >= players || other >= players {
            continue;
        }
        let chance = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
        gradient[one] += score - chance;
        gradient[other] -= score - chance;
        let weight = chance * (1.0 - chance);
        curvature[one][one] += weight;
        curvature[other][other] += weight;
        curvature[one][other] -= weight;
        curvature[other][one] -= weight;
    }
    (gradient, curvature)
}

fn dot(row: &[f64], column: &[f64]) -> f64 {
    row.iter().zip(column).map(|(a, b)| a * b).sum()
}

/// The inverse of a matrix by elimination; the belief on its diagonal makes it one that has an inverse.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    for at in 0..size {
        let pivot = (at..size).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
        matrix.swap(at, pivot);
        inverse.swap(at, pivot);
        let value = matrix[at][at];
        if value.abs() < 1e-12 {
            return None;
        }
        for column in 0..size {
            matrix[at][column] /= value;
            inverse[at][column] /= value;
        }
        for row in (0..size).filter(|&row| row != at) {
            let factor = matrix[row][at];
            for column in 0..size {
                matrix[row][column] -= factor * matrix[at][column];
                inverse[row][column] -= factor * inverse[at][column];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(one: usize, other: usize, wins: usize, losses: usize) -> Vec<Compared> {
        let players = [one, other];
        let score = |score: f64| Compared { players, score };
        [vec![score(1.0); wins], vec![score(0.0); losses]].concat()
    }

    #[test]
    fn ten_to_one_is_four_hundred_points() {
        let ratings = rate(2, &results(0, 1, 1000, 100));
        assert!((ratings[0].elo - ratings[1].elo - 400.0).abs() < 5.0, "{ratings:?}");
        assert!((ratings[0].elo + ratings[1].elo - 3000.0).abs() < 1e-6);
    }

    #[test]
    fn more_results_make_intervals_narrower_and_none_leave_the_mean() {
        let few = rate(3, &results(0, 1, 6, 4));
        let many = rate(3, &results(0, 1, 600, 400));
        assert!(many[0].interval < few[0].interval);
        assert!(many[2].interval > 900.0 && (rate(2, &[])[0].elo - 1500.0).abs() < 1e-6);
        assert!(rate(0, &[]).is_empty());
    }

    #[test]
    fn who_wins_everything_has_a_rating() {
        let ratings = rate(3, &[results(0, 1, 1000, 0), results(1, 2, 1000, 0)].concat());
        assert!(
            ratings.iter().all(|rating| rating.elo.is_finite() && rating.interval.is_finite()),
            "{ratings:?}"
        );
        assert!(ratings[0].elo > ratings[1].elo + 200.0 && ratings[1].elo > ratings[2].elo + 200.0);
    }

    #[test]
    fn draws_make_equals() {
        let ratings = rate(2, &[Compared { players: [0, 1], score: 0.5 }; 50]);
        assert!((ratings[0].elo - ratings[1].elo).abs() < 1e-6);
    }
}
