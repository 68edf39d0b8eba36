//! The way from one format into another.

use std::io::{Read, Write};

use super::loss::{Conversion, Loss};
use super::mapping::Way;
use super::pass::write_what_can;
use super::progress::Progress;
use crate::demo::{Listed, Reader};
use crate::edit::readable::{Partial, Shortener};
use crate::error::Result;
use crate::format::{BlockOf, ChunkOf, DialectOf, Format as _, Packet};
use crate::frame;
use crate::wire::ByteWriter;
use crate::world::Clock;

/// The output of a conversion.
pub(super) struct Output<F: Listed, W> {
    pub(super) progress: Progress,
    out: W,
    dialect: DialectOf<F>,
    w: ByteWriter,
    packets: u64,
}

impl<F: Listed, W: Write> Output<F, W> {
    /// How the next message is written.
    pub(super) fn dialect(&self) -> DialectOf<F> {
        self.dialect
    }

    pub(super) fn lose(&mut self, loss: Loss) {
        self.progress.lose(loss);
    }

    /// Writes a packet, without what the format has no room for.
    pub(super) fn packet(&mut self, mut packet: Packet<'_, F>) -> Result<()> {
        let lost = write_what_can(&mut packet, &mut self.dialect, &mut self.w)?;
        (0..lost).for_each(|_| self.lose(Loss::Message));
        self.send()
    }

    /// Writes a packet, if it can be written and has no more than so many bytes; else gives it back.
    pub(super) fn short_packet<'p>(&mut self, packet: Packet<'p, F>, most: usize) -> Result<Option<Packet<'p, F>>> {
        let mut dialect = self.dialect;
        self.w.clear();
        if packet.write(&mut dialect, &mut self.w).is_err() || self.w.len() > most {
            return Ok(Some(packet));
        }
        self.dialect = dialect;
        self.send()?;
        Ok(None)
    }

    fn send(&mut self) -> Result<()> {
        self.packets += 1;
        self.progress.done.account.bytes_written += self.w.len() as u64;
        self.out.write_all(self.w.as_slice())?;
        Ok(())
    }

    /// The bytes of the last packet.
    pub(super) fn written(&self) -> &[u8] {
        self.w.as_slice()
    }

    /// Writes what stands in front of all packets, or behind them.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.progress.done.account.bytes_written += bytes.len() as u64;
        self.out.write_all(bytes)?;
        Ok(())
    }
}

/// Says what becomes of the blocks of one format in another.
pub(super) trait Across {
    /// The format of the input.
    type From: Partial;
    /// That of the output.
    type Into: Listed;

    /// Takes a chunk into the world of the input, which is to know of damage; gives its clock.
    fn apply(&mut self, chunk: &ChunkOf<'_, Self::From>) -> Clock;

    /// Writes what a block, which the world has taken in, becomes: the packet is what can be read of it. Its messages begin in a
    /// dialect.
    fn block<W: Write>(
        &mut self,
        block: &BlockOf<'_, Self::From>,
        packet: Packet<'_, Self::From>,
        dialect: DialectOf<Self::From>,
        out: &mut Output<Self::Into, W>,
    ) -> Result<()>;

    /// Writes the end.
    fn end<W: Write>(&mut self, out: &mut Output<Self::Into, W>) -> Result<()>;
}

/// Writes all that a recording becomes.
pub(super) fn run<A: Across, R: Read, W: Write>(
    mut reader: Reader<R>,
    mut across: A,
    protocol: i32,
    out: W,
) -> Result<(W, Conversion)> {
    let way = Way { from: A::From::KIND, into: A::Into::KIND };
    let progress = Progress::new(way, protocol);
    let dialect = A::Into::first_dialect(Some(protocol));
    let mut out = Output::<A::Into, W> { progress, out, dialect, w: ByteWriter::default(), packets: 0 };
    let mut shortener = Shortener::<A::From>::new(reader.detected());
    while let Some(any) = reader.next_chunk()? {
        let Some(chunk) = A::From::chunk(&any) else { continue };
        let clock = across.apply(chunk);
        let (packet, readable) = shortener.read(chunk);
        out.progress.done.read(any.block().map(|(number, _)| number), &readable, clock);
        let (frame::Chunk::Block(block), Some(packet)) = (chunk, packet) else { continue };
        out.progress.at(block.index, clock);
        let before = out.packets;
        across.block(block, packet, shortener.before(), &mut out)?;
        out.progress.check()?;
        let written = out.packets > before;
        let account = &mut out.progress.done.account;
        *(if written { &mut account.blocks_changed } else { &mut account.blocks_dropped }) += 1;
        if written {
            account.has(any.block(), clock);
        }
    }
    across.end(&mut out)?;
    out.out.flush()?;
    Ok((out.out, out.progress.finish()))
}
