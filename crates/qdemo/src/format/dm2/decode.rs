//! Messages of a block: bytes to messages, messages to bytes.

use super::block::Block;
use super::boxes::Boxes;
use super::message::{Kind, Message};
use crate::dialect::{Dialect, EntityMaskKind, Recording};
use crate::format::{encode_messages, message_set};
use crate::wire::{Fault, ByteReader, ByteWriter};

/// The messages of one block, in order.
///
/// ```
/// use qdemo::dialect::Dialect;
/// use qdemo::format::dm2::{Message, Messages};
/// let mut messages = Messages::new(&[11, b'h', b'i', 0], Dialect::QUAKE2);
/// assert!(matches!(messages.next(), Some(Message::StuffText(m)) if m.text.bytes() == b"hi"));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

message_set!(Message, Kind, after, memory Boxes);

#[inline(always)]
fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => Some(data.dialect(d.quake2.long_angles)),
        _ => None,
    }
}

/// How a block begins that makes a level of the test release known. It has other message numbers, from the first
/// message on.
pub(crate) const TEST_RELEASE: [u8; 5] = [7, Dialect::QUAKE2_TEST_PROTOCOL as u8, 0, 0, 0];

/// How a block begins that makes a level of KMQuake2 known.
const KMQUAKE2: [u8; 5] = [12, Dialect::KMQUAKE2_PROTOCOL as u8, 0, 0, 0];

/// The messages of a block, as what was told so far has them; and if others are tried when it does not decode.
pub(crate) fn as_told<'a>(block: &Block<'a>, dialect: Dialect, boxes: &Boxes) -> (Messages<'a>, bool) {
    if block.payload.starts_with(&TEST_RELEASE) {
        return (Messages::new(block.payload, Dialect::QUAKE2_TEST), false);
    }
    // With the later message numbers that protocol is nobody's, and text could not tell the two apart.
    const NOBODYS: [u8; 5] = [12, Dialect::QUAKE2_TEST_PROTOCOL as u8, 0, 0, 0];
    if block.payload.starts_with(&NOBODYS) && dialect.quake2.recording != Recording::TestRelease {
        return (Messages::new(block.payload, Dialect { decoded: false, ..Dialect::QUAKE2_TEST }), false);
    }
    let open = !block.is_cut() && (may_be_kmquake2(block, dialect) || !dialect.quake2.recording_told);
    (Messages::remembering(block.payload, dialect, boxes.clone()), open)
}

fn may_be_kmquake2(block: &Block<'_>, dialect: Dialect) -> bool {
    dialect.quake2.entity_mask == EntityMaskKind::KmQuake2 || block.payload.starts_with(&KMQUAKE2)
}

/// The messages of a block. Up to protocol 32 a recording does not tell who made it: when a block does not decode,
/// the other kinds are tried.
pub(crate) fn messages<'a>(block: &Block<'a>, dialect: Dialect, boxes: &Boxes) -> Messages<'a> {
    let (told, open) = as_told(block, dialect, boxes);
    let clean = |mut trial: Messages<'a>| {
        trial.by_ref().for_each(drop);
        trial.fault().is_none()
    };
    if !open || clean(told.clone()) {
        return told;
    }
    let others = match may_be_kmquake2(block, dialect) {
        // KMQuake2 changed the angles of its entities and kept its number.
        true => vec![dialect.with_long_angles(!dialect.quake2.long_angles)],
        false => [Recording::Client, Recording::Server, Recording::Relay].map(|r| dialect.recorded_by(r)).to_vec(),
    };
    others.into_iter().map(|d| Messages::new(block.payload, d)).find(|m| clean(m.clone())).unwrap_or(told)
}

/// Writes messages as they stand in a block; `dialect` changes at each `serverdata`.
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

/// The end mark.
pub const END_MARK: [u8; 4] = [0xFF; 4];
