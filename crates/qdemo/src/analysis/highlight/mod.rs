//! What is worth seeing again: many kills in a short time, without dying, or with one shot; hits on players in the air;
//! shots right after a turn. Each comes with the numbers that justify it.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::Limits;
//! use qdemo::replay::Options;
//! use qdemo::analysis::highlight::{Criteria, HighlightKind, highlights};
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let criteria = Criteria { kills: 2, ..Criteria::default() };
//! let (found, _) = highlights(demo, "oa-dm4.dm_71", Limits::default(), &Options::default(), &criteria)?;
//! for it in found.iter().filter(|it| it.kind == HighlightKind::MultiKill) {
//!     assert!(it.count >= 2);
//! }
//! # Ok(()) }
//! ```

mod display;
mod finder;
mod track;

use std::borrow::Cow;
use std::io::Read;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub use finder::Finder;

use crate::demo::Faults;
use crate::error::Result;
use crate::event::{PlayerRef, Reason};
use crate::json::{Decimal, Known, decimal, decimals, known};
use crate::kinds::kinds;
use crate::limits::Limits;
use crate::replay::{Options, Pass};
use crate::world::{Clock, DemoTime};

kinds! {
    /// The kinds of highlights, as `--kind` and the key `highlight` name them.
    pub enum HighlightKind {
        /// Several kills, each soon after the one before.
        MultiKill = "multikill",
        /// Many kills without dying.
        Streak = "streak",
        /// Several kills at one moment with one weapon that shoots once.
        OneShot = "one_shot",
        /// A rocket or a grenade hits somebody who is in the air.
        MidAir = "midair",
        /// A kill with a weapon that hits at once, right after the view turned far.
        Flick = "flick",
    }
}

/// What counts as a highlight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Criteria {
    /// Kills of a [`HighlightKind::MultiKill`], at least 2.
    pub kills: u32,
    /// At most this time lies between two of them.
    pub within: DemoTime,
    /// Kills of a [`HighlightKind::Streak`].
    pub streak: u32,
    /// So long the victim of a [`HighlightKind::MidAir`] is in the air.
    pub air: DemoTime,
    /// So far, in degrees, the view turns for a [`HighlightKind::Flick`] ...
    pub turn: f32,
    /// ... in this time.
    pub turn_within: DemoTime,
}

impl Default for Criteria {
    fn default() -> Self {
        Criteria {
            kills: 3,
            within: DemoTime::from_ms(3000),
            streak: 5,
            air: DemoTime::from_ms(500),
            turn: 40.0,
            turn_within: DemoTime::from_ms(150),
        }
    }
}

/// Something worth seeing again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Highlight {
    /// What it is.
    #[serde(rename = "highlight")]
    pub kind: HighlightKind,
    /// Number of the block that tells of it first, from 0; in `.mvd` of the record.
    pub block: u64,
    /// Offset of that block's messages in the file.
    pub offset: u64,
    /// When it begins.
    #[serde(flatten)]
    pub clock: Clock,
    /// How long it lasts: from the first kill to the last.
    #[serde(rename = "lasted_ms")]
    pub lasted: DemoTime,
    /// Who did it.
    pub player: PlayerRef,
    /// Kills, or hits.
    pub count: u32,
    /// With what; empty where it was more than one weapon, or none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub weapon: Cow<'static, str>,
    /// Whom it hit, the first 64.
    pub victims: Vec<PlayerRef>,
    /// False for a hit that the victim survived.
    pub killed: bool,
    /// The numbers of this kind.
    #[serde(flatten, serialize_with = "known")]
    #[schemars(with = "Known<Proof>")]
    pub proof: Proof,
}

impl Highlight {
    /// Victims that are listed by name.
    pub const VICTIMS: usize = 64;

    /// The moment at which it is over.
    pub fn end(&self) -> DemoTime {
        DemoTime(self.clock.demo.0.saturating_add(self.lasted.0))
    }
}

/// What justifies a highlight.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct Proof {
    /// Degrees by which the view turned, and the time that this took.
    #[serde(flatten, serialize_with = "turned")]
    #[schemars(with = "Turned")]
    pub turned: Option<(f32, DemoTime)>,
    /// So long the victim was in the air when it was hit.
    #[serde(rename = "airborne_ms")]
    pub airborne: Option<DemoTime>,
    /// How many units higher, or lower, than where that began.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Decimal")]
    pub height: Option<f32>,
    /// Units between the two players.
    #[serde(serialize_with = "decimals")]
    #[schemars(with = "Decimal")]
    pub distance: Option<f32>,
    /// How it is known, where the recording does not say so itself.
    pub inferred: Option<Reason>,
}

/// A turn of the view.
#[derive(Serialize, JsonSchema)]
struct Turned {
    /// Degrees by which the view turned.
    turned: Option<f64>,
    /// The time that this took, in milliseconds.
    turned_ms: Option<DemoTime>,
}

fn turned<S: Serializer>(turned: &Option<(f32, DemoTime)>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let (degrees, time) = turned.unzip();
    Turned { turned: decimal(degrees), turned_ms: time }.serialize(serializer)
}

/// Reads a recording once and gives its highlights by time, and what is wrong with the file. `options` may have
/// texts of deaths to know.
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
pub fn highlights(
    input: impl Read,
    name: &str,
    limits: Limits,
    options: &Options,
    criteria: &Criteria,
) -> Result<(Vec<Highlight>, Faults)> {
    let mut finder = Finder::new(*criteria);
    let faults = Pass::new(limits).with(options.clone()).run(input, name, &mut [&mut finder])?;
    let mut found = finder.take();
    found.sort_by_key(|it| it.clock.demo);
    Ok((found, faults))
}
