//! Random play that is drawn towards something: of many matches side by side those go on, several times each, that seem nearest to it. How
//! near a state is, is the number of latches that would have to change if none of them had to serve two ends: all operands of an
//! `and` count, and the cheapest one of an `or`. It finds lines that random play does not: a role that runs out of moves, a goal
//! that needs a plan.

use groundrules_net::{Kind, Literal, NodeId};

use crate::circuit::{Circuit, Node};
use crate::clock::Clock;
use crate::playouts::{LANES, Lanes, Playouts, bit, numbers};

/// Lanes whose costs are computed together.
const TOGETHER: usize = 16;

/// More than any cost that counts.
const MOST: f32 = 1e9;

/// How often the gates of a component are gone through.
const MOST_ROUNDS: usize = 24;

/// Of the 256 matches so many go on, one number after the other.
const SURVIVORS: [usize; 4] = [32, 8, 96, 16];

/// How much chance has a part in who goes on, as a share of the cost.
const NOISE: [f32; 3] = [0.05, 0.3, 0.0];

/// One number for each of some lanes.
type Costs = [f32; TOGETHER];

/// What it would cost to make a node hold, and what to make it not hold.
#[derive(Clone, Copy)]
struct Cost {
    holds: Costs,
    fails: Costs,
}

/// How far lanes are from a target.
struct Distance<'c> {
    circuit: &'c Circuit,
    target: Literal,
    /// The nodes that the target depends on, in ascending order, and the costs of each.
    nodes: Vec<NodeId>,
    place: Vec<u32>,
    costs: Vec<Cost>,
}

impl<'c> Distance<'c> {
    fn new(circuit: &'c Circuit, target: Literal) -> Self {
        let mut place = vec![u32::MAX; circuit.node_count()];
        let mut waiting = vec![target.node()];
        place[target.node().index()] = 0;
        let mut nodes = Vec::new();
        while let Some(node) = waiting.pop() {
            nodes.push(node);
            for operand in circuit.operands(node) {
                if std::mem::replace(&mut place[operand.node().index()], 0) == u32::MAX {
                    waiting.push(operand.node());
                }
            }
        }
        nodes.sort_unstable();
        nodes.iter().zip(0..).for_each(|(node, number)| place[node.index()] = number);
        let costs = vec![Cost { holds: [MOST; TOGETHER], fails: [0.0; TOGETHER] }; nodes.len()];
        Distance { circuit, target, nodes, place, costs }
    }

    /// The distances of some lanes in a row.
    fn of(&mut self, playouts: &Playouts<'_>, first: usize) -> Costs {
        let mut number = 0;
        while number < self.nodes.len() {
            let Some(range) = self.circuit.component_of(self.nodes[number]) else {
                self.costs[number] = self.cost(playouts, first, number);
                number += 1;
                continue;
            };
            let end = number + self.nodes[number..].partition_point(|node| node.0 < range.end);
            for inside in number..end {
                self.costs[inside] = leaf(playouts, first, self.nodes[inside].literal());
            }
            for _ in 0..MOST_ROUNDS {
                let mut is_changed = false;
                for inside in number..end {
                    let new = self.cost(playouts, first, inside);
                    let own = &mut self.costs[inside];
                    for lane in 0..TOGETHER {
                        is_changed |= new.holds[lane] < own.holds[lane];
                        own.holds[lane] = own.holds[lane].min(new.holds[lane]);
                    }
                }
                if !is_changed {
                    break;
                }
            }
            number = end;
        }
        self.literal(self.target)
    }

    fn literal(&self, literal: Literal) -> Costs {
        let cost = &self.costs[self.place[literal.node().index()] as usize];
        if literal.is_complemented() { cost.fails } else { cost.holds }
    }

    fn cost(&self, playouts: &Playouts<'_>, first: usize, number: usize) -> Cost {
        let node = self.nodes[number];
        let Node::Gate(kind, ..) = self.circuit.node(node) else {
            return match self.circuit.node(node) {
                Node::Constant => Cost { holds: [MOST; TOGETHER], fails: [0.0; TOGETHER] },
                // Any move may be made.
                Node::Input(_) => Cost { holds: [0.0; TOGETHER], fails: [0.0; TOGETHER] },
                _ => leaf(playouts, first, node.literal()),
            };
        };
        let (mut sum, mut least) = ([0.0; TOGETHER], [MOST; TOGETHER]);
        for &operand in self.circuit.operands(node) {
            // All of an `and` must hold, and one must not; with an `or` it is the other way round.
            let own = if kind == Kind::And { operand } else { !operand };
            let (all, one) = (self.literal(own), self.literal(!own));
            for lane in 0..TOGETHER {
                sum[lane] = (sum[lane] + all[lane]).min(MOST);
                least[lane] = least[lane].min(one[lane]);
            }
        }
        match kind {
            Kind::And => Cost { holds: sum, fails: least },
            Kind::Or => Cost { holds: least, fails: sum },
        }
    }
}

/// What is there costs nothing, and everything else one.
fn leaf(playouts: &Playouts<'_>, first: usize, literal: Literal) -> Cost {
    let lanes = playouts.lanes(literal);
    let (mut holds, mut fails) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for lane in 0..TOGETHER {
        let value = bit(&lanes, first + lane);
        (holds[lane], fails[lane]) = if value { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    Cost { holds, fails }
}

/// Play that is drawn towards a target. It can be interrupted, and goes on.
pub(crate) struct Guided<'c> {
    playouts: Playouts<'c>,
    distance: Distance<'c>,
    random: u64,
    rounds: usize,
}

impl<'c> Guided<'c> {
    pub(crate) fn new(circuit: &'c Circuit, target: Literal, seed: u64) -> Self {
        let playouts = Playouts::without_memory(circuit, seed);
        Guided { playouts, distance: Distance::new(circuit, target), random: seed | 1, rounds: 0 }
    }

    /// Goes on for some time, or until a match is where it should be; gives its lane.
    pub(crate) fn run(&mut self, clock: &Clock) -> Option<usize> {
        while !clock.is_over() {
            let there = self.playouts.lanes(self.distance.target);
            if let Some(lane) = numbers(&there).min_by_key(|&lane| self.playouts.line(lane).len()) {
                return Some(lane);
            }
            let over = self.playouts.over();
            if numbers(&over).count() == LANES {
                self.rounds += 1;
            } else {
                self.select(&over);
            }
            self.playouts.advance();
        }
        None
    }

    /// The moves of a match.
    pub(crate) fn line(&self, lane: usize) -> &crate::playouts::Line {
        self.playouts.line(lane)
    }

    /// The best matches take the places of all others.
    fn select(&mut self, over: &Lanes) {
        let noise = NOISE[self.rounds % NOISE.len()];
        let mut best: Vec<(f32, usize)> = Vec::with_capacity(LANES);
        for first in (0..LANES).step_by(TOGETHER) {
            let costs = self.distance.of(&self.playouts, first);
            for (lane, cost) in (first..).zip(costs) {
                if !bit(over, lane) {
                    best.push((cost * (1.0 + noise * self.chance()), lane));
                }
            }
        }
        best.sort_by(|one, other| one.0.total_cmp(&other.0));
        // The same state is worth no more for being there twice.
        let mut seen = rustc_hash::FxHashSet::default();
        best.retain(|&(_, lane)| seen.insert(self.playouts.hash(lane)));
        best.truncate(SURVIVORS[self.rounds % SURVIVORS.len()]);
        let from: Vec<usize> = (0..LANES).map(|lane| best[lane % best.len()].1).collect();
        self.playouts.copy(&from);
    }

    /// A number from 0 to 1.
    fn chance(&mut self) -> f32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::replay::leads_to;
    use crate::subject::Subject;

    /// Lamps in a row, of which a role switches any; a wrong order of steps puts all of them out. Random play all but never lights the last one.
    fn row(lamps: usize) -> Subject {
        let mut text = String::from(
            "(role a) (lamp 0)
            (<= (legal a (press ?n)) (lamp ?n))
            (<= (right ?n) (does a (press ?n)) (first ?n) (not (true (lit ?n))))
            (<= (right ?m) (does a (press ?m)) (after ?n ?m) (true (lit ?n)) (not (true (lit ?m))))
            (<= isRight (right ?n))
            (<= (next (lit ?n)) (right ?n))
            (<= (next (lit ?n)) (true (lit ?n)) isRight)
            (first 0)\n",
        );
        for lamp in 1..lamps {
            text += &format!("(lamp {lamp}) (after {} {lamp})\n", lamp - 1);
        }
        let lit: Vec<String> = (0..lamps).map(|lamp| format!("(true (lit {lamp}))")).collect();
        let all = lit.join(" ");
        text +=
            &format!("(<= all {all}) (<= terminal all) (<= (goal a 100) all) (<= (goal a 0) (not all))\n");
        let game = groundrules_gdl::read(text.as_bytes(), &groundrules_gdl::Options::default());
        let game = game.game.expect("a game");
        let ground = groundrules_ground::ground(&game, &groundrules_ground::Options::default());
        Subject::new(&game, Arc::new(ground.expect("a small game"))).expect("a circuit")
    }

    #[test]
    fn play_is_drawn_to_what_random_play_does_not_reach() {
        let subject = row(14);
        let clock = Clock::new(Some(Duration::from_secs(100)), None, Arc::new(AtomicBool::new(false)));
        let target = subject.wins[0].literal;
        let mut random = Playouts::new(&subject.circuit, 1);
        for _ in 0..1000 {
            random.advance();
            assert_eq!(random.lanes(target), [0; crate::playouts::WORDS]);
        }
        let mut guided = Guided::new(&subject.circuit, target, 1);
        let lane = guided.run(&clock).expect("a line");
        assert!(guided.line(lane).len() >= 14);
        assert!(leads_to(&subject, guided.line(lane), target));
    }
}
