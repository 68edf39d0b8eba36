//! Commands that carry messages of the game to some of the players.

use super::values::SpareBits;
use crate::describe::{
    Body, FieldSchema, Fields, Holds, MessageSchema, Mistake, Name, Presence, Schema, Sink, TypeSchema,
};
use crate::format::dm2::{self, Bytes as Wire, Dialect};
use crate::format::{Format, MessageSet, encode_messages};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, into_owned};

const CLIENT: Name = Name::with("client", "");
const RELIABLE: Name = Name::with("reliable", "");
const LEAF: Name = Name::with("leaf", "");
const ALL: Name = Name::with("all", "");
const PHS: Name = Name::with("phs", "");
const PVS: Name = Name::with("pvs", "");

const IN_NUMBER: TypeSchema = TypeSchema::new("number", "boolean", "");
const SOME: TypeSchema = TypeSchema::new("messages of Quake II behind their size of 11 bits", "object[]", "")
    .holding(Holds::OfFormat(messages_of_game));
const MESSAGES: FieldSchema = FieldSchema::ours(
    "messages",
    SOME,
    Presence::Selected,
    "Messages of the game; each by its name, in JSON among the messages.",
);
const RELIABLE_FIELD: FieldSchema =
    FieldSchema::ours("reliable", IN_NUMBER, Presence::Selected, "Sent so that they cannot get lost.");

/// The messages that a command may carry.
fn messages_of_game() -> Vec<MessageSchema> {
    let mut all = dm2::Dm2::reference().messages;
    all.retain(|message| message.schema.name != <dm2::Unicast<'_> as Body<'_, Wire>>::NAME.text);
    all
}

/// Bytes that a command has room to count.
const MOST: usize = 0x7FF;

/// Messages for one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unicast<'a> {
    /// Sent so that they cannot get lost.
    pub reliable: bool,
    /// Slot of the player.
    pub client: u8,
    /// The messages.
    pub messages: Vec<dm2::Message<'a>>,
}

into_owned!(Unicast<'a> { reliable, client, messages list });

/// For whom messages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// For everyone.
    All,
    /// For those who could hear something in a leaf of the map.
    Hearing(u16),
    /// For those who could see something in a leaf of the map.
    Seeing(u16),
}

/// Messages for all players, or for those near a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multicast<'a> {
    /// Sent so that they cannot get lost.
    pub reliable: bool,
    /// For whom they are.
    pub to: Audience,
    /// The messages.
    pub messages: Vec<dm2::Message<'a>>,
}

into_owned!(Multicast<'a> { reliable, to, messages list });

/// The size of what follows: its low byte is next, its high bits are those of the number.
fn read_size(id: u8, r: &mut ByteReader<'_>) -> Result<usize, Fault> {
    Ok(usize::from(r.u8()?) | usize::from(SpareBits::of_number(id).0) << 8)
}

fn read_messages<'a>(size: usize, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Vec<dm2::Message<'a>>, Fault> {
    let start = r.pos();
    // Servers introduce themselves by commands, not within them.
    let mut messages = dm2::Messages::new(r.bytes(size)?, d.within_commands()).within(true);
    let all = messages.by_ref().collect();
    match messages.fault() {
        Some(fault) => Err(fault.clone().behind(start)),
        None => Ok(all),
    }
}

/// Writes number and size, then `between`, then the messages.
fn write_messages(
    id: u8,
    between: &[u8],
    messages: &[dm2::Message<'_>],
    w: &mut ByteWriter,
    d: &Dialect,
) -> Result<(), Fault> {
    let mut contents = ByteWriter::default();
    encode_messages(messages, &mut d.within_commands(), &mut contents)?;
    let size = contents.len();
    if size > MOST {
        return Err(Fault::unwritable("more than 2047 bytes of messages in one command"));
    }
    w.u8(id | SpareBits((size >> 8) as u8).in_number());
    w.u8(size as u8);
    w.bytes(between);
    w.bytes(contents.as_slice());
    Ok(())
}

fn parse_messages<'a>(f: &Fields<'a, '_>, d: &Dialect) -> Result<Vec<dm2::Message<'a>>, Mistake> {
    let mut dialect = d.within_commands();
    let mut all = Vec::new();
    for mut child in f.children().filter(|c| !c.is_used()) {
        let Some(kind) = dm2::MessageKind::by_name(child.keyword()) else {
            let word = String::from_utf8_lossy(child.keyword()).into_owned();
            return Err(child.mistake(format!("there is no message {word} of Quake II")));
        };
        let message = dm2::Message::parse(kind, &mut child, &dialect)?;
        child.consume();
        dialect = message.dialect_after(&dialect).unwrap_or(dialect);
        all.push(message);
    }
    Ok(all)
}

impl<'a> Unicast<'a> {
    const PLAIN: u8 = 8;
    const RELIABLE: u8 = 9;
}

impl<'a> Body<'a, Wire> for Unicast<'a> {
    const NAME: Name = Name::with("unicast", "");
    const SCHEMA: Schema = Schema {
        name: "unicast",
        lmpc: None,
        doc: "Messages of the game for one player.",
        inline: false,
        masked: false,
        fields: &[&[
            RELIABLE_FIELD,
            FieldSchema::ours("client", TypeSchema::new("u8", "integer", ""), Presence::Always, "Slot of the player."),
            MESSAGES,
        ]],
    };
    fn read(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let size = read_size(id, r)?;
        let reliable = id & 0x1F == Self::RELIABLE;
        Ok(Unicast { reliable, client: r.u8()?, messages: read_messages(size, r, d)? })
    }
    fn write(&self, _: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let id = if self.reliable { Self::RELIABLE } else { Self::PLAIN };
        write_messages(id, &[self.client], &self.messages, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        s.value(CLIENT, Scalar::Int(i64::from(self.client)));
        if self.reliable {
            s.flag(RELIABLE);
        }
        self.messages.iter().for_each(|m| m.show(s));
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let (client, reliable) = (f.take(CLIENT)?.int(0, 255)? as u8, f.flag(RELIABLE)?);
        Ok(Unicast { client, reliable, messages: parse_messages(f, d)? })
    }
}

impl<'a> Multicast<'a> {
    const FIRST: u8 = 10;
    const RELIABLE: u8 = 13;
}

impl<'a> Body<'a, Wire> for Multicast<'a> {
    const NAME: Name = Name::with("multicast", "");
    const SCHEMA: Schema = Schema {
        name: "multicast",
        lmpc: None,
        doc: "Messages of the game for several players.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema::ours("all", IN_NUMBER, Presence::Selected, "For everyone."),
            FieldSchema::ours("phs", IN_NUMBER, Presence::Selected, "For those who could hear something at a place."),
            FieldSchema::ours("pvs", IN_NUMBER, Presence::Selected, "For those who could see something at a place."),
            RELIABLE_FIELD,
            FieldSchema::ours(
                "leaf",
                TypeSchema::new("u16", "integer", ""),
                Presence::Selected,
                "Leaf of the map that the place is in; unless for everyone.",
            ),
            MESSAGES,
        ]],
    };
    fn read(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let size = read_size(id, r)?;
        let number = id & 0x1F;
        let reliable = number >= Self::RELIABLE;
        let to = match number - if reliable { Self::RELIABLE } else { Self::FIRST } {
            0 => Audience::All,
            1 => Audience::Hearing(r.u16()?),
            _ => Audience::Seeing(r.u16()?),
        };
        Ok(Multicast { reliable, to, messages: read_messages(size, r, d)? })
    }
    fn write(&self, _: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let first = if self.reliable { Self::RELIABLE } else { Self::FIRST };
        match self.to {
            Audience::All => write_messages(first, &[], &self.messages, w, d),
            Audience::Hearing(leaf) => write_messages(first + 1, &leaf.to_le_bytes(), &self.messages, w, d),
            Audience::Seeing(leaf) => write_messages(first + 2, &leaf.to_le_bytes(), &self.messages, w, d),
        }
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        let (name, leaf) = match self.to {
            Audience::All => (ALL, None),
            Audience::Hearing(leaf) => (PHS, Some(leaf)),
            Audience::Seeing(leaf) => (PVS, Some(leaf)),
        };
        s.flag(name);
        if self.reliable {
            s.flag(RELIABLE);
        }
        if let Some(leaf) = leaf {
            s.value(LEAF, Scalar::Int(i64::from(leaf)));
        }
        self.messages.iter().for_each(|m| m.show(s));
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let to = if f.flag(ALL)? {
            Audience::All
        } else if f.flag(PHS)? {
            Audience::Hearing(f.take(LEAF)?.int(0, 65_535)? as u16)
        } else if f.flag(PVS)? {
            Audience::Seeing(f.take(LEAF)?.int(0, 65_535)? as u16)
        } else {
            return Err(f.mistake("the multicast lacks its audience: add all, phs or pvs"));
        };
        Ok(Multicast { reliable: f.flag(RELIABLE)?, to, messages: parse_messages(f, d)? })
    }
}
