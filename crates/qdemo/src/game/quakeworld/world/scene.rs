//! The questions of all games, answered for QuakeWorld.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::json;
use crate::game::quake::items::{Game, OF_QUAKEWORLD, kind_of};
use crate::game::quakeworld::World;
use crate::game::quakeworld::world::level::zext;
use crate::game::quakeworld::world::players::stat;
use crate::game::quakeworld::world::states::PlayerState;
use crate::wire::{clean, info_value};
use crate::world::{
    Changes, Charset, Clock, ClockKind, Entity, Input, InputSource, Level, Place, Player, Rules, Scene, ScoreLine, View,
};

/// Effects of a player who carries a flag, in the order of the teams (`event::flags::TEAMS`). Sources: id Software's
/// QuakeWorld client, which shows the flag; KTX, which sets them.
pub(crate) const FLAG_EFFECTS: [(u8, &str); 2] = [(16, "red_flag"), (32, "blue_flag")];

/// The view of a `.qwd` is the recorder's eyes and the angles of the last command, or the camera of the intermission.
///
/// Names of `carried` are `shells`, `nails`, `rockets`, `cells`, with how many there are, and, with the value 1, the
/// items: `axe`, `shotgun`, `super_shotgun`, `nailgun`, `super_nailgun`, `grenade_launcher`, `rocket_launcher`,
/// `lightning_gun`, `green_armor`, `yellow_armor`, `red_armor`, `megahealth`, `silver_key`, `gold_key`,
/// `invisibility`, `invulnerability`, `biosuit`, `quad`, `sigil_1` to `sigil_4`; in Capture the Flag
/// `resistance`, `strength`, `haste`, `regeneration` in place of these, and in place of keys `red_flag`, `blue_flag`, as the
/// player looks.
///
/// Keys of `own`: `protocol`, `extensions` (magic and flags each), `gamedir`, `age` (counts the levels of the server),
/// `serverinfo` (an object), `movevars` (ten numbers: see [`World::movevars`]), `lightstyles`, `models`, `sounds` (lists
/// of names, the latter two from number 1), `baselines` and `statics` (`entity`, `model`, `origin`, `angles`, `frame`,
/// `skin`, `colormap`, `effects`, `opacity`, `color`, `solid`; without what is 0), `ambient_sounds` (`sound`, `origin`,
/// `volume`, `attenuation`); `in_view` (`entity`, and of `colormap`, `opacity`, `color`, `solid` what is not 0);
/// `nails` (`id`, `origin`, `angles`); `slots`: `slot`, `user`, `userinfo` (an object), and where told `top_color`,
/// `bottom_color`, `loss` (percent), `entered_ms` (demo time), `stats` (32 numbers), and of the last time the player
/// was told of `model`, `skin`, `weapon_frame`, `dead`, `gib`, `pm_type`, `on_ground`, `solid`, `opacity`, `age_ms`,
/// `command` (`angles`, `speed`, `buttons`, `impulse`, `msec`). Where told: `server_time` (seconds, when the recording
/// began), `paused_ms`, `cd_track`, `intermission` (`origin`, `angles`), `finale`; in `.qwd` `spectator`, `sequence`,
/// `acknowledged`, `command` (`msec`, `angles`, `speed`, `buttons`, `impulse`, `view_angles`).
impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        let kind = if self.multiview { ClockKind::Recording } else { ClockKind::Recorder };
        Clock { kind, now: self.now, frame: None, demo: self.clock.now() }
    }

    fn level(&self) -> Level<'_> {
        Level { number: self.levels.number(), map: self.level.map(), title: &self.level.title }
    }

    fn recorder(&self) -> Option<usize> {
        self.recorder.map(usize::from)
    }

    fn view(&self) -> Option<View> {
        if self.multiview {
            return None;
        }
        if let Some(camera) = self.level.intermission {
            return Some(View { slot: None, origin: Some(camera.origin), angles: camera.angles });
        }
        let slot = Scene::recorder(self)?;
        let state = self.slots.get(slot)?.state.filter(|_| self.is_in_view(slot));
        let mut angles = self.view_angles?;
        let mut height = self.view_height(slot);
        if let Some(state) = state.filter(|state| state.flags.gib || state.flags.dead) {
            // Those who are dead lie on their side.
            height = if state.flags.gib { 8.0 } else { -16.0 };
            if state.flags.dead {
                angles[2] = 80.0;
            }
        }
        let origin = state.and_then(|state| state.origin()).map(|[x, y, z]| [x, y, z + height]);
        Some(View { slot: Some(slot), origin, angles })
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }

    fn is_complete(&self) -> bool {
        self.frames.is_complete()
    }

    fn is_paused(&self) -> bool {
        self.paused.is_on()
    }

    /// As `serverinfo` has them. KTX tells the mode, and its own version.
    fn rules(&self) -> Rules {
        let text = |key| info_value(self.serverinfo(), key).map(clean).filter(|value| !value.is_empty());
        let limit = |key| text(key)?.trim().parse().ok().filter(|limit| *limit > 0);
        let ktx = text("ktxver");
        Rules {
            module: ktx.as_ref().map(|_| "ktx".to_owned()).or_else(|| text("*gamedir")),
            mod_version: ktx,
            game_type: text("mode"),
            time_limit: limit("timelimit"),
            frag_limit: limit("fraglimit"),
            ..Rules::default()
        }
    }

    fn player_slots(&self) -> usize {
        (u32::BITS - self.taken.leading_zeros()) as usize
    }

    fn player(&self, slot: usize) -> Option<Player<'_>> {
        let line = self.score_line(slot)?;
        let it = self.slots.get(slot)?;
        let in_view = self.is_in_view(slot);
        let state = it.state.filter(|_| in_view);
        let is_recorder = Scene::recorder(self) == Some(slot);
        let stats = self.own_stats(slot);
        let value = |index: usize| stats.map(|stats| stats.get(index));
        Some(Player {
            seen_through: is_recorder,
            entity: in_view.then_some(slot as u16 + 1),
            origin: state.and_then(|state| state.origin()),
            velocity: state.and_then(|state| state.velocity()),
            angles: self.angles_of(slot, state.as_ref()),
            on_ground: self.ground_of(state.as_ref()),
            health: value(stat::HEALTH),
            armor: value(stat::ARMOR),
            weapon: value(stat::ACTIVE_WEAPON)
                .filter(|weapon| *weapon != 0)
                .and_then(|w| Game::Quake.weapon(w))
                .map(Cow::Borrowed),
            ammo: value(stat::AMMO),
            frame: state.map(|state| i32::from(state.frame)),
            effects: state.map(|state| u32::from(state.effects)),
            ..Player::from(line)
        })
    }

    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        let it = self.slots.get(slot)?;
        if it.is_nobody() && !self.is_in_view(slot) {
            return None;
        }
        Some(ScoreLine {
            slot,
            name: Cow::Borrowed(it.name()),
            charset: Charset::Quake,
            team: it.team().map(Cow::Borrowed),
            spectator: it.is_spectator(),
            frags: it.frags.map(i32::from),
            ping: it.ping.map(i32::from),
            is_placed: self.is_in_view(slot) && it.is_placed(),
        })
    }

    fn place(&self, slot: usize) -> Option<Place> {
        let state = self.slots.get(slot)?.state.as_ref().filter(|_| self.is_in_view(slot));
        Some(Place { origin: state?.origin()?, angles: self.angles_of(slot, state), on_ground: self.ground_of(state) })
    }

    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        let Some(stats) = self.own_stats(slot) else { return };
        for (name, index) in ["shells", "nails", "rockets", "cells"].iter().zip(stat::SHELLS..) {
            each(name, i64::from(stats.get(index)));
        }
        let items = stats.get(stat::ITEMS) as u32;
        self.game().items(items).for_each(|name| each(name, 1));
        let has_flags = self.game() == Game::CaptureTheFlag;
        if let Some(state) = self.slots.get(slot).and_then(|it| it.state).filter(|_| has_flags && self.is_in_view(slot))
        {
            for (_, flag) in FLAG_EFFECTS.into_iter().filter(|(effect, _)| state.effects & effect != 0) {
                each(flag, 1);
            }
        }
    }

    fn entity_slots(&self) -> usize {
        let last = self.entity_states().last().map_or(0, |e| usize::from(e.number));
        last.max(Self::SLOTS) + 1
    }

    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        let number = u16::try_from(number).ok()?;
        let model = |n: u16| Cow::Borrowed(self.level.models.get(usize::from(n)).unwrap_or_default());
        let slot = usize::from(number).wrapping_sub(1);
        if self.is_in_view(slot) {
            let state = self.slots.get(slot)?.state.as_ref()?;
            let angles = if Scene::recorder(self) == Some(slot) { self.view_angles } else { state.angles() };
            return Some(Entity {
                number,
                kind: Cow::Borrowed("player"),
                player: Some(slot),
                model: model(state.look.model),
                origin: state.origin()?,
                velocity: state.velocity(),
                angles: angles.unwrap_or_default(),
                frame: i32::from(state.frame),
                skin: u32::from(state.look.skin),
                effects: u32::from(state.effects),
            });
        }
        let state = self.entity_state(number)?;
        let model = model(state.model);
        Some(Entity {
            number,
            kind: Cow::Borrowed(kind_of(&model, &OF_QUAKEWORLD)),
            player: None,
            model,
            origin: state.origin(),
            velocity: None,
            angles: state.angles(),
            frame: i32::from(state.frame),
            skin: u32::from(state.skin),
            effects: u32::from(state.effects),
        })
    }

    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        self.level.sounds.get(usize::from(sound))
    }

    /// Beside commands of clients, what a packet of a `.qwd` tells of the last ones of other players.
    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        self.changes.inputs.iter().for_each(&mut *each);
        if self.multiview || !self.in_packet {
            return;
        }
        for (slot, it) in self.slots.iter().enumerate().filter(|(slot, _)| self.is_in_view(*slot)) {
            let state = it.state.as_ref().filter(|_| Scene::recorder(self) != Some(slot));
            let Some((command, angles)) = state.and_then(|state| state.command.zip(state.angles())) else { continue };
            let input = Input::of_view(InputSource::PlayerInfo, Some(slot), angles);
            each(&Input {
                msec: command.msec,
                speed: Some(command.speed.map(|speed| speed.map_or(0, i32::from))),
                ..input.with_buttons(command.buttons.unwrap_or(0))
            });
        }
    }

    fn own(&self) -> Map<String, Value> {
        json::own(self, None)
    }

    fn own_beside(&self, other: &Self) -> Map<String, Value> {
        json::own(self, Some(other))
    }
}

impl World {
    /// Height of the eyes above the origin of a living player.
    pub(crate) fn view_height(&self, slot: usize) -> f32 {
        let told = self.stats(slot).filter(|_| self.level.zext & zext::VIEW_HEIGHT != 0);
        told.map_or(22.0, |stats| stats.get(stat::VIEW_HEIGHT) as f32)
    }

    /// Where a player looks; the recorder's commands tell.
    fn angles_of(&self, slot: usize, state: Option<&PlayerState>) -> Option<[f32; 3]> {
        match Scene::recorder(self) == Some(slot) {
            true => self.view_angles,
            false => state.and_then(|state| state.angles()),
        }
    }

    /// True for a player in view who stands on something, where that is told.
    fn ground_of(&self, state: Option<&PlayerState>) -> Option<bool> {
        state.filter(|_| self.tells_ground()).map(|state| state.flags.on_ground)
    }

    /// True for a player in view who stands on something, as told, or else as the velocity shows: only whoever stands has none up
    /// or down, as gravity acts on everybody else (`PM_AirMove`), but for those who fly as they watch.
    pub(crate) fn stands(&self, slot: usize) -> bool {
        let Some(it) = self.slot(slot) else { return false };
        let by_velocity = || it.state.as_ref().is_some_and(|state| state.velocity[2] == 0);
        self.ground_of(it.state.as_ref()).unwrap_or_else(|| !it.is_spectator() && by_velocity())
    }

    /// True when the states of players tell whether they stand on something: those of a server's own recordings do not.
    fn tells_ground(&self) -> bool {
        self.level.zext & zext::ON_GROUND != 0 && !self.multiview
    }
}
