//! The world of Quake III: snapshots made complete, configstrings, scores.

mod assume;
mod json;
mod keyframe;
mod known;
mod retime;
mod rules;
mod scene;
mod scores;
mod sides;
mod snapshot;
mod states;
mod stored;
mod viewpoint;

use crate::game::quake3::matches::Stop;
use std::sync::Arc;

pub(crate) use json::Own;
pub(crate) use known::Named;
pub use scores::{Score, TeamInfo};
pub(crate) use sides::{Sides, is_no_score};
pub(crate) use snapshot::tell_difference;
pub use snapshot::{FullSnapshot, SnapshotBuilder};
pub use states::{Baselines, EntityState, PlayerState};
pub(crate) use viewpoint::{EventsTold, Lives, Viewpoint, all_areas};

use crate::format::dm3::{Chunk, Contents, Dialect, Dm3, Gamestate, Message, Snapshot};
use crate::format::{Begin, Decoder, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::cloned_in_place;
use crate::game::quake3::command::Phase;
use crate::game::quake3::names::Module;
use crate::game::quake3::world::known::Known;
use crate::game::quake3::world::scores::Roster;
use crate::game::quake3::world::sides::Duel;
use crate::game::quake3::world::stored::{StatePool, StoredSnapshot};
use crate::game::quake3::{Command, Configstrings};
use crate::world::{Changes, DemoClock, LevelCount, StringKind, TextKind};

cloned_in_place! {
    /// The world of a Quake III recording.
    #[derive(Debug)]
    pub struct World {
        /// What players and entities do is left out.
        texts_only: bool,
        dialect: Dialect,
        module: Module,
        levels: LevelCount,
        client: Option<i32>,
        /// What goes into checksums of pak files.
        checksum_feed: Option<i32>,
        /// Number of the last client command that the server got.
        ack: i32,
        strings: Arc<Configstrings>,
        known: Arc<Known>,
        baselines: Arc<Baselines>,
        /// Snapshots by the low bits of their number, what later ones may build on; and one more, memory for the next.
        ring: Vec<StoredSnapshot>,
        pool: StatePool,
        /// Number of the last complete snapshot; -1 before there is one.
        now: i32,
        /// False while the last snapshot could not be made complete.
        complete: bool,
        /// Snapshots that could not, so far.
        missing: u64,
        command: i32,
        clock: DemoClock,
        time: Option<i32>,
        roster: Roster,
        /// Scores of both sides, by configstrings.
        sides: Option<Sides>,
        /// The level began anew since.
        sides_are_old: bool,
        duel: Option<Duel>,
        /// The last scores that the state at hand did not tell the players of for certain.
        unsure: Option<Sides>,
        stop: Stop,
        changes: Changes,
        /// Number of the packet at hand.
        sequence: i32,
        decoder: Owned<Dm3>,
    }
}

impl World {
    /// Snapshots that the engine keeps.
    const RING: usize = 32;

    /// The world before the first block.
    pub fn new(dialect: Dialect) -> Self {
        World {
            texts_only: false,
            dialect,
            module: Module::default(),
            levels: LevelCount::default(),
            client: None,
            checksum_feed: None,
            ack: 0,
            strings: Arc::default(),
            known: Arc::default(),
            baselines: Arc::default(),
            ring: vec![StoredSnapshot::default(); Self::RING + 1],
            pool: StatePool::default(),
            now: -1,
            complete: true,
            missing: 0,
            command: 0,
            clock: DemoClock::default(),
            time: None,
            roster: Roster::default(),
            sides: None,
            sides_are_old: false,
            duel: None,
            unsure: None,
            stop: Stop::Never,
            changes: Changes::default(),
            sequence: 0,
            decoder: Owned::new(dialect),
        }
    }

    /// What reads the blocks: a copy can read the next one.
    pub(crate) fn decoder(&self) -> Option<&Decoder<Dm3>> {
        self.decoder.get()
    }

    /// From here on what players and entities do is left out: see [`World::only_texts`](crate::replay::World::only_texts).
    pub(crate) fn only_texts(&mut self) {
        self.texts_only = true;
    }

    /// Leaves out what no state needs: for copies that are kept.
    pub(crate) fn shrink(&mut self) {
        self.pool.shrink(&mut self.ring);
    }

    /// The dialect of the recording.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The game module.
    pub fn module(&self) -> Module {
        self.module
    }

    /// The last complete snapshot; `None` before the first one of a level.
    pub fn snapshot(&self) -> Option<FullSnapshot<'_>> {
        self.earlier(self.now)
    }

    /// The snapshot of an earlier packet, while it is kept: later ones may build on it.
    pub fn earlier(&self, number: i32) -> Option<FullSnapshot<'_>> {
        let kept = self.ring.get(Self::slot(number))?;
        (kept.number == number && number >= 0).then(|| FullSnapshot::new(kept, &self.pool))
    }

    fn slot(number: i32) -> usize {
        number as usize % Self::RING
    }

    /// The configstrings.
    pub fn configstrings(&self) -> &Configstrings {
        &self.strings
    }

    /// The baselines of the level.
    pub fn baselines(&self) -> &Baselines {
        &self.baselines
    }

    /// Snapshots so far of which what they build on was not recorded.
    pub fn missing_bases(&self) -> u64 {
        self.missing
    }

    /// The messages of the last block; none before the first one, and right after a clone.
    pub fn messages(&self) -> &[Message] {
        self.decoder.get().map_or(&[], |decoder| decoder.visited())
    }

    /// What the last block holds besides messages.
    pub(crate) fn contents(&self) -> Option<&Contents> {
        self.decoder.get().map(|decoder| decoder.visited_contents())
    }

    /// The last snapshot, unless what it builds on is missing.
    pub(crate) fn complete_snapshot(&self) -> Option<FullSnapshot<'_>> {
        self.snapshot().filter(|_| self.complete)
    }

    /// Levels begun.
    pub(crate) fn level_number(&self) -> u32 {
        self.levels.begun()
    }

    /// Number of the last client command that the server got.
    pub(crate) fn acknowledged_command(&self) -> i32 {
        self.ack
    }

    /// Number of the last server command that was carried out.
    pub fn command(&self) -> i32 {
        self.command
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_with(&mut self, chunk: &Chunk<'_>, others: &mut [&mut dyn Visitor<Dm3>]) -> Option<Diagnostic> {
        self.changes.clear();
        let fault = match chunk {
            Chunk::Block(block) => Owned::visit_with(self, |world| &mut world.decoder, block, others),
            Chunk::Start(_) | Chunk::End | Chunk::Trailer(_) => None,
            Chunk::Unframed(unframed) => Some(unframed.into()),
        };
        // Also where texts alone are read, a snapshot has told its time.
        if self.time.is_some() {
            self.levels.frame();
        }
        if self.changes.frame || self.changes.settings {
            self.settle_duel();
        }
        fault
    }

    fn gamestate(&mut self, gamestate: &Gamestate) {
        self.levels.begin();
        self.changes.level = true;
        if let Some(last) = self.ring.get(Self::slot(self.now)).filter(|last| last.number == self.now) {
            self.changes.removed.extend_from_slice(last.numbers());
        }
        self.client = gamestate.client_num;
        self.checksum_feed = gamestate.checksum_feed;
        self.command = gamestate.server_command_sequence;
        for string in gamestate.configstrings() {
            let slot = self.dialect.layout.indices.player(string.index);
            self.changes.tell(StringKind::ConfigString(string.index), &string.value.0, slot);
        }
        Arc::make_mut(&mut self.strings).set_all(gamestate);
        self.module = Module::of(&self.strings, &self.dialect.layout.indices);
        Arc::make_mut(&mut self.known).begin(&self.strings, &self.dialect, self.module);
        self.baselines = Baselines::of(gamestate);
        self.ring.iter_mut().for_each(StoredSnapshot::clear);
        self.now = -1;
        self.complete = true;
        self.roster = Roster::default();
        self.clock.restart();
        // The clock shows nothing before the first snapshot.
        self.time = None;
        self.begin_sides();
        self.stop = Stop::by(&self.strings, &self.dialect, self.module);
    }

    fn server_command(&mut self, text: &[u8]) {
        self.changes.say(TextKind::Command, text, None);
        let changes_strings = text.starts_with(b"cs ") || text.starts_with(b"bcs");
        if changes_strings {
            self.changes.settings = true;
            let phase = self.phase();
            if let Command::Configstring(index) = Arc::make_mut(&mut self.strings).command(text) {
                let slot = self.dialect.layout.indices.player(index);
                self.changes.tell(StringKind::ConfigString(index), self.strings.get(index), slot);
                let before = slot.and_then(|slot| self.known.player(slot.into())?.team);
                Arc::make_mut(&mut self.known).change(index, &self.strings, &self.dialect, self.module);
                if let Some(slot) = slot.map(usize::from) {
                    match self.known.player(slot) {
                        None => self.roster.goes(slot),
                        Some(now) if now.team != before => self.roster.leaves_team(slot),
                        Some(_) => {}
                    }
                }
                if self.match_begins(index, phase) {
                    self.roster.match_begins(self.dialect.layout.era);
                }
                if self.tells_sides(index) {
                    self.sides = self.sides_by(index).or(self.sides);
                    self.sides_are_old = false;
                }
            }
            self.stop = Stop::by(&self.strings, &self.dialect, self.module);
        } else if first_word(text) == b"map_restart" {
            self.roster = Roster::default();
            self.sides_are_old = true;
        } else {
            self.roster.command(text, self.dialect.layout.era, self.time);
        }
    }

    /// Where the match is, as far as configstrings tell.
    fn phase(&self) -> Phase {
        self.strings.phase(&self.dialect, self.module)
    }

    fn take(&mut self, number: i32, snapshot: &Snapshot) {
        self.changes.sent = true;
        let base = match number.wrapping_sub(i32::from(snapshot.delta_num)) {
            // The engine takes 0 and less for "no base".
            before if snapshot.delta_num > 0 && before > 0 => Some(before),
            _ => None,
        };
        self.pool.tidy(&self.ring);
        let (ring, spare) = self.ring.split_at_mut(Self::RING);
        let from = base.and_then(|before| ring.get(Self::slot(before)).filter(|kept| kept.number == before));
        self.complete = from.is_some() || base.is_none();
        let Some(full) = spare.first_mut().filter(|_| self.complete) else {
            // Nothing can be said of it, nor of what builds on it.
            self.missing += 1;
            return;
        };
        full.build(number, snapshot, from, &self.baselines, &mut self.pool);
        let none = StoredSnapshot::default();
        let last = ring.get(Self::slot(self.now)).filter(|last| last.number == self.now && self.now >= 0);
        full.compare(last.unwrap_or(&none), &self.pool, &mut self.changes);
        // Packets that were lost: what stands in their slots is older than the ring.
        for lost in 1..number.wrapping_sub(self.now).clamp(1, Self::RING as i32) {
            if let Some(kept) = ring.get_mut(Self::slot(number.wrapping_sub(lost))) {
                kept.clear();
            }
        }
        if let Some(kept) = ring.get_mut(Self::slot(number)) {
            std::mem::swap(kept, full);
        }
        self.now = number;
        self.changes.frame = true;
    }
}

impl Visitor<Dm3> for World {
    fn texts_alone(&self) -> bool {
        self.texts_only
    }

    fn begin(&mut self, begin: Begin<'_, '_, Dm3>) {
        self.sequence = begin.block.header.sequence;
        self.ack = begin.contents.rel_ack.unwrap_or(self.ack);
        // Commands take effect at the time of the snapshot that they come with.
        if let Some(time) = begin.server_time {
            self.time = Some(time);
            self.clock.ms(i64::from(time));
        }
    }

    fn message(&mut self, message: &Message, _: &Dialect) {
        match message {
            Message::Gamestate(gamestate) => self.gamestate(gamestate),
            Message::ServerCommand(command) if command.seq > self.command => {
                self.command = command.seq;
                self.server_command(&command.value.0);
            }
            Message::Snapshot(snapshot) if !self.texts_only => {
                self.ack = snapshot.rel_ack.unwrap_or(self.ack);
                self.take(self.sequence, snapshot);
            }
            _ => {}
        }
    }
}

/// The first word of a command.
pub(crate) fn first_word(text: &[u8]) -> &[u8] {
    text.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default()
}
