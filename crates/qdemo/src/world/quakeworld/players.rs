//! Players: where they are, what they carry, and the score board.

use std::sync::Arc;

use super::entities::units;
use super::level::LevelState;
use crate::format::dm3::info_value;
use crate::format::qwd::{Command, MvdPlayerInfo, PlayerFlags, PlayerInfo};
use crate::world::DemoTime;

/// Where a player is and what the player looks like.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlayerState {
    /// Where the player is, in units. `None` where the beginning of a multi-view recording is missing and not all of
    /// it has been told since.
    pub origin: Option<[f32; 3]>,
    /// Pitch, yaw and roll of the view in degrees: of the last command in `.qwd`, which the recorder's own state has
    /// not.
    pub angles: Option<[f32; 3]>,
    /// Velocity in units a second; `None` in multi-view recordings, which do not tell it.
    pub velocity: Option<[f32; 3]>,
    /// Number of the model.
    pub model: u16,
    /// Frame of the model.
    pub frame: u8,
    /// Skin of the model.
    pub skin: u8,
    /// Effects, as of an entity.
    pub effects: u8,
    /// Frame of the weapon's model.
    pub weapon_frame: u8,
    /// The player is dead.
    pub dead: bool,
    /// The player is only a head.
    pub gib: bool,
    /// Kind of movement: 0 normal, 1 normal with jump held, 2 old spectator, 3 spectator, 4 fly, 5 none, 6 lock.
    /// (Z_EXT)
    pub pm_type: u8,
    /// The player stands on something. (Z_EXT)
    pub on_ground: bool,
    /// The player can be hit. (Z_EXT)
    pub solid: bool,
    /// Opacity in 255ths. (FTE)
    pub alpha: Option<u8>,
    /// Age of the last command in ms when the packet was made.
    pub age: Option<u8>,
    /// The last command; what it does not tell is 0.
    pub command: Option<Command>,
    /// Parts of origin and angles that were told: a bit each. Only in multi-view recordings.
    told: u8,
    /// The same, as they were told so far.
    parts: [f32; 6],
}

impl PlayerState {
    const ORIGIN: u8 = 0b00_0111;
    const ANGLES: u8 = 0b11_1000;

    /// Before the first message of a server's recording: all zeros, of which the first message tells the difference.
    /// Nothing is known where the beginning of the recording is missing.
    pub(super) fn first(has_begun: bool) -> Self {
        let told = if has_begun { Self::ORIGIN | Self::ANGLES } else { 0 };
        PlayerState { told, ..PlayerState::default() }
    }

    /// As a client's packet tells: what is absent has its usual value.
    #[inline]
    pub(super) fn new(m: &PlayerInfo, level: &LevelState) -> Self {
        let speed = |v: &Option<crate::format::qwd::Velocity>| v.map_or(0.0, |v| f32::from(v.0));
        let (mut model, mut skin) = (level.player_model, m.skinnum.unwrap_or(0));
        if let Some(index) = m.modelindex {
            model = index.0;
            if level.double_models && skin & 0x80 != 0 {
                model += 256;
                skin &= 0x7F;
            }
        }
        PlayerState {
            origin: Some(m.origin.map(|c| units(c.0))),
            angles: m.command.map(|c| c.angles.map(|a| a.map_or(0.0, turn))),
            velocity: Some([speed(&m.velocity_x), speed(&m.velocity_y), speed(&m.velocity_z)]),
            model,
            frame: m.frame,
            skin,
            effects: m.effects.map_or(0, |e| e.0),
            weapon_frame: m.weaponframe.unwrap_or(0),
            dead: m.flags.has(PlayerFlags::DEAD),
            gib: m.flags.has(PlayerFlags::GIB),
            pm_type: m.flags.pm_type(),
            on_ground: m.flags.has(PlayerFlags::ONGROUND),
            solid: m.flags.has(PlayerFlags::SOLID),
            alpha: m.alpha,
            age: m.msec.map(|age| age.0),
            command: m.command,
            ..PlayerState::default()
        }
    }

    /// Takes over what a server's record says differently. True when that changed something.
    #[inline]
    pub(super) fn update(&mut self, m: &MvdPlayerInfo, level: &LevelState) -> bool {
        let mut changed = false;
        let place = [m.origin_x, m.origin_y, m.origin_z].map(|c| c.map(|c| units(c.0)));
        let view = [m.angles_1, m.angles_2, m.angles_3].map(|a| a.map(turn));
        for (n, (to, value)) in self.parts.iter_mut().zip(place.into_iter().chain(view)).enumerate() {
            if let Some(value) = value {
                *to = value;
                self.told |= 1 << n;
                changed = true;
            }
        }
        if changed || self.origin.is_none() {
            let [x, y, z, pitch, yaw, roll] = self.parts;
            self.origin = (self.told & Self::ORIGIN == Self::ORIGIN).then_some([x, y, z]);
            self.angles = (self.told & Self::ANGLES == Self::ANGLES).then_some([pitch, yaw, roll]);
        }
        let mut model = m.modelindex.map_or(self.model, |index| index.0);
        let mut skin = m.skinnum.unwrap_or(self.skin);
        if level.double_models && skin & 0x80 != 0 && m.modelindex.is_some() && m.skinnum.is_some() {
            model += 256;
            skin &= 0x7F;
        }
        let effects = m.effects.unwrap_or(self.effects);
        let weapon_frame = m.weaponframe.unwrap_or(self.weapon_frame);
        let now = (m.frame, m.dead, m.gib, model, skin, effects, weapon_frame);
        let before = (self.frame, self.dead, self.gib, self.model, self.skin, self.effects, self.weapon_frame);
        (self.frame, self.dead, self.gib, self.model, self.skin, self.effects, self.weapon_frame) = now;
        changed || now != before
    }
}

#[inline]
fn turn(angle: crate::format::qwd::Angle16) -> f32 {
    f32::from(angle.0) * (360.0 / 65536.0)
}

/// Numbers of the array of 32 values that a server keeps of a player.
pub mod stat {
    /// Health; 0 or less: dead.
    pub const HEALTH: usize = 0;
    /// Model of the weapon.
    pub const WEAPON_MODEL: usize = 2;
    /// Ammunition of the weapon in hand.
    pub const AMMO: usize = 3;
    /// Armour.
    pub const ARMOR: usize = 4;
    /// Shells; nails, rockets and cells follow.
    pub const SHELLS: usize = 6;
    /// The weapon in hand, as its bit among the items.
    pub const ACTIVE_WEAPON: usize = 10;
    /// Secrets found.
    pub const SECRETS: usize = 13;
    /// Monsters killed.
    pub const MONSTERS: usize = 14;
    /// Items and weapons, a bit each.
    pub const ITEMS: usize = 15;
    /// Height of the eyes. (Z_EXT)
    pub const VIEW_HEIGHT: usize = 16;
    /// Time of the server in ms. (Z_EXT)
    pub const TIME: usize = 17;
}

/// What a server keeps of a player: 32 numbers, see [`stat`]. They are 0 when a level begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats(pub [i32; 32]);

impl Stats {
    /// A value; 0 beyond the array.
    pub fn get(&self, index: usize) -> i32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, index: u16, value: i32) {
        if let Some(to) = self.0.get_mut(usize::from(index)) {
            *to = value;
        }
    }

    pub(super) fn add(&mut self, index: usize) {
        if let Some(to) = self.0.get_mut(index) {
            *to = to.wrapping_add(1);
        }
    }
}

/// A slot of the score board.
#[derive(Debug, Clone, Default)]
pub struct Slot {
    /// Number of the user on the server; 0 for a free slot.
    pub user: i32,
    /// `None`: nothing was told.
    userinfo: Option<Arc<Vec<u8>>>,
    /// Frags.
    pub frags: Option<i16>,
    /// Ping in ms.
    pub ping: Option<i16>,
    /// Packet loss in percent.
    pub loss: Option<u8>,
    /// When the player came, on the clock of the demo time; before the recording began it is negative.
    pub entered: Option<DemoTime>,
    /// Where the player is, as it was told last.
    pub state: Option<PlayerState>,
    /// What the player has. `None` for players of whom the recording does not tell.
    pub stats: Option<Stats>,
}

impl Slot {
    /// Everything that the player's client told: `\name\...`.
    pub fn userinfo(&self) -> &[u8] {
        self.userinfo.as_deref().map_or(&[], Vec::as_slice)
    }

    /// A value of the user info.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        info_value(self.userinfo(), key).filter(|v| !v.is_empty())
    }

    /// True for one who only watches.
    pub fn is_spectator(&self) -> bool {
        self.value("*spectator").is_some_and(|v| v != b"0")
    }

    /// Colours of shirt and trousers, where the player's client told them.
    pub fn colors(&self) -> [Option<u8>; 2] {
        ["topcolor", "bottomcolor"].map(|key| std::str::from_utf8(self.value(key)?).ok()?.trim().parse().ok())
    }

    pub(super) fn set_userinfo(&mut self, user: i32, text: &[u8]) {
        self.user = user;
        let to = Arc::make_mut(self.userinfo.get_or_insert_default());
        to.clear();
        to.extend_from_slice(text);
    }

    pub(super) fn set_value(&mut self, key: &[u8], value: &[u8]) {
        crate::format::qwd::set_value(Arc::make_mut(self.userinfo.get_or_insert_default()), key, value);
    }
}
