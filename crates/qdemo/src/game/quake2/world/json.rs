//! What only Quake II has, as JSON. The keys stand at [`World`]'s `Scene`.

use serde_json::{Map, Value, json};

use crate::describe::StateValue;
use crate::format::dm2::FogChange;
use crate::game::quake2::World;
use crate::game::quake2::world::frames::InView;
use crate::game::quake2::world::states::PlayerState;
use crate::json::{Object, bytes_as_text, decimal};
use crate::wire::{F32, clean};

pub(in crate::game::quake2) fn own(world: &World) -> Map<String, Value> {
    let mut map = Object::default();
    let mut put = |key: &str, value: Value| map.put(key, value);
    put("protocol", world.dialect.protocol.into());
    put("gamedir", clean(&world.facts.gamedir).into());
    put("isdemo", world.facts.isdemo.into());
    put("key", world.facts.key.into());
    put("frame_rate", world.rate.into());
    put("missing_bases", world.missing.into());
    if let Some(frame) = world.frame().filter(|_| world.complete) {
        put(
            "snapshot",
            json!({
                "delta": frame.delta(), "suppress": frame.suppress(), "areas": frame.areas(),
                "connected": frame.connected(),
            }),
        );
        put("player_states", frame.players.iter().map(|(client, state)| player(*client, state)).collect());
        put("entity_states", frame.entities().iter().map(in_view).collect());
    }
    let scores = (0..256).filter_map(|slot| {
        let score = world.score(slot)?;
        let minutes = score.minutes;
        Some(json!({"slot": slot, "score": score.score, "ping": score.ping, "minutes": minutes}))
    });
    put("scores", scores.collect());
    let told = world.told.all().iter().map(|told| {
        let items = told.inventory.iter().flat_map(|items| items.iter()).enumerate().filter(|(_, n)| **n != 0);
        let items: Map<_, _> = items.map(|(item, n)| (item.to_string(), Value::from(*n))).collect();
        json!({"client": told.client, "layout": bytes_as_text(&told.layout), "inventory": items})
    });
    put("told", told.collect());
    let fog = world.facts.fog.as_ref().map(|fog| {
        json!({
            "on": fog.on, "model": fog.model, "density": fog.density, "start": fog.start, "end": fog.end,
            "color": fog.color,
        })
    });
    put("fog", fog.or_else(|| world.facts.fog_change.as_ref().map(level_fog)).into());
    let strings = world.strings.iter().map(|(n, text)| (n.to_string(), bytes_as_text(text).into()));
    put("configstrings", Value::Object(strings.collect()));
    let baselines = world.baselines.iter().map(|(number, state)| in_view(&InView { number, state: *state }));
    put("baselines", baselines.collect());
    map.0
}

/// What is not as usual.
fn fields(state: &impl StateValue) -> Map<String, Value> {
    let shown = state.shown().into_iter().filter(|shown| !shown.usual);
    shown.map(|shown| (shown.key.to_owned(), shown.value)).collect()
}

fn in_view(entity: &InView) -> Value {
    let mut map = fields(&entity.state);
    if entity.number != 0 {
        map.insert("entity".to_owned(), entity.number.into());
    }
    map.into()
}

fn player(client: Option<u8>, state: &PlayerState) -> Value {
    let mut map = fields(state);
    if let Some(client) = client {
        map.insert("client".to_owned(), client.into());
    }
    let stats = state.stats.iter().enumerate().filter(|(_, v)| **v != 0);
    let stats: Map<_, _> = stats.map(|(n, v)| (n.to_string(), Value::from(*v))).collect();
    map.insert("stats".to_owned(), stats.into());
    map.into()
}

/// Fog of the level in the re-release, as far as it was told.
fn level_fog(fog: &FogChange) -> Value {
    let float = |v: F32| decimal(Some(v.get()));
    let mut map = Object::default();
    map.put("density", fog.density.and_then(|v| float(v.density)));
    map.put("sky_factor", fog.density.and_then(|v| decimal(Some(v.sky_factor.get()))));
    for (name, colour) in [
        ("color", [fog.red, fog.green, fog.blue]),
        ("start_color", [fog.start_red, fog.start_green, fog.start_blue]),
        ("end_color", [fog.end_red, fog.end_green, fog.end_blue]),
    ] {
        if colour != [None; 3] {
            map.put(name, colour.map(|v| v.unwrap_or(0)).to_vec());
        }
    }
    map.put("height_density", fog.height_density.and_then(float));
    map.put("height_falloff", fog.height_falloff.and_then(float));
    map.put("start_height", fog.start_height);
    map.put("end_height", fog.end_height);
    Value::Object(map.0)
}
