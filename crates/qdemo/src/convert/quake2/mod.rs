//! Quake II: what clients recorded in protocols 26 to 33 to 34, recordings of all players to those of one, and protocols with
//! layouts of their own.

mod between;
mod fields;
mod from_all;
mod messages;
mod numbers;
mod told;

use std::cell::Cell;
use std::io::{self, Read, Write};

use self::between::Between;
use self::from_all::{FromAll, Multiview, Recorded};
use crate::convert::across;
use crate::convert::loss::{Conversion, Loss};
use crate::convert::pass::{Converter, MessageOf, Pass, run};
use crate::demo::{FileKind, Reader};
use crate::error::Result;
use crate::format::Format;
use crate::format::dm2::{Dialect, Dm2, Message, Recording};
use crate::limits::Limits;

/// The protocol that all engines play.
const QUAKE2: i32 = Dialect::QUAKE2.protocol;

/// The type of an effect before protocol 32, from then on; `None`: there is no such effect any more.
fn later_effect(entitytype: u8) -> Option<u8> {
    const OLD_PLASMA_TRAIL: u8 = 26;
    const OLD_GREEN_BLOOD: u8 = 27;
    const GREEN_BLOOD: u8 = 26;
    match entitytype {
        OLD_PLASMA_TRAIL => None,
        OLD_GREEN_BLOOD => Some(GREEN_BLOOD),
        other => Some(other),
    }
}

pub(super) fn convert<R: Read, W: Write>(
    reader: Reader<R>,
    name: &str,
    protocol: i32,
    out: W,
) -> Result<(W, Conversion)> {
    let first = reader.detected().protocol.map_or(Dialect::QUAKE2, |first| Dialect::announced(first, 1));
    if !first.has_standard_states() || first.recording == Recording::TestRelease || protocol != QUAKE2 {
        return across::run(reader, Between::new(protocol), protocol, out);
    }
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
    let is_extended = Cell::new(false);
    if reader.detected().kind != FileKind::Mvd2 {
        return across::run(reader, FromAll::<Recorded>::new(slot, &is_extended), protocol, out);
    }
    let held = Held { is_extended: &is_extended, held: Vec::new(), out };
    let (Held { held, out, .. }, mut done) =
        across::run(reader, FromAll::<Multiview>::new(slot, &is_extended), protocol, held)?;
    if held.is_empty() {
        return Ok((out, done));
    }
    // What a client records there has a protocol of its own.
    let client = Reader::new(&held[..], "client.dm2", Limits::default())?;
    let (out, rest) = across::run(client, Between::new(protocol), protocol, out)?;
    done.losses.extend(rest.losses);
    done.account.notes.extend(rest.account.notes);
    done.account.bytes_written = rest.account.bytes_written;
    Ok((out, done))
}

/// An output that is held back where it is to be converted once more.
struct Held<'e, W> {
    /// It is, from the first byte on or not at all.
    is_extended: &'e Cell<bool>,
    held: Vec<u8>,
    out: W,
}

impl<W: Write> Write for Held<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_extended.get() {
            return self.out.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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
                if !self.pass.from.has_standard_states() {
                    let protocol = self.pass.from.protocol;
                    self.pass.progress.refuse(format!("recording of a protocol before 34 and of {protocol} in one"));
                }
            }
            _ if self.pass.from.recording != Recording::Client => {
                self.pass.progress.refuse("recording of a server".to_owned());
            }
            // What the first protocol does not count was not left out, as far as the recording says.
            Message::Frame(m) if m.suppress.is_none() => m.suppress = Some(0),
            Message::TempEntity(m) if !self.pass.from.later_effects => match later_effect(m.effect.entitytype) {
                Some(later) => m.effect.entitytype = later,
                None => {
                    self.pass.lose(Loss::Effect);
                    return false;
                }
            },
            _ => {}
        }
        true
    }
}
