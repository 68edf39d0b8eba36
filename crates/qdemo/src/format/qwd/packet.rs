//! FaultKind blocks hold: commands, packets and frame numbers; bytes to model and back.

use super::block::{Block, BlockKind};
use super::message::{Kind, Message};
use crate::dialect::Dialect;
use crate::format::{Diagnostic, encode_messages, message_set};
use crate::wire::{F32, Fault, ByteReader, FaultKind, ByteWriter};

/// The messages of a packet, in order.
///
/// ```
/// use qdemo::dialect::Dialect;
/// use qdemo::format::qwd::{Message, Messages};
/// let mut messages = Messages::new(&[32, 5], Dialect::QUAKEWORLD);
/// assert!(matches!(messages.next(), Some(Message::CdTrack(m)) if m.track == 5));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

message_set!(Message, Kind, after);

#[inline(always)]
fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => {
            Some(Dialect::quakeworld(data.serverversion, &data.extensions, d.quakeworld.multiview))
        }
        _ => None,
    }
}

/// A command of the recording client, as the engine has it in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserCommand {
    /// Duration in ms in the lowest byte; the three bytes above it are padding of the structure, 0 in most files.
    pub msec: u32,
    /// Pitch, yaw and roll that the command asks for, in degrees.
    pub angles: [F32; 3],
    /// Forward, sideways, up.
    pub speed: [i16; 3],
    /// Buttons: 1 fire, 2 jump, 4 use, 8 second fire.
    pub buttons: u8,
    /// Impulse: weapon numbers and the like; 0 none.
    pub impulse: u8,
    /// The view: pitch, yaw and roll in degrees.
    pub viewangles: [F32; 3],
}

impl UserCommand {
    /// From 36 bytes; `None` when there are others.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut r = ByteReader::new(bytes);
        let floats = |r: &mut ByteReader<'_>| -> Result<[F32; 3], Fault> {
            let mut all = [F32::default(); 3];
            for v in &mut all {
                *v = F32::from_bits(r.u32()?);
            }
            Ok(all)
        };
        let mut read = || -> Result<Self, Fault> {
            Ok(UserCommand {
                msec: r.u32()?,
                angles: floats(&mut r)?,
                speed: [r.i16()?, r.i16()?, r.i16()?],
                buttons: r.u8()?,
                impulse: r.u8()?,
                viewangles: floats(&mut r)?,
            })
        };
        let command = read().ok()?;
        r.is_empty().then_some(command)
    }

    /// Writes the 36 bytes.
    pub fn write(&self, w: &mut ByteWriter) {
        w.u32(self.msec);
        self.angles.iter().for_each(|v| w.u32(v.bits()));
        self.speed.iter().for_each(|v| w.i16(*v));
        w.u8(self.buttons);
        w.u8(self.impulse);
        self.viewangles.iter().for_each(|v| w.u32(v.bits()));
    }
}

/// FaultKind stands in front of a packet's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketHead<'a> {
    /// A packet of the game: two words, then messages.
    Game {
        /// Number of the packet; bit 31: it carries reliable messages.
        seq1: u32,
        /// Number of the last client packet that arrived; bit 31 toggles with reliable messages of the client.
        seq2: u32,
    },
    /// A packet outside the game: its kind and what follows.
    Connectionless {
        /// Kind, a letter in most cases.
        id: u8,
        /// FaultKind follows.
        data: &'a [u8],
    },
    /// Too short for either.
    Short(&'a [u8]),
}

/// The word in front of a connectionless packet.
const CONNECTIONLESS: u32 = 0xFFFF_FFFF;

impl<'a> PacketHead<'a> {
    /// Bytes in front of the messages of a game packet.
    pub const GAME: usize = 8;

    /// Takes a packet apart: the head, and the messages of a game packet.
    #[inline]
    pub fn split(payload: &'a [u8]) -> (Self, &'a [u8]) {
        let mut r = ByteReader::new(payload);
        match (r.u32(), r.clone().u32()) {
            (Ok(CONNECTIONLESS), _) => match r.u8() {
                Ok(id) => (PacketHead::Connectionless { id, data: payload.get(5..).unwrap_or_default() }, &[]),
                Err(_) => (PacketHead::Short(payload), &[]),
            },
            (Ok(seq1), Ok(seq2)) => (PacketHead::Game { seq1, seq2 }, payload.get(Self::GAME..).unwrap_or_default()),
            _ => (PacketHead::Short(payload), &[]),
        }
    }

    /// Writes the head.
    pub fn write(&self, w: &mut ByteWriter) {
        match self {
            PacketHead::Game { seq1, seq2 } => {
                w.u32(*seq1);
                w.u32(*seq2);
            }
            PacketHead::Connectionless { id, data } => {
                w.u32(CONNECTIONLESS);
                w.u8(*id);
                w.bytes(data);
            }
            PacketHead::Short(bytes) => w.bytes(bytes),
        }
    }
}

/// Writes the messages of a packet or record.
///
/// # Errors
/// A [`Fault`] names the message and field that the dialect cannot write.
pub fn encode_block<'m, 'a: 'm>(
    messages: impl IntoIterator<Item = &'m Message<'a>>,
    dialect: &mut Dialect,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    encode_messages(messages, dialect, w)
}

/// Writes the header of a block; the size of a packet is put in later with [`close_block`](crate::format::close_block).
pub(crate) fn open_block(time: F32, kind: BlockKind, w: &mut ByteWriter) -> usize {
    w.u32(time.bits());
    w.u8(match kind {
        BlockKind::Command => 0,
        BlockKind::Packet { .. } => 1,
        BlockKind::Frame => 2,
    });
    if let BlockKind::Packet { size } = kind {
        w.u32(size);
    }
    w.len()
}

/// A fault that says that a packet has no room for what stands in front of its messages.
pub(crate) fn too_short(block: &Block<'_>) -> Diagnostic {
    let what = FaultKind::Truncated { needed: PacketHead::GAME, available: block.payload.len() };
    Diagnostic { fault: Fault::new(what, 0), offset: block.payload_offset(), block: Some(block.index), after: Vec::new() }
}
