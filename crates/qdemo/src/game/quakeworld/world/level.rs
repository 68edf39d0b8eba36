//! What a level begins with and what seldom changes: tables, settings, base states, things that stand still.

use crate::describe::State;
use crate::format::dem::{Extensions, SpawnStaticSound};
use crate::format::qwd::{Dialect, MoveVars, ServerData};
use crate::game::quake::items::FLAG_MODEL;
use crate::game::quake::{AmbientSound, Game};
use crate::game::quakeworld::world::entities::Baselines;
use crate::game::quakeworld::world::states::EntityState;
use crate::wire::StrList;

/// Names by number, from 1, in one chunk of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    /// More than any server has.
    const MOST: usize = 4096;

    /// The name with a number, from 1.
    pub fn get(&self, number: usize) -> Option<&[u8]> {
        let last = number.checked_sub(1)?;
        let from = last.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.bytes.get(from..*self.ends.get(last)?)
    }

    /// The names, number 1 first.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (1..=self.ends.len()).filter_map(|number| self.get(number))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True for none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn position(&self, name: &[u8]) -> Option<u16> {
        self.iter().position(|n| n == name).and_then(|at| u16::try_from(at + 1).ok())
    }

    /// A part of a list comes: `first` names stand in front of it. Where the next part begins is told in two ways, so
    /// only this counts.
    pub(super) fn part(&mut self, first: usize, names: &StrList<'_>) {
        let first = first.min(Self::MOST);
        self.ends.truncate(first);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        self.ends.resize(first, self.bytes.len());
        for name in names.iter().take(Self::MOST - first) {
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len());
        }
    }
}

/// The setting in which a server says what it tells beyond the protocol.
pub(crate) const ZEXT: &str = "*z_ext";

/// Its bits.
pub(crate) mod zext {
    pub(in crate::game::quakeworld) const VIEW_HEIGHT: u32 = 4;
    pub(in crate::game::quakeworld) const ON_GROUND: u32 = 64;
    /// All that states of players tell of how they move: the kind of it (two bits), whether they stand, whether they can be
    /// hit. Engines work out what is not told.
    pub(crate) const MOVEMENT: u32 = 1 | 2 | ON_GROUND | 256;

    /// The bits that the setting's value tells.
    pub(crate) fn bits(value: &[u8]) -> Option<u32> {
        std::str::from_utf8(value).ok()?.trim().parse().ok()
    }
}

/// What a level begins with, and what seldom changes in it.
#[derive(Debug, Clone, Default)]
pub(super) struct LevelState {
    pub(super) age: i32,
    pub(super) game: Vec<u8>,
    pub(super) title: Vec<u8>,
    pub(super) extensions: Extensions,
    /// The server's clock in seconds when the level was told, in a multi-view recording.
    pub(super) server_time: Option<f32>,
    /// What the recording's own clock showed then, in ms.
    pub(super) told_at: i32,
    pub(super) movevars: [f32; 10],
    pub(super) serverinfo: Vec<u8>,
    /// What the server says of its extensions of the movement and the view.
    pub(super) zext: u32,
    pub(super) models: Names,
    pub(super) sounds: Names,
    pub(super) player_model: u16,
    /// As the models tell, and the settings.
    pub(super) item_rules: Game,
    pub(super) lightstyles: Vec<Vec<u8>>,
    pub(super) baselines: Baselines,
    pub(super) statics: Vec<EntityState>,
    pub(super) ambients: Vec<AmbientSound>,
    pub(super) track: Option<u8>,
    pub(super) intermission: Option<Intermission>,
    pub(super) finale: Option<Vec<u8>>,
}

/// The end of a level: where the camera is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intermission {
    /// Where it is, in units.
    pub origin: [f32; 3],
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
}

/// The words of KTX's setting `mode`, as `ctf` or `2on2-wo`.
pub(crate) fn mode_words(serverinfo: &[u8]) -> impl Iterator<Item = &[u8]> {
    crate::wire::info_value(serverinfo, "mode").unwrap_or_default().split(|b| *b == b'-')
}

impl LevelState {
    /// Places in `movevars`.
    pub(super) const MAXSPEED: usize = 2;
    pub(super) const ENTGRAVITY: usize = 9;
    const STYLES: usize = 64;
    /// More than any engine has room for.
    const STATICS: usize = 4096;
    /// What an engine takes where the protocol does not tell.
    pub(super) const MOVEVARS: [f32; 10] = [800.0, 100.0, 320.0, 500.0, 10.0, 0.7, 10.0, 6.0, 1.0, 1.0];

    pub(super) fn new(m: &ServerData<'_>, told_at: i32) -> Self {
        LevelState {
            age: m.age,
            game: m.game.bytes().to_vec(),
            title: m.mapname.bytes().to_vec(),
            extensions: m.extensions.clone(),
            server_time: m.servertime.map(|t| t.0.get()),
            told_at,
            movevars: m.movevars.map_or(Self::MOVEVARS, |MoveVars(all)| all.map(|v| v.get())),
            ..LevelState::default()
        }
    }

    pub(super) fn model_part(&mut self, first: usize, names: &StrList<'_>) {
        self.models.part(first, names);
        self.player_model = self.models.position(b"progs/player.mdl").unwrap_or(0);
        self.settle_rules();
    }

    /// KTX tells the kind of game in its setting `mode`, also where it has no model of a flag. Other modules have words of
    /// their own there.
    fn settle_rules(&mut self) {
        let told = || mode_words(&self.serverinfo).any(|word| word == b"ctf");
        let flags = self.models.iter().any(|model| model == FLAG_MODEL) || told();
        self.item_rules = if flags { Game::CaptureTheFlag } else { Game::Quake };
    }

    /// The map: the first model, without folder and extension.
    pub(super) fn map(&self) -> &[u8] {
        let file = self.models.get(1).unwrap_or_default();
        let name = file.rsplit(|&b| b == b'/').next().unwrap_or_default();
        name.strip_suffix(b".bsp").unwrap_or(name)
    }

    /// Keeps what the settings say about the protocol and the kind of game.
    pub(super) fn settings_changed(&mut self) {
        self.zext = crate::wire::info_value(&self.serverinfo, ZEXT).and_then(zext::bits).unwrap_or(0);
        self.settle_rules();
    }

    pub(super) fn lightstyle(&mut self, style: u8, text: &[u8]) {
        let at = usize::from(style);
        if at >= Self::STYLES {
            return;
        }
        if at >= self.lightstyles.len() {
            self.lightstyles.resize(at + 1, Vec::new());
        }
        if let Some(to) = self.lightstyles.get_mut(at) {
            to.clear();
            to.extend_from_slice(text);
        }
    }

    pub(super) fn add_static(&mut self, state: EntityState) {
        if self.statics.len() < Self::STATICS {
            self.statics.push(EntityState { number: 0, ..state });
        }
    }

    pub(super) fn ambient(&mut self, m: &SpawnStaticSound, d: &Dialect) {
        if self.ambients.len() < Self::STATICS {
            self.ambients.push(State::of(m, d));
        }
    }
}
