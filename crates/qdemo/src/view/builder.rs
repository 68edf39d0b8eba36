//! Makes a replay of the steps of a recording.

use super::about::{About, LevelAt, Mark, MarkKind, MatchAt};
use super::following::{Following, Place, Seen, follow, jumped};
use super::having::{Texts, ValuesOf, carried_by, values_of};
use super::rounds::Rounds;
use super::strings::Strings;
use super::track::{TrackOf, Values, quantised, quantised_angles};
use super::{Beam, Damage, INTERMISSION, PAUSED, Replay, Shot, floor};
use crate::analysis::highlight::Highlight;
use crate::demo::FileKind;
use crate::error::Result;
use crate::event::{Event, EventKind, PlayerRef};
use crate::game::quake::EndingKind;
use crate::game::quake::items::item_of;
use crate::replay::timeline::{SpanKind, Timeline};
use crate::replay::{Analyser, GivenUp, Left, Range, Shots, Step, World};
use crate::world::{Changes, DemoTime, Entity, Scene};

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
    /// The last moment was told in full.
    complete: bool,
    players: Vec<Followed>,
    view: Option<(Place, Option<u32>)>,
    view_track: Following,
    /// By number.
    entities: Vec<(Option<Seen>, Following)>,
    /// Entities that changed since the last row.
    changed: Vec<u16>,
    world: ValuesOf,
    rounds: Rounds,
    given_up: GivenUp,
    left: Left,
    behind: Behind,
}

/// What is told shortly behind the part.
#[derive(Debug, Default)]
struct Behind {
    /// When the first moment behind it is, in milliseconds.
    from: Option<i64>,
    /// The scores of both teams, while everybody looks at them.
    scores: Option<[Option<i32>; 2]>,
}

/// Scores that are told so shortly behind the end of a match, in milliseconds, are those at the end.
const LATE_MS: i64 = 2_000;

/// A player who is followed.
#[derive(Debug, Default)]
struct Followed {
    /// Somebody has the slot.
    is_there: bool,
    now: Option<Place>,
    /// The score, as it was told last.
    frags: Option<i32>,
    /// Somebody went, in this row.
    goes: bool,
    following: Following,
    texts: Texts,
    values: ValuesOf,
    carried: ValuesOf,
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
            complete: false,
            players: Vec::new(),
            view: None,
            view_track: Following::default(),
            entities: Vec::new(),
            changed: Vec::new(),
            world: ValuesOf::default(),
            rounds: Rounds::default(),
            given_up: GivenUp::default(),
            left: Left::default(),
            behind: Behind::default(),
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
        self.replay.damage = damage(events, &self.replay);
        let about = &mut self.replay.about;
        for it in highlights.iter().filter(|it| within(it.clock.demo)) {
            about.marks.push(Mark { demo_ms: it.clock.demo.ms(), kind: MarkKind::highlight(it) });
        }
        about.marks.sort_by_key(|mark| mark.demo_ms);
        let matches = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Match { .. }));
        let overlaps =
            |from: DemoTime, to: DemoTime| ends.is_some_and(|(first, last)| from.ms() <= last && to.ms() >= first);
        let matches = matches.filter(|span| overlaps(span.from.demo, span.to.demo));
        about.matches =
            matches.map(|span| MatchAt { from_ms: span.from.demo.ms(), to_ms: span.to.demo.ms() }).collect();
        let until = self.behind.from.unwrap_or(i64::MAX);
        let ends_with_a_match = |last: i64| about.matches.iter().any(|it| (last..until).contains(&it.to_ms));
        if let (Some(row), true) = (rows.checked_sub(1), ends.is_some_and(|(_, last)| ends_with_a_match(last))) {
            self.set_scores(self.behind.scores.unwrap_or_default());
            self.world.write(None, row, &mut self.strings, &mut self.replay.values);
        }
        let rounds = self.rounds.values(&self.replay.rows, &mut self.strings);
        self.replay.values.extend(rounds);
        let paused = paused(timeline, &self.replay.rows);
        self.replay.values.push(Values { slot: None, name: self.strings.number(PAUSED), keys: paused });
        self.replay.about.teams = self.replay.about.levels.iter().any(|level| level.teams);
        self.replay.about.strings = self.strings.all;
        self.replay.floors = floor::floors(&self.replay);
        self.replay
    }

    fn begin(&mut self, step: &Step<'_>, name: &str) {
        let kind = step.detected.kind;
        self.shots = Some(Shots::new(kind));
        self.replay.about = About {
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
        if self.afresh || changes.settings || changes.strings().next().is_some() {
            self.name_level(world);
        }
        let told = told_of(changes);
        // Worlds of QuakeWorld tell apart what is new of a player; elsewhere a frame is all that there is.
        let all = self.afresh || told == u32::MAX || !matches!(world, World::QuakeWorld(_));
        // Nobody comes but with a name, a line of the score board, or an entity, whose number is the slot or one more.
        let slots = world.player_slots().min(MOST);
        let comes = changes.added.iter().any(|number| usize::from(*number) <= slots);
        let may_come = self.afresh || comes || told == u32::MAX || matches!(world, World::QuakeWorld(_));
        let recorder = world.recorder();
        let was_complete = std::mem::replace(&mut self.complete, world.is_complete());
        let shown = || (0..).zip(&self.players).filter(|(_, player)| player.now.is_some()).map(|(slot, _)| slot);
        let wanted = match world {
            // What happened may change what is believed of anybody.
            World::Dm3(own) if !self.afresh && was_complete && step.events.is_empty() => {
                shown().fold(own.told_slots(), |slots, slot: usize| slots | 1 << (slot & 31))
            }
            World::QuakeWorld(own) if !all => {
                let come_and_gone = changes.added.iter().chain(&changes.removed);
                let come_and_gone =
                    come_and_gone.fold(0, |slots, number| slots | bit(usize::from(*number).wrapping_sub(1)));
                // In front of the first frame some come into view and go without being told as such.
                let turns = own.in_view() ^ shown().fold(0, |slots, slot| slots | bit(slot));
                // A client's commands tell where it looks.
                let looks = changes.frame || !changes.inputs.is_empty();
                told | come_and_gone | turns | recorder.filter(|_| looks).map_or(0, bit)
            }
            _ => u32::MAX,
        };
        let most =
            if may_come { slots } else { self.players.len().max(recorder.map_or(0, |slot| slot + 1)).min(slots) };
        for slot in 0..most {
            let is_there = self.players.get(slot).is_some_and(|player| player.is_there);
            if !may_come && !is_there && recorder != Some(slot) {
                continue;
            }
            if wanted >> (slot & 31) & 1 == 1 {
                self.look_at_player(world, slot, if self.afresh { u32::MAX } else { changes.stats });
            }
        }
        if self.afresh || changes.frame || told != 0 || !changes.is_quiet() {
            self.view = world.view().and_then(|view| {
                let place = (quantised(view.origin?), quantised_angles(view.angles));
                Some((place, view.slot.and_then(|slot| u32::try_from(slot).ok())))
            });
            let slot = self.view.and_then(|(_, slot)| slot);
            self.world.set(0, "view", slot.map(i64::from));
            self.set_scores(world.team_scores().unwrap_or_default());
            self.world.set(1 + TEAM_SCORES.len(), INTERMISSION, is_intermission(world).then_some(1));
            self.replay.about.recorder = world.recorder();
        }
        if self.afresh || changes.settings || changes.strings().next().is_some() {
            let in_teams = world.in_teams();
            if let Some(level) = self.replay.about.levels.last_mut() {
                level.teams |= in_teams;
                level.for_oneself |= world.is_for_oneself();
            }
        }
        for number in changes.added.iter().chain(&changes.changed) {
            self.look_at_entity(world, *number, entity(world, *number));
        }
        for number in &changes.removed {
            self.look_at_entity(world, *number, None);
        }
        // What moves by itself in Quake III is told of when it begins to.
        if let (true, World::Dm3(own)) = (changes.frame, world) {
            let entities = own.complete_snapshot().into_iter().flat_map(|snapshot| snapshot.entities());
            for number in entities.filter(|(_, state)| state.moves()).map(|(number, _)| number) {
                let seen = self.entities.get(usize::from(number)).is_some_and(|(seen, _)| seen.is_some());
                if seen {
                    self.look_at_entity(world, number, entity(world, number));
                }
            }
        }
        self.look_at_shots(world);
        self.afresh = false;
    }

    fn set_scores(&mut self, scores: [Option<i32>; 2]) {
        for (n, (name, score)) in TEAM_SCORES.iter().zip(scores).enumerate() {
            if score.is_some() {
                self.world.set(n + 1, name, score.map(i64::from));
            }
        }
    }

    /// Looks at what is told behind the part that is wanted.
    fn look_behind(&mut self, world: &World, ms: i64) {
        let last = self.now.or(self.replay.rows.last().copied());
        let Some(last) = last.filter(|last| ms > *last) else { return };
        self.behind.from.get_or_insert(ms);
        if let (true, World::Dm3(own)) = (ms <= last + LATE_MS, world) {
            if own.is_intermission() {
                self.behind.scores = world.team_scores().or(self.behind.scores);
            }
        }
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
            self.look_at_entity(world, number as u16, entity(world, number as u16));
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
        let Some(mut player) = world.player(slot) else {
            if let Some(followed) = self.players.get_mut(slot) {
                (followed.now, followed.is_there) = (None, false);
                followed.values.forget();
                followed.carried.forget();
            }
            return;
        };
        let Some(followed) = followed(&mut self.players, slot) else { return };
        followed.is_there = true;
        if self.given_up.is_on() {
            player.frags = followed.frags;
        }
        followed.frags = player.frags;
        let angles = quantised_angles(player.angles.unwrap_or_default());
        followed.now = player.origin.map(|origin| (quantised(origin), angles));
        values_of(&player, &mut followed.texts, &mut self.strings, &mut followed.values);
        if self.left.has(slot, &player.name) {
            followed.values.forget_name();
        }
        // Of QuakeWorld it is told whose stats are new; elsewhere one alone has any.
        if self.afresh || !matches!(world, World::QuakeWorld(_)) || stats >> (slot & 31) & 1 == 1 {
            carried_by(world, slot, &mut followed.carried);
        }
    }

    /// Notes who goes from Quake II.
    fn look_at_leaving(&mut self, step: &Step<'_>) {
        self.left.look(step.world, step.events);
        if !matches!(step.world, World::Dm2(_) | World::Mvd2(_)) {
            return;
        }
        for event in step.events {
            let EventKind::Leave(who) = &event.kind else { continue };
            let slot = who.slot.filter(|slot| *slot < MOST);
            if let Some(followed) = slot.and_then(|slot| followed(&mut self.players, slot)) {
                followed.goes = true;
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
            let model = item_name(world, &it).unwrap_or(&it.model);
            match last.filter(|last| self.strings.are(last.kind, &it.kind, last.model, model)) {
                Some(last) => Seen { place, ..last },
                None => Seen {
                    kind: self.strings.number(&it.kind),
                    model: self.strings.of_bytes(model, |model| String::from_utf8_lossy(model).into_owned()),
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
            if std::mem::take(&mut player.goes) {
                player.values.end_name(row, &mut self.replay.values);
            }
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
        for event in step.events {
            self.rounds.look(event);
            self.given_up.take(event, step.world);
            // While a match is given up only what is believed of scores is taken.
            if let Some((who, to)) = self.given_up.score(event).filter(|_| self.given_up.is_on()) {
                if let Some(followed) = who.slot.and_then(|slot| self.players.get_mut(slot)) {
                    followed.frags = Some(to);
                }
            }
        }
        let clock = step.clock();
        self.range.check(&clock)?;
        let ms = clock.demo.ms();
        if step.is_end() || !self.range.contains(Some(step.block), &clock) {
            if self.now.is_none() && self.replay.rows.is_empty() {
                self.look_at_leaving(step);
            }
            self.look_behind(step.world, ms);
            return Ok(());
        }
        if self.now.is_some_and(|now| now < ms) {
            self.write_row();
        }
        self.look_at_leaving(step);
        self.look(step);
        // A clock that goes back a little tells more of the same moment.
        self.now = self.now.max(Some(ms));
        Ok(())
    }
}

/// The player of a slot.
fn followed(players: &mut Vec<Followed>, slot: usize) -> Option<&mut Followed> {
    if players.len() <= slot {
        players.resize_with(slot + 1, Followed::default);
    }
    players.get_mut(slot)
}

/// The bit of a slot of QuakeWorld, which has as many as there are bits.
fn bit(slot: usize) -> u32 {
    u32::try_from(slot).ok().and_then(|slot| 1u32.checked_shl(slot)).unwrap_or(0)
}

/// The slots of which something was told but where they are, a bit each. The score board and names come with more of others:
/// then all.
fn told_of(changes: &Changes) -> u32 {
    let of_all = changes.board != 0 || changes.strings().next().is_some();
    if of_all { u32::MAX } else { changes.stats }
}

/// True while everybody looks at the scores from one place. In Quake II nothing tells that apart from looking at others.
fn is_intermission(world: &World) -> bool {
    match world {
        World::Dem(own) => own.ending().is_some_and(|ending| ending.kind != EndingKind::CutScene),
        World::QuakeWorld(own) => own.intermission().is_some(),
        World::Dm3(own) => own.is_intermission(),
        World::Dm2(_) | World::Mvd2(_) => false,
    }
}

/// At which rows the game stands still, and goes on.
fn paused(timeline: &Timeline, rows: &[i64]) -> Vec<(u32, Option<i64>)> {
    let mut keys = vec![(0, Some(0))];
    let row = |time: DemoTime| rows.partition_point(|row| *row < time.ms()) as u32;
    for span in timeline.spans.iter().filter(|span| span.kind == SpanKind::Pause) {
        let (from, to) = (row(span.from.demo), row(span.to.demo));
        if from < to {
            // A pause may begin with the replay, or where another one ends.
            if keys.last().is_some_and(|key| key.0 == from) {
                keys.pop();
            }
            keys.extend([(from, Some(1)), (to, Some(0))]);
        }
    }
    keys.retain(|key| (key.0 as usize) < rows.len());
    keys
}

/// The damage that events tell.
fn damage(events: &[Event], replay: &Replay) -> Vec<Damage> {
    let slot = |who: &Option<PlayerRef>| who.as_ref().and_then(|who| u32::try_from(who.slot?).ok());
    let told = |event: &Event| {
        let EventKind::Damage(it) = &event.kind else { return None };
        let ms = event.clock.demo.ms();
        let row = replay.row_at(ms).filter(|_| replay.rows.last().is_some_and(|last| ms <= *last))?;
        let amount = u32::try_from(it.taken.unwrap_or(it.amount)).ok()?;
        Some(Damage { row, victim: slot(&it.victim), attacker: slot(&it.attacker), amount })
    };
    let mut damage: Vec<_> = events.iter().filter_map(told).collect();
    damage.sort_by_key(|it| it.row);
    damage
}

/// An entity that has a track of its own, or one of QuakeWorld's players, who are where their entities are; or a body, which
/// Quake III takes for a player.
fn entity(world: &World, number: u16) -> Option<Entity<'_>> {
    let number = usize::from(number);
    // A player's number is the slot, or one more.
    let may_be_player = number <= world.player_slots() && !matches!(world, World::QuakeWorld(_));
    let is_of_interest = !may_be_player || !world.is_player(number);
    is_of_interest.then(|| world.entity(number)).flatten()
}

/// The name of an item whose model, and its skin, tell it: Quake III has names for models.
fn item_name(world: &World, entity: &Entity<'_>) -> Option<&'static [u8]> {
    let is_quake = matches!(world, World::Dem(_) | World::QuakeWorld(_)) && entity.kind == "item";
    is_quake.then(|| item_of(&entity.model, entity.skin)).flatten().map(str::as_bytes)
}

/// Names of the scores of both teams among the values of the world.
const TEAM_SCORES: [&str; 2] = ["score_red", "score_blue"];

/// Kinds of entities that nobody sees.
const UNSEEN: [&str; 6] = ["event", "speaker", "push_trigger", "teleport_trigger", "invisible", "portal"];

fn game(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Dem => "quake",
        FileKind::Qwd | FileKind::Mvd => "quakeworld",
        FileKind::Dm2 | FileKind::Mvd2 => "quake2",
        FileKind::Dm3 => "quake3",
        FileKind::Unknown => "",
    }
}
