//! Lanes that record their moves: the circuits of the engine with the chosen moves left in memory. Tests compare single
//! lanes with another engine exactly, while the other lanes play other matches.

use groundrules_net::Network;

use super::executable::Executable;
use super::options::Options;
use super::path::Path;
use super::plan::{CircuitPlan, Purpose};
use super::random::Generator;
use super::vector::{Lanes256, Lanes512, Vector};
use super::{BLOCK_WORDS, SlicedError, shape};

/// How a lane's playout ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// In a terminal state, with these goals: role and value, of roles that have exactly one.
    Terminal(Vec<(usize, i32)>),
    /// This role had no legal move.
    Stuck(usize),
}

/// Lanes that tell what they do.
pub struct Recording {
    plan: CircuitPlan,
    executable: Executable,
    groups: Groups,
}

enum Groups {
    Narrow(Vec<Group<Lanes256>>),
    Wide(Vec<Group<Lanes512>>),
}

struct Group<V> {
    memory: Vec<V>,
    random: Generator<V>,
    /// What the slots of each part of the cycle held when it had run.
    seen: Vec<Vec<V>>,
}

impl Recording {
    /// Lanes at the beginning of their first playouts.
    pub fn new(network: &Network, options: &Options, seed: u64) -> Result<Self, SlicedError> {
        let (plan, _) = shape::plan(network, options, Purpose::Recording)?;
        let path = options.path.unwrap_or_else(|| Path::best(plan.gates()));
        if !path.is_available() {
            return Err(SlicedError::NotAvailable { path });
        }
        let executable = Executable::new(&plan.parts, path);
        let groups = if executable.path.is_narrow() {
            Groups::Narrow(groups(&plan, &executable, seed))
        } else {
            Groups::Wide(groups(&plan, &executable, seed))
        };
        Ok(Recording { plan, executable, groups })
    }

    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        BLOCK_WORDS * 64
    }

    /// Plays a cycle: some steps, and a scoring.
    pub fn cycle(&mut self) {
        let Recording { plan, executable, groups } = self;
        match groups {
            Groups::Narrow(groups) => groups.iter_mut().for_each(|group| group.cycle(plan, executable)),
            Groups::Wide(groups) => groups.iter_mut().for_each(|group| group.cycle(plan, executable)),
        }
    }

    /// The moves a lane made in the last cycle: for each joint move the numbers of the moves.
    pub fn joint_moves(&self, lane: usize) -> Vec<Vec<usize>> {
        let mut joints = Vec::new();
        for (place, &part) in self.plan.cycle.iter().enumerate() {
            let results = &self.plan.parts[part].results;
            for (&moved, made) in results.moved.iter().zip(&results.made) {
                let bit = |slot: u32| self.bit(place, slot, lane);
                if bit(moved) {
                    joints.push((0..made.len()).filter(|&number| bit(made[number])).collect());
                }
            }
        }
        joints
    }

    /// How a lane's playout ended in the last cycle, if it did; then it stands at the beginning of the next one.
    pub fn finish(&self, lane: usize) -> Option<Finish> {
        let place = self.plan.cycle.len() - 1;
        let score = self.plan.parts[self.plan.cycle[place]].results.score.as_ref()?;
        let bit = |slot: u32| self.bit(place, slot, lane);
        if !bit(score.finished) {
            return None;
        }
        let stuck = score.stuck.iter().position(|slot| slot.is_some_and(bit));
        let goals = score.goals.iter().filter(|(.., slot)| bit(*slot)).map(|&(role, value, _)| (role, value));
        let goals: Vec<(usize, i32)> = goals.collect();
        let is_only = |goal: &&(usize, i32)| goals.iter().filter(|other| other.0 == goal.0).count() == 1;
        let only = goals.iter().filter(is_only).copied().collect();
        Some(stuck.map_or_else(|| Finish::Terminal(only), Finish::Stuck))
    }

    /// Whether a fluent holds in a lane now; `None` if lanes do not store it.
    pub fn fluent(&self, lane: usize, fluent: usize) -> Option<bool> {
        let slot = self.plan.layout.fluents[fluent]?;
        Some(self.bit(self.plan.cycle.len() - 1, slot, lane))
    }

    /// Everything that lasts, word by word: to compare paths.
    pub fn words(&self) -> Vec<u64> {
        let last = self.plan.cycle.len() - 1;
        let lanes =
            (0..self.plan.layout.lasting).flat_map(|slot| (0..BLOCK_WORDS).map(move |word| (slot, word)));
        lanes.map(|(slot, word)| self.word(last, slot, word)).collect()
    }

    fn bit(&self, place: usize, slot: u32, lane: usize) -> bool {
        self.word(place, slot as usize, lane / 64) >> (lane % 64) & 1 == 1
    }

    fn word(&self, place: usize, slot: usize, word: usize) -> u64 {
        match &self.groups {
            Groups::Narrow(groups) => groups[word / 4].seen[place][slot].words()[word % 4],
            Groups::Wide(groups) => groups[word / 8].seen[place][slot].words()[word % 8],
        }
    }
}

fn groups<V: Vector>(plan: &CircuitPlan, executable: &Executable, seed: u64) -> Vec<Group<V>> {
    let group = |index: usize| {
        let mut memory = vec![V::default(); executable.places];
        for (place, &value) in memory.iter_mut().zip(&plan.first) {
            *place = V::filled(value);
        }
        let random = Generator::new(plan.cycle_randoms(), seed, index * V::WORDS);
        Group { memory, random, seen: vec![Vec::new(); plan.cycle.len()] }
    };
    (0..BLOCK_WORDS / V::WORDS).map(group).collect()
}

impl<V: Vector> Group<V> {
    fn cycle(&mut self, plan: &CircuitPlan, executable: &Executable) {
        for (place, &number) in plan.cycle.iter().enumerate() {
            let part = &plan.parts[number];
            self.random.take(part.gates.randoms);
            executable.run(number, &mut self.memory, self.random.taken());
            self.seen[place].clear();
            self.seen[place].extend_from_slice(&self.memory[..part.gates.slots]);
        }
    }
}
