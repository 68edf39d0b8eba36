//! What charts show: scores, speed, health.

use super::chart::{self, Curve, Strip};
use super::people::{COLORS, Person};
use super::plan::{Ground, ground};
use super::routes::JUMPS;
use super::sheet::{Entry, Sheet};
use super::spots::is_out;
use super::sums::sums;
use super::told::Told;
use super::{Picture, Scene, Subject, counted};
use crate::error::Result;
use crate::view::{INTERMISSION, Index, Key, Replay, TrackOf};

/// Speed is that over so many milliseconds: between two moments places are too coarse.
const OVER_MS: i64 = 100;
/// Between moments that lie farther apart nothing is known of the speed; and who is in one place for longer stands still.
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
                let points = speeds(scene.replay, scene.index, person.slot);
                let most = points.iter().filter_map(|(_, v)| *v).fold(0.0, f64::max);
                let mean = mean(&points);
                let curve = Curve { color: person.color, points, steps: false, filled: true, wide: 1.2 };
                (vec![curve], format!("{mean:.0} / {most:.0}"))
            };
            strips(scene, "Speed along the ground", "units a second", "Mean / most", &of)
        }
        _ => {
            let of = |person: &Person| {
                let curve = |name: &str, color, filled| Curve {
                    color,
                    points: values(scene.replay, scene.index, Some(person.slot), name),
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
fn values(replay: &Replay, index: &Index<'_>, slot: Option<u32>, name: &str) -> Vec<(i64, Option<f64>)> {
    let Some(told) = Told::of(replay, index, slot, name) else { return Vec::new() };
    let mut points: Vec<(i64, Option<f64>)> = Vec::new();
    for row in told.rows() {
        let time = replay.rows.get(row as usize).copied().unwrap_or_default();
        let (now, last) = (told.at(row), points.last().and_then(|(_, v)| *v));
        if now == last {
            continue;
        }
        // It was told up to then.
        if now.is_none() {
            points.push((time, last));
        }
        points.push((time, now));
    }
    if let Some((_, last)) = points.last().copied() {
        points.push((times(replay)[1], last));
    }
    points
}

/// The scores: of teams in a game of teams, unless players are asked for; of players in levels that are of none.
fn scores(scene: &Scene<'_>) -> Result<Picture> {
    let (replay, index, people) = (scene.replay, scene.index, scene.people);
    let over = replay.about.matches.last().map(|last| last.to_ms);
    let line = |name: &str, color, points: Vec<(i64, Option<f64>)>, wide| {
        let last = at_the_end(&points, over)?;
        let entry = Entry { color, name: name.to_owned(), number: (last as i64).to_string() };
        Some((Curve { color, points, steps: true, filled: false, wide }, entry))
    };
    let mut curves: Vec<(Curve, Entry)> = Vec::new();
    let in_teams = !people.teams().is_empty() && scene.choice.players.is_empty();
    if in_teams {
        for (team, sums) in people.teams().iter().zip(sums(replay, index, people)) {
            let points = told_of_team(replay, index, team).unwrap_or(sums);
            curves.extend(line(team, people.color_of_team(team), in_levels(replay, true, points), 2.4));
        }
    }
    let teams = curves.len();
    for (n, person) in people.chosen().enumerate().filter(|_| !in_teams || replay.about.teams) {
        let points = values(replay, index, Some(person.slot), "frags");
        let points = if in_teams { in_levels(replay, false, points) } else { points };
        // Beside teams players have colours of their own.
        let color = if in_teams { COLORS[n % COLORS.len()] } else { person.color };
        curves.extend(line(&person.name, color, points, 1.8));
    }
    if curves.is_empty() {
        return Err(scene.nothing("the recording tells no scores"));
    }
    let last = |entry: &Entry| entry.number.parse::<i64>().unwrap_or_default();
    curves.sort_by_key(|(_, entry)| std::cmp::Reverse(last(entry)));
    let (curves, entries): (Vec<_>, Vec<_>) = curves.into_iter().unzip();
    let count = entries.len();
    let one = match teams {
        0 => "player",
        n if n == count => "team",
        _ => "line",
    };
    let told = counted(count, one);
    let mut sheet = Sheet::new(scene, &format!("Scores{}", scene.whose()), &told);
    let strip = Strip { name: String::new(), color: super::svg::INK, curves };
    chart::draw(&mut sheet, &[strip], times(replay), "points", [f64::MIN, f64::MAX]);
    sheet.heading("Score at the end");
    sheet.entries(&entries);
    Ok(Picture { svg: sheet.svg.finish(), count, map: None, without_place: 0, other_levels: 0 })
}

/// The last score; what is set to 0 when the last match is over, and what follows it, does not count.
fn at_the_end(points: &[(i64, Option<f64>)], over: Option<i64>) -> Option<f64> {
    let mut score = None;
    for (ms, now) in points.iter().filter_map(|(ms, v)| Some((*ms, (*v)?))) {
        if over.is_some_and(|over| ms >= over) && now == 0.0 && score.is_some_and(|score| score != 0.0) {
            break;
        }
        score = Some(now);
    }
    score
}

/// What of a curve lies in levels that teams win, or in the others; all of it where the recording does not tell which these
/// are.
fn in_levels(replay: &Replay, teams: bool, points: Vec<(i64, Option<f64>)>) -> Vec<(i64, Option<f64>)> {
    let levels = &replay.about.levels;
    if !replay.about.teams || levels.iter().all(|level| level.is_won_by_teams() == teams) {
        return points;
    }
    let begin = |n: usize| levels.get(n).and_then(|level| replay.rows.get(level.row as usize)).copied();
    let mut within = Vec::new();
    for (n, _) in levels.iter().enumerate().filter(|(_, level)| level.is_won_by_teams() == teams) {
        let Some(from) = begin(n) else { continue };
        let to = begin(n + 1).unwrap_or(i64::MAX);
        // A part has nothing of what was before it.
        if from >= to {
            continue;
        }
        let [at, until] = [from, to - 1].map(|ms| points.partition_point(|(then, _)| *then <= ms));
        let told = at.checked_sub(1).and_then(|n| points.get(n)).map(|(_, v)| (from, *v));
        within.extend(told.iter().chain(points.get(at..until).unwrap_or_default()));
        // It is so up to the next level.
        let last = within.last().and_then(|(_, v)| *v).filter(|_| to < i64::MAX);
        within.extend(last.into_iter().flat_map(|last| [(to, Some(last)), (to, None)]));
    }
    within
}

/// The score of a team over time as the game counts it, where it tells that.
fn told_of_team(replay: &Replay, index: &Index<'_>, team: &str) -> Option<Vec<(i64, Option<f64>)>> {
    let told = values(replay, index, None, &format!("score_{}", team.to_ascii_lowercase()));
    told.iter().any(|(_, score)| score.is_some()).then_some(told)
}

/// How fast a player goes over time, in units a second, heights left out: 0 where somebody stands still.
fn speeds(replay: &Replay, index: &Index<'_>, slot: u32) -> Vec<(i64, Option<f64>)> {
    let intermission = index.values_of(None, INTERMISSION);
    let looks_at_scores = |row: u32| intermission.and_then(|values| values.at(row)).is_some();
    let mut points: Vec<(i64, Option<f64>)> = Vec::new();
    for track in replay.tracks.iter().filter(|track| track.of == TrackOf::Player(slot)) {
        // The row OVER_MS ago, and the keys then and now.
        let (mut before, mut then, mut key) = (track.from, 0, 0);
        let way = Way { replay, keys: &track.keys };
        for row in track.from..track.to.min(replay.rows.len() as u32) {
            let (now, last) = (way.ms(row), key);
            key = way.key_at(key, row);
            if row > track.from && (now - way.ms(row - 1) > APART_MS || last < key && way.jumps(last)) {
                (before, then) = (row, key);
                points.push((now, None));
            }
            if points.last().is_some_and(|(last, v)| v.is_some() && now - last < EVERY_MS) {
                continue;
            }
            while before < row && way.ms(before + 1) <= now - OVER_MS {
                before += 1;
            }
            then = way.key_at(then, before);
            let span = now - way.ms(before);
            let Some(([x, y], [u, v])) = way.place(key, row).zip(way.place(then, before)) else { continue };
            if span >= OVER_MS {
                let speed = (x - u).hypot(y - v) * 1000.0 / span as f64;
                // Who begins to live again begins somewhere else. Where all look at the scores from nobody goes.
                let out = [row, before].iter().any(|row| is_out(index, slot, *row) || looks_at_scores(*row));
                points.push((now, (!out).then_some(speed)));
            }
        }
        points.push((replay.rows.get(track.to as usize).copied().unwrap_or(times(replay)[1]), None));
    }
    points
}

/// The way of a player while in view.
struct Way<'r> {
    replay: &'r Replay,
    keys: &'r [Key],
}

impl Way<'_> {
    fn ms(&self, row: u32) -> i64 {
        self.replay.rows.get(row as usize).copied().unwrap_or_default()
    }

    /// The number of the key that counts at a row, from an earlier one on.
    fn key_at(&self, mut key: usize, row: u32) -> usize {
        while self.keys.get(key + 1).is_some_and(|next| next.row <= row) {
            key += 1;
        }
        key
    }

    /// True where from a key to the next somebody is moved as nobody goes. A place is that of all rows up to the next key, so
    /// what is gone is gone since the row before.
    fn jumps(&self, key: usize) -> bool {
        let (Some(from), Some(to)) = (self.keys.get(key), self.keys.get(key + 1)) else { return false };
        let ([x, y], [u, v]) = (ground(to.origin()), ground(from.origin()));
        let (far, ms) = ((x - u).hypot(y - v), self.ms(to.row) - self.ms(to.row.saturating_sub(1)));
        far > JUMPS || far > JUMP && far * 1000.0 > FASTEST * ms as f64
    }

    /// Where somebody is. Of one who is seen again in the same place for a while it may be that no moves came: what is gone then
    /// is gone over all of that time.
    fn place(&self, key: usize, row: u32) -> Option<Ground> {
        let here = self.keys.get(key)?;
        let [x, y] = ground(here.origin());
        let Some(next) = self.keys.get(key + 1) else { return Some([x, y]) };
        let (since, until) = (self.ms(here.row), self.ms(next.row));
        if until - since > APART_MS || self.jumps(key) {
            return Some([x, y]);
        }
        let [u, v] = ground(next.origin());
        let part = (self.ms(row) - since) as f64 / (until - since).max(1) as f64;
        Some([x + (u - x) * part, y + (v - y) * part])
    }
}

/// The mean of a curve over the time in which it is told.
fn mean(points: &[(i64, Option<f64>)]) -> f64 {
    let pairs = points.windows(2).filter_map(|pair| match pair {
        [(from, Some(_)), (to, Some(v))] => Some(((to - from) as f64, *v)),
        _ => None,
    });
    let (long, all) = pairs.fold((0.0, 0.0), |(long, all), (ms, v)| (long + ms, all + ms * v));
    if long > 0.0 { all / long } else { points.iter().find_map(|(_, v)| *v).unwrap_or_default() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::told::NO_SCORES;
    use crate::view::{Track, Values};

    /// Runs 320 units a second for a second, stands for one, is moved far away, and stands to the end.
    fn replay() -> Replay {
        let mut replay = Replay { rows: (0..=80).map(|n| n * 50).collect(), ..Replay::default() };
        let key = |row: u32, x: i32| Key { row, place: [x * 8, 0, 0], angles: [0; 3] };
        let mut keys: Vec<_> = (0..=20).map(|n| key(n, 16 * n as i32)).collect();
        keys.push(key(40, 1000));
        replay.tracks.push(Track { of: TrackOf::Player(0), from: 0, to: 81, keys });
        replay.about.strings = vec!["health".to_owned()];
        let keys = vec![(0, Some(100)), (20, Some(40)), (30, None), (50, Some(7)), (60, None)];
        replay.values.push(Values { slot: Some(0), name: 0, keys });
        replay
    }

    #[test]
    fn who_stands_has_no_speed_and_who_is_moved_none_either() {
        let replay = replay();
        let points = speeds(&replay, &Index::new(&replay), 0);
        let known: Vec<_> = points.iter().filter_map(|(ms, v)| Some((*ms, (*v)?.round() as i64))).collect();
        assert_eq!(known.first(), Some(&(100, 320)), "the first is measured over as long as all others");
        let at = |ms: i64| known.iter().find(|(then, _)| *then == ms).map(|(_, v)| *v);
        assert_eq!([at(1000), at(1050), at(1100), at(1950)], [Some(320), Some(160), Some(0), Some(0)]);
        assert!(points.contains(&(2000, None)) && at(2100) == Some(0));
        assert_eq!(known.iter().map(|(_, v)| *v).max(), Some(320));
        // A second of four, less what is not known.
        let mean = mean(&points);
        assert!((70.0..100.0).contains(&mean), "{mean}");
    }

    /// The page measures speeds, and knows scores, by the same rules.
    #[test]
    fn the_page_has_the_same_numbers() {
        let script = include_str!("../view/page/charts.js");
        for (name, value) in [
            ("SPEED_OVER", OVER_MS as f64),
            ("APART", APART_MS as f64),
            ("FASTEST", FASTEST),
            ("JUMP", JUMP),
            ("FAR_JUMP", JUMPS),
        ] {
            assert!(script.contains(&format!("\nconst {name} = {value};\n")), "{name} is {value} here");
        }
        assert!(script.contains(&format!("\nconst NO_SCORES = {NO_SCORES:?};\n")), "no scores are {NO_SCORES:?} here");
        assert!(script.contains(&format!(" < {EVERY_MS} ")), "a speed is noted every {EVERY_MS} ms here");
    }

    /// A value holds until nothing is told any more.
    #[test]
    fn what_was_told_last_was_so_up_to_the_end() {
        let replay = replay();
        let told = values(&replay, &Index::new(&replay), Some(0), "health");
        let [a, b, c] = [100.0, 40.0, 7.0].map(Some);
        let expected = [(0, a), (1000, b), (1500, b), (1500, None), (2500, c), (3000, c), (3000, None), (4000, None)];
        assert_eq!(told, expected);
    }
}
