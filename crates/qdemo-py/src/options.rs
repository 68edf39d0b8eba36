//! What is asked of tables.

use std::ffi::OsString;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use qdemo::container::Location;
use qdemo::replay::{Position, Range};
use qdemo::table::{Interval, Options, Table};
use qdemo::world::DemoTime;
use qdemo_arrow::{Filter, Layout, Literal, Test};

use crate::error::to_py;

/// The table of a name.
pub(crate) fn table(name: &str) -> PyResult<&'static Table> {
    Table::by_name(name).ok_or_else(|| {
        let all = qdemo::table::TABLES.map(|table| table.name).join(", ");
        PyValueError::new_err(format!("there is no table {name}; there are {all}"))
    })
}

/// A time as users write it: a text such as `1:30` or `100ms`, or a number of seconds.
pub(crate) fn time(given: &Bound<'_, PyAny>) -> PyResult<DemoTime> {
    match given.extract::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(DemoTime((seconds * 1e6).round() as i64)),
        Ok(seconds) => {
            let what = format!("{seconds}: a time is a number of seconds since the beginning, and never negative");
            Err(PyValueError::new_err(what))
        }
        Err(_) => text(given)?.parse().map_err(PyValueError::new_err),
    }
}

fn text(given: &Bound<'_, PyAny>) -> PyResult<String> {
    given.extract().map_err(|_| PyTypeError::new_err("a time is a number of seconds, or a text such as '1:30'"))
}

/// A place in a recording: a number of seconds, or a text such as `1:30`, `server:90`, `frame:12`, `block:7`.
pub(crate) fn position(given: &Bound<'_, PyAny>) -> PyResult<Position> {
    match given.extract::<f64>() {
        Ok(_) => Ok(Position::Demo(time(given)?)),
        Err(_) => text(given)?.parse().map_err(PyValueError::new_err),
    }
}

/// From one place to another.
pub(crate) fn range(start: Option<&Bound<'_, PyAny>>, end: Option<&Bound<'_, PyAny>>) -> PyResult<Range> {
    let range =
        Range { from: start.map_or(Ok(Position::Start), position)?, to: end.map_or(Ok(Position::End), position)? };
    range.check_order().map_err(|e| to_py(&e))?;
    Ok(range)
}

/// What is asked of a table.
pub(crate) fn options(table: &Table, every: Option<&Bound<'_, PyAny>>, warmup: bool) -> PyResult<Options> {
    let mut options = Options::default();
    if let Some(every) = every {
        if !table.has_frames() {
            return Err(PyValueError::new_err(format!(
                "every leaves out frames, and the table {} has none",
                table.name
            )));
        }
        options.every = Interval::ms(time(every)?.ms());
    }
    if warmup && !table.has_warmup() {
        return Err(PyValueError::new_err(format!(
            "warmup adds what is played before and after matches to statistics, and the table {} has none",
            table.name
        )));
    }
    options.warmup = warmup;
    Ok(options)
}

/// Names of columns, where some are given.
fn names(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    let Some(given) = given else { return Ok(None) };
    let wrong = || PyTypeError::new_err("columns is a list of names, such as columns=['weapon', 'victim']");
    // A text is a list of letters, to Python.
    if given.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    let names = given.try_iter().map_err(|_| wrong())?;
    names.map(|name| name?.extract().map_err(|_| wrong())).collect::<PyResult<_>>().map(Some)
}

/// Conditions of a user: a dictionary of values, or a list of (column, comparison, value). Those on the name of the file
/// stand apart.
pub(crate) fn layout(
    table: &'static Table,
    file: bool,
    columns: Option<&Bound<'_, PyAny>>,
    conditions: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Layout, Vec<Test>)> {
    let layout = Layout::new(table);
    let layout = if file { layout.with_file() } else { layout };
    let layout = match names(columns)? {
        Some(columns) if (1..columns.len()).any(|n| columns[..n].contains(&columns[n])) => {
            return Err(PyValueError::new_err("columns names one twice: each can be given once"));
        }
        Some(columns) => layout.with_columns(&columns).map_err(|e| to_py(&e))?,
        None => layout,
    };
    let (mut filters, mut files) = (Vec::new(), Vec::new());
    let mut add = |name: &str, comparison: &str, value: &Bound<'_, PyAny>| -> PyResult<()> {
        if name == "file" && file {
            let test = test(comparison, value, &name_of_file)?;
            if !is_about_texts(&test) {
                return Err(to_py(&refused("the column file is word: it cannot be compared with this")));
            }
            files.push(test);
        } else {
            let test = test(comparison, value, &literal)?;
            filters.push(Filter::new(table, name, test).map_err(|e| to_py(&e))?);
        }
        Ok(())
    };
    if let Some(conditions) = conditions {
        if let Ok(values) = conditions.cast::<PyMapping>() {
            for item in values.items()?.iter() {
                let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                let name: String =
                    name.extract().map_err(|_| PyTypeError::new_err("a condition has the name of a column"))?;
                add(&name, "==", &value)?;
            }
        } else {
            for condition in conditions.try_iter()? {
                let (name, comparison, value): (String, String, Bound<'_, PyAny>) =
                    condition?.extract().map_err(|_| {
                        PyTypeError::new_err(
                            "a condition is (column, comparison, value), such as ('weapon', '==', 'rl')",
                        )
                    })?;
                add(&name, &comparison, &value)?;
            }
        }
    }
    Ok((layout.with_filters(filters), files))
}

/// A condition on values that `literal` reads.
fn test(
    comparison: &str,
    value: &Bound<'_, PyAny>,
    literal: &dyn Fn(&Bound<'_, PyAny>) -> PyResult<Literal>,
) -> PyResult<Test> {
    if value.is_none() {
        return match comparison {
            "==" => Ok(Test::Missing),
            "!=" => Ok(Test::There),
            _ => Err(PyValueError::new_err(format!("{comparison} does not compare with None; == and != do"))),
        };
    }
    Ok(match comparison {
        "==" => Test::Equal(literal(value)?),
        "!=" => Test::NotEqual(literal(value)?),
        "<" => Test::Less(literal(value)?),
        "<=" => Test::AtMost(literal(value)?),
        ">" => Test::Greater(literal(value)?),
        ">=" => Test::AtLeast(literal(value)?),
        // Nothing is the same as what is missing, as in SQL.
        "in" => {
            // A text is a list of letters, to Python.
            if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
                return Err(several());
            }
            let values = value
                .try_iter()
                .map_err(|_| several())?
                .filter(|value| !value.as_ref().is_ok_and(|value| value.is_none()));
            Test::In(values.map(|value| literal(&value?)).collect::<PyResult<_>>()?)
        }
        _ => {
            let what = format!("{comparison}: comparisons are ==, !=, <, <=, >, >=, in");
            return Err(PyValueError::new_err(what));
        }
    })
}

/// What stands behind `in`.
fn several() -> PyErr {
    PyTypeError::new_err("in compares with several values: give a list of them, such as ('weapon', 'in', ['rl', 'gl'])")
}

fn refused(what: &str) -> qdemo::Error {
    qdemo::Error::new(qdemo::error::ErrorKind::Refused(what.to_owned()))
}

/// True for a condition that a text may pass.
fn is_about_texts(test: &Test) -> bool {
    let is_text = |literal: &Literal| matches!(literal, Literal::Text(_));
    match test {
        Test::Equal(it) | Test::NotEqual(it) | Test::Less(it) | Test::AtMost(it) => is_text(it),
        Test::Greater(it) | Test::AtLeast(it) => is_text(it),
        Test::In(all) => all.iter().all(is_text),
        Test::Missing | Test::There => true,
    }
}

fn literal(value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    if let Ok(v) = value.cast::<pyo3::types::PyBool>() {
        return Ok(Literal::Boolean(v.is_true()));
    }
    if let Ok(v) = value.extract::<i64>() {
        return Ok(Literal::Integer(v));
    }
    if let Ok(v) = value.extract::<f64>() {
        return Ok(Literal::Number(v));
    }
    if value.try_iter().is_ok() && !value.is_instance_of::<PyString>() && !value.is_instance_of::<PyBytes>() {
        let what = "one value is compared with: for several give a list of conditions, such as [('weapon', 'in', ['rl', 'gl'])]";
        return Err(PyTypeError::new_err(what));
    }
    // Bytes that are no text, as `os.fsdecode` has them, are shown as everywhere: no text has them.
    let text = value.extract::<String>();
    Ok(Literal::Text(text.or_else(|_| value.extract().map(shown))?))
}

/// A name of a file as `find` has it, or as the column `file` shows it.
fn name_of_file(value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    Ok(match literal(value)? {
        Literal::Text(name) => Literal::Text(shown(name.into())),
        other => other,
    })
}

/// A name without bytes that are no text, and without control characters: these stand in it as `\xNN`.
fn shown(name: OsString) -> String {
    Location::file(name).to_string()
}
