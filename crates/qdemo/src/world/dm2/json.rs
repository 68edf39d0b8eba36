//! What only Quake II has, as JSON. The keys stand at [`World`]'s `Scene`.

use serde_json::{Map, Value, json};

use super::World;
use super::frames::InView;
use super::states::{EntityState, Fog, PlayerState};
use crate::format::dm2::FogChange;
use crate::json::{Object, bytes_as_text, decimal, numbers};
use crate::wire::{F32, clean};

/// A map to which only what is not 0 is added.
#[derive(Default)]
struct Sparse(Map<String, Value>);

impl Sparse {
    fn int(&mut self, key: &str, value: impl Into<i64>) {
        let value = value.into();
        if value != 0 {
            self.0.insert(key.to_owned(), value.into());
        }
    }

    fn vector(&mut self, key: &str, value: [f32; 3]) {
        if value != [0.0; 3] {
            self.0.insert(key.to_owned(), numbers(&value));
        }
    }

    fn ints<T: Into<i64> + Copy, const N: usize>(&mut self, key: &str, values: [T; N]) {
        let values = values.map(Into::into);
        if values != [0; N] {
            self.0.insert(key.to_owned(), values.to_vec().into());
        }
    }
}

pub(in crate::world) fn own(world: &World) -> Map<String, Value> {
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
            "frame",
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

fn in_view(entity: &InView) -> Value {
    let state: &EntityState = &entity.state;
    let mut map = Sparse::default();
    map.int("entity", entity.number);
    let names = ["modelindex", "modelindex2", "modelindex3", "modelindex4", "modelindex5", "modelindex6"];
    for (name, model) in names.into_iter().zip(state.models) {
        map.int(name, model);
    }
    map.int("frame", state.frame);
    map.int("skin", state.skin);
    map.int("effects", state.effects);
    map.int("morefx", state.more_effects);
    map.int("renderfx", state.renderfx);
    map.vector("origin", state.origin());
    map.vector("angles", state.angles());
    map.vector("old_origin", state.old_origin());
    map.int("sound", state.sound);
    if let Some(volume) = state.sound_volume {
        map.0.insert("loop_volume".to_owned(), decimal(Some(f32::from(volume) / 255.0)).into());
    }
    if let Some(attenuation) = state.sound_attenuation {
        map.0.insert("loop_attenuation".to_owned(), decimal(Some(f32::from(attenuation) / 64.0)).into());
    }
    map.int("event", state.event);
    map.int("solid", state.solid);
    if state.alpha != 0 {
        map.0.insert("alpha".to_owned(), decimal(Some(f32::from(state.alpha) / 255.0)).into());
    }
    if state.scale != 0 {
        map.0.insert("scale".to_owned(), decimal(Some(f32::from(state.scale) / 16.0)).into());
    }
    map.int("instance", state.instance);
    map.int("owner", state.owner);
    map.int("old_frame", state.old_frame);
    map.0.into()
}

fn player(client: Option<u8>, state: &PlayerState) -> Value {
    let mut map = Sparse::default();
    if let Some(client) = client {
        map.0.insert("client".to_owned(), client.into());
    }
    map.int("pm_type", state.pm_type);
    map.vector("origin", state.origin());
    map.vector("velocity", state.velocity());
    map.int("pm_time", state.pm_time);
    map.int("pm_flags", state.pm_flags);
    map.int("gravity", state.gravity);
    map.vector("delta_angles", state.delta_angles());
    map.vector("viewoffset", state.viewoffset());
    map.int("viewheight", state.viewheight);
    map.vector("viewangles", state.viewangles());
    map.vector("kick_angles", state.kick_angles());
    for ((model, skin, frame), gun) in
        [("gunindex", "gunskin", "gunframe"), ("gunindex2", "gunskin2", "gunframe2")].into_iter().zip(state.guns)
    {
        map.int(model, gun.model);
        map.int(skin, gun.skin);
        map.int(frame, gun.frame);
    }
    map.vector("gunoffset", state.gun_offset());
    map.vector("gunangles", state.gun_angles());
    map.int("gunrate", state.gunrate);
    map.ints("blend", state.blend);
    map.ints("damage_blend", state.damage_blend);
    map.int("fov", state.fov);
    map.int("rdflags", state.rdflags);
    map.int("team_id", state.team_id);
    let names = ["maxspeed", "duckspeed", "waterspeed", "accel", "stopspeed"];
    for (name, speed) in names.into_iter().zip(state.speeds) {
        map.int(name, speed);
    }
    if state.fog != Fog::default() {
        map.0.insert("fog".to_owned(), fog(&state.fog));
    }
    let stats = state.stats().iter().enumerate().filter(|(_, v)| **v != 0);
    let stats: Map<_, _> = stats.map(|(n, v)| (n.to_string(), Value::from(*v))).collect();
    map.0.insert("stats".to_owned(), stats.into());
    map.0.into()
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

fn fog(fog: &Fog) -> Value {
    let share = |v: u16| decimal(Some(f32::from(v) / 65535.0));
    json!({
        "color": fog.color, "density": share(fog.density), "sky_factor": share(fog.sky_factor),
        "height_density": fog.height_density, "height_falloff": fog.height_falloff,
        "start_color": fog.height_colors[0], "end_color": fog.height_colors[1],
        "start_height": f64::from(fog.heights[0]) / 8.0, "end_height": f64::from(fog.heights[1]) / 8.0,
    })
}
