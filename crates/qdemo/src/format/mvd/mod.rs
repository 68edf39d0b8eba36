//! Multi-view demos: `.mvd`, what a QuakeWorld server recorded of all players.
//!
//! ```text
//! record: u8 ms                 milliseconds since the record before
//!         u8 kind + slot*8      whom it is for
//!         [u32 mask]            players, for several
//!         [u32 size]
//!         size bytes            messages as in `.qwd`, without sequence numbers
//! ... to the end of the file
//! ```
//!
//! The messages are those of [`qwd`](super::qwd), with a few of their own; records for nobody hold [hidden](HIDDEN) ones.
//!
//! Sources: MVDSV, ezQuake and KTX; recordings from 2002 to 2026.
//!
#![doc = include_str!("guide.md")]

mod detect;
mod packet;
mod reference;

pub use super::qwd::message::*;
pub use super::qwd::{Dialect, Extensions, HIDDEN, MoveVars};
pub(crate) use packet::parse_contents;
pub use packet::{Block, Chunk, Contents, Decoder, Header, Mvd, Packet, Recipients, Target};
