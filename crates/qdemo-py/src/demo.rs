//! A recording.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyFileExistsError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use qdemo::analysis::check::Checks;
use qdemo::container::{self, ContainerKind, Location};
use qdemo::demo::detect::{Detected, detect};
use qdemo::error::{Error, ErrorKind};
use qdemo::replay::{Position, Range};
use qdemo::text::{Options as TextOptions, Style};
use qdemo::world::{Clock, Scene};
use qdemo::{FileKind, Limits, replay, table, text};
use qdemo_inputs::{Item, LenientReader, Wanted, behind_links, only_file, open_one, processors};
use serde::Serialize;

use crate::error::{of_opening, to_py};
use crate::rows::{Rows, Table};
use crate::stream::{Source, sha256};
use crate::{options, value};

/// A recording in memory.
///
/// Each table is a method: `demo.frags()`, `demo.positions(every="100ms")` ... `qdemo.tables()` lists them.
///
/// >>> demo = qdemo.open("testdata/oa-dm4.dm_71")
/// >>> demo.game, demo.format, demo.protocol
/// ('quake3', 'dm3', 71)
/// >>> demo.info["map"]
/// 'oa_dm4'
#[pyclass(frozen, subclass, module = "qdemo")]
pub(crate) struct Demo {
    name: String,
    bytes: Arc<Vec<u8>>,
    detected: Detected,
    containers: Vec<&'static str>,
    error: Option<String>,
    account: Option<serde_json::Value>,
    sha256: OnceLock<String>,
}

/// Name, bytes, containers, error and account.
type Pickled<'py> = (String, Bound<'py, PyBytes>, Vec<&'static str>, Option<String>, Option<String>);

impl Demo {
    /// A recording of these bytes.
    pub(crate) fn read(name: String, bytes: Vec<u8>) -> qdemo::Result<Self> {
        let detected = detect(&bytes, true, &name, Limits::default());
        if detected.kind == FileKind::Unknown {
            return Err(Error::new(ErrorKind::NotADemo(detected.reason)).in_file(&name));
        }
        let bytes = Arc::new(bytes);
        Ok(Demo { name, bytes, detected, containers: Vec::new(), error: None, account: None, sha256: OnceLock::new() })
    }

    /// A recording that was made, and what was done.
    pub(crate) fn made(name: String, bytes: Vec<u8>, account: &impl Serialize) -> qdemo::Result<Self> {
        let account = serde_json::to_value(account).ok();
        Ok(Demo { account, ..Demo::read(name, bytes)? })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn called(&self) -> &str {
        &self.name
    }

    fn source(&self) -> Source {
        let (name, bytes) = (self.name.clone(), Arc::clone(&self.bytes));
        Source::Memory { name, bytes, containers: self.containers.clone(), error: self.error.clone() }
    }

    /// SHA-256 of all of it; of a part it would be another one.
    fn hash(&self) -> Option<&str> {
        self.error.is_none().then(|| self.sha256.get_or_init(|| sha256(&self.bytes)).as_str())
    }
}

fn warn(py: Python<'_>, what: String) -> PyResult<()> {
    py.import("warnings")?.call_method1("warn", (what,)).map(drop)
}

/// Writes a file under its name when all of it is there.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Of links that lead in a circle the system has an error of its own, with a number.
    let target = behind_links(path).map_err(|e| path.canonicalize().err().unwrap_or(e))?;
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(&target, bytes);
    }
    let (mut file, part) = new_beside(&target)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| old.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| fs::rename(&part, &target));
    written.inspect_err(|_| {
        // That it could not be written says more than that it could not be taken away.
        let _ = fs::remove_file(&part);
    })
}

/// A new file with a name of its own in the same folder.
fn new_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().unwrap_or_default();
    let mut n = 0_u32;
    loop {
        let mut part = OsString::from(".");
        part.push(name);
        part.push(format!(".{}-{n}.part", std::process::id()));
        let part = target.with_file_name(part);
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => n += 1,
            file => return Ok((file?, part)),
        }
    }
}

/// What the system says of a file, as Python has it: with its number and the file.
fn of_file(e: &io::Error, path: &Path) -> PyErr {
    let told = e.to_string();
    match e.raw_os_error() {
        Some(number) => {
            let what = told.strip_suffix(&format!(" (os error {number})")).unwrap_or(&told).to_owned();
            // The last one is Windows' number, and passed over elsewhere.
            PyOSError::new_err((number, what, path.as_os_str().to_owned(), number))
        }
        None => PyOSError::new_err(format!("{}: {told}", path.display())),
    }
}

#[pymethods]
impl Demo {
    /// The name that it was opened under.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The format: `dem`, `qwd`, `mvd`, `dm2`, `mvd2`, `dm3`.
    #[getter]
    fn format(&self) -> &'static str {
        self.detected.kind.name()
    }

    /// The game: `quake`, `quakeworld`, `quake2`, `quake3`, whatever mod is played.
    #[getter]
    fn game(&self) -> &'static str {
        self.detected.kind.game()
    }

    /// Number of the protocol.
    #[getter]
    fn protocol(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        let info = self.facts(py)?;
        Ok(info.get("protocol").and_then(serde_json::Value::as_i64))
    }

    /// What it was packed in, the outermost first.
    #[getter]
    fn containers(&self) -> Vec<&'static str> {
        self.containers.clone()
    }

    /// Why the file could not be read to its end, if that is so: the recording has what stands in front of the damage.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What was done to make it, of a recording that an edit made; None of one that was opened.
    #[getter]
    fn account(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.account.as_ref().map(|account| value::json_to_py(py, account)).transpose()
    }

    /// SHA-256 of the recording, whatever it was packed in; None of one that could not be read to its end, as `error` tells.
    #[getter]
    fn sha256(&self, py: Python<'_>) -> Option<&str> {
        py.detach(|| self.hash())
    }

    /// The bytes of the recording, unpacked.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// Writes the recording to a file: whole or not at all, and over another one only with `overwrite`. A link stays one, and
    /// what is no file (a device, a pipe) is written into.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        if path.exists() && !overwrite {
            let number: i32 = py.import("errno")?.getattr("EEXIST")?.extract()?;
            let what = "this file is there already; give overwrite=True";
            return Err(PyFileExistsError::new_err((number, what, path.into_os_string())));
        }
        py.detach(|| write_whole(&path, &self.bytes)).map_err(|e| of_file(&e, &path))
    }

    /// All that it says of itself: the object of `qdemo info --detail --json`, without what that tells of the file.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        value::json_to_py(py, &self.facts(py)?)
    }

    /// A table by its name. `columns` are those that are wanted, in order; `where` says which rows, as for `scan`; `every`
    /// leaves out frames, of positions, entities and frames; `warmup` adds what is played before and after matches to
    /// statistics. Either is refused of a table that has none.
    ///
    /// >>> demo = qdemo.open("testdata/oa-dm4.dm_71")
    /// >>> demo.table("levels", columns=["map", "length_ms"]).rows()
    /// [{'map': 'oa_dm4', 'length_ms': 42050}]
    #[pyo3(signature = (name, *, columns=None, r#where=None, every=None, warmup=false))]
    fn table(
        &self,
        name: &str,
        columns: Option<&Bound<'_, PyAny>>,
        r#where: Option<&Bound<'_, PyAny>>,
        every: Option<&Bound<'_, PyAny>>,
        warmup: bool,
    ) -> PyResult<Table> {
        let table = options::table(name)?;
        let options = options::options(table, every, warmup)?;
        let (layout, _) = options::layout(table, false, columns, r#where)?;
        let hash = self.hash().map(|hash| ("qdemo.sha256".to_owned(), hash.to_owned()));
        let about = [("qdemo.file".to_owned(), self.name.clone())].into_iter().chain(hash);
        Ok(Table::new(self.source(), layout.with_metadata(about), options))
    }

    /// The messages, one after the other: a dictionary each, of `message` (its name), `block`, `index`, times, `offset`, `bytes`
    /// or `bits`, and `fields`, those of `qdemo schema`.
    ///
    /// >>> demo = qdemo.open("testdata/clip.dem")
    /// >>> first = next(demo.messages())
    /// >>> first["message"], first["block"], sorted(first["fields"])
    /// ('print', 0, ['text'])
    #[pyo3(signature = (*, r#where=None))]
    fn messages(&self, r#where: Option<&Bound<'_, PyAny>>) -> PyResult<Rows> {
        let (layout, _) = options::layout(&table::MESSAGES, false, None, r#where)?;
        Ok(Rows::messages(self.source(), layout))
    }

    /// Everything at one moment, as `qdemo state --json` writes it: players, entities, the level. A place is a number of seconds
    /// since the beginning, or a text: `1:30`, on the game's own clock `server:90`, `frame:12`, `block:7`, `end`.
    ///
    /// >>> now = qdemo.open("testdata/oa-dm4.dm_71").at("0:20")
    /// >>> now["demo_ms"], now["level"]["map"]
    /// (20000, 'oa_dm4')
    fn at(&self, py: Python<'_>, place: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let place = options::position(place)?;
        let told = py.detach(|| {
            let (world, end, _) = replay::at(&self.bytes[..], &self.name, Limits::default(), Some(place))?;
            let end = Clock { demo: end, ..world.clock() };
            let is_behind = matches!(place, Position::Demo(_)) && !place.is_reached(None, &end);
            qdemo::Result::Ok((serde_json::to_value(&world).unwrap_or_default(), is_behind.then_some(end.demo)))
        });
        let (world, end) = told.map_err(|e| to_py(&e))?;
        if let Some(end) = end {
            warn(py, format!("{}: ends at {end}, in front of {place}: this is its end", self.name))?;
        }
        value::json_to_py(py, &world)
    }

    /// Whether every byte is understood, as `qdemo verify --json` writes it.
    ///
    /// >>> qdemo.open("testdata/clip.dem").verify()["exact"]
    /// True
    fn verify(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let report = py.detach(|| qdemo::verify::verify(&self.bytes[..], &self.name, Limits::default()));
        value::serialized(py, &report.map_err(|e| to_py(&e))?)
    }

    /// What looks like cheating, breaks rules or was edited, as `qdemo check --json` writes it.
    fn check(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let checks = Checks::default();
        let report =
            py.detach(|| qdemo::analysis::check::check(&self.bytes[..], &self.name, Limits::default(), &checks));
        value::serialized(py, &report.map_err(|e| to_py(&e))?)
    }

    /// Its text, which `qdemo.compile` makes the same recording of. `style` is `text`, `json` (a line for each block) or `lmpc`,
    /// the words of LMPC, which has none for some things: of these there is a warning. In Quake III it has none for what stands
    /// behind the messages of a block and behind the end, and for bytes that are no block: such a text is not for the way back.
    ///
    /// >>> demo = qdemo.open("testdata/clip.dem")
    /// >>> qdemo.compile(demo.decompile()) == demo.data
    /// True
    #[pyo3(signature = (style="text"))]
    fn decompile(&self, py: Python<'_>, style: &str) -> PyResult<String> {
        let style = match style {
            "text" => Style::Text,
            "lmpc" => Style::Lmpc,
            "json" => Style::Json,
            _ => return Err(PyValueError::new_err(format!("{style}: styles are text, lmpc, json"))),
        };
        let options = TextOptions::with_style(style);
        let mut text = Vec::new();
        let done = py.detach(|| text::decompile(&self.bytes[..], &self.name, &mut text, &options));
        let beyond = done.map_err(|e| to_py(&e))?.beyond_lmpc;
        if style == Style::Lmpc && beyond > 0 {
            let pieces = match beyond {
                1 => "1 piece is".to_owned(),
                n => format!("{n} pieces are"),
            };
            let who = if self.detected.kind == FileKind::Dm3 { "compile and LMPC" } else { "LMPC" };
            let what =
                format!("{}: {pieces} beyond LMPC's language; {who} will not give the same recording", self.name);
            warn(py, what)?;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A page that shows it in a browser: one file, which asks the network for nothing. Of the recording's path it has the name
    /// of the file alone.
    fn view(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.detach(|| {
            let threads = processors();
            let (mut replay, _) =
                qdemo::view::read_on(threads, &self.bytes[..], &self.name, Limits::default(), Range::ALL)?;
            replay.without_folder();
            replay.to_html_on(threads)
        });
        page.map_err(|e| to_py(&e))
    }

    /// A page with the numbers of its matches. Of the recording's path it has the name of the file alone.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.detach(|| {
            let (mut report, _) = qdemo::report::read_on(processors(), &self.bytes[..], &self.name, Limits::default())?;
            report.replay.without_folder();
            qdemo::Result::Ok(report.to_html())
        });
        page.map_err(|e| to_py(&e))
    }

    /// What pickle writes: a copy has the bytes, the name, and how it came to be.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let account = self.account.as_ref().map(serde_json::Value::to_string);
        let of = (self.name.clone(), PyBytes::new(py, &self.bytes), self.containers(), self.error.clone(), account);
        Ok((py.get_type::<Demo>().getattr("_pickled")?, of))
    }

    /// A recording as pickle wrote it.
    #[staticmethod]
    fn _pickled(
        name: String,
        bytes: &Bound<'_, PyBytes>,
        containers: Vec<String>,
        error: Option<String>,
        account: Option<&str>,
    ) -> PyResult<Self> {
        let demo = Demo::read(name, bytes.as_bytes().to_vec()).map_err(|e| to_py(&e))?;
        let kinds = containers.iter().filter_map(|name| Some(ContainerKind::by_name(name)?.name()));
        let account = account.and_then(|account| serde_json::from_str(account).ok());
        Ok(Demo { containers: kinds.collect(), error, account, ..demo })
    }

    fn __repr__(&self) -> String {
        format!("<qdemo.Demo {} ({}, {} bytes)>", self.name, self.format(), self.bytes.len())
    }
}

impl Demo {
    fn facts(&self, py: Python<'_>) -> PyResult<serde_json::Value> {
        let info = py.detach(|| replay::info::info(&self.bytes[..], &self.name, Limits::default()));
        Ok(serde_json::to_value(info.map_err(|e| to_py(&e))?).unwrap_or_default())
    }
}

/// Opens a recording: a file, packed or not, a member of an archive (`pak0.pak:demo1.dem`), or bytes of such a file (bytes, a
/// bytearray, a memoryview, an array, or what has a `read`), to which `name` gives a name. Of an archive it is the only demo, or `member`, which is for bytes what stands behind the colon of a path.
///
/// >>> qdemo.open("testdata/clip.dem")
/// <qdemo.Demo testdata/clip.dem (dem, 87295 bytes)>
/// >>> qdemo.open(b"no recording")
/// Traceback (most recent call last):
/// ...
/// qdemo.Error: ...
#[pyfunction]
#[pyo3(signature = (source, *, name=None, member=None))]
pub(crate) fn open(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    name: Option<String>,
    member: Option<&str>,
) -> PyResult<Demo> {
    let limits = Limits::default();
    let members: Vec<_> = member.iter().flat_map(|member| member.split(':')).map(str::to_owned).collect();
    if let Some(bytes) = bytes_of(source)? {
        let own = || source.getattr("name").ok()?.extract().ok();
        let name = name.or_else(own).unwrap_or_else(|| "bytes".to_owned());
        let read = || in_memory(&name, bytes, &members, &limits);
        return py.detach(read).map_err(|e| of_opening(e, Some(&name)));
    }
    let path: PathBuf = source.extract()?;
    let read = || -> anyhow::Result<Demo> {
        let mut location = Location::parse(path.as_os_str());
        location.members.extend(members);
        let item = Item::at(location);
        let source = open_one(&item, Some(Wanted::Demos), &limits)?;
        Ok(of_source(name.unwrap_or_else(|| item.to_string()), source)?)
    };
    py.detach(read).map_err(|e| of_opening(e, None))
}

/// The bytes that something is, holds or reads; None of a path.
fn bytes_of(source: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    let py = source.py();
    if source.is_instance_of::<PyString>() || source.hasattr("__fspath__")? {
        return Ok(None);
    }
    let wrong = |_| {
        let what =
            "a recording is opened by its path (a text or pathlib.Path), of its bytes, or of a file opened with 'rb'";
        PyTypeError::new_err(what)
    };
    let read = if source.hasattr("read")? { source.call_method0("read")? } else { source.clone() };
    if let Ok(bytes) = read.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    let view = py.import("builtins")?.getattr("memoryview")?.call1((read,)).map_err(wrong)?;
    let bytes = view.call_method0("tobytes")?;
    Ok(Some(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// What can be read of a file, and why that is not all of it.
fn of_source(name: String, source: container::Source) -> qdemo::Result<Demo> {
    let containers = source.containers.iter().map(|kind| kind.name()).collect();
    let mut reader = LenientReader::new(source);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let error = match reader.into_fault() {
        Some(fault) if bytes.is_empty() => return Err(fault),
        fault => fault.map(|fault| fault.to_string()),
    };
    Ok(Demo { containers, error, ..Demo::read(name, bytes)? })
}

fn in_memory(name: &str, bytes: Vec<u8>, members: &[String], limits: &Limits) -> anyhow::Result<Demo> {
    let opened = container::open_bytes(name, bytes, members, limits)?;
    let source = only_file(opened, Some(Wanted::Demos), limits)?;
    // As of a file: a member that was found, and not named, is no part of the name.
    let name = members.iter().fold(name.to_owned(), |name, member| name + ":" + member);
    Ok(of_source(name, source)?)
}

/// The recording that a text describes, which `Demo.decompile` or LMPC wrote.
///
/// >>> qdemo.compile("no text of a demo")
/// Traceback (most recent call last):
/// ...
/// qdemo.Error: ...
#[pyfunction]
#[pyo3(signature = (text, *, name="text"))]
pub(crate) fn compile<'py>(py: Python<'py>, text: &str, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = py.detach(|| text::compile_bytes(text.as_bytes(), name)).map_err(|e| to_py(&e))?;
    Ok(PyBytes::new(py, &bytes))
}
