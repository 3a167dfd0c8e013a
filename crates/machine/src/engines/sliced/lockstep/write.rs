//! Answers out: columns of bits become rows of bytes or words for each lane, by transposing squares of bits.

use crate::lockstep::{Arrays, LaneLayout, Legal, Observations, turn};

use super::super::block::lanes;
use super::super::native::{Work, spread, spread_byte, widely};
use super::super::transpose::transpose;
use super::super::vector::Vector;
use super::{Block, Game};

/// What writing needs from step to step.
pub(super) struct Writing {
    /// For each bit of a lane's mask the move, if a role has one there.
    mask: Vec<Option<u32>>,
    squares: Vec<[u64; 64]>,
}

impl Writing {
    pub(super) fn new(layout: &LaneLayout) -> Self {
        let most = layout.most_actions();
        let places = (0..layout.roles()).flat_map(|role| (0..most).map(move |action| (role, action)));
        let mask = places.map(|(role, action)| layout.actions(role).get(action).map(|made| made.0)).collect();
        Writing { mask, squares: Vec::new() }
    }

    /// Writes a block's goals where the match ended.
    pub(super) fn rewards<V: Vector>(
        &self,
        game: &Game,
        block: usize,
        memory: &[V],
        ended: V,
        arrays: &mut Arrays<'_>,
    ) {
        let (roles, places) = (game.layout.roles(), &game.places);
        if arrays.rewards.is_empty() || roles == 0 {
            return;
        }
        let width = V::WORDS * 64;
        let count = (game.layout.lanes - block * width).min(width);
        let own = &mut arrays.rewards[block * width * roles..][..count * roles];
        own.fill(0.0);
        if ended.is_empty() {
            return;
        }
        for role in 0..roles {
            lanes(ended).for_each(|lane| own[lane * roles + role] = f32::NAN);
        }
        for (index, &(role, value)) in places.values.iter().enumerate() {
            // A role with several goals has no reward.
            let only = places.only_goal(memory, index).and(ended);
            lanes(only).for_each(|lane| own[lane * roles + role] = value as f32);
        }
    }

    /// Writes what is seen in a block: fluents, legal moves, turns, steps.
    pub(super) fn block<V: Vector>(
        &mut self,
        game: &Game,
        block: usize,
        own: &Block<V>,
        arrays: &mut Arrays<'_>,
    ) {
        let first = block * V::WORDS * 64;
        let count = own.steps.len();
        if !arrays.steps.is_empty() {
            arrays.steps[first..first + count].copy_from_slice(&own.steps);
        }
        let rows = match &mut arrays.observations {
            Observations::None => Out::None,
            Observations::Bytes(bytes) => Out::Bytes(bytes),
            Observations::Bits(bits) => Out::Bits(bits),
        };
        let (squares, mask) = (&mut self.squares, &self.mask);
        let bits = own.fluents.len();
        let column = |bit: usize, word: usize| own.fluents[bit].words()[word];
        widely(game.code.path.words(), Rows { squares, bits, first, count, rows, column });
        let rows = match &mut arrays.legal {
            Legal::None => Out::None,
            Legal::Bytes(bytes) => Out::Bytes(bytes),
            Legal::Bits(bits) => Out::Bits(bits),
        };
        let column =
            |bit: usize, word: usize| mask[bit].map_or(0, |made| own.legal[made as usize].words()[word]);
        widely(game.code.path.words(), Rows { squares, bits: mask.len(), first, count, rows, column });
        if !arrays.to_move.is_empty() {
            turns(game, own, &mut arrays.to_move[first..first + count]);
        }
    }
}

/// Where rows go.
enum Out<'a> {
    None,
    Bytes(&'a mut [u8]),
    Bits(&'a mut [u64]),
}

/// Rows of a block's lanes: a bit of each column. `column` gives 64 lanes of a column.
struct Rows<'a, F> {
    squares: &'a mut Vec<[u64; 64]>,
    bits: usize,
    first: usize,
    count: usize,
    rows: Out<'a>,
    column: F,
}

impl<F: Fn(usize, usize) -> u64> Work for Rows<'_, F> {
    type Result = ();

    #[inline(always)]
    fn run(mut self) {
        let bits = self.bits;
        let words = bits.div_ceil(64).max(1);
        if matches!(self.rows, Out::None) {
            return;
        }
        self.squares.resize(words, [0; 64]);
        let mut from = 0;
        while from < self.count {
            let lanes = (self.count - from).min(64);
            for (index, square) in self.squares.iter_mut().enumerate() {
                let own = bits.saturating_sub(index * 64).min(64);
                let mut bit = 0;
                while bit < own {
                    square[bit] = (self.column)(index * 64 + bit, from / 64);
                    bit += 1;
                }
                square[own..].fill(0);
                transpose(square);
            }
            let row = self.first + from;
            match &mut self.rows {
                Out::None => {}
                Out::Bytes(bytes) => {
                    spread(self.squares, lanes, bits, &mut bytes[row * bits..(row + lanes) * bits]);
                }
                Out::Bits(out) => {
                    // No iterators: all of it must become plain instructions.
                    let out = &mut out[row * words..(row + lanes) * words];
                    let mut place = 0;
                    while place < out.len() {
                        out[place] = self.squares[place % words][place / words];
                        place += 1;
                    }
                }
            }
            from += 64;
        }
    }
}

/// The rows of 64 lanes: a bit of each of the first 64 columns.
pub(super) fn square<V: Vector>(columns: &[V], word: usize) -> [u64; 64] {
    let mut square = [0; 64];
    square.iter_mut().zip(columns).for_each(|(row, column)| *row = column.words()[word]);
    transpose(&mut square);
    square
}

/// Writes a column as bytes.
pub(super) fn flags<V: Vector>(block: usize, column: &V, out: &mut [u8]) {
    if out.is_empty() {
        return;
    }
    let first = block * V::WORDS * 64;
    let count = (out.len() - first).min(V::WORDS * 64);
    let bytes = column.words().iter().flat_map(|word| word.to_le_bytes());
    for (out, byte) in out[first..first + count].chunks_mut(8).zip(bytes) {
        out.copy_from_slice(&spread_byte(byte).to_le_bytes()[..out.len()]);
    }
}

/// Writes whose turn it is.
fn turns<V: Vector>(game: &Game, own: &Block<V>, out: &mut [i8]) {
    let over = own.terminal.or(own.truncated);
    let mut nobody = over;
    own.mover.iter().for_each(|mover| nobody = nobody.or(*mover));
    let nobody = nobody.and_not(V::filled(true));
    let byte = |column: &V, index: usize| spread_byte((column.words()[index / 8] >> (index % 8 * 8)) as u8);
    // Each lane is in exactly one of these columns, so no byte overflows into the next.
    let code = |code: i8| u64::from(code.cast_unsigned());
    for (index, out) in out.chunks_mut(8).enumerate() {
        let mut codes = byte(&over, index).wrapping_mul(code(turn::TERMINAL))
            | byte(&nobody, index).wrapping_mul(code(turn::SIMULTANEOUS));
        for (role, mover) in own.mover.iter().enumerate() {
            codes |= byte(mover, index).wrapping_mul(code(game.layout.code(role)));
        }
        let codes = codes.to_le_bytes();
        out.iter_mut().zip(codes).for_each(|(out, code)| *out = code.cast_signed());
    }
}
