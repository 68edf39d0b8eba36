//! Value types that only Quake's messages have.

use super::dialect::{Bytes as Wire, Dialect};
use crate::describe::{
    ByteDialect, ByteWire, Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema,
    WideField,
};
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, F32, Fault, Scalar, into_owned};

/// A sound's channel and entity: one short (`entity * 8 + channel`), or a short and a byte when either is large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelEntity {
    /// Channel: 0 automatic, 1 weapon, 2 voice, 3 item, 4 body, 5 to 7 free.
    pub channel: u8,
    /// Entity that makes the sound; 0 the world.
    pub entity: u16,
}

impl ChannelEntity {
    const CHANNEL: Name = Name::new("channel");
    const ENTITY: Name = Name::new("entity");
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> MaskedGroup<'a, W> for ChannelEntity {
    /// Bit 3 of `sound` chooses the wide form; other messages have only the narrow one.
    const BITS: u64 = 0;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema::new(
            "channel",
            <W::Dialect as ByteDialect>::SOUND_SOURCE[0],
            Presence::Always,
            "Channel: 0 automatic, 1 weapon, 2 voice, 3 item, 4 body, 5 to 7 free.",
        ),
        FieldSchema::new(
            "entity",
            <W::Dialect as ByteDialect>::SOUND_SOURCE[1],
            Presence::Always,
            "Entity that makes the sound; 0 the world.",
        ),
    ];
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect, _: u64) -> Result<Self, Fault> {
        WideField::<W>::read_wide(r, d, false)
    }
    fn bits(&self) -> u64 {
        0
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        WideField::<W>::write_wide(self, w, d, false)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        if self.channel > 7 || self.entity > 0x1FFF {
            s.foreign();
        }
        s.value(Self::CHANNEL, Scalar::Int(i64::from(self.channel)));
        s.value(Self::ENTITY, Scalar::Int(i64::from(self.entity)));
    }
    fn parse(f: &mut Fields<'a, '_>, _: &W::Dialect) -> Result<Self, Mistake> {
        Ok(ChannelEntity {
            channel: f.take(Self::CHANNEL)?.int(0, 255)? as u8,
            entity: f.take(Self::ENTITY)?.int(0, 65535)? as u16,
        })
    }
}

impl<'a, W: ByteWire> WideField<'a, W> for ChannelEntity {
    #[inline]
    fn read_wide(r: &mut ByteReader<'a>, _: &W::Dialect, wide: bool) -> Result<Self, Fault> {
        let entity = r.u16()?;
        Ok(if wide {
            ChannelEntity { entity, channel: r.u8()? }
        } else {
            ChannelEntity { entity: entity >> 3, channel: entity as u8 & 7 }
        })
    }
    #[inline]
    fn write_wide(&self, w: &mut ByteWriter, d: &W::Dialect, wide: bool) -> Result<(), Fault> {
        if wide {
            w.u16(self.entity);
            w.u8(self.channel);
        } else if WideField::<W>::needs_wide(self, d) {
            return Err(Fault::unwritable("a channel above 7 or an entity above 8191 needs FitzQuake's long form"));
        } else {
            w.u16(self.entity << 3 | u16::from(self.channel));
        }
        Ok(())
    }
    #[inline]
    fn needs_wide(&self, _: &W::Dialect) -> bool {
        self.entity > 0x1FFF || self.channel > 7
    }
}

/// Shirt and pants colour in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Colors(pub u8);

impl Colors {
    /// Colour of the shirt, 0 to 13 in play.
    pub fn shirt(self) -> u8 {
        self.0 >> 4
    }

    /// Colour of the pants, 0 to 13 in play.
    pub fn pants(self) -> u8 {
        self.0 & 15
    }
}

impl<'a> Field<'a, Wire> for Colors {
    const TYPE: TypeSchema = TypeSchema::new("u8 = shirt*16 + pants", "integer[2]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(Colors)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &[self.shirt(), self.pants()].map(|c| Scalar::Int(i64::from(c))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        match f.take(name)?.ints(0, 15)?[..] {
            [shirt, pants] => Ok(Colors((shirt << 4 | pants) as u8)),
            _ => Err(f.mistake("colors are two numbers: shirt and pants")),
        }
    }
}

/// Where an entity stands and looks: three coordinates and three angles, interleaved on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// Where it is.
    pub origin: [Coord; 3],
    /// Pitch, yaw and roll.
    pub angles: [Angle; 3],
}

impl Placement {
    const ORIGIN: Name = Name::new("default_origin");
    const ANGLES: Name = Name::new("default_angles");
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> MaskedGroup<'a, W> for Placement {
    const BITS: u64 = 0;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema::new(
            "default_origin",
            <[Coord; 3] as Field<W>>::TYPE,
            Presence::Always,
            "Where it is; on the wire each coordinate is followed by the angle of the same axis.",
        ),
        FieldSchema::new("default_angles", <[Angle; 3] as Field<W>>::TYPE, Presence::Always, "Pitch, yaw and roll."),
    ];
    #[inline]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect, _: u64) -> Result<Self, Fault> {
        let mut it = Placement::default();
        for axis in 0..3 {
            it.origin[axis] = Coord::read(r, d.coord()).map_err(|f| f.in_field("default_origin"))?;
            it.angles[axis] = Angle::read(r, d.angle()).map_err(|f| f.in_field("default_angles"))?;
        }
        Ok(it)
    }
    fn bits(&self) -> u64 {
        0
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        for axis in 0..3 {
            self.origin[axis].write(w, d.coord())?;
            self.angles[axis].write(w, d.angle())?;
        }
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        Field::<W>::show(&self.origin, Self::ORIGIN, s);
        Field::<W>::show(&self.angles, Self::ANGLES, s);
    }
    fn parse(f: &mut Fields<'a, '_>, d: &W::Dialect) -> Result<Self, Mistake> {
        Ok(Placement { origin: Field::<W>::parse(f, Self::ORIGIN, d)?, angles: Field::<W>::parse(f, Self::ANGLES, d)? })
    }
}

/// What the recorder carries, as a bit mask; text shows it as LMPC does, in lists of numbers.
///
/// Bits as in the DEM document, table 5: 0-7 and 12 weapons, 8-11 ammunition in use, 13-15 armour, 16 megahealth,
/// 17-18 keys, 19-22 power-ups, 28-31 runes. Mission packs use the bits in other ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Items(pub u32);

/// LMPC's lists: keyword, and for each number from 1 the bit.
const ITEM_LISTS: [(Name, &[u8]); 12] = [
    (Name::new("weapons"), &[12, 0, 1, 2, 3, 4, 5, 6, 7]),
    (Name::new("ammotype"), &[8, 9, 10, 11]),
    (Name::new("armortype"), &[13, 14, 15]),
    (Name::new("megahealth"), &[16]),
    (Name::new("keys"), &[17, 18]),
    (Name::new("power_ups"), &[19, 20, 21, 22]),
    (Name::new("uk_items_b23"), &[23]),
    (Name::new("uk_items_b24"), &[24]),
    (Name::new("uk_items_b25"), &[25]),
    (Name::new("uk_items_b26"), &[26]),
    (Name::new("uk_items_b27"), &[27]),
    (Name::new("runes"), &[28, 29, 30, 31]),
];

/// The same lists as schema.
const ITEM_PARTS: [(&str, &str); ITEM_LISTS.len()] = {
    let mut parts = [("", ""); ITEM_LISTS.len()];
    let mut i = 0;
    while i < parts.len() {
        let (name, bits) = ITEM_LISTS[i];
        parts[i] = (name.text, if bits.len() == 1 { "boolean" } else { "integer[]" });
        i += 1;
    }
    parts
};

impl<'a> Field<'a, Wire> for Items {
    const TYPE: TypeSchema = TypeSchema::new("u32 bits", "integer", "").spread(&ITEM_PARTS);
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u32().map(Items)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u32(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        if self.0 == 0 && s.form() != crate::describe::Form::Lmpc {
            return s.value(name, Scalar::Int(0));
        }
        for (list, bits) in &ITEM_LISTS {
            let mut set = [Scalar::Int(0); 9];
            let mut n = 0;
            for (i, bit) in bits.iter().enumerate() {
                if self.0 >> bit & 1 == 1 {
                    set[n] = Scalar::Int(i as i64 + 1);
                    n += 1;
                }
            }
            match (bits.len(), n) {
                (_, 0) => {}
                (1, _) => s.flag(*list),
                _ => s.values(*list, &set[..n]),
            }
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        if f.has(name) {
            return f.take(name)?.int(0, 0xFFFF_FFFF).map(|v| Items(v as u32));
        }
        let mut items = 0;
        for (list, bits) in &ITEM_LISTS {
            if !f.has(*list) {
                continue;
            }
            if let [bit] = bits {
                items |= u32::from(f.flag(*list)?) << bit;
                continue;
            }
            for n in f.take(*list)?.ints(1, bits.len() as i64)? {
                items |= 1 << bits[n as usize - 1];
            }
        }
        Ok(Items(items))
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &Dialect) -> bool {
        d.items_always || f.has(name) || ITEM_LISTS.iter().any(|(list, _)| f.has(*list))
    }
}

/// The weapon in hand: the item bit, shown as the number of its key (1 axe, 2 shotgun ... 8 Thunderbolt).
///
/// Mission packs send a bit number here; the text then shows the keys of its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WeaponBits(pub u8);

impl<'a> Field<'a, Wire> for WeaponBits {
    const TYPE: TypeSchema = TypeSchema::new("u8 bits", "integer[]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(WeaponBits)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let mut keys = [Scalar::Int(1); 8];
        let mut n = 0;
        for bit in 0..8 {
            if self.0 >> bit & 1 == 1 {
                keys[n] = Scalar::Int(bit + 2);
                n += 1;
            }
        }
        s.values(name, &keys[..n.max(1)]);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?;
        let bit = |key: i64| if key == 1 { 0 } else { 1 << (key - 2) };
        if values.len() == 1 {
            return values.int(1, 9).map(|key| WeaponBits(bit(key)));
        }
        Ok(WeaponBits(values.ints(1, 9)?.into_iter().fold(0, |bits, key| bits | bit(key))))
    }
}

/// Nehahra's transparency: a float, the alpha, and when the first is 2 another one, fullbright.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NehahraTrans {
    /// 2 when a third value follows.
    pub kind: F32,
    /// Opacity, 0 to 1.
    pub alpha: F32,
    /// Above 0.5: fullbright.
    pub fullbright: Option<F32>,
}

impl<'a> Field<'a, Wire> for NehahraTrans {
    const TYPE: TypeSchema = TypeSchema::new("f32, f32 [, f32 when the first is 2]", "number[]", "");
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let (kind, alpha): (F32, F32) = (Field::<Wire>::read(r, d)?, Field::<Wire>::read(r, d)?);
        let fullbright = if kind.get() == 2.0 { Some(Field::<Wire>::read(r, d)?) } else { None };
        Ok(NehahraTrans { kind, alpha, fullbright })
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        if (self.kind.get() == 2.0) != self.fullbright.is_some() {
            return Err(Fault::unwritable("trans has a third value exactly when the first is 2"));
        }
        [Some(self.kind), Some(self.alpha), self.fullbright]
            .iter()
            .flatten()
            .try_for_each(|v| Field::<Wire>::write(v, w, d))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let all = [self.kind, self.alpha, self.fullbright.unwrap_or_default()].map(Scalar::Float);
        s.values(name, &all[..2 + usize::from(self.fullbright.is_some())]);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?;
        if values.len() == 3 {
            let [kind, alpha, fullbright] = values.floats()?;
            return Ok(NehahraTrans { kind, alpha, fullbright: Some(fullbright) });
        }
        let [kind, alpha] = values.floats()?;
        Ok(NehahraTrans { kind, alpha, fullbright: None })
    }
}

/// FTE protocol extensions in front of the protocol number: pairs of a magic number and flags. Nearly always empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extensions(Vec<(u32, u32)>);

into_owned!(Extensions);

impl Extensions {
    /// "FTEX": the first set of flags.
    pub const FTE1: u32 = 0x5845_5446;
    /// "FTE2": the second set of flags.
    pub const FTE2: u32 = 0x3245_5446;
    /// "MVD1": flags of MVDSV and ezQuake, in QuakeWorld.
    pub const MVD1: u32 = 0x3144_564D;
    /// Sources send each set once; more than this is no recording.
    const MOST: usize = 4;

    /// Such pairs.
    pub(crate) fn of(pairs: &[(u32, u32)]) -> Self {
        Extensions(pairs.iter().take(Self::MOST).copied().collect())
    }

    /// The pairs of magic number and flags, in order.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// The flags of one set, 0 when it was not announced.
    pub fn flags(&self, magic: u32) -> u32 {
        self.pairs().iter().filter(|p| p.0 == magic).fold(0, |all, p| all | p.1)
    }

    /// True when a game directory follows (FTE2 PREDINFO).
    pub fn predinfo(&self) -> bool {
        self.flags(Self::FTE2) & 0x20 != 0
    }

    /// "MVD1", and its flag of [hidden](crate::format::mvd) messages.
    pub const HIDDEN_MESSAGES: (u32, u32) = (Self::MVD1, 0x20);

    /// Adds a pair, unless it is none of the known sets or one too many.
    fn push(&mut self, (magic, flags): (u32, u32)) -> bool {
        let fits = matches!(magic, Self::FTE1 | Self::FTE2 | Self::MVD1) && self.0.len() < Self::MOST;
        if fits {
            self.0.push((magic, flags));
        }
        fits
    }
}

/// Pairs of magic number and flags. Those of unknown sets are left out, and all behind the fourth.
impl<const N: usize> From<[(u32, u32); N]> for Extensions {
    fn from(pairs: [(u32, u32); N]) -> Self {
        let mut it = Extensions::default();
        for pair in pairs {
            it.push(pair);
        }
        it
    }
}

impl<'a, W: ByteWire> Field<'a, W> for Extensions {
    const TYPE: TypeSchema = TypeSchema::new("(u32 magic, u32 flags)...", "integer[]", "").left_out_when_empty();
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        let mut it = Extensions::default();
        while matches!(r.peek_u32(), Some(Self::FTE1 | Self::FTE2 | Self::MVD1)) {
            let pair = (r.u32()?, r.u32()?);
            if !it.push(pair) {
                return Err(r.malformed("more protocol extensions than any engine sends"));
            }
        }
        Ok(it)
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        for (magic, flags) in self.pairs() {
            w.u32(*magic);
            w.u32(*flags);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let all = self.pairs().iter().flat_map(|(magic, flags)| [*magic, *flags]);
        let all: Vec<_> = all.map(|v| Scalar::Hex(u64::from(v))).collect();
        if !all.is_empty() {
            s.values(name, &all);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        let mut it = Extensions::default();
        if f.has(name) {
            let values = f.take(name)?.ints(0, 0xFFFF_FFFF)?;
            let fits = values.chunks(2).all(|pair| match *pair {
                [magic, flags] => it.push((magic as u32, flags as u32)),
                _ => false,
            });
            if !fits {
                return Err(
                    f.mistake("extensions are pairs of 0x58455446, 0x32455446 or 0x3144564D and flags, at most 4")
                );
            }
        }
        Ok(it)
    }
}
