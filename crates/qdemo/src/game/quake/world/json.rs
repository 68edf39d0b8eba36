//! What only Quake has, as JSON. The keys stand at [`World`]'s `Scene`.

use serde_json::{Map, Value, json};

use crate::describe::{ShownField, StateValue};
use crate::game::quake::World;
use crate::game::quake::world::entities::InView;
use crate::game::quake::world::states::{AmbientSound, EntityState};
use crate::json::{Object, bytes_as_text, decimal, number, numbers};
use crate::wire::clean;

pub(super) fn own(world: &World) -> Map<String, Value> {
    let (state, level) = (&world.state, &world.state.level);
    let facts = &level.facts;
    let mut map = Object::default();
    let mut put = |key: &str, value: Value| map.put(key, value);
    put("protocol", facts.protocol.into());
    put("game", facts.game.name().into());
    put("gamedir", facts.gamedir.as_deref().map(clean).into());
    put("maxclients", facts.maxclients.into());
    put("deathmatch", facts.deathmatch.into());
    put("signon", state.signon.into());
    put("cd_track", state.track.into());
    put("view_entity", state.view_entity.into());
    put("sky", Some(bytes_as_text(&level.sky)).filter(|s| !s.is_empty()).into());
    put("sky_size", decimal(level.sky_size).into());
    let fog =
        level.fog.map(|f| json!({"density": number(f.density), "color": numbers(&f.color), "fade": number(f.fade)}));
    put("fog", fog.into());
    let ending =
        level.ending.as_ref().map(|e| json!({"kind": e.kind.name(), "time": decimal(e.time), "text": clean(&e.text)}));
    put("ending", ending.into());
    let pictures = level.pictures.iter().map(
        |p| json!({"slot": bytes_as_text(&p.slot), "file": bytes_as_text(&p.file), "x": p.place[0], "y": p.place[1]}),
    );
    put("pictures", unless_empty(pictures));
    let stats: Map<_, _> = state
        .stats
        .iter()
        .map(|(n, name, value)| (name.map_or_else(|| n.to_string(), str::to_owned), value.into()))
        .collect();
    put("stats", stats.into());
    let client = state.client.map(|client| {
        let mut own = client.json();
        if client.weapon_opacity().is_some() {
            own["weapon_opacity"] = decimal(client.weapon_opacity()).into();
        }
        own
    });
    put("client", client.into());
    let colors = level.scores.iter().enumerate().filter_map(|(slot, score)| {
        let colors = score.colors.filter(|_| !score.name.is_empty())?;
        Some(json!({"slot": slot, "shirt": colors.shirt(), "pants": colors.pants()}))
    });
    put("colors", colors.collect());
    put("lightstyles", level.light_styles.iter().map(|s| bytes_as_text(s)).collect());
    put("models", facts.models.iter().map(bytes_as_text).collect());
    put("sounds", facts.sounds.iter().map(bytes_as_text).collect());
    put("in_view", world.visible.all().iter().filter_map(in_view).collect());
    put(
        "baselines",
        level
            .baselines
            .iter()
            .map(|(number, state)| {
                let mut own = entity(world, state);
                own.insert("entity".to_owned(), number.into());
                Value::from(own)
            })
            .collect(),
    );
    put("statics", level.statics.iter().map(|state| Value::from(entity(world, state))).collect());
    put("ambient_sounds", level.ambient.iter().map(|sound| ambient(world, sound)).collect());
    map.0
}

fn unless_empty(all: impl Iterator<Item = Value>) -> Value {
    let mut all = all.peekable();
    if all.peek().is_none() { Value::Null } else { all.collect() }
}

/// A state in full.
fn entity(world: &World, state: &EntityState) -> Map<String, Value> {
    let mut map = fields(state, |shown| shown.field.common || !shown.usual);
    map.insert("model".to_owned(), bytes_as_text(world.model_name(state.model).unwrap_or_default()).into());
    map
}

/// The fields of a state that are wanted.
fn fields(state: &EntityState, wanted: impl Fn(&ShownField) -> bool) -> Map<String, Value> {
    let mut map: Map<_, _> =
        state.shown().into_iter().filter(wanted).map(|shown| (shown.key.to_owned(), shown.value)).collect();
    if let Some(opacity) = state.opacity() {
        map.insert("opacity".to_owned(), number(opacity));
    }
    if state.fullbright() {
        map.insert("fullbright".to_owned(), true.into());
    }
    map
}

fn in_view(entity: &InView) -> Option<Value> {
    // What entities of all games have no word for, unless it is as usual.
    let mut map = fields(&entity.state, |shown| !shown.field.common && !shown.usual);
    for (key, set) in [("step", entity.step), ("snap", entity.snap)] {
        if set {
            map.insert(key.to_owned(), true.into());
        }
    }
    if let Some(part) = entity.lerp_finish {
        map.insert("lerp_finish".to_owned(), number(f32::from(part) / 255.0));
    }
    if map.is_empty() {
        return None;
    }
    map.insert("entity".to_owned(), entity.number.into());
    Some(map.into())
}

fn ambient(world: &World, sound: &AmbientSound) -> Value {
    let name = world.state.level.facts.sounds.get(sound.sound).unwrap_or_default();
    let mut own = sound.json();
    own["sound"] = bytes_as_text(name).into();
    own
}
