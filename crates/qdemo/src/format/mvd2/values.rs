//! Value types that only multi-view recordings of Quake II have.

use crate::describe::{Field, Fields, Mistake, Name, Sink, TypeSchema};
use crate::format::dm2::Stats;
use crate::format::dm2::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Coord, Fault, Scalar};

/// The three highest bits of a command's number, where they have no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpareBits(pub u8);

impl SpareBits {
    /// Bits below them: the command.
    pub(super) const SHIFT: u32 = 5;
    pub(super) const NAME: Name = Name::with("spare_bits", "");
    pub(super) const TYPE: TypeSchema = TypeSchema::new("bits 5-7 of the number", "integer", "").left_out_when_empty();

    pub(super) fn of_number(number: u8) -> Self {
        SpareBits(number >> Self::SHIFT)
    }
    pub(super) fn in_number(self) -> u8 {
        self.0 << Self::SHIFT
    }
    pub(super) fn show<S: Sink>(self, name: Name, s: &mut S) {
        if self.0 != 0 {
            s.value(name, Scalar::Int(i64::from(self.0)));
        }
    }
    pub(super) fn parse(f: &mut Fields<'_, '_>, name: Name) -> Result<Self, Mistake> {
        Ok(SpareBits(if f.has(name) { f.take(name)?.int(0, 7)? as u8 } else { 0 }))
    }
}

/// Where a player is, without the height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginXY(pub [Coord; 2]);

impl<'a> Field<'a, Wire> for OriginXY {
    const TYPE: TypeSchema = TypeSchema::new("coord[2]", "number[2]", "units");
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let kind = d.origin;
        Ok(OriginXY([Coord::read(r, kind)?, Coord::read(r, kind)?]))
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.0.iter().try_for_each(|c| Coord::write(*c, w, d.origin))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::from));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.coords(d.origin).map(OriginXY)
    }
}

/// Where a player looks, without the roll: 65536ths of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PitchYaw(pub [i16; 2]);

impl<'a> Field<'a, Wire> for PitchYaw {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536 [2]", "number[2]", "degrees");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(PitchYaw([r.i16()?, r.i16()?]))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Turn65536));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.turns().map(PitchYaw)
    }
}

/// The roll of a player's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roll(pub i16);

impl<'a> Field<'a, Wire> for Roll {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536", "number", "degrees");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.i16().map(Roll)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.i16(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Turn65536(self.0));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.turns().map(|[turn]| Roll(turn))
    }
}

/// The numbers on the status bar that changed, behind a mask bit of their own: there may be none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentStats(pub Stats);

impl SentStats {
    const NONE: Name = Name::with("no_stats", "");
}

impl<'a> Field<'a, Wire> for SentStats {
    const TYPE: TypeSchema = <Stats as Field<'a, Wire>>::TYPE;
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Stats::read(r, d).map(SentStats)
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.0.write(w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        self.0.show(name, s);
        if self.0.mask == 0 {
            s.flag(Self::NONE);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.flag(Self::NONE)?;
        Stats::parse(f, name, d).map(SentStats)
    }
    fn given(f: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        f.has(Self::NONE) || Stats::any_given(f)
    }
}
