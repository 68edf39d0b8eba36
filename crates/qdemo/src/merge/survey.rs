//! A first look at a recording: its levels, and what was said.

use super::{Input, open_readable};
use crate::demo::{Chunk, FileKind};
use crate::error::Result;
use crate::game::{quake2, quakeworld};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::info_value;
use crate::world::{Scene, TextKind};

/// What tells a level of a server from another one.
pub(super) type LevelId = Vec<u8>;

/// Somebody said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) level: LevelId,
    /// When, on the clock that the recordings are aligned by.
    pub(super) at: i64,
    /// As it was told.
    pub(super) kind: TextKind,
    pub(super) text: Vec<u8>,
}

/// The same words within so many ms are the same.
const NEAR: i64 = 3_000;

impl Said {
    /// True for the same words at the same time.
    pub(super) fn is_same(&self, other: &Said) -> bool {
        self.level == other.level && self.text == other.text && (self.at - other.at).abs() <= NEAR
    }
}

/// What a recording has.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) kind: FileKind,
    pub(super) protocol: Option<i32>,
    /// Its levels, in order.
    pub(super) levels: Vec<LevelId>,
    /// What was said in it.
    pub(super) said: Vec<Said>,
    /// When its matches began, as KTX tells everybody: with the date, to the second.
    dates: Vec<Vec<u8>>,
    /// When it begins in the first of them, on the clock that the recordings are aligned by.
    pub(super) begins: Option<i64>,
    /// All of it can be read.
    pub(super) is_readable: bool,
}

impl Survey {
    pub(super) fn of(input: &Input<'_>, limits: Limits) -> Result<Self> {
        let mut reader = open_readable(input, limits)?;
        let detected = reader.detected();
        let (kind, protocol) = (detected.kind, detected.protocol);
        let mut world = World::of(detected, input.name)?;
        world.only_texts();
        let mut levels = Levels::default();
        let mut survey = Survey {
            kind,
            protocol,
            levels: Vec::new(),
            said: Vec::new(),
            dates: Vec::new(),
            begins: None,
            is_readable: true,
        };
        while let Some((chunk, _, readable)) = reader.next().map_err(|e| e.in_file(input.name))? {
            survey.is_readable &= !readable.is_less();
            world.apply(&chunk);
            survey.take(&mut levels, &world, &chunk);
        }
        Ok(survey)
    }

    fn take(&mut self, levels: &mut Levels, world: &World, chunk: &Chunk<'_>) {
        if chunk.block().is_none() {
            return;
        }
        let Some(level) = levels.of(world) else { return };
        if self.levels.last() != Some(&level) {
            self.levels.push(level.clone());
        }
        let at = time_of(world);
        // Before its first frame a recording does not tell the server's clock; that of QuakeWorld is its own.
        if self.begins.is_none()
            && self.levels.len() == 1
            && (world.changes().frame || matches!(world, World::QuakeWorld(_)))
        {
            self.begins = Some(at);
        }
        for (kind, text, slot) in world.changes().texts() {
            if let Some(date) = date_in(kind, text).filter(|date| !self.dates.contains(date)) {
                self.dates.push(date);
            }
            if is_chat(kind, text) && slot.is_none() {
                self.said.push(Said { level: level.clone(), at, kind, text: text.to_vec() });
            }
        }
    }

    /// True where both tell when their matches began, and no match is the same.
    pub(super) fn is_of_other_matches(&self, other: &Survey) -> bool {
        !self.dates.is_empty() && !other.dates.is_empty() && !self.dates.iter().any(|date| other.dates.contains(date))
    }

    /// True for a moment of a level in front of the recording.
    pub(super) fn begins_behind(&self, level: &LevelId, at: i64) -> bool {
        self.levels.first() == Some(level) && self.begins.is_some_and(|begins| at < begins)
    }

    /// What was said in this recording while `first` was made and not in that, on the clock of that: `offset` is added to its own.
    pub(super) fn said_here_alone(&self, first: &Survey, offset: i64) -> Vec<Said> {
        let mut theirs: Vec<_> = first.said.iter().map(|said| (said, false)).collect();
        let mut alone = Vec::new();
        for said in &self.said {
            let said = Said { at: said.at.saturating_add(offset), ..said.clone() };
            match theirs.iter_mut().find(|(their, taken)| !taken && their.is_same(&said)) {
                Some((_, taken)) => *taken = true,
                None if first.begins_behind(&said.level, said.at) => {}
                None if first.levels.contains(&said.level) => alone.push(said),
                None => {}
            }
        }
        alone
    }
}

/// When a match began, where a line of a text that no player says tells it.
fn date_in(kind: TextKind, text: &[u8]) -> Option<Vec<u8>> {
    if !matches!(kind, TextKind::Print(_)) || is_chat(kind, text) {
        return None;
    }
    text.split(|b| *b == b'\n').find_map(|line| line.trim_ascii().strip_prefix(b"matchdate: ")).map(<[u8]>::to_vec)
}

/// True for what players say.
fn is_chat(kind: TextKind, text: &[u8]) -> bool {
    // The level of chat in QuakeWorld and Quake II.
    const CHAT: u8 = 3;
    match kind {
        TextKind::Print(None) => text.first() == Some(&1),
        TextKind::Print(level) => level == Some(CHAT),
        TextKind::Command => [&b"chat "[..], b"tchat ", b"bchat "].iter().any(|word| text.starts_with(word)),
        _ => false,
    }
}

/// Tells the levels of a recording apart.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The settings of a server of Quake III, and the server's number in them: they are long.
    settings: Vec<u8>,
    server: Vec<u8>,
}

impl Levels {
    /// What tells the level; `None` before there is one.
    pub(super) fn of(&mut self, world: &World) -> Option<LevelId> {
        if let World::QuakeWorld(world) = world {
            return quakeworld_level(world);
        }
        let map = world.level().map;
        if map.is_empty() {
            return None;
        }
        let number;
        let server = match world {
            World::Dm3(world) => {
                let settings = world.configstrings().get(1);
                if self.settings != settings {
                    self.settings = settings.to_vec();
                    self.server = info_value(settings, "sv_serverid").unwrap_or_default().to_vec();
                }
                &self.server[..]
            }
            World::Dm2(world) => {
                number = world.age().to_le_bytes();
                &number[..]
            }
            // Servers of Quake do not tell.
            World::Dem(world) => &world.protocol().to_le_bytes()[..],
            _ => &[],
        };
        Some([map, b"\0", server].concat())
    }
}

/// The same of a recording of QuakeWorld.
pub(super) fn quakeworld_level(world: &quakeworld::World) -> Option<LevelId> {
    let map = world.level().map;
    (!map.is_empty()).then(|| [map, b"\0", &world.age().to_le_bytes()].concat())
}

/// The clock that recordings are aligned by, in ms: the server's, or demo time where that is not told.
pub(super) fn time_of(world: &World) -> i64 {
    let clock = world.clock();
    match world {
        World::QuakeWorld(_) => clock.demo.ms(),
        World::Dm2(world) => frame_time(world),
        _ => clock.ms().unwrap_or(clock.demo.ms()),
    }
}

/// When the last frame was, in ms.
pub(super) fn frame_time(world: &quake2::World) -> i64 {
    world.frame().map_or(0, |frame| i64::from(frame.number()).saturating_mul(world.period()) / 1_000)
}
