//! The native part of the Python package `groundrules`: the game as an object, one state at a time, and lanes of many matches.
//! What is only Python (adapters to other packages, search with a network, benchmarks) is in `python/groundrules`.
//!
//! Nothing is decided here: the library loads, compiles, plays and explores. Long computations run on a thread of their own
//! while this one waits for signals, without holding the interpreter (`interrupt`).

// PyO3 extracts arguments into owned values, and functions take them as they are.
#![allow(clippy::needless_pass_by_value)]

mod errors;
mod exploring;
mod game;
mod interrupt;
mod lanes;
mod memory;
mod planes;
mod shared;
mod state;
mod weighted;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::errors::GdlError;
    #[pymodule_export]
    use super::game::{Game, Network};
    #[pymodule_export]
    use super::lanes::VectorEnv;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::{games, load, load_text, main};
}

/// Loads a game: a file, or the name of a game of the library.
#[pyfunction]
fn load(py: Python<'_>, word: std::path::PathBuf) -> PyResult<game::Game> {
    game::loaded(py, py.detach(|| groundrules::load(word)))
}

/// Loads a game from its description.
#[pyfunction]
fn load_text(py: Python<'_>, name: &str, text: &str) -> PyResult<game::Game> {
    game::loaded(py, py.detach(|| groundrules::load_text(name, text)))
}

/// The names of the games of the library.
#[pyfunction]
fn games() -> Vec<&'static str> {
    groundrules::library::games().map(|game| game.id).collect()
}

/// Runs the program with these words, and gives its exit code.
#[pyfunction]
fn main(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| groundrules_cli::run(words))
}
