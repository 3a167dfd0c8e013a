//! What each role can force: for every state the best goal that the role reaches by its own choices, whatever all others
//! do. In a terminal state that is its goal; elsewhere the best over its own moves of the worst over what the others do.
//!
//! Values are found backwards, the deepest level first. Where every move leads one level down, one pass is all; where there
//! is no cycle, one pass in an order in which moves lead forward. Elsewhere passes are repeated until nothing changes,
//! beginning with nothing forced: so what goes on for ever forces nothing (the least fixpoint). A role with several goals at the end counts with the least, one without any forces nothing.
//!
//! A value is one byte for each state and role: its rank among all goals that occur.

use groundrules_machine::{Rows, Views};

use crate::budget::Stage;
use crate::cycle::{Cycles, Order};
use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::hash::hash;
use crate::link::gather;
use crate::search::Explored;
use crate::shard::Shard;
use crate::worker::Worker;

const KNOWN: &str = "a complete search knows every successor";

/// States whose successors are asked about together.
const TOGETHER: usize = 2048;

/// What can be forced in each state.
#[derive(Debug)]
pub(crate) struct Values {
    roles: usize,
    /// The goals that occur, ascending: rank 1 is the first.
    goals: Vec<i32>,
    /// The ranks, for each own state and role; 0 if nothing can be forced.
    ranks: Vec<u8>,
}

impl Values {
    /// A goal by its rank.
    pub(crate) fn goal(&self, rank: u8) -> Option<i32> {
        usize::from(rank).checked_sub(1).and_then(|index| self.goals.get(index)).copied()
    }

    fn rank(&self, goal: i32) -> u8 {
        let index = self.goals.binary_search(&goal).expect("the search has seen every goal");
        u8::try_from(index + 1).expect("there are fewer than 255 goals")
    }

    fn of(&self, number: usize) -> &[u8] {
        &self.ranks[number * self.roles..(number + 1) * self.roles]
    }
}

/// Why there are no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValues {
    /// There are more different goals than a byte can tell apart.
    TooManyGoals,
    /// The states are not all in memory.
    NotInMemory,
    /// Somebody asked to stop, or the time was over.
    Cancelled,
}

impl Worker<'_> {
    fn shard(&self) -> &Shard {
        self.store.shard().expect("values are found in memory")
    }

    /// Finds what can be forced. The search must be complete.
    pub(crate) fn values(&mut self, explored: &Explored) -> Result<Result<Values, NoValues>, ExploreError> {
        assert!(explored.stop.is_none(), "values need all states");
        let mut goals: Vec<i32> = explored.findings.reached.iter().map(|reached| reached.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        if goals.len() >= usize::from(u8::MAX) {
            return Ok(Err(NoValues::TooManyGoals));
        }
        let Some(states) = self.store.shard().map(Shard::len) else { return Ok(Err(NoValues::NotInMemory)) };
        let roles = self.expander.roles();
        let mut values = Values { roles, goals, ranks: vec![0; states * roles] };
        self.has_cycle(explored)?;
        let cycles = std::mem::take(&mut self.cycles);
        if let Cycles::None(order) = &cycles {
            let all = self.ordered_values(order, &mut values)?;
            self.cycles = cycles;
            return Ok(if all { Ok(values) } else { Err(NoValues::Cancelled) });
        }
        self.cycles = cycles;
        loop {
            let mut changed = false;
            for depth in (0..explored.levels.len()).rev() {
                self.report_pass(Stage::Values, depth, explored.levels[depth]);
                let level = self.shard().level(depth);
                changed |= self.find_values(level, &mut values)?;
                if self.is_over()? {
                    return Ok(Err(NoValues::Cancelled));
                }
            }
            if explored.is_graded() || !gather(self.link, &changed)?.contains(&true) {
                return Ok(Ok(values));
            }
        }
    }

    /// Finds all values in one pass; says whether it came to its end.
    fn ordered_values(&mut self, order: &Order, values: &mut Values) -> Result<bool, ExploreError> {
        for round in (0..order.rounds()).rev() {
            self.report_pass(Stage::Values, round, order.round(round).len() as u64);
            self.find_values(order.round(round), values)?;
            if self.is_over()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the first worker is told to stop, or the time is over for it.
    fn is_over(&mut self) -> Result<bool, ExploreError> {
        let own = self.is_cancelled() || self.link.me() == 0 && self.is_late();
        Ok(gather(self.link, &own)?.contains(&true))
    }

    /// Finds the values of some own states; says whether one changed.
    fn find_values(
        &mut self,
        mut numbers: impl ExactSizeIterator<Item = usize>,
        values: &mut Values,
    ) -> Result<bool, ExploreError> {
        let parts = gather(self.link, &numbers.len().div_ceil(TOGETHER))?.into_iter().max().unwrap_or(0);
        let mut block = Rows::new(self.expander.width());
        let mut changed = false;
        for _ in 0..parts {
            let some: Vec<usize> = numbers.by_ref().take(TOGETHER).collect();
            block.clear();
            some.iter().for_each(|&number| block.push(self.shard().row(number)));
            let new = self.block_values(&block, values)?;
            for (&number, new) in some.iter().zip(new.chunks(values.roles.max(1))) {
                let old = &mut values.ranks[number * values.roles..(number + 1) * values.roles];
                changed |= old != new;
                old.copy_from_slice(new);
            }
        }
        Ok(changed)
    }

    /// The values of some states by those of their successors.
    pub(crate) fn block_values(&mut self, block: &Rows, values: &Values) -> Result<Vec<u8>, ExploreError> {
        let roles = values.roles;
        let mut wanted = Rows::new(self.expander.width());
        let views = self.expander.look(block)?.clone();
        self.expander.successors(block, false, &mut |successors| {
            successors.rows.iter().for_each(|row| wanted.push(row));
            Ok(())
        })?;
        let found = self.ask(&wanted, values)?;
        let mut found = found.chunks(roles.max(1));
        let mut forcing = Forcing::default();
        let mut new = Vec::with_capacity(block.len() * roles);
        for state in 0..block.len() {
            if views.is_terminal(state) {
                let goal = |role| views.goals(state, role).first().map_or(0, |&goal| values.rank(goal));
                new.extend((0..roles).map(goal));
            } else {
                let count = usize::try_from(views.joint_moves(state)).expect("all successors were made");
                forcing.forced(&views, state, roles, found.by_ref().take(count), &mut new);
            }
        }
        Ok(new)
    }

    /// The ranks of some rows, wherever they are.
    fn ask(&mut self, wanted: &Rows, values: &Values) -> Result<Vec<u8>, ExploreError> {
        let shard = self.store.shard().expect("values are found in memory");
        let roles = values.roles;
        if self.link.peers() == 1 {
            let hashes: Vec<u64> = wanted.iter().map(hash).collect();
            let mut numbers = Vec::new();
            shard.find(wanted, &hashes, &mut numbers);
            let mut ranks = Vec::with_capacity(wanted.len() * roles);
            for number in numbers {
                ranks.extend_from_slice(values.of(number.expect(KNOWN)));
            }
            return Ok(ranks);
        }
        let peers = self.link.peers();
        // Questions go to the owners with who asks and where the answer belongs; answers come back in a round of their own.
        let me = self.link.me() as u64;
        let extras: Vec<u64> = (0..wanted.len() as u64).flat_map(|place| [me, place]).collect();
        let mut answers: Vec<Vec<u64>> = vec![Vec::new(); peers];
        let stride = roles.div_ceil(8);
        let mut numbers = Vec::new();
        let mut answer = |delivery: Delivery<'_>| {
            shard.find(delivery.rows, delivery.hashes, &mut numbers);
            for (number, extra) in numbers.iter().zip(delivery.extras.chunks(2)) {
                let answer = &mut answers[extra[0] as usize];
                answer.push(extra[1]);
                let ranks = values.of(number.expect(KNOWN));
                answer.extend(ranks.chunks(8).map(packed));
            }
            Ok(())
        };
        let mut exchange = Exchange::new(peers, self.expander.width(), 2);
        exchange.send(self.link, wanted, &extras, &mut answer)?;
        exchange.finish(self.link, &mut answer)?;
        for (to, words) in answers.into_iter().enumerate() {
            if !words.is_empty() {
                self.link.send(to, words)?;
            }
        }
        let mut ranks = vec![0; wanted.len() * roles];
        let mut answered = 0;
        while let Some(words) = self.link.finish()? {
            for answer in words.chunks_exact(stride + 1) {
                let place = answer[0] as usize * roles;
                let bytes = answer[1..].iter().flat_map(|word| word.to_le_bytes());
                ranks[place..place + roles].iter_mut().zip(bytes).for_each(|(rank, byte)| *rank = byte);
                answered += 1;
            }
        }
        assert_eq!(answered, wanted.len(), "every question has one answer");
        Ok(ranks)
    }
}

/// Up to eight ranks in a word.
fn packed(ranks: &[u8]) -> u64 {
    ranks.iter().take(8).enumerate().fold(0, |word, (place, &rank)| word | u64::from(rank) << (8 * place))
}

/// Memory for finding what roles can force in a state, used again.
#[derive(Default)]
struct Forcing {
    /// For each role and each of its moves the worst that may come of it, role after role.
    worst: Vec<u8>,
    /// Where each role's begin, and the end of all.
    starts: Vec<usize>,
    digits: Vec<usize>,
}

impl Forcing {
    /// What each role can force in a state, by the ranks of its successors in their order.
    fn forced<'a>(
        &mut self,
        views: &Views,
        state: usize,
        roles: usize,
        successors: impl Iterator<Item = &'a [u8]>,
        new: &mut Vec<u8>,
    ) {
        self.starts.clear();
        self.starts.push(0);
        for role in 0..roles {
            self.starts.push(self.starts[role] + views.legal(state, role).len());
        }
        self.worst.clear();
        self.worst.resize(self.starts[roles], u8::MAX);
        self.digits.clear();
        self.digits.extend_from_slice(&self.starts[..roles]);
        let mut any = false;
        for ranks in successors {
            any = true;
            for (&place, &rank) in self.digits.iter().zip(ranks) {
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
            new.push(if any { own.max().unwrap_or(0) } else { 0 });
        }
    }
}

impl Worker<'_> {
    /// What every role can force in the initial state.
    pub(crate) fn initial_values(&mut self, values: &Values) -> Result<Vec<Option<i32>>, ExploreError> {
        let mut rows = Rows::new(self.expander.width());
        rows.push(self.expander.initial().words());
        let ranks = self.ask(&rows, values)?;
        Ok(ranks.into_iter().map(|rank| values.goal(rank)).collect())
    }

    /// A line from the initial state in which every role makes a move that keeps what it can force, and the others make
    /// the worst for the first role. It ends in a terminal state, where it comes to a state again, or where it is too long.
    pub(crate) fn principal_line(
        &mut self,
        values: &Values,
        longest: usize,
    ) -> Result<crate::lines::Line, ExploreError> {
        let (mut line, mut rows) = (Vec::new(), Rows::new(self.expander.width()));
        rows.push(self.expander.initial().words());
        let mut seen = vec![rows.row(0).to_vec()];
        while line.len() < longest {
            self.expander.look(&rows)?;
            let (mut next, mut joints) = (Rows::new(self.expander.width()), Vec::new());
            self.expander.successors(&rows, false, &mut |successors| {
                for (index, row) in successors.rows.iter().enumerate() {
                    next.push(row);
                    joints.push(successors.joint(index).to_vec());
                }
                Ok(())
            })?;
            let ranks = self.ask(&next, values)?;
            let own = self.ask(&rows, values)?;
            // In an alternating game the mover's choice is the only one: what all can force stays as it is.
            let keeps =
                |index: &usize| ranks.get(index * values.roles..(index + 1) * values.roles) == Some(&own[..]);
            let Some(index) = (0..joints.len()).find(keeps) else { break };
            line.push(joints.swap_remove(index));
            let row = next.row(index).to_vec();
            rows.clear();
            rows.push(&row);
            if seen.contains(&row) {
                break;
            }
            seen.push(row);
        }
        Ok(line)
    }
}
