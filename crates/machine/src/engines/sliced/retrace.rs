//! The moves of one lane's playout, found afterwards: the circuits that play keep no moves, but the same seed plays the same
//! playouts, so the lane's states are read off while it plays again, and between two of them the legal joint moves are
//! tried until one leads from the first to the second. Fluents that lanes do not store decide nothing, so states that agree
//! in the others are as good as equal.

use std::sync::Arc;

use crate::batch::{Batch, PlayoutLimits};
use crate::machine::{MachineError, Move};
use crate::outcomes::Outcomes;
use crate::rows::Rows;
use crate::views::Views;

use super::batch::{Lanes, Trail, Way};
use super::vector::Vector;

/// With more joint moves in a state, the one that was made is not looked for.
const MOST_JOINTS: usize = 1 << 16;

impl<V: Vector> Lanes<V> {
    /// Adds a lane's state to its trail if it moved.
    pub(super) fn follow(&self, moved: V, trail: &mut Trail) {
        let bit = |lanes: V| lanes.words()[trail.lane / 64] >> (trail.lane % 64) & 1 == 1;
        if !bit(moved) {
            return;
        }
        let slots = &self.game.uniform.plan.layout.fluents;
        let row = trail.states.grow(1);
        for (fluent, slot) in slots.iter().enumerate() {
            if slot.is_some_and(|slot| bit(self.memory[slot as usize])) {
                row[fluent / 64] |= 1 << (fluent % 64);
            }
        }
    }

    /// The moves of a playout.
    pub(super) fn moves_of(
        &mut self,
        rows: &Rows,
        each: usize,
        limits: PlayoutLimits,
        number: usize,
    ) -> Result<Option<Vec<Move>>, MachineError> {
        let Some(start) = number.checked_div(each).filter(|&index| index < rows.len()) else {
            return Ok(None);
        };
        let width = self.width();
        let mut outcomes = Outcomes::default();
        outcomes.clear(rows.len(), self.roles().len());
        let simulation = Arc::clone(&self.game.uniform);
        if !simulation.fits(rows) {
            return self.play_strays(rows, each, limits, &mut outcomes, Some(number)).map(Some);
        }
        let mut trail = Trail { lane: number % width, states: Rows::new(self.row_width()) };
        let way = Way { simulation: &simulation, limits, preferences: None };
        self.play(&way, rows, number / width * width, each, &mut outcomes, Some(&mut trail));
        let (mut state, mut moves) = (Rows::of_row(self.row_width(), rows.row(start)), Vec::new());
        for next in trail.states.iter() {
            match self.between(&state, next)? {
                Some((found, joint)) => {
                    state = found;
                    moves.extend(joint);
                }
                None => return Ok(None),
            }
        }
        Ok(Some(moves))
    }

    /// A legal joint move that leads from one state to another, as far as lanes store it, and where it leads exactly.
    fn between(&mut self, from: &Rows, to: &[u64]) -> Result<Option<(Rows, Vec<Move>)>, MachineError> {
        let mut views = Views::default();
        self.look(from, &mut views)?;
        let roles = self.roles().len();
        let counts: Vec<usize> = (0..roles).map(|role| views.legal(0, role).len()).collect();
        let joints = counts.iter().fold(1_usize, |all, &count| all.saturating_mul(count));
        if joints > MOST_JOINTS {
            return Ok(None);
        }
        let mut next = Rows::new(self.row_width());
        for first in (0..joints).step_by(self.width()) {
            let tried = first..(first + self.width()).min(joints);
            let origins = vec![0; tried.len()];
            let mut moves = Vec::with_capacity(tried.len() * roles);
            for joint in tried {
                let mut rest = joint;
                for (role, &count) in counts.iter().enumerate() {
                    moves.push(views.legal(0, role)[rest % count]);
                    rest /= count;
                }
            }
            next.clear();
            self.advance(from, &origins, &moves, &mut next)?;
            if let Some(found) = next.iter().position(|state| self.are_alike(state, to)) {
                let joint = moves[found * roles..(found + 1) * roles].to_vec();
                return Ok(Some((Rows::of_row(self.row_width(), next.row(found)), joint)));
            }
        }
        Ok(None)
    }

    /// Whether two states agree in what lanes store.
    fn are_alike(&self, one: &[u64], other: &[u64]) -> bool {
        let bit = |state: &[u64], fluent: usize| state[fluent / 64] >> (fluent % 64) & 1;
        let slots = self.game.uniform.plan.layout.fluents.iter().enumerate();
        slots.filter(|(_, slot)| slot.is_some()).all(|(fluent, _)| bit(one, fluent) == bit(other, fluent))
    }
}
