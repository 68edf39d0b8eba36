//! Errors as exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyType;
use qdemo::error::Moment;
use qdemo_inputs::Undecided;

use crate::value::json_to_py;

create_exception!(
    qdemo,
    Error,
    PyException,
    "What went wrong with a recording.\n\nAttributes, each None where it is not known: `file`, `offset` (byte in the unpacked \
     file), `block`, `time` (seconds of the game's clock), `message` and `field` (what was read), `kind` and `advice`."
);

/// What is known of any error: nothing, unless it is set.
pub(crate) fn with_nothing_known(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let error = py.get_type::<Error>();
    let names = ["file", "offset", "block", "time", "message", "field", "kind", "advice"];
    names.iter().try_for_each(|name| error.setattr(*name, py.None()))?;
    Ok(error)
}

/// An error of the library.
pub(crate) fn to_py(e: &qdemo::Error) -> PyErr {
    Python::attach(|py| {
        let raised = PyErr::new::<Error, _>(e.to_string());
        let set = || -> PyResult<()> {
            let (value, place) = (raised.value(py), &e.place);
            value.setattr("file", place.file.as_deref())?;
            value.setattr("offset", place.offset)?;
            value.setattr("block", place.block)?;
            let seconds = place.time.map(|time| match time {
                Moment::Seconds(seconds) => f64::from(seconds),
                Moment::Milliseconds(ms) => f64::from(ms) / 1000.0,
            });
            value.setattr("time", seconds)?;
            value.setattr("message", place.message)?;
            value.setattr("field", place.field)?;
            let told = serde_json::to_value(e).unwrap_or_default();
            value.setattr("kind", json_to_py(py, told.get("kind").unwrap_or(&serde_json::Value::Null))?)?;
            value.setattr("advice", e.advice())
        };
        match set() {
            Ok(()) => raised,
            Err(other) => other,
        }
    })
}

/// An error of opening one recording: a file, or what was `called` so in memory.
pub(crate) fn of_opening(e: anyhow::Error, called: Option<&str>) -> PyErr {
    let it = match e.downcast::<Undecided>() {
        Ok(it) => it,
        Err(e) => return any_to_py(e),
    };
    let advice = match (&it.first, called) {
        (None, _) => Undecided::NOTHING.to_owned(),
        (Some(first), None) => {
            format!(
                "name one of them ({0}:{first}); qdemo.scan({1:?}) reads all",
                it.archive,
                format!("{}:*", it.archive)
            )
        }
        (Some(first), Some(called)) => {
            // An archive in the archive is a member itself.
            let inner = it.archive.strip_prefix(called).unwrap_or_default().trim_start_matches(':');
            let colon = if inner.is_empty() { "" } else { ":" };
            format!("name one of them (member={:?})", format!("{inner}{colon}{first}"))
        }
    };
    Python::attach(|py| {
        let raised = Error::new_err(format!("{}: {}; {advice}", it.archive, it.what));
        let value = raised.value(py);
        let set = value.setattr("file", &it.archive).and_then(|()| value.setattr("kind", "other"));
        match set.and_then(|()| value.setattr("advice", advice)) {
            Ok(()) => raised,
            Err(other) => other,
        }
    })
}

/// An error of what is around the library.
pub(crate) fn any_to_py(e: anyhow::Error) -> PyErr {
    match e.downcast::<qdemo::Error>() {
        Ok(e) => to_py(&e),
        Err(e) => Error::new_err(e.to_string()),
    }
}
