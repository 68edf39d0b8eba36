//! What a referee asks of a recording: findings, each with its evidence.
//!
//! [`check`] reads a recording once. Independent checks look at each chunk of it: some are built in ([`Checks::list`]), the
//! rest are rules of a [`RuleSet`], a TOML file that anybody can write (`docs/rules.md`). A finding says where it is,
//! what contradicts what, and how bad that is. It is evidence, no verdict on a person.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::Limits;
//! use qdemo::analysis::check::{Checks, Severity, check};
//! // A server with cheats allowed says so.
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let report = check(demo, "ez-dm.mvd", Limits::default(), &Checks::default())?;
//! assert_eq!(report.worst, Some(Severity::Violation));
//! assert!(report.findings.iter().any(|finding| finding.rule == "quakeworld/cheats"));
//! # Ok(()) }
//! ```

mod commands;
mod damage;
mod editing;
mod found;
mod godmode;
mod impulse;
mod order;
mod rules;
mod selection;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;

pub use found::{Finding, Severity};
pub use rules::RuleSet;
pub use selection::{Checks, Described};

use crate::demo::detect::{Detected, format};
use crate::demo::{AnyVisitor, Chunk, Faults, FileKind};
use crate::error::{Error, ErrorKind, Result};
use crate::json::object;
use crate::limits::Limits;
use crate::replay::{Analyser, Options, Pass, Step, World};
use crate::world::Clock;
use found::Findings;

/// What [`check`] found.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CheckReport")]
#[non_exhaustive]
pub struct Report {
    /// What the file was taken for.
    #[serde(rename = "format", serialize_with = "format")]
    #[schemars(with = "FileKind")]
    pub detected: Detected,
    /// Names of the checks and rules that apply to such a recording and were asked for.
    pub checks: Vec<String>,
    /// The findings in order, at most 20 of each rule.
    pub findings: Vec<Finding>,
    /// Rules with more findings than that: the name, and how many are left out.
    #[serde(serialize_with = "object")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub left_out: Vec<(String, u64)>,
    /// The worst of all findings.
    pub worst: Option<Severity>,
    /// What is wrong with the file. The check `damage` finds it too.
    #[serde(skip)]
    pub faults: Faults,
}

impl Report {
    /// Findings of one rule that are kept; a hostile file can have millions.
    pub const MOST: u64 = 20;
}

/// Where something is in a recording.
#[derive(Debug, Clone, Copy)]
struct Place {
    block: Option<u64>,
    offset: u64,
    clock: Option<Clock>,
}

/// A chunk, and the world after it.
#[derive(Clone, Copy)]
struct ChunkSeen<'s> {
    chunk: &'s Chunk<'s>,
    world: &'s World,
    place: Place,
    /// There is a fault in the chunk.
    broken: bool,
}

/// A check.
trait Probe {
    /// What is to see the messages of the next chunk, in front of the step. One probe at most has that.
    fn visitor(&mut self, _: FileKind) -> Option<AnyVisitor<'_>> {
        None
    }
    /// Looks at the next chunk.
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings);
    /// The recording has ended.
    fn finish(&mut self, _world: &World, _at: &Place, _found: &mut Findings) {}
}

/// Looks for findings, in a [`Pass`].
#[derive(Debug)]
pub struct Checker<'c> {
    checks: &'c Checks,
    started: Option<Started>,
}

/// The checks that apply to the recording, and what they have found so far.
struct Started {
    detected: Detected,
    damage: damage::Damage,
    probes: Vec<Box<dyn Probe>>,
    found: Findings,
}

impl<'c> Checker<'c> {
    /// Before a recording.
    pub fn new(checks: &'c Checks) -> Self {
        Checker { checks, started: None }
    }

    fn started(&mut self, detected: &Detected) -> &mut Started {
        self.started.get_or_insert_with(|| Started::new(self.checks, detected))
    }

    /// What was found, once the pass is over; `None` without a pass. The faults of the file are those that
    /// [`Pass::run`] gives.
    pub fn finish(self) -> Option<Report> {
        let Started { detected, found, .. } = self.started?;
        let (findings, left_out, worst) = found.finish();
        let checks = self.checks.names(detected.kind);
        Some(Report { checks, detected, findings, left_out, worst, faults: Faults::default() })
    }
}

impl Analyser for Checker<'_> {
    fn visitor(&mut self, detected: &Detected) -> Option<AnyVisitor<'_>> {
        self.started(detected).probes.iter_mut().find_map(|probe| probe.visitor(detected.kind))
    }

    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        let Started { damage, probes, found, .. } = self.started(step.detected);
        let clock = Some(step.clock());
        let Some(chunk) = step.chunk else {
            let end = Place { block: None, offset: step.offset, clock };
            damage.finish(&end, found);
            probes.iter_mut().for_each(|probe| probe.finish(step.world, &end, found));
            return Ok(());
        };
        let (block, offset) = chunk.block().unzip();
        let place = Place { block, offset: offset.unwrap_or(step.offset), clock };
        let seen = ChunkSeen { chunk, world: step.world, place, broken: step.diagnostic.is_some() };
        damage.step(&seen, step.diagnostic, found);
        probes.iter_mut().for_each(|probe| probe.step(&seen, found));
        Ok(())
    }
}

impl Started {
    fn new(checks: &Checks, detected: &Detected) -> Self {
        Started {
            damage: damage::Damage::new(checks.wants("damage"), checks.wants("end"), detected.kind),
            probes: checks.probes(detected.kind),
            found: Findings::default(),
            detected: detected.clone(),
        }
    }
}

impl fmt::Debug for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Started").field("detected", &self.detected).finish_non_exhaustive()
    }
}

/// Reads a recording once and tells what a referee should know.
///
/// # Errors
/// A file that is no recording, and whatever reading gives. Damage is a finding.
pub fn check(input: impl Read, name: &str, limits: Limits, checks: &Checks) -> Result<Report> {
    let mut checker = Checker::new(checks);
    let pass = Pass::new(limits).with(Options { without_events: true, ..Options::default() });
    let faults = pass.run(input, name, &mut [&mut checker])?;
    let report =
        checker.finish().ok_or_else(|| Error::new(ErrorKind::Malformed("no step of the recording was seen")))?;
    Ok(Report { faults, ..report })
}
