//! Entities as version 1 writes them: the updates of a frame come as messages of their own, and are put out at the first
//! message of another kind. Differences are those to the frame before, without its movement.

use std::io;

use super::demo::{Data, State, corrupt};
use super::entities::Entities;

/// The code of what is told of entities, without its lowest three bits, which say what.
pub(super) const UPDATE: u8 = 0x80;
const FIRST_IS_SHORT: u8 = 0x81;
const NOTHING: u8 = 0x82;
const RESET: u8 = 0x83;
const FORCE: u8 = 0x84;

/// The lowest bits of a mask that are the number of an entity; one more stands further up.
const NUMBER: u32 = 0x1FF;

/// Takes in what is told of entities.
pub(super) fn update(state: &mut State, data: &mut Data, code: u8) -> io::Result<()> {
    let entities = &mut state.entities;
    entities.is_pending = true;
    match code {
        NOTHING => {}
        RESET => {
            while let number @ 1.. = data.u16()? {
                if usize::from(number) >= entities.new.len() {
                    return Err(corrupt("a number of an entity beyond all limits"));
                }
                entities.reset(number);
                entities.unlist(number);
            }
        }
        FORCE => {
            while let low @ 1.. = data.u16()? {
                let mut mask = u32::from(low);
                if mask & 1 << 15 != 0 {
                    mask |= u32::from(data.u8()?) << 16;
                }
                entities.new[(mask & 0x3FF) as usize].force ^= mask & 0xFF_FC00;
            }
        }
        _ => {
            let mut low = match code {
                FIRST_IS_SHORT => u16::from(data.u8()?) << 8 | 1,
                _ => data.u16()?,
            };
            while change(entities, data, low)? {
                low = data.u16()?;
            }
        }
    }
    Ok(())
}

/// Takes in how an entity differs from the frame before. False for the end of the list.
fn change(entities: &mut Entities, data: &mut Data, low: u16) -> io::Result<bool> {
    let mut mask = u32::from(low);
    for (bit, shift) in [(15, 16), (23, 24)] {
        if mask & 1 << bit != 0 {
            mask |= u32::from(data.u8()?) << shift;
        }
    }
    let has = |bit: u32| mask & 1 << bit != 0;
    let number = (mask & NUMBER) as u16 | u16::from(has(27)) << 9;
    if number == 0 {
        return Ok(false);
    }
    entities.list(number);
    let index = usize::from(number);
    let (new, old) = (&mut entities.new[index], &entities.old[index]);
    if has(16) {
        new.model = data.u8()?.into();
    }
    if has(9) {
        new.frame = old.frame.wrapping_add(1) & 0xFF;
    }
    if has(19) {
        new.frame = old.frame.wrapping_add_signed(data.i8()?.into()) & 0xFF;
    }
    for (bit, value) in [(24, &mut new.colormap), (25, &mut new.skin), (26, &mut new.effects)] {
        if has(bit) {
            *value = data.u8()?;
        }
    }
    for (axis, (difference, whole, angle)) in [(10, 20, 13), (11, 21, 14), (12, 22, 17)].into_iter().enumerate() {
        if has(difference) {
            new.origin[axis] = old.origin[axis].wrapping_add(data.i8()?.into());
        }
        if has(whole) {
            new.origin[axis] = data.i16()?.into();
        }
        if has(angle) {
            new.angles[axis] = old.angles[axis].wrapping_add(data.u8()?);
        }
    }
    if has(18) {
        new.no_lerp = !old.no_lerp;
    }
    Ok(true)
}

/// Puts out the updates that were told, if any were.
pub(super) fn show(state: &mut State, data: &mut Data) {
    if std::mem::take(&mut state.entities.is_pending) {
        state.entities.write(&mut data.out, true);
    }
}
