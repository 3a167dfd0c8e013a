//! Random matches, the same for the same seed on every machine: the generator is written out here, and the
//! moves to choose from are sorted by name.

use crate::error::OracleError;
use crate::ground::Ground;
use crate::oracle::{Oracle, State};

/// How a match came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// The role with this number has no legal move before the end: the game is not playable.
    NoLegalMove(usize),
    /// After as many steps as were allowed.
    StepLimit,
}

/// A match.
#[derive(Clone, Debug)]
pub struct Playout {
    /// The states, the first one included.
    pub states: Vec<State>,
    /// The joint moves between them: one fewer than states.
    pub joints: Vec<Vec<Ground>>,
    /// How it ended.
    pub end: End,
}

/// Plays a match of at most so many steps, every role choosing among its legal moves at random.
pub fn random_playout(oracle: &mut Oracle, seed: u64, max_steps: usize) -> Result<Playout, OracleError> {
    let mut random = Xorshift::new(seed);
    let (mut states, mut joints) = (Vec::new(), Vec::new());
    let mut state = oracle.initial_state();
    loop {
        states.push(state.clone());
        if oracle.is_terminal(&state)? {
            return Ok(Playout { states, joints, end: End::Terminal });
        }
        let legal = oracle.legal(&state)?;
        if let Some(role) = legal.iter().position(Vec::is_empty) {
            return Ok(Playout { states, joints, end: End::NoLegalMove(role) });
        }
        if joints.len() >= max_steps {
            return Ok(Playout { states, joints, end: End::StepLimit });
        }
        let joint: Vec<Ground> = legal.iter().map(|moves| moves[random.below(moves.len())]).collect();
        state = oracle.next_state(&state, &joint)?;
        joints.push(joint);
    }
}

/// Marsaglia's xorshift generator with 64 bits of state.
#[derive(Clone, Debug)]
pub struct Xorshift {
    state: u64,
}

impl Xorshift {
    /// A generator for a seed; any seed will do.
    pub fn new(seed: u64) -> Self {
        // Spread the seed, so that neighbours do not begin alike; zero is the one state that never changes.
        let state = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Xorshift { state: state.max(1) };
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// A number below `bound`, or 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high bits are the better ones; the bias of the product is far below what a test could see.
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).expect("the high half is below the bound")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_does_not_change() {
        let mut random = Xorshift::new(1);
        let drawn: Vec<usize> = (0..12).map(|_| random.below(10)).collect();
        assert_eq!(drawn, [6, 1, 0, 2, 4, 9, 2, 5, 1, 2, 4, 0]);
    }
}
