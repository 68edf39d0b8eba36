//! Quake II: `.dm2`, recorded by a client, a server, or Relay.
//!
//! ```text
//! block:  i32 size              bytes of messages; 0 between two levels
//!         size bytes            messages: a number, then fields
//! ... until size is -1: the end mark
//! ```
//!
//! Sources: the unofficial DM2 format description 1.0.4; id Software's Quake II 3.21 for what it leaves open.

mod block;
mod boxes;
mod check;
mod decode;
mod detect;
mod directions;
mod entity;
mod info;
mod mask;
mod message;
mod rerelease;
mod screens;
mod test_release;
mod values;

pub use block::{Block, Chunk};
pub(crate) use block::{Cut, Framer};
pub use boxes::Boxes;
pub(crate) use check::check;
pub use decode::{END_MARK, Messages, encode_block};
pub(crate) use decode::{TEST_RELEASE, as_told, messages};
pub(crate) use detect::look;
pub use entity::{Effects, FrameNumber, MoreEffects, PacketEntities, PacketEntity, RenderFx, Skin, SpawnBaseline};
pub(crate) use info::note_player;
pub use info::{InfoBuilder, Info, Level, Player, frame_time};
pub use message::*;
pub use rerelease::*;
pub use screens::{ClientSlots, SplitPlayer, SplitPlayers};
pub use test_release::{TestBaseline, TestEntities, TestEntity, TestGun, TestNumber, TestPlayerInfo};
pub use values::{
    AlphaInFront, Angles16, Blend, BlendParts, ByteList, Direction, EffectType, EntityAngle, EntitySound, Gun,
    GunIndex, Items, KmPlayer, LoopAttenuation, Movement, OriginCoord, PlayerFog, Quarters, Sized32, SizedNumber,
    Solid, SoundSource, Stats, TimeOffset, VelocityCoord,
};
