//! Messages that are as in the recording, or nearly.

use std::io;

use super::demo::{Data, State, Version, corrupt};

/// A sound whose mask stands in its code.
const SOUND: u8 = 0x38;
const SOUND_3: u8 = 0x60;

/// Bits of the mask of a sound.
const VOLUME: u8 = 1;
const ATTENUATION: u8 = 1 << 1;
const LARGE_ENTITY: u8 = 1 << 3;
const LARGE_SOUND: u8 = 1 << 4;

/// Bits of `spawnstatic2`, each of which makes the message a byte longer: a large model, a large frame, alpha.
const LONGER: u8 = 7;

/// Sizes in bytes of temporary entities behind their type.
const TEMP: [usize; 17] = [6, 6, 6, 6, 6, 14, 14, 6, 6, 14, 6, 6, 8, 14, 6, 6, 12];

impl State {
    /// A message that is no update of entities.
    pub(super) fn message(&mut self, data: &mut Data, code: u8) -> io::Result<()> {
        match (code, self.version) {
            (6, _) => return self.sound(data, None),
            (7, Version::Later) => return self.clock(data, |data| data.u16().map(u32::from)),
            (7 | 35, _) => return self.clock(data, Data::u32),
            (22 | 42, _) => return self.entities.baseline(data, code),
            (1..=44, _) => {}
            (0xF0.., Version::First) | (0x40..=0x4F, Version::Later) => {
                return self.client.update(data, code, self.version);
            }
            (0x80.., _) => return self.plain_update(data, code),
            (_, Version::Later) if code & 0xF8 == SOUND || code & 0xE0 == SOUND_3 => {
                return self.sound(data, Some(code));
            }
            _ => return Err(corrupt(&format!("an unknown message {code:02X}"))),
        }
        // `showlmp` of Nehahra has had to make room.
        data.out.push(if code == 38 { 35 } else { code });
        match code {
            1 | 2 | 21 | 27 | 28 | 30 | 33 => Ok(()),
            3 => data.copy(5),
            4 => data.copy(4),
            5 | 16 | 17 | 32 => data.copy(2),
            8 | 9 | 26 | 31 | 34 | 36 | 37 => data.copy_string().map(drop),
            10 | 14 => data.copy(3),
            11 => self.serverinfo(data),
            12 | 13 => {
                data.copy(1)?;
                data.copy_string().map(drop)
            }
            18 => data.copy(11),
            19 => data.copy(8),
            20 => data.copy(13),
            23 => temp(data),
            24 | 25 => data.copy(1),
            29 => data.copy(9),
            38 => {
                data.copy_string()?;
                data.copy_string()?;
                data.copy(2)
            }
            41 => data.copy(5),
            43 => {
                let longer = (data.peek()? & LONGER).count_ones() as usize;
                data.copy(14 + longer)
            }
            44 => data.copy(10),
            // Of 15 dzip makes a message of its own; 39 and 40 it does not know.
            _ => Err(corrupt(&format!("an unknown message {code:02X}"))),
        }
    }

    /// The clock, with what is to be added to its bits.
    fn clock(&mut self, data: &mut Data, more: impl Fn(&mut Data) -> io::Result<u32>) -> io::Result<()> {
        self.time = self.time.wrapping_add(more(data)?);
        data.out.push(7);
        data.out.extend(self.time.to_le_bytes());
        Ok(())
    }

    /// Protocol, number of players, kind of game, name of the level; names of models and of sounds, each list with an
    /// empty name behind it.
    fn serverinfo(&mut self, data: &mut Data) -> io::Result<()> {
        let protocol = data.u32()?;
        data.out.extend(protocol.to_le_bytes());
        self.is_plain = match protocol {
            15 => true,
            666 => false,
            other => return Err(corrupt(&format!("protocol {other}, which dzip does not know,"))),
        };
        data.copy(2)?;
        data.copy_string()?;
        for _ in 0..2 {
            while data.copy_string()? > 0 {}
        }
        self.entities.restart_baselines();
        Ok(())
    }

    /// A sound: its channel is turned around, its place counted from where the entity is.
    fn sound(&mut self, data: &mut Data, short: Option<u8>) -> io::Result<()> {
        let mask = match short {
            // Two bits are inverted: version 2 had them always set.
            Some(code) => code & 7 | (!code & (LARGE_ENTITY | LARGE_SOUND)),
            None => data.u8()?,
        };
        data.out.extend([6, mask]);
        data.copy(usize::from(mask & VOLUME != 0) + usize::from(mask & ATTENUATION != 0))?;
        if self.version == Version::First {
            return data.copy(9);
        }
        let entity = if mask & LARGE_ENTITY != 0 {
            let entity = data.u16()?;
            data.out.extend(entity.to_le_bytes());
            data.copy(1)?;
            entity
        } else {
            let both = data.u16()?;
            let channel = 2u16.wrapping_sub(both) & 7;
            data.out.extend((both & !7 | channel).to_le_bytes());
            both >> 3
        };
        data.copy(if mask & LARGE_SOUND != 0 { 2 } else { 1 })?;
        let from = self.entities.place(entity);
        for from in from {
            let origin = data.i16()?.wrapping_add(from as i16);
            data.out.extend(origin.to_le_bytes());
        }
        Ok(())
    }

    /// An update of an entity as it is in the recording, for those that are out of order.
    fn plain_update(&mut self, data: &mut Data, code: u8) -> io::Result<()> {
        data.out.push(code);
        let mut mask = u32::from(code);
        let mut more = |mask: &mut u32, shift: u32| {
            let byte = data.u8()?;
            data.out.push(byte);
            *mask |= u32::from(byte) << shift;
            io::Result::Ok(())
        };
        if mask & 1 != 0 {
            more(&mut mask, 8)?;
        }
        let is_longer = mask & 1 << 15 != 0;
        if is_longer && self.is_plain {
            return Err(corrupt("an update of an entity with Nehahra's transparency, as it is,"));
        }
        if is_longer {
            more(&mut mask, 16)?;
        }
        // Three parts of the origin; angles, number beyond 255, frame, model, colormap, skin, effects; what FitzQuake has.
        let origins = (mask & 0b1110).count_ones();
        let bytes = (mask & 0b1_1111_0111_1111_0101_0000).count_ones();
        data.copy(1 + 2 * origins as usize + bytes as usize)
    }
}

/// A temporary entity.
fn temp(data: &mut Data) -> io::Result<()> {
    let kind = data.u8()?;
    data.out.push(kind);
    match TEMP.get(usize::from(kind)) {
        Some(&size) => data.copy(size),
        None if kind == 17 => {
            data.copy_string()?;
            data.copy(14)
        }
        None => Err(corrupt(&format!("an unknown temporary entity {kind}"))),
    }
}
