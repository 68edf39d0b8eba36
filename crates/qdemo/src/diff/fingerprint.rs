//! Fingerprints: what a message says as a number, without words.

use crate::describe::{Form, Name, Sink, Table, UNKNOWN_MASK_BITS};
use crate::wire::{Scalar, StrList};

/// Takes in whatever is shown to it. Mask bits that stand for nothing are left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Fingerprint {
    state: u64,
    /// Fields of these names are left out too.
    without: &'static [Name],
}

/// Bits of a mask that are set or left out in vain.
pub(super) const IN_VAIN: [Name; 3] = [Name::with("mask_extra", ""), UNKNOWN_MASK_BITS, Name::with("spare_bits", "")];

impl Fingerprint {
    /// One that leaves out fields.
    pub(super) fn without(names: &'static [Name]) -> Self {
        Fingerprint { without: names, ..Fingerprint::default() }
    }

    /// The number.
    pub(super) fn finish(&self) -> u64 {
        self.state
    }

    /// Takes in a number.
    #[inline]
    pub(super) fn add(&mut self, v: u64) {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(self.state.rotate_left(23) ^ v ^ 0xA076_1D64_78BD_642F) * u128::from(ODD);
        self.state = (product as u64) ^ ((product >> 64) as u64) ^ v.rotate_left(32);
    }

    /// Takes in bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.add(u64::from_le_bytes(word));
        }
    }

    /// The value, however it is encoded.
    fn scalar(&mut self, v: Scalar) {
        let value = match v {
            Scalar::Int(v) => return self.whole(v),
            Scalar::Hex(v) => return self.whole(v as i64),
            Scalar::Float(v) | Scalar::Seconds(v) | Scalar::FloatUnits(v) => match v.get() {
                value if value.is_finite() => value.into(),
                // No number, of which there are many.
                _ => return self.special(NO_NUMBER, v.bits().into()),
            },
            Scalar::Binary(v, parts) => f64::from(v) / f64::from(1_u32 << parts.min(31)),
            Scalar::Turn256(v) => f64::from(v) * (360.0 / 256.0),
            // As text and JSON show it.
            Scalar::Turn65536(v) => ((f64::from(v) * (360.0 / 65536.0)) as f32).into(),
            Scalar::Near(v) => v.into(),
            Scalar::Part255(whole, part) => f64::from(whole) + f64::from(part) / 255.0,
            Scalar::NeedlesslyLong(v) => f64::from(v) / 8.0,
            Scalar::EitherShort(v) => f64::from(v) / 8.0,
            // No value, but a difference to one.
            Scalar::By(v) => return self.special(DIFFERENCE, v as u64),
        };
        self.add(value.to_bits());
    }

    fn whole(&mut self, v: i64) {
        // The greatest ones are no floats.
        match v.unsigned_abs() < 1 << 53 {
            true => self.add((v as f64).to_bits()),
            false => self.special(LARGE, v as u64),
        }
    }

    fn special(&mut self, kind: u64, value: u64) {
        self.add(kind);
        self.add(value);
    }

    /// The name of a field; false for one that does not count.
    #[inline]
    fn field(&mut self, name: Name) -> bool {
        if IN_VAIN.contains(&name) || self.without.contains(&name) {
            return false;
        }
        self.add(name.key());
        true
    }
}

/// What stands in front of what is no value.
const NO_NUMBER: u64 = 0x6E6F_6E65;
const DIFFERENCE: u64 = 0x6469_6666;
const LARGE: u64 = 0x6C61_7267;

/// What parts the levels of a message.
const OPEN: u64 = 0x6F70_656E;
const CLOSE: u64 = 0x0063_6C6F_7365;

impl Sink for Fingerprint {
    fn form(&self) -> Form {
        Form::Json
    }
    fn open(&mut self, name: Name, _: bool) {
        self.add(OPEN);
        self.add(name.key());
    }
    fn close(&mut self) {
        self.add(CLOSE);
    }
    fn group(&mut self, name: Name) {
        self.open(name, false);
    }
    fn list(&mut self, name: Name) {
        self.open(name, false);
    }
    fn item(&mut self, name: Name) {
        self.open(name, false);
    }
    fn flag(&mut self, name: Name) {
        self.field(name);
    }
    fn value(&mut self, name: Name, v: Scalar) {
        if self.field(name) {
            self.scalar(v);
        }
    }
    fn values(&mut self, name: Name, v: &[Scalar]) {
        if self.field(name) {
            self.add(v.len() as u64);
            v.iter().for_each(|v| self.scalar(*v));
        }
    }
    fn index(&mut self, name: Name, v: u32, _: Table) {
        self.value(name, Scalar::Int(i64::from(v)));
    }
    fn string(&mut self, name: Name, v: &[u8]) {
        if self.field(name) {
            self.bytes(v);
        }
    }
    fn strings(&mut self, name: Name, v: &StrList<'_>) {
        if self.field(name) {
            v.iter().for_each(|v| self.bytes(v));
            self.add(CLOSE);
        }
    }
    fn bytes(&mut self, name: Name, v: &[u8]) {
        if self.field(name) {
            self.bytes(v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::F32;

    #[test]
    fn a_value_is_the_same_in_every_encoding() {
        let print = |v: Scalar| {
            let mut print = Fingerprint::default();
            print.scalar(v);
            print.finish()
        };
        let float = |v: f32| Scalar::FloatUnits(F32::from(v));
        let alike = [
            vec![Scalar::Binary(-3, 3), Scalar::Binary(-6, 4), float(-0.375), Scalar::EitherShort(-3)],
            vec![Scalar::Turn256(-33), Scalar::Turn65536(-33 * 256), float(-46.40625)],
            vec![Scalar::Int(7), Scalar::Hex(7), Scalar::Binary(56, 3), Scalar::Part255(7, 0), Scalar::Near(7.0)],
            vec![Scalar::By(56)],
            vec![Scalar::Int(i64::MAX)],
            vec![Scalar::Int(i64::MAX - 1)],
            vec![float(f32::NAN)],
            vec![float(f32::INFINITY)],
        ];
        let prints: Vec<Vec<u64>> = alike.iter().map(|all| all.iter().map(|v| print(*v)).collect()).collect();
        assert!(prints.iter().all(|all| all.iter().all(|one| *one == all[0])), "{prints:?}");
        let firsts: std::collections::BTreeSet<_> = prints.iter().map(|all| all[0]).collect();
        assert_eq!(firsts.len(), alike.len());
    }
}
