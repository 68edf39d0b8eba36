//! What a server recorded of all players, as the client of one of them records it: recordings of servers, of Relay, and
//! Q2PRO's multi-view recordings.

use std::cell::Cell;
use std::io::Write;

use super::told::Told;
use crate::convert::Shown;
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::edit::readable::Partial;
use crate::error::Result;
use crate::format::dm2::{self, Dialect, Dm2, Message, Recording};
use crate::format::mvd2::{self, Mvd2};
use crate::format::{BlockOf, ChunkOf, DialectOf, Format as _, Packet};
use crate::game::quake2::{PlayerState, World, multiview};
use crate::wire::IntoOwned as _;
use crate::world::{Changes, Clock, Scene};

/// A recording of all players.
pub(super) trait Everyone: Default {
    type Format: Partial;
    /// True where states of players tell how they move: their velocity, whether they stand.
    const TELLS_MOVEMENT: bool;
    fn apply(&mut self, chunk: &ChunkOf<'_, Self::Format>) -> Clock;
    /// What it tells, as one of servers or Relay would.
    fn game(&self) -> &World;
    /// Number of the last frame.
    fn number(&self) -> i32;
    /// The protocol, where the block begins a level that is not one of all players.
    fn begins(message: &<Self::Format as crate::format::Format>::Message<'_>) -> Option<Level>;
    /// What a message says to the player in a slot, of which nothing is a frame or a level; false where it is for others.
    fn tells(
        &self,
        message: <Self::Format as crate::format::Format>::Message<'_>,
        slot: u8,
        tell: &mut dyn FnMut(Message<'static>),
    ) -> bool;
}

/// A level that begins.
pub(super) struct Level {
    protocol: i32,
    /// How a client is told of it.
    dialect: Dialect,
    /// Why it cannot be told to a client, if so.
    refused: Option<&'static str>,
}

/// A server's recording of Quake II, or Relay's.
#[derive(Default)]
pub(super) struct Recorded(World);

/// A multi-view recording.
#[derive(Default)]
pub(super) struct Multiview(multiview::World);

impl Everyone for Recorded {
    type Format = Dm2;
    const TELLS_MOVEMENT: bool = true;

    fn apply(&mut self, chunk: &dm2::Chunk<'_>) -> Clock {
        self.0.apply(chunk);
        self.0.clock()
    }

    fn game(&self) -> &World {
        &self.0
    }

    fn number(&self) -> i32 {
        self.0.frame().map_or(0, |frame| frame.number())
    }

    fn begins(message: &Message<'_>) -> Option<Level> {
        let Message::ServerData(m) = message else { return None };
        let is_client = matches!(m.dialect(false).recording, Recording::Client | Recording::TestRelease);
        let refused = is_client.then_some("recording of one client, which shows no other player's view,");
        Some(Level { protocol: m.serverversion, dialect: Dialect::QUAKE2, refused })
    }

    fn tells(&self, message: Message<'_>, slot: u8, tell: &mut dyn FnMut(Message<'static>)) -> bool {
        match message {
            Message::ServerData(_) | Message::Frame(_) | Message::PlayerInfo(_) | Message::PacketEntities(_) => {}
            Message::SpawnBaseline(_) => {}
            Message::Unicast(m) if m.client != slot => return matches!(*m.message, Message::PlayerInfo(_)),
            Message::Unicast(m) => return self.tells(*m.message, slot, tell),
            message => tell(message.into_owned()),
        }
        true
    }
}

impl Everyone for Multiview {
    type Format = Mvd2;
    const TELLS_MOVEMENT: bool = false;

    fn apply(&mut self, chunk: &mvd2::Chunk<'_>) -> Clock {
        self.0.apply(chunk);
        self.0.clock()
    }

    fn game(&self) -> &World {
        self.0.game()
    }

    fn number(&self) -> i32 {
        i32::try_from(self.0.frames()).unwrap_or(i32::MAX)
    }

    fn begins(message: &mvd2::Message<'_>) -> Option<Level> {
        let mvd2::Message::ServerData(m) = message else { return None };
        let dialect = m.dialect();
        let refused = dialect.is_none().then_some("recording of a version that is not known");
        let dialect = dialect.map_or(Dialect::QUAKE2, |d| d.of_clients());
        Some(Level { protocol: Dialect::MVD2_PROTOCOL, dialect, refused })
    }

    fn tells(&self, message: mvd2::Message<'_>, slot: u8, tell: &mut dyn FnMut(Message<'static>)) -> bool {
        match message {
            mvd2::Message::ConfigString(m) => {
                let string = m.string.into_owned();
                tell(Message::ConfigString(dm2::ConfigString { index: m.index, string }));
            }
            mvd2::Message::Unicast(m) if m.client != slot => {
                let is_heard = self.0.is_heard_by_all(m.client);
                let mut told = true;
                for message in m.messages {
                    match message {
                        Message::Print(_) if is_heard => tell(message.into_owned()),
                        _ => told = false,
                    }
                }
                return told;
            }
            mvd2::Message::Unicast(m) => m.messages.into_iter().for_each(|message| tell(message.into_owned())),
            mvd2::Message::Multicast(m) => m.messages.into_iter().for_each(|message| tell(message.into_owned())),
            mvd2::Message::Sound(m) => tell(Message::Sound(dm2::Sound {
                soundnum: m.soundnum,
                vol: m.vol,
                attenuation: m.attenuation,
                timeofs: m.timeofs,
                source: Some(m.source),
                ..dm2::Sound::default()
            })),
            mvd2::Message::Print(m) => {
                let string = m.string.into_owned();
                tell(Message::Print(dm2::Print { level: m.level, string }));
            }
            mvd2::Message::ServerData(_)
            | mvd2::Message::Frame(_)
            | mvd2::Message::Nop(_)
            | mvd2::Message::Unknown(_) => {}
        }
        true
    }
}

/// A recording of all players on its way to that of one player's client.
pub(super) struct FromAll<'e, E> {
    everyone: E,
    slot: u8,
    told: Told,
    /// How the client is told of the level.
    dialect: Dialect,
    /// Set where a level has limits that the protocol of most clients has not.
    is_extended: &'e Cell<bool>,
    /// What the client is told with its next frame.
    waiting: Vec<Message<'static>>,
    /// A level has begun that the output has not told.
    begins: bool,
    /// The output does not have the last frame.
    skipped: bool,
    /// Number of the last frame, and the player's state in it.
    number: i32,
    last: PlayerState,
    shown_in: Shown,
}

impl<'e, E: Everyone> FromAll<'e, E> {
    pub(super) fn new(slot: u8, is_extended: &'e Cell<bool>) -> Self {
        FromAll {
            everyone: E::default(),
            slot,
            told: Told::default(),
            dialect: Dialect::QUAKE2,
            is_extended,
            waiting: Vec::new(),
            begins: false,
            skipped: false,
            number: 0,
            last: PlayerState::ZERO,
            shown_in: Shown::default(),
        }
    }

    /// Writes the frame that the world shows, and what was told with it.
    fn frame<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        let game = self.everyone.game();
        let next = if self.begins { 0 } else { self.number }.saturating_add(1).max(self.everyone.number());
        let Some(mut frame) = game.frame_of(self.slot, next, &self.last) else {
            self.skipped = true;
            return Ok(());
        };
        self.shown_in.count(game.shows(self.slot));
        let tells_state = game.tells_state(self.slot);
        if !tells_state {
            out.lose(Loss::Stat);
        }
        if !(tells_state && E::TELLS_MOVEMENT) {
            out.lose(Loss::Movement);
            frame.player_mut(None).into_iter().for_each(PlayerState::hide_movement);
        }
        if std::mem::take(&mut self.begins) {
            let level = game.level_of(self.slot, &self.dialect);
            self.told.level(level, out)?;
            // What changed since the level began is in it.
            self.waiting.retain(|message| !matches!(message, Message::ConfigString(_)));
        }
        self.number = next;
        let (strings, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|message| matches!(message, Message::ConfigString(_)));
        self.last = frame.player(None).copied().unwrap_or(self.last);
        let changed = (!std::mem::take(&mut self.skipped)).then(|| changed(game.changes()));
        self.told.frame(strings, frame, changed.as_deref(), others, out)
    }
}

/// Entities that a block made others, in order of numbers: those that came and went too, as it may hold several frames.
fn changed(changes: &Changes) -> Vec<u16> {
    let mut numbers = [&changes.added[..], &changes.changed].concat();
    numbers.sort_unstable();
    numbers
}

impl<E: Everyone> Across for FromAll<'_, E> {
    type From = E::Format;
    type Into = Dm2;

    fn apply(&mut self, chunk: &ChunkOf<'_, E::Format>) -> Clock {
        self.everyone.apply(chunk)
    }

    fn block<W: Write>(
        &mut self,
        _: &BlockOf<'_, E::Format>,
        packet: Packet<'_, E::Format>,
        _: DialectOf<E::Format>,
        out: &mut Output<Dm2, W>,
    ) -> Result<()> {
        for message in packet.messages {
            if let Some(level) = E::begins(&message) {
                out.progress.is_from(level.protocol);
                if let Some(what) = level.refused {
                    out.progress.refuse(what.to_owned());
                }
                out.progress.check()?;
                self.dialect = level.dialect;
                self.is_extended.set(self.is_extended.get() || self.dialect.protocol != Dialect::QUAKE2.protocol);
                self.begins = true;
                self.waiting.clear();
            }
            let waiting = &mut self.waiting;
            if !self.everyone.tells(message, self.slot, &mut |message| waiting.push(message)) {
                out.lose(Loss::Others);
            }
        }
        if self.everyone.game().changes().frame { self.frame(out) } else { Ok(()) }
    }

    fn end<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        self.shown_in.check(self.slot, "frames")?;
        let waiting = std::mem::take(&mut self.waiting);
        self.told.packet(waiting, out)?;
        out.bytes(Dm2::END_MARK)
    }
}
