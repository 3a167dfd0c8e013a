//! The search: level after level, every state once. Each worker expands the states that it owns in a level, and sends
//! successors to their owners; a level is over when nobody has anything left and everything has arrived.
//!
//! A level is cut into rounds of a moment. Between two rounds nothing is under way, so that is where budgets are
//! looked at, progress is told and checkpoints are written. What is found does not depend on how rounds are cut.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use groundrules_machine::{Batch, Rows};
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Observer, Progress, Stage, Stop};
use crate::checkpoint::Checkpoint;
use crate::cycle::Cycles;
use crate::error::ExploreError;
use crate::expand::{Expander, Successors};
use crate::findings::{Findings, Watch};
use crate::hash::{hash, owner};
use crate::link::{Link, gather};
use crate::mail::{Delivery, Mail};
use crate::store::Store;
use crate::target::Target;

/// A state with more joint moves than this is expanded alone, in as many rounds as it takes.
const MANY: u128 = 1 << 12;

/// How long a round takes, about. Workers wait for each other at its end; in a longer round that is less of it.
const ROUND: Duration = Duration::from_millis(120);

/// One of the workers of an exploration, with its states. All workers must call the same methods in the same order.
pub struct Worker<'l> {
    pub(crate) expander: Expander,
    pub(crate) store: Store,
    pub(crate) link: &'l mut dyn Link,
    pub(crate) observer: &'l dyn Observer,
    pub(crate) cycles: Cycles,
    /// The roles whose goals are judged.
    judged: Vec<usize>,
    spill: Option<PathBuf>,
    /// When passes after the search are given up.
    deadline: Option<Instant>,
}

/// How far a worker is; all that a checkpoint needs beside the states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The level that is being expanded.
    pub depth: usize,
    /// States of that level that are expanded.
    pub done: usize,
    /// Joint moves of the next state that are made, where one has too many for a round.
    #[serde(skip)]
    pub made: u64,
    /// What is watched in that level.
    pub watch: Watch,
    /// What this worker has seen.
    pub findings: Findings,
    /// Whether the search is through.
    pub complete: bool,
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
    /// Why it is not through, if it is not.
    pub stop: Option<Stop>,
    /// The most bytes of memory that states took.
    pub bytes: usize,
    /// The depth of the states that were all looked at: one more than the deepest such level.
    pub looked_at: usize,
}

impl Explored {
    /// How many states there are.
    pub fn states(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// Whether every joint move leads one level down, so that there is no cycle.
    pub fn is_graded(&self) -> bool {
        !self.findings.turns_back
    }
}

/// What workers tell each other after a round.
#[derive(Serialize, Deserialize)]
struct Status {
    left: u64,
    states: u64,
    edges: u64,
    bytes: usize,
    stop: Option<Stop>,
    checkpoint: bool,
}

impl<'l> Worker<'l> {
    /// A worker that asks an engine, with no states yet.
    pub fn new(
        batch: Box<dyn Batch>,
        store: Store,
        link: &'l mut dyn Link,
        observer: &'l dyn Observer,
    ) -> Self {
        let judged = (0..batch.roles().len()).collect();
        Worker {
            expander: Expander::new(batch),
            store,
            link,
            observer,
            cycles: Cycles::Unknown,
            judged,
            spill: None,
            deadline: None,
        }
    }

    /// Whether passes after the search should be given up.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Says whose goals are judged; else all are.
    pub(crate) fn judge(&mut self, targets: &[Target]) {
        self.judged.retain(|&role| targets.get(role).is_none_or(|target| target.is_judged));
    }

    /// Finds all states, or as many as the budget allows. With a position it goes on from there; the states must be in
    /// the store then.
    pub fn search(
        &mut self,
        budget: &Budget,
        resumed: Option<Position>,
        mut checkpoint: Option<&mut Checkpoint>,
    ) -> Result<Explored, ExploreError> {
        let start = Instant::now();
        // What follows the search may take as long again.
        self.deadline = budget.time.and_then(|time| start.checked_add(time.saturating_mul(2)));
        let mut mail = Mail::once(self.link.peers(), self.expander.width());
        let mut bytes = 0;
        let mut position = match resumed {
            Some(position) => position,
            None => self.begin()?,
        };
        let stop = loop {
            if position.complete {
                break None;
            }
            let trouble = self.round(&mut position, &mut mail, budget.states)?;
            let mut status = self.status(&position, trouble);
            if self.link.me() == 0 {
                let spent =
                    spent(budget.time, start).or(self.observer.is_cancelled().then_some(Stop::Cancelled));
                status.stop = status.stop.or(spent);
                status.checkpoint = checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.is_due());
            }
            let all = gather(self.link, &status)?;
            let sum = |of: fn(&Status) -> u64| all.iter().map(of).sum::<u64>();
            let (left, states) = (sum(|status| status.left), sum(|status| status.states));
            let now: usize = all.iter().map(|status| status.bytes).sum();
            bytes = bytes.max(now);
            self.tell(position.depth, left, states, sum(|status| status.edges), now);
            let level_is_over = left == 0;
            if level_is_over {
                self.next_level(&mut position)?;
                // A state of the level before would be news now: play turns back.
                mail.forget();
            }
            let over = |most: Option<u64>| most.filter(|&most| states > most);
            let stop = all.iter().find_map(|status| status.stop.clone());
            let stop = stop.or(over(budget.states).map(Stop::States));
            let stop = stop.filter(|_| !position.complete);
            if let Some(checkpoint) = checkpoint.as_deref_mut()
                && (level_is_over || self.store.is_immediate())
                && (stop.is_some() || position.complete || all.iter().any(|status| status.checkpoint))
            {
                checkpoint.write(self.link, &mut self.store, &position.between_states())?;
            }
            if stop.is_some() {
                break stop;
            }
            if let Some(most) = budget.memory.filter(|&most| now > most)
                && !position.complete
                && self.store.shard().is_some()
            {
                // On disk states have another order.
                position = position.between_states();
                if !self.go_to_disk(&position, most)? {
                    break Some(Stop::Memory(most));
                }
                if let Some(checkpoint) = checkpoint.as_deref_mut() {
                    checkpoint.restart();
                }
            }
        };
        self.explored(&position, stop, bytes)
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
        Ok(Position { watch: Findings::default().watch(0), ..Position::default() })
    }

    /// Expands states for a while, or until this worker has its share of the most states. An engine that has no answer is
    /// a reason to stop.
    fn round(
        &mut self,
        position: &mut Position,
        mail: &mut Mail,
        most: Option<u64>,
    ) -> Result<Option<Stop>, ExploreError> {
        let share =
            most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX) / self.link.peers());
        self.store.prepare()?;
        let start = Instant::now();
        let level = self.store.level_len(position.depth);
        let mut block = Rows::new(self.expander.width());
        let mut trouble = None;
        let is_due = |states: usize| states > share || start.elapsed() >= ROUND;
        while position.done < level {
            let places = position.done..level.min(position.done + self.expander.block());
            self.store.copy(position.depth, places, &mut block)?;
            match self.expand(&mut block, position, mail, &is_due) {
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
        mail.finish(self.link, &mut |delivery| {
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
        mail: &mut Mail,
        is_due: &dyn Fn(usize) -> bool,
    ) -> Result<(), ExploreError> {
        let views = self.expander.look(block)?;
        let few = (0..block.len()).take_while(|&state| views.joint_moves(state) <= MANY).count();
        if few < block.len() {
            self.store.copy(position.depth, position.done..position.done + few.max(1), block)?;
            self.expander.look(block)?;
        }
        let Position { depth, watch, findings, made, done, .. } = position;
        if *made == 0 {
            let (views, roles) = (self.expander.views(), self.expander.roles());
            findings.observe(*depth, *watch, block, views, roles, &self.judged);
        }
        let (store, link, judged) = (&mut self.store, &mut *self.link, &self.judged);
        // Gives how many states there are then.
        let mut deliver = |successors: Successors<'_>| -> Result<usize, ExploreError> {
            findings.edges += successors.rows.len() as u64;
            if watch.moves {
                findings.compare(*depth, block, &successors, judged);
            }
            let turns_back = &mut findings.turns_back;
            let mut take = |delivery: Delivery<'_>| {
                *turns_back |= store.insert(delivery)?;
                Ok(())
            };
            mail.send(link, successors.rows, &[], &mut take)?;
            mail.poll(link, &mut take)?;
            Ok(store.len())
        };
        let left = if few > 0 {
            self.expander.successors(block, watch.moves, &mut |successors| deliver(successors).map(drop))?;
            None
        } else {
            let mut part = |successors: Successors<'_>| deliver(successors).map(|states| !is_due(states));
            self.expander.some_successors(block, *made, watch.moves, &mut part)?
        };
        *made = left.unwrap_or(0);
        *done += if left.is_some() { 0 } else { block.len() };
        Ok(())
    }

    fn status(&self, position: &Position, stop: Option<Stop>) -> Status {
        Status {
            left: (self.store.level_len(position.depth) - position.done) as u64,
            states: self.store.len() as u64,
            edges: position.findings.edges,
            bytes: self.store.bytes(),
            stop,
            checkpoint: false,
        }
    }

    fn tell(&self, depth: usize, frontier: u64, states: u64, edges: u64, bytes: usize) {
        if self.link.me() == 0 {
            let stage = Stage::Search;
            self.observer.progress(&Progress { stage, depth, frontier, states, edges, bytes });
        }
    }

    /// Goes to the next level; the search is through when it has no states.
    fn next_level(&mut self, position: &mut Position) -> Result<(), ExploreError> {
        position.findings.turns_back |= self.store.end_level()?;
        (position.depth, position.done) = (position.depth + 1, 0);
        let own = (self.store.level_len(position.depth), position.findings.clone());
        let all = gather(self.link, &own)?;
        position.complete = all.iter().all(|(states, _)| *states == 0);
        position.watch =
            Findings::merged(all.into_iter().map(|(_, findings)| findings)).watch(position.depth);
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
            levels.iter_mut().zip(own).for_each(|(sum, states)| *sum += states);
        }
        while levels.last() == Some(&0) {
            levels.pop();
        }
        let findings = Findings::merged(all.into_iter().map(|(_, findings)| findings));
        Ok(Explored { findings, levels, stop, bytes, looked_at: position.depth })
    }

    /// Puts all states on disk, if that is possible; all workers do or none.
    fn go_to_disk(&mut self, position: &Position, memory: usize) -> Result<bool, ExploreError> {
        let Some(folder) = &self.spill else { return Ok(false) };
        let share = memory / self.link.peers().max(1);
        self.store.go_to_disk(folder, share, position.depth, position.done)
    }

    /// Where states go that memory has no room for; else the search stops.
    pub fn spill_to(&mut self, folder: &Path) {
        self.spill = Some(folder.to_owned());
    }
}

fn spent(time: Option<Duration>, start: Instant) -> Option<Stop> {
    let time = time.filter(|&time| start.elapsed() >= time)?;
    Some(Stop::Time(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}
