//! Quake II: what clients recorded in protocols 26 to 33 to 34, and recordings of all players to those of one.

mod from_all;

use std::io::{Read, Write};

use self::from_all::{FromAll, Multiview, Recorded};
use crate::convert::across;
use crate::convert::loss::{Conversion, Loss};
use crate::convert::pass::{Converter, MessageOf, Pass, run};
use crate::demo::{FileKind, Reader};
use crate::error::Result;
use crate::format::Format;
use crate::format::dm2::{Dm2, Message, Recording};

/// Types of effects with a place and a direction, and between two places, before and from protocol 32 on.
mod effect {
    /// A trail that later protocols do not have.
    pub(super) const OLD_PLASMA_TRAIL: u8 = 26;
    pub(super) const OLD_GREEN_BLOOD: u8 = 27;
    pub(super) const GREEN_BLOOD: u8 = 26;
}

pub(super) fn convert<R: Read, W: Write>(
    reader: Reader<R>,
    name: &str,
    protocol: i32,
    out: W,
) -> Result<(W, Conversion)> {
    let first = Dm2::first_dialect(reader.detected().protocol);
    let quake2 = Quake2 { pass: Pass::new(protocol, first) };
    run(reader, name, quake2, out)
}

/// A recording of all players as that of the client in a slot.
pub(super) fn from_all<R: Read, W: Write>(
    reader: Reader<R>,
    protocol: i32,
    slot: u8,
    out: W,
) -> Result<(W, Conversion)> {
    match reader.detected().kind {
        FileKind::Mvd2 => across::run(reader, FromAll::<Multiview>::new(slot), protocol, out),
        _ => across::run(reader, FromAll::<Recorded>::new(slot), protocol, out),
    }
}

struct Quake2 {
    pass: Pass<Dm2>,
}

impl Converter<Dm2> for Quake2 {
    fn pass(&mut self) -> &mut Pass<Dm2> {
        &mut self.pass
    }

    fn convert<'a>(&mut self, message: &mut MessageOf<'a, Dm2>) -> bool {
        match message {
            Message::ServerData(m) => {
                self.pass.progress.is_from(m.serverversion);
                m.serverversion = self.pass.progress.done.to_protocol;
                // Old recordings of clients do not say that they are some.
                m.isdemo = m.isdemo.max(1);
                self.pass.to = m.dialect(false);
            }
            _ if self.pass.from.recording != Recording::Client => {
                self.pass.progress.refuse("recording of a server".to_owned());
            }
            // What the first protocol does not count was not left out, as far as the recording says.
            Message::Frame(m) if m.suppress.is_none() => m.suppress = Some(0),
            Message::TempEntity(m) if !self.pass.from.later_effects => match m.effect.entitytype {
                effect::OLD_GREEN_BLOOD => m.effect.entitytype = effect::GREEN_BLOOD,
                effect::OLD_PLASMA_TRAIL => {
                    self.pass.lose(Loss::Effect);
                    return false;
                }
                _ => {}
            },
            _ => {}
        }
        true
    }
}
