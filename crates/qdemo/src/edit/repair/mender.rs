//! The second reading: block after block is looked at, put into its place, mended and written.

use std::hash::{DefaultHasher, Hasher as _};
use std::io::{Read, Write};

use super::account::{Done, Found, Repair, RepairAccount};
use super::mend::{Assumed, Mend, intact};
use super::order::{Lost, STALE};
use super::survey::Survey;
use super::unframed::{Between, ends_plainly};
use super::within::{Item, blocks_within};
use crate::demo::Reader;
use crate::edit::end::{Last, of_output};
use crate::edit::readable::{bytes_of, is_unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{BlockOf, Decoder, DialectOf, Packet};
use crate::frame::{self, Diagnostic, Header as _, Rules as _};
use crate::limits::Limits;
use crate::replay::World;
use crate::world::Scene;

/// Mends a recording of a format.
pub(super) struct Mender<F: Mend, W> {
    out: W,
    pub(super) account: RepairAccount,
    pub(super) decoder: Decoder<F>,
    /// The same at the beginning of a recording.
    pub(super) first: Decoder<F>,
    /// What was written adds up to this.
    pub(super) world: World,
    pub(super) last: Last,
    /// The block that was read last: the next one may belong in front of it.
    pub(super) held: Option<Item>,
    /// Where it stands there again behind itself: numbers of blocks in the input, and offsets.
    pub(super) twins: Vec<(u64, u64)>,
    /// What is lost behind it.
    pub(super) lost: Vec<Lost>,
    /// Bytes that are no block, until it is seen what follows.
    between: Option<Between>,
    /// Why they are none: of long damage the first bytes tell.
    pub(super) why: String,
    /// Where the last block ended that went on with nothing wrong.
    pub(super) sound: u64,
    /// The block that was lost last: bytes behind it may be the rest of it.
    pub(super) unread: Option<Item>,
    /// Blocks that were found within the one that went on: they come next.
    pub(super) within: Vec<Item>,
    /// The number of the block written last that has one.
    pub(super) number: Option<i64>,
    /// What was written last.
    pub(super) written: Written,
    /// The numbers that were written since a level began, as they rise, and what was in these blocks.
    pub(super) counted: Vec<(i64, u64)>,
    /// Bytes behind the end that are no blocks.
    left: u64,
    /// Some of them look like such.
    blocks_behind: bool,
    /// The end of a recording, and what little stands behind it: if another recording follows, it is none.
    pub(super) ended: Option<(Item, Vec<u8>)>,
    /// It was found within damage: blocks behind it are old ones, unless another recording begins with them.
    pub(super) ended_within: bool,
    /// An end mark, and where it stands: if blocks follow, it is none.
    pub(super) mark: Option<(Vec<u8>, u64)>,
    /// One that was none: where it stood, and its bytes. What follows tells whether another recording begins.
    pub(super) passed: Option<(u64, usize)>,
    /// What the first level needs that the recording does not have.
    pub(super) survey: Survey<F>,
    /// What frames build on is not known: the level's beginning was made.
    pub(super) invented: bool,
    /// A level has begun; it was told in full; something was lost since it began.
    pub(super) level: bool,
    pub(super) signed_on: bool,
    pub(super) damaged: bool,
}

/// The last block of the output.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// How often it stands there in a row; 0 where something else was written last.
    pub(super) times: u64,
    /// Its number is above that of the block in front of it.
    pub(super) goes_on: bool,
}

impl<F: Mend, W: Write> Mender<F, W> {
    /// Bytes behind the end of a recording that may be the beginning of another one: the CD track line of Quake.
    const TRACK: usize = 16;
    /// So many bytes behind an end wait for whether blocks follow.
    pub(super) const BEHIND: usize = 1 << 20;

    pub(super) fn run(
        input: impl Read,
        name: &str,
        limits: Limits,
        out: W,
        survey: Survey<F>,
    ) -> Result<(W, RepairAccount)> {
        let mut reader = Reader::new(input, name, limits)?.reading_on();
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
            twins: Vec::new(),
            lost: Vec::new(),
            between: None,
            why: String::new(),
            sound: 0,
            unread: None,
            within: Vec::new(),
            number: None,
            written: Written::default(),
            counted: Vec::new(),
            left: 0,
            blocks_behind: false,
            ended: None,
            ended_within: false,
            mark: None,
            passed: None,
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
        if let Some(between) = self.between.take() {
            let next = match chunk {
                frame::Chunk::Block(block) => F::number(block, &self.decoder.dialect()),
                _ => None,
            };
            self.unframed(between, next)?;
        }
        match chunk {
            frame::Chunk::Block(block) => {
                let number = F::number(block, &self.decoder.dialect());
                let arrived = F::arrived(block);
                let item = Item { bytes: bytes.to_vec(), index: block.index, offset, number, arrived, mended: false };
                // Only where recorders leave old blocks behind an end those behind one within damage are such.
                if self.is_over()? && !block.header.goes_on(block.payload) && !self.begins(&item) {
                    return self.behind_the_end(bytes);
                }
                self.ended_within = false;
                self.account.account.blocks_read += 1;
                self.goes_on();
                match self.rightly_numbered(item) {
                    Some(item) => self.take(item),
                    None => Ok(()),
                }
            }
            frame::Chunk::Unframed(unframed) => {
                self.between = Some(Between { bytes: bytes.to_vec(), offset, why: unframed.why.clone() });
                Ok(())
            }
            frame::Chunk::End => {
                // The number of a block behind it may tell of the one that waits: then it is none.
                if self.held.is_none() || self.mark.is_some() {
                    self.release()?;
                    self.settle_end()?;
                }
                self.mark = Some((bytes.to_vec(), offset));
                Ok(())
            }
            other => {
                self.release()?;
                self.settle_end()?;
                self.sound = offset + bytes.len() as u64;
                if let frame::Chunk::Trailer(bytes) = other {
                    self.look_behind(bytes);
                }
                self.last.take(&F::any(other.clone()));
                self.raw(bytes)
            }
        }
    }

    /// Blocks follow: an end mark in front of them is none.
    pub(super) fn goes_on(&mut self) {
        if let Some((mark, offset)) = self.mark.take() {
            self.passed = Some((offset, mark.len()));
        }
    }

    /// What is said of an end that is none.
    fn no_end(begins: bool) -> &'static str {
        match (begins, F::COUNTED) {
            (true, true) => {
                "another recording follows: players stop here; cut out and joined, its numbers go on as well"
            }
            (true, false) => "another recording follows: players stop here",
            (false, _) => "blocks go on behind it: players stop here",
        }
    }

    /// Tells of such a mark that stands in front of a place.
    fn tell_passed(&mut self, begins: bool, before: u64) {
        let Some((offset, len)) = self.passed.take_if(|(offset, _)| *offset < before) else { return };
        self.note(Found::EndWithin, Done::Dropped, offset, len, None, Self::no_end(begins).to_owned());
    }

    /// Tells that an end which waits is none.
    fn tell_no_end(&mut self, begins: bool) {
        let Some((end, behind)) = self.ended.take() else { return };
        // What little stands in front of the next recording goes with the end.
        let track = Some(behind.len()).filter(|len| *len <= Self::TRACK);
        let bytes = end.bytes.len() + track.unwrap_or_default();
        self.note_item_bytes(&end, bytes, Found::EndWithin, Done::Dropped, Self::no_end(begins).to_owned());
        if track.is_some() {
            return;
        }
        self.lose();
        let text = "bytes between an end and what follows".to_owned();
        let offset = end.end();
        self.note(Found::Unframed, Done::Dropped, offset, behind.len(), None, text);
    }

    /// Something is lost: what follows may lack it.
    pub(super) fn lose(&mut self) {
        self.damaged = true;
    }

    /// Mends a block and writes it.
    pub(super) fn emit(&mut self, item: Item) -> Result<()> {
        let Some(block) = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset) else { return Ok(()) };
        let before = self.decoder.dialect();
        let (packet, fault) = self.decoder.read(&block);
        // Behind one that is cut nothing can stand, no end either.
        let is_foreign = fault.as_ref().is_some_and(is_unsupported) && !self.survey.is_readable && !block.is_cut();
        if is_foreign && (self.decoder.dialect() == before || !self.level) {
            self.settle_end()?;
            return self.put(&item, None);
        }
        let begins = F::begins(&packet);
        if !begins && self.is_stale(&item) {
            self.note_item(&item, Found::Stale, Done::Dropped, STALE.to_owned());
            self.decoder = self.decoder.anew(before);
            return Ok(());
        }
        let mut packet = packet;
        if fault.is_some() || F::is_wrong(&packet, &self.world) {
            self.decoder = self.decoder.anew(before);
            let resized = if self.sound == item.offset { self.shortened(&item, true) } else { None };
            if let Some(own) = resized {
                self.find_behind(&item, own.bytes.len());
                return self.emit(own);
            }
            let within = self.blocks_behind(&item, &packet, fault.as_ref());
            let left = self.shorten(&mut packet, &block, fault, &before, &within);
            self.found_within(within);
            if left {
                self.decoder.follow(&packet);
                self.write_readable(&item, packet, true)?;
            }
            return Ok(());
        }
        self.sound = item.end();
        if F::is_last(&block, &packet) {
            self.settle_end()?;
            drop(packet);
            self.ended = Some((item, Vec::new()));
            return Ok(());
        }
        self.write_readable(&item, packet, false)
    }

    /// The blocks within another one, behind what is wrong with it, or behind its messages.
    pub(super) fn blocks_behind(&self, item: &Item, packet: &Packet<'_, F>, fault: Option<&Diagnostic>) -> Vec<Item> {
        let from = match fault {
            Some(fault) => usize::try_from(fault.offset.saturating_sub(item.offset)).unwrap_or(usize::MAX),
            None => item.bytes.len().saturating_sub(F::rest(packet)),
        };
        blocks_within::<F>(item, from, self.decoder.dialect(), &self.world)
    }

    pub(super) fn found_within(&mut self, blocks: Vec<Item>) {
        self.ended_within |= blocks.last().is_some_and(|last| ends_plainly::<F>(last) && self.is_end(last));
        self.account.account.blocks_read += blocks.len() as u64;
        self.within.extend(blocks);
    }

    /// Writes a packet that can be read, and tells what it says of ends in front of it.
    fn write_readable(&mut self, item: &Item, packet: Packet<'_, F>, changed: bool) -> Result<()> {
        let begins = F::begins(&packet);
        self.tell_passed(begins, item.offset);
        self.tell_no_end(begins);
        if begins {
            (self.invented, self.signed_on, self.damaged) = (false, false, changed);
        }
        self.settle_end()?;
        self.write_packet(item, packet, changed, begins)
    }

    /// Writes a packet that can be read.
    fn write_packet(&mut self, item: &Item, mut packet: Packet<'_, F>, mut changed: bool, begins: bool) -> Result<()> {
        if F::STOPS_AT_EMPTY && packet.messages.is_empty() {
            let text = "an empty block: players stop here".to_owned();
            self.note_item(item, Found::Empty, Done::Dropped, text);
            return Ok(());
        }
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
        let frame = F::tells_moment(&packet.messages);
        if !self.level && !begins && (frame || F::is_of_level(&packet)) {
            self.invent(item, frame)?;
        }
        self.signed_on |= F::is_signon(&packet);
        if frame && !begins && !self.signed_on {
            self.signed_on = true;
            changed |= self.make_signon(item, &mut packet)?;
        }
        changed |= self.place_mark(item, &mut packet);
        let gap = matches!((item.number, self.number), (Some(now), Some(before)) if now > before + 1);
        let lossy = !begins && (self.damaged || gap);
        let filled = if lossy { F::fill_commands(&mut packet, &self.world) } else { 0 };
        if filled > 0 {
            changed = true;
            let text = format!("{filled} server commands are lost: empty ones stand for them");
            self.note_item(item, Found::LostCommands, Done::Made, text);
        }
        // Where all that frames build on is lost, they build on nothing: else no later one could be shown.
        let assumed = F::assume(&self.world, &mut packet, self.invented || self.damaged);
        let mut bytes = None;
        if changed || assumed.is_some() {
            let Some(written) = self.written(&packet) else { return self.unwritable(item) };
            bytes = Some(written);
        }
        match assumed {
            None => self.apply(bytes.as_deref().unwrap_or(&item.bytes), item),
            Some(assumed) => match self.rebuilt(item, &mut packet, bytes.as_deref().unwrap_or(&item.bytes), assumed) {
                Some(rebuilt) => bytes = Some(rebuilt),
                None => return Ok(()),
            },
        }
        self.put_applied(item, bytes.as_deref())?;
        if let Some(number) = F::counts_from(&packet) {
            self.number = Some(number);
            self.counted.clear();
        }
        Ok(())
    }

    /// Changes a packet with a frame that is told as the difference to a lost one, and lets the world take it in. Gives its bytes;
    /// `None` when nothing is left of it. A frame that cannot be told otherwise is left out: nobody could show it.
    fn rebuilt(
        &mut self,
        item: &Item,
        packet: &mut Packet<'_, F>,
        bytes: &[u8],
        Assumed { world, lost }: Assumed,
    ) -> Option<Vec<u8>> {
        let text = format!("the frame is told as the difference to frame {lost}, which is lost");
        let before = std::mem::replace(&mut self.world, world);
        self.apply(bytes, item);
        let rebuilt = F::rebuild(&mut self.world, packet, lost) == Ok(true);
        if let Some(written) = self.written(packet).filter(|_| rebuilt) {
            self.note_item(item, Found::LostBase, Done::Rebuilt, text);
            return Some(written);
        }
        self.world = before;
        packet.messages.retain(|m| !F::is_built_on(m));
        let left = F::settle(packet, &self.decoder.before());
        let written = self.written(packet).filter(|_| left);
        let done = if written.is_some() { Done::Changed } else { Done::Dropped };
        self.note_item(item, Found::LostBase, done, text + ", and cannot be told in another way");
        self.lose();
        let written = written?;
        self.apply(&written, item);
        Some(written)
    }

    /// A header as it is to be where the output has come to, if it is another one there.
    pub(super) fn placed(&self, header: F::Header) -> Option<F::Header> {
        match self.account.account.bytes_written > 0 {
            true => header.unmarked(),
            false => header.marked(),
        }
    }

    /// The mark of a format stands at the beginning of a file, and nowhere else. True where that was not so.
    fn place_mark(&mut self, item: &Item, packet: &mut Packet<'_, F>) -> bool {
        let Some(header) = self.placed(packet.header) else { return false };
        packet.header = header;
        let (found, text) = match self.account.account.bytes_written > 0 {
            true => (
                Found::MarkWithin,
                "the mark of the format stands within the file: players know it at the beginning only",
            ),
            false => (Found::NoMark, frame::NO_MARK),
        };
        self.note_item(item, found, Done::Changed, text.to_owned());
        true
    }

    /// Keeps what can be read of a block. False when that is nothing. Of one with a damaged size, in which others lie, what was
    /// read is damaged too, unless it begins a level: chance makes nothing that can be read as that.
    fn shorten(
        &mut self,
        packet: &mut Packet<'_, F>,
        block: &BlockOf<'_, F>,
        fault: Option<Diagnostic>,
        before: &DialectOf<F>,
        within: &[Item],
    ) -> bool {
        let all = packet.messages.len();
        let left = self.remains(packet, block, fault.as_ref(), before) && (within.is_empty() || F::begins(packet));
        self.lose();
        let found = if block.is_cut() { Found::Cut } else { Found::Undecodable };
        let kept = packet.messages.len();
        let why = fault.map_or_else(|| "it cannot be right".to_owned(), |fault| told(&fault));
        let (done, text) = match left {
            true => (Done::Shortened, format!("{kept} of {all} messages are kept: {why}")),
            false => (Done::Dropped, why),
        };
        let others: usize = within.iter().map(|item| item.bytes.len()).sum();
        let bytes = (block.header_len + block.payload.len()).saturating_sub(others);
        self.note(found, done, block.offset, bytes, Some(block.index), text);
        left
    }

    /// Takes away what cannot be read of a block, and what must not stand without it. False when nothing is left.
    pub(super) fn remains(
        &self,
        packet: &mut Packet<'_, F>,
        block: &BlockOf<'_, F>,
        fault: Option<&Diagnostic>,
        before: &DialectOf<F>,
    ) -> bool {
        packet.messages.truncate(intact::<F>(packet, &self.world));
        // One that cannot be read behind the beginning of a level: the beginning tells a protocol that it is not.
        if fault.is_some_and(is_unsupported) && F::begins(packet) {
            packet.messages.clear();
        }
        if !block.is_cut() && packet.messages.last().is_some_and(F::is_built_on) {
            packet.messages.pop();
        }
        packet.header = packet.header.with_size(None);
        F::settle(packet, before) && bytes_of(packet, before).is_some()
    }

    pub(super) fn written(&self, packet: &Packet<'_, F>) -> Option<Vec<u8>> {
        packet.to_bytes(self.decoder.before()).ok()
    }

    fn unwritable(&mut self, item: &Item) -> Result<()> {
        self.note_item(item, Found::Undecodable, Done::Dropped, "what is left of it cannot be written".to_owned());
        self.lose();
        Ok(())
    }

    /// The world takes in a block of the output.
    pub(super) fn apply(&mut self, bytes: &[u8], item: &Item) {
        if let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, item.offset) {
            let _ = self.world.apply(&F::any(frame::Chunk::Block(block)));
            self.level |= self.world.changes().level;
        }
    }

    pub(super) fn last_block(&mut self, bytes: &[u8], item: &Item) {
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
            None if !item.mended => account.blocks_kept += 1,
            _ => account.blocks_changed += 1,
        }
        account.has(Some((item.index, item.offset)), clock);
        let mut written = std::mem::take(&mut self.written);
        if written.times > 0 && written.bytes == bytes {
            written.times += 1;
        } else {
            written.bytes.clear();
            written.bytes.extend_from_slice(bytes);
            written.times = 1;
            written.goes_on = matches!((item.number, self.number), (Some(now), Some(before)) if now > before);
        }
        self.number = item.number.or(self.number);
        if self.world.changes().level {
            // Another level counts anew.
            self.number = item.number;
            self.counted.clear();
        }
        if let Some(number) = item.number.filter(|_| F::COUNTED) {
            if self.counted.last().is_none_or(|(last, _)| number > *last) {
                self.counted.push((number, content(&item.bytes)));
            }
        }
        self.raw(bytes)?;
        self.written = written;
        Ok(())
    }

    /// The end that waits is one.
    pub(super) fn settle_end(&mut self) -> Result<()> {
        if let Some((mark, _)) = self.mark.take() {
            self.last.take(&F::any(frame::Chunk::End));
            return self.raw(&mark);
        }
        let Some((item, behind)) = self.ended.take() else { return Ok(()) };
        self.put(&item, None)?;
        self.leave(&behind)
    }

    /// Writes bytes behind an end that are no blocks.
    pub(super) fn leave(&mut self, bytes: &[u8]) -> Result<()> {
        self.left += bytes.len() as u64;
        self.look_behind(bytes);
        self.raw(bytes)
    }

    fn look_behind(&mut self, bytes: &[u8]) {
        self.blocks_behind |= frame::Framer::<F::Header>::look_like_blocks(bytes);
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(of_output)?;
        self.account.account.bytes_written += bytes.len() as u64;
        if !bytes.is_empty() {
            self.written.times = 0;
        }
        Ok(())
    }

    pub(super) fn note_item(&mut self, item: &Item, found: Found, done: Done, text: String) {
        self.note_item_bytes(item, item.bytes.len(), found, done, text);
    }

    pub(super) fn note_item_bytes(&mut self, item: &Item, bytes: usize, found: Found, done: Done, text: String) {
        self.note(found, done, item.offset, bytes, Some(item.index), text);
    }

    pub(super) fn note(
        &mut self,
        found: Found,
        done: Done,
        offset: u64,
        bytes: usize,
        block: Option<u64>,
        text: String,
    ) {
        let clock = Some(self.world.clock());
        self.account.add(Repair { found, done, offset, bytes: bytes as u64, block, clock, text });
    }

    fn finish(mut self, end: u64) -> Result<(W, RepairAccount)> {
        if let Some(between) = self.between.take() {
            self.unframed(between, None)?;
        }
        self.release()?;
        self.tell_passed(false, end);
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
        // Recorders of other formats leave something there.
        if self.left > 0 && !F::TRAILER {
            let note = format!("{} bytes behind the end are no blocks: they stay as they are", self.left);
            account.notes.push(note);
        }
        if self.blocks_behind {
            account.notes.push(format!("{}: they stay as they are", frame::BLOCKS_BEHIND));
        }
        if written == 0 && !self.account.is_sound() {
            let what = "nothing of the recording can be kept: none of its blocks can be read";
            return Err(Error::new(ErrorKind::Refused(what.to_owned())));
        }
        Ok((self.out, self.account))
    }
}

/// What tells blocks apart that have the same number.
pub(super) fn content(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// What a fault says.
pub(super) fn told(fault: &Diagnostic) -> String {
    let kind = fault.fault.clone().kind();
    match fault.fault.message {
        Some(message) => format!("{message}, at byte {}: {kind}", fault.offset),
        None => format!("at byte {}: {kind}", fault.offset),
    }
}
