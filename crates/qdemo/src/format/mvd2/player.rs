//! A player as the recording tells of all of them.

use super::values::{OriginXY, PitchYaw, Roll, SentStats};
use crate::describe::{
    Braced, Field, Fields, Mask, Mistake, Name, Sink, field_bits, field_parse, field_read, field_schema, field_show,
    field_type, field_write, masked, message, name_of,
};
use crate::format::dm2::{Blend, Bytes as Wire, Dialect, GunIndex, OriginCoord, PlayerFog, PlayerMaskKind, Quarters};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

masked! {
    /// What changed of a player, as the difference to what was last told of the same one.
    pub struct PlayerDelta = "player", mask PlayerMask, after {
        /// Slot of the player.
        slot: u8;
    } {
        /// The player is gone. Its fields are kept for when it comes back.
        remove: (), flag 16;
        /// Kind of movement: 0 normal, 1 spectator, 2 dead, 3 a head, 4 frozen.
        pm_type: u8, bit 0;
        /// Where the player is: x and y.
        origin_xy: OriginXY, bit 1;
        /// Where the player is: z.
        origin_z: OriginCoord, bit 2;
        /// Eyes above the origin.
        viewoffset: Quarters, bit 3;
        /// View: pitch and yaw.
        view_pitch_yaw: PitchYaw, bit 4;
        /// View: roll.
        view_roll: Roll, bit 5;
        /// Kick of the view.
        kick_angles: Quarters, bit 6;
        /// Model number of the weapon.
        gunindex: GunIndex, bit 9;
        /// Frame of the weapon.
        gunframe: u8, bit 10;
        /// Place of the weapon against the eyes.
        gunoffset: Quarters, bit 11;
        /// Direction of the weapon against the view.
        gunangles: Quarters, bit 12;
        /// Colour of the whole screen.
        blend: Blend, bit 7;
        /// Fog that the player is in, with the second extended limits from minor version 2013 on.
        fog: Box<Braced<PlayerFog>>, bit 17;
        /// Field of view in degrees.
        fov: u8, bit 8;
        /// 1 under water, 2 no world, 4 infrared, 8 ultraviolet.
        rdflags: u8, bit 13;
        /// Numbers on the status bar.
        stats: SentStats, bit 14;
    }
}

/// The mask of a player: two bytes; or three, where bit 15 announces the third. Bits 16 and 17 mean the same in both.
pub(super) struct PlayerMask;

const MORE: u64 = 1 << 15;
const REMOVE: u64 = 1 << 16;
const FOG: u64 = 1 << 17;

impl PlayerMask {
    fn has_third(d: &Dialect) -> bool {
        d.layout.player_mask == PlayerMaskKind::WordAndByte
    }
}

impl Mask<Dialect> for PlayerMask {
    // Only the slot stands in front.
    const HOLDS_ID: bool = true;

    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let word = u64::from(r.u16()?);
        Ok(match (Self::has_third(d), word & MORE) {
            (_, 0) => word,
            (true, _) => word | u64::from(r.u8()?) << 16,
            (false, _) => word ^ MORE | REMOVE,
        })
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        match (Self::has_third(d), mask & MORE != 0, mask >> 16) {
            (_, false, 0) => w.u16(mask as u16),
            (true, true, third @ 0..=0xFF) => {
                w.u16(mask as u16);
                w.u8(third as u8);
            }
            (false, false, 1) => w.u16((mask | MORE) as u16),
            _ => return Err(Fault::unwritable("a mask bit above those that the mask has room for")),
        }
        Ok(())
    }
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & (0x7FFF | REMOVE | if Self::has_third(d) { FOG } else { 0 })
    }
    fn canon(bits: u64, d: &Dialect) -> u64 {
        if Self::has_third(d) && bits >> 16 != 0 { bits | MORE } else { bits }
    }
}
