//! Makes up states: entities, players and their arrays.

use super::maker::{Maker, Of};
use crate::common;
use crate::common::quake3::{Field, masks};

impl Maker<'_> {
    /// The fields of a state: which, their values, and everything unusual in how they are written.
    pub(crate) fn state(&mut self, of: Of) {
        let protocol = self.protocol;
        let fields: &[Field] = if of == Of::Entity { &protocol.entity } else { &protocol.player };
        let mut head = 31;
        let mut changed = match self.random.below(4) {
            0 => 0,
            1 => (1u64 << fields.len()) - 1,
            2 => self.random.next() & self.random.next() & self.random.next(),
            _ => self.random.next(),
        } & ((1 << fields.len()) - 1);
        let masked = of == Of::Entity && !protocol.is_new();
        let place = |name: &&str| fields.iter().position(|f| f.0 == *name).unwrap();
        let set = |mask: &[&str]| mask.iter().fold(0u64, |bits, name| bits | 1 << place(name));
        let number_of = |changed: u64| masks().iter().position(|m| set(m) == changed);
        if self.extreme.is_some() {
            changed = (1 << fields.len()) - 1;
        } else if masked && self.chance(2) {
            let n = self.random.below(31);
            changed = set(&masks()[n]);
            // Often by its number, now and then spelled out.
            head = if self.chance(4) { 31 } else { n };
        }
        let (mut long, mut unzero) = (0u64, 0u64);
        if protocol.is_new() {
            let least = 64 - changed.leading_zeros() as usize;
            head = if self.chance(4) { least + self.random.below(fields.len() - least + 1) } else { least };
            self.bits.int(head as i32, 8);
        } else if masked {
            self.bits.raw(head as u64, 5);
            if head == 31 {
                self.bits.raw(changed, fields.len() as u32);
            }
        }
        let sent = if protocol.is_new() { head } else { fields.len() };
        for (place, (name, bits)) in fields.iter().enumerate().take(sent) {
            let there = changed >> place & 1 == 1;
            if !masked {
                self.bits.raw(u64::from(there), 1);
            }
            if !there {
                continue;
            }
            let value = match *bits {
                0 => self.float_bits(),
                n => {
                    let width = u32::from(n.unsigned_abs());
                    let (min, max) = match (width, n < 0) {
                        (32, _) => (i64::from(i32::MIN), i64::from(i32::MAX)),
                        (_, true) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
                        (_, false) => (0, (1 << width) - 1),
                    };
                    let v = self.pick(min, max);
                    let kind = if of == Of::Entity { "entity" } else { "player" };
                    self.seen.entry((kind, name)).or_default().extend([v].iter().filter(|v| **v == min || **v == max));
                    v as u32
                }
            };
            if *bits == 0 {
                let v = f32::from_bits(value);
                if v.is_finite() {
                    self.say(format_args!("{name} {v};"));
                } else {
                    self.say(format_args!("{name} f32(0x{value:08X});"));
                }
            } else {
                self.say(format_args!("{name} {};", value as i32));
            }
            // Entities of protocol 66 and later: a bit tells whether it is 0.
            if of == Of::Entity && protocol.is_new() {
                if value == 0 && !self.chance(3) {
                    self.bits.raw(0, 1);
                    continue;
                }
                self.bits.raw(1, 1);
                unzero |= u64::from(value == 0) << place;
            }
            if *bits == 0 {
                let in_vain = common::quake3::short(value).is_some() && self.chance(3);
                long |= u64::from(in_vain) << place;
                self.bits.float(value, in_vain);
            } else {
                self.bits.int(value as i32, u32::from(bits.unsigned_abs()));
            }
        }
        if unzero != 0 {
            self.say(format_args!("unzero 0x{unzero:X};"));
        }
        if long != 0 {
            self.say(format_args!("long 0x{long:X};"));
        }
        let mut usual = unzero == 0 && long == 0;
        if protocol.is_new() {
            if head != 64 - changed.leading_zeros() as usize {
                self.say(format_args!("count {head};"));
                usual = false;
            }
        } else if masked && head != number_of(changed).unwrap_or(31) {
            self.say(format_args!("mask {head};"));
            usual = false;
        }
        if of == Of::Entity && changed == 0 && usual {
            self.say("nothing;");
        }
    }

    /// Facts 1.4: a bit for any of them (from 66 on), then for each a bit, a mask of 16, and values.
    pub(crate) fn arrays(&mut self) {
        let new = self.protocol.is_new();
        let mut sent = 0;
        for n in 0..4 {
            sent |= u8::from(self.chance(2)) << n;
        }
        let mut needed = 0;
        let any = new && (sent != 0 || self.chance(4));
        if new {
            self.bits.raw(u64::from(any), 1);
        }
        if new && !any {
            return;
        }
        for (n, name) in ["stats", "persistant", "ammo", "powerups"].into_iter().enumerate() {
            self.bits.raw(u64::from(sent >> n & 1), 1);
            if sent >> n & 1 == 0 {
                continue;
            }
            let mask = if self.chance(4) { 0 } else { self.random.next() as u16 };
            self.bits.int(i32::from(mask), 16);
            needed |= u8::from(mask != 0) << n;
            for slot in (0..16).filter(|slot| mask >> slot & 1 == 1) {
                let name = format!("{name}[{slot}]");
                if n == 3 {
                    self.long(&name);
                } else {
                    self.number(&name, -32_768, 32_767, 16);
                }
            }
        }
        if new && needed != 0 {
            needed |= 16;
        }
        let sent = if any { sent | 16 } else { sent };
        if sent != needed {
            self.say(format_args!("arrays 0x{sent:X};"));
        }
    }

    pub(crate) fn entity(&mut self, number: u32) {
        self.say(format_args!("entity {{ index {number};"));
        self.bits.int(number as i32, 10);
        match if self.extreme.is_some() { 4 } else { self.random.below(5) } {
            0 => {
                self.bits.raw(1, 1);
                self.say("remove;");
            }
            1 => {
                self.bits.raw(0, 2);
            }
            _ => {
                self.bits.raw(0, 1).raw(1, 1);
                self.state(Of::Entity);
            }
        }
        self.say("}");
    }
}
