//! Quake III Arena and its family: `.dm3`, `.dm_48`, `.dm_66` to `.dm_71`, and Quake Live's `.dm_73`, `.dm_90`,
//! `.dm_91`.
//!
//! ```text
//! block:  i32 sequence          number of the packet
//!         i32 size              bytes of the packet
//!         size bytes            bits: number of the last client command, messages, end of message
//! ... until sequence and size are both -1: the end mark
//! ```
//!
//! * A [`Chunk`] is a part of a file: a block, the end mark, a trailer, unframed bytes.
//! * [`Packet`] holds the messages of a block, read and written with a [`Dialect`].
//! * A [`Snapshot`] holds what was sent of the player's and the entities' states: deltas, never resolved state.
//!
//! Sources: the unofficial format description for protocols 66 to 68; id Software's release and ioquake3 for what it
//! leaves open; recordings for the rest.
//!
#![doc = include_str!("guide.md")]

mod arrays;
mod delta;
mod detect;
mod dialect;
mod entity;
mod gamestate;
mod list;
mod message;
mod packet;
mod reference;
mod snapshot;
mod states;
mod values;

pub use arrays::Array;
pub use delta::{FieldValue, State};
pub use dialect::{
    Bits, DeltaForm, Dialect, EntityField, Era, Indices, PlayerField, ProtocolLayout, Table, TableField,
};
pub(crate) use entity::EntityTold;
pub use entity::{Change, EntityUpdate};
pub use gamestate::{Baseline, GamestateItem};
pub use message::*;
pub use packet::{Block, Chunk, Contents, Decoder, Dm3, END_MARK, Header, Memory, Packet};
pub(crate) use packet::{CLOSED, UNCLOSED, usual_tail};
pub use snapshot::AreaMask;
pub use values::{Data, FlaggedData, Text};
