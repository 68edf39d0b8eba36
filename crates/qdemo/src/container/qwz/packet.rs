//! Compressed packets: the messages, rebuilt one after the other.

use super::coder::Coder;
use super::command::add;
use super::strings::{self, Strings};
use super::world::{Entity, Player, Set, World};
use super::{MAX_PACKET, Trouble};
use std::io::BufRead;
use std::sync::Arc;

/// Rows of the differences of a place, low and high byte.
const NEAR: [(u8, u8); 3] = [(71, 72), (73, 74), (75, 76)];
const FAR: [(u8, u8); 3] = [(98, 99), (100, 101), (102, 103)];
const DAMAGE: [(u8, u8); 3] = [(88, 89), (90, 91), (92, 93)];

/// The row of bytes that have no row of their own.
pub(super) const BYTES: u8 = 131;

/// What a packet is a difference to.
pub(super) struct Base {
    pub(super) players: Set<Player>,
    pub(super) entities: Set<Entity>,
}

/// A packet being decoded.
pub(super) struct Packet<'a, R> {
    pub(super) coder: &'a mut Coder<R>,
    pub(super) world: &'a mut World,
    pub(super) out: &'a mut Vec<u8>,
    /// Length of `out` before the packet.
    pub(super) start: usize,
    pub(super) base: Option<Base>,
    /// Time from the base packet to this one in ms.
    pub(super) elapsed: i64,
    /// The players of this packet.
    pub(super) players: Vec<Player>,
    /// The player last spoken of.
    pub(super) last_player: u8,
    /// The entity last spoken of.
    pub(super) entity: u16,
    /// The place last spoken of.
    pub(super) place: [i16; 3],
    /// Where the recording player is.
    pub(super) home: [i16; 3],
    /// Entities came.
    pub(super) has_entities: bool,
}

impl<'a, R: BufRead> Packet<'a, R> {
    pub(super) fn new(coder: &'a mut Coder<R>, world: &'a mut World, out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Packet {
            coder,
            world,
            out,
            start,
            base: None,
            elapsed: 0,
            players: Vec::new(),
            last_player: u8::MAX,
            entity: 0,
            place: [0; 3],
            home: [0; 3],
            has_entities: false,
        }
    }

    /// Decodes the packet that is `step` sequence numbers behind the last one.
    pub(super) fn read(mut self, step: u8) -> Result<(), Trouble> {
        let sequence = self.world.sequence.wrapping_add(step.into()) & 0x7FFF_FFFF;
        self.world.sequence = sequence;
        self.out.extend([0; 4]);
        self.out.extend(sequence.to_le_bytes());
        self.out.extend(sequence.to_le_bytes());
        let done = self.own_player().and_then(|()| self.messages(step));
        if let Err(e) = done {
            // The block stays, with nothing in it.
            self.out.truncate(self.start + 4);
            return Err(e);
        }
        let length = u32::try_from(self.out.len() - self.start - 4).unwrap_or_default();
        if let Some(place) = self.out.get_mut(self.start..self.start + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
        if let (false, Some(base)) = (self.has_entities, self.base) {
            self.world.entities.put(sequence, base.entities);
        }
        self.world.players.put(sequence, Arc::new(self.players));
        Ok(())
    }

    /// The messages behind the one about the recording player.
    fn messages(&mut self, step: u8) -> Result<(), Trouble> {
        // Last player of a ping and of a loss.
        let (mut ping, mut loss) = (u8::MAX, u8::MAX);
        let mut count = 0;
        loop {
            self.check_size()?;
            let message = self.byte(4);
            if message == 0 {
                // So Qizmo marks the end of the demo.
                return if count == 0 && step > 1 { Err(Trouble::End) } else { Ok(()) };
            }
            count += 1;
            // Entities always come as a whole list.
            self.out.push(if message == 0x30 { 0x2F } else { message });
            match message {
                0x01 | 0x02 | 0x1B | 0x1C | 0x21..=0x23 => {}
                0x03 => self.copy([63, 64]),
                0x0E => self.copy([129, 84, 85]),
                0x26 => self.copy([109, 110, 111, 112, 113]),
                0x2C => self.copy([123]),
                0x18 | 0x20 => self.copy([BYTES; 1]),
                0x10 => self.copy([BYTES; 2]),
                0x0A => self.copy([BYTES; 3]),
                0x31 | 0x32 => self.copy([BYTES; 4]),
                0x25 => self.copy([BYTES; 5]),
                0x1D | 0x1E => self.copy([BYTES; 9]),
                0x52 => self.copy([BYTES; 162]),
                0x53 => (180..=213).for_each(|row| self.copy([row])),
                0x51 => drop(self.string(BYTES)?),
                0x0C => {
                    self.copy([BYTES]);
                    self.string(BYTES)?;
                }
                0x34 => {
                    self.string(127)?;
                    self.string(127)?;
                }
                0x28 => {
                    let player = self.keep(129);
                    self.copy([114; 4]);
                    let info = self.string(115)?;
                    self.world.names.user_info(player, self.out.get(info..self.out.len() - 1).unwrap_or_default());
                }
                0x33 => {
                    let player = self.keep(129);
                    let key = self.text(124, strings::SETINFO)?;
                    let value = self.string(126)?;
                    let part = |from: usize, to: usize| self.out.get(from..to - 1).unwrap_or_default();
                    self.world.names.set_info(player, part(key, value), part(value, self.out.len()));
                }
                0x08 => self.print()?,
                0x09 => drop(self.text(82, strings::STUFFTEXT)?),
                0x1A => drop(self.text(105, strings::CENTERPRINT)?),
                0x24 => {
                    ping = ping.wrapping_add(self.byte(130));
                    self.out.push(ping);
                    self.copy([107, 108]);
                }
                0x35 => {
                    loss = loss.wrapping_add(self.byte(130));
                    self.out.push(loss);
                    self.copy([128]);
                }
                0x27 => self.same_entity(),
                0x06 => self.sound(),
                0x13 => self.damage(),
                0x17 => self.temp_entity(),
                0x2A => self.other_players()?,
                0x2B => self.nails(),
                0x2F | 0x30 => self.entities()?,
                _ => return Err(Trouble::Damage("a message that no packet has")),
            }
        }
    }

    /// Nothing that a server sends comes near the bound.
    pub(super) fn check_size(&self) -> Result<(), Trouble> {
        match self.out.len() - self.start > MAX_PACKET {
            true => Err(Trouble::Damage("a packet without end")),
            false => Ok(()),
        }
    }

    pub(super) fn byte(&mut self, row: u8) -> u8 {
        self.coder.byte(row)
    }

    /// A byte of the packet.
    pub(super) fn keep(&mut self, row: u8) -> u8 {
        let byte = self.byte(row);
        self.out.push(byte);
        byte
    }

    /// Bytes of the packet.
    fn copy<const N: usize>(&mut self, rows: [u8; N]) {
        for row in rows {
            self.keep(row);
        }
    }

    /// Bytes of the packet up to a zero; returns where they begin.
    fn string(&mut self, row: u8) -> Result<usize, Trouble> {
        let start = self.out.len();
        while self.keep(row) != 0 {
            self.check_size()?;
        }
        Ok(start)
    }

    /// A text with strings that have symbols of their own; returns where it begins.
    fn text(&mut self, row: u8, strings: &'static Strings) -> Result<usize, Trouble> {
        let start = self.out.len();
        loop {
            let symbol = self.coder.wide(row);
            if self.letter(symbol, strings)? == 0 {
                return Ok(start);
            }
        }
    }

    /// Adds what a symbol of a text stands for, and gives the symbol back.
    fn letter(&mut self, symbol: u16, strings: &'static Strings) -> Result<u16, Trouble> {
        match u8::try_from(symbol) {
            Ok(byte) => self.out.push(byte),
            Err(_) => match strings.binary_search_by_key(&symbol, |string| string.0) {
                Ok(at) => self.out.extend_from_slice(strings[at].1),
                Err(_) => return Err(Trouble::Damage("a string that Qizmo does not have")),
            },
        }
        self.check_size()?;
        Ok(symbol)
    }

    /// `svc_print`: names of players have symbols, too. What Qizmo takes for the name is not known from a file: none
    /// at hand uses it.
    fn print(&mut self) -> Result<(), Trouble> {
        let (row, strings, chat) = match self.keep(77) {
            3 => (80, strings::CHAT, true),
            _ => (78, strings::PRINT, false),
        };
        loop {
            let symbol = self.coder.wide(row);
            match symbol {
                256..=287 if chat => {
                    self.out.push(b'(');
                    self.out.extend_from_slice(self.world.names.player(symbol));
                    self.out.extend_from_slice(b"): ");
                }
                288..=319 if chat => self.out.extend_from_slice(self.world.names.player(symbol)),
                256..=287 => self.out.extend_from_slice(self.world.names.player(symbol)),
                _ if self.letter(symbol, strings)? == 0 => return Ok(()),
                _ => {}
            }
            self.check_size()?;
        }
    }

    /// The number of an entity, as a change of the last one.
    fn same_entity(&mut self) {
        let low = self.byte(95);
        let high = self.byte(96);
        self.entity ^= u16::from_le_bytes([low, high]);
        self.out.extend(self.entity.to_le_bytes());
    }

    /// `svc_sound`.
    fn sound(&mut self) {
        let low = (self.entity << 3) as u8 ^ self.byte(65);
        let high = (self.entity >> 5) as u8 ^ self.byte(66);
        let word = u16::from_le_bytes([low, high]);
        self.entity = word >> 3 & 0x1FF;
        self.out.extend(word.to_le_bytes());
        if word & 0x8000 != 0 {
            self.copy([67]);
        }
        if word & 0x4000 != 0 {
            self.copy([68]);
        }
        let sound = self.byte(69);
        self.out.push(self.world.names.sound_numbers[usize::from(sound)]);
        let flags = self.byte(70);
        if flags & 0x80 == 0 {
            let found = match self.entity {
                0 => None,
                1..=32 => {
                    let players = if flags & 0x40 == 0 { self.new_players() } else { self.old_players() };
                    player_origin(players, self.entity)
                }
                number => {
                    let set = self.world.entities.get(self.world.sequence);
                    self.entity_origin(set.map(|set| set.as_slice()).unwrap_or_default(), number)
                }
            };
            self.place = found.unwrap_or(self.place);
        }
        self.near(flags);
    }

    /// The players of the base packet.
    fn old_players(&self) -> &[Player] {
        self.base.as_ref().map(|base| base.players.as_slice()).unwrap_or_default()
    }

    /// The players of this packet so far, which Qizmo looks at only when the base packet has some.
    fn new_players(&self) -> &[Player] {
        if self.old_players().is_empty() { &[] } else { &self.players }
    }

    /// Moves the place by the differences that `flags` tell of, and writes it.
    fn near(&mut self, flags: u8) {
        for (axis, (low, high)) in NEAR.into_iter().enumerate() {
            let has = |bit: usize| flags >> bit & 1 != 0;
            add(&mut self.place[axis], self.coder, (has(2 * axis), low), (has(2 * axis + 1), high));
        }
        self.out.extend(self.place.map(i16::to_le_bytes).as_flattened());
    }

    /// Where an entity is: in a sorted set, or at its baseline when the set goes on behind it. A baseline at 0 0 0, as
    /// doors and lifts have it, tells nothing.
    fn entity_origin(&self, set: &[Entity], number: u16) -> Option<[i16; 3]> {
        match set.binary_search_by_key(&number, |e| e.number) {
            Ok(at) => Some(set[at].origin),
            Err(at) if at == set.len() => None,
            Err(_) => {
                let baseline = self.world.baselines.get(usize::from(number))?;
                (baseline.origin != [0; 3]).then_some(baseline.origin)
            }
        }
    }

    /// `svc_damage`: from where, as a difference to the recording player.
    fn damage(&mut self) {
        self.copy([86, 87]);
        if !self.coder.has_from() {
            self.out.extend([0; 6]);
            return;
        }
        for (axis, rows) in DAMAGE.into_iter().enumerate() {
            let mut value = self.home[axis];
            add(&mut value, self.coder, (true, rows.0), (true, rows.1));
            self.out.extend(value.to_le_bytes());
        }
    }

    /// `svc_temp_entity`.
    fn temp_entity(&mut self) {
        match self.keep(94) {
            0x02 | 0x0C => self.copy([104]),
            0x05 | 0x06 | 0x09 => {
                let flags = self.byte(97);
                match flags & 0x40 {
                    0 => self.out.extend(self.entity.to_le_bytes()),
                    _ => self.same_entity(),
                }
                if flags & 0x80 == 0 {
                    let found = match self.entity {
                        0 => None,
                        1..=32 => player_origin(self.new_players(), self.entity),
                        number => {
                            let set = self.base.as_ref().map(|base| base.entities.as_slice());
                            self.entity_origin(set.unwrap_or_default(), number)
                        }
                    };
                    self.place = found.unwrap_or(self.place);
                }
                self.near(flags);
            }
            _ => {}
        }
        for (axis, (low, high)) in FAR.into_iter().enumerate() {
            add(&mut self.place[axis], self.coder, (true, low), (true, high));
        }
        self.out.extend(self.place.map(i16::to_le_bytes).as_flattened());
    }

    /// `svc_nails`: six bytes each, as differences to the one before; the first one to the recording player's place.
    fn nails(&mut self) {
        let [x, y, z] = self.home;
        let mut nail = [
            (x >> 4) as u8,
            (y as u8 & 0xF0) | (x as u16 >> 12) as u8,
            (y >> 8) as u8,
            (z >> 4) as u8,
            (z >> 8 >> 4) as u8,
            0,
        ];
        for _ in 0..self.keep(116) {
            for (byte, row) in nail.iter_mut().zip(117..) {
                *byte = byte.wrapping_add(self.coder.byte(row));
            }
            self.out.extend(nail);
        }
    }
}

/// Where the player of an entity number is.
fn player_origin(players: &[Player], entity: u16) -> Option<[i16; 3]> {
    let player = players.iter().find(|p| u16::from(p.number) + 1 == entity);
    player.map(|p| p.origin)
}
