//! The player `mcts`: Monte Carlo tree search over the batch interface. `tree` holds what is known of states, `bounds`
//! what is proved, `policy` the constants and habits; `descent` goes down and up, `pass` does both for many descents at
//! once with one go over the batch between, on every thread; `choice` decides on the move. This file runs the turn.
//!
//! Whatever happens there is a legal move in hand: the first one at once, then the best so far from time to time, also
//! when the rules turn out to be too hard to evaluate somewhere.

mod bounds;
mod choice;
mod clock;
mod descent;
mod line;
mod pass;
mod policy;
mod tree;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use groundrules_machine::engines::Engine;
use groundrules_machine::{MachineError, Move};

use crate::error::SearchError;
use crate::player::{Player, Settings};
use crate::seat::Seat;
use crate::turn::Turn;
use pass::{Count, Search, Worker};
pub use policy::Policy;
use tree::Tree;

/// Monte Carlo tree search.
pub struct Mcts {
    settings: Settings,
    policy: Policy,
    /// What is known, and the seat's generation in which its numbers mean something.
    known: Option<(u64, Search, Vec<Worker>)>,
    report: String,
    count: Count,
    role: usize,
}

/// How often the best move so far is offered.
const OFFER_EVERY: Duration = Duration::from_millis(20);

impl Mcts {
    /// One that plays by the settings.
    pub fn new(settings: &Settings) -> Self {
        Mcts::with_policy(settings, Policy::default())
    }

    /// One with constants of its own.
    pub fn with_policy(settings: &Settings, policy: Policy) -> Self {
        let settings = settings.clone();
        Mcts { settings, policy, known: None, report: String::new(), count: Count::default(), role: 0 }
    }

    /// How many descents and playouts its last turn had.
    pub fn effort(&self) -> (u64, u64) {
        (self.count.simulations, self.count.playouts)
    }

    /// What is proved of the last state for the player's role, as goals: it can be sure of the first and, if everybody is
    /// against it, get no more than the second.
    pub fn proved(&self) -> Option<(f64, f64)> {
        let (_, search, _) = self.known.as_ref()?;
        let bound = search.tree.stake(search.root, self.role).bound;
        Some((f64::from(bound.lower) / 100.0, f64::from(bound.upper) / 100.0))
    }

    /// How many bytes its search tree takes, about.
    pub fn bytes(&self) -> usize {
        self.known.as_ref().map_or(0, |(_, search, _)| search.tree.bytes())
    }

    /// Makes the tree stand on the seat's state.
    fn stand(&mut self, seat: &Seat) -> Result<(&mut Search, &mut Vec<Worker>), MachineError> {
        let is_known = self.known.as_ref().is_some_and(|(known, ..)| *known == seat.generation());
        if !is_known {
            let nature = (0..seat.roles().len()).map(|role| seat.is_nature(role)).collect();
            let search = Search::new(Tree::new(nature, self.settings.memory), self.policy);
            let worker = |number| Worker::new(seat.batch(), self.settings.seed, number as u64);
            let workers = (0..self.settings.threads.get()).map(worker).collect();
            self.known = Some((seat.generation(), search, workers));
        }
        let Some((_, search, workers)) = &mut self.known else { unreachable!("it was just put there") };
        search.count = Count::default();
        let state = seat.state();
        workers[0].follow_line(search, &state)?;
        if !is_known && has_bits(seat.engine().engine) {
            workers[0].find_clock(search, &state)?;
        }
        match search.tree.find(&state) {
            // What was given up because a position was reached sooner elsewhere is not given up from here.
            Some(node) if search.clock.is_none() => search.root = node,
            _ => {
                let step = u32::try_from(seat.step()).unwrap_or(u32::MAX / 2);
                workers[0].plant(search, &state, step)?;
            }
        }
        Ok((search, workers))
    }

    /// Searches until the turn is over, or the simulations are done, or all is known.
    fn think(&mut self, seat: &Seat, turn: &Turn, may_offer: bool) -> Result<(), MachineError> {
        let Settings { simulations, max_steps, .. } = self.settings;
        let role = seat.role();
        self.role = role;
        let (search, workers) = self.stand(seat)?;
        let effort = Effort {
            search: Mutex::new(search),
            turn,
            role,
            simulations,
            max_steps,
            is_over: AtomicBool::new(false),
        };
        let done = thread::scope(|scope| {
            let (first, others) = workers.split_first_mut().unwrap_or_else(|| unreachable!("there is one"));
            let effort = &effort;
            let handles: Vec<_> = others
                .iter_mut()
                .map(|worker| scope.spawn(move || effort.work(worker, &mut |_| ())))
                .collect();
            let mut last = Instant::now();
            let done = effort.work(first, &mut |search| {
                if may_offer && last.elapsed() >= OFFER_EVERY {
                    last = Instant::now();
                    turn.offer(seat, search.best(role));
                }
            });
            effort.is_over.store(true, Ordering::Relaxed);
            handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(()))).fold(done, Result::and)
        });
        let count = match self.known.as_ref() {
            Some((_, search, _)) => search.count,
            None => Count::default(),
        };
        self.count = count;
        done
    }
}

/// Whether the states of an engine have a bit for each fluent.
fn has_bits(engine: Engine) -> bool {
    matches!(engine, Engine::Net | Engine::Sliced)
}

/// A turn that is being thought about by several threads.
struct Effort<'a> {
    search: Mutex<&'a mut Search>,
    turn: &'a Turn,
    role: usize,
    simulations: Option<u64>,
    max_steps: u64,
    is_over: AtomicBool,
}

impl Effort<'_> {
    /// The work of one thread. What is known is shown from time to time.
    fn work(&self, worker: &mut Worker, show: &mut dyn FnMut(&Search)) -> Result<(), MachineError> {
        let policy = self.search.lock().unwrap_or_else(PoisonError::into_inner).policy;
        loop {
            {
                let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
                let left = self.simulations.map(|all| all.saturating_sub(search.count.simulations));
                if left == Some(0) || search.is_done(self.role) || self.is_over(worker.took) {
                    self.is_over.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                show(&search);
                worker.reconsider(&mut search)?;
                worker.gather(&mut search, left.unwrap_or(u64::MAX));
            }
            let time = if self.simulations.is_some() { None } else { self.turn.time_left() };
            let done = worker.evaluate(&policy, self.max_steps, time);
            if done.is_err() {
                self.is_over.store(true, Ordering::Relaxed);
                return done;
            }
            worker.back_up(&mut self.search.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Whether there is no time for another pass.
    fn is_over(&self, pass: Duration) -> bool {
        self.is_over.load(Ordering::Relaxed)
            || self.turn.is_over()
            || self.simulations.is_none() && self.turn.time_left().is_some_and(|left| left < pass)
    }
}

impl Player for Mcts {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn prepare(&mut self, seat: &mut Seat, turn: &Turn) -> Result<(), SearchError> {
        if let (true, Some(left)) = (seat.is_waiting(), turn.time_left()) {
            seat.change_over_within(left)?;
        }
        if !seat.is_terminal()? && self.settings.simulations.is_none() && turn.deadline().is_some() {
            // A match that cannot be thought about can still be played.
            let _ = self.think(seat, turn, false);
        }
        Ok(())
    }

    fn choose(&mut self, seat: &mut Seat, turn: &Turn) -> Result<Move, SearchError> {
        let first = seat.legal()?[0];
        turn.offer(seat, first);
        // A fast engine is worth some waiting: it makes up for that many times over.
        if let (true, Some(left)) = (seat.is_waiting(), turn.time_left()) {
            seat.change_over_within(left / 8)?;
        }
        let legal = seat.legal()?;
        let thought = self.think(seat, turn, true);
        let role = seat.role();
        let Some((_, search, _)) = self.known.as_mut().filter(|_| thought.is_ok()) else {
            self.report = thought.err().map_or(String::new(), |error| error.to_string());
            return Ok(legal[0]);
        };
        let chosen = search.decide(role, self.settings.seed.wrapping_add(seat.step() as u64));
        self.report = search.report(role);
        // The tree's moves are the seat's; should they ever differ, a legal move is still made.
        let chosen = if legal.contains(&chosen) { chosen } else { legal[0] };
        turn.offer(seat, chosen);
        Ok(chosen)
    }

    fn report(&self) -> String {
        self.report.clone()
    }
}
