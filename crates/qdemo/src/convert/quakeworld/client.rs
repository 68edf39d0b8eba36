//! A recording of a client of QuakeWorld, written from what is seen at each moment.

use std::io::Write;

use crate::convert::across::Output;
use crate::describe::State as _;
use crate::error::Result;
use crate::format::encode_messages;
use crate::format::qwd::{
    Buttons, Connectionless, DeltaPacketEntities, Dialect, Impulse, Message, Nail, Nails, Packet, PacketEntities,
    PacketNumbers, PlayerInfo, Qwd, SequenceNumbers, UserCommand,
};
use crate::game::quakeworld::{Baselines, EntityState, PlayerState, World, diff_entities, diff_entities_among};
use crate::wire::{ByteWriter, F32, IntoOwned as _};

/// A player in view.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) slot: u8,
    /// As a server records it.
    pub(super) state: PlayerState,
    /// In units a second; `None`: what the way from the last frame tells.
    pub(super) velocity: Option<[i16; 3]>,
}

/// What a client sees at a moment.
pub(super) struct Moment<'m> {
    /// The recorder's slot.
    pub(super) own: u8,
    /// Where the recorder looks: pitch, yaw and roll in degrees.
    pub(super) view: [f32; 3],
    /// Players in view, by slot.
    pub(super) players: &'m [Body],
    /// What is usual of a player.
    pub(super) usual: PlayerState,
    /// Entities in view, by number; `None` where they are not known.
    pub(super) entities: Option<&'m [EntityState]>,
    /// Numbers of those that may have changed since the last moment, in order; `None` where any may.
    pub(super) changed: Option<&'m [u16]>,
    pub(super) baselines: &'m Baselines,
    pub(super) nails: &'m [Nail],
}

/// Writes what a client records.
///
/// Numbers of packets rise by 1, and each packet of the server answers one of the client: engines take what lies between
/// for lost packets, and predict.
#[derive(Default)]
pub(super) struct Client {
    /// What the client is told with its next packet.
    waiting: Vec<Message<'static>>,
    /// True from the beginning of a level until it shows something.
    signs_on: bool,
    /// True once the recording has told where its numbers stand.
    counts: bool,
    /// Number of the last packet.
    number: u32,
    /// Entities as they were told last, and the number of that packet, where they are known.
    entities: Vec<EntityState>,
    told_with: Option<u32>,
    /// Where everyone was at the last frame, and when that was, in seconds.
    before: [Option<[f32; 3]>; World::SLOTS],
    seconds: f64,
}

impl Client {
    /// A message for the client.
    pub(super) fn tell(&mut self, message: Message<'_>) {
        if matches!(message, Message::ServerData(_)) {
            self.signs_on = true;
            self.told_with = None;
            self.before = [None; World::SLOTS];
        }
        self.waiting.push(message.into_owned());
    }

    /// Writes what was told up to a time at which nothing new is seen: of a level that has shown nothing yet all of it. False
    /// where there is something to be told with what is seen.
    pub(super) fn is_told<W: Write>(&mut self, seconds: f64, out: &mut Output<Qwd, W>) -> Result<bool> {
        if self.signs_on {
            self.told(seconds, out, true)?;
        }
        Ok(self.waiting.is_empty())
    }

    /// Writes what was told, and what is seen at a time.
    pub(super) fn frame<W: Write>(&mut self, seconds: f64, seen: &Moment<'_>, out: &mut Output<Qwd, W>) -> Result<()> {
        if std::mem::take(&mut self.signs_on) {
            self.told(seconds, out, true)?;
            if !std::mem::replace(&mut self.counts, true) {
                let numbers = SequenceNumbers { seq1: self.next(), seq2: self.number };
                out.packet(Packet::frame(time(seconds), numbers))?;
            }
        }
        self.command(seconds, seen, out)?;
        let mut messages = self.told(seconds, out, false)?;
        let d = out.dialect();
        messages.extend(self.players(seconds, seen, &d));
        messages.extend(self.list(seen, &d));
        let nails = seen.nails.chunks(u8::MAX.into()).map(|nails| Nails { nails: nails.to_vec() });
        messages.extend(nails.map(Message::Nails));
        self.packet(seconds, messages, out)
    }

    /// Writes what was told last, and the end.
    pub(super) fn end<W: Write>(&mut self, seconds: f64, out: &mut Output<Qwd, W>) -> Result<()> {
        self.told(seconds, out, true)?;
        out.packet(Packet::connectionless(time(seconds), Connectionless::end_of_demo()))
    }

    /// Number of the next packet.
    fn next(&self) -> u32 {
        self.number.wrapping_add(1) & LOW
    }

    fn packet<W: Write>(&mut self, seconds: f64, messages: Vec<Message<'_>>, out: &mut Output<Qwd, W>) -> Result<()> {
        self.number = self.next();
        let numbers = PacketNumbers { seq1: self.number, seq2: self.number };
        out.packet(Packet::new(time(seconds), numbers, messages))
    }

    /// Writes what was told so far in packets that clients have room for. Unless it is to be all, it gives what has room in
    /// the next one.
    fn told<W: Write>(&mut self, seconds: f64, out: &mut Output<Qwd, W>, all: bool) -> Result<Vec<Message<'static>>> {
        let (mut messages, mut size, mut w) = (Vec::new(), 0, ByteWriter::default());
        for message in std::mem::take(&mut self.waiting) {
            w.clear();
            // What cannot be written is left out, and counted, when its packet is written.
            let _ = encode_messages([&message], &mut out.dialect(), &mut w);
            let begins = matches!(message, Message::ServerData(_));
            if size > 0 && (begins || size + w.len() > World::MOST) {
                self.packet(seconds, std::mem::take(&mut messages), out)?;
                size = 0;
            }
            size += w.len();
            messages.push(message);
            if begins {
                // What follows is written as the level says.
                self.packet(seconds, std::mem::take(&mut messages), out)?;
                size = 0;
            }
        }
        if all && !messages.is_empty() {
            self.packet(seconds, std::mem::take(&mut messages), out)?;
        }
        Ok(messages)
    }

    /// Where the recorder looks.
    fn command<W: Write>(&mut self, seconds: f64, seen: &Moment<'_>, out: &mut Output<Qwd, W>) -> Result<()> {
        let angles = seen.view.map(F32::from);
        let passed = (seconds - self.seconds) * 1000.0;
        let command = UserCommand {
            msec: passed.clamp(0.0, 255.0) as u32,
            angles,
            speed: [0; 3],
            buttons: Buttons(0),
            impulse: Impulse(0),
            viewangles: angles,
        };
        out.packet(Packet::command(time(seconds), command))
    }

    fn players(&mut self, seconds: f64, seen: &Moment<'_>, d: &Dialect) -> Vec<Message<'static>> {
        let passed = seconds - std::mem::replace(&mut self.seconds, seconds);
        let mut messages = Vec::new();
        let mut places = [None; World::SLOTS];
        for Body { slot, state, velocity: known } in seen.players {
            let at = usize::from(*slot);
            let (was, is) = (self.before.get(at).copied().flatten(), state.origin());
            let derived = was.zip(is).map_or([0; 3], |(from, to)| velocity(from, to, passed));
            if let Some(place) = places.get_mut(at) {
                *place = is;
            }
            let state = state.seen(known.unwrap_or(derived), *slot == seen.own);
            let info = PlayerState::diff(&seen.usual, &state, d);
            messages.push(Message::PlayerInfo(PlayerInfo { player: *slot, ..info }));
        }
        self.before = places;
        messages
    }

    /// The entities, told to those who know the list before; nothing where they are not known.
    fn list(&mut self, seen: &Moment<'_>, d: &Dialect) -> Option<Message<'static>> {
        let to = seen.entities?;
        let number = self.next();
        let base = self.told_with.filter(|told| (1..64).contains(&number.wrapping_sub(*told)));
        let entities = match (base, seen.changed) {
            (Some(_), Some(changed)) => diff_entities_among(changed, [&self.entities, to], seen.baselines, d),
            (base, _) => diff_entities(base.map(|_| &self.entities[..]), to, seen.baselines, d),
        };
        if base.is_none() || !entities.is_empty() {
            self.entities.clear();
            self.entities.extend_from_slice(to);
        }
        self.told_with = Some(number);
        Some(match base {
            Some(frame) => Message::DeltaPacketEntities(DeltaPacketEntities { frame: frame as u8, entities }),
            None => Message::PacketEntities(PacketEntities { entities }),
        })
    }
}

/// Bits of a number of a packet.
const LOW: u32 = 0x7FFF_FFFF;
/// Nobody is faster, in units a second: who gets further was put there.
const FASTEST: f64 = 4000.0;

fn time(seconds: f64) -> F32 {
    F32::from(seconds as f32)
}

/// How fast something moves that came from a place to another one in so many seconds, in units a second.
fn velocity(from: [f32; 3], to: [f32; 3], seconds: f64) -> [i16; 3] {
    let [a, b] = [from, to].map(|place| place.map(f64::from));
    let speeds = [0, 1, 2].map(|n: usize| (b.get(n).unwrap_or(&0.0) - a.get(n).unwrap_or(&0.0)) / seconds);
    let is_real = seconds > 0.0 && speeds.iter().all(|speed| speed.abs() <= FASTEST);
    if is_real { speeds.map(|speed| speed.round() as i16) } else { [0; 3] }
}
