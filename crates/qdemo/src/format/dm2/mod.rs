//! Quake II: `.dm2`, recorded by a client, a server, or Relay.
//!
//! ```text
//! block:  i32 size              bytes of messages; 0 between two levels
//!         size bytes            messages: a number, then fields
//! ... until size is -1: the end mark
//! ```
//!
//! Sources: the unofficial DM2 format description 1.0.4; id Software's Quake II 3.21 for what it leaves open.

mod boxes;
mod detect;
mod dialect;
mod directions;
mod entity;
mod info;
mod mask;
mod message;
mod packet;
mod rerelease;
mod screens;
mod test_release;
mod values;

pub use boxes::Boxes;
pub use dialect::{
    Bytes, ConfigStrings, Dialect, EntityMaskKind, Packing, PlayerMaskKind, ProtocolLayout, Recording, StatsKind,
};
pub use entity::{Effects, FrameNumber, MoreEffects, PacketEntities, PacketEntity, RenderFx, Skin, SpawnBaseline};
pub(crate) use info::note_player;
pub use info::{Info, InfoBuilder, Level, Player, frame_time};
pub use message::*;
pub(crate) use packet::TEST_RELEASE;
pub use packet::{Block, Chunk, Decoder, Dm2, END_MARK, Header, Messages, Packet};
pub use rerelease::*;
pub use screens::{ClientSlots, SplitPlayer, SplitPlayers};
pub use test_release::{TestBaseline, TestEntities, TestEntity, TestGun, TestNumber, TestPlayerInfo};
pub use values::{
    AlphaInFront, Angles16, Blend, BlendParts, ByteList, Direction, EffectType, EntityAngle, EntitySound, Gun,
    GunIndex, Items, KmPlayer, LoopAttenuation, Movement, OriginCoord, PlayerFog, Quarters, Sized32, SizedNumber,
    Solid, SoundSource, Stats, TimeOffset, VelocityCoord,
};
