//! What only QuakeWorld has, as JSON. The keys stand at [`World`]'s `Scene`.

use serde_json::{Map, Value, json};

use super::players::{PlayerState, Slot};
use super::{EntityState, Names, World};
use crate::format::dm3::info_pairs;
use crate::json::{Object, bytes_as_text, decimal, number, numbers};
use crate::wire::clean;

pub(super) fn own(world: &World) -> Map<String, Value> {
    let level = &*world.level;
    let mut map = Object::default();
    let mut put = |key: &str, value: Value| map.put(key, value);
    put("protocol", world.dialect().protocol.into());
    put("extensions", json!(level.extensions));
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
        let rest = rare(state);
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
    let ambients = level.ambients.iter().map(|a| {
        let name = level.sounds.get(usize::from(a.sound)).unwrap_or_default();
        json!({
            "sound": bytes_as_text(name), "origin": numbers(&a.origin), "volume": number(a.volume),
            "attenuation": number(a.attenuation),
        })
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
    let flag = |v: bool| Value::from(v.then_some(true));
    put("model", state.model.into());
    put("skin", state.skin.into());
    put("weapon_frame", state.weapon_frame.into());
    put("dead", flag(state.dead));
    put("gib", flag(state.gib));
    put("pm_type", Some(state.pm_type).filter(|v| *v != 0).into());
    put("on_ground", flag(state.on_ground));
    put("solid", flag(state.solid));
    put("opacity", state.alpha.into());
    put("age_ms", state.age.into());
    if let Some(c) = state.command {
        let angles = numbers(&state.angles.unwrap_or_default());
        put(
            "command",
            json!({
                "angles": angles, "speed": c.speed.map(|v| v.unwrap_or(0)), "buttons": c.buttons.unwrap_or(0),
                "impulse": c.impulse.unwrap_or(0), "msec": c.msec.unwrap_or(0),
            }),
        );
    }
}

/// What entities of all games have no word for.
fn rare(state: &EntityState) -> Map<String, Value> {
    let mut map = Map::new();
    for (key, value) in [("colormap", state.colormap), ("opacity", state.alpha)] {
        if value != 0 {
            map.insert(key.to_owned(), value.into());
        }
    }
    if state.color != [0; 3] {
        map.insert("color".to_owned(), json!(state.color));
    }
    if state.solid {
        map.insert("solid".to_owned(), true.into());
    }
    map
}

/// A base state, or an entity that never changes.
fn still(state: &EntityState, models: &Names) -> Value {
    let mut map = Map::new();
    if state.number != 0 {
        map.insert("entity".to_owned(), state.number.into());
    }
    let model = models.get(usize::from(state.model)).unwrap_or_default();
    map.insert("model".to_owned(), bytes_as_text(model).into());
    map.insert("origin".to_owned(), numbers(&state.origin));
    map.insert("angles".to_owned(), numbers(&state.angles));
    for (key, value) in [("frame", state.frame), ("skin", state.skin), ("effects", state.effects)] {
        if value != 0 {
            map.insert(key.to_owned(), value.into());
        }
    }
    map.extend(rare(state));
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
