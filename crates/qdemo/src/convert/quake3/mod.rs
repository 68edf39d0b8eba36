//! Quake III: protocols that share their encoding, and old ones in the encoding of new ones.

mod eras;
mod eyes;
mod recode;

use std::io::{Read, Write};

use super::loss::{Conversion, Loss};
use super::mapping::Way;
use super::{across, no_way};
use crate::demo::{FileKind, Listed as _, Reader};
use crate::edit::readable::{Readable, Shortener};
use crate::error::Result;
use crate::format::Format;
use crate::format::dm3::{Contents, Dialect, Dm3, GamestateItem, Message, MessageKind};
use crate::game::quake3::told_string;
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::{info_value, with_info_value};
use crate::world::Scene;

/// Number of the configstring with the settings of the server.
const SERVERINFO: u16 = 0;
/// What tells the number there: id's engine's word, and ioquake3's.
const KEYS: [&str; 2] = ["protocol", "com_protocol"];

/// The recording of the player in a slot, in a protocol, or in that of the input.
pub(super) fn of_player<R: Read, W: Write>(
    reader: Reader<R>,
    name: &str,
    limits: Limits,
    (slot, protocol): (u8, Option<i32>),
    out: W,
) -> Result<(W, Conversion)> {
    let from = Dm3::first_dialect(reader.detected().protocol).protocol;
    let Some(protocol) = protocol.filter(|protocol| *protocol != from) else {
        return eyes::convert(reader, slot, out);
    };
    let (seen, before) = eyes::convert(reader, slot, Vec::new())?;
    let (out, mut done) = convert(Reader::new(&seen[..], name, limits)?, name, protocol, out)?;
    done.account.notes.splice(0..0, before.account.notes);
    done.losses.splice(0..0, before.losses);
    Ok((out, done))
}

pub(super) fn convert<R: Read, W: Write>(
    mut reader: Reader<R>,
    name: &str,
    protocol: i32,
    mut out: W,
) -> Result<(W, Conversion)> {
    let from = Dm3::first_dialect(reader.detected().protocol);
    let way = Way { from: FileKind::Dm3, into: FileKind::Dm3 };
    let shares = way.is_known(Some(from.protocol), protocol);
    let Some(to) = Dialect::by_protocol(protocol).filter(|_| shares) else {
        return Err(no_way(&format!("recording of protocol {}", from.protocol), &protocol.to_string()));
    };
    if from.layout != to.layout {
        return across::run(reader, recode::Recoded::new(from, to), protocol, out);
    }
    let mut world = World::of(reader.detected(), name)?;
    world.only_texts();
    let mut done = Conversion { from_protocols: vec![from.protocol], ..Conversion::new(way, protocol) };
    let mut shortener = Shortener::<Dm3>::new(reader.detected());
    let (old, number) = (from.protocol.to_string(), protocol.to_string());
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        let index = any.block().map(|(index, _)| index);
        let (packet, readable) = Dm3::chunk(&any).map_or((None, Readable::Nothing), |chunk| shortener.read(chunk));
        let chunk = readable.of(any, bytes);
        if let Some((any, _)) = &chunk {
            world.apply(any);
        }
        done.read(index, &readable, world.clock());
        let Some((any, bytes)) = chunk else { continue };
        let mut new = None;
        if let (Some(mut packet), Some(index)) = (packet, index) {
            let mut changed = false;
            packet.messages.retain_mut(|message| {
                changed |= renumber(message, old.as_bytes(), number.as_bytes());
                let there = message.kind().is_none_or(|kind| has(&to, kind));
                if !there {
                    changed = true;
                    done.lose(Loss::Voice, index, world.clock());
                }
                there
            });
            if changed {
                new = Some(packet.to_bytes(to).or_else(|_| {
                    // Bits behind the end, left over from memory, are as many as the last byte has room for.
                    packet.contents.tail = Contents::new(0, &to).tail;
                    packet.to_bytes(to)
                })?);
            }
            done.account.has(any.block(), world.clock());
            let is_kept = new.is_none() && !readable.is_less();
            *(if is_kept { &mut done.account.blocks_kept } else { &mut done.account.blocks_changed }) += 1;
            shortener.recycle(packet);
        }
        let written = new.as_deref().unwrap_or(bytes);
        out.write_all(written)?;
        done.account.bytes_written += written.len() as u64;
    }
    if let Some(end) = shortener.end()? {
        end.write(&mut done.account, &mut out)?;
    }
    out.flush()?;
    Ok((out, done))
}

/// True for a protocol that has a kind of message. All have the one behind the end of a message, but those with voice of
/// their own, whose number it is.
fn has(to: &Dialect, kind: MessageKind) -> bool {
    match kind {
        MessageKind::Extension => to.number_of(MessageKind::VoipSpeex).is_none(),
        kind => to.number_of(kind).is_some(),
    }
}

/// Tells another number of the protocol where the old one is told; true if so.
fn renumber(message: &mut Message, old: &[u8], number: &[u8]) -> bool {
    let new = |info: &[u8]| {
        KEYS.iter().fold(None, |new: Option<Vec<u8>>, key| {
            let told = new.as_deref().unwrap_or(info);
            // Servers that speak two protocols tell their own one, whichever a recording is in.
            let is_old = info_value(told, key) == Some(old);
            if is_old { with_info_value(told, key, number) } else { None }.or(new)
        })
    };
    match message {
        Message::Gamestate(gamestate) => {
            let mut changed = false;
            for item in &mut gamestate.items {
                if let GamestateItem::Configstring(string) = item {
                    if let Some(info) = new(&string.value.0).filter(|_| string.index == SERVERINFO) {
                        string.value.0 = info;
                        changed = true;
                    }
                }
            }
            changed
        }
        Message::ServerCommand(command) => {
            let told = told_string(&command.value.0).filter(|(_, index, _)| *index == SERVERINFO);
            let Some((_, _, at)) = told else { return false };
            let Some(info) = command.value.0.get(at.clone()).and_then(new) else { return false };
            command.value.0.splice(at, info);
            true
        }
        _ => false,
    }
}
