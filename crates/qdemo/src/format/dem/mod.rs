//! Quake `.dem`: a CD track line, then blocks of server messages as one client received them.
//!
//! ```text
//! "-1\n"                        CD track line: text up to a line feed (sometimes absent)
//! block:  u32 size              bytes of messages
//!         f32 x 3               the client's view angles: pitch, yaw, roll in degrees
//!         size bytes            messages: a number, then fields
//! ... to the end of the file; the last block of a clean recording holds one `disconnect`
//! ```
//!
//! * [`Framer`] cuts a file into [`Chunk`]s: track, blocks, unframed bytes.
//! * [`Messages`] reads the messages of a block with a [`Dialect`](crate::dialect::Dialect).
//! * [`Message`] is one message; [`write_block`] turns messages back into bytes.
//!
//! Sources: the unofficial DEM format description 1.0.9; WinQuake and QuakeSpasm for what it leaves open.

mod block;
mod check;
mod decode;
mod delta;
mod info;
mod message;
mod values;

pub(crate) use block::Cut;
pub use block::{Block, Framer, Chunk, Track};
pub(crate) use check::check;
pub(crate) use decode::broken;
pub use decode::{Decoder, Messages, encode_block, write_block};
pub(crate) use delta::axes;
pub use delta::{
    ClientData, ClientDataHigh, LocalSound, Sound, SpawnBaseline2, SpawnStatic2, UpdateEntity, UpdateMore,
};
pub(crate) use info::mission_pack;
pub use info::{InfoBuilder, Info, Level, Player, Totals};
pub use message::*;
pub use values::{ChannelEntity, Colors, Extensions, Items, NehahraTrans, Placement, WeaponBits};
