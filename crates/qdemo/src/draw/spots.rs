//! Heat of deaths, of kills and of presence.

use std::collections::HashMap;

use super::heat::Heat;
use super::people::GRAY;
use super::plan::{Ground, LeftOut, Level, PlanSheet, busiest, ground, ways};
use super::sheet::Entry;
use super::{Picture, Scene, Subject, absent, counted, words};
use crate::error::Result;
use crate::view::{INTERMISSION, Index, MarkKind, PAUSED, Replay, Who};

/// Spread of one death or kill, and of presence, in units: a standard deviation.
const SPREAD: f64 = 56.0;
const SPREAD_PRESENCE: f64 = 28.0;
/// More than these are not drawn one by one.
const MOST_DOTS: usize = 400;
/// The side of the squares in which the legend counts, in units.
const SQUARE: f64 = 128.0;
/// Nobody moves for longer than this without a moment that is recorded: who is seen again was away.
const AWAY_MS: i64 = 2_000;

/// Something that happened somewhere.
struct Spot {
    row: u32,
    place: Ground,
    who: Option<Who>,
    told: String,
}

pub(super) fn draw(scene: &Scene<'_>) -> Result<Picture> {
    if scene.choice.subject == Subject::Presence { presence(scene) } else { frags(scene) }
}

/// Where a player was at a moment, by the tracks.
pub(super) fn place_of(replay: &Replay, who: Option<&Who>, ms: i64) -> Option<Ground> {
    let slot = u32::try_from(who?.slot?).ok()?;
    let row = replay.row_at(ms)?;
    let is = |track: &&crate::view::Track| track.of == crate::view::TrackOf::Player(slot) && track.at(row).is_some();
    Some(ground(replay.tracks.iter().find(is)?.at(row)?.origin()))
}

fn frags(scene: &Scene<'_>) -> Result<Picture> {
    let (replay, kills) = (scene.replay, scene.choice.subject == Subject::Kills);
    let wanted = scene.choice.weapon.as_ref().map(|weapon| plain(weapon));
    let (mut weapons, mut without_place, mut spots) = (Vec::new(), 0, Vec::new());
    for mark in &replay.about.marks {
        let MarkKind::Frag { attacker, victim, weapon, frag_kind, from, at, .. } = &mark.kind else { continue };
        let own = frag_kind == "suicide" || frag_kind == "world";
        let (who, told_place) = if kills { (attacker.as_ref(), from) } else { (Some(victim), at) };
        if kills && own || !scene.people.wants(who) {
            continue;
        }
        weapons.push(&**weapon);
        if wanted.as_ref().is_some_and(|wanted| !plain(weapon).contains(wanted)) {
            continue;
        }
        let place = told_place.map(|[x, y, _]| [f64::from(x), f64::from(y)]);
        let place = place.or_else(|| place_of(replay, who, mark.demo_ms));
        let Some((place, row)) = place.zip(replay.row_at(mark.demo_ms)) else {
            without_place += 1;
            continue;
        };
        let by = match attacker {
            _ if own => "the world",
            Some(who) => &who.name,
            None => "somebody",
        };
        let with = if weapon.is_empty() { String::new() } else { format!(", {}", words(weapon)) };
        let told = format!("{}: {by} > {}{with}", super::clock(mark.demo_ms), victim.name);
        spots.push(Spot { row, place, who: who.cloned(), told });
    }
    weapons.sort_unstable();
    weapons.dedup();
    weapons.retain(|weapon| !weapon.is_empty());
    if let (Some(weapon), true) = (&scene.choice.weapon, spots.is_empty() && without_place == 0 && !weapons.is_empty())
    {
        let there = weapons.join(", ");
        return Err(absent(format!("there are no {} with {weapon:?}: there is {there}", scene.choice.subject.name())));
    }
    let Some((level, others)) = busiest(replay, spots.iter().map(|spot| spot.row)) else {
        let why = match without_place {
            0 => "this part of the recording has none".to_owned(),
            n => format!("the recording does not tell where its {n} were"),
        };
        return Err(scene.nothing(&why));
    };
    spots.retain(|spot| level.rows.contains(&spot.row));
    let of = if kills { "kill" } else { "death" };
    Ok(draw_frags(scene, level, &spots, LeftOut { other_levels: others, without_place, of }))
}

fn draw_frags(scene: &Scene<'_>, level: Level, spots: &[Spot], left_out: LeftOut) -> Picture {
    let kills = scene.choice.subject == Subject::Kills;
    let one = left_out.of;
    let with = scene.choice.weapon.as_ref().map(|weapon| format!(" with {}", words(weapon))).unwrap_or_default();
    let what = format!("{}{with}", if kills { "Where kills were made from" } else { "Deaths" });
    let places: Vec<_> = spots.iter().map(|spot| spot.place).collect();
    let mut sheet = PlanSheet::new(scene, level, &what, &counted(spots.len(), one), &places);
    let mut heat = Heat::new(&sheet.plan);
    spots.iter().for_each(|spot| heat.add(&sheet.plan, spot.place, 1.0));
    heat.spread(SPREAD);
    heat.draw(&mut sheet.sheet.svg, 1.0);
    if spots.len() <= MOST_DOTS {
        for spot in spots {
            let at = sheet.plan.at(spot.place);
            sheet.sheet.svg.dot(at, 4.0, scene.people.color(spot.who.as_ref()), &spot.told);
        }
    }
    let most = heat.most_in(SQUARE).min(spots.len() as f64);
    sheet.legend().heading(&format!("{}s in {SQUARE} × {SQUARE} units", capital(one)));
    sheet.legend().ramp(&Heat::ramp(), ["few", &format!("{most:.1}")]);
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for person in spots.iter().filter_map(|spot| scene.people.person(spot.who.as_ref()?)) {
        *counts.entry(person.slot).or_default() += 1;
    }
    let mut entries: Vec<(usize, Entry)> = Vec::new();
    for person in scene.people.chosen() {
        if let Some(count) = counts.get(&person.slot) {
            entries.push((*count, Entry { color: person.color, name: person.name.clone(), number: count.to_string() }));
        }
    }
    let known: usize = entries.iter().map(|(count, _)| count).sum();
    if known < spots.len() {
        let count = spots.len() - known;
        entries.push((count, Entry { color: GRAY, name: "others".to_owned(), number: count.to_string() }));
    }
    entries.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    sheet.finish(if kills { "Who killed" } else { "Who died" }, &entries, spots.len(), left_out)
}

/// Where everybody was, and for how many milliseconds, in each level.
fn presence(scene: &Scene<'_>) -> Result<Picture> {
    let replay = scene.replay;
    let chosen = |slot: u32| scene.people.by_slot(slot).is_some_and(|person| person.chosen);
    let seen = (0..replay.about.levels.len().max(1)).flat_map(|n| {
        let level = super::plan::level(replay, n);
        let tracks: Vec<_> = ways(replay, &level).filter(|(slot, _)| chosen(*slot)).collect();
        tracks.into_iter().flat_map(|(_, track)| track.from..track.to).collect::<Vec<_>>()
    });
    let (level, others) = busiest(replay, seen).ok_or_else(|| scene.nothing("it does not show where anybody was"))?;
    let still = [spans(replay, PAUSED), spans(replay, INTERMISSION)].concat();
    let mut all: Vec<(u32, Ground, i64)> = Vec::new();
    for (slot, track) in ways(replay, &level).filter(|(slot, _)| chosen(*slot)) {
        let time = |row: u32| replay.rows.get(row as usize).copied();
        let end = time(track.to).or(replay.rows.last().copied()).unwrap_or_default();
        for (n, key) in track.keys.iter().enumerate() {
            let until = track.keys.get(n + 1).and_then(|next| time(next.row)).unwrap_or(end);
            if is_out(scene.index, slot, key.row) {
                continue;
            }
            let since = time(key.row).unwrap_or(until);
            // While the game stands still nobody is anywhere, nor while all look at the scores from one place.
            let still: i64 = still.iter().map(|[from, to]| (until.min(*to) - since.max(*from)).max(0)).sum();
            let long = until - since - still;
            all.push((slot, ground(key.origin()), long.clamp(0, AWAY_MS.max(long.min(600_000)))));
        }
    }
    let sum: i64 = all.iter().map(|(.., ms)| ms).sum();
    if sum == 0 {
        return Err(scene.nothing("it does not show where anybody was"));
    }
    let told = format!("{} of players in view", super::clock(sum));
    let mut sheet = PlanSheet::new(scene, level, "Presence", &told, &[]);
    let mut heat = Heat::new(&sheet.plan);
    all.iter().for_each(|(_, place, ms)| heat.add(&sheet.plan, *place, *ms as f64 / 1000.0));
    heat.spread(SPREAD_PRESENCE);
    heat.draw(&mut sheet.sheet.svg, 0.6);
    sheet.legend().heading(&format!("Seconds in {SQUARE} × {SQUARE} units"));
    let most = heat.most_in(SQUARE) * 0.6;
    sheet.legend().ramp(&Heat::ramp(), ["few", &format!("{most:.0} and more")]);
    let mut times: HashMap<u32, i64> = HashMap::new();
    for (slot, _, ms) in &all {
        *times.entry(*slot).or_default() += ms;
    }
    let mut entries: Vec<_> = scene
        .people
        .chosen()
        .map(|person| {
            let ms = times.get(&person.slot).copied().unwrap_or_default();
            (ms, Entry { color: person.color, name: person.name.clone(), number: super::clock(ms) })
        })
        .filter(|(ms, _)| *ms > 0)
        .collect();
    entries.sort_by_key(|(ms, _)| std::cmp::Reverse(*ms));
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    Ok(sheet.finish("Time in view", &entries, entries.len(), LeftOut { other_levels: others, ..LeftOut::default() }))
}

/// When a value of the world is 1.
fn spans(replay: &Replay, name: &str) -> Vec<[i64; 2]> {
    let keys = replay.values_of(None, name).map(|values| &*values.keys).unwrap_or_default();
    let time = |row: u32| replay.rows.get(row as usize).copied().unwrap_or_default();
    let end = replay.rows.last().copied().unwrap_or_default();
    let spans = keys.iter().enumerate().filter(|(_, (_, v))| *v == Some(1));
    spans.map(|(n, (row, _))| [time(*row), keys.get(n + 1).map_or(end, |next| time(next.0))]).collect()
}

/// True for somebody who is dead or watches.
pub(super) fn is_out(index: &Index<'_>, slot: u32, row: u32) -> bool {
    let value = |name: &str| index.values_of(Some(slot), name).and_then(|values| values.at(row));
    value("spectator").is_some() || value("health").is_some_and(|health| health <= 0)
}

/// A name as it is compared: `Rocket Launcher` is `rocket_launcher`.
fn plain(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
