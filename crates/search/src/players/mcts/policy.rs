//! The constants of selection and the shape of a pass, tuned by matches of the player against itself; and the average values of
//! moves wherever they were made, which decide what is tried first.

use groundrules_machine::Move;

use crate::parts::Parts;

/// The constants of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The exploration constant of UCT.
    pub exploration: f64,
    /// First-play urgency: a move without visits counts as if it had so many, with its average value.
    pub first_play: f64,
    /// The most leaves of a pass, with an engine that evaluates many states at once.
    pub leaves: usize,
    /// The playouts of a pass with such an engine, which the leaves share. It is not the engine's own width, which depends on the
    /// processor, so that a seed plays the same everywhere.
    pub playouts: usize,
    /// With one player: the weight of the best playout beside the mean.
    pub optimism: f64,
    /// The weight of the heuristic's minimax value beside the mean, where the heuristic explains everything that is not chance.
    pub implicit_minimax: f64,
    /// Where time is what counts, a pass has up to so many times its playouts, as long as they take a small share of its time.
    pub balance: usize,
    /// How sharply playouts tell moves apart by what they came to in earlier playouts. With nothing here all moves are alike.
    pub guidance: f64,
    /// The parts of the search that are on.
    pub parts: Parts,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            exploration: 0.45,
            first_play: 0.3,
            leaves: 64,
            playouts: 1024,
            optimism: 0.5,
            implicit_minimax: 0.3,
            balance: 1,
            guidance: 0.0,
            parts: Parts::ALL,
        }
    }
}

/// A constant that can be set by its name, as text.
struct Constant {
    name: &'static str,
    set: fn(&mut Policy, &str) -> Option<()>,
}

/// A constant that is a number, by its name.
macro_rules! constant {
    ($name:literal, $field:ident) => {
        Constant {
            name: $name,
            set: |policy, text| {
                policy.$field = text.parse().ok()?;
                Some(())
            },
        }
    };
}

const CONSTANTS: &[Constant] = &[
    constant!("exploration", exploration),
    constant!("first-play", first_play),
    constant!("leaves", leaves),
    constant!("playouts", playouts),
    constant!("implicit-minimax", implicit_minimax),
    constant!("balance", balance),
    constant!("guidance", guidance),
];

impl Policy {
    /// The names of the constants that can be set.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CONSTANTS.iter().map(|constant| constant.name)
    }

    /// Sets a constant by its name. Says whether there is such a constant and the text is a value of it.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let found = CONSTANTS.iter().find(|constant| constant.name == name);
        found.and_then(|constant| (constant.set)(self, value)).is_some()
    }
}

/// The average values of moves for their roles, wherever they were made.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveAverages {
    means: Vec<Vec<Average>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Average {
    sum: f64,
    count: f64,
}

/// Moves with numbers beyond this have no averages.
const MOST_MOVES: usize = 1 << 20;

/// Averages decay: beyond so many samples old ones count less and less.
const MEMORY: f64 = 10_000.0;

impl MoveAverages {
    /// Averages of no samples, for so many roles.
    pub(super) fn new(roles: usize) -> Self {
        MoveAverages { means: vec![Vec::new(); roles] }
    }

    /// Adds a sample of a move.
    pub(super) fn learn(&mut self, role: usize, made: Move, value: f64) {
        let (place, own) = (made.0 as usize, &mut self.means[role]);
        if place >= MOST_MOVES {
            return;
        }
        if own.len() <= place {
            own.resize(place + 1, Average::default());
        }
        let average = &mut own[place];
        if average.count >= MEMORY {
            *average = Average { sum: average.sum / 2.0, count: average.count / 2.0 };
        }
        *average = Average { sum: average.sum + value, count: average.count + 1.0 };
    }

    /// The average of a move, shrunk towards the usual value while there are few samples.
    pub(super) fn value(&self, role: usize, made: Move, usual: f64) -> f64 {
        let average = self.means[role].get(made.0 as usize).copied().unwrap_or_default();
        (average.sum + usual) / (average.count + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_set_by_name() {
        let mut policy = Policy::default();
        assert!(policy.set("exploration", "0.7") && policy.set("leaves", "16"));
        assert_eq!((policy.exploration, policy.leaves), (0.7, 16));
        assert!(!policy.set("exploration", "much") && !policy.set("luck", "1"));
        assert!(Policy::names().all(|name| policy.set(name, "1")));
    }

    #[test]
    fn averages_are_learnt() {
        let mut averages = MoveAverages::new(2);
        assert!((averages.value(1, Move(7), 0.4) - 0.4).abs() < 1e-9);
        (0..30_000).for_each(|_| averages.learn(1, Move(7), 1.0));
        assert!(averages.value(1, Move(7), 0.0) > 0.99 && averages.value(0, Move(7), 0.0) == 0.0);
        averages.learn(0, Move(u32::MAX), 1.0);
        assert!(averages.value(0, Move(u32::MAX), 0.25) == 0.25);
    }
}
