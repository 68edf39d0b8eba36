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

mod block;
mod check;
mod contents;
mod decode;
mod detect;
mod info;
mod level;
mod message;
mod player;
mod values;

pub use block::{Block, Chunk};
pub(crate) use block::{Cut, Framer};
pub(crate) use check::{check, close_block};
pub use contents::{Audience, Multicast, Unicast};
pub(crate) use decode::FrameClock;
pub use decode::{END_MARK, MAGIC, Messages, encode_block};
pub(crate) use detect::look;
pub use info::{InfoBuilder, Info, Level};
pub use level::{LevelHead, Scene, ServerData};
pub use message::*;
pub use player::PlayerDelta;
pub use values::{OriginXY, PitchYaw, Roll, SentStats, SpareBits};
