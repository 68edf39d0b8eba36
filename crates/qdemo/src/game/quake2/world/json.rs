//! What only Quake II has, as JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::describe::{ShownState, StateValue};
use crate::format::dm2::FogChange;
use crate::game::quake2::World;
use crate::game::quake2::world::frames::InView;
use crate::game::quake2::world::states::{self, EntityState};
use crate::game::unless;
use crate::json::{bytes_as_text, decimal};
use crate::wire::clean;

/// What only Quake II has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2World")]
pub(crate) struct Own {
    /// Protocol number.
    protocol: i32,
    /// Game directory; empty for baseq2.
    gamedir: String,
    /// The mark of `serverdata`: 0 live, 1 client, 2 server, 128 Relay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::game::quake2) isdemo: Option<u8>,
    /// Number of the level on the server.
    key: i32,
    /// Frames a second, where the server tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::game::quake2) frame_rate: Option<u16>,
    /// Frames so far that build on one that was not recorded.
    missing_bases: u64,
    /// The frame that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::game::quake2) snapshot: Option<Snapshot>,
    /// States of the players whom the frame tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    player_states: Option<Vec<Player>>,
    /// States of the entities in the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_states: Option<Vec<Entity>>,
    /// Scores as layouts tell them.
    scores: Vec<Score>,
    /// Layouts and inventories, as they were told last to each.
    told: Vec<Told>,
    /// Fog of the level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::game::quake2) fog: Option<Fog>,
    /// Configstrings by number.
    configstrings: BTreeMap<String, String>,
    /// States that updates of entities are differences to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::game::quake2) baselines: Option<Vec<Entity>>,
}

/// A frame.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2Snapshot")]
pub(in crate::game::quake2) struct Snapshot {
    /// Number of the frame that it builds on; null: it is complete.
    delta: Option<i32>,
    /// Frames that the server left out before it.
    suppress: u8,
    /// Bits of the areas that can be seen.
    areas: Vec<u8>,
    /// Bits of the clients that are connected, in a recording of a server.
    connected: Vec<u8>,
}

/// The state of a player; what is as usual is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2PlayerState")]
struct Player {
    /// Slot of the player, where several are told of.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<u8>,
    #[serde(flatten)]
    state: ShownState<states::PlayerState>,
    /// Numbers of the status bar that are not 0, by number.
    stats: BTreeMap<String, i16>,
}

/// The state of an entity; what is as usual is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2EntityState")]
pub(in crate::game::quake2) struct Entity {
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<u16>,
    #[serde(flatten)]
    state: ShownState<EntityState>,
}

impl Entity {
    fn of(entity: &InView) -> Self {
        Entity { entity: Some(entity.number).filter(|number| *number != 0), state: fields(&entity.state) }
    }
}

/// A score.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2Score")]
struct Score {
    /// Slot of the player.
    slot: usize,
    /// The score.
    score: i32,
    /// Round trip time in milliseconds.
    ping: i32,
    /// Minutes for which the player has been there, where they are told.
    minutes: Option<i32>,
}

/// What was told to one client alone.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2Personal")]
struct Told {
    /// Slot of the client; null: the recorder.
    client: Option<u8>,
    /// What is laid over the game, in the language of layouts.
    layout: String,
    /// How much the player has of each item, by the number of the item.
    inventory: BTreeMap<String, i16>,
}

/// Fog of a level.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake2Fog")]
#[serde(untagged)]
pub(in crate::game::quake2) enum Fog {
    /// As it is told in whole.
    Whole {
        /// 0 for none.
        on: u8,
        /// How it thickens.
        model: u8,
        /// How dense it is.
        density: u8,
        /// Where it begins, in units.
        start: i16,
        /// Where it ends, in units.
        end: i16,
        /// Red, green and blue, 0 to 255.
        color: [u8; 3],
    },
    /// In the re-release, as far as it was told.
    Changes {
        /// How dense it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        density: Option<f64>,
        /// How much of the sky it hides.
        #[serde(skip_serializing_if = "Option::is_none")]
        sky_factor: Option<f64>,
        /// Red, green and blue, 0 to 255.
        #[serde(skip_serializing_if = "Option::is_none")]
        color: Option<[u8; 3]>,
        /// The same of the fog that depends on height, at its start.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_color: Option<[u8; 3]>,
        /// The same at its end.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_color: Option<[u8; 3]>,
        /// How dense that one is.
        #[serde(skip_serializing_if = "Option::is_none")]
        height_density: Option<f64>,
        /// How fast it thins out with height.
        #[serde(skip_serializing_if = "Option::is_none")]
        height_falloff: Option<f64>,
        /// Height of its start.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_height: Option<i32>,
        /// Height of its end.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_height: Option<i32>,
    },
}

/// What only Quake II has; configstrings that are the same in the world `beside` are left out.
pub(in crate::game::quake2) fn own(world: &World, beside: Option<&World>) -> Own {
    let is_other = |(n, text): &(usize, &[u8])| beside.is_none_or(|other| other.strings.get(*n as u16) != *text);
    let strings = world.strings.iter().filter(is_other);
    let facts = &world.facts;
    let frame = world.frame().filter(|_| world.complete);
    let fog = facts.fog.as_ref().map(|fog| Fog::Whole {
        on: fog.on,
        model: fog.model,
        density: fog.density,
        start: fog.start,
        end: fog.end,
        color: fog.color,
    });
    let scores = (0..256).filter_map(|slot| {
        let score = world.score(slot)?;
        Some(Score { slot, score: score.score, ping: score.ping, minutes: score.minutes })
    });
    let told = world.told.all().iter().map(|told| {
        let items = told.inventory.iter().flat_map(|items| items.iter()).enumerate().filter(|(_, n)| **n != 0);
        let inventory = items.map(|(item, n)| (item.to_string(), *n)).collect();
        Told { client: told.client, layout: bytes_as_text(&told.layout), inventory }
    });
    let baselines = unless(
        beside.is_some_and(|other| world.baselines.iter().eq(other.baselines.iter())),
        world.baselines.iter().map(|(number, state)| Entity::of(&InView { number, state: *state })),
    );
    Own {
        protocol: world.dialect.protocol,
        gamedir: clean(&facts.gamedir),
        isdemo: Some(facts.isdemo),
        key: facts.key,
        frame_rate: world.rate,
        missing_bases: world.missing,
        snapshot: frame.map(|frame| Snapshot {
            delta: frame.delta(),
            suppress: frame.suppress(),
            areas: frame.areas().to_vec(),
            connected: frame.connected().to_vec(),
        }),
        player_states: frame.map(|frame| frame.players.iter().map(|(client, state)| player(*client, state)).collect()),
        entity_states: frame.map(|frame| frame.entities().iter().map(Entity::of).collect()),
        scores: scores.collect(),
        told: told.collect(),
        fog: fog.or_else(|| facts.fog_change.as_ref().map(level_fog)),
        configstrings: strings.map(|(n, text)| (n.to_string(), bytes_as_text(text))).collect(),
        baselines: Some(baselines),
    }
}

/// What is not as usual.
fn fields<S: StateValue>(state: &S) -> ShownState<S> {
    ShownState::some(state, |shown| !shown.usual)
}

fn player(client: Option<u8>, state: &states::PlayerState) -> Player {
    let stats = state.stats.iter().enumerate().filter(|(_, v)| **v != 0);
    Player { client, state: fields(state), stats: stats.map(|(n, v)| (n.to_string(), *v)).collect() }
}

fn level_fog(fog: &FogChange) -> Fog {
    let color = |parts: [Option<u8>; 3]| (parts != [None; 3]).then(|| parts.map(|v| v.unwrap_or(0)));
    Fog::Changes {
        density: decimal(fog.density.map(|v| v.density.get())),
        sky_factor: decimal(fog.density.map(|v| v.sky_factor.get())),
        color: color([fog.red, fog.green, fog.blue]),
        start_color: color([fog.start_red, fog.start_green, fog.start_blue]),
        end_color: color([fog.end_red, fog.end_green, fog.end_blue]),
        height_density: decimal(fog.height_density.map(|v| v.get())),
        height_falloff: decimal(fog.height_falloff.map(|v| v.get())),
        start_height: fog.start_height,
        end_height: fog.end_height,
    }
}
