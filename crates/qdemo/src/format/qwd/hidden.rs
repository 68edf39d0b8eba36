//! Hidden messages: what MVDSV and KTX put into records for nobody.

use super::dialect::{Bytes as Wire, Dialect};
use std::borrow::Cow;

use super::message::{Message, MessageKind};
use crate::describe::{
    Field, Fields, Mistake, Name, Sink, TypeSchema, field_parse, field_read, field_schema, field_show, field_write,
    message, name_of,
};
use crate::wire::{ByteReader, ByteWriter, F32, Fault, Scalar, byte_string, into_owned};

message! {
    /// A command of a player.
    pub struct HiddenCommand = "hidden_command" as "", block {
        /// Player slot, from 0.
        player: u8;
        /// Commands lost before it.
        dropped: u8;
        /// Duration in ms.
        msec: u8;
        /// Pitch, yaw and roll in degrees.
        angles: [F32; 3];
        /// Forward.
        forwardmove: i16;
        /// Sideways.
        sidemove: i16;
        /// Up.
        upmove: i16;
        /// Buttons: 1 fire, 2 jump.
        buttons: u8;
        /// Impulse.
        impulse: u8;
    }
}
message! {
    /// A part of the statistics that KTX writes about the match: JSON.
    pub struct HiddenDemoInfo<'a> = "hidden_demoinfo" as "", block {
        /// Number of the part, from 1; 0 for the last one.
        block: i16;
        /// The text.
        text: Rest<'a>;
    }
}
message! {
    /// Damage done.
    pub struct HiddenDamage = "hidden_damage" as "", block {
        /// Cause, a number of KTX; plus 32768 for splash damage.
        deathtype: u16;
        /// Entity of the attacker, slot + 1; 0 the world.
        attacker: u16;
        /// Entity of the victim, slot + 1.
        victim: u16;
        /// Damage before armour, not limited by the victim's health.
        damage: i16;
    }
}
message! {
    /// A piece of a pause. Written without a length.
    pub struct HiddenPause = "hidden_pause" as "", block {
        /// Milliseconds of it.
        msec: u8;
    }
}
message! {
    /// When the recording began.
    pub struct HiddenStart = "hidden_start" as "", block {
        /// Number of the message: 11, or 9 in some builds of MVDSV.
        kind: u16;
        /// Milliseconds since 1970.
        time: Milliseconds;
    }
}
message! {
    /// A hidden message of another kind.
    pub struct HiddenOther<'a> = "hidden" as "", block {
        /// Its number.
        kind: u16;
        /// Its bytes.
        data: RestBytes<'a>;
    }
}

/// A moment in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Milliseconds(pub u64);

impl<'a> Field<'a, Wire> for Milliseconds {
    const TYPE: TypeSchema = TypeSchema::new("u64", "integer", "ms");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Milliseconds(u64::from(r.u32()?) | u64::from(r.u32()?) << 32))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u32(self.0 as u32);
        w.u32((self.0 >> 32) as u32);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Int(self.0 as i64));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.int(i64::MIN, i64::MAX).map(|v| Milliseconds(v as u64))
    }
}

/// All bytes to the end of the hidden message, as text.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Rest<'a>(pub Cow<'a, [u8]>);

byte_string!(Rest<'a>);

into_owned!(Rest<'a> { 0 cow });

/// All bytes to the end of the hidden message.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RestBytes<'a>(pub Cow<'a, [u8]>);

byte_string!(RestBytes<'a>);

into_owned!(RestBytes<'a> { 0 cow });

macro_rules! rest {
    ($ty:ident, $wire:literal, $json:literal, $show:ident, $parse:expr) => {
        impl<'a> Field<'a, Wire> for $ty<'a> {
            const TYPE: TypeSchema = TypeSchema::new($wire, $json, "");
            fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
                let at = r.pos();
                Ok($ty(r.rest_from(at).into()))
            }
            fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
                w.bytes(&self.0);
                Ok(())
            }
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.$show(name, &self.0);
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
                let take: fn(&mut Fields<'a, '_>, Name) -> Result<Vec<u8>, Mistake> = $parse;
                take(f, name).map(|b| $ty(b.into()))
            }
        }
    };
}

rest! { Rest, "text to the end", "string", string, |f, name| f.take(name)?.string().map(<[u8]>::to_vec) }
rest! { RestBytes, "u8 to the end", "integer[]", bytes, |f, name| f.take(name)?.bytes() }

/// Numbers of hidden messages.
mod number {
    pub(super) const COMMAND: u16 = 1;
    pub(super) const DEMO_INFO: u16 = 3;
    pub(super) const DAMAGE: u16 = 7;
    pub(super) const WEAPON_OR_START: u16 = 9;
    pub(super) const PAUSE: u16 = 10;
    pub(super) const START: u16 = 11;
    pub(super) const EXTENDED: u16 = 0xFFFF;
}

/// The kinds of hidden messages.
pub const HIDDEN: [MessageKind; 6] = [
    MessageKind::HiddenCommand,
    MessageKind::HiddenDemoInfo,
    MessageKind::HiddenDamage,
    MessageKind::HiddenPause,
    MessageKind::HiddenStart,
    MessageKind::HiddenOther,
];

/// Reads the hidden messages of a record: those read, each with its bytes, and the bytes from the first that could not be.
pub(crate) fn read_hidden<'a>(payload: &'a [u8], d: &Dialect) -> (Vec<(Message<'a>, usize)>, &'a [u8]) {
    let mut all = Vec::new();
    // A pause stands alone, without a length.
    if let [10, 0, msec] = payload {
        return (vec![(Message::HiddenPause(HiddenPause { msec: *msec }), payload.len())], &[]);
    }
    let mut rest = payload;
    while !rest.is_empty() {
        let Some((message, n)) = read_one(rest, d) else { break };
        all.push((message, n));
        rest = rest.get(n..).unwrap_or_default();
    }
    (all, rest)
}

fn read_one<'a>(bytes: &'a [u8], d: &Dialect) -> Option<(Message<'a>, usize)> {
    const HEAD: usize = 6;
    let mut r = ByteReader::new(bytes);
    let (length, kind) = (usize::try_from(r.i32().ok()?).ok()?, r.u16().ok()?);
    let data = bytes.get(HEAD..HEAD.checked_add(length)?)?;
    // The kind is a field of those that come under several numbers.
    let (kind_of, from) = match (kind, length) {
        (number::COMMAND, 23) => (MessageKind::HiddenCommand, HEAD),
        (number::DEMO_INFO, 2..) => (MessageKind::HiddenDemoInfo, HEAD),
        (number::DAMAGE, 8) => (MessageKind::HiddenDamage, HEAD),
        (number::WEAPON_OR_START | number::START, 8) if is_moment(data) => (MessageKind::HiddenStart, HEAD - 2),
        (number::EXTENDED, _) => return None,
        _ => (MessageKind::HiddenOther, HEAD - 2),
    };
    let mut r = ByteReader::new(bytes.get(from..HEAD + data.len())?);
    let message = Message::read(kind_of, 0, &mut r, d).ok()?;
    r.is_empty().then_some((message, HEAD + length))
}

/// True for eight bytes that are a moment: below 2^53 ms, so that every reader of JSON takes them as they are.
fn is_moment(data: &[u8]) -> bool {
    matches!(data, [.., 0..0x20, 0])
}

/// Writes a hidden message; `None` for one that is none.
pub(crate) fn write_hidden(message: &Message<'_>, w: &mut ByteWriter, d: &Dialect) -> Option<Result<(), Fault>> {
    let kind = match message {
        Message::HiddenPause(m) => {
            w.u16(number::PAUSE);
            w.u8(m.msec);
            return Some(Ok(()));
        }
        Message::HiddenCommand(_) => Some(number::COMMAND),
        Message::HiddenDemoInfo(_) => Some(number::DEMO_INFO),
        Message::HiddenDamage(_) => Some(number::DAMAGE),
        Message::HiddenStart(_) | Message::HiddenOther(_) => None,
        _ => return None,
    };
    Some(write_one(message, kind, w, d))
}

fn write_one(message: &Message<'_>, kind: Option<u16>, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
    let mut body = ByteWriter::default();
    message.write_as(0, &mut body, d)?;
    // The declarations write a message number of one byte, which has no place here.
    let body = body.as_slice().get(1..).unwrap_or_default();
    let length = body.len() - if kind.is_some() { 0 } else { 2 };
    w.u32(u32::try_from(length).map_err(|_| Fault::unwritable("a hidden message above 4 GiB"))?);
    if let Some(kind) = kind {
        w.u16(kind);
    }
    w.bytes(body);
    Ok(())
}
