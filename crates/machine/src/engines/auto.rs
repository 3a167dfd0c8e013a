//! The engine `auto`: whatever is fastest for the game. A game that grounds within a budget is run by its network, in lanes
//! unless the network is too large for them; every other game is interpreted. The budget counts rules, bytes and processor
//! time, never the wall clock, so the load of the computer does not change the choice. The decision says why, for whoever asks.

use std::time::Duration;

use groundrules_gdl::time::Cancelled;
use groundrules_ground::Limits;
use groundrules_net::Network;

use super::{Engine, EngineError};
use crate::compiled::Compiled;

/// The budget for building a network; a game that exceeds it is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most ground rules.
    pub rules: usize,
    /// The approximate number of bytes that grounding may use.
    pub bytes: usize,
    /// The most processor time that grounding takes.
    pub time: Duration,
    /// The largest network that is run in lanes.
    pub gates: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { rules: 3_000_000, bytes: 2 << 30, time: Duration::from_secs(30), gates: 400_000 }
    }
}

impl Budget {
    /// The limits of grounding within this budget.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default().within(self.time);
        limits.rules = self.rules;
        limits.atoms = limits.atoms.min(self.rules.saturating_mul(5));
        limits.bytes = self.bytes;
        limits
    }
}

/// The chosen engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The engine.
    pub engine: Engine,
    /// The reason; empty if the engine was requested by name.
    pub why: String,
}

impl Decision {
    /// An engine that was requested by name.
    pub(crate) fn named(engine: Engine) -> Self {
        Decision { engine, why: String::new() }
    }
}

/// Chooses the fastest engine for a game.
pub(crate) fn choose(game: &Compiled, budget: &Budget) -> Result<Decision, Cancelled> {
    let (ground, network) = match game.ground().and_then(|ground| Ok((ground, game.network()?))) {
        Ok(both) => both,
        Err(EngineError::Cancelled(cancelled)) => return Err(cancelled),
        Err(error) => return Ok(Decision { engine: Engine::Tree, why: error.to_string() }),
    };
    let why = format!("{} ground rules, {} gates", ground.rules().len(), network.gate_count());
    Ok(match why_no_lanes(&network, budget) {
        None => Decision { engine: Engine::Sliced, why },
        Some(reason) => Decision { engine: Engine::Net, why: format!("{why}; {reason}") },
    })
}

/// Why a network is not run in lanes, if that is known before they are built.
fn why_no_lanes(network: &Network, budget: &Budget) -> Option<String> {
    if network.gate_count() > budget.gates {
        return Some(format!("lanes pay up to {} gates", budget.gates));
    }
    let is_long = unrolled(network) > MOST_UNROLLED;
    is_long.then(|| "its cycles are too long to be unrolled for lanes".to_owned())
}

/// Lanes have no cycles: a component is unrolled as often as its fixpoint may need. Beyond about this many gates that costs more
/// than it gains.
const MOST_UNROLLED: usize = 20_000_000;

/// How many gates the cycles of a network may unroll to.
fn unrolled(network: &Network) -> usize {
    network.components().iter().map(|gates| gates.len().saturating_mul(gates.len())).sum()
}
