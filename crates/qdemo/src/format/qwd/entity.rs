//! Entity deltas and lists of them.

use std::marker::PhantomData;

use super::values::{
    Age, Angle16, Command, Effects, EntityCoord, Nail, PlayerCoord, PlayerFlags, Prediction, Velocity,
};
use crate::describe::Bytes as Wire;
use crate::describe::{
    Body, Field, FieldSchema, Fields, Interleaved, Mask, MaskedGroup, Mistake, ModelIndex, Name, NamedAxes, Presence,
    Schema, Sink, Table, TypeSchema, field_bits, field_parse, field_read, field_schema, field_show, field_type,
    field_write, masked, message, name_of,
};
use crate::dialect::Dialect;
use crate::wire::{Angle, Fault, Reader, Scalar, Writer};

/// An entity's number, in the mask itself: nine bits, and FTE's two bits for 512 and 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityNumber(pub u16);

const LOW: u64 = 0x1FF;
const PLUS_512: u64 = 1 << 29;
const PLUS_1024: u64 = 1 << 30;

impl<'a> MaskedGroup<'a> for EntityNumber {
    const BITS: u64 = LOW | PLUS_512 | PLUS_1024;
    const FIELDS: &'static [FieldSchema] = &[FieldSchema {
        name: "entity",
        lmpc: Some("entity"),
        doc: "Entity number.",
        ty: TypeSchema::new("mask bits 0 to 8 (with FTE's extensions bits 29 and 30 for 512 and 1024)", "integer", ""),
        presence: Presence::Always,
    }];
    #[inline(always)]
    fn read(_: &mut Reader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(EntityNumber((mask & LOW) as u16 | ((mask >> 29 & 3) as u16 * 512)))
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.0) & LOW | (u64::from(self.0) >> 9 & 3) << 29
    }
    fn write(&self, _: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        s.value(Name::new("entity"), Scalar::Int(i64::from(self.0)));
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        f.take(Name::new("entity"))?.int(0, 2047).map(|v| EntityNumber(v as u16))
    }
}

/// A model number: a byte, with FTE's MODELDBL 256 more, or two bytes where only that bit is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntityModel {
    /// The number, when it was sent.
    pub index: Option<u16>,
    /// Sent in two bytes.
    pub long: bool,
}

const MODEL: u64 = 1 << 18;
const MODEL_DOUBLE: u64 = 1 << 27;
const MODELINDEX: Name = Name::new("modelindex");
const LONG: Name = Name::with("long_modelindex", "");

impl<'a> MaskedGroup<'a> for EntityModel {
    const BITS: u64 = MODEL | MODEL_DOUBLE;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: "modelindex",
            lmpc: Some("modelindex"),
            doc: "Model number.",
            ty: TypeSchema::new("u8 (with FTE's extensions bit 27 adds 256)", "integer", ""),
            presence: Presence::Bit(18),
        },
        FieldSchema {
            name: "long_modelindex",
            lmpc: None,
            doc: "The model number takes two bytes: bit 27 without bit 18.",
            ty: TypeSchema::new("bit", "boolean", ""),
            presence: Presence::Flag(27),
        },
    ];
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(match (mask & MODEL != 0, mask & MODEL_DOUBLE != 0) {
            (false, false) => EntityModel::default(),
            (true, double) => EntityModel { index: Some(u16::from(r.u8()?) + 256 * u16::from(double)), long: false },
            (false, true) => EntityModel { index: Some(r.u16()?), long: true },
        })
    }
    #[inline]
    fn bits(&self) -> u64 {
        match self.index {
            None => 0,
            Some(_) if self.long => MODEL_DOUBLE,
            Some(0..=255) => MODEL,
            Some(_) => MODEL | MODEL_DOUBLE,
        }
    }
    #[inline]
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        match self.index {
            None => {}
            Some(v) if self.long => w.u16(v),
            Some(v @ 0..=511) => w.u8(v as u8),
            Some(_) => return Err(Fault::unwritable("a model number above 511 needs long_modelindex")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        if let Some(v) = self.index {
            s.index(MODELINDEX, u32::from(v), Table::Models);
            if self.long {
                s.flag(LONG);
            }
        }
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(MODELINDEX) {
            return Ok(EntityModel::default());
        }
        let index = Some(f.take(MODELINDEX)?.int(0, 65_535)? as u16);
        Ok(EntityModel { index, long: f.flag(LONG)? })
    }
}

/// Red, green and blue, a byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl<'a> Field<'a> for Rgb {
    const TYPE: TypeSchema = TypeSchema::new("u8[3]", "integer[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Rgb([r.u8()?, r.u8()?, r.u8()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(|v| Scalar::Int(i64::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        match f.take(name)?.bytes()?[..] {
            [r, g, b] => Ok(Rgb([r, g, b])),
            _ => Err(f.mistake("a colour is three numbers: red, green, blue")),
        }
    }
}

/// Names and bits of an entity's origin and angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityAxes;

impl NamedAxes for EntityAxes {
    const BITS: [[u8; 3]; 2] = [[9, 10, 11], [16, 12, 17]];
    const NAMES: [[Name; 3]; 2] = [
        [Name::new("origin_x"), Name::new("origin_y"), Name::new("origin_z")],
        [Name::new("angles_1"), Name::new("angles_2"), Name::new("angles_3")],
    ];
    const FIELDS: &'static [FieldSchema] = &crate::format::dem::axes::<Self>(
        ["Origin.", "Angle (pitch, yaw, roll)."],
        [<EntityCoord as Field>::TYPE, <Angle as Field>::TYPE],
    );
}

/// The mask of an entity delta: two bytes with the number in them, then up to three more. `WITH_ID` for a message of
/// its own, with a message number in front.
pub(super) struct EntityMask<const WITH_ID: bool>;

const REMOVE: u64 = 1 << 14;
const MORE: u64 = 1 << 15;
const EVEN_MORE: u64 = 1 << 23;
const YET_MORE: u64 = 1 << 31;
/// Bits with a meaning: flags of the word, of the low byte, FTE's alpha, model and numbers, FTE's colour.
const PLAIN: u64 = LOW | 0x7E00 | 0x7F_0000;
const FTE: u64 = 1 << 25 | MODEL_DOUBLE | PLUS_512 | PLUS_1024 | 1 << 34;

impl<const WITH_ID: bool> Mask for EntityMask<WITH_ID> {
    const HOLDS_ID: bool = !WITH_ID;

    #[inline(always)]
    fn read(_: u8, r: &mut Reader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(r.u16()?);
        let fte = d.quakeworld.entity_bytes;
        // Without extensions nothing at all follows a removal.
        if mask & MORE != 0 && (fte || mask & REMOVE == 0) {
            mask |= u64::from(r.u8()?) << 16;
            if fte && mask & EVEN_MORE != 0 {
                mask |= u64::from(r.u8()?) << 24;
                if mask & YET_MORE != 0 {
                    mask |= u64::from(r.u8()?) << 32;
                }
            }
        }
        Ok(mask)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        let fte = d.quakeworld.entity_bytes;
        let bytes = match mask {
            _ if mask & MORE == 0 || !fte && mask & REMOVE != 0 => 2,
            _ if mask & EVEN_MORE == 0 || !fte => 3,
            _ if mask & YET_MORE == 0 => 4,
            _ => 5,
        };
        if mask >> (8 * bytes) != 0 {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.bytes(&mask.to_le_bytes()[..bytes]);
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        let known = if d.quakeworld.entity_bytes { PLAIN | FTE } else { PLAIN };
        // A removed entity has its number and nothing else.
        if mask & REMOVE != 0 { mask & known & (<EntityNumber as MaskedGroup>::BITS | REMOVE) } else { mask & known }
    }
    #[inline]
    fn canon(bits: u64, _: &Dialect) -> u64 {
        let bits = if bits >> 32 != 0 { bits | YET_MORE } else { bits };
        let bits = if bits >> 24 != 0 { bits | EVEN_MORE } else { bits };
        if bits >> 16 != 0 { bits | MORE } else { bits }
    }
}

/// The fields of an entity delta; the messages differ in name and in what is in front of the mask.
macro_rules! entity_delta {
    ($doc:literal, $ty:ident = $text:literal $(as $lmpc:literal)?, $mask:ty) => {
        masked! {
            #[doc = $doc]
            pub struct $ty = $text $(as $lmpc)?, mask $mask {
                /// Entity number.
                entity: EntityNumber, group;
                /// The entity is gone.
                remove: (), flag 14;
                /// Model number.
                model: EntityModel, group;
                /// Frame of the model.
                frame: u8, bit 13;
                /// 0 none, n: the colours of player n - 1.
                colormap: u8, bit 19;
                /// Skin of the model.
                skin: u8, bit 20;
                /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light, 16 and 32 flags, 64 blue, 128 red.
                effects: u8, bit 21;
                /// Origin and angles.
                place: Interleaved<EntityCoord, Angle, EntityAxes>, group;
                /// A hint for prediction: the entity is solid.
                solid as "": (), flag 22;
                /// Opacity. (FTE)
                alpha as "": u8, bit 25;
                /// Red, green and blue. (FTE)
                colormod as "": Rgb, bit 34;
            }
        }
    };
}

entity_delta! {
    "An entity in a packet, as the difference to its baseline, or to an earlier packet.",
    PacketEntity = "packetentity", EntityMask<false>
}
entity_delta! {
    "An entity that never changes, with FTE's additions.",
    FteSpawnStatic2 = "fte_spawnstatic2" as "", EntityMask<true>
}
entity_delta! {
    "The base state of an entity, with FTE's additions.",
    FteSpawnBaseline2 = "fte_spawnbaseline2" as "", EntityMask<true>
}

impl PacketEntity {
    /// An entity that is just there.
    pub fn of(entity: u16) -> Self {
        PacketEntity {
            entity: EntityNumber(entity),
            remove: false,
            model: EntityModel::default(),
            frame: None,
            colormap: None,
            skin: None,
            effects: None,
            place: Interleaved { first: [None; 3], second: [None; 3], names: PhantomData },
            solid: false,
            alpha: None,
            colormod: None,
            mask_extra: 0,
        }
    }
}

const PACKET_ENTITY: Name = Name::new("packetentity");
const DELTA_PACKET_ENTITY: Name = Name::with("packetentity", "deltapacketentity");
const FRAME: Name = Name::new("frame");
const LIST: TypeSchema = TypeSchema::new("entity deltas, ended by u16 0", "object[]", "");

fn read_list(r: &mut Reader<'_>, d: &Dialect) -> Result<Vec<PacketEntity>, Fault> {
    let mut all = Vec::new();
    loop {
        // The word 0 ends the list.
        let mut ahead = *r;
        if ahead.u16()? == 0 {
            *r = ahead;
            return Ok(all);
        }
        all.push(<PacketEntity as Body>::read(0, r, d)?);
    }
}

fn write_list(list: &[PacketEntity], w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
    for entity in list {
        let at = w.len();
        Body::write(entity, 0, w, d)?;
        if w.as_slice().get(at..at + 2) == Some(&[0, 0]) {
            return Err(Fault::unwritable("entity 0 without a change: its mask would end the list"));
        }
    }
    w.u16(0);
    Ok(())
}

fn show_list<S: Sink>(list: &[PacketEntity], name: Name, s: &mut S) {
    for entity in list {
        s.open(name, false);
        entity.show_fields(s);
        s.close();
    }
}

fn parse_list<'a>(f: &Fields<'a, '_>, d: &Dialect) -> Result<Vec<PacketEntity>, Mistake> {
    let mut all = Vec::new();
    for mut child in f.children() {
        if !DELTA_PACKET_ENTITY.is(child.keyword()) {
            continue;
        }
        child.check_shape(false)?;
        all.push(<PacketEntity as Body>::parse(&mut child, d)?);
        child.finish()?;
        child.consume();
    }
    Ok(all)
}

/// All entities in sight, each as the difference to its baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketEntities {
    /// The entities in order of their numbers.
    pub entities: Vec<PacketEntity>,
}

impl<'a> Body<'a> for PacketEntities {
    const NAME: Name = Name::new("packetentities");
    const SCHEMA: Schema = Schema {
        name: "packetentities",
        lmpc: Some("packetentities"),
        doc: "All entities in sight, each as the difference to its baseline: packetentity, in order of their numbers.",
        inline: false,
        masked: false,
        fields: &[&[FieldSchema {
            name: "packetentity",
            lmpc: Some("packetentity"),
            doc: "An entity; in JSON among the messages.",
            ty: LIST,
            presence: Presence::Selected,
        }]],
    };
    #[inline]
    fn read(_: u8, r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        read_list(r, d).map(|entities| PacketEntities { entities })
    }
    fn write(&self, id: u8, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        write_list(&self.entities, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        show_list(&self.entities, PACKET_ENTITY, s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        parse_list(f, d).map(|entities| PacketEntities { entities })
    }
}

/// The entities that changed since an earlier packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaPacketEntities {
    /// The lowest 8 bits of the sequence number of that packet.
    pub frame: u8,
    /// The entities in order of their numbers.
    pub entities: Vec<PacketEntity>,
}

impl<'a> Body<'a> for DeltaPacketEntities {
    const NAME: Name = Name::new("deltapacketentities");
    const SCHEMA: Schema = Schema {
        name: "deltapacketentities",
        lmpc: Some("deltapacketentities"),
        doc: "The entities that changed since an earlier packet: packetentity, in order of their numbers. Those not named stay as they were.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema {
                name: "frame",
                lmpc: Some("frame"),
                doc: "The lowest 8 bits of the sequence number of that packet.",
                ty: TypeSchema::new("u8", "integer", ""),
                presence: Presence::Always,
            },
            FieldSchema {
                name: "packetentity",
                lmpc: Some("deltapacketentity"),
                doc: "An entity; in JSON among the messages.",
                ty: LIST,
                presence: Presence::Selected,
            },
        ]],
    };
    #[inline]
    fn read(_: u8, r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(DeltaPacketEntities { frame: r.u8()?, entities: read_list(r, d)? })
    }
    fn write(&self, id: u8, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        w.u8(self.frame);
        write_list(&self.entities, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        s.value(FRAME, Scalar::Int(i64::from(self.frame)));
        show_list(&self.entities, DELTA_PACKET_ENTITY, s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        Ok(DeltaPacketEntities { frame: f.take(FRAME)?.int(0, 255)? as u8, entities: parse_list(f, d)? })
    }
}

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

impl Mask for PlayerMask {
    #[inline(always)]
    fn read(_: u8, r: &mut Reader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mask = u64::from(r.u16()?);
        if !d.quakeworld.player_byte {
            return Ok(mask & 0x3FFF | (mask & 0xC000) << 8);
        }
        Ok(if mask & MORE != 0 { mask | u64::from(r.u8()?) << 16 } else { mask })
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        if !d.quakeworld.player_byte {
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
        mask & (0x3FFF | GROUND_SOLID | if d.quakeworld.player_byte { ALPHA } else { 0 })
    }
    #[inline]
    fn canon(bits: u64, d: &Dialect) -> u64 {
        if d.quakeworld.player_byte && bits >> 16 != 0 { bits | MORE } else { bits }
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

impl Mask for MvdPlayerMask {
    #[inline(always)]
    fn read(_: u8, r: &mut Reader<'_>, _: &Dialect) -> Result<u64, Fault> {
        r.u16().map(u64::from)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
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

const NAIL: Name = Name::new("nail");

macro_rules! nails {
    ($doc:literal, $ty:ident = $text:literal, $name:expr, $with_id:literal, $wire:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $ty {
            /// The nails.
            pub nails: Vec<Nail>,
        }

        impl<'a> Body<'a> for $ty {
            const NAME: Name = $name;
            const SCHEMA: Schema = Schema {
                name: $text,
                lmpc: Self::NAME.lmpc,
                doc: $doc,
                inline: false,
                masked: false,
                fields: &[&[FieldSchema {
                    name: "nail",
                    lmpc: Some("nail"),
                    doc: "A nail: origin in even units, angles_1 (pitch in 22.5 degrees), angles_2 (yaw); in nails2 an id in front. In JSON among the messages.",
                    ty: TypeSchema::new($wire, "object[]", ""),
                    presence: Presence::Selected,
                }]],
            };
            fn read(_: u8, r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
                let count = r.u8()?;
                let nails = (0..count).map(|_| Nail::read(r, $with_id)).collect::<Result<_, _>>()?;
                Ok($ty { nails })
            }
            fn write(&self, id: u8, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
                w.u8(id);
                w.u8(u8::try_from(self.nails.len()).map_err(|_| Fault::unwritable("more than 255 nails"))?);
                self.nails.iter().try_for_each(|nail| nail.write(w, $with_id))
            }
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(Self::NAME, false);
                for nail in &self.nails {
                    s.open(NAIL, false);
                    nail.show(s);
                    s.close();
                }
                s.close();
            }
            fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
                let mut nails = Vec::new();
                for mut child in f.children().filter(|c| NAIL.is(c.keyword())) {
                    nails.push(Nail::parse(&mut child)?);
                    child.consume();
                }
                Ok($ty { nails })
            }
        }
    };
}

nails! { "Nails in flight.", Nails = "nails", Name::new("nails"), false, "u8 count, u8[6] each" }
nails! {
    "Nails in flight, with numbers that tie them to those of the frame before.",
    Nails2 = "nails2", Name::with("nails2", ""), true, "u8 count, u8[7] each"
}
