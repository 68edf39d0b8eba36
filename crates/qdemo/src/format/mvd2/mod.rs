//! Quake II, multi-view: `.mvd2`, what a server of Q2PRO recorded of all players.
//!
//! ```text
//! "MVD2"
//! block:  u16 size              bytes of commands
//!         size bytes            commands: a number with spare bits in it, then fields
//! ... until size is 0: the end mark
//! ```
//!
//! Entities, and the messages of the game within some commands, are those of [`dm2`](super::dm2).
//!
//! Sources: Q2PRO's server; recordings of minor version 2010.
//!
#![doc = include_str!("guide.md")]

mod contents;
mod detect;
mod dialect;
mod level;
mod message;
mod packet;
mod player;
mod reference;
mod values;

pub use super::dm2::Dialect;
pub use contents::Audience;
pub use level::LevelHead;
pub use message::*;
pub(crate) use packet::is_configstring;
pub use packet::{Block, Chunk, Decoder, END_MARK, FrameClock, Header, MAGIC, Mark, Messages, Mvd2, Packet};
pub use player::PlayerDelta;
pub use values::{OriginXY, PitchYaw, Roll, SentStats, SpareBits};
