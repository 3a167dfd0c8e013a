//! Exceptions: `GdlError` for everything that a description is to blame for, with its diagnostics as text and as data; the usual
//! ones of Python for everything that the caller is.

use groundrules::explore::ExploreError;
use groundrules::gdl::{Diagnostic, Lines};
use groundrules::machine::engines::EngineError;
use groundrules::machine::{MachineError, StepError};
use groundrules::{LoadError, SourceError};
use groundrules_command::render::Painter;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

pyo3::create_exception!(
    groundrules,
    GdlError,
    PyValueError,
    "A description is not GDL, or its rules cannot be evaluated. `diagnostics` has what was found, as data."
);

/// Diagnostics as they are drawn for people, without colours.
pub(crate) fn drawn(name: &str, text: &[u8], diagnostics: &[Diagnostic]) -> String {
    let painter = Painter::new(name, text);
    let painted = diagnostics.iter().map(|diagnostic| painter.paint(diagnostic));
    let painted: Vec<String> = painted.map(|text| anstream::adapter::strip_str(&text).to_string()).collect();
    painted.join("\n\n")
}

/// Diagnostics as data.
pub(crate) fn data<'py>(
    py: Python<'py>,
    text: &[u8],
    diagnostics: &[Diagnostic],
) -> PyResult<Bound<'py, PyList>> {
    let lines = Lines::new(text);
    let list = PyList::empty(py);
    for diagnostic in diagnostics {
        let item = PyDict::new(py);
        item.set_item("code", diagnostic.code.id)?;
        item.set_item("severity", diagnostic.severity.word())?;
        item.set_item("message", &diagnostic.message)?;
        item.set_item("help", &diagnostic.help)?;
        // An empty span is no place: the diagnostic is about the whole text.
        let label = diagnostic.labels.first().filter(|label| label.span.start < label.span.end);
        let place = label.map(|label| lines.position(label.span.start));
        item.set_item("line", place.map(|place| place.line))?;
        item.set_item("column", place.map(|place| place.column))?;
        item.set_item("start", label.map(|label| label.span.start))?;
        item.set_item("end", label.map(|label| label.span.end))?;
        list.append(item)?;
    }
    Ok(list)
}

/// Why there is no game.
pub(crate) fn of_loading(py: Python<'_>, error: LoadError) -> PyErr {
    match error {
        LoadError::Invalid(invalid) => {
            let found = &invalid.checked.diagnostics;
            let text = format!("{invalid}\n\n{}", drawn(&invalid.name, &invalid.text, found));
            let error = GdlError::new_err(text);
            let with_data = data(py, &invalid.text, found).and_then(|data| {
                let value = error.value(py);
                value.setattr("diagnostics", data)?;
                value.setattr("name", &invalid.name)
            });
            with_data.err().unwrap_or(error)
        }
        LoadError::Source(error @ SourceError::Unknown { .. }) => {
            PyFileNotFoundError::new_err(error.to_string())
        }
        other => PyOSError::new_err(other.to_string()),
    }
}

/// Why a game cannot be played.
pub(crate) fn of_engine(error: &EngineError) -> PyErr {
    with_no_diagnostics(error.to_string())
}

/// Why rules cannot be evaluated.
pub(crate) fn of_machine(error: &MachineError) -> PyErr {
    with_no_diagnostics(error.to_string())
}

/// Why there is no exploration.
pub(crate) fn of_exploration(error: &ExploreError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Why lanes make no step, with the names of role and move.
pub(crate) fn of_step(error: StepError, layout: &groundrules::machine::LaneLayout) -> PyErr {
    let role = |role: usize| layout.names().roles()[role].clone();
    match error {
        StepError::Machine(error) => of_machine(&error),
        StepError::Illegal { lane, role: of, action, made } => {
            let text = layout.names().move_text(made);
            PyValueError::new_err(format!(
                "lane {lane}: action {action}, {text}, of {} is not legal",
                role(of)
            ))
        }
        StepError::NoSuchAction { lane, role: of, action, count } => {
            let role = role(of);
            PyValueError::new_err(format!(
                "lane {lane}: {action} is no action of {role}, which has 0 to {}",
                count.saturating_sub(1)
            ))
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

fn with_no_diagnostics(text: String) -> PyErr {
    Python::attach(|py| {
        let error = GdlError::new_err(text);
        match error.value(py).setattr("diagnostics", PyList::empty(py)) {
            Ok(()) => error,
            Err(other) => other,
        }
    })
}
