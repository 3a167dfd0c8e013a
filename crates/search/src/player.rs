//! The interface of players, and their settings.

use std::num::NonZeroUsize;

use groundrules_machine::Move;
use groundrules_machine::engines::Engine;

use crate::error::SearchError;
use crate::parts::Parts;
use crate::seat::Seat;
use crate::turn::Turn;

/// A player: chooses moves, and has a legal one in hand at any moment.
///
/// One player plays one match at one seat. Whoever runs the match keeps the seat in the match's state.
pub trait Player: Send {
    /// The name by which it is listed.
    fn name(&self) -> &str;

    /// The match begins: it may think until the turn is over. By default it does nothing.
    fn prepare(&mut self, _seat: &mut Seat, _turn: &Turn) -> Result<(), SearchError> {
        Ok(())
    }

    /// Chooses a legal move for the seat's role in the seat's state, before the turn is over, and offers the best one so
    /// far meanwhile. It may let the seat change over to its engine; the move is one of the seat's as it is then, and
    /// valid until the seat goes on.
    fn choose(&mut self, seat: &mut Seat, turn: &Turn) -> Result<Move, SearchError>;

    /// What it found out in its last turn, in one line, for people.
    fn report(&self) -> String {
        String::new()
    }
}

/// How a player plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What evaluates the rules at its seat.
    pub engine: Engine,
    /// How many threads it thinks with.
    pub threads: NonZeroUsize,
    /// How many bytes, about, its search tree may have.
    pub memory: usize,
    /// The seed of its random choices.
    pub seed: u64,
    /// The number of simulations per move, whatever the time; with one thread they are reproducible.
    pub simulations: Option<u64>,
    /// Playouts end after so many joint moves.
    pub max_steps: u64,
    /// The parts of the search that are on.
    pub parts: Parts,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            engine: Engine::Auto,
            threads: NonZeroUsize::MIN,
            memory: 1 << 30,
            seed: 1,
            simulations: None,
            max_steps: 10_000,
            parts: Parts::ALL,
        }
    }
}
