//! The masked messages: only what differs from a default or a baseline is sent, and a mask says which.

use super::dialect::{Bytes as Wire, Dialect};
use super::values::{ChannelEntity, Items, NehahraTrans, Placement, WeaponBits};
use crate::describe::{
    Attenuation, ByteOrShort, Field, FieldSchema, Fields, Interleaved, Mask, Mistake, ModelIndex, Name, NamedAxes,
    Presence, SignedByte, Sink, SoundIndex, TypeSchema, Volume, field_bits, field_parse, field_read, field_schema,
    field_show, field_type, field_write, masked, message, name_of, rare,
};
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, Fault, Scalar};

masked! {
    /// Starts a sound.
    pub struct Sound = "sound", mask SoundMask {
        /// Loudness; full when absent.
        vol: Volume, bit 0;
        /// How fast it fades with distance; 1 when absent.
        attenuation: Attenuation, bit 1;
        /// Channel and entity of the sound.
        source: ChannelEntity, wide_group 3;
        /// Sound number.
        soundnum: SoundIndex, wide 4;
        /// Where it is.
        origin: [Coord; 3], always;
    }
}

/// The mask of `sound`: one byte.
pub(super) struct SoundMask;

impl Mask<Dialect> for SoundMask {
    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        r.u8().map(u64::from)
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        byte_mask(mask, w)
    }
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & u64::from(d.sound_bits)
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}

fn byte_mask(mask: u64, w: &mut ByteWriter) -> Result<(), Fault> {
    w.u8(u8::try_from(mask).map_err(|_| Fault::unwritable("a mask bit above the mask's eight"))?);
    Ok(())
}

masked! {
    /// A sound without a place, of the 2021 re-release.
    pub struct LocalSound = "localsound" as "", mask LocalSoundMask {
        /// Sound number.
        soundnum: SoundIndex, wide 4;
    }
}

/// The mask of `localsound`: one byte, of which only bit 4 counts.
pub(super) struct LocalSoundMask;

impl Mask<Dialect> for LocalSoundMask {
    fn read(id: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        SoundMask::read(id, r, d)
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        byte_mask(mask, w)
    }
    fn present(mask: u64, _: &Dialect) -> u64 {
        mask & 0x10
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}

masked! {
    /// The recorder's state. Absent fields have their default value, they are never "unchanged".
    pub struct ClientData = "clientdata", mask ClientDataMask {
        /// Height of the eyes above the origin; 22 when absent, -8 when dead.
        view_ofs_z: SignedByte, bit 0;
        /// Pitch that the view drifts to on slopes, in degrees (the document's "punchangle_x").
        punchangle_x: SignedByte, bit 1;
        /// Kick of the view and velocity.
        motion: Interleaved<SignedByte, SignedByte, KickVelocity>, group;
        /// What the recorder carries.
        items: Items, bit 9;
        /// The recorder stands on something.
        onground as "uk_bit_b10": (), flag 10;
        /// The recorder is under water (level 2 or 3).
        inwater as "uk_bit_b11": (), flag 11;
        /// Frame of the weapon model; 0 when absent.
        weaponframe: u8, bit 12;
        /// Armour; 0 when absent.
        armorvalue: u8, bit 13;
        /// Model number of the weapon; 0 when absent.
        weaponmodel: ModelIndex, bit 14;
        /// Health.
        health: i16, always;
        /// Ammunition of the weapon in hand.
        currentammo: u8, always;
        /// Shells.
        ammo_shells: u8, always;
        /// Nails.
        ammo_nails: u8, always;
        /// Rockets and grenades.
        ammo_rockets: u8, always;
        /// Cells.
        ammo_cells: u8, always;
        /// The weapon in hand.
        weapon: WeaponBits, always;
        /// What a byte has no room for. (FitzQuake)
        fitzquake: ClientDataHigh, group;
    }
}

rare! {
    /// FitzQuake's additions to `clientdata`.
    pub struct ClientDataHigh {
        /// High byte of weaponmodel. (FitzQuake)
        weaponmodel2 as "": u8, bit 16;
        /// High byte of armorvalue. (FitzQuake)
        armorvalue2 as "": u8, bit 17;
        /// High byte of currentammo. (FitzQuake)
        currentammo2 as "": u8, bit 18;
        /// High byte of ammo_shells. (FitzQuake)
        ammo_shells2 as "": u8, bit 19;
        /// High byte of ammo_nails. (FitzQuake)
        ammo_nails2 as "": u8, bit 20;
        /// High byte of ammo_rockets. (FitzQuake)
        ammo_rockets2 as "": u8, bit 21;
        /// High byte of ammo_cells. (FitzQuake)
        ammo_cells2 as "": u8, bit 22;
        /// High byte of weaponframe. (FitzQuake)
        weaponframe2 as "": u8, bit 24;
        /// Opacity of the weapon: 0 default, 1 invisible, 255 opaque. (FitzQuake)
        weaponalpha as "": u8, bit 25;
    }
}

/// Names and bits of the kick (`angles_1` ...) and the velocity (`vel_x` ...).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KickVelocity;

impl NamedAxes for KickVelocity {
    const BITS: [[u8; 3]; 2] = [[2, 3, 4], [5, 6, 7]];
    const NAMES: [[Name; 3]; 2] = [
        [Name::new("angles_1"), Name::new("angles_2"), Name::new("angles_3")],
        [Name::new("vel_x"), Name::new("vel_y"), Name::new("vel_z")],
    ];
    const FIELDS: &'static [FieldSchema] = &axes::<Self>(
        ["Kick of the view in whole degrees; 0 when absent.", "Velocity in 16 units/s; 0 when absent."],
        [TypeSchema::new("i8", "number", "degrees"), TypeSchema::new("i8", "number", "16 units/s")],
    );
}

/// Names and bits of an entity's origin and angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginAngles;

impl NamedAxes for OriginAngles {
    const BITS: [[u8; 3]; 2] = [[1, 2, 3], [8, 4, 9]];
    const NAMES: [[Name; 3]; 2] = [
        [Name::new("origin_x"), Name::new("origin_y"), Name::new("origin_z")],
        [Name::new("angles_1"), Name::new("angles_2"), Name::new("angles_3")],
    ];
    const FIELDS: &'static [FieldSchema] = &axes::<Self>(
        ["Origin; the baseline's when absent.", "Angle (pitch, yaw, roll); the baseline's when absent."],
        [<Coord as Field<Wire>>::TYPE, <Angle as Field<Wire>>::TYPE],
    );
}

pub(crate) const fn axes<N: NamedAxes>(docs: [&'static str; 2], types: [TypeSchema; 2]) -> [FieldSchema; 6] {
    let blank = FieldSchema::ours("", types[0], Presence::Always, "");
    let mut all = [blank; 6];
    let mut i = 0;
    while i < 6 {
        let (set, axis) = (i % 2, i / 2);
        all[i] = FieldSchema {
            name: N::NAMES[set][axis].text,
            lmpc: N::NAMES[set][axis].lmpc,
            doc: docs[set],
            ty: types[set],
            presence: Presence::Bit(N::BITS[set][axis]),
        };
        i += 1;
    }
    all
}

/// The mask of `clientdata`: two bytes, with FitzQuake up to two more.
pub(super) struct ClientDataMask;

impl ClientDataMask {
    fn extends(d: &Dialect) -> bool {
        d.clientdata_bits >> 16 != 0
    }
}

impl Mask<Dialect> for ClientDataMask {
    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(r.u16()?);
        if mask & 1 << 15 != 0 && Self::extends(d) {
            mask |= u64::from(r.u8()?) << 16;
            if mask & 1 << 23 != 0 {
                mask |= u64::from(r.u8()?) << 24;
            }
        }
        Ok(mask)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u16(mask as u16);
        extension_bytes(mask, Self::extends(d), w)
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        // Where items are always sent, their bit says nothing.
        mask & u64::from(d.clientdata_bits) | u64::from(d.items_always) << 9
    }
    #[inline]
    fn canon(bits: u64, d: &Dialect) -> u64 {
        extension_bits(bits | u64::from(d.items_always) << 9)
    }
}

/// Adds the bits that announce the third and the fourth mask byte.
#[inline]
fn extension_bits(mut bits: u64) -> u64 {
    bits |= u64::from(bits & 0xFF00_0000 != 0) << 23;
    bits | u64::from(bits & 0x00FF_0000 != 0) << 15
}

/// Writes the third and fourth mask byte where their bits ask for them.
#[inline]
fn extension_bytes(mask: u64, extends: bool, w: &mut ByteWriter) -> Result<(), Fault> {
    let bytes = match mask {
        _ if !extends || mask & 1 << 15 == 0 => 0,
        _ if mask & 1 << 23 == 0 => 1,
        _ => 2,
    };
    if mask >> (16 + 8 * bytes) != 0 {
        return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
    }
    w.bytes(&(mask as u32 >> 16).to_le_bytes()[..bytes]);
    Ok(())
}

masked! {
    /// The state of an entity, as difference to its baseline. An entity that is not mentioned is not in sight.
    pub struct UpdateEntity = "updateentity", mask UpdateMask {
        /// Entity number.
        entity: ByteOrShort, wide 14;
        /// Model number.
        modelindex: ModelIndex, bit 10;
        /// Frame of the model.
        frame: u8, bit 6;
        /// 0 none, n: the colours of player n - 1.
        colormap: u8, bit 11;
        /// Skin of the model.
        skin: u8, bit 12;
        /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light.
        effects: u8, bit 13;
        /// Origin and angles.
        place: Interleaved<Coord, Angle, OriginAngles>, group;
        /// The entity moves in steps: do not interpolate.
        new: (), flag 5;
        /// What later engines add.
        more: UpdateMore, group;
    }
}

rare! {
    /// Additions of FitzQuake, RMQ and Nehahra to `updateentity`.
    pub struct UpdateMore {
        /// Opacity: 0 default, 1 invisible, 255 opaque. (FitzQuake)
        alpha as "": u8, bit 16;
        /// Scale in 16ths. (999)
        scale as "": u8, bit 20;
        /// High byte of frame. (FitzQuake)
        frame2 as "": u8, bit 17;
        /// High byte of modelindex. (FitzQuake)
        modelindex2 as "": u8, bit 18;
        /// Time until the next frame in 255ths of a second. (FitzQuake)
        lerpfinish as "": u8, bit 19;
        /// Transparency. (Nehahra, BJP)
        trans as "": Box<NehahraTrans>, bit 32;
    }
}

/// The mask of `updateentity`: seven bits of the message number, then up to three more bytes.
pub(super) struct UpdateMask;

impl UpdateMask {
    const NEHAHRA: u64 = 1 << 32;

    fn extends(d: &Dialect) -> bool {
        d.update_bits & 0x00FF_0000 != 0
    }
}

impl Mask<Dialect> for UpdateMask {
    const HOLDS_ID: bool = true;

    #[inline(always)]
    fn read(id: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(id & 0x7F);
        if mask & 1 != 0 {
            mask |= u64::from(r.u8()?) << 8;
        }
        if mask & 1 << 15 != 0 {
            if Self::extends(d) {
                mask |= u64::from(r.u8()?) << 16;
                if mask & 1 << 23 != 0 {
                    mask |= u64::from(r.u8()?) << 24;
                }
            } else if d.update_bits & Self::NEHAHRA != 0 {
                mask ^= 1 << 15 | Self::NEHAHRA;
            }
        }
        Ok(mask)
    }
    #[inline]
    fn write(_: u8, mut mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        if d.update_bits & Self::NEHAHRA != 0 {
            if mask & 1 << 15 != 0 {
                return Err(Fault::unwritable("bit 15 of the mask without the trans it announces"));
            }
            mask |= (mask & Self::NEHAHRA) >> 17;
            mask &= !Self::NEHAHRA;
        }
        if mask & 0x80 != 0 || (mask & 1 == 0 && mask > 0xFF) {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.u8(mask as u8 | 0x80);
        if mask & 1 != 0 {
            w.u8((mask >> 8) as u8);
            extension_bytes(mask, Self::extends(d), w)?;
        }
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & d.update_bits
    }
    #[inline]
    fn canon(bits: u64, _: &Dialect) -> u64 {
        let bits = extension_bits(bits);
        bits | u64::from(bits > 0xFF)
    }
}

/// An entity's base state with the numbers that need more than a byte; the two messages differ in what is in front.
macro_rules! base_state {
    ($doc:literal, $ty:ident = $text:literal $(, $($in_front:tt)*)?) => {
        masked! {
            #[doc = $doc]
            pub struct $ty = $text as "", mask BaselineMask $(, $($in_front)*)? {
                /// Model number.
                default_modelindex: ModelIndex, wide 0;
                /// Frame of the model.
                default_frame: ByteOrShort, wide 1;
                /// 0 none, n: the colours of player n - 1.
                default_colormap: u8, always;
                /// Skin of the model.
                default_skin: u8, always;
                /// Place and direction.
                placement: Placement, group;
                /// Opacity: 0 default, 1 invisible, 255 opaque.
                default_alpha as "": u8, bit 2;
                /// Scale in 16ths.
                default_scale as "": u8, bit 3;
            }
        }
    };
}

base_state! {
    "The base state of an entity, with the numbers that need more than a byte. (FitzQuake)",
    SpawnBaseline2 = "spawnbaseline2", after {
        /// Entity number.
        entity: u16;
    }
}

base_state! {
    "An entity that never changes, with the numbers that need more than a byte. (FitzQuake)",
    SpawnStatic2 = "spawnstatic2"
}

/// The flags of `spawnbaseline2` and `spawnstatic2`: one byte.
pub(super) struct BaselineMask;

impl Mask<Dialect> for BaselineMask {
    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        r.u8().map(u64::from)
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        byte_mask(mask, w)
    }
    fn present(mask: u64, d: &Dialect) -> u64 {
        mask & u64::from(d.baseline_bits)
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}

impl UpdateEntity {
    /// An update that says only that the entity is in sight, as its baseline has it.
    pub fn of(entity: u16) -> Self {
        UpdateEntity { entity: ByteOrShort(entity), ..Self::default() }
    }
}
