//! `clientdata`: what the player has, written as differences from the message before.

use std::io;

use super::demo::{Data, Version};

/// A value of the player's.
#[derive(Clone, Copy)]
enum Value {
    ViewHeight,
    IdealPitch,
    Punch0,
    Punch1,
    Punch2,
    Velocity0,
    Velocity1,
    Velocity2,
    WeaponFrame,
    Armor,
    WeaponModel,
    Ammo,
    Shells,
    Nails,
    Rockets,
    Cells,
    Weapon,
    WeaponAlpha,
}

const VALUES: usize = Value::WeaponAlpha as usize + 1;

/// What is either so or not.
#[derive(Clone, Copy)]
enum Flag {
    OnGround,
    InWater,
    /// The bit that says that items follow, which they always do, is clear.
    NoItems,
}

/// What a bit of dzip's mask stands for.
enum Part {
    /// A byte is added.
    Byte(Value),
    /// A byte is added, or with the other bit the value is told, 16 bits.
    Word(Value, u32),
    /// No data: it is the other way round now.
    Toggle(Flag),
    Health,
    /// Bits that change.
    Items,
    /// Version 1: a difference.
    ItemsAdded,
}

/// The bits of the mask in the order of what they announce, in versions 2 and 3.
const LATER: &[(u32, Part)] = &[
    (0, Part::Byte(Value::Velocity2)),
    (1, Part::Byte(Value::Velocity0)),
    (2, Part::Byte(Value::Velocity1)),
    (8, Part::Word(Value::WeaponFrame, 29)),
    (9, Part::Toggle(Flag::OnGround)),
    (10, Part::Byte(Value::Punch0)),
    (11, Part::Word(Value::Ammo, 30)),
    (12, Part::Health),
    (13, Part::Items),
    (14, Part::Word(Value::Armor, 32)),
    (16, Part::Byte(Value::IdealPitch)),
    (17, Part::Word(Value::Shells, 33)),
    (18, Part::Word(Value::Nails, 34)),
    (19, Part::Word(Value::Rockets, 35)),
    (20, Part::Word(Value::WeaponModel, 36)),
    (21, Part::Byte(Value::Weapon)),
    (22, Part::Toggle(Flag::InWater)),
    (24, Part::Byte(Value::ViewHeight)),
    (25, Part::Word(Value::Cells, 37)),
    (26, Part::Byte(Value::Punch1)),
    (27, Part::Byte(Value::Punch2)),
    (28, Part::Toggle(Flag::NoItems)),
    (38, Part::Byte(Value::WeaponAlpha)),
];

/// The same in version 1.
const FIRST: &[(u32, Part)] = &[
    (24, Part::Byte(Value::ViewHeight)),
    (20, Part::Byte(Value::IdealPitch)),
    (27, Part::Byte(Value::Punch0)),
    (26, Part::Byte(Value::Punch1)),
    (25, Part::Byte(Value::Punch2)),
    (3, Part::Byte(Value::Velocity0)),
    (2, Part::Byte(Value::Velocity1)),
    (1, Part::Byte(Value::Velocity2)),
    (15, Part::Toggle(Flag::OnGround)),
    (22, Part::Toggle(Flag::InWater)),
    (28, Part::Toggle(Flag::NoItems)),
    (21, Part::ItemsAdded),
    (14, Part::Byte(Value::WeaponFrame)),
    (19, Part::Byte(Value::Armor)),
    (17, Part::Byte(Value::WeaponModel)),
    (18, Part::Health),
    (13, Part::Byte(Value::Ammo)),
    (12, Part::Byte(Value::Shells)),
    (11, Part::Byte(Value::Nails)),
    (10, Part::Byte(Value::Rockets)),
    (23, Part::Byte(Value::Cells)),
    (9, Part::Byte(Value::Weapon)),
];

/// Values of which there is a byte only when they are not this, or when a bit of `force` says so: the bit of the message's
/// mask, the value, the usual one, the bit of `force`.
const USUAL: &[(u32, Value, u8, u16)] = &[
    (0, Value::ViewHeight, 22, 1 << 11),
    (1, Value::IdealPitch, 0, 1 << 12),
    (2, Value::Punch0, 0, 1 << 8),
    (5, Value::Velocity0, 0, 1 << 0),
    (3, Value::Punch1, 0, 1 << 9),
    (6, Value::Velocity1, 0, 1 << 1),
    (4, Value::Punch2, 0, 1 << 10),
    (7, Value::Velocity2, 0, 1 << 2),
];
const USUAL_WEAPON: &[(u32, Value, u8, u16)] =
    &[(12, Value::WeaponFrame, 0, 1 << 13), (13, Value::Armor, 0, 1 << 14), (14, Value::WeaponModel, 0, 1 << 15)];

/// Values that always have a byte.
const ALWAYS: [Value; 6] = [Value::Ammo, Value::Shells, Value::Nails, Value::Rockets, Value::Cells, Value::Weapon];

/// FitzQuake: values that may have a high byte, by the bit of the mask.
const HIGH: [(u32, Value); 8] = [
    (16, Value::WeaponModel),
    (17, Value::Armor),
    (18, Value::Ammo),
    (19, Value::Shells),
    (20, Value::Nails),
    (21, Value::Rockets),
    (22, Value::Cells),
    (24, Value::WeaponFrame),
];

/// Bits of the message's mask.
const ITEMS: u32 = 9;
const ON_GROUND: u32 = 10;
const IN_WATER: u32 = 11;
const EXTEND_1: u32 = 15;
const EXTEND_2: u32 = 23;
const WEAPON_ALPHA: u32 = 25;

/// What the player has.
pub(super) struct Client {
    values: [u16; VALUES],
    flags: [bool; 3],
    health: u16,
    items: u32,
    /// Values that are told although they are as usual.
    force: u16,
    /// The alpha of the weapon that was told last.
    told_alpha: u16,
}

impl Client {
    /// As dzip takes it to be in the beginning.
    pub(super) fn new() -> Self {
        let mut values = [0; VALUES];
        values[Value::ViewHeight as usize] = 22;
        Client { values, flags: [false; 3], health: 0, items: 0x4001, force: 0, told_alpha: 0 }
    }

    /// Takes in the differences, and puts out the message.
    pub(super) fn update(&mut self, data: &mut Data, code: u8, version: Version) -> io::Result<()> {
        let (more, parts, force): (&[u32], _, _) = match version {
            Version::First => (&[0, 8, 16], FIRST, 0xE0),
            Version::Later => (&[3, 15, 23, 31], LATER, 0x50),
        };
        let mut mask = u64::from(code);
        for (bit, shift) in more.iter().zip([8, 16, 24, 32]) {
            if mask & 1 << bit != 0 {
                mask |= u64::from(data.u8()?) << shift;
            }
        }
        for (bit, part) in parts {
            self.part(data, mask, *bit, part)?;
        }
        if data.peek()? & 0xF0 == force {
            let mut change = u16::from(data.u8()?);
            if change & 1 << 3 != 0 {
                change |= u16::from(data.u8()?) << 8;
            }
            self.force ^= change & 0xFF07;
        }
        self.write(&mut data.out);
        Ok(())
    }

    fn part(&mut self, data: &mut Data, mask: u64, bit: u32, part: &Part) -> io::Result<()> {
        let is_set = mask & 1 << bit != 0;
        match part {
            Part::Word(value, whole) if mask & 1 << whole != 0 => self.values[*value as usize] = data.u16()?,
            _ if !is_set => {}
            Part::Byte(value) | Part::Word(value, _) => {
                let value = &mut self.values[*value as usize];
                let sum = value.wrapping_add_signed(data.i8()?.into());
                // What has been small is a byte.
                *value = if *value > 0xFF { sum } else { sum & 0xFF };
            }
            Part::Toggle(flag) => self.flags[*flag as usize] ^= true,
            Part::Health => self.health = self.health.wrapping_add(data.u16()?),
            Part::Items => self.items ^= data.u32()?,
            Part::ItemsAdded => self.items = self.items.wrapping_add(data.u32()?),
        }
        Ok(())
    }

    /// The message as a server writes it.
    fn write(&mut self, out: &mut Vec<u8>) {
        let mut body = Vec::new();
        let mut mask = 0u32;
        let flag = |flag: Flag, bit: u32| u32::from(self.flags[flag as usize]) << bit;
        mask |= flag(Flag::OnGround, ON_GROUND) | flag(Flag::InWater, IN_WATER);
        mask |= (flag(Flag::NoItems, ITEMS)) ^ 1 << ITEMS;
        let low = |value: Value| self.values[value as usize] as u8;
        let usual = |some: &[(u32, Value, u8, u16)], mask: &mut u32, body: &mut Vec<u8>| {
            for &(bit, value, usual, force) in some {
                if low(value) != usual || self.force & force != 0 {
                    *mask |= 1 << bit;
                    body.push(low(value));
                }
            }
        };
        usual(USUAL, &mut mask, &mut body);
        body.extend(self.items.to_le_bytes());
        usual(USUAL_WEAPON, &mut mask, &mut body);
        body.extend(self.health.to_le_bytes());
        body.extend(ALWAYS.map(low));
        for (bit, value) in HIGH {
            let high = (self.values[value as usize] >> 8) as u8;
            if high != 0 {
                mask |= 1 << bit;
                body.push(high);
            }
        }
        let alpha = self.values[Value::WeaponAlpha as usize];
        if alpha != self.told_alpha {
            mask |= 1 << WEAPON_ALPHA;
            body.push(alpha as u8);
        }
        self.told_alpha = alpha;
        out.push(15);
        let [_, _, third, fourth] = mask.to_le_bytes();
        let more = match (third, fourth) {
            (0, 0) => 0,
            (_, 0) => 1,
            _ => 2,
        };
        mask |= u32::from(more > 0) << EXTEND_1 | u32::from(more > 1) << EXTEND_2;
        out.extend(&mask.to_le_bytes()[..2 + more]);
        out.extend(body);
    }
}
