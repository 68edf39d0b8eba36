//! What the decoder remembers of the packets before: players, entities, commands, lists of names.

use super::remap::Names;
use std::sync::Arc;

/// Number of packets whose players and entities are remembered.
const HISTORY: usize = 32;

/// Number of commands whose length is remembered.
const COMMANDS: usize = 64;

/// Entity numbers are of 9 bits.
pub(super) const ENTITIES: usize = 512;

/// Players of a server.
pub(super) const PLAYERS: usize = 32;

/// What was last known of a player. Masks and drifts are the coder's own: which fields change by how much.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Player {
    pub(super) number: u8,
    /// Of origin, command, state, velocity: the bits of the packet before are the guess for the next one.
    pub(super) masks: [u8; 4],
    pub(super) origin: [i16; 3],
    pub(super) frame: u8,
    /// Yaw, then pitch, of the last command.
    pub(super) angles: [i16; 2],
    pub(super) impulse: u8,
    /// Decoded, but never part of a packet.
    pub(super) spare: u8,
    pub(super) forward: i16,
    pub(super) side: i16,
    pub(super) up: i16,
    /// Length of the last command in ms.
    pub(super) msec: u8,
    pub(super) model: u8,
    pub(super) skin: u8,
    pub(super) effects: u8,
    pub(super) velocity: [i16; 3],
    pub(super) weapon_frame: u8,
    /// How much the angles change from packet to packet.
    pub(super) angle_drift: [i16; 2],
    /// How much the velocity does.
    pub(super) velocity_drift: [i16; 3],
    /// Age of the last command in ms.
    pub(super) age: u8,
}

/// What was last known of an entity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entity {
    /// 0 for a baseline that no message has set.
    pub(super) number: u16,
    pub(super) mask: u16,
    pub(super) model: u8,
    pub(super) frame: u8,
    pub(super) colormap: u8,
    pub(super) skin: u8,
    pub(super) effects: u8,
    pub(super) angles: [u8; 3],
    pub(super) origin: [i16; 3],
    pub(super) origin_drift: [i16; 3],
    pub(super) angle_drift: [u8; 3],
}

/// Players or entities of a packet, shared with the packets that refer to it.
pub(super) type Set<T> = Arc<Vec<T>>;

/// The sets of the last packets, by sequence number.
pub(super) struct History<T>([(u32, Set<T>); HISTORY]);

impl<T> History<T> {
    fn new() -> Self {
        History(std::array::from_fn(|_| (0, Set::default())))
    }

    /// The set of a packet, unless a later one has taken its place.
    pub(super) fn get(&self, sequence: u32) -> Option<&Set<T>> {
        let (at, set) = &self.0[sequence as usize % HISTORY];
        (*at == sequence).then_some(set)
    }

    pub(super) fn put(&mut self, sequence: u32, set: Set<T>) {
        self.0[sequence as usize % HISTORY] = (sequence, set);
    }
}

/// Everything remembered.
pub(super) struct World {
    /// Sequence number of the last packet.
    pub(super) sequence: u32,
    /// Number of the last command.
    pub(super) command: u32,
    /// The player who records.
    pub(super) own: u8,
    /// Model number of `progs/player.mdl`, which packets leave out.
    pub(super) player_model: u8,
    pub(super) players: History<Player>,
    pub(super) entities: History<Entity>,
    pub(super) baselines: Box<[Entity; ENTITIES]>,
    /// Entities of packets that came uncompressed, by the byte that later packets name them with.
    pub(super) raw: Vec<Set<Entity>>,
    pub(super) names: Names,
    /// Number and length of the last commands.
    commands: [(u32, u8); COMMANDS],
}

impl World {
    pub(super) fn new() -> Self {
        World {
            sequence: 0,
            command: 0,
            own: 0,
            player_model: 0,
            players: History::new(),
            entities: History::new(),
            baselines: Box::new([Entity::default(); ENTITIES]),
            raw: vec![Set::default(); 256],
            names: Names::default(),
            commands: [(0, 1); COMMANDS],
        }
    }

    /// A new list of models begins: a new level.
    pub(super) fn forget(&mut self) {
        self.players = History::new();
        self.entities = History::new();
        self.baselines.fill(Entity::default());
        self.raw.fill(Set::default());
    }

    /// Notes the length of the next command.
    pub(super) fn add_command(&mut self, msec: u8) {
        self.command = self.command.wrapping_add(1);
        self.commands[self.command as usize % COMMANDS] = (self.command, msec);
    }

    /// Number and length of the last command that has the place of this one.
    pub(super) fn command_at(&self, sequence: u32) -> (u32, u8) {
        self.commands[sequence as usize % COMMANDS]
    }

    /// How an entity was at the start of the level.
    pub(super) fn baseline(&self, number: u16) -> Entity {
        let baseline = self.baselines.get(usize::from(number)).copied().unwrap_or_default();
        Entity { number, ..baseline }
    }
}
