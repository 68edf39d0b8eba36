//! QuakeWorld: `.qwd`, what one client saw, and the messages that `.mvd` has too.

mod block;
mod check;
mod detect;
mod entity;
mod message;
mod packet;
mod values;

pub use block::{Block, BlockKind, Framer, Piece};
pub(crate) use block::{COMMAND, Cut, END_OF_DEMO};
pub(crate) use check::check;
pub(crate) use detect::look;
pub use entity::{
    DeltaPacketEntities, EntityModel, EntityNumber, FteSpawnBaseline2, FteSpawnStatic2, MvdPlayerInfo, Nails, Nails2,
    PacketEntities, PacketEntity, PlayerInfo, Rgb,
};
pub use message::*;
pub use packet::{Messages, PacketHead, UserCommand, encode_block};
pub(crate) use packet::{close_packet, cut_short, open_block};
pub use values::{
    Age, Angle16, Blob, Command, Effects, EntityCoord, MoveVars, Nail, PlayerCoord, PlayerFlags, Prediction, SoundHead,
    Velocity, VoiceFrame,
};
pub(crate) use values::{parse_buttons, show_buttons};
