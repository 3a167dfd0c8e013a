//! A layer of a search: states with their legal moves and what playouts said of them, in flat memory.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;
use groundrules_machine::{Move, Rows};

#[derive(Default)]
pub(super) struct Layer {
    rows: Rows,
    /// The states' numbers in their round.
    ids: Vec<u32>,
    moves: Vec<Move>,
    /// Where each state's moves end.
    ends: Vec<usize>,
    /// What the first states are worth.
    worth: Vec<f64>,
    /// Who stays.
    kept: Vec<usize>,
}

impl Layer {
    /// One of states of so many words.
    pub(super) fn new(width: Option<usize>) -> Self {
        Layer { rows: Rows::new(width), ..Layer::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.words().len() * 8 + self.moves.len() * 4 + self.ids.len() * 24
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(super) fn row(&self, place: usize) -> &[u64] {
        self.rows.row(place)
    }

    pub(super) fn id(&self, place: usize) -> u32 {
        self.ids[place]
    }

    /// The legal moves of a state.
    pub(super) fn moves(&self, place: usize) -> &[Move] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.moves[start..self.ends[place]]
    }

    pub(super) fn push(&mut self, row: &[u64], id: u32, moves: &[Move]) {
        self.rows.push(row);
        self.ids.push(id);
        self.moves.extend_from_slice(moves);
        self.ends.push(self.moves.len());
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.ids.clear();
        self.moves.clear();
        self.ends.clear();
        self.worth.clear();
        self.kept.clear();
    }

    /// How many states were evaluated.
    pub(super) fn evaluated(&self) -> usize {
        self.worth.len()
    }

    /// What the next state is worth.
    pub(super) fn evaluate(&mut self, worth: f64) {
        self.worth.push(worth);
    }

    /// Decides who stays, so many of those that are worth most; gives the others. Who has more moves is worth more of the
    /// same.
    pub(super) fn keep_best(&mut self, most: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let worth = |place: usize| self.worth.get(place).copied().unwrap_or(0.0);
        order.sort_by(|&one, &other| {
            let freer = self.moves(other).len().cmp(&self.moves(one).len());
            worth(other).total_cmp(&worth(one)).then(freer)
        });
        let left = order.split_off(most.min(order.len()));
        self.kept = order;
        left
    }

    /// All stay, those with the fewest moves first; of the same number in an order that depends on a seed.
    pub(super) fn keep_tightest(&mut self, seed: u64) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let by_chance = |place: usize| FixedState::with_seed(seed).hash_one(place);
        order.sort_by_key(|&place| (self.moves(place).len(), by_chance(place)));
        self.kept = order;
    }

    /// A layer of those who stay.
    pub(super) fn take_kept(&mut self) -> Layer {
        let mut kept = Layer::new(self.rows.width());
        for &place in &self.kept {
            kept.push(self.rows.row(place), self.ids[place], self.moves(place));
        }
        kept
    }
}
