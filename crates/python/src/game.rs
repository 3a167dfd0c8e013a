//! The game as an object: what it is, what can be asked about it, and where states and lanes come from.

use std::sync::Arc;

use groundrules::machine::Fluent;
use groundrules::net::picture::Picture;
use groundrules::{Compiled, LoadError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors;
use crate::exploring::{self, Limits};
use crate::interrupt::{Watch, quietly};
use crate::lanes::VectorEnv;
use crate::memory::Shape;
use crate::shared::{Shared, SharedGame};
use crate::state::State;

/// A game. `groundrules.load` makes one.
#[pyclass(frozen, module = "groundrules")]
pub(crate) struct Game {
    pub(crate) shared: SharedGame,
}

/// A game that was loaded, or why not.
pub(crate) fn loaded(py: Python<'_>, loaded: Result<groundrules::Loaded, LoadError>) -> PyResult<Game> {
    match loaded {
        Ok(loaded) => Ok(Game { shared: Arc::new(Shared::new(loaded)) }),
        Err(error) => Err(errors::of_loading(py, error)),
    }
}

#[pymethods]
impl Game {
    /// The name: of the library, or of the file.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.name
    }

    /// The description.
    #[getter]
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.shared.text).into_owned()
    }

    /// The smallest fragment of GDL that the description belongs to.
    #[getter]
    fn verdict(&self) -> String {
        self.shared.verdict.words().to_owned()
    }

    /// The roles, in the order of joint moves.
    #[getter]
    fn roles(&self) -> Vec<String> {
        self.shared.compiled.roles().to_vec()
    }

    /// Whether roles see only what rules for `sees` tell them (GDL-II).
    #[getter]
    fn has_hidden_information(&self) -> bool {
        self.shared.is_hidden()
    }

    /// Warnings and notes about the description, as data.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        errors::data(py, &self.shared.text, &self.shared.diagnostics)
    }

    /// Every fluent, by its number in observations.
    #[getter]
    fn fluents(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.prepare(py)?;
        let layout = self.shared.layout()?;
        let texts = (0..layout.fluents()).filter_map(|fluent| u32::try_from(fluent).ok());
        Ok(texts.map(|fluent| layout.names().fluent_text(Fluent(fluent))).collect())
    }

    /// What the planes of `vector(observations="planes")` are about: what can stand on a board, then all other fluents.
    #[getter]
    fn planes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.prepare(py)?;
        Ok(self.shared.planes()?.names.clone())
    }

    /// Each role's moves, by the numbers of its actions.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        self.prepare(py)?;
        let layout = self.shared.layout()?;
        let texts = |role| layout.actions(role).iter().map(|&made| layout.names().move_text(made)).collect();
        Ok((0..layout.roles()).map(texts).collect())
    }

    /// The engine that plays, and why it was chosen.
    #[getter]
    fn engine(&self, py: Python<'_>) -> (String, String) {
        let decision = py.detach(|| self.shared.compiled.decision());
        (decision.engine.name().to_owned(), decision.why)
    }

    /// The diagnostics as they are drawn for people, and the verdict.
    fn check(&self) -> String {
        let drawn = errors::drawn(&self.shared.name, &self.shared.text, &self.shared.diagnostics);
        let verdict = format!("{}: {}", self.shared.name, self.shared.verdict.words());
        if drawn.is_empty() { verdict } else { format!("{drawn}\n\n{verdict}") }
    }

    /// Grounds the game: how large it is without variables.
    fn ground<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ground = self.compute(py, Compiled::ground)?.map_err(|error| errors::of_engine(&error))?;
        let figures = PyDict::new(py);
        figures.set_item("rules", ground.rules().len())?;
        figures.set_item("fluents", ground.fluents.len())?;
        figures.set_item("moves", ground.moves.len())?;
        figures.set_item("initial", ground.init.len())?;
        Ok(figures)
    }

    /// The network of the game: gates over fluents and moves.
    fn network(&self, py: Python<'_>) -> PyResult<Network> {
        self.prepare(py)?;
        let network = self.compute(py, Compiled::network)?;
        let network = network.map_err(|error| errors::of_engine(&error))?;
        Ok(Network { shared: Arc::clone(&self.shared), network })
    }

    /// Explores all states and gives a verdict on every property.
    #[pyo3(signature = (*, seconds=None, states=None, memory=None, threads=1, progress=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<usize>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        exploring::verify(py, &self.shared, &Limits { seconds, states, memory, threads }, progress)
    }

    /// The value of the initial state.
    #[pyo3(signature = (*, seconds=None, states=None, memory=None, threads=1, progress=None))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<usize>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        exploring::solve(py, &self.shared, &Limits { seconds, states, memory, threads }, progress)
    }

    /// Counts sequences of joint moves and distinct states by depth.
    #[pyo3(signature = (depth, *, seconds=None, states=None, memory=None, threads=1, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn perft<'py>(
        &self,
        py: Python<'py>,
        depth: usize,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<usize>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        exploring::perft(py, &self.shared, depth, &Limits { seconds, states, memory, threads }, progress)
    }

    /// Plays random playouts: how many, how long, who gets what.
    #[pyo3(signature = (playouts=None, *, seconds=None, seed=0, threads=1, max_steps=100_000, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        playouts: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
        threads: usize,
        max_steps: u64,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        exploring::run(py, &self.shared, playouts, seconds, seed, threads, max_steps, progress)
    }

    /// The initial state.
    fn new_initial_state(&self, py: Python<'_>) -> PyResult<State> {
        self.prepare(py)?;
        State::initial(Arc::clone(&self.shared))
    }

    /// The state in which these fluents hold.
    fn state_of(&self, py: Python<'_>, fluents: Vec<String>) -> PyResult<State> {
        self.prepare(py)?;
        State::of_fluents(Arc::clone(&self.shared), &fluents)
    }

    /// Many matches at once.
    #[pyo3(signature = (n, *, seed=0, auto_reset=true, max_steps=None, observations="bytes", legal="bytes"))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn vector(
        &self,
        py: Python<'_>,
        n: usize,
        seed: u64,
        auto_reset: bool,
        max_steps: Option<u32>,
        observations: Option<&str>,
        legal: Option<&str>,
    ) -> PyResult<VectorEnv> {
        self.prepare(py)?;
        let shape = Shape::new(observations, legal)?;
        VectorEnv::new(
            py,
            Arc::clone(&self.shared),
            n,
            Shared::lane_options(auto_reset, max_steps),
            seed,
            shape,
        )
    }

    /// A game is pickled as its description.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let load = py.import("groundrules._native")?.getattr("load_text")?;
        Ok((load, (self.shared.name.clone(), self.text())))
    }

    /// A game never changes, so it is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<Game {}: {}, {}>", self.shared.name, self.roles().join(" "), self.shared.verdict.words())
    }
}

/// The network of a game. `game.network()` makes it.
#[pyclass(frozen, module = "groundrules")]
pub(crate) struct Network {
    shared: SharedGame,
    network: Arc<groundrules::net::Network>,
}

#[pymethods]
impl Network {
    /// How many gates there are.
    #[getter]
    fn gates(&self) -> usize {
        self.network.gate_count()
    }

    /// How many operands all gates have.
    #[getter]
    fn operands(&self) -> usize {
        self.network.operand_count()
    }

    /// How many fluents there are.
    #[getter]
    fn fluents(&self) -> usize {
        self.network.fluents()
    }

    /// How many moves there are, those of all roles.
    #[getter]
    fn moves(&self) -> usize {
        self.network.moves()
    }

    /// How many groups of gates depend on each other.
    #[getter]
    fn cycles(&self) -> usize {
        self.network.components().len()
    }

    /// A picture, from what is true and done on the left to what follows on the right.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.picture(py)?.svg())
    }

    /// Input for Graphviz.
    fn dot(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.picture(py)?.dot())
    }

    /// Small networks are drawn in notebooks.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if self.network.gate_count() > MOST_DRAWN { Ok(None) } else { self.svg(py).map(Some) }
    }

    fn __repr__(&self) -> String {
        format!("<Network of {}: {} gates>", self.shared.name, self.network.gate_count())
    }
}

/// Larger networks are not drawn unasked: nobody could read the picture.
const MOST_DRAWN: usize = 2_000;

impl Network {
    fn picture(&self, py: Python<'_>) -> PyResult<Picture> {
        let ground = self.shared.compiled.ground().map_err(|error| errors::of_engine(&error))?;
        quietly(py, &Watch::default(), || Picture::of(&self.shared.name, &ground, &self.network))
    }
}

impl Game {
    /// Grounds the game and builds its network, while signals are asked for.
    fn prepare(&self, py: Python<'_>) -> PyResult<()> {
        if !self.shared.is_prepared() {
            self.compute(py, |compiled| {
                compiled.decision();
            })?;
            drop(self.shared.layout());
        }
        Ok(())
    }

    /// Computes something of the compiled game, under a flag that Ctrl-C sets.
    fn compute<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Compiled) -> T + Send) -> PyResult<T> {
        let watch = Watch::default();
        let compiled = self.shared.compiled.cancelled_by(watch.cancel());
        quietly(py, &watch, || work(&compiled))
    }
}
