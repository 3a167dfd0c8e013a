//! Counts by depth: how many sequences of joint moves there are of each length, and how many different states they lead
//! to. A state counts at every depth at which it can be reached; sequences end in terminal states and where a role has no
//! legal move.

use std::sync::Arc;

use groundrules_machine::{Compiled, Rows};
use serde::{Deserialize, Serialize};

use crate::budget::{Observer, Progress};
use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::expand::Expander;
use crate::hash::{hash, owner};
use crate::link::{Link, gather};
use crate::options::Options;
use crate::run::on_links;
use crate::shard::Shard;

/// The counts at a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Sequences of so many joint moves; `None` if there are 2¹²⁸ - 1 or more.
    pub sequences: Option<u128>,
    /// Different states that they lead to.
    pub states: u64,
    /// Sequences that lead to a terminal state; `None` if there are 2¹²⁸ - 1 or more.
    pub ends: Option<u128>,
    /// Different terminal states.
    pub terminal: u64,
}

impl Count {
    const NOTHING: Count = Count { sequences: Some(0), states: 0, ends: Some(0), terminal: 0 };

    fn add(self, other: Count) -> Count {
        Count {
            sequences: add(self.sequences, other.sequences),
            states: self.states + other.states,
            ends: add(self.ends, other.ends),
            terminal: self.terminal + other.terminal,
        }
    }
}

/// A number of sequences of which each may be too large to be known.
fn add(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    a?.checked_add(b?).filter(|&sum| sum != TOO_MANY)
}

/// Stands for a number of sequences that is too large.
const TOO_MANY: u128 = u128::MAX;

/// The states of a depth with the number of ways to each, which stops at [`TOO_MANY`].
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

/// Counts sequences of joint moves and states, up to a depth.
pub fn perft(game: &Compiled, depth: usize, options: &Options) -> Result<Vec<Count>, ExploreError> {
    let (batch, observer, cancel) = (game.batch()?, Arc::clone(&options.observer), game.cancel().clone());
    on_links(&*batch, options, &format!("perft {depth}"), move |batch, link| {
        count_all(Expander::new(batch, &cancel), link, depth, &*observer)
    })
}

/// One worker's part in counting; all workers get the whole.
fn count_all(
    mut expander: Expander,
    link: &mut dyn Link,
    depth: usize,
    observer: &dyn Observer,
) -> Result<Vec<Count>, ExploreError> {
    let width = expander.width();
    let mut layer = Layer::new(width);
    let mut numbers = Vec::new();
    let mut rows = Rows::new(width);
    rows.push(expander.initial().words());
    let hashes = [hash(rows.row(0))];
    if owner(hashes[0], link.peers()) == link.me() {
        layer.add(Delivery { rows: &rows, hashes: &hashes, extras: &[1, 0] }, &mut numbers)?;
    }
    let (mut counts, is_first) = (Vec::new(), link.me() == 0);
    for now in 0..=depth {
        let mut next = Layer::new(width);
        let own = count(&mut expander, link, &layer, (now < depth).then_some(&mut next), &mut |states| {
            if is_first {
                observer.progress(&Progress { depth: now, states, ..Progress::default() });
            }
        })?;
        let all = gather(link, &own)?;
        let sum = all.into_iter().fold(Count::NOTHING, Count::add);
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
    let mut exchange = Exchange::new(link.peers(), expander.width(), 2);
    let mut block = layer.shard.block();
    let (mut numbers, mut extras) = (Vec::new(), Vec::new());
    let states = layer.shard.len();
    let mut sum = Count { states: states as u64, ..Count::NOTHING };
    let mut take = |next: &mut Layer, delivery: Delivery<'_>| next.add(delivery, &mut numbers);
    for first in (0..states).step_by(expander.block()) {
        layer.shard.copy(first..states.min(first + expander.block()), &mut block);
        let views = expander.look(&block)?;
        for (state, &ways) in layer.ways[first..first + block.len()].iter().enumerate() {
            let ways = (ways != TOO_MANY).then_some(ways);
            sum.sequences = add(sum.sequences, ways);
            if views.is_terminal(state) {
                sum.terminal += 1;
                sum.ends = add(sum.ends, ways);
            }
        }
        let Some(next) = next.as_deref_mut() else { continue };
        expander.successors(&block, false, &mut |successors| {
            extras.clear();
            for &from in successors.from {
                let ways = layer.ways[first + from as usize];
                extras.extend([ways as u64, (ways >> 64) as u64]);
            }
            exchange.send(link, successors.rows, &extras, &mut |delivery| take(next, delivery))?;
            exchange.poll(link, &mut |delivery| take(next, delivery))
        })?;
        tell(next.shard.len() as u64);
    }
    if let Some(next) = next {
        exchange.finish(link, &mut |delivery| take(next, delivery))?;
    }
    Ok(sum)
}
