//! The fields of a protocol: order and widths.

use crate::describe::Name;
use crate::wire::Fault;

/// A field by its number and the bits of its value: 0 a float, negative with sign.
pub(super) type Row = (u8, i8);

/// A field in a protocol's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableField {
    /// Its name.
    pub name: Name,
    /// Which field of [`EntityField`](super::EntityField) or [`PlayerField`](super::PlayerField) it is, as a number.
    pub id: u8,
    /// Bits of an integer; 0 for a float.
    pub bits: u8,
    /// True when the highest bit is a sign.
    pub signed: bool,
}

/// How a field is coded: all that reading needs to know, close together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FieldCode {
    /// Bits of an integer; 0 for a float.
    pub(crate) bits: u8,
    /// True when the highest bit is a sign.
    pub(crate) signed: bool,
    /// Which field it is, as a number.
    pub(crate) id: u8,
}

/// The fields of an entity or player in the order of one protocol.
#[derive(Debug, PartialEq)]
pub struct Table {
    fields: [TableField; Table::MOST],
    codes: [FieldCode; Table::MOST],
    len: usize,
    places: [u8; Table::MOST],
    /// Places by name: a hash table.
    words: [u8; Table::WORDS],
}

impl Table {
    /// Most fields in a table.
    pub const MOST: usize = 58;
    const WORDS: usize = 256;
    const NONE: u8 = 0xFF;

    pub(super) const fn new(names: &[Name], parts: &[&[Row]]) -> Self {
        let none = TableField { name: names[0], id: 0, bits: 0, signed: false };
        let mut it = Table {
            fields: [none; Self::MOST],
            codes: [FieldCode { bits: 0, signed: false, id: 0 }; Self::MOST],
            len: 0,
            places: [Self::NONE; Self::MOST],
            words: [Self::NONE; Self::WORDS],
        };
        let mut part = 0;
        while part < parts.len() {
            let mut i = 0;
            while i < parts[part].len() {
                let (id, bits) = parts[part][i];
                let name = names[id as usize];
                it.fields[it.len] = TableField { name, id, bits: bits.unsigned_abs(), signed: bits < 0 };
                it.codes[it.len] = FieldCode { bits: bits.unsigned_abs(), signed: bits < 0, id };
                it.places[id as usize] = it.len as u8;
                let mut slot = Self::slot(name.key());
                while it.words[slot] != Self::NONE {
                    slot = (slot + 1) % Self::WORDS;
                }
                it.words[slot] = it.len as u8;
                it.len += 1;
                i += 1;
            }
            part += 1;
        }
        it
    }

    #[inline]
    const fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
    }

    /// The fields in wire order.
    #[inline]
    pub fn fields(&self) -> &[TableField] {
        self.fields.get(..self.len).unwrap_or_default()
    }

    /// The places of fields given as numbers, as bits.
    pub(crate) fn places_of(&self, ids: &[u8]) -> u64 {
        let each = self.codes().iter().enumerate();
        each.filter(|(_, code)| ids.contains(&code.id)).fold(0, |places, (place, _)| places | 1 << place)
    }

    /// How the fields are coded, in wire order.
    #[inline]
    pub(crate) fn codes(&self) -> &[FieldCode] {
        self.codes.get(..self.len).unwrap_or_default()
    }

    /// Names the field at a place in a fault.
    #[cold]
    pub(crate) fn blame(&self, fault: Fault, place: usize) -> Fault {
        match self.fields().get(place) {
            Some(field) => fault.in_field(field.name.text),
            None => fault,
        }
    }

    /// The place of a field, given as a number.
    pub fn place(&self, id: u8) -> Option<usize> {
        self.places.get(usize::from(id)).filter(|&&place| place != Self::NONE).map(|&place| usize::from(place))
    }

    /// The place of the field with a name.
    #[inline]
    pub(crate) fn by_name(&self, word: &[u8], key: u64) -> Option<usize> {
        let mut slot = Self::slot(key);
        loop {
            let place = usize::from(self.words[slot]);
            match self.fields().get(place) {
                None => return None,
                Some(field) if field.name.is_keyed(word, key) => return Some(place),
                Some(_) => slot = (slot + 1) % Self::WORDS,
            }
        }
    }
}
