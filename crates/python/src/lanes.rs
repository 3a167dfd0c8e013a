//! Many matches at once. The arrays belong to NumPy and are made once; lanes write into them. They hold answers only: whatever
//! a caller writes into them, lanes go by what they keep themselves.

use std::sync::{Mutex, MutexGuard, TryLockError};

use groundrules::machine::lockstep::Numbers;
use groundrules::machine::{
    Actions, Arrays, Batch, LaneLayout, LaneOptions, Lockstep, Outcomes, PlayoutLimits, Rolled, Rows,
    StepError,
};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors;
use crate::memory::{Memory, Shape, busy};
use crate::shared::SharedGame;
use crate::weighted::{Weights, Wheel};

/// Many matches at once. `game.vector(n)` makes them.
#[pyclass(frozen, module = "groundrules")]
pub(crate) struct VectorEnv {
    game: SharedGame,
    layout: LaneLayout,
    options: LaneOptions,
    inside: Mutex<Inside>,
    arrays: Py<PyDict>,
    memory: Memory,
}

/// What only one thread uses at a time.
struct Inside {
    lanes: Box<dyn Lockstep>,
    batch: Option<Box<dyn Batch>>,
    seed: u64,
    /// How often random bits were asked for.
    drawn: u64,
}

impl Inside {
    /// The seed of the next random choices.
    fn next_seed(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        self.seed.wrapping_add(self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Numbers of actions from Python, held while they are read.
enum Given<'py> {
    I64(PyReadonlyArrayDyn<'py, i64>),
    I32(PyReadonlyArrayDyn<'py, i32>),
    U8(PyReadonlyArrayDyn<'py, u8>),
}

impl<'py> Given<'py> {
    /// Integers of any width as they are or widened; nothing else.
    fn new(actions: &Bound<'py, PyAny>) -> PyResult<Self> {
        let numpy = actions.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (actions,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if kind != "i" && kind != "u" {
            let name: String = array.getattr("dtype")?.str()?.extract()?;
            return Err(PyTypeError::new_err(format!("actions must be integers, not {name}")));
        }
        let array = numpy.call_method1("ascontiguousarray", (array,))?;
        if let Ok(array) = array.cast::<PyArrayDyn<i64>>() {
            return Ok(Given::I64(array.try_readonly().map_err(|_| busy())?));
        }
        if let Ok(array) = array.cast::<PyArrayDyn<i32>>() {
            return Ok(Given::I32(array.try_readonly().map_err(|_| busy())?));
        }
        if let Ok(array) = array.cast::<PyArrayDyn<u8>>() {
            return Ok(Given::U8(array.try_readonly().map_err(|_| busy())?));
        }
        // Numbers too large to be signed become negative, and those are no actions either.
        let wide = array.call_method1("astype", ("int64",))?;
        Ok(Given::I64(wide.cast::<PyArrayDyn<i64>>()?.try_readonly().map_err(|_| busy())?))
    }

    fn shape(&self) -> &[usize] {
        match self {
            Given::I64(array) => array.shape(),
            Given::I32(array) => array.shape(),
            Given::U8(array) => array.shape(),
        }
    }

    fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Given::I64(array) => Numbers::I64(array.as_slice()?),
            Given::I32(array) => Numbers::I32(array.as_slice()?),
            Given::U8(array) => Numbers::U8(array.as_slice()?),
        })
    }
}

/// Which lanes are meant: booleans, one for each lane, as an array or a list.
fn flags(lanes: Option<&Bound<'_, PyAny>>, n: usize) -> PyResult<Option<Vec<bool>>> {
    let Some(lanes) = lanes else { return Ok(None) };
    let array = lanes.py().import("numpy")?.call_method1("asarray", (lanes,))?;
    let Ok(array) = array.cast::<PyArrayDyn<bool>>() else {
        let name: String = array.getattr("dtype")?.str()?.extract()?;
        return Err(PyTypeError::new_err(format!("lanes are chosen by booleans, not by {name}")));
    };
    if *array.shape() != [n] {
        let shape = array.shape();
        return Err(PyValueError::new_err(format!("lanes are chosen by booleans ({n},), not {shape:?}")));
    }
    Ok(Some(array.try_readonly().map_err(|_| busy())?.as_array().iter().copied().collect()))
}

impl VectorEnv {
    pub(crate) fn new(
        py: Python<'_>,
        game: SharedGame,
        n: usize,
        options: LaneOptions,
        seed: u64,
        shape: Shape,
    ) -> PyResult<Self> {
        if n == 0 {
            return Err(PyValueError::new_err("there must be at least one lane"));
        }
        let layout = game.layout()?.with_lanes(n);
        let (memory, arrays) = Memory::new(py, &game, &layout, shape)?;
        let lanes =
            py.detach(|| game.compiled.lockstep(n, options)).map_err(|error| errors::of_engine(&error))?;
        let inside = Inside { lanes, batch: None, seed, drawn: 0 };
        let env = VectorEnv { game, layout, options, inside: Mutex::new(inside), arrays, memory };
        env.change(py, |inside, arrays| inside.lanes.reset(None, arrays))?;
        Ok(env)
    }

    fn enter(&self) -> PyResult<MutexGuard<'_, Inside>> {
        match self.inside.try_lock() {
            Ok(inside) => Ok(inside),
            Err(TryLockError::Poisoned(inside)) => Ok(inside.into_inner()),
            Err(TryLockError::WouldBlock) => Err(busy()),
        }
    }

    /// Does something with the lanes that writes what is seen.
    fn change(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inside, &mut Arrays<'_>) -> Result<(), StepError> + Send,
    ) -> PyResult<()> {
        let mut inside = self.enter()?;
        let inside = &mut *inside;
        let done = self.memory.lend(py, |arrays| work(inside, arrays))?;
        done.map_err(|error| errors::of_step(error, &self.layout))
    }

    /// Random moves, all with the same chance.
    fn random(&self, py: Python<'_>, steps: u64) -> PyResult<Rolled> {
        let mut sums = Rolled { rewards: vec![0; self.layout.roles()], ..Rolled::default() };
        // In pieces, so that Ctrl-C is heard.
        let piece = (MOST_MOVES / self.layout.lanes as u64).max(1);
        let mut done = 0;
        while done < steps {
            py.check_signals()?;
            let now = piece.min(steps - done);
            self.change(py, |inside, arrays| {
                let seed = inside.next_seed();
                let rolled = inside.lanes.rollout(now, seed, arrays)?;
                sums.moves += rolled.moves;
                sums.matches += rolled.matches;
                sums.truncated += rolled.truncated;
                sums.rewards.iter_mut().zip(rolled.rewards).for_each(|(sum, more)| *sum += more);
                Ok(())
            })?;
            done += now;
        }
        Ok(sums)
    }

    /// Random moves in proportion to weights.
    fn weighted(&self, py: Python<'_>, steps: u64, weights: &Weights) -> PyResult<Rolled> {
        let mut wheel = Wheel::new(&self.layout, self.options.auto_reset);
        let failed = |error| errors::of_step(error, &self.layout);
        for step in 0..steps {
            py.check_signals()?;
            let mut inside = self.enter()?;
            let seed = inside.next_seed();
            let lanes = &mut inside.lanes;
            py.detach(|| {
                if step == 0 {
                    wheel.look(&mut **lanes)?;
                }
                wheel.turn(&mut **lanes, weights, seed)
            })
            .map_err(failed)?;
        }
        let no_lane = vec![false; self.layout.lanes];
        self.change(py, |inside, arrays| {
            if steps == 0 {
                return Ok(());
            }
            inside.lanes.reset(Some(&no_lane), arrays)?;
            wheel.copy_last(arrays);
            Ok(())
        })?;
        Ok(wheel.rolled)
    }

    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.arrays.bind(py).as_any().get_item(name)
    }
}

#[pymethods]
impl VectorEnv {
    /// How many lanes there are.
    #[getter]
    fn n(&self) -> usize {
        self.layout.lanes
    }

    fn __len__(&self) -> usize {
        self.layout.lanes
    }

    /// The fluents of every lane: bytes (n, fluents), words of bits (n, words), or planes (n, planes, rows, columns).
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "observations")
    }

    /// The legal moves of every lane: booleans (n, roles, moves), or words of bits (n, words).
    #[getter]
    fn legal_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "legal_mask")
    }

    /// Where the match is over by the rules; with `auto_reset`, where the last step ended it.
    #[getter]
    fn terminal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "terminal")
    }

    /// Where the match was cut short: by `max_steps`, or because a role has no legal move.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "truncated")
    }

    /// What each role got in the last step: its goal where that step ended the match, else 0.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "rewards")
    }

    /// Whose turn it is: a role's number, -1 for chance, -2 where several choose at once, -4 where the match is over.
    #[getter]
    fn to_move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "to_move")
    }

    /// How many joint moves the match has had.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, "steps")
    }

    /// Begins all matches again, or those of some lanes (booleans).
    #[pyo3(signature = (lanes=None))]
    fn reset(&self, py: Python<'_>, lanes: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let lanes = flags(lanes, self.layout.lanes)?;
        self.change(py, |inside, arrays| inside.lanes.reset(lanes.as_deref(), arrays))
    }

    /// Makes a move in every lane, or in those of `lanes` (booleans). `actions` are integers (n, roles), or (n,) for the role
    /// that has the turn.
    #[pyo3(signature = (actions, *, check=true, lanes=None))]
    fn step(
        &self,
        actions: &Bound<'_, PyAny>,
        check: bool,
        lanes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let moving = flags(lanes, self.layout.lanes)?;
        let given = Given::new(actions)?;
        let (n, roles) = (self.layout.lanes, self.layout.roles());
        let is_joint = match *given.shape() {
            [lanes, each] if lanes == n && each == roles => true,
            [lanes] if lanes == n => false,
            ref other => {
                let text = format!("actions must have the shape ({n}, {roles}) or ({n},), not {other:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        let numbers = given.numbers()?;
        let made = if is_joint { Actions::Joint(numbers) } else { Actions::OfMover(numbers) };
        self.change(actions.py(), |inside, arrays| {
            if moving.is_none() {
                return inside.lanes.step(made, check, arrays);
            }
            inside.lanes.hold_others(moving.as_deref())?;
            let done = inside.lanes.step(made, check, arrays);
            inside.lanes.hold_others(None)?;
            done
        })
    }

    /// Random legal actions, each with the same chance: integers (n, roles). Lanes whose match is over have 0.
    fn random_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (n, roles) = (self.layout.lanes, self.layout.roles());
        let mut inside = self.enter()?;
        let seed = inside.next_seed();
        let lanes = &mut inside.lanes;
        let mut actions = vec![0; n * roles];
        py.detach(|| lanes.random_actions(seed, &mut actions))
            .map_err(|error| errors::of_step(error, &self.layout))?;
        actions.into_pyarray(py).reshape([n, roles])
    }

    /// Makes random legal moves, `steps` times in every lane, inside. Returns how many moves were made, how many matches
    /// ended, and the sum of each role's rewards. What is seen is written at the end. `policy` is `"random"`, or weights
    /// (roles, moves) or (n, roles, moves): a role's legal moves are chosen in proportion to them.
    #[pyo3(signature = (steps, policy=None))]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        steps: u64,
        policy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let weights = policy.map(|policy| Weights::new(policy, &self.layout)).transpose()?.flatten();
        let rolled = match weights {
            Some(weights) => self.weighted(py, steps, &weights)?,
            None => self.random(py, steps)?,
        };
        let result = PyDict::new(py);
        result.set_item("moves", rolled.moves)?;
        result.set_item("matches", rolled.matches)?;
        result.set_item("truncated", rolled.truncated)?;
        result.set_item("rewards", PyArray1::from_vec(py, rolled.rewards))?;
        Ok(result)
    }

    /// Monte Carlo values of all states: the mean goal of each role over `k` random playouts, (n, roles).
    #[pyo3(signature = (k, *, seed=None, max_steps=100_000))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        k: usize,
        seed: Option<u64>,
        max_steps: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (n, roles) = (self.layout.lanes, self.layout.roles());
        if k == 0 || n.checked_mul(k).is_none() {
            return Err(PyValueError::new_err(format!("{k} playouts from each state cannot be played")));
        }
        let mut inside = self.enter()?;
        let next = inside.next_seed();
        let seed = seed.unwrap_or(next);
        if inside.batch.is_none() {
            let batch =
                py.detach(|| self.game.compiled.batch()).map_err(|error| errors::of_engine(&error))?;
            inside.batch = Some(batch);
        }
        let Inside { lanes, batch: Some(batch), .. } = &mut *inside else { return Err(busy()) };
        let mut values = Vec::with_capacity(n * roles);
        let states = lanes.save();
        for first in (0..n).step_by(PIECE) {
            let rows = (first..n.min(first + PIECE)).map(|lane| states.row(lane));
            let rows = Rows::of_rows(states.width(), rows);
            let mut sums = vec![(0i64, 0u64); rows.len() * roles];
            let (mut played, mut at_once) = (0, 1);
            while played < k {
                py.check_signals()?;
                let seed = seed.wrapping_add(first as u64).wrapping_add(SEEDS.wrapping_mul(played as u64));
                let limits = PlayoutLimits { seed, max_steps };
                let each = at_once.min(k - played);
                let mut outcomes = Outcomes::default();
                py.detach(|| batch.play_out(&rows, each, limits, &mut outcomes))
                    .map_err(|error| errors::of_machine(&error))?;
                for (place, (sum, count)) in sums.iter_mut().enumerate() {
                    let (more, ended) = outcomes.sum(place / roles, place % roles);
                    (*sum, *count) = (*sum + more, *count + ended);
                }
                // By moves and not by time: the same seed gives the same values on every computer.
                at_once = each.saturating_mul(MOST_IN_PLAYOUTS)
                    / usize::try_from(outcomes.states).unwrap_or(1).max(1);
                at_once = at_once.clamp(1, MOST_AT_ONCE);
                played += each;
            }
            let mean =
                |&(sum, count): &(i64, u64)| if count == 0 { f64::NAN } else { sum as f64 / count as f64 };
            values.extend(sums.iter().map(mean));
        }
        values.into_pyarray(py).reshape([n, roles])
    }

    /// All that is needed to go on from here: packed states, steps, and the name of the game.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inside = self.enter()?;
        let (rows, steps) = (inside.lanes.save(), inside.lanes.steps());
        let words = rows.width().unwrap_or(1);
        let dict = PyDict::new(py);
        dict.set_item("game", &self.game.name)?;
        dict.set_item("states", rows.into_words().into_pyarray(py).reshape([self.layout.lanes, words])?)?;
        dict.set_item("steps", PyArray1::from_vec(py, steps))?;
        dict.set_item("seed", inside.seed)?;
        dict.set_item("drawn", inside.drawn)?;
        Ok(dict)
    }

    /// Goes on from where `state_dict` was called, in this environment or another one of the same game and size.
    fn load_state_dict(&self, py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        let item = |name: &str| {
            let missing = || PyValueError::new_err(format!("there is no {name:?} in this state"));
            state.get_item(name)?.ok_or_else(missing)
        };
        let game: String = item("game")?.extract()?;
        if game != self.game.name {
            let text = format!("this is a state of {game}, and the environment plays {}", self.game.name);
            return Err(PyValueError::new_err(text));
        }
        let wrong = |what: &str| PyValueError::new_err(format!("{what} of this state do not fit"));
        let states = item("states")?;
        let states = states
            .cast::<PyArray2<u64>>()
            .map_err(|_| wrong("the states"))?
            .try_readonly()
            .map_err(|_| busy())?;
        let [n, words] = *states.shape() else { return Err(wrong("the states")) };
        if n != self.layout.lanes || words != self.layout.fluents().div_ceil(64).max(1) {
            return Err(wrong("the states"));
        }
        let steps: Vec<u32> = item("steps")?.extract()?;
        let rows = Rows::of_words(words, states.as_array().iter().copied().collect());
        let (seed, drawn): (u64, u64) = (item("seed")?.extract()?, item("drawn")?.extract()?);
        self.change(py, |inside, arrays| {
            inside.lanes.load(&rows, &steps, arrays)?;
            (inside.seed, inside.drawn) = (seed, drawn);
            Ok(())
        })
    }

    /// The fluents that hold in a lane, as KIF, sorted.
    fn fluents_of(&self, lane: usize) -> PyResult<Vec<String>> {
        let inside = self.enter()?;
        if lane >= self.layout.lanes {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!("there is no lane {lane}")));
        }
        Ok(self.layout.names().fluents_of(inside.lanes.save().row(lane)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("groundrules._restore")?.getattr("environment")?;
        let game = crate::game::Game { shared: self.game.clone() };
        let max_steps = (self.options.max_steps != u32::MAX).then_some(self.options.max_steps);
        let (observations, legal) = (self.memory.observations.word(), self.memory.legal.word());
        let state = self.state_dict(py)?;
        let arguments =
            (game, self.layout.lanes, self.options.auto_reset, max_steps, observations, legal, state);
        Ok((restore, arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        format!("<VectorEnv of {}: {} lanes>", self.game.name, self.layout.lanes)
    }
}

/// Moves that a rollout makes in one go.
const MOST_MOVES: u64 = 1 << 28;

/// States from which playouts begin in one go, and about how many moves are made in one go, so that Ctrl-C is heard.
const PIECE: usize = 4096;
const MOST_IN_PLAYOUTS: usize = 1 << 22;

/// The most playouts from a state in one go, where they have hardly a move.
const MOST_AT_ONCE: usize = 1 << 20;

/// How far apart the seeds of the goes are.
const SEEDS: u64 = 0x9e37_79b9_7f4a_7c15;
