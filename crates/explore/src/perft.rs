//! Counts by depth: how many sequences of joint moves there are of each length, and how many different states they lead
//! to. A state counts at every depth at which it can be reached; sequences end in terminal states and where a role has no
//! legal move.

use groundrules_machine::{Batch, Rows};
use serde::{Deserialize, Serialize};

use crate::budget::{Observer, Progress};
use crate::error::ExploreError;
use crate::expand::Expander;
use crate::hash::{hash, owner};
use crate::link::{Link, gather};
use crate::mail::{Delivery, Mail};
use crate::shard::Shard;

/// What there is at a depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Sequences of so many joint moves; the largest number if there are more.
    pub sequences: u128,
    /// Different states that they lead to.
    pub states: u64,
    /// Sequences that lead to a terminal state.
    pub ends: u128,
    /// Different terminal states.
    pub terminal: u64,
}

/// The states of a depth with the number of ways to each.
struct Layer {
    shard: Shard,
    ways: Vec<u128>,
}

impl Layer {
    fn new(width: Option<usize>) -> Self {
        let mut shard = Shard::new(width);
        shard.begin_level();
        Layer { shard, ways: Vec::new() }
    }

    fn add(&mut self, delivery: Delivery<'_>, numbers: &mut Vec<usize>) -> Result<(), ExploreError> {
        self.shard.insert(delivery.rows, delivery.hashes, numbers)?;
        self.ways.resize(self.shard.len(), 0);
        for (&number, ways) in numbers.iter().zip(delivery.extras.chunks(2)) {
            let ways = u128::from(ways[0]) | u128::from(ways[1]) << 64;
            self.ways[number] = self.ways[number].saturating_add(ways);
        }
        Ok(())
    }
}

/// Counts up to a depth, one worker's part; all workers get the whole. Tells each depth when it is through.
pub fn perft(
    batch: Box<dyn Batch>,
    link: &mut dyn Link,
    depth: usize,
    observer: &dyn Observer,
    each: &mut dyn FnMut(usize, Count),
) -> Result<Vec<Count>, ExploreError> {
    let mut expander = Expander::new(batch);
    let width = expander.width();
    let mut layer = Layer::new(width);
    let mut numbers = Vec::new();
    let mut rows = Rows::new(width);
    rows.push(expander.initial().words());
    let hashes = [hash(rows.row(0))];
    if owner(hashes[0], link.peers()) == link.me() {
        layer.add(Delivery { rows: &rows, hashes: &hashes, extras: &[1, 0] }, &mut numbers)?;
    }
    let mut counts = Vec::new();
    for now in 0..=depth {
        let mut next = Layer::new(width);
        let own = count(&mut expander, link, &layer, (now < depth).then_some(&mut next), &mut |states| {
            observer.progress(&Progress { depth: now, states, ..Progress::default() });
        })?;
        let all = gather(link, &own)?;
        let sum = all.into_iter().fold(Count::default(), |sum, one| Count {
            sequences: sum.sequences.saturating_add(one.sequences),
            states: sum.states + one.states,
            ends: sum.ends.saturating_add(one.ends),
            terminal: sum.terminal + one.terminal,
        });
        each(now, sum);
        counts.push(sum);
        // The next depths have nothing.
        if sum.states == 0 {
            break;
        }
        layer = next;
    }
    Ok(counts)
}

/// Counts a layer and makes the next.
fn count(
    expander: &mut Expander,
    link: &mut dyn Link,
    layer: &Layer,
    mut next: Option<&mut Layer>,
    tell: &mut dyn FnMut(u64),
) -> Result<Count, ExploreError> {
    let mut mail = Mail::new(link.peers(), expander.width(), 2);
    let mut block = layer.shard.block();
    let (mut numbers, mut extras) = (Vec::new(), Vec::new());
    let states = layer.shard.len();
    let mut sum = Count { states: states as u64, ..Count::default() };
    let mut take = |next: &mut Layer, delivery: Delivery<'_>| next.add(delivery, &mut numbers);
    for first in (0..states).step_by(expander.block()) {
        layer.shard.copy(first..states.min(first + expander.block()), &mut block);
        let views = expander.look(&block)?;
        for (state, &ways) in layer.ways[first..first + block.len()].iter().enumerate() {
            sum.sequences = sum.sequences.saturating_add(ways);
            if views.is_terminal(state) {
                sum.terminal += 1;
                sum.ends = sum.ends.saturating_add(ways);
            }
        }
        let Some(next) = next.as_deref_mut() else { continue };
        expander.successors(&block, false, &mut |successors| {
            extras.clear();
            for &from in successors.from {
                let ways = layer.ways[first + from as usize];
                extras.extend([ways as u64, (ways >> 64) as u64]);
            }
            mail.send(link, successors.rows, &extras, &mut |delivery| take(next, delivery))?;
            mail.poll(link, &mut |delivery| take(next, delivery))
        })?;
        tell(next.shard.len() as u64);
    }
    if let Some(next) = next {
        mail.finish(link, &mut |delivery| take(next, delivery))?;
    }
    Ok(sum)
}
