//! A role's place in a match: the state, the legal moves, and what a player needs to look ahead. Whoever runs the match
//! tells the seat every joint move; players ask it.
//!
//! A seat with the engine `auto` is ready at once: the rules are interpreted while a faster engine is built in the
//! background ([`Compiled::start`]). When that is ready the seat changes over by replaying the match, whose moves it keeps
//! as texts, because the numbers of moves and states are the engine's own. It does so only in [`Seat::advance`],
//! [`Seat::advance_texts`] and [`Seat::change_over`]: between two of these, moves and states stay valid. Players that keep
//! them longer watch [`Seat::generation`].

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::Roles;
use groundrules_machine::compiled::{Started, Upgrade};
use groundrules_machine::engines::auto::Decision;
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::{Batch, Compiled, Machine, Move, MoveError, State};
use groundrules_net::Network;

use crate::error::SearchError;
use crate::player::Settings;

/// A role's place in a match.
pub struct Seat {
    role: usize,
    roles: Roles,
    equipment: Equipment,
    decision: Decision,
    /// The joint moves of the match, as texts.
    history: Vec<Vec<String>>,
    /// How often the engine changed.
    generation: u64,
    /// What is being built.
    upgrade: Upgrade<Equipment>,
}

/// What a seat plays with, all of it on one engine.
pub struct Equipment {
    /// Stands in the match's state.
    machine: Box<dyn Machine>,
    /// Is asked about many states at once. Its states and moves are the machine's.
    batch: Box<dyn Batch>,
    /// The network, where the engine runs one. Its states and moves are the machine's.
    network: Option<Arc<Network>>,
}

impl Equipment {
    /// What a seat needs of a compiled game.
    pub fn new(game: &Compiled) -> Result<Self, EngineError> {
        let (batch, machine) = (game.batch()?, game.machine()?);
        let network = match game.decision().engine {
            Engine::Tree => None,
            _ => Some(game.network()?),
        };
        Ok(Equipment { machine, batch, network })
    }

    /// The names of all roles, in the order of joint moves.
    pub fn roles(&self) -> &Roles {
        self.machine.roles()
    }

    fn fork(&self) -> Self {
        Equipment { machine: self.machine.fork(), batch: self.batch.fork(), network: self.network.clone() }
    }
}

impl Seat {
    /// A seat at the beginning of a match, as the settings say: at once if no engine is named and the time is what counts,
    /// else when the engine is ready.
    pub fn new(game: &Compiled, role: usize, settings: &Settings) -> Result<Self, SearchError> {
        if settings.engine == Engine::Auto && settings.simulations.is_none() {
            Seat::at_once(game, role)
        } else {
            Seat::with_engine(game, role, settings.engine)
        }
    }

    /// A seat that is ready at once; the fastest engine is built in the background.
    pub fn at_once(game: &Compiled, role: usize) -> Result<Self, SearchError> {
        Seat::started(game.on(Engine::Auto).start(Equipment::new, ())?, role)
    }

    /// A seat that is ready when an engine is.
    pub fn with_engine(game: &Compiled, role: usize, engine: Engine) -> Result<Self, SearchError> {
        Seat::started(game.on(engine).ready(Equipment::new)?, role)
    }

    /// A seat at the beginning of a match with what there is to play with; if something faster comes, the seat changes over
    /// to it.
    pub fn started(started: Started<Equipment>, role: usize) -> Result<Self, SearchError> {
        let Started { now: mut equipment, decision, upgrade } = started;
        equipment.machine.reset();
        let roles = equipment.machine.roles().clone();
        if role >= roles.len() {
            return Err(SearchError::NoSuchRole { role, roles: roles.len() });
        }
        Ok(Seat { role, roles, equipment, decision, history: Vec::new(), generation: 0, upgrade })
    }

    /// A seat of any role at the beginning of another match of the same game, with the engine that this one has now.
    pub fn another(&self, role: usize) -> Result<Self, SearchError> {
        let (now, decision) = (self.equipment.fork(), self.decision.clone());
        Seat::started(Started { now, decision, upgrade: Upgrade::none() }, role)
    }

    /// The role's number.
    pub fn role(&self) -> usize {
        self.role
    }

    /// The role's name.
    pub fn role_name(&self) -> &str {
        &self.roles[self.role]
    }

    /// The names of all roles, in the order of joint moves.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Whether a role is nature's, which moves by chance.
    pub fn is_nature(&self, role: usize) -> bool {
        self.roles.is_nature(role)
    }

    /// How many joint moves were made.
    pub fn step(&self) -> usize {
        self.history.len()
    }

    /// The engine, and why it was chosen.
    pub fn engine(&self) -> &Decision {
        &self.decision
    }

    /// How often the engine changed. Moves and states of another generation mean nothing any more.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the match is over.
    pub fn is_terminal(&mut self) -> Result<bool, SearchError> {
        Ok(self.equipment.machine.is_terminal()?)
    }

    /// The legal moves of the seat's role; an error if there is none or the match is over.
    pub fn legal(&mut self) -> Result<Vec<Move>, SearchError> {
        if self.equipment.machine.is_terminal()? {
            return Err(SearchError::MatchOver);
        }
        match self.equipment.machine.legal(self.role)? {
            [] => Err(SearchError::NoLegalMove { role: self.roles[self.role].clone() }),
            moves => Ok(moves.to_vec()),
        }
    }

    /// The legal moves of any role.
    pub fn legal_of(&mut self, role: usize) -> Result<&[Move], SearchError> {
        Ok(self.equipment.machine.legal(role)?)
    }

    /// The goal values of a role here.
    pub fn goals(&mut self, role: usize) -> Result<&[i32], SearchError> {
        Ok(self.equipment.machine.goals(role)?)
    }

    /// The fluents that hold here, as KIF, sorted.
    pub fn fluents(&self) -> Vec<String> {
        self.equipment.machine.fluents()
    }

    /// The state of the match.
    pub fn state(&self) -> State {
        let mut state = State::default();
        self.equipment.machine.save(&mut state);
        state
    }

    /// A machine of one's own that stands in the match's state.
    pub fn machine(&self) -> Box<dyn Machine> {
        self.equipment.machine.fork()
    }

    /// A batch of one's own.
    pub fn batch(&self) -> Box<dyn Batch> {
        self.equipment.batch.fork()
    }

    /// The network, where the engine runs one. Its states and moves are the seat's.
    pub fn network(&self) -> Option<Arc<Network>> {
        self.equipment.network.clone()
    }

    /// A move as KIF.
    pub fn move_text(&self, made: Move) -> String {
        self.equipment.machine.move_text(made)
    }

    /// The legal move of any role that a text gives.
    pub fn find_legal_of(&mut self, role: usize, text: &str) -> Result<Option<Move>, SearchError> {
        Ok(self.equipment.machine.find_legal(role, text)?)
    }

    /// The legal move of the seat's role that a text gives.
    pub fn find_legal(&mut self, text: &str) -> Result<Option<Move>, SearchError> {
        self.find_legal_of(self.role, text)
    }

    /// A joint move was made, one move for each role in their order.
    pub fn advance(&mut self, joint: &[Move]) -> Result<(), SearchError> {
        let texts = joint.iter().map(|&made| self.equipment.machine.move_text(made)).collect();
        self.equipment.machine.advance(joint)?;
        self.history.push(texts);
        self.change_over()?;
        Ok(())
    }

    /// A joint move was made, given as texts.
    pub fn advance_texts(&mut self, joint: &[&str]) -> Result<(), SearchError> {
        let moves = self.equipment.machine.joint_of(joint)?;
        self.equipment.machine.advance(&moves)?;
        self.history.push(joint.iter().map(|&text| text.to_owned()).collect());
        self.change_over()?;
        Ok(())
    }

    /// Changes over to the engine that was built in the background if it is ready; says whether the engine changed.
    pub fn change_over(&mut self) -> Result<bool, SearchError> {
        self.change_over_within(Duration::ZERO)
    }

    /// Waits for the engine that is being built, at most so long, and changes over to it; says whether the engine changed.
    pub fn change_over_within(&mut self, time: Duration) -> Result<bool, SearchError> {
        let built = if time.is_zero() { self.upgrade.poll() } else { self.upgrade.wait(time) };
        let Some((built, decision)) = built else { return Ok(false) };
        // What cannot be built does not stop the match: the rules go on being interpreted.
        Ok(match built {
            Ok(Some(equipment)) => self.take_over(equipment, decision),
            Ok(None) => {
                self.decision = decision;
                false
            }
            Err(error) => {
                self.decision.why = error.to_string();
                false
            }
        })
    }

    /// Whether an engine is being built.
    pub fn is_waiting(&self) -> bool {
        self.upgrade.is_coming()
    }

    /// Replays the match on another engine and goes on with it, unless that cannot follow.
    fn take_over(&mut self, mut equipment: Equipment, decision: Decision) -> bool {
        if let Err(error) = replay(&mut *equipment.machine, &self.history) {
            self.decision.why = format!("{} could not replay the match: {error}", decision.engine.name());
            return false;
        }
        (self.equipment, self.decision) = (equipment, decision);
        self.generation += 1;
        true
    }
}

fn replay(machine: &mut dyn Machine, history: &[Vec<String>]) -> Result<(), MoveError> {
    machine.reset();
    for joint in history {
        let moves = machine.joint_of(joint)?;
        machine.advance(&moves)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};

    use super::*;

    const CHASE: &str = "(role a) (role b) (init (at 0)) (s 0 1) (s 1 2) (s 2 3)
        (<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
        (<= (next (at ?y)) (true (at ?x)) (s ?x ?y) (does a go))
        (<= (next (at ?x)) (true (at ?x)) (does a stay))
        (<= terminal (true (at 3))) (<= (goal a 100) (true (at 3))) (goal b 50)";

    fn chase() -> Compiled {
        Compiled::new(read(CHASE.as_bytes(), &Options::default()).game.expect("a valid description"))
    }

    #[test]
    fn the_match_goes_on_when_the_engine_changes() {
        let mut seat = Seat::at_once(&chase(), 0).unwrap();
        assert_eq!((seat.engine().engine, seat.role_name()), (Engine::Tree, "a"));
        let go = seat.find_legal("GO").unwrap().expect("a legal move");
        let stay = seat.legal_of(1).unwrap()[0];
        seat.equipment.machine.advance(&[go, stay]).unwrap();
        seat.history.push(vec!["go".into(), "stay".into()]);
        let before = seat.fluents();
        assert!(seat.change_over_within(Duration::from_secs(600)).unwrap());
        assert_eq!((seat.generation(), seat.engine().engine), (1, Engine::Sliced));
        assert_eq!((seat.fluents(), seat.step()), (before, 1));
        seat.advance_texts(&["go", "stay"]).unwrap();
        seat.advance_texts(&["go", "go"]).unwrap();
        assert!(seat.is_terminal().unwrap());
        assert_eq!(seat.goals(0).unwrap(), [100]);
        assert!(matches!(seat.legal(), Err(SearchError::MatchOver)));
        assert!(!seat.change_over().unwrap() && !seat.is_waiting());
    }

    #[test]
    fn what_is_no_move_is_refused() {
        let mut seat = Seat::with_engine(&chase(), 1, Engine::Tree).unwrap();
        assert!(seat.advance_texts(&["go"]).is_err());
        assert!(seat.advance_texts(&["go", "(fly 1)"]).is_err());
        assert_eq!((seat.step(), seat.find_legal("run").unwrap()), (0, None));
        assert!(matches!(Seat::with_engine(&chase(), 2, Engine::Tree), Err(SearchError::NoSuchRole { .. })));
        assert_eq!(seat.another(0).unwrap().role(), 0);
        assert!(!seat.is_nature(0) && !seat.is_nature(7));
    }
}
