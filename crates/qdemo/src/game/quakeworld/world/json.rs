//! What only QuakeWorld has, as JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::describe::{ShownField, ShownState};
use crate::format::qwd;
use crate::game::quakeworld::world::level::LevelState;
use crate::game::quakeworld::world::players;
use crate::game::quakeworld::world::states::PlayerState;
use crate::game::quakeworld::{AmbientSound, EntityState, Names, World};
use crate::game::unless;
use crate::json::{self, bytes_as_text, decimal};
use crate::wire::{clean, info_pairs};

/// What only QuakeWorld has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldWorld")]
pub(crate) struct Own {
    /// Protocol number.
    protocol: i32,
    /// Extensions that the server announced: a magic number and flags each.
    extensions: Vec<(u32, u32)>,
    /// Game directory.
    gamedir: String,
    /// Number of the level on the server, which counts them.
    age: i32,
    /// The server's clock in seconds when the level was told, in a multi-view recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_time: Option<f64>,
    /// The server's settings by name, in plain characters.
    serverinfo: BTreeMap<String, String>,
    /// How players move: gravity, stopspeed, maxspeed, spectatormaxspeed, accelerate, airaccelerate, wateraccelerate,
    /// friction, waterfriction, entgravity.
    movevars: Vec<Option<f64>>,
    /// How long the game has stood still so far, in milliseconds; left out when it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_ms: Option<i64>,
    /// The CD track that is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    cd_track: Option<u8>,
    /// The end of the level: where the camera is.
    #[serde(skip_serializing_if = "Option::is_none")]
    intermission: Option<Camera>,
    /// The text at the end of an episode, in plain characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    finale: Option<String>,
    /// True when the recorder is a spectator: `.qwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    spectator: Option<bool>,
    /// Number of the server's last packet: `.qwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u32>,
    /// Number of the client's packet that it answers: `.qwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    acknowledged: Option<u32>,
    /// What the recorder asked for last: `.qwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// The slots in use.
    slots: Vec<Slot>,
    /// Of the entities in view what those of all games have no word for, unless it is as usual.
    in_view: Vec<Numbered>,
    /// Nails in flight.
    nails: Vec<Nail>,
    /// Light styles by number: a letter for each tenth of a second, `a` dark, `m` as usual.
    lightstyles: Vec<String>,
    /// Names of the models, by number from 1.
    models: Vec<String>,
    /// Names of the sounds, by number from 1.
    sounds: Vec<String>,
    /// States that updates of entities are differences to.
    baselines: Vec<Still>,
    /// Entities that never change.
    statics: Vec<Still>,
    /// Sounds that never end.
    ambient_sounds: Vec<Ambient>,
}

/// Where the camera is.
#[derive(Serialize, JsonSchema)]
struct Camera {
    /// Where it is, in units.
    origin: [Option<f64>; 3],
    /// Pitch, yaw and roll in degrees.
    angles: [Option<f64>; 3],
}

/// A command of the recorder.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldCommand")]
struct Command {
    /// How long it lasts, in milliseconds.
    msec: u32,
    /// Pitch, yaw and roll that are asked for, in degrees.
    angles: [Option<f64>; 3],
    /// Forward, sideways and up, in units a second.
    speed: [i16; 3],
    /// Buttons: 1 fire, 2 jump.
    buttons: u8,
    /// Weapon numbers and the like; 0 none.
    impulse: u8,
    /// The view: pitch, yaw and roll in degrees.
    view_angles: [Option<f64>; 3],
}

/// A slot in use.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldSlot")]
struct Slot {
    /// Its number, from 0.
    slot: usize,
    /// Number of the user on the server.
    user: i32,
    /// Everything that the player's client told, by name, in plain characters.
    userinfo: BTreeMap<String, String>,
    /// Colour of the shirt, as the client told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_color: Option<u8>,
    /// Colour of the pants, as the client told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bottom_color: Option<u8>,
    /// Packet loss in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<u8>,
    /// When the player came: milliseconds since the first moment of the recording, less than 0 before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    entered_ms: Option<i64>,
    /// What the player has, by number.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Vec<i32>>,
    #[serde(flatten)]
    #[schemars(with = "json::AllOrNone<ShownState<PlayerState>>")]
    state: Option<ShownState<PlayerState>>,
}

impl Slot {
    fn of(n: usize, slot: &players::Slot) -> Option<Self> {
        if slot.userinfo().is_empty() && slot.user == 0 && slot.state.is_none() && slot.stats.is_none() {
            return None;
        }
        const ALWAYS: [&str; 3] = ["model", "skin", "weapon_frame"];
        let wanted = |shown: &ShownField| (!shown.usual || ALWAYS.contains(&shown.key)) && !shown.value.is_null();
        let [top_color, bottom_color] = slot.colors();
        Some(Slot {
            slot: n,
            user: slot.user,
            userinfo: info(slot.userinfo()),
            top_color,
            bottom_color,
            loss: slot.loss,
            entered_ms: slot.entered.map(|t| t.ms()),
            stats: slot.stats.map(|stats| stats.0.to_vec()),
            state: slot.state.as_ref().map(|state| ShownState::some(state, wanted)),
        })
    }
}

/// What is special about an entity in view.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldEntityInView")]
struct Numbered {
    /// Number of the entity.
    entity: u16,
    #[serde(flatten)]
    state: ShownState<EntityState>,
}

/// A base state, or an entity that never changes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldEntityState")]
struct Still {
    /// Number of the entity, of a base state.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<u16>,
    #[serde(flatten)]
    state: ShownState<EntityState>,
    /// Name of its model.
    model: String,
}

impl Still {
    fn of(state: &EntityState, models: &Names) -> Self {
        let wanted = |shown: &ShownField| !shown.usual || matches!(shown.key, "origin" | "angles");
        Still {
            entity: Some(state.number).filter(|number| *number != 0),
            state: ShownState::some(state, wanted),
            model: bytes_as_text(models.get(usize::from(state.model)).unwrap_or_default()),
        }
    }
}

/// A nail in flight.
#[derive(Serialize, JsonSchema)]
struct Nail {
    /// Its number, which ties it to the nail of the frame before, where it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u8>,
    /// Where it is, in units.
    origin: [i16; 3],
    /// Pitch, yaw and roll in degrees.
    angles: [Option<f64>; 3],
}

impl Nail {
    fn of(nail: &qwd::Nail) -> Self {
        Nail { id: nail.id, origin: nail.origin(), angles: decimals(nail.angles()) }
    }
}

/// A sound that never ends.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldAmbientSound")]
struct Ambient {
    #[serde(flatten)]
    state: ShownState<AmbientSound>,
    /// Name of the sound.
    sound: String,
}

/// What only QuakeWorld has; tables that are the same in the world `beside` are left out.
pub(super) fn own(world: &World, beside: Option<&World>) -> Map<String, Value> {
    let level = &*world.level;
    let same = |alike: fn(&LevelState, &LevelState) -> bool| beside.is_some_and(|other| alike(level, &other.level));
    let (models, sounds) = (same(|a, b| a.models == b.models), same(|a, b| a.sounds == b.sounds));
    let baselines = models && same(|a, b| a.baselines.told().eq(b.baselines.told()));
    let is_other = |(n, slot): &(usize, &players::Slot)| beside.is_none_or(|other| other.slots.get(*n) != Some(slot));
    let slots = world.slots.iter().enumerate().filter(is_other);
    let in_view = world.entity_states().iter().filter_map(|state| {
        let rest = ShownState::some(state, |shown| !shown.field.common && !shown.usual);
        (!rest.is_empty()).then_some(Numbered { entity: state.number, state: rest })
    });
    let of_client = !world.multiview;
    json::map(&Own {
        protocol: world.dialect().protocol,
        extensions: level.extensions.pairs().to_vec(),
        gamedir: clean(&level.game),
        age: level.age,
        server_time: decimal(level.server_time),
        serverinfo: info(&level.serverinfo),
        movevars: decimals(level.movevars).to_vec(),
        paused_ms: Some(world.paused_ms).filter(|ms| *ms != 0),
        cd_track: level.track,
        intermission: level
            .intermission
            .map(|camera| Camera { origin: decimals(camera.origin), angles: decimals(camera.angles) }),
        finale: level.finale.as_deref().map(clean),
        spectator: of_client.then_some(world.spectator),
        sequence: of_client.then_some(world.sequence),
        acknowledged: of_client.then_some(world.acknowledged),
        command: if of_client { command(world) } else { None },
        slots: slots.filter_map(|(n, slot)| Slot::of(n, slot)).collect(),
        in_view: in_view.collect(),
        nails: world.nails.iter().map(Nail::of).collect(),
        lightstyles: unless(
            same(|a, b| a.lightstyles == b.lightstyles),
            level.lightstyles.iter().map(|text| bytes_as_text(text)),
        ),
        models: unless(models, level.models.iter().map(bytes_as_text)),
        sounds: unless(sounds, level.sounds.iter().map(bytes_as_text)),
        baselines: unless(baselines, level.baselines.told().map(|state| Still::of(state, &level.models))),
        statics: unless(
            models && same(|a, b| a.statics == b.statics),
            level.statics.iter().map(|state| Still::of(state, &level.models)),
        ),
        ambient_sounds: unless(
            sounds && same(|a, b| a.ambients == b.ambients),
            level.ambients.iter().map(|sound| Ambient {
                state: ShownState::all(sound),
                sound: bytes_as_text(level.sounds.get(usize::from(sound.sound)).unwrap_or_default()),
            }),
        ),
    })
}

fn decimals<const N: usize>(floats: [f32; N]) -> [Option<f64>; N] {
    floats.map(|v| decimal(Some(v)))
}

fn info(text: &[u8]) -> BTreeMap<String, String> {
    info_pairs(text).map(|(key, value)| (clean(key), clean(value))).collect()
}

fn command(world: &World) -> Option<Command> {
    let command = world.command?;
    Some(Command {
        msec: command.msec & 0xFF,
        angles: decimals(command.angles.map(|a| a.get())),
        speed: command.speed,
        buttons: command.buttons.0,
        impulse: command.impulse.0,
        view_angles: decimals(command.viewangles.map(|a| a.get())),
    })
}
