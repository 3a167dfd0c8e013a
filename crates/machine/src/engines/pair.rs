//! What a search needs of an engine: a machine that stands in the match's state and a batch that asks about many, for which
//! states and moves are the same numbers. Both are made of one grounding and one network. What is searched is left to
//! later crates.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use groundrules_gdl::Game;
use groundrules_ground::{GroundGame, Limits};

use super::auto::{Budget, Decision, grounded_within, interpreted, why_no_lanes};
use super::net::NetMachine;
use super::tree::{TreeMachine, TreeOptions};
use super::{Engine, EngineError, grounded, network, roles, sliced, sliced_options, tree};
use crate::batch::{Batch, OneByOne};
use crate::machine::Machine;
use crate::relax::Relaxation;

/// A machine and a batch of the same game. States and moves may be passed between the two.
pub struct Pair {
    /// Stands in the initial state.
    pub machine: Box<dyn Machine>,
    /// Asks about many states at once.
    pub batch: Box<dyn Batch>,
    /// The engine that was chosen, and why.
    pub decision: Decision,
    /// What may still come of a state, where there is a network. Its states are the machine's.
    pub relaxation: Option<Relaxation>,
}

impl Engine {
    /// Makes a machine and a batch for a game, without some of the optimisations.
    pub fn pair(self, game: &Game, without: &[&str]) -> Result<Pair, EngineError> {
        let decision = Decision { engine: self, why: String::new() };
        match self {
            Engine::Auto => pair(game, &Budget::default()),
            Engine::Tree => Ok(one_by_one(Box::new(tree(game, without)?), decision)),
            Engine::Net => {
                let ground = grounded(game, Limits::default())?;
                let relaxation = Some(Relaxation::new(Arc::new(network(&ground)?)));
                Ok(Pair { relaxation, ..one_by_one(Box::new(NetMachine::new(ground)?), decision) })
            }
            Engine::Sliced => {
                let ground = grounded(game, Limits::default())?;
                let network = network(&ground)?;
                let batch = sliced::batch(&network, roles(&ground), &sliced_options(without))?;
                let relaxation = Some(Relaxation::new(Arc::new(network)));
                Ok(Pair { machine: Box::new(NetMachine::new(ground)?), batch, decision, relaxation })
            }
        }
    }
}

/// The fastest machine and batch for a game.
pub fn pair(game: &Game, budget: &Budget) -> Result<Pair, EngineError> {
    let ground = match grounded_within(game, budget) {
        Ok(ground) => ground,
        Err(error) => return Ok(one_by_one(Box::new(tree(game, &[])?), interpreted(&error))),
    };
    match by_network(ground, budget) {
        Err(EngineError::Net(error)) => {
            Ok(one_by_one(Box::new(tree(game, &[])?), interpreted(&EngineError::Net(error))))
        }
        built => built,
    }
}

fn by_network(ground: GroundGame, budget: &Budget) -> Result<Pair, EngineError> {
    let network = network(&ground)?;
    let size = format!("{} ground rules, {} gates", ground.rules().len(), network.gate_count());
    let lanes = match why_no_lanes(&network, budget) {
        Some(reason) => Err(reason),
        None => sliced::batch(&network, roles(&ground), &sliced_options(&[])).map_err(|e| e.to_string()),
    };
    let machine = Box::new(NetMachine::new(ground)?);
    let relaxation = Some(Relaxation::new(Arc::new(network)));
    Ok(match lanes {
        Ok(batch) => {
            Pair { machine, batch, decision: Decision { engine: Engine::Sliced, why: size }, relaxation }
        }
        Err(reason) => {
            let decision = Decision { engine: Engine::Net, why: format!("{size}; {reason}") };
            Pair { relaxation, ..one_by_one(machine, decision) }
        }
    })
}

impl Pair {
    /// A pair whose rules are interpreted within limits.
    pub fn interpreted(game: &Game, options: TreeOptions) -> Result<Pair, EngineError> {
        let decision = Decision { engine: Engine::Tree, why: String::new() };
        Ok(one_by_one(Box::new(TreeMachine::new(game, options)?), decision))
    }

    /// A pair by the network of the game, or why there is none within the budget.
    pub fn by_network(game: &Game, budget: &Budget) -> Result<Pair, EngineError> {
        by_network(grounded_within(game, budget)?, budget)
    }
}

fn one_by_one(machine: Box<dyn Machine>, decision: Decision) -> Pair {
    let batch = Box::new(OneByOne::new(machine.fork()));
    Pair { machine, batch, decision, relaxation: None }
}

/// Builds the fastest machine and batch in a thread of its own. Interpreting the rules meanwhile is the caller's affair.
pub fn in_background(game: &Game, budget: &Budget) -> Receiver<Result<Pair, EngineError>> {
    let (sender, receiver) = channel();
    let (game, budget) = (game.clone(), *budget);
    // If nobody waits any more, what was built is not needed.
    thread::spawn(move || drop(sender.send(pair(&game, &budget))));
    receiver
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;
    use crate::batch::Views;
    use crate::machine::State;

    const COUNT: &str = "(role you) (init (n 0)) (legal you go) (legal you stay) (s 0 1) (s 1 2)
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y) (does you go)) (<= (next (n ?x)) (true (n ?x)) (does you stay))
        (<= terminal (true (n 2))) (<= (goal you 100) (true (n 2))) (<= (goal you 0) (not (true (n 2))))";

    #[test]
    fn states_and_moves_are_those_of_both() {
        let game = read(COUNT.as_bytes(), &Options::default()).game.expect("a valid description");
        for &engine in Engine::ALL {
            let Pair { mut machine, mut batch, .. } = engine.pair(&game, &[]).expect("a playable game");
            let go = machine.find_move(0, "go").expect("a move");
            let (mut views, mut state) = (Views::default(), State::default());
            machine.save(&mut state);
            assert_eq!(state, batch.initial(), "{engine:?}");
            batch.look(std::slice::from_ref(&state), &mut views).expect("an answer");
            assert_eq!(views.legal(0, 0), machine.legal(0).expect("moves"), "{engine:?}");
            for _ in 0..2 {
                machine.advance(&[go]).expect("a next state");
                batch.advance(std::slice::from_mut(&mut state), &[go]).expect("a next state");
            }
            let mut saved = State::default();
            machine.save(&mut saved);
            assert_eq!(saved, state, "{engine:?}");
            batch.look(&[state], &mut views).expect("an answer");
            assert!(views.is_terminal(0) && views.goals(0, 0) == [100], "{engine:?}");
        }
    }

    #[test]
    fn what_does_not_ground_is_interpreted() {
        let game = read(COUNT.as_bytes(), &Options::default()).game.expect("a valid description");
        let received = in_background(&game, &Budget { rules: 1, ..Budget::default() }).recv();
        assert!(matches!(received, Ok(Ok(Pair { decision: Decision { engine: Engine::Tree, .. }, .. }))));
    }
}
