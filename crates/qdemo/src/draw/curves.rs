//! What charts show: scores, speed, health.

use super::chart::{self, Curve, Strip};
use super::people::{People, Person};
use super::sheet::{Entry, Sheet};
use super::spots::is_out;
use super::{Picture, Scene, Subject, counted};
use crate::error::Result;
use crate::view::{Key, Replay, TrackOf};

/// Speed is that over so many milliseconds: between two moments places are too coarse.
const OVER_MS: i64 = 100;
/// Between moments that lie farther apart nothing is known of the speed.
const APART_MS: i64 = 400;
/// A speed is noted this often at most, in milliseconds.
const EVERY_MS: i64 = 50;
/// Nobody goes faster, in units a second: it is a teleporter.
const FASTEST: f64 = 3_000.0;
/// And nobody is teleported less far than this, in units.
const JUMP: f64 = 48.0;
/// More strips cannot be read.
const MOST_STRIPS: usize = 16;
/// More health than in a game is given to those who wait for one.
const MOST_HEALTH: f64 = 300.0;
const HEALTH: &str = "#3fb68b";
const ARMOR: &str = "#d8803a";

pub(super) fn draw(scene: &Scene<'_>) -> Result<Picture> {
    match scene.choice.subject {
        Subject::Scores => scores(scene),
        Subject::Speed => {
            let of = |person: &Person| {
                let points = speeds(scene.replay, person.slot);
                let known: Vec<f64> = points.iter().filter_map(|(_, v)| *v).collect();
                let most = known.iter().copied().fold(0.0, f64::max);
                let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
                let curve = Curve { color: person.color, points, steps: false, filled: true, wide: 1.2 };
                (vec![curve], format!("{mean:.0} / {most:.0}"))
            };
            strips(scene, "Speed along the ground", "units a second", "Mean / most", &of)
        }
        _ => {
            let of = |person: &Person| {
                let curve = |name: &str, color, filled| Curve {
                    color,
                    points: values(scene.replay, Some(person.slot), name),
                    steps: true,
                    filled,
                    wide: 1.3,
                };
                let all = vec![curve("health", HEALTH, true), curve("armor", ARMOR, false)];
                (all, String::new())
            };
            strips(scene, "Health and armour", "points", "Players", &of)
        }
    }
}

/// The first moment and the last one.
fn times(replay: &Replay) -> [i64; 2] {
    [replay.rows.first(), replay.rows.last()].map(|ms| ms.copied().unwrap_or_default())
}

/// A value of a player, or with no slot of the world, over time, up to the end.
fn values(replay: &Replay, slot: Option<u32>, name: &str) -> Vec<(i64, Option<f64>)> {
    let Some(values) = replay.values_of(slot, name) else { return Vec::new() };
    let time = |row: u32| replay.rows.get(row as usize).copied().unwrap_or_default();
    let mut points: Vec<(i64, Option<f64>)> = Vec::new();
    for (row, v) in &values.keys {
        // It was told up to then.
        if let (None, Some((_, last))) = (v, points.last().copied()) {
            points.push((time(*row), last));
        }
        points.push((time(*row), v.map(|v| v as f64)));
    }
    if let Some((_, last)) = points.last().copied() {
        points.push((times(replay)[1], last));
    }
    points
}

/// The scores: of teams in a game of teams, unless players are asked for.
fn scores(scene: &Scene<'_>) -> Result<Picture> {
    let (replay, people) = (scene.replay, scene.people);
    let mut curves: Vec<(Curve, Entry)> = Vec::new();
    let mut add = |name: &str, color, points: Vec<(i64, Option<f64>)>, wide| {
        let last = points.iter().rev().find_map(|(_, v)| *v);
        if let Some(last) = last {
            let entry = Entry { color, name: name.to_owned(), number: (last as i64).to_string() };
            curves.push((Curve { color, points, steps: true, filled: false, wide }, entry));
        }
    };
    let in_teams = !people.teams().is_empty() && scene.choice.players.is_empty();
    // What a game counts of its own for a team may be captures.
    let mut unit = "frags";
    if in_teams {
        for team in people.teams() {
            let told = told_of_team(replay, team);
            if told.is_some() {
                unit = "points";
            }
            let points = told.unwrap_or_else(|| sums(replay, people, team));
            add(team, people.color_of_team(team), points, 2.4);
        }
    } else {
        people
            .chosen()
            .for_each(|person| add(&person.name, person.color, values(replay, Some(person.slot), "frags"), 1.8));
    }
    if curves.is_empty() {
        return Err(scene.nothing("the recording tells no scores"));
    }
    let last = |entry: &Entry| entry.number.parse::<i64>().unwrap_or_default();
    curves.sort_by_key(|(_, entry)| std::cmp::Reverse(last(entry)));
    let (curves, entries): (Vec<_>, Vec<_>) = curves.into_iter().unzip();
    let count = entries.len();
    let told = counted(count, if in_teams { "team" } else { "player" });
    let mut sheet = Sheet::new(scene, &format!("Scores{}", scene.whose()), &told);
    let strip = Strip { name: String::new(), color: super::svg::INK, curves };
    chart::draw(&mut sheet, &[strip], times(replay), unit, [f64::MIN, f64::MAX]);
    sheet.heading("Score at the end");
    sheet.entries(&entries);
    Ok(Picture { svg: sheet.svg.finish(), count, map: None, without_place: 0, other_levels: 0 })
}

/// The score of a team over time as the game counts it, where it tells that.
fn told_of_team(replay: &Replay, team: &str) -> Option<Vec<(i64, Option<f64>)>> {
    let told = values(replay, None, &format!("score_{}", team.to_ascii_lowercase()));
    told.iter().any(|(_, score)| score.is_some()).then_some(told)
}

/// The sum of the scores of a team's players over time.
fn sums(replay: &Replay, people: &People, team: &str) -> Vec<(i64, Option<f64>)> {
    let members = people.chosen().filter(|person| person.team.as_deref() == Some(team));
    let all: Vec<_> = members.map(|person| values(replay, Some(person.slot), "frags")).collect();
    let mut moments: Vec<i64> = all.iter().flatten().map(|(ms, _)| *ms).collect();
    moments.sort_unstable();
    moments.dedup();
    let at = |points: &Vec<(i64, Option<f64>)>, ms: i64| {
        points.get(points.partition_point(|(then, _)| *then <= ms).checked_sub(1)?).and_then(|(_, v)| *v)
    };
    moments.into_iter().map(|ms| (ms, Some(all.iter().filter_map(|points| at(points, ms)).sum()))).collect()
}

/// How fast a player goes over time, in units a second, heights left out.
fn speeds(replay: &Replay, slot: u32) -> Vec<(i64, Option<f64>)> {
    let mut points: Vec<(i64, Option<f64>)> = Vec::new();
    let time = |row: u32| replay.rows.get(row as usize).copied().unwrap_or_default();
    for track in replay.tracks.iter().filter(|track| track.of == TrackOf::Player(slot)) {
        let keys = &track.keys;
        let mut before = 0;
        for (n, key) in keys.iter().enumerate() {
            let now = time(key.row);
            let last = n.checked_sub(1).and_then(|last| keys.get(last));
            if last.is_some_and(|last| jumps(last, key, now - time(last.row))) {
                before = n;
                points.push((now, None));
            }
            if points.last().is_some_and(|(last, v)| v.is_some() && now - last < EVERY_MS) {
                continue;
            }
            while keys.get(before + 1).is_some_and(|next| time(next.row) <= now - OVER_MS) {
                before += 1;
            }
            let Some(from) = keys.get(before).filter(|from| from.row < key.row) else { continue };
            let span = now - time(from.row);
            if span > APART_MS {
                // Who stood still begins to move.
                points.push((now, Some(0.0)));
                continue;
            }
            let ([x, y, _], [u, v, _]) = (key.origin(), from.origin());
            let speed = f64::from(x - u).hypot(f64::from(y - v)) * 1000.0 / span.max(1) as f64;
            points.push((now, (!is_out(replay, slot, key.row)).then_some(speed)));
        }
        points.push((replay.rows.get(track.to as usize).copied().unwrap_or(times(replay)[1]), None));
    }
    points
}

/// True for a way that nobody goes in such a time.
fn jumps(from: &Key, to: &Key, ms: i64) -> bool {
    let ([x, y, _], [u, v, _]) = (to.origin(), from.origin());
    let far = f64::from(x - u).hypot(f64::from(y - v));
    far > JUMP && far * 1000.0 > FASTEST * ms as f64
}

/// A strip for each player of whom something is told.
fn strips(
    scene: &Scene<'_>,
    title: &str,
    unit: &str,
    heading: &str,
    of: &dyn Fn(&Person) -> (Vec<Curve>, String),
) -> Result<Picture> {
    let (mut strips, mut entries, mut left_out) = (Vec::new(), Vec::new(), 0);
    for person in scene.people.chosen() {
        let (curves, number) = of(person);
        if curves.iter().all(|curve| curve.ends().is_none_or(|[_, high]| high <= 0.0)) {
            continue;
        }
        if strips.len() == MOST_STRIPS {
            left_out += 1;
            continue;
        }
        strips.push(Strip { name: person.name.clone(), color: person.color, curves });
        entries.push(Entry { color: person.color, name: person.name.clone(), number });
    }
    let count = strips.len();
    if count == 0 {
        return Err(scene.nothing("the recording does not tell it of anybody here"));
    }
    let mut sheet = Sheet::new(scene, &format!("{title}{}", scene.whose()), &counted(count, "player"));
    let is_health = scene.choice.subject == Subject::Health;
    let shown = if is_health { [0.0, MOST_HEALTH] } else { [0.0, f64::MAX] };
    chart::draw(&mut sheet, &strips, times(scene.replay), unit, shown);
    if is_health {
        sheet.heading("Lines");
        let line = |color, name: &str| Entry { color, name: name.to_owned(), number: String::new() };
        sheet.entries(&[line(HEALTH, "health"), line(ARMOR, "armour")]);
    }
    sheet.heading(heading);
    sheet.entries(&entries);
    if left_out > 0 {
        sheet.remark(&format!("{} left out: --player chooses", counted(left_out, "player")));
    }
    Ok(Picture { svg: sheet.svg.finish(), count, map: None, without_place: 0, other_levels: 0 })
}
