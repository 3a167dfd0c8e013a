//! Making moves: the successors of some states of a layer, with what the batch says about them.

use groundrules_machine::{Batch, MachineError, Move, Rows, Views};

use super::layer::Layer;
use super::visited::{Visited, position_id};
use crate::solver::{Allowance, Found};

/// Successors, in memory that is used again.
#[derive(Default)]
pub(super) struct Expansion {
    /// For each successor the place of its parent in the layer, and the move.
    from: Vec<u32>,
    moves: Vec<Move>,
    rows: Rows,
    views: Views,
}

impl Expansion {
    /// An expansion of rows of one width.
    pub(super) fn new(width: Option<usize>) -> Self {
        Expansion { rows: Rows::new(width), ..Expansion::default() }
    }

    /// Makes the moves of the states of a layer from a place on, until there are at least `most` of them, but for some moves. Gives the
    /// first place whose moves were not made.
    pub(super) fn expand(
        &mut self,
        batch: &mut dyn Batch,
        layer: &Layer,
        first: usize,
        most: usize,
        excluded: &[Move],
    ) -> Result<usize, MachineError> {
        self.from.clear();
        self.moves.clear();
        self.rows.clear();
        let mut place = first;
        while place < layer.len() && self.moves.len() < most {
            let before = self.moves.len();
            self.moves.extend(layer.moves(place).iter().filter(|made| !excluded.contains(made)));
            self.from.extend(self.moves[before..].iter().map(|_| position_id(place)));
            place += 1;
        }
        batch.advance(layer.rows(), &self.from, &self.moves, &mut self.rows)?;
        batch.look(&self.rows, &mut self.views)?;
        Ok(place)
    }

    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    pub(super) fn row(&self, child: usize) -> &[u64] {
        self.rows.row(child)
    }

    pub(super) fn is_terminal(&self, child: usize) -> bool {
        self.views.is_terminal(child)
    }

    /// The line to the best end among the successors, if it is of interest.
    pub(super) fn best_end(&self, layer: &Layer, visited: &Visited, allowance: &Allowance) -> Option<Found> {
        let ends = (0..self.len()).filter(|&child| self.views.is_terminal(child));
        let goals = ends.filter_map(|child| match *self.views.goals(child, 0) {
            [goal] if allowance.is_beaten_by(goal, None) => Some((goal, child)),
            _ => None,
        });
        let (goal, child) = goals.max_by_key(|&(goal, child)| (goal, std::cmp::Reverse(child)))?;
        let mut moves = visited.moves_to(layer.id(self.from[child] as usize));
        moves.push(self.moves[child]);
        Some(Found { goal, moves })
    }

    /// Adds a successor to the next layer, unless the match is over there or the position was visited.
    pub(super) fn keep(&self, child: usize, layer: &Layer, visited: &mut Visited, next: &mut Layer) {
        if self.views.is_terminal(child) || self.views.legal(child, 0).is_empty() {
            return;
        }
        let parent = layer.id(self.from[child] as usize);
        if let Some(id) = visited.enter(self.rows.row(child), parent, self.moves[child]) {
            next.push(self.rows.row(child), id, self.views.legal(child, 0));
        }
    }
}
