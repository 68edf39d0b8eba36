//! One error type for the whole library: where it happened, what it was, what to do next.
//!
//! An [`Error`] is a [`Place`] (file, byte offset, block, time, message, field) and a [`ErrorKind`].
//! Its `Display` is one line that says all three: what, where, and what to do.
//! The same type serves as a diagnostic: in recover mode a fault is noted and reading goes on.

use std::{fmt, io};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::json::{decimal, decimals, row};
use crate::limits::Bound;

/// The result of every fallible function of the library.
pub type Result<T> = std::result::Result<T, Error>;

row! {
    /// Something that went wrong, with its place.
    #[derive(Debug, PartialEq)]
    pub struct Error {
        /// Where it happened, as far as known. Boxed so that a `Result` stays small.
        #[serde(flatten)]
        pub place: Box<Place>,
        /// What happened.
        #[serde(skip)]
        pub kind: ErrorKind,
    }
    |error| -> InWords {
        InWords { kind: error.kind.name(), what: error.kind.to_string(), advice: error.advice() }
    }
}

/// What went wrong, in words.
#[derive(Serialize, JsonSchema)]
struct InWords {
    /// What it is: `truncated`, `malformed`, `unknown_message`, `unsupported`, `limit`, `not_a_demo` or `other`.
    kind: &'static str,
    /// The same in words for people.
    what: String,
    /// What follows from it, or what to do, in words for people.
    advice: &'static str,
}

/// Where in the input something happened. Every part is optional: a file that cannot be opened has no offset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    /// Name of the file, and of the member when it lies in a container (`pak0.pak:demo1.dem`); `output` for what an edit writes to,
    /// where that has no name of its own.
    #[serde(skip)]
    pub file: Option<String>,
    /// Byte offset in the (unpacked) file.
    pub offset: Option<u64>,
    /// Number of the block, counted from 0.
    pub block: Option<u64>,
    /// Last time stamp seen before this place, on the server's clock.
    #[serde(flatten, serialize_with = "seconds_or_ms")]
    #[schemars(with = "SecondsOrMs")]
    pub time: Option<Moment>,
    /// Name of the message being read or written.
    pub message: Option<&'static str>,
    /// Name of the field being read or written.
    pub field: Option<&'static str>,
    /// The messages read in the same block just before, oldest first (at most 3).
    #[serde(skip)]
    pub after: Vec<&'static str>,
}

/// A time stamp, of which at least one key is null.
#[derive(Serialize, JsonSchema)]
struct SecondsOrMs {
    /// Last time stamp before this place on the server's clock, in seconds; null where the format has no seconds.
    time: Option<f64>,
    /// The same in milliseconds; null where the format has seconds.
    time_ms: Option<i32>,
}

fn seconds_or_ms<S: Serializer>(time: &Option<Moment>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let (seconds, time_ms) = match *time {
        Some(Moment::Seconds(s)) => (Some(s), None),
        Some(Moment::Milliseconds(ms)) => (None, Some(ms)),
        None => (None, None),
    };
    SecondsOrMs { time: decimal(seconds), time_ms }.serialize(serializer)
}

/// A time as the format has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moment {
    /// Seconds: Quake.
    Seconds(f32),
    /// Milliseconds: Quake III.
    Milliseconds(i32),
}

impl Moment {
    /// True for a moment before another one on the same clock.
    pub(crate) fn is_before(self, other: Self) -> bool {
        match (self, other) {
            (Moment::Seconds(a), Moment::Seconds(b)) => a < b,
            (Moment::Milliseconds(a), Moment::Milliseconds(b)) => a < b,
            _ => false,
        }
    }
}

/// As the number that the format has.
impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Moment::Seconds(s) => decimals(s, serializer),
            Moment::Milliseconds(ms) => ms.serialize(serializer),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Seconds(s) => write!(f, "{s} s"),
            Moment::Milliseconds(ms) => write!(f, "{ms} ms"),
        }
    }
}

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused to read or write.
    Io(io::Error),
    /// The input ends in the middle of something.
    Truncated {
        /// Bytes that were needed.
        needed: u64,
        /// Bytes that were there.
        available: u64,
    },
    /// Bytes that break the rules of the format.
    Malformed(&'static str),
    /// A message number that the dialect does not know.
    UnknownMessage(u8),
    /// A protocol that qdemo names but does not decode.
    Unsupported(Protocol),
    /// A file of no format that qdemo knows; with what it looks like.
    NotADemo(String),
    /// A bound of [`crate::Limits`] was reached.
    Limit {
        /// What is bounded.
        what: Bound,
        /// The bound.
        limit: u64,
        /// What was found.
        found: u64,
    },
    /// The text (or JSON) form has a mistake.
    Text(TextMistake),
    /// A file that is no text of a demo; with what it is.
    NotAText(String),
    /// A container is damaged or lacks the member.
    Container(String),
    /// The model holds a value that its dialect cannot write.
    Unwritable(&'static str),
    /// What an edit was asked for is not in the recording.
    Absent(String),
    /// What cannot be done, to this recording or at all, and what can.
    Refused(String),
    /// Recordings that cannot be put together.
    Mismatch(String),
}

impl ErrorKind {
    /// The name in JSON: `truncated`, `malformed`, `unknown_message`, `unsupported`, `limit`, `not_a_demo`, or `other` for all that
    /// are no faults of a demo.
    pub fn name(&self) -> &'static str {
        match self {
            ErrorKind::Truncated { .. } => "truncated",
            ErrorKind::UnknownMessage(_) => "unknown_message",
            ErrorKind::Unsupported(_) => "unsupported",
            ErrorKind::Limit { .. } => "limit",
            ErrorKind::Malformed(_) => "malformed",
            ErrorKind::NotADemo(_) => "not_a_demo",
            _ => "other",
        }
    }
}

/// The same where it is said in the same words: errors of the system cannot be compared otherwise.
impl PartialEq for ErrorKind {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.to_string() == other.to_string()
    }
}

/// A protocol number as found in a file, with the name it is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// The number in the file.
    pub number: i32,
    /// Who speaks it, or "unknown".
    pub name: &'static str,
}

impl Protocol {
    /// The name of a protocol of which nothing is known.
    pub(crate) const UNKNOWN: &'static str = "unknown";

    /// True for one that is known by name.
    pub fn is_known(&self) -> bool {
        self.name != Self::UNKNOWN
    }
}

/// A mistake in the text form, with the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMistake {
    /// Line, counted from 1.
    pub line: u64,
    /// Column in bytes, counted from 1.
    pub column: u64,
    /// What is wrong and what would be right.
    pub what: String,
    /// The line itself (shortened), for a caret under it.
    pub source: String,
    /// Position of the caret within `source`, in bytes.
    pub caret: usize,
}

impl TextMistake {
    /// A mistake at an offset of a text that begins in the line of this number, behind so many bytes of it.
    pub(crate) fn new(text: &[u8], (first_line, before): (u64, usize), at: usize, what: String) -> Self {
        const AROUND: usize = 60;
        let at = at.min(text.len());
        let newlines = memchr::memchr_iter(b'\n', &text[..at]).count() as u64;
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |n| n + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n);
        let from = start.max(at.saturating_sub(AROUND));
        let shown = &text[from..end.min(at + AROUND)];
        let ascii = |b: &u8| if (0x20..0x7F).contains(b) { *b as char } else { ' ' };
        TextMistake {
            line: first_line + newlines,
            column: (at - start + if newlines == 0 { before } else { 0 }) as u64 + 1,
            what,
            source: shown.iter().map(ascii).collect(),
            caret: at - from,
        }
    }
}

impl Error {
    /// An error without a place; add one with the `at_…` and `in_…` methods.
    pub fn new(kind: ErrorKind) -> Self {
        Error { place: Box::default(), kind }
    }

    /// A container error with a message of its own.
    pub fn container(what: impl Into<String>) -> Self {
        Error::new(ErrorKind::Container(what.into()))
    }

    /// Says which file it was, unless that is known already.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.place.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Says at which byte offset it was, unless that is known already.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.place.offset.get_or_insert(offset);
        self
    }

    /// The lines to print below the first: the source line and a caret, for a mistake in a text.
    pub fn details(&self) -> Option<String> {
        match &self.kind {
            ErrorKind::Text(t) if !t.source.is_empty() => {
                Some(format!("  | {}\n  | {:>width$}", t.source, "^", width = t.caret + 1))
            }
            _ => None,
        }
    }

    /// What to do next, in a few words.
    pub fn advice(&self) -> &'static str {
        match &self.kind {
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::NotFound => "check the name",
            ErrorKind::Io(e) if e.kind() == io::ErrorKind::PermissionDenied => "check the permissions",
            ErrorKind::Io(_) => "check the disk and the file",
            ErrorKind::Truncated { .. } => {
                "the rest is missing: everything before it is intact; look for a complete copy"
            }
            ErrorKind::Malformed(_) => "the bytes are kept as they are",
            ErrorKind::UnknownMessage(_) => "the rest of the block is kept as bytes",
            ErrorKind::NotADemo(_) => "its bytes are kept as they are",
            ErrorKind::Unsupported(_) => "blocks are kept as bytes; only this protocol's messages stay unread",
            ErrorKind::Limit { what, .. } => what.advice(),
            ErrorKind::Text(_) => "correct the text and try again",
            ErrorKind::NotAText(_) => "`qdemo decompile` writes texts that can be compiled",
            ErrorKind::Container(_) => {
                "`qdemo info` on the container lists what it holds; try another copy if it is damaged"
            }
            ErrorKind::Unwritable(_) => "change the value, or the protocol of the demo",
            ErrorKind::Absent(_) => "`qdemo timeline` and `qdemo events` tell what there is",
            ErrorKind::Refused(_) => "`qdemo help` tells what can be done",
            ErrorKind::Mismatch(_) => {
                "join recordings of one format and protocol (`qdemo info` tells), each with its beginning (`qdemo cut` makes one)"
            }
        }
    }
}

impl From<io::Error> for Error {
    fn from(e: io::Error) -> Self {
        // Errors of our own travel through `std::io::Read` implementations (containers) unharmed.
        match e.downcast::<Error>() {
            Ok(ours) => ours,
            Err(e) => Error::new(ErrorKind::Io(e)),
        }
    }
}

/// With the kind of the error of the system, where it is one.
impl From<Error> for io::Error {
    fn from(e: Error) -> Self {
        let kind = match &e.kind {
            // A reader that is interrupted is asked again; one that has given up is not.
            ErrorKind::Io(io) if io.kind() != io::ErrorKind::Interrupted => io.kind(),
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, e)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{e}"),
            ErrorKind::Truncated { needed, available } => {
                write!(f, "truncated: {needed} more bytes needed, {available} left")
            }
            ErrorKind::Malformed(what) => write!(f, "malformed: {what}"),
            ErrorKind::UnknownMessage(id) => write!(f, "unknown message 0x{id:02X}"),
            ErrorKind::Unsupported(p) => write!(f, "protocol {} ({}) is not decoded", p.number, p.name),
            ErrorKind::NotADemo(looks) => write!(f, "no demo that qdemo knows: {looks}"),
            ErrorKind::Limit { what, limit, found } => {
                write!(f, "{} {found} exceeds the limit of {limit}", what.what())
            }
            ErrorKind::Text(t) => write!(f, "{}:{}: {}", t.line, t.column, t.what),
            ErrorKind::NotAText(what) => write!(f, "this is {what}"),
            ErrorKind::Container(what) => write!(f, "{what}"),
            ErrorKind::Unwritable(what) => write!(f, "cannot be written: {what}"),
            ErrorKind::Absent(what) | ErrorKind::Refused(what) | ErrorKind::Mismatch(what) => write!(f, "{what}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sep = "";
        let mut part = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            let r = write!(f, "{sep}{text}");
            sep = ", ";
            r
        };
        if let Some(offset) = self.offset {
            part(f, format_args!("byte {offset}"))?;
        }
        if let Some(block) = self.block {
            part(f, format_args!("block {block}"))?;
        }
        if let Some(time) = self.time {
            part(f, format_args!("time {time}"))?;
        }
        if let Some(message) = self.message {
            part(f, format_args!("message {message}"))?;
        }
        if let Some(field) = self.field {
            part(f, format_args!("field {field}"))?;
        }
        if !self.after.is_empty() {
            part(f, format_args!("after {}", self.after.join(" ")))?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.place.file {
            let sep = if matches!(self.kind, ErrorKind::Text(_)) { "" } else { " " };
            write!(f, "{file}:{sep}")?;
        }
        write!(f, "{}", self.kind)?;
        let place = self.place.to_string();
        if !place.is_empty() {
            write!(f, " (at {place})")?;
        }
        write!(f, "; {}", self.advice())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(e) => Some(e),
            _ => None,
        }
    }
}
