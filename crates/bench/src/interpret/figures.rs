//! The measurements of one game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statistics::ratio;

/// Two means differ when they are further apart than this many standard errors. Over a few hundred comparisons that
/// happens by chance once in a thousand benches.
const TOO_FAR: f64 = 5.0;

/// Fewer playouts say nothing: what is cut short when the time is over is long.
const ENOUGH: u64 = 30;

/// What one game came to.
#[derive(Serialize)]
pub(super) struct GameResult {
    /// The game's name.
    pub(super) game: String,
    /// The word for its description.
    pub(super) file: String,
    /// Our engine.
    pub(super) ours: Outcome,
    /// SWI-Prolog; `None` if it is not there.
    pub(super) prolog: Option<Outcome>,
    /// Whether the two see the same game.
    pub(super) agreement: Agreement,
    /// Our engine without each of its optimisations.
    pub(super) without: BTreeMap<&'static str, Outcome>,
}

impl GameResult {
    /// How many times as many states we reach in the same time.
    pub(super) fn speed_up(&self) -> Option<f64> {
        let (ours, prolog) = (self.ours.played()?, self.prolog.as_ref()?.played()?);
        Some(ratio(ours.states_per_second(), prolog.states_per_second()))
    }

    /// How many times as many states we reach with an optimisation as without.
    pub(super) fn worth(&self, optimisation: &str) -> Option<f64> {
        let (with, without) = (self.ours.played()?, self.without.get(optimisation)?.played()?);
        Some(ratio(with.states_per_second(), without.states_per_second()))
    }

    /// The share of the filters that were removed while playing.
    pub(super) fn filters_removed(&self) -> Option<f64> {
        let counters = &self.ours.played()?.counters;
        let (made, removed) = (*counters.get("filters")?, *counters.get("filters removed")?);
        (made > 0).then(|| removed as f64 / made as f64)
    }
}

/// What a measurement came to.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outcome {
    /// It was played.
    Played(Box<Played>),
    /// It was not.
    Failed {
        /// The first line of the error.
        error: String,
    },
}

impl Outcome {
    /// The figures, if it was played.
    pub(super) fn played(&self) -> Option<&Played> {
        match self {
            Outcome::Played(played) => Some(played),
            Outcome::Failed { .. } => None,
        }
    }

    /// Why it was not played.
    pub(super) fn error(&self) -> Option<&str> {
        match self {
            Outcome::Played(_) => None,
            Outcome::Failed { error } => Some(error),
        }
    }
}

/// The figures of one run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Played {
    /// Complete playouts.
    pub(super) playouts: u64,
    /// States reached.
    pub(super) states: u64,
    /// Processor time of the playouts.
    pub(super) seconds: f64,
    /// Processor time of the process before the first playout.
    pub(super) setup_seconds: f64,
    /// Processor time of the whole process, as the system counts it.
    pub(super) process_seconds: f64,
    /// The lengths of the playouts.
    pub(super) length: Sample,
    /// The goals of each role.
    pub(super) goals: Vec<Sample>,
    /// What the engine counted.
    pub(super) counters: BTreeMap<String, u64>,
    /// How recursive relations were evaluated by Prolog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recursion: Option<&'static str>,
}

impl Played {
    /// States reached in a second.
    pub(super) fn states_per_second(&self) -> f64 {
        self.states as f64 / self.seconds.max(1e-9)
    }
}

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    /// The mean; nothing of nothing.
    pub(super) mean: Option<f64>,
    /// Its standard error; nothing of fewer than two.
    pub(super) error: Option<f64>,
}

/// Whether two programs see the same game.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all = "kebab-case")]
pub(super) enum Agreement {
    /// Mean lengths and goals agree within their confidence.
    Agree(&'static str),
    /// What differs.
    Differ {
        /// In words.
        differs: String,
    },
}

/// Compares what two programs saw.
pub(super) fn agreement(ours: &Outcome, prolog: Option<&Outcome>) -> Agreement {
    let (Some(ours), Some(prolog)) = (ours.played(), prolog.and_then(Outcome::played)) else {
        return Agreement::Agree("not compared");
    };
    if ours.playouts < ENOUGH || prolog.playouts < ENOUGH {
        return Agreement::Agree("too few playouts");
    }
    let pairs = ours.goals.iter().zip(&prolog.goals).enumerate();
    let goals = pairs.map(|(role, pair)| (format!("goal of role {}", role + 1), pair));
    let all = std::iter::once(("length".to_owned(), (&ours.length, &prolog.length))).chain(goals);
    for (what, (ours, prolog)) in all {
        let (Some(left), Some(right)) = (ours.mean, prolog.mean) else { continue };
        let error = ours.error.unwrap_or(0.0).hypot(prolog.error.unwrap_or(0.0));
        if (left - right).abs() > TOO_FAR * error + 1e-9 {
            return Agreement::Differ {
                differs: format!("mean {what}: ours {left:.3}, SWI-Prolog {right:.3}"),
            };
        }
    }
    Agreement::Agree("agree")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A run of so many states in a second, with a mean length and its error.
    pub(in super::super) fn played(states: u64, mean: f64, error: f64) -> Outcome {
        let length = Sample { mean: Some(mean), error: Some(error) };
        Outcome::Played(Box::new(Played {
            playouts: 100,
            states,
            seconds: 1.0,
            setup_seconds: 0.01,
            process_seconds: 1.01,
            length,
            goals: vec![length],
            counters: BTreeMap::new(),
            recursion: None,
        }))
    }

    #[test]
    fn means_agree_within_their_errors() {
        let agree = |mean, error| agreement(&played(1, 10.0, 0.3), Some(&played(1, mean, error)));
        assert_eq!(agree(10.0, 0.3), Agreement::Agree("agree"));
        assert_eq!(agree(11.0, 0.3), Agreement::Agree("agree"));
        assert!(matches!(agree(13.0, 0.3), Agreement::Differ { .. }));
        let exact = agreement(&played(1, 10.0, 0.0), Some(&played(1, 10.1, 0.0)));
        assert!(matches!(exact, Agreement::Differ { .. }));
        assert_eq!(agreement(&played(1, 1.0, 1.0), None), Agreement::Agree("not compared"));
    }
}
