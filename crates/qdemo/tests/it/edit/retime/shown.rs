//! Whether two recordings show the same at a moment of each: which fields are compared, and how.

use std::collections::{BTreeMap, BTreeSet};

use qdemo::Limits;
use qdemo::replay::{Seeker, World};
use qdemo::world::{DemoTime, Scene};
use serde_json::Value;

/// How time runs in the output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// Forward, at this speed.
    Forward(f64),
    /// Forward, where the output may have shown later moments already.
    Again,
    /// It stands still.
    Still,
    /// Backwards.
    Back,
}

/// What is left out of every comparison: clocks, and times on them. The recordings have other times, that is what retiming
/// does; the test of shifts compares them.
const TIMES: [&str; 25] = [
    "time",
    "time_ms",
    "demo_ms",
    "server_time",
    "ending.time",
    "slots[].entered_ms",
    // The server's clock, of which QuakeWorld makes a stat.
    "slots[].stats[17]",
    "player_state.commandTime",
    "player_state.jumpTime",
    "player_state.crouchTime",
    // `carried` tells how long they last, and is compared.
    "player_state.powerups",
    "entity_states[].time",
    "entity_states[].time2",
    "entity_states[].pos.trTime",
    "entity_states[].apos.trTime",
    // Configstrings of Quake III with times: warm-up, votes, level, round, time-out.
    "configstrings.5",
    "configstrings.8",
    "configstrings.12",
    "configstrings.13",
    "configstrings.21",
    "configstrings.661",
    "configstrings.662",
    "configstrings.669",
    "configstrings.670",
    "configstrings.672",
];

/// What is left out because the output counts for itself: packets, frames, levels.
const NUMBERS: [&str; 5] = ["snapshot.number", "sequence", "acknowledged", "snapshot.delta", "level.number"];

/// What is left out at another speed than the recorded one, in Quake III: things move on other lines. Where they are is
/// compared.
const MOVEMENT: [&str; 4] =
    ["entity_states[].pos", "entity_states[].apos", "entities[].velocity", "players[].velocity"];

/// What is told now and then. Where later moments have been shown, it may be known before the input knows it: there is
/// no message that takes it back.
const ONCE_KNOWN: [&str; 13] = [
    "players[].frags",
    "players[].ping",
    "players[].health",
    "players[].armor",
    "players[].ammo",
    "players[].weapon",
    "players[].carried",
    "slots[]",
    "team_scores",
    "scores[]",
    "told",
    "personal_configstrings",
    "configstrings",
];

/// What is left out backwards.
const BACKWARDS: [&str; 6] = [
    // What came into view just then.
    "in_view",
    // How long pauses had been up to then.
    "paused_ms",
    // A time-out of Quake Live is told by its end, which lies in the past of a clock that runs on.
    "paused",
    // Quake II's are read from layouts; a frame of an `.mvd2` may tell several, of which the last one counts.
    "scores[]",
    "players[].ping",
    // Who was never seen is a spectator of an `.mvd2`; backwards he has been.
    "players[].spectator",
];

/// What is left out in Quake III where an earlier moment follows a later one: it is from the last list that has the player,
/// and the list that is told again may leave him out. What the player who is seen has is compared in `player_state`.
const LISTED: [&str; 4] = ["players[].frags", "players[].ping", "players[].health", "players[].armor"];

/// What is left out where time stands still: what happens in a frame, or since the one before: it has been shown, and
/// things have stood still since.
const STILL: [&str; 3] = ["entity_states[].old_origin", "entity_states[].event", "in_view"];

/// True for a path that is one of these, or within one.
fn is_in(path: &str, list: &[&str]) -> bool {
    list.iter()
        .any(|known| path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])))
}

/// What is left out in Quake II where time does not run as it did: armour and power armour, one of which hides the other. The
/// hidden one is what was shown last, for as long as it may be hidden.
const HIDDEN: [&str; 4] =
    ["players[].armor", "players[].carried.body_armor", "players[].carried.power_shield", "players[].carried.cells"];

/// What is compared with what.
struct Comparison {
    way: Way,
    quake2: bool,
    quake3: bool,
    multiview2: bool,
    /// What the clocks show.
    clocks: [f64; 2],
}

impl Comparison {
    fn is_left_out(&self, path: &str) -> bool {
        let other_speed = !matches!(self.way, Way::Forward(1.0) | Way::Again);
        is_in(path, &TIMES)
            || is_in(path, &NUMBERS)
            // The number of Quake II's frame is its clock.
            || path == "frame"
            || self.quake3 && other_speed && is_in(path, &MOVEMENT)
            || self.way == Way::Back && is_in(path, &BACKWARDS)
            || self.quake3 && matches!(self.way, Way::Again | Way::Back) && is_in(path, &LISTED)
            || self.way == Way::Still && is_in(path, &STILL)
            || self.quake2 && other_speed && is_in(path, &HIDDEN)
    }

    /// How far apart numbers may be.
    fn most(&self, path: &str) -> f64 {
        let is_place = ["origin", "angles", "trBase", "trDelta"].iter().any(|name| path.contains(name));
        match (self.quake3, self.multiview2) {
            // Times are rounded to a millisecond, in which what moves 900 units a second moves a unit.
            (true, _) if is_place => 2.5,
            // Angles of the dead are more precise where they are told of as players, half a 256th of a turn.
            (_, true) if is_place => 0.71,
            _ => 0.0,
        }
    }

    /// The end of a powerup of Quake III is a time: what is left of it takes as long as the output does, and on the way back
    /// as long as the input shows. Some have no end.
    fn left(&self, left: f64) -> f64 {
        let [before, now] = self.clocks;
        match self.way {
            _ if left + before == f64::from(i32::MAX) => f64::from(i32::MAX) - now,
            Way::Forward(speed) => left / speed,
            _ => left,
        }
    }

    /// Calls `each` with every difference.
    fn walk(&self, a: &Value, b: &Value, path: &str, each: &mut dyn FnMut(&str, String)) {
        if a == b || self.is_left_out(path) {
            return;
        }
        let is_nothing = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if matches!(self.way, Way::Again | Way::Back) && is_nothing(a) && is_in(path, &ONCE_KNOWN) {
            return;
        }
        match (parts(a), parts(b)) {
            (Some((a, keyed)), Some((b, _))) if keyed || a.len() == b.len() => {
                let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
                for key in keys {
                    let of =
                        |parts: &BTreeMap<String, &Value>| parts.get(key).map_or(Value::Null, |value| (*value).clone());
                    let path =
                        if path.is_empty() { key.trim_start_matches('.').to_owned() } else { format!("{path}{key}") };
                    // Elements that have numbers of their own.
                    let path = path.split('#').next().unwrap_or_default().to_owned()
                        + if key.starts_with("[#") { "]" } else { "" };
                    self.walk(&of(&a), &of(&b), &path, each);
                }
            }
            _ => {
                if !self.is_near(a, b, path) {
                    each(path, format!("{a} and {b}"));
                }
            }
        }
    }

    fn is_near(&self, a: &Value, b: &Value, path: &str) -> bool {
        let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
        if self.quake3 && is_in(path, &["players[].carried"]) && (self.left(a) - b).abs() <= 2.0 {
            return true;
        }
        let turn = ((a - b + 540.0).rem_euclid(360.0) - 180.0).abs();
        (a - b).abs().min(turn) <= self.most(path)
    }
}

/// The parts of a value, and true where they have names or numbers of their own: a list of players is one by slot.
fn parts(value: &Value) -> Option<(BTreeMap<String, &Value>, bool)> {
    let number = |value: &Value| ["slot", "number", "entity", "client"].iter().find_map(|key| value.get(key)?.as_u64());
    match value {
        Value::Object(map) => Some((map.iter().map(|(key, value)| (format!(".{key}"), value)).collect(), true)),
        Value::Array(list) if list.iter().all(|value| number(value).is_some()) => {
            let keyed = list.iter().filter_map(|value| Some((format!("[#{}", number(value)?), value)));
            Some((keyed.collect(), true))
        }
        Value::Array(list) => {
            Some(((0..).zip(list).map(|(n, value): (usize, _)| (format!("[{n}]"), value)).collect(), false))
        }
        _ => None,
    }
}

/// Compares moments of the output with those of the input. Gives how many were compared.
pub(crate) fn compare(bytes: &[u8], out: &[u8], name: &str, way: Way, moments: &[(DemoTime, DemoTime)]) -> usize {
    let mut input = Seeker::open(bytes, name, Limits::default()).unwrap();
    let mut output = Seeker::open(out, name, Limits::default()).unwrap();
    let mut compared = 0;
    let mut found = BTreeMap::<String, (usize, String)>::new();
    for (at_in, at_out) in moments {
        let before = input.seek(*at_in);
        let clock = |world: &World| world.clock().ms().unwrap_or_default() as f64;
        let (shown, clock_in) = (Value::from(before.to_json()), clock(before));
        let (quake3, multiview2) = (matches!(before, World::Dm3(_)), matches!(before, World::Mvd2(_)));
        let quake2 = multiview2 || matches!(before, World::Dm2(_));
        // Times are rounded: to a millisecond, or to a float.
        let world = output.seek(DemoTime(at_out.0 + 900));
        // No frame stands there: at twice the speed every other one is left out in Quake II.
        if !world.is_complete() || (world.clock().demo.0 - at_out.0).abs() > 1_000 {
            continue;
        }
        compared += 1;
        let comparison = Comparison { way, quake2, quake3, multiview2, clocks: [clock_in, clock(world)] };
        comparison.walk(&shown, &world.to_json().into(), "", &mut |path, what| {
            let (times, _) = found.entry(path.to_owned()).or_insert((0, format!("{at_in} at {at_out}: {what:.300}")));
            *times += 1;
        });
    }
    assert!(2 * compared >= moments.len(), "{name}: {way:?}: {compared} of {} moments", moments.len());
    let all: Vec<_> = found.iter().map(|(path, (times, first))| format!("{path}, {times} times: {first}")).collect();
    assert!(all.is_empty(), "{name}: {way:?}\n{}", all.join("\n"));
    compared
}
