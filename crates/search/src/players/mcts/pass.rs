//! A pass: many descents, then one evaluation of all their leaves by the batch (the joint moves, the new states, playouts from
//! them), then the backups.

use std::time::Duration;

use groundrules_gdl::time::Instant;
use groundrules_machine::{Batch, MachineError, Move, Outcomes, PlayoutLimits, Rows, State, Views};
use groundrules_puzzle::{Found, StepCounter};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::descent::{Guide, Path, Stop};
use super::heuristic::{Heuristic, sigmoid};
use super::look_ahead::{self, Successors};
use super::preferences::Guidance;
use super::search::Search;
use super::tree::{NONE, NodeId, Opposition, Tree, number};
use super::worth::Sight;
use crate::parts::Part;

/// What one thread evaluates states with.
pub(super) struct Worker {
    batch: Box<dyn Batch>,
    random: Xoshiro256PlusPlus,
    /// The leaves of the pass; memory beyond the number in use is kept.
    leaves: Vec<Leaf>,
    used: usize,
    states: States,
    successors: Successors,
    playouts: Playouts,
    /// The leaf whose playout is better than the best line, and that playout.
    better: Option<(usize, Found)>,
    pub(super) pace: Pace,
}

/// Where a descent ended.
#[derive(Default)]
struct Leaf {
    path: Path,
    /// Its place among the states.
    state: usize,
    is_new: bool,
    /// Its place among the states from which playouts start.
    open: Option<usize>,
}

/// The states of the leaves.
struct States {
    /// For new leaves the state before the last joint move, for others the state itself.
    parents: Rows,
    /// The last joint moves of new leaves, which come first.
    joints: Vec<Move>,
    new: usize,
    rows: Rows,
    views: Views,
}

/// The playouts of a pass.
struct Playouts {
    /// The states from which they start.
    from: Rows,
    /// How many from each.
    each: usize,
    limits: PlayoutLimits,
    outcomes: Outcomes,
    /// Only a goal above this is of interest, where lines are.
    to_beat: Option<i32>,
}

/// How fast a thread is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// How long the last pass took, and its playouts.
    pub(super) pass: Duration,
    playouts: Duration,
    /// How many times the playouts of the policy a pass has, less one, where time is what counts.
    more: usize,
    /// The steps of a playout per second.
    steps_per_second: f64,
}

/// Descents that end at a leaf of the same pass, after which the pass begins its evaluation.
const MOST_COLLISIONS: usize = 4;

impl Pace {
    /// The length of playouts: at most what fits in the time that is left. The rate is that of the mean length while a pass
    /// waits for the longest playout, so it errs on the safe side.
    pub(super) fn max_steps(&self, max_steps: u64, left: Option<Duration>) -> u64 {
        let Some(left) = left.filter(|_| self.steps_per_second > 0.0) else { return max_steps };
        max_steps.min((left.as_secs_f64() * self.steps_per_second) as u64 + 10)
    }
}

/// Where time is what counts, playouts should take at least this share of it, and at most the other: they cost little where states are
/// small, beside the tree, and more of them say more about a leaf.
const LEAST_SHARE: f64 = 0.2;
const MOST_SHARE: f64 = 0.4;

impl Pace {
    /// The playouts of a pass, as a multiple of the policy's.
    fn times(&self) -> usize {
        self.more + 1
    }

    /// Doubles or halves the playouts of a pass, by what they took of the last one, up to so many times the policy's.
    fn balance(&mut self, most: usize) {
        let share = self.playouts.as_secs_f64() / self.pass.as_secs_f64().max(1e-9);
        if share < LEAST_SHARE {
            self.more = (2 * self.times()).min(most.max(1)) - 1;
        } else if share > MOST_SHARE {
            self.more = (self.times() / 2).max(1) - 1;
        }
    }
}

impl Playouts {
    fn count(&self) -> u64 {
        (self.from.len() * self.each) as u64
    }
}

impl Worker {
    /// A worker with its own batch. `number` tells the threads of a search apart.
    pub(super) fn new(batch: Box<dyn Batch>, seed: u64, number: u64) -> Self {
        let start = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
        let width = batch.row_width();
        let states = States {
            parents: Rows::new(width),
            joints: Vec::new(),
            new: 0,
            rows: Rows::new(width),
            views: Views::default(),
        };
        let playouts = Playouts {
            from: Rows::new(width),
            each: 1,
            limits: PlayoutLimits { seed: 0, max_steps: 0 },
            outcomes: Outcomes::default(),
            to_beat: None,
        };
        Worker {
            batch,
            random: Xoshiro256PlusPlus::seed_from_u64(start.wrapping_add(number)),
            leaves: Vec::new(),
            used: 0,
            states,
            successors: Successors::new(width),
            playouts,
            better: None,
            pace: Pace::default(),
        }
    }

    /// The batch, for searches beside the tree.
    pub(super) fn batch(&mut self) -> &mut dyn Batch {
        &mut *self.batch
    }

    /// Begins a new tree at a state.
    pub(super) fn plant(
        &mut self,
        search: &mut Search,
        state: &State,
        depth: u32,
    ) -> Result<(), MachineError> {
        let (rows, views) = (Rows::of_row(self.batch.row_width(), state.words()), &mut self.states.views);
        self.batch.look(&rows, views)?;
        search.tree.clear();
        search.root = search.tree.add(state.words(), depth, views, 0);
        if look_ahead::is_on(search, &*self.batch) {
            self.successors.evaluate(&mut *self.batch, &search.tree, (&rows, views, 1), Sight::Ends)?;
            self.successors.apply(search, search.root, 0);
        }
        if let Some(counter) = &mut search.counter {
            counter.reset();
        }
        Ok(())
    }

    /// Begins a new tree without pruning by the step counter if that left nothing to try.
    pub(super) fn replant_if_overpruned(&mut self, search: &mut Search) -> Result<(), MachineError> {
        if search.is_overpruned() {
            search.counter = None;
            let depth = search.tree.nodes[search.root as usize].depth;
            let state = search.root_state();
            self.plant(search, &state, depth)?;
        }
        Ok(())
    }

    /// Follows the best line to the state of the match, or forgets it.
    pub(super) fn follow_line(&mut self, search: &mut Search, state: &State) -> Result<(), MachineError> {
        if let Some(line) = search.line.take() {
            search.line = line.follow(state, &mut *self.batch)?;
        }
        Ok(())
    }

    /// One pass of at most so many descents, with playouts of at most so many steps. `now` tells the time. `by_time` says that time is what
    /// counts: then the number of playouts depends on what they take.
    pub(super) fn pass(
        &mut self,
        search: &mut Search,
        most: u64,
        max_steps: u64,
        now: &dyn Fn() -> Instant,
        by_time: bool,
    ) -> Result<(), MachineError> {
        let began = now();
        self.gather(search, most);
        self.evaluate()?;
        let looked = self.look_ahead(search, by_time.then_some(now))?;
        self.play_out(search, max_steps, now)?;
        self.find_better_playout()?;
        let with_ends = search.count.with_ends;
        self.back_up(search);
        self.pace.pass = now().saturating_duration_since(began);
        if let Some(looked) = looked {
            let with_ends = (search.count.with_ends - with_ends) as usize;
            let rest = self.pace.pass.saturating_sub(looked);
            search.worth.see(self.states.new, looked, rest, with_ends);
        }
        if by_time && !search.is_puzzle() {
            self.pace.balance(search.policy.balance);
        }
        Ok(())
    }

    /// Evaluates the successors of the new leaves, as far as that is worth it. Gives the time that it took, where that is told.
    fn look_ahead(
        &mut self,
        search: &mut Search,
        now: Option<&dyn Fn() -> Instant>,
    ) -> Result<Option<Duration>, MachineError> {
        if !look_ahead::is_on(search, &*self.batch) {
            return Ok(None);
        }
        let trust = search.heuristic.as_ref().map_or(0.0, Heuristic::trust);
        search.worth.decide(trust, now.is_some() && search.policy.parts.has(Part::Thrift));
        let began = now.map(|now| now());
        let States { rows, views, new, .. } = &self.states;
        self.successors.evaluate(&mut *self.batch, &search.tree, (rows, views, *new), search.worth.sight)?;
        Ok(began.zip(now).map(|(began, now)| now().saturating_duration_since(began)))
    }

    /// Descends until there are as many leaves as a pass has room for, at most so often.
    fn gather(&mut self, search: &mut Search, most: u64) {
        let counter = search.counter.as_ref().map_or(0, StepCounter::bytes);
        if search.tree.is_full(counter) {
            search.root = search.tree.shrink(search.root);
            if let Some(counter) = &mut search.counter {
                counter.reset();
            }
        }
        self.used = 0;
        self.better = None;
        self.playouts.to_beat = search.to_beat();
        let (trust, exploration) = (search.trust(), search.exploration());
        let leaves = if self.batch.width() > 1 { search.policy.leaves.max(1) } else { 1 };
        let (mut collisions, mut descents) = (0, 0);
        while self.used < leaves && collisions < MOST_COLLISIONS && descents < most.min(4 * leaves as u64) {
            descents += 1;
            let stamp = search.next_stamp();
            if self.leaves.len() == self.used {
                self.leaves.push(Leaf::default());
            }
            let leaf = &mut self.leaves[self.used];
            let Search { tree, averages, policy, root, .. } = search;
            let mut guide = Guide { policy, averages, random: &mut self.random, stamp, trust, exploration };
            let stop = tree.descend(*root, &mut guide, &mut leaf.path);
            leaf.is_new = stop == Stop::New;
            match stop {
                Stop::New => self.used += 1,
                Stop::Cycle(node) if tree.opposition != Opposition::Alone => {
                    leaf.state = node as usize;
                    self.used += 1;
                }
                Stop::Cycle(_) => self.back_up_cycle(search),
                Stop::Known(node) => self.back_up_proved(search, node),
                Stop::Collision => collisions += 1,
            }
        }
        self.copy_states(&search.tree);
    }

    /// The last descent ended in a node whose value is proved.
    fn back_up_proved(&mut self, search: &mut Search, node: NodeId) {
        let path = &self.leaves[self.used].path;
        let value = |role| search.tree.stats(node, role).bound.value();
        let values: Vec<f64> = (0..search.tree.roles).map(value).collect();
        search.tree.back_up(path, &values, &mut search.averages);
        search.tree.prove(path);
        search.count.simulations += 1;
    }

    /// The last descent of a single player came back to its own path, which is worth nothing.
    fn back_up_cycle(&mut self, search: &mut Search) {
        let values = vec![0.0; search.tree.roles];
        search.tree.back_up(&self.leaves[self.used].path, &values, &mut search.averages);
        search.count.simulations += 1;
    }

    /// Copies the states of the leaves: for new ones the parents, with the joint moves that lead to them.
    fn copy_states(&mut self, tree: &Tree) {
        let States { parents, joints, new, .. } = &mut self.states;
        let leaves = &mut self.leaves[..self.used];
        leaves.sort_by_key(|leaf| !leaf.is_new);
        *new = leaves.iter().filter(|leaf| leaf.is_new).count();
        parents.clear();
        joints.clear();
        for (index, leaf) in leaves.iter_mut().enumerate() {
            if leaf.is_new {
                let (last, step) = (leaf.path.last(), leaf.path.nodes.len() - 1);
                parents.push(tree.row(last));
                let picks = leaf.path.picks(step, tree.roles).iter().enumerate();
                joints.extend(picks.map(|(role, &pick)| tree.arms(last, role)[pick as usize].made));
            } else {
                parents.push(tree.row(number(leaf.state)));
            }
            leaf.state = index;
        }
    }

    /// Asks the batch about all leaves.
    fn evaluate(&mut self) -> Result<(), MachineError> {
        let States { parents, joints, new, rows, views } = &mut self.states;
        let from: Vec<u32> = (0..number(*new)).collect();
        rows.clear();
        self.batch.advance(parents, &from, joints, rows)?;
        self.batch.look(rows, views)?;
        (*new..self.used).for_each(|known| rows.push(parents.row(known)));
        let roles = self.batch.roles().len();
        self.playouts.from.clear();
        for leaf in &mut self.leaves[..self.used] {
            let is_stuck = |role| views.legal(leaf.state, role).is_empty();
            let is_end = leaf.is_new && (views.is_terminal(leaf.state) || (0..roles).any(is_stuck));
            leaf.open = (!is_end).then_some(self.playouts.from.len());
            if !is_end {
                self.playouts.from.push(rows.row(leaf.state));
            }
        }
        Ok(())
    }

    fn play_out(
        &mut self,
        search: &mut Search,
        max_steps: u64,
        now: &dyn Fn() -> Instant,
    ) -> Result<(), MachineError> {
        let all = if self.batch.width() > 1 { search.playouts() * self.pace.times() } else { 1 };
        self.playouts.each = (all / self.playouts.from.len().max(1)).max(1);
        self.playouts.limits = PlayoutLimits { seed: self.random.next_u64(), max_steps };
        let began = now();
        let Playouts { from, each, limits, outcomes, .. } = &mut self.playouts;
        let is_guided = search.policy.guidance > 0.0 && !search.is_puzzle() && self.batch.can_be_guided();
        if is_guided {
            let Guidance { record, preferences, .. } = &mut search.guidance;
            self.batch.play_out_guided(from, *each, *limits, preferences, record, outcomes)?;
            let movers = self.batch.movers();
            let mover = |number: usize| movers.get(number).map_or(0, |&role| role as usize);
            search.guidance.after_pass(mover, search.tree.roles, search.policy.guidance);
        } else {
            self.batch.play_out(from, *each, *limits, outcomes)?;
        }
        let steps = outcomes.states as f64 / self.playouts.count().max(1) as f64;
        self.pace.playouts = now().saturating_duration_since(began);
        self.pace.steps_per_second = steps / self.pace.playouts.as_secs_f64().max(1e-9);
        Ok(())
    }

    /// Retraces the best playout if it is better than the best line.
    fn find_better_playout(&mut self) -> Result<(), MachineError> {
        let Playouts { from, each, limits, outcomes, to_beat } = &self.playouts;
        let Some(to_beat) = *to_beat else { return Ok(()) };
        let leaves = self.leaves[..self.used].iter().enumerate();
        let best = leaves.filter_map(|(index, leaf)| Some((index, outcomes.best(leaf.open?, 0)?)));
        let best = best.max_by_key(|&(index, (goal, _))| (goal, std::cmp::Reverse(index)));
        if let Some((index, (goal, playout))) = best.filter(|&(_, (goal, _))| goal > to_beat) {
            let moves = self.batch.retrace(from, *each, *limits, playout)?;
            self.better = moves.map(|moves| (index, Found { goal, moves }));
        }
        Ok(())
    }

    /// Takes the better playout as the best line, behind the path to the leaf where it started.
    fn take_better_playout(&mut self, search: &mut Search) {
        let Some((index, Found { goal, moves: playout })) = self.better.take() else { return };
        let (tree, path) = (&search.tree, &self.leaves[index].path);
        let mut moves = Vec::new();
        for (step, &node) in path.nodes.iter().enumerate() {
            let picks = path.picks(step, tree.roles).iter().enumerate();
            moves.extend(picks.map(|(role, &pick)| tree.arms(node, role)[pick as usize].made));
        }
        moves.extend(playout);
        search.take_line(Found { goal, moves });
    }

    /// Backs everything up.
    fn back_up(&mut self, search: &mut Search) {
        search.count.playouts += self.playouts.count();
        search.count.states += self.playouts.outcomes.states + self.used as u64;
        self.take_better_playout(search);
        for index in 0..self.used {
            let values = self.values(search, index);
            let leaf = &self.leaves[index];
            search.tree.back_up(&leaf.path, &values, &mut search.averages);
            if let Some(player) = (0..values.len()).find(|&role| !search.tree.nature[role]) {
                search.spread.see(values[player]);
            }
            self.learn(search, index, &values);
            if leaf.is_new {
                self.link(search, index, &values);
            }
            search.count.simulations += 1;
        }
    }

    /// Lets the heuristic learn from the playouts of a leaf.
    fn learn(&self, search: &mut Search, index: usize, values: &[f64]) {
        let (Some(heuristic), Some(_)) = (&mut search.heuristic, self.leaves[index].open) else { return };
        let row = self.states.rows.row(index);
        for (role, &value) in values.iter().enumerate().filter(|&(role, _)| !search.tree.nature[role]) {
            heuristic.learn(role, row, value, self.playouts.each);
        }
    }

    /// Makes the node of a new state, or finds it (a transposition), and links the joint move to it.
    fn link(&self, search: &mut Search, index: usize, values: &[f64]) {
        let (leaf, state) = (&self.leaves[index], self.states.rows.row(index));
        let is_pooled = search.policy.parts.has(Part::Pooling) && !search.is_puzzle();
        let looks_ahead = look_ahead::is_on(search, &*self.batch);
        let tree = &mut search.tree;
        let found = tree.find(state);
        let step = leaf.path.nodes.len() - 1;
        let depth = tree.nodes[leaf.path.last() as usize].depth + 1;
        let child = match found {
            Some(node) => node,
            None if tree.is_full(0) => NONE,
            None => tree.add(state, depth, &self.states.views, index),
        };
        if let (None, Some(counter)) = (found, &mut search.counter)
            && child != NONE
            && !tree.nodes[child as usize].is_end
            && counter.is_late(state, depth)
        {
            tree.prune(child);
        }
        tree.set_child(leaf.path.last(), leaf.path.picks(step, tree.roles), child);
        if child == NONE {
            return;
        }
        if is_pooled {
            tree.count_evaluation(child, values);
        }
        let mut is_proved = found.is_some() || tree.nodes[child as usize].is_end;
        if found.is_none() {
            guess(search, child);
            if looks_ahead {
                is_proved |= self.successors.apply(search, child, index);
            }
        }
        if let Some(solver) = search.solver.as_ref().filter(|_| found.is_none()) {
            let bound = solver.bound_of(state);
            is_proved |= search.tree.stats_mut(child, solver.role()).bound.tighten(bound);
        }
        if is_proved {
            search.tree.prove(&leaf.path);
        }
        if search.heuristic.is_some() {
            search.tree.back_up_guesses(&leaf.path);
        }
    }

    /// The values of a leaf, one per role.
    fn values(&self, search: &mut Search, index: usize) -> Vec<f64> {
        let (leaf, roles, views) = (&self.leaves[index], search.tree.roles, &self.states.views);
        let Some(open) = leaf.open else {
            let goals = |role| match views.goals(leaf.state, role) {
                [goal] if views.is_terminal(leaf.state) => f64::from((*goal).clamp(0, 100)) / 100.0,
                _ => 0.0,
            };
            self.see_end(search, index);
            return (0..roles).map(goals).collect();
        };
        let Playouts { each, outcomes, .. } = &self.playouts;
        let players = (0..roles).filter(|&role| !search.tree.nature[role]);
        let (sums, counts): (Vec<i64>, Vec<u64>) = players.map(|role| outcomes.sum(open, role)).unzip();
        if counts.windows(2).all(|two| two[0] == two[1]) {
            search.tree.see_ends(sums.iter().sum(), counts.first().copied().unwrap_or(0));
        }
        // An unfinished playout is worth nothing to a single player, and half to several.
        let unknown = if search.tree.opposition == Opposition::Alone { 0.0 } else { 0.5 };
        let value = |role| {
            let (sum, count) = outcomes.sum(open, role);
            let missing = (*each as u64).saturating_sub(count) as f64;
            let mean = (sum as f64 / 100.0 + unknown * missing) / *each as f64;
            (mean + self.optimism(search, open, role, mean)).clamp(0.0, 1.0)
        };
        (0..roles).map(value).collect()
    }

    /// How much more than their mean the playouts of a single player count, because it can choose the best of them.
    fn optimism(&self, search: &Search, open: usize, role: usize, mean: f64) -> f64 {
        if self.playouts.to_beat.is_none() {
            return 0.0;
        }
        let best = self.playouts.outcomes.best(open, role).map_or(0.0, |(goal, _)| f64::from(goal) / 100.0);
        search.policy.optimism * (best - mean).max(0.0)
    }

    /// Learns from an end what the goals of the players add up to.
    fn see_end(&self, search: &mut Search, index: usize) {
        let views = &self.states.views;
        if !views.is_terminal(index) {
            return;
        }
        let players: Vec<usize> = (0..search.tree.roles).filter(|&role| !search.tree.nature[role]).collect();
        let goals = players.iter().map(|&role| match views.goals(index, role) {
            [goal] => Some(i64::from(*goal)),
            _ => None,
        });
        if let Some(sum) = goals.sum::<Option<i64>>() {
            search.tree.see_ends(sum, 1);
        }
    }
}

/// Gives a new node its values by the heuristic; if it is looked ahead of, they become those of its best move.
fn guess(search: &mut Search, node: NodeId) {
    let Search { heuristic: Some(heuristic), tree, .. } = search else { return };
    if tree.nodes[node as usize].is_end {
        return;
    }
    for role in 0..tree.roles {
        if tree.nature[role] {
            continue;
        }
        let value = sigmoid(heuristic.logit(role, tree.row(node)));
        tree.set_guess(node, role, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playouts_take_a_fair_share_of_the_time() {
        let mut pace = Pace { pass: Duration::from_millis(100), ..Pace::default() };
        let mut after = |playouts: u64| {
            pace.playouts = Duration::from_millis(playouts);
            pace.balance(16);
            pace.times()
        };
        assert_eq!([5, 10, 30, 5, 5, 5].map(&mut after), [2, 4, 4, 8, 16, 16]);
        assert_eq!([60, 60, 60, 60, 60].map(&mut after), [8, 4, 2, 1, 1]);
    }
}
