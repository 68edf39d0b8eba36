//! A part of a replay.

use super::{Beam, Damage, LevelAt, MatchAt, Replay, Shot, Track, Values};

impl Replay {
    /// What a replay shows of a time, in milliseconds since the recording began, both ends with it. Floors and maps stay
    /// those of the whole replay, so that parts of it have the same plan.
    ///
    /// ```
    /// # fn main() -> qdemo::Result<()> {
    /// use qdemo::{Limits, replay::Range, view};
    /// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
    /// let (replay, _) = view::read(demo, "ez-dm.mvd", Limits::default(), Range::ALL)?;
    /// let part = replay.between(2_000, 4_000);
    /// assert!(part.rows.iter().all(|ms| (2_000..=4_000).contains(ms)));
    /// // Who is where at a time is the same in both.
    /// let at = |replay: &view::Replay| replay.row_at(3_000).and_then(|row| replay.tracks.iter().find_map(|it| it.at(row)?.origin().into()));
    /// assert_eq!(at(&part), at(&replay));
    /// # Ok(()) }
    /// ```
    pub fn between(&self, from_ms: i64, to_ms: i64) -> Replay {
        let rows =
            self.rows.partition_point(|ms| *ms < from_ms) as u32..self.rows.partition_point(|ms| *ms <= to_ms) as u32;
        let count = rows.end.saturating_sub(rows.start);
        // A row of the replay as a row of the part; what was before it is at its beginning.
        let row = |row: u32| row.clamp(rows.start, rows.start + count) - rows.start;
        let mut about = self.about.clone();
        about.marks.retain(|mark| (from_ms..=to_ms).contains(&mark.demo_ms));
        about.matches.retain(|MatchAt { from_ms: begins, to_ms: ends }| *begins <= to_ms && *ends >= from_ms);
        // Levels keep their numbers: floors and maps are called by them.
        about.levels.iter_mut().for_each(|level: &mut LevelAt| level.row = row(level.row));
        let begins = |n: usize| self.about.levels.get(n).map_or(u32::MAX, |level| level.row);
        let is_within = |n: usize| begins(n) < rows.end && begins(n + 1) > rows.start;
        about.teams = self.about.levels.iter().enumerate().any(|(n, level)| level.teams && is_within(n));
        Replay {
            about,
            rows: self.rows.get(rows.start as usize..(rows.start + count) as usize).unwrap_or_default().to_vec(),
            tracks: self
                .tracks
                .iter()
                .filter(|it| it.from < rows.end && it.to > rows.start)
                .map(|it| part_of_track(it, &row))
                .collect(),
            values: self
                .values
                .iter()
                .map(|it| part_of_values(it, rows.end, &row))
                .filter(|it| !it.keys.is_empty())
                .collect(),
            shots: self
                .shots
                .iter()
                .filter(|it| rows.contains(&it.row))
                .map(|it| Shot { row: row(it.row), ..*it })
                .collect(),
            beams: self
                .beams
                .iter()
                .filter(|it| rows.contains(&it.row))
                .map(|it| Beam { row: row(it.row), ..*it })
                .collect(),
            damage: self
                .damage
                .iter()
                .filter(|it| rows.contains(&it.row))
                .map(|it| Damage { row: row(it.row), ..*it })
                .collect(),
            floors: self.floors.clone(),
            maps: self.maps.clone(),
        }
    }
}

fn part_of_track(track: &Track, row: &dyn Fn(u32) -> u32) -> Track {
    let (from, to) = (row(track.from), row(track.to));
    let moved = track.keys.iter().map(|key| super::Key { row: row(key.row), ..*key });
    let mut keys = Vec::new();
    moved.filter(|key| key.row < to).for_each(|key| add(&mut keys, key, |key| key.row));
    Track { of: track.of, from, to, keys }
}

fn part_of_values(values: &Values, end: u32, row: &dyn Fn(u32) -> u32) -> Values {
    let mut keys = Vec::new();
    let until = values.keys.iter().filter(|(at, _)| *at < end);
    until.for_each(|(at, value)| add(&mut keys, (row(*at), *value), |key| key.0));
    if matches!(keys.as_slice(), [(_, None)]) {
        keys.clear();
    }
    Values { keys, ..*values }
}

/// Of what was before the part the last key counts. Within it a row may have two: somebody goes and somebody else comes.
fn add<K>(keys: &mut Vec<K>, key: K, row: impl Fn(&K) -> u32) {
    match keys.last_mut().filter(|last| row(last) == 0 && row(&key) == 0) {
        Some(last) => *last = key,
        None => keys.push(key),
    }
}
