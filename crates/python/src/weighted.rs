//! Rollouts by a policy that is a table: each role's legal moves are chosen in proportion to weights. The lanes are told their
//! moves as from outside, and everything happens without the interpreter.

use groundrules::machine::lockstep::{Legal, Numbers, turn};
use groundrules::machine::{Actions, Arrays, LaneLayout, Lockstep, Rolled, StepError};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Weights of actions: for each role, or for each lane and role.
pub(crate) struct Weights {
    table: Vec<f64>,
    of_lanes: bool,
}

impl Weights {
    /// Weights from Python; nothing for `"random"`.
    pub(crate) fn new(policy: &Bound<'_, PyAny>, layout: &LaneLayout) -> PyResult<Option<Self>> {
        if let Ok(word) = policy.extract::<String>() {
            let text = format!("a policy is \"random\" or an array of weights, not {word:?}");
            return if word == "random" { Ok(None) } else { Err(PyValueError::new_err(text)) };
        }
        let numpy = policy.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (policy,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
            return Err(PyTypeError::new_err("weights must be numbers"));
        }
        let array = numpy.call_method1("ascontiguousarray", (array, "float64"))?;
        let array = array.cast::<PyArrayDyn<f64>>()?;
        let (n, roles, most) = (layout.lanes, layout.roles(), layout.most_actions());
        let of_lanes = match *array.shape() {
            [a, b] if a == roles && b == most => false,
            [a, b, c] if a == n && b == roles && c == most => true,
            ref other => {
                let text = format!(
                    "weights must have the shape ({roles}, {most}) or ({n}, {roles}, {most}), not {other:?}"
                );
                return Err(PyValueError::new_err(text));
            }
        };
        let table = array.to_vec()?;
        if table.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(PyValueError::new_err("weights must be finite and not negative"));
        }
        Ok(Some(Weights { table, of_lanes }))
    }

    fn of(&self, lane: usize, role: usize, layout: &LaneLayout) -> &[f64] {
        let (roles, most) = (layout.roles(), layout.most_actions());
        let row = if self.of_lanes { lane * roles + role } else { role };
        &self.table[row * most..(row + 1) * most]
    }
}

/// What is seen of all lanes between moves, and what their moves came to.
pub(crate) struct Wheel {
    layout: LaneLayout,
    auto_reset: bool,
    legal: Vec<u8>,
    terminal: Vec<u8>,
    truncated: Vec<u8>,
    rewards: Vec<f32>,
    to_move: Vec<i8>,
    actions: Vec<i32>,
    pub(crate) rolled: Rolled,
}

impl Wheel {
    pub(crate) fn new(layout: &LaneLayout, auto_reset: bool) -> Self {
        let (n, roles) = (layout.lanes, layout.roles());
        Wheel {
            layout: layout.clone(),
            auto_reset,
            legal: vec![0; n * layout.mask()],
            terminal: vec![0; n],
            truncated: vec![0; n],
            rewards: vec![0.0; n * roles],
            to_move: vec![0; n],
            actions: vec![0; n * roles],
            rolled: Rolled { rewards: vec![0; roles], ..Rolled::default() },
        }
    }

    /// Sees where the lanes stand.
    pub(crate) fn look(&mut self, lanes: &mut dyn Lockstep) -> Result<(), StepError> {
        let nobody = vec![false; self.layout.lanes];
        lanes.reset(Some(&nobody), &mut self.arrays().1)
    }

    fn arrays(&mut self) -> (&[i32], Arrays<'_>) {
        let arrays = Arrays {
            legal: Legal::Bytes(&mut self.legal),
            terminal: &mut self.terminal,
            truncated: &mut self.truncated,
            rewards: &mut self.rewards,
            to_move: &mut self.to_move,
            ..Arrays::default()
        };
        (&self.actions, arrays)
    }

    /// Chooses and makes a move in every lane.
    pub(crate) fn turn(
        &mut self,
        lanes: &mut dyn Lockstep,
        weights: &Weights,
        seed: u64,
    ) -> Result<(), StepError> {
        // Seeds of following turns may be as far apart as following numbers of a generator, so each begins somewhere else.
        let mut random = split_mix(&mut { seed });
        let active: Vec<bool> = self.to_move.iter().map(|&to_move| to_move != turn::TERMINAL).collect();
        self.choose(weights, &active, &mut random);
        let (actions, mut arrays) = self.arrays();
        lanes.step(Actions::Joint(Numbers::I32(actions)), false, &mut arrays)?;
        self.count(&active);
        Ok(())
    }

    fn choose(&mut self, weights: &Weights, active: &[bool], random: &mut u64) {
        let (roles, most) = (self.layout.roles(), self.layout.most_actions());
        for (lane, _) in active.iter().enumerate().filter(|&(_, &active)| active) {
            for role in 0..roles {
                let at = lane * roles + role;
                let legal = &self.legal[at * most..(at + 1) * most];
                let drawn = uniform(random);
                self.actions[at] = pick(legal, weights.of(lane, role, &self.layout), drawn);
            }
        }
    }

    fn count(&mut self, active: &[bool]) {
        let roles = self.layout.roles();
        for (lane, _) in active.iter().enumerate().filter(|&(_, &active)| active) {
            self.rolled.moves += 1;
            let over = self.terminal[lane] != 0;
            self.rolled.matches += u64::from(over);
            self.rolled.truncated += u64::from(!over && self.truncated[lane] != 0);
            if over {
                let rewards = &self.rewards[lane * roles..(lane + 1) * roles];
                for (sum, reward) in self.rolled.rewards.iter_mut().zip(rewards) {
                    if reward.is_finite() {
                        *sum += *reward as i64;
                    }
                }
            }
        }
    }

    /// What the last move gave, into the caller's arrays: looking again does not tell it.
    pub(crate) fn copy_last(&self, arrays: &mut Arrays<'_>) {
        arrays.rewards.copy_from_slice(&self.rewards);
        if self.auto_reset {
            arrays.terminal.copy_from_slice(&self.terminal);
            arrays.truncated.copy_from_slice(&self.truncated);
        }
    }
}

/// A legal action in proportion to the weights; if those of all legal ones are 0, each has the same chance.
fn pick(legal: &[u8], weights: &[f64], drawn: f64) -> i32 {
    let allowed = || legal.iter().zip(weights).enumerate().filter(|(_, (legal, _))| **legal != 0);
    let total: f64 = allowed().map(|(_, (_, weight))| weight).sum();
    let count = allowed().count();
    let share = |weight: f64| if total > 0.0 { weight / total } else { 1.0 / count as f64 };
    let (mut rest, mut last) = (drawn, 0);
    for (action, (_, &weight)) in allowed() {
        let share = share(weight);
        if share > 0.0 {
            last = action;
            if rest < share {
                break;
            }
        }
        rest -= share;
    }
    i32::try_from(last).unwrap_or(0)
}

/// The next number of SplitMix64, between 0 and 1.
fn uniform(state: &mut u64) -> f64 {
    (split_mix(state) >> 11) as f64 / (1u64 << 53) as f64
}

/// The next number of SplitMix64.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
