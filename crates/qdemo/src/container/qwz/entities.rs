//! Entities in compressed packets: a walk along the entities of the base packet.

use super::Trouble;
use super::command::add;
use super::packet::Packet;
use super::world::{ENTITIES, Entity, Set};
use std::io::BufRead;
use std::sync::Arc;

/// Rows of the position, low and high byte, and of the angle.
const POSITION: [(u8, u8); 3] = [(50, 51), (53, 54), (56, 57)];
const ANGLE: [u8; 3] = [52, 55, 58];

/// Bits of the mask.
const MODEL: u16 = 1;
const FRAME: u16 = 1 << 1;
const COLORMAP: u16 = 1 << 2;
const SKIN: u16 = 1 << 3;
const EFFECTS: u16 = 1 << 4;
const ANGLES: [u16; 3] = [1 << 5, 1 << 6, 1 << 7];
const LOW: [u16; 3] = [1 << 8, 1 << 10, 1 << 12];
const HIGH: [u16; 3] = [1 << 9, 1 << 11, 1 << 13];
/// The low byte of the mask follows.
const MORE: u16 = 1 << 14;

/// Bits that are remembered.
const KEPT: u16 = 0x3FFF;

impl<R: BufRead> Packet<'_, R> {
    /// `svc_packetentities`, as steps along the base packet. A step is 0: the end; with bit 7: a new entity in between;
    /// or a number of entities to take over, of which the last one has changed (bit 6) or is gone.
    pub(super) fn entities(&mut self) -> Result<(), Trouble> {
        let base = self.base.as_ref().map(|base| Arc::clone(&base.entities)).unwrap_or_default();
        let mut rest = base.iter();
        let mut set = Vec::with_capacity(base.len() + 4);
        let mut number = 32;
        loop {
            let code = self.byte(41);
            if code == 0 {
                break;
            }
            if code & 0x80 != 0 {
                number = self.new_number(number, code & 0x3F)?;
                let below = rest.as_slice().partition_point(|e| e.number < number);
                set.extend(rest.by_ref().take(below));
                // Numbers do not repeat, whatever damaged input says.
                if rest.as_slice().first().is_some_and(|e| e.number == number) {
                    rest.next();
                }
                let entity = self.new_entity(number, code);
                set.push(entity);
            } else {
                let run = match code & 0x40 {
                    0 => usize::from(code),
                    _ if code & 0x1F == 0 => usize::from(self.byte(41)) + 32,
                    _ => usize::from(code & 0x1F),
                };
                set.extend(rest.by_ref().take(run - 1));
                let Some(&entity) = rest.next() else { return Err(Trouble::Drop) };
                number = entity.number;
                set.push(match code & 0x40 {
                    0 => continue,
                    _ => self.changed(entity, code),
                });
            }
        }
        set.extend(rest);
        self.write_entities(&set);
        self.has_entities = true;
        let set: Set<Entity> = Arc::new(set);
        self.world.entities.put(self.world.sequence, set);
        Ok(())
    }

    /// The number of a new entity, counted from the one before.
    fn new_number(&mut self, from: u16, step: u8) -> Result<u16, Trouble> {
        let mut number = from;
        if step > 0 {
            number += u16::from(step);
        } else {
            number += 64;
            loop {
                let step = self.byte(42);
                number += u16::from(step);
                if usize::from(number) >= ENTITIES {
                    return Err(Trouble::Drop);
                }
                if step < 0xFF {
                    break;
                }
            }
        }
        match usize::from(number) < ENTITIES {
            true => Ok(number),
            false => Err(Trouble::Drop),
        }
    }

    /// A new entity, as a difference to its baseline.
    fn new_entity(&mut self, number: u16, code: u8) -> Entity {
        let mut entity = Entity { origin_drift: [0; 3], angle_drift: [0; 3], mask: 0, ..self.world.baseline(number) };
        if code & 0x40 != 0 {
            let mut mask = u16::from_le_bytes([0, self.byte(43)]);
            if mask & MORE != 0 {
                mask |= u16::from(self.byte(44));
            }
            self.looks(&mut entity, mask);
            for axis in 0..3 {
                if mask & ANGLES[axis] != 0 {
                    let turn = self.byte(ANGLE[axis]);
                    entity.angles[axis] = entity.angles[axis].wrapping_add(turn);
                }
            }
            for axis in 0..3 {
                let (low, high) = POSITION[axis];
                let (has_low, has_high) = (mask & LOW[axis] != 0, mask & HIGH[axis] != 0);
                add(&mut entity.origin[axis], self.coder, (has_low, low), (has_high, high));
            }
        }
        entity
    }

    /// An entity of the base packet that has changed.
    fn changed(&mut self, mut entity: Entity, code: u8) -> Entity {
        let mut mask = entity.mask;
        if code & 0x20 != 0 {
            mask ^= u16::from_le_bytes([0, self.byte(43)]);
        }
        if mask & MORE != 0 {
            mask ^= u16::from(self.byte(44));
        }
        self.looks(&mut entity, mask);
        for axis in 0..3 {
            let drift = &mut entity.angle_drift[axis];
            if mask & ANGLES[axis] != 0 {
                *drift = drift.wrapping_add(self.coder.byte(ANGLE[axis]));
            }
            entity.angles[axis] = entity.angles[axis].wrapping_add(*drift);
        }
        for axis in 0..3 {
            let drift = &mut entity.origin_drift[axis];
            let (low, high) = POSITION[axis];
            let (has_low, has_high) = (mask & LOW[axis] != 0, mask & HIGH[axis] != 0);
            add(drift, self.coder, (has_low, low), (has_high, high));
            entity.origin[axis] = entity.origin[axis].wrapping_add(*drift);
        }
        entity.mask = mask & KEPT;
        entity
    }

    /// What new and changed entities have in common.
    fn looks(&mut self, entity: &mut Entity, mask: u16) {
        if mask & MODEL != 0 {
            let model = self.byte(45);
            entity.model = self.world.names.model_numbers[usize::from(model)];
        }
        let fields =
            [(FRAME, &mut entity.frame, 46), (COLORMAP, &mut entity.colormap, 47), (SKIN, &mut entity.skin, 48)];
        for (bit, field, row) in fields {
            if mask & bit != 0 {
                *field = field.wrapping_add(self.coder.byte(row));
            }
        }
        if mask & EFFECTS != 0 {
            entity.effects ^= self.byte(49);
        }
    }

    /// Writes all entities as differences to their baselines.
    fn write_entities(&mut self, set: &[Entity]) {
        for entity in set {
            let baseline = self.world.baseline(entity.number);
            let differs = [0, 1, 2].map(|i| entity.origin[i] != baseline.origin[i]);
            let turned = [0, 1, 2].map(|i| entity.angles[i] != baseline.angles[i]);
            let fields = [
                (entity.model, baseline.model, 1 << 2),
                (entity.frame, baseline.frame, 1 << 13),
                (entity.colormap, baseline.colormap, 1 << 3),
                (entity.skin, baseline.skin, 1 << 4),
                (entity.effects, baseline.effects, 1 << 5),
            ];
            // The bits of the QuakeWorld protocol; those below 512 go into a byte of their own.
            let mut bits: u16 = fields.iter().filter(|f| f.0 != f.1).map(|f| f.2).sum();
            bits |= differs.into_iter().zip([1 << 9, 1 << 10, 1 << 11]).filter(|d| d.0).map(|d| d.1).sum::<u16>();
            bits |= turned.into_iter().zip([1, 1 << 12, 1 << 1]).filter(|t| t.0).map(|t| t.1).sum::<u16>();
            let more = bits as u8;
            let word = entity.number | bits & 0x3E00 | u16::from(more != 0) << 15;
            self.out.extend(word.to_le_bytes());
            if more != 0 {
                self.out.push(more);
            }
            self.out.extend(fields.iter().filter(|f| f.0 != f.1).map(|f| f.0));
            for axis in 0..3 {
                if differs[axis] {
                    self.out.extend(entity.origin[axis].to_le_bytes());
                }
                if turned[axis] {
                    self.out.push(entity.angles[axis]);
                }
            }
        }
        self.out.extend([0; 2]);
    }
}
