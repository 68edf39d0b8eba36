//! What only Quake has, as JSON.

use std::collections::BTreeMap;
use std::ops::Not;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::describe::{ShownField, ShownState};
use crate::game::quake::World;
use crate::game::quake::world::entities::InView;
use crate::game::quake::world::level::LevelState;
use crate::game::quake::world::states::{self, AmbientSound, EntityState};
use crate::game::unless;
use crate::json::{self, bytes_as_text, decimal};
use crate::wire::clean;

/// What only Quake has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeWorldState")]
pub(crate) struct Own {
    /// Protocol number.
    protocol: i32,
    /// The game: Quake, a mission pack, or Capture the Flag.
    game: &'static str,
    /// Game directory, where it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    gamedir: Option<String>,
    /// Player slots.
    maxclients: u8,
    /// True for deathmatch rules.
    deathmatch: bool,
    /// How far the client has come in signing on, as the server told last: 3, the game begins.
    signon: u8,
    /// The CD track that is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    cd_track: Option<i32>,
    /// The entity that the view is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    view_entity: Option<u16>,
    /// Name of the sky.
    #[serde(skip_serializing_if = "Option::is_none")]
    sky: Option<String>,
    /// Its size. (Nehahra)
    #[serde(skip_serializing_if = "Option::is_none")]
    sky_size: Option<f64>,
    /// The fog. (FitzQuake, Nehahra, BJP)
    #[serde(skip_serializing_if = "Option::is_none")]
    fog: Option<Fog>,
    /// How the level ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<Ending>,
    /// Pictures over the game. (Nehahra)
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<Picture>,
    /// Numbers of the recorder, by name, or by number where they have no name.
    stats: BTreeMap<String, i32>,
    /// What is told of the recorder alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<Client>,
    /// Colours of the players.
    colors: Vec<Clothes>,
    /// Light styles by number: a letter for each tenth of a second, `a` dark, `m` as usual.
    lightstyles: Vec<String>,
    /// Names of the models, by number from 1.
    models: Vec<String>,
    /// Names of the sounds, by number from 1.
    sounds: Vec<String>,
    /// Of the entities in view what those of all games have no word for, unless it is as usual.
    in_view: Vec<Beside>,
    /// States that updates of entities are differences to.
    baselines: Vec<Still>,
    /// Entities that never change.
    statics: Vec<Still>,
    /// Sounds that never end.
    ambient_sounds: Vec<Ambient>,
}

/// The fog.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeFog")]
struct Fog {
    /// Density; 0 none.
    density: Option<f64>,
    /// Red, green and blue, 0 to 1.
    color: [Option<f64>; 3],
    /// Seconds that the change to it takes.
    fade: Option<f64>,
}

/// How a level ended.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LevelEnding")]
struct Ending {
    /// How: `intermission`, the score board; `finale`, the text at the end of an episode; `cutscene`, a text over the
    /// running game.
    kind: &'static str,
    /// The server's clock then, in seconds.
    time: Option<f64>,
    /// The text in plain characters; empty for an intermission.
    text: String,
}

/// A picture over the game.
#[derive(Serialize, JsonSchema)]
struct Picture {
    /// Slot that it is put in.
    slot: String,
    /// Picture file.
    file: String,
    /// Left edge in pixels.
    x: u8,
    /// Upper edge in pixels.
    y: u8,
}

/// What is told of the recorder alone.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeClient")]
struct Client {
    #[serde(flatten)]
    state: ShownState<states::Client>,
    /// Opacity of the weapon in hand, 0 to 1, where it is told. (FitzQuake)
    #[serde(skip_serializing_if = "Option::is_none")]
    weapon_opacity: Option<f64>,
}

/// Colours of a player.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlayerColors")]
struct Clothes {
    /// Slot of the player.
    slot: usize,
    /// Colour of the shirt, 0 to 15.
    shirt: u8,
    /// Colour of the pants, 0 to 15.
    pants: u8,
}

/// How an entity is drawn, where that is told.
#[derive(Serialize, JsonSchema)]
struct Look {
    /// Opacity, 0 to 1. (FitzQuake, Nehahra, BJP)
    #[serde(skip_serializing_if = "Option::is_none")]
    opacity: Option<f64>,
    /// True when it is shown without shadows. (Nehahra)
    #[serde(skip_serializing_if = "Not::not")]
    fullbright: bool,
}

impl Look {
    fn of(state: &EntityState) -> Self {
        Look { opacity: decimal(state.opacity()), fullbright: state.fullbright() }
    }
}

/// What is special about an entity in view.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeEntityInView")]
struct Beside {
    /// Number of the entity.
    entity: u16,
    #[serde(flatten)]
    state: ShownState<EntityState>,
    #[serde(flatten)]
    look: Look,
    /// True when it moves in steps: its place is not to be interpolated.
    #[serde(skip_serializing_if = "Not::not")]
    step: bool,
    /// True when it is not to be interpolated from the frame before.
    #[serde(skip_serializing_if = "Not::not")]
    snap: bool,
    /// Seconds until its next step. (FitzQuake)
    #[serde(skip_serializing_if = "Option::is_none")]
    lerp_finish: Option<f64>,
}

impl Beside {
    fn of(entity: &InView) -> Option<Self> {
        let state = ShownState::some(&entity.state, |shown| !shown.field.common && !shown.usual);
        let look = Look::of(&entity.state);
        let lerp_finish = decimal(entity.lerp_finish.map(|part| f32::from(part) / 255.0));
        let usual = state.is_empty() && look.opacity.is_none() && !look.fullbright && lerp_finish.is_none();
        let beside = Beside { entity: entity.number, state, look, step: entity.step, snap: entity.snap, lerp_finish };
        (!usual || entity.step || entity.snap).then_some(beside)
    }
}

/// A base state, or an entity that never changes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeEntityState")]
struct Still {
    /// Number of the entity, of a base state.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<u16>,
    #[serde(flatten)]
    state: ShownState<EntityState>,
    #[serde(flatten)]
    look: Look,
    /// Name of its model.
    model: String,
}

impl Still {
    fn of(world: &World, state: &EntityState, entity: Option<u16>) -> Self {
        let wanted = |shown: &ShownField| shown.field.common || !shown.usual;
        let model = bytes_as_text(world.model_name(state.model).unwrap_or_default());
        Still { entity, state: ShownState::some(state, wanted), look: Look::of(state), model }
    }
}

/// A sound that never ends.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuakeAmbientSound")]
struct Ambient {
    #[serde(flatten)]
    state: ShownState<AmbientSound>,
    /// Name of the sound.
    sound: String,
}

/// What only Quake has; tables that are the same in the world `beside` are left out.
pub(super) fn own(world: &World, beside: Option<&World>) -> Map<String, Value> {
    let (state, level) = (&world.state, &world.state.level);
    let same =
        |alike: fn(&LevelState, &LevelState) -> bool| beside.is_some_and(|other| alike(level, &other.state.level));
    let models = same(|a, b| a.facts.models == b.facts.models);
    let sounds = same(|a, b| a.facts.sounds == b.facts.sounds);
    let facts = &level.facts;
    let colors = level.scores.iter().enumerate().filter_map(|(slot, score)| {
        let colors = score.colors.filter(|_| !score.name.is_empty())?;
        Some(Clothes { slot, shirt: colors.shirt(), pants: colors.pants() })
    });
    let stats = state.stats.iter().map(|(n, name, value)| (name.map_or_else(|| n.to_string(), str::to_owned), value));
    json::map(&Own {
        protocol: facts.protocol,
        game: facts.game.name(),
        gamedir: facts.gamedir.as_deref().map(clean),
        maxclients: facts.maxclients,
        deathmatch: facts.deathmatch,
        signon: state.signon,
        cd_track: state.track,
        view_entity: state.view_entity,
        sky: Some(bytes_as_text(&level.sky)).filter(|sky| !sky.is_empty()),
        sky_size: decimal(level.sky_size),
        fog: level.fog.map(|fog| Fog {
            density: decimal(Some(fog.density)),
            color: fog.color.map(|v| decimal(Some(v))),
            fade: decimal(Some(fog.fade)),
        }),
        ending: level.ending.as_ref().map(|ending| Ending {
            kind: ending.kind.name(),
            time: decimal(ending.time),
            text: clean(&ending.text),
        }),
        pictures: level
            .pictures
            .iter()
            .map(|picture| Picture {
                slot: bytes_as_text(&picture.slot),
                file: bytes_as_text(&picture.file),
                x: picture.place[0],
                y: picture.place[1],
            })
            .collect(),
        stats: stats.collect(),
        client: state
            .client
            .map(|client| Client { state: ShownState::all(&client), weapon_opacity: decimal(client.weapon_opacity()) }),
        colors: colors.collect(),
        lightstyles: unless(
            same(|a, b| a.light_styles == b.light_styles),
            level.light_styles.iter().map(|style| bytes_as_text(style)),
        ),
        models: unless(models, facts.models.iter().map(bytes_as_text)),
        sounds: unless(sounds, facts.sounds.iter().map(bytes_as_text)),
        in_view: world.visible.all().iter().filter_map(Beside::of).collect(),
        baselines: unless(
            models && same(|a, b| a.baselines.iter().eq(b.baselines.iter())),
            level.baselines.iter().map(|(number, state)| Still::of(world, state, Some(number))),
        ),
        statics: unless(
            models && same(|a, b| a.statics == b.statics),
            level.statics.iter().map(|state| Still::of(world, state, None)),
        ),
        ambient_sounds: unless(
            sounds && same(|a, b| a.ambient == b.ambient),
            level.ambient.iter().map(|sound| Ambient {
                state: ShownState::all(sound),
                sound: bytes_as_text(facts.sounds.get(sound.sound).unwrap_or_default()),
            }),
        ),
    })
}
