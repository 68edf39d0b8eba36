//! Faults noted while reading goes on: recover mode.

use schemars::JsonSchema;
use serde::Serialize;

use crate::demo::detect::Detected;
use crate::error::{Error, ErrorKind, Moment, Place};
use crate::frame::Diagnostic;

/// Faults with their places. A hostile file can have millions: the first 1,000 are kept, all are counted.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Faults {
    /// What is wrong with the file, in order: the first 1,000 faults.
    #[serde(rename = "faults")]
    kept: Vec<Error>,
    /// How many faults there are.
    #[serde(rename = "fault_count")]
    count: u64,
    #[serde(skip)]
    time: Option<Moment>,
    #[serde(skip)]
    hidden: Option<HiddenFrames>,
}

/// Frames that are whole, and of which nothing is known: what they build on is not in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HiddenFrames {
    /// How many there are.
    pub count: u64,
    /// Demo time of the first one, in milliseconds.
    pub from_demo_ms: i64,
}

impl Faults {
    const MOST: usize = 1_000;

    /// The faults kept, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Error> {
        self.kept.iter()
    }

    /// The faults kept, in order, to keep them longer than the rest.
    pub fn into_vec(self) -> Vec<Error> {
        self.kept
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True when nothing was wrong.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Frames of which nothing is known, as what they build on is not in the recording: of Quake II and Quake III, by who follows
    /// the states. They are no faults of the file: it may be exact.
    pub fn hidden(&self) -> Option<HiddenFrames> {
        self.hidden
    }

    /// Notes a frame of that kind.
    pub(crate) fn hide(&mut self, demo_ms: i64) {
        self.hidden.get_or_insert(HiddenFrames { count: 0, from_demo_ms: demo_ms }).count += 1;
    }

    /// The time of the chunk that is read now, for the faults found in it; `None` keeps the last one.
    pub(crate) fn at(&mut self, time: Option<Moment>) {
        self.time = time.or(self.time);
    }

    /// The time that was told last.
    pub(crate) fn time(&self) -> Option<Moment> {
        self.time
    }

    /// Notes that the file is no demo.
    pub(crate) fn not_a_demo(&mut self, file: &str, detected: &Detected) {
        if self.count == 0 {
            self.count = 1;
            let error = Error::new(ErrorKind::NotADemo(detected.reason.clone())).at_offset(0).in_file(file);
            self.kept.push(error);
        }
    }

    /// Notes that the file ends too early, unless the last fault says so already.
    pub(crate) fn add_unless_cut(&mut self, file: &str, broken: Diagnostic) {
        let cut = self.kept.last().is_some_and(|e| matches!(e.kind, ErrorKind::Truncated { .. }));
        if !cut {
            self.add(file, broken);
        }
    }

    /// Notes what is wrong with a chunk of that time, if anything is.
    pub(crate) fn note(&mut self, file: &str, time: Option<Moment>, broken: Option<Diagnostic>) {
        self.at(time);
        if let Some(broken) = broken {
            self.add(file, broken);
        }
    }

    /// Notes a fault.
    pub(crate) fn add(&mut self, file: &str, broken: Diagnostic) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            let place = Place {
                file: Some(file.to_owned()),
                offset: Some(broken.offset),
                block: broken.block,
                time: self.time,
                message: broken.fault.message,
                field: broken.fault.field,
                after: broken.after,
            };
            self.kept.push(Error { place: Box::new(place), kind: broken.fault.kind() });
        }
    }
}
