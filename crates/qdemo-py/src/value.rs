//! Values as Python has them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// JSON as Python's own objects.
pub(crate) fn json_to_py(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Bool(v) => v.into_py_any(py)?,
        Value::Number(v) => match (v.as_i64(), v.as_u64()) {
            (Some(v), _) => v.into_py_any(py)?,
            (None, Some(v)) => v.into_py_any(py)?,
            _ => v.as_f64().into_py_any(py)?,
        },
        Value::String(v) => v.into_py_any(py)?,
        Value::Array(all) => {
            let list = PyList::empty(py);
            all.iter().try_for_each(|v| list.append(json_to_py(py, v)?))?;
            list.into_py_any(py)?
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            map.iter().try_for_each(|(key, v)| dict.set_item(key, json_to_py(py, v)?))?;
            dict.into_py_any(py)?
        }
    })
}

/// Python's own objects as JSON.
pub(crate) fn py_to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = value.py().import("json")?.call_method1("dumps", (value,))?.extract()?;
    serde_json::from_str(&text).map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))
}

/// What serializes, as Python's own objects.
pub(crate) fn serialized(py: Python<'_>, it: &impl serde::Serialize) -> PyResult<Py<PyAny>> {
    let value = serde_json::to_value(it).map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))?;
    json_to_py(py, &value)
}

/// The rows of a batch as dictionaries; what is missing is None.
pub(crate) fn rows(py: Python<'_>, batch: &RecordBatch) -> PyResult<Vec<Py<PyDict>>> {
    let schema = batch.schema();
    let names: Vec<_> = schema.fields().iter().map(|field| pyo3::types::PyString::new(py, field.name())).collect();
    let columns: Vec<_> = batch.columns().iter().map(|column| cells(py, column)).collect::<PyResult<_>>()?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    (0..batch.num_rows())
        .map(|_| {
            let row = PyDict::new(py);
            for (name, column) in names.iter().zip(&mut columns) {
                row.set_item(name, column.next())?;
            }
            Ok(row.unbind())
        })
        .collect()
}

fn cells(py: Python<'_>, column: &dyn Array) -> PyResult<Vec<Py<PyAny>>> {
    let decimal = |v: f32| v.to_string().parse().unwrap_or_else(|_| f64::from(v));
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().iter().map(|v| v.into_py_any(py)).collect(),
        // The shortest decimal, as in CSV and JSON.
        DataType::Float32 => {
            column.as_primitive::<Float32Type>().iter().map(|v| v.map(decimal).into_py_any(py)).collect()
        }
        DataType::Float64 => column.as_primitive::<Float64Type>().iter().map(|v| v.into_py_any(py)).collect(),
        DataType::Boolean => column.as_boolean().iter().map(|v| v.into_py_any(py)).collect(),
        DataType::Utf8 => column.as_string::<i32>().iter().map(|v| v.into_py_any(py)).collect(),
        DataType::Dictionary(..) => {
            let column = column.as_dictionary::<Int32Type>();
            let words = cells(py, column.values())?;
            let word = |key: i32| usize::try_from(key).ok().and_then(|key| words.get(key));
            let keys = column.keys().iter();
            Ok(keys.map(|key| key.and_then(word).map_or_else(|| py.None(), |word| word.clone_ref(py))).collect())
        }
        _ => Ok((0..column.len()).map(|_| py.None()).collect()),
    }
}
