//! Tables: lazily read, and handed out as Arrow or as dictionaries.

use std::collections::VecDeque;
use std::ffi::{CStr, OsString};
use std::sync::{Mutex, PoisonError};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, StructArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use qdemo::table::{Options, TABLES};
use qdemo_arrow::{Chosen, Layout};
use qdemo_inputs::{Found, Inputs, Item, Settings, Wanted};

use crate::options;
use crate::stream::{Failed, Skipped, Source, Stream};
use crate::value;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A table of one recording, or of many. Nothing is read before its rows are asked for, and each time they are it is read
/// anew, batch by batch.
///
/// It hands out Arrow by the PyCapsule interface: give it to `polars.DataFrame`, `pyarrow.table`, `duckdb.sql`,
/// `pandas.DataFrame.from_arrow` as it is. Where reading ends early, by an error or Ctrl-C, these raise exceptions of their own
/// with its words: the interface has nothing else. `to_polars`, `to_pandas`, `to_pyarrow`, `rows` and `batches` raise
/// `qdemo.Error` and `KeyboardInterrupt`.
///
/// >>> frags = qdemo.open("testdata/oa-dm4.dm_71").frags()
/// >>> frags.name, frags.columns[-1]
/// ('frags', 'inferred')
/// >>> [row["weapon"] for row in frags][:3]
/// [None, 'shotgun', None]
#[pyclass(frozen, module = "qdemo")]
pub(crate) struct Table {
    source: Source,
    layout: Layout,
    options: Options,
    skipped: Skipped,
}

impl Table {
    pub(crate) fn new(source: Source, layout: Layout, options: Options) -> Self {
        let skipped = match &source {
            Source::Inputs { skipped, .. } => Skipped::clone(skipped),
            Source::Memory { .. } => Skipped::default(),
        };
        Table { source, layout, options, skipped }
    }

    fn stream(&self) -> Stream {
        Stream::begin(self.source.clone(), self.layout.clone(), self.options.clone())
    }
}

/// What another package makes of the rows. What goes wrong while they are read it tells as an error of its own: then it is the
/// error itself that is given on.
fn made<'py>(
    rows: &Bound<'py, Table>,
    make: impl FnOnce(Bound<'py, Handed>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (table, failed) = (rows.clone().unbind(), Failed::default());
    let handed = Bound::new(rows.py(), Handed { table, failed: Failed::clone(&failed) })?;
    make(handed).map_err(|e| failed.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(e))
}

/// A table on its way to another package.
#[pyclass(frozen, module = "qdemo")]
struct Handed {
    table: Py<Table>,
    failed: Failed,
}

#[pymethods]
impl Handed {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule(py, self.table.get().stream().failing_into(Failed::clone(&self.failed)))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.table.get().__arrow_c_schema__(py)
    }
}

fn capsule(py: Python<'_>, stream: Stream) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(stream)), STREAM)
}

#[pymethods]
impl Table {
    /// Name of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.layout.table().name
    }

    /// What a row is.
    #[getter]
    fn description(&self) -> &'static str {
        self.layout.table().doc
    }

    /// Names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.layout.columns().iter().map(|column| column.name()).collect()
    }

    /// What the columns are: a dictionary each, of `name`, `type`, `unit`, `range` and `description`.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        columns(py, self.layout.columns())
    }

    /// Files that could not be read, or not to their end, in the last reading that is over: pairs of a name and what went
    /// wrong.
    #[getter]
    fn errors(&self) -> Vec<(String, String)> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The batches, as they are read.
    fn batches(&self) -> Batches {
        Batches(self.stream())
    }

    /// The rows as dictionaries, as they are read; what is missing is None.
    fn __iter__(&self) -> Rows {
        Rows { stream: self.stream(), rows: Mutex::default(), messages: false }
    }

    /// All rows as a list of dictionaries.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
        let (stream, mut all) = (self.stream(), Vec::new());
        while let Some(batch) = stream.next_batch(py)? {
            all.extend(value::rows(py, &batch)?);
        }
        Ok(all)
    }

    /// All rows as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made(slf, |rows| rows.py().import("polars")?.call_method1("DataFrame", (rows,)))
    }

    /// All rows as a `pandas.DataFrame`.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made(slf, |rows| rows.py().import("pandas")?.getattr("DataFrame")?.call_method1("from_arrow", (rows,)))
    }

    /// All rows as a `pyarrow.Table`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made(slf, |rows| rows.py().import("pyarrow")?.call_method1("table", (rows,)))
    }

    /// The rows as a stream of Arrow batches, by the PyCapsule interface. A schema that is asked for is not looked at, as the
    /// interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule(py, self.stream())
    }

    /// What batches are made of, by the PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.layout.schema().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(|e| PyValueError::new_err(e.to_string()))?, SCHEMA)
    }

    fn __repr__(&self) -> String {
        let of = match &self.source {
            Source::Memory { name, .. } => name.clone(),
            Source::Inputs { paths, .. } => {
                paths.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>().join(", ")
            }
        };
        format!("<qdemo.Table {} of {of}>", self.name())
    }
}

/// Batches of a table, as they are read. Threads may share them: each batch goes to one of them.
#[pyclass(frozen, module = "qdemo")]
pub(crate) struct Batches(Stream);

#[pymethods]
impl Batches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        Ok(self.0.next_batch(py)?.map(Batch))
    }
}

/// Rows of a table, as many as were read at once: at most some ten thousand. It hands out Arrow by the PyCapsule interface.
#[pyclass(frozen, module = "qdemo")]
pub(crate) struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The rows as a list of dictionaries.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
        value::rows(py, &self.0)
    }

    /// What it is made of, by the PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(|e| PyValueError::new_err(e.to_string()))?, SCHEMA)
    }

    /// Its rows, by the PyCapsule interface. A schema that is asked for is not looked at, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        PyTuple::new(py, [self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, ARRAY)?])
    }
}

/// Rows as dictionaries, as they are read. Threads may share them: each row goes to one of them.
#[pyclass(frozen, module = "qdemo")]
pub(crate) struct Rows {
    stream: Stream,
    /// Those of a batch that are not asked for yet. Nothing of Python's runs while they are locked.
    rows: Mutex<VecDeque<Py<PyDict>>>,
    /// The fields of messages become dictionaries of their own.
    messages: bool,
}

impl Rows {
    pub(crate) fn messages(source: Source, layout: Layout) -> Self {
        Rows { stream: Stream::begin(source, layout, Options::default()), rows: Mutex::default(), messages: true }
    }
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyDict>>> {
        let rows = || self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = loop {
            let first = rows().pop_front();
            if let Some(row) = first {
                break row;
            }
            let Some(batch) = self.stream.next_batch(py)? else { return Ok(None) };
            let more = value::rows(py, &batch)?;
            rows().extend(more);
        };
        if self.messages {
            let row = row.bind(py);
            if let Some(json) = row.get_item("json")? {
                row.del_item("json")?;
                let fields: serde_json::Value = serde_json::from_str(&json.extract::<String>()?).unwrap_or_default();
                let fields = value::json_to_py(py, &fields)?;
                let fields = fields.bind(py).cast::<PyDict>()?;
                // It stands in front already.
                let _ = fields.del_item("message");
                row.set_item("fields", fields)?;
            }
        }
        Ok(Some(row))
    }
}

/// A table over many recordings: files, folders, patterns, archives, one path or a list of them.
///
/// Rows come in the order of the recordings, whatever the number of threads (`jobs`; 0: one for each processor), and each has
/// the name of its recording in the column `file`, where control characters and bytes that are no text stand as `\xNN`: `find`
/// has the names that lead back. `where` says which rows are wanted: `{"weapon": "shotgun"}`, or a list of
/// `(column, comparison, value)` with ==, !=, <, <=, >, >=, in; `None` stands for what is missing, and `file` may be compared
/// with either name. What cannot be read is left out and listed in `errors`; with `errors="raise"` the first one is raised.
///
/// >>> frags = qdemo.scan("testdata", table="frags", columns=["file", "attacker"], where={"weapon": "shotgun"})
/// >>> len(frags.rows())
/// 6
#[pyfunction]
#[pyo3(signature = (paths, *, table, columns=None, r#where=None, every=None, warmup=false, jobs=0, errors="skip"))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn scan(
    paths: &Bound<'_, PyAny>,
    table: &str,
    columns: Option<&Bound<'_, PyAny>>,
    r#where: Option<&Bound<'_, PyAny>>,
    every: Option<&Bound<'_, PyAny>>,
    warmup: bool,
    jobs: i64,
    errors: &str,
) -> PyResult<Table> {
    let raise = match errors {
        "skip" => false,
        "raise" => true,
        _ => return Err(PyValueError::new_err(format!("errors={errors}: it is \"skip\" or \"raise\""))),
    };
    let jobs = usize::try_from(jobs).map_err(|_| {
        PyValueError::new_err(format!("jobs={jobs}: it is a number of threads; 0: one for each processor"))
    })?;
    let paths = all_paths(paths)?;
    let table = options::table(table)?;
    let options = options::options(table, every, warmup)?;
    let (layout, files) = options::layout(table, true, columns, r#where)?;
    let source = Source::Inputs { paths, jobs, raise, files, skipped: Skipped::default() };
    Ok(Table::new(source, layout, options))
}

/// One path, or several.
fn all_paths(paths: &Bound<'_, PyAny>) -> PyResult<Vec<OsString>> {
    let what =
        "recordings are named by a path, or by a list of paths: texts or pathlib.Path (os.fsdecode makes one of bytes)";
    let wrong = |_| PyTypeError::new_err(what);
    let one = |path: &Bound<'_, PyAny>| path.extract::<std::path::PathBuf>().map(OsString::from);
    match one(paths) {
        Ok(path) => Ok(vec![path]),
        // A list of numbers, to Python.
        Err(e) if paths.is_instance_of::<PyBytes>() => Err(wrong(e)),
        Err(_) => paths.try_iter().map_err(wrong)?.map(|path| one(&path?).map_err(wrong)).collect(),
    }
}

/// The recordings that `scan` reads of files, folders, patterns and archives: their names, each with the size of the file in
/// bytes, None for what lies in an archive. `open` and `scan` take the names; bytes in them that are no text stand there as
/// `os.fsdecode` has them. What cannot be opened has a name too.
///
/// >>> qdemo.find(["testdata/clip.dem"])
/// [('testdata/clip.dem', 87295)]
#[pyfunction]
pub(crate) fn find(py: Python<'_>, paths: &Bound<'_, PyAny>) -> PyResult<Vec<(OsString, Option<u64>)>> {
    let paths = all_paths(paths)?;
    Ok(py.detach(|| {
        let items = Inputs::gather(&paths, Wanted::Demos, Settings::default()).items();
        let found = items.filter_map(|found| match found {
            Found::Item(item) => Some(item),
            _ => None,
        });
        let size = |item: &Item| item.is_file().then(|| std::fs::metadata(item.path()).ok()).flatten();
        found.map(|item| (item.argument(), size(&item).map(|file| file.len()))).collect()
    }))
}

/// Every table: a dictionary each, of `name`, `description` and `columns`, and of each column `name`, `type`, `unit`, `range`
/// and `description`.
///
/// >>> [table["name"] for table in qdemo.tables()][:3]
/// ['demos', 'levels', 'matches']
#[pyfunction]
pub(crate) fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for table in TABLES {
        let about = PyDict::new(py);
        about.set_item("name", table.name)?;
        about.set_item("description", table.doc)?;
        about.set_item("has_frames", table.has_frames())?;
        about.set_item("has_warmup", table.has_warmup())?;
        let of: Vec<_> = table.columns.iter().map(Chosen::Of).collect();
        about.set_item("columns", columns(py, &of)?)?;
        all.append(about)?;
    }
    Ok(all)
}

fn columns<'py>(py: Python<'py>, all: &[Chosen]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for chosen in all {
        let about = PyDict::new(py);
        about.set_item("name", chosen.name())?;
        if let Chosen::Of(column) = chosen {
            about.set_item("type", column.values.type_name())?;
            about.set_item("unit", column.unit)?;
            about.set_item("range", column.range.map(|range| (range.least, range.greatest)))?;
            about.set_item("description", column.doc)?;
        } else {
            about.set_item("type", "word")?;
            about.set_item("unit", "")?;
            about.set_item("range", py.None())?;
            about.set_item("description", "The recording as it was named.")?;
        }
        list.append(about)?;
    }
    Ok(list)
}
