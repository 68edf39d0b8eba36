//! Value types that only QuakeWorld's messages have.

use std::borrow::Cow;

use crate::describe::{
    Field, FieldSchema, Fields, Form, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema, coordinates,
};
use crate::dialect::Dialect;
use crate::wire::{Angle, AngleKind, Coord, CoordKind, F32, Fault, Reader, Scalar, Writer};

/// An angle in 65536ths of a turn, whatever the dialect's other angles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Angle16(pub i16);

impl<'a> Field<'a> for Angle16 {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536", "number", "degrees");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.i16().map(Angle16)
    }
    #[inline]
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.i16(self.0);
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Turn65536(self.0));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        match f.take(name)?.angles::<1>(AngleKind::I16)? {
            [Angle::I16(v)] => Ok(Angle16(v)),
            _ => Ok(Angle16(0)),
        }
    }
}

coordinates! {
    /// A coordinate of a player.
    PlayerCoord, |d| d.quakeworld.player_coord;
    /// A coordinate of an entity delta.
    EntityCoord, |d| d.quakeworld.entity_coord;
}

/// Ten floats: what the physics of the server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveVars(pub [F32; 10]);

impl<'a> Field<'a> for MoveVars {
    const TYPE: TypeSchema = TypeSchema::new("f32[10]", "number[10]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = [F32::default(); 10];
        for v in &mut all {
            *v = F32::from_bits(r.u32()?);
        }
        Ok(MoveVars(all))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.u32(v.bits()));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Float));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.floats::<10>().map(MoveVars)
    }
}

/// What a sound's first two bytes and their options say: channel, entity, loudness, fading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundHead {
    /// Channel, 0 to 7.
    pub channel: u8,
    /// Entity that makes the sound, 0 to 1023.
    pub entity: u16,
    /// Bit 13, which has no meaning.
    pub bit13: bool,
    /// Loudness in 255ths; full when absent.
    pub vol: Option<u8>,
    /// How fast it fades with distance, in 64ths; 1 when absent.
    pub attenuation: Option<u8>,
}

impl SoundHead {
    const CHANNEL: Name = Name::new("channel");
    const ENTITY: Name = Name::new("entity");
    const VOL: Name = Name::new("vol");
    const ATTENUATION: Name = Name::new("attenuation");
    const BIT13: Name = Name::with("bit13", "");
}

impl<'a> Field<'a> for SoundHead {
    const TYPE: TypeSchema =
        TypeSchema::new("u16: channel 3 bits, entity 10, bit 14 attenuation, bit 15 vol; u8, u8", "", "").spread(&[
            ("channel", "integer"),
            ("entity", "integer"),
            ("vol", "number"),
            ("attenuation", "number"),
            ("bit13", "boolean"),
        ]);
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let word = r.u16()?;
        Ok(SoundHead {
            channel: word as u8 & 7,
            entity: word >> 3 & 0x3FF,
            bit13: word >> 13 & 1 == 1,
            vol: if word >> 15 & 1 == 1 { Some(r.u8()?) } else { None },
            attenuation: if word >> 14 & 1 == 1 { Some(r.u8()?) } else { None },
        })
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.channel > 7 || self.entity > 0x3FF {
            return Err(Fault::unwritable("a channel above 7 or an entity above 1023"));
        }
        let flags = u16::from(self.bit13) << 13
            | u16::from(self.attenuation.is_some()) << 14
            | u16::from(self.vol.is_some()) << 15;
        w.u16(u16::from(self.channel) | self.entity << 3 | flags);
        self.vol.iter().chain(&self.attenuation).for_each(|b| w.u8(*b));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::CHANNEL, Scalar::Int(i64::from(self.channel)));
        s.value(Self::ENTITY, Scalar::Int(i64::from(self.entity)));
        if let Some(v) = self.vol {
            s.value(Self::VOL, Scalar::Near((f64::from(v) / 255.0) as f32));
        }
        if let Some(v) = self.attenuation {
            s.value(Self::ATTENUATION, Scalar::Binary(i32::from(v), 6));
        }
        if self.bit13 {
            s.flag(Self::BIT13);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let mut part = |name: Name, per: f64| -> Result<Option<u8>, Mistake> {
            if !f.has(name) {
                return Ok(None);
            }
            let v = (f.take(name)?.number()? * per).round();
            match (0.0..=255.0).contains(&v) {
                true => Ok(Some(v as u8)),
                false => Err(f.mistake(format!("{} does not fit into a byte", name.text))),
            }
        };
        let (vol, attenuation) = (part(Self::VOL, 255.0)?, part(Self::ATTENUATION, 64.0)?);
        Ok(SoundHead {
            channel: f.take(Self::CHANNEL)?.int(0, 7)? as u8,
            entity: f.take(Self::ENTITY)?.int(0, 0x3FF)? as u16,
            bit13: f.flag(Self::BIT13)?,
            vol,
            attenuation,
        })
    }
    fn given(_: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        true
    }
}

const FIRE: Name = Name::new("fire");
const JUMP: Name = Name::new("jump");
const FLAG: Name = Name::new("flag");
const BUTTONS: Name = Name::with("buttons", "");

/// Shows buttons as LMPC does: `fire; jump; flag 2 3;`. Nothing for 0.
pub(crate) fn show_buttons<S: Sink>(buttons: u8, s: &mut S) {
    if s.form() == Form::Json {
        if buttons != 0 {
            s.value(BUTTONS, Scalar::Int(i64::from(buttons)));
        }
        return;
    }
    if buttons & 1 != 0 {
        s.flag(FIRE);
    }
    if buttons & 2 != 0 {
        s.flag(JUMP);
    }
    let others: Vec<_> = (2..8).filter(|n| buttons >> n & 1 == 1).map(Scalar::Int).collect();
    if !others.is_empty() {
        s.values(FLAG, &others);
    }
}

/// Takes buttons out; `None` when nothing tells of any.
pub(crate) fn parse_buttons(f: &mut Fields<'_, '_>) -> Result<Option<u8>, Mistake> {
    if f.has(BUTTONS) {
        return f.take(BUTTONS)?.int(0, 255).map(|v| Some(v as u8));
    }
    let mut buttons = u8::from(f.flag(FIRE)?) | u8::from(f.flag(JUMP)?) << 1;
    if f.has(FLAG) {
        buttons |= f.take(FLAG)?.ints(0, 7)?.iter().fold(0, |all, n| all | 1 << n);
    }
    Ok((buttons != 0).then_some(buttons))
}

/// A player's command within `playerinfo`: what changed against no command at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Command {
    /// Pitch, yaw and roll.
    pub angles: [Option<Angle16>; 3],
    /// Forward, sideways, up; in protocols up to 26 in units of 8.
    pub speed: [Option<i16>; 3],
    /// Buttons: 1 fire, 2 jump.
    pub buttons: Option<u8>,
    /// Impulse; with VWEP the model of the weapon.
    pub impulse: Option<u8>,
    /// Duration in ms.
    pub msec: Option<u8>,
}

impl Command {
    const ANGLES: [Name; 3] = [Name::new("angles_1"), Name::new("angles_2"), Name::new("angles_3")];
    const SPEED: [Name; 3] = [Name::new("speed_x"), Name::new("speed_y"), Name::new("speed_z")];
    const IMPULSE: Name = Name::new("impulse");
    const MSEC: Name = Name::with("command_msec", "load");
}

impl<'a> Field<'a> for Command {
    const TYPE: TypeSchema = TypeSchema::new("u8 mask, then what it says", "", "").spread(&[
        ("angles_1", "number"),
        ("angles_2", "number"),
        ("angles_3", "number"),
        ("speed_x", "integer"),
        ("speed_y", "integer"),
        ("speed_z", "integer"),
        ("buttons", "integer"),
        ("impulse", "integer"),
        ("command_msec", "integer"),
    ]);
    #[inline]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let (mask, wide) = (r.u8()?, d.quakeworld.wide_commands);
        let has = |n: u8| mask >> n & 1 == 1;
        let mut it = Command::default();
        if has(0) {
            it.angles[0] = Some(Angle16(r.i16()?));
        }
        if !wide || has(7) {
            it.angles[1] = Some(Angle16(r.i16()?));
        }
        if has(1) {
            it.angles[2] = Some(Angle16(r.i16()?));
        }
        for (n, speed) in it.speed.iter_mut().enumerate() {
            if has(n as u8 + 2) {
                *speed = Some(if wide { r.i16()? } else { i16::from(r.i8()?) });
            }
        }
        if has(5) {
            it.buttons = Some(r.u8()?);
        }
        if has(6) {
            it.impulse = Some(r.u8()?);
        }
        if wide || has(7) {
            it.msec = Some(r.u8()?);
        }
        Ok(it)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        let wide = d.quakeworld.wide_commands;
        let always = if wide { self.msec.is_some() } else { self.angles[1].is_some() };
        if !always {
            return Err(Fault::unwritable("a command of this protocol always has its command_msec or angles_2"));
        }
        let seventh = if wide { self.angles[1].is_some() } else { self.msec.is_some() };
        let there = [
            self.angles[0].is_some(),
            self.angles[2].is_some(),
            self.speed[0].is_some(),
            self.speed[1].is_some(),
            self.speed[2].is_some(),
            self.buttons.is_some(),
            self.impulse.is_some(),
            seventh,
        ];
        w.u8(there.iter().rev().fold(0, |mask, bit| mask << 1 | u8::from(*bit)));
        self.angles.iter().flatten().for_each(|a| w.i16(a.0));
        for speed in self.speed.iter().flatten() {
            match i8::try_from(*speed) {
                _ if wide => w.i16(*speed),
                Ok(v) => w.i8(v),
                Err(_) => return Err(Fault::unwritable("a speed beyond the byte of this protocol")),
            }
        }
        [self.buttons, self.impulse, self.msec].iter().flatten().for_each(|b| w.u8(*b));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        for (name, angle) in Self::ANGLES.iter().zip(&self.angles) {
            if let Some(a) = angle {
                s.value(*name, Scalar::Turn65536(a.0));
            }
        }
        for (name, speed) in Self::SPEED.iter().zip(&self.speed) {
            if let Some(v) = speed {
                s.value(*name, Scalar::Int(i64::from(*v)));
            }
        }
        match self.buttons {
            Some(0) => s.value(BUTTONS, Scalar::Int(0)),
            Some(buttons) => show_buttons(buttons, s),
            None => {}
        }
        if let Some(v) = self.impulse {
            s.value(Self::IMPULSE, Scalar::Int(i64::from(v)));
        }
        if let Some(v) = self.msec {
            s.value(Self::MSEC, Scalar::Int(i64::from(v)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        let mut it = Command::default();
        for (name, angle) in Self::ANGLES.iter().zip(&mut it.angles) {
            if f.has(*name) {
                *angle = Some(Angle16::parse(f, *name, d)?);
            }
        }
        for (name, speed) in Self::SPEED.iter().zip(&mut it.speed) {
            if f.has(*name) {
                // LMPC writes the bytes of protocols up to 26 without their sign.
                let value = f.take(*name)?;
                *speed = Some(match d.quakeworld.wide_commands {
                    true => value.int(-32_768, 65_535)? as i16,
                    false => i16::from(value.int(-128, 255)? as i8),
                });
            }
        }
        it.buttons = parse_buttons(f)?;
        for (name, value) in [(Self::IMPULSE, &mut it.impulse), (Self::MSEC, &mut it.msec)] {
            if f.has(name) {
                *value = Some(f.take(name)?.int(0, 255)? as u8);
            }
        }
        Ok(it)
    }
    fn given(f: &Fields<'a, '_>, _: Name, d: &Dialect) -> bool {
        f.has(if d.quakeworld.wide_commands { Self::MSEC } else { Self::ANGLES[1] })
    }
}

/// Age of a player's last command in ms. (LMPC: "ping", in seconds.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age(pub u8);

impl<'a> Field<'a> for Age {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "ms");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(Age)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
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

impl<'a> Field<'a> for Velocity {
    const TYPE: TypeSchema = TypeSchema::new("i16", "integer", "units/s");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.i16().map(Velocity)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
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

impl<'a> Field<'a> for Effects {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(Effects)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
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
    const UNKNOWN: Name = Name::new("unknown_mask_bits");

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

impl<'a> MaskedGroup<'a> for PlayerFlags {
    const BITS: u64 = 0x3E00 | 3 << 22;
    const FIELDS: &'static [FieldSchema] = &[
        flag("dead", "The player is dead.", 9),
        flag("gib", "The player is only a head.", 10),
        FieldSchema {
            name: "pm_type",
            lmpc: None,
            doc: "Kind of movement: 0 normal, 1 normal with jump held, 2 old spectator, 3 spectator, 4 fly, 5 none, 6 lock. (Z_EXT)",
            ty: TypeSchema::new("mask bits 11 to 13", "integer", ""),
            presence: Presence::Selected,
        },
        flag("onground", "The player stands on something. (Z_EXT)", 14),
        flag("solid", "The player can be hit. (Z_EXT)", 15),
    ];
    #[inline(always)]
    fn read(_: &mut Reader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(PlayerFlags { bits: (mask & <Self as MaskedGroup<'a>>::BITS) as u32 })
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.bits)
    }
    fn write(&self, _: &mut Writer, _: &Dialect) -> Result<(), Fault> {
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
            return s.values(Self::UNKNOWN, &list);
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
        if f.has(Self::UNKNOWN) {
            let wire = f.take(Self::UNKNOWN)?.ints(9, 15)?.iter().fold(0u32, |all, n| all | 1 << n);
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

impl<'a> Field<'a> for Prediction {
    const TYPE: TypeSchema = TypeSchema::new("u8, unless 0: u8[22]", "integer[]", "").left_out_when_empty();
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        if !d.quakeworld.weapon_prediction {
            return Ok(Prediction(None));
        }
        let mut all = vec![r.u8()?];
        if all != [0] {
            all.extend_from_slice(r.bytes(Self::BYTES)?);
        }
        Ok(Prediction(Some(all.into())))
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        match (&self.0, d.quakeworld.weapon_prediction) {
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

/// A nail in flight, in six bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nail {
    /// Its number, which ties it to the nail of the frame before (only in `nails2`).
    pub id: Option<u8>,
    /// Three times twelve bits, four bits of pitch and a byte of yaw.
    pub bytes: [u8; 6],
}

impl Nail {
    const ID: Name = Name::with("id", "");
    const ORIGIN: Name = Name::new("origin");
    const PITCH: Name = Name::new("angles_1");
    const YAW: Name = Name::new("angles_2");

    /// Where it is, in even units.
    pub fn origin(&self) -> [i16; 3] {
        let b = self.bytes.map(i16::from);
        [b[0] | (b[1] & 15) << 8, b[1] >> 4 | b[2] << 4, b[3] | (b[4] & 15) << 8].map(|v| (v << 1) - 4096)
    }

    /// Pitch, yaw and roll in degrees; a client takes the first two without a sign.
    pub fn angles(&self) -> [f32; 3] {
        [f32::from(self.pitch()) * 22.5, f32::from(self.bytes[5]) * (360.0 / 256.0), 0.0]
    }

    /// Sixteenths of a turn; a client takes them without a sign.
    fn pitch(&self) -> u8 {
        self.bytes[4] >> 4
    }

    pub(super) fn read(r: &mut Reader<'_>, with_id: bool) -> Result<Self, Fault> {
        let id = if with_id { Some(r.u8()?) } else { None };
        let mut bytes = [0; 6];
        bytes.copy_from_slice(r.bytes(6)?);
        Ok(Nail { id, bytes })
    }

    pub(super) fn write(&self, w: &mut Writer, with_id: bool) -> Result<(), Fault> {
        match (self.id, with_id) {
            (Some(id), true) => w.u8(id),
            (None, false) => {}
            _ => return Err(Fault::unwritable("nails2 has numbered nails, nails has not")),
        }
        w.bytes(&self.bytes);
        Ok(())
    }

    pub(super) fn show<S: Sink>(&self, s: &mut S) {
        if let Some(id) = self.id {
            s.value(Self::ID, Scalar::Int(i64::from(id)));
        }
        s.values(Self::ORIGIN, &self.origin().map(|v| Scalar::Int(i64::from(v))));
        // 22.5 degrees each. LMPC takes the upper half as negative.
        let pitch = i32::from(self.pitch());
        let pitch = if s.form() == Form::Lmpc && pitch >= 8 { pitch - 16 } else { pitch };
        s.value(Self::PITCH, Scalar::Binary(pitch * 45, 1));
        s.value(Self::YAW, Scalar::Turn256(self.bytes[5] as i8));
    }

    pub(super) fn parse(f: &mut Fields<'_, '_>) -> Result<Self, Mistake> {
        let id = if f.has(Self::ID) { Some(f.take(Self::ID)?.int(0, 255)? as u8) } else { None };
        let wrong = |f: &Fields<'_, '_>| f.mistake("a nail is at even units from -4096 to 4094");
        let origin = f.take(Self::ORIGIN)?.ints(-4096, 4094)?;
        let [x, y, z] = origin[..] else { return Err(wrong(f)) };
        if (x | y | z) & 1 != 0 {
            return Err(wrong(f));
        }
        let pitch = (f.take(Self::PITCH)?.number()? / 22.5).round();
        let yaw = match f.take(Self::YAW)?.angles::<1>(AngleKind::I8)? {
            [Angle::I8(v)] => v as u8,
            _ => 0,
        };
        let [x, y, z] = [x, y, z].map(|v| ((v + 4096) >> 1) as u16);
        let pitch = if (-16.0..16.0).contains(&pitch) { pitch as i32 as u8 & 15 } else { return Err(wrong(f)) };
        let bytes =
            [x as u8, (x >> 8) as u8 | (y as u8 & 15) << 4, (y >> 4) as u8, z as u8, (z >> 8) as u8 | pitch << 4, yaw];
        f.finish()?;
        Ok(Nail { id, bytes })
    }
}

/// Bytes behind their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob<'a>(pub Cow<'a, [u8]>);

impl<'a> Field<'a> for Blob<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u16 size, u8[size]", "integer[]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let size = r.u16()?;
        r.bytes(usize::from(size)).map(|b| Blob(b.into()))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u16(u16::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 65,535 bytes"))?);
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(|b| Blob(b.into()))
    }
}

/// Qizmo's voice: 34 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceFrame<'a>(pub Cow<'a, [u8]>);

impl VoiceFrame<'_> {
    const BYTES: usize = 34;
}

impl<'a> Field<'a> for VoiceFrame<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u8[34]", "integer[34]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.bytes(Self::BYTES).map(|b| VoiceFrame(b.into()))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.0.len() != Self::BYTES {
            return Err(Fault::unwritable("a piece of Qizmo's voice has 34 bytes"));
        }
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(|b| VoiceFrame(b.into()))
    }
}
