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

    fn scalar(&mut self, v: Scalar) {
        let (kind, value) = match v {
            Scalar::Int(v) => (0, v as u64),
            Scalar::Hex(v) => (0, v),
            Scalar::Float(v) | Scalar::Seconds(v) | Scalar::FloatUnits(v) => (1, u64::from(v.bits())),
            Scalar::Binary(v, parts) => (2 + u64::from(parts), v as u64),
            Scalar::Turn256(v) => (16, v as u64),
            Scalar::Turn65536(v) => (17, v as u64),
            Scalar::Near(v) => (18, u64::from(v.to_bits())),
            Scalar::Part255(whole, part) => (19, (whole as u64) << 8 | u64::from(part)),
            Scalar::By(v) => (20, v as u64),
            Scalar::NeedlesslyLong(v) => (21, v as u64),
            Scalar::EitherShort(v) => (22, v as u64),
        };
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
