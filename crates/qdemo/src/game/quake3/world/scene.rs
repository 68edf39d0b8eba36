//! The questions of [`Scene`], answered for Quake III.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::Moment;
use crate::format::dm3::{Array, EntityField, PlayerField};
use crate::game::quake3::names::{ENTITY_TYPES, Game, StatSlots, WEAPONS, lasts};
use crate::game::quake3::{EntityState, PlayerState, World};
use crate::json;
use crate::wire::info_value;
use crate::world::{
    Changes, Charset, Clock, ClockKind, Entity, Input, InputSource, Level, Place, Player, Rules, Scene, ScoreLine, View,
};

pub(super) const ORIGIN: [PlayerField; 3] = [PlayerField::OriginX, PlayerField::OriginY, PlayerField::OriginZ];
pub(super) const VELOCITY: [PlayerField; 3] = [PlayerField::VelocityX, PlayerField::VelocityY, PlayerField::VelocityZ];
const DELTA_ANGLES: [PlayerField; 3] =
    [PlayerField::DeltaAnglesX, PlayerField::DeltaAnglesY, PlayerField::DeltaAnglesZ];
pub(super) const ANGLES: [PlayerField; 3] =
    [PlayerField::ViewanglesX, PlayerField::ViewanglesY, PlayerField::ViewanglesZ];

/// Highest number of players.
pub(super) const PLAYERS: usize = 64;
/// Entity numbers that ten bits can tell.
const ENTITIES: usize = 1024;
/// The number that stands for no entity.
pub(super) const NO_ENTITY: i32 = 1023;
/// The type of entities that are players.
pub(super) const ET_PLAYER: i32 = 1;
const ET_ITEM: i32 = 2;
/// Models of things that are part of the map.
const SOLID_BMODEL: i32 = 0xFF_FFFF;
/// The game module's spectators and those who are told to look at the scores are not in the world.
pub(super) const PM_SPECTATOR: i32 = 2;
/// Ducked, and still holding the key for jumps.
const PMF_DUCKED: i32 = 1;
const PMF_JUMP_HELD: i32 = 2;
/// Looking through the eyes of another one.
pub(super) const PMF_FOLLOW: i32 = 4096;
/// The key for shots is held, and there is something to shoot with.
const EF_FIRING: i32 = 0x100;

/// What a snapshot has of a player.
#[derive(Clone, Copy)]
enum SeenAs<'s> {
    /// The state of the one who is seen.
    State(&'s PlayerState),
    /// The entity of another one, at this server time.
    Entity(&'s EntityState, i32),
}

impl SeenAs<'_> {
    #[inline]
    fn place(self) -> Place {
        match self {
            SeenAs::State(state) => Place {
                origin: state.vector(ORIGIN),
                angles: Some(state.vector(ANGLES)),
                on_ground: Some(state.int(PlayerField::GroundEntityNum) != NO_ENTITY),
            },
            SeenAs::Entity(state, time) => Place {
                origin: state.origin(time),
                angles: Some(state.angles(time)),
                on_ground: Some(state.int(EntityField::GroundEntityNum) != NO_ENTITY),
            },
        }
    }
}

impl World {
    /// How the last snapshot shows a player.
    fn seen_as(&self, slot: usize) -> Option<SeenAs<'_>> {
        let snapshot = self.complete_snapshot()?;
        if usize::try_from(snapshot.player().int(PlayerField::ClientNum)).ok() == Some(slot) {
            return Some(SeenAs::State(snapshot.player()));
        }
        let state = u16::try_from(slot).ok().and_then(|n| snapshot.entity(n)).filter(|s| s.kind() == ET_PLAYER);
        state.map(|state| SeenAs::Entity(state, snapshot.server_time()))
    }

    /// Slots of whom the last chunk may have told something, a bit each, of higher ones that of the slot modulo 32: everybody where
    /// there was a command, where two play a duel, or where nothing was told in full; else who is in view.
    pub(crate) fn told_slots(&self) -> u32 {
        let Some(snapshot) = self.complete_snapshot().filter(|_| !self.tells_of_all()) else { return u32::MAX };
        let players = snapshot.entities().map(|(number, _)| usize::from(number)).take_while(|number| *number < PLAYERS);
        players.chain(self.seen()).fold(0, |slots, slot| slots | 1 << (slot & 31))
    }

    /// The same for what a [`ScoreLine`] has, but for whether the player is in view.
    pub(crate) fn told_lines(&self) -> u32 {
        if self.tells_of_all() || !self.complete {
            return u32::MAX;
        }
        self.seen().map_or(0, |slot| 1 << (slot & 31))
    }

    fn tells_of_all(&self) -> bool {
        self.changes.level || self.changes.texts().next().is_some() || self.duel.is_some()
    }

    /// Slots of players in view, a bit each.
    pub(crate) fn in_view(&self) -> u64 {
        let mut slots = 0;
        self.each_in_view(|slot, _| slots |= 1 << slot);
        slots
    }

    /// Everybody in view, by slot.
    fn each_in_view<'s>(&'s self, mut each: impl FnMut(usize, SeenAs<'s>)) {
        let Some(snapshot) = self.complete_snapshot() else { return };
        let (own, time) = (snapshot.player(), snapshot.server_time());
        let seen = self.seen().filter(|slot| *slot < PLAYERS);
        let mut own = seen.map(|slot| (slot, SeenAs::State(own)));
        for (number, state) in snapshot.entities().take_while(|(number, _)| usize::from(*number) < PLAYERS) {
            let slot = usize::from(number);
            if let Some((seen, state)) = own.take_if(|(seen, _)| *seen <= slot) {
                each(seen, state);
            }
            if seen != Some(slot) && state.kind() == ET_PLAYER {
                each(slot, SeenAs::Entity(state, time));
            }
        }
        if let Some((seen, state)) = own {
            each(seen, state);
        }
    }

    #[inline]
    fn line_as(&self, slot: usize, shown: Option<SeenAs<'_>>) -> Option<ScoreLine<'_>> {
        let named = self.known.player(slot)?;
        let score = self.score(slot);
        let seen = if let Some(SeenAs::State(_)) = shown { self.seen_score() } else { None };
        Some(ScoreLine {
            slot,
            name: Cow::Borrowed(&named.name),
            charset: self.module.charset(),
            team: named.team_name().map(|team| Cow::Borrowed(team.as_bytes())),
            spectator: self.known.watches(slot),
            frags: seen.or(self.duel_score(slot)).or(self.board_score(slot)),
            ping: score.and_then(|s| s.ping),
            is_placed: shown.is_some(),
        })
    }

    fn string(&self, first: u16, number: usize) -> &[u8] {
        u16::try_from(number).ok().and_then(|n| first.checked_add(n)).map_or(&[], |n| self.strings.get(n))
    }

    /// The configstring of a player: `\\n\\name\\t\\0\\model\\...`.
    pub fn player_info(&self, slot: usize) -> &[u8] {
        if slot < PLAYERS { self.string(self.dialect.layout.indices.players, slot) } else { &[] }
    }

    /// The state of the player who is seen; `None` before the first snapshot.
    pub fn player_state(&self) -> Option<&PlayerState> {
        self.snapshot().map(|s| s.player())
    }

    /// True while the player who is seen looks at the scores.
    pub fn is_intermission(&self) -> bool {
        self.player_state().is_some_and(|state| matches!(state.int(PlayerField::PmType), 5 | 6))
    }

    /// True for a race: the lowest score is the first.
    pub(crate) fn is_race(&self) -> bool {
        self.known.race
    }

    /// True for a game of two sides in which everybody plays to win.
    pub(crate) fn is_for_oneself(&self) -> bool {
        self.known.for_oneself
    }

    /// True where points are to be held, of which the configstring for flags tells.
    pub(crate) fn has_points(&self) -> bool {
        self.known.points
    }

    /// True for games of two teams.
    pub fn in_teams(&self) -> bool {
        self.known.teams
    }

    /// Slot of the player who is seen.
    pub fn seen(&self) -> Option<usize> {
        usize::try_from(self.player_state()?.int(PlayerField::ClientNum)).ok()
    }

    /// The line of a player on the scoreboard, as it was last sent.
    pub fn score(&self, slot: usize) -> Option<crate::game::quake3::Score> {
        self.roster.scores.get(slot).copied().flatten()
    }

    /// What was last told of a team mate.
    pub fn team_info(&self, slot: usize) -> Option<crate::game::quake3::TeamInfo> {
        self.roster.team.get(slot).copied().flatten()
    }

    /// The name of a weapon.
    pub fn weapon_name(&self, weapon: i32) -> Cow<'static, str> {
        let known = self.module.has_known_numbers() || weapon == 0;
        match usize::try_from(weapon).ok().and_then(|n| WEAPONS.get(n)).filter(|_| known) {
            Some(name) => Cow::Borrowed(*name),
            None => Cow::Owned(format!("weapon_{weapon}")),
        }
    }

    /// The name of an entity's type.
    pub fn entity_kind(&self, state: &EntityState) -> Cow<'static, str> {
        let (kind, first) = (state.kind(), i32::from(Game::of(self.dialect.layout.era).first_event));
        match usize::try_from(kind).ok().and_then(|n| ENTITY_TYPES.get(n)) {
            _ if kind >= first => Cow::Borrowed("event"),
            Some(name) => Cow::Borrowed(*name),
            None => Cow::Owned(format!("type_{kind}")),
        }
    }

    fn model(&self, state: &EntityState) -> Cow<'_, [u8]> {
        let number = state.int(EntityField::Modelindex);
        match state.kind() {
            ET_PLAYER => {
                let slot = usize::try_from(state.int(EntityField::ClientNum)).unwrap_or(PLAYERS);
                Cow::Borrowed(info_value(self.player_info(slot), "model").unwrap_or_default())
            }
            ET_ITEM => {
                let item = usize::try_from(number).unwrap_or(0);
                let name = Game::of(self.dialect.layout.era).item(item, self.module);
                Cow::Borrowed(name.unwrap_or_default().as_bytes())
            }
            _ if state.int(EntityField::Solid) == SOLID_BMODEL => Cow::Owned(format!("*{number}").into_bytes()),
            _ => match usize::try_from(number) {
                Ok(number @ 1..) => Cow::Borrowed(self.string(self.dialect.layout.indices.models, number)),
                _ => Cow::Borrowed(&[]),
            },
        }
    }

    /// The powerups that a player has, a bit each, and above them the number of the item in the hand: what
    /// [`Scene::carried`] tells beside weapons.
    pub(crate) fn powerups(&self, slot: usize) -> Option<u64> {
        let game = Game::of(self.dialect.layout.era);
        let snapshot = self.complete_snapshot()?;
        if self.seen() != Some(slot) {
            let state = u16::try_from(slot).ok().and_then(|n| snapshot.entity(n)).filter(|s| s.kind() == ET_PLAYER);
            return Some(state.map_or(0, |s| s.bits(EntityField::Powerups)).into());
        }
        let state = snapshot.player();
        let time = i64::from(snapshot.server_time());
        let ends = state.array(Array::Powerups).iter().map(|ends| i64::from(*ends));
        let held = ends.zip(game.powerups).enumerate().skip(1).filter(|(_, (ends, _))| *ends != 0);
        let powerups: u64 = held.filter(|(_, (ends, name))| lasts(name, ends - time)).map(|(n, _)| 1 << n).sum();
        let holdable = state.slot(Array::Stats, game.stats.holdable) as u16;
        Some(u64::from(holdable) << 32 | powerups)
    }

    /// Where in the `stats` of a player things are.
    pub(super) fn stat_slots(&self, state: &PlayerState) -> StatSlots {
        Game::of(self.dialect.layout.era).stat_slots(self.module, state.array(Array::Stats))
    }

    fn own_player<'a>(&'a self, state: &PlayerState, player: &mut Player<'a>) {
        let slots = self.stat_slots(state);
        player.seen_through = true;
        player.velocity = Some(state.vector(VELOCITY));
        player.health = Some(state.slot(Array::Stats, slots.health));
        player.armor = Some(state.slot(Array::Stats, slots.armor));
        let weapon = state.int(PlayerField::Weapon);
        player.weapon = Some(self.weapon_name(weapon));
        player.ammo = usize::try_from(weapon).ok().map(|n| state.slot(Array::Ammo, n));
        player.effects = Some(state.int(PlayerField::EFlags) as u32);
        player.frame = None;
    }

    fn other_player<'a>(&'a self, state: &EntityState, player: &mut Player<'a>) {
        player.velocity = Some(state.velocity());
        player.weapon = Some(self.weapon_name(state.int(EntityField::Weapon)));
        player.effects = Some(state.int(EntityField::EFlags) as u32);
        // Quake Live tells of others too, in coarse steps; where nobody else does, both are 0.
        if self.dialect.layout.entity.place(EntityField::Health as u8).is_some() {
            let [health, armor] = state.health_and_armor();
            player.health = Some(health).filter(|health| *health != 0);
            player.armor = Some(armor).filter(|_| player.health.is_some());
        }
    }
}

impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        Clock { kind: ClockKind::Server, now: self.time.map(Moment::Milliseconds), frame: None, demo: self.clock.now() }
    }

    fn charset(&self) -> Charset {
        self.module.charset()
    }

    fn level(&self) -> Level<'_> {
        Level { number: self.levels.number(), map: &self.known.map, title: self.strings.get(3) }
    }

    fn recorder(&self) -> Option<usize> {
        match self.client.and_then(|n| usize::try_from(n).ok()) {
            Some(slot) => Some(slot),
            // Old protocols do not tell: it is who is seen, unless the recorder follows somebody.
            None => {
                let state = self.player_state()?;
                (state.int(PlayerField::PmFlags) & PMF_FOLLOW == 0).then(|| self.seen()).flatten()
            }
        }
    }

    fn view(&self) -> Option<View> {
        let state = self.player_state()?;
        let mut origin = state.vector(ORIGIN);
        origin[2] += state.int(PlayerField::Viewheight) as f32;
        Some(View { slot: self.seen(), origin: Some(origin), angles: state.vector(ANGLES) })
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn is_paused(&self) -> bool {
        // The clock goes on while a match stands still.
        self.stop.is_on(self.time)
    }

    fn rules(&self) -> Rules {
        super::rules::rules(self)
    }

    /// The command itself is not told, but what the game module makes of it (`bg_pmove.c`).
    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        let Some(state) = self.complete_snapshot().filter(|_| self.changes.frame).map(|s| s.player()) else { return };
        let flags = state.int(PlayerField::PmFlags);
        let turn = |field| f32::from(state.int(field) as i16) * (360.0 / 65536.0);
        let keys = [PlayerField::Forwardmove, PlayerField::Rightmove, PlayerField::Upmove];
        let tells_keys = self.dialect.layout.player.place(PlayerField::Forwardmove as u8).is_some();
        each(&Input {
            command_ms: Some(state.int(PlayerField::CommandTime)),
            delta_angles: Some(DELTA_ANGLES.map(turn)),
            // Signed bytes of the command.
            speed: tells_keys.then(|| keys.map(|key| i32::from(state.int(key) as i8))),
            direction: u8::try_from(state.int(PlayerField::MovementDir)).ok(),
            flags: Some(flags as u32),
            attack: Some(state.int(PlayerField::EFlags) & EF_FIRING != 0),
            jump: Some(flags & PMF_JUMP_HELD != 0),
            duck: Some(flags & PMF_DUCKED != 0),
            ..Input::of_view(InputSource::PlayerState, self.seen(), state.vector(ANGLES))
        });
    }

    fn player_slots(&self) -> usize {
        self.known.slots()
    }

    fn player(&self, slot: usize) -> Option<Player<'_>> {
        let shown = self.seen_as(slot);
        let mut player = Player::from(self.line_as(slot, shown)?);
        if let Some(shown) = shown {
            let Place { origin, angles, on_ground } = shown.place();
            (player.origin, player.angles, player.on_ground) = (Some(origin), angles, on_ground);
            match shown {
                SeenAs::State(state) => {
                    let there = state.int(PlayerField::PmType) != PM_SPECTATOR;
                    player.entity = there.then_some(slot as u16);
                    self.own_player(state, &mut player);
                }
                SeenAs::Entity(state, _) => {
                    player.entity = Some(slot as u16);
                    self.other_player(state, &mut player);
                }
            }
        }
        let told = self.team_info(slot).filter(|_| self.complete_snapshot().is_some());
        if let (None, Some(told)) = (player.health, told) {
            player.health = Some(told.health);
            player.armor = Some(told.armor);
        }
        Some(player)
    }

    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        self.line_as(slot, self.seen_as(slot))
    }

    fn place(&self, slot: usize) -> Option<Place> {
        self.known.player(slot)?;
        Some(self.seen_as(slot)?.place())
    }

    fn places(&self, each: &mut dyn FnMut(usize, Place)) {
        self.each_in_view(|slot, shown| {
            if self.known.player(slot).is_some() {
                each(slot, shown.place());
            }
        });
    }

    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        let game = Game::of(self.dialect.layout.era);
        let Some(snapshot) = self.snapshot().filter(|_| self.complete) else { return };
        let known = self.module.has_known_numbers();
        let powerup = |n: usize| match game.powerups.get(n) {
            Some(name) if known => Some(Cow::Borrowed(*name)),
            _ => (!known).then(|| Cow::Owned(format!("powerup_{n}"))),
        };
        if self.seen() != Some(slot) {
            let state = u16::try_from(slot).ok().and_then(|n| snapshot.entity(n)).filter(|s| s.kind() == ET_PLAYER);
            let bits = state.map_or(0, |s| s.bits(EntityField::Powerups));
            if bits != 0 {
                for name in (1..Array::SLOTS).filter(|n| bits >> n & 1 == 1).filter_map(powerup) {
                    each(&name, 1);
                }
            }
            return;
        }
        let state = snapshot.player();
        let slots = self.stat_slots(state);
        let weapons = state.slot(Array::Stats, slots.weapons) as u32;
        for n in (1..WEAPONS.len()).filter(|n| weapons >> n & 1 == 1) {
            each(&self.weapon_name(n as i32), i64::from(state.slot(Array::Ammo, n)));
        }
        let held = (1..Array::SLOTS).map(|n| (n, state.slot(Array::Powerups, n))).filter(|(_, ends)| *ends != 0);
        for (name, ends) in held.filter_map(|(n, ends)| Some((powerup(n)?, ends))) {
            each(&name, i64::from(ends) - i64::from(snapshot.server_time()));
        }
        let holdable = usize::try_from(state.slot(Array::Stats, slots.holdable)).unwrap_or(0);
        if let Some(name) = game.item(holdable, self.module) {
            each(name, 1);
        }
    }

    fn entity_slots(&self) -> usize {
        ENTITIES
    }

    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        let number = u16::try_from(number).ok()?;
        let snapshot = self.complete_snapshot()?;
        let state = snapshot.entity(number)?;
        let time = snapshot.server_time();
        Some(Entity {
            number,
            kind: self.entity_kind(state),
            player: player_of(state),
            model: self.model(state),
            origin: state.origin(time),
            velocity: Some(state.velocity()),
            angles: state.angles(time),
            frame: state.int(EntityField::Frame),
            skin: 0,
            effects: state.int(EntityField::EFlags) as u32,
        })
    }

    fn is_player(&self, number: usize) -> bool {
        let snapshot = self.complete_snapshot();
        let state = u16::try_from(number).ok().and_then(|number| snapshot?.entity(number));
        state.and_then(player_of).is_some()
    }

    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        Some(self.string(self.dialect.layout.indices.sounds, usize::from(sound))).filter(|name| !name.is_empty())
    }

    fn own(&self) -> Map<String, Value> {
        json::map(&super::json::own(self, None))
    }

    fn own_beside(&self, other: &Self) -> Map<String, Value> {
        json::map(&super::json::own(self, Some(other)))
    }
}

/// Slot of the player that an entity is.
fn player_of(state: &EntityState) -> Option<usize> {
    usize::try_from(state.int(EntityField::ClientNum)).ok().filter(|_| state.kind() == ET_PLAYER)
}
