//! What belongs to a level and seldom changes: tables, scores, light styles, what never moves.

use std::sync::Arc;

use crate::format::dem::{Colors, Dialect, Extensions, ServerInfo, Variant};
use crate::game::quake::Game;
use crate::game::quake::info::mission_pack;
use crate::game::quake::items::{FLAG_MODEL, OF_QUAKE, kind_of};
use crate::game::quake::world::entities::Baselines;
use crate::game::quake::world::states::{AmbientSound, EntityState};

/// Names by number, from 1, as precache lists have them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> Names {
        let mut all = Names::default();
        for name in names {
            all.bytes.extend_from_slice(name);
            all.ends.push(all.bytes.len());
        }
        all
    }

    pub(super) fn get(&self, number: u16) -> Option<&[u8]> {
        let at = usize::from(number).checked_sub(1)?;
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.bytes.get(start..end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (1..=self.ends.len()).filter_map(|n| self.get(u16::try_from(n).ok()?))
    }
}

/// What `serverinfo` says, and what follows from it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) extensions: Extensions,
    pub(super) protocol: i32,
    /// Encoding flags, where the protocol has them.
    pub(super) flags: Option<u32>,
    /// How coordinates and angles are written. What blocks are read with may be a variant of it.
    pub(super) dialect: Dialect,
    pub(super) maxclients: u8,
    pub(super) deathmatch: bool,
    pub(super) gamedir: Option<Vec<u8>>,
    pub(super) map: Vec<u8>,
    pub(super) title: Vec<u8>,
    pub(super) game: Game,
    pub(super) models: Names,
    /// What an entity with a model is, by model number from 1.
    kinds: Vec<&'static str>,
    pub(super) sounds: Names,
}

impl Facts {
    fn new(m: &ServerInfo<'_>) -> Facts {
        let file = m.models.iter().next().unwrap_or_default();
        let map = file.rsplit(|&b| b == b'/').next().unwrap_or_default();
        let game = match mission_pack(m) {
            Some(name) if name.starts_with("hipnotic") => Game::Hipnotic,
            Some(_) => Game::Rogue,
            None if m.multi != 0 && m.models.iter().any(|model| model == FLAG_MODEL) => Game::CaptureTheFlag,
            None => Game::Quake,
        };
        Facts {
            extensions: m.extensions.clone(),
            protocol: m.serverversion,
            flags: m.protocolflags,
            dialect: Dialect::after(m, Variant::Standard),
            maxclients: m.maxclients,
            deathmatch: m.multi != 0,
            gamedir: m.gamedir.as_ref().map(|dir| dir.bytes().to_vec()),
            map: map.strip_suffix(b".bsp").unwrap_or(map).to_vec(),
            title: m.mapname.bytes().to_vec(),
            game,
            models: Names::new(m.models.iter()),
            kinds: m.models.iter().map(|model| kind_of(model, &OF_QUAKE)).collect(),
            sounds: Names::new(m.sounds.iter()),
        }
    }

    pub(super) fn kind(&self, model: u16) -> &'static str {
        usize::from(model).checked_sub(1).and_then(|at| self.kinds.get(at)).copied().unwrap_or_default()
    }
}

/// A line of the score board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Score {
    /// The name, as the bytes in the file. Empty: nobody plays here.
    pub name: Arc<[u8]>,
    /// Frags, absolute.
    pub frags: Option<i16>,
    /// Colours of shirt and pants. In team play the pants are the team.
    pub colors: Option<Colors>,
}

/// The fog. (FitzQuake, Nehahra, BJP)
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Fog {
    /// Density; 0 none.
    pub density: f32,
    /// Red, green and blue, 0 to 1.
    pub color: [f32; 3],
    /// Seconds that the change to it takes.
    pub fade: f32,
}

/// A picture over the game. (Nehahra)
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// Slot that it is put in.
    pub slot: Vec<u8>,
    /// Picture file.
    pub file: Vec<u8>,
    /// Left and upper edge in pixels.
    pub place: [u8; 2],
}

/// How a level ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndingKind {
    /// The score board.
    Intermission,
    /// The text at the end of an episode.
    Finale,
    /// A text over the running game.
    CutScene,
}

impl EndingKind {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            EndingKind::Intermission => "intermission",
            EndingKind::Finale => "finale",
            EndingKind::CutScene => "cutscene",
        }
    }
}

/// The end of a level.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ending {
    /// How it ends.
    pub kind: EndingKind,
    /// The server's clock then, in seconds: the time of the run.
    pub time: Option<f32>,
    /// The text; empty for an intermission.
    pub text: Vec<u8>,
}

/// All of it. Copies share what did not change.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LevelState {
    pub(super) facts: Arc<Facts>,
    pub(super) baselines: Arc<Baselines>,
    pub(super) statics: Arc<Vec<EntityState>>,
    pub(super) ambient: Arc<Vec<AmbientSound>>,
    pub(super) light_styles: Arc<Vec<Arc<[u8]>>>,
    pub(super) scores: Arc<Vec<Score>>,
    pub(super) pictures: Arc<Vec<Picture>>,
    pub(super) sky: Vec<u8>,
    pub(super) sky_size: Option<f32>,
    pub(super) fog: Option<Fog>,
    pub(super) ending: Option<Ending>,
}

impl LevelState {
    /// A level begins: everything before it is forgotten.
    pub(super) fn begin(&mut self, m: &ServerInfo<'_>) {
        let facts = Arc::new(Facts::new(m));
        // An index may be large: its memory is used again.
        let mut baselines = std::mem::take(&mut self.baselines);
        if Arc::get_mut(&mut baselines).is_none() {
            baselines = Arc::default();
        }
        Arc::make_mut(&mut baselines).clear(EntityState::zero(&facts.dialect));
        *self = LevelState { facts, baselines, ..LevelState::default() };
    }

    pub(super) fn score(&mut self, slot: u8) -> Option<&mut Score> {
        entry(Arc::make_mut(&mut self.scores), slot)
    }

    pub(super) fn light_style(&mut self, number: u8) -> Option<&mut Arc<[u8]>> {
        entry(Arc::make_mut(&mut self.light_styles), number)
    }
}

/// Adds to a list of things that stay until the next level. A step may have to copy what keyframes share, so there is
/// an end to it: QuakeSpasm takes so many static entities, all other engines fewer.
pub(super) fn add<T: Clone>(list: &mut Arc<Vec<T>>, it: T) {
    const MOST: usize = 4096;
    if list.len() < MOST {
        Arc::make_mut(list).push(it);
    }
}

/// The entry with a number; the list grows up to it.
fn entry<T: Default + Clone>(list: &mut Vec<T>, number: u8) -> Option<&mut T> {
    let at = usize::from(number);
    if at >= list.len() {
        list.resize(at + 1, T::default());
    }
    list.get_mut(at)
}
