//! Ways of players, and of flags.

use super::people::GRAY;
use super::plan::{Ground, LeftOut, Level, PlanSheet, busiest, ground, ways};
use super::sheet::Entry;
use super::spots::{is_out, place_of};
use super::svg::Path;
use super::{Picture, Scene, Subject, clock, counted};
use crate::error::Result;
use crate::view::{MarkKind, Track, Who};

/// What goes farther than this between two moments, in units, has been teleported.
pub(super) const JUMPS: f64 = 200.0;
/// Corners of a line that lie nearer to each other, in pixels, are one.
const NEAR: f64 = 1.2;
/// A flag is carried by one player for no longer than this.
const CARRIED_MS: i64 = 600_000;

pub(super) fn draw(scene: &Scene<'_>) -> Result<Picture> {
    if scene.choice.subject == Subject::Flags { flags(scene) } else { paths(scene) }
}

/// A line on a plan, drawn in pieces between teleporters.
struct Pen {
    path: Path,
    /// Where it is, and the last corner of the line.
    last: Option<(Ground, [f64; 2])>,
    /// How far it went, in units.
    length: f64,
}

impl Pen {
    fn new() -> Self {
        Pen { path: Path::default(), last: None, length: 0.0 }
    }

    fn go(&mut self, place: Ground, on_sheet: [f64; 2]) {
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let gone = self.last.map(|(last, corner)| (far(last, place), corner)).filter(|(gone, _)| *gone <= JUMPS);
        if let Some((gone, corner)) = gone {
            self.length += gone;
            if far(corner, on_sheet) < NEAR {
                self.last = Some((place, corner));
                return;
            }
        }
        self.path.to(on_sheet, gone.is_none());
        self.last = Some((place, on_sheet));
    }

    fn lift(&mut self) {
        self.last = None;
    }

    /// Goes along a track, where the player is alive.
    fn follow(&mut self, scene: &Scene<'_>, sheet: &PlanSheet, slot: u32, track: &Track, rows: std::ops::Range<u32>) {
        for key in track.keys.iter().filter(|key| rows.contains(&key.row)) {
            if is_out(scene.index, slot, key.row) {
                self.lift();
            } else {
                let place = ground(key.origin());
                self.go(place, sheet.plan.at(place));
            }
        }
        self.lift();
    }
}

fn paths(scene: &Scene<'_>) -> Result<Picture> {
    let replay = scene.replay;
    let chosen = |slot: u32| scene.people.chosen().any(|person| person.slot == slot);
    let keys =
        replay.tracks.iter().filter(|track| matches!(track.of, crate::view::TrackOf::Player(slot) if chosen(slot)));
    let rows = keys.flat_map(|track| &track.keys).map(|key| key.row);
    let (level, others) = busiest(replay, rows).ok_or_else(|| scene.nothing("it does not show where anybody was"))?;
    let walkers =
        scene.people.chosen().filter(|person| ways(replay, &level).any(|(slot, _)| slot == person.slot)).count();
    let mut sheet = PlanSheet::new(scene, level.clone(), "Paths", &counted(walkers, "player"), &[]);
    let mut entries = Vec::new();
    let several = walkers > 3;
    for person in scene.people.chosen() {
        let mut pen = Pen::new();
        let mut first = None;
        for (_, track) in ways(replay, &level).filter(|(slot, _)| *slot == person.slot) {
            first = first.or(track.keys.first().map(|key| ground(key.origin())));
            pen.follow(scene, &sheet, person.slot, track, level.rows.clone());
        }
        if pen.path.is_empty() {
            continue;
        }
        let (wide, opacity) = if several { (1.3, 0.6) } else { (1.7, 0.75) };
        sheet.sheet.svg.line(&pen.path, person.color, wide, opacity);
        let number = format!("{:.0}", pen.length);
        entries.push((first, Entry { color: person.color, name: person.name.clone(), number }));
    }
    if entries.is_empty() {
        return Err(scene.nothing("it does not show where anybody was"));
    }
    for (first, entry) in &entries {
        if let Some(at) = first.map(|place| sheet.plan.at(place)) {
            sheet.sheet.svg.dot(at, 5.0, entry.color, &format!("{} begins here", entry.name));
            sheet.label(at, 5.0, &entry.name);
        }
    }
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    let count = entries.len();
    let left_out = LeftOut { other_levels: others, ..LeftOut::default() };
    Ok(sheet.finish("Units gone", &entries, count, left_out))
}

/// Something that happened to a flag.
struct Turn<'r> {
    row: u32,
    ms: i64,
    place: Option<Ground>,
    team: &'r str,
    action: &'r str,
    player: Option<&'r Who>,
}

fn flags(scene: &Scene<'_>) -> Result<Picture> {
    let replay = scene.replay;
    let mut turns = Vec::new();
    for mark in &replay.about.marks {
        let MarkKind::Flag { team, action, player } = &mark.kind else { continue };
        let Some(row) = replay.row_at(mark.demo_ms) else { continue };
        let player = player.as_ref();
        if player.is_none() && scene.choice.players.is_empty() || scene.people.wants(player) {
            let place = place_of(replay, player, mark.demo_ms);
            turns.push(Turn { row, ms: mark.demo_ms, place, team, action, player });
        }
    }
    let why = "nothing is told of flags; it may be no game for flags";
    let (level, others) = busiest(replay, turns.iter().map(|turn| turn.row)).ok_or_else(|| scene.nothing(why))?;
    turns.retain(|turn| level.rows.contains(&turn.row));
    let places: Vec<_> = turns.iter().filter_map(|turn| turn.place).collect();
    let told = format!("{} of flags", counted(turns.len(), "turn"));
    let mut sheet = PlanSheet::new(scene, level.clone(), "Flags", &told, &places);
    for (n, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.action == "taken") {
        carry(scene, &mut sheet, &level, turn, turns.get(n + 1..).unwrap_or_default());
    }
    for turn in &turns {
        let Some(place) = turn.place else { continue };
        let who = turn.player.map_or("somebody", |who| &who.name);
        let told = format!("{}: {} flag {} by {who}", clock(turn.ms), turn.team, turn.action);
        let at = sheet.plan.at(place);
        let radius = if turn.action == "captured" { 9.0 } else { 6.0 };
        sheet.keep_free(at, radius);
        sheet.sheet.svg.dot(at, radius, scene.people.color_of_team(turn.team), &told);
    }
    for turn in &turns {
        if let Some(at) = turn.place.map(|place| sheet.plan.at(place)) {
            sheet.label(at, 6.0, &format!("{} {}", clock(turn.ms), turn.action));
        }
    }
    let mut entries: Vec<(String, Entry)> = Vec::new();
    for turn in &turns {
        let name = format!("{} flag {}", turn.team, turn.action);
        if entries.iter().all(|(other, _)| *other != name) {
            let count = turns.iter().filter(|other| (other.team, other.action) == (turn.team, turn.action)).count();
            let color = scene.people.color_of_team(turn.team);
            entries.push((name.clone(), Entry { color, name, number: count.to_string() }));
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    let without_place = turns.iter().filter(|turn| turn.place.is_none()).count();
    Ok(sheet.finish(
        "Flags",
        &entries,
        turns.len() - without_place,
        LeftOut { other_levels: others, without_place, of: "turn" },
    ))
}

/// Draws the way of a flag, from where it is taken to where it is lost or brought home.
fn carry(scene: &Scene<'_>, sheet: &mut PlanSheet, level: &Level, taken: &Turn<'_>, later: &[Turn<'_>]) {
    let replay = scene.replay;
    let Some(slot) = taken.player.and_then(|who| u32::try_from(who.slot?).ok()) else { return };
    let end = later.iter().find(|turn| turn.team == taken.team);
    let until = end.map_or(level.rows.end, |turn| turn.row.saturating_add(1));
    let until = until.min(replay.row_at(taken.ms + CARRIED_MS).unwrap_or(until).saturating_add(1));
    let mut pen = Pen::new();
    for (_, track) in ways(replay, level).filter(|(of, _)| *of == slot) {
        pen.follow(scene, sheet, slot, track, taken.row..until);
    }
    let color = if scene.people.teams().is_empty() { GRAY } else { scene.people.color_of_team(taken.team) };
    sheet.sheet.svg.line(&pen.path, color, 2.2, 0.8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way is as long on a small picture as on a large one.
    #[test]
    fn a_way_has_its_length_at_any_scale() {
        for scale in [0.01, 1.0] {
            let mut pen = Pen::new();
            for x in (0..=100).map(f64::from).chain([1000.0, 1001.0]) {
                pen.go([x * 3.0, 0.0], [x * 3.0 * scale, 0.0]);
            }
            assert_eq!(pen.length, 303.0, "{scale}");
        }
    }
}
