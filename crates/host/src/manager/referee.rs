//! The referee's own board: it knows the state, which moves are legal, and when the match is over. Rules come from files of
//! the user's, but may still be slow, so a [`Referee`] works on a seat with limits.

use groundrules_gdl::Game;
use groundrules_machine::Move;
use groundrules_search::{SearchError, Seat, Settings};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::ManagerError;
use crate::allowance::{Allowance, Choice, read_rules};

/// The board of a match.
pub(super) struct Referee {
    seat: Seat,
    seed: u64,
}

impl Referee {
    /// A board in the initial state.
    pub(super) fn new(rules: &[u8], seed: u64) -> Result<Self, ManagerError> {
        let game = read_rules(rules)?;
        let role = first_role(&game).ok_or(ManagerError::NoRoles)?;
        let choice = Choice::named("legal", Settings::default()).ok_or(ManagerError::NoRoles)?;
        let (seat, _) = Allowance::default().seat(game, &role, &choice)?;
        Ok(Referee { seat, seed })
    }

    pub(super) fn roles(&self) -> &[String] {
        self.seat.roles()
    }

    /// Whether chance moves for a role.
    pub(super) fn is_nature(&self, role: usize) -> bool {
        self.seat.is_nature(role)
    }

    pub(super) fn is_terminal(&mut self) -> Result<bool, SearchError> {
        self.seat.is_terminal()
    }

    /// The state as KIF.
    pub(super) fn state(&self) -> String {
        format!("({})", self.seat.fluents().join(" "))
    }

    /// The goal value of each role: the first if there are several, 0 if there is none.
    pub(super) fn goals(&mut self) -> Result<Vec<i32>, SearchError> {
        let roles = 0..self.seat.roles().len();
        roles.map(|role| Ok(self.seat.goals(role)?.first().copied().unwrap_or(0))).collect()
    }

    /// The legal move that a text is, spelled as in the rules.
    pub(super) fn legal(&mut self, role: usize, text: &str) -> Result<Option<String>, SearchError> {
        let found = self.seat.find_legal_of(role, text)?;
        Ok(found.map(|made| self.seat.move_text(made)))
    }

    /// A random legal move; the same in the same step of the same match.
    pub(super) fn any_legal(&mut self, role: usize) -> Result<String, SearchError> {
        let legal: Vec<Move> = self.seat.legal_of(role)?.to_vec();
        let place = (self.seat.step() as u64) << 16 | role as u64;
        let mut random =
            Xoshiro256PlusPlus::seed_from_u64(self.seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let index = random.next_u64() % legal.len().max(1) as u64;
        match legal.get(index as usize) {
            Some(&made) => Ok(self.seat.move_text(made)),
            None => Err(SearchError::NoLegalMove {
                role: self.seat.roles().get(role).cloned().unwrap_or_default(),
            }),
        }
    }

    pub(super) fn advance(&mut self, joint: &[String]) -> Result<(), SearchError> {
        let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
        self.seat.advance_texts(&texts)
    }
}

fn first_role(game: &Game) -> Option<String> {
    game.roles().first().map(|role| game.kif(role).to_string())
}
