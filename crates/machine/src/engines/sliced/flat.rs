//! Transposes packed states into lanes and back, in squares of bits. Results are transposed the same way and then read
//! lane by lane as words. The circuits and the memory are those of [`batch`](super::batch).

use crate::machine::Move;
use crate::rows::Rows;
use crate::views::Views;

use super::batch::{ADVANCE, Game, LOOK, Lanes, slot};
use super::block::lanes;
use super::transpose::transpose_widely;
use super::vector::Vector;

/// In which order answers are read: all that belongs to the first role, then to the second, and so on.
pub(super) struct Order {
    /// Numbers of moves, and where each role's begin and end.
    moves: Vec<u32>,
    move_ends: Vec<usize>,
    /// Numbers of goals, by role and value, and where each role's end.
    goals: Vec<u32>,
    goal_ends: Vec<usize>,
}

impl Order {
    pub(super) fn new(roles: usize, movers: &[u32], goals: &[(usize, i32)]) -> Self {
        let mut moves: Vec<u32> = (0..movers.len()).map(slot).collect();
        moves.sort_by_key(|&number| movers[number as usize]);
        let mut sorted: Vec<u32> = (0..goals.len()).map(slot).collect();
        sorted.sort_by_key(|&number| goals[number as usize]);
        let move_ends =
            (0..roles).map(|role| moves.partition_point(|&number| movers[number as usize] as usize <= role));
        let goal_ends =
            (0..roles).map(|role| sorted.partition_point(|&number| goals[number as usize].0 <= role));
        Order { move_ends: move_ends.collect(), goal_ends: goal_ends.collect(), moves, goals: sorted }
    }
}

/// Answers, lane by lane: a bit for each.
#[derive(Default)]
pub(super) struct Answers {
    words: Vec<u64>,
    /// Words for each lane.
    stride: usize,
}

impl Answers {
    /// Reads what stands in some places, in this order.
    fn read<V: Vector>(&mut self, memory: &[V], lanes: usize, places: impl Fn(usize) -> usize, count: usize) {
        self.stride = count.div_ceil(64);
        self.words.clear();
        self.words.resize(lanes.next_multiple_of(64) * self.stride, 0);
        for (word, own) in self.words.chunks_mut(64 * self.stride.max(1)).enumerate() {
            for first in (0..count).step_by(64) {
                let mut square = [0; 64];
                let mut any = 0;
                for (row, index) in square.iter_mut().zip(first..count) {
                    *row = memory[places(index)].words()[word];
                    any |= *row;
                }
                // Most moves are legal nowhere in a block.
                if any == 0 {
                    continue;
                }
                transpose_widely(&mut square);
                for (lane, &row) in own.chunks_mut(self.stride).zip(&square) {
                    lane[first / 64] = row;
                }
            }
        }
    }

    /// The bits of a lane within a range, ascending.
    #[inline]
    fn bits(&self, lane: usize, from: usize, to: usize) -> Bits<'_> {
        let own = &self.words[lane * self.stride..(lane + 1) * self.stride];
        let left = own.get(from / 64).map_or(0, |word| word & u64::MAX << (from % 64));
        Bits { words: own, word: from / 64, left, to }
    }
}

/// Bits that are set, ascending.
struct Bits<'a> {
    words: &'a [u64],
    /// The current word, and which of its bits are left.
    word: usize,
    left: u64,
    /// Bits from here on are others'.
    to: usize,
}

impl Iterator for Bits<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.word += 1;
            if self.word * 64 >= self.to {
                return None;
            }
            self.left = *self.words.get(self.word)?;
        }
        let bit = self.word * 64 + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        (bit < self.to).then_some(bit)
    }
}

impl<V: Vector> Lanes<V> {
    /// Looks at packed states.
    pub(super) fn look_at(&mut self, rows: &Rows, views: &mut Views) {
        views.clear(self.game.roles.len());
        self.moves_are_clear = false;
        for first in (0..rows.len()).step_by(V::WORDS * 64) {
            let count = (rows.len() - first).min(V::WORDS * 64);
            self.load_rows(count, |lane| rows.row(first + lane));
            self.game.answers.run::<V>(LOOK, &mut self.memory, &[]);
            self.read_answers(count, views);
        }
    }

    fn read_answers(&mut self, count: usize, views: &mut Views) {
        let Game { order, goals, movers, init, .. } = &*self.game;
        let terminal = init.len();
        let first_move = terminal + 1;
        let first_goal = first_move + movers.len();
        let move_place = |index: usize| first_move + order.moves[index] as usize;
        self.legal_bits.read(&self.memory, count, move_place, order.moves.len());
        let goal_place = |index: usize| first_goal + order.goals[index] as usize;
        self.goal_bits.read(&self.memory, count, goal_place, order.goals.len());
        for lane in 0..count {
            views.push_state(self.memory[terminal].words()[lane / 64] >> (lane % 64) & 1 == 1);
            let (mut from, mut goals_from) = (0, 0);
            for (&to, &goals_to) in order.move_ends.iter().zip(&order.goal_ends) {
                let moves = self.legal_bits.bits(lane, from, to).map(|index| Move(order.moves[index]));
                let mut last = None;
                let own = self.goal_bits.bits(lane, goals_from, goals_to);
                let values = own.map(|index| goals[order.goals[index] as usize].1);
                // The same value may have several gates.
                views.push_role(moves, values.filter(|&value| last.replace(value) != Some(value)));
                (from, goals_from) = (to, goals_to);
            }
        }
    }

    /// Makes joint moves in packed states. If ends are wanted, the numbers of those next states that are ends are written.
    pub(super) fn make_moves(
        &mut self,
        rows: &Rows,
        from: &[u32],
        joints: &[Move],
        next: &mut Rows,
        mut ends: Option<&mut Vec<u32>>,
    ) {
        let (roles, width) = (self.game.roles.len().max(1), V::WORDS * 64);
        let (fluents, moves) = (self.game.init.len(), self.game.movers.len());
        for (block, (from, joints)) in from.chunks(width).zip(joints.chunks(width * roles)).enumerate() {
            if !std::mem::replace(&mut self.moves_are_clear, true) {
                self.memory[fluents..fluents + moves].fill(V::default());
            }
            self.load_rows(from.len(), |lane| rows.row(from[lane] as usize));
            for (index, made) in joints.iter().enumerate() {
                assert!((made.0 as usize) < moves, "move {} of a game with {moves} moves", made.0);
                let lane = index / roles;
                self.memory[fluents + made.0 as usize].words_mut()[lane / 64] |= 1 << (lane % 64);
            }
            self.game.answers.run::<V>(ADVANCE, &mut self.memory, &[]);
            self.unload_rows(from.len(), next);
            if let Some(ends) = &mut ends {
                // The next fluents are where the states were, so they can be looked at in place.
                self.moves_are_clear = false;
                self.game.answers.run::<V>(LOOK, &mut self.memory, &[]);
                let found = lanes(self.ends()).take_while(|&lane| lane < from.len());
                ends.extend(found.map(|lane| slot(block * width + lane)));
                continue;
            }
            for made in joints {
                self.memory[fluents + made.0 as usize] = V::default();
            }
        }
    }

    /// The lanes in which the states last looked at are terminal, or a role has no move.
    fn ends(&self) -> V {
        let Game { order, init, .. } = &*self.game;
        let terminal = init.len();
        let (mut ends, mut from) = (self.memory[terminal], 0);
        for &to in &order.move_ends {
            let mut any = V::default();
            for &made in &order.moves[from..to] {
                any = any.or(self.memory[terminal + 1 + made as usize]);
            }
            ends = ends.or(any.and_not(V::filled(true)));
            from = to;
        }
        ends
    }

    /// Puts packed states into lanes.
    #[inline]
    fn load_rows<'r>(&mut self, count: usize, row: impl Fn(usize) -> &'r [u64]) {
        let fluents = self.game.init.len();
        for word in 0..V::WORDS {
            let from = (word * 64).min(count);
            let lanes = (count - from).min(64);
            for first in (0..fluents).step_by(64) {
                let mut square = [0; 64];
                let mut lane = 0;
                while lane < lanes {
                    square[lane] = row(from + lane)[first / 64];
                    lane += 1;
                }
                transpose_widely(&mut square);
                let own = &mut self.memory[first..fluents.min(first + 64)];
                let mut fluent = 0;
                while fluent < own.len() {
                    own[fluent].words_mut()[word] = square[fluent];
                    fluent += 1;
                }
            }
        }
    }

    /// Adds the states of the first lanes to rows.
    #[inline]
    fn unload_rows(&self, count: usize, next: &mut Rows) {
        let fluents = self.game.init.len();
        let width = self.game.words();
        let rows = next.grow(count);
        for word in 0..count.div_ceil(64) {
            let own = &mut rows[word * 64 * width..(word * 64 + 64).min(count) * width];
            for first in (0..fluents).step_by(64) {
                let memory = &self.memory[first..fluents.min(first + 64)];
                let mut square = [0; 64];
                let mut fluent = 0;
                while fluent < memory.len() {
                    square[fluent] = memory[fluent].words()[word];
                    fluent += 1;
                }
                transpose_widely(&mut square);
                let mut place = first / 64;
                for bits in square {
                    if place >= own.len() {
                        break;
                    }
                    own[place] = bits;
                    place += width;
                }
            }
        }
    }
}
