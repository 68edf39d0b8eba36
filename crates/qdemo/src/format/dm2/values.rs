//! Value types that only Quake II's messages have.

use super::directions::DIRECTIONS;
use crate::describe::{Field, FieldSchema, Fields, Form, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema};
use crate::dialect::Dialect;
use crate::wire::{Angle, AngleKind, F32, Fault, Reader, Scalar, What, Writer};

/// A direction by its number, 0 to 161; shown as a unit vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Direction(pub u8);

impl Direction {
    /// The unit vector.
    pub fn vector(self) -> Option<[f32; 3]> {
        DIRECTIONS.get(usize::from(self.0)).copied()
    }
}

impl<'a> Field<'a> for Direction {
    const TYPE: TypeSchema = TypeSchema::new("u8, one of 162 directions", "number[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let at = r.pos();
        let direction = Direction(r.u8()?);
        match direction.vector() {
            Some(_) => Ok(direction),
            None => Err(Fault::new(What::Malformed("a direction beyond the 162 that there are"), at)),
        }
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.vector().is_none() {
            return Err(Fault::unwritable("a direction beyond the 162 that there are"));
        }
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let vector = self.vector().unwrap_or_default();
        s.values(name, &vector.map(|v| Scalar::Float(F32::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let wanted = f.take(name)?.floats::<3>()?.map(F32::get);
        // The one nearest to it, as the engine writes directions.
        let near = |v: &[f32; 3]| v.iter().zip(&wanted).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let mut best = (0, f64::NEG_INFINITY);
        for (n, vector) in DIRECTIONS.iter().enumerate() {
            let product = near(vector);
            if product > best.1 {
                best = (n, product);
            }
        }
        Ok(Direction(best.0 as u8))
    }
}

/// Three angles in 65536ths of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Angles16(pub [i16; 3]);

impl<'a> Field<'a> for Angles16 {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536 [3]", "number[3]", "degrees");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Angles16([r.i16()?, r.i16()?, r.i16()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Turn65536));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let angles = f.take(name)?.angles::<3>(AngleKind::I16)?;
        Ok(Angles16(angles.map(|a| if let Angle::I16(v) = a { v } else { 0 })))
    }
}

/// Three signed bytes in quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quarters(pub [i8; 3]);

impl Quarters {
    fn scalars(self) -> [Scalar; 3] {
        self.0.map(|v| Scalar::Binary(i32::from(v), 2))
    }
}

impl<'a> Field<'a> for Quarters {
    const TYPE: TypeSchema = TypeSchema::new("i8/4 [3]", "number[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Quarters([r.i8()?, r.i8()?, r.i8()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i8(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.scalars());
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.floats::<3>()?.map(|v| (v.get() * 4.0).round());
        if values.iter().any(|v| !(-128.0..=127.0).contains(v)) {
            return Err(f.mistake("a quarter is from -32 to 31.75"));
        }
        Ok(Quarters(values.map(|v| v as i8)))
    }
}

/// The weapon in view: frame, offset and angles, which come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gun {
    /// Frame of the weapon.
    pub frame: u8,
    /// Its place against the eyes, in quarters of a unit.
    pub offset: Quarters,
    /// Its direction against the view, in quarters of a degree.
    pub angles: Quarters,
}

impl Gun {
    const FRAME: Name = Name::new("gunframe");
    const OFFSET: Name = Name::new("gunoffset");
    const ANGLES: Name = Name::new("gunangles");
}

impl<'a> Field<'a> for Gun {
    const TYPE: TypeSchema = TypeSchema::new("u8, i8/4 [3], i8/4 [3]", "", "").spread(&[
        ("gunframe", "integer"),
        ("gunoffset", "number[3]"),
        ("gunangles", "number[3]"),
    ]);
    #[inline]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(Gun { frame: r.u8()?, offset: Quarters::read(r, d)?, angles: Quarters::read(r, d)? })
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        w.u8(self.frame);
        self.offset.write(w, d)?;
        self.angles.write(w, d)
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::FRAME, Scalar::Int(i64::from(self.frame)));
        self.offset.show(Self::OFFSET, s);
        self.angles.show(Self::ANGLES, s);
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        Ok(Gun {
            frame: f.take(Self::FRAME)?.int(0, 255)? as u8,
            offset: Quarters::parse(f, Self::OFFSET, d)?,
            angles: Quarters::parse(f, Self::ANGLES, d)?,
        })
    }
    fn given(f: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        f.has(Self::FRAME)
    }
}

/// Colour of the whole screen: red, green, blue and opacity in 255ths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blend(pub [u8; 4]);

impl<'a> Field<'a> for Blend {
    const TYPE: TypeSchema = TypeSchema::new("u8/255 [4]", "number[4]", "0..1");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Blend([r.u8()?, r.u8()?, r.u8()?, r.u8()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(|v| Scalar::Near((f64::from(v) / 255.0) as f32)));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.floats::<4>()?.map(|v| (v.get() * 255.0).round());
        if values.iter().any(|v| !(0.0..=255.0).contains(v)) {
            return Err(f.mistake("a colour is from 0 to 1"));
        }
        Ok(Blend(values.map(|v| v as u8)))
    }
}

/// Bytes behind their number: areas, connected clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByteList(pub Vec<u8>);

impl<'a> Field<'a> for ByteList {
    const TYPE: TypeSchema = TypeSchema::new("u8 count, u8[count]", "integer[]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let count = r.u8()?;
        r.bytes(usize::from(count)).map(|b| ByteList(b.to_vec()))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u8(u8::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 255 bytes in a list"))?);
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(ByteList)
    }
}

/// What the player carries: 256 numbers by item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Items(pub Box<[i16; 256]>);

impl<'a> Field<'a> for Items {
    const TYPE: TypeSchema = TypeSchema::new("i16[256]", "integer[256]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = Box::new([0; 256]);
        for v in all.iter_mut() {
            *v = r.i16()?;
        }
        Ok(Items(all))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let all: Vec<_> = self.0.iter().map(|v| Scalar::Int(i64::from(*v))).collect();
        s.values(name, &all);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.ints(-32_768, 65_535)?;
        let mut all = Box::new([0; 256]);
        if values.len() != all.len() {
            return Err(f.mistake("an inventory has 256 numbers"));
        }
        for (slot, v) in all.iter_mut().zip(values) {
            *slot = v as i16;
        }
        Ok(Items(all))
    }
}

/// The numbers on the status bar that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// A bit for each number that is there.
    pub mask: u32,
    /// The numbers, lowest first.
    pub values: Vec<i16>,
}

macro_rules! stat_names {
    ($($n:literal)*) => { [$(Name::new(concat!("stats[", $n, "]"))),*] };
}

impl Stats {
    const NAMES: [Name; 32] = stat_names!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    );
    const LIST: Name = Name::new("stats");
    const ITEM: Name = Name::new("stat");
    const INDEX: Name = Name::new("index");
    const VALUE: Name = Name::new("value");

    /// The numbers with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, i16)> + '_ {
        (0..32).filter(|n| self.mask >> n & 1 == 1).zip(self.values.iter().copied())
    }
}

impl<'a> Field<'a> for Stats {
    const TYPE: TypeSchema = TypeSchema::new("u32 mask, i16 each: stats[0] to stats[31]", "integer", "");
    #[inline]
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mask = r.u32()?;
        if mask == 0 {
            return Ok(Stats::default());
        }
        let values = (0..mask.count_ones()).map(|_| r.i16()).collect::<Result<_, _>>()?;
        Ok(Stats { mask, values })
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.mask.count_ones() as usize != self.values.len() {
            return Err(Fault::unwritable("stats with a mask that does not fit them"));
        }
        w.u32(self.mask);
        self.values.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        if s.form() != Form::Lmpc {
            for (n, value) in self.iter() {
                if let Some(name) = Self::NAMES.get(n) {
                    s.value(*name, Scalar::Int(i64::from(value)));
                }
            }
            return;
        }
        if self.mask == 0 {
            return;
        }
        s.group(Self::LIST);
        for (n, value) in self.iter() {
            s.group(Self::ITEM);
            s.value(Self::INDEX, Scalar::Int(n as i64));
            s.value(Self::VALUE, Scalar::Int(i64::from(value)));
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let mut slots = [None; 32];
        // LMPC's form first.
        if let Some(list) = f.take_child(Self::LIST) {
            for mut item in list.children() {
                if !Self::ITEM.is(item.keyword()) {
                    return Err(item.mistake("stats are made of stat { index N; value N; }"));
                }
                let n = item.take(Self::INDEX)?.int(0, 31)? as usize;
                slots[n] = Some(item.take(Self::VALUE)?.int(-32_768, 65_535)? as i16);
                item.finish()?;
            }
        }
        for (name, slot) in Self::NAMES.iter().zip(&mut slots) {
            if f.has(*name) {
                *slot = Some(f.take(*name)?.int(-32_768, 65_535)? as i16);
            }
        }
        let mask = slots.iter().rev().fold(0, |mask, slot| mask << 1 | u32::from(slot.is_some()));
        Ok(Stats { mask, values: slots.iter().flatten().copied().collect() })
    }
    fn given(_: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        true
    }
}

/// Time of a sound after its frame, in thousandths of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOffset(pub u8);

impl<'a> Field<'a> for TimeOffset {
    const TYPE: TypeSchema = TypeSchema::new("u8/1000", "number", "s");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(TimeOffset)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Near((f64::from(self.0) / 1000.0) as f32));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let v = (f.take(name)?.number()? * 1000.0).round();
        if (0.0..=255.0).contains(&v) { Ok(TimeOffset(v as u8)) } else { Err(f.mistake("timeofs is at most 0.255 s")) }
    }
}

/// Channel and entity of a sound, in one short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundSource {
    /// Channel, 0 to 7.
    pub channel: u8,
    /// Entity that makes the sound.
    pub entity: u16,
}

impl SoundSource {
    const CHANNEL: Name = Name::new("channel");
    const ENTITY: Name = Name::new("entity");
}

impl<'a> Field<'a> for SoundSource {
    const TYPE: TypeSchema =
        TypeSchema::new("u16 = entity*8 + channel", "", "").spread(&[("channel", "integer"), ("entity", "integer")]);
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let word = r.u16()?;
        Ok(SoundSource { channel: word as u8 & 7, entity: word >> 3 })
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.channel > 7 || self.entity > 0x1FFF {
            return Err(Fault::unwritable("a channel above 7 or an entity above 8191"));
        }
        w.u16(self.entity << 3 | u16::from(self.channel));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::CHANNEL, Scalar::Int(i64::from(self.channel)));
        s.value(Self::ENTITY, Scalar::Int(i64::from(self.entity)));
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        Ok(SoundSource {
            channel: f.take(Self::CHANNEL)?.int(0, 7)? as u8,
            entity: f.take(Self::ENTITY)?.int(0, 0x1FFF)? as u16,
        })
    }
    fn given(f: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        f.has(Self::ENTITY) || f.has(Self::CHANNEL)
    }
}

/// The type of a temporary entity, and for steam the number that chains its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectType {
    /// The type.
    pub entitytype: u8,
    /// Steam: -1 for a piece of its own.
    pub nextid: Option<i16>,
}

impl EffectType {
    pub(super) const STEAM: u8 = 40;
    const TYPE_NAME: Name = Name::new("entitytype");
    const NEXTID: Name = Name::new("nextid");
}

impl<'a> Field<'a> for EffectType {
    const TYPE: TypeSchema =
        TypeSchema::new("u8, with 40: i16", "", "").spread(&[("entitytype", "integer"), ("nextid", "integer")]);
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let entitytype = r.u8()?;
        Ok(EffectType { entitytype, nextid: if entitytype == Self::STEAM { Some(r.i16()?) } else { None } })
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.nextid.is_some() != (self.entitytype == Self::STEAM) {
            return Err(Fault::unwritable("nextid belongs to steam, type 40"));
        }
        w.u8(self.entitytype);
        if let Some(v) = self.nextid {
            w.i16(v);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::TYPE_NAME, Scalar::Int(i64::from(self.entitytype)));
        if let Some(v) = self.nextid {
            s.value(Self::NEXTID, Scalar::Int(i64::from(v)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let entitytype = f.take(Self::TYPE_NAME)?.int(0, 255)? as u8;
        let nextid = if f.has(Self::NEXTID) { Some(f.take(Self::NEXTID)?.int(-32_768, 65_535)? as i16) } else { None };
        Ok(EffectType { entitytype, nextid })
    }
}

/// Which masked number a [`Sized32`] is.
pub trait SizedNumber {
    /// Mask bits: one byte, two bytes; both: four bytes.
    const BITS: (u8, u8);
    /// The name; LMPC splits the skin in two.
    const NAME: Name;
    /// What it means.
    const DOC: &'static str;
    /// From here on engines write four bytes.
    const LONG: u32;
    /// LMPC's second name, for what is above the lowest byte.
    const HIGH: Option<Name>;
    /// How text says that more bytes were used than needed.
    const BYTES: Name;
}

/// A number of one, two or four bytes by two mask bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sized32<N> {
    /// The number, when it was sent.
    pub value: Option<u32>,
    /// Bytes that it takes.
    pub bytes: u8,
    which: std::marker::PhantomData<N>,
}

impl<N> Default for Sized32<N> {
    fn default() -> Self {
        Sized32 { value: None, bytes: 0, which: std::marker::PhantomData }
    }
}

impl<N: SizedNumber> Sized32<N> {
    /// A number in as many bytes as engines use.
    pub fn of(value: u32) -> Self {
        let bytes = match value {
            0..=255 => 1,
            v if v < N::LONG => 2,
            _ => 4,
        };
        Sized32 { value: Some(value), bytes, which: std::marker::PhantomData }
    }
}

impl<'a, N: SizedNumber> MaskedGroup<'a> for Sized32<N> {
    const BITS: u64 = 1 << N::BITS.0 | 1 << N::BITS.1;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: N::NAME.text,
            lmpc: N::NAME.lmpc,
            doc: N::DOC,
            ty: TypeSchema::new("u8, u16 or u32", "integer", ""),
            presence: Presence::Bit(N::BITS.0),
        },
        FieldSchema {
            name: N::BYTES.text,
            lmpc: None,
            doc: "Bytes of it, when there are more than needed.",
            ty: TypeSchema::new("which of two mask bits", "integer", ""),
            presence: Presence::Bit(N::BITS.1),
        },
    ];
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        let (value, bytes) = match (mask >> N::BITS.0 & 1, mask >> N::BITS.1 & 1) {
            (0, 0) => return Ok(Self::default()),
            (1, 0) => (u32::from(r.u8()?), 1),
            (0, _) => (u32::from(r.u16()?), 2),
            _ => (r.u32()?, 4),
        };
        Ok(Sized32 { value: Some(value), bytes, which: std::marker::PhantomData })
    }
    #[inline]
    fn bits(&self) -> u64 {
        match (self.value, self.bytes) {
            (None, _) => 0,
            (_, 1) => 1 << N::BITS.0,
            (_, 2) => 1 << N::BITS.1,
            _ => <Self as MaskedGroup<'a>>::BITS,
        }
    }
    #[inline]
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        match (self.value, self.bytes) {
            (None, _) => {}
            (Some(v @ 0..=0xFF), 1) => w.u8(v as u8),
            (Some(v @ 0..=0xFFFF), 2) => w.u16(v as u16),
            (Some(v), 4) => w.u32(v),
            _ => return Err(Fault::unwritable("a number in fewer bytes than it needs")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(value) = self.value else { return };
        if let (Some(high), Form::Lmpc) = (N::HIGH, s.form()) {
            s.value(N::NAME, Scalar::Int(i64::from(value & 0xFF)));
            if value >> 8 != 0 {
                s.value(high, Scalar::Int(i64::from(value >> 8)));
            }
        } else {
            s.value(N::NAME, Scalar::Int(i64::from(value)));
        }
        if self.bytes != Self::of(value).bytes {
            s.value(N::BYTES, Scalar::Int(i64::from(self.bytes)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(N::NAME) {
            return Ok(Self::default());
        }
        let mut value = f.take(N::NAME)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32;
        if let Some(high) = N::HIGH.filter(|high| f.has(*high)) {
            value = value & 0xFF | (f.take(high)?.int(0, 0x00FF_FFFF)? as u32) << 8;
        }
        let mut it = Self::of(value);
        if f.has(N::BYTES) {
            it.bytes = match f.take(N::BYTES)?.int(1, 4)? {
                3 => return Err(f.mistake("a number takes 1, 2 or 4 bytes")),
                n => n as u8,
            };
        }
        Ok(it)
    }
}
