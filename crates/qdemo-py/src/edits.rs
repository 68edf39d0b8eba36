//! Recordings made of recordings.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use qdemo::analysis::parts::{PartKind, Wanted, parts};
use qdemo::convert::{Target, player_slot};
use qdemo::edit::{self, TimeMap};
use qdemo::merge::Input;
use qdemo::world::DemoTime;
use qdemo::{Limits, Result, merge as merging};
use qdemo_inputs::{camera, rules};
use serde::Serialize;

use crate::demo::Demo;
use crate::error::{any_to_py, to_py};
use crate::{options, value};

/// What an edit made: a recording, and what was done.
fn made(
    py: Python<'_>,
    name: &str,
    make: impl FnOnce() -> Result<(Vec<u8>, Option<serde_json::Value>)> + Send,
) -> PyResult<Demo> {
    py.detach(|| make().and_then(|(bytes, account)| Demo::made(name.to_owned(), bytes, &account)))
        .map_err(|e| to_py(&e))
}

fn told<A: Serialize>((bytes, account): (Vec<u8>, A)) -> (Vec<u8>, Option<serde_json::Value>) {
    (bytes, serde_json::to_value(account).ok())
}

#[pymethods]
impl Demo {
    /// A part, from one place to another, both included: a recording that plays by itself.
    ///
    /// >>> clip = qdemo.open("testdata/oa-dm4.dm_71").cut("0:10", "0:20")
    /// >>> clip.at("end")["demo_ms"]
    /// 10050
    #[pyo3(signature = (start=None, end=None))]
    fn cut(&self, py: Python<'_>, start: Option<&Bound<'_, PyAny>>, end: Option<&Bound<'_, PyAny>>) -> PyResult<Demo> {
        let range = options::range(start, end)?;
        let name = self.called();
        made(py, name, || Ok(told(edit::cut(self.bytes(), name, Limits::default(), range, Vec::new())?)))
    }

    /// A recording of each part: `level`, `match`, `gamestate` (what begins a level), `run` or `round`, as `qdemo split --by` has
    /// them.
    ///
    /// >>> [part.game for part in qdemo.open("testdata/oa-dm4.dm_71").split("level")]
    /// ['quake3']
    #[pyo3(signature = (by="level"))]
    fn split(&self, py: Python<'_>, by: &str) -> PyResult<Vec<Demo>> {
        let kind = PartKind::to_split_by(by).ok_or_else(|| {
            let all = PartKind::SPLITS.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("by={by}: recordings are split by {all}"))
        })?;
        let (name, limits) = (self.called(), Limits::default());
        let split = || -> Result<Vec<Demo>> {
            let (found, _) = parts(self.bytes(), name, limits, &Wanted::new(kind))?;
            let ranges: Vec<_> = found.iter().map(|part| part.range).collect();
            let mut all = Vec::new();
            edit::cut_many(self.bytes(), name, limits, &ranges, &mut |_| Ok(Vec::new()), &mut |n, bytes, account| {
                all.push((n, Demo::made(format!("{name}#{}{n}", kind.name()), bytes, &account)?));
                Ok(())
            })?;
            all.sort_by_key(|(n, _)| *n);
            Ok(all.into_iter().map(|(_, demo)| demo).collect())
        };
        py.detach(split).map_err(|e| to_py(&e))
    }

    /// The same with another run of time, one of: `speed` (of the part between `start` and `end`), `reverse` (of the same),
    /// `loop` (from, to, how often), `freeze` (at, for how long), `shift_ms` of the clock.
    ///
    /// >>> demo = qdemo.open("testdata/oa-dm4.dm_71")
    /// >>> demo.retime(speed=2).at("end")["demo_ms"] < demo.at("end")["demo_ms"]
    /// True
    #[pyo3(signature = (*, speed=None, reverse=false, r#loop=None, freeze=None, shift_ms=None, start=None, end=None))]
    #[allow(clippy::too_many_arguments)]
    fn retime(
        &self,
        py: Python<'_>,
        speed: Option<f64>,
        reverse: bool,
        r#loop: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>, u32)>,
        freeze: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        shift_ms: Option<i64>,
        start: Option<&Bound<'_, PyAny>>,
        end: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Demo> {
        let given = [speed.is_some(), reverse, r#loop.is_some(), freeze.is_some(), shift_ms.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(PyValueError::new_err("give one of speed, reverse, loop, freeze, shift_ms"));
        }
        if (start.is_some() || end.is_some()) && speed.is_none() && !reverse {
            return Err(PyValueError::new_err("start and end are about speed and reverse alone"));
        }
        let range = match (start, end) {
            (None, None) => None,
            (start, end) => Some((
                start.map_or(Ok(DemoTime::default()), options::time)?,
                end.map_or(Ok(TimeMap::END), options::time)?,
            )),
        };
        let map = match (speed, r#loop, freeze, shift_ms) {
            (Some(speed), ..) => TimeMap::speed(speed, range),
            (_, Some((from, to, times)), ..) => TimeMap::repeat(options::time(&from)?, options::time(&to)?, times),
            (_, _, Some((at, length)), _) => TimeMap::freeze(options::time(&at)?, options::time(&length)?),
            (_, _, _, Some(ms)) => Ok(TimeMap::shift(ms)),
            _ => TimeMap::reverse(range),
        };
        let map = map.map_err(|e| to_py(&e))?;
        let name = self.called();
        made(py, name, || Ok(told(edit::retime(self.bytes(), name, Limits::default(), &map, Vec::new())?)))
    }

    /// The same with what is damaged put right, as far as the rest tells it.
    fn repair(&self, py: Python<'_>) -> PyResult<Demo> {
        let name = self.called();
        made(py, name, || Ok(told(edit::repair(|| Ok(self.bytes()), name, Limits::default(), Vec::new())?)))
    }

    /// The same in another protocol or format: `to` is an extension such as `dm_68`, `dem`, `qwd`; where that tells no protocol,
    /// `protocol` does. `player` is whose view is wanted of a recording of all. What is lost stands in `account["losses"]`.
    ///
    /// >>> qdemo.open("testdata/oa-dm2.dm_68").convert("dm_71").protocol
    /// 71
    #[pyo3(signature = (to, *, protocol=None, player=None))]
    fn convert(&self, py: Python<'_>, to: &str, protocol: Option<i32>, player: Option<&str>) -> PyResult<Demo> {
        let target = Target::by_extension(to.trim_start_matches('.'), protocol).map_err(|e| to_py(&e))?;
        let (name, limits) = (self.called(), Limits::default());
        let renamed = std::path::Path::new(name).with_extension(to.trim_start_matches('.')).display().to_string();
        made(py, &renamed, || {
            let target = match player {
                Some(player) => target.of_player(player_slot(self.bytes(), name, limits, player)?),
                None => target,
            };
            Ok(told(qdemo::convert::convert(self.bytes(), name, limits, target, Vec::new())?))
        })
    }

    /// The same with texts, names, looks and values changed: `rules` are those of `qdemo edit --rules`, as TOML or as a
    /// dictionary of the same keys.
    ///
    /// >>> demo = qdemo.open("testdata/oa-dm4.dm_71")
    /// >>> clean = demo.edit({"remove": [{"kinds": ["chat"]}], "sanitize": True})
    /// >>> clean.chat().rows()
    /// []
    fn edit(&self, py: Python<'_>, rules: &Bound<'_, PyAny>) -> PyResult<Demo> {
        let edits = match rules.extract::<String>() {
            Ok(text) => rules::of_toml(&text),
            Err(_) => rules::of_json(value::py_to_json(rules)?),
        };
        let edits = edits.map_err(any_to_py)?;
        let name = self.called();
        made(py, name, || Ok(told(edit::change(self.bytes(), name, Limits::default(), &edits, Vec::new())?)))
    }

    /// The same seen through cameras: `script` is that of `qdemo camera --script`, as TOML.
    fn camera(&self, py: Python<'_>, script: &str) -> PyResult<Demo> {
        let script = camera::parse(script).map_err(any_to_py)?;
        let name = self.called();
        made(py, name, || Ok(told(edit::camera(self.bytes(), name, Limits::default(), &script, Vec::new())?)))
    }
}

/// Several recordings as one, one behind the other.
///
/// >>> demo = qdemo.open("testdata/oa-dm4.dm_71")
/// >>> both = qdemo.join([demo.cut("0", "10"), demo.cut("20", "30")])
/// >>> both.verify()["exact"]
/// True
#[pyfunction]
pub(crate) fn join(py: Python<'_>, demos: Vec<PyRef<'_, Demo>>) -> PyResult<Demo> {
    let demos: Vec<&Demo> = demos.iter().map(|demo| &**demo).collect();
    let inputs = demos.iter().map(|demo| (demo.called().to_owned(), demo.bytes()));
    let inputs: Vec<_> = inputs.collect();
    let name = demos.first().map_or("joined", |demo| demo.called());
    made(py, name, move || Ok(told(edit::join(inputs, Limits::default(), Vec::new())?)))
}

/// Recordings of one match, made by several players, as one that shows all that any of them saw.
///
/// >>> a, b = qdemo.open("testdata/merge-a.dm_71"), qdemo.open("testdata/merge-b.dm_71")
/// >>> len(qdemo.merge([a, b]).account["inputs"])
/// 2
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, demos: Vec<PyRef<'_, Demo>>) -> PyResult<Demo> {
    let demos: Vec<&Demo> = demos.iter().map(|demo| &**demo).collect();
    let name = demos.first().map_or("merged", |demo| demo.called());
    made(py, name, move || {
        let inputs: Vec<_> = demos.iter().map(|demo| Input { name: demo.called(), bytes: demo.bytes() }).collect();
        Ok(told(merging::merge(&inputs, Limits::default(), Vec::new())?))
    })
}
