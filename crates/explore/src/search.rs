//! The search: breadth first, level by level, every state once. Each worker expands the states that it owns in a level, and
//! sends successors to their owners; a level is over when no worker has states left and everything has arrived.
//!
//! A level is cut into rounds of about a tenth of a second. Between two rounds no message is under way, so budgets are checked,
//! progress is reported and checkpoints are written there. What is found does not depend on how rounds are cut.

use std::time::Duration;

use groundrules_gdl::time::{Instant, Stopwatch};
use groundrules_machine::{Compiled, Rows};
use serde::{Deserialize, Serialize};

use crate::budget::{Progress, Stage, Stop};
use crate::checkpoint::Checkpoint;
use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::expand::Successors;
use crate::findings::{Findings, MonotonicityChecks};
use crate::hash::{hash, owner};
use crate::link::gather;
use crate::options::Options;
use crate::run::on_workers;
use crate::worker::Worker;

/// A state with more joint moves than this is expanded alone, in as many rounds as it takes.
const MANY: u128 = 1 << 12;

/// How long a round takes, about. Workers wait for each other at its end; the longer the round, the smaller that share.
const ROUND: Duration = Duration::from_millis(120);

/// How far a worker is; all that a checkpoint needs beside the states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The level that is being expanded.
    pub(crate) depth: usize,
    /// States of that level that are expanded.
    pub(crate) done: usize,
    /// Joint moves of the next state that are made, where one has too many for a round.
    #[serde(skip)]
    pub(crate) made: u64,
    /// Which checks of monotonicity are made in that level.
    pub(crate) checks: MonotonicityChecks,
    /// What this worker has seen.
    pub(crate) findings: Findings,
    /// Whether the search is complete.
    pub(crate) complete: bool,
}

impl Position {
    /// The position before the state that is being expanded, if there is one: as others can go on from it.
    fn between_states(&self) -> Self {
        let mut position = self.clone();
        let made = std::mem::take(&mut position.made);
        position.findings.edges -= made;
        position.findings.expanded -= u64::from(made > 0);
        position
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// What all workers saw.
    pub findings: Findings,
    /// How many states each level has.
    pub levels: Vec<u64>,
    /// Why the search is not complete, if it is not.
    pub stop: Option<Stop>,
    /// The most bytes of memory that states took.
    pub bytes: usize,
    /// How long the search took, from when all workers were there.
    pub elapsed: Duration,
}

impl Explored {
    /// The number of states.
    pub fn states(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// Whether every joint move leads one level down, so that there is no cycle.
    pub fn is_graded(&self) -> bool {
        !self.findings.turns_back
    }
}

/// Finds all states of a game, or as many as the budget allows, and nothing else.
pub fn search(game: &Compiled, options: &Options) -> Result<Explored, ExploreError> {
    on_workers(game, options, "search", |worker| {
        let explored = worker.search()?;
        Ok(explored)
    })
}

/// What a worker shares with the others after a round.
#[derive(Serialize, Deserialize)]
struct Status {
    left: u64,
    states: u64,
    edges: u64,
    bytes: usize,
    stop: Option<Stop>,
    checkpoint: bool,
}

/// What all workers came to in a round.
struct RoundSummary {
    /// States of the level that are not yet expanded.
    left: u64,
    states: u64,
    edges: u64,
    bytes: usize,
    stop: Option<Stop>,
    /// Whether a checkpoint is due.
    checkpoint: bool,
}

impl RoundSummary {
    fn of(all: &[Status], most_states: Option<u64>) -> Self {
        let sum = |of: fn(&Status) -> u64| all.iter().map(of).sum::<u64>();
        let states = sum(|status| status.states);
        let stop = all.iter().find_map(|status| status.stop.clone());
        RoundSummary {
            left: sum(|status| status.left),
            states,
            edges: sum(|status| status.edges),
            bytes: all.iter().map(|status| status.bytes).sum(),
            stop: stop.or(most_states.filter(|&most| states > most).map(Stop::States)),
            checkpoint: all.iter().any(|status| status.checkpoint),
        }
    }
}

impl Worker<'_> {
    /// Finds all states, or as many as the budget allows; from where a checkpoint left off, if one was resumed.
    pub(crate) fn search(&mut self) -> Result<Explored, ExploreError> {
        // The clock starts when all workers are there. The least of their memory limits holds for all: computers differ in how
        // much memory is available, and workers must agree on when to go to disk.
        self.budget.memory = gather(self.link, &self.budget.memory)?.into_iter().flatten().min();
        let start = Instant::now();
        self.stopwatch = Stopwatch::start();
        let mut exchange = Exchange::without_repetitions(self.link.peers(), self.expander.width());
        let mut position = match self.resumed.take() {
            Some(position) => position,
            None => self.begin()?,
        };
        let (mut stop, mut bytes) = (None, 0);
        while !position.complete && stop.is_none() {
            let trouble = self.round(&mut position, &mut exchange)?;
            let summary = self.summarize(&position, trouble)?;
            bytes = bytes.max(summary.bytes);
            self.report_search(&position, &summary);
            let level_is_over = summary.left == 0;
            if level_is_over {
                self.next_level(&mut position)?;
                // A state of the level before would be news now: play turns back.
                exchange.forget();
            }
            stop = summary.stop.clone().filter(|_| !position.complete);
            if level_is_over || self.store.is_immediate() {
                self.save(&position, &stop, summary.checkpoint)?;
            }
            if stop.is_none() {
                stop = self.limit_memory(&mut position, summary.bytes)?;
            }
        }
        let mut explored = self.explored(&position, stop, bytes)?;
        explored.elapsed = start.elapsed();
        Ok(explored)
    }

    /// Puts the initial state to its owner.
    fn begin(&mut self) -> Result<Position, ExploreError> {
        self.store.begin_level()?;
        let mut rows = Rows::new(self.expander.width());
        rows.push(self.expander.initial().words());
        let hashes = [hash(rows.row(0))];
        if owner(hashes[0], self.link.peers()) == self.link.me() {
            self.store.insert(Delivery { rows: &rows, hashes: &hashes, extras: &[] })?;
        }
        self.store.end_level()?;
        self.store.begin_level()?;
        Ok(Position { checks: Findings::default().checks(0), ..Position::default() })
    }

    /// Expands states for a while, or until this worker has its share of the most states. An engine that has no answer is
    /// a reason to stop.
    fn round(
        &mut self,
        position: &mut Position,
        exchange: &mut Exchange,
    ) -> Result<Option<Stop>, ExploreError> {
        let share = self.budget.states.map(|most| most / self.link.peers() as u64);
        self.store.prepare()?;
        let start = Instant::now();
        let level = self.store.level_len(position.depth);
        let mut block = Rows::new(self.expander.width());
        let mut trouble = None;
        let is_due =
            |states: usize| share.is_some_and(|share| states as u64 > share) || start.elapsed() >= ROUND;
        while position.done < level {
            let places = position.done..level.min(position.done + self.expander.block());
            self.store.copy(position.depth, places, &mut block)?;
            match self.expand(&mut block, position, exchange, &is_due) {
                Ok(()) if is_due(self.store.len()) => break,
                Ok(()) => {}
                Err(ExploreError::Machine(error)) => {
                    trouble = Some(Stop::Engine(error.to_string()));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let (store, turns_back) = (&mut self.store, &mut position.findings.turns_back);
        exchange.finish(self.link, &mut |delivery| {
            *turns_back |= store.insert(delivery)?;
            Ok(())
        })?;
        Ok(trouble)
    }

    /// Expands the states of a block, up to one that has very many joint moves. Such a state is expanded alone, until the
    /// round is due to end.
    fn expand(
        &mut self,
        block: &mut Rows,
        position: &mut Position,
        exchange: &mut Exchange,
        is_due: &dyn Fn(usize) -> bool,
    ) -> Result<(), ExploreError> {
        let few = self.look_at_few(block, position)?;
        let Position { depth, checks, findings, made, done, .. } = position;
        if *made == 0 {
            let (views, roles) = (self.expander.views(), self.expander.roles());
            findings.observe(*depth, *checks, block, views, roles, &self.judged);
        }
        let (store, link, judged) = (&mut self.store, &mut *self.link, &self.judged);
        // Gives how many states there are then.
        let mut deliver = |successors: Successors<'_>| -> Result<usize, ExploreError> {
            findings.edges += successors.rows.len() as u64;
            if checks.moves {
                findings.compare(*depth, block, &successors, judged);
            }
            let turns_back = &mut findings.turns_back;
            let mut take = |delivery: Delivery<'_>| {
                *turns_back |= store.insert(delivery)?;
                Ok(())
            };
            exchange.send(link, successors.rows, &[], &mut take)?;
            exchange.poll(link, &mut take)?;
            Ok(store.len())
        };
        let left = if few {
            self.expander.successors(block, checks.moves, &mut |successors| deliver(successors).map(drop))?;
            None
        } else {
            let mut part = |successors: Successors<'_>| deliver(successors).map(|states| !is_due(states));
            self.expander.some_successors(block, *made, checks.moves, &mut part)?
        };
        *made = left.unwrap_or(0);
        *done += if left.is_some() { 0 } else { block.len() };
        Ok(())
    }

    /// Looks at a block of states and cuts it off before the first one with very many joint moves; if that is the first of
    /// all, it is left alone. Says whether the states have few joint moves each.
    fn look_at_few(&mut self, block: &mut Rows, position: &Position) -> Result<bool, ExploreError> {
        let views = self.expander.look(block)?;
        let few = (0..block.len()).take_while(|&state| views.joint_moves(state) <= MANY).count();
        if few < block.len() {
            self.store.copy(position.depth, position.done..position.done + few.max(1), block)?;
            self.expander.look(block)?;
        }
        Ok(few > 0)
    }

    /// Shares how far this worker is, and sums up how far all are. Time is over when a worker has used it up.
    fn summarize(
        &mut self,
        position: &Position,
        trouble: Option<Stop>,
    ) -> Result<RoundSummary, ExploreError> {
        let left = self.store.level_len(position.depth) - position.done;
        let mut status = Status {
            left: left as u64,
            states: self.store.len() as u64,
            edges: position.findings.edges,
            bytes: self.store.bytes(),
            stop: trouble,
            checkpoint: false,
        };
        let time = self.budget.time.filter(|&time| self.stopwatch.elapsed() >= time).map(Stop::Time);
        status.stop = status.stop.or(time);
        if self.link.me() == 0 {
            let cancelled = self.is_cancelled().then_some(Stop::Cancelled);
            status.stop = status.stop.or(cancelled);
            status.checkpoint = self.checkpoint.as_ref().is_some_and(Checkpoint::is_due);
        }
        Ok(RoundSummary::of(&gather(self.link, &status)?, self.budget.states))
    }

    fn report_search(&self, position: &Position, summary: &RoundSummary) {
        let RoundSummary { left: frontier, states, edges, bytes, .. } = *summary;
        let (stage, depth) = (Stage::Search, position.depth);
        self.report(&Progress { stage, depth, frontier, states, edges, bytes });
    }

    /// Writes a checkpoint, if there are any, when one is due and when the search ends.
    fn save(&mut self, position: &Position, stop: &Option<Stop>, is_due: bool) -> Result<(), ExploreError> {
        let Some(checkpoint) = &mut self.checkpoint else { return Ok(()) };
        // Where an engine had no answer, a part of a block is counted that is not expanded: the checkpoint before is right.
        let is_broken = matches!(stop, Some(Stop::Engine(_)));
        if !is_broken && (is_due || stop.is_some() || position.complete) {
            checkpoint.write(self.link, &mut self.store, &position.between_states())?;
        }
        Ok(())
    }

    /// Goes to disk when states take more memory than they may; where that is not possible, it is a reason to stop.
    fn limit_memory(&mut self, position: &mut Position, bytes: usize) -> Result<Option<Stop>, ExploreError> {
        let Some(most) = self.budget.memory.filter(|&most| bytes > most) else { return Ok(None) };
        if position.complete || self.store.shard().is_none() {
            return Ok(None);
        }
        // On disk states have another order.
        *position = position.between_states();
        let Some(folder) = &self.spill else { return Ok(Some(Stop::Memory(most))) };
        let share = most / self.link.peers();
        if !self.store.go_to_disk(folder, share, position.depth, position.done)? {
            return Ok(Some(Stop::Memory(most)));
        }
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.restart();
        }
        Ok(None)
    }

    /// Goes to the next level; the search is complete when it has no states.
    fn next_level(&mut self, position: &mut Position) -> Result<(), ExploreError> {
        position.findings.turns_back |= self.store.end_level()?;
        (position.depth, position.done) = (position.depth + 1, 0);
        let own = (self.store.level_len(position.depth), position.findings.clone());
        let all = gather(self.link, &own)?;
        position.complete = all.iter().all(|(states, _)| *states == 0);
        position.checks =
            Findings::merged(all.into_iter().map(|(_, findings)| findings)).checks(position.depth);
        self.store.begin_level()
    }

    fn explored(
        &mut self,
        position: &Position,
        stop: Option<Stop>,
        bytes: usize,
    ) -> Result<Explored, ExploreError> {
        let own: Vec<u64> =
            (0..=position.depth + 1).map(|depth| self.store.level_len(depth) as u64).collect();
        let all = gather(self.link, &(own, position.findings.clone()))?;
        let mut levels = vec![0; position.depth + 2];
        for (own, _) in &all {
            assert_eq!(own.len(), levels.len(), "all workers are at the same level");
            levels.iter_mut().zip(own).for_each(|(sum, states)| *sum += states);
        }
        while levels.last() == Some(&0) {
            levels.pop();
        }
        let findings = Findings::merged(all.into_iter().map(|(_, findings)| findings));
        let explored = Explored { findings, levels, stop, bytes, ..Explored::default() };
        assert!(
            explored.stop.is_some() || explored.findings.expanded == explored.states(),
            "a complete search has looked at each of its {} states once, not at {}",
            explored.states(),
            explored.findings.expanded
        );
        Ok(explored)
    }
}
