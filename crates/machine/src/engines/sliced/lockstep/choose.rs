//! Random moves: in every lane one of a role's legal moves, each with the same chances. A circuit draws for all lanes of a
//! block; lanes without luck draw again, until none is left.
//!
//! Rounds of drawing are counted for 512 lanes together, however wide vectors are, so that the same seed gives the same moves on
//! every path.

use std::ops::Range;

use crate::index::index32;
use crate::lockstep::LaneLayout;

use super::super::SlicedError;
use super::super::choice::{Choice, Randoms};
use super::super::graph::{Graph, Literal, Source};
use super::super::lower::Circuit;
use super::super::made::Made;
use super::super::options::Method;
use super::super::plan::Part;
use super::super::random::Generator;
use super::super::segment::Results;
use super::super::transpose::transpose;
use super::super::vector::Vector;
use super::Columns;

/// The words of lanes that draw together.
const GROUP: usize = 8;

/// The circuit that chooses for a role with so many moves: in come its legal moves and behind them the lanes that wait for a
/// choice; behind those the moves made are added. Lanes without luck are left waiting.
pub(super) fn circuit(moves: usize) -> Result<Part, SlicedError> {
    let mut graph = Graph::new();
    let mut input = |place: usize| graph.input(Source::Slot(index32(place)));
    let legal: Vec<Literal> = (0..moves).map(&mut input).collect();
    let waiting = input(moves);
    let before: Vec<Literal> = (0..moves).map(|number| input(moves + 1 + number)).collect();
    let mut randoms = Randoms { used: 0 };
    // Only playouts gain by factors; here every move is asked for.
    let words: Vec<&[u32]> = vec![&[]; moves];
    let choice =
        Choice::prepare(&mut graph, (&legal, &legal), &words, Method::Rank { draws: 3 }, &mut randoms);
    let possible = graph.and(waiting, choice.possible);
    let enabled = graph.and(possible, choice.lucky);
    let mut made = Made::none(moves);
    choice.select(&mut graph, enabled).make(&(0..moves).collect::<Vec<_>>(), &mut made);
    let mut outputs = vec![(index32(moves), graph.and(possible, !choice.lucky))];
    for (number, before) in before.into_iter().enumerate() {
        let made = made.one(&mut graph, number);
        let made = graph.and(made, enabled);
        outputs.push((index32(moves + 1 + number), graph.or(made, before)));
    }
    let randoms = randoms.used as usize;
    Part::new(Circuit { graph, outputs, slots: 2 * moves + 1, randoms }, Results::default())
}

/// The place of a role's circuit among all.
pub(super) fn part(role: usize) -> usize {
    2 + role
}

impl<V: Vector> Columns<V> {
    /// The blocks that draw together.
    pub(super) fn groups_of(&self, blocks: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<V> {
        let (each, end) = (GROUP / V::WORDS, blocks.end);
        blocks.step_by(each).map(move |first| first..end.min(first + each))
    }

    pub(super) fn generators(&self, group: Range<usize>, seed: u64) -> Vec<Generator<V>> {
        let cycle = self.game.randoms.iter().sum();
        group.map(|block| Generator::new(cycle, seed, block * V::WORDS)).collect()
    }

    /// Chooses a move of each role in all lanes of a group that go on.
    pub(super) fn choose(&mut self, group: &Range<usize>, generators: &mut [Generator<V>]) {
        for role in 0..self.game.layout.roles() {
            let mut waiting: Vec<V> = group.clone().map(|block| self.blocks[block].going()).collect();
            for block in group.clone() {
                let moves = self.game.layout.actions(role).iter();
                moves.for_each(|made| self.blocks[block].made[made.0 as usize] = V::default());
            }
            while waiting.iter().any(|waiting| !waiting.is_empty()) {
                for (index, block) in group.clone().enumerate() {
                    self.draw(block, role, &mut waiting[index], &mut generators[index]);
                }
            }
        }
    }

    /// Draws once in the lanes of a block that wait.
    fn draw(&mut self, block: usize, role: usize, waiting: &mut V, generator: &mut Generator<V>) {
        let game = &*self.game;
        let moves = game.layout.actions(role);
        let own = &mut self.blocks[block];
        let place = moves.len();
        for (number, made) in moves.iter().enumerate() {
            self.memory[number] = own.legal[made.0 as usize];
            self.memory[place + 1 + number] = own.made[made.0 as usize];
        }
        self.memory[place] = *waiting;
        generator.take(game.randoms[role]);
        game.code.run(part(role), &mut self.memory, generator.taken());
        for (number, made) in moves.iter().enumerate() {
            own.made[made.0 as usize] = self.memory[place + 1 + number];
        }
        *waiting = self.memory[place];
    }

    /// Writes random legal actions.
    pub(super) fn random(&mut self, seed: u64, out: &mut [i32]) {
        let (roles, width) = (self.game.layout.roles(), V::WORDS * 64);
        for group in self.groups_of(0..self.blocks.len()) {
            let mut generators = self.generators(group.clone(), seed);
            self.choose(&group, &mut generators);
            for block in group {
                let own = &self.blocks[block];
                let out = &mut out[block * width * roles..][..own.steps.len() * roles];
                for role in 0..roles {
                    write_numbers(&self.game.layout, role, &own.made, roles, out);
                }
            }
        }
    }
}

/// Writes the numbers of a role's actions, which are made in exactly one column each: their bits are columns again.
fn write_numbers<V: Vector>(layout: &LaneLayout, role: usize, made: &[V], roles: usize, out: &mut [i32]) {
    let moves = layout.actions(role);
    let bits = (usize::BITS - moves.len().leading_zeros()) as usize;
    for (word, out) in out.chunks_mut(64 * roles).enumerate() {
        let mut square = [0; 64];
        for (bit, column) in square.iter_mut().enumerate().take(bits) {
            let set = moves.iter().enumerate().filter(|(number, _)| number >> bit & 1 == 1);
            *column = set.fold(0, |all, (_, made_by)| all | made[made_by.0 as usize].words()[word]);
        }
        transpose(&mut square);
        for (lane, number) in out.chunks_mut(roles).zip(square) {
            lane[role] = number as i32;
        }
    }
}
