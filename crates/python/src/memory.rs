//! The arrays that environments write into. They belong to NumPy and are made once; callers get views of them, and they are
//! lent to the engine for each call.

use std::sync::{Arc, Mutex};

use groundrules::machine::lockstep::{Legal, Observations};
use groundrules::machine::{Arrays, LaneLayout};
use numpy::ndarray::Dimension;
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadwriteArray};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};

use crate::planes::Planes;
use crate::shared::Shared;

/// How observations and legal moves are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    None,
    Bytes,
    Bits,
    Planes,
}

/// What is written.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    observations: How,
    legal: How,
}

impl Shape {
    pub(crate) fn new(observations: Option<&str>, legal: Option<&str>) -> PyResult<Self> {
        let how = |what: &str, word: Option<&str>| match word {
            None => Ok(How::None),
            Some("bytes") => Ok(How::Bytes),
            Some("bits") => Ok(How::Bits),
            Some("planes") if what == "observations" => Ok(How::Planes),
            Some(other) => Err(PyValueError::new_err(format!(
                "{what} are written as \"bytes\", \"bits\"{} or None, not as {other:?}",
                if what == "observations" { ", \"planes\"" } else { "" }
            ))),
        };
        Ok(Shape { observations: how("observations", observations)?, legal: how("legal moves", legal)? })
    }
}

/// Matrices of bytes, of words or of planes, or none.
pub(crate) enum Matrix {
    None,
    Bytes(Py<PyArrayDyn<u8>>),
    Bits(Py<PyArrayDyn<u64>>),
    Planes(Py<PyArrayDyn<u8>>),
}

impl Matrix {
    /// How callers ask for it.
    pub(crate) fn word(&self) -> Option<&'static str> {
        match self {
            Matrix::None => None,
            Matrix::Bytes(_) => Some("bytes"),
            Matrix::Bits(_) => Some("bits"),
            Matrix::Planes(_) => Some("planes"),
        }
    }
}

/// The arrays that lanes write into.
pub(crate) struct Memory {
    pub(crate) observations: Matrix,
    pub(crate) legal: Matrix,
    terminal: Py<PyArray1<u8>>,
    truncated: Py<PyArray1<u8>>,
    rewards: Py<PyArray2<f32>>,
    to_move: Py<PyArray1<i8>>,
    steps: Py<PyArray1<u32>>,
    /// Where fluents stand in planes, and the bits that lanes write before they are laid out so.
    planes: Option<(Arc<Planes>, Mutex<Vec<u64>>)>,
}

/// The most bytes that arrays and lanes may take together: three quarters of what is available, because whoever takes more than
/// there is gets killed.
fn most_bytes() -> usize {
    groundrules::available_memory().map_or(1 << 36, |bytes| bytes / 4 * 3)
}

/// Where arrays begin: JAX takes only such memory without a copy, and wide vectors are written faster to it.
const ALIGNMENT: usize = 64;

/// An array of zeros that begins at a multiple of [`ALIGNMENT`]. NumPy promises less, so it is cut out of a larger one.
fn zeros<T: Element, D: Dimension>(py: Python<'_>, shape: &[usize]) -> PyResult<Py<PyArray<T, D>>> {
    let bytes = shape.iter().product::<usize>() * size_of::<T>();
    let wide = PyArray1::<u8>::zeros(py, [bytes + ALIGNMENT - 1], false);
    let address: usize = wide.getattr("ctypes")?.getattr("data")?.extract()?;
    let begin = address.next_multiple_of(ALIGNMENT) - address;
    let index =
        |place: usize| isize::try_from(place).map_err(|_| PyMemoryError::new_err("arrays are too large"));
    let own = wide.get_item(PySlice::new(py, index(begin)?, index(begin + bytes)?, 1))?;
    let array = own.call_method1("view", (numpy::dtype::<T>(py),))?;
    let array = array.call_method1("reshape", (PyTuple::new(py, shape)?,))?;
    Ok(array.cast_into::<PyArray<T, D>>()?.unbind())
}

impl Memory {
    pub(crate) fn new(
        py: Python<'_>,
        game: &Shared,
        layout: &LaneLayout,
        shape: Shape,
    ) -> PyResult<(Self, Py<PyDict>)> {
        let (n, roles) = (layout.lanes, layout.roles());
        let (fluents, actions, mask) = (layout.fluents(), layout.most_actions(), layout.mask());
        let planes = if shape.observations == How::Planes { Some(game.planes()?) } else { None };
        let seen = planes.as_ref().map_or(fluents, |planes| planes.size() + fluents / 8);
        // Lanes keep a bit for each fluent, and two for each move.
        let each = seen + mask + roles * 4 + 8 + (fluents + 2 * mask) / 8;
        let (most, megabytes) = (most_bytes(), |bytes: usize| bytes >> 20);
        if n.checked_mul(each).is_none_or(|bytes| bytes > most) {
            let text = format!("{n} lanes of {each} bytes do not fit into {} MB", megabytes(most));
            return Err(PyMemoryError::new_err(text));
        }
        let words = |bits: usize| bits.div_ceil(64).max(1);
        let observations = match shape.observations {
            How::None => Matrix::None,
            How::Bytes => Matrix::Bytes(zeros(py, &[n, fluents])?),
            How::Bits => Matrix::Bits(zeros(py, &[n, words(fluents)])?),
            How::Planes => {
                let [c, h, w] = planes.as_ref().map_or([0; 3], |planes| planes.shape());
                Matrix::Planes(zeros(py, &[n, c, h, w])?)
            }
        };
        let legal = match shape.legal {
            How::None => Matrix::None,
            How::Bytes => Matrix::Bytes(zeros(py, &[n, roles, actions])?),
            How::Bits => Matrix::Bits(zeros(py, &[n, words(mask)])?),
            How::Planes => Matrix::None,
        };
        let memory = Memory {
            observations,
            legal,
            terminal: zeros(py, &[n])?,
            truncated: zeros(py, &[n])?,
            rewards: zeros(py, &[n, roles])?,
            to_move: zeros(py, &[n])?,
            steps: zeros(py, &[n])?,
            planes: planes.map(|planes| (planes, Mutex::new(vec![0; n * words(fluents)]))),
        };
        let views = memory.views(py)?;
        Ok((memory, views))
    }

    /// The same memory as callers see it. The arrays themselves stay here, so that nobody changes their shape.
    fn views(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let boolean = py.import("numpy")?.getattr("bool_")?;
        let views = PyDict::new(py);
        let view = |array: &Bound<'_, PyAny>| array.call_method0("view").map(Bound::unbind);
        let flags = |array: &Bound<'_, PyAny>| array.call_method1("view", (&boolean,)).map(Bound::unbind);
        match &self.observations {
            Matrix::None => views.set_item("observations", py.None())?,
            Matrix::Bytes(array) | Matrix::Planes(array) => {
                views.set_item("observations", view(array.bind(py).as_any())?)?;
            }
            Matrix::Bits(array) => views.set_item("observations", view(array.bind(py).as_any())?)?,
        }
        match &self.legal {
            Matrix::None | Matrix::Planes(_) => views.set_item("legal_mask", py.None())?,
            Matrix::Bytes(array) => views.set_item("legal_mask", flags(array.bind(py).as_any())?)?,
            Matrix::Bits(array) => views.set_item("legal_mask", view(array.bind(py).as_any())?)?,
        }
        views.set_item("terminal", flags(self.terminal.bind(py).as_any())?)?;
        views.set_item("truncated", flags(self.truncated.bind(py).as_any())?)?;
        views.set_item("rewards", view(self.rewards.bind(py).as_any())?)?;
        views.set_item("to_move", view(self.to_move.bind(py).as_any())?)?;
        views.set_item("steps", view(self.steps.bind(py).as_any())?)?;
        Ok(views.unbind())
    }

    /// Lends the memory to some work that runs without the interpreter.
    pub(crate) fn lend<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Arrays<'_>) -> T + Send,
    ) -> PyResult<T> {
        let mut observations = self.observations.borrow(py)?;
        let mut bits =
            self.planes.as_ref().map(|(_, bits)| bits.try_lock().map_err(|_| busy())).transpose()?;
        let mut legal = self.legal.borrow(py)?;
        let mut terminal = self.terminal.bind(py).try_readwrite().map_err(|_| busy())?;
        let mut truncated = self.truncated.bind(py).try_readwrite().map_err(|_| busy())?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(|_| busy())?;
        let mut to_move = self.to_move.bind(py).try_readwrite().map_err(|_| busy())?;
        let mut steps = self.steps.bind(py).try_readwrite().map_err(|_| busy())?;
        let mut arrays = Arrays {
            observations: match &mut observations {
                Borrowed::None => Observations::None,
                Borrowed::Bytes(array) => Observations::Bytes(array.as_slice_mut()?),
                Borrowed::Bits(array) => Observations::Bits(array.as_slice_mut()?),
                Borrowed::Planes(_) => {
                    bits.as_mut().map_or(Observations::None, |bits| Observations::Bits(bits.as_mut_slice()))
                }
            },
            legal: match &mut legal {
                Borrowed::None | Borrowed::Planes(_) => Legal::None,
                Borrowed::Bytes(array) => Legal::Bytes(array.as_slice_mut()?),
                Borrowed::Bits(array) => Legal::Bits(array.as_slice_mut()?),
            },
            terminal: terminal.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            to_move: to_move.as_slice_mut()?,
            steps: steps.as_slice_mut()?,
        };
        let result = py.detach(|| work(&mut arrays));
        if let (Borrowed::Planes(array), Some((planes, _)), Some(bits)) =
            (&mut observations, &self.planes, &bits)
        {
            let array = array.as_slice_mut()?;
            py.detach(|| planes.write(bits, array));
        }
        Ok(result)
    }
}

/// A matrix that is lent.
enum Borrowed<'py> {
    None,
    Bytes(PyReadwriteArray<'py, u8, numpy::IxDyn>),
    Bits(PyReadwriteArray<'py, u64, numpy::IxDyn>),
    Planes(PyReadwriteArray<'py, u8, numpy::IxDyn>),
}

impl Matrix {
    fn borrow<'py>(&self, py: Python<'py>) -> PyResult<Borrowed<'py>> {
        Ok(match self {
            Matrix::None => Borrowed::None,
            Matrix::Bytes(array) => Borrowed::Bytes(array.bind(py).try_readwrite().map_err(|_| busy())?),
            Matrix::Bits(array) => Borrowed::Bits(array.bind(py).try_readwrite().map_err(|_| busy())?),
            Matrix::Planes(array) => Borrowed::Planes(array.bind(py).try_readwrite().map_err(|_| busy())?),
        })
    }
}

pub(crate) fn busy() -> PyErr {
    PyRuntimeError::new_err("another thread is using this environment")
}
