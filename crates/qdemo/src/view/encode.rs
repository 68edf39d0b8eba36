//! A replay as bytes, and back.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::about::{About, Column};
use super::columns::{Reader, Writer, malformed};
use super::packing::packed;
use super::threads::on_threads;
use super::track::{Key, Track, TrackOf, Values};
use super::{Beam, Damage, Floor, Replay, Shot};
use crate::error::Result;

/// What unpacked replays begin with.
const MAGIC: &[u8; 8] = b"qdreplay";
/// No replay is larger, unpacked.
const LARGEST: u64 = 1 << 30;

/// The columns and their order: an enumeration of their places, and their names.
macro_rules! columns {
    ($($column:ident = $name:literal,)*) => {
        #[derive(Clone, Copy)]
        #[allow(clippy::enum_variant_names)]
        enum In { $($column,)* }
        const NAMES: &[&str] = &[$($name),*];
    };
}
columns! {
    Row = "row",
    Track = "track",
    Key = "key", X = "x", Y = "y", Z = "z",
    Pitch = "pitch", PitchHigh = "pitch_high", Yaw = "yaw", YawHigh = "yaw_high", Roll = "roll", RollHigh = "roll_high",
    Values = "values", ValueRow = "value_row", Value = "value",
    Shot = "shot",
    Beam = "beam",
    Damage = "damage",
    Floor = "floor",
    Map = "map",
}

/// The columns of angles: the lower and the higher byte of the turn since the key before.
const ANGLES: [[In; 2]; 3] = [[In::Pitch, In::PitchHigh], [In::Yaw, In::YawHigh], [In::Roll, In::RollHigh]];

/// Columns that are written.
struct Out(Vec<Writer>);

impl Out {
    fn new() -> Self {
        Out(NAMES.iter().map(|_| Writer::default()).collect())
    }

    /// Puts others behind what is there.
    fn append(&mut self, other: Out) {
        self.0.iter_mut().zip(other.0).for_each(|(own, mut other)| own.0.append(&mut other.0));
    }

    fn to(&mut self, column: In) -> &mut Writer {
        &mut self.0[column as usize]
    }
}

impl Replay {
    /// The replay as bytes, packed: what [`Replay::from_bytes`] reads.
    ///
    /// # Errors
    /// None that memory can give.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_bytes_on(1)
    }

    /// [`Replay::to_bytes`] on so many threads; the bytes are the same.
    ///
    /// # Errors
    /// None that memory can give.
    pub fn to_bytes_on(&self, threads: usize) -> Result<Vec<u8>> {
        let shares = shares(&self.tracks, threads.max(1));
        let mut parts = on_threads(shares.len(), |n| {
            let mut out = Out::new();
            for track in shares.get(n).copied().unwrap_or_default() {
                write_track(track, &self.rows, &mut out);
            }
            out
        })
        .into_iter();
        let mut out = parts.next().unwrap_or_else(Out::new);
        for part in parts {
            out.append(part);
        }
        write_rows(&self.rows, &mut out);
        self.values.iter().for_each(|values| write_values(values, &mut out));
        write_shots(&self.shots, &self.beams, &mut out);
        write_damage(&self.damage, &mut out);
        self.floors.iter().for_each(|floor| write_floor(floor, &mut out));
        self.maps.iter().for_each(|map| map.write(out.to(In::Map)));
        let column = |(name, column): (&&str, &Writer)| Column { name: (*name).to_owned(), bytes: column.0.len() };
        let about = About { columns: NAMES.iter().zip(&out.0).map(column).collect(), ..self.about.clone() };
        let header = serde_json::to_vec(&about).map_err(std::io::Error::from)?;
        let size = (header.len() as u32).to_le_bytes();
        let columns = out.0.iter().map(|column| &*column.0);
        let parts: Vec<&[u8]> = [&MAGIC[..], &size, &header].into_iter().chain(columns).collect();
        packed(&parts, threads)
    }

    /// Reads what [`Replay::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that are no replay, or none of this version, or more than a gigabyte of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut all = Vec::new();
        ZlibDecoder::new(bytes).take(LARGEST).read_to_end(&mut all)?;
        let rest = all.strip_prefix(MAGIC).ok_or_else(|| malformed("this is no replay"))?;
        let (size, rest) = rest.split_first_chunk().ok_or_else(|| malformed("the replay is too short"))?;
        let size = u32::from_le_bytes(*size) as usize;
        let (header, mut rest) = rest.split_at_checked(size).ok_or_else(|| malformed("the replay is too short"))?;
        let about: About =
            serde_json::from_slice(header).map_err(|_| malformed("the header of the replay is not readable"))?;
        if about.version != super::VERSION {
            return Err(malformed("the replay has a layout that this version does not know"));
        }
        let mut columns = Vec::new();
        for name in NAMES {
            let column = about.columns.get(columns.len()).filter(|column| column.name == *name);
            let column = column.ok_or_else(|| malformed("the replay lacks a column"))?;
            let (own, after) =
                rest.split_at_checked(column.bytes).ok_or_else(|| malformed("a column of the replay is too short"))?;
            columns.push(Reader(own));
            rest = after;
        }
        let mut columns = Columns(columns);
        let rows = columns.rows()?;
        let mut replay = Replay {
            tracks: columns.all(In::Track, |columns| columns.track(&rows))?,
            values: columns.all(In::Values, Columns::values)?,
            about,
            rows,
            ..Replay::default()
        };
        let mut row = 0;
        replay.shots = columns.all(In::Shot, |columns| columns.shot(&mut row))?;
        let (mut row, mut last) = (0, [0; 6]);
        replay.beams = columns.all(In::Beam, |columns| columns.beam(&mut row, &mut last))?;
        let mut row = 0;
        replay.damage = columns.all(In::Damage, |columns| columns.damage(&mut row))?;
        replay.floors = columns.all(In::Floor, Columns::floor)?;
        replay.maps = columns.all(In::Map, |columns| super::Map::read(columns.from(In::Map)))?;
        replay.about.columns.clear();
        Ok(replay)
    }
}

/// Tracks in so many shares, one behind the other, of about as many keys.
fn shares(tracks: &[Track], threads: usize) -> Vec<&[Track]> {
    let keys = |tracks: &[Track]| tracks.iter().map(|track| track.keys.len()).sum::<usize>();
    let (mut rest, mut shares) = (tracks, Vec::new());
    for left in (1..threads).rev() {
        let (most, mut sum) = (keys(rest) / (left + 1), 0);
        let enough = |track: &Track| {
            sum += track.keys.len();
            sum > most
        };
        let (share, behind) = rest.split_at(rest.iter().position(enough).unwrap_or(rest.len()));
        shares.push(share);
        rest = behind;
    }
    shares.push(rest);
    shares
}

fn write_rows(rows: &[i64], out: &mut Out) {
    let mut last = 0;
    for row in rows {
        out.to(In::Row).number(row - last);
        last = *row;
    }
}

fn write_track(track: &Track, rows: &[i64], out: &mut Out) {
    let column = out.to(In::Track);
    match track.of {
        TrackOf::Player(slot) => {
            column.count(0);
            column.count(slot.into());
        }
        TrackOf::View => column.count(1),
        TrackOf::Entity { number, kind, model } => {
            column.count(2);
            [number, kind, model].iter().for_each(|v| column.count((*v).into()));
        }
    }
    column.count(track.from.into());
    column.count((track.to - track.from).into());
    column.count(track.keys.len() as u64);
    let (mut clock, mut lines) = (Pace::of(track.from), [Line::default(); 3]);
    for key in &track.keys {
        out.to(In::Key).count(key.row.saturating_sub(clock.row).into());
        let (pace, is_first) = (clock.pace(key.row, rows), clock.goes_to(key.row));
        for ((line, place), column) in lines.iter_mut().zip(key.place).zip([In::X, In::Y, In::Z]) {
            out.to(column).number(i64::from(place) - line.expected(pace));
            line.take(place, is_first);
        }
    }
    let mut turns: Vec<u16> = Vec::with_capacity(track.keys.len());
    for (n, [low, high]) in ANGLES.into_iter().enumerate() {
        let (mut clock, mut arc) = (Pace::of(track.from), Arc::default());
        turns.clear();
        turns.extend(track.keys.iter().map(|key| {
            let turn = key.angles[n].wrapping_sub(arc.expected());
            arc.take(key.angles[n], clock.goes_to(key.row));
            ((turn << 1) ^ (turn >> 15)) as u16
        }));
        out.to(low).0.extend(turns.iter().map(|turn| *turn as u8));
        out.to(high).0.extend(turns.iter().map(|turn| (turn >> 8) as u8));
    }
}

/// The rows of a track's keys, one after the other.
struct Pace {
    row: u32,
    /// The row of the key before that one.
    before: u32,
}

/// No key that is farther away than this, in milliseconds, tells how fast something moves.
const PACE_WITHIN: i64 = 200;

impl Pace {
    fn of(row: u32) -> Self {
        Pace { row, before: row }
    }

    /// How long it is to a row, and how long it was from the key before; 1 and 1 where the times do not tell. `None` for what
    /// stood still, which begins anew.
    fn pace(&self, row: u32, rows: &[i64]) -> Option<(i64, i64)> {
        if row.checked_sub(self.row) != Some(1) {
            return None;
        }
        let time = |row: u32| rows.get(row as usize).copied().unwrap_or_default();
        let (now, then) = (time(row).wrapping_sub(time(self.row)), time(self.row).wrapping_sub(time(self.before)));
        let tells = |ms: i64| (1..PACE_WITHIN).contains(&ms);
        Some(if tells(now) && tells(then) { (now, then) } else { (1, 1) })
    }

    /// Goes on to the row of the next key. True for that of the first, which is no step from anywhere.
    fn goes_to(&mut self, row: u32) -> bool {
        let is_first = self.row == row;
        (self.before, self.row) = (self.row, row);
        is_first
    }
}

/// One of the three numbers of a track's places.
#[derive(Clone, Copy, Default)]
struct Line {
    at: i32,
    /// How far it went from the key before.
    step: i32,
}

impl Line {
    /// Where it would be if it went on as fast, to the nearest eighth.
    fn expected(self, pace: Option<(i64, i64)>) -> i64 {
        let step = i64::from(self.step);
        let step = match pace {
            None => 0,
            Some((now, then)) if now == then => step,
            Some((now, then)) => (2 * step * now + step.signum() * then) / (2 * then),
        };
        i64::from(self.at) + step
    }

    fn take(&mut self, at: i32, is_first: bool) {
        self.step = if is_first { 0 } else { at.wrapping_sub(self.at) };
        self.at = at;
    }
}

/// One of the three angles of a track.
#[derive(Clone, Copy, Default)]
struct Arc {
    at: i16,
    /// How far it turned since the key before.
    turn: i16,
}

impl Arc {
    /// The angle if it went on half as fast.
    fn expected(self) -> i16 {
        self.at.wrapping_add(self.turn >> 1)
    }

    fn take(&mut self, at: i16, is_first: bool) {
        self.turn = if is_first { 0 } else { at.wrapping_sub(self.at) };
        self.at = at;
    }
}

fn write_values(values: &Values, out: &mut Out) {
    let column = out.to(In::Values);
    column.count(values.slot.map_or(0, |slot| u64::from(slot) + 1));
    column.count(values.name.into());
    column.count(values.keys.len() as u64);
    let (mut last_row, mut last) = (0, 0);
    for &(row, value) in &values.keys {
        out.to(In::ValueRow).count((row - last_row).into());
        out.to(In::Value).perhaps(value.map(|value| value.wrapping_sub(last)));
        (last_row, last) = (row, value.unwrap_or(last));
    }
}

fn write_shots(shots: &[Shot], beams: &[Beam], out: &mut Out) {
    let (column, mut last) = (out.to(In::Shot), 0);
    for shot in shots {
        [shot.row - last, shot.slot, shot.weapon].iter().for_each(|v| column.count((*v).into()));
        last = shot.row;
    }
    let (column, mut last_row, mut last) = (out.to(In::Beam), 0, [0; 6]);
    for beam in beams {
        column.count((beam.row - last_row).into());
        column.count(beam.entity.into());
        let ends = beam.ends();
        ends.iter().zip(last).for_each(|(v, last)| column.number(i64::from(*v) - i64::from(last)));
        (last_row, last) = (beam.row, ends);
    }
}

fn write_damage(damage: &[Damage], out: &mut Out) {
    let (column, mut last) = (out.to(In::Damage), 0);
    let slot = |slot: Option<u32>| slot.map_or(0, |slot| u64::from(slot) + 1);
    for it in damage {
        let all = [(it.row - last).into(), slot(it.victim), slot(it.attacker), it.amount.into()];
        all.into_iter().for_each(|v| column.count(v));
        last = it.row;
    }
}

fn write_floor(floor: &Floor, out: &mut Out) {
    let (column, mut last) = (out.to(In::Floor), [0; 3]);
    column.count(floor.level.into());
    column.count(floor.cells.len() as u64);
    for cell in &floor.cells {
        cell.iter().zip(last).for_each(|(v, last)| column.number(i64::from(*v) - i64::from(last)));
        last = *cell;
    }
}

/// Columns that are read.
struct Columns<'a>(Vec<Reader<'a>>);

impl<'a> Columns<'a> {
    fn from(&mut self, column: In) -> &mut Reader<'a> {
        &mut self.0[column as usize]
    }

    /// Reads until a column is over.
    fn all<T>(&mut self, column: In, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while !self.from(column).0.is_empty() {
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn rows(&mut self) -> Result<Vec<i64>> {
        let mut last: i64 = 0;
        self.all(In::Row, |columns| {
            last = last.wrapping_add(columns.from(In::Row).number()?);
            Ok(last)
        })
    }

    fn track(&mut self, rows: &[i64]) -> Result<Track> {
        let column = self.from(In::Track);
        let of = match column.count()? {
            0 => TrackOf::Player(column.index()?),
            1 => TrackOf::View,
            2 => TrackOf::Entity { number: column.index()?, kind: column.index()?, model: column.index()? },
            _ => return Err(malformed("a track of the replay is of an unknown kind")),
        };
        let from = column.index()?;
        let to = from.wrapping_add(column.index()?);
        let count = column.count()?;
        let (mut keys, mut clock) = (Vec::new(), Pace::of(from));
        let (mut lines, mut arcs) = ([Line::default(); 3], [Arc::default(); 3]);
        for _ in 0..count {
            let row = clock.row.wrapping_add(self.from(In::Key).index()?);
            let (pace, is_first) = (clock.pace(row, rows), clock.goes_to(row));
            for (line, column) in lines.iter_mut().zip([In::X, In::Y, In::Z]) {
                let at = line.expected(pace).wrapping_add(self.from(column).number()?) as i32;
                line.take(at, is_first);
            }
            for (arc, [low, high]) in arcs.iter_mut().zip(ANGLES) {
                let folded = u16::from_le_bytes([self.from(low).byte()?, self.from(high).byte()?]);
                let turn = (folded >> 1) as i16 ^ -((folded & 1) as i16);
                arc.take(arc.expected().wrapping_add(turn), is_first);
            }
            keys.push(Key { row, place: lines.map(|line| line.at), angles: arcs.map(|arc| arc.at) });
        }
        Ok(Track { of, from, to, keys })
    }

    fn values(&mut self) -> Result<Values> {
        let column = self.from(In::Values);
        let slot = column.index()?.checked_sub(1);
        let (name, count) = (column.index()?, column.count()?);
        let (mut keys, mut row, mut last) = (Vec::new(), 0_u32, 0_i64);
        for _ in 0..count {
            row = row.wrapping_add(self.from(In::ValueRow).index()?);
            let value = self.from(In::Value).perhaps()?.map(|step| last.wrapping_add(step));
            last = value.unwrap_or(last);
            keys.push((row, value));
        }
        Ok(Values { slot, name, keys })
    }

    fn shot(&mut self, row: &mut u32) -> Result<Shot> {
        let column = self.from(In::Shot);
        *row = row.wrapping_add(column.index()?);
        Ok(Shot { row: *row, slot: column.index()?, weapon: column.index()? })
    }

    fn beam(&mut self, row: &mut u32, last: &mut [i32; 6]) -> Result<Beam> {
        let column = self.from(In::Beam);
        *row = row.wrapping_add(column.index()?);
        let entity = column.index()?;
        for v in last.iter_mut() {
            *v = i64::from(*v).wrapping_add(column.number()?) as i32;
        }
        let [a, b, c, d, e, f] = *last;
        Ok(Beam { row: *row, entity, from: [a, b, c], to: [d, e, f] })
    }

    fn damage(&mut self, row: &mut u32) -> Result<Damage> {
        let column = self.from(In::Damage);
        *row = row.wrapping_add(column.index()?);
        let (victim, attacker) = (column.index()?.checked_sub(1), column.index()?.checked_sub(1));
        Ok(Damage { row: *row, victim, attacker, amount: column.index()? })
    }

    fn floor(&mut self) -> Result<Floor> {
        let column = self.from(In::Floor);
        let (level, count, mut last) = (column.index()?, column.count()?, [0; 3]);
        let mut cells = Vec::new();
        for _ in 0..count {
            for v in &mut last {
                *v = i64::from(*v).wrapping_add(column.number()?) as i32;
            }
            cells.push(last);
        }
        Ok(Floor { level, cells })
    }
}
