//! Two recordings compared by what they mean.
//!
//! The same thing can be said in many bytes: in other packets, as differences to other frames, with mask bits set in vain.
//! [`diff()`] finds the moments of one recording in the other, and tells which messages and states differ there, field by
//! field, under the names that text and JSON have.
//!
//! * A **moment** is all that a recording tells for one time on its clock. Moments are found again by the game's own clock (server
//!   time, frame number, the recorder's clock), and by what their messages say where a format has none (`.mvd`, `.mvd2`): so a
//!   piece that was cut out is found in what it was cut from.
//! * **Messages** that say something by themselves, such as a print or a sound, are compared one by one: added, removed,
//!   changed, moved.
//! * **States** are compared after each moment. Messages that lead to states, such as a snapshot, differ only where the state
//!   does; else they are counted as told otherwise ([`Summary::otherwise`]).
//!
//! Each recording is read twice, and 32 bytes are kept of each moment. Recordings of different formats are compared by
//! levels, players, and what happened; so are those of QuakeWorld's clients that two players made, as each has a clock of its own
//! and was told other things, and those of which no moment is found again, though the same happened in both, at the same times.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::demo::Recording;
//! use qdemo::diff::{Change, Input, Options, What, diff};
//! use qdemo::format::dem::{Dem, Message};
//! let original = std::fs::read("../../testdata/clip.dem")?;
//! let mut demo = Recording::<Dem>::read(original.to_vec(), "clip.dem")?;
//! let count = demo.edit_messages(|message| match message {
//!     Message::Print(print) => {
//!         print.text = b"another text".to_vec().into();
//!         true
//!     }
//!     _ => false,
//! });
//! let changed = demo.to_bytes()?;
//! let (a, b) = (Input::bytes("a.dem", &original), Input::bytes("b.dem", &changed));
//! let summary = diff(&a, &b, &Options::default(), &mut |difference| {
//!     let What::Message { change, message, fields } = &difference.what else { panic!() };
//!     assert_eq!((*change, *message, fields[0].path.as_str()), (Change::Changed, "print", "text"));
//!     Ok(())
//! })?;
//! assert_eq!((summary.differences, summary.counts.changed), (count as u64, count as u64));
//! # Ok(()) }
//! ```

mod align;
mod fields;
mod fingerprint;
mod meaning;
mod messages;
mod other;
mod scan;
mod state;
mod walk;

use std::io::Read;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::demo::detect::Detected;
use crate::demo::{Faults, FileKind, Reader, with_format};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Nothing, row};
use crate::kinds::kinds;
use crate::limits::Limits;
use crate::world::{Clock, ClockKind, DemoTime};
use align::By;

pub use fields::Field;

/// A recording that can be read from its beginning more than once.
pub struct Input<'i> {
    name: &'i str,
    open: Box<dyn Fn() -> Result<Box<dyn Read + 'i>> + 'i>,
}

impl<'i> Input<'i> {
    /// A recording that `open` opens each time anew. `name` decides its format only when the content does not.
    pub fn new(name: &'i str, open: impl Fn() -> Result<Box<dyn Read + 'i>> + 'i) -> Self {
        Input { name, open: Box::new(open) }
    }

    /// A recording in memory.
    pub fn bytes(name: &'i str, bytes: &'i [u8]) -> Self {
        Input::new(name, move || Ok(Box::new(bytes)))
    }

    fn open(&self) -> Result<Box<dyn Read + 'i>> {
        (self.open)()
    }

    fn detect(&self, limits: Limits) -> Result<Detected> {
        let detected = Reader::new(self.open()?, self.name, limits)?.detected().clone();
        match detected.kind {
            FileKind::Unknown => Err(Error::new(ErrorKind::NotADemo(detected.reason)).in_file(self.name)),
            _ => Ok(detected),
        }
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How recordings are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Bounds on what the files may make us do.
    pub limits: Limits,
    /// The second recording begins at this time of the first one; `None`: find out.
    pub offset: Option<DemoTime>,
}

impl Options {
    /// The same with bounds.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Options { limits, ..self }
    }

    /// The same with the second recording beginning at a time of the first.
    #[must_use]
    pub fn with_offset(self, offset: Option<DemoTime>) -> Self {
        Options { offset, ..self }
    }
}

/// A place in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlaceInRecording")]
pub struct Place {
    /// The time.
    #[serde(flatten)]
    pub clock: Clock,
    /// Number of the block, from 0; in `.mvd` of the record.
    pub block: u64,
}

kinds! {
    /// One of the two recordings.
    pub enum Which {
        /// The first.
        A = "a",
        /// The second.
        B = "b",
    }
}

kinds! {
    /// What became of a message from the first recording to the second.
    pub enum Change {
        /// It is only in the second.
        Added = "added",
        /// It is only in the first.
        Removed = "removed",
        /// Fields of it are others.
        Changed = "changed",
        /// It is at another time, or in another place among those of its time.
        Moved = "moved",
    }
}

kinds! {
    /// What comparing two recordings comes to.
    pub enum Verdict {
        /// The same bytes.
        Identical = "identical",
        /// Other bytes that mean the same.
        Same = "same",
        /// They differ.
        Different = "different",
    }
}

kinds! {
    /// How moments of one recording were found in the other.
    pub enum Alignment {
        /// Byte by byte.
        Bytes = "bytes",
        /// By the game's own clock.
        Clock = "clock",
        /// By what their messages say.
        Content = "content",
        /// By the time since the beginning, as asked for.
        Offset = "offset",
        /// Not at all: the formats or those who recorded are different, or no moment is the same, and what happened is
        /// compared.
        Events = "events",
        /// Nothing was found again.
        Nothing = "nothing",
    }
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// Where in the first recording; `None` where it has nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Place>,
    /// Where in the second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Place>,
    /// What differs.
    #[serde(flatten)]
    pub what: What,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "difference", rename_all = "snake_case")]
#[non_exhaustive]
pub enum What {
    /// A stretch is only in one recording.
    Stretch {
        /// In which.
        only_in: Which,
        /// Where its last moment is.
        to: Place,
        /// Moments in it.
        moments: u64,
        /// Messages in it.
        messages: u64,
    },
    /// A message differs.
    Message {
        /// What became of it.
        change: Change,
        /// Its name.
        message: &'static str,
        /// The fields that differ; all of a message that is only in one recording, none of one that was moved.
        fields: Vec<Field>,
    },
    /// States differ that were the same before.
    State {
        /// The first fields of the world in which they differ, named as `qdemo state --json` has them.
        fields: Vec<Field>,
        /// How many more there are.
        more: u64,
    },
    /// One recording begins here, and says nothing of some fields of the other one's state. No difference, it is not counted.
    Untold {
        /// The first of these fields.
        fields: Vec<Field>,
        /// How many more there are.
        more: u64,
    },
    /// States are the same again: no difference, but the end of one. It is not counted.
    SameAgain {
        /// For so many moments they differed.
        moments: u64,
    },
    /// From here on one recording runs late, by another time than before.
    Shift {
        /// By how much the first recording is later than before.
        #[serde(rename = "by_ms")]
        by: DemoTime,
    },
    /// Something happened in one recording only: of recordings that are compared by what happened.
    Event {
        /// In which.
        only_in: Which,
        /// What: kind, names, texts.
        event: Value,
    },
}

row! {
    /// One of the recordings.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub struct Side {
        /// Its name.
        pub file: String,
        /// Its format.
        pub format: FileKind,
        /// Its protocol, where that is known beforehand.
        pub protocol: Option<i32>,
        /// Bytes in the file.
        pub bytes: u64,
        /// Its length.
        #[serde(rename = "length_ms")]
        pub length: DemoTime,
        /// Maps of its levels.
        pub levels: Vec<String>,
        /// Frames of the server.
        pub frames: u64,
        /// Blocks.
        pub blocks: u64,
        /// Messages; those that are sent again and those that say nothing are not counted.
        pub messages: u64,
        /// Frags, chat, matches and runs.
        pub events: u64,
        /// Who played, by name, and with which last score.
        pub players: Vec<Score>,
        /// Faults in the file.
        pub faults: u64,
    }
    known |_| -> Nothing { Nothing {} }
}

/// A player and the last score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlayerScore")]
pub struct Score {
    /// The name in plain characters.
    pub name: String,
    /// The score; `None` where it was not told.
    pub frags: Option<i32>,
}

/// A stretch that both recordings have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Common {
    /// Where it is in the first recording.
    #[serde(serialize_with = "span")]
    #[schemars(with = "Span")]
    pub a: [DemoTime; 2],
    /// Where it is in the second one.
    #[serde(serialize_with = "span")]
    #[schemars(with = "Span")]
    pub b: [DemoTime; 2],
    /// Moments in it.
    pub moments: u64,
    /// Messages in it, as the second recording has them.
    pub messages: u64,
}

/// A stretch of a recording.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StretchOfRecording")]
struct Span {
    /// Its beginning in milliseconds since the first moment of the recording.
    from_demo_ms: DemoTime,
    /// Its end in milliseconds since the first moment of the recording.
    to_demo_ms: DemoTime,
}

fn span<S: Serializer>([from, to]: &[DemoTime; 2], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    Span { from_demo_ms: *from, to_demo_ms: *to }.serialize(serializer)
}

/// How many differences there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Stretches that are only in the first recording.
    pub only_in_a: u64,
    /// Stretches that are only in the second.
    pub only_in_b: u64,
    /// Messages that are only in the second.
    pub added: u64,
    /// Messages that are only in the first.
    pub removed: u64,
    /// Messages of which fields differ.
    pub changed: u64,
    /// Messages that were moved.
    pub moved: u64,
    /// How often states begin to differ, or to differ in more.
    pub states: u64,
    /// How often one recording begins to run late.
    pub shifts: u64,
    /// Events that are only in one recording, of recordings that are compared by what happened.
    pub events: u64,
    /// Facts that differ: levels, players, scores of recordings that are compared by what happened.
    pub facts: u64,
}

row! {
    /// What comparing two recordings comes to.
    #[derive(Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Summary {
        /// The answer.
        pub verdict: Verdict,
        /// How many differences there are.
        pub differences: u64,
        /// The same by kind.
        pub counts: Counts,
        /// How moments were found again.
        pub aligned_by: Alignment,
        /// What both have, stretch by stretch: the first 1,000.
        pub common: Vec<Common>,
        /// Moments that both have.
        pub moments: u64,
        /// Moments of these in which states differ.
        pub states_differ: u64,
        /// Where states differ first.
        #[serde(skip)]
        pub first_state: Option<[Place; 2]>,
        /// Messages that lead to the same states in other words.
        #[serde(rename = "told_otherwise")]
        pub otherwise: u64,
        /// Events that both have: frags, chat, matches and runs, in order.
        pub common_events: u64,
        /// The first recording.
        pub a: Side,
        /// The second one.
        pub b: Side,
        /// What is wrong with either file; nothing of the second where it is identical.
        #[serde(skip)]
        pub faults: [Faults; 2],
    }
    |summary| -> Whole { Whole { part: summary.part() } }
}

/// Whether one recording is all that the other has of some time.
#[derive(Serialize, JsonSchema)]
struct Whole {
    /// Where one recording is a part of the other, perhaps with differences inside it; null where none is.
    part: Option<Part>,
}

/// One recording is a part of the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PartOfOther")]
pub struct Part {
    /// Which one is the part.
    pub part: Which,
    /// Where it begins in the whole one.
    #[serde(rename = "from_demo_ms")]
    pub from: DemoTime,
    /// Where it ends there.
    #[serde(rename = "to_demo_ms")]
    pub to: DemoTime,
}

impl Summary {
    /// Where one recording is a part of the other, perhaps with differences inside it: all its moments are in one stretch of the other.
    pub fn part(&self) -> Option<Part> {
        let [common] = self.common.as_slice() else { return None };
        match (self.counts.only_in_a, self.counts.only_in_b) {
            (1.., 0) => Some(Part { part: Which::B, from: common.a[0], to: common.a[1] }),
            (0, 1..) => Some(Part { part: Which::A, from: common.b[0], to: common.b[1] }),
            _ => None,
        }
    }

    /// Differences besides the stretches that only one recording has.
    pub fn inside(&self) -> u64 {
        self.differences - self.counts.only_in_a - self.counts.only_in_b
    }
}

/// Compares two recordings, and hands out what differs in the order of their times.
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give. Damage is no error: bytes that are no message are
/// compared as bytes.
pub fn diff(
    a: &Input<'_>,
    b: &Input<'_>,
    options: &Options,
    each: &mut dyn FnMut(&Difference) -> Result<()>,
) -> Result<Summary> {
    let limits = options.limits;
    let (one, two) = (a.detect(limits)?, b.detect(limits)?);
    if one.kind != two.kind {
        return other::compare(a, b, [&one, &two], limits, each);
    }
    let same = same_bytes(a.open()?, b.open()?)?;
    with_format!(one.kind, F => {
        let left = scan::scan::<F>(a, &one, limits)?;
        if same && one.protocol == two.protocol {
            return Ok(identical(left, b.name));
        }
        let right = scan::scan::<F>(b, &two, limits)?;
        let by = match (options.offset, left.clock) {
            (Some(offset), _) => By::Offset(offset.0),
            (None, ClockKind::Recording) => By::Content,
            (None, _) => By::Clock,
        };
        let (both, asked) = ([&left, &right], options.offset.is_some());
        let is_related = walk::are_related(both);
        let comparable = asked || !other::are_of_two_clients(both);
        let runs =
            if is_related && comparable { align::moments(&left.moments, &right.moments, by) } else { Vec::new() };
        if is_related && !asked && runs.is_empty() && other::show_the_same_game(both) {
            return other::by_events((a, b), [left, right], limits, each);
        }
        let summary = walk::walk::<F>((a, b), [&left, &right], (&runs, by), limits, each)?;
        Ok(Summary { faults: [left.faults, right.faults], ..summary })
    }, unknown => Err(Error::new(ErrorKind::NotADemo(one.reason)).in_file(a.name)))
}

/// True when both are the same, byte for byte.
fn same_bytes(mut a: impl Read, mut b: impl Read) -> Result<bool> {
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let (n, m) = (fill(&mut a, &mut left)?, fill(&mut b, &mut right)?);
        if left.get(..n) != right.get(..m) {
            return Ok(false);
        }
        if n == 0 {
            return Ok(true);
        }
    }
}

/// Reads until a buffer is full, or nothing is left.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(filled)
}

/// What there is to say of a recording and its copy.
fn identical(scan: scan::Scan, name: &str) -> Summary {
    let whole = scan.moments.first().zip(scan.moments.last()).map(|(first, last)| {
        let span = [DemoTime(first.time), DemoTime(last.time)];
        let messages = scan.moments.iter().map(|moment| u64::from(moment.messages)).sum();
        Common { a: span, b: span, moments: scan.moments.len() as u64, messages }
    });
    Summary {
        verdict: Verdict::Identical,
        differences: 0,
        counts: Counts::default(),
        aligned_by: Alignment::Bytes,
        common: whole.into_iter().collect(),
        moments: scan.moments.len() as u64,
        states_differ: 0,
        first_state: None,
        otherwise: 0,
        common_events: scan.side.events,
        b: Side { file: name.to_owned(), ..scan.side.clone() },
        a: scan.side,
        faults: [scan.faults, Faults::default()],
    }
}
