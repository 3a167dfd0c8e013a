//! The player `legal`: the first legal move as texts are ordered, whatever order its engine has. The least that a player can
//! do.

use groundrules_machine::Move;

use crate::error::SearchError;
use crate::player::Player;
use crate::seat::Seat;
use crate::turn::Turn;

/// Makes the first legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Legal;

impl Player for Legal {
    fn name(&self) -> &'static str {
        "legal"
    }

    fn choose(&mut self, seat: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
        let legal = seat.legal()?;
        // There is a first one: no legal move is an error.
        Ok(legal.iter().copied().min_by_key(|&made| seat.move_text(made)).unwrap_or(legal[0]))
    }
}
