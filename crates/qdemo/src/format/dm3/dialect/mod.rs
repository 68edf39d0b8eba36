//! Quake III Arena and its family: coding, field tables and message numbers of each protocol.
//!
//! Sources: the format document for protocols 66 to 68; for the others the engines (id Software's release, ioquake3,
//! wolfcam) and recordings. Widths and order were checked on recordings of 43, 45, 48, 66 to 68, 70, 71, 73, 90 and 91.

mod field;
mod layout;
mod table;

pub use field::{EntityField, PlayerField};
use layout::{LAYOUT_43, LAYOUT_46, LAYOUT_48, LAYOUT_68, LAYOUT_73, LAYOUT_90, LAYOUT_91};
pub(crate) use table::FieldCode;
pub use table::{Table, TableField};

use super::message::MessageKind;
use crate::describe::Wire;
use crate::format::{AnyDialect, Opcodes};
use crate::wire::{BitReader, BitWriter, Coding};

/// Bits, in dialects of Quake III.
#[derive(Debug, Clone, Copy)]
pub struct Bits;

impl crate::sealed::Sealed for Bits {}

impl Wire for Bits {
    type Reader<'a> = BitReader<'a>;
    type Writer = BitWriter;
    type Dialect = Dialect;
}

/// How states are written as deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaForm {
    /// A count of fields, then a bit for each of them; in entities another one tells zeros.
    Counted,
    /// Entities: the number of a mask, or a mask; players: a bit for each field. The masks with a number are here.
    Masked(&'static [u64; 31]),
}

/// Eras of game modules: from one to the next the numbers of weapons, items, events and entity types changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Protocols 43 and 45.
    Test,
    /// Protocols 46 to 71.
    Arena,
    /// Protocols 73 and 90.
    QuakeLive,
    /// Protocol 91.
    LaterQuakeLive,
}

/// Which configstring is what, as far as the engine's own game modules agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indices {
    /// The first player.
    pub players: u16,
    /// Version of the game module.
    pub game_version: u16,
    /// Server time at which the level began.
    pub level_start: u16,
    /// `1` during the intermission.
    pub intermission: u16,
    /// Where the red and the blue flag are: `0` at home, `1` taken, `2` dropped. Where both teams fight for one flag, there
    /// is one character: `0` at its place, `1` to `3` taken, `4` dropped.
    pub flag_status: u16,
    /// A `0` or `1` for each item that the game module knows: which are in the map.
    pub items: u16,
    /// The first model; 0 is not used.
    pub models: u16,
    /// The first sound; 0 is not used.
    pub sounds: u16,
    /// The first place name.
    pub locations: u16,
    /// When a time-out began; the next one tells when it ends: `0` while it lasts.
    pub timeout: Option<u16>,
    /// True for Quake Live, which tells the state of the game in serverinfo.
    pub quake_live: bool,
}

impl Indices {
    /// Variables that engines set.
    pub const SYSTEM_INFO: u16 = 1;
    /// The file with the music.
    pub const MUSIC: u16 = 2;
    /// Players that there can be.
    pub const PLAYERS: u16 = 64;

    /// Slot of the player whom a configstring is about.
    pub fn player(&self, index: u16) -> Option<u8> {
        let slot = index.checked_sub(self.players).filter(|slot| *slot < Self::PLAYERS)?;
        u8::try_from(slot).ok()
    }
}

/// What the messages of several protocols have in common. There is one of each, so it is compared by its place.
#[derive(Debug)]
pub struct ProtocolLayout {
    /// Huffman codes or plain bits.
    pub coding: Coding,
    /// True when a block begins with the number of the last client command; else a snapshot does.
    pub ack_first: bool,
    /// How deltas are written.
    pub delta: DeltaForm,
    /// The fields of an entity.
    pub entity: Table,
    /// The fields of a player.
    pub player: Table,
    /// Number that ends a gamestate's list.
    pub list_end: u8,
    /// True when client number and checksum feed follow that list.
    pub gamestate_tail: bool,
    /// Number of the message that ends a block; `None` where blocks just end.
    pub end: Option<u8>,
    /// Which configstring is what.
    pub indices: Indices,
    /// The era of the game modules: what they mean by numbers.
    pub era: Era,
}

impl PartialEq for ProtocolLayout {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ProtocolLayout {}

/// How one protocol of Quake III's family writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The protocol number.
    pub protocol: i32,
    /// Name for people: `quake3-1.32`, `ioquake3`, `quakelive` ...
    pub name: &'static str,
    /// How messages are laid out.
    pub layout: &'static ProtocolLayout,
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.protocol == other.protocol
    }
}

impl Eq for Dialect {}

impl crate::sealed::Sealed for Dialect {}

impl AnyDialect for Dialect {
    fn protocol(&self) -> i32 {
        self.protocol
    }
    fn name(&self) -> &'static str {
        self.name
    }
}

const NUMBERS: [(u8, u8); 5] = [
    (1, MessageKind::Nop as u8),
    (2, MessageKind::Gamestate as u8),
    (5, MessageKind::ServerCommand as u8),
    (6, MessageKind::Download as u8),
    (7, MessageKind::Snapshot as u8),
];

/// Protocols up to 48 have no end of message; a number 0 ends a block.
static OLD: Opcodes = Opcodes::new(&[&NUMBERS, &[(0, MessageKind::Eof as u8)]]);
/// Voice behind the end of a message, where older clients do not look.
static STANDARD: Opcodes = Opcodes::new(&[&NUMBERS, &[(8, MessageKind::Eof as u8), (9, MessageKind::Extension as u8)]]);
/// ioquake3 and OpenArena: voice as messages of their own.
static VOICE: Opcodes = Opcodes::new(&[
    &NUMBERS,
    &[(8, MessageKind::Eof as u8), (9, MessageKind::VoipSpeex as u8), (10, MessageKind::VoipOpus as u8)],
]);

/// Every protocol: number, name, layout, message numbers.
static PROTOCOLS: [Dialect; 13] = [
    row(43, "quake3-1.11", &LAYOUT_43, &OLD),
    row(45, "quake3-1.17", &LAYOUT_43, &OLD),
    row(46, "quake3-1.25", &LAYOUT_46, &OLD),
    row(47, "quake3-1.26", &LAYOUT_48, &OLD),
    row(48, "quake3-1.27", &LAYOUT_48, &OLD),
    row(66, "quake3-1.30", &LAYOUT_68, &STANDARD),
    row(67, "quake3-1.31", &LAYOUT_68, &STANDARD),
    row(68, "quake3-1.32", &LAYOUT_68, &STANDARD),
    row(70, "openarena", &LAYOUT_68, &VOICE),
    row(71, "ioquake3", &LAYOUT_68, &VOICE),
    row(73, "quakelive-2009", &LAYOUT_73, &STANDARD),
    row(90, "quakelive-2014", &LAYOUT_90, &STANDARD),
    row(91, "quakelive-2015", &LAYOUT_91, &STANDARD),
];

const fn row(protocol: i32, name: &'static str, layout: &'static ProtocolLayout, opcodes: &'static Opcodes) -> Dialect {
    Dialect { protocol, name, layout, opcodes }
}

impl Dialect {
    /// Quake III Arena 1.32, the protocol of most recordings.
    pub const QUAKE3: Dialect = row(68, "quake3-1.32", &LAYOUT_68, &STANDARD);

    /// The dialect of a protocol.
    ///
    /// ```
    /// use qdemo::format::dm3::Dialect;
    /// assert_eq!(Dialect::by_protocol(68), Some(Dialect::QUAKE3));
    /// assert_eq!(Dialect::by_protocol(69), None);
    /// ```
    pub fn by_protocol(protocol: i32) -> Option<Dialect> {
        PROTOCOLS.iter().find(|d| d.protocol == protocol).copied()
    }

    /// Every dialect.
    pub fn all() -> &'static [Dialect] {
        &PROTOCOLS
    }

    /// The number of a kind of message, if the dialect has it.
    pub fn number_of(&self, kind: MessageKind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}
