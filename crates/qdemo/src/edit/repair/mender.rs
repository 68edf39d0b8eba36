//! The second reading: block after block is looked at, put into its place, mended and written.

use std::io::{Read, Write};

use super::account::{Done, Found, Repair, RepairAccount};
use super::mend::{Mend, intact};
use super::survey::{Survey, is_unsupported};
use crate::demo::Reader;
use crate::edit::end::Last;
use crate::error::Result;
use crate::format::{BlockOf, Decoder, DialectOf, Packet};
use crate::frame::{self, Diagnostic, Header as _};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::FaultKind;
use crate::world::Scene;

/// A block on its way.
#[derive(Debug, Clone)]
struct Item {
    bytes: Vec<u8>,
    /// Its number in the input.
    index: u64,
    offset: u64,
    /// The number that tells its place.
    number: Option<i64>,
    /// When it came, in microseconds, where that is another thing.
    arrived: Option<i64>,
}

/// Mends a recording of a format.
pub(super) struct Mender<F: Mend, W> {
    out: W,
    account: RepairAccount,
    decoder: Decoder<F>,
    /// The same at the beginning of a recording.
    first: Decoder<F>,
    /// What was written adds up to this.
    world: World,
    last: Last,
    /// The block that was read last: the next one may belong in front of it.
    held: Option<Item>,
    /// How often it stands there again behind itself.
    twins: u64,
    /// The number of the block written last that has one.
    number: Option<i64>,
    /// The end of a recording, and what little stands behind it: if another recording follows, it is none.
    ended: Option<(Item, Vec<u8>)>,
    /// What the first level needs that the recording does not have.
    survey: Survey<F>,
    /// What frames build on is not known: the level's beginning was made.
    invented: bool,
    /// A level has begun; it was told in full; something was lost since it began.
    level: bool,
    signed_on: bool,
    damaged: bool,
}

impl<F: Mend, W: Write> Mender<F, W> {
    /// Bytes behind the end of a recording that may be the beginning of another one: the CD track line of Quake.
    const TRACK: usize = 16;
    /// Numbers may be out of order by this much to be put in order.
    const NEAR: i64 = 64;
    /// Bytes of a block that may hold others whose size is damaged.
    const SMALL: usize = 24;
    const HUGE: usize = 256 << 10;
    /// Blocks in a row that prove that.
    const ROW: usize = 3;
    /// Bytes of blocks that prove that where other blocks follow them.
    const PROOF: usize = 24;
    /// Numbers may leap by this much.
    const FAR: i64 = 2_000;

    pub(super) fn run(
        input: impl Read,
        name: &str,
        limits: Limits,
        out: W,
        survey: Survey<F>,
    ) -> Result<(W, RepairAccount)> {
        let mut reader = Reader::new(input, name, limits)?;
        let first = F::decoder(reader.detected());
        let mut decoder = first.clone();
        if let Some((_, dialect)) = &survey.beginning {
            decoder = Decoder::new(*dialect);
        }
        let world = World::of(reader.detected(), name)?;
        let mut mender = Mender {
            out,
            account: RepairAccount::default(),
            decoder,
            first,
            world,
            last: Last::default(),
            held: None,
            twins: 0,
            number: None,
            ended: None,
            survey,
            invented: false,
            level: false,
            signed_on: false,
            damaged: false,
        };
        loop {
            let offset = reader.offset();
            let Some((chunk, bytes)) = reader.next_with_bytes()? else { break };
            let Some(chunk) = F::chunk(&chunk) else { continue };
            mender.chunk(chunk, bytes, offset).map_err(|e| e.in_file(name))?;
        }
        let end = reader.offset();
        mender.finish(end).map_err(|e| e.in_file(name))
    }

    fn chunk(&mut self, chunk: &crate::format::ChunkOf<'_, F>, bytes: &[u8], offset: u64) -> Result<()> {
        match chunk {
            frame::Chunk::Block(block) => {
                self.account.account.blocks_read += 1;
                let number = F::number(block, &self.decoder.dialect());
                let arrived = F::arrived(block);
                self.take(Item { bytes: bytes.to_vec(), index: block.index, offset, number, arrived })
            }
            frame::Chunk::Unframed(unframed) => {
                self.release()?;
                if let Some((_, behind)) = self.ended.as_mut() {
                    // What stands behind the end of a recording stays.
                    if behind.len() + bytes.len() <= Self::TRACK {
                        behind.extend_from_slice(bytes);
                        return Ok(());
                    }
                    self.settle_end()?;
                    return self.raw(bytes);
                }
                if self.last.has_ended() {
                    return self.raw(bytes);
                }
                let found = match unframed.why.what {
                    FaultKind::Truncated { .. } => Found::Cut,
                    _ => Found::Unframed,
                };
                self.lose();
                let why = unframed.why.clone().kind();
                let dropped = |mender: &mut Self, from: usize, to: usize| {
                    if from < to {
                        let text = format!("{} bytes that are no block: {why}", to - from);
                        mender.note(found, Done::Dropped, offset + from as u64, to - from, None, text);
                    }
                };
                // What a header does not prove the messages may.
                let item = Item { bytes: bytes.to_vec(), index: 0, offset, number: None, arrived: None };
                let mut at = 0;
                for item in self.blocks_within(&item, 0) {
                    let from = usize::try_from(item.offset - offset).unwrap_or(at);
                    dropped(self, at, from);
                    at = from + item.bytes.len();
                    self.account.account.blocks_read += 1;
                    self.take(item)?;
                }
                dropped(self, at, bytes.len());
                Ok(())
            }
            other => {
                self.release()?;
                self.settle_end()?;
                self.last.take(&F::any(other.clone()));
                self.raw(bytes)
            }
        }
    }

    /// Something is lost: what follows may lack it.
    fn lose(&mut self) {
        self.damaged = true;
    }

    /// A block comes: it goes on when it is clear that it stands where it belongs.
    fn take(&mut self, item: Item) -> Result<()> {
        let Some(held) = self.held.take() else {
            self.held = Some(item);
            return Ok(());
        };
        if held.bytes == item.bytes && self.as_block(&item).is_some_and(|block| F::is_single(&block, &self.world)) {
            match F::COUNTED {
                true => self.doubled(&item),
                // The clock may stand still: that shows behind it.
                false => self.twins += 1,
            }
            self.held = Some(held);
            return Ok(());
        }
        let mut held = held;
        if let (Some(next), Some(now)) = (item.number, held.number) {
            let before = self.number;
            let fits = before.is_none_or(|before| next > before);
            let off = next < now && now - next > self.near() || before.is_some_and(|before| now - before > Self::FAR);
            if next < now && fits && now - next <= self.near() && item.arrived <= held.arrived && !self.begins(&item) {
                let text = format!("block {} belongs in front of block {}", item.index, held.index);
                self.note_item(&item, Found::Swapped, Done::Moved, text);
                self.emit(item)?;
                self.held = Some(held);
                return Ok(());
            }
            if F::COUNTED && off && next < now && fits && before.is_none_or(|before| next - before < Self::FAR) {
                match self.renumber(held, next) {
                    Some(right) => held = right,
                    None => {
                        self.held = Some(item);
                        return Ok(());
                    }
                }
            }
        }
        self.let_go(held, item.number)?;
        self.held = Some(item);
        Ok(())
    }

    /// A block goes on, and `next` has that number. Where the clock goes on both in front of a block and behind it, and it
    /// stands there twice, it is doubled; where the clock stands still, servers send the same again and again.
    fn let_go(&mut self, held: Item, next: Option<i64>) -> Result<()> {
        let twins = std::mem::take(&mut self.twins);
        let ahead = matches!((held.number, next), (Some(now), Some(next)) if next > now);
        let behind = matches!((held.number, self.number), (Some(now), Some(before)) if now > before);
        let size = held.bytes.len() as u64;
        let nth = |n: u64| Item { index: held.index + n, offset: held.offset + n * size, ..held.clone() };
        if twins == 1 && ahead && behind {
            self.doubled(&nth(1));
            return self.emit(held);
        }
        self.emit(held.clone())?;
        (1..=twins).try_for_each(|n| self.emit(nth(n)))
    }

    fn doubled(&mut self, item: &Item) {
        self.note_item(item, Found::Doubled, Done::Dropped, "the same block as the one before".to_owned());
    }

    /// How far blocks may be out of order: numbers, or microseconds.
    fn near(&self) -> i64 {
        if F::COUNTED { Self::NEAR } else { 1_000_000 }
    }

    /// A block with a number that is far off both that of the one before and that of the next one. It gets the one that is
    /// due, where that is a matter of its header; else it is dropped.
    fn renumber(&mut self, held: Item, next: i64) -> Option<Item> {
        let now = held.number?;
        if self.begins(&held) {
            return Some(held);
        }
        let due = next - 1;
        let free = self.number.is_none_or(|before| due > before);
        let right = F::renumbered(&held.bytes, due).filter(|_| free);
        let text = format!("number {now} stands where {due} is due");
        let done = if right.is_some() { Done::Renumbered } else { Done::Dropped };
        self.note_item(&held, Found::WrongNumber, done, text);
        Some(Item { bytes: right?, number: Some(due), ..held })
    }

    /// The block that waits goes on.
    fn release(&mut self) -> Result<()> {
        match self.held.take() {
            Some(held) => self.let_go(held, None),
            None => Ok(()),
        }
    }

    fn as_block<'i>(&self, item: &'i Item) -> Option<BlockOf<'i, F>> {
        BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)
    }

    /// True when a level begins with a block.
    fn begins(&self, item: &Item) -> bool {
        let Some(block) = self.as_block(item) else { return false };
        F::begins(&Decoder::<F>::new(self.decoder.dialect()).read(&block).0)
    }

    /// Mends a block and writes it.
    fn emit(&mut self, item: Item) -> Result<()> {
        let Some(block) = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset) else { return Ok(()) };
        let before = self.decoder.dialect();
        let (packet, fault) = self.decoder.read(&block);
        if fault.as_ref().is_some_and(is_unsupported) && (self.decoder.dialect() == before || !self.level) {
            self.settle_end()?;
            return self.put(&item, None);
        }
        let begins = F::begins(&packet);
        if !begins && self.is_stale(&item) {
            let text = "older than the block in front of it: players pass over it, or stop";
            self.note_item(&item, Found::Stale, Done::Dropped, text.to_owned());
            self.decoder = Decoder::new(before);
            return Ok(());
        }
        let mut packet = packet;
        let mut changed = false;
        if fault.is_some() || F::is_wrong(&packet, &self.world) {
            self.decoder = Decoder::new(before);
            let within = fault.as_ref().map_or_else(Vec::new, |fault| {
                let from = fault.offset.saturating_sub(item.offset);
                self.blocks_within(&item, usize::try_from(from).unwrap_or(usize::MAX))
            });
            let left = self.shorten(&mut packet, &block, fault, &before);
            if !within.is_empty() {
                // Its size is damaged, and so is what was read of it.
                return within.into_iter().try_for_each(|item| {
                    self.account.account.blocks_read += 1;
                    self.emit(item)
                });
            }
            if !left {
                return Ok(());
            }
            self.decoder.follow(&packet);
            changed = true;
        } else if F::is_last(&block, &packet) {
            self.settle_end()?;
            drop(packet);
            self.ended = Some((item, Vec::new()));
            return Ok(());
        }
        let begins = F::begins(&packet);
        if begins {
            if let Some((end, behind)) = self.ended.take() {
                let text = "another recording follows: players stop here".to_owned();
                self.note_item(&end, Found::EndWithin, Done::Dropped, text);
                self.account.bytes_dropped += behind.len() as u64;
            }
            (self.invented, self.signed_on, self.damaged) = (false, false, changed);
        }
        self.settle_end()?;
        let packet = packet;
        self.write_packet(&item, packet, changed, begins)
    }

    /// The blocks within bytes, from a place on: those that a block with a damaged size runs over, those behind damage.
    fn blocks_within(&self, item: &Item, from: usize) -> Vec<Item> {
        // What is small holds nothing, and what is huge no engine wrote.
        let size = item.bytes.len();
        if !(Self::SMALL..=Self::HUGE).contains(&size) {
            return Vec::new();
        }
        let mut decoded = 0;
        for start in from.min(size)..size {
            let row = self.row_at(item, start, &mut decoded);
            let end = row.last().map_or(0, |last| last.offset + last.bytes.len() as u64);
            // Whole to the end of what is damaged: behind that blocks go on.
            let fits = end == item.offset + size as u64 && end - item.offset >= (start + Self::PROOF) as u64;
            if row.len() >= Self::ROW || fits {
                return row;
            }
            if decoded > 64 * size {
                break;
            }
        }
        Vec::new()
    }

    /// Blocks in a row within another one, from a place on, all of which can be read.
    fn row_at(&self, item: &Item, start: usize, decoded: &mut usize) -> Vec<Item> {
        let mut row: Vec<Item> = Vec::new();
        let mut decoder = Decoder::<F>::new(self.decoder.dialect());
        let mut at = start;
        while let Some(block) = item.bytes.get(at..).and_then(|rest| BlockOf::<F>::of_bytes(rest, item.index, 0)) {
            let (Ok(size), header) = (usize::try_from(block.header.payload()), block.header_len) else { break };
            let end = at.saturating_add(header).saturating_add(size);
            let Some(bytes) = item.bytes.get(at..end).filter(|_| size > 0) else { break };
            let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, item.offset + at as u64) else { break };
            *decoded += size.min(256);
            let (packet, fault) = decoder.read(&block);
            let readable = fault.is_none() && intact::<F>(&packet, &self.world) == packet.messages.len();
            if !readable || packet.messages.is_empty() && row.is_empty() {
                break;
            }
            let (number, arrived) = (F::number(&block, &decoder.before()), F::arrived(&block));
            let offset = item.offset + at as u64;
            decoder.recycle(packet);
            row.push(Item { bytes: bytes.to_vec(), index: item.index, offset, number, arrived });
            at = end;
        }
        row
    }

    /// Writes a packet that can be read.
    fn write_packet(&mut self, item: &Item, mut packet: Packet<'_, F>, mut changed: bool, begins: bool) -> Result<()> {
        let whole = packet.messages.len();
        let mended = F::mend_level_change(&mut packet);
        if !mended.is_empty() {
            let gone = packet.messages.is_empty();
            let done = if gone { Done::Dropped } else { Done::Changed };
            let text = format!("between levels: {}", mended.join(", "));
            self.note_item(item, Found::LevelChange, done, text);
            if gone {
                return Ok(());
            }
            changed = true;
        }
        debug_assert!(packet.messages.len() <= whole);
        let frame = F::is_frame(&packet);
        if frame && !self.level {
            self.invent(item)?;
        }
        self.signed_on |= F::is_signon(&packet);
        if frame && !begins && !self.signed_on {
            self.signed_on = true;
            self.make_signon(item)?;
        }
        let gap = matches!((item.number, self.number), (Some(now), Some(before)) if now > before + 1);
        let lossy = !begins && (self.damaged || gap);
        let filled = if lossy { F::fill_commands(&mut packet, &self.world) } else { 0 };
        if filled > 0 {
            changed = true;
            let text = format!("{filled} server commands are lost: empty ones stand for them");
            self.note_item(item, Found::LostCommands, Done::Made, text);
        }
        let lost = F::assume(&mut self.world, &mut packet, self.invented);
        let mut bytes = None;
        if changed || lost.is_some() {
            let Some(written) = self.written(&packet) else { return self.unwritable(item) };
            bytes = Some(written);
        }
        self.apply(bytes.as_deref().unwrap_or(&item.bytes), item);
        if let Some(lost) = lost {
            let rebuilt = F::rebuild(&mut self.world, &mut packet, lost);
            if let Ok(true) = rebuilt {
                let Some(written) = self.written(&packet) else { return self.unwritable(item) };
                bytes = Some(written);
            }
            let text = format!("the frame is told as the difference to frame {lost}, which is lost");
            self.note_item(item, Found::LostBase, Done::Rebuilt, text);
        }
        self.put_applied(item, bytes.as_deref())
    }

    /// Keeps what can be read of a block. False when that is nothing.
    fn shorten(
        &mut self,
        packet: &mut Packet<'_, F>,
        block: &BlockOf<'_, F>,
        fault: Option<Diagnostic>,
        before: &DialectOf<F>,
    ) -> bool {
        let all = packet.messages.len();
        packet.messages.truncate(intact::<F>(packet, &self.world));
        if !block.is_cut() && packet.messages.last().is_some_and(F::is_built_on) {
            packet.messages.pop();
        }
        packet.header = packet.header.with_size(None);
        let left = F::settle(packet, before);
        self.lose();
        let found = if block.is_cut() { Found::Cut } else { Found::Undecodable };
        let kept = packet.messages.len();
        let why = fault.map_or_else(|| "it cannot be right".to_owned(), |fault| told(&fault));
        let (done, text) = match left {
            true => (Done::Shortened, format!("{kept} of {all} messages are kept: {why}")),
            false => (Done::Dropped, why),
        };
        self.note(found, done, block.offset, block.header_len + block.payload.len(), Some(block.index), text);
        left
    }

    fn is_stale(&self, item: &Item) -> bool {
        let near = |now: i64, before: i64| now <= before && before - now < Self::NEAR;
        F::COUNTED && matches!((item.number, self.number), (Some(now), Some(before)) if near(now, before))
    }

    /// Writes what the recording lacks: the beginning of a level.
    fn invent(&mut self, item: &Item) -> Result<()> {
        let Some((beginning, dialect)) = self.survey.beginning.take() else { return Ok(()) };
        let map = self.survey.seen.map.is_some();
        let packets = F::invent(beginning, &self.survey.seen, &dialect);
        let reader = std::mem::replace(&mut self.decoder, self.first.clone());
        let before = self.account.account.blocks_made;
        for packet in packets {
            self.decoder.follow(&packet);
            self.make(&packet, item)?;
        }
        // Blocks go on to be read as they were.
        self.decoder = reader;
        (self.invented, self.signed_on) = (true, true);
        let blocks = self.account.account.blocks_made - before;
        let map = if map { "the map is told by a text" } else { "the map is not known" };
        let text = format!(
            "the recording begins within a level: {blocks} blocks tell a level with names of models and sounds that \
             are not known, without base states; {map}"
        );
        self.account.account.notes.push(text.clone());
        self.note_item_bytes(item, 0, Found::NoBeginning, Done::Invented, text);
        Ok(())
    }

    /// Writes what tells players to begin with the game, where that was lost.
    fn make_signon(&mut self, item: &Item) -> Result<()> {
        if !self.damaged {
            return Ok(());
        }
        let Some(packet) = F::signon(&self.world) else { return Ok(()) };
        // The dialect stays what it is.
        let reader = self.decoder.clone();
        self.decoder.follow(&packet);
        self.make(&packet, item)?;
        self.decoder = reader;
        let text = "what tells players to begin with the game is lost".to_owned();
        self.note_item_bytes(item, 0, Found::NoSignon, Done::Made, text);
        Ok(())
    }

    /// Writes a packet that only the output has.
    fn make(&mut self, packet: &Packet<'_, F>, item: &Item) -> Result<()> {
        let Some(bytes) = self.written(packet) else { return Ok(()) };
        self.apply(&bytes, item);
        self.last_block(&bytes, item);
        self.account.account.blocks_made += 1;
        self.raw(&bytes)
    }

    fn written(&self, packet: &Packet<'_, F>) -> Option<Vec<u8>> {
        packet.to_bytes(self.decoder.before()).ok()
    }

    fn unwritable(&mut self, item: &Item) -> Result<()> {
        self.note_item(item, Found::Undecodable, Done::Dropped, "what is left of it cannot be written".to_owned());
        self.lose();
        Ok(())
    }

    /// The world takes in a block of the output.
    fn apply(&mut self, bytes: &[u8], item: &Item) {
        if let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, item.offset) {
            let _ = self.world.apply(&F::any(frame::Chunk::Block(block)));
            self.level |= self.world.changes().level;
        }
    }

    fn last_block(&mut self, bytes: &[u8], item: &Item) {
        if let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, item.offset) {
            self.last.take(&F::any(frame::Chunk::Block(block)));
        }
    }

    /// Writes a block that the world has not taken in.
    fn put(&mut self, item: &Item, changed: Option<&[u8]>) -> Result<()> {
        self.apply(changed.unwrap_or(&item.bytes), item);
        self.put_applied(item, changed)
    }

    fn put_applied(&mut self, item: &Item, changed: Option<&[u8]>) -> Result<()> {
        let bytes = changed.unwrap_or(&item.bytes);
        self.last_block(bytes, item);
        let clock = self.world.clock();
        let account = &mut self.account.account;
        match changed {
            Some(_) => account.blocks_changed += 1,
            None => account.blocks_kept += 1,
        }
        account.has(Some((item.index, item.offset)), clock);
        self.number = item.number.or(self.number);
        if self.world.changes().level {
            // Another level counts anew.
            self.number = item.number;
        }
        self.raw(bytes)
    }

    /// The end that waits is one.
    fn settle_end(&mut self) -> Result<()> {
        let Some((item, behind)) = self.ended.take() else { return Ok(()) };
        self.put(&item, None)?;
        self.raw(&behind)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes)?;
        self.account.account.bytes_written += bytes.len() as u64;
        Ok(())
    }

    fn note_item(&mut self, item: &Item, found: Found, done: Done, text: String) {
        self.note_item_bytes(item, item.bytes.len(), found, done, text);
    }

    fn note_item_bytes(&mut self, item: &Item, bytes: usize, found: Found, done: Done, text: String) {
        self.note(found, done, item.offset, bytes, Some(item.index), text);
    }

    fn note(&mut self, found: Found, done: Done, offset: u64, bytes: usize, block: Option<u64>, text: String) {
        let clock = Some(self.world.clock());
        self.account.add(Repair { found, done, offset, bytes: bytes as u64, block, clock, text });
    }

    fn finish(mut self, end: u64) -> Result<(W, RepairAccount)> {
        self.release()?;
        self.settle_end()?;
        if let Some(made) = self.last.end()? {
            self.raw(&made.bytes)?;
            self.account.account.blocks_made += u64::from(made.is_block);
            self.account.account.end_made = true;
            let text = "the recording has no end: it was not stopped, or its end is missing".to_owned();
            self.note(Found::NoEnd, Done::Made, end, 0, None, text);
        }
        self.out.flush()?;
        let account = &mut self.account.account;
        let written = account.blocks_kept + account.blocks_changed;
        account.blocks_dropped = account.blocks_read.saturating_sub(written);
        Ok((self.out, self.account))
    }
}

/// What a fault says.
fn told(fault: &Diagnostic) -> String {
    let kind = fault.fault.clone().kind();
    match fault.fault.message {
        Some(message) => format!("{message}, at byte {}: {kind}", fault.offset),
        None => format!("at byte {}: {kind}", fault.offset),
    }
}
