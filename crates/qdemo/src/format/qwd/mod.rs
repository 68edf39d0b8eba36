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

mod block;
mod check;
mod detect;
mod entities;
mod entity;
mod info;
mod message;
mod nails;
mod packet;
mod player;
mod values;

pub use block::{Block, BlockKind, Chunk};
pub(crate) use block::{COMMAND, Cut, END_OF_DEMO, Framer};
pub(crate) use check::check;
pub(crate) use detect::look;
pub use entities::{DeltaPacketEntities, PacketEntities};
pub use entity::{EntityModel, EntityNumber, FteSpawnBaseline2, FteSpawnStatic2, PacketEntity, Rgb};
pub use info::{InfoBuilder, Info, Level, Player};
pub(crate) use info::{full_serverinfo, set_value};
pub use message::*;
pub use nails::{Nail, Nails, Nails2};
pub use packet::{Messages, PacketHead, UserCommand, encode_block};
pub(crate) use packet::{open_block, too_short};
pub use player::{MvdPlayerInfo, PlayerInfo};
pub use values::{
    Age, Angle16, Blob, Command, Effects, EntityCoord, MoveVars, PlayerCoord, PlayerFlags, Prediction, SoundHead,
    Velocity, VoiceFrame,
};
pub(crate) use values::{parse_buttons, show_buttons};
