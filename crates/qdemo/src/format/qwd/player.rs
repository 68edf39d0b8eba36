//! Players, as a client and as a server records them.

use super::dialect::{Bytes as Wire, Dialect};
use super::entity::MORE;
use super::values::{Age, Angle16, Command, Effects, PlayerCoord, PlayerFlags, Prediction, Velocity};
use crate::describe::{
    Field, Fields, Mask, Mistake, ModelIndex, Name, Sink, field_bits, field_parse, field_read, field_schema,
    field_show, field_type, field_write, masked, message, name_of,
};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

masked! {
    /// A player in sight of the recorder. Absent fields have their default value, they are never "unchanged".
    pub struct PlayerInfo = "playerinfo", mask PlayerMask, after {
        /// Player slot, from 0.
        player: u8;
    } {
        /// Flags without data.
        flags: PlayerFlags, group;
        /// Where the player is.
        origin: [PlayerCoord; 3], always;
        /// Frame of the model.
        frame: u8, always;
        /// Age of the player's last command when the packet was made.
        msec as "ping": Age, bit 0;
        /// The last command.
        command: Command, bit 1;
        /// Velocity, x; 0 when absent.
        velocity_x as "cspeed_x": Velocity, bit 2;
        /// Velocity, y.
        velocity_y as "cspeed_y": Velocity, bit 3;
        /// Velocity, z.
        velocity_z as "cspeed_z": Velocity, bit 4;
        /// Model number; that of progs/player.mdl when absent.
        modelindex: ModelIndex, bit 5;
        /// Skin; 0 when absent. With FTE's MODELDBL bit 7 adds 256 to the model number.
        skinnum as "uk_byte6": u8, bit 6;
        /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light, 16 and 32 flags, 64 blue, 128 red.
        effects as "weapon": Effects, bit 7;
        /// Frame of the weapon; only of the player who is seen.
        weaponframe: u8, bit 8;
        /// Weapon prediction of ezQuake: a byte, and unless it is 0, 22 more.
        prediction as "": Prediction, always;
        /// Opacity. (FTE)
        alpha as "": u8, bit 17;
    }
}

/// The mask of `playerinfo`: two bytes, with FTE's TRANS perhaps a third. On-ground and solid are bits 22 and 23 of
/// ours, wherever the wire has them.
pub(super) struct PlayerMask;

const ALPHA: u64 = 1 << 17;
const GROUND_SOLID: u64 = 3 << 22;

impl Mask<Dialect> for PlayerMask {
    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mask = u64::from(r.u16()?);
        if !d.player_byte {
            return Ok(mask & 0x3FFF | (mask & 0xC000) << 8);
        }
        Ok(if mask & MORE != 0 { mask | u64::from(r.u8()?) << 16 } else { mask })
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        if !d.player_byte {
            if mask & !(0x3FFF | GROUND_SOLID) != 0 {
                return Err(Fault::unwritable("a mask bit that this protocol does not have"));
            }
            w.u16((mask & 0x3FFF | mask >> 8 & 0xC000) as u16);
            return Ok(());
        }
        if mask >> 24 != 0 || mask & MORE == 0 && mask >> 16 != 0 {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.u16(mask as u16);
        if mask & MORE != 0 {
            w.u8((mask >> 16) as u8);
        }
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & (0x3FFF | GROUND_SOLID | if d.player_byte { ALPHA } else { 0 })
    }
    #[inline]
    fn canon(bits: u64, d: &Dialect) -> u64 {
        if d.player_byte && bits >> 16 != 0 { bits | MORE } else { bits }
    }
}

masked! {
    /// A player in a multi-view recording, as the difference to the last message about the same player.
    pub struct MvdPlayerInfo = "mvdplayerinfo" as "", mask MvdPlayerMask, after {
        /// Player slot, from 0.
        player: u8;
    } {
        /// The player is dead.
        dead: (), flag 8;
        /// The player is only a head.
        gib: (), flag 9;
        /// Frame of the model.
        frame: u8, always;
        /// Origin, x.
        origin_x: PlayerCoord, bit 0;
        /// Origin, y.
        origin_y: PlayerCoord, bit 1;
        /// Origin, z.
        origin_z: PlayerCoord, bit 2;
        /// View, pitch.
        angles_1: Angle16, bit 3;
        /// View, yaw.
        angles_2: Angle16, bit 4;
        /// View, roll.
        angles_3: Angle16, bit 5;
        /// Model number.
        modelindex: ModelIndex, bit 11;
        /// Skin.
        skinnum: u8, bit 7;
        /// Effects, as of an entity.
        effects: u8, bit 6;
        /// Frame of the weapon.
        weaponframe: u8, bit 10;
    }
}

/// The mask of a player in a multi-view recording: two bytes.
pub(super) struct MvdPlayerMask;

impl Mask<Dialect> for MvdPlayerMask {
    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        r.u16().map(u64::from)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u16(u16::try_from(mask).map_err(|_| Fault::unwritable("a mask bit above the mask's sixteen"))?);
        Ok(())
    }
    #[inline]
    fn present(mask: u64, _: &Dialect) -> u64 {
        mask & 0x0FFF
    }
    #[inline]
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}
