//! All texts of a recording: what was printed and said, commands, names and settings.
//!
//! Texts are told as the messages have them: Quake prints a line in several pieces. [`Event`](crate::event::Event)s tell
//! whole lines, and who says them.

use std::io::Read;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::demo::Faults;
use crate::error::Result;
use crate::event::{EventTag, PlayerRef};
use crate::game::quake3::{Shown, shown};
use crate::json::bytes_as_text;
use crate::limits::Limits;
use crate::replay::{Options, Pass, Step};
pub use crate::world::TextTag;
use crate::world::{Clock, GOLDEN, SAID, Scene, StringKind, TextKind, Told};

/// A text that the server sent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Text {
    /// Number of the block that tells it, from 0; in `.mvd` of the record.
    pub block: u64,
    /// The time.
    #[serde(flatten)]
    pub clock: Clock,
    /// Number of the level within the recording, from 0.
    pub level: u32,
    /// What it is.
    pub kind: TextTag,
    /// Level of a print, where the game has levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub print_level: Option<u8>,
    /// Number of a configstring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u16>,
    /// The player for whom alone it is, or whose name or settings it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerRef>,
    /// The text in plain characters, line ends included.
    pub text: String,
    /// The text as the bytes in the file.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub text_raw: Vec<u8>,
}

fn as_text<S: Serializer>(bytes: &[u8], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&bytes_as_text(bytes))
}

/// Reads a recording once and hands out its texts, with memory for one block. Gives what is wrong with the file.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, analysis::texts::{TextTag, texts}};
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let mut levels = Vec::new();
/// texts(demo, "clip.dem", Limits::default(), &mut |text| {
///     if text.kind == TextTag::Level {
///         levels.push(text.text.clone());
///     }
///     Ok(())
/// })?;
/// assert_eq!(levels.len(), 1);
/// # Ok(()) }
/// ```
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give.
pub fn texts(
    input: impl Read,
    name: &str,
    limits: Limits,
    each: &mut impl FnMut(&Text) -> Result<()>,
) -> Result<Faults> {
    let mut look = |step: &Step<'_>| in_step(step, each);
    Pass::new(limits).with(options()).run(input, name, &mut [&mut look])
}

/// What is wanted of a recording for its texts alone.
pub(crate) fn options() -> Options {
    Options { kinds: vec![EventTag::Print], without_events: true, ..Options::default() }
}

/// The texts of a step, for whoever has a [`Pass`] of their own.
///
/// # Errors
/// What `each` gives.
pub fn in_step(step: &Step<'_>, each: &mut dyn FnMut(&Text) -> Result<()>) -> Result<()> {
    let (world, changes) = (step.world, step.changes());
    let told = |kind: TextTag, bytes: &[u8], slot: Option<u8>| {
        let shown = if kind == TextTag::Print || kind == TextTag::Chat { without_mark(bytes) } else { bytes };
        let player = slot.and_then(|slot| world.player(slot.into())).as_ref().map(PlayerRef::of);
        Text {
            block: step.block,
            clock: step.clock(),
            level: world.level().number,
            kind,
            print_level: None,
            index: None,
            player,
            text: world.charset().clean(shown),
            text_raw: bytes.to_vec(),
        }
    };
    for (kind, bytes, slot) in changes.all_texts() {
        let (tag, bytes, print_level, index) = match kind {
            Told::String(StringKind::Level) => (TextTag::Level, bytes, None, None),
            Told::String(StringKind::ServerInfo) => (TextTag::ServerInfo, bytes, None, None),
            Told::String(StringKind::UserInfo) => (TextTag::UserInfo, bytes, None, None),
            Told::String(StringKind::Name) => (TextTag::Name, bytes, None, None),
            Told::String(StringKind::ConfigString(index)) => (TextTag::ConfigString, bytes, None, Some(index)),
            Told::Text(TextKind::Print(level)) => (TextTag::of_print(level, bytes), bytes, level, None),
            Told::Text(TextKind::Center) => (TextTag::Center, bytes, None, None),
            Told::Text(TextKind::Console) => (TextTag::StuffText, bytes, None, None),
            Told::Text(TextKind::Command) => match shown(bytes) {
                Shown::Print(text) => (TextTag::Print, text, None, None),
                Shown::Center(text) => (TextTag::Center, text, None, None),
                Shown::Chat(text) => (TextTag::Chat, text, None, None),
                // The configstring is among the strings.
                Shown::Configstring => continue,
                Shown::Other => (TextTag::Command, bytes, None, None),
            },
        };
        each(&Text { print_level, index, ..told(tag, bytes, slot) })?;
    }
    Ok(())
}

/// A print without what its first byte says of the whole of it: in which letters it is shown (`Con_Print` of Quake's
/// and QuakeWorld's clients). Elsewhere no text begins so.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&[SAID]).or_else(|| bytes.strip_prefix(&[GOLDEN])).unwrap_or(bytes)
}
