//! Recordings of any format: what a file is, reading it chunk by chunk, checking it.
//!
//! The one list of formats stands here: a format is its module in [`format`](mod@crate::format) and a line in it.

mod any;
pub mod detect;
mod ending;
mod faults;
mod memory;
mod places;
mod reader;
pub mod verify;

pub use any::{Demo, Message};
pub(crate) use ending::Ending;
pub use faults::{Faults, HiddenFrames};
pub use memory::{Packets, Recording};
pub use places::{Extent, MessagePlace, MessagePlaces};
pub use reader::Reader;
pub(crate) use reader::{Cursor, Part};

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::describe::Reference;
use crate::format::{self, ChunkOf, Decoder, Format, Introduction, Visitor};
use crate::frame::{self, Step, Unframed};
use crate::limits::Limits;
use detect::Detected;

/// A format among those of the list.
pub trait Listed: Format {
    /// What files of this format are.
    const KIND: FileKind;

    /// A decoder at the beginning of a recording.
    fn decoder(detected: &Detected) -> Decoder<Self> {
        let first = Self::first_dialect(detected.protocol);
        match detected.introduction.as_ref().and_then(Introduction::packet) {
            Some(introduction) => Decoder::behind(first, &introduction),
            None => Decoder::new(first),
        }
    }

    /// The chunk, if it is of this format.
    fn chunk<'c, 'a>(chunk: &'c Chunk<'a>) -> Option<&'c ChunkOf<'a, Self>>;

    /// The visitor, if it is one of this format.
    fn visitor<'v>(visitor: AnyVisitor<'v>) -> Option<&'v mut (dyn Visitor<Self> + 'v)>;

    /// A chunk of this format, as one of any.
    fn any(chunk: ChunkOf<'_, Self>) -> Chunk<'_>;
}

/// The list of formats: hands them to a macro, behind whatever else is to be handed on. A name here is that of the type
/// in the module behind it.
macro_rules! for_formats {
    ($then:ident $(, $($before:tt)*)?) => {
        $then! {
            $(@ $($before)*;)?
            /// Quake `.dem`.
            Dem = dem;
            /// QuakeWorld `.qwd`.
            Qwd = qwd;
            /// QuakeWorld `.mvd`.
            Mvd = mvd;
            /// Quake II `.dm2`.
            Dm2 = dm2;
            /// Quake II `.mvd2`, multi-view.
            Mvd2 = mvd2;
            /// Quake III Arena and its family.
            Dm3 = dm3;
        }
    };
}
pub(crate) use for_formats;

/// Does the same for whichever format a file has: a name of the caller's stands for its type.
macro_rules! with_format {
    (@ $kind:expr, $format:ident => $does:expr, unknown => $otherwise:expr; $($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        match $kind {
            $($crate::demo::FileKind::$name => { type $format = $crate::format::$module::$name; $does })*
            $crate::demo::FileKind::Unknown => $otherwise,
        }
    };
    ($($asked:tt)*) => {
        $crate::demo::for_formats!(with_format, $($asked)*)
    };
}
pub(crate) use with_format;

macro_rules! formats {
    ($($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        /// What a file is: the format of a recording.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FileKind {
            $($(#[doc = $doc])* $name,)*
            /// No format that qdemo knows.
            Unknown,
        }

        impl FileKind {
            /// Every format, in the order in which they are tried.
            pub const FORMATS: &'static [FileKind] = &[$(FileKind::$name),*];

            /// Extensions of files of this format, in small letters.
            pub fn extensions(self) -> &'static [&'static str] {
                with_format!(self, F => F::EXTENSIONS, unknown => &[])
            }

            /// What stands behind the words of an extension that tells the number of a protocol: `68` in `dm_68`.
            pub(crate) fn number_in(self, extension: &str) -> Option<&str> {
                with_format!(self, F => extension.strip_prefix(F::NUMBERED?), unknown => None)
            }

            /// The format of files with an extension, in small letters.
            ///
            /// ```
            /// use qdemo::FileKind;
            /// assert_eq!(FileKind::by_extension("dm_68"), Some(FileKind::Dm3));
            /// assert_eq!(FileKind::by_extension("txt"), None);
            /// ```
            pub fn by_extension(extension: &str) -> Option<FileKind> {
                let digits = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
                let has = |kind: FileKind| {
                    kind.extensions().contains(&extension) || kind.number_in(extension).is_some_and(digits)
                };
                FileKind::FORMATS.iter().copied().find(|kind| has(*kind))
            }

            /// What the declarations of the format say, for documentation and JSON Schema.
            pub fn reference(self) -> Option<Reference> {
                with_format!(self, F => Some(F::reference()), unknown => None)
            }

            /// The game that records it: `quake`, `quakeworld`, `quake2` or `quake3`, whatever mod is played.
            pub fn game(self) -> &'static str {
                match self {
                    FileKind::Dem => "quake",
                    FileKind::Qwd | FileKind::Mvd => "quakeworld",
                    FileKind::Dm2 | FileKind::Mvd2 => "quake2",
                    FileKind::Dm3 => "quake3",
                    FileKind::Unknown => "unknown",
                }
            }

            /// True when a recording of this format may have an end mark.
            pub fn has_end_mark(self) -> bool {
                with_format!(self, F => !F::END_MARK.is_empty(), unknown => false)
            }

            /// True when bytes behind the end of a recording are set apart from those that are not understood.
            pub fn has_trailer(self) -> bool {
                with_format!(self, F => F::TRAILER, unknown => false)
            }

            /// The name, as in `--json`.
            pub fn name(self) -> &'static str {
                match self {
                    $(FileKind::$name => <format::$module::$name as Format>::NAME,)*
                    FileKind::Unknown => "unknown",
                }
            }
        }

        /// One part of a recording of any format.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Chunk<'a> {
            $($(#[doc = $doc])* $name(format::$module::Chunk<'a>),)*
            /// Bytes of a file of unknown format.
            Unknown(Unframed<'a>),
        }

        /// A visitor of the messages of one format.
        #[non_exhaustive]
        pub enum AnyVisitor<'v> {
            $($(#[doc = $doc])* $name(&'v mut (dyn Visitor<format::$module::$name> + 'v)),)*
        }

        impl std::fmt::Debug for AnyVisitor<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(AnyVisitor::$name(_) => stringify!($name),)*
                })
            }
        }

        impl<'v> AnyVisitor<'v> {
            /// One that sees messages of any format, for one of them.
            pub fn of<V>(kind: FileKind, visitor: &'v mut V) -> Option<Self>
            where
                $(V: Visitor<format::$module::$name>,)*
            {
                match kind {
                    $(FileKind::$name => Some(AnyVisitor::$name(visitor)),)*
                    FileKind::Unknown => None,
                }
            }
        }

        $(impl Listed for format::$module::$name {
            const KIND: FileKind = FileKind::$name;

            fn visitor<'v>(visitor: AnyVisitor<'v>) -> Option<&'v mut (dyn Visitor<Self> + 'v)> {
                if let AnyVisitor::$name(visitor) = visitor { Some(visitor) } else { None }
            }

            #[inline]
            fn chunk<'c, 'a>(chunk: &'c Chunk<'a>) -> Option<&'c ChunkOf<'a, Self>> {
                if let Chunk::$name(chunk) = chunk { Some(chunk) } else { None }
            }

            #[inline]
            fn any(chunk: ChunkOf<'_, Self>) -> Chunk<'_> {
                Chunk::$name(chunk)
            }
        })*

        /// The framer of a file's format.
        #[derive(Debug, Clone)]
        enum Framer {
            $($name(frame::Framer<format::$module::Header>),)*
            Unknown,
        }

        /// Where the next chunk ends.
        #[derive(Debug, Clone, Copy)]
        enum Cut {
            $($name(frame::Cut<format::$module::Header>),)*
        }

        impl Framer {
            fn read_on(&mut self) {
                match self {
                    $(Framer::$name(framer) => framer.read_on(),)*
                    Framer::Unknown => {}
                }
            }

            fn new(kind: FileKind, limits: Limits) -> Self {
                match kind {
                    $(FileKind::$name => Framer::$name(frame::Framer::new(limits)),)*
                    FileKind::Unknown => Framer::Unknown,
                }
            }

            #[inline]
            fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
                match self {
                    $(Framer::$name(framer) => framer.next(window, at_end).map(Cut::$name),)*
                    Framer::Unknown => Step::End,
                }
            }
        }

        impl Cut {
            fn len(&self) -> usize {
                match self {
                    $(Cut::$name(cut) => cut.len,)*
                }
            }

            #[inline]
            fn chunk<'a>(&self, window: &'a [u8]) -> Chunk<'a> {
                match self {
                    $(Cut::$name(cut) => Chunk::$name(cut.chunk(window)),)*
                }
            }

            /// The milliseconds that its header tells to have passed: multi-view demos.
            fn msec(&self) -> u8 {
                match self {
                    Cut::Mvd(frame::Cut { kind: frame::CutKind::Block { header, .. }, .. }) => header.msec,
                    _ => 0,
                }
            }
        }

        impl Chunk<'_> {
            /// The format.
            pub(crate) fn kind(&self) -> FileKind {
                match self {
                    $(Chunk::$name(_) => FileKind::$name,)*
                    Chunk::Unknown(_) => FileKind::Unknown,
                }
            }

            /// True for what stands in front of all blocks.
            pub(crate) fn is_start(&self) -> bool {
                match self {
                    $(Chunk::$name(chunk) => matches!(chunk, frame::Chunk::Start(_)),)*
                    Chunk::Unknown(_) => false,
                }
            }

            /// True for an end mark, which is no block.
            pub(crate) fn is_end_mark(&self) -> bool {
                match self {
                    $(Chunk::$name(chunk) => matches!(chunk, frame::Chunk::End),)*
                    Chunk::Unknown(_) => false,
                }
            }

            /// True for a block with the mark that files begin with.
            pub(crate) fn is_marked(&self) -> bool {
                match self {
                    $(Chunk::$name(frame::Chunk::Block(block)) => frame::Header::unmarked(block.header).is_some(),)*
                    _ => false,
                }
            }

            /// True for a block without it, of a format that has one.
            pub(crate) fn lacks_mark(&self) -> bool {
                match self {
                    $(Chunk::$name(frame::Chunk::Block(block)) => frame::Header::marked(block.header).is_some(),)*
                    _ => false,
                }
            }

            /// True for a block of size 0, of a format of which engines take it for the end.
            pub(crate) fn stops_players(&self) -> bool {
                match self {
                    $(Chunk::$name(frame::Chunk::Block(block)) => {
                        format::$module::$name::STOPS_AT_EMPTY && block.payload.is_empty() && !block.is_cut()
                    })*
                    _ => false,
                }
            }

            /// Behind the end of a recording: where in this chunk blocks begin with which it goes on, or another one begins.
            pub(crate) fn blocks_behind(&self) -> Option<usize> {
                match self {
                    $(
                        Chunk::$name(frame::Chunk::Trailer(bytes)) => {
                            frame::Framer::<format::$module::Header>::blocks_behind(bytes)
                        }
                        Chunk::$name(frame::Chunk::Block(block)) => {
                            frame::Rules::goes_on(&block.header, block.payload).then_some(0)
                        }
                    )*
                    _ => None,
                }
            }

            /// True for bytes behind the end of a recording that look like blocks, of which nothing shows that they belong to it.
            pub(crate) fn may_hold_blocks(&self) -> bool {
                match self {
                    $(
                        Chunk::$name(frame::Chunk::Trailer(bytes)) => {
                            frame::Framer::<format::$module::Header>::look_like_blocks(bytes)
                        }
                    )*
                    _ => false,
                }
            }

            /// Bytes that belong to no block.
            pub(crate) fn unframed(&self) -> Option<&Unframed<'_>> {
                match self {
                    $(Chunk::$name(frame::Chunk::Unframed(unframed)) => Some(unframed),)*
                    Chunk::Unknown(unframed) => Some(unframed),
                    _ => None,
                }
            }

            /// Number of a block within which the file ends.
            pub(crate) fn cut_block(&self) -> Option<u64> {
                match self {
                    $(Chunk::$name(frame::Chunk::Block(block)) => block.is_cut().then_some(block.index),)*
                    _ => None,
                }
            }

            /// Number of a block, from 0, and the offset in the file of what stands behind its header; in `.mvd` of the record. `None`
            /// for what is no block.
            pub fn block(&self) -> Option<(u64, u64)> {
                match self {
                    $(Chunk::$name(frame::Chunk::Block(block)) => Some((block.index, block.payload_offset())),)*
                    _ => None,
                }
            }
        }
    };
}

for_formats!(formats);

impl Chunk<'_> {
    /// Whether it ends a recording; `None` for what says nothing about that.
    pub(crate) fn ends(&self) -> Option<bool> {
        let end_of_demo = |payload: &[u8]| payload.ends_with(format::qwd::END_OF_DEMO);
        match self {
            Chunk::Dem(frame::Chunk::Block(block)) => Some(block.is_final()),
            Chunk::Qwd(frame::Chunk::Block(block)) => Some(end_of_demo(block.payload)),
            Chunk::Mvd(frame::Chunk::Block(block)) => Some(end_of_demo(block.payload)),
            _ if self.is_end_mark() => Some(true),
            _ => self.block().map(|_| false),
        }
    }
}

/// As its name.
impl Serialize for FileKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for FileKind {
    fn schema_name() -> Cow<'static, str> {
        "FileKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = FileKind::FORMATS.iter().chain([&FileKind::Unknown]).map(|kind| kind.name()).collect();
        schemars::json_schema!({"description": "What a file is: the format of a recording.", "enum": names})
    }
}
