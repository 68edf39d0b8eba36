//! Makes a replay of the steps of a recording.

use std::collections::HashMap;

use super::about::{About, LevelAt, Mark, MarkKind, MatchAt};
use super::floor;
use super::track::{Key, Track, TrackOf, Values, quantised, quantised_angles};
use super::{Beam, Replay, Shot};
use crate::analysis::highlight::Highlight;
use crate::demo::FileKind;
use crate::error::Result;
use crate::event::Event;
use crate::replay::timeline::{SpanKind, Timeline};
use crate::replay::{Analyser, Range, Shots, Step, World};
use crate::world::{DemoTime, Entity, Player, Scene};

/// Most slots, and most numbers of entities, that any game has.
const MOST: usize = 1 << 16;

/// Makes a [`Replay`], step by step.
#[derive(Debug)]
pub struct Builder {
    range: Range,
    replay: Replay,
    strings: Strings,
    shots: Option<Shots>,
    /// The time of the row that is being made.
    now: Option<i64>,
    /// Everything is to be looked at: a level began, or the part that is wanted.
    afresh: bool,
    players: Vec<Followed>,
    view: Option<(Place, Option<u32>)>,
    view_track: Following,
    /// By number.
    entities: Vec<(Option<Seen>, Following)>,
    /// Entities that changed since the last row.
    changed: Vec<u16>,
    world: ValuesOf,
}

/// Places and angles, quantised.
type Place = ([i32; 3], [i16; 3]);

/// What is seen of an entity: what it is, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    kind: u32,
    model: u32,
    place: Place,
}

/// The track that something is on.
#[derive(Debug, Default)]
struct Following {
    /// Number of the track.
    track: Option<usize>,
    last: Option<Place>,
}

/// A player who is followed.
#[derive(Debug, Default)]
struct Followed {
    now: Option<Place>,
    following: Following,
    values: ValuesOf,
    carried: ValuesOf,
}

/// What somebody has.
#[derive(Debug, Default)]
struct ValuesOf {
    all: Vec<Value>,
    changed: bool,
}

/// Something that somebody has.
#[derive(Debug)]
struct Value {
    name: Box<str>,
    now: Option<i64>,
    written: Option<i64>,
    /// Number of its list among the values of the replay, once it has one.
    list: Option<usize>,
    /// It was told in this look at what is carried.
    told: bool,
}

impl ValuesOf {
    /// Sets a value. They are told in the same order most of the time, so that it is looked for from `at` on; gives where the
    /// next one is expected.
    fn set(&mut self, at: usize, name: &str, value: Option<i64>) -> usize {
        let is = |it: &Value| *it.name == *name;
        let place = match self.all.get(at) {
            Some(it) if is(it) => at,
            _ => self.all.iter().position(is).unwrap_or_else(|| {
                self.all.push(Value { name: name.into(), now: None, written: None, list: None, told: false });
                self.all.len() - 1
            }),
        };
        if let Some(it) = self.all.get_mut(place) {
            self.changed |= it.now != value;
            (it.now, it.told) = (value, true);
        }
        place + 1
    }

    /// Nothing is told any more.
    fn forget(&mut self) {
        self.changed = true;
        self.all.iter_mut().for_each(|it| it.now = None);
    }

    /// Notes what changed.
    fn write(&mut self, slot: Option<u32>, row: u32, strings: &mut Strings, out: &mut Vec<Values>) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        for it in self.all.iter_mut().filter(|it| it.now != it.written) {
            it.written = it.now;
            let list = *it.list.get_or_insert_with(|| {
                out.push(Values { slot, name: strings.number(&it.name), keys: Vec::new() });
                out.len() - 1
            });
            if let Some(values) = out.get_mut(list) {
                values.keys.push((row, it.now));
            }
        }
    }
}

/// Strings, each once.
#[derive(Debug, Default)]
struct Strings {
    all: Vec<String>,
    numbers: HashMap<String, u32>,
    /// By their bytes in the file.
    raw: HashMap<Vec<u8>, u32>,
}

impl Strings {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// True for the numbers of these two; the second has the bytes of the file.
    fn are(&self, one: u32, text: &str, other: u32, raw: &[u8]) -> bool {
        let is = |number: u32, bytes: &[u8]| self.all.get(number as usize).is_some_and(|it| it.as_bytes() == bytes);
        is(one, text.as_bytes()) && is(other, raw)
    }

    /// A text of the file, in plain characters.
    fn of_bytes(&mut self, raw: &[u8], clean: impl Fn(&[u8]) -> String) -> u32 {
        if let Some(number) = self.raw.get(raw) {
            return *number;
        }
        let number = self.number(&clean(raw));
        self.raw.insert(raw.to_owned(), number);
        number
    }
}

impl Builder {
    /// Of a part of a recording.
    pub fn new(range: Range) -> Self {
        Builder {
            range,
            replay: Replay::default(),
            strings: Strings::default(),
            shots: None,
            now: None,
            afresh: true,
            players: Vec::new(),
            view: None,
            view_track: Following::default(),
            entities: Vec::new(),
            changed: Vec::new(),
            world: ValuesOf::default(),
        }
    }

    /// The replay: of the steps, and of what happened.
    pub fn finish(mut self, events: &[Event], highlights: &[Highlight], timeline: &Timeline) -> Replay {
        self.write_row();
        let rows = self.replay.rows.len() as u32;
        self.replay.tracks.iter_mut().filter(|track| track.to == u32::MAX).for_each(|track| track.to = rows);
        let ends = self.replay.rows.first().copied().zip(self.replay.rows.last().copied());
        let within = |time: DemoTime| ends.is_some_and(|(from, to)| (from..=to).contains(&time.ms()));
        let about = &mut self.replay.about;
        for event in events.iter().filter(|event| within(event.clock.demo)) {
            let kind = MarkKind::of(&event.kind);
            about.marks.extend(kind.map(|kind| Mark { demo_ms: event.clock.demo.ms(), kind }));
        }
        for it in highlights.iter().filter(|it| within(it.clock.demo)) {
            about.marks.push(Mark { demo_ms: it.clock.demo.ms(), kind: MarkKind::highlight(it) });
        }
        about.marks.sort_by_key(|mark| mark.demo_ms);
        let matches = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Match { .. }));
        let matches = matches.filter(|span| within(span.from.demo) || within(span.to.demo));
        about.matches =
            matches.map(|span| MatchAt { from_ms: span.from.demo.ms(), to_ms: span.to.demo.ms() }).collect();
        about.strings = self.strings.all;
        self.replay.floors = floor::floors(&self.replay);
        self.replay
    }

    fn begin(&mut self, step: &Step<'_>, name: &str) {
        let kind = step.detected.kind;
        self.shots = Some(Shots::new(kind));
        self.replay.about = About {
            version: super::VERSION,
            file: name.to_owned(),
            format: kind.name().to_owned(),
            game: game(kind).to_owned(),
            ..About::default()
        };
    }

    /// Names the recording.
    pub(super) fn called(mut self, name: &str) -> Self {
        self.replay.about.file = name.to_owned();
        self
    }

    /// Looks at what a chunk changed.
    fn look(&mut self, step: &Step<'_>) {
        let (world, changes) = (step.world, step.changes());
        if changes.level || self.afresh {
            self.begin_level(world);
        }
        self.name_level(world);
        let strings = changes.strings().next().is_some();
        // Worlds of QuakeWorld tell apart what is new of a player; elsewhere a frame is all that there is.
        let told = changes.stats | changes.board;
        let all = self.afresh || strings || !matches!(world, World::QuakeWorld(_)) || changes.board != 0;
        let come_and_gone = |slot: usize| {
            let is = |number: &u16| usize::from(*number) == slot + 1;
            changes.added.iter().any(is) || changes.removed.iter().any(is)
        };
        for slot in 0..world.player_slots().min(MOST) {
            // A client's commands tell where it looks.
            let looks = world.recorder() == Some(slot) && (changes.frame || !changes.inputs.is_empty());
            if all || looks || told >> (slot & 31) & 1 == 1 || come_and_gone(slot) {
                self.look_at_player(world, slot, if self.afresh { u32::MAX } else { changes.stats });
            }
        }
        if self.afresh || changes.frame || strings || told != 0 || !changes.is_quiet() {
            self.view = world.view().and_then(|view| {
                let place = (quantised(view.origin?), quantised_angles(view.angles));
                Some((place, view.slot.and_then(|slot| u32::try_from(slot).ok())))
            });
            let slot = self.view.and_then(|(_, slot)| slot);
            self.world.set(0, "view", slot.map(i64::from));
            self.world.set(1, "paused", Some(i64::from(world.is_paused())));
            self.replay.about.recorder = world.recorder();
            self.replay.about.teams |= world.in_teams();
        }
        for number in changes.added.iter().chain(&changes.changed) {
            self.look_at_entity(world, *number, world.entity(usize::from(*number)));
        }
        for number in &changes.removed {
            self.look_at_entity(world, *number, None);
        }
        // What moves by itself in Quake III is told of when it begins to.
        if changes.frame && matches!(world, World::Dm3(_)) {
            for number in 0..self.entities.len() {
                if self.entities.get(number).is_some_and(|(seen, _)| seen.is_some()) {
                    self.look_at_entity(world, number as u16, world.entity(number));
                }
            }
        }
        self.look_at_shots(world);
        self.afresh = false;
    }

    fn begin_level(&mut self, world: &World) {
        // What this moment showed of the level before is over with it.
        let (row, tracks) = (self.replay.rows.len() as u32, &mut self.replay.tracks);
        let players = self.players.iter_mut().map(|player| &mut player.following);
        let all = players.chain(self.entities.iter_mut().map(|(_, following)| following));
        all.chain([&mut self.view_track]).for_each(|following| follow(following, TrackOf::View, None, row, tracks));
        let levels = &mut self.replay.about.levels;
        levels.retain(|last| last.row < row);
        levels.push(LevelAt { row, ..LevelAt::default() });
        self.players.iter_mut().for_each(|player| player.now = None);
        for (number, (seen, _)) in self.entities.iter_mut().enumerate() {
            if seen.take().is_some() {
                self.changed.push(number as u16);
            }
        }
        self.afresh = true;
        for number in 0..world.entity_slots().min(MOST) {
            self.look_at_entity(world, number as u16, world.entity(number));
        }
    }

    /// The name of a level may be told after it began.
    fn name_level(&mut self, world: &World) {
        let level = world.level();
        let Some(at) = self.replay.about.levels.last_mut() else { return };
        if at.map.as_bytes() != level.map {
            at.map = String::from_utf8_lossy(level.map).into_owned();
        }
        if at.title.is_empty() && !level.title.is_empty() {
            at.title = world.charset().clean(level.title);
        }
    }

    fn look_at_player(&mut self, world: &World, slot: usize, stats: u32) {
        let Some(player) = world.player(slot) else {
            if let Some(followed) = self.players.get_mut(slot) {
                followed.now = None;
                followed.values.forget();
                followed.carried.forget();
            }
            return;
        };
        if self.players.len() <= slot {
            self.players.resize_with(slot + 1, Followed::default);
        }
        let Some(followed) = self.players.get_mut(slot) else { return };
        let angles = quantised_angles(player.angles.unwrap_or_default());
        followed.now = player.origin.map(|origin| (quantised(origin), angles));
        let strings = &mut self.strings;
        values_of(&player, strings, &mut followed.values);
        // Of QuakeWorld it is told whose stats are new; elsewhere one alone has any.
        if self.afresh || !matches!(world, World::QuakeWorld(_)) || stats >> (slot & 31) & 1 == 1 {
            let (carried, mut at) = (&mut followed.carried, 0);
            carried.all.iter_mut().for_each(|it| it.told = false);
            world.carried(slot, &mut |name, value| at = carried.set(at, name, Some(value)));
            for it in carried.all.iter_mut().filter(|it| !it.told && it.now.is_some()) {
                it.now = None;
                carried.changed = true;
            }
        }
    }

    fn look_at_entity(&mut self, world: &World, number: u16, entity: Option<Entity<'_>>) {
        // Players of QuakeWorld are where their entities are.
        if let (World::QuakeWorld(_), Some(slot)) = (world, usize::from(number).checked_sub(1)) {
            let followed = self.players.get_mut(slot).filter(|_| world.recorder() != Some(slot));
            if let Some(followed) = followed {
                let own = entity.as_ref().filter(|it| it.player.is_some());
                followed.now = own.map(|it| (quantised(it.origin), quantised_angles(it.angles)));
            }
        }
        let entity = entity.filter(|it| it.player.is_none() && !UNSEEN.contains(&&*it.kind));
        let at = usize::from(number);
        if entity.is_none() && self.entities.len() <= at {
            return;
        }
        if self.entities.len() <= at {
            self.entities.resize_with(at + 1, Default::default);
        }
        let seen = entity.map(|it| {
            let last = self.entities.get(at).and_then(|(seen, _)| *seen);
            let place = (quantised(it.origin), quantised_angles(it.angles));
            match last.filter(|last| self.strings.are(last.kind, &it.kind, last.model, &it.model)) {
                Some(last) => Seen { place, ..last },
                None => Seen {
                    kind: self.strings.number(&it.kind),
                    model: self.strings.of_bytes(&it.model, |model| String::from_utf8_lossy(model).into_owned()),
                    place,
                },
            }
        });
        if let Some((now, _)) = self.entities.get_mut(at) {
            if now.is_some() || seen.is_some() {
                self.changed.push(number);
            }
            *now = seen;
        }
    }

    fn look_at_shots(&mut self, world: &World) {
        let (row, strings) = (self.replay.rows.len() as u32, &mut self.strings);
        let out = &mut self.replay.shots;
        if let Some(shots) = &mut self.shots {
            shots.step(world, &mut |shot| {
                let (Some(slot), Some(weapon)) = (shot.slot, &shot.weapon) else { return };
                out.push(Shot { row, slot: slot as u32, weapon: strings.number(weapon) });
            });
        }
        for beam in &world.changes().beams {
            let (from, to) = (quantised(beam.from), quantised(beam.to));
            self.replay.beams.push(Beam { row, entity: u32::from(beam.entity), from, to });
        }
    }

    /// Completes the row of which everything has been seen.
    fn write_row(&mut self) {
        let Some(now) = self.now.take() else { return };
        let row = self.replay.rows.len() as u32;
        self.replay.rows.push(now);
        let tracks = &mut self.replay.tracks;
        for (slot, player) in self.players.iter_mut().enumerate() {
            let of = TrackOf::Player(slot as u32);
            follow(&mut player.following, of, player.now, row, tracks);
            for values in [&mut player.values, &mut player.carried] {
                values.write(Some(slot as u32), row, &mut self.strings, &mut self.replay.values);
            }
        }
        follow(&mut self.view_track, TrackOf::View, self.view.map(|(place, _)| place), row, tracks);
        self.world.write(None, row, &mut self.strings, &mut self.replay.values);
        self.changed.sort_unstable();
        self.changed.dedup();
        for number in self.changed.drain(..) {
            let Some((seen, following)) = self.entities.get_mut(usize::from(number)) else { continue };
            let of = |seen: &Seen| TrackOf::Entity { number: number.into(), kind: seen.kind, model: seen.model };
            let was = following.track.and_then(|track| tracks.get(track)).map(|track| track.of);
            if let (Some(seen), Some(was)) = (&seen, was) {
                if was != of(seen) || jumped(following, seen) {
                    follow(following, was, None, row, tracks);
                }
            }
            let Some(of) = seen.as_ref().map(of).or(was) else { continue };
            follow(following, of, seen.map(|seen| seen.place), row, tracks);
        }
    }
}

impl Analyser for Builder {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        if self.shots.is_none() {
            let name = std::mem::take(&mut self.replay.about.file);
            self.begin(step, &name);
        }
        let clock = step.clock();
        self.range.check(&clock)?;
        if step.is_end() || !self.range.contains(Some(step.block), &clock) {
            return Ok(());
        }
        let ms = clock.demo.ms();
        if self.now.is_some_and(|now| now < ms) {
            self.write_row();
        }
        self.look(step);
        // A clock that goes back a little tells more of the same moment.
        self.now = self.now.max(Some(ms));
        Ok(())
    }
}

/// Kinds of entities that nobody sees.
const UNSEEN: [&str; 6] = ["event", "speaker", "push_trigger", "teleport_trigger", "invisible", "portal"];

/// True for an entity that is another one than before, although its number and looks are the same: what flies does not
/// jump.
fn jumped(following: &Following, seen: &Seen) -> bool {
    const FAR: i32 = 600 * 8;
    let Some((last, _)) = following.last else { return false };
    last.iter().zip(seen.place.0).any(|(last, now)| (last - now).abs() > FAR)
}

/// Notes where something is at a row; `None`: not in view.
fn follow(it: &mut Following, of: TrackOf, now: Option<Place>, row: u32, tracks: &mut Vec<Track>) {
    let Some((place, angles)) = now else {
        if let Some(track) = it.track.take().and_then(|track| tracks.get_mut(track)) {
            track.to = row;
        }
        it.last = None;
        return;
    };
    if it.last == now {
        return;
    }
    it.last = now;
    let number = *it.track.get_or_insert_with(|| {
        tracks.push(Track { of, from: row, to: u32::MAX, keys: Vec::new() });
        tracks.len() - 1
    });
    if let Some(track) = tracks.get_mut(number) {
        track.keys.push(Key { row, place, angles });
    }
}

/// What a player is and has, by name.
fn values_of(player: &Player<'_>, strings: &mut Strings, values: &mut ValuesOf) {
    let clean = |raw: &[u8]| player.charset.clean(raw);
    let name = strings.of_bytes(&player.name, clean);
    let team = player.team.as_deref().map(|team| strings.of_bytes(team, clean));
    let weapon = player.weapon.as_deref().map(|weapon| strings.number(weapon));
    let all = [
        ("name", Some(i64::from(name))),
        ("team", team.map(i64::from)),
        ("weapon", weapon.map(i64::from)),
        ("spectator", player.spectator.then_some(1)),
        ("health", player.health.map(i64::from)),
        ("armor", player.armor.map(i64::from)),
        ("ammo", player.ammo.map(i64::from)),
        ("frags", player.frags.map(i64::from)),
        ("ping", player.ping.map(i64::from)),
    ];
    for (at, (name, value)) in all.into_iter().enumerate() {
        values.set(at, name, value);
    }
}

fn game(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Dem => "quake",
        FileKind::Qwd | FileKind::Mvd => "quakeworld",
        FileKind::Dm2 | FileKind::Mvd2 => "quake2",
        FileKind::Dm3 => "quake3",
        FileKind::Unknown => "",
    }
}
