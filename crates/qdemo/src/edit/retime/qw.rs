//! QuakeWorld: numbers within messages that tell times, or packets, in a `.qwd` as in an `.mvd`.

use super::Sink;
use crate::error::Result;
use crate::format::mvd::Mvd;
use crate::format::qwd::{self, Dialect, Message, Qwd};
use crate::format::{Begin, Visitor};
use crate::game::quakeworld::World as QuakeWorld;
use crate::replay::World;

/// A number in the messages of a block that has to change.
#[derive(Clone, Copy)]
pub(super) enum Told {
    /// Seconds ago.
    Ago,
    /// The server's clock in ms.
    ServerTime,
    /// The server's clock in seconds, which is this number of bytes in front of the end of what `serverdata` begins with.
    Level,
    /// The number of the packet that a list builds on.
    Base,
    /// Nothing, but a list that builds on none, which counts as a frame.
    Whole,
}

/// Where such numbers stand.
#[derive(Default)]
pub(super) struct Found {
    at: usize,
    told: Option<(Told, usize)>,
    pub(super) all: Vec<(Told, usize)>,
}

/// The stat that has the server's clock.
const STAT_TIME: u16 = 17;

impl Found {
    pub(super) fn message(&mut self, message: &Message<'_>) {
        self.told = match message {
            Message::UpdateEnterTime(_) => Some((Told::Ago, 2)),
            Message::UpdateStatLong(m) if m.index.0 == STAT_TIME => Some((Told::ServerTime, 2)),
            Message::DeltaPacketEntities(_) => Some((Told::Base, 1)),
            Message::PacketEntities(_) => Some((Told::Whole, 0)),
            // Behind number, extensions, protocol, count of levels and the name of the game.
            Message::ServerData(m) if m.servertime.is_some() => {
                let front = 1 + 8 * m.extensions.pairs().len() + 8;
                Some((Told::Level, front + m.game.bytes().len() + 1))
            }
            _ => None,
        };
    }

    pub(super) fn size(&mut self, size: usize) {
        if let Some((told, from)) = self.told.take() {
            self.all.push((told, self.at + from));
        }
        self.at += size;
    }

    pub(super) fn begin(&mut self, at: usize) {
        self.all.clear();
        (self.at, self.told) = (at, None);
    }
}

impl Visitor<Qwd> for Found {
    fn begin(&mut self, begin: Begin<'_, '_, Qwd>) {
        let numbers = matches!(begin.contents, qwd::Contents::Packet(_));
        Found::begin(self, if numbers { 8 } else { 0 });
    }
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        Found::message(self, message);
    }
    fn size(&mut self, size: usize) {
        Found::size(self, size);
    }
}

impl Visitor<Mvd> for Found {
    fn begin(&mut self, _: Begin<'_, '_, Mvd>) {
        Found::begin(self, 0);
    }
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        Found::message(self, message);
    }
    fn size(&mut self, size: usize) {
        Found::size(self, size);
    }
}

/// Changes a number; true if it is another one now.
pub(super) fn change<const N: usize>(
    bytes: &mut [u8],
    at: usize,
    new: impl FnOnce([u8; N]) -> Result<[u8; N]>,
) -> Result<bool> {
    let Some(place) = bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<N>()) else { return Ok(false) };
    let before = *place;
    *place = new(before)?;
    Ok(*place != before)
}

/// Changes the numbers in a block; true if there was one. `bases` is added to numbers of packets.
pub(super) fn change_all(
    bytes: &mut [u8],
    front: usize,
    found: &Found,
    time: i64,
    bases: u32,
    sink: &Sink<'_>,
) -> Result<bool> {
    let offset = sink.line.offset(time);
    let mut changed = false;
    for (told, at) in &found.all {
        let at = front + at;
        changed |= match told {
            Told::Ago => change(bytes, at, |ago| {
                let seconds = f32::from_le_bytes(ago);
                let speed = sink.line.speed.abs();
                let other = speed != 1.0 && speed > 0.0 && seconds.is_finite();
                Ok(if other { ((f64::from(seconds) / speed) as f32).to_le_bytes() } else { ago })
            })?,
            Told::ServerTime => change(bytes, at, |clock| {
                let ms = i64::from(i32::from_le_bytes(clock));
                let now = sink.clock(ms * 1000, offset)?;
                Ok(i32::try_from((now + 500).div_euclid(1000)).map_or(clock, i32::to_le_bytes))
            })?,
            Told::Level => {
                change(bytes, at, |clock| Ok(sink.seconds(f32::from_le_bytes(clock), offset)?.to_le_bytes()))?
            }
            Told::Base => change(bytes, at, |[low]| Ok([low.wrapping_add(bases as u8)]))?,
            Told::Whole => false,
        };
    }
    Ok(changed)
}

pub(super) fn quakeworld(world: &World) -> Option<&QuakeWorld> {
    if let World::QuakeWorld(world) = world { Some(world) } else { None }
}
