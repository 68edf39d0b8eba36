//! Telling what a file is: by its content first, by its name only when little else tells.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{FileKind, with_format};
use crate::foreign;
use crate::format::{Format, Introduction, Look, Verdict};
use crate::limits::Limits;
use crate::packing::unpacked_name;
use crate::wire::{Fault, FaultKind};

/// What a file was taken for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Detected {
    /// The format.
    #[serde(skip)]
    pub kind: FileKind,
    /// The protocol of the first level, where the beginning tells it: in Quake III, and in `.dm2`. Where that is damaged, the one
    /// that the blocks behind it show.
    #[serde(skip)]
    pub protocol: Option<i32>,
    /// How sure, 0 to 100.
    pub score: u8,
    /// Why, for people.
    pub reason: String,
    /// True when the name of the file promises another format.
    pub name_disagrees: bool,
    /// What the recording is read with in place of its first introduction, which is damaged.
    #[serde(skip)]
    pub(crate) introduction: Option<Introduction>,
    /// More of the file may show what that was.
    #[serde(skip)]
    pub(crate) open: bool,
}

impl Detected {
    /// True where the first introduction of a server is damaged and another one stands for it: the reason says which.
    pub fn is_assumed(&self) -> bool {
        self.introduction.is_some()
    }

    pub(crate) fn unknown_because(&self) -> Fault {
        Fault::new(FaultKind::Malformed("no demo format that qdemo knows"), 0)
    }
}

/// For `serialize_with`, where the name of the format is all that is to be told.
pub(crate) fn format<S: Serializer>(detected: &Detected, serializer: S) -> Result<S::Ok, S::Error> {
    detected.kind.serialize(serializer)
}

/// Looks at the beginning of a file. `at_end` tells that `beginning` is all of it.
///
/// ```
/// use qdemo::{FileKind, Limits, detect::detect};
/// let found = detect(b"HLDEMO\0\0 and so on", true, "crossfire.dem", Limits::default());
/// assert_eq!(found.kind, FileKind::Unknown);
/// assert!(found.reason.contains("Half-Life"));
/// ```
pub fn detect(beginning: &[u8], at_end: bool, name: &str, limits: Limits) -> Detected {
    let extension = extension(name);
    let called = extension.as_deref().map_or(Called::default(), Called::by);
    let unknown = |score, reason: String| Detected {
        kind: FileKind::Unknown,
        protocol: None,
        score,
        reason,
        name_disagrees: called.kind.is_some(),
        introduction: None,
        open: false,
    };
    if let Some(what) = foreign::name(beginning) {
        return unknown(100, what);
    }
    if beginning.is_empty() && at_end {
        return unknown(100, "the file is empty".to_owned());
    }
    let best = best_guess(beginning, at_end, called, limits);
    let score = best.score();
    let Verdict { reason, protocol, introduction, open, .. } = best.verdict;
    // A damaged or odd file may still be a demo if its name says so and something in it looks like one.
    if score < CERTAIN && !(score >= DOUBTFUL && best.named) {
        return unknown(100 - score, reason);
    }
    let as_named = best.named && (called.protocol.is_none() || protocol.is_none() || called.protocol == protocol);
    let name_disagrees = !as_named && extension.is_some();
    Detected { kind: best.kind, protocol, score, reason, name_disagrees, introduction, open }
}

/// The best guess; where several are as good, the one that the name tells, then the first.
fn best_guess(beginning: &[u8], at_end: bool, called: Called, limits: Limits) -> Guess {
    let guess = |kind: FileKind| {
        let named = called.kind == Some(kind);
        let look = Look { beginning, at_end, named, protocol: called.protocol.filter(|_| named), limits };
        let verdict = with_format!(kind, F => F::look(&look), unknown => Verdict::default());
        Guess { kind, verdict, named }
    };
    // What the name tells comes first: when it is certain, nothing can beat it.
    let first = called.kind.unwrap_or(FileKind::Dem);
    let named = guess(first);
    if named.weight() == 100 && named.named {
        return named;
    }
    let others = FileKind::FORMATS.iter().filter(|kind| **kind != first).map(|kind| guess(*kind));
    let mut all: Vec<_> = others.chain([named]).collect();
    let place = |kind: FileKind| FileKind::FORMATS.iter().position(|other| *other == kind);
    all.sort_by_key(|guess| place(guess.kind));
    // The last of those that are as good is taken: the first in order.
    let best = all.into_iter().rev().max_by_key(|guess| (guess.weight(), guess.named));
    best.unwrap_or(Guess { kind: first, verdict: Verdict::default(), named: false })
}

struct Guess {
    kind: FileKind,
    verdict: Verdict,
    /// True when the name of the file says the same, but perhaps for the protocol.
    named: bool,
}

impl Guess {
    /// How sure it is. Without the name a few blocks say little of a beginning that is something else for the most part.
    fn score(&self) -> u8 {
        if self.named { self.verdict.score } else { self.weight() }
    }

    /// What it counts beside others: all, when at least half of what was looked at is read as it says. Where nothing is, the
    /// name of the file still gives it half.
    fn weight(&self) -> u8 {
        let Verdict { score, explained, .. } = self.verdict;
        let explained = explained.min(50);
        let percent = if self.named { 50 + explained } else { 2 * explained };
        (u16::from(score) * u16::from(percent) / 100) as u8
    }
}

/// What the name of a file promises.
#[derive(Debug, Clone, Copy, Default)]
struct Called {
    kind: Option<FileKind>,
    /// The protocol in `.dm_68`; `.dm3` tells none.
    protocol: Option<i32>,
}

impl Called {
    fn by(extension: &str) -> Self {
        if let Some(kind) = FileKind::FORMATS.iter().find(|kind| kind.extensions().contains(&extension)) {
            return Called { kind: Some(*kind), protocol: None };
        }
        let numbered = FileKind::FORMATS.iter().find_map(|kind| Some((*kind, kind.number_in(extension)?)));
        let called = |(kind, number): (FileKind, &str)| Called { kind: Some(kind), protocol: number.parse().ok() };
        numbered.map(called).unwrap_or_default()
    }
}

/// The extension of a file name in small letters; those of what packs it say nothing of what is inside.
fn extension(name: &str) -> Option<String> {
    let file = name.rsplit(['/', '\\', ':']).next()?.to_ascii_lowercase();
    unpacked_name(&file).rsplit_once('.').map(|(_, extension)| extension.to_owned())
}

/// From this score on the content decides alone; below [`DOUBTFUL`] not even the name helps.
const CERTAIN: u8 = 50;
const DOUBTFUL: u8 = 30;
