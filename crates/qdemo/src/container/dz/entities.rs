//! Updates of entities and their baselines.
//!
//! dzip tells all entities of a frame in one go: which of them change, and how each differs from the frame before. An
//! entity that is told of no more moves on as it did last.

use std::io;

use super::demo::{Data, State, Version, corrupt};

/// The code of the updates of a frame; its lowest three bits say nothing in versions 2 and 3.
pub(super) const UPDATE: u8 = 0x30;

/// Codes of what is told although it is as in the baseline. The second one is version 3's, for more entities.
const FORCE: u8 = 0x31;
const FORCE_3: u8 = 0x32;

/// So many entities there can be.
const MAX: usize = 1 << 15;

/// So many there were in versions 1 and 2.
const MAX_OLD: u16 = 1 << 10;

/// Bits of `force`.
pub(super) mod force {
    pub(in super::super) const ORIGIN: [u32; 3] = [1 << 16, 1 << 10, 1 << 17];
    pub(in super::super) const ANGLE: [u32; 3] = [1 << 11, 1 << 12, 1 << 13];
    pub(in super::super) const FRAME: u32 = 1 << 14;
    pub(in super::super) const MODEL: u32 = 1 << 18;
    pub(in super::super) const COLORMAP: u32 = 1 << 19;
    pub(in super::super) const SKIN: u32 = 1 << 20;
    pub(in super::super) const EFFECTS: u32 = 1 << 21;
    pub(in super::super) const LONG_NUMBER: u32 = 1 << 22;
    /// Nehahra's transparency.
    pub(in super::super) const TRANS: u32 = 1 << 23;
    pub(in super::super) const ALPHA: u32 = 1 << 24;
    pub(in super::super) const SCALE: u32 = 1 << 25;
    pub(in super::super) const LERP_FINISH: u32 = 1 << 26;
    pub(in super::super) const MODEL_HIGH: u32 = 1 << 27;
    pub(in super::super) const FRAME_HIGH: u32 = 1 << 28;
}

/// An entity.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Entity {
    pub(super) model: u16,
    pub(super) frame: u16,
    pub(super) colormap: u8,
    pub(super) skin: u8,
    pub(super) effects: u8,
    pub(super) angles: [u8; 3],
    pub(super) origin: [i32; 3],
    /// How far it moved last.
    step: [i32; 3],
    pub(super) no_lerp: bool,
    /// It is told of in every frame.
    active: bool,
    /// What is told although it is as in the baseline.
    pub(super) force: u32,
    /// Nehahra: the bits of a float, and a number that is 0 for none.
    trans: u32,
    fullbright: u8,
    alpha: u8,
    scale: u8,
    lerp_finish: u8,
}

/// All entities.
pub(super) struct Entities {
    baselines: Vec<Entity>,
    /// As in the frame before.
    pub(super) old: Vec<Entity>,
    pub(super) new: Vec<Entity>,
    /// The numbers of those that have updates, rising.
    listed: Vec<u16>,
    /// The last one that had a baseline.
    last_baseline: u16,
    has_baselines: bool,
    /// Version 1: updates were told that are still to be put out.
    pub(super) is_pending: bool,
}

impl Entities {
    pub(super) fn new() -> Self {
        let none = || vec![Entity::default(); MAX];
        Entities {
            baselines: none(),
            old: none(),
            new: none(),
            listed: Vec::new(),
            last_baseline: 0,
            has_baselines: false,
            is_pending: false,
        }
    }

    /// Where an entity is; the origin of the world for what is none.
    pub(super) fn place(&self, entity: u16) -> [i32; 3] {
        self.new.get(usize::from(entity)).map_or([0; 3], |entity| entity.origin)
    }

    /// A new level counts its baselines anew.
    pub(super) fn restart_baselines(&mut self) {
        self.last_baseline = 0;
    }

    /// Behind a block with baselines every entity is as in its own.
    pub(super) fn end_block(&mut self, version: Version) {
        if std::mem::take(&mut self.has_baselines) {
            self.old.copy_from_slice(&self.baselines);
            self.new.copy_from_slice(&self.baselines);
            if version == Version::First {
                self.listed.clear();
            }
        }
    }

    /// Puts an entity among those that have updates.
    pub(super) fn list(&mut self, entity: u16) {
        if let Err(at) = self.listed.binary_search(&entity) {
            self.listed.insert(at, entity);
        }
    }

    /// An entity is as in its baseline.
    pub(super) fn reset(&mut self, entity: u16) {
        let index = usize::from(entity);
        self.old[index] = self.baselines[index];
        self.new[index] = self.baselines[index];
    }

    pub(super) fn unlist(&mut self, entity: u16) {
        if let Ok(at) = self.listed.binary_search(&entity) {
            self.listed.remove(at);
        }
    }

    /// A baseline: code, number and, in the same or more bytes, which values are not 0.
    pub(super) fn baseline(&mut self, data: &mut Data, code: u8) -> io::Result<()> {
        let is_long = code == 42;
        let word = data.u16()?;
        let (number, mask) = if is_long {
            let mut mask = u16::from(data.u8()?);
            if mask & 1 != 0 {
                mask |= u16::from(data.u8()?) << 8;
            }
            (word, mask)
        } else {
            self.last_baseline = (self.last_baseline + word % MAX_OLD) % MAX_OLD;
            (self.last_baseline, word >> 8)
        };
        if usize::from(number) >= MAX {
            return Err(corrupt("a number of an entity beyond all limits"));
        }
        let has = |bit: u32| mask & 1 << bit != 0;
        let (large_model, large_frame, has_alpha) = (is_long && has(9), is_long && has(10), is_long && has(11));
        let small = |data: &mut Data, is_large: bool| if is_large { data.u16() } else { data.u8().map(u16::from) };
        let mut entity = Entity { model: small(data, large_model)?, ..Entity::default() };
        if has(2) {
            entity.frame = small(data, large_frame)?;
        }
        if has(3) {
            entity.colormap = data.u8()?;
        }
        if has(4) {
            entity.skin = data.u8()?;
        }
        if has(5) {
            for origin in &mut entity.origin {
                *origin = data.i16()?.into();
            }
        }
        if has(6) {
            entity.angles[1] = data.u8()?;
        }
        if has(7) {
            entity.angles[0] = data.u8()?;
            entity.angles[2] = data.u8()?;
        }
        if has_alpha {
            entity.alpha = data.u8()?;
        }
        // One that was long for the number alone.
        let as_short = !is_long || has(8);
        data.out.push(if as_short { 22 } else { 42 });
        data.out.extend(number.to_le_bytes());
        if !as_short {
            data.out.push(u8::from(large_model) | u8::from(large_frame) << 1 | u8::from(has_alpha) << 2);
        }
        for (value, is_large) in [(entity.model, large_model), (entity.frame, large_frame)] {
            data.out.extend(&value.to_le_bytes()[..if is_large { 2 } else { 1 }]);
        }
        data.out.extend([entity.colormap, entity.skin]);
        for (origin, angle) in entity.origin.into_iter().zip(entity.angles) {
            data.out.extend((origin as i16).to_le_bytes());
            data.out.push(angle);
        }
        if has_alpha {
            data.out.push(entity.alpha);
        }
        self.baselines[usize::from(number)] = entity;
        self.has_baselines = true;
        Ok(())
    }

    /// Puts out an update for every entity that has one.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, is_plain: bool) {
        for &number in &self.listed {
            let index = usize::from(number);
            self.new[index].write(&self.baselines[index], number, is_plain, out);
            self.old[index] = self.new[index];
        }
    }
}

/// Takes in the updates of a frame, and puts them out as messages.
pub(super) fn update(state: &mut State, data: &mut Data) -> io::Result<()> {
    let (entities, is_plain) = (&mut state.entities, state.is_plain);
    let mut base = 0usize;
    loop {
        match data.u8()? {
            0 => break,
            0xFF => base += 0xFE,
            more => {
                let number = base + usize::from(more);
                let Some(entity) = entities.new.get_mut(number) else {
                    return Err(corrupt("a number of an entity beyond all limits"));
                };
                entity.active = true;
                entities.list(number as u16);
            }
        }
    }
    for number in entities.listed.clone() {
        let index = usize::from(number);
        let (new, old) = (&mut entities.new[index], &entities.old[index]);
        for (origin, step) in new.origin.iter_mut().zip(new.step) {
            *origin = origin.wrapping_add(step);
        }
        if !new.active {
            continue;
        }
        match data.u8()? {
            0 => new.active = false,
            0x80 => {
                entities.reset(number);
                entities.unlist(number);
            }
            mask => new.change(old, mask, data, is_plain)?,
        }
    }
    for code in [FORCE, FORCE_3] {
        if data.peek()? == code {
            data.u8()?;
            forced(entities, data, code, is_plain)?;
        }
    }
    entities.write(&mut data.out, is_plain);
    Ok(())
}

/// The list of what is told although it is as in the baseline.
fn forced(entities: &mut Entities, data: &mut Data, code: u8, is_plain: bool) -> io::Result<()> {
    loop {
        let low = data.u16()?;
        if low == 0 {
            return Ok(());
        }
        let mut mask = u64::from(low);
        // In version 3 everything stands 8 bits higher, and there is always a third byte.
        let up = if code == FORCE_3 { 8 } else { 0 };
        let numbers = if code == FORCE_3 { MAX as u64 - 1 } else { u64::from(MAX_OLD) - 1 };
        if code == FORCE_3 {
            mask |= u64::from(data.u8()?) << 16;
        }
        if mask & 1 << (15 + up) != 0 {
            mask |= u64::from(data.u8()?) << (16 + up);
        }
        if !is_plain && mask & 1 << (23 + up) != 0 {
            mask |= u64::from(data.u8()?) << (24 + up);
        }
        entities.new[(mask & numbers) as usize].force ^= ((mask & !numbers) >> up) as u32;
    }
}

impl Entity {
    /// Takes in how the entity differs from the frame before.
    fn change(&mut self, old: &Entity, first: u8, data: &mut Data, is_plain: bool) -> io::Result<()> {
        let mut mask = u32::from(first);
        for (bit, shift) in [(7, 8), (15, 16)] {
            if mask & 1 << bit != 0 {
                mask |= u32::from(data.u8()?) << shift;
            }
        }
        let has = |bit: u32| mask & 1 << bit != 0;
        for (axis, difference, whole) in [(2, 0, 11), (1, 1, 10), (0, 2, 9)] {
            if has(difference) {
                self.step[axis] = old.step[axis].wrapping_add(data.i8()?.into());
                self.origin[axis] = old.origin[axis].wrapping_add(self.step[axis]);
            }
            if has(whole) {
                self.origin[axis] = data.i16()?.into();
                self.step[axis] = self.origin[axis].wrapping_sub(old.origin[axis]);
            }
        }
        for (axis, bit) in [3, 4, 5].into_iter().enumerate() {
            if has(bit) {
                self.angles[axis] = old.angles[axis].wrapping_add(data.u8()?);
            }
        }
        if has(6) {
            self.frame = old.frame.wrapping_add(1);
        }
        if has(8) {
            let sum = old.frame.wrapping_add_signed(data.i8()?.into());
            // What has been small is a byte.
            self.frame = if old.frame > 0xFF { sum } else { sum & 0xFF };
        }
        if has(22) {
            self.frame = data.u16()?;
        }
        if has(12) {
            self.effects = data.u8()?;
        }
        if has(13) {
            self.model = self.model & 0xFF00 | u16::from(data.u8()?);
        }
        if has(21) {
            self.model = self.model & 0x00FF | u16::from(data.u8()?) << 8;
        }
        if has(14) {
            self.no_lerp = !old.no_lerp;
        }
        if has(16) {
            self.colormap = data.u8()?;
        }
        if has(17) {
            self.skin = data.u8()?;
        }
        match (has(18), is_plain) {
            (true, true) => self.trans = data.u32()?,
            (true, false) => self.alpha = data.u8()?,
            _ => {}
        }
        match (has(19), is_plain) {
            (true, true) => self.fullbright = data.u8()?,
            (true, false) => self.scale = data.u8()?,
            _ => {}
        }
        if has(20) {
            self.lerp_finish = data.u8()?;
        }
        Ok(())
    }

    /// The update as a server writes it: what differs from the baseline, and what is told all the same.
    fn write(&self, baseline: &Entity, number: u16, is_plain: bool, out: &mut Vec<u8>) {
        // `svc_update`.
        let mut mask = 1u32 << 7;
        let mut body = Vec::new();
        let forced = |bits: u32| self.force & bits != 0;
        let long = number > 0xFF || forced(force::LONG_NUMBER);
        mask |= u32::from(long) << 14;
        body.extend(&number.to_le_bytes()[..if long { 2 } else { 1 }]);
        let [[model, model_high], [frame, frame_high]] = [self.model, self.frame].map(u16::to_le_bytes);
        let [[old_model, old_model_high], [old_frame, old_frame_high]] =
            [baseline.model, baseline.frame].map(u16::to_le_bytes);
        let mut byte = |bit: u32, new: u8, old: u8, force: u32, body: &mut Vec<u8>| {
            if new != old || forced(force) {
                mask |= 1 << bit;
                body.push(new);
            }
        };
        byte(10, model, old_model, force::MODEL, &mut body);
        byte(6, frame, old_frame, force::FRAME, &mut body);
        byte(11, self.colormap, baseline.colormap, force::COLORMAP, &mut body);
        byte(12, self.skin, baseline.skin, force::SKIN, &mut body);
        byte(13, self.effects, baseline.effects, force::EFFECTS, &mut body);
        let mut origins = 0;
        for (axis, angle) in [8, 4, 9].into_iter().enumerate() {
            if self.origin[axis] != baseline.origin[axis] || forced(force::ORIGIN[axis]) {
                origins |= 1 << (1 + axis);
                body.extend((self.origin[axis] as i16).to_le_bytes());
            }
            byte(angle, self.angles[axis], baseline.angles[axis], force::ANGLE[axis], &mut body);
        }
        if is_plain && forced(force::TRANS) {
            self.write_trans(&mut body);
            origins |= 1 << 15;
        }
        if !is_plain {
            byte(16, self.alpha, baseline.alpha, force::ALPHA, &mut body);
        }
        byte(20, self.scale, baseline.scale, force::SCALE, &mut body);
        // A high byte of 0 needs no telling.
        let high = |new: u8, old: u8| if new == 0 { new } else { old };
        byte(17, frame_high, high(frame_high, old_frame_high), force::FRAME_HIGH, &mut body);
        byte(18, model_high, high(model_high, old_model_high), force::MODEL_HIGH, &mut body);
        byte(19, self.lerp_finish, baseline.lerp_finish, force::LERP_FINISH, &mut body);
        mask |= origins | u32::from(self.no_lerp) << 5;
        let len = 1 + usize::from(mask > 0xFF) + usize::from(mask > 0xFFFF);
        mask |= u32::from(len > 1) | u32::from(len > 2) << 15;
        out.extend(&mask.to_le_bytes()[..len]);
        out.extend(body);
    }

    /// Nehahra's transparency: a float that is 2 when another follows, alpha, and how bright it is by itself.
    fn write_trans(&self, body: &mut Vec<u8>) {
        let kind: f32 = if self.fullbright == 0 { 1.0 } else { 2.0 };
        body.extend(kind.to_le_bytes());
        body.extend(self.trans.to_le_bytes());
        if self.fullbright != 0 {
            let bright = self.fullbright.wrapping_sub(1) as i8;
            body.extend(f32::from(bright).to_le_bytes());
        }
    }
}
