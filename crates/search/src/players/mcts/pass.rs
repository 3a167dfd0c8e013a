//! A pass: many descents, then everything they found in one go over the batch (the joint moves made, the new states
//! looked at, playouts from them), then everything brought back up. The tree is only held for the first and the last part,
//! so that several threads can work on it.

use std::time::{Duration, Instant};

use groundrules_machine::relax::Relaxation;
use groundrules_machine::{Batch, MachineError, Move, Outcomes, PlayoutLimits, Rows, State, Views};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::aimed::Aimed;
use super::bounds::{Bound, FULL};
use super::clock::Clock;
use super::descent::{Guide, Path, Stop};
use super::line::Line;
use super::policy::{Habits, Policy};
use super::sweep::{Found, Manner, Sweep};
use super::tree::{NONE, NodeId, Opposition, Tree};

/// A tree while it is searched.
pub(super) struct Search {
    pub(super) tree: Tree,
    pub(super) root: NodeId,
    pub(super) habits: Habits,
    pub(super) policy: Policy,
    pub(super) count: Count,
    /// The best line found, if one player is alone.
    pub(super) line: Option<Line>,
    /// The clock of a puzzle that counts its steps, while states are given up by it.
    pub(super) clock: Option<Clock>,
    /// Whether a sweep has seen every position below.
    pub(super) is_exhausted: bool,
    /// How often other threads made each move of each role at the root, and the sum of the role's values.
    pub(super) elsewhere: Vec<Vec<(u32, f64)>>,
    stamp: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Descents that came to something.
    pub(super) simulations: u64,
    /// Playouts.
    pub(super) playouts: u64,
}

/// What one thread works with.
pub(super) struct Worker {
    batch: Box<dyn Batch>,
    random: Xoshiro256PlusPlus,
    jobs: Vec<Job>,
    used: usize,
    /// The tree's epoch when the jobs were found.
    epoch: u64,
    /// The states from which a joint move leads to those that are new, and behind them those that are in the tree.
    parents: Rows,
    joints: Vec<Move>,
    /// The states that the jobs are about; first those that are new.
    states: Rows,
    new: usize,
    views: Views,
    /// The states from which playouts are played.
    open: Rows,
    outcomes: Outcomes,
    each: usize,
    limits: PlayoutLimits,
    /// A goal above this is worth a line.
    to_beat: Option<i32>,
    /// The job whose playout beat it, the goal and the playout's moves.
    found: Option<(usize, i32, Vec<Move>)>,
    /// How long the last pass took.
    pub(super) took: Duration,
    steps_per_second: f64,
    /// Sweeps, if one player is alone and this is the thread that does them.
    sweeps: Vec<Sweep>,
    aimed: Option<Aimed>,
    /// How long the last step of all sweeps took.
    sweep_took: Duration,
    /// How long it worked, and how much of that it swept.
    pub(super) worked: Duration,
    swept: Duration,
}

/// What a descent found to do.
#[derive(Default)]
struct Job {
    path: Path,
    /// Where it stands among the states.
    state: usize,
    is_new: bool,
    /// Where it stands among those from which playouts are played.
    open: Option<usize>,
}

impl Search {
    /// A search with nothing known.
    pub(super) fn new(tree: Tree, policy: Policy) -> Self {
        let habits = Habits::new(tree.roles);
        Search {
            tree,
            root: 0,
            habits,
            policy,
            count: Count::default(),
            line: None,
            clock: None,
            is_exhausted: false,
            elsewhere: Vec::new(),
            stamp: 0,
        }
    }

    /// Whether there is nothing more to find out for a role.
    pub(super) fn is_done(&self, role: usize) -> bool {
        let bound = self.tree.stake(self.root, role).bound;
        let most = if self.clock.is_some() { FULL } else { bound.upper };
        self.tree.nodes[self.root as usize].is_end && self.clock.is_none()
            || self.tree.is_opposed() && bound.lower == most
            || bound.lower == FULL
            || self.line_bound() >= most
            || self.is_exhausted && self.line.is_some()
    }

    /// Whether nothing is left to try because too much was given up.
    fn is_at_a_loss(&self) -> bool {
        self.clock.is_some() && {
            let bound = self.tree.stake(self.root, 0).bound;
            bound.upper <= bound.lower.max(self.line_bound())
        }
    }

    /// What the best line is sure of, in the terms of bounds.
    pub(super) fn line_bound(&self) -> u16 {
        self.line.as_ref().map_or(0, |line| Bound::exact(line.goal).lower)
    }

    /// Whether lines are kept: one player is alone, without nature.
    pub(super) fn keeps_lines(&self) -> bool {
        self.tree.nature == [false]
    }

    fn next_stamp(&mut self) -> u32 {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.tree.nodes.iter_mut().for_each(|node| node.stamp = 0);
            self.stamp = 1;
        }
        self.stamp
    }
}

/// Networks with more operands are too large to be judged state by state.
const MOST_OPERANDS: usize = 400_000;

/// What sweeps do at all they mostly do at once.
const HEAD_START: Duration = Duration::from_millis(200);

/// How much work it may be to begin to aim, for each millisecond that is left: what takes about a third of it.
const WORK_PER_MILLISECOND: usize = 20_000;

/// How much of it may be done at once.
const LITTLE_WORK: usize = 2_000_000;

/// Descents in vain after which a pass begins with what it has.
const MOST_IN_VAIN: usize = 4;

impl Worker {
    /// One with a batch of its own.
    pub(super) fn new(batch: Box<dyn Batch>, seed: u64, number: u64) -> Self {
        let start = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
        let width = batch.row_width();
        Worker {
            batch,
            random: Xoshiro256PlusPlus::seed_from_u64(start.wrapping_add(number)),
            jobs: Vec::new(),
            used: 0,
            epoch: 0,
            parents: Rows::new(width),
            joints: Vec::new(),
            states: Rows::new(width),
            new: 0,
            views: Views::default(),
            open: Rows::new(width),
            outcomes: Outcomes::default(),
            each: 1,
            limits: PlayoutLimits { seed: 0, max_steps: 0 },
            to_beat: None,
            found: None,
            took: Duration::ZERO,
            steps_per_second: 0.0,
            sweeps: Vec::new(),
            aimed: None,
            sweep_took: Duration::ZERO,
            worked: Duration::ZERO,
            swept: Duration::ZERO,
        }
    }

    /// Looks at one state: the first of a tree.
    pub(super) fn plant(
        &mut self,
        search: &mut Search,
        state: &State,
        depth: u32,
    ) -> Result<(), MachineError> {
        self.batch.look(&Rows::of_row(self.batch.row_width(), state.words()), &mut self.views)?;
        search.tree.clear();
        search.root = search.tree.add(state.words(), depth, &self.views, 0);
        if let Some(clock) = &mut search.clock {
            clock.reset();
        }
        Ok(())
    }

    /// Looks for the clock of a puzzle.
    pub(super) fn find_clock(&mut self, search: &mut Search, state: &State) -> Result<(), MachineError> {
        if search.keeps_lines() {
            search.clock = Clock::find(&mut *self.batch, state)?;
        }
        Ok(())
    }

    /// Begins to sweep from a state.
    pub(super) fn begin_sweeps(
        &mut self,
        search: &mut Search,
        state: &State,
        relaxation: impl FnOnce() -> Option<Relaxation>,
        limit: usize,
    ) -> Result<(), MachineError> {
        search.is_exhausted &= search.line.is_some();
        // What took long once is tried again some time.
        self.sweep_took /= 2;
        if self.sweeps.is_empty() && search.keeps_lines() {
            let mask = search.clock.as_ref().map_or(&[][..], Clock::mask);
            let relaxation = relaxation();
            self.sweeps.push(Sweep::new(Manner::Broad, mask, None, limit));
            self.sweeps.push(Sweep::tight(mask, relaxation.as_ref().map_or(0, Relaxation::size), limit));
            if let Some(relaxation) = relaxation.filter(|relaxation| relaxation.size() <= MOST_OPERANDS) {
                self.aimed = Some(Aimed::new(relaxation.aim(), relaxation.size()));
                for manner in [Manner::Deep, Manner::Careful] {
                    self.sweeps.push(Sweep::new(manner, mask, Some(relaxation.clone()), limit));
                }
            }
        }
        self.aimed.iter_mut().for_each(|aimed| aimed.begin(state));
        self.sweeps.iter_mut().try_for_each(|sweep| sweep.begin(state, &mut *self.batch))
    }

    /// Goes on with the sweeps; gives the best line that was found, if it leads to more than is known, and whether
    /// there is none better.
    pub(super) fn sweep(
        &mut self,
        max_steps: u64,
        left: Option<Duration>,
    ) -> Result<(Option<Found>, bool), MachineError> {
        let began = Instant::now();
        let mut best: Option<Found> = None;
        let limits = PlayoutLimits { seed: self.random.next_u64(), max_steps: self.steps(max_steps, left) };
        let known = self.to_beat.unwrap_or(0);
        let mut once = Duration::ZERO;
        if let Some(aimed) = &mut self.aimed {
            // What may be over in a moment comes first.
            let is_free = self.sweeps.first().is_none_or(|broad| broad.is_over() || !broad.is_whole());
            let most = if is_free { usize::MAX } else { LITTLE_WORK };
            let time = left.map(|left| usize::try_from(left.as_millis()).unwrap_or(usize::MAX));
            let work = most.min(time.map_or(usize::MAX, |time| time.saturating_mul(WORK_PER_MILLISECOND)));
            let is_starting = aimed.is_starting();
            best = aimed.step(&mut *self.batch, known, limits, work)?;
            once = if is_starting { began.elapsed() } else { once };
        }
        let is_long = || left.is_some_and(|left| began.elapsed() * 4 > left);
        for sweep in &mut self.sweeps {
            for _ in (0..sweep.steps()).take_while(|_| !is_long()) {
                let to_beat = best.as_ref().map_or(known, |found| found.goal);
                best = sweep.step(&mut *self.batch, to_beat, limits)?.or(best);
            }
        }
        self.swept += began.elapsed();
        // The next step does not take again what is only done once.
        self.sweep_took = began.elapsed().saturating_sub(once);
        Ok((best, self.sweeps.iter().any(Sweep::is_exhausted)))
    }

    /// Whether it is time to sweep: there is something to sweep and, if the time counts, a step may be done in what is left of
    /// it and the tree has had as much of it but for a head start.
    pub(super) fn has_sweeps(&self, left: Option<Duration>) -> bool {
        let is_tree_next =
            left.is_some_and(|left| left < self.sweep_took || self.swept * 2 > self.worked + HEAD_START);
        let is_aiming = self.aimed.as_ref().is_some_and(|aimed| !aimed.is_over());
        !is_tree_next && (is_aiming || self.sweeps.iter().any(|sweep| !sweep.is_over()))
    }

    /// Begins anew without giving states up by the clock if that leaves nothing to try.
    pub(super) fn reconsider(&mut self, search: &mut Search) -> Result<(), MachineError> {
        if search.is_at_a_loss() {
            search.clock = None;
            let depth = search.tree.nodes[search.root as usize].depth;
            let state = State::of(search.tree.row(search.root));
            self.plant(search, &state, depth)?;
        }
        Ok(())
    }

    /// Goes down as often as a pass has room for, at most so often.
    pub(super) fn gather(&mut self, search: &mut Search, most: u64) {
        let clock = search.clock.as_ref().map_or(0, Clock::bytes);
        if search.tree.is_full(clock) {
            search.root = search.tree.shrink(search.root);
            if let Some(clock) = &mut search.clock {
                clock.reset();
            }
        }
        (self.used, self.new, self.epoch) = (0, 0, search.tree.epoch);
        self.joints.clear();
        self.found = None;
        self.to_beat = search.keeps_lines().then(|| search.line.as_ref().map_or(0, Line::to_beat));
        let leaves = if self.batch.width() > 1 { search.policy.leaves.max(1) } else { 1 };
        let (mut in_vain, mut descents) = (0, 0);
        while self.used < leaves && in_vain < MOST_IN_VAIN && descents < most.min(4 * leaves as u64) {
            descents += 1;
            let stamp = search.next_stamp();
            if self.jobs.len() == self.used {
                self.jobs.push(Job::default());
            }
            let job = &mut self.jobs[self.used];
            let Search { tree, habits, policy, .. } = search;
            let mut guide = Guide { policy, habits, random: &mut self.random, stamp };
            let stop = tree.descend(search.root, &mut guide, &mut job.path);
            job.is_new = stop == Stop::New;
            match stop {
                Stop::New => self.used += 1,
                Stop::Round(node) if tree.opposition != Opposition::Alone => {
                    job.state = node as usize;
                    self.used += 1;
                }
                Stop::Round(_) => self.come_to_nothing(search),
                Stop::Known(node) => self.come_to(search, node),
                Stop::Busy => in_vain += 1,
            }
        }
        self.take_states(&search.tree);
    }

    /// The last job found a value that is known.
    fn come_to(&mut self, search: &mut Search, node: NodeId) {
        let path = &self.jobs[self.used].path;
        let value = |role| search.tree.stake(node, role).bound.value();
        let values: Vec<f64> = (0..search.tree.roles).map(value).collect();
        search.tree.back_up(path, &values, &mut search.habits);
        search.tree.prove(path);
        search.count.simulations += 1;
    }

    /// The last job of one player went round in a circle, which is worth nothing.
    fn come_to_nothing(&mut self, search: &mut Search) {
        let values = vec![0.0; search.tree.roles];
        search.tree.back_up(&self.jobs[self.used].path, &values, &mut search.habits);
        search.count.simulations += 1;
    }

    /// Copies the states that the jobs are about: the parents of the new ones, with the joint moves that lead on, and
    /// those that are in the tree already.
    fn take_states(&mut self, tree: &Tree) {
        self.jobs[..self.used].sort_by_key(|job| !job.is_new);
        self.new = self.jobs[..self.used].iter().filter(|job| job.is_new).count();
        self.parents.clear();
        for (index, job) in self.jobs[..self.used].iter_mut().enumerate() {
            let (last, step) = (job.path.nodes.last().copied().unwrap_or(0), job.path.nodes.len() - 1);
            if job.is_new {
                self.parents.push(tree.row(last));
                let picks = job.path.picks(step, tree.roles).iter().enumerate();
                self.joints.extend(picks.map(|(role, &pick)| tree.arms(last, role)[pick as usize].made));
            } else {
                self.parents.push(tree.row(super::tree::number(job.state)));
            }
            job.state = index;
        }
    }

    /// Asks the batch about everything.
    pub(super) fn evaluate(
        &mut self,
        policy: &Policy,
        max_steps: u64,
        left: Option<Duration>,
    ) -> Result<(), MachineError> {
        let began = Instant::now();
        self.states.clear();
        let from: Vec<u32> = (0..super::tree::number(self.new)).collect();
        self.batch.advance(&self.parents, &from, &self.joints, &mut self.states)?;
        self.batch.look(&self.states, &mut self.views)?;
        (self.new..self.used).for_each(|known| self.states.push(self.parents.row(known)));
        self.open.clear();
        for job in &mut self.jobs[..self.used] {
            let roles = self.batch.roles().len();
            let is_end = job.is_new
                && (self.views.is_terminal(job.state)
                    || (0..roles).any(|role| self.views.legal(job.state, role).is_empty()));
            job.open = (!is_end).then_some(self.open.len());
            if !is_end {
                self.open.push(self.states.row(job.state));
            }
        }
        let playouts = if self.batch.width() > 1 { policy.playouts } else { 1 };
        self.each = (playouts / self.open.len().max(1)).max(1);
        self.limits = PlayoutLimits { seed: self.random.next_u64(), max_steps: self.steps(max_steps, left) };
        let played = Instant::now();
        self.batch.play_out(&self.open, self.each, self.limits, &mut self.outcomes)?;
        let steps = self.outcomes.states as f64 / self.playouts().max(1) as f64;
        self.steps_per_second = steps / played.elapsed().as_secs_f64().max(1e-9);
        self.look_for_line()?;
        self.took = began.elapsed();
        Ok(())
    }

    /// Takes the moves of the best playout if it is better than everything before.
    fn look_for_line(&mut self) -> Result<(), MachineError> {
        let Some(to_beat) = self.to_beat else { return Ok(()) };
        let jobs = self.jobs[..self.used].iter().enumerate();
        let best = jobs.filter_map(|(index, job)| Some((index, self.outcomes.best(job.open?, 0)?)));
        let best = best.max_by_key(|&(index, (goal, _))| (goal, std::cmp::Reverse(index)));
        let Some((index, (goal, number))) = best.filter(|&(_, (goal, _))| goal > to_beat) else {
            return Ok(());
        };
        let moves = self.batch.retrace(&self.open, self.each, self.limits, number)?;
        self.found = moves.map(|moves| (index, goal, moves));
        Ok(())
    }

    /// Keeps the line that was found: the way down to where its playout began, and the playout.
    fn keep_line(&mut self, search: &mut Search) {
        let Some((index, goal, playout)) = self.found.take() else { return };
        let (tree, path) = (&search.tree, &self.jobs[index].path);
        let mut moves = Vec::new();
        for (step, &node) in path.nodes.iter().enumerate() {
            let picks = path.picks(step, tree.roles).iter().enumerate();
            moves.extend(picks.map(|(role, &pick)| tree.arms(node, role)[pick as usize].made));
        }
        moves.extend(playout);
        if search.line.as_ref().is_some_and(|line| !line.is_worse_than(goal, moves.len())) {
            return;
        }
        let start = State::of(tree.row(search.root));
        search.line = Some(Line::new(goal, start, moves, tree.roles));
    }

    /// Keeps a line from the root if it leads to more than is known.
    pub(super) fn take_line(search: &mut Search, found: Found) {
        if search.line.as_ref().is_none_or(|line| found.goal > line.goal) {
            let start = State::of(search.tree.row(search.root));
            search.line = Some(Line::new(found.goal, start, found.moves, search.tree.roles));
        }
    }

    /// Follows the best line to the state of the match, or forgets it.
    pub(super) fn follow_line(&mut self, search: &mut Search, state: &State) -> Result<(), MachineError> {
        if let Some(line) = search.line.take() {
            search.line = line.follow(state, &mut *self.batch)?;
        }
        Ok(())
    }

    /// How long playouts may be: no longer than the time that is left.
    fn steps(&self, max_steps: u64, left: Option<Duration>) -> u64 {
        let Some(left) = left.filter(|_| self.steps_per_second > 0.0) else { return max_steps };
        max_steps.min((left.as_secs_f64() * self.steps_per_second * 4.0) as u64 + 10)
    }

    fn playouts(&self) -> u64 {
        (self.open.len() * self.each) as u64
    }

    /// Brings everything back up.
    pub(super) fn back_up(&mut self, search: &mut Search) {
        search.count.playouts += self.playouts();
        if search.tree.epoch != self.epoch {
            return;
        }
        self.keep_line(search);
        for index in 0..self.used {
            let values = self.values(search, index);
            let job = &self.jobs[index];
            search.tree.back_up(&job.path, &values, &mut search.habits);
            if job.is_new {
                self.link(search, index);
            }
            search.count.simulations += 1;
        }
    }

    /// Makes the node of a new state, or finds it, and tells the joint move that it leads there.
    fn link(&self, search: &mut Search, index: usize) {
        let (job, state) = (&self.jobs[index], self.states.row(index));
        let tree = &mut search.tree;
        let found = tree.find(state);
        let step = job.path.nodes.len() - 1;
        let depth = tree.nodes[job.path.nodes[step] as usize].depth + 1;
        let child = match found {
            Some(node) => node,
            None if tree.is_full(0) => NONE,
            None => tree.add(state, depth, &self.views, index),
        };
        if let (None, Some(clock)) = (found, &mut search.clock)
            && child != NONE
            && !tree.nodes[child as usize].is_end
            && clock.is_late(state, depth)
        {
            tree.give_up(child);
        }
        tree.set_child(job.path.nodes[step], job.path.picks(step, tree.roles), child);
        if child != NONE && (found.is_some() || tree.nodes[child as usize].is_end) {
            tree.prove(&job.path);
        }
    }

    /// What a job came to, for each role.
    fn values(&self, search: &mut Search, index: usize) -> Vec<f64> {
        let (job, roles) = (&self.jobs[index], search.tree.roles);
        let Some(open) = job.open else {
            let goals = |role| match self.views.goals(job.state, role) {
                [goal] if self.views.is_terminal(job.state) => f64::from((*goal).clamp(0, 100)) / 100.0,
                _ => 0.0,
            };
            self.see_end(search, index);
            return (0..roles).map(goals).collect();
        };
        let players = (0..roles).filter(|&role| !search.tree.nature[role]);
        let (sums, counts): (Vec<i64>, Vec<u64>) = players.map(|role| self.outcomes.sum(open, role)).unzip();
        if counts.windows(2).all(|two| two[0] == two[1]) {
            search.tree.see_ends(sums.iter().sum(), counts.first().copied().unwrap_or(0));
        }
        // What came to no end is worth nothing to one player, and half to several.
        let unknown = if search.tree.opposition == Opposition::Alone { 0.0 } else { 0.5 };
        let value = |role| {
            let (sum, count) = self.outcomes.sum(open, role);
            let missing = (self.each as u64).saturating_sub(count) as f64;
            let mean = (sum as f64 / 100.0 + unknown * missing) / self.each as f64;
            (mean + self.optimism(search, open, role, mean)).clamp(0.0, 1.0)
        };
        (0..roles).map(value).collect()
    }

    /// How much more than the mean playouts of one player alone count, because the best of them can be had.
    fn optimism(&self, search: &Search, open: usize, role: usize, mean: f64) -> f64 {
        if self.to_beat.is_none() {
            return 0.0;
        }
        let best = self.outcomes.best(open, role).map_or(0.0, |(goal, _)| f64::from(goal) / 100.0);
        search.policy.optimism * (best - mean).max(0.0)
    }

    /// Learns from an end what the players got together.
    fn see_end(&self, search: &mut Search, index: usize) {
        if !self.views.is_terminal(index) {
            return;
        }
        let players: Vec<usize> = (0..search.tree.roles).filter(|&role| !search.tree.nature[role]).collect();
        let goals = players.iter().map(|&role| match self.views.goals(index, role) {
            [goal] => Some(i64::from(*goal)),
            _ => None,
        });
        if let Some(sum) = goals.sum::<Option<i64>>() {
            search.tree.see_ends(sum, 1);
        }
    }
}
