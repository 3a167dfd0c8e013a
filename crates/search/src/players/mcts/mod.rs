//! The player `mcts`: Monte Carlo tree search over the batch interface. `tree` holds what is known of states, `bounds`
//! what is proved, `policy` the constants and habits; `descent` goes down and up, `pass` does both for many descents at
//! once with one go over the batch between; `choice` decides on the move. This file runs the turn. Every thread has a tree of its
//! own: going down and up takes longer than the lanes between, so that threads would wait for each other at one tree. What they know of
//! the first state is put together in the end.
//!
//! Whatever happens there is a legal move in hand: the first one at once, then the best so far from time to time, also
//! when the rules turn out to be too hard to evaluate somewhere.

mod aimed;
mod bounds;
mod choice;
mod clock;
mod descent;
mod line;
mod pass;
mod policy;
mod sweep;
mod tree;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use groundrules_machine::engines::Engine;
use groundrules_machine::relax::Relaxation;
use groundrules_machine::{MachineError, Move};

use crate::error::SearchError;
use crate::player::{Player, Settings};
use crate::seat::Seat;
use crate::turn::Turn;
use line::Line;
use pass::{Count, Search, Worker};
pub use policy::Policy;
use tree::Tree;

/// Monte Carlo tree search.
pub struct Mcts {
    settings: Settings,
    policy: Policy,
    /// What each thread knows, the first one first, and the seat's generation in which its numbers mean something.
    known: Option<(u64, Vec<Desk>)>,
    /// The best line in words, for the day that the seat changes its engine.
    told: Option<Told>,
    report: String,
    count: Count,
    role: usize,
}

/// A thread's place: what it knows and what it works with.
struct Desk {
    search: Search,
    worker: Worker,
}

/// The best line of one player alone, in words.
struct Told {
    /// How many joint moves were made before it.
    step: usize,
    goal: i32,
    moves: Vec<String>,
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
        let (report, count) = (String::new(), Count::default());
        Mcts { settings, policy, known: None, told: None, report, count, role: 0 }
    }

    /// How many descents and playouts its last turn had.
    pub fn effort(&self) -> (u64, u64) {
        (self.count.simulations, self.count.playouts)
    }

    /// What is proved of the last state for the player's role, as goals: it can be sure of the first and, if everybody is
    /// against it, get no more than the second.
    pub fn proved(&self) -> Option<(f64, f64)> {
        let search = self.first()?;
        let bound = search.tree.stake(search.root, self.role).bound;
        Some((f64::from(bound.lower) / 100.0, f64::from(bound.upper) / 100.0))
    }

    /// How many bytes its search tree takes, about.
    pub fn bytes(&self) -> usize {
        let desks = self.known.iter().flat_map(|(_, desks)| desks);
        desks.map(|desk| desk.search.tree.bytes()).sum()
    }

    /// What the first thread knows.
    fn first(&self) -> Option<&Search> {
        self.known.as_ref().and_then(|(_, desks)| desks.first()).map(|desk| &desk.search)
    }

    /// Puts the best line into words if the seat may change its engine.
    fn tell_line(&mut self, seat: &Seat) {
        self.told = None;
        let Some(search) = self.first().filter(|_| seat.is_waiting()) else { return };
        let proved = || search.proved_line().filter(|_| search.keeps_lines());
        let line = search.line.clone().into_iter().chain(proved()).max_by_key(|line| line.goal);
        let told = |line: Line| Told { step: seat.step(), goal: line.goal, moves: line.texts(seat) };
        self.told = line.map(told);
    }

    /// The line that was put into words, from the seat's state.
    fn told_line(&mut self, seat: &Seat) -> Option<Line> {
        let Told { step, goal, moves } = self.told.take()?;
        let left = moves.get(seat.step().checked_sub(step)?..)?;
        Line::by_texts(seat, left, goal).ok().flatten()
    }

    /// Makes the trees stand on the seat's state.
    fn stand(&mut self, seat: &Seat) -> Result<&mut Vec<Desk>, MachineError> {
        let is_known = self.known.as_ref().is_some_and(|(known, _)| *known == seat.generation());
        if !is_known {
            let line = self.told_line(seat);
            let nature: Vec<bool> = (0..seat.roles().len()).map(|role| seat.is_nature(role)).collect();
            let threads = self.settings.threads.get();
            let desk = |number: usize| Desk {
                search: Search::new(Tree::new(nature.clone(), self.settings.memory / threads), self.policy),
                worker: Worker::new(seat.batch(), self.settings.seed, number as u64),
            };
            let mut desks: Vec<Desk> = (0..threads).map(desk).collect();
            desks.iter_mut().take(1).for_each(|desk| desk.search.line.clone_from(&line));
            self.known = Some((seat.generation(), desks));
        }
        let Some((_, desks)) = &mut self.known else { unreachable!("it was just put there") };
        let limit = self.settings.memory / 8;
        for (number, desk) in desks.iter_mut().enumerate() {
            // One thread is enough for sweeps: they would all do the same.
            desk.stand(seat, is_known, (number == 0).then_some(limit))?;
        }
        Ok(desks)
    }

    /// Searches until the turn is over, or the simulations are done, or all is known.
    fn think(&mut self, seat: &Seat, turn: &Turn, may_offer: bool) -> Result<(), MachineError> {
        let Settings { simulations, max_steps, threads, .. } = self.settings;
        let role = seat.role();
        self.role = role;
        let simulations = simulations.map(|all| all.div_ceil(threads.get() as u64));
        let desks = self.stand(seat)?;
        let is_over = AtomicBool::new(false);
        let effort = Effort { turn, role, simulations, max_steps, is_over: &is_over };
        let done = thread::scope(|scope| {
            let (first, others) = desks.split_first_mut().unwrap_or_else(|| unreachable!("there is one"));
            let effort = &effort;
            let handles: Vec<_> =
                others.iter_mut().map(|desk| scope.spawn(move || effort.work(desk, &mut |_| ()))).collect();
            let mut last = Instant::now();
            let done = effort.work(first, &mut |search| {
                if may_offer && last.elapsed() >= OFFER_EVERY {
                    last = Instant::now();
                    turn.offer(seat, search.best(role));
                }
            });
            // Simulations are everybody's own.
            if simulations.is_none() {
                is_over.store(true, Ordering::Relaxed);
            }
            handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(()))).fold(done, Result::and)
        });
        put_together(desks, role);
        self.count = self.first().map_or(Count::default(), |search| search.count);
        self.tell_line(seat);
        done
    }
}

impl Desk {
    /// Makes the tree stand on the seat's state, and begins to sweep from it with so much memory, if that is wanted.
    fn stand(&mut self, seat: &Seat, is_known: bool, sweeps: Option<usize>) -> Result<(), MachineError> {
        let Desk { search, worker } = self;
        search.count = Count::default();
        search.elsewhere.clear();
        let state = seat.state();
        worker.follow_line(search, &state)?;
        if !is_known && has_bits(seat.engine().engine) {
            worker.find_clock(search, &state)?;
        }
        if let Some(limit) = sweeps.filter(|_| has_bits(seat.engine().engine)) {
            worker.begin_sweeps(search, &state, || seat.network().map(Relaxation::new), limit)?;
        }
        match search.tree.find(state.words()) {
            // What was given up because a position was reached sooner elsewhere is not given up from here.
            Some(node) if search.clock.is_none() => search.root = node,
            _ => {
                let step = u32::try_from(seat.step()).unwrap_or(u32::MAX / 2);
                worker.plant(search, &state, step)?;
            }
        }
        Ok(())
    }
}

/// Gives the first thread what the others know of the first state: their counts, their best line, and what they proved.
fn put_together(desks: &mut [Desk], role: usize) {
    let done = desks.iter().position(|desk| desk.search.is_done(role));
    if let Some(done) = done.filter(|&done| done > 0) {
        let (first, others) = desks.split_at_mut(done);
        std::mem::swap(&mut first[0].search, &mut others[0].search);
    }
    let Some((first, others)) = desks.split_first_mut() else { return };
    for Desk { search, .. } in others {
        first.search.hear(search);
    }
}

/// Whether the states of an engine have a bit for each fluent.
fn has_bits(engine: Engine) -> bool {
    matches!(engine, Engine::Net | Engine::Sliced)
}

/// A turn that is being thought about, by several threads.
struct Effort<'a> {
    turn: &'a Turn,
    role: usize,
    /// How many each thread does, if they count.
    simulations: Option<u64>,
    max_steps: u64,
    is_over: &'a AtomicBool,
}

impl Effort<'_> {
    /// The work of one thread. What is known is shown from time to time.
    fn work(&self, desk: &mut Desk, show: &mut dyn FnMut(&Search)) -> Result<(), MachineError> {
        let Desk { search, worker } = desk;
        loop {
            let began = Instant::now();
            let left = self.simulations.map(|all| all.saturating_sub(search.count.simulations));
            let is_done = search.is_done(self.role);
            if is_done {
                // What one thread has proved the others need not.
                self.is_over.store(true, Ordering::Relaxed);
            }
            if left == Some(0) || is_done || self.is_over(worker.took) {
                return Ok(());
            }
            show(search);
            worker.reconsider(search)?;
            worker.gather(search, left.unwrap_or(u64::MAX));
            let time = if self.simulations.is_some() { None } else { self.turn.time_left() };
            let policy = search.policy;
            let done = worker.evaluate(&policy, self.max_steps, time);
            if done.is_err() {
                self.is_over.store(true, Ordering::Relaxed);
                return done;
            }
            worker.back_up(search);
            let left = time.and_then(|_| self.turn.time_left());
            if worker.has_sweeps(left) && !self.turn.is_over() {
                let (found, is_exhausted) = worker.sweep(self.max_steps, left)?;
                search.is_exhausted |= is_exhausted;
                found.into_iter().for_each(|found| Worker::take_line(search, found));
            }
            worker.worked += began.elapsed();
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
        let Some(search) = self.first().filter(|_| thought.is_ok()) else {
            self.report = thought.err().map_or(String::new(), |error| error.to_string());
            return Ok(legal[0]);
        };
        let chosen = search.decide(role, self.settings.seed.wrapping_add(seat.step() as u64));
        let report = search.report(role);
        self.report = report;
        // The tree's moves are the seat's; should they ever differ, a legal move is still made.
        let chosen = if legal.contains(&chosen) { chosen } else { legal[0] };
        turn.offer(seat, chosen);
        Ok(chosen)
    }

    fn report(&self) -> String {
        self.report.clone()
    }
}

#[cfg(test)]
mod tests {
    use groundrules_gdl::{Options, read};
    use groundrules_machine::Compiled;

    use super::*;

    /// Eight doors, one of three keys each; every right one counts.
    const DOORS: &str = "(role you) (init (at 0)) (init (right 0)) (key 1) (key 2) (key 3)
        (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8)
        (<= (legal you (turn ?k)) (key ?k))
        (<= (next (at ?y)) (true (at ?x)) (s ?x ?y))
        (<= (next (right ?y)) (true (right ?x)) (s ?x ?y) (does you (turn 2)))
        (<= (next (right ?x)) (true (right ?x)) (not (does you (turn 2))))
        (<= terminal (true (at 8)))
        (<= (goal you 100) (true (right 8))) (<= (goal you 50) (true (right 7)))
        (<= (goal you 0) (not (true (right 8))) (not (true (right 7))))";

    #[test]
    fn the_best_line_is_kept_when_the_engine_changes() {
        let game = read(DOORS.as_bytes(), &Options::default()).game.expect("a valid description");
        let mut seat = Seat::at_once(&Compiled::new(game), 0).expect("a seat");
        let settings = Settings { simulations: Some(200), ..Settings::default() };
        let mut player = Mcts::new(&settings);
        while !player.report().contains("100") {
            player.settings.simulations = player.settings.simulations.map(|simulations| simulations * 2);
            player.choose(&mut seat, &Turn::without_clock()).expect("a move");
        }
        player.settings.simulations = Some(0);
        seat.advance_texts(&["(turn 2)"]).expect("a legal move");
        // It may have changed over already, if it was quick.
        seat.change_over_within(Duration::from_secs(600)).expect("an engine");
        assert_eq!((seat.generation(), seat.engine().engine), (1, Engine::Sliced));
        let made = player.choose(&mut seat, &Turn::without_clock()).expect("a move");
        assert_eq!(seat.move_text(made), "(turn 2)");
        assert!(player.report().starts_with("has a line to 100"), "{}", player.report());
    }
}
