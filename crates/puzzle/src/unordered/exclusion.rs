//! Which moves are still possible from a state, and which exclude each other: after either of them the other is never legal
//! again. What only excluded moves could cause does not happen in a match with a given move, and that may exclude further moves;
//! the computation iterates to a fixpoint, or for a few rounds.

use groundrules_net::Network;

use crate::outlook::{LANES, May, Outlook, bit, lanes, not};

use super::effects::{Effects, Fate, size};

/// The most moves, pairs of which are looked at, and the most moves times fluents.
const MOST_MOVES: usize = 4096;
const MOST_PAIRS: usize = 4_000_000;

/// How often what was found may lead to more.
const ROUNDS: usize = 4;

/// What is known of a state and its moves.
pub(super) struct Exclusion {
    /// Fluents that keep the value that they have.
    pub(super) fixed: Vec<Option<bool>>,
    /// Whether fluents hold now.
    pub(super) now: Vec<bool>,
    /// Moves that may still be made.
    pub(super) alive: Vec<bool>,
    /// For each move those that never are in the same match, a bit each.
    excluded: Vec<u64>,
    stride: usize,
    /// Whether each move is made at most once.
    pub(super) once: Vec<bool>,
}

/// How many nodes are evaluated at most to know what excludes what.
pub(super) fn work(network: &Network) -> usize {
    (ROUNDS * network.moves().div_ceil(LANES) + ROUNDS).saturating_mul(size(network))
}

impl Exclusion {
    /// What is known of a state; nothing if there are too many moves to look at.
    pub(super) fn new(outlook: &mut Outlook, effects: &Effects, state: &[u64]) -> Option<Exclusion> {
        let network = outlook.network().clone();
        let (moves, stride) = (network.moves(), network.moves().div_ceil(64));
        let now: Vec<bool> = (0..network.fluents())
            .map(|fluent| state.get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1))
            .collect();
        let fixed = vec![None; now.len()];
        let alive = vec![true; moves];
        let mut own = Exclusion { fixed, now, alive, excluded: Vec::new(), stride, once: vec![false; moves] };
        own.fix(outlook, effects);
        let count = own.alive.iter().filter(|alive| **alive).count();
        if count > MOST_MOVES || count * own.now.len() > MOST_PAIRS {
            return None;
        }
        own.excluded = vec![0; moves * stride];
        for _ in 0..ROUNDS {
            if !own.exclude(outlook, effects) {
                break;
            }
        }
        Some(own)
    }

    /// How many pairs of moves never are in the same match.
    pub(super) fn pairs(&self) -> usize {
        self.excluded.iter().map(|word| word.count_ones() as usize).sum::<usize>() / 2
    }

    /// Whether two moves never are in the same match.
    pub(super) fn excludes(&self, one: usize, other: usize) -> bool {
        self.excluded[one * self.stride + other / 64] >> (other % 64) & 1 == 1
    }

    /// Whether none of the moves that could change a fluent may be made.
    fn is_kept(&self, fate: &Fate, now: bool, is_out: impl Fn(usize) -> bool) -> bool {
        let (by, anyway) = if now { (&fate.undone_by, fate.goes) } else { (&fate.made_by, fate.comes) };
        !anyway && by.iter().all(|&made| is_out(made as usize))
    }

    /// Finds what can never change from here, and which moves can never be made.
    fn fix(&mut self, outlook: &mut Outlook, effects: &Effects) {
        let network = outlook.network().clone();
        loop {
            let before = self.fixed.iter().flatten().count();
            for (fluent, fate) in effects.fates.iter().enumerate() {
                if self.fixed[fluent].is_none()
                    && self.is_kept(fate, self.now[fluent], |made| !self.alive[made])
                {
                    self.fixed[fluent] = Some(self.now[fluent]);
                }
            }
            outlook.fill(May::EITHER, May::EITHER);
            self.put_fixed(outlook);
            outlook.evaluate();
            let legal = network.outputs.legal.iter().map(|&legal| bit(&outlook.may(legal).hold, 0));
            let mut fewer = false;
            for (alive, legal) in self.alive.iter_mut().zip(legal) {
                fewer |= *alive && !legal;
                *alive &= legal;
            }
            if !fewer && self.fixed.iter().flatten().count() == before {
                return;
            }
        }
    }

    fn put_fixed(&self, outlook: &mut Outlook) {
        for (fluent, fixed) in self.fixed.iter().enumerate() {
            if let Some(value) = *fixed {
                let hold = May::EITHER.hold.map(|word| if value { word } else { 0 });
                *outlook.fluent(fluent) = May::known(hold);
            }
        }
    }

    /// Finds moves that exclude each other; says whether there are new ones.
    fn exclude(&mut self, outlook: &mut Outlook, effects: &Effects) -> bool {
        let network = outlook.network().clone();
        let alive: Vec<usize> = (0..self.alive.len()).filter(|&number| self.alive[number]).collect();
        // For each move those that are not legal after it.
        let mut dead = vec![0_u64; self.excluded.len()];
        for some in alive.chunks(LANES) {
            outlook.fill(May::EITHER, May::EITHER);
            self.put_fixed(outlook);
            for (lane, &number) in some.iter().enumerate() {
                self.put_after(outlook, effects, lane, number);
            }
            outlook.evaluate();
            for &other in &alive {
                let never = not(outlook.may(network.outputs.legal[other]).hold);
                for lane in lanes(never).take_while(|&lane| lane < some.len()) {
                    dead[some[lane] * self.stride + other / 64] |= 1 << (other % 64);
                }
            }
        }
        let is_dead =
            |after: usize, other: usize| dead[after * self.stride + other / 64] >> (other % 64) & 1 == 1;
        let mut grew = false;
        for &one in &alive {
            self.once[one] = is_dead(one, one);
            for word in 0..self.stride {
                let mut left = dead[one * self.stride + word] & !self.excluded[one * self.stride + word];
                while left != 0 {
                    let other = word * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if other != one && is_dead(other, one) {
                        self.excluded[one * self.stride + word] |= 1 << (other % 64);
                        grew = true;
                    }
                }
            }
        }
        grew
    }

    /// What is known after a move, in a lane.
    fn put_after(&self, outlook: &mut Outlook, effects: &Effects, lane: usize, number: usize) {
        for (fluent, fate) in effects.fates.iter().enumerate() {
            if self.fixed[fluent].is_none()
                && self
                    .is_kept(fate, self.now[fluent], |made| !self.alive[made] || self.excludes(number, made))
            {
                outlook.fluent(fluent).set(lane, self.now[fluent]);
            }
        }
        for &(fluent, value) in &effects.sure[number] {
            outlook.fluent(fluent as usize).set(lane, value);
        }
    }
}
