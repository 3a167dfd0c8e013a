//! The player `greedy`: one step ahead. For each of its moves it looks at where that may lead, whatever the others do, and
//! plays some playouts from there; the move with the best mean is made.

use groundrules_machine::playout::Choices;
use groundrules_machine::{Batch, MachineError, Move, Outcomes, PlayoutLimits, Rows, Views};
use rand::Rng;

use crate::error::SearchError;
use crate::player::{Player, Settings};
use crate::seat::Seat;
use crate::turn::Turn;

/// Looks one step ahead.
pub struct Greedy {
    choices: Choices,
    max_steps: u64,
}

/// Joint moves that are tried for each move of its own: others' moves by chance.
const REPLIES: usize = 8;

/// Playouts for each joint move that is tried.
const PLAYOUTS: usize = 4;

impl Greedy {
    /// One whose choices the seed decides.
    pub fn new(settings: &Settings) -> Self {
        Greedy { choices: Choices::new(settings.seed, 0), max_steps: settings.max_steps }
    }

    /// What a move leads to, in the mean.
    fn value(&mut self, seat: &mut Seat, batch: &mut dyn Batch, own: Move) -> Result<f64, SearchError> {
        let here = Rows::of_row(batch.row_width(), seat.state().words());
        let (mut next, mut joints) = (Rows::new(batch.row_width()), Vec::new());
        for _ in 0..REPLIES {
            for role in 0..seat.roles().len() {
                let any = self.choices.one_of(seat.legal_of(role)?);
                let any = any.ok_or_else(|| SearchError::NoLegalMove { role: seat.roles()[role].clone() })?;
                joints.push(if role == seat.role() { own } else { any });
            }
        }
        batch.advance(&here, &[0; REPLIES], &joints, &mut next)?;
        let limits = PlayoutLimits { seed: self.choices.generator().next_u64(), max_steps: self.max_steps };
        Ok(mean(batch, &next, limits, seat.role())?)
    }
}

/// What some states are worth to a role, in the mean; ends count as they are, because a playout from there is one.
fn mean(
    batch: &mut dyn Batch,
    states: &Rows,
    limits: PlayoutLimits,
    role: usize,
) -> Result<f64, MachineError> {
    let (mut views, mut outcomes) = (Views::default(), Outcomes::default());
    batch.look(states, &mut views)?;
    batch.play_out(states, PLAYOUTS, limits, &mut outcomes)?;
    let values = (0..states.len()).map(|state| match views.goals(state, role) {
        [goal] if views.is_terminal(state) => f64::from(*goal),
        _ => outcomes.mean(state, role).unwrap_or(0.0),
    });
    Ok(values.sum::<f64>() / states.len().max(1) as f64)
}

impl Player for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn choose(&mut self, seat: &mut Seat, turn: &Turn) -> Result<Move, SearchError> {
        let legal = seat.legal()?;
        turn.offer(seat, legal[0]);
        let mut batch = seat.batch();
        let mut best = (f64::NEG_INFINITY, legal[0]);
        for &own in legal.iter().take_while(|_| legal.len() > 1) {
            // Where nothing can be said about a move, it is not made unless it is the first.
            let value = self.value(seat, &mut *batch, own).unwrap_or(f64::NEG_INFINITY);
            if value > best.0 {
                best = (value, own);
                turn.offer(seat, own);
            }
            if turn.is_over() {
                break;
            }
        }
        Ok(best.1)
    }
}
