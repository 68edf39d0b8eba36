//! QuakeWorld: what several clients recorded, as the server would have recorded it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

use super::account::{Aligned, Counting, MergeAccount};
use super::align::Marks;
use super::follow::{Follower, Glimpse, Watch};
use super::said::Unsaid;
use super::survey::{LevelId, Survey};
use super::{Input, open, refused};
use crate::convert::{Beside, audience, is_moment, recorder_known, to_multiview_with, turn};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::MessageSet as _;
use crate::format::mvd::Target;
use crate::format::qwd::{Decoder, Message, Print};
use crate::frame;
use crate::game::quakeworld::{EntityState, PlayerState, World as QuakeWorld};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::{IntoOwned as _, Str};
use crate::world::{Scene, TextKind};

/// The same sounds and effects within so many ms are the same.
const NEAR: i64 = 250;

/// What a frame of another recording shows.
struct Seen {
    /// With the view, as far as it is known.
    players: Vec<(u8, PlayerState, [i16; 3])>,
    entities: Vec<EntityState>,
}

/// A message with its time on the recording's clock.
type Timed = (i64, Message<'static>);

struct Watching {
    world: World,
    decoder: Decoder,
    /// What the recorder alone was told, and what was heard and seen for a moment.
    told: Vec<Timed>,
}

fn quakeworld(world: &World) -> Option<&QuakeWorld> {
    if let World::QuakeWorld(world) = world { Some(world) } else { None }
}

/// True for what stays so once it was told.
fn stays(message: &Message<'_>) -> bool {
    matches!(
        message,
        Message::UpdateStat(_) | Message::UpdateStatLong(_) | Message::MaxSpeed(_) | Message::EntGravity(_)
    )
}

impl Watching {
    fn new(world: World) -> Self {
        Watching { world, decoder: Decoder::default(), told: Vec::new() }
    }
}

impl Watch for Watching {
    type View = Seen;

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<(i64, Seen)> {
        let Chunk::Qwd(frame::Chunk::Block(block)) = chunk else { return None };
        self.world.apply(chunk);
        let (packet, _) = self.decoder.read(block);
        let at = self.world.clock().demo.ms();
        let world = quakeworld(&self.world)?;
        for message in packet.messages {
            let target = audience(&message).filter(|_| message.unknown_bytes().is_none());
            // What the settings of the level say has been told.
            let is_own =
                matches!(target, Some(Target::Stats | Target::Single)) && !matches!(message, Message::StuffText(_));
            if is_own || is_moment(&message) {
                self.told.push((at, message.into_owned()));
            }
        }
        if !world.changes().frame {
            return None;
        }
        let own = recorder_known(world);
        let watches = world.is_spectator();
        let slots = (0..QuakeWorld::SLOTS).filter(|slot| world.is_in_view(*slot));
        let players = slots.filter_map(|slot| {
            let state = world.slot(slot)?.state?;
            let slot = u8::try_from(slot).ok()?;
            let is_own = own == Some(slot);
            let view = if is_own { world.view_angles().map(|view| view.map(turn)) } else { state.turns() };
            (!is_own || !watches).then_some((slot, state, view.unwrap_or_default()))
        });
        let entities = if world.is_complete() { world.entity_states().to_vec() } else { Vec::new() };
        let view = Seen { players: players.collect(), entities };
        Some((at, view))
    }

    fn world(&self) -> &World {
        &self.world
    }
}

/// When the first recording was told of sounds and effects.
#[derive(Default)]
struct Moments(HashMap<u64, Vec<i64>>);

impl Moments {
    fn of(input: &Input<'_>, limits: Limits) -> Result<Self> {
        let mut reader = open(input, limits)?;
        let mut world = World::of(reader.detected(), input.name)?;
        world.only_texts();
        let (mut decoder, mut moments) = (Decoder::default(), Moments::default());
        while let Some(chunk) = reader.next_chunk()? {
            world.apply(&chunk);
            if let Chunk::Qwd(frame::Chunk::Block(block)) = &chunk {
                let at = world.clock().demo.ms();
                let (packet, _) = decoder.read(block);
                packet
                    .messages
                    .iter()
                    .filter(|message| is_moment(message))
                    .for_each(|message| moments.add(message, at));
                decoder.recycle(packet);
            }
        }
        Ok(moments)
    }

    fn key(message: &Message<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{message:?}").hash(&mut hasher);
        hasher.finish()
    }

    fn add(&mut self, message: &Message<'_>, at: i64) {
        self.0.entry(Self::key(message)).or_default().push(at);
    }

    /// True for one that was told at that time.
    fn has(&self, message: &Message<'_>, at: i64) -> bool {
        self.0.get(&Self::key(message)).is_some_and(|times| times.iter().any(|time| (time - at).abs() <= NEAR))
    }
}

/// What the others saw.
struct Others<'a> {
    followed: Vec<Follower<'a, Watching>>,
    counting: Counting,
    unsaid: Unsaid,
    moments: Moments,
    /// When the first recording begins: what was told before is no part of it, unless it stays so.
    begins: i64,
    /// At the moment at hand, with the number of the input.
    players: Vec<(usize, u8, PlayerState, [i16; 3])>,
    entities: Vec<(usize, EntityState)>,
    told: Vec<(Target, u8, Message<'static>)>,
    level: u32,
}

impl Others<'_> {
    /// Takes what an input was told up to a moment. `told` are the players of whom it is known what they were told.
    fn take_told(&mut self, nth: usize, now: i64, told: &mut Vec<u8>) {
        let Some(other) = nth.checked_sub(1).and_then(|n| self.followed.get_mut(n)) else { return };
        let offset = other.offset();
        let watch = other.watch();
        let Some(slot) = recorder_known(&watch.world) else { return };
        let is_known = told.contains(&slot);
        told.push(slot);
        let due = watch.told.partition_point(|(at, _)| at.saturating_add(offset) <= now);
        for (at, message) in watch.told.drain(..due) {
            let at = at.saturating_add(offset);
            let target = audience(&message).unwrap_or(Target::All);
            if at < self.begins && !stays(&message) {
                continue;
            }
            if is_moment(&message) {
                if self.moments.has(&message, at) {
                    continue;
                }
                self.moments.add(&message, at);
            } else if is_known {
                continue;
            }
            self.told.push((target, slot, message));
        }
    }
}

impl Beside for Others<'_> {
    fn go_to(&mut self, world: &QuakeWorld) -> Result<()> {
        let level: LevelId = super::survey::quakeworld_level(world).unwrap_or_default();
        let now = world.clock().demo.ms();
        self.level = world.level().number;
        (self.players, self.entities) = (Vec::new(), Vec::new());
        let mut told = Vec::from_iter(recorder_known(world));
        for nth in 1..=self.followed.len() {
            let Some(other) = self.followed.get_mut(nth - 1) else { break };
            let glimpse = other.at(&level, now)?;
            // Clients are told at times of their own.
            self.counting.frame(nth, glimpse.as_ref().map(|_| true));
            if let Some((Glimpse { view, .. }, _)) = glimpse {
                for (slot, state, view) in &view.players {
                    if world.is_in_view((*slot).into()) {
                        let own = world.slot((*slot).into()).and_then(|it| it.state).and_then(|state| state.origin());
                        let near = |(a, b): ([f32; 3], [f32; 3])| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 64.0);
                        self.counting.both(nth, own.zip(state.origin()).is_some_and(near));
                    } else if !self.players.iter().any(|(_, known, ..)| known == slot) {
                        self.players.push((nth, *slot, *state, *view));
                    }
                }
                for state in &view.entities {
                    if !self.entities.iter().any(|(_, known)| known.number == state.number) {
                        self.entities.push((nth, *state));
                    }
                }
            }
            self.take_told(nth, now, &mut told);
        }
        while let Some((nth, said)) = self.unsaid.take(&level, now) {
            if let TextKind::Print(Some(kind)) = said.kind {
                let print = Message::Print(Print { level: kind, string: Str::from(said.text) });
                self.told.push((Target::All, 0, print));
                self.counting.said(nth);
            }
        }
        Ok(())
    }

    fn player(&mut self, slot: u8) -> Option<(PlayerState, [i16; 3])> {
        let (nth, _, state, view) = self.players.iter().find(|(_, of, ..)| *of == slot)?;
        self.counting.add(*nth, self.level, u16::from(slot) + 1);
        Some((*state, *view))
    }

    fn entities<'e>(&mut self, seen: &'e [EntityState]) -> Cow<'e, [EntityState]> {
        let is_new = |state: &EntityState| seen.binary_search_by_key(&state.number, |state| state.number).is_err();
        let new: Vec<_> = self.entities.iter().filter(|(_, state)| is_new(state)).copied().collect();
        if new.is_empty() {
            return Cow::Borrowed(seen);
        }
        let mut all = seen.to_vec();
        for (nth, state) in new {
            self.counting.add(nth, self.level, state.number);
            all.push(state);
        }
        all.sort_by_key(|state| state.number);
        Cow::Owned(all)
    }

    fn told(&mut self) -> Vec<(Target, u8, Message<'static>)> {
        std::mem::take(&mut self.told)
    }
}

pub(super) fn merge<W: Write>(
    inputs: &[Input<'_>],
    surveys: &[Survey],
    limits: Limits,
    out: W,
) -> Result<(W, MergeAccount)> {
    const PROTOCOL: i32 = 28;
    let [first, others @ ..] = inputs else { return Err(refused("there is no recording to merge")) };
    let reader = open(first, limits)?;
    let world = World::of(reader.detected(), first.name)?;
    let ours = Marks::of(first, limits)?;
    let mut counting = Counting::new(inputs, Aligned::Places);
    let (mut followed, mut offsets) = (Vec::new(), vec![0]);
    for ((nth, input), survey) in (1..).zip(others).zip(surveys.iter().skip(1)) {
        let Some((aligned, offset, matches, spread)) = ours.offset(&Marks::of(input, limits)?) else {
            let what = "it has too few places of players and too few texts in common with the first one, so their times cannot be compared";
            return Err(refused(what).in_file(input.name));
        };
        if let Some(input) = counting.input(nth) {
            (input.aligned, input.offset_ms, input.matches, input.spread_ms) = (aligned, offset, matches, spread);
        }
        offsets.push(offset);
        followed.push(Follower::new(input, survey, Watching::new(world.clone()), offset, limits)?);
    }
    let mut beside = Others {
        followed,
        counting,
        unsaid: Unsaid::new(surveys, &offsets),
        moments: Moments::of(first, limits)?,
        begins: surveys.first().and_then(|survey| survey.begins).unwrap_or_default(),
        players: Vec::new(),
        entities: Vec::new(),
        told: Vec::new(),
        level: 0,
    };
    let (out, done) = to_multiview_with(reader, PROTOCOL, &mut beside, out)?;
    let mut counting = beside.counting;
    (counting.done.account, counting.done.losses) = (done.account, done.losses);
    Ok((out, counting.finish()?))
}
