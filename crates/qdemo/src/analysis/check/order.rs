//! `clock`, `gaps`, `base` and `start`: what should follow, follows.
//!
//! * `clock`: time running backwards within a level. No server does that.
//! * `gaps`: numbers that leave some out. Packets get lost on the way, so a hole in their numbers, or in time, is a note.
//!   Numbers that fall are a note in QuakeWorld, whose client records packets before it passes over such, and a warning in
//!   Quake III, which throws them away first. A warning is what cannot be lost: server commands of Quake III are sent until
//!   they arrive (but for those before the first one recorded: a client records from a full snapshot on, and throws away
//!   what came before), and a multi-view demo is written by the server itself, which counts its frames.
//! * `base`: differences to something that was not recorded: nothing is known of entities then. Right behind a gap, and
//!   at the beginning, that is a note, for packets are lost on both ways; elsewhere it is a warning.
//! * `start`: Quake's servers count from 1 when a level begins, so a first frame much later says that the beginning of the
//!   level is not in the recording.

use serde_json::{Value, json};

use super::found::{Findings, Severity, Statement};
use super::{ChunkSeen, Place, Probe};
use crate::demo::Chunk;
use crate::error::Moment;
use crate::format::dm3::{self, Message};
use crate::format::qwd::{self, BlockKind};
use crate::game::quakeworld;
use crate::replay::World;
use crate::replay::timeline::Timeline;
use crate::world::{Clock, Scene, TextKind};

/// Which of them are asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) clock: bool,
    pub(super) gaps: bool,
    pub(super) base: bool,
    pub(super) start: bool,
}

pub(super) struct Order {
    wanted: Wanted,
    /// The clock at the last frame of the level.
    last: Option<Clock>,
    /// Number of the last packet, or frame.
    number: Option<i64>,
    /// Number of the last server command.
    command: Option<i32>,
    complete: bool,
    /// The level has had a frame.
    begun: bool,
    /// Blocks since the last gap, or the beginning.
    calm: u32,
}

impl Order {
    /// What was lost may be missed for so many blocks: the longest ring of frames that later ones build on.
    const RING: u32 = 64;
    /// Loading a level takes until 1.4 s on its clock.
    const LATE: f32 = 3.0;
    /// Flag of a snapshot of Quake III.
    const NOT_ACTIVE: u8 = 2;

    pub(super) fn new(wanted: Wanted) -> Self {
        Order { wanted, last: None, number: None, command: None, complete: true, begun: false, calm: 0 }
    }

    fn packets(&mut self, seen: &ChunkSeen<'_>, world: &World, found: &mut Findings) {
        match (seen.chunk, world) {
            (Chunk::Dm3(dm3::Chunk::Block(block)), World::Dm3(world)) => {
                let messages = world.messages();
                if messages.iter().any(|message| matches!(message, Message::Gamestate(_))) {
                    // The recorder made up its number, and waits for a full snapshot before it goes on.
                    (self.number, self.command) = (None, None);
                } else {
                    self.commands(messages, &seen.place, found);
                    self.number(
                        i64::from(block.header.sequence),
                        "packet",
                        Some(Severity::Warning),
                        &seen.place,
                        found,
                    );
                }
            }
            (Chunk::Qwd(qwd::Chunk::Block(block)), World::QuakeWorld(world)) => match block.header.kind {
                BlockKind::Packet => {
                    if world.in_packet() {
                        self.number(i64::from(world.sequence().0), "packet", Some(Severity::Note), &seen.place, found);
                    }
                }
                // What a client had before it recorded has numbers of its own. The true ones come now.
                BlockKind::Frame => self.number = None,
                BlockKind::Command => {}
            },
            (Chunk::Mvd(_), World::QuakeWorld(world)) => self.counter(world, &seen.place, found),
            (_, World::Dm2(world)) => {
                // A frame that falls is a clock that runs backwards.
                if let Some(frame) = world.clock().frame {
                    self.number(frame, "frame", None, &seen.place, found);
                }
            }
            _ => {}
        }
    }

    /// `falling` is how bad it is that a number is below the one before; `None`: not a matter of this.
    fn number(&mut self, now: i64, what: &'static str, falling: Option<Severity>, place: &Place, found: &mut Findings) {
        let Some(before) = self.number.replace(now) else { return };
        let evidence = || vec![("before", Value::from(before)), ("number", now.into())];
        if now > before + 1 {
            self.calm = 0;
            if self.wanted.gaps {
                let text = || match now - before - 1 {
                    1 => format!("{what} {} is not there: lost, or held back by the server", before + 1),
                    n => format!("{n} {what}s are not there, from {} to {}", before + 1, now - 1),
                };
                found.add("gaps", Severity::Note, place, what, || Statement::new(text(), evidence()));
            }
        } else if let Some(severity) = falling.filter(|_| self.wanted.gaps && now < before) {
            found.add("gaps", severity, place, what, || {
                Statement::new(format!("{what} {now} comes behind {before}: clients pass over such"), evidence())
            });
        }
    }

    fn commands(&mut self, messages: &[Message], place: &Place, found: &mut Findings) {
        for message in messages {
            let Message::ServerCommand(command) = message else { continue };
            let before = self.command.filter(|before| *before >= command.seq);
            let Some(before) = self.command.replace(before.unwrap_or(command.seq)) else { continue };
            if command.seq.saturating_sub(before) > 1 && self.wanted.gaps {
                found.add("gaps", Severity::Warning, place, "serverCommand", || {
                    let text = format!(
                        "server command {} follows {before}: those between are missing, and servers send them until \
                         they arrive",
                        command.seq
                    );
                    Statement::new(text, vec![("before", before.into()), ("number", command.seq.into())])
                });
            }
        }
    }

    /// The server counts the frames that it records, and a difference names the one before by 8 bits of its number. A
    /// frame in full, which is every 256th, has none.
    fn counter(&mut self, world: &quakeworld::World, place: &Place, found: &mut Findings) {
        let Some(base) = world.listed_base() else { return };
        let due = self.number.map(|number| (number + 1) & 0xFF);
        self.number = base.map(i64::from).or(due);
        let (Some(due), Some(base)) = (due, base.map(i64::from)) else { return };
        if due != base && self.wanted.gaps {
            self.calm = 0;
            found.add("gaps", Severity::Warning, place, "deltapacketentities", || {
                let text =
                    format!("the frame before has the number {base}, {due} is due: frames are missing, or added");
                Statement::new(text, vec![("due", due.into()), ("number", base.into())])
            });
        }
    }

    fn frame(&mut self, world: &World, place: &Place, found: &mut Findings) {
        let now = world.clock();
        if let World::Dm3(world) = world {
            // Who is not in the game yet has the time of the level before.
            if world.snapshot().is_some_and(|snapshot| snapshot.flags() & Self::NOT_ACTIVE != 0) {
                self.last = None;
                return;
            }
        }
        if !std::mem::replace(&mut self.begun, true) {
            self.start(now, place, found);
        }
        let Some(last) = self.last.replace(now) else { return };
        let (Some(from), Some(to)) = (last.now, now.now) else { return };
        if to.is_before(from) {
            if self.wanted.clock {
                found.add("clock", Severity::Warning, place, "time", || {
                    let text = format!("the {} clock runs backwards, from {from} to {to}", now.kind.name());
                    Statement::new(text, vec![("before", json!(from)), ("now", json!(to))])
                });
            }
        } else if now.demo.0 - last.demo.0 > Timeline::GAP.0 && !world.is_paused() {
            self.calm = 0;
            if self.wanted.gaps {
                found.add("gaps", Severity::Note, place, "time", || {
                    let ms = now.demo.ms() - last.demo.ms();
                    let text = format!("no frame for {}.{:03} s", ms / 1000, ms % 1000);
                    Statement::new(text, vec![("ms", ms.into())])
                });
            }
        }
    }

    /// The first frame of a level.
    fn start(&self, now: Clock, place: &Place, found: &mut Findings) {
        let Some(Moment::Seconds(time)) = now.now.filter(|_| self.wanted.start) else { return };
        if time > Self::LATE {
            found.add("start", Severity::Note, place, "time", || {
                let text =
                    format!("the first frame of the level is at {time} s: its beginning is not in the recording");
                Statement::new(text, vec![("time", json!(Moment::Seconds(time)))])
            });
        }
    }

    fn base(&mut self, world: &World, place: &Place, found: &mut Findings) {
        // In front of the first moment of a level nothing is known anyway.
        let complete = world.is_complete() || world.clock().now.is_none();
        if std::mem::replace(&mut self.complete, complete) && !complete && self.wanted.base {
            let calm = self.calm > Self::RING;
            let severity = if calm { Severity::Warning } else { Severity::Note };
            found.add("base", severity, place, "entities", || {
                let why =
                    if calm { ", and no packet is missing nearby" } else { ": a packet was lost, or it begins here" };
                let text = format!("entities are told as a difference to what was not recorded{why}");
                Statement::new(text, vec![("blocks_since_a_gap", self.calm.into())])
            });
        }
    }
}

impl Probe for Order {
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        let world = seen.world;
        let changes = world.changes();
        if changes.level {
            (self.last, self.begun, self.calm) = (None, false, 0);
            if !matches!(seen.chunk, Chunk::Qwd(_)) {
                self.number = None;
            }
        }
        // Behind damage nothing can be said of what should follow.
        if seen.broken {
            (self.number, self.command, self.last, self.calm) = (None, None, None, 0);
        }
        // Quake III's clock may begin anew with the game.
        if changes.texts().any(|(said, text, _)| said == TextKind::Command && text.starts_with(b"map_restart")) {
            self.last = None;
        }
        self.calm = self.calm.saturating_add(u32::from(seen.place.block.is_some()));
        self.packets(seen, world, found);
        if changes.frame {
            self.frame(world, &seen.place, found);
        }
        self.base(world, &seen.place, found);
    }
}
