//! What only players have.

use crate::describe::{
    Field, FieldSchema, Fields, Form, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema, UNKNOWN_MASK_BITS,
};
use crate::format::qwd::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Coord, CoordKind, Fault, Scalar};

/// Age of a player's last command in ms. (LMPC: "ping", in seconds.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age(pub u8);

impl<'a> Field<'a, Wire> for Age {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "ms");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(Age)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        match s.form() {
            Form::Lmpc => s.value(name, Scalar::Near((f64::from(self.0) * 0.001) as f32)),
            _ => s.value(name, Scalar::Int(i64::from(self.0))),
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?;
        if values.keyword() == b"ping" {
            let ms = (values.number()? * 1000.0).round();
            let fits = (0.0..=255.0).contains(&ms);
            return if fits { Ok(Age(ms as u8)) } else { Err(f.mistake("ping is at most 0.255 seconds")) };
        }
        values.int(0, 255).map(|v| Age(v as u8))
    }
}

/// A velocity of a player in units a second. (LMPC: "cspeed", in eighths, which is wrong.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Velocity(pub i16);

impl<'a> Field<'a, Wire> for Velocity {
    const TYPE: TypeSchema = TypeSchema::new("i16", "integer", "units/s");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.i16().map(Velocity)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.i16(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        match s.form() {
            Form::Lmpc => s.value(name, Coord::I16(self.0).into()),
            _ => s.value(name, Scalar::Int(i64::from(self.0))),
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?;
        if values.keyword().starts_with(b"cspeed") {
            return match values.coords::<1>(CoordKind::I16)? {
                [Coord::I16(v)] => Ok(Velocity(v)),
                _ => Ok(Velocity(0)),
            };
        }
        values.int(-32_768, 32_767).map(|v| Velocity(v as i16))
    }
}

/// Effects of a player. (LMPC: "weapon", as a list of bits plus 2, or 1 for none.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects(pub u8);

impl<'a> Field<'a, Wire> for Effects {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(Effects)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        if s.form() != Form::Lmpc {
            return s.value(name, Scalar::Int(i64::from(self.0)));
        }
        match self.0 {
            0 => s.value(name, Scalar::Int(1)),
            bits => {
                let list: Vec<_> = (0..8).filter(|n| bits >> n & 1 == 1).map(|n| Scalar::Int(n + 2)).collect();
                s.values(name, &list);
            }
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?;
        if values.keyword() == b"weapon" {
            let bits = values.ints(1, 9)?;
            return Ok(Effects(bits.iter().filter(|n| **n > 1).fold(0, |all, n| all | 1 << (n - 2))));
        }
        values.int(0, 255).map(|v| Effects(v as u8))
    }
}

/// What the flags of `playerinfo` say without data behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlayerFlags {
    /// The flags at their places in our mask: 9 dead, 10 gib, 11 to 13 kind of movement, 22 on ground, 23 solid.
    bits: u32,
}

impl PlayerFlags {
    /// The player is dead.
    pub const DEAD: u32 = 1 << 9;
    /// The player is a head.
    pub const GIB: u32 = 1 << 10;
    /// The player stands on something (with Z_EXT's PF_ONGROUND).
    pub const ONGROUND: u32 = 1 << 22;
    /// The player can be hit (with Z_EXT's PF_SOLID).
    pub const SOLID: u32 = 1 << 23;
    const PM_SHIFT: u32 = 11;
    const NAMES: [(u32, Name); 4] = [
        (Self::DEAD, Name::with("dead", "")),
        (Self::GIB, Name::with("gib", "")),
        (Self::ONGROUND, Name::with("onground", "")),
        (Self::SOLID, Name::with("solid", "")),
    ];
    const PM_TYPE: Name = Name::with("pm_type", "");

    /// Flags, and a kind of movement.
    pub(crate) fn new(flags: u32, pm_type: u8) -> Self {
        PlayerFlags { bits: flags | u32::from(pm_type & 7) << Self::PM_SHIFT }
    }

    /// The same without some flags.
    pub(crate) fn without(self, flags: u32) -> Self {
        PlayerFlags { bits: self.bits & !flags }
    }

    /// True when a flag is set.
    pub fn has(self, flag: u32) -> bool {
        self.bits & flag != 0
    }

    /// Kind of movement of ZQuake: 0 normal, 1 normal with jump held, 2 old spectator, 3 spectator, 4 fly, 5 none,
    /// 6 lock.
    pub fn pm_type(self) -> u8 {
        (self.bits >> Self::PM_SHIFT & 7) as u8
    }
}

impl<'a> MaskedGroup<'a, Wire> for PlayerFlags {
    const BITS: u64 = 0x3E00 | 3 << 22;
    const FIELDS: &'static [FieldSchema] = &[
        flag("dead", "The player is dead.", 9),
        flag("gib", "The player is only a head.", 10),
        FieldSchema::ours(
            "pm_type",
            TypeSchema::new("mask bits 11 to 13", "integer", ""),
            Presence::Selected,
            "Kind of movement: 0 normal, 1 normal with jump held, 2 old spectator, 3 spectator, 4 fly, 5 none, 6 lock. (Z_EXT)",
        ),
        flag("onground", "The player stands on something. (Z_EXT)", 14),
        flag("solid", "The player can be hit. (Z_EXT)", 15),
    ];
    #[inline(always)]
    fn read(_: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(PlayerFlags { bits: (mask & <Self as MaskedGroup<'a, Wire>>::BITS) as u32 })
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.bits)
    }
    fn write(&self, _: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        if self.bits == 0 {
            return;
        }
        if s.form() == Form::Lmpc {
            // On the wire the last two are bits 14 and 15.
            let wire = self.bits & 0x3FFF | self.bits >> 8 & 0xC000;
            let list: Vec<_> = (9..16).filter(|n| wire >> n & 1 == 1).map(Scalar::Int).collect();
            return s.values(UNKNOWN_MASK_BITS, &list);
        }
        for (bit, name) in Self::NAMES {
            if self.has(bit) {
                s.flag(name);
            }
        }
        if self.pm_type() != 0 {
            s.value(Self::PM_TYPE, Scalar::Int(i64::from(self.pm_type())));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        let mut bits = 0;
        for (bit, name) in Self::NAMES {
            if f.flag(name)? {
                bits |= bit;
            }
        }
        if f.has(Self::PM_TYPE) {
            bits |= (f.take(Self::PM_TYPE)?.int(0, 7)? as u32) << Self::PM_SHIFT;
        }
        if f.has(UNKNOWN_MASK_BITS) {
            let wire = f.take(UNKNOWN_MASK_BITS)?.ints(9, 15)?.iter().fold(0u32, |all, n| all | 1 << n);
            bits |= wire & 0x3E00 | (wire & 0xC000) << 8;
        }
        Ok(PlayerFlags { bits })
    }
}

const fn flag(name: &'static str, doc: &'static str, bit: u8) -> FieldSchema {
    FieldSchema { name, lmpc: None, doc, ty: TypeSchema::new("bit", "boolean", ""), presence: Presence::Flag(bit) }
}

/// ezQuake's weapon prediction: a byte, and unless it is 0, 22 bytes more. Only with MVD1's WEAPONPREDICTION.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prediction(pub Option<Box<[u8]>>);

impl Prediction {
    const BYTES: usize = 22;
}

impl<'a> Field<'a, Wire> for Prediction {
    const TYPE: TypeSchema = TypeSchema::new("u8, unless 0: u8[22]", "integer[]", "").left_out_when_empty();
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        if !d.weapon_prediction {
            return Ok(Prediction(None));
        }
        let mut all = vec![r.u8()?];
        if all != [0] {
            all.extend_from_slice(r.bytes(Self::BYTES)?);
        }
        Ok(Prediction(Some(all.into())))
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        match (&self.0, d.weapon_prediction) {
            (None, false) => Ok(()),
            (Some(all), true) if **all == [0] || all.len() == 1 + Self::BYTES && all.first() != Some(&0) => {
                w.bytes(all);
                Ok(())
            }
            (_, true) => Err(Fault::unwritable("weapon prediction is 0, or 23 bytes of which the first is not 0")),
            (Some(_), false) => Err(Fault::unwritable("weapon prediction was not announced by serverdata")),
        }
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        if let Some(all) = &self.0 {
            s.bytes(name, all);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        if f.has(name) { f.take(name)?.bytes().map(|b| Prediction(Some(b.into()))) } else { Ok(Prediction(None)) }
    }
}
