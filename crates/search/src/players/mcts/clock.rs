//! Puzzles that count their steps: the same position at another step is another state, though more time is hardly ever
//! worse. Fluents that depend on the number of steps alone are found by looking at random playouts in step with each other;
//! a state that, without them, was reached sooner is given up. That is a guess, not a proof: when nothing is left to try,
//! the search begins anew without it. It needs states that have a bit for each fluent.

use groundrules_machine::playout::Choices;
use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hasher};

/// What is known of a game's clock, and when positions were reached.
pub(super) struct Clock {
    /// The bits of a state that tell the time.
    mask: Vec<u64>,
    /// For each position the least number of steps after which it was seen.
    seen: HashMap<u64, u32, FxBuildHasher>,
}

/// Playouts that are looked at in step.
const PLAYOUTS: usize = 64;

/// Steps that are looked at.
const STEPS: usize = 300;

impl Clock {
    /// Looks for a clock in playouts from a state; nothing if there is none.
    pub(super) fn find(batch: &mut dyn Batch, start: &State) -> Result<Option<Clock>, MachineError> {
        let mut rows = Rows::new(batch.row_width());
        (0..PLAYOUTS).for_each(|_| rows.push(start.words()));
        let mut next = Rows::new(batch.row_width());
        let words = start.words().len();
        // Bits that were always the same in all playouts of a step, and what they were in the last and in any step.
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
        Ok(mask.iter().any(|&bits| bits != 0).then(|| Clock { mask, seen: HashMap::default() }))
    }

    /// The bits of a state that tell the time.
    pub(super) fn mask(&self) -> &[u64] {
        &self.mask
    }

    /// Whether a position was reached sooner; if not, it is now.
    pub(super) fn is_late(&mut self, row: &[u64], depth: u32) -> bool {
        let mut hasher = FxBuildHasher.build_hasher();
        for (word, mask) in row.iter().zip(&self.mask) {
            hasher.write_u64(word & !mask);
        }
        let seen = self.seen.entry(hasher.finish()).or_insert(depth);
        let is_late = *seen < depth;
        *seen = depth.min(*seen);
        is_late
    }

    /// Forgets when positions were reached.
    pub(super) fn reset(&mut self) {
        self.seen.clear();
    }

    /// How many bytes it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.seen.len() * 32
    }
}

/// The playouts that go on, and a random joint move for each.
fn joints(views: &Views, choices: &mut Choices) -> (Vec<u32>, Vec<Move>) {
    let going_on = (0_u32..).zip(0..views.len()).filter(|&(_, place)| !views.is_terminal(place));
    going_on.filter_map(|(row, place)| Some((row, choices.one_of(views.legal(place, 0))?))).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_late_is_told() {
        let state = |bits: u64| [bits];
        let mut clock = Clock { mask: vec![0b1100], seen: HashMap::default() };
        assert!(!clock.is_late(&state(0b0110), 3));
        assert!(clock.is_late(&state(0b1010), 4), "the same position at another time");
        assert!(!clock.is_late(&state(0b1001), 4));
        assert!(!clock.is_late(&state(0b0010), 2), "sooner is better");
        assert!(clock.is_late(&state(0b0110), 3));
        clock.reset();
        assert!(!clock.is_late(&state(0b0110), 9));
    }
}
