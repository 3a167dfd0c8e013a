//! The portfolio: all solvers, from one state of a match to the next, sharing time by what they achieve. A search of the caller's
//! own can be one arm of the schedule.

use std::sync::Arc;
use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::{Batch, MachineError, PlayoutLimits, State};
use groundrules_net::Network;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use crate::line::Line;
use crate::schedule::Schedule;
use crate::solver::{Allowance, Found, Progress, Solver, Status};
use crate::solvers;
use crate::step_counter::StepCounter;

/// Solvers that share time.
pub struct Portfolio {
    members: Vec<Member>,
    /// The members, and the caller's own search last.
    schedule: Schedule,
    random: Xoshiro256PlusPlus,
    /// A proved upper bound on the goal. States only have fewer futures as a match goes on, so it holds for the rest of it.
    upper: Option<i32>,
    /// What the solvers did, in states evaluated.
    work: u64,
}

struct Member {
    solver: Box<dyn Solver>,
    /// How long its last step took.
    took: Duration,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A solver's, by its number.
    Solver(usize),
    /// The caller's own search.
    Caller,
}

/// The limits of a step, or of a whole search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Only a line to a higher goal is of interest; nothing if any line to an end is.
    pub to_beat: Option<i32>,
    /// The time that is left. Without it, cost is counted in work instead of time, and the same seed gives the same steps.
    pub time: Option<Duration>,
    /// Playouts end after so many moves.
    pub max_steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { to_beat: None, time: None, max_steps: 10_000 }
    }
}

/// What a search by the portfolio came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best line that was found.
    pub line: Option<Line>,
    /// A proved upper bound on the goal of any line, if there is one.
    pub upper: Option<i32>,
    /// Whether it is proved that no line leads to a higher goal than this one and the one to beat.
    pub is_proved: bool,
    /// The name of the solver that found the line.
    pub solver: Option<&'static str>,
}

/// Network nodes that an indivisible step may evaluate per millisecond that is left; it then takes about a third of the time.
const WORK_PER_MILLISECOND: usize = 20_000;

impl Portfolio {
    /// All solvers for a network, whose states and moves are the batch's. Finds the step counter by playouts from a state. Each
    /// solver has its own limit of memory, in bytes.
    pub fn new(
        network: &Arc<Network>,
        batch: &mut dyn Batch,
        start: &State,
        memory: usize,
    ) -> Result<Self, MachineError> {
        let counter = StepCounter::find(batch, start)?;
        Ok(Portfolio::with_counter(network, counter.as_ref(), memory, 1))
    }

    /// The same with a step counter that is known, and a seed.
    pub fn with_counter(
        network: &Arc<Network>,
        counter: Option<&StepCounter>,
        memory: usize,
        seed: u64,
    ) -> Self {
        let mask = counter.map_or(&[][..], StepCounter::mask);
        Portfolio::of(solvers::all(network, mask, memory), seed)
    }

    /// A portfolio of these solvers.
    pub fn of(solvers: Vec<Box<dyn Solver>>, seed: u64) -> Self {
        let members: Vec<Member> =
            solvers.into_iter().map(|solver| Member { solver, took: Duration::ZERO }).collect();
        let schedule = Schedule::new(members.len() + 1);
        Portfolio { members, schedule, random: Xoshiro256PlusPlus::seed_from_u64(seed), upper: None, work: 0 }
    }

    /// Begins at a state of the match.
    pub fn begin(&mut self, start: &State, batch: &mut dyn Batch) -> Result<(), MachineError> {
        self.schedule.restart();
        for member in &mut self.members {
            // A step that took long once is tried again some time.
            member.took /= 2;
            member.solver.begin(start, batch)?;
        }
        Ok(())
    }

    /// Whose turn it is, if so much time is left: the caller's, when it is due or no solver is ready.
    pub fn next(&self, time: Option<Duration>) -> Next {
        let caller = self.members.len();
        match self.schedule.next(|number| number == caller || self.is_ready(number, time)) {
            Some(number) if number != caller => Next::Solver(number),
            _ => Next::Caller,
        }
    }

    /// Whether a solver has something left to try, and its next step is not too long for the time that is left.
    fn is_ready(&self, number: usize, time: Option<Duration>) -> bool {
        self.members.get(number).is_some_and(|Member { solver, took }| {
            solver.status() == Status::Running
                && solver.indivisible_work() <= work_within(time)
                && time.is_none_or(|time| *took <= time)
        })
    }

    /// Whether any solver has something left to try.
    pub fn is_running(&self) -> bool {
        self.members.iter().any(|member| member.solver.status() == Status::Running)
    }

    /// Lets a solver take a step; gives the line that it found.
    pub fn step(
        &mut self,
        number: usize,
        batch: &mut dyn Batch,
        limits: &Limits,
    ) -> Result<Option<Found>, MachineError> {
        let began = Instant::now();
        let allowance = Allowance {
            to_beat: limits.to_beat,
            playouts: PlayoutLimits { seed: self.random.next_u64(), max_steps: limits.max_steps },
            work: work_within(limits.time),
        };
        let member = &mut self.members[number];
        let is_indivisible = member.solver.indivisible_work() > 0;
        let Progress { found, upper, headway, work } = member.solver.step(batch, &allowance)?;
        let took = began.elapsed();
        if !is_indivisible {
            member.took = took;
        }
        self.upper = [self.upper, upper].into_iter().flatten().min();
        self.work += work;
        let gain = found.as_ref().map_or(0.0, |found| gain(limits.to_beat, found.goal));
        self.schedule.charge(number, cost(limits.time, took, work), headway.max(gain));
        Ok(found)
    }

    /// Charges the caller's own search for a step: how long it took, how many states it evaluated, and the goals of the best line
    /// before and after.
    pub fn charge_caller(
        &mut self,
        time: Option<Duration>,
        took: Duration,
        work: u64,
        goals: (Option<i32>, Option<i32>),
    ) {
        let gain = goals.1.filter(|_| goals.1 > goals.0).map_or(0.0, |after| gain(goals.0, after));
        self.schedule.charge(self.members.len(), cost(time, took, work), gain);
    }

    /// A proved upper bound on the goal of every line from the states at which it began.
    pub fn upper(&self) -> Option<i32> {
        self.upper
    }

    /// How many states the solvers have evaluated, about.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether a solver has evaluated every reachable position.
    pub fn is_exhausted(&self) -> bool {
        self.members.iter().any(|member| member.solver.status() == Status::Exhausted)
    }

    /// Searches from a state until the best goal is proved, all solvers have given up, or the time is over. After each step
    /// `observe` is told the best line so far and says whether to go on.
    pub fn solve(
        &mut self,
        batch: &mut dyn Batch,
        start: &State,
        limits: &Limits,
        observe: &mut dyn FnMut(Option<&Line>) -> bool,
    ) -> Result<Outcome, MachineError> {
        let began = Instant::now();
        self.begin(start, batch)?;
        let mut outcome = Outcome { line: None, upper: None, is_proved: false, solver: None };
        loop {
            let goal = outcome.line.as_ref().map(Line::goal);
            let is_best = goal.is_some() && self.upper.is_some_and(|upper| goal >= Some(upper));
            outcome.is_proved = is_best || self.is_exhausted();
            let time = limits.time.map(|time| time.saturating_sub(began.elapsed()));
            let is_over = time.is_some_and(|time| time.is_zero()) || !observe(outcome.line.as_ref());
            let next = self.schedule.next(|number| self.is_ready(number, time));
            let Some(number) = next.filter(|_| !outcome.is_proved && !is_over) else { break };
            let limits = Limits { to_beat: goal.max(limits.to_beat), time, ..*limits };
            if let Some(found) = self.step(number, batch, &limits)? {
                outcome.solver = Some(self.members[number].solver.name());
                outcome.line = Some(Line::new(start.clone(), found));
            }
        }
        outcome.upper = self.upper;
        Ok(outcome)
    }
}

/// The most work of an indivisible step.
fn work_within(time: Option<Duration>) -> usize {
    time.map_or(usize::MAX, |time| {
        usize::try_from(time.as_millis()).unwrap_or(usize::MAX).saturating_mul(WORK_PER_MILLISECOND)
    })
}

/// What a step costs: its time where time counts, its work otherwise.
fn cost(time: Option<Duration>, took: Duration, work: u64) -> f64 {
    if time.is_some() { took.as_secs_f64() } else { work.max(1) as f64 }
}

/// The reward of a better line, from 0 to 1.
fn gain(before: Option<i32>, after: i32) -> f64 {
    f64::from(after - before.unwrap_or(0)).clamp(1.0, 100.0) / 100.0
}
