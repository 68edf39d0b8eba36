//! What the test release (Quake II 3.00, protocol 25) writes in its own way. It is known from one recording; fields
//! that it does not use are not known.

use super::dialect::{Bytes as Wire, Dialect};
use super::values::{Angles16, Blend, Quarters, Stats};
use crate::describe::{
    Body, Field, FieldSchema, Fields, Holds, Mask, MaskedGroup, Mistake, ModelIndex, Name, Presence, Schema, Sink,
    SoundIndex, Statement, TypeSchema, field_bits, field_parse, field_read, field_schema, field_show, field_type,
    field_write, masked, message, name_of,
};
use crate::format::write_deltas;
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, Fault, Scalar, into_owned};

masked! {
    /// The state of the player who is seen, in the test release: complete in every frame.
    pub struct TestPlayerInfo = "test_playerinfo" as "", mask TestPlayerMask {
        /// Where the player is.
        origin: [Coord; 3], always;
        /// View.
        viewangles: Angles16, always;
        /// Added to the angles of commands.
        delta_angles: Angles16, bit 2;
        /// Model number of the weapon.
        gunindex: u16, bit 4;
        /// Frame of the weapon, its place and its direction.
        gun: TestGun, bit 3;
        /// Colour of the whole screen.
        blend: Blend, bit 0;
        /// Number N on the status bar, 0 to 31.
        stats on "u32 mask, i16 each": Stats, always;
    }
}

/// The mask of `test_playerinfo`: two bytes.
pub(super) struct TestPlayerMask;

impl Mask<Dialect> for TestPlayerMask {
    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        r.u16().map(u64::from)
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u16(u16::try_from(mask).map_err(|_| Fault::unwritable("a mask bit above the mask's sixteen"))?);
        Ok(())
    }
    fn present(mask: u64, _: &Dialect) -> u64 {
        mask & 0x1D
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        bits
    }
}

/// The weapon in view: frame, offset and angles, which come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestGun {
    /// Frame of the weapon.
    pub frame: u16,
    /// Its place against the eyes.
    pub offset: Quarters,
    /// Its direction against the view.
    pub angles: Quarters,
}

impl<'a> Field<'a, Wire> for TestGun {
    const TYPE: TypeSchema = TypeSchema::new("u16, i8/4 [3], i8/4 [3]", "", "").spread(&[
        ("gunframe", "integer"),
        ("gunoffset", "number[3]"),
        ("gunangles", "number[3]"),
    ]);
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(TestGun { frame: r.u16()?, offset: Quarters::read(r, d)?, angles: Quarters::read(r, d)? })
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u16(self.frame);
        self.offset.write(w, d)?;
        self.angles.write(w, d)
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Name::new("gunframe"), Scalar::Int(i64::from(self.frame)));
        self.offset.show(Name::new("gunoffset"), s);
        self.angles.show(Name::new("gunangles"), s);
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        Ok(TestGun {
            frame: f.take(Name::new("gunframe"))?.int(0, 65_535)? as u16,
            offset: Quarters::parse(f, Name::new("gunoffset"), d)?,
            angles: Quarters::parse(f, Name::new("gunangles"), d)?,
        })
    }
    fn given(f: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        f.has(Name::new("gunframe"))
    }
}

/// An entity's number, in the mask itself: bits 6 to 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TestNumber(pub u16);

impl<'a> MaskedGroup<'a, Wire> for TestNumber {
    const BITS: u64 = 0xFFC0;
    const FIELDS: &'static [FieldSchema] = &[FieldSchema::new(
        "entity",
        TypeSchema::new("mask bits 6 to 15", "integer", ""),
        Presence::Always,
        "Entity number.",
    )];
    fn read(_: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(TestNumber((mask >> 6) as u16 & 0x3FF))
    }
    fn bits(&self) -> u64 {
        u64::from(self.0 & 0x3FF) << 6
    }
    fn write(&self, _: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.value(Name::new("entity"), Scalar::Int(i64::from(self.0)));
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        f.take(Name::new("entity"))?.int(0, 1023).map(|v| TestNumber(v as u16))
    }
}

/// The mask of an entity: a word, perhaps a second one, perhaps a byte. `WITH_ID` for a message of its own.
pub(super) struct TestMask<const WITH_ID: bool>;

const SECOND: u64 = 1 << 5;
const THIRD: u64 = 1 << 4;
/// Bits with a known meaning: number, origin, frame; angles to effects, long forms; sound.
const KNOWN: u64 = 0xFFCF | 0x7F_0000 | 0x0700_0000 | 0xC000_0000 | 1 << 32;

impl<const WITH_ID: bool> Mask<Dialect> for TestMask<WITH_ID> {
    const HOLDS_ID: bool = !WITH_ID;

    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(r.u16()?);
        if mask & SECOND != 0 {
            mask |= u64::from(r.u16()?) << 16;
        }
        if mask & THIRD != 0 {
            mask |= u64::from(r.u8()?) << 32;
        }
        // What a bit without a known meaning brings along is not known either.
        if mask & !(KNOWN | SECOND | THIRD) != 0 {
            return Err(r.malformed("a mask bit of the test release that is not known"));
        }
        Ok(mask)
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if mask & SECOND == 0 && mask >> 16 & 0xFFFF != 0 || mask & THIRD == 0 && mask >> 32 != 0 || mask >> 40 != 0 {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.u16(mask as u16);
        if mask & SECOND != 0 {
            w.u16((mask >> 16) as u16);
        }
        if mask & THIRD != 0 {
            w.u8((mask >> 32) as u8);
        }
        Ok(())
    }
    fn present(mask: u64, _: &Dialect) -> u64 {
        mask & KNOWN
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        let bits = if bits >> 32 != 0 { bits | THIRD } else { bits };
        if bits >> 16 & 0xFFFF != 0 { bits | SECOND } else { bits }
    }
}

macro_rules! test_entity {
    ($doc:literal, $ty:ident = $text:literal, $mask:ty) => {
        masked! {
            #[doc = $doc]
            pub struct $ty = $text as "", mask $mask {
                /// Entity number.
                entity: TestNumber, group;
                /// Model number.
                modelindex on "u8": ModelIndex, bit 19;
                /// Frame of the model.
                frame: u8, bit 3;
                /// Frame of the model in two bytes.
                frame16: u16, bit 24;
                /// Skin of the model.
                skin: u8, bit 21;
                /// Skin of the model in four bytes; of a beam: colours.
                skin32: u32, bit 31;
                /// Effects.
                effects: u8, bit 22;
                /// Effects in two bytes.
                effects16: u16, bit 26;
                /// Render flags.
                renderfx: u8, bit 20;
                /// Render flags in two bytes.
                renderfx16: u16, bit 25;
                /// Origin, x.
                origin_x: Coord, bit 0;
                /// Origin, y.
                origin_y: Coord, bit 1;
                /// Origin, z.
                origin_z: Coord, bit 2;
                /// Pitch.
                angles_1: Angle, bit 16;
                /// Yaw.
                angles_2: Angle, bit 17;
                /// Roll.
                angles_3: Angle, bit 18;
                /// Where it was in the frame before; of a beam: its other end.
                old_origin: [Coord; 3], bit 30;
                /// Sound that repeats.
                sound on "u8": SoundIndex, bit 32;
            }
        }
    };
}

test_entity! { "An entity, in the test release.", TestEntity = "test_packetentity", TestMask<false> }
test_entity! {
    "The base state of an entity, in the test release.", TestBaseline = "test_spawnbaseline", TestMask<true>
}

/// All entities in sight, in the test release: each as the difference to its baseline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestEntities {
    /// The entities in order of their numbers.
    pub entities: Vec<TestEntity>,
}

into_owned!(TestEntities);

const ENTITY: Name = Name::with("test_packetentity", "");
const TEST_ENTITY: Statement = Statement::new(<TestEntity as Body<'_, Wire>>::SCHEMA);

impl<'a> Body<'a, Wire> for TestEntities {
    const NAME: Name = Name::with("test_packetentities", "");
    const SCHEMA: Schema = Schema {
        name: "test_packetentities",
        lmpc: None,
        doc: "All entities in sight, in the test release: test_packetentity, in order of their numbers.",
        inline: false,
        masked: false,
        fields: &[&[FieldSchema::ours(
            "test_packetentity",
            TypeSchema::new("entity deltas, ended by u16 0", "object[]", "").holding(Holds::Messages(&[&TEST_ENTITY])),
            Presence::Selected,
            "An entity; in JSON among the messages.",
        )]],
    };
    fn read(_: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        // Room for what most frames tell, at once.
        let mut entities = Vec::with_capacity(64);
        loop {
            let mut ahead = *r;
            if ahead.u16()? == 0 {
                *r = ahead;
                return Ok(TestEntities { entities });
            }
            entities.push(<TestEntity as Body<Wire>>::read(0, r, d).map_err(|f| f.in_field("test_packetentity"))?);
        }
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        write_deltas(&self.entities, w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        for entity in &self.entities {
            s.open(ENTITY, false);
            entity.show_fields(s);
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let mut entities = Vec::new();
        for mut child in f.children().filter(|c| ENTITY.is(c.keyword())) {
            child.check_shape(false)?;
            entities.push(<TestEntity as Body<Wire>>::parse(&mut child, d)?);
            child.finish()?;
            child.consume();
        }
        Ok(TestEntities { entities })
    }
}
