//! A replay as data: what a page or a picture needs of a recording, of whichever game, small enough to be sent to friends.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, replay::Range, view::{self, Replay, TrackOf}};
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let (replay, faults) = view::read(demo, "ez-dm.mvd", Limits::default(), Range::ALL)?;
//! assert!(faults.is_empty());
//! let packed = replay.to_bytes()?;
//! assert_eq!(Replay::from_bytes(&packed)?, replay);
//!
//! // Where was the player of slot 0 after two seconds?
//! let row = replay.row_at(2_000).expect("it is longer");
//! let track = replay.tracks.iter().find(|track| track.of == TrackOf::Player(0) && track.at(row).is_some());
//! println!("{:?}", track.and_then(|track| track.at(row)).map(|key| key.origin()));
//! # Ok(()) }
//! ```
//!
//! # What a replay holds
//!
//! Its *rows* are moments, in milliseconds since the recording began: every one that the recording shows. What was where
//! are *tracks*, one for as long as a player or another entity was in view; a track has a *key* at each row in which the
//! place or the angles changed, and stands still until the next. What a player is and has are *values*: likewise a key at
//! each row in which one changed; a name has two where one player goes and another comes. What happened is told in words: the
//! *marks* of the header, [`About`].
//!
//! Places are eighths of a unit, angles 65536ths of a turn, so that a place is off by a sixteenth of a unit at most, and an
//! angle by 0.003 degrees.
//!
//! # The layout
//!
//! The bytes of [`Replay::to_bytes`] are a stream of zlib (RFC 1950). Unpacked it is:
//!
//! * the eight letters `qdreplay`;
//! * the size of the header, 4 bytes, the lowest first;
//! * the header: [`About`] as JSON. Its `columns` tell name and size of the columns that follow, in their order.
//!
//! A column is a list of numbers. A *count* has seven bits in a byte, the lowest first; the highest bit says that more
//! follow. A *number* may be less than 0: it is the count 0, 1, 2, 3, 4 for 0, -1, 1, -2, 2, and so on. In the columns
//! stand, one behind the other until the column is over:
//!
//! | column | what |
//! |---|---|
//! | `row` | of each row the number of milliseconds since the one before, the first since 0 |
//! | `track` | of each track counts: 0 and the slot of a player; or 1 for the eyes through which the recording looks; or 2, the number of an entity, its kind and its model, or the name of the item that it is (strings); then the row with which it begins, for how many rows it lasts, how many keys it has |
//! | `key` | of each key of each track the count of rows since the key before, for the first since the track begins: 0 |
//! | `x` `y` `z` | of each key the number of eighths of a unit by which the place differs from the one expected: the place of the key before, and where that is one row back, and was itself no first key, on by what it differs from its own (its *step*), times the milliseconds since that key by those between the two, to the nearest eighth, a half away from 0; both count as 1 unless both are from 1 to 199; of the first key from 0 |
//! | `pitch` `pitch_high` `yaw` `yaw_high` `roll` `roll_high` | of each key a byte: the lower and the higher one of the number of 65536ths of a turn by which the angle differs from the one expected: that of the key before, and half of what that one, if it is no first key, had turned since its own, rounded down; of the first key from 0; it has 16 bits, and 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4 |
//! | `values` | of each list of values counts: the slot and 1, or 0 for the world; the name (a string); how many keys |
//! | `value_row` | of each key of each list the count of rows since the key before, the first since 0 |
//! | `value` | of each key 0 where nothing is told any more, else 1 and the count of the number by which the value differs from the last one that was told, the first from 0 |
//! | `shot` | of each shot counts: rows since the shot before, the slot, the weapon (a string) |
//! | `beam` | of each beam counts: rows since the beam before, the entity that it comes from; and six numbers, where it begins and ends in eighths of a unit, each as the difference to the beam before |
//! | `damage` | of each damage counts: rows since the damage before; the victim's slot and 1, or 0 where it is not told; the attacker's likewise; how much |
//! | `floor` | of each level counts: its number, how many cells; and of each cell three numbers, differences to the cell before: x and y in cells of 16 units, z in units |
//! | `map` | of each level of which there is a map counts: its number, how many corners; of each corner three numbers, differences to the corner before, in units; the count of models; of each the count of triangles; and of each triangle three numbers of corners, each as the difference to the one before |
//!
//! *Strings* are numbers in the header's `strings`. Names of values are `name`, `team` and `weapon`, whose values are
//! strings; `health`, `armor`, `ammo`, `frags`, `ping`; `spectator`, 1 for one who only watches; and what the player
//! carries, by the names that `qdemo state` has. Those of the world are `view`, the slot of the player through whose eyes
//! the recording looks; `paused`, 1 while the game stands still; `intermission`, 1 while everybody looks at the scores from one
//! place, where that is told: not in Quake II; and `score_` with the name of a team in small letters, its score
//! where the game counts it itself: `score_red` and `score_blue` in Quake III, the rounds won in Clan Arena of QuakeWorld.
//! Those of Quake III that are told up to two seconds behind a match are its own: a part
//! that ends with the match ends with them.

mod about;
mod bsp;
mod builder;
mod columns;
mod encode;
mod floor;
mod following;
mod having;
mod index;
mod map;
mod packing;
mod page;
mod part;
mod people;
mod rounds;
mod slots;
mod strings;
mod threads;
mod track;

use std::io::Read;

pub use about::{About, Column, LevelAt, Mark, MarkKind, MatchAt, Who};
pub use builder::Builder;
pub use floor::{CELL, Floor};
pub(crate) use index::Index;
pub use map::Map;
pub use page::{PageSources, page_sources};
pub(crate) use page::{escaped, source};
pub(crate) use slots::one_each;
pub use track::{Key, Track, TrackOf, Values};

use crate::analysis::highlight::{Criteria, Finder, Highlight};
use crate::demo::Faults;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::limits::Limits;
use crate::pipe::{PipeEntry, pipe};
use crate::replay::{Analyser, InOrder, Pass, Range, Step, timeline};

/// Version of the layout.
pub const VERSION: u32 = 4;

/// What the value is called that is a player's name.
const NAME: &str = "name";

/// Values of the world that are 1 while the game stands still, and while everybody looks at the scores.
pub(crate) const PAUSED: &str = "paused";
pub(crate) const INTERMISSION: &str = "intermission";

/// What a page or a picture needs of a recording: see the [module](self).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Replay {
    /// What it says in words.
    pub about: About,
    /// The moments, in milliseconds since the recording began; they only grow.
    pub rows: Vec<i64>,
    /// What was where.
    pub tracks: Vec<Track>,
    /// What players are and have.
    pub values: Vec<Values>,
    /// Shots, by row.
    pub shots: Vec<Shot>,
    /// Beams of lightning guns, by row: Quake, QuakeWorld.
    pub beams: Vec<Beam>,
    /// Damage done, by row, where the recording tells.
    pub damage: Vec<Damage>,
    /// Where players stood, of each level.
    pub floors: Vec<Floor>,
    /// Maps of levels, where there are any.
    pub maps: Vec<Map>,
}

/// A shot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shot {
    /// The row.
    pub row: u32,
    /// Slot of the player who shoots.
    pub slot: u32,
    /// Number of the weapon in [`About::strings`].
    pub weapon: u32,
}

/// A beam between two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beam {
    /// The row.
    pub row: u32,
    /// Number of the entity that it comes from; players have their slot and 1.
    pub entity: u32,
    /// Where it begins, in eighths of a unit.
    pub from: [i32; 3],
    /// Where it ends.
    pub to: [i32; 3],
}

/// Damage that somebody takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The row.
    pub row: u32,
    /// Slot of who takes it, where that is told.
    pub victim: Option<u32>,
    /// Slot of who does it, where that is told.
    pub attacker: Option<u32>,
    /// How much, health and armour together: what of it the victim had left to lose, where that is known.
    pub amount: u32,
}

impl Beam {
    fn ends(&self) -> [i32; 6] {
        let ([a, b, c], [d, e, f]) = (self.from, self.to);
        [a, b, c, d, e, f]
    }
}

impl Replay {
    /// Leaves out where the recording lay, which is nobody's business: the name of its file stays.
    pub fn without_folder(&mut self) {
        let file = &mut self.about.file;
        let name = file.rfind(['/', '\\']).map_or(0, |at| at + 1);
        file.drain(..name);
    }

    /// The row that shows a moment: the last one up to then. `None` before the first.
    pub fn row_at(&self, demo_ms: i64) -> Option<u32> {
        let after = self.rows.partition_point(|row| *row <= demo_ms);
        u32::try_from(after.checked_sub(1)?).ok()
    }

    /// A value of a player, or with no slot of the world, by its name.
    pub fn values_of(&self, slot: Option<u32>, name: &str) -> Option<&Values> {
        let is = |values: &&Values| values.slot == slot && self.string(values.name) == name;
        self.values.iter().find(is)
    }

    /// The names of players, a list for each slot that has some.
    pub(crate) fn names(&self) -> impl Iterator<Item = (u32, &Values)> {
        let is = |values: &&Values| self.string(values.name) == NAME;
        self.values.iter().filter(is).filter_map(|values| Some((values.slot?, values)))
    }

    /// True for the number of a name: what is empty is none.
    fn is_name(&self, number: i64) -> bool {
        u32::try_from(number).is_ok_and(|number| !self.string(number).is_empty())
    }

    /// The number of the name that somebody has at a row, of the names of a slot.
    pub(crate) fn name_at(&self, names: &Values, row: u32) -> Option<i64> {
        names.at(row).filter(|name| self.is_name(*name))
    }

    /// The first row in which somebody has a name, of the names of a slot.
    pub(crate) fn named_since(&self, names: &Values) -> Option<u32> {
        let named = names.keys.iter().find(|(_, name)| name.is_some_and(|name| self.is_name(name)));
        named.map(|(row, _)| *row)
    }

    /// A string by its number; empty for a number that has none.
    pub fn string(&self, number: u32) -> &str {
        self.about.strings.get(number as usize).map_or("", String::as_str)
    }
}

/// Reads a part of a recording once and gives it as a replay, and what is wrong with the file.
///
/// # Errors
/// A file that is no recording, a place that it cannot have, a part of which it shows nothing, and whatever reading gives.
pub fn read(input: impl Read, name: &str, limits: Limits, range: Range) -> Result<(Replay, Faults)> {
    read_on(1, input, name, limits, range)
}

/// [`read`] on so many threads: a second one looks at what happens while this one looks at what is where. The replay is
/// the same.
///
/// # Errors
/// As [`read`], and a thread that cannot be had.
pub fn read_on(
    threads: usize,
    mut input: impl Read,
    name: &str,
    limits: Limits,
    range: Range,
) -> Result<(Replay, Faults)> {
    read_beside(threads, &mut input, name, limits, range, &mut |_: &Step<'_>| Ok(()))
}

/// [`read_on`], with another one who looks at all of the recording. Compiled here and not again for each type of input.
pub(crate) fn read_beside(
    threads: usize,
    input: &mut dyn Read,
    name: &str,
    limits: Limits,
    range: Range,
    other: &mut dyn Analyser,
) -> Result<(Replay, Faults)> {
    range.check_order()?;
    let mut builder = Builder::new(range).called(name);
    let pass = &Pass::new(limits);
    if threads < 2 {
        let (told, faults) = tell(pass, input, name, vec![&mut builder, other])?;
        return Ok((finished(builder, &told, name, range)?, faults));
    }
    let (to, mut along) = pipe();
    let (told, faults) = std::thread::scope(|scope| {
        let beside =
            std::thread::Builder::new().spawn_scoped(scope, move || tell(pass, &mut along, name, Vec::new()))?;
        // With the tee the pipe ends, whatever ended the reading.
        let seen = pass.run(Tee { input, to }, name, &mut [&mut builder, other]);
        let told = beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        seen.and(told)
    })?;
    Ok((finished(builder, &told, name, range)?, faults))
}

/// Reads an input, and puts what it reads into a pipe.
struct Tee<'r> {
    input: &'r mut dyn Read,
    to: PipeEntry,
}

impl Read for Tee<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.input.read(buf)?;
        self.to.put(buf.get(..n).unwrap_or_default());
        Ok(n)
    }
}

/// The replay of a part.
///
/// # Errors
/// A part of which the recording shows nothing.
fn finished(builder: Builder, told: &Told, name: &str, range: Range) -> Result<Replay> {
    let replay = builder.finish(&told.events, &told.highlights, &told.timeline);
    if replay.rows.is_empty() && range != Range::ALL {
        let what = format!("nothing lies between {} and {}", range.from, range.to);
        return Err(Error::new(ErrorKind::Absent(what)).in_file(name));
    }
    Ok(replay)
}

/// What happened, as far as a replay tells it.
struct Told {
    events: Vec<Event>,
    highlights: Vec<Highlight>,
    timeline: timeline::Timeline,
}

/// Looks at what happened, with others who look at the recording.
fn tell(pass: &Pass, input: &mut dyn Read, name: &str, others: Vec<&mut dyn Analyser>) -> Result<(Told, Faults)> {
    let (mut events, mut finder) = (Vec::new(), Finder::new(Criteria::default()));
    let mut timeline = timeline::Builder::new();
    let mut in_order = InOrder::new(|event: &Event| {
        if MarkKind::is_of(&event.kind) {
            events.push(event.clone());
        }
        Ok(())
    });
    let mut all: Vec<&mut dyn Analyser> = vec![&mut in_order, &mut finder, &mut timeline];
    all.extend(others.into_iter().map(|it| it as &mut dyn Analyser));
    let faults = pass.run(input, name, &mut all)?;
    Ok((Told { events, highlights: finder.take(), timeline: timeline.finish() }, faults))
}
