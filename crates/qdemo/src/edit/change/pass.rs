//! The way through a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

use super::account::{Change, Changed, EditAccount};
use super::formats::Alter;
use super::players::{Look, Names};
use super::says::{Game, Places, Said, Saying};
use super::speech::Speech;
use super::subtitle::Schedule;
use super::{ENDINGS, Edits, Matcher, NAME_OF_QUAKE, Which, private};
use crate::demo::Reader;
use crate::edit::commands::Commands;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{BlockOf, Decoder, MessageSet};
use crate::frame;
use crate::replay::World;
use crate::wire::clean;
use crate::world::{Charset, Clock, Scene, TextTag};

/// One pass over a recording of a format.
pub(super) struct Pass<'e, F: Alter, W> {
    out: W,
    decoder: Decoder<F>,
    editing: Editing<'e>,
    commands: Commands,
    /// When which subtitle is due, and how many of them have been.
    schedule: Schedule,
    due: usize,
    /// The subtitles, or parts of them, that are in the output.
    shown: BTreeSet<usize>,
    track_told: bool,
}

/// What is decided about messages.
struct Editing<'e> {
    edits: &'e Edits,
    names: Names,
    speech: Speech,
    charset: Charset,
    account: EditAccount,
    block: u64,
    clock: Clock,
    /// Texts of the message that is looked at.
    texts: Vec<(TextTag, Option<u8>, String)>,
    /// The last print did not end its line: the next one goes on with it.
    within_line: bool,
    begun: private::Begun,
    /// What may be the beginning of a name, at the end of a text that goes on.
    begun_name: Vec<u8>,
    /// Where names still stand that were to go: the message, the name, how often.
    left: BTreeMap<(&'static str, String), u64>,
    /// The number of the last message that is sent again and again, and whether this is one that was told before.
    number: Option<i32>,
    again: bool,
}

impl<'e, F: Alter, W: Write> Pass<'e, F, W> {
    /// Blocks in `changed_before`, in order, are others than in the input already.
    pub(super) fn run<R: Read>(
        mut reader: Reader<R>,
        name: &str,
        edits: &'e Edits,
        changed_before: &[u64],
        out: W,
    ) -> Result<(W, EditAccount)> {
        let track = edits.track.as_deref().and_then(|track| track_refused(F::GAME, track));
        let name_refused = || edits.rename.iter().find_map(|(old, new)| name_refused(F::GAME, old, new));
        if let Some(what) =
            track.or_else(name_refused).or_else(|| edits.looks.iter().find_map(|(_, look)| look.refused_in(F::GAME)))
        {
            return Err(Error::new(ErrorKind::Refused(what)).in_file(name));
        }
        let mut world = World::of(reader.detected(), name)?;
        world.only_texts();
        let editing = Editing {
            edits,
            names: Names::default(),
            speech: Speech::default(),
            charset: world.charset(),
            account: EditAccount::default(),
            block: 0,
            clock: world.clock(),
            texts: Vec::new(),
            within_line: false,
            begun: None,
            begun_name: Vec::new(),
            left: BTreeMap::new(),
            number: None,
            again: false,
        };
        let mut pass = Pass {
            out,
            decoder: F::decoder(reader.detected()),
            editing,
            commands: Commands::default(),
            schedule: Schedule::new(&edits.subtitles, F::screen()),
            due: 0,
            shown: BTreeSet::new(),
            track_told: false,
        };
        while let Some((any, bytes)) = reader.next_with_bytes()? {
            world.apply(&any);
            (pass.editing.clock, pass.editing.charset) = (world.clock(), world.charset());
            if !edits.remove.is_empty() || !edits.keep.is_empty() {
                pass.editing.speech.take(&world);
            }
            let new = match F::chunk(&any) {
                Some(frame::Chunk::Block(block)) => pass.block(block, bytes).map_err(|e| e.in_file(name))?,
                Some(frame::Chunk::Start(start)) => pass.start(start),
                _ => None,
            };
            let written = new.as_deref().unwrap_or(bytes);
            pass.out.write_all(written)?;
            let account = &mut pass.editing.account.account;
            account.bytes_written += written.len() as u64;
            if let Some((block, _)) = any.block() {
                account.blocks_read += 1;
                let is_new = new.is_some() || changed_before.binary_search(&block).is_ok();
                *(if is_new { &mut account.blocks_changed } else { &mut account.blocks_kept }) += 1;
                account.has(any.block(), world.clock());
            }
        }
        pass.finish()
    }

    /// What stands in front of all blocks: Quake's CD track.
    fn start(&mut self, start: &[u8]) -> Option<Vec<u8>> {
        let track = self.editing.edits.track.as_ref().filter(|_| start.ends_with(b"\n"))?;
        self.track_told = true;
        let new = format!("{track}\n").into_bytes();
        (new != start).then(|| {
            let before = clean(start.trim_ascii());
            self.editing.tell(Changed::Changed, "track", "cd track", Some(before), Some(track.clone()));
            new
        })
    }

    /// A block as it is to be; `None`: as it was.
    fn block(&mut self, block: &BlockOf<'_, F>, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        self.editing.block = block.index;
        let (mut packet, fault) = self.decoder.read(block);
        if fault.is_some() {
            if packet.messages.iter().any(|message| message.unknown_bytes().is_some()) {
                self.editing.account.remark("blocks in which something cannot be read are as they were");
            }
            self.decoder.recycle(packet);
            return Ok(None);
        }
        let d = self.decoder.before();
        let places = F::places(&self.decoder.dialect());
        let mut changed = F::renumber(&mut packet, &mut self.commands);
        if let Some(was) = self.editing.edits.sanitize.then(|| F::empty_outside(&mut packet)).flatten() {
            changed = true;
            self.editing.meet(None);
            let before = Some(self.editing.charset.clean(&was));
            self.editing.tell(Changed::Changed, "sanitize", "connless", before, Some(String::new()));
        }
        let had_messages = !packet.messages.is_empty();
        let (editing, track_told) = (&mut self.editing, &mut self.track_told);
        F::retain(&mut packet, &mut |message| {
            editing.meet(message.number());
            if editing.leaves_out(message, &places) {
                changed = true;
                return message.fall_silent();
            }
            match editing.rewrite(message, &places) {
                Rewritten::Same => {}
                Rewritten::Changed => changed = true,
                Rewritten::Emptied => {
                    changed = true;
                    return message.fall_silent();
                }
            }
            if let Some(track) = &editing.edits.track {
                if let Some(is_new) = message.set_track(&places, track) {
                    *track_told = true;
                    if is_new {
                        changed = true;
                        editing.tell(Changed::Changed, "track", message.name(), None, Some(track.clone()));
                    }
                }
            }
            true
        });
        let now = self.editing.clock.demo.ms();
        let due = self.schedule.captions.partition_point(|caption| caption.at <= now);
        if let Some(caption) = due.checked_sub(1).filter(|_| due > self.due).map(|at| &self.schedule.captions[at]) {
            let room = bytes.len() + caption.text.len() + 16 <= F::ROOM || bytes.len() > F::ROOM;
            if room && F::caption(&mut packet, &caption.text, &mut self.commands) {
                if packet.to_bytes(d).is_err() {
                    let what = "the protocol has no message that is known for the middle of the screen: no subtitles";
                    return Err(Error::new(ErrorKind::Refused(what.to_owned())));
                }
                self.due = due;
                self.shown.extend(caption.part);
                changed = true;
                let after = Some(clean(&caption.text));
                self.editing.meet(None);
                self.editing.tell(Changed::Added, "subtitles", "centerprint", None, after);
            }
        }
        let new = match changed {
            true => {
                if had_messages && packet.messages.is_empty() {
                    packet.messages.extend(F::nothing(&d));
                }
                F::complete(&mut packet, &d);
                Some(packet.to_bytes(d)?)
            }
            false => None,
        };
        self.decoder.recycle(packet);
        // Re-encoded, what was read as it was written may come out as it was.
        Ok(new.filter(|new| *new != bytes))
    }

    fn finish(mut self) -> Result<(W, EditAccount)> {
        let Schedule { captions, notes } = std::mem::take(&mut self.schedule);
        notes.into_iter().for_each(|note| self.editing.account.remark(note));
        let missing = captions.iter().filter(|it| it.part.is_some_and(|part| !self.shown.contains(&part)));
        let now = self.editing.clock.demo.ms();
        for caption in missing {
            self.editing.account.remark(match caption.at > now {
                true => "subtitles lie behind the end of the recording, and are not in it",
                false => "subtitles are not in the recording, as no block has room for them in time",
            });
        }
        let Editing { edits, names, charset, account, left, .. } = &mut self.editing;
        let renamed = edits.rename.iter().map(|(old, _)| old);
        for wanted in renamed.chain(edits.looks.iter().filter_map(|(who, _)| who.as_ref())) {
            if let Some(what) = names.absent(wanted, *charset) {
                account.remark(what);
            }
        }
        for ((message, who), times) in left {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            account.remark(format!("{who:?} still stands in messages {message:?}, {times}"));
        }
        for (_, look) in &self.editing.edits.looks {
            if let Some(what) = look.missing_in(F::GAME) {
                self.editing.account.remark(what);
            }
        }
        if self.editing.edits.track.is_some() && !self.track_told {
            self.editing.account.remark("the recording tells no track, so none was changed");
        }
        self.out.flush()?;
        Ok((self.out, self.editing.account))
    }
}

/// Says so where a name is too long for a game.
fn name_refused(game: Game, old: &str, new: &[u8]) -> Option<String> {
    let is_too_long = game == Game::Quake && new.len() > NAME_OF_QUAKE;
    is_too_long.then(|| format!("{old}: a new name has 1 to {NAME_OF_QUAKE} characters; Quake has no room for more"))
}

/// Says so where a game has no such track: its messages have a byte for it, or a text; a recording of Quake may force none
/// by a number below.
fn track_refused(game: Game, track: &str) -> Option<String> {
    let number = track.parse::<i32>();
    let what = match (game, number) {
        (Game::Quake3, _) => return None,
        (_, Err(_)) => "a track is a number, but in Quake III, where it is the name of a file",
        (Game::Quake, Ok(-1..=255)) | (Game::QuakeWorld, Ok(0..=255)) | (Game::Quake2, Ok(0..)) => return None,
        _ => "tracks have numbers from 0 to 255; in Quake II any from 0 on, in Quake -1 for none",
    };
    Some(format!("{track}: {what}"))
}

/// Messages are sent again only for so long, in numbers; a lower number is one of another count.
const RESENT: i32 = 256;

/// What became of the texts of a message.
enum Rewritten {
    Same,
    Changed,
    /// Nothing is left of it.
    Emptied,
}

impl Editing<'_> {
    fn tell(
        &mut self,
        done: Changed,
        why: &'static str,
        message: &'static str,
        before: Option<String>,
        after: Option<String>,
    ) {
        if self.again {
            return;
        }
        let (block, clock) = (self.block, self.clock);
        self.account.add(Change { done, why, message, block, clock, before, after });
    }

    /// What comes next has a number, where messages are sent again until they arrive.
    fn meet(&mut self, number: Option<i32>) {
        self.again = number.is_some_and(|number| {
            self.number.is_some_and(|last| number <= last && last.saturating_sub(number) < RESENT)
        });
        if !self.again {
            self.number = number.or(self.number);
        }
    }

    /// True for a message that is not to be in the output. Takes in what it tells of names.
    fn leaves_out(&mut self, message: &mut dyn Saying, places: &Places) -> bool {
        let mut texts = std::mem::take(&mut self.texts);
        texts.clear();
        let (mut counter, mut begins) = (false, false);
        message.texts(places, &mut |said| {
            self.names.learn(&said);
            let is_line = matches!(said.kind, TextTag::Print | TextTag::Chat);
            let kind = match is_line.then(|| self.speech.is_chat(said.text)).flatten() {
                Some(true) => TextTag::Chat,
                Some(false) => TextTag::Print,
                None => said.kind,
            };
            texts.push((kind, said.slot, self.charset.clean(said.text)));
            let is_whole = match said.kind {
                TextTag::Center => true,
                TextTag::Print | TextTag::Chat => {
                    let ends = said.text.ends_with(b"\n");
                    !std::mem::replace(&mut self.within_line, !ends) && ends && said.kind == TextTag::Print
                }
                _ => false,
            };
            counter |= is_whole && private::is_counter(said.text);
            begins |= said.kind == TextTag::StuffText && private::begins_game(said.text);
            None
        });
        self.texts = texts;
        let name = message.name();
        if Edits::is_needed(name) || begins {
            return false;
        }
        let edits = self.edits;
        if edits.keep.iter().any(|which| self.is_meant(which, name)) {
            return false;
        }
        let why = if edits.remove.iter().any(|which| self.is_meant(which, name)) {
            "remove"
        } else if !edits.keep.is_empty() && message.is_for_eyes_and_ears() {
            "keep"
        } else if edits.strip_counters && counter {
            "strip-counters"
        } else {
            return false;
        };
        let before = self.texts.first().map(|(_, _, text)| text.clone());
        self.tell(Changed::Removed, why, name, before, None);
        true
    }

    /// True when a message is one of those that are meant.
    fn is_meant(&self, which: &Which, name: &str) -> bool {
        let of_text = |kind: &String| self.texts.iter().any(|(tag, ..)| tag.name() == kind.as_str());
        let of_kind = |kind: &String| kind == name || !ENDINGS.contains(&name) && of_text(kind);
        let in_time = which.range.is_none_or(|range| range.contains(Some(self.block), &self.clock));
        let about = |player: &String| {
            let part = player.to_lowercase();
            let is_in = |text: &str| text.to_lowercase().contains(&part);
            let is_of = |slot: &u8| self.names.of(*slot, self.charset).is_some_and(|name| is_in(&name));
            self.texts.iter().any(|(_, slot, text)| slot.as_ref().is_some_and(is_of) || is_in(text))
        };
        let says = |matches: &Matcher| self.texts.iter().any(|(.., text)| matches(text));
        (which.kinds.is_empty() && !self.texts.is_empty() || which.kinds.iter().any(of_kind))
            && in_time
            && which.player.as_ref().is_none_or(about)
            && which.text.as_ref().is_none_or(says)
    }

    /// Names, looks, and what is private.
    fn rewrite(&mut self, message: &mut dyn Saying, places: &Places) -> Rewritten {
        let name = message.name();
        let mut told: Vec<(&'static str, String, String)> = Vec::new();
        let (edits, names, charset, begun) = (self.edits, &self.names, self.charset, &mut self.begun);
        let (begun_name, left) = (&mut self.begun_name, &mut self.left);
        let mut emptied = false;
        let mut changed = message.texts(places, &mut |said| {
            let mut text: Option<Vec<u8>> = None;
            let mut step = |why: &'static str, edit: &mut dyn FnMut(&Said<'_>) -> Option<Vec<u8>>| {
                let now = Said { text: text.as_deref().unwrap_or(said.text), ..said };
                if let Some(new) = edit(&now) {
                    told.push((why, charset.clean(now.text), charset.clean(&new)));
                    emptied |= new.is_empty() && matches!(said.kind, TextTag::StuffText | TextTag::Command);
                    text = Some(new);
                }
            };
            // A look is that of a player as the input names him.
            step("look", &mut |said| names.dressed(said, &edits.looks, charset));
            step("rename", &mut |said| names.renamed(said, &edits.rename, charset, begun_name));
            if edits.sanitize {
                step("sanitize", &mut |said| private::scrubbed(said, begun));
            }
            for who in names.left_in(text.as_deref().unwrap_or(said.text), &edits.rename, charset) {
                *left.entry((name, who)).or_default() += 1;
            }
            text
        });
        if let Some((slot, colors)) = message.colors() {
            let before = *colors;
            for (_, look) in edits.looks.iter().filter(|(who, _)| names.is_meant(slot, who.as_deref(), charset)) {
                match look {
                    Look::Shirt(color) => *colors = *colors & 0x0F | color << 4,
                    Look::Pants(color) => *colors = *colors & 0xF0 | color & 0x0F,
                    Look::Team(color) => {
                        let color = std::str::from_utf8(color).ok().and_then(|color| color.parse::<u8>().ok());
                        *colors = color.map_or(*colors, |color| *colors & 0xF0 | color & 0x0F);
                    }
                    Look::Skin(_) => {}
                }
            }
            if *colors != before {
                changed = true;
                let words = |colors: u8| format!("{} {}", colors >> 4, colors & 15);
                told.push(("look", words(before), words(*colors)));
            }
        }
        for (why, before, after) in told {
            let done = if emptied { Changed::Removed } else { Changed::Changed };
            self.tell(done, why, name, Some(before), Some(after).filter(|_| !emptied));
        }
        match (emptied, changed) {
            (true, _) => Rewritten::Emptied,
            (_, true) => Rewritten::Changed,
            _ => Rewritten::Same,
        }
    }
}
