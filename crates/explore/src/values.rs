//! What each role can force: for every state the best goal that the role reaches by its own choices, whatever all others
//! do. In a terminal state that is its goal; elsewhere the best over its own moves of the worst over what the others do
//! (the lower value). Where several roles choose at the same time, the worst over what the others do of the best over its own
//! moves (the upper value) may be more: what the role can guarantee by choosing at random is between the two.
//!
//! Values are computed backwards, the deepest level first. Where every move leads one level down, one pass is enough; where there
//! is no cycle, one pass in an order in which moves lead forward. Elsewhere passes are repeated until nothing changes,
//! beginning with nothing forced: the least fixpoint, by which endless play forces nothing. A role with several goals at the
//! end counts with the least, one without any forces nothing.
//!
//! A value is one byte for each state and role: its rank among all goals that occur.

use groundrules_machine::{Rows, Views};

use crate::budget::Stage;
use crate::cycle::Cycles;
use crate::error::ExploreError;
use crate::link::gather;
use crate::search::Explored;
use crate::shard::Shard;
use crate::worker::Worker;

/// States whose successors are fetched together.
pub(crate) const TOGETHER: usize = 2048;

/// What can be forced in each state.
#[derive(Debug)]
pub(crate) struct Values {
    roles: usize,
    /// Ranks of each state: the lower values of all roles, and the upper ones if they were asked for.
    entries: usize,
    /// The goals that occur, ascending: rank 1 is the first.
    goals: Vec<i32>,
    /// The ranks of all own states; 0 if nothing can be forced.
    ranks: Vec<u8>,
}

impl Values {
    /// A goal by its rank; `None` where no end can be forced.
    pub(crate) fn goal(&self, rank: u8) -> Option<i32> {
        usize::from(rank).checked_sub(1).map(|index| self.goals[index])
    }

    fn rank(&self, goal: i32) -> u8 {
        let index = self.goals.binary_search(&goal).expect("the search has seen every goal");
        u8::try_from(index + 1).expect("there are fewer than 255 goals")
    }

    /// Words that the ranks of a state take.
    fn words(&self) -> usize {
        self.entries.div_ceil(8)
    }

    fn append_words(&self, number: usize, words: &mut Vec<u64>) {
        let ranks = &self.ranks[number * self.entries..(number + 1) * self.entries];
        let pack = |ranks: &[u8]| ranks.iter().rev().fold(0, |word, &rank| word << 8 | u64::from(rank));
        words.extend(ranks.chunks(8).map(pack));
    }
}

/// Why there are no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValues {
    /// There are more different goals than a byte can tell apart.
    TooManyGoals,
    /// The states are not all in memory.
    NotInMemory,
    /// The observer cancelled it, or the time was over.
    Cancelled,
}

impl NoValues {
    /// Why, in words.
    pub(crate) fn why(self) -> &'static str {
        match self {
            NoValues::TooManyGoals => "there are more than 254 different goals",
            NoValues::NotInMemory => "computing values needs all states in memory",
            NoValues::Cancelled => "the time was over before the values were known",
        }
    }
}

/// Updates a block of states, given with their numbers; says whether something changed.
pub(crate) type Update<'u, 'l> =
    dyn FnMut(&mut Worker<'l>, &Rows, &[usize]) -> Result<bool, ExploreError> + 'u;

impl<'l> Worker<'l> {
    pub(crate) fn shard(&self) -> &Shard {
        self.store.shard().expect("values are computed in memory")
    }

    /// Computes what can be forced; with the upper values, if they are asked for. The search must be complete.
    pub(crate) fn values(
        &mut self,
        explored: &Explored,
        with_upper: bool,
    ) -> Result<Result<Values, NoValues>, ExploreError> {
        assert!(explored.stop.is_none(), "values need all states");
        let mut goals: Vec<i32> = explored.findings.reached.iter().map(|reached| reached.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        if goals.len() >= usize::from(u8::MAX) {
            return Ok(Err(NoValues::TooManyGoals));
        }
        let Some(states) = self.store.shard().map(Shard::len) else { return Ok(Err(NoValues::NotInMemory)) };
        let roles = self.expander.roles();
        let entries = if with_upper { 2 * roles } else { roles };
        let mut values = Values { roles, entries, goals, ranks: vec![0; states * entries] };
        let is_complete = self.backwards(explored, &mut |worker, block, numbers| {
            worker.update_values(block, numbers, &mut values)
        })?;
        Ok(if is_complete { Ok(values) } else { Err(NoValues::Cancelled) })
    }

    /// Updates all own states by those of their successors, backwards: once where there is no cycle, else until no update changes
    /// anything. Says whether it came to its end. All workers take part in every update, some of them with nothing.
    pub(crate) fn backwards(
        &mut self,
        explored: &Explored,
        update: &mut Update<'_, 'l>,
    ) -> Result<bool, ExploreError> {
        self.has_cycle(explored)?;
        let cycles = std::mem::take(&mut self.cycles);
        let result = match &cycles {
            Cycles::None(order) => {
                let rounds = (0..order.rounds()).rev().map(|round| order.round(round).collect());
                self.sweep(rounds, update)
            }
            Cycles::Unknown | Cycles::Some => {
                let levels: Vec<_> =
                    (0..explored.levels.len()).rev().map(|depth| self.shard().level(depth)).collect();
                self.sweeps(&levels, explored.is_graded(), update)
            }
        };
        self.cycles = cycles;
        Ok(result?.is_some())
    }

    /// Sweeps until nothing changes, or once if that is enough.
    fn sweeps(
        &mut self,
        levels: &[std::ops::Range<usize>],
        once: bool,
        update: &mut Update<'_, 'l>,
    ) -> Result<Option<bool>, ExploreError> {
        loop {
            let swept = self.sweep(levels.iter().map(|level| level.clone().collect()), update)?;
            let Some(changed) = swept else { return Ok(None) };
            if once || !gather(self.link, &changed)?.contains(&true) {
                return Ok(Some(changed));
            }
        }
    }

    /// Updates parts of the own states in their order. Says whether something changed; `None` if it was cancelled.
    fn sweep(
        &mut self,
        parts: impl ExactSizeIterator<Item = Vec<usize>>,
        update: &mut Update<'_, 'l>,
    ) -> Result<Option<bool>, ExploreError> {
        let (mut changed, count) = (false, parts.len());
        let mut block = Rows::new(self.expander.width());
        for (done, numbers) in parts.enumerate() {
            self.report_pass(Stage::Values, count - done - 1, numbers.len() as u64);
            let pieces = gather(self.link, &numbers.len().div_ceil(TOGETHER))?.into_iter().max();
            let mut own = numbers.chunks(TOGETHER);
            for _ in 0..pieces.expect("there is at least one worker") {
                let some = own.next().unwrap_or(&[]);
                block.clear();
                some.iter().for_each(|&number| block.push(self.shard().row(number)));
                changed |= update(self, &block, some)?;
            }
            if self.is_over()? {
                return Ok(None);
            }
        }
        Ok(Some(changed))
    }

    /// Whether the first worker is cancelled, or its time is over.
    fn is_over(&mut self) -> Result<bool, ExploreError> {
        let own = self.is_cancelled() || self.link.me() == 0 && self.is_late();
        Ok(gather(self.link, &own)?.contains(&true))
    }

    /// Computes the values of some own states; says whether one changed.
    fn update_values(
        &mut self,
        block: &Rows,
        numbers: &[usize],
        values: &mut Values,
    ) -> Result<bool, ExploreError> {
        let new = self.block_values(block, values)?;
        let mut changed = false;
        for (&number, new) in numbers.iter().zip(new.chunks(values.entries.max(1))) {
            let old = &mut values.ranks[number * values.entries..(number + 1) * values.entries];
            changed |= old != new;
            old.copy_from_slice(new);
        }
        Ok(changed)
    }

    /// The values of some states by those of their successors.
    fn block_values(&mut self, block: &Rows, values: &Values) -> Result<Vec<u8>, ExploreError> {
        let (views, wanted) = self.all_successors(block)?;
        let found = self.ranks(&wanted, values)?;
        let mut found = found.chunks(values.entries.max(1));
        let mut forcing = Forcing::default();
        let mut new = Vec::with_capacity(block.len() * values.entries);
        for state in 0..block.len() {
            if views.is_terminal(state) {
                let goal = |role| views.goals(state, role).first().map_or(0, |&goal| values.rank(goal));
                let copies = values.entries / values.roles.max(1);
                (0..copies).for_each(|_| new.extend((0..values.roles).map(goal)));
            } else {
                let count = usize::try_from(views.joint_moves(state)).expect("all successors were made");
                let successors: Vec<&[u8]> = found.by_ref().take(count).collect();
                assert_eq!(successors.len(), count, "there are values of every successor");
                forcing.forced(&views, state, values.roles, &successors, &mut new);
                if values.entries > values.roles {
                    forcing.upper(&views, state, values.roles, &successors, &mut new);
                }
            }
        }
        Ok(new)
    }

    /// What is seen in the states of a block, and all their successors.
    pub(crate) fn all_successors(&mut self, block: &Rows) -> Result<(Views, Rows), ExploreError> {
        let mut all = Rows::new(self.expander.width());
        let views = self.expander.look(block)?.clone();
        self.expander.successors(block, false, &mut |successors| {
            successors.rows.iter().for_each(|row| all.push(row));
            Ok(())
        })?;
        Ok((views, all))
    }

    /// The ranks of some rows, wherever they are.
    pub(crate) fn ranks(&mut self, wanted: &Rows, values: &Values) -> Result<Vec<u8>, ExploreError> {
        let words =
            self.fetch(wanted, values.words(), &|number, words| values.append_words(number, words))?;
        let mut ranks = Vec::with_capacity(wanted.len() * values.entries);
        for words in words.chunks(values.words().max(1)) {
            ranks.extend(words.iter().flat_map(|word| word.to_le_bytes()).take(values.entries));
        }
        Ok(ranks)
    }

    /// The lower and upper value of every role in the initial state; `None` where no end can be forced.
    pub(crate) fn initial_values(&mut self, values: &Values) -> Result<Vec<[Option<i32>; 2]>, ExploreError> {
        let mut rows = Rows::new(self.expander.width());
        rows.push(self.expander.initial().words());
        let ranks = self.ranks(&rows, values)?;
        let upper = ranks.len() - values.roles;
        let bounds = |role: usize| [ranks[role], ranks[upper + role]].map(|rank| values.goal(rank));
        Ok((0..values.roles).map(bounds).collect())
    }
}

/// Memory for finding what roles can force in a state, used again.
#[derive(Default)]
struct Forcing {
    /// For each role and each of its moves the worst that may come of it, role after role.
    worst: Vec<u8>,
    /// Where each role's begin, and the end of all.
    starts: Vec<usize>,
    digits: Vec<usize>,
    /// The best answer to each choice of all others.
    best: Vec<u8>,
}

impl Forcing {
    /// What each role can force in a state, by the ranks of its successors in their order.
    fn forced(&mut self, views: &Views, state: usize, roles: usize, successors: &[&[u8]], new: &mut Vec<u8>) {
        self.starts.clear();
        self.starts.push(0);
        for role in 0..roles {
            self.starts.push(self.starts[role] + views.legal(state, role).len());
        }
        self.worst.clear();
        self.worst.resize(self.starts[roles], u8::MAX);
        self.digits.clear();
        self.digits.extend_from_slice(&self.starts[..roles]);
        for ranks in successors {
            for (&place, &rank) in self.digits.iter().zip(*ranks) {
                self.worst[place] = self.worst[place].min(rank);
            }
            for role in (0..roles).rev() {
                self.digits[role] += 1;
                if self.digits[role] < self.starts[role + 1] {
                    break;
                }
                self.digits[role] = self.starts[role];
            }
        }
        for role in 0..roles {
            let own = self.worst[self.starts[role]..self.starts[role + 1]].iter().copied();
            // Where a role is stuck, nothing is forced.
            new.push(if successors.is_empty() { 0 } else { own.max().expect("every role has a move") });
        }
    }

    /// What each role could force in a state if the others had to move first.
    fn upper(&mut self, views: &Views, state: usize, roles: usize, successors: &[&[u8]], new: &mut Vec<u8>) {
        // How many joint moves pass before a role's move changes.
        let mut stride = successors.len();
        for role in 0..roles {
            if successors.is_empty() {
                new.push(0);
                continue;
            }
            let own = views.legal(state, role).len();
            stride /= own;
            self.best.clear();
            self.best.resize(successors.len() / own, 0);
            for (joint, ranks) in successors.iter().enumerate() {
                let others = joint / (stride * own) * stride + joint % stride;
                self.best[others] = self.best[others].max(ranks[roles + role]);
            }
            new.push(self.best.iter().copied().min().expect("there is a joint move"));
        }
    }
}
