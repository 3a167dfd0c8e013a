//! Random moves in every lane, at the speed of playouts: the circuits that play whole matches (`plan`, `block`) run on the
//! columns of the lanes, until every lane has made its number of moves.
//!
//! These circuits know fluents by the number of moves that a match has had, so lanes take part only if their fluents are as
//! the phases say. All reached states are; others may have been loaded. What does not fit, and the last steps before a limit of steps, goes
//! move by move: a move is chosen (`choose`), made, and looked at.
//!
//! Whether circuits of playouts are used is decided for as many lanes as the widest block has, so that the same seed gives the
//! same moves on every path.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use groundrules_net::Network;

use crate::lockstep::{Arrays, Rolled};

use super::super::block::{Playing, Stream, count_down, lanes, run_cycle};
use super::super::executable::Executable;
use super::super::native::{Work, widely};
use super::super::options::Options;
use super::super::path::Path;
use super::super::plan::{CircuitPlan, Part};
use super::super::random::Generator;
use super::super::segment::Score;
use super::super::vector::Vector;
use super::super::{BLOCK_WORDS, shape};
use super::{Columns, Happened, choose};

/// With fewer steps than this, moves are made one by one.
const FEW: u64 = 4;

/// How many moves are made one by one where a lane is near the limit of steps.
const NEAR: u64 = 16;

/// Why moves are made one by one.
enum Slow {
    /// A lane is near the limit of steps.
    NearLimit,
    /// The circuits of playouts cannot play on from here.
    Always,
}

/// The circuits of playouts, made when a rollout first needs them.
#[derive(Default)]
pub(super) struct Roller(OnceLock<Option<Circuits>>);

/// Plans that can hold lanes after every step and, if there is one, for whole cycles. They have the same layout.
struct Circuits {
    steps: (CircuitPlan, Executable),
    cycles: Option<(CircuitPlan, Executable)>,
}

impl Roller {
    /// `None` if the circuits would be too large.
    fn get(&self, network: &Network, how: &Options, path: Path) -> Option<&Circuits> {
        let executable = |plan: CircuitPlan| {
            let executable = Executable::new(&plan.parts, path);
            (plan, executable)
        };
        let make = || {
            let (steps, cycles) = shape::rollouts(network, how).ok()?;
            Some(Circuits { steps: executable(steps), cycles: cycles.map(executable) })
        };
        self.0.get_or_init(make).as_ref()
    }
}

impl Circuits {
    /// How many vectors of memory both plans need.
    fn places(&self) -> usize {
        let cycles = self.cycles.iter().map(|(_, runner)| runner.places);
        cycles.max().unwrap_or(0).max(self.steps.1.places)
    }

    /// How many random vectors a cycle of either uses.
    fn cycle_randoms(&self) -> usize {
        let cycles = self.cycles.iter().map(|(plan, _)| plan.cycle_randoms());
        cycles.max().unwrap_or(0).max(self.steps.0.cycle_randoms())
    }
}

impl<V: Vector> Columns<V> {
    /// Makes random moves and adds up what comes of them.
    pub(super) fn roll(&mut self, steps: u64, seed: u64, arrays: &mut Arrays<'_>) -> Rolled {
        let mut rolled = Rolled { rewards: vec![0; self.game.layout.roles()], ..Rolled::default() };
        let (blocks, each) = (self.blocks.len(), BLOCK_WORDS / V::WORDS);
        for first in (0..blocks).step_by(each) {
            let all = first..blocks.min(first + each);
            let (mut left, mut seed) = (steps, seed);
            while left > 0 && all.clone().any(|block| !self.blocks[block].going().is_empty()) {
                left -= match self.roll_fast(all.clone(), left, seed, &mut rolled) {
                    Ok(made) => made,
                    Err(Slow::NearLimit) => self.roll_slowly(&all, left.min(NEAR), seed, &mut rolled),
                    Err(Slow::Always) => self.roll_slowly(&all, left, seed, &mut rolled),
                };
                seed = seed.wrapping_add(0xd134_2543_de82_ef95);
            }
        }
        self.show(arrays);
        rolled
    }

    /// Makes moves one by one; says how many in each lane.
    fn roll_slowly(&mut self, all: &Range<usize>, steps: u64, seed: u64, rolled: &mut Rolled) -> u64 {
        for group in self.groups_of(all.clone()) {
            let mut generators = self.generators(group.clone(), seed);
            for _ in 0..steps {
                if group.clone().all(|block| self.blocks[block].going().is_empty()) {
                    break;
                }
                self.choose(&group, &mut generators);
                group.clone().for_each(|block| self.roll_once(block, rolled));
            }
        }
        steps
    }

    fn roll_once(&mut self, block: usize, rolled: &mut Rolled) {
        let going = self.make_moves(block);
        let happened = self.count_step(block, going);
        rolled.moves += going.count();
        self.take_over(block, &happened, rolled);
    }

    /// Adds up what happened, and begins again where matches ended.
    fn take_over(&mut self, block: usize, happened: &Happened<V>, rolled: &mut Rolled) {
        rolled.matches += happened.terminal.count();
        rolled.truncated += happened.truncated.count();
        if !happened.terminal.is_empty() {
            for (index, &(role, value)) in self.game.places.values.iter().enumerate() {
                let only = self.game.places.only_goal(&self.memory, index).and(happened.terminal);
                rolled.rewards[role] += i64::from(value) * only.count().cast_signed();
            }
        }
        self.settle(block, happened);
        if self.game.options.auto_reset {
            self.restart(block, happened.terminal.or(happened.truncated));
        }
    }

    /// Makes moves by the circuits of playouts, in some blocks together; says how many in each lane.
    fn roll_fast(
        &mut self,
        all: Range<usize>,
        left: u64,
        seed: u64,
        rolled: &mut Rolled,
    ) -> Result<u64, Slow> {
        let game = Arc::clone(&self.game);
        let over = self.first[game.places.terminal].or(self.first[game.places.stuck]);
        if left < FEW || !game.options.auto_reset || !over.is_empty() {
            return Err(Slow::Always);
        }
        let steps = left.min(self.steps_before_limit(&all)).min(MOST_STEPS);
        if steps < FEW {
            return Err(Slow::NearLimit);
        }
        let circuits = game.roller.get(&game.network, &game.how, game.code.path).ok_or(Slow::Always)?;
        let (plan, runner) = &circuits.steps;
        if !all.clone().all(|block| self.fits(block, plan)) {
            return Err(Slow::Always);
        }
        let together = if runner.is_long() { all.len() } else { 1 };
        for first in all.clone().step_by(together) {
            let group = first..all.end.min(first + together);
            let mut rolling: Vec<Rolling<V>> = group
                .clone()
                .map(|block| {
                    let random = Generator::new(circuits.cycle_randoms(), seed, block * V::WORDS);
                    let memory = vec![V::default(); circuits.places()];
                    self.begin(block, steps, plan, Stream { memory, random })
                })
                .collect();
            widely(runner.path.words(), Going { rolling: &mut rolling, circuits });
            for (block, rolling) in group.zip(rolling) {
                self.end(block, steps, plan, &rolling, rolled);
            }
        }
        Ok(steps)
    }

    /// How many steps no lane comes to the limit in.
    fn steps_before_limit(&self, all: &Range<usize>) -> u64 {
        let limit = self.game.options.max_steps;
        if limit == u32::MAX {
            return u64::MAX;
        }
        let most = |own: &super::Block<V>| own.steps.iter().copied().max().unwrap_or(0);
        let most = all.clone().map(|block| most(&self.blocks[block])).max().unwrap_or(0);
        u64::from(limit.saturating_sub(most)).saturating_sub(1)
    }

    /// For each phase the lanes of a block that are in it.
    fn phases(&self, block: usize, count: usize) -> Vec<V> {
        let mut phases = vec![V::default(); count];
        for (lane, &steps) in self.blocks[block].steps.iter().enumerate() {
            phases[steps as usize % count].words_mut()[lane / 64] |= 1 << (lane % 64);
        }
        phases
    }

    /// Whether the fluents of a block's lanes are as their phases say.
    fn fits(&self, block: usize, plan: &CircuitPlan) -> bool {
        let own = &self.blocks[block];
        let going = own.going();
        self.phases(block, plan.phases.len()).into_iter().zip(&plan.phases.known).all(|(lanes, known)| {
            let lanes = lanes.and(going);
            let mut known =
                known.iter().zip(&own.fluents).filter_map(|(known, now)| Some((((*known)?), now)));
            known.all(|(known, now)| lanes.and(now.xor(V::filled(known))).is_empty())
        })
    }

    /// The lanes of a block, as the circuits of playouts keep them.
    fn begin(&self, block: usize, steps: u64, plan: &CircuitPlan, mut stream: Stream<V>) -> Rolling<V> {
        let (own, layout) = (&self.blocks[block], &plan.layout);
        let going = own.going();
        let memory = &mut stream.memory;
        for (&slot, &now) in layout.fluents.iter().zip(&own.fluents) {
            if let Some(slot) = slot {
                memory[slot as usize] = now;
            }
        }
        for (&slot, lanes) in layout.waiting.iter().zip(self.phases(block, plan.phases.len())) {
            memory[slot as usize] = lanes.and(going);
        }
        let held = layout.held.expect("a plan for rollouts can hold lanes") as usize;
        memory[held] = going.and_not(V::filled(true));
        let bits = u64::BITS - steps.leading_zeros();
        let remaining: Vec<V> = (0..bits).map(|bit| V::filled((steps - 1) >> bit & 1 == 1)).collect();
        let counted = Rolled { rewards: vec![0; self.game.layout.roles()], ..Rolled::default() };
        Rolling {
            stream,
            held,
            going,
            ages: vec![V::default(); remaining.len()],
            oldest: 0,
            remaining,
            pending: Vec::new(),
            restarted: V::default(),
            counted,
        }
    }

    /// Takes the lanes of a block back, and looks whether their last move ended the match.
    fn end(
        &mut self,
        block: usize,
        steps: u64,
        plan: &CircuitPlan,
        rolling: &Rolling<V>,
        rolled: &mut Rolled,
    ) {
        let own = &mut self.blocks[block];
        let going = own.going();
        for lane in lanes(going) {
            own.steps[lane] = match rolling.age(lane) {
                Some(age) => age,
                None => own.steps[lane].saturating_add(u32::try_from(steps).unwrap_or(u32::MAX)),
            };
        }
        own.most_steps = own.steps.iter().copied().max().unwrap_or(0);
        let phases = self.phases(block, plan.phases.len());
        let own = &self.blocks[block];
        for (fluent, slot) in plan.layout.fluents.iter().enumerate() {
            let next = match slot {
                Some(slot) => rolling.stream.memory[*slot as usize],
                None => {
                    let holds = |known: &Vec<Option<bool>>| known[fluent] == Some(true);
                    let held = phases.iter().zip(&plan.phases.known).filter(|(_, known)| holds(known));
                    held.fold(V::default(), |all, (lanes, _)| all.or(*lanes))
                }
            };
            self.memory[fluent] = choose(going, next, own.fluents[fluent]);
        }
        self.look();
        let terminal = self.memory[self.game.places.terminal].and(going);
        let truncated = terminal.and_not(self.memory[self.game.places.stuck].and(going));
        rolled.moves += going.count() * steps;
        rolled.matches += rolling.counted.matches;
        rolled.truncated += rolling.counted.truncated;
        rolled.rewards.iter_mut().zip(&rolling.counted.rewards).for_each(|(sum, more)| *sum += more);
        self.take_over(block, &Happened { terminal, truncated }, rolled);
    }
}

/// More steps are made in several goes, so that numbers of steps fit.
const MOST_STEPS: u64 = 1 << 30;

/// About how many moves of whole cycles are made in each lane before it is asked how many are left.
const AT_ONCE: usize = 16;

/// Counts up the numbers, in bits, of some lanes. Gives how many bits were touched.
#[inline(always)]
fn count_up<V: Vector>(numbers: &mut [V], lanes: V) -> usize {
    let mut carry = lanes;
    let mut place = 0;
    while place < numbers.len() && !carry.is_empty() {
        let old = numbers[place];
        numbers[place] = old.xor(carry);
        carry = carry.and(old);
        place += 1;
    }
    place
}

/// A vector of lanes of which each makes a number of moves.
struct Rolling<V> {
    stream: Stream<V>,
    /// The slot of the lanes that make no more moves.
    held: usize,
    /// Lanes that have not made all their moves.
    going: V,
    /// How many moves each lane has to make after the next, as a number in bits, the lowest first.
    remaining: Vec<V>,
    /// How many moves each lane has made that are not taken from `remaining` yet, as a number in bits. Empty where they are
    /// taken at once.
    pending: Vec<V>,
    /// How many moves each lane has made since it last began again, and how many bits of that may be set.
    ages: Vec<V>,
    oldest: usize,
    /// The lanes that have begun again.
    restarted: V,
    counted: Rolled,
}

impl<V: Vector> Rolling<V> {
    /// How many moves the match of a lane has had that began in this rollout.
    fn age(&self, lane: usize) -> Option<u32> {
        let is_set = |vector: &V| vector.words()[lane / 64] >> (lane % 64) & 1 == 1;
        let bits = &self.ages[..self.oldest];
        let age = bits.iter().rev().fold(0_u32, |all, bit| all << 1 | u32::from(is_set(bit)));
        is_set(&self.restarted).then_some(age)
    }

    /// Whether all lanes that go on have at least so many moves to make after the next: two to this power.
    #[inline(always)]
    fn has_moves(&self, power: usize) -> bool {
        let mut many = V::default();
        let mut place = power;
        while place < self.remaining.len() {
            many = many.or(self.remaining[place]);
            place += 1;
        }
        !self.going.is_empty() && many.and_not(self.going).is_empty()
    }

    /// Lanes that made a move have one less to make.
    #[inline(always)]
    fn count_moves(&mut self, moved: V) {
        self.oldest = self.oldest.max(count_up(&mut self.ages, moved));
        if !self.pending.is_empty() {
            count_up(&mut self.pending, moved);
            return;
        }
        let ready = count_down(&mut self.remaining, moved);
        if !ready.is_empty() {
            self.going = ready.and_not(self.going);
            self.stream.memory[self.held] = self.stream.memory[self.held].or(ready);
        }
    }

    /// Takes the moves that were counted meanwhile from those to make. There are that many.
    #[inline(always)]
    fn take_pending(&mut self) {
        let mut borrow = V::default();
        let mut place = 0;
        while place < self.remaining.len() && (place < self.pending.len() || !borrow.is_empty()) {
            let made = self.pending.get(place).copied().unwrap_or_default();
            let old = self.remaining[place];
            self.remaining[place] = old.xor(made).xor(borrow);
            borrow = choose(old, made.and(borrow), made.or(borrow));
            place += 1;
        }
        self.pending.fill(V::default());
    }

    #[inline(always)]
    fn score(&mut self, score: &Score) {
        let finished = self.stream.memory[score.finished as usize];
        if finished.is_empty() {
            return;
        }
        let mut stuck = V::default();
        for slot in score.stuck.iter().flatten() {
            stuck = stuck.or(self.stream.memory[*slot as usize]);
        }
        let stuck = stuck.and(finished);
        self.counted.truncated += stuck.count();
        self.counted.matches += stuck.and_not(finished).count();
        if score.unsound.is_some_and(|slot| !self.stream.memory[slot as usize].is_empty()) {
            self.reward_only_goals(score);
        } else {
            for &(role, value, slot) in &score.goals {
                let lanes = self.stream.memory[slot as usize].count();
                self.counted.rewards[role] += i64::from(value) * lanes.cast_signed();
            }
        }
        let mut place = 0;
        while place < self.oldest {
            self.ages[place] = finished.and_not(self.ages[place]);
            place += 1;
        }
        self.restarted = self.restarted.or(finished);
    }

    /// Rewards where some role has not exactly one goal: a goal counts where its role has no other value. The same value may
    /// have several gates.
    #[cold]
    fn reward_only_goals(&mut self, score: &Score) {
        let lanes = |slot: u32| self.stream.memory[slot as usize];
        for (index, &(role, value, slot)) in score.goals.iter().enumerate() {
            let others = score
                .goals
                .iter()
                .enumerate()
                .filter(|(other, goal)| goal.0 == role && (goal.1 != value || *other < index));
            let others = others.fold(V::default(), |all, (_, goal)| all.or(lanes(goal.2)));
            let only = others.and_not(lanes(slot)).count();
            self.counted.rewards[role] += i64::from(value) * only.cast_signed();
        }
    }
}

impl<V: Vector> Playing<V> for Rolling<V> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<V> {
        &mut self.stream
    }

    #[inline(always)]
    fn after(&mut self, part: &Part) {
        for &slot in &part.results.moved {
            self.count_moves(self.stream.memory[slot as usize]);
        }
        if let Some(score) = &part.results.score {
            self.score(score);
        }
    }
}

/// Lanes that go on until all have made their moves.
struct Going<'r, V> {
    rolling: &'r mut [Rolling<V>],
    circuits: &'r Circuits,
}

impl<V: Vector> Work for Going<'_, V> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Going { rolling, circuits: Circuits { steps: (plan, runner), cycles } } = self;
        if let Some((plan, runner)) = cycles {
            // Short cycles are made several at a time, so that what is left to make is looked at less often.
            let times = (AT_ONCE / plan.steps().max(1)).max(1);
            let bit = (times * plan.steps()).next_power_of_two().trailing_zeros() as usize;
            for one in rolling.iter_mut() {
                one.pending = vec![V::default(); bit + 1];
            }
            while rolling.iter().all(|one| one.has_moves(bit)) {
                for _ in 0..times {
                    run_cycle(rolling, plan, runner);
                }
                for one in rolling.iter_mut() {
                    one.take_pending();
                }
            }
            for one in rolling.iter_mut() {
                one.pending = Vec::new();
            }
        }
        while rolling.iter().any(|one| !one.going.is_empty()) {
            run_cycle(rolling, plan, runner);
        }
    }
}
