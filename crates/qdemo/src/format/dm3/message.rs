//! The messages of Quake III, declared. Names are those of the engine's structures and of LMPC.

use super::dialect::{Bits as Wire, Dialect};
pub use super::gamestate::Gamestate;
pub use super::snapshot::Snapshot;
use super::values::{Data, FlaggedData, Text};
use crate::describe::{
    Body, Field, FieldSchema, Fields, Mistake, Name, Presence, Schema, Sink, TypeSchema, field_parse, field_read,
    field_schema, field_show, field_write, message, messages, name_of,
};
use crate::wire::{BitReader, BitWriter, Fault, Scalar, into_owned};

messages! {
    /// One message of a Quake III server.
    pub enum Message / MessageKind, from '_, keeps 'static {
        Nop, Gamestate, ServerCommand, Download, Snapshot, Eof, Extension, VoipSpeex, VoipOpus,
    }
}

impl Message {
    /// Server time in ms, of a snapshot.
    pub fn server_time(&self) -> Option<i32> {
        if let Message::Snapshot(snapshot) = self { Some(snapshot.server_time) } else { None }
    }
}

message! {
    /// No operation.
    pub struct Nop = "nop" as "", inline {}
}
message! {
    /// End of message. The last one of a block is not shown: it is there in every block (protocol 66 and later).
    pub struct Eof = "eof" as "", inline {}
}
message! {
    /// A string that every level has: server settings, players, models ... Only within a gamestate; later changes
    /// are server commands.
    pub struct Configstring = "configstring", block {
        /// Number of the configstring.
        index: u16;
        /// Its value.
        value: Text;
    }
}
message! {
    /// A command to the client: chat, prints, scores, changed configstrings ... It is sent again and again until the
    /// client has acknowledged it: the number tells whether it is new.
    pub struct ServerCommand = "serverCommand", block {
        /// Number of the command.
        seq: i32;
        /// The command.
        value: Text;
    }
}
message! {
    /// Voice of a player (Speex), hidden behind the end of message from clients that do not know it: old ioquake3.
    pub struct Extension = "extension" as "", block {
        /// Message number: 10, voice.
        id: u8;
        /// Client who speaks.
        sender: u16;
        /// Counts what the client said.
        generation: u8;
        /// Number of the first frame.
        sequence: i32;
        /// Frames in the data.
        frames: u8;
        /// Encoded sound.
        data: Data;
    }
}
message! {
    /// Voice of a player (Speex): ioquake3, OpenArena.
    pub struct VoipSpeex = "voipSpeex" as "", block {
        /// Client who speaks.
        sender: u16;
        /// Counts what the client said.
        generation: u8;
        /// Number of the first frame.
        sequence: i32;
        /// Frames in the data.
        frames: u8;
        /// Encoded sound.
        data: FlaggedData;
    }
}
message! {
    /// Voice of a player (Opus): ioquake3.
    pub struct VoipOpus = "voipOpus" as "", block {
        /// Client who speaks.
        sender: u16;
        /// Counts what the client said.
        generation: u8;
        /// Number of the first frame.
        sequence: i32;
        /// Frames in the data.
        frames: u8;
        /// Encoded sound.
        data: FlaggedData;
    }
}

/// A part of a file that the server sends. Not seen in any recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Number of the part.
    pub block: u16,
    /// In the first part: bytes in the file, or negative when there is none.
    pub size: Option<i32>,
    /// Why there is none.
    pub reason: Option<Text>,
    /// Bytes of the file.
    pub data: Option<Data>,
}

into_owned!(Download);

const BLOCK: Name = Name::new("block");
const SIZE: Name = Name::with("size", "");
const REASON: Name = Name::with("reason", "");
const DATA: Name = Name::new("data");

impl<'a> Body<'a, Wire> for Download {
    const NAME: Name = Name::with("download", "");
    const SCHEMA: Schema = Schema {
        name: "download",
        lmpc: None,
        doc: "A part of a file that the server sends. Not seen in any recording.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema::ours("block", TypeSchema::new("u16", "integer", ""), Presence::Always, "Number of the part."),
            FieldSchema::ours(
                "size",
                TypeSchema::new("i32", "integer", ""),
                Presence::Selected,
                "Bytes in the file, in part 0; negative when there is none.",
            ),
            FieldSchema::ours(
                "reason",
                TypeSchema::new("string", "string", ""),
                Presence::Selected,
                "Why there is no file.",
            ),
            FieldSchema::ours(
                "data",
                TypeSchema::new("u16 size, u8[size]", "integer[]", ""),
                Presence::Selected,
                "Bytes of the file.",
            ),
        ]],
    };

    fn read(_: u8, r: &mut BitReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let block = r.u16().map_err(|f| f.in_field("block"))?;
        let size = if block == 0 { Some(r.i32().map_err(|f| f.in_field("size"))?) } else { None };
        if size.is_some_and(|size| size < 0) {
            return Ok(Download { block, size, reason: Some(Text::read(r, d)?), data: None });
        }
        Ok(Download { block, size, reason: None, data: Some(Data::read(r, d)?) })
    }

    fn write(&self, id: u8, w: &mut BitWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        w.u16(self.block);
        if let Some(size) = self.size {
            w.i32(size);
        }
        let refused = self.size.is_some_and(|size| size < 0);
        match (&self.reason, &self.data) {
            _ if self.size.is_some() != (self.block == 0) => {
                Err(Fault::unwritable("block 0 has a size, others have none"))
            }
            (Some(reason), None) if refused => reason.write(w, d),
            (None, Some(data)) if !refused => data.write(w, d),
            _ => Err(Fault::unwritable("a download has data, or a reason when its size is negative")),
        }
    }

    fn show<S: Sink>(&self, s: &mut S) {
        s.open(<Self as Body<'a, Wire>>::NAME, false);
        s.value(BLOCK, Scalar::Int(i64::from(self.block)));
        if let Some(size) = self.size {
            s.value(SIZE, Scalar::Int(i64::from(size)));
        }
        if let Some(reason) = &self.reason {
            s.string(REASON, &reason.0);
        }
        if let Some(data) = &self.data {
            s.bytes(DATA, &data.0);
        }
        s.close();
    }

    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let block = f.take(BLOCK)?.int(0, 65_535)? as u16;
        let size = match f.has(SIZE) {
            true => Some(f.take(SIZE)?.int(i64::from(i32::MIN), i64::from(i32::MAX))? as i32),
            false => None,
        };
        let reason = if f.has(REASON) { Some(Field::parse(f, REASON, d)?) } else { None };
        let data = if f.has(DATA) { Some(Field::parse(f, DATA, d)?) } else { None };
        Ok(Download { block, size, reason, data })
    }
}
