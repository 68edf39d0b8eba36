//! QuakeWorld: protocols 24 to 27 to 28; from what a client recorded to what a server records, and back; and between Quake
//! and QuakeWorld.

mod alike;
mod client;
mod from_multiview;
mod from_quake;
mod protocol;
mod to_multiview;
mod to_quake;

use std::io::{Read, Write};

pub(crate) use self::alike::turn;
use self::from_multiview::FromMultiview;
use self::from_quake::FromQuake;
use self::protocol::Protocol;
use self::to_multiview::ToMultiview;
pub(crate) use self::to_multiview::{Beside, audience, is_moment};
use self::to_quake::ToQuake;
use super::across::{self, Output};
use super::loss::{Conversion, Loss};
use super::pass;
use super::{NOBODY, no_way};
use crate::demo::{Listed, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format as _;
use crate::format::qwd::{self, Contents, Qwd};
use crate::game::quakeworld::World;
use crate::world::Scene;

/// What a packet of a client's recording is.
enum ClientPacket {
    /// One of the game: messages.
    Game,
    End,
    /// What is not told on: a command, or what only the connection knows.
    Other,
}

/// Looks at what stands around the messages of a packet, and counts what is lost of it, and commands.
fn packet_of_client<F: Listed, W: Write>(
    block: &qwd::Block<'_>,
    packet: &qwd::Packet<'_>,
    commands: &mut u32,
    out: &mut Output<F, W>,
) -> ClientPacket {
    match &packet.contents {
        Contents::Packet(_) => return ClientPacket::Game,
        Contents::Command(command) => {
            *commands += 1;
            if command.buttons.0 != 0 || command.impulse.0 != 0 || command.speed != [0; 3] {
                out.lose(Loss::Movement);
            }
        }
        Contents::Frame(_) => {}
        Contents::Connectionless(_) if Qwd::is_last(block, packet) => return ClientPacket::End,
        Contents::Connectionless(_) | Contents::Bytes(_) => out.lose(Loss::Connection),
    }
    ClientPacket::Other
}

/// The slot of whoever recorded, if something tells.
pub(crate) fn recorder_known(world: &impl Scene) -> Option<u8> {
    world.recorder().and_then(|slot| u8::try_from(slot).ok())
}

/// The slot of whoever recorded; 0 where nothing tells.
fn recorder(world: &impl Scene) -> u8 {
    recorder_known(world).unwrap_or(0)
}

/// A recording of a client in protocol 28.
pub(super) fn to_28<R: Read, W: Write>(
    reader: Reader<R>,
    name: &str,
    protocol: i32,
    out: W,
) -> Result<(W, Conversion)> {
    pass::run(reader, name, Protocol::new(protocol), out)
}

/// A client's recording as a server would have made it.
pub(super) fn to_multiview<R: Read, W: Write>(reader: Reader<R>, protocol: i32, out: W) -> Result<(W, Conversion)> {
    to_multiview_with(reader, protocol, &mut (), out)
}

/// A client's recording as a server would have made it, with what others saw.
pub(crate) fn to_multiview_with<R: Read, W: Write>(
    reader: Reader<R>,
    protocol: i32,
    beside: &mut impl Beside,
    out: W,
) -> Result<(W, Conversion)> {
    across::run(reader, ToMultiview::new(beside), protocol, out)
}

/// A server's recording as the client in a slot would have made it.
pub(super) fn from_multiview<R: Read, W: Write>(
    reader: Reader<R>,
    protocol: i32,
    slot: Option<u8>,
    out: W,
) -> Result<(W, Conversion)> {
    match slot {
        Some(slot) if usize::from(slot) >= World::SLOTS => {
            let what = format!("{slot}: players of QuakeWorld are in slots 0 to {}", World::SLOTS - 1);
            Err(Error::new(ErrorKind::Refused(what)))
        }
        Some(slot) => across::run(reader, FromMultiview::new(slot), protocol, out),
        None => Err(no_way("an .mvd, which shows all players,", NOBODY)),
    }
}

/// A recording of Quake as a client of QuakeWorld would have made it.
pub(super) fn from_quake<R: Read, W: Write>(reader: Reader<R>, protocol: i32, out: W) -> Result<(W, Conversion)> {
    across::run(reader, FromQuake::new(protocol), protocol, out)
}

/// A recording of a client of QuakeWorld as one of Quake would have made it.
pub(super) fn to_quake<R: Read, W: Write>(reader: Reader<R>, protocol: i32, out: W) -> Result<(W, Conversion)> {
    across::run(reader, ToQuake::new(), protocol, out)
}
