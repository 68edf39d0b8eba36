//! Packets that came uncompressed: what they tell about players, entities and names is remembered.
//!
//! The messages are those of the QuakeWorld client, protocols 26 to 28 (QuakeWorld source, `cl_parse.c` and `cl_ents.c`).

use super::world::{Entity, PLAYERS, Player, Set, World};
use crate::wire::{ByteReader, Fault};
use std::sync::Arc;

/// `svc_playerinfo` flags.
const PF_MSEC: u16 = 1;
const PF_COMMAND: u16 = 1 << 1;
const PF_VELOCITY: [u16; 3] = [1 << 2, 1 << 3, 1 << 4];
const PF_MODEL: u16 = 1 << 5;
const PF_SKIN: u16 = 1 << 6;
const PF_EFFECTS: u16 = 1 << 7;
const PF_WEAPON_FRAME: u16 = 1 << 8;

/// What a packet told.
#[derive(Default)]
struct PacketTold {
    players: Vec<Player>,
    entities: Option<Set<Entity>>,
}

impl World {
    /// Reads a packet as far as it can be read.
    pub(super) fn watch(&mut self, packet: &[u8]) {
        let mut r = ByteReader::new(packet);
        let (Ok(sequence), Ok(_)) = (r.u32(), r.u32()) else { return };
        if sequence == u32::MAX {
            return;
        }
        self.sequence = sequence & 0x7FFF_FFFF;
        let mut told = PacketTold::default();
        // What cannot be read ends the packet, and does no harm.
        if let Ok(false) = self.messages(&mut r, &mut told) {
            return;
        }
        let mut at = self.sequence;
        if !told.players.is_empty() && self.command != 0 {
            at = self.command.wrapping_add(1);
        }
        if let Some(entities) = told.entities {
            if let Some(raw) = self.raw.get_mut(self.sequence as usize & 0xFF) {
                *raw = Arc::clone(&entities);
            }
            self.entities.put(at, entities);
        }
        self.players.put(at, Arc::new(told.players));
    }

    /// Reads messages to the end, or to one that is unknown. False when the packet does not count.
    fn messages(&mut self, r: &mut ByteReader, told: &mut PacketTold) -> Result<bool, Fault> {
        while !r.is_empty() {
            match r.u8()? {
                0x01 | 0x02 | 0x1B | 0x1C | 0x21..=0x23 => {}
                0x18 | 0x20 | 0x2C => drop(r.u8()?),
                0x03 | 0x10 | 0x27 | 0x35 => drop(r.bytes(2)?),
                0x0A | 0x0E | 0x24 => drop(r.bytes(3)?),
                0x31 | 0x32 => drop(r.bytes(4)?),
                0x25 | 0x26 => drop(r.bytes(5)?),
                0x13 => drop(r.bytes(8)?),
                0x1D | 0x1E => drop(r.bytes(9)?),
                0x14 => drop(r.bytes(13)?),
                0x53 => drop(r.bytes(34)?),
                0x52 => drop(r.bytes(162)?),
                0x1A | 0x1F | 0x51 => drop(r.until_nul()?),
                0x08 | 0x0C => {
                    r.u8()?;
                    r.until_nul()?;
                }
                0x34 => {
                    r.until_nul()?;
                    r.until_nul()?;
                }
                0x33 => {
                    let (player, key, value) = (r.u8()?, r.until_nul()?, r.until_nul()?);
                    self.names.set_info(player, key, value);
                }
                0x28 => {
                    let (player, _, info) = (r.u8()?, r.u32()?, r.until_nul()?);
                    self.names.user_info(player, info);
                }
                0x29 => {
                    let (size, _) = (r.i16()?, r.u8()?);
                    r.bytes(usize::try_from(size).unwrap_or(0))?;
                }
                0x2B => {
                    let count = r.u8()?;
                    r.bytes(6 * usize::from(count))?;
                }
                0x06 => {
                    let word = r.u16()?;
                    r.bytes(usize::from(word >> 15) + usize::from(word >> 14 & 1) + 7)?;
                }
                0x17 => {
                    let size = match r.u8()? {
                        0x02 | 0x0C => 7,
                        0x05 | 0x06 | 0x09 => 14,
                        _ => 6,
                    };
                    r.bytes(size)?;
                }
                0x09 => {
                    let text = r.until_nul()?;
                    if self.names.stale && (text.starts_with(b"cmd prespawn") || text.starts_with(b"cmd spawn")) {
                        self.names.renumber();
                    }
                }
                0x0B => {
                    r.bytes(8)?;
                    r.until_nul()?;
                    self.own = r.u8()? & 0x7F;
                    r.until_nul()?;
                    r.bytes(40)?;
                }
                0x16 => {
                    let number = r.u16()?;
                    let baseline = baseline(r, number)?;
                    if let Some(place) = self.baselines.get_mut(usize::from(number)) {
                        *place = baseline;
                    }
                }
                0x2D => {
                    let (first, names) = list(r)?;
                    if first == 0 {
                        self.forget();
                    }
                    if let Some(at) = names.iter().position(|name| name == b"progs/player.mdl") {
                        self.player_model = first.wrapping_add(at as u8).wrapping_add(1);
                    }
                    self.names.models.add(first, names);
                    self.names.stale = true;
                }
                0x2E => {
                    let (first, names) = list(r)?;
                    self.names.sounds.add(first, names);
                    self.names.stale = true;
                }
                0x2A => {
                    let player = self.player(r)?;
                    if told.players.len() <= PLAYERS {
                        told.players.push(player);
                    }
                }
                0x2F => told.entities = Some(self.entities(r, Vec::new())?),
                0x30 => {
                    let from = r.u8()?;
                    let base = self.raw.get(usize::from(from)).map(|set| set.to_vec()).unwrap_or_default();
                    told.entities = Some(self.entities(r, base)?);
                }
                0x3E => return Ok(false),
                _ => return Ok(true),
            }
        }
        Ok(true)
    }

    fn player(&self, r: &mut ByteReader) -> Result<Player, Fault> {
        let mut player = Player { number: r.u8()?, model: self.player_model, ..Player::default() };
        let flags = r.u16()?;
        for axis in &mut player.origin {
            *axis = r.i16()?;
        }
        player.frame = r.u8()?;
        if flags & PF_MSEC != 0 {
            player.age = r.u8()?;
        }
        if flags & PF_COMMAND != 0 {
            command(r, &mut player)?;
        }
        for (axis, flag) in player.velocity.iter_mut().zip(PF_VELOCITY) {
            if flags & flag != 0 {
                *axis = r.i16()?;
            }
        }
        let optional = [&mut player.model, &mut player.skin, &mut player.effects, &mut player.weapon_frame].into_iter();
        for (field, flag) in optional.zip([PF_MODEL, PF_SKIN, PF_EFFECTS, PF_WEAPON_FRAME]) {
            if flags & flag != 0 {
                *field = r.u8()?;
            }
        }
        Ok(player)
    }

    /// Reads entities as differences to `base`, or to their baselines.
    fn entities(&self, r: &mut ByteReader, base: Vec<Entity>) -> Result<Set<Entity>, Fault> {
        let mut entities = base;
        loop {
            let word = r.u16()?;
            if word == 0 {
                return Ok(Arc::new(entities));
            }
            let number = word & 0x1FF;
            let more = if word & 0x8000 != 0 { r.u8()? } else { 0 };
            let place = entities.binary_search_by_key(&number, |e| e.number);
            if word & 0x4000 != 0 {
                if let Ok(at) = place {
                    entities.remove(at);
                }
                continue;
            }
            let from = place.ok().and_then(|at| entities.get(at).copied());
            let mut entity = from.unwrap_or_else(|| self.baseline(number));
            update(r, &mut entity, word, more)?;
            match place {
                Ok(at) => entities[at] = entity,
                Err(at) => entities.insert(at, entity),
            }
        }
    }
}

/// Reads what has changed of an entity, in the order of the QuakeWorld client.
fn update(r: &mut ByteReader, entity: &mut Entity, word: u16, more: u8) -> Result<(), Fault> {
    let fields = [
        (more & 4 != 0, &mut entity.model),
        (word & 0x2000 != 0, &mut entity.frame),
        (more & 8 != 0, &mut entity.colormap),
        (more & 16 != 0, &mut entity.skin),
        (more & 32 != 0, &mut entity.effects),
    ];
    for (sent, field) in fields {
        if sent {
            *field = r.u8()?;
        }
    }
    let moved = [word & 0x200 != 0, word & 0x400 != 0, word & 0x800 != 0];
    let turned = [more & 1 != 0, word & 0x1000 != 0, more & 2 != 0];
    for axis in 0..3 {
        if moved[axis] {
            entity.origin[axis] = r.i16()?;
        }
        if turned[axis] {
            entity.angles[axis] = r.u8()?;
        }
    }
    entity.mask = (word & 0x3F00) | u16::from(more);
    entity.origin_drift = [0; 3];
    entity.angle_drift = [0; 3];
    Ok(())
}

/// The command in a player's state: angles as flagged, moves as flagged, ...
fn command(r: &mut ByteReader, player: &mut Player) -> Result<(), Fault> {
    let mask = r.u8()?;
    let [yaw, pitch] = &mut player.angles;
    let mut roll = 0;
    let words = [(1, pitch), (0x80, yaw), (2, &mut roll), (4, &mut player.forward), (8, &mut player.side)];
    for (bit, field) in words.into_iter().chain([(16, &mut player.up)]) {
        if mask & bit != 0 {
            *field = r.i16()?;
        }
    }
    if mask & 32 != 0 {
        r.u8()?;
    }
    if mask & 64 != 0 {
        player.impulse = r.u8()?;
    }
    player.msec = r.u8()?;
    Ok(())
}

fn baseline(r: &mut ByteReader, number: u16) -> Result<Entity, Fault> {
    let mut entity = Entity { number, model: r.u8()?, frame: r.u8()?, ..Entity::default() };
    (entity.colormap, entity.skin) = (r.u8()?, r.u8()?);
    for axis in 0..3 {
        entity.origin[axis] = r.i16()?;
        entity.angles[axis] = r.u8()?;
    }
    Ok(entity)
}

/// A part of a list: the number before its first name, and the names.
fn list(r: &mut ByteReader) -> Result<(u8, Vec<Vec<u8>>), Fault> {
    let first = r.u8()?;
    let mut names = Vec::new();
    loop {
        let name = r.until_nul()?;
        if name.is_empty() {
            break;
        }
        names.push(name.to_vec());
    }
    r.u8()?;
    Ok((first, names))
}
