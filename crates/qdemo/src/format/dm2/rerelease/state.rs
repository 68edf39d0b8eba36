//! What entities have.

use crate::describe::{
    Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema, field_bits, field_parse,
    field_read, field_schema, field_show, field_type, field_write, name_of, rare,
};
use crate::format::dm2::entity::{Effects, MoreEffects};
use crate::format::dm2::values::{OriginCoord, Sized32, SizedNumber, Solid, elsewhere};
use crate::format::dm2::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

elsewhere! {
    /// The box of an entity, in front of its place, where others have it at the end.
    SolidInFront(Solid) = Name::new("solid"), |d| d.layout.rerelease;
    /// Where an entity was, in front of its angles, where others have it behind them.
    OldOriginInFront([OriginCoord; 3]) = Name::new("old_origin"), |d| d.layout.rerelease;
}

/// Effects of 64 bits: the lower half in four bytes, the upper one in as many as it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideEffects {
    /// The lower half: EF_ bits.
    pub effects: u32,
    /// The upper half.
    pub morefx: u32,
    /// Bytes of the upper half: 1, 2 or 4; 0: one that no mask bit tells of.
    pub bytes: u8,
}

impl WideEffects {
    /// Effects in as many bytes as engines use.
    pub fn of(effects: u64) -> Self {
        let morefx = (effects >> 32) as u32;
        WideEffects { effects: effects as u32, morefx, bytes: Sized32::<MoreEffects>::of(morefx).bytes() }
    }

    const PRESENT: u64 = 1 << 45;
    const BYTE: u64 = 1 << 46;
    const SHORT: u64 = 1 << 47;
    const TWICE: &'static str = "morefx takes 0, 1, 2 or 4 bytes, and no fewer than it needs";
}

impl<'a> MaskedGroup<'a, Wire> for Option<Box<WideEffects>> {
    const BITS: u64 = WideEffects::PRESENT | WideEffects::BYTE | WideEffects::SHORT;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: Effects::NAME.text,
            lmpc: None,
            doc: "Lower half of effects of 64 bits, in the re-release; `morefx` is the upper one.",
            ty: TypeSchema::new("u32", "integer", ""),
            presence: Presence::Bit(45),
        },
        FieldSchema {
            name: MoreEffects::NAME.text,
            lmpc: None,
            doc: "Upper half of these.",
            ty: TypeSchema::new("u8, u16 or u32", "integer", ""),
            presence: Presence::Bit(46),
        },
        FieldSchema {
            name: MoreEffects::BYTES.text,
            lmpc: None,
            doc: "Bytes of that, when there are more than needed; 0: one byte without its mask bit.",
            ty: TypeSchema::new("which of two mask bits", "integer", ""),
            presence: Presence::Bit(47),
        },
    ];
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & WideEffects::PRESENT == 0 {
            return Ok(None);
        }
        let effects = r.u32()?;
        let (morefx, bytes) = match (mask & WideEffects::BYTE != 0, mask & WideEffects::SHORT != 0) {
            (false, false) => (u32::from(r.u8()?), 0),
            (true, false) => (u32::from(r.u8()?), 1),
            (false, true) => (u32::from(r.u16()?), 2),
            (true, true) => (r.u32()?, 4),
        };
        Ok(Some(Box::new(WideEffects { effects, morefx, bytes })))
    }
    #[inline]
    fn bits(&self) -> u64 {
        let sizes = |bytes| match bytes {
            0 => 0,
            1 => WideEffects::BYTE,
            2 => WideEffects::SHORT,
            _ => WideEffects::BYTE | WideEffects::SHORT,
        };
        self.as_ref().map_or(0, |it| WideEffects::PRESENT | sizes(it.bytes))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        let Some(it) = self else { return Ok(()) };
        w.u32(it.effects);
        match (it.morefx, it.bytes) {
            (v @ 0..=0xFF, 0 | 1) => w.u8(v as u8),
            (v @ 0..=0xFFFF, 2) => w.u16(v as u16),
            (v, 4) => w.u32(v),
            _ => return Err(Fault::unwritable(WideEffects::TWICE)),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(it) = self else { return };
        s.value(Effects::NAME, Scalar::Int(i64::from(it.effects)));
        s.value(MoreEffects::NAME, Scalar::Int(i64::from(it.morefx)));
        if it.bytes != Sized32::<MoreEffects>::of(it.morefx).bytes() {
            s.value(MoreEffects::BYTES, Scalar::Int(i64::from(it.bytes)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        if !d.layout.rerelease || !f.has(MoreEffects::NAME) {
            return Ok(None);
        }
        let all = i64::from(i32::MIN)..=i64::from(u32::MAX);
        let effects = f.take(Effects::NAME)?.int(*all.start(), *all.end())? as u32;
        let morefx = f.take(MoreEffects::NAME)?.int(*all.start(), *all.end())? as u32;
        let mut it = WideEffects::of(u64::from(morefx) << 32 | u64::from(effects));
        if f.has(MoreEffects::BYTES) {
            it.bytes = match f.take(MoreEffects::BYTES)?.int(0, 4)? {
                3 => return Err(f.mistake(WideEffects::TWICE)),
                n => n as u8,
            };
        }
        Ok(Some(Box::new(it)))
    }
}

rare! {
    /// What stands at the end of an entity, in the re-release.
    pub struct FinalState {
        /// Players at the recorder's screen who do not see it, in the re-release: a bit each.
        instance as "": u8, bit 41;
        /// Entity that it belongs to, in the re-release.
        owner as "": i16, bit 42;
        /// Frame of the model in front of this one, in the re-release.
        old_frame as "": u16, bit 43;
    }
}
