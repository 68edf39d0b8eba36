//! Nails in flight.

use super::dialect::{Bytes as Wire, Dialect};
use crate::describe::{
    Body, FieldSchema, Fields, Form, Holds, Mistake, Name, Presence, Schema, Sink, Statement, TypeSchema,
};
use crate::wire::{Angle, AngleKind, ByteReader, ByteWriter, Fault, Scalar};

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
    /// What documentation says of it.
    const STATEMENT: Statement = Statement::of(
        NAIL,
        "A nail in flight.",
        &[&[
            FieldSchema::ours(
                Self::ID.text,
                TypeSchema::new("u8", "integer", ""),
                Presence::Selected,
                "In nails2, and always there: a number that ties it to the nail of the frame before.",
            ),
            FieldSchema::new(
                Self::ORIGIN.text,
                TypeSchema::new("u12[3] = (n+4096)/2", "integer[3]", "units"),
                Presence::Always,
                "Place, in even numbers from -4096 to 4094.",
            ),
            FieldSchema::new(
                Self::PITCH.text,
                TypeSchema::new("u4*360/16", "number", "degrees"),
                Presence::Always,
                "Pitch.",
            ),
            FieldSchema::new(
                Self::YAW.text,
                TypeSchema::new("i8*360/256", "number", "degrees"),
                Presence::Always,
                "Yaw.",
            ),
        ]],
    );

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

    pub(super) fn read(r: &mut ByteReader<'_>, with_id: bool) -> Result<Self, Fault> {
        let id = if with_id { Some(r.u8()?) } else { None };
        let mut bytes = [0; 6];
        bytes.copy_from_slice(r.bytes(6)?);
        Ok(Nail { id, bytes })
    }

    pub(super) fn write(&self, w: &mut ByteWriter, with_id: bool) -> Result<(), Fault> {
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

const NAIL: Name = Name::new("nail");

macro_rules! nails {
    ($doc:literal, $ty:ident = $text:literal, $name:expr, $with_id:literal, $wire:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $ty {
            /// The nails.
            pub nails: Vec<Nail>,
        }

        $crate::wire::into_owned!($ty);

        impl<'a> Body<'a, Wire> for $ty {
            const NAME: Name = $name;
            const SCHEMA: Schema = Schema {
                name: $text,
                lmpc: Self::NAME.lmpc,
                doc: $doc,
                inline: false,
                masked: false,
                fields: &[&[FieldSchema::new("nail", TypeSchema::new($wire, "object[]", "").holding(Holds::Messages(&[&Nail::STATEMENT])), Presence::Selected, "A nail: origin in even units, angles_1 (pitch in 22.5 degrees), angles_2 (yaw); in nails2 an id in front. In JSON among the messages.")]],
            };
            fn read(_: u8, r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
                let count = r.u8()?;
                let nails = (0..count).map(|_| Nail::read(r, $with_id)).collect::<Result<_, _>>()?;
                Ok($ty { nails })
            }
            fn write(&self, id: u8, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
                w.u8(id);
                w.u8(u8::try_from(self.nails.len()).map_err(|_| Fault::unwritable("more than 255 nails"))?);
                self.nails.iter().try_for_each(|nail| nail.write(w, $with_id))
            }
            fn show<S: Sink>(&self, s: &mut S) {
                s.open(Self::NAME, false);
                if self.nails.is_empty() {
                    s.foreign();
                }
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
