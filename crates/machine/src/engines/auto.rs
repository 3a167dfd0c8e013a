//! The engine `auto`: whatever is fastest for the game. A game that grounds within a budget is run by its network, in lanes
//! where only playouts are wanted and the circuit is not too large, else one state at a time; every other game is
//! interpreted. The budget counts rules and bytes first and seconds last, so that the choice is the same on every
//! machine but for descriptions at its edge. The decision is given in words, for whoever asks why.
//!
//! Building takes time in which nothing is played. [`in_background`] builds in a thread of its own, so that the rules
//! can be interpreted meanwhile.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_ground::{GroundGame, Limits};
use groundrules_net::Network;

use super::net::NetMachine;
use super::{Engine, EngineError, grounded, lanes, network, tree};
use crate::machine::Machine;
use crate::playout::{ByMachine, Playouts};

/// What may be spent on a network before the rules are interpreted instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most ground rules.
    pub rules: usize,
    /// The most bytes, about, that grounding takes.
    pub bytes: usize,
    /// The most time that grounding takes.
    pub time: Duration,
    /// The largest network that is run in lanes.
    pub gates: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { rules: 3_000_000, bytes: 2 << 30, time: Duration::from_secs(30), gates: 400_000 }
    }
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The engine.
    pub engine: Engine,
    /// Why, in words.
    pub why: String,
}

/// The fastest machine for a game.
pub fn machine(game: &Game, budget: &Budget) -> Result<(Box<dyn Machine>, Decision), EngineError> {
    let built = grounded_within(game, budget).and_then(|ground| {
        let rules = ground.rules().len();
        Ok((rules, NetMachine::new(ground)?))
    });
    match built {
        Ok((rules, machine)) => {
            let why = format!("{rules} ground rules, {} gates", machine.gates());
            Ok((Box::new(machine), Decision { engine: Engine::Net, why }))
        }
        Err(error) => Ok((Box::new(tree(game, &[])?), interpreted(&error))),
    }
}

/// What plays playouts, and why it was chosen.
pub type Chosen = Result<(Box<dyn Playouts>, Decision), EngineError>;

/// What plays playouts of a game fastest.
pub fn playouts(game: &Game, budget: &Budget) -> Chosen {
    let built = grounded_within(game, budget).and_then(|ground| {
        let network = network(&ground)?;
        Ok((ground, network))
    });
    match built {
        Ok((ground, network)) => by_network(ground, &network, budget),
        Err(error) => Ok((Box::new(ByMachine::new(Box::new(tree(game, &[])?))), interpreted(&error))),
    }
}

fn by_network(ground: GroundGame, network: &Network, budget: &Budget) -> Chosen {
    let size = format!("{} ground rules, {} gates", ground.rules().len(), network.gate_count());
    let too_large = match why_no_lanes(network, budget) {
        Some(reason) => reason,
        None => match lanes(&ground, network, &[]) {
            Ok(lanes) => {
                return Ok((Box::new(lanes), Decision { engine: Engine::Sliced, why: size }));
            }
            Err(error) => error.to_string(),
        },
    };
    let machine = NetMachine::new(ground)?;
    let decision = Decision { engine: Engine::Net, why: format!("{size}; {too_large}") };
    Ok((Box::new(ByMachine::new(Box::new(machine))), decision))
}

/// Why a network is not run in lanes, if that can be told before they are made.
pub(super) fn why_no_lanes(network: &Network, budget: &Budget) -> Option<String> {
    if network.gate_count() > budget.gates {
        return Some(format!("lanes pay up to {} gates", budget.gates));
    }
    let is_long = unrolled(network) > MOST_UNROLLED;
    is_long.then(|| "its cycles are too long to be unrolled for lanes".to_owned())
}

/// Lanes have no cycles: a component is written out as often as it may have to be gone through. Beyond about so many
/// gates that takes longer than it gains.
const MOST_UNROLLED: usize = 20_000_000;

/// How many gates the cycles of a network may become.
fn unrolled(network: &Network) -> usize {
    network.components().iter().map(|gates| gates.len().saturating_mul(gates.len())).sum()
}

/// Builds what plays playouts in a thread of its own. Interpreting the rules meanwhile is the caller's affair.
pub fn in_background(game: &Game, budget: &Budget) -> Receiver<Chosen> {
    let (sender, receiver) = channel();
    let (game, budget) = (game.clone(), *budget);
    // If nobody waits any more, what was built is not needed.
    thread::spawn(move || sender.send(playouts(&game, &budget)));
    receiver
}

pub(super) fn grounded_within(game: &Game, budget: &Budget) -> Result<GroundGame, EngineError> {
    let mut limits = Limits::default().within(budget.time);
    limits.rules = budget.rules;
    limits.atoms = limits.atoms.min(budget.rules.saturating_mul(5));
    limits.bytes = budget.bytes;
    Ok(grounded(game, limits)?)
}

pub(super) fn interpreted(error: &EngineError) -> Decision {
    Decision { engine: Engine::Tree, why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;

    fn game(text: &str) -> Game {
        read(text.as_bytes(), &Options::default()).game.expect("a valid description")
    }

    const COUNT: &str = "(role you) (init (n 0)) (legal you go) (legal you stay) (s 0 1) (s 1 2)
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y) (does you go)) (<= (next (n ?x)) (true (n ?x)) (does you stay))
        (<= terminal (true (n 2))) (<= (goal you 100) (true (n 2))) (<= (goal you 0) (not (true (n 2))))";

    #[test]
    fn what_grounds_is_run_by_its_network() {
        let (playouts, decision) = playouts(&game(COUNT), &Budget::default()).expect("a playable game");
        assert_eq!((decision.engine, playouts.roles().len()), (Engine::Sliced, 1), "{decision:?}");
        let (_, decision) = machine(&game(COUNT), &Budget::default()).expect("a playable game");
        assert_eq!(decision.engine, Engine::Net);
    }

    #[test]
    fn a_large_network_is_run_state_by_state() {
        let budget = Budget { gates: 0, ..Budget::default() };
        let (_, decision) = playouts(&game(COUNT), &budget).expect("a playable game");
        assert_eq!(decision.engine, Engine::Net, "{decision:?}");
    }

    #[test]
    fn what_does_not_ground_is_interpreted() {
        let (_, decision) =
            playouts(&game(COUNT), &Budget { rules: 1, ..Budget::default() }).expect("a game");
        assert_eq!(decision.engine, Engine::Tree, "{decision:?}");
        let received = in_background(&game(COUNT), &Budget { rules: 1, ..Budget::default() }).recv();
        assert!(matches!(received, Ok(Ok((_, Decision { engine: Engine::Tree, .. })))));
    }
}
