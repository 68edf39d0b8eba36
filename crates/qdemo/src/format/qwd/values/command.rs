//! Commands of players: where they look and move, which buttons they hold.

use super::Angle16;
use crate::describe::{Field, Fields, Form, Mistake, Name, PlainBytes, Sink, TypeSchema};
use crate::format::qwd::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

const FIRE: Name = Name::new("fire");
const JUMP: Name = Name::new("jump");
const FLAG: Name = Name::new("flag");
const BUTTONS: Name = Name::with("buttons", "");

/// Shows buttons as LMPC does: `fire; jump; flag 2 3;`. Nothing for 0.
pub(super) fn show_buttons<S: Sink>(buttons: u8, s: &mut S) {
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
    show_flags(buttons, 2, s);
}

/// Shows buttons by their numbers, from the first that has no word.
fn show_flags<S: Sink>(buttons: u8, first: i64, s: &mut S) {
    let numbers: Vec<_> = (first..8).filter(|n| buttons >> n & 1 == 1).map(Scalar::Int).collect();
    if !numbers.is_empty() {
        s.values(FLAG, &numbers);
    }
}

/// Takes buttons out; `None` when nothing tells of any.
pub(super) fn parse_buttons(f: &mut Fields<'_, '_>) -> Result<Option<u8>, Mistake> {
    if f.has(BUTTONS) {
        return f.take(BUTTONS)?.int(0, 255).map(|v| Some(v as u8));
    }
    let mut buttons = u8::from(f.flag(FIRE)?) | u8::from(f.flag(JUMP)?) << 1;
    if f.has(FLAG) {
        buttons |= f.take(FLAG)?.ints(0, 7)?.iter().fold(0, |all, n| all | 1 << n);
    }
    Ok((buttons != 0).then_some(buttons))
}

/// Buttons of a command that has always all fields. In text each is a word; none for 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Buttons(pub u8);

impl<'a> Field<'a, PlainBytes> for Buttons {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "").left_out_when_empty();
    #[inline]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        r.u8().map(Buttons)
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        show_buttons(self.0, s);
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &()) -> Result<Self, Mistake> {
        Ok(Buttons(parse_buttons(f)?.unwrap_or(0)))
    }
}

/// An impulse of a command that has always all fields; 0, which is none, is left out of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Impulse(pub u8);

impl<'a> Field<'a, PlainBytes> for Impulse {
    const TYPE: TypeSchema = TypeSchema::new("u8", "integer", "").left_out_when_empty();
    #[inline]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        r.u8().map(Impulse)
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        if self.0 != 0 {
            s.value(name, Scalar::Int(i64::from(self.0)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &()) -> Result<Self, Mistake> {
        Ok(Impulse(if f.has(name) { f.take(name)?.int(0, 255)? as u8 } else { 0 }))
    }
}

/// Forward, sideways, up.
impl<'a> Field<'a, PlainBytes> for [i16; 3] {
    const TYPE: TypeSchema = TypeSchema::new("i16[3]", "integer[3]", "units/s");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        Ok([r.i16()?, r.i16()?, r.i16()?])
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        self.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(|v| Scalar::Int(i64::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &()) -> Result<Self, Mistake> {
        let speed = f.take(name)?.ints(-32_768, 65_535)?;
        let [x, y, z] = speed[..] else { return Err(f.mistake("speed is three numbers: forward, sideways, up")) };
        Ok([x as i16, y as i16, z as i16])
    }
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

impl<'a> Field<'a, Wire> for Command {
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
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let (mask, wide) = (r.u8()?, d.wide_commands);
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
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let wide = d.wide_commands;
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
            // Of a player LMPC takes `fire` for fire and jump.
            Some(buttons) if s.form() == Form::Lmpc && buttons & 3 == 1 => show_flags(buttons, 0, s),
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
                *speed = Some(match d.wide_commands {
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
        f.has(if d.wide_commands { Self::MSEC } else { Self::ANGLES[1] })
    }
}
