//! Random playouts: every role chooses among its legal moves with equal chances until the match is over. The same seed
//! gives the same playout on every computer, because the generator is named, its numbers are cut to size here, and the
//! order of a machine's legal moves depends on the state alone.
//!
//! [`Playouts`] is what plays: any [`Machine`] does through [`ByMachine`], one playout at a time; an engine that plays
//! many at once implements it itself. Sharing the work among threads is left to [`run`](crate::run()).

use std::sync::atomic::{AtomicBool, Ordering};

use groundrules_gdl::Roles;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use crate::machine::{Machine, MachineError, Move};
use crate::tally::Tally;

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// At the limit of steps.
    Unfinished,
    /// Where a role has no legal move though the match is not over.
    Unplayable {
        /// The role.
        role: usize,
    },
    /// It was stopped.
    CutShort,
}

/// The circuits of an engine that plays many playouts at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circuit {
    /// How many gates one step of all lanes takes, its share of the scoring included. A loop counts once.
    pub gates_per_step: f64,
    /// For how many playouts one instruction evaluates a gate.
    pub lanes: usize,
}

/// A player of random playouts, in blocks.
pub trait Playouts: Send {
    /// The roles as KIF.
    fn roles(&self) -> &Roles;

    /// The number of playouts per block. Threads share work by blocks, and each block has its own seed.
    fn block_size(&self) -> u64;

    /// Plays the first `count` playouts of a block, from the initial state, and adds them to the tally. The seed alone
    /// decides what happens in them, unless it is stopped.
    fn play(
        &mut self,
        block: u64,
        count: u64,
        setting: &Setting<'_>,
        tally: &mut Tally,
    ) -> Result<(), MachineError>;

    /// Another player for another thread, which plays the same playouts.
    fn fork(&self) -> Box<dyn Playouts>;

    /// Performance counters of the engine; see [`Machine::counters`].
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The circuits, if this engine has any.
    fn circuit(&self) -> Option<Circuit> {
        None
    }
}

/// The settings of all playouts of a run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The maximal number of joint moves of a playout.
    pub max_steps: u64,
    /// Set when playouts are to be cut short.
    pub stop: &'a AtomicBool,
}

impl Setting<'_> {
    /// The random choices of a block.
    pub fn choices(&self, block: u64) -> Choices {
        Choices::new(self.seed, block)
    }

    /// Whether playouts are to be cut short.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Random choices, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Choices {
    random: Xoshiro256PlusPlus,
}

impl Choices {
    /// The choices of a block of a seed.
    pub fn new(seed: u64, block: u64) -> Self {
        // The seed goes through the generator first: the blocks of neighbouring seeds must not be the same ones.
        let start = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
        let random =
            Xoshiro256PlusPlus::seed_from_u64(start.wrapping_add(block.wrapping_mul(0xD134_2543_DE82_EF95)));
        Choices { random }
    }

    /// The generator itself, for engines that need other things than choices.
    pub fn generator(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.random
    }

    /// One of some things, each with the same chance; the bias is below 2⁻³² of it.
    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        things.get(self.place_among(things.len())).copied()
    }

    /// The place of one of some things, each with the same chance as in [`one_of`](Self::one_of).
    pub fn place_among(&mut self, count: usize) -> usize {
        let product = u128::from(self.random.next_u64()) * count as u128;
        (product >> 64) as usize
    }
}

/// Plays one playout from the initial state and adds it to the tally; says how it ended. The machine stands in its last
/// state. `joint` is memory to be used again.
pub fn playout<M: Machine + ?Sized>(
    machine: &mut M,
    choices: &mut Choices,
    setting: &Setting<'_>,
    joint: &mut Vec<Move>,
    tally: &mut Tally,
) -> Result<End, MachineError> {
    machine.reset();
    let mut length = 0;
    let end = loop {
        if machine.is_terminal()? {
            break End::Terminal;
        }
        if length >= setting.max_steps {
            break End::Unfinished;
        }
        if setting.is_stopped() {
            break End::CutShort;
        }
        if let Err(role) = choose(machine, choices, joint, tally)? {
            break End::Unplayable { role };
        }
        machine.advance(joint)?;
        length += 1;
        tally.states += 1;
    };
    tally.add_end(end, length);
    if end == End::Terminal {
        for (role, goals) in tally.goals.iter_mut().enumerate() {
            goals.add(machine.goals(role)?);
        }
    }
    Ok(end)
}

/// Chooses a legal move for every role; gives the first role that has none.
fn choose<M: Machine + ?Sized>(
    machine: &mut M,
    choices: &mut Choices,
    joint: &mut Vec<Move>,
    tally: &mut Tally,
) -> Result<Result<(), usize>, MachineError> {
    joint.clear();
    let mut joint_moves: u128 = 1;
    for role in 0..machine.roles().len() {
        let Some((chosen, count)) = machine.draw(role, choices)? else { return Ok(Err(role)) };
        joint.push(chosen);
        if count > 1 {
            joint_moves = joint_moves.saturating_mul(count as u128);
            tally.choices.add(count as u128);
        }
    }
    tally.branching.add(joint_moves);
    Ok(Ok(()))
}

/// A machine that plays playouts one at a time, each a block of its own: so the first playouts of a seed are the same
/// however many are asked for.
pub struct ByMachine<M: ?Sized> {
    machine: Box<M>,
    fork: fn(&M) -> Box<M>,
    joint: Vec<Move>,
}

impl ByMachine<dyn Machine> {
    /// Plays with a machine.
    pub fn new(machine: Box<dyn Machine>) -> Self {
        ByMachine { machine, fork: |machine| machine.fork(), joint: Vec::new() }
    }
}

impl<M: Machine> ByMachine<M> {
    /// Plays with a machine whose kind is known, so that calls can be inlined.
    pub fn of(machine: M, fork: fn(&M) -> Box<M>) -> Self {
        ByMachine { machine: Box::new(machine), fork, joint: Vec::new() }
    }
}

impl<M: Machine + ?Sized + 'static> Playouts for ByMachine<M> {
    fn roles(&self) -> &Roles {
        self.machine.roles()
    }

    fn block_size(&self) -> u64 {
        1
    }

    fn play(
        &mut self,
        block: u64,
        count: u64,
        setting: &Setting<'_>,
        tally: &mut Tally,
    ) -> Result<(), MachineError> {
        let mut choices = setting.choices(block);
        for _ in 0..count {
            playout(&mut *self.machine, &mut choices, setting, &mut self.joint, tally)?;
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Playouts> {
        Box::new(ByMachine { machine: (self.fork)(&self.machine), fork: self.fork, joint: Vec::new() })
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.machine.counters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_does_not_change() {
        let ten: Vec<usize> = (0..10).collect();
        let drawn = |seed, block| {
            let mut choices = Choices::new(seed, block);
            (0..8).filter_map(|_| choices.one_of(&ten)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 0), [1_usize, 0, 8, 9, 3, 5, 1, 7]);
        assert_ne!(drawn(1, 0), drawn(1, 1));
        assert_ne!(drawn(1, 1), drawn(2, 0));
        assert_eq!(Choices::new(1, 0).one_of::<u8>(&[]), None);
    }
}
