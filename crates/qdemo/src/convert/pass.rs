//! The way through a recording, message by message.

use std::io::{Read, Write};

use super::loss::{Conversion, Loss};
use super::mapping::Way;
use super::progress::Progress;
use crate::demo::{Listed, Reader};
use crate::edit::readable::{Partial, Readable, Shortener};
use crate::error::Result;
use crate::format::{AnyDialect, DialectOf, Format, MessageSet, Packet};
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene;

/// Where a conversion is that goes message by message.
pub(super) struct Pass<F: Format> {
    pub(super) progress: Progress,
    /// How the message at hand was read, and how it is written.
    pub(super) from: DialectOf<F>,
    pub(super) to: DialectOf<F>,
}

impl<F: Listed> Pass<F> {
    /// In front of the first block, which begins in a dialect.
    pub(super) fn new(protocol: i32, first: DialectOf<F>) -> Self {
        let way = Way { from: F::KIND, into: F::KIND };
        Pass { progress: Progress::new(way, protocol), from: first, to: first }
    }

    pub(super) fn lose(&mut self, loss: Loss) {
        self.progress.lose(loss);
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
pub(super) fn run<F: Partial, R: Read, W: Write>(
    mut reader: Reader<R>,
    name: &str,
    mut converter: impl Converter<F>,
    mut out: W,
) -> Result<(W, Conversion)> {
    let mut world = World::of(reader.detected(), name)?;
    world.only_texts();
    let mut shortener = Shortener::<F>::new(reader.detected());
    let mut w = ByteWriter::default();
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        let number = any.block().map(|(number, _)| number);
        let (packet, readable) = F::chunk(&any).map_or((None, Readable::Nothing), |chunk| shortener.read(chunk));
        let chunk = readable.of(any, bytes);
        if let Some((any, _)) = &chunk {
            world.apply(any);
        }
        let progress = &mut converter.pass().progress;
        progress.done.read(number, &readable, world.clock());
        let Some((any, bytes)) = chunk else { continue };
        let (Some(packet), Some(number)) = (packet, number) else {
            out.write_all(bytes)?;
            progress.done.account.bytes_written += bytes.len() as u64;
            continue;
        };
        progress.at(number, world.clock());
        let from = shortener.before();
        if let Some(unknown) = packet.messages.iter().find_map(|m| m.dialect_after(&from)).filter(|d| !d.is_decoded()) {
            let what = format!("recording of protocol {}", unknown.protocol());
            return Err(progress.no_way(&what));
        }
        let (packet, new) = block_of(&mut converter, packet, from, std::mem::take(&mut w))?;
        shortener.recycle(packet);
        let progress = &mut converter.pass().progress;
        progress.check()?;
        let account = &mut progress.done.account;
        account.has(any.block(), world.clock());
        let is_kept = !readable.is_less() && new.as_slice() == bytes;
        *(if is_kept { &mut account.blocks_kept } else { &mut account.blocks_changed }) += 1;
        account.bytes_written += new.len() as u64;
        out.write_all(new.as_slice())?;
        w = new;
    }
    if let Some(end) = shortener.end()? {
        end.write(&mut converter.pass().progress.done.account, &mut out)?;
    }
    out.flush()?;
    Ok((out, converter.pass().progress.finish()))
}

/// What a converter makes of what can be read of a block, and its bytes. What cannot be written is left out.
pub(super) fn block_of<'a, F: Listed>(
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
        converter.convert(message)
    });
    let lost = write_what_can(&mut packet, &mut { before }, &mut w)?;
    (0..lost).for_each(|_| converter.pass().lose(Loss::Message));
    Ok((packet, w))
}

/// Writes a packet without the messages that the dialect cannot write; gives their number, and leaves the others in the
/// packet. `dialect` is the one it begins in, and after that the one it leads to.
pub(super) fn write_what_can<F: Format>(
    packet: &mut Packet<'_, F>,
    dialect: &mut DialectOf<F>,
    w: &mut ByteWriter,
) -> Result<usize> {
    let before = *dialect;
    w.clear();
    if packet.write(dialect, w).is_ok() {
        return Ok(0);
    }
    let (all, mut lost) = (std::mem::take(&mut packet.messages), 0);
    for message in all {
        packet.messages.push(message);
        // Those in front of it can be written.
        if packet.to_bytes(before).is_err() {
            packet.messages.pop();
            lost += 1;
        }
    }
    w.clear();
    *dialect = before;
    packet.write(dialect, w)?;
    Ok(lost)
}
