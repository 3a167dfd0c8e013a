//! The order in which moves are tried: what the table recommends, then the move that refuted the same move before, then killers (moves
//! that refuted a sibling), then history (how often a move refuted anything).

use std::collections::HashMap;

use groundrules_machine::Move;
use rustc_hash::FxBuildHasher;

use super::Child;

/// What refuted what.
#[derive(Default)]
pub(super) struct Ordering {
    history: HashMap<Move, i64, FxBuildHasher>,
    /// For the move before and a move, how often that refuted it.
    replies: HashMap<(Move, Move), i64, FxBuildHasher>,
    /// The last two moves of each depth that refuted something.
    killers: Vec<[Option<Move>; 2]>,
}

/// History counts are halved when one reaches this, so that what was learnt late counts.
const MOST: i64 = 1 << 20;

impl Ordering {
    /// How promising a move is.
    pub(super) fn rank(&self, depth: usize, before: Option<Move>, made: Move, is_recommended: bool) -> i64 {
        let is_killer = self.killers.get(depth).is_some_and(|killers| killers.contains(&Some(made)));
        let reply = before.and_then(|before| self.replies.get(&(before, made))).copied().unwrap_or(0);
        let history = self.history.get(&made).copied().unwrap_or(0);
        history + 4 * reply + if is_killer { MOST } else { 0 } + if is_recommended { 32 * MOST } else { 0 }
    }

    /// A move refuted the line, after others did not.
    pub(super) fn refuted(&mut self, depth: usize, before: Option<Move>, made: Move, tried: &[Child]) {
        if self.killers.len() <= depth {
            self.killers.resize(depth + 1, [None; 2]);
        }
        let killers = &mut self.killers[depth];
        if killers[0] != Some(made) {
            *killers = [Some(made), killers[0]];
        }
        self.count(before, made, 2);
        tried.iter().for_each(|child| self.count(before, child.made, -1));
    }

    fn count(&mut self, before: Option<Move>, made: Move, by: i64) {
        let history = self.history.entry(made).or_default();
        *history += by;
        if history.abs() >= MOST {
            self.history.values_mut().for_each(|count| *count /= 2);
        }
        if let Some(before) = before {
            let reply = self.replies.entry((before, made)).or_default();
            *reply = (*reply + by).clamp(-MOST, MOST);
        }
    }
}
