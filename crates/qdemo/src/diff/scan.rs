//! The first reading: a recording as a row of moments, each with a fingerprint.

use serde_json::Value;

use super::fingerprint::Fingerprint;
use super::meaning::{Item, Meaning, Teller};
use super::{Input, Side};
use crate::demo::Faults;
use crate::demo::detect::Detected;
use crate::error::{Moment as Time, Result};
use crate::event::{Event, EventTag};
use crate::limits::Limits;
use crate::replay::timeline::{self, SpanKind};
use crate::replay::{Analyser, Pass, Step};
use crate::world::ClockKind;

/// A moment of a recording: all chunks of one time on its clock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moment {
    /// What the game's clock shows.
    pub(super) key: u64,
    /// What the messages say.
    pub(super) print: u64,
    /// Time since the recording began, in microseconds.
    pub(super) time: i64,
    /// Chunks in it.
    pub(super) chunks: u32,
    /// Messages in it.
    pub(super) messages: u32,
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Happened {
    /// Time since the recording began, in microseconds.
    pub(super) time: i64,
    /// What it is.
    pub(super) print: u64,
    /// A match begins, ends and the like, as all matches do.
    pub(super) is_phase: bool,
}

/// A recording, read once.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) detected: Detected,
    pub(super) moments: Vec<Moment>,
    /// What happened, by time.
    pub(super) events: Vec<Happened>,
    pub(super) side: Side,
    /// Whose clock it is.
    pub(super) clock: ClockKind,
    /// Slot of the player who recorded, where that is told.
    pub(super) recorder: Option<usize>,
    pub(super) faults: Faults,
}

/// Chunks of one moment, at most, and bytes. More of them make several moments.
const LARGEST: (u32, u64) = (4096, 1 << 22);

/// Reads a recording once.
pub(super) fn scan<F: Meaning>(input: &Input<'_>, detected: &Detected, limits: Limits) -> Result<Scan> {
    let mut scanner = Scanner::<F> {
        teller: Teller::new(F::decoder(detected)),
        now: Moment::default(),
        print: Fingerprint::default(),
        has_block: false,
        prints: Vec::new(),
        time: None,
        moments: Vec::new(),
        events: Vec::new(),
        messages: 0,
        blocks: 0,
        bytes: 0,
        begin: 0,
        clock: ClockKind::Server,
    };
    let mut timeline = timeline::Builder::new();
    let faults = Pass::new(limits).run(input.open()?, input.name, &mut [&mut scanner, &mut timeline])?;
    let timeline = timeline.finish();
    let levels = timeline.spans.iter().filter_map(|span| match &span.kind {
        SpanKind::Level { map, .. } => Some(map.clone()),
        _ => None,
    });
    let side = Side {
        file: input.name.to_owned(),
        format: detected.kind,
        protocol: detected.protocol,
        bytes: scanner.bytes,
        length: timeline.length,
        levels: levels.collect(),
        frames: timeline.frames,
        blocks: scanner.blocks,
        messages: scanner.messages,
        events: scanner.events.len() as u64,
        players: players(&timeline.players),
        faults: faults.count(),
    };
    let Scanner { moments, mut events, clock, .. } = scanner;
    events.sort_by_key(|event| event.time);
    let recorder = timeline.players.iter().find(|player| player.recorder).map(|player| player.slot);
    Ok(Scan { detected: detected.clone(), moments, events, side, clock, recorder, faults })
}

/// Names and last scores, each player once.
fn players(all: &[timeline::Presence]) -> Vec<super::Score> {
    let mut scores: Vec<super::Score> = Vec::new();
    for player in all.iter().filter(|player| !player.spectator && !player.name.is_empty()) {
        match scores.iter_mut().find(|score| score.name == player.name) {
            Some(score) => score.frags = player.frags.or(score.frags),
            None => scores.push(super::Score { name: player.name.clone(), frags: player.frags }),
        }
    }
    scores.sort_by(|a, b| a.name.cmp(&b.name));
    scores
}

struct Scanner<F: Meaning> {
    teller: Teller<F>,
    now: Moment,
    print: Fingerprint,
    /// It has one.
    has_block: bool,
    /// Those of one chunk.
    prints: Vec<u64>,
    /// What the clock shows in this moment, once that is told.
    time: Option<u64>,
    moments: Vec<Moment>,
    events: Vec<Happened>,
    messages: u64,
    blocks: u64,
    bytes: u64,
    /// Where this moment begins in the file.
    begin: u64,
    clock: ClockKind,
}

impl<F: Meaning> Scanner<F> {
    fn close(&mut self) {
        if self.now.chunks > 0 {
            self.moments.push(self.now);
        }
        self.now = Moment::default();
        self.print = Fingerprint::default();
        (self.time, self.has_block) = (None, false);
    }
}

impl<F: Meaning> Analyser for Scanner<F> {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        self.events.extend(step.events.iter().filter(|event| is_compared(event)).map(|event| Happened {
            time: event.clock.demo.0,
            print: name_of(event),
            is_phase: event.kind.tag() == EventTag::Match,
        }));
        self.bytes = step.offset;
        let Some(chunk) = step.chunk else {
            self.close();
            return Ok(());
        };
        let Some(own) = F::chunk(chunk) else { return Ok(()) };
        let (prints, mut messages) = (&mut self.prints, 0);
        prints.clear();
        let time = self.teller.chunk(own, &mut |_, item| {
            prints.push(item.fingerprint());
            messages += u32::from(matches!(item, Item::Message(..)));
        });
        self.blocks += u64::from(chunk.block().is_some());
        self.messages += u64::from(messages);
        let time = time.map(key);
        let is_other = time.is_some() && self.time.is_some() && time != self.time;
        // What stands in front of all blocks belongs to the first moment.
        let begins = step.changes().level && self.has_block;
        let is_large = self.now.chunks >= LARGEST.0 || step.offset.saturating_sub(self.begin) >= LARGEST.1;
        if is_other || begins || is_large {
            self.close();
        }
        if self.now.chunks == 0 {
            self.begin = step.offset;
        }
        let clock = step.clock();
        if self.now.chunks == 0 || self.time.is_none() {
            self.now.time = clock.demo.0;
            self.clock = clock.kind;
        }
        self.time = self.time.or(time);
        self.now.key = self.time.unwrap_or_default();
        self.now.chunks += 1;
        self.has_block |= chunk.block().is_some();
        self.now.messages = self.now.messages.saturating_add(messages);
        // How messages are parted into chunks is no matter of what they say.
        self.prints.iter().for_each(|print| self.print.add(*print));
        self.now.print = self.print.finish();
        Ok(())
    }
}

/// A time on a clock as a number.
fn key(time: Time) -> u64 {
    match time {
        Time::Seconds(seconds) => 1 << 40 | u64::from(seconds.to_bits()),
        Time::Milliseconds(ms) => 2 << 40 | u64::from(ms as u32),
    }
}

/// Events of which recordings of other formats tell in the same way.
pub(super) fn is_compared(event: &Event) -> bool {
    matches!(event.kind.tag(), EventTag::Frag | EventTag::Chat | EventTag::Match | EventTag::Run)
}

/// What happened, as far as every format tells it: kind, names, texts.
pub(super) fn facts_of(event: &Event) -> Value {
    let mut value = serde_json::to_value(event).unwrap_or_default();
    let Value::Object(map) = &mut value else { return value };
    const PLACE: &[&str] = &["block", "offset", "clock", "time_ms", "time", "demo_ms", "frame", "source", "inferred"];
    map.retain(|key, _| {
        !PLACE.contains(&key.as_str()) && !key.ends_with("_raw") && !key.ends_with("origin") && key != "location"
    });
    for value in map.values_mut() {
        if let Value::Object(who) = value {
            if let Some(name) = who.remove("name") {
                *value = name;
            }
        }
    }
    value
}

fn name_of(event: &Event) -> u64 {
    let mut print = Fingerprint::default();
    print.bytes(facts_of(event).to_string().as_bytes());
    print.finish()
}
