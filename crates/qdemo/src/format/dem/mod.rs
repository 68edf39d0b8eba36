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
//! * A file is cut into [`Chunk`]s: the track line, [`Block`]s, unframed bytes.
//! * A [`Decoder`] reads a block into a [`Packet`], which writes itself; [`Message`] is one message.
//!
//! Sources: the unofficial DEM format description 1.0.9; WinQuake and QuakeSpasm for what it leaves open.
//!
#![doc = include_str!("guide.md")]

mod delta;
mod detect;
mod dialect;
mod message;
mod packet;
mod reference;
mod track;
mod values;

pub(crate) use delta::axes;
pub use delta::{ClientDataHigh, UpdateMore};
pub use dialect::{Bytes, Dialect, Variant, number_of, protocol_name};
pub use message::*;
pub use packet::{Block, Chunk, Decoder, Dem, Header, Messages, Packet, track_number};
pub use values::{ChannelEntity, Colors, Extensions, Items, NehahraTrans, Placement, WeaponBits};
