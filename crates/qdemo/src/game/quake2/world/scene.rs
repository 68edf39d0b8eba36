//! The questions of all games, answered for Quake II.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::Moment;
use crate::format::dm2::Recording;
use crate::game::quake2::world::states::{EntityState, PlayerState};
use crate::game::quake2::world::tables::{map_name, name_in, weapon_in_view};
use crate::game::quake2::{World, json};
use crate::world::{
    Changes, Charset, Clock, ClockKind, Entity, Input, InputSource, Level, Place, Player, Scene, ScoreLine, View,
};

/// Highest number of players.
const PLAYERS: usize = World::MAX_PLAYERS;
/// The model of players, and of their bodies.
const PLAYER_MODEL: u16 = 255;
/// Kinds of movement of spectators, and in the re-release.
const PM_SPECTATOR: &[u8] = &[1];
const PM_SPECTATOR_RERELEASE: &[u8] = &[2, 3];
/// Flag of a movement: the player stands on something.
const PMF_ON_GROUND: u16 = 4;
/// Ducked, and still holding the key for jumps.
const PMF_DUCKED: u16 = 1;
const PMF_JUMP_HELD: u16 = 2;

/// Numbers on the status bar, as the game has them.
pub(in crate::game::quake2) mod stat {
    pub(in crate::game::quake2::world) const HEALTH: usize = 1;
    pub(in crate::game::quake2::world) const AMMO_ICON: usize = 2;
    pub(in crate::game::quake2::world) const AMMO: usize = 3;
    pub(in crate::game::quake2::world) const ARMOR_ICON: usize = 4;
    pub(in crate::game::quake2::world) const ARMOR: usize = 5;
    pub(in crate::game::quake2::world) const TIMER_ICON: usize = 9;
    pub(in crate::game::quake2::world) const TIMER: usize = 10;
    pub(in crate::game::quake2) const FRAGS: usize = 14;
    pub(in crate::game::quake2::world) const CHASE: usize = 16;
    pub(in crate::game::quake2::world) const SPECTATOR: usize = 17;
}

/// What there is of a player.
pub(super) struct ToldOf<'w> {
    slot: usize,
    /// Number of the entity.
    number: u16,
    /// The configstring.
    info: &'w [u8],
    /// The entity, while it is in view.
    pub(super) entity: Option<&'w EntityState>,
    /// The player's own state.
    own: Option<&'w PlayerState>,
    /// By that state this one only watches.
    watches: bool,
    /// States tell how players move.
    moves: bool,
    /// The state of the one through whose eyes the recording looks, who may be another one and follow this one.
    viewer: Option<&'w PlayerState>,
}

impl<'w> ToldOf<'w> {
    /// The state whose status bar has the numbers of this player.
    pub(super) fn status_bar(&self) -> Option<&'w PlayerState> {
        if self.own.is_some() { self.own.filter(|_| !self.watches) } else { self.viewer }
    }

    fn place(&self) -> Option<Place> {
        // Whoever follows is where the one who is followed is.
        let state = self.own.or(self.viewer.filter(|_| self.entity.is_none()));
        let by_state = |state: &PlayerState| Place {
            origin: state.origin(),
            angles: Some(state.viewangles()),
            on_ground: (self.moves && state.tells_movement()).then_some(state.pm_flags & PMF_ON_GROUND != 0),
        };
        // Whoever follows looks where the one who is followed looks.
        let by_entity = |state: &EntityState| Place {
            origin: state.origin(),
            angles: Some(self.viewer.map_or_else(|| state.view_angles(), PlayerState::viewangles)),
            on_ground: None,
        };
        state.map(by_state).or_else(|| self.entity.map(by_entity))
    }
}

impl World {
    fn string(&self, first: u16, number: usize) -> &[u8] {
        u16::try_from(number).ok().and_then(|n| first.checked_add(n)).map_or(&[], |n| self.strings.get(n))
    }

    /// The configstring of a player: `name\\model/skin`.
    pub fn player_info(&self, slot: usize) -> &[u8] {
        if slot < PLAYERS { self.string(self.dialect.layout.configstrings.players, slot) } else { &[] }
    }

    /// A text with the names of players where the re-release has `##P` and a slot.
    pub(super) fn with_names<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        const MARK: &[u8] = b"##P";
        let starts = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(MARK));
        if !self.dialect.layout.rerelease || !(0..text.len()).any(|at| starts(&at)) {
            return Cow::Borrowed(text);
        }
        let (mut named, mut rest) = (Vec::new(), text);
        while let Some(byte) = rest.first() {
            let digits = rest.strip_prefix(MARK).unwrap_or_default();
            let digits = digits.split(|b| !b.is_ascii_digit()).next().unwrap_or_default();
            let slot = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            let info = slot.map(|slot| self.player_info(slot)).unwrap_or_default();
            if info.is_empty() {
                named.push(*byte);
                rest = rest.get(1..).unwrap_or_default();
            } else {
                named.extend_from_slice(info.split(|&b| b == b'\\').next().unwrap_or_default());
                rest = rest.get(MARK.len() + digits.len()..).unwrap_or_default();
            }
        }
        Cow::Owned(named)
    }

    /// The name of a model, by its number from 1, the map. Those that begin with `*` are parts of the map.
    pub fn model_name(&self, model: u16) -> &[u8] {
        let strings = self.dialect.layout.configstrings;
        let there = model != 0 && model < strings.sounds - strings.models;
        if there { self.string(strings.models, usize::from(model)) } else { &[] }
    }

    /// The name of a picture.
    pub fn image_name(&self, image: u16) -> &[u8] {
        let strings = self.dialect.layout.configstrings;
        if image < strings.lights - strings.images { self.string(strings.images, usize::from(image)) } else { &[] }
    }

    /// The name of an item, as inventories number them.
    pub fn item_name(&self, item: usize) -> &[u8] {
        let strings = self.dialect.layout.configstrings;
        let there = item < usize::from(strings.players - strings.items);
        if there { self.string(strings.items, item) } else { &[] }
    }

    /// Brightness of a light style in steps of 0.1 s, `a` dark to `z` bright.
    pub fn light_style(&self, style: usize) -> &[u8] {
        if style < 256 { self.string(self.dialect.layout.configstrings.lights, style) } else { &[] }
    }

    /// The program of the status bar.
    pub fn status_bar(&self) -> &[u8] {
        self.strings.status_bar()
    }

    /// True for a game of the red and the blue team: Capture the Flag as Threewave made it for id, and teams of the
    /// re-release. They alone have the pictures of both teams ready for the status bar (`SP_worldspawn` of id's `ctf`,
    /// `CTFPrecache`).
    pub fn in_teams(&self) -> bool {
        self.strings.team_picture.is_some()
    }

    /// The team of a player, in a game of teams: skins show it (`CTFAssignSkin`).
    fn team_of(&self, info: &[u8]) -> Option<Cow<'static, [u8]>> {
        if !self.in_teams() {
            return None;
        }
        match info.split(|&b| b == b'\\').nth(1)?.rsplit(|&b| b == b'/').next()? {
            b"ctf_r" => Some(Cow::Borrowed(b"red")),
            b"ctf_b" => Some(Cow::Borrowed(b"blue")),
            _ => None,
        }
    }

    /// Player slots of the level; `None` where it does not tell.
    pub fn maxclients(&self) -> Option<usize> {
        self.strings.maxclients
    }

    /// Slot of the player through whose eyes the recorder looks.
    pub fn seen(&self) -> Option<usize> {
        self.player_state().and_then(|state| self.chased(state)).or_else(|| self.recorder())
    }

    /// Slot of the player whom one follows.
    fn chased(&self, state: &PlayerState) -> Option<usize> {
        let strings = self.dialect.layout.configstrings;
        let string = u16::try_from(state.stat(stat::CHASE)).ok()?;
        let slot = string.checked_sub(strings.players).map(usize::from)?;
        let named = slot < PLAYERS && self.strings.bar.names_chased;
        Some(slot).filter(|slot| named && !self.player_info(*slot).is_empty())
    }

    pub(super) fn watches(&self, state: &PlayerState) -> bool {
        let told = state.stat(stat::SPECTATOR) != 0 && self.strings.bar.marks_spectators;
        let kinds = if self.dialect.layout.rerelease { PM_SPECTATOR_RERELEASE } else { PM_SPECTATOR };
        told || kinds.contains(&state.pm_type) || self.chased(state).is_some()
    }

    /// Slot of the player that an entity is: bodies have the same model and higher numbers.
    fn player_of(&self, number: u16, state: &EntityState) -> Option<usize> {
        let slot = usize::from(number).checked_sub(1)?;
        let is_player = state.modelindex == PLAYER_MODEL && slot < self.maxclients().unwrap_or(PLAYERS);
        is_player.then_some(slot)
    }

    /// The model of a player that tells the weapon in hand.
    fn weapon_of(&self, state: &EntityState) -> Option<Cow<'static, str>> {
        if state.modelindex2 != PLAYER_MODEL {
            return None;
        }
        // Models that begin with this sign are weapons, numbered from 1.
        let nth = (state.skin >> 8 & 0xFF).checked_sub(1)? as usize;
        let strings = self.dialect.layout.configstrings;
        self.strings.weapons(strings.models + 1..strings.sounds).nth(nth)?.cloned()
    }

    fn model(&self, number: u16, state: &EntityState) -> &[u8] {
        if state.is_beam() {
            return &[];
        }
        match state.modelindex {
            PLAYER_MODEL => {
                let slot = self.player_of(number, state).unwrap_or(state.skin as usize & 0xFF);
                let info = self.player_info(slot);
                info.split(|&b| b == b'\\').nth(1).unwrap_or_default()
            }
            model => self.model_name(model),
        }
    }

    fn kind(&self, number: u16, state: &EntityState) -> &'static str {
        const KINDS: [(&[u8], &str); 9] = [
            (b"*", "mover"),
            (b"models/items/", "item"),
            (b"models/weapons/g_", "item"),
            (b"models/monsters/", "monster"),
            (b"models/objects/rocket/", "missile"),
            (b"models/objects/grenade", "missile"),
            (b"models/objects/laser/", "missile"),
            (b"models/objects/gibs/", "gib"),
            (b"players/", "item"),
        ];
        if state.is_beam() {
            return "beam";
        }
        if state.modelindex == PLAYER_MODEL {
            return if self.player_of(number, state).is_some() { "player" } else { "body" };
        }
        let model = self.model_name(state.modelindex);
        KINDS.iter().find(|(start, _)| model.starts_with(start)).map_or("", |(_, kind)| kind)
    }

    /// What there is of a player.
    pub(super) fn told_of(&self, slot: usize) -> Option<ToldOf<'_>> {
        let (info, own) = (self.player_info(slot), self.state_of(slot));
        if slot >= PLAYERS || info.is_empty() && own.is_none() {
            return None;
        }
        let number = slot as u16 + 1;
        Some(ToldOf {
            slot,
            number,
            info,
            entity: self.entity_state(number).filter(|state| self.player_of(number, state).is_some()),
            own,
            watches: own.is_some_and(|state| self.watches(state)),
            // Those of the test release tell the view alone.
            moves: self.dialect.recording != Recording::TestRelease,
            viewer: self.player_state().filter(|_| self.seen() == Some(slot)),
        })
    }

    fn line_of<'a>(&self, told: &ToldOf<'a>) -> ScoreLine<'a> {
        let score = self.score(told.slot);
        let frags = told.status_bar().map(|state| i32::from(state.stat(stat::FRAGS)));
        ScoreLine {
            slot: told.slot,
            name: Cow::Borrowed(name_in(told.info)),
            charset: Charset::default(),
            team: self.team_of(told.info),
            spectator: told.watches,
            frags: frags.or(score.map(|score| score.score)),
            ping: score.map(|score| score.ping),
            is_placed: told.place().is_some(),
        }
    }

    /// The own state that tells of a player, and if it tells of nobody else.
    fn state_of(&self, slot: usize) -> Option<&PlayerState> {
        let client = u8::try_from(slot).ok().and_then(|n| self.client_state(n));
        client.or_else(|| self.player_state().filter(|_| self.recorder() == Some(slot)))
    }
}

/// Items have the names in `carried` that they have where they are taken: `railgun`, `combat_armor`, `quad_damage`. Of the
/// player who is seen, and in Relay recordings of everybody, the status bar tells them by pictures: armour with its points;
/// `power_shield` or `power_screen` with the value 1, and its `cells`; the ammunition of the weapon in hand; a powerup with
/// the milliseconds that are left, in whole seconds. A picture of a mod has its own name. Of the recorder, and in Relay
/// recordings of everybody, there is also the inventory as it was when it was last shown. Of everybody in view effects
/// tell, with the value 1, `quad_damage`, `invulnerability`, `red_flag`, `blue_flag`, `double_damage`, `half_damage`.
///
/// Keys of `own`: `protocol`, `gamedir`, `isdemo`, `key`; `frame_rate` where told; `snapshot` (`delta`, `suppress`,
/// `areas`, `connected`); `missing_bases`; `player_states` (`client` in Relay recordings; then as in text: `pm_type`,
/// `velocity`, `stats` by number ...); `entity_states` (`entity`, then as in text: `modelindex`, `old_origin` ...);
/// `scores` (`slot`, `score`, `ping`, `minutes`); `told` (`client`, `layout`, `inventory` by number); `fog`;
/// `configstrings` by number; `baselines` (as `entity_states`). Fields that are 0 are left out.
impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        let now = self.frame.map(|n| match self.rate {
            None => n.saturating_mul(100),
            Some(_) => i32::try_from(self.micros(n) / 1000).unwrap_or(if n < 0 { i32::MIN } else { i32::MAX }),
        });
        Clock {
            kind: ClockKind::Server,
            now: now.map(Moment::Milliseconds),
            frame: self.frame.map(i64::from),
            demo: self.clock.now(),
        }
    }

    fn level(&self) -> Level<'_> {
        let map = map_name(self.model_name(1));
        Level { number: self.levels.number(), map, title: &self.facts.title }
    }

    fn recorder(&self) -> Option<usize> {
        self.facts.client.map(usize::from)
    }

    fn view(&self) -> Option<View> {
        let state = self.player_state()?;
        let (origin, up) = (state.origin(), state.viewoffset());
        let eyes = std::array::from_fn(|i| origin[i] + up[i]);
        // The test release does not tell how high the eyes are.
        let eyes = Some(eyes).filter(|_| self.dialect.recording != Recording::TestRelease);
        Some(View { slot: self.seen(), origin: eyes, angles: state.viewangles() })
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn is_paused(&self) -> bool {
        // The server sends no frames then, and nothing that tells.
        false
    }

    fn player_slots(&self) -> usize {
        let recorder = self.recorder().map_or(0, |slot| slot + 1);
        self.slots.max(recorder).min(PLAYERS)
    }

    fn player(&self, slot: usize) -> Option<Player<'_>> {
        let told = self.told_of(slot)?;
        let mut player = Player::from(self.line_of(&told));
        if let Some(state) = told.entity {
            player.entity = Some(told.number);
            player.frame = Some(i32::from(state.frame));
            player.effects = Some(state.effects.effects);
            player.weapon = self.weapon_of(state);
        }
        if let Some(Place { origin, angles, on_ground }) = told.place() {
            (player.origin, player.angles, player.on_ground) = (Some(origin), angles, on_ground);
        }
        let moves = told.own.filter(|state| told.moves && state.tells_movement());
        player.velocity = moves.map(PlayerState::velocity);
        player.seen_through = told.viewer.is_some();
        if let Some(state) = told.status_bar() {
            let number = |n| Some(i32::from(state.stat(n)));
            player.health = number(stat::HEALTH);
            player.armor = self.armor_of(slot);
            player.ammo = number(stat::AMMO).filter(|_| state.stat(stat::AMMO_ICON) != 0);
            player.weapon = weapon_in_view(self.model_name(state.guns.index));
        }
        Some(player)
    }

    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        Some(self.line_of(&self.told_of(slot)?))
    }

    fn place(&self, slot: usize) -> Option<Place> {
        self.told_of(slot)?.place()
    }

    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        self.carried_by(slot, each);
    }

    fn entity_slots(&self) -> usize {
        let last = self.frame().filter(|_| self.complete).and_then(|frame| frame.entities().last());
        last.map_or(0, |e| usize::from(e.number) + 1)
    }

    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        let number = u16::try_from(number).ok()?;
        let state = self.entity_state(number)?;
        Some(Entity {
            number,
            kind: Cow::Borrowed(self.kind(number, state)),
            player: self.player_of(number, state),
            model: Cow::Borrowed(self.model(number, state)),
            origin: state.origin(),
            velocity: None,
            angles: state.angles(),
            frame: i32::from(state.frame),
            skin: state.skin,
            effects: state.effects.effects,
        })
    }

    fn is_player(&self, number: usize) -> bool {
        let number = u16::try_from(number).ok();
        let entity = number.and_then(|number| Some((number, self.entity_state(number)?)));
        entity.is_some_and(|(number, state)| self.player_of(number, state).is_some())
    }

    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        let strings = self.dialect.layout.configstrings;
        let there = sound < strings.images - strings.sounds;
        Some(self.string(strings.sounds, usize::from(sound))).filter(|name| there && !name.is_empty())
    }

    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        // The test release tells the view alone.
        self.views(self.dialect.recording != Recording::TestRelease, each);
    }

    fn own(&self) -> Map<String, Value> {
        crate::json::map(&json::own(self, None))
    }

    fn own_beside(&self, other: &Self) -> Map<String, Value> {
        crate::json::map(&json::own(self, Some(other)))
    }
}

impl World {
    /// Shows where the players look whose states a frame tells, and with `moves` what these say of their movement.
    pub(in crate::game::quake2) fn views(&self, moves: bool, each: &mut dyn FnMut(&Input)) {
        let frame = self.frame().filter(|_| self.complete && self.changes.frame);
        for (client, state) in frame.into_iter().flat_map(|frame| &frame.players) {
            let slot = client.map(usize::from).or_else(|| self.recorder());
            let view = Input::of_view(InputSource::PlayerState, slot, state.viewangles());
            let key = |flag| state.tells_movement().then_some(state.pm_flags & flag != 0);
            each(&match moves {
                false => view,
                true => Input {
                    delta_angles: Some(state.delta_angles()),
                    flags: Some(state.pm_flags.into()),
                    duck: key(PMF_DUCKED),
                    jump: key(PMF_JUMP_HELD),
                    ..view
                },
            });
        }
    }
}
