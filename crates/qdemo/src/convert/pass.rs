//! The way through a recording, message by message.

use std::io::{Read, Write};

use super::loss::{Conversion, Loss, is_known};
use super::no_way;
use crate::demo::{Listed, Reader};
use crate::error::Result;
use crate::format::{AnyDialect, DialectOf, Format, MessageSet, Packet};
use crate::frame::{self, Header as _};
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::{Clock, Scene};

/// Where a conversion is, and what it has done.
pub(super) struct Pass<F: Format> {
    pub(super) done: Conversion,
    /// How the message at hand was read, and how it is written.
    pub(super) from: DialectOf<F>,
    pub(super) to: DialectOf<F>,
    block: u64,
    clock: Option<Clock>,
    /// What the recording turned out to be, if it cannot be converted.
    refused: Option<String>,
}

impl<F: Format> Pass<F> {
    /// In front of the first block, which begins in a dialect.
    pub(super) fn new(protocol: i32, first: DialectOf<F>) -> Self {
        let done = Conversion { to_protocol: protocol, ..Conversion::default() };
        Pass { done, from: first, to: first, block: 0, clock: None, refused: None }
    }

    pub(super) fn lose(&mut self, loss: Loss) {
        // Nothing is lost in front of the first block.
        if let Some(clock) = self.clock {
            self.done.lose(loss, self.block, clock);
        }
    }

    /// The recording is one that cannot be converted.
    pub(super) fn refuse(&mut self, what: String) {
        self.refused = Some(what);
    }

    /// A level of the input is in a protocol.
    pub(super) fn is_from(&mut self, protocol: i32)
    where
        F: Listed,
    {
        if !is_known(F::KIND, Some(protocol), self.done.to_protocol) {
            self.refuse(format!("recording of protocol {protocol}"));
        }
        if !self.done.from_protocols.contains(&protocol) {
            self.done.from_protocols.push(protocol);
        }
    }
}

/// A message of a format.
pub(super) type MessageOf<'a, F> = <F as Format>::Message<'a>;

/// Says what becomes of the messages of a format.
pub(super) trait Converter<F: Format> {
    fn pass(&mut self) -> &mut Pass<F>;
    /// Changes a message into what it becomes; false where nothing of it is left.
    fn convert<'a>(&mut self, message: &mut MessageOf<'a, F>) -> bool;
}

/// Writes all that a converter makes of a recording.
pub(super) fn run<F: Listed, R: Read, W: Write>(
    mut reader: Reader<R>,
    name: &str,
    mut converter: impl Converter<F>,
    mut out: W,
) -> Result<(W, Conversion)> {
    let mut world = World::of(reader.detected(), name)?;
    world.only_texts();
    let mut decoder = F::decoder(reader.detected());
    let mut w = ByteWriter::default();
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        world.apply(&any);
        let Some(frame::Chunk::Block(block)) = F::chunk(&any) else {
            out.write_all(bytes)?;
            converter.pass().done.account.bytes_written += bytes.len() as u64;
            continue;
        };
        let pass = converter.pass();
        (pass.block, pass.clock) = (block.index, Some(world.clock()));
        let (packet, fault) = decoder.read(block);
        let from = decoder.before();
        if let Some(unknown) = packet.messages.iter().find_map(|m| m.dialect_after(&from)).filter(|d| !d.is_decoded()) {
            let what = format!("recording of protocol {}", unknown.protocol());
            return Err(no_way(&what, &format!("protocol {}", pass.done.to_protocol)));
        }
        if fault.is_some() {
            pass.lose(Loss::Unread);
        }
        let (packet, new) = block_of(&mut converter, packet, from, std::mem::take(&mut w))?;
        decoder.recycle(packet);
        let pass = converter.pass();
        if let Some(what) = &pass.refused {
            return Err(no_way(what, &format!("protocol {}", pass.done.to_protocol)));
        }
        let account = &mut pass.done.account;
        account.blocks_read += 1;
        account.has(any.block(), world.clock());
        *(if new.as_slice() == bytes { &mut account.blocks_kept } else { &mut account.blocks_changed }) += 1;
        account.bytes_written += new.len() as u64;
        out.write_all(new.as_slice())?;
        w = new;
    }
    out.flush()?;
    let done = &mut converter.pass().done;
    if done.from_protocols.is_empty() {
        done.account.notes.push("no level tells a protocol: it is not in the output either".to_owned());
    }
    Ok((out, std::mem::take(&mut converter.pass().done)))
}

/// What a converter makes of a block, and its bytes. What cannot be read is left out, and so is what cannot be written.
fn block_of<'a, F: Format>(
    converter: &mut impl Converter<F>,
    mut packet: Packet<'a, F>,
    mut from: DialectOf<F>,
    mut w: ByteWriter,
) -> Result<(Packet<'a, F>, ByteWriter)> {
    let before = converter.pass().to;
    packet.messages.retain_mut(|message| {
        let after = message.dialect_after(&from);
        converter.pass().from = from;
        from = after.unwrap_or(from);
        message.unknown_bytes().is_none() && converter.convert(message)
    });
    // A size that the end of the file has cut is that of the messages now.
    packet.header = packet.header.with_size(None);
    w.clear();
    if packet.write(&mut before.clone(), &mut w).is_ok() {
        return Ok((packet, w));
    }
    let all = std::mem::take(&mut packet.messages);
    for message in all {
        packet.messages.push(message);
        // Those in front of it can be written.
        if packet.to_bytes(before).is_err() {
            packet.messages.pop();
            converter.pass().lose(Loss::Message);
        }
    }
    w.clear();
    packet.write(&mut before.clone(), &mut w)?;
    Ok((packet, w))
}
