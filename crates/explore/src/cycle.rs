//! Whether play can go on for ever: whether the states have a cycle. Where every joint move leads one level down there is none.
//! Otherwise states without predecessors are removed until none is left (Kahn's algorithm); if states remain, there is a cycle
//! among them.
//!
//! The counterexample is a lasso: a line that comes to a state a second time. The state of a cycle that is nearest to the initial
//! state is the end of a move that leads no level down, so only ends of such moves are tried, nearest first; from each
//! the shortest way back to it is searched, as long as the line could be shorter than the best so far.

use groundrules_machine::Move;

use crate::budget::Stage;
use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::findings::Finding;
use crate::hash::hash;
use crate::lines::Line;
use crate::link::gather;
use crate::search::Explored;
use crate::shard::Shard;
use crate::worker::Worker;

/// A line that comes to a state a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    /// The state that it comes to twice, with its depth.
    pub(crate) entry: Finding,
    /// The way from there back to it.
    pub(crate) round: Line,
    /// Whether no shorter line does that.
    pub(crate) is_shortest: bool,
}

/// What is known of cycles among the states.
#[derive(Debug, Default)]
pub(crate) enum Cycles {
    /// Nothing yet.
    #[default]
    Unknown,
    /// There is one.
    Some,
    /// There is none: the states have an order.
    None(Order),
}

/// Own states in rounds: moves lead from a round to later ones only, those of other workers included.
#[derive(Debug, Default)]
pub(crate) struct Order {
    numbers: Vec<u32>,
    /// Where each round ends.
    ends: Vec<usize>,
}

impl Order {
    fn push(&mut self, round: &[usize]) {
        let number = |&number: &usize| u32::try_from(number).expect("a worker has fewer than 2^32 states");
        self.numbers.extend(round.iter().map(number));
        self.ends.push(self.numbers.len());
    }

    /// How many rounds there are, the same for all workers.
    pub(crate) fn rounds(&self) -> usize {
        self.ends.len()
    }

    /// The states of a round.
    pub(crate) fn round(&self, round: usize) -> impl ExactSizeIterator<Item = usize> {
        let start = round.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.numbers[start..self.ends[round]].iter().map(|&number| number as usize)
    }
}

/// States that searches for ways back may expand before they are given up, at least.
const LEAST_EFFORT: u64 = 200_000;

impl Worker<'_> {
    /// Whether there is a cycle among the states; `None` if that is too much to find out. The search must be complete. If
    /// there is none, the order in which states were taken away is kept for passes that need a topological order.
    pub(crate) fn has_cycle(&mut self, explored: &Explored) -> Result<Option<bool>, ExploreError> {
        match self.cycles {
            _ if explored.is_graded() => return Ok(Some(false)),
            Cycles::Unknown => {}
            Cycles::Some => return Ok(Some(true)),
            Cycles::None(_) => return Ok(Some(false)),
        }
        assert!(explored.stop.is_none(), "cycles are found among all states");
        let Some(states) = self.store.shard().map(Shard::len) else { return Ok(None) };
        let mut counts = vec![0_u32; states];
        // First round: how many moves lead to each state. Then the same moves are taken away again.
        let mut overflow = false;
        self.over_edges(Numbers::All(states), true, &mut |number, _| {
            let count: &mut u32 = &mut counts[number];
            overflow |= *count == u32::MAX;
            *count = count.saturating_add(1);
        })?;
        let mut free: Vec<usize> = (0..states).filter(|&number| counts[number] == 0).collect();
        let mut order = Order::default();
        loop {
            order.push(&free);
            let totals = gather(self.link, &(free.len(), overflow))?;
            if totals.iter().any(|(_, overflow)| *overflow) {
                return Ok(None);
            }
            if totals.iter().all(|(free, _)| *free == 0) {
                break;
            }
            let mut next = Vec::new();
            self.over_edges(Numbers::Some(&free), true, &mut |number, _| {
                counts[number] -= 1;
                if counts[number] == 0 {
                    next.push(number);
                }
            })?;
            free = next;
        }
        let remain = gather(self.link, &(order.numbers.len() < states))?.into_iter().any(|remain| remain);
        self.cycles = if remain { Cycles::Some } else { Cycles::None(order) };
        Ok(Some(remain))
    }

    /// Makes all moves from some own states, in one round; gives the numbers of the successors that are own, with the depth
    /// from which the move leads there. The states must be in memory. When the search was complete, all successors are known.
    fn over_edges(
        &mut self,
        numbers: Numbers<'_>,
        is_complete: bool,
        take: &mut dyn FnMut(usize, u64),
    ) -> Result<(), ExploreError> {
        let mut exchange = Exchange::new(self.link.peers(), self.expander.width(), 1);
        let shard = self.store.shard().expect("the states are in memory");
        let (link, expander) = (&mut *self.link, &mut self.expander);
        let mut found = Vec::new();
        let mut deliver = |delivery: Delivery<'_>| {
            shard.find(delivery.rows, delivery.hashes, &mut found);
            for (number, &depth) in found.iter().zip(delivery.extras) {
                match number {
                    Some(number) => take(*number, depth),
                    None => assert!(!is_complete, "a complete search knows every successor"),
                }
            }
            Ok(())
        };
        let (mut block, mut depths) = (shard.block(), Vec::new());
        for first in (0..numbers.len()).step_by(expander.block()) {
            block.clear();
            let end = numbers.len().min(first + expander.block());
            (first..end).for_each(|index| block.push(shard.row(numbers.get(index))));
            expander.look(&block)?;
            expander.successors(&block, false, &mut |successors| {
                depths.clear();
                let number = |from: u32| numbers.get(first + from as usize);
                depths.extend(successors.from.iter().map(|&from| shard.depth(number(from)) as u64));
                exchange.send(link, successors.rows, &depths, &mut deliver)?;
                exchange.poll(link, &mut deliver)
            })?;
        }
        exchange.finish(link, &mut deliver)
    }

    /// A shortest line that comes to a state a second time; `None` if none is found with the effort that is worth it.
    pub(crate) fn lasso(&mut self, explored: &Explored) -> Result<Option<Lasso>, ExploreError> {
        if explored.is_graded() || self.store.shard().is_none() {
            return Ok(None);
        }
        let ends = self.ends_of_turns(explored)?;
        let mut best: Option<Lasso> = None;
        let mut effort = LEAST_EFFORT.max(explored.states() / 2);
        for depth in 0..explored.levels.len() {
            if best.as_ref().is_some_and(|best| best.entry.depth + best.round.len() <= depth + 1) {
                break;
            }
            self.report_pass(Stage::Cycles, depth, 0);
            for row in self.of_level(depth, &ends)? {
                let most = best.as_ref().map(|best| best.entry.depth + best.round.len() - 1 - depth);
                match self.way_back(&row, most, &mut effort)? {
                    WayBack::Found(round) => {
                        let entry = Finding { length: depth, depth, row, role: 0, joint: None };
                        best = Some(Lasso { entry, round, is_shortest: true });
                    }
                    WayBack::None => {}
                    WayBack::GivenUp => {
                        return Ok(best.map(|best| Lasso { is_shortest: false, ..best }));
                    }
                }
            }
        }
        if best.is_some() {
            self.cycles = Cycles::Some;
        }
        Ok(best)
    }

    /// The own states to which a move leads from the same level or a deeper one.
    fn ends_of_turns(&mut self, explored: &Explored) -> Result<Vec<bool>, ExploreError> {
        let shard = self.store.shard().expect("the states are in memory");
        let (states, starts) = (shard.len(), (0..shard.levels()).map(|depth| shard.level(depth).start));
        let starts: Vec<usize> = starts.collect();
        let mut ends = vec![false; states];
        self.over_edges(Numbers::All(states), explored.stop.is_none(), &mut |number, from| {
            let depth = starts.partition_point(|&start| start <= number).saturating_sub(1) as u64;
            ends[number] |= depth <= from;
        })?;
        Ok(ends)
    }

    /// All states of a level among some own ones of each worker, in order.
    fn of_level(&mut self, depth: usize, ends: &[bool]) -> Result<Vec<Vec<u64>>, ExploreError> {
        let shard = self.store.shard().expect("the states are in memory");
        let level = shard.level(depth).filter(|&number| ends[number]);
        let own: Vec<Vec<u64>> = level.map(|number| shard.row(number).to_vec()).collect();
        let mut all: Vec<Vec<u64>> = gather(self.link, &own)?.into_iter().flatten().collect();
        all.sort_unstable();
        Ok(all)
    }

    /// The shortest way from a state back to it, at most so long. Every worker does the whole of it: it is short, or given
    /// up.
    fn way_back(
        &mut self,
        home: &[u64],
        most: Option<usize>,
        effort: &mut u64,
    ) -> Result<WayBack, ExploreError> {
        let mut seen = Shard::new(self.expander.width());
        let mut came_from: Vec<(usize, Vec<Move>)> = vec![(0, Vec::new())];
        let (mut block, mut numbers) = (seen.block(), Vec::new());
        block.push(home);
        seen.begin_level();
        seen.insert(&block, &[hash(home)], &mut numbers)?;
        let (mut from, mut length) = (0, 0);
        while from < seen.len() && most.is_none_or(|most| length < most) {
            let end = seen.len();
            length += 1;
            while from < end {
                let to = end.min(from + self.expander.block());
                let Some(left) = effort.checked_sub((to - from) as u64) else { return Ok(WayBack::GivenUp) };
                *effort = left;
                seen.copy(from..to, &mut block);
                self.expander.look(&block)?;
                let mut last = None;
                self.expander.successors(&block, false, &mut |successors| {
                    let hashes: Vec<u64> = successors.rows.iter().map(hash).collect();
                    seen.insert(successors.rows, &hashes, &mut numbers)?;
                    for (index, &number) in numbers.iter().enumerate() {
                        let step =
                            || (from + successors.from[index] as usize, successors.joint(index).to_vec());
                        if number == 0 && last.is_none() {
                            last = Some(step());
                        } else if number == came_from.len() {
                            came_from.push(step());
                        }
                    }
                    Ok(())
                })?;
                if let Some((mut number, joint)) = last {
                    let mut line = vec![joint];
                    while number != 0 {
                        line.push(came_from[number].1.clone());
                        number = came_from[number].0;
                    }
                    line.reverse();
                    return Ok(WayBack::Found(line));
                }
                from = to;
            }
        }
        Ok(WayBack::None)
    }
}

/// What came of the search for a way back.
enum WayBack {
    Found(Line),
    None,
    GivenUp,
}

/// Numbers of states.
#[derive(Clone, Copy)]
enum Numbers<'a> {
    /// From the first to the last.
    All(usize),
    /// These.
    Some(&'a [usize]),
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::All(count) => *count,
            Numbers::Some(numbers) => numbers.len(),
        }
    }

    fn get(&self, index: usize) -> usize {
        match self {
            Numbers::All(_) => index,
            Numbers::Some(numbers) => numbers[index],
        }
    }
}
