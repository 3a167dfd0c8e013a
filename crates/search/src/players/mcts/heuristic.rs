//! A value function that is learnt during the search: for each role a logistic regression over the fluents of a state, trained on the
//! playouts of the leaves as they come. It needs states with one bit per fluent.
//!
//! Before a sample is learnt, it is predicted. The share of the variance that the predictions explain, beyond the noise of the playouts,
//! decides how much the function counts ([`Heuristic::trust`]): one that predicts nothing has no influence.

use super::arithmetic::logistic;

/// The functions of all roles.
#[derive(Clone, Debug)]
pub(super) struct Heuristic {
    functions: Vec<Function>,
    skill: Skill,
}

/// The function of one role.
#[derive(Clone, Debug, Default)]
struct Function {
    bias: Weight,
    /// One weight per bit of a packed state.
    weights: Vec<Weight>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    value: f32,
    /// The sum of squared gradients (AdaGrad): weights of rare fluents learn faster.
    squares: f32,
}

/// How well samples were predicted, recent ones counting more.
#[derive(Clone, Copy, Debug, Default)]
struct Skill {
    count: f64,
    sum: f64,
    squares: f64,
    /// Squared errors of the predictions.
    errors: f64,
    /// The variance of the samples that is the chance of playouts.
    noise: f64,
}

/// The step size of learning.
const RATE: f32 = 0.15;

/// How many samples the skill remembers, about.
const MEMORY: f64 = 4_000.0;

/// Samples before the function counts.
const FEWEST: f64 = 300.0;

impl Heuristic {
    /// Functions that know nothing, for so many roles and states of so many words.
    pub(super) fn new(roles: usize, words: usize) -> Self {
        let function = Function { weights: vec![Weight::default(); words * 64], ..Function::default() };
        Heuristic { functions: vec![function; roles], skill: Skill::default() }
    }

    /// Learns that a state is worth so much to a role, by the mean of so many playouts.
    pub(super) fn learn(&mut self, role: usize, row: &[u64], value: f64, playouts: usize) {
        let function = &mut self.functions[role];
        let predicted = sigmoid(function.logit(row));
        self.skill.see(predicted.into(), value, playouts);
        let gradient = value as f32 - predicted;
        function.bias.step(gradient);
        for bit in bits(row) {
            function.weights[bit].step(gradient);
        }
    }

    /// The logit of a state's value for a role.
    pub(super) fn logit(&self, role: usize, row: &[u64]) -> f32 {
        self.functions[role].logit(row)
    }

    /// The logit of a state that differs in a few fluents from another one, whose logit is known.
    pub(super) fn logit_after(&self, role: usize, before: f32, from: &[u64], row: &[u64]) -> f32 {
        let weights = &self.functions[role].weights;
        let mut logit = before;
        for (word, (&old, &new)) in from.iter().zip(row).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                let weight = weights[word * 64 + bit].value;
                logit += if new >> bit & 1 == 1 { weight } else { -weight };
                changed &= changed - 1;
            }
        }
        logit
    }

    /// How much the function is worth, from 0 to 1: the share of what is not chance that it explains.
    pub(super) fn trust(&self) -> f64 {
        self.skill.share()
    }
}

impl Function {
    fn logit(&self, row: &[u64]) -> f32 {
        self.bias.value + bits(row).map(|bit| self.weights[bit].value).sum::<f32>()
    }
}

impl Weight {
    fn step(&mut self, gradient: f32) {
        self.squares += gradient * gradient;
        self.value += RATE * gradient / (1.0 + self.squares).sqrt();
    }
}

impl Skill {
    fn see(&mut self, predicted: f64, value: f64, playouts: usize) {
        if self.count >= MEMORY {
            for sum in [&mut self.count, &mut self.sum, &mut self.squares, &mut self.errors, &mut self.noise]
            {
                *sum /= 2.0;
            }
        }
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
        self.errors += (value - predicted) * (value - predicted);
        self.noise += predicted * (1.0 - predicted) / playouts.max(1) as f64;
    }

    fn share(&self) -> f64 {
        if self.count < FEWEST {
            return 0.0;
        }
        let [mean, squares, error, noise] =
            [self.sum, self.squares, self.errors, self.noise].map(|sum| sum / self.count);
        let variance = squares - mean * mean;
        let signal = variance - noise;
        // Where everything is worth the same there is nothing to explain.
        if signal < 1e-4 {
            return 0.0;
        }
        ((variance - error) / signal).clamp(0.0, 1.0)
    }
}

/// A logit as a value from 0 to 1.
pub(super) fn sigmoid(logit: f32) -> f32 {
    logistic(logit.into()) as f32
}

/// The numbers of the bits that are set.
fn bits(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                word * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn what_fluents_are_worth_is_learnt() {
        let mut heuristic = Heuristic::new(1, 2);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..4000 {
            // Bit 3 is good, bit 70 is bad, the others mean nothing.
            let row = [random.next_u64() & 255, random.next_u64() & 255];
            let is_set = |word: usize, bit: usize| (row[word] >> bit & 1) as f64;
            let value = 0.5 + 0.3 * is_set(0, 3) - 0.3 * is_set(1, 6);
            heuristic.learn(0, &row, value, 1_000);
        }
        let value = |row: [u64; 2]| sigmoid(heuristic.logit(0, &row));
        assert!((value([8, 0]) - 0.8).abs() < 0.08, "{}", value([8, 0]));
        assert!((value([0, 64]) - 0.2).abs() < 0.08, "{}", value([0, 64]));
        let after = heuristic.logit_after(0, heuristic.logit(0, &[9, 64]), &[9, 64], &[24, 1]);
        assert!((after - heuristic.logit(0, &[24, 1])).abs() < 1e-4);
        assert!(heuristic.trust() > 0.8, "{}", heuristic.trust());
    }

    #[test]
    fn a_function_of_noise_is_not_trusted() {
        let mut heuristic = Heuristic::new(1, 1);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for _ in 0..4000 {
            let row = [random.next_u64() & 15];
            let wins = (random.next_u64() & 15).count_ones();
            heuristic.learn(0, &row, f64::from(wins) / 4.0, 4);
        }
        assert!(heuristic.trust() < 0.1, "{}", heuristic.trust());
    }
}
