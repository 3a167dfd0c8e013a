//! Step counters: puzzles that count their steps have each position once per step at which it can be reached, though more
//! time is hardly ever worse. The fluents that depend on the number of steps alone are found in random playouts that run in
//! lockstep. A position that was reached earlier, apart from these fluents, may be pruned. That is a guess, not a proof: a search
//! that is left with nothing begins anew without it. It needs states with one bit per fluent.

use groundrules_machine::playout::Choices;
use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hasher};

/// The step counter of a game, and the least step at which each position was reached.
#[derive(Clone, Debug)]
pub struct StepCounter {
    /// The bits of a state that count steps.
    mask: Vec<u64>,
    /// For each position, by hash, the least step at which it was reached.
    seen: HashMap<u64, u32, FxBuildHasher>,
}

/// Playouts that run in lockstep.
const PLAYOUTS: usize = 64;

/// Steps of these playouts.
const STEPS: usize = 300;

impl StepCounter {
    /// Finds the step counter of a game by playouts from a state; nothing if there is none.
    pub fn find(batch: &mut dyn Batch, start: &State) -> Result<Option<StepCounter>, MachineError> {
        let mut rows = Rows::new(batch.row_width());
        (0..PLAYOUTS).for_each(|_| rows.push(start.words()));
        let mut next = Rows::new(batch.row_width());
        let words = start.words().len();
        // Bits that always agreed in all playouts of a step, their last values, and those that ever changed.
        let (mut agree, mut last) = (vec![!0_u64; words], start.words().to_vec());
        let mut changed = vec![0_u64; words];
        let (mut views, mut choices) = (Views::default(), Choices::new(0, 0));
        for _ in 0..STEPS {
            batch.look(&rows, &mut views)?;
            let (from, joints) = joints(&views, &mut choices);
            if from.len() < 2 {
                break;
            }
            next.clear();
            batch.advance(&rows, &from, &joints, &mut next)?;
            std::mem::swap(&mut rows, &mut next);
            for word in 0..words {
                let bits = |row: &[u64]| row.get(word).copied().unwrap_or(0);
                let all = rows.iter().map(bits).fold(!0, |all, bits| all & bits);
                let any = rows.iter().map(bits).fold(0, |any, bits| any | bits);
                agree[word] &= !(all ^ any);
                changed[word] |= last[word] ^ all;
                last[word] = all;
            }
        }
        let mask: Vec<u64> = agree.iter().zip(&changed).map(|(agree, changed)| agree & changed).collect();
        Ok(mask.iter().any(|&bits| bits != 0).then(|| StepCounter { mask, seen: HashMap::default() }))
    }

    /// The bits of a state that count steps.
    pub fn mask(&self) -> &[u64] {
        &self.mask
    }

    /// Whether the position of a state was reached at an earlier step. Records this step if not.
    pub fn is_late(&mut self, row: &[u64], depth: u32) -> bool {
        let mut hasher = FxBuildHasher.build_hasher();
        for (word, mask) in row.iter().zip(&self.mask) {
            hasher.write_u64(word & !mask);
        }
        let seen = self.seen.entry(hasher.finish()).or_insert(depth);
        let is_late = *seen < depth;
        *seen = depth.min(*seen);
        is_late
    }

    /// Forgets at which steps positions were reached.
    pub fn reset(&mut self) {
        self.seen.clear();
    }

    /// The memory of the recorded positions in bytes, about.
    pub fn bytes(&self) -> usize {
        self.seen.len() * 32
    }
}

/// The playouts that are not over, and a random move for each.
fn joints(views: &Views, choices: &mut Choices) -> (Vec<u32>, Vec<Move>) {
    let going_on = (0_u32..).zip(0..views.len()).filter(|&(_, place)| !views.is_terminal(place));
    going_on.filter_map(|(row, place)| Some((row, choices.one_of(views.legal(place, 0))?))).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_that_was_reached_earlier_is_late() {
        let state = |bits: u64| [bits];
        let mut counter = StepCounter { mask: vec![0b1100], seen: HashMap::default() };
        assert!(!counter.is_late(&state(0b0110), 3));
        assert!(counter.is_late(&state(0b1010), 4), "the same position at a later step");
        assert!(!counter.is_late(&state(0b1001), 4));
        assert!(!counter.is_late(&state(0b0010), 2), "an earlier step");
        assert!(counter.is_late(&state(0b0110), 3));
        counter.reset();
        assert!(!counter.is_late(&state(0b0110), 9));
    }
}
