//! The questions of all games, answered for Quake.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::json;
use crate::error::Moment;
use crate::game::quake::world::entities::InView;
use crate::game::quake::world::stats::Stats;
use crate::game::quake::{EntityState, World};
use crate::world::{Changes, Clock, ClockKind, Entity, Input, InputSource, Level, Player, Scene, View};

/// Names of `carried` beside those of items: `shells`, `nails`, `rockets`, `cells`. Items, weapons and armour that are
/// carried have the value 1: `axe`, `shotgun`, `super_shotgun`, `nailgun`, `super_nailgun`, `grenade_launcher`,
/// `rocket_launcher`, `lightning_gun`, `green_armor`, `yellow_armor`, `red_armor`, `megahealth`, `silver_key`,
/// `gold_key`, `invisibility`, `invulnerability`, `biosuit`, `quad`, `sigil_1` to `sigil_4`; in Capture the Flag
/// `resistance`, `strength`, `haste`, `regeneration` in place of these. Mission packs: `mjolnir`,
/// `proximity_gun`, `laser_cannon`, `wetsuit`, `empathy_shields`; `lava_nailgun`, `lava_super_nailgun`,
/// `multi_grenade_launcher`, `multi_rocket_launcher`, `plasma_gun`, `shield`, `antigrav_belt`.
///
/// Keys of `own`: `protocol`, `game`, `maxclients`, `deathmatch`, `signon`; where told, `gamedir`, `cd_track`,
/// `view_entity`, `sky`, `sky_size`, `fog` (`density`, `color`, `fade`), `ending` (`kind`, `time`, `text`), `pictures`;
/// `stats` (name or number: value); `client` (`view_height`, `ideal_pitch`, `punch`, `items`, `on_ground`, `in_water`,
/// `weapon_opacity`); `colors` (`slot`, `shirt`, `pants`); `lightstyles`, `models`, `sounds` (lists of names, the
/// latter two from number 1); `in_view` (`entity`, and what entities of all games have no word for: `colormap`,
/// `opacity`, `scale`, `fullbright`, `step`, `snap`, `lerp_finish` in seconds; without what is usual); `baselines`,
/// `statics` (`entity`, `model`, `origin`, `angles`, `frame`, `skin`, and as in `in_view`); `ambient_sounds` (`sound`,
/// `origin`, `volume`, `attenuation`).
impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        Clock {
            kind: ClockKind::Server,
            now: self.state.time.map(Moment::Seconds),
            frame: None,
            demo: self.state.clock.now(),
        }
    }

    fn level(&self) -> Level<'_> {
        let facts = &self.state.level.facts;
        Level { number: self.state.levels.number(), map: &facts.map, title: &facts.title }
    }

    fn recorder(&self) -> Option<usize> {
        self.state.recorder.map(usize::from)
    }

    fn view(&self) -> Option<View> {
        let state = &self.state;
        let number = state.view_entity?;
        let at = self.visible.get(number).map(|e| e.state);
        let slot = state.player_slot(number).map(usize::from);
        // Between levels the camera is the entity itself, not somebody's eyes.
        let (height, angles) = match (&state.level.ending, at) {
            (Some(_), Some(entity)) => (0.0, entity.angles()),
            _ => (state.client.map_or(0.0, |c| c.view_height.get()), state.camera),
        };
        let origin = at.map(|e| e.origin()).map(|[x, y, z]| [x, y, z + height]);
        Some(View { slot, origin, angles })
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }

    fn is_complete(&self) -> bool {
        self.state.whole_level && self.state.whole_frame
    }

    fn is_paused(&self) -> bool {
        self.state.paused
    }

    fn player_slots(&self) -> usize {
        usize::from(self.maxclients()).max(self.state.level.scores.len())
    }

    fn player(&self, slot: usize) -> Option<Player<'_>> {
        let score = self.state.level.scores.get(slot);
        let records = self.recorder() == Some(slot);
        // Recorders are there even when nobody told their name.
        if !records && score.is_none_or(|s| s.name.is_empty()) {
            return None;
        }
        let number = u16::try_from(slot + 1).ok()?;
        let seen = self.visible.get(number).map(|e| &e.state);
        let mut player = Player {
            slot,
            name: Cow::Borrowed(score.map_or(&[][..], |s| &s.name)),
            seen_through: self.state.view_entity == Some(number),
            entity: seen.map(|_| number),
            origin: seen.map(EntityState::origin),
            angles: seen.map(|state| self.looks(slot, state)),
            frags: score.and_then(|s| s.frags).map(i32::from),
            frame: seen.map(|e| i32::from(e.frame)),
            effects: seen.map(|e| u32::from(e.effects)),
            ..Player::default()
        };
        if records {
            let stats = &self.state.stats;
            player.velocity = self.state.client.map(|c| c.velocity());
            player.on_ground = self.state.client.map(|c| c.on_ground);
            player.health = stats.get(Stats::HEALTH);
            player.armor = stats.get(Stats::ARMOR);
            let model = self.state.client.and_then(|c| self.model_name(c.weapon_model)).unwrap_or_default();
            let weapon = stats.get(Stats::WEAPON).and_then(|w| self.game().weapon_in_hand(w, model));
            player.weapon = weapon.map(Cow::Borrowed);
            player.ammo = stats.get(Stats::AMMO);
        }
        Some(player)
    }

    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        if self.recorder() != Some(slot) {
            return;
        }
        for index in Stats::SHELLS..Stats::SHELLS + 4 {
            if let (Some(name), Some(amount)) = (Stats::NAMES.get(index), self.state.stats.get(index)) {
                each(name, i64::from(amount));
            }
        }
        let items = self.state.client.map_or(0, |c| c.items);
        self.game().items(items).for_each(|name| each(name, 1));
    }

    fn entity_slots(&self) -> usize {
        self.visible.all().last().map_or(0, |e| usize::from(e.number) + 1)
    }

    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        self.visible.get(u16::try_from(number).ok()?).map(|entity| self.described(entity))
    }

    fn is_player(&self, number: usize) -> bool {
        let entity = u16::try_from(number).ok().and_then(|number| self.visible.get(number));
        entity.is_some_and(|entity| self.state.player_slot(entity.number).is_some())
    }

    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        self.state.level.facts.sounds.get(sound)
    }

    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        each(&Input::of_view(InputSource::Block, self.recorder(), self.state.camera));
    }

    fn own(&self) -> Map<String, Value> {
        json::own(self, None)
    }

    fn own_beside(&self, other: &Self) -> Map<String, Value> {
        json::own(self, Some(other))
    }

    fn entities(&self) -> impl Iterator<Item = Entity<'_>> {
        self.visible.all().iter().map(|entity| self.described(entity))
    }
}

impl World {
    /// Where the player in a slot looks, whose entity is in view.
    fn looks(&self, slot: usize, entity: &EntityState) -> [f32; 3] {
        // Between levels everybody is the camera, and turned as that is (`execute_changelevel`).
        if self.state.level.ending.is_some() {
            return entity.angles();
        }
        // The camera of the recording is the recorder's, while the view is on that player.
        let is_seen = self.state.view_entity.is_some_and(|view| usize::from(view) == slot + 1);
        match self.recorder() == Some(slot) && is_seen {
            true => self.state.camera,
            false => entity.view_angles(),
        }
    }

    fn described(&self, entity: &InView) -> Entity<'_> {
        let state = &entity.state;
        let player = self.state.player_slot(entity.number);
        let kind = if player.is_some() { "player" } else { self.state.level.facts.kind(state.model) };
        Entity {
            number: entity.number,
            kind: Cow::Borrowed(kind),
            player: player.map(usize::from),
            model: Cow::Borrowed(self.model_name(state.model).unwrap_or_default()),
            origin: state.origin(),
            velocity: None,
            angles: state.angles(),
            frame: i32::from(state.frame),
            skin: u32::from(state.skin),
            effects: u32::from(state.effects),
        }
    }
}
