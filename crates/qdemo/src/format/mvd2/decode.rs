//! Commands of a block: bytes to commands, commands to bytes.

use super::message::{Kind, Message};
use crate::dialect::Dialect;
use crate::error::Moment;
use crate::format::{encode_messages, message_set};
use crate::wire::{Fault, ByteReader, ByteWriter};

/// The commands of one block, in order.
///
/// ```
/// use qdemo::dialect::Dialect;
/// use qdemo::format::mvd2::{Message, Messages};
/// let mut messages = Messages::new(&[17, 3, b'h', b'i', 0], Dialect::MVD2);
/// assert!(matches!(messages.next(), Some(Message::Print(m)) if m.string.bytes() == b"hi"));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

message_set!(Message, Kind, after);

#[inline(always)]
fn after(message: &Message<'_>, _: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => data.dialect(),
        _ => None,
    }
}

/// Writes commands as they stand in a block; `dialect` changes at each `serverdata`.
///
/// # Errors
/// A [`Fault`] names the command and field that the dialect cannot write.
pub fn encode_block<'m, 'a: 'm>(
    messages: impl IntoIterator<Item = &'m Message<'a>>,
    dialect: &mut Dialect,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    encode_messages(messages, dialect, w)
}

/// The time of a recording, by its frames: they have no numbers, and servers record ten a second whatever their own rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FrameClock {
    /// Frames so far.
    pub(crate) frames: u64,
}

impl FrameClock {
    /// A frame lasts so many milliseconds.
    const FRAME: i64 = 100;

    /// Counts the frame that a command may tell.
    pub(crate) fn count(&mut self, message: &Message<'_>) {
        self.frames += u64::from(matches!(message, Message::ServerData(_) | Message::Frame(_)));
    }

    /// Milliseconds from the first frame to the last.
    pub(crate) fn ms(self) -> i64 {
        let frames = i64::try_from(self.frames.saturating_sub(1)).unwrap_or(i64::MAX);
        frames.saturating_mul(Self::FRAME)
    }

    /// The same as the time of a recording; `None` before the first frame.
    pub(crate) fn time(self) -> Option<Moment> {
        (self.frames > 0).then(|| Moment::Milliseconds(i32::try_from(self.ms()).unwrap_or(i32::MAX)))
    }
}

/// What a file begins with.
pub const MAGIC: [u8; 4] = *b"MVD2";

/// The end mark.
pub const END_MARK: [u8; 2] = [0; 2];
