//! Plays a block of playouts in one vector of lanes: runs the circuits of the plan repeatedly until every lane has
//! played its number of playouts, and tallies the results.
//!
//! Each lane plays a fixed number of playouts to their ends, so long playouts are not underrepresented: means are
//! unbiased, and the seed alone determines the tally. Lanes that have finished keep running and are no longer counted.

use std::collections::BTreeMap;

use crate::playout::Setting;
use crate::tally::Tally;

use super::executable::Executable;
use super::native::{Work, widely};
use super::plan::{CircuitPlan, Part};
use super::random::Generator;
use super::segment::Score;
use super::vector::Vector;

/// Why a block has to be played again.
pub(super) struct NeedsCare;

/// Which playouts to play.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) seed: u64,
    /// Which words of the block these lanes are.
    pub(super) first_word: usize,
    /// How many words a block has.
    pub(super) words: usize,
    /// How many playouts all the lanes of the block play together.
    pub(super) count: u64,
    pub(super) setting: &'a Setting<'a>,
    /// Count every lane's moves, to end playouts at the limit.
    pub(super) careful: bool,
}

/// Plays some vectors of lanes of a block together. Without care it gives up, with nothing added, when a playout may have
/// come near the limit of steps.
pub(super) fn play<V: Vector>(
    plan: &CircuitPlan,
    runner: &Executable,
    order: &Order<'_>,
    vectors: usize,
    tally: &mut Tally,
) -> Result<(), NeedsCare> {
    let first = |index: usize| order.first_word + index * V::WORDS;
    let mut blocks: Vec<Block<'_, V>> =
        (0..vectors).map(|index| Block::new(plan, runner, order, first(index))).collect();
    widely(runner.path.words(), Going { blocks: &mut blocks, plan, runner })?;
    blocks.into_iter().for_each(|block| block.add_to(tally));
    Ok(())
}

/// Blocks that go on until their end.
struct Going<'b, 'a, V> {
    blocks: &'b mut [Block<'a, V>],
    plan: &'b CircuitPlan,
    runner: &'b Executable,
}

impl<V: Vector> Work for Going<'_, '_, V> {
    type Result = Result<(), NeedsCare>;

    #[inline(always)]
    fn run(self) -> Self::Result {
        let Going { blocks, plan, runner } = self;
        while blocks.iter().any(|block| !block.live.is_empty()) {
            run_cycle(blocks, plan, runner);
            for block in blocks.iter_mut() {
                if block.steps >= block.next_look {
                    block.look()?;
                }
            }
        }
        Ok(())
    }
}

/// A vector of lanes that circuits are run on.
pub(super) struct Stream<V> {
    pub(super) memory: Vec<V>,
    pub(super) random: Generator<V>,
}

/// Lanes that look at what each part of a plan left.
pub(super) trait Playing<V> {
    /// What the circuits run on.
    fn stream(&mut self) -> &mut Stream<V>;
    /// Looks at what a part left.
    fn after(&mut self, part: &Part);
}

/// Runs a cycle of the plan on some vectors of lanes together.
#[inline(always)]
pub(super) fn run_cycle<V: Vector, P: Playing<V>>(lanes: &mut [P], plan: &CircuitPlan, runner: &Executable) {
    for &number in &plan.cycle {
        let part = &plan.parts[number];
        for one in lanes.iter_mut() {
            one.stream().random.take(part.gates.randoms);
        }
        for chunk in 0..runner.chunks(number) {
            for one in lanes.iter_mut() {
                let Stream { memory, random } = one.stream();
                runner.run_chunk(number, chunk, memory, random.taken());
            }
        }
        for one in lanes.iter_mut() {
            let Stream { memory, random } = one.stream();
            if runner.goes_on(number, memory) {
                runner.run(number, memory, random.taken());
            }
            one.after(part);
        }
    }
}

struct Block<'a, V> {
    plan: &'a CircuitPlan,
    order: &'a Order<'a>,
    stream: Stream<V>,
    /// Lanes whose playouts count.
    live: V,
    /// How many playouts each lane has to play after the one it plays, as a number in bits, the lowest first.
    remaining: Vec<V>,
    lengths: Lengths<V>,
    steps: u64,
    /// Lanes that began a playout since the last look at their age.
    young: V,
    next_look: u64,
    age_check: u64,
    counted: Counted,
}

/// What was counted, before it is given the shape of a tally.
#[derive(Default)]
struct Counted {
    states: u64,
    playouts: u64,
    unfinished: u64,
    cut_short: u64,
    goals: Vec<u64>,
    none: Vec<u64>,
    several: Vec<u64>,
    stuck: Vec<u64>,
}

/// How many moves each lane's playout has made, while that is counted.
struct Lengths<V> {
    moves: Vec<u32>,
    /// Lanes in their first playout. The lengths of these are a fair sample.
    first: V,
    /// Playouts that came to the limit and wait to be ended.
    cut: V,
    /// How many of them had which length.
    sample: BTreeMap<u32, u64>,
}

impl<'a, V: Vector> Block<'a, V> {
    fn new(plan: &'a CircuitPlan, runner: &Executable, order: &'a Order<'a>, first_word: usize) -> Self {
        let mut memory = vec![V::default(); runner.places];
        for (place, &value) in memory.iter_mut().zip(&plan.first) {
            *place = V::filled(value);
        }
        let lanes = V::WORDS * 64;
        let quota = |lane: usize| {
            let (lane, lanes) = ((first_word * 64 + lane) as u64, (order.words * 64) as u64);
            order.count / lanes + u64::from(lane < order.count % lanes)
        };
        let bits = (u64::BITS - quota(0).leading_zeros()) as usize;
        let mut remaining = vec![V::default(); bits];
        let mut live = V::default();
        for lane in 0..lanes {
            let (word, bit) = (lane / 64, lane % 64);
            let Some(rest) = quota(lane).checked_sub(1) else { continue };
            live.words_mut()[word] |= 1 << bit;
            for (place, vector) in remaining.iter_mut().enumerate() {
                vector.words_mut()[word] |= (rest >> place & 1) << bit;
            }
        }
        let score = plan.parts.iter().find_map(|part| part.results.score.as_ref());
        let (goals, roles) = score.map_or((0, 0), |score| (score.goals.len(), score.stuck.len()));
        let zeros = |len| vec![0; len];
        Block {
            plan,
            order,
            stream: Stream { memory, random: Generator::new(plan.cycle_randoms(), order.seed, first_word) },
            live,
            remaining,
            lengths: Lengths {
                moves: vec![0; lanes],
                first: live,
                cut: V::default(),
                sample: BTreeMap::new(),
            },
            steps: 0,
            young: V::filled(true),
            next_look: 0,
            age_check: 0,
            counted: Counted {
                goals: zeros(goals),
                none: zeros(roles),
                several: zeros(roles),
                stuck: zeros(roles),
                ..Counted::default()
            },
        }
    }

    /// From time to time: whether to stop, and whether some playout is getting long.
    #[cold]
    fn look(&mut self) -> Result<(), NeedsCare> {
        if self.order.setting.is_stopped() {
            self.counted.cut_short += self.live.count();
            self.live = V::default();
            return Ok(());
        }
        if !self.order.careful && self.steps >= self.age_check {
            // Every playout began after the check before this one, so at the next it is younger than the limit.
            if !self.young.and_not(self.live).is_empty() {
                return Err(NeedsCare);
            }
            self.young = V::default();
            self.age_check = self.steps.saturating_add(self.order.setting.max_steps / 2);
        }
        self.next_look = self.age_check.min(self.steps + LOOK);
        Ok(())
    }

    #[inline(always)]
    fn memory(&self, slot: u32) -> V {
        self.stream.memory[slot as usize]
    }

    #[inline(always)]
    fn is_counting(&self) -> bool {
        self.order.careful || !self.lengths.first.is_empty()
    }

    #[inline(always)]
    fn score(&mut self, score: &Score) {
        let all = self.memory(score.finished);
        self.young = self.young.or(all);
        let finished = all.and(self.live);
        if finished.is_empty() {
            return;
        }
        let mut valid = self.live;
        if self.is_counting() {
            valid = self.ends(finished, score);
        }
        self.counted.playouts += finished.count();
        if score.unsound.is_some_and(|slot| !self.memory(slot).and(valid).is_empty()) {
            self.count_unsound(valid, score);
        } else {
            for (count, goal) in self.counted.goals.iter_mut().zip(&score.goals) {
                *count += self.stream.memory[goal.2 as usize].and(valid).count();
            }
        }
        for (count, slot) in self.counted.stuck.iter_mut().zip(&score.stuck) {
            if let Some(slot) = *slot {
                *count += self.stream.memory[slot as usize].and(valid).count();
            }
        }
        self.take_playouts(finished);
    }

    /// Counts the goals where some role has not exactly one.
    #[cold]
    fn count_unsound(&mut self, valid: V, score: &Score) {
        let stuck = score.stuck.iter().flatten().map(|&slot| self.memory(slot));
        let stuck = stuck.fold(V::default(), Vector::or);
        let ended = stuck.and_not(self.memory(score.finished).and(valid));
        for role in 0..score.stuck.len() {
            let own = || score.goals.iter().enumerate().filter(|(_, goal)| goal.0 == role);
            let (mut any, mut several) = (V::default(), V::default());
            for (_, goal) in own() {
                let value = self.memory(goal.2);
                several = several.or(any.and(value));
                any = any.or(value);
            }
            self.counted.none[role] += any.and_not(ended).count();
            self.counted.several[role] += several.and(ended).count();
            for (index, goal) in own() {
                let only = several.and_not(self.memory(goal.2));
                self.counted.goals[index] += only.and(ended).count();
            }
        }
    }

    /// Lanes that finished a playout have one less to play.
    #[inline(always)]
    fn take_playouts(&mut self, finished: V) {
        self.live = count_down(&mut self.remaining, finished).and_not(self.live);
    }

    /// Ends the playouts of finished lanes whose moves are counted; gives the lanes that did not come to the limit.
    #[cold]
    fn ends(&mut self, finished: V, score: &Score) -> V {
        let stuck = score.stuck.iter().flatten().map(|&slot| self.memory(slot));
        let stuck = stuck.fold(V::default(), Vector::or);
        let lengths = &mut self.lengths;
        let mut over = lengths.cut.and(finished);
        for lane in lanes(finished) {
            let (word, bit) = (lane / 64, lane % 64);
            let moves = std::mem::take(&mut lengths.moves[lane]);
            let at_limit = u64::from(moves) >= self.order.setting.max_steps;
            if at_limit && stuck.words()[word] >> bit & 1 == 1 {
                over.words_mut()[word] |= 1 << bit;
            }
            if lengths.first.words()[word] >> bit & 1 == 1 {
                *lengths.sample.entry(moves).or_default() += 1;
            }
        }
        lengths.first = finished.and_not(lengths.first);
        lengths.cut = finished.and_not(lengths.cut);
        self.counted.unfinished += over.count();
        over.and_not(self.live)
    }

    fn add_to(self, tally: &mut Tally) {
        let Counted { states, playouts, unfinished, cut_short, goals, none, several, stuck } = self.counted;
        tally.states += states;
        tally.playouts += playouts;
        tally.unfinished += unfinished;
        tally.cut_short += cut_short;
        self.lengths.sample.iter().for_each(|(&moves, &times)| tally.lengths.add(moves.into(), times));
        for (role, &stuck) in stuck.iter().enumerate().filter(|(_, stuck)| **stuck > 0) {
            tally.unplayable += stuck;
            tally.stuck_role = Some(tally.stuck_role.map_or(role, |known| known.min(role)));
        }
        let score = self.plan.parts.iter().find_map(|part| part.results.score.as_ref());
        for (&(role, value, _), &count) in score.iter().flat_map(|score| &score.goals).zip(&goals) {
            if let (Some(goals), true) = (tally.goals.get_mut(role), count > 0) {
                *goals.histogram.entry(value).or_default() += count;
            }
        }
        for (goals, (none, several)) in tally.goals.iter_mut().zip(none.into_iter().zip(several)) {
            goals.none += none;
            goals.several += several;
        }
    }
}

impl<V: Vector> Playing<V> for Block<'_, V> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<V> {
        &mut self.stream
    }

    /// Counts what a part left.
    #[inline(always)]
    fn after(&mut self, part: &Part) {
        for &slot in &part.results.moved {
            let moved = self.memory(slot).and(self.live);
            let moved = if self.is_counting() { self.lengths.step(moved, self.order) } else { moved };
            self.counted.states += moved.count();
            self.steps += 1;
        }
        if let Some(score) = &part.results.score {
            self.score(score);
        }
        if self.order.careful {
            let done = self.plan.layout.done;
            self.stream.memory[done as usize] = self.memory(done).or(self.lengths.cut);
        }
    }
}

/// At least every so many steps it is looked whether to stop.
const LOOK: u64 = 4096;

impl<V: Vector> Lengths<V> {
    /// Counts a move of some lanes; gives those that were allowed to make it.
    fn step(&mut self, moved: V, order: &Order<'_>) -> V {
        let mut allowed = self.cut.and_not(moved);
        for lane in lanes(allowed) {
            self.moves[lane] += 1;
            if u64::from(self.moves[lane]) > order.setting.max_steps {
                self.moves[lane] -= 1;
                self.cut.words_mut()[lane / 64] |= 1 << (lane % 64);
                allowed.words_mut()[lane / 64] &= !(1 << (lane % 64));
            }
        }
        allowed
    }
}

/// Subtracts one in some lanes from numbers in bits, the lowest first; gives the lanes whose number was 0.
#[inline(always)]
pub(super) fn count_down<V: Vector>(numbers: &mut [V], lanes: V) -> V {
    let mut borrow = lanes;
    let mut place = 0;
    while place < numbers.len() && !borrow.is_empty() {
        let old = numbers[place];
        numbers[place] = old.xor(borrow);
        borrow = old.and_not(borrow);
        place += 1;
    }
    borrow
}

/// The numbers of the lanes that are set.
pub(super) fn lanes<V: Vector>(vector: V) -> impl Iterator<Item = usize> {
    (0..V::WORDS).flat_map(move |word| {
        let mut rest = vector.words()[word];
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}
