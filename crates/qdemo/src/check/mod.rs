//! What a referee asks of a recording: findings, each with its evidence.
//!
//! [`check`] reads a recording once. Independent checks look at each chunk of it: some are built in ([`Checks::list`]), the
//! rest are rules of a [`RuleSet`], a TOML file that anybody can write (`docs/rules.md`). A finding says where it is,
//! what contradicts what, and how bad that is. It is evidence, no verdict on a person.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, check::{Checks, Severity, check}};
//! // A server with cheats allowed says so.
//! let demo: &[u8] = include_bytes!("../../../../testdata/ez-dm.mvd");
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

use std::io::Read;

use serde::Serialize;

pub use found::{Finding, Severity};
pub use rules::RuleSet;
pub use selection::{Checks, Described};

use crate::demo::detect::{Detected, format};
use crate::demo::{Chunk, Reader};
use crate::error::Result;
use crate::faults::Faults;
use crate::json::object;
use crate::limits::Limits;
use crate::world::{Clock, Scene, World};
use found::Found;

/// What [`check`] found.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// What the file was taken for.
    #[serde(rename = "format", serialize_with = "format")]
    pub detected: Detected,
    /// Names of the checks and rules that apply to such a recording and were asked for.
    pub checks: Vec<String>,
    /// The findings in order, at most [`Report::MOST`] of each rule.
    pub findings: Vec<Finding>,
    /// Rules with more findings than that: the name, and how many are left out.
    #[serde(serialize_with = "object")]
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
struct Seen<'s> {
    chunk: &'s Chunk<'s>,
    world: &'s World,
    place: Place,
    /// There is a fault in the chunk.
    broken: bool,
}

/// A check.
trait Probe {
    /// Looks at the next chunk.
    fn step(&mut self, seen: &Seen<'_>, found: &mut Found);
    /// The recording has ended.
    fn finish(&mut self, _world: &World, _at: &Place, _found: &mut Found) {}
}

/// Reads a recording once and tells what a referee should know.
///
/// # Errors
/// A file that is no recording, and whatever reading gives. Damage is a finding.
pub fn check(input: impl Read, name: &str, limits: Limits, checks: &Checks) -> Result<Report> {
    let mut chunks = Reader::new(input, name, limits)?;
    let detected = chunks.detected().clone();
    let mut world = World::of(&detected, name)?;
    let mut probes = checks.probes(detected.kind);
    let mut editing = checks.editing(&detected);
    let mut damage = damage::Damage::new(checks.wants("damage"), checks.wants("end"), detected.kind);
    let mut found = Found::default();
    let mut faults = Faults::default();
    loop {
        let start = chunks.offset();
        let Some(chunk) = chunks.next_chunk()? else { break };
        let broken = world.fold(&chunk);
        let clock = world.clock();
        let (block, offset) = chunk.block().unzip();
        let offset = offset.unwrap_or(start);
        let place = Place { block, offset, clock: Some(clock) };
        if let Some(editing) = &mut editing {
            editing.step(&chunk, &place, &mut found);
        }
        let seen = Seen { chunk: &chunk, world: &world, place, broken: broken.is_some() };
        damage.step(&seen, broken.as_ref(), &mut found);
        for probe in &mut probes {
            probe.step(&seen, &mut found);
        }
        faults.note(name, clock.now, broken);
    }
    let at = Place { block: None, offset: chunks.offset(), clock: Some(world.clock()) };
    damage.finish(&at, &mut found);
    for probe in &mut probes {
        probe.finish(&world, &at, &mut found);
    }
    let (findings, left_out, worst) = found.finish();
    Ok(Report { checks: checks.names(detected.kind), detected, findings, left_out, worst, faults })
}
