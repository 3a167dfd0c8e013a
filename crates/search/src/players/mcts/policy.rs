//! What the search likes: the constants of selection and the shape of a pass, measured by matches of the player against
//! itself; and habits, what moves were worth wherever they were made, which decide what is tried first.

use groundrules_machine::Move;

/// The constants of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// How much is tried that was tried little.
    pub exploration: f64,
    /// A move that was never made counts as if it had been made so many times, for what such moves are worth.
    pub first_play: f64,
    /// The most states that are looked at in a pass, by an engine that works on many at once.
    pub leaves: usize,
    /// Playouts in a pass, by such an engine; the states share them. It is not the engine's own width, which is another
    /// on every processor: a seed is to play the same everywhere.
    pub playouts: usize,
    /// With one player: how much the best playout counts beside the mean.
    pub optimism: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { exploration: 0.45, first_play: 0.3, leaves: 64, playouts: 256, optimism: 0.5 }
    }
}

/// What moves were worth to their roles, wherever they were made.
#[derive(Clone, Debug, Default)]
pub(super) struct Habits {
    means: Vec<Vec<Worth>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Worth {
    sum: f64,
    count: f64,
}

/// Numbers of moves beyond this are not remembered.
const MOST_MOVES: usize = 1 << 20;

/// Habits fade: beyond so many times old ones count less and less.
const MEMORY: f64 = 10_000.0;

impl Habits {
    /// No habits, for so many roles.
    pub(super) fn new(roles: usize) -> Self {
        Habits { means: vec![Vec::new(); roles] }
    }

    /// A move was made, and came to this.
    pub(super) fn learn(&mut self, role: usize, made: Move, value: f64) {
        let (place, own) = (made.0 as usize, &mut self.means[role]);
        if place >= MOST_MOVES {
            return;
        }
        if own.len() <= place {
            own.resize(place + 1, Worth::default());
        }
        let worth = &mut own[place];
        if worth.count >= MEMORY {
            *worth = Worth { sum: worth.sum / 2.0, count: worth.count / 2.0 };
        }
        *worth = Worth { sum: worth.sum + value, count: worth.count + 1.0 };
    }

    /// What a move is worth, if nothing else is known: the mean, drawn to what is usual here while it is not sure.
    pub(super) fn worth(&self, role: usize, made: Move, usual: f64) -> f64 {
        let worth = self.means[role].get(made.0 as usize).copied().unwrap_or_default();
        (worth.sum + usual) / (worth.count + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_learnt() {
        let mut habits = Habits::new(2);
        assert!((habits.worth(1, Move(7), 0.4) - 0.4).abs() < 1e-9);
        (0..30_000).for_each(|_| habits.learn(1, Move(7), 1.0));
        assert!(habits.worth(1, Move(7), 0.0) > 0.99 && habits.worth(0, Move(7), 0.0) == 0.0);
        habits.learn(0, Move(u32::MAX), 1.0);
        assert!(habits.worth(0, Move(u32::MAX), 0.25) == 0.25);
    }
}
