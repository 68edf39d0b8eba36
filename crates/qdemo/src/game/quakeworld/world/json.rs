//! What only QuakeWorld has, as JSON. The keys stand at [`World`]'s `Scene`.

use serde_json::{Map, Value, json};

use crate::describe::{ShownField, StateValue};
use crate::game::quakeworld::world::players::Slot;
use crate::game::quakeworld::world::states::PlayerState;
use crate::game::quakeworld::{EntityState, Names, World};
use crate::json::{Object, bytes_as_text, decimal, numbers};
use crate::wire::{clean, info_pairs};

pub(super) fn own(world: &World) -> Map<String, Value> {
    let level = &*world.level;
    let mut map = Object::default();
    let mut put = |key: &str, value: Value| map.put(key, value);
    put("protocol", world.dialect().protocol.into());
    put("extensions", json!(level.extensions.pairs()));
    put("gamedir", clean(&level.game).into());
    put("age", level.age.into());
    put("server_time", decimal(level.server_time).into());
    put("serverinfo", info(&level.serverinfo));
    put("movevars", numbers(&level.movevars));
    put("paused_ms", Some(world.paused_ms).filter(|ms| *ms != 0).into());
    put("cd_track", level.track.into());
    put(
        "intermission",
        level.intermission.map_or(
            Value::Null,
            |camera| json!({"origin": numbers(&camera.origin), "angles": numbers(&camera.angles)}),
        ),
    );
    put("finale", level.finale.as_deref().map(clean).into());
    if !world.multiview {
        put("spectator", world.spectator.into());
        put("sequence", world.sequence.into());
        put("acknowledged", world.acknowledged.into());
        put("command", command(world));
    }
    put("slots", world.slots.iter().enumerate().filter_map(|(n, slot)| self::slot(n, slot)).collect());
    let in_view = world.entity_states().iter().filter_map(|state| {
        let rest = fields(state, |shown| !shown.field.common && !shown.usual);
        (!rest.is_empty()).then(|| {
            let mut own = Map::from_iter([("entity".to_owned(), state.number.into())]);
            own.extend(rest);
            Value::from(own)
        })
    });
    put("in_view", in_view.collect());
    put("nails", world.nails.iter().map(nail).collect());
    put("lightstyles", level.lightstyles.iter().map(|text| Value::from(bytes_as_text(text))).collect());
    put("models", names(&level.models));
    put("sounds", names(&level.sounds));
    put("baselines", level.baselines.told().map(|state| still(state, &level.models)).collect());
    put("statics", level.statics.iter().map(|state| still(state, &level.models)).collect());
    let ambients = level.ambients.iter().map(|sound| {
        let mut own = sound.json();
        own["sound"] = bytes_as_text(level.sounds.get(usize::from(sound.sound)).unwrap_or_default()).into();
        own
    });
    put("ambient_sounds", ambients.collect());
    map.0
}

fn names(names: &Names) -> Value {
    names.iter().map(|name| Value::from(bytes_as_text(name))).collect()
}

fn info(text: &[u8]) -> Value {
    info_pairs(text).map(|(key, value)| (clean(key), Value::from(clean(value)))).collect::<Map<_, _>>().into()
}

fn command(world: &World) -> Value {
    let Some(c) = world.command else { return Value::Null };
    json!({
        "msec": c.msec & 0xFF, "angles": numbers(&c.angles.map(|a| a.get())), "speed": c.speed,
        "buttons": c.buttons.0, "impulse": c.impulse.0, "view_angles": numbers(&c.viewangles.map(|a| a.get())),
    })
}

fn slot(n: usize, slot: &Slot) -> Option<Value> {
    if slot.userinfo().is_empty() && slot.user == 0 && slot.state.is_none() && slot.stats.is_none() {
        return None;
    }
    let mut map = Object::default();
    let mut put = |key: &str, value: Value| map.put(key, value);
    put("slot", n.into());
    put("user", slot.user.into());
    put("userinfo", info(slot.userinfo()));
    let [top, bottom] = slot.colors();
    put("top_color", top.into());
    put("bottom_color", bottom.into());
    put("loss", slot.loss.into());
    put("entered_ms", slot.entered.map(|t| t.ms()).into());
    put("stats", slot.stats.map(|stats| stats.0.to_vec()).into());
    if let Some(state) = &slot.state {
        body(state, &mut put);
    }
    Some(map.0.into())
}

fn body(state: &PlayerState, put: &mut impl FnMut(&str, Value)) {
    const ALWAYS: [&str; 3] = ["model", "skin", "weapon_frame"];
    let shown = state.shown().into_iter();
    shown.filter(|shown| !shown.usual || ALWAYS.contains(&shown.key)).for_each(|shown| put(shown.key, shown.value));
}

/// The fields of a state that are wanted.
fn fields(state: &EntityState, wanted: impl Fn(&ShownField) -> bool) -> Map<String, Value> {
    state.shown().into_iter().filter(wanted).map(|shown| (shown.key.to_owned(), shown.value)).collect()
}

/// A base state, or an entity that never changes.
fn still(state: &EntityState, models: &Names) -> Value {
    let mut map = fields(state, |shown| !shown.usual || matches!(shown.key, "origin" | "angles"));
    if state.number != 0 {
        map.insert("entity".to_owned(), state.number.into());
    }
    let model = models.get(usize::from(state.model)).unwrap_or_default();
    map.insert("model".to_owned(), bytes_as_text(model).into());
    map.into()
}

fn nail(nail: &crate::format::qwd::Nail) -> Value {
    let mut map = Map::new();
    if let Some(id) = nail.id {
        map.insert("id".to_owned(), id.into());
    }
    map.insert("origin".to_owned(), json!(nail.origin()));
    map.insert("angles".to_owned(), numbers(&nail.angles()));
    map.into()
}
