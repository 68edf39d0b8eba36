//! Entity deltas and lists of them.

use super::dialect::{Bytes as Wire, Dialect};
use super::entity_sizes::by_box;
use super::mask::{EntityMask, NUMBER16};
use super::rerelease::{FinalState, OldOriginInFront, SolidInFront, WideEffects};
use super::values::{
    AlphaInFront, EntityAngle, EntitySound, LoopAttenuation, OriginCoord, Sized32, SizedNumber, Solid,
};
use crate::describe::{
    Alpha, Body, ByteOrShort, Field, FieldSchema, Fields, Holds, Mask, MaskedGroup, Mistake, ModelIndex, Name,
    Presence, Scale, Schema, Sink, Statement, TypeSchema, field_bits, field_parse, field_read, field_schema,
    field_show, field_type, field_write, masked, message, name_of,
};
use crate::wire::{ByteReader, ByteWriter, Coord, Fault, Scalar, into_owned};

macro_rules! sized {
    ($($(#[$doc:meta])* $ty:ident = $name:literal, $low:literal, $wide:literal, $long:expr, $high:expr, $bytes:literal, $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty;

        impl SizedNumber for $ty {
            const BITS: (u8, u8) = ($low, $wide);
            const NAME: Name = Name::new($name);
            const DOC: &'static str = $what;
            const LONG: u32 = $long;
            const HIGH: Option<Name> = $high;
            const BYTES: Name = Name::with($bytes, "");
        }
    )*};
}

sized! {
    /// The skin.
    Skin = "skin", 16, 25, 0x1_0000, Some(Name::new("vwep")), "skin_bytes",
        "Skin; of a player: client number, and the number of the visible weapon times 256; of a beam: colours.";
    /// The effects.
    Effects = "effects", 14, 19, 0x8000, None, "effects_bytes", "Effects: EF_ bits.";
    /// The render flags.
    RenderFx = "renderfx", 12, 18, 0x8000, None, "renderfx_bytes", "Render flags: RF_ bits.";
    /// More effects.
    MoreEffects = "morefx", 29, 33, 0x8000, None, "morefx_bytes", "More effects, in Q2PRO's extended demos.";
}

/// The frame of a model: a byte, or a short, each with its mask bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameNumber {
    /// As a byte.
    pub byte: Option<u8>,
    /// As a short.
    pub short: Option<u16>,
}

const FRAME: Name = Name::new("frame");
const FRAME16: Name = Name::with("frame16", "");

impl<'a> MaskedGroup<'a, Wire> for FrameNumber {
    const BITS: u64 = 1 << 4 | 1 << 17;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema::new("frame", TypeSchema::new("u8 or u16", "integer", ""), Presence::Bit(4), "Frame of the model."),
        FieldSchema::ours(
            "frame16",
            TypeSchema::new("u16", "integer", ""),
            Presence::Bit(17),
            "Frame of the model in two bytes although one would do, or beside the other.",
        ),
    ];
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(FrameNumber {
            byte: if mask >> 4 & 1 == 1 { Some(r.u8()?) } else { None },
            short: if mask >> 17 & 1 == 1 { Some(r.u16()?) } else { None },
        })
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.byte.is_some()) << 4 | u64::from(self.short.is_some()) << 17
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if let Some(v) = self.byte {
            w.u8(v);
        }
        if let Some(v) = self.short {
            w.u16(v);
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        if let Some(v) = self.byte {
            s.value(FRAME, Scalar::Int(i64::from(v)));
        }
        if let Some(v) = self.short {
            let usual = self.byte.is_none() && v > 255;
            s.value(if usual { FRAME } else { FRAME16 }, Scalar::Int(i64::from(v)));
        }
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        let mut it = FrameNumber::default();
        if f.has(FRAME) {
            match f.take(FRAME)?.int(0, 65_535)? {
                v @ 0..=255 => it.byte = Some(v as u8),
                v => it.short = Some(v as u16),
            }
        }
        if f.has(FRAME16) {
            it.short = Some(f.take(FRAME16)?.int(0, 65_535)? as u16);
        }
        Ok(it)
    }
}

macro_rules! entity_delta {
    ($doc:literal, $ty:ident = $text:literal, $mask:ty) => {
        masked! {
            #[doc = $doc]
            pub struct $ty = $text, mask $mask {
                /// Entity number.
                entity: ByteOrShort, wide 8;
                /// The entity is gone.
                remove: (), flag 6;
                /// Model number; 255: a player's.
                modelindex: ModelIndex, wide_bit 11 28;
                /// Second model: weapon, flag ...
                modelindex2: ModelIndex, wide_bit 20 28;
                /// Third model.
                modelindex3: ModelIndex, wide_bit 21 28;
                /// Fourth model.
                modelindex4: ModelIndex, wide_bit 22 28;
                /// Fifth model, in KMQuake2.
                modelindex5: ModelIndex, bit 36;
                /// Sixth model, in KMQuake2.
                modelindex6: ModelIndex, bit 37;
                /// Frame of the model.
                frame: FrameNumber, group;
                /// Skin of the model.
                skin: Sized32<Skin>, group;
                /// Effects of 64 bits, in the re-release.
                wide_effects: Option<Box<WideEffects>>, group;
                /// Effects.
                effects: Sized32<Effects>, group;
                /// Render flags.
                renderfx: Sized32<RenderFx>, group;
                /// The box, in the re-release: half widths in bits 0-7 and 8-15, depth in 16-23, height + 32 in
                /// 24-31; 31: a brush model.
                solid_in_front: SolidInFront, bit 44;
                /// Origin, x.
                origin_x: OriginCoord, bit 0;
                /// Origin, y.
                origin_y: OriginCoord, bit 1;
                /// Origin, z.
                origin_z: OriginCoord, bit 9;
                /// Where it was in the frame before, in the re-release; of a beam: its other end.
                old_origin_in_front: Box<OldOriginInFront>, bit 48;
                /// Pitch.
                angles_1: EntityAngle, wide_bit 10 13;
                /// Yaw.
                angles_2: EntityAngle, wide_bit 2 13;
                /// Roll.
                angles_3: EntityAngle, wide_bit 3 13;
                /// Where it was in the frame before; of a beam: its other end.
                old_origin: [Coord; 3], bit 24;
                /// Opacity, in KMQuake2.
                alpha_in_front: AlphaInFront, bit 39;
                /// Sound that repeats; with how loud it is and how it fades in Q2PRO's extended demos and the re-release.
                sound: EntitySound, bit 26;
                /// How fast the sound fades with distance, in KMQuake2.
                loop_attenuation: LoopAttenuation, bit 38;
                /// Event of this frame.
                event: u8, bit 5;
                /// Box: 8-unit steps of half width in bits 0-4, depth in 5-9, height in 10-15; 31: a brush model.
                solid: Solid, bit 27;
                /// More effects, in Q2PRO's extended demos.
                morefx: Sized32<MoreEffects>, group;
                /// Opacity, in Q2PRO's extended demos and the re-release.
                alpha: Alpha, bit 30;
                /// Size, in Q2PRO's extended demos and the re-release.
                scale: Scale, bit 32;
                /// What only the re-release has.
                rerelease: Option<Box<FinalState>>, group;
            }
        }
    };
}

entity_delta! {
    "An entity in a packet, as the difference to an earlier frame, or to its baseline.",
    PacketEntity = "packetentity", EntityMask<false>
}
entity_delta! { "The base state of an entity.", SpawnBaseline = "spawnbaseline", EntityMask<true> }

/// The entities that changed since the frame that `frame` names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PacketEntities {
    /// The entities in order of their numbers.
    pub entities: Vec<PacketEntity>,
    /// Mask of the entity 0 that ends the list; 0 in all files.
    pub end_mask: u64,
}

into_owned!(PacketEntities);

const PACKET_ENTITY: Name = Name::new("packetentity");
const END_MASK: Name = Name::with("end_mask", "");
/// What documentation says of it.
pub(crate) const END_MASK_FIELD: FieldSchema = FieldSchema::ours(
    END_MASK.text,
    TypeSchema::new("1 to 5 bytes", "integer", "").within(0, 0x1_FFFF_FFFF_FFFF),
    Presence::Selected,
    "Mask of the entity 0 that ends the list, when it is not empty.",
);
/// What a list of entities is made of.
const ENTITY: Statement = Statement::new(<PacketEntity as Body<'_, Wire>>::SCHEMA);

impl PacketEntity {
    /// The box, where this tells it.
    pub(super) fn box_told(&self) -> Option<u32> {
        self.solid_in_front.map(|solid| solid.0.0)
    }
}

impl SpawnBaseline {
    /// The box, where this tells it.
    pub(super) fn box_told(&self) -> Option<u32> {
        self.solid_in_front.map(|solid| solid.0.0)
    }

    /// Reads a baseline; of those with places by boxes too: it is a difference to nothing, so that none of them was
    /// told before.
    pub(super) fn read_whole(r: &mut ByteReader<'_>, d: &Dialect) -> Result<Self, Fault> {
        if !d.layout.origin_by_box {
            return Self::read_as(0, r, d);
        }
        by_box(r, d, false, |r, d| Self::read_as(0, r, d), Self::box_told)
    }
}

impl PacketEntities {
    /// Mask and number of the next entity, and what stands behind them.
    #[inline(always)]
    fn head<'a>(r: &ByteReader<'a>, d: &Dialect) -> Result<(u64, u16, ByteReader<'a>), Fault> {
        let mut ahead = *r;
        let mask = EntityMask::<false>::read(0, &mut ahead, d)?;
        let number = if mask & NUMBER16 != 0 { ahead.u16()? } else { u16::from(ahead.u8()?) };
        Ok((mask, number, ahead))
    }

    /// The list, without a message number in front.
    #[inline(always)]
    pub(crate) fn read_list(r: &mut ByteReader<'_>, d: &Dialect) -> Result<Self, Fault> {
        // Room for what most frames tell, at once.
        let mut entities = Vec::with_capacity(32);
        loop {
            let (end_mask, number, behind) = Self::head(r, d)?;
            if number == 0 {
                *r = behind;
                return Ok(PacketEntities { entities, end_mask });
            }
            entities.push(PacketEntity::read_as(0, r, d).map_err(|f| f.in_field("packetentity"))?);
        }
    }

    /// The list, where places are as wide as boxes say: `has_box` tells which entities had one before.
    pub(super) fn read_by_boxes(
        r: &mut ByteReader<'_>,
        d: &Dialect,
        has_box: impl Fn(u16) -> bool,
    ) -> Result<Self, Fault> {
        let mut entities = Vec::new();
        loop {
            let (end_mask, number, behind) = Self::head(r, d)?;
            if number == 0 {
                *r = behind;
                return Ok(PacketEntities { entities, end_mask });
            }
            let read = |r: &mut ByteReader<'_>, d: &Dialect| PacketEntity::read_as(0, r, d);
            let entity = by_box(r, d, has_box(number), read, PacketEntity::box_told);
            entities.push(entity.map_err(|f| f.in_field("packetentity"))?);
        }
    }
}

impl<'a> Body<'a, Wire> for PacketEntities {
    const NAME: Name = Name::new("packetentities");
    const SCHEMA: Schema = Schema {
        name: "packetentities",
        lmpc: Some("packetentities"),
        doc: "The entities that changed since the frame that `frame` names: packetentity, in order of their numbers.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema::new(
                "packetentity",
                TypeSchema::new("entity deltas, ended by an empty one of entity 0", "object[]", "")
                    .holding(Holds::Messages(&[&ENTITY])),
                Presence::Selected,
                "An entity; in JSON among the messages.",
            ),
            END_MASK_FIELD,
        ]],
    };
    fn read(_: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        if d.layout.origin_by_box {
            // Nothing was told before.
            return Self::read_by_boxes(r, d, |_| false);
        }
        // As `Mask::USUAL` says, once for the whole list.
        if d.has_standard_states() { Self::read_list(r, &Dialect::QUAKE2) } else { Self::read_list(r, d) }
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        self.write_list(w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        self.show_end_mask(s);
        self.show_list(s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        Self::parse_list(f, d)
    }
}

impl PacketEntities {
    /// Writes the list without a message number.
    pub(crate) fn write_list(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        for entity in &self.entities {
            if entity.entity.0 == 0 {
                return Err(Fault::unwritable("entity 0 would end the list"));
            }
            Body::write(entity, 0, w, d)?;
        }
        EntityMask::<false>::write(0, self.end_mask, w, d)?;
        w.u8(0);
        if self.end_mask & NUMBER16 != 0 {
            w.u8(0);
        }
        Ok(())
    }

    /// Shows the mask of the entity that ends the list, when it is not empty.
    pub(crate) fn show_end_mask<S: Sink>(&self, s: &mut S) {
        if self.end_mask != 0 {
            s.value(END_MASK, Scalar::Hex(self.end_mask));
        }
    }

    /// Shows the entities.
    pub(crate) fn show_list<S: Sink>(&self, s: &mut S) {
        for entity in &self.entities {
            s.open(PACKET_ENTITY, false);
            entity.show_fields(s);
            s.close();
        }
    }

    /// Takes the list out of the statement that it is in.
    pub(crate) fn parse_list(f: &mut Fields<'_, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let end_mask = if f.has(END_MASK) { f.take(END_MASK)?.int(0, 0x1_FFFF_FFFF_FFFF)? as u64 } else { 0 };
        let mut entities = Vec::new();
        for mut child in f.children() {
            if PACKET_ENTITY.is(child.keyword()) {
                child.check_shape(false)?;
                entities.push(<PacketEntity as Body<Wire>>::parse(&mut child, d)?);
                child.finish()?;
                child.consume();
            }
        }
        Ok(PacketEntities { entities, end_mask })
    }
}
