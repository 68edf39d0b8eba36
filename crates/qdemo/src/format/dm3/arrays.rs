//! The arrays of a player's state: stats, what lasts over deaths, ammunition, powerups.

use super::dialect::{DeltaForm, ProtocolLayout};
use super::entity::{INDEX, no_such};
use super::list::Values;
use crate::describe::{Fields, Form, Mistake, Name, Sink};
use crate::wire::{BitReader, BitWriter, Fault, Scalar};

const VALUE: Name = Name::new("value");
pub(super) const ARRAYS: Name = Name::with("arrays", "");

/// The arrays of a player's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Array {
    /// Health, armour, weapons ... (the game module says which).
    Stats,
    /// What lasts over deaths: score, team ...
    Persistant,
    /// Ammunition by weapon; -1 without end.
    Ammo,
    /// Server time in ms at which each powerup ends.
    Powerups,
}

impl Array {
    /// All, in wire order.
    pub const ALL: [Array; 4] = [Array::Stats, Array::Persistant, Array::Ammo, Array::Powerups];
    /// Slots in each.
    pub const SLOTS: usize = 16;

    /// The name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Array::Stats => "stats",
            Array::Persistant => "persistant",
            Array::Ammo => "ammo",
            Array::Powerups => "powerups",
        }
    }

    /// The names of the slots in text and JSON: `stats[0]` ...
    fn names(self) -> &'static [Name; Self::SLOTS] {
        macro_rules! slots {
            ($name:literal) => {
                slots!(@ $name, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
            };
            (@ $name:literal, $($n:literal)*) => {
                const { &[$(Name::new(concat!($name, "[", $n, "]"))),*] }
            };
        }
        match self {
            Array::Stats => slots!("stats"),
            Array::Persistant => slots!("persistant"),
            Array::Ammo => slots!("ammo"),
            Array::Powerups => slots!("powerups"),
        }
    }

    /// LMPC's words: the list and an item of it.
    fn lmpc(self) -> (Name, Name) {
        match self {
            Array::Stats => (Name::new("stats"), Name::new("stat")),
            Array::Persistant => (Name::new("persistants"), Name::new("persistant")),
            Array::Ammo => (Name::new("ammos"), Name::new("ammo")),
            Array::Powerups => (Name::new("powerups"), Name::new("powerup")),
        }
    }

    fn bits(self) -> u32 {
        if self == Array::Powerups { 32 } else { 16 }
    }

    /// True for a value that is read as it was written.
    pub(crate) fn carries(self, value: i32) -> bool {
        self.bits() == 32 || i16::try_from(value).is_ok()
    }
}

/// Which slots of the arrays were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Arrays {
    masks: [u16; 4],
    /// Arrays that are there: bits 0 to 3; bit 4: any of them.
    sent: u8,
    first: u32,
}

impl Arrays {
    const ANY: u8 = 16;

    fn usual_sent(&self, form: DeltaForm) -> u8 {
        let each = self.masks.iter().rev().fold(0, |bits, mask| bits << 1 | u8::from(*mask != 0));
        if each != 0 && matches!(form, DeltaForm::Counted) { each | Self::ANY } else { each }
    }

    /// What differs between two sets of arrays, as engines write it; its values are added to `values`.
    pub(super) fn between(
        from: &[[i32; 16]; 4],
        to: &[[i32; 16]; 4],
        layout: &ProtocolLayout,
        values: &mut Values,
    ) -> Self {
        let mut arrays = Arrays { first: values.len() as u32, ..Arrays::default() };
        for (mask, (from, to)) in arrays.masks.iter_mut().zip(from.iter().zip(to)) {
            for (slot, (_, value)) in from.iter().zip(to).enumerate().filter(|(_, (from, to))| from != to) {
                *mask |= 1 << slot;
                values.push(*value as u32);
            }
        }
        arrays.sent = arrays.usual_sent(layout.delta);
        arrays
    }

    /// The same arrays, of another message: its values are added to `values`, changed by their array.
    pub(super) fn again(&self, of: &[u32], values: &mut Values, change: impl Fn(Array, i32) -> i32) -> Self {
        let first = values.len() as u32;
        for (array, _, value) in self.iter(of) {
            values.push(change(array, value) as u32);
        }
        Arrays { first, ..*self }
    }

    pub(super) fn read(r: &mut BitReader<'_>, layout: &ProtocolLayout, values: &mut Values) -> Result<Self, Fault> {
        let mut arrays = Arrays { first: values.len() as u32, ..Arrays::default() };
        if matches!(layout.delta, DeltaForm::Counted) {
            if r.value(1)? == 0 {
                return Ok(arrays);
            }
            arrays.sent = Self::ANY;
        }
        for (n, array) in Array::ALL.into_iter().enumerate() {
            if r.value(1)? == 0 {
                continue;
            }
            arrays.sent |= 1 << n;
            let mask = r.u16()?;
            arrays.masks[n] = mask;
            for _ in 0..mask.count_ones() {
                values.push(r.signed(array.bits())? as u32);
            }
        }
        Ok(arrays)
    }

    pub(super) fn write(&self, w: &mut BitWriter, layout: &ProtocolLayout, values: &[u32]) -> Result<(), Fault> {
        let unsent = |n: usize| self.masks[n] != 0 && self.sent >> n & 1 == 0;
        let counted = matches!(layout.delta, DeltaForm::Counted);
        let silent = counted && self.sent & Self::ANY == 0 && self.sent & !Self::ANY != 0;
        if (0..4).any(unsent) || silent || !counted && self.sent & Self::ANY != 0 {
            return Err(Fault::unwritable("`arrays` that does not fit the slots"));
        }
        if counted {
            w.raw(u32::from(self.sent / Self::ANY), 1);
            if self.sent & Self::ANY == 0 {
                return Ok(());
            }
        }
        let mut values = values.get(self.first as usize..).unwrap_or_default().iter();
        for (n, array) in Array::ALL.into_iter().enumerate() {
            let there = self.sent >> n & 1;
            w.raw(u32::from(there), 1);
            if there == 0 {
                continue;
            }
            w.u16(self.masks[n]);
            for value in values.by_ref().take(self.masks[n].count_ones() as usize) {
                w.value(*value, array.bits());
            }
        }
        Ok(())
    }

    /// The slots sent, with their values.
    pub(super) fn iter<'v>(&self, values: &'v [u32]) -> impl Iterator<Item = (Array, usize, i32)> + use<'v> {
        let mut left = self.masks.iter().rev().fold(0u64, |bits, mask| bits << 16 | u64::from(*mask));
        let mut values = values.get(self.first as usize..).unwrap_or_default().iter();
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            let array = Array::ALL.get(place / Array::SLOTS)?;
            left &= left - 1;
            Some((*array, place % Array::SLOTS, *values.next()? as i32))
        })
    }

    /// Shows the slots sent, and what is unusual about them.
    pub(super) fn show<S: Sink>(&self, s: &mut S, form: DeltaForm, values: &[u32]) {
        if s.form() == Form::Lmpc {
            self.show_for_lmpc(s, values);
        } else {
            for (array, slot, value) in self.iter(values) {
                if let Some(name) = array.names().get(slot) {
                    s.value(*name, Scalar::Int(i64::from(value)));
                }
            }
        }
        if self.sent != self.usual_sent(form) {
            s.value(ARRAYS, Scalar::Hex(u64::from(self.sent)));
        }
    }

    fn show_for_lmpc<S: Sink>(&self, s: &mut S, values: &[u32]) {
        for array in Array::ALL {
            let mut slots = self.iter(values).filter(|(a, ..)| *a == array).peekable();
            if slots.peek().is_none() {
                continue;
            }
            let (list, item) = array.lmpc();
            s.group(list);
            for (_, slot, value) in slots {
                s.group(item);
                s.value(INDEX, Scalar::Int(slot as i64));
                s.value(VALUE, Scalar::Int(i64::from(value)));
                s.close();
            }
            s.close();
        }
    }
}

/// Arrays that are parsed, slot by slot.
#[derive(Debug, Default)]
pub(super) struct ParsedArrays {
    masks: [u16; 4],
    slots: [[u32; Array::SLOTS]; 4],
    /// Which arrays are there, where the text says so.
    sent: Option<u8>,
}

impl ParsedArrays {
    /// Takes a statement within the player: a slot, LMPC's list of them, or which arrays are there.
    pub(super) fn child(&mut self, f: &Fields<'_, '_>) -> Result<(), Mistake> {
        if self.sent.is_none() && ARRAYS.is(f.keyword()) {
            self.sent = Some(f.own_values().int(0, 31)? as u8);
            return Ok(());
        }
        match slot(f)? {
            Some((n, slot, value)) => self.set(f, n, slot, value),
            None => self.lmpc_array(f),
        }
    }

    /// Sets a slot that was not set before.
    fn set(&mut self, f: &Fields<'_, '_>, n: usize, slot: usize, value: u32) -> Result<(), Mistake> {
        if self.masks[n] >> slot & 1 == 1 {
            return Err(no_such(f, "the player"));
        }
        self.masks[n] |= 1 << slot;
        self.slots[n][slot] = value;
        Ok(())
    }

    /// LMPC's form: `stats { stat { index 3; value 120; } }`.
    fn lmpc_array(&mut self, f: &Fields<'_, '_>) -> Result<(), Mistake> {
        let Some(n) = Array::ALL.iter().position(|a| a.lmpc().0.is(f.keyword())) else {
            return Err(no_such(f, "the player"));
        };
        for mut item in f.children() {
            if !Array::ALL.iter().any(|a| a.lmpc().1.is(item.keyword())) {
                return Err(no_such(&item, "the player"));
            }
            let slot = item.take(INDEX)?.int(0, Array::SLOTS as i64 - 1)? as usize;
            let Some(value) = item.take_child(VALUE) else {
                return Err(item.mistake("the item lacks its value: add `value N;`"));
            };
            self.set(&item, n, slot, slot_value(&value, n)?)?;
            item.finish()?;
        }
        Ok(())
    }

    /// The arrays; their values go behind the others. `f` is the player.
    pub(super) fn finish(self, f: &Fields<'_, '_>, form: DeltaForm, values: &mut Values) -> Result<Arrays, Mistake> {
        let mut arrays = Arrays { masks: self.masks, sent: 0, first: values.len() as u32 };
        let usual = arrays.usual_sent(form);
        arrays.sent = self.sent.unwrap_or(usual);
        if usual & !arrays.sent != 0 {
            return Err(f.mistake(format!("arrays leaves out slots that stand here: they need {usual:#04X}")));
        }
        for (mask, slots) in self.masks.iter().zip(&self.slots) {
            values.extend((0..Array::SLOTS).filter(|n| mask >> n & 1 == 1).filter_map(|n| slots.get(n).copied()));
        }
        Ok(arrays)
    }
}

/// A slot of an array, as `stats[3] 120;`: array, slot, value.
fn slot(f: &Fields<'_, '_>) -> Result<Option<(usize, usize, u32)>, Mistake> {
    let word = f.keyword();
    let Some((name, number)) = word.strip_suffix(b"]").and_then(|w| {
        let at = w.iter().position(|&b| b == b'[')?;
        Some((w.get(..at)?, w.get(at + 1..)?))
    }) else {
        return Ok(None);
    };
    let slot = match number {
        [a @ b'0'..=b'9'] => usize::from(a - b'0'),
        [b'1', b @ b'0'..=b'5'] => 10 + usize::from(b - b'0'),
        _ => return Err(no_such(f, "the player")),
    };
    let Some(n) = Array::ALL.iter().position(|a| a.name().as_bytes() == name) else {
        return Err(no_such(f, "the player"));
    };
    Ok(Some((n, slot, slot_value(f, n)?)))
}

fn slot_value(f: &Fields<'_, '_>, n: usize) -> Result<u32, Mistake> {
    let (min, max) = if n == 3 { (i64::from(i32::MIN), i64::from(u32::MAX)) } else { (-32_768, 65_535) };
    let value = f.own_values().int(min, max)?;
    // The engine reads 16 bits with a sign.
    Ok(if n == 3 { value as u32 } else { value as i16 as u32 })
}
