//! States of QuakeWorld: entities and players.

use serde_json::{Value, json};

use crate::describe::{
    Field, Link, ModelIndex, Optional, Plain, State, StateValue, Sticky, TypeSchema, Whole, carries, state, told,
};
use crate::format::dem::{SpawnBaseline, SpawnStatic};
use crate::format::qwd::{
    Age, Angle16, Bytes, Command, Dialect, Effects, EntityModel, EntityNumber, FteSpawnBaseline2, FteSpawnStatic2,
    MvdPlayerInfo, PacketEntity, PlayerFlags, PlayerInfo, Prediction, Rgb, Velocity,
};
use crate::game::ShortOrLong;
use crate::json::numbers;
use crate::wire::{Angle, F32};

state! {
    /// An entity, or the base state of one. Everything is 0 that nothing was told of.
    pub struct EntityState, told by PacketEntity, FteSpawnStatic2, FteSpawnBaseline2 {
        /// Its number; 0 for one that never changes.
        number: u16 = entity as Whole;
        /// Number of its model, from 1; 0 none.
        model: u16 = model;
        /// Frame of the model.
        frame: u8 as "frame" common = frame;
        /// 0 none, n: the colours of player n - 1.
        colormap: u8 as "colormap" = colormap;
        /// Skin of the model.
        skin: u8 as "skin" common = skin;
        /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light, 16 and 32 flags, 64 blue, 128 red.
        effects: u8 as "effects" common = effects;
        /// A hint for prediction: the entity is solid.
        solid: bool as "solid" = solid as Sticky;
        /// Opacity in 255ths; 0 where nothing was told: opaque. (FTE)
        alpha: u8 as "opacity" = alpha;
        /// Red, green and blue; all 0 where nothing was told. (FTE)
        color: [u8; 3] as "color" = colormod;
        /// Where it is, in units.
        origin: [F32; 3] as "origin" common = place.first;
        /// Pitch, yaw and roll in degrees.
        angles: [F32; 3] as "angles" common = place.second;
    }
}

// The same, spelled out.
told! {
    EntityState by SpawnBaseline {
        number = entity as Whole;
        model = default_modelindex as Whole;
        frame = default_frame as Whole;
        colormap = default_colormap as Whole;
        skin = default_skin as Whole;
        origin = placement.origin as Whole;
        angles = placement.angles as Whole;
    }
}
told! {
    EntityState by SpawnStatic {
        model = default_modelindex as Whole;
        frame = default_frame as Whole;
        colormap = default_colormap as Whole;
        skin = default_skin as Whole;
        origin = placement.origin as Whole;
        angles = placement.angles as Whole;
    }
}

impl EntityState {
    /// Where it is, in units.
    #[inline]
    pub fn origin(&self) -> [f32; 3] {
        self.origin.map(F32::get)
    }

    /// Pitch, yaw and roll in degrees.
    #[inline]
    pub fn angles(&self) -> [f32; 3] {
        self.angles.map(F32::get)
    }

    /// The base state as a server tells it, in FTE's form only where the other does not tell all of it.
    pub fn baseline(&self, d: &Dialect) -> ShortOrLong<SpawnBaseline, FteSpawnBaseline2> {
        ShortOrLong::of::<_, Bytes>(self, d)
    }

    /// An entity that never changes, likewise.
    pub fn still(&self, d: &Dialect) -> ShortOrLong<SpawnStatic, FteSpawnStatic2> {
        ShortOrLong::of::<_, Bytes>(self, d)
    }
}

state! {
    /// Where a player is and what the player looks like.
    pub struct PlayerState, told by MvdPlayerInfo {
        /// Where the player is, in units.
        origin: [F32; 3] = origin_x & origin_y & origin_z;
        /// Pitch, yaw and roll of the view in 65536ths of a turn; only in multi-view recordings.
        angles: [i16; 3] = angles_1 & angles_2 & angles_3;
        /// Velocity in units a second; not in multi-view recordings.
        velocity: [i16; 3];
        /// Model and skin.
        look: Look = modelindex & skinnum;
        /// Frame of the model.
        frame: u8 = frame as Whole;
        /// Effects, as of an entity.
        effects: u8 = effects;
        /// Frame of the weapon's model.
        weapon_frame: u8 as "weapon_frame" = weaponframe;
        /// What is told in single bits.
        flags: Flags = dead & gib;
        /// Opacity in 255ths. (FTE)
        alpha: Option<u8> as "opacity";
        /// Age of the last command in ms when the packet was made.
        age: Option<u8> as "age_ms";
        /// The last command; what it does not tell is 0.
        command: Option<Command> as "command";
        /// Weapon prediction of ezQuake, unless it is none.
        prediction: Option<[u8; 23]>;
        /// Which parts are known: those of the origin, a bit each, of the angles, and the velocity. All of the former
        /// are, but where the beginning of a multi-view recording is missing.
        known: u8;
    }
}

// What a client's packet does not tell is as usual, never what it was before.
told! {
    PlayerState by PlayerInfo {
        origin = origin as Whole;
        velocity = velocity_x & velocity_y & velocity_z;
        look = modelindex & skinnum;
        frame = frame as Whole;
        effects = effects;
        weapon_frame = weaponframe;
        flags = flags;
        alpha = alpha as Optional;
        age = msec as Optional;
        command = command as Optional;
        prediction = prediction;
    }
}

state! {
    /// Model and skin of a player.
    pub struct Look {
        /// Number of the model.
        model: u16 as "model";
        /// Skin of the model.
        skin: u8 as "skin";
    }
}

state! {
    /// What is told of a player in single bits.
    pub struct Flags {
        /// The player is dead.
        dead: bool as "dead";
        /// The player is only a head.
        gib: bool as "gib";
        /// Kind of movement: 0 normal, 1 normal with jump held, 2 old spectator, 3 spectator, 4 fly, 5 none, 6 lock.
        /// (Z_EXT)
        pm_type: u8 as "pm_type";
        /// The player stands on something. (Z_EXT)
        on_ground: bool as "on_ground";
        /// The player can be hit. (Z_EXT)
        solid: bool as "solid";
    }
}

impl PlayerState {
    const ORIGIN: u8 = 0b000_0111;
    const ANGLES: u8 = 0b011_1000;
    const VELOCITY: u8 = 0b100_0000;

    /// Before the first message of a server's recording: all zeros, of which the first message tells the difference.
    /// Nothing is known where the beginning of the recording is missing.
    pub(crate) fn first(has_begun: bool) -> Self {
        PlayerState { known: if has_begun { Self::ORIGIN | Self::ANGLES } else { 0 }, ..Self::ZERO }
    }

    /// What a client's packet builds on; `model` is that of `progs/player.mdl`.
    pub fn usual(model: u16) -> Self {
        PlayerState { known: Self::ORIGIN | Self::VELOCITY, look: Look { model, skin: 0 }, ..Self::ZERO }
    }

    /// Takes over what a server's record says differently. True when that changed something: a place that is told again
    /// counts.
    #[inline]
    pub(crate) fn update(&mut self, m: &MvdPlayerInfo, d: &Dialect) -> bool {
        let before = *self;
        self.apply(m, d);
        let place = [m.origin_x, m.origin_y, m.origin_z].map(|part| part.is_some());
        let view = [m.angles_1, m.angles_2, m.angles_3].map(|part| part.is_some());
        let told = place.into_iter().chain(view).rev().fold(0, |bits, told| bits << 1 | u8::from(told));
        self.known |= told;
        told != 0 || *self != before
    }

    /// What a server's record tells those who know this state of another one.
    pub(crate) fn difference(&self, to: &PlayerState, d: &Dialect) -> MvdPlayerInfo {
        State::diff(self, to, d)
    }

    /// What a server's record tells of this state of a client's, seen in a direction in 65536ths of a turn.
    pub(crate) fn recorded(&self, view: Option<[i16; 3]>) -> PlayerState {
        let flags = Flags { dead: self.flags.dead, gib: self.flags.gib, ..Flags::ZERO };
        PlayerState {
            origin: self.origin,
            angles: view.unwrap_or(self.angles),
            look: self.look,
            frame: self.frame,
            effects: self.effects,
            weapon_frame: self.weapon_frame,
            flags,
            ..Self::first(true)
        }
    }

    /// What a client's packet tells of this state of a server's: the view is that of a command, but for the client's own.
    pub(crate) fn seen(&self, velocity: [i16; 3], is_own: bool) -> PlayerState {
        let command = Command { angles: self.angles.map(|a| Some(Angle16(a))), msec: Some(0), ..Command::ZERO };
        PlayerState {
            origin: self.origin,
            velocity,
            look: self.look,
            frame: self.frame,
            effects: self.effects,
            weapon_frame: if is_own { self.weapon_frame } else { 0 },
            flags: self.flags,
            command: (!is_own).then_some(command),
            ..Self::usual(0)
        }
    }

    /// A player of Quake, who is an entity there, as a server records one.
    pub(crate) fn of_quake(entity: &EntityState, view: [i16; 3], weapon_frame: u8, dead: bool) -> PlayerState {
        PlayerState {
            origin: entity.origin,
            angles: view,
            look: Look { model: entity.model, skin: entity.skin },
            frame: entity.frame,
            effects: entity.effects,
            weapon_frame,
            flags: Flags { dead, ..Flags::ZERO },
            ..Self::first(true)
        }
    }

    /// The view that the last command tells, in 65536ths of a turn.
    pub(crate) fn turns(&self) -> Option<[i16; 3]> {
        self.command.map(|command| command.angles.map(|angle| angle.map_or(0, |angle| angle.0)))
    }

    /// True where something is told of how the player moves.
    pub(crate) fn tells_movement(&self) -> bool {
        let Flags { pm_type, on_ground, solid, .. } = self.flags;
        let moves = |command: Command| {
            let told = command.buttons.is_some() || command.impulse.is_some() || command.msec.is_some();
            told || command.speed.iter().any(Option::is_some)
        };
        self.velocity != [0; 3]
            || self.age.is_some()
            || pm_type != 0
            || on_ground
            || solid
            || self.command.is_some_and(moves)
    }

    fn knows(&self, parts: u8) -> bool {
        self.known & parts == parts
    }

    /// Where the player is, in units. `None` where the beginning of a multi-view recording is missing and not all of
    /// it has been told since.
    pub fn origin(&self) -> Option<[f32; 3]> {
        self.knows(Self::ORIGIN).then(|| self.origin.map(F32::get))
    }

    /// Pitch, yaw and roll of the view in degrees: of the last command in `.qwd`, which the recorder's own state has
    /// not.
    pub fn angles(&self) -> Option<[f32; 3]> {
        match &self.command {
            Some(command) => Some(view(command)),
            None => self.knows(Self::ANGLES).then(|| self.angles.map(turn)),
        }
    }

    /// Velocity in units a second; `None` in multi-view recordings, which do not tell it.
    pub fn velocity(&self) -> Option<[f32; 3]> {
        self.knows(Self::VELOCITY).then(|| self.velocity.map(f32::from))
    }
}

fn turn(angle: i16) -> f32 {
    Angle::I16(angle).float().get()
}

/// The view that a command tells.
fn view(command: &Command) -> [f32; 3] {
    command.angles.map(|angle| angle.map_or(0.0, |angle| turn(angle.0)))
}

impl StateValue for Command {
    const ZERO: Self = Command { angles: [None; 3], speed: [None; 3], buttons: None, impulse: None, msec: None };
    const TYPE: TypeSchema = <Command as Field<Bytes>>::TYPE;
    fn json(&self) -> Value {
        json!({
            "angles": numbers(&view(self)), "speed": self.speed.map(|v| v.unwrap_or(0)),
            "buttons": self.buttons.unwrap_or(0), "impulse": self.impulse.unwrap_or(0), "msec": self.msec.unwrap_or(0),
        })
    }
}

carries! {
    Age(u8);
    Angle16(i16);
    Command;
    Effects(u8);
    EntityNumber(u16);
    Rgb([u8; 3]);
    Velocity(i16);
}

/// A model number: from 512 on in two bytes. (FTE)
impl Link<EntityModel, u16, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &EntityModel, to: &mut u16, _: &Dialect) {
        *to = sent.index.unwrap_or(*to);
    }
    fn diff(from: &u16, to: &u16, _: &Dialect) -> EntityModel {
        EntityModel { index: (from != to).then_some(*to), long: from != to && *to > 511 }
    }
}

/// With FTE's MODELDBL the highest bit of a skin adds 256 to the model beside it.
impl Link<(Option<ModelIndex>, Option<u8>), Look, Dialect> for Plain {
    #[inline(always)]
    fn apply((model, skin): &(Option<ModelIndex>, Option<u8>), to: &mut Look, d: &Dialect) {
        let doubled = d.double_models && model.is_some() && skin.is_some_and(|skin| skin & DOUBLED != 0);
        to.model = model.map_or(to.model, |model| model.0.saturating_add(if doubled { 256 } else { 0 }));
        to.skin = skin.map_or(to.skin, |skin| if doubled { skin & !DOUBLED } else { skin });
    }
    fn diff(from: &Look, to: &Look, d: &Dialect) -> (Option<ModelIndex>, Option<u8>) {
        if d.double_models && to.model > 0xFF && from != to {
            return (Some(ModelIndex(to.model - 256)), Some(to.skin | DOUBLED));
        }
        (Plain::diff(&from.model, &to.model, d), Plain::diff(&from.skin, &to.skin, d))
    }
}

const DOUBLED: u8 = 0x80;

impl Link<PlayerFlags, Flags, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &PlayerFlags, to: &mut Flags, _: &Dialect) {
        *to = Flags {
            dead: sent.has(PlayerFlags::DEAD),
            gib: sent.has(PlayerFlags::GIB),
            pm_type: sent.pm_type(),
            on_ground: sent.has(PlayerFlags::ONGROUND),
            solid: sent.has(PlayerFlags::SOLID),
        };
    }
    fn diff(_: &Flags, to: &Flags, _: &Dialect) -> PlayerFlags {
        let all = [
            (to.dead, PlayerFlags::DEAD),
            (to.gib, PlayerFlags::GIB),
            (to.on_ground, PlayerFlags::ONGROUND),
            (to.solid, PlayerFlags::SOLID),
        ];
        PlayerFlags::new(all.into_iter().fold(0, |bits, (set, bit)| if set { bits | bit } else { bits }), to.pm_type)
    }
}

impl Link<(bool, bool), Flags, Dialect> for Plain {
    #[inline(always)]
    fn apply((dead, gib): &(bool, bool), to: &mut Flags, _: &Dialect) {
        (to.dead, to.gib) = (*dead, *gib);
    }
    fn diff(_: &Flags, to: &Flags, _: &Dialect) -> (bool, bool) {
        (to.dead, to.gib)
    }
}

/// Weapon prediction, of which every packet tells where it is announced.
impl Link<Prediction, Option<[u8; 23]>, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Prediction, to: &mut Option<[u8; 23]>, _: &Dialect) {
        *to = sent.0.as_deref().and_then(|all| all.try_into().ok());
    }
    fn diff(_: &Option<[u8; 23]>, to: &Option<[u8; 23]>, d: &Dialect) -> Prediction {
        let all = to.as_ref().map_or(&[0][..], |all| all);
        Prediction(d.weapon_prediction.then(|| all.into()))
    }
}
