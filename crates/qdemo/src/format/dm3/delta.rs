//! Deltas of states: which fields of an entity or a player were sent, and their values.
//!
//! The fields and their widths are tables of the dialect; the values of all deltas in a message stand in one list.

use std::convert::Infallible;

use super::dialect::{DeltaForm, FieldCode, ProtocolLayout, Table, TableField};
use super::list::Values;
use crate::describe::{Fields, Mistake, Name, Sink};
use crate::wire::{BitReader, BitWriter, F32, Fault, FaultKind, Scalar};

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldValue {
    /// An integer.
    Int(i32),
    /// A float.
    Float(F32),
}

/// Which fields were sent, and how. Bits and places are those of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Delta {
    /// Fields with a value.
    pub(super) changed: u64,
    /// Fields with a value although it is 0: an engine has a shorter way to say so.
    pub(super) unzero: u64,
    /// Floats in 32 bits although 13 would do.
    pub(super) long: u64,
    /// How many fields were counted, or which mask was used.
    pub(super) head: u8,
    /// Where their values begin.
    pub(super) first: u32,
}

/// Whose state it is: the two are coded a little differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateKind {
    Entity,
    Player,
}

impl StateKind {
    pub(super) fn table(self, layout: &'static ProtocolLayout) -> &'static Table {
        match self {
            StateKind::Entity => &layout.entity,
            StateKind::Player => &layout.player,
        }
    }
}

/// A delta as the API shows it: fields in wire order with their values.
#[derive(Debug, Clone, Copy)]
pub struct State<'s> {
    table: &'static Table,
    delta: &'s Delta,
    values: &'s [u32],
}

impl<'s> State<'s> {
    pub(super) fn new(table: &'static Table, delta: &'s Delta, values: &'s [u32]) -> Self {
        let first = delta.first as usize;
        let values = values.get(first..first + delta.changed.count_ones() as usize).unwrap_or_default();
        State { table, delta, values }
    }

    /// The fields sent, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static TableField, FieldValue)> + use<'s> {
        let mut left = self.delta.changed;
        let (fields, mut values) = (self.table.fields(), self.values.iter());
        std::iter::from_fn(move || {
            let field = fields.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            let value = *values.next()?;
            let value =
                if field.bits == 0 { FieldValue::Float(F32::from_bits(value)) } else { FieldValue::Int(value as i32) };
            Some((field, value))
        })
    }

    /// Puts the fields that were sent into a list of all fields by number: bits of a float, or an integer.
    #[inline]
    pub(crate) fn apply(&self, to: &mut [u32]) {
        let mut left = self.delta.changed;
        let codes = self.table.codes();
        for value in self.values {
            if let Some(slot) = codes.get(left.trailing_zeros() as usize).and_then(|c| to.get_mut(usize::from(c.id))) {
                *slot = *value;
            }
            left &= left.wrapping_sub(1);
        }
    }

    /// True when one of these fields was sent: places in the table.
    #[inline]
    pub(crate) fn tells(&self, places: u64) -> bool {
        self.delta.changed & places != 0
    }

    /// The same delta, of another message: its values are added to `values`, those at some places changed by their field.
    pub(super) fn again(&self, values: &mut Values, places: u64, change: impl Fn(u8, u32) -> u32) -> Delta {
        let first = values.len() as u32;
        let sent = self.delta.changed;
        let codes = self.table.codes();
        let Ok(()) = values.add::<Infallible>(|room| {
            if let Some(room) = room.get_mut(..self.values.len()) {
                room.copy_from_slice(self.values);
            }
            let mut left = sent & places;
            while let Some(code) = codes.get(left.trailing_zeros() as usize) {
                let before = sent & (left & left.wrapping_neg()).wrapping_sub(1);
                if let Some(value) = room.get_mut(before.count_ones() as usize) {
                    *value = change(code.id, *value);
                }
                left &= left - 1;
            }
            Ok(self.values.len())
        });
        Delta { first, ..*self.delta }
    }

    /// The value of a field, given as a number (`EntityField::Event as u8`), if it was sent.
    pub fn get(&self, id: u8) -> Option<FieldValue> {
        self.iter().find(|(field, _)| field.id == id).map(|(_, value)| value)
    }

    /// How many fields were sent.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True when no field was sent.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Floats without a fraction in this range are sent in 13 bits, as `value + OFFSET`.
const OFFSET: i32 = 4096;
const SHORT_BITS: u32 = 13;

/// The short form of a float, if it has one.
#[inline]
fn short_float(bits: u32) -> Option<u32> {
    let whole = f32::from_bits(bits) as i32;
    let short = whole.wrapping_add(OFFSET);
    ((0..2 * OFFSET).contains(&short) && (whole as f32).to_bits() == bits).then_some(short as u32)
}

/// Reads the value of a field from the bits `next` in front of the cursor: the value, the bits taken, and whether it
/// was long though a short form would do.
#[inline(always)]
fn decode_value<const HUFFMAN: bool>(r: &BitReader<'_>, next: u64, code: FieldCode) -> Result<(u32, u32, bool), Fault> {
    let decode = |next, bits| if HUFFMAN { r.decode_huffman(next, bits) } else { r.decode(next, bits) };
    if code.bits != 0 {
        let (value, used) = decode(next, u32::from(code.bits))?;
        let value = if code.signed { extended(value, code.bits) } else { value };
        return Ok((value, used, false));
    }
    if next & 1 == 0 {
        let (short, used) = decode(next >> 1, SHORT_BITS)?;
        return Ok((((short as i32 - OFFSET) as f32).to_bits(), used + 1, false));
    }
    let (value, used) = decode(next >> 1, 32)?;
    Ok((value, used + 1, short_float(value).is_some()))
}

/// With the sign in its highest bit.
#[inline]
fn extended(value: u32, bits: u8) -> u32 {
    let shift = 32 - u32::from(bits.clamp(1, 32));
    ((value << shift) as i32 >> shift) as u32
}

impl FieldCode {
    /// True for a value that is read as it was written: its bits are those of the field.
    pub(crate) fn carries(self, value: u32) -> bool {
        match (self.bits, self.signed) {
            (0 | 32.., _) => true,
            (bits, true) => extended(value, bits) == value,
            (bits, false) => value >> bits == 0,
        }
    }
}

/// Writes the value of a field behind some flags.
#[inline(always)]
fn write_value(w: &mut BitWriter, (flags, count): (u32, u32), code: FieldCode, value: u32, long: bool) {
    if code.bits != 0 {
        return w.flagged(flags, count, value, u32::from(code.bits));
    }
    match short_float(value).filter(|_| !long) {
        Some(short) => w.flagged(flags, count + 1, short, SHORT_BITS),
        None => w.flagged(flags | 1 << count, count + 1, value, 32),
    }
}

impl Delta {
    /// The number behind the highest bit.
    fn count(bits: u64) -> u8 {
        (64 - bits.leading_zeros()) as u8
    }

    /// What engines write in front of the fields.
    fn usual_head(form: DeltaForm, of: StateKind, changed: u64) -> u8 {
        match (form, of) {
            (DeltaForm::Counted, _) => Self::count(changed),
            (DeltaForm::Masked(_), StateKind::Player) => 0,
            (DeltaForm::Masked(masks), StateKind::Entity) => {
                masks.iter().position(|&m| m == changed).map_or(EXPLICIT, |n| n as u8)
            }
        }
    }

    /// What differs between two lists of all fields by number, as engines write it; its values are added to `values`. An empty
    /// list has 0 everywhere.
    pub(super) fn between(
        from: &[u32],
        to: &[u32],
        layout: &'static ProtocolLayout,
        of: StateKind,
        values: &mut Values,
    ) -> Self {
        let first = values.len() as u32;
        let zeros = [0; 256];
        let from = if from.is_empty() { &zeros } else { from };
        // By number of the field: all at once is faster than in the order of the table.
        let mut differs = [false; 256];
        for ((differs, from), to) in differs.iter_mut().zip(from).zip(to) {
            *differs = from != to;
        }
        let mut changed = 0u64;
        let Ok(()) = values.add::<Infallible>(|room| {
            let mut count = 0;
            for (place, code) in of.table(layout).codes().iter().enumerate() {
                if differs[usize::from(code.id)] {
                    changed |= 1 << place;
                    room[count & 63] = to.get(usize::from(code.id)).copied().unwrap_or_default();
                    count += 1;
                }
            }
            Ok(count)
        });
        Delta { changed, head: Self::usual_head(layout.delta, of, changed), first, ..Delta::default() }
    }

    /// Reads a delta into its place; its values are added to `values`.
    #[inline]
    pub(super) fn read(
        &mut self,
        r: &mut BitReader<'_>,
        layout: &'static ProtocolLayout,
        of: StateKind,
        values: &mut Values,
    ) -> Result<(), Fault> {
        let table = of.table(layout);
        *self = Delta { first: values.len() as u32, ..Delta::default() };
        // A local cursor lives in registers.
        let mut local = *r;
        match (layout.delta, of) {
            (DeltaForm::Counted, _) => {
                self.head = local.u8()?;
                let count = usize::from(self.head);
                if count > table.fields().len() {
                    return Err(too_many(&local));
                }
                match of {
                    StateKind::Entity => self.read_fields::<true, true>(&mut local, table, count, values)?,
                    StateKind::Player => self.read_fields::<false, true>(&mut local, table, count, values)?,
                }
            }
            (DeltaForm::Masked(_), StateKind::Player) => {
                self.read_fields::<false, false>(&mut local, table, table.fields().len(), values)?;
            }
            (DeltaForm::Masked(masks), StateKind::Entity) => self.read_masked(&mut local, table, masks, values)?,
        }
        *r = local;
        Ok(())
    }

    /// A bit for each field tells whether it is there. With `ZERO` another one tells whether it is 0.
    #[inline(always)]
    fn read_fields<const ZERO: bool, const HUFFMAN: bool>(
        &mut self,
        r: &mut BitReader<'_>,
        table: &Table,
        count: usize,
        values: &mut Values,
    ) -> Result<(), Fault> {
        let codes = table.codes().get(..count).unwrap_or_default();
        // Locals live in registers.
        let (mut changed, mut unzero, mut longs) = (0u64, 0u64, 0u64);
        values.add(|room| {
            let mut count = 0;
            let mut place = 0;
            loop {
                // Fields that are not there are a run of zeros.
                let mut next = r.peek();
                let left = (codes.len() - place) as u32;
                let run = next.trailing_zeros().min(left).min(BitReader::PEEK);
                place += run as usize;
                let Some(code) = codes.get(place) else {
                    r.take(run)?;
                    break;
                };
                if run == BitReader::PEEK {
                    r.take(run)?;
                    continue;
                }
                // Flag, zero flag, float flag and value fit into what is left of a short run.
                let mut used = run + 1;
                if used + 2 + BitReader::LONGEST > BitReader::PEEK {
                    r.take(used)?;
                    next = r.peek();
                    used = 0;
                }
                next >>= used;
                changed |= 1 << place;
                let there = !ZERO || next & 1 == 1;
                if ZERO {
                    used += 1;
                    next >>= 1;
                }
                if there {
                    let (value, bits, long) =
                        decode_value::<HUFFMAN>(r, next, *code).map_err(|f| table.blame(f, place))?;
                    used += bits;
                    unzero |= u64::from(ZERO && value == 0) << place;
                    longs |= u64::from(long) << place;
                    room[count & 63] = value;
                } else {
                    room[count & 63] = 0;
                }
                r.take(used).map_err(|f| table.blame(f, place))?;
                count += 1;
                place += 1;
            }
            Ok(count)
        })?;
        (self.changed, self.unzero, self.long) = (changed, unzero, longs);
        Ok(())
    }

    fn read_masked(
        &mut self,
        r: &mut BitReader<'_>,
        table: &Table,
        masks: &[u64; 31],
        values: &mut Values,
    ) -> Result<(), Fault> {
        self.head = r.value(5)? as u8;
        let fields = table.fields();
        let mut left = match masks.get(usize::from(self.head)) {
            Some(mask) => *mask,
            None => {
                let low = r.value(32)?;
                u64::from(low) | u64::from(r.value(fields.len() as u32 - 32)?) << 32
            }
        };
        self.changed = left;
        while let Some(code) = table.codes().get(left.trailing_zeros() as usize) {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            let (value, bits, long) = decode_value::<false>(r, r.peek(), *code).map_err(|f| table.blame(f, place))?;
            r.take(bits).map_err(|f| table.blame(f, place))?;
            self.long |= u64::from(long) << place;
            values.push(value);
        }
        Ok(())
    }

    /// Writes the delta; `values` holds the values of all deltas of the message.
    pub(super) fn write(
        &self,
        w: &mut BitWriter,
        layout: &'static ProtocolLayout,
        of: StateKind,
        values: &[u32],
    ) -> Result<(), Fault> {
        let table = of.table(layout);
        if u32::from(Self::count(self.changed)) > table.fields().len() as u32 {
            return Err(Fault::unwritable("a field that this protocol does not have"));
        }
        let first = self.first as usize;
        let Some(values) = values.get(first..first + self.changed.count_ones() as usize) else {
            return Err(Fault::unwritable("fields without values"));
        };
        match (layout.delta, of) {
            (DeltaForm::Counted, _) => {
                if self.head < Self::count(self.changed) || usize::from(self.head) > table.fields().len() {
                    return Err(Fault::unwritable("a count that does not fit the fields"));
                }
                w.u8(self.head);
                self.write_fields(w, table, usize::from(self.head), of == StateKind::Entity, values);
            }
            (DeltaForm::Masked(_), StateKind::Player) => {
                self.write_fields(w, table, table.fields().len(), false, values)
            }
            (DeltaForm::Masked(masks), StateKind::Entity) => {
                match masks.get(usize::from(self.head)) {
                    Some(mask) if *mask == self.changed => w.raw(u32::from(self.head), 5),
                    None if self.head == EXPLICIT => {
                        w.raw(u32::from(self.head), 5);
                        w.raw(self.changed as u32, 32);
                        w.raw((self.changed >> 32) as u32, table.fields().len() as u32 - 32);
                    }
                    _ => return Err(Fault::unwritable("a mask that does not fit the fields")),
                }
                for (place, value) in self.places().zip(values) {
                    let Some(code) = table.codes().get(place) else { break };
                    write_value(w, (0, 0), *code, *value, self.long >> place & 1 == 1);
                }
            }
        }
        Ok(())
    }

    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.changed;
        std::iter::from_fn(move || {
            let place = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(place)
        })
    }

    fn write_fields(&self, w: &mut BitWriter, table: &Table, count: usize, zero: bool, values: &[u32]) {
        /// Two flags, and that of a float, go out together with the zeros in front of them.
        const ZEROS: usize = BitWriter::FLAGS as usize - 3;
        let codes = table.codes().get(..count).unwrap_or_default();
        // A local writer lives in registers.
        let mut local = std::mem::replace(w, BitWriter::new(w.coding()));
        let mut from = 0;
        for (place, value) in self.places().zip(values) {
            let Some(code) = codes.get(place) else { break };
            let mut run = place - from;
            if run > ZEROS {
                zeros(&mut local, run);
                run = 0;
            }
            from = place + 1;
            let (mut flags, mut count) = (1 << run, run as u32 + 1);
            if zero {
                let sent = *value != 0 || self.unzero >> place & 1 == 1;
                flags |= u32::from(sent) << count;
                count += 1;
                if !sent {
                    local.raw(flags, count);
                    continue;
                }
            }
            write_value(&mut local, (flags, count), *code, *value, self.long >> place & 1 == 1);
        }
        zeros(&mut local, codes.len() - from);
        *w = local;
    }

    /// True when showing it needs words beside those of its fields.
    pub(super) fn is_unusual(&self, layout: &ProtocolLayout, of: StateKind) -> bool {
        (self.unzero | self.long) != 0 || self.head != Self::usual_head(layout.delta, of, self.changed)
    }

    /// Shows the fields, and what is unusual in how they were sent.
    pub(super) fn show<S: Sink>(&self, s: &mut S, layout: &'static ProtocolLayout, of: StateKind, values: &[u32]) {
        for (field, value) in State::new(of.table(layout), self, values).iter() {
            match value {
                FieldValue::Int(v) => s.value(field.name, Scalar::Int(i64::from(v))),
                FieldValue::Float(v) => s.value(field.name, Scalar::Float(v)),
            }
        }
        if self.unzero != 0 {
            s.value(UNZERO, Scalar::Hex(self.unzero));
        }
        if self.long != 0 {
            s.value(LONG, Scalar::Hex(self.long));
        }
        if self.head != Self::usual_head(layout.delta, of, self.changed) {
            let name = if matches!(layout.delta, DeltaForm::Counted) { COUNT } else { MASK };
            s.value(name, Scalar::Int(i64::from(self.head)));
        }
    }
}

fn zeros(w: &mut BitWriter, mut n: usize) {
    while n > 0 {
        let bits = n.min(32);
        w.raw(0, bits as u32);
        n -= bits;
    }
}

#[cold]
fn too_many(r: &BitReader<'_>) -> Fault {
    Fault::new(FaultKind::Malformed("a state with more fields than this protocol has"), r.pos() / 8)
}

/// The number that says that a mask follows.
const EXPLICIT: u8 = 31;

pub(super) const COUNT: Name = Name::with("count", "");
pub(super) const MASK: Name = Name::with("mask", "");
pub(super) const LONG: Name = Name::with("long", "");
pub(super) const UNZERO: Name = Name::with("unzero", "");

/// Collects a delta from the children of a statement.
pub(super) struct Parsed {
    delta: Delta,
    head: Option<u8>,
    /// The values by place.
    slots: [u32; Table::MOST],
}

impl Parsed {
    pub(super) fn new() -> Self {
        Parsed { delta: Delta::default(), head: None, slots: [0; Table::MOST] }
    }

    /// Takes in one child, if it is a field or says how fields were sent. False when it is something else.
    pub(super) fn child(&mut self, f: &Fields<'_, '_>, table: &Table) -> Result<bool, Mistake> {
        let Some(place) = table.by_name(f.keyword(), f.key()) else { return self.manner(f) };
        let (Some(field), Some(slot)) = (table.fields().get(place), self.slots.get_mut(place)) else {
            return Ok(false);
        };
        if self.delta.changed >> place & 1 == 1 {
            return Err(f.mistake(format!("{} stands twice here", field.name.text)));
        }
        let values = f.own_values();
        *slot = match field.bits {
            0 => values.float()?.bits(),
            bits => {
                let bits = u32::from(bits);
                let (min, max) = match (bits, field.signed) {
                    (32, _) => (i64::from(i32::MIN), i64::from(u32::MAX)),
                    (_, true) => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
                    (_, false) => (0, (1 << bits) - 1),
                };
                values.int(min, max)? as u32
            }
        };
        self.delta.changed |= 1 << place;
        Ok(true)
    }

    #[cold]
    fn manner(&mut self, f: &Fields<'_, '_>) -> Result<bool, Mistake> {
        let word = f.keyword();
        let bits = || f.own_values().int(i64::MIN, i64::MAX).map(|v| v as u64);
        if COUNT.is(word) || MASK.is(word) {
            self.head = Some(f.own_values().int(0, 255)? as u8);
        } else if LONG.is(word) {
            self.delta.long = bits()?;
        } else if UNZERO.is(word) {
            self.delta.unzero = bits()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// True when nothing was taken in.
    pub(super) fn is_empty(&self) -> bool {
        self.delta == Delta::default() && self.head.is_none()
    }

    /// The delta; its values are added to `values`.
    pub(super) fn finish(
        self,
        f: &Fields<'_, '_>,
        layout: &'static ProtocolLayout,
        of: StateKind,
        values: &mut Values,
    ) -> Result<Delta, Mistake> {
        let mut delta = self.delta;
        let table = of.table(layout);
        let all = |bits: u64, fits: &dyn Fn(&TableField, u32) -> bool| {
            let there = |place: usize| Some((table.fields().get(place)?, *self.slots.get(place)?));
            bits & !delta.changed == 0
                && (0..64).filter(|n| bits >> n & 1 == 1).all(|n| there(n).is_some_and(|(field, v)| fits(field, v)))
        };
        if !all(delta.long, &|field, v| field.bits == 0 && short_float(v).is_some()) {
            return Err(f.mistake("`long` names a field that is no float, is absent, or has no short form"));
        }
        let has_zeros = of == StateKind::Entity && matches!(layout.delta, DeltaForm::Counted);
        if delta.unzero != 0 && !(has_zeros && all(delta.unzero, &|_, v| v == 0)) {
            return Err(f.mistake(
                "`unzero` names a field that is absent or not 0, or stands where zeros are as long as others",
            ));
        }
        delta.first = values.len() as u32;
        values.extend(delta.places().filter_map(|place| self.slots.get(place).copied()));
        delta.head = self.head.unwrap_or_else(|| Delta::usual_head(layout.delta, of, delta.changed));
        Ok(delta)
    }
}
