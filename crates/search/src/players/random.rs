//! The player `random`: any legal move, each with the same chance. Also how nature moves.

use groundrules_machine::Move;
use groundrules_machine::playout::Choices;

use crate::error::SearchError;
use crate::player::{Player, Settings};
use crate::seat::Seat;
use crate::turn::Turn;

/// Makes any legal move.
#[derive(Clone, Debug)]
pub struct Random {
    choices: Choices,
}

impl Random {
    /// One whose choices the seed decides.
    pub fn new(settings: &Settings) -> Self {
        Random { choices: Choices::new(settings.seed, 0) }
    }
}

impl Player for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn choose(&mut self, seat: &mut Seat, _: &Turn) -> Result<Move, SearchError> {
        let legal = seat.legal()?;
        let chosen = self.choices.one_of(&legal);
        chosen.ok_or_else(|| SearchError::NoLegalMove { role: seat.role_name().to_owned() })
    }
}
