//! The player `mcts`: Monte Carlo tree search over the batch interface. `tree` holds the nodes, `bounds` what is proved, `policy` the
//! constants and move averages; `descent` selects and backs up, `pass` evaluates the leaves of many descents at once and looks ahead of them
//! as far as `worth` says; `search` is the state of one thread's search, `choice` decides on the move. This file runs a turn.
//!
//! Threads search trees of their own (root parallelization): selection and backup take longer than the evaluation between them, so
//! they would wait for each other at one tree. Their root statistics are merged when the turn ends. For a single player the first
//! thread shares its time between the tree and a portfolio of puzzle solvers.
//!
//! A legal move is offered before anything is searched, and the best one so far from time to time, even if the rules turn out to be
//! too expensive to evaluate somewhere.

mod arithmetic;
mod bounds;
mod choice;
mod descent;
mod heuristic;
mod look_ahead;
mod pass;
mod policy;
mod preferences;
mod search;
mod solver;
mod solving;
mod thoughts;
mod tree;
mod worth;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::engines::Engine;
use groundrules_machine::{MachineError, Move};
use groundrules_puzzle::{Limits, Line, Next, Portfolio, StepCounter};

use crate::error::SearchError;
use crate::parts::Part;
use crate::player::{Player, Settings};
use crate::seat::Seat;
use crate::turn::Turn;
use heuristic::Heuristic;
use pass::Worker;
pub use policy::Policy;
use search::{Count, Search};
use solver::Solver;
use solving::Shares;
pub use thoughts::{FoundLine, Thought, Thoughts};
use tree::{Tree, number};

/// Monte Carlo tree search.
pub struct Mcts {
    settings: Settings,
    policy: Policy,
    /// The searches of all threads, the first one first, and the seat's generation to which their states and moves belong.
    threads: Option<(u64, Vec<SearchThread>)>,
    /// The best line as texts, kept for a change of the seat's engine.
    saved_line: Option<SavedLine>,
    report: String,
    count: Count,
    role: usize,
}

/// What one thread knows and works with.
struct SearchThread {
    search: Search,
    worker: Worker,
    /// Solvers that share the time with the tree, in the first thread and for a single player.
    portfolio: Option<Portfolio>,
}

/// The best line of a single player, as texts.
struct SavedLine {
    /// How many joint moves were made before it.
    step: usize,
    goal: i32,
    moves: Vec<String>,
}

/// How often the best move so far is offered.
const OFFER_EVERY: Duration = Duration::from_millis(20);

impl Mcts {
    /// A player with these settings.
    pub fn new(settings: &Settings) -> Self {
        Mcts::with_policy(settings, Policy { parts: settings.parts, ..Policy::default() })
    }

    /// A player with its own constants.
    pub fn with_policy(settings: &Settings, policy: Policy) -> Self {
        let settings = settings.clone();
        let (report, count) = (String::new(), Count::default());
        Mcts { settings, policy, threads: None, saved_line: None, report, count, role: 0 }
    }

    /// The simulations and playouts of its last turn.
    pub fn effort(&self) -> (u64, u64) {
        (self.count.simulations, self.count.playouts)
    }

    /// The proved bounds of the last state for the player's role, as goals: it can guarantee the first, and if all others play against it,
    /// get no more than the second.
    pub fn proved(&self) -> Option<(f64, f64)> {
        let search = self.first()?;
        let bound = search.tree.stats(search.root, self.role).bound;
        Some((f64::from(bound.lower) / 100.0, f64::from(bound.upper) / 100.0))
    }

    /// The size of its search trees in bytes, about.
    pub fn bytes(&self) -> usize {
        let threads = self.threads.iter().flat_map(|(_, threads)| threads);
        threads.map(|thread| thread.search.tree.bytes()).sum()
    }

    /// The search of the first thread.
    fn first(&self) -> Option<&Search> {
        self.threads.as_ref().and_then(|(_, threads)| threads.first()).map(|thread| &thread.search)
    }

    /// Saves the best line as texts if the seat may change its engine.
    fn save_line(&mut self, seat: &Seat) {
        self.saved_line = None;
        let Some(search) = self.first().filter(|search| search.is_puzzle() && seat.is_waiting()) else {
            return;
        };
        let line = search.line.clone().into_iter().chain(search.proved_line()).max_by_key(Line::goal);
        self.saved_line = line.map(|line| SavedLine {
            step: seat.step(),
            goal: line.goal(),
            moves: line.moves().iter().map(|&made| seat.move_text(made)).collect(),
        });
    }

    /// The saved line, from the seat's state on.
    fn restore_line(&mut self, seat: &Seat) -> Option<Line> {
        let SavedLine { step, goal, moves } = self.saved_line.take()?;
        let left = moves.get(seat.step().checked_sub(step)?..)?;
        Line::from_texts(&mut *seat.machine(), left, goal).ok().flatten()
    }

    /// Makes the seat's state the root of all trees.
    fn set_root(&mut self, seat: &Seat) -> Result<&mut Vec<SearchThread>, MachineError> {
        if self.threads.as_ref().is_none_or(|(generation, _)| *generation != seat.generation()) {
            let threads = self.new_threads(seat)?;
            self.threads = Some((seat.generation(), threads));
        }
        let Some((_, threads)) = &mut self.threads else { unreachable!("it was just put there") };
        threads.iter_mut().try_for_each(|thread| thread.set_root(seat))?;
        Ok(threads)
    }

    /// Threads that know nothing but the best line.
    fn new_threads(&mut self, seat: &Seat) -> Result<Vec<SearchThread>, MachineError> {
        let line = self.restore_line(seat);
        let nature: Vec<bool> = (0..seat.roles().len()).map(|role| seat.is_nature(role)).collect();
        let Settings { memory, seed, .. } = self.settings;
        let count = self.settings.threads.get();
        let mut threads = Vec::new();
        for number in 0..count {
            let tree = Tree::new(nature.clone(), memory / count);
            let mut search = Search::new(tree, self.policy);
            let mut worker = Worker::new(seat.batch(), seed, number as u64);
            if self.policy.parts.has(Part::Heuristic) && !search.is_puzzle() && has_bits(seat.engine().engine)
            {
                let words = worker.batch().row_width().unwrap_or(0);
                search.heuristic = Some(Heuristic::new(nature.len(), words));
            }
            if number == 0 && self.policy.parts.has(Part::Solver) && !search.is_puzzle() {
                search.solver = new_solver(seat, &nature, worker.batch().row_width(), memory / 8);
            }
            let network = seat.network().filter(|_| search.is_puzzle() && has_bits(seat.engine().engine));
            let mut portfolio = None;
            if let Some(network) = network {
                search.counter = StepCounter::find(worker.batch(), &seat.state())?;
                if number == 0 {
                    search.line.clone_from(&line);
                    let counter = search.counter.as_ref();
                    portfolio = Some(Portfolio::with_counter(&network, counter, memory / 8, seed));
                }
            }
            threads.push(SearchThread { search, worker, portfolio });
        }
        Ok(threads)
    }

    /// Searches until the turn is over, the simulations are done, or everything is known.
    fn think(&mut self, seat: &Seat, turn: &Turn, may_offer: bool) -> Result<(), MachineError> {
        let Settings { simulations, max_steps, threads, .. } = self.settings;
        let role = seat.role();
        self.role = role;
        let simulations = simulations.map(|all| all.div_ceil(threads.get() as u64));
        let threads = self.set_root(seat)?;
        let is_over = AtomicBool::new(false);
        let effort = Effort { turn, role, simulations, max_steps, is_over: &is_over };
        let mut last = Instant::now();
        let done = effort.run(threads, &mut |search| {
            if may_offer && last.elapsed() >= OFFER_EVERY {
                last = Instant::now();
                turn.offer(seat, search.best(role));
            }
        });
        merge_threads(threads, role);
        self.count = self.first().map_or(Count::default(), |search| search.count);
        self.save_line(seat);
        done
    }
}

impl SearchThread {
    /// Makes the seat's state the root of the tree, and the start of the solvers.
    fn set_root(&mut self, seat: &Seat) -> Result<(), MachineError> {
        let SearchThread { search, worker, portfolio } = self;
        search.count = Count::default();
        search.shares = Shares::default();
        search.other_threads.clear();
        // Every turn begins with a pass, whatever the last one took: one slow pass must not silence the search.
        worker.pace.pass = Duration::ZERO;
        let state = seat.state();
        worker.follow_line(search, &state)?;
        if let Some(portfolio) = portfolio {
            portfolio.begin(&state, worker.batch())?;
        }
        match search.tree.find(state.words()) {
            // What was pruned because a position was reached earlier on another path is not pruned from here.
            Some(node) if search.counter.is_none() => search.root = node,
            _ => worker.plant(search, &state, number(seat.step()))?,
        }
        Ok(())
    }
}

/// Merges what the threads know about the root into the first one: statistics, the best line, and proofs.
fn merge_threads(threads: &mut [SearchThread], role: usize) {
    let done = threads.iter().position(|thread| thread.search.is_done(role));
    if let Some(done) = done.filter(|&done| done > 0) {
        let (first, others) = threads.split_at_mut(done);
        std::mem::swap(&mut first[0].search, &mut others[0].search);
    }
    let Some((first, others)) = threads.split_first_mut() else { return };
    others.iter().for_each(|other| first.search.merge(&other.search));
}

/// A solver for the seat's role, if states have a fixed width.
fn new_solver(seat: &Seat, nature: &[bool], width: Option<usize>, memory: usize) -> Option<Solver> {
    let (role, network) = (seat.role(), seat.network());
    let goals = network.iter().flat_map(|network| &network.outputs.goals);
    let goals: Vec<i32> = goals.filter(|goal| goal.role == role).map(|goal| goal.value).collect();
    Some(Solver::new(role, nature.to_vec(), width?, &goals, memory))
}

/// Whether the states of an engine have one bit per fluent.
fn has_bits(engine: Engine) -> bool {
    matches!(engine, Engine::Net | Engine::Sliced)
}

/// A turn that threads think about.
struct Effort<'a> {
    turn: &'a Turn,
    role: usize,
    /// How many simulations each thread does, if they count.
    simulations: Option<u64>,
    max_steps: u64,
    is_over: &'a AtomicBool,
}

impl Effort<'_> {
    /// Lets all threads work. The first one is the caller's, and shows its search from time to time.
    fn run(&self, threads: &mut [SearchThread], show: &mut dyn FnMut(&Search)) -> Result<(), MachineError> {
        thread::scope(|scope| {
            let (first, others) = threads.split_first_mut().expect("there is at least one thread");
            let handles: Vec<_> =
                others.iter_mut().map(|thread| scope.spawn(|| self.work(thread, &mut |_| ()))).collect();
            let mut done = self.work(first, show);
            // Every thread does its own simulations.
            if self.simulations.is_none() {
                self.is_over.store(true, Ordering::Relaxed);
            }
            for handle in handles {
                // A panic is a fault of the program: it goes on in the caller's thread.
                let other = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                done = done.and(other);
            }
            done
        })
    }

    /// The work of one thread.
    fn work(&self, thread: &mut SearchThread, show: &mut dyn FnMut(&Search)) -> Result<(), MachineError> {
        while !self.is_finished(thread) {
            show(&thread.search);
            let time = self.time_left();
            let next = thread.portfolio.as_ref().map_or(Next::Caller, |portfolio| portfolio.next(time));
            let done = match next {
                Next::Caller => self.search_tree(thread, time),
                Next::Solver(number) => self.run_solver(thread, number, time),
            };
            if done.is_err() {
                self.is_over.store(true, Ordering::Relaxed);
                return done;
            }
        }
        Ok(())
    }

    /// One pass over the tree.
    fn search_tree(&self, thread: &mut SearchThread, time: Option<Duration>) -> Result<(), MachineError> {
        let SearchThread { search, worker, portfolio } = thread;
        let most = self.simulations.map_or(u64::MAX, |all| all.saturating_sub(search.count.simulations));
        let (began, states, goal) =
            (self.turn.now(), search.count.states, search.line.as_ref().map(Line::goal));
        worker.replant_if_overpruned(search)?;
        let max_steps = worker.pace.max_steps(self.max_steps, time);
        worker.pass(search, most, max_steps, &|| self.turn.now(), self.simulations.is_none())?;
        let now = || self.turn.now();
        worker.solve(search, self.simulations.is_none().then_some(&now), &|| self.turn.is_over())?;
        if let Some(portfolio) = portfolio {
            let goals = (goal, search.line.as_ref().map(Line::goal));
            let took = self.turn.now().saturating_duration_since(began);
            portfolio.charge_caller(time, took, search.count.states - states, goals);
        }
        Ok(())
    }

    /// One step of a solver.
    fn run_solver(
        &self,
        thread: &mut SearchThread,
        number: usize,
        time: Option<Duration>,
    ) -> Result<(), MachineError> {
        let SearchThread { search, worker, portfolio } = thread;
        let Some(portfolio) = portfolio else { return Ok(()) };
        let max_steps = worker.pace.max_steps(self.max_steps, time);
        let limits = Limits { to_beat: search.to_beat(), time, max_steps };
        let work = portfolio.work();
        let found = portfolio.step(number, worker.batch(), &limits)?;
        search.count.solved += portfolio.work() - work;
        search.upper = portfolio.upper();
        found.into_iter().for_each(|found| search.take_line(found));
        Ok(())
    }

    /// The time left, where time counts.
    fn time_left(&self) -> Option<Duration> {
        if self.simulations.is_some() { None } else { self.turn.time_left() }
    }

    /// Whether a thread has nothing left to do, or no time for another pass.
    fn is_finished(&self, thread: &SearchThread) -> bool {
        let SearchThread { search, worker, .. } = thread;
        if search.is_done(self.role) {
            // What one thread has proved the others need not.
            self.is_over.store(true, Ordering::Relaxed);
            return true;
        }
        self.simulations.is_some_and(|all| search.count.simulations >= all)
            || self.is_over.load(Ordering::Relaxed)
            || self.turn.is_over()
            || self.time_left().is_some_and(|left| left < worker.pace.pass)
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
            // A match in which nothing can be searched can still be played.
            let _ = self.think(seat, turn, false);
        }
        Ok(())
    }

    fn choose(&mut self, seat: &mut Seat, turn: &Turn) -> Result<Move, SearchError> {
        let first = seat.legal()?[0];
        turn.offer(seat, first);
        // A fast engine is worth some waiting.
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
    use groundrules_gdl::{Options, Roles, read};
    use groundrules_machine::{Batch, Compiled, Outcomes, PlayoutLimits, Rows, State, Views};

    use super::*;
    use crate::turn::Clock;

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

    /// A batch whose playouts take time by a clock that goes by hand: what is asked for, then a tenth of a second each.
    struct Slow {
        batch: Box<dyn Batch>,
        clock: Clock,
        first: Duration,
    }

    impl Batch for Slow {
        fn roles(&self) -> &Roles {
            self.batch.roles()
        }
        fn initial(&self) -> State {
            self.batch.initial()
        }
        fn row_width(&self) -> Option<usize> {
            self.batch.row_width()
        }
        fn width(&self) -> usize {
            self.batch.width()
        }
        fn look(&mut self, rows: &Rows, views: &mut Views) -> Result<(), MachineError> {
            self.batch.look(rows, views)
        }
        fn advance(
            &mut self,
            rows: &Rows,
            from: &[u32],
            joints: &[Move],
            next: &mut Rows,
        ) -> Result<(), MachineError> {
            self.batch.advance(rows, from, joints, next)
        }
        fn play_out(
            &mut self,
            rows: &Rows,
            each: usize,
            limits: PlayoutLimits,
            outcomes: &mut Outcomes,
        ) -> Result<(), MachineError> {
            self.clock.advance(std::mem::replace(&mut self.first, Duration::from_millis(100)));
            self.batch.play_out(rows, each, limits, outcomes)
        }
        fn retrace(
            &mut self,
            rows: &Rows,
            each: usize,
            limits: PlayoutLimits,
            number: usize,
        ) -> Result<Option<Vec<Move>>, MachineError> {
            self.batch.retrace(rows, each, limits, number)
        }
        fn fork(&self) -> Box<dyn Batch> {
            self.batch.fork()
        }
    }

    #[test]
    fn one_slow_pass_does_not_silence_the_turns_after_it() {
        let game = read(DOORS.as_bytes(), &Options::default()).game.expect("a valid description");
        let seat = Seat::with_engine(&Compiled::new(game), 0, Engine::Net).expect("a seat");
        let clock = Clock::by_hand();
        let slow = Slow { batch: seat.batch(), clock: clock.clone(), first: Duration::from_secs(5) };
        let search = Search::new(Tree::new(vec![false], 1 << 20), Policy::default());
        let mut threads =
            [SearchThread { search, worker: Worker::new(Box::new(slow), 1, 0), portfolio: None }];
        let simulations = [0, 1, 2].map(|_| {
            threads[0].set_root(&seat).expect("a root");
            let turn = clock.turn(Duration::from_secs(1));
            let is_over = AtomicBool::new(false);
            let effort =
                Effort { turn: &turn, role: 0, simulations: None, max_steps: 100, is_over: &is_over };
            effort.run(&mut threads, &mut |_| ()).expect("a search");
            threads[0].search.count.simulations
        });
        assert_eq!(simulations[0], 1, "the first pass takes longer than the turn");
        assert!(simulations[1] >= 5 && simulations[2] >= 5, "{simulations:?}");
    }
}
