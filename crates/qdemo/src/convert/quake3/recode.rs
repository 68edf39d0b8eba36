//! Recordings of the first protocols in the encoding of the later ones, and of Quake Live in that of its last one: every state is
//! told anew, as the difference to what it was the difference to.

use std::io::Write;

use super::eras::Eras;
use super::{has, renumber};
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::error::Result;
use crate::format::dm3::{
    Baseline, Block, Chunk, Dialect, Dm3, Gamestate, GamestateItem, Message, Packet, PlayerField, Snapshot,
};
use crate::game::quake3::{Baselines, EntityState, PlayerState, SnapshotBuilder, World, tell_difference};
use crate::world::{Clock, Scene};

/// Packets between a gamestate and its first snapshot that are kept, at most.
const LONGEST_WAIT: usize = 256;

/// A recording on its way to another encoding.
pub(super) struct Recoded {
    world: World,
    eras: Eras,
    from: Dialect,
    to: Dialect,
    /// The baselines as the output tells them.
    baselines: Baselines,
    /// Packets from a gamestate on, which does not tell whose recording it is, until a snapshot does.
    waiting: Vec<Packet<'static>>,
}

impl Recoded {
    pub(super) fn new(from: Dialect, to: Dialect) -> Self {
        let world = World::new(from);
        Recoded { world, eras: Eras::new(from, to), from, to, baselines: Baselines::default(), waiting: Vec::new() }
    }

    fn entity<W: Write>(&self, state: &EntityState, out: &mut Output<Dm3, W>) -> EntityState {
        let (state, lost) = self.eras.entity(state);
        if lost {
            out.lose(Loss::Effect);
        }
        state
    }

    fn gamestate<W: Write>(&mut self, old: Gamestate, out: &mut Output<Dm3, W>) -> Gamestate {
        let (client, checksum) = (old.client_num.unwrap_or(0), old.checksum_feed.unwrap_or(0));
        let mut new = Gamestate::new(old.server_command_sequence, client, checksum, &self.to);
        for item in old.items {
            match item {
                GamestateItem::Configstring(mut string) => match self.eras.string(string.index) {
                    Some(index) => {
                        string.index = index;
                        new.items.push(string.into());
                    }
                    None => out.lose(Loss::Message),
                },
                GamestateItem::Baseline(baseline) => {
                    let number = baseline.entity().number;
                    let state = self.entity(self.world.baselines().get(number), out);
                    new.items.push(Baseline::new(number, &state, &self.to).into());
                }
            }
        }
        self.baselines = Baselines::from(&new);
        new
    }

    /// A snapshot as the difference to what the one that it builds on is in the output.
    fn snapshot<W: Write>(&self, told: &Snapshot, number: i32, out: &mut Output<Dm3, W>) -> Option<Snapshot> {
        let now = self.world.complete_snapshot().filter(|now| now.number() == number)?;
        let back = i32::from(told.delta_num);
        let base = if back > 0 { self.world.earlier(number.saturating_sub(back)) } else { None };
        let from = base.map_or(PlayerState::ZERO, |base| self.eras.player(base.player()).0);
        let (to, lost) = self.eras.player(now.player());
        if lost {
            out.lose(Loss::Effect);
        }
        let mut made = SnapshotBuilder::new(told.server_time, (&from, &to), &self.to).build();
        let mut last = None;
        for update in told.entities() {
            // Who is told of twice is as the whole snapshot has it.
            if last.is_some_and(|last| last >= update.number) {
                continue;
            }
            last = Some(update.number);
            let old = base.and_then(|base| base.entity(update.number)).map(|state| self.eras.entity(state).0);
            let new = now.entity(update.number).map(|state| self.entity(state, out));
            if old.is_some() || new.is_some() {
                tell_difference(&mut made, update.number, old.as_ref(), new.as_ref(), &self.baselines);
            }
        }
        (made.delta_num, made.snap_flags, made.areamask) = (told.delta_num, told.snap_flags, told.areamask);
        Some(made)
    }

    /// Writes what waited, as the recording of a client.
    fn flush<W: Write>(&mut self, client: i32, out: &mut Output<Dm3, W>) -> Result<()> {
        for mut packet in self.waiting.drain(..) {
            for message in &mut packet.messages {
                if let Message::Gamestate(gamestate) = message {
                    gamestate.client_num = gamestate.client_num.map(|_| client);
                }
            }
            out.packet(packet)?;
        }
        Ok(())
    }
}

impl Across for Recoded {
    type From = Dm3;
    type Into = Dm3;

    fn apply(&mut self, chunk: &Chunk<'_>) -> Clock {
        self.world.apply(chunk);
        self.world.clock()
    }

    fn block<W: Write>(
        &mut self,
        block: &Block<'_>,
        packet: Packet<'_>,
        _: Dialect,
        out: &mut Output<Dm3, W>,
    ) -> Result<()> {
        out.progress.is_from(self.from.protocol);
        let (old, number) = (self.from.protocol.to_string(), self.to.protocol.to_string());
        let (mut messages, mut begins, mut shows) = (Vec::new(), false, false);
        for mut message in packet.messages {
            renumber(&mut message, old.as_bytes(), number.as_bytes());
            let new = match message {
                Message::Gamestate(gamestate) => {
                    begins |= gamestate.client_num.is_none();
                    Some(Message::Gamestate(self.gamestate(gamestate, out)))
                }
                Message::Snapshot(told) => {
                    let made = self.snapshot(&told, block.header.sequence, out);
                    if made.is_none() {
                        out.lose(Loss::Unread);
                    }
                    shows |= made.is_some();
                    made.map(Message::Snapshot)
                }
                Message::ServerCommand(mut command) => {
                    let text = self.eras.command(&command.value.0);
                    if text.is_none() {
                        out.lose(Loss::Message);
                    }
                    text.map(|text| {
                        command.value.0 = text;
                        Message::ServerCommand(command)
                    })
                }
                // What closes a block is no message of its own.
                Message::Eof(_) => None,
                message => {
                    let there = message.kind().is_some_and(|kind| has(&self.to, kind));
                    if !there {
                        out.lose(Loss::Message);
                    }
                    there.then_some(message)
                }
            };
            messages.extend(new);
        }
        let new = Packet::new(block.header.sequence, self.world.acknowledged_command(), messages, &self.to);
        if begins {
            self.flush(0, out)?;
        }
        if begins || !self.waiting.is_empty() {
            self.waiting.push(new);
        } else {
            return out.packet(new);
        }
        match self.world.snapshot().filter(|_| shows) {
            Some(now) => self.flush(now.player().int(PlayerField::ClientNum), out),
            None if self.waiting.len() >= LONGEST_WAIT => self.flush(0, out),
            None => Ok(()),
        }
    }

    fn end<W: Write>(&mut self, out: &mut Output<Dm3, W>) -> Result<()> {
        self.flush(0, out)?;
        out.bytes(&crate::format::dm3::END_MARK)
    }
}
