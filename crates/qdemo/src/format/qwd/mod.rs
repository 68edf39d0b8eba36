//! QuakeWorld: `.qwd`, what one client saw, and the messages that `.mvd` has too.
//!
//! ```text
//! block:  f32 time, u8 kind     seconds on the recorder's clock
//!   0:    36 bytes              a command of the recorder: the engine's structure
//!   1:    i32 size, size bytes  a packet of the server: two sequence numbers, then messages
//!   2:    u32, u32              the sequence numbers when recording began
//! ... to the end of the file; the last packet of a clean recording is `disconnect "EndOfDemo"`
//! ```
//!
//! Sources: the unofficial QWD format description 1.0.5; id Software's QuakeWorld, ezQuake, MVDSV and FTE for what it
//! leaves open; recordings from 1997 to 2026.
//!
#![doc = include_str!("guide.md")]

mod connectionless;
mod detect;
mod dialect;
mod entities;
mod entity;
mod hidden;
pub(super) mod message;
mod nails;
mod packet;
mod player;
mod reference;
mod values;

pub use super::dem::Extensions;
pub use connectionless::Connectionless;
pub(crate) use detect::{server_data, tells_moment, told};
pub(crate) use dialect::begins_level;
pub use dialect::{Bytes, Dialect};
pub use entity::{EntityModel, EntityNumber, PacketEntity, Rgb};
pub use hidden::{HIDDEN, Milliseconds, Rest, RestBytes};
pub(crate) use hidden::{read_hidden, write_hidden};
pub use message::*;
pub use nails::Nail;
pub use packet::{
    Block, BlockKind, Chunk, Contents, Decoder, Header, Messages, Packet, PacketNumbers, Qwd, SequenceNumbers,
    UserCommand,
};
pub(crate) use packet::{DATA, END_OF_DEMO, parse_contents, whole};
pub(crate) use reference::{CUT, TYPES, messages};
pub use values::{
    Age, Angle16, Blob, Buttons, Command, Effects, EntityCoord, Impulse, MoveVars, PlayerCoord, PlayerFlags,
    Prediction, SoundHead, Velocity, VoiceFrame,
};
