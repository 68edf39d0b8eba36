//! Quake II: `.dm2`, recorded by a client, a server, or Relay.
//!
//! ```text
//! block:  i32 size              bytes of messages; 0 between two levels
//!         size bytes            messages: a number, then fields
//! ... until size is -1: the end mark
//! ```
//!
//! Sources: the unofficial DM2 format description 1.0.4; id Software's Quake II 3.21 for what it leaves open.
//!
#![doc = include_str!("guide.md")]

mod detect;
mod dialect;
mod directions;
mod entity;
mod entity_sizes;
mod mask;
mod message;
mod packet;
mod reference;
mod rerelease;
mod split_screen;
mod test_release;
mod values;

pub use dialect::{
    Bytes, ConfigStrings, Dialect, EntityMaskKind, Packing, PlayerMaskKind, ProtocolLayout, Recording, StatsKind,
};
pub(crate) use entity::END_MASK_FIELD;
pub use entity::{Effects, FrameNumber, MoreEffects, PacketEntity, RenderFx, Skin};
pub use entity_sizes::EntitySizes;
pub use message::*;
pub use packet::{Block, Chunk, Decoder, Dm2, END_MARK, Header, Messages, Packet, frame_time};
pub(crate) use packet::{TEST_RELEASE, time_of};
pub use rerelease::*;
pub use split_screen::{ClientSlots, SplitPlayer, SplitPlayers};
pub use test_release::{TestEntity, TestGun, TestNumber};
#[doc(hidden)]
pub use values::SizedNumber;
pub use values::{
    AlphaInFront, Angles16, Blend, BlendParts, ByteList, Direction, EffectType, EntityAngle, EntitySound, Gun,
    GunIndex, Items, KmPlayer, LoopAttenuation, Movement, OriginCoord, PlayerFog, Quarters, Sized32, Solid,
    SoundSource, Stats, TimeOffset, VelocityCoord,
};
