//! A role's place in a match: the state, the legal moves, and what a player needs to look ahead. Whoever runs the match
//! tells the seat every joint move; players ask it.
//!
//! A seat with the engine `auto` is there at once: the rules are interpreted while the network is built in the
//! background. When it is ready the seat changes over by replaying the match, whose moves it keeps as texts, because the
//! numbers of moves and states are the engine's own. It does so only in [`Seat::advance`], [`Seat::advance_texts`] and
//! [`Seat::change_over`]: between two of these, moves and states stay valid. Players that keep them longer watch
//! [`Seat::generation`].

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use groundrules_gdl::Game;
use groundrules_machine::engines::auto::{Budget, Decision};
use groundrules_machine::engines::pair::{Pair, in_background};
use groundrules_machine::engines::{Engine, EngineError};
use groundrules_machine::relax::Relaxation;
use groundrules_machine::{Batch, Machine, Move, State};

use crate::error::SearchError;
use crate::player::Settings;

/// A role's place in a match.
pub struct Seat {
    role: usize,
    roles: Vec<String>,
    machine: Box<dyn Machine>,
    batch: Box<dyn Batch>,
    decision: Decision,
    relaxation: Option<Relaxation>,
    /// The joint moves of the match, as texts.
    history: Vec<Vec<String>>,
    /// How often the engine changed.
    generation: u64,
    /// What is being built.
    coming: Option<Receiver<Result<Pair, EngineError>>>,
}

impl Seat {
    /// A seat at the beginning of a match, as the settings say: at once if no engine is named and the time is what counts,
    /// else when the engine is ready.
    pub fn new(game: &Game, role: usize, settings: &Settings) -> Result<Self, SearchError> {
        if settings.engine == Engine::Auto && settings.simulations.is_none() {
            Seat::at_once(game, role)
        } else {
            Seat::with_engine(game, role, settings.engine)
        }
    }

    /// A seat that is there at once; the fastest engine is built in the background.
    pub fn at_once(game: &Game, role: usize) -> Result<Self, SearchError> {
        let mut seat = Seat::on(Engine::Tree.pair(game, &[])?, role)?;
        seat.coming = Some(in_background(game, &Budget::default()));
        Ok(seat)
    }

    /// A seat that is there when an engine is ready.
    pub fn with_engine(game: &Game, role: usize, engine: Engine) -> Result<Self, SearchError> {
        Seat::on(engine.pair(game, &[])?, role)
    }

    /// A seat at the beginning of a match on an engine that is there; if a faster one is being built, the seat changes over
    /// to it. For those who have their own limits on engines.
    pub fn waiting(
        pair: Pair,
        role: usize,
        coming: Option<Receiver<Result<Pair, EngineError>>>,
    ) -> Result<Self, SearchError> {
        Ok(Seat { coming, ..Seat::on(pair, role)? })
    }

    fn on(pair: Pair, role: usize) -> Result<Self, SearchError> {
        let Pair { mut machine, batch, decision, relaxation } = pair;
        machine.reset();
        let roles = machine.roles().to_vec();
        if role >= roles.len() {
            return Err(SearchError::NoSuchRole { role, roles: roles.len() });
        }
        let history = Vec::new();
        Ok(Seat { role, roles, machine, batch, decision, relaxation, history, generation: 0, coming: None })
    }

    /// A seat of any role at the beginning of another match of the same game, with the engine that this one has now.
    pub fn another(&self, role: usize) -> Result<Self, SearchError> {
        let (machine, batch, decision) = (self.machine.fork(), self.batch.fork(), self.decision.clone());
        Seat::on(Pair { machine, batch, decision, relaxation: self.relaxation.clone() }, role)
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
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Whether a role is nature's: one called `random`, which moves by chance.
    pub fn is_nature(&self, role: usize) -> bool {
        self.roles.get(role).is_some_and(|name| name.eq_ignore_ascii_case("random"))
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
        Ok(self.machine.is_terminal()?)
    }

    /// The legal moves of the seat's role; an error if there is none or the match is over.
    pub fn legal(&mut self) -> Result<Vec<Move>, SearchError> {
        if self.machine.is_terminal()? {
            return Err(SearchError::MatchOver);
        }
        match self.machine.legal(self.role)? {
            [] => Err(SearchError::NoLegalMove { role: self.roles[self.role].clone() }),
            moves => Ok(moves.to_vec()),
        }
    }

    /// The legal moves of any role.
    pub fn legal_of(&mut self, role: usize) -> Result<&[Move], SearchError> {
        Ok(self.machine.legal(role)?)
    }

    /// The goal values of a role here.
    pub fn goals(&mut self, role: usize) -> Result<&[i32], SearchError> {
        Ok(self.machine.goals(role)?)
    }

    /// The fluents that hold here, as KIF, sorted.
    pub fn fluents(&self) -> Vec<String> {
        self.machine.fluents()
    }

    /// The state of the match.
    pub fn state(&self) -> State {
        let mut state = State::default();
        self.machine.save(&mut state);
        state
    }

    /// A machine of one's own that stands in the match's state.
    pub fn machine(&self) -> Box<dyn Machine> {
        self.machine.fork()
    }

    /// A batch of one's own.
    pub fn batch(&self) -> Box<dyn Batch> {
        self.batch.fork()
    }

    /// What may still come of a state, where there is a network: one of one's own.
    pub fn relaxation(&self) -> Option<Relaxation> {
        self.relaxation.clone()
    }

    /// A move as KIF.
    pub fn move_text(&self, made: Move) -> String {
        self.machine.move_text(made)
    }

    /// The legal move of the seat's role that a text gives.
    pub fn find_legal(&mut self, text: &str) -> Result<Option<Move>, SearchError> {
        let Some(found) = self.machine.find_move(self.role, text) else { return Ok(None) };
        Ok(self.machine.legal(self.role)?.contains(&found).then_some(found))
    }

    /// A joint move was made, one move for each role in their order.
    pub fn advance(&mut self, joint: &[Move]) -> Result<(), SearchError> {
        let texts = joint.iter().map(|&made| self.machine.move_text(made)).collect();
        self.machine.advance(joint)?;
        self.history.push(texts);
        self.change_over()?;
        Ok(())
    }

    /// A joint move was made, given as texts.
    pub fn advance_texts(&mut self, joint: &[&str]) -> Result<(), SearchError> {
        let moves = moves_of(&mut *self.machine, &self.roles, joint)?;
        self.machine.advance(&moves)?;
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
        let Some(coming) = &self.coming else { return Ok(false) };
        let built = if time.is_zero() {
            match coming.try_recv() {
                Err(TryRecvError::Empty) => return Ok(false),
                received => received.ok(),
            }
        } else {
            match coming.recv_timeout(time) {
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return Ok(false),
                received => received.ok(),
            }
        };
        self.coming = None;
        // What cannot be built does not stop the match: the rules go on being interpreted.
        let Some(Ok(pair)) = built else { return Ok(false) };
        Ok(self.take_over(pair))
    }

    /// Whether an engine is being built.
    pub fn is_waiting(&self) -> bool {
        self.coming.is_some()
    }

    /// Replays the match on another engine and goes on with it, unless it is no other, or cannot follow.
    fn take_over(&mut self, pair: Pair) -> bool {
        let Pair { mut machine, batch, decision, relaxation } = pair;
        let is_other = decision.engine != self.decision.engine;
        self.decision = decision;
        if !is_other || replay(&mut *machine, &self.roles, &self.history).is_err() {
            return false;
        }
        (self.machine, self.batch, self.relaxation) = (machine, batch, relaxation);
        self.generation += 1;
        true
    }
}

fn replay(machine: &mut dyn Machine, roles: &[String], history: &[Vec<String>]) -> Result<(), SearchError> {
    machine.reset();
    for joint in history {
        let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
        let moves = moves_of(machine, roles, &texts)?;
        machine.advance(&moves)?;
    }
    Ok(())
}

fn moves_of(machine: &mut dyn Machine, roles: &[String], joint: &[&str]) -> Result<Vec<Move>, SearchError> {
    let moves = joint.iter().enumerate().map(|(role, text)| {
        machine.find_move(role, text).ok_or_else(|| SearchError::NoSuchMove {
            role: roles.get(role).cloned().unwrap_or_default(),
            text: (*text).to_owned(),
        })
    });
    moves.collect()
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

    fn chase() -> Game {
        read(CHASE.as_bytes(), &Options::default()).game.expect("a valid description")
    }

    #[test]
    fn the_match_goes_on_when_the_engine_changes() {
        let mut seat = Seat::at_once(&chase(), 0).unwrap();
        assert_eq!((seat.engine().engine, seat.role_name()), (Engine::Tree, "a"));
        let go = seat.find_legal("GO").unwrap().expect("a legal move");
        let stay = seat.legal_of(1).unwrap()[0];
        seat.machine.advance(&[go, stay]).unwrap();
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
