//! The world of Quake II's multi-view recordings: what a server of Q2PRO saw of all players.
//!
//! * A level begins with `serverdata`: all configstrings, all players and entities. From there on each frame tells what
//!   changed since the one before. When one cannot be read, or the beginning was not recorded, nothing is said of players
//!   and entities until the next level.
//! * Who is removed is known for when it comes back.
//! * The entity of a player who moves normally is where the player is, and is told without a place. So are the dead.
//! * Frames have no numbers: they are counted. Servers record ten a second, whatever their own rate.
//! * Spectators have no state, and at the end of a match nobody has.
//!
//! Sources: Q2PRO's server, which writes and reads them; recordings of minor version 2010.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::Limits;
//! use qdemo::world::{DemoTime, Scene};
//! use qdemo::replay::Seeker;
//! let demo = &std::fs::read("../../testdata/q2pro-dm.mvd2")?[..];
//! let mut seeker = Seeker::open(demo, "q2pro-dm.mvd2", Limits::default())?;
//! let world = seeker.seek(DemoTime::from_ms(10_000));
//! assert!(world.player(0).is_some_and(|player| *player.name == *b"Recorder" && player.origin.is_some()));
//! # Ok(()) }
//! ```

pub mod info;
mod keyframe;
mod known;
mod scene;

pub(crate) use scene::Own;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::known::{ChangedEntities, KnownStates, Rules};
use crate::format::dm2::{ByteList, Dialect, Message as GameMessage};
use crate::format::mvd2::{Block, Chunk, FrameClock, Message, Mvd2, SceneDelta, ServerData};
use crate::format::{Decoder, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake2::{self, Facts};
use crate::world::{DemoTime, Sound, StringKind};

/// The world of an `.mvd2`.
#[derive(Debug, Clone)]
pub struct World {
    /// The same as in recordings of all clients by Relay.
    game: quake2::World,
    /// What players and entities do is left out.
    texts_only: bool,
    decoder: Owned<Mvd2>,
    dialect: Dialect,
    known: Arc<KnownStates>,
    before: ChangedEntities,
    personal: Arc<Personal>,
    minor: u16,
    flags: u16,
    portals: Arc<[u8]>,
    clock: FrameClock,
    /// False while frames build on what was not recorded.
    based: bool,
}

/// Configstrings that only one player was told, by slot and number.
type Personal = BTreeMap<(u8, u16), Vec<u8>>;

impl Default for World {
    fn default() -> Self {
        World {
            game: quake2::World::default(),
            texts_only: false,
            decoder: Owned::new(Dialect::MVD2),
            dialect: Dialect::MVD2,
            known: Arc::default(),
            before: ChangedEntities::default(),
            personal: Arc::default(),
            minor: 0,
            flags: 0,
            portals: Arc::default(),
            clock: FrameClock::default(),
            based: false,
        }
    }
}

impl Visitor<Mvd2> for World {
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        World::message(self, message);
    }
}

impl World {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder<Mvd2>) -> Self {
        World { decoder: Owned::of(decoder), ..self }
    }

    /// Personal configstrings that are kept: games have a few for each player.
    const PERSONAL: usize = 4096;
    /// Flag of a recording: what players alone are told is left out.
    const NO_MESSAGES: u16 = 1;
    /// Flag of a recording: it is about one player.
    const SINGLE: u16 = 2;

    /// Tables and states, as in a recording of all clients by Relay: there a player's state is
    /// [`quake2::World::client_state`]. In a recording that is about one player, that one is the recorder.
    pub fn game(&self) -> &quake2::World {
        &self.game
    }

    /// What the recording says of its protocol.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Minor version of the protocol; 0 before the first level.
    pub fn minor(&self) -> u16 {
        self.minor
    }

    /// 1 no messages stored, 2 one player only, 4 extended limits, 8 more of them.
    pub fn flags(&self) -> u16 {
        self.flags
    }

    /// True where what is printed to this client alone stands for what is printed to each player: to the spectator that the
    /// server pretends to have, where the recording leaves out what players are told. So are lines of chat of mods that send
    /// them to each client by itself. (Source: `MVD_UnicastPrint` of Q2PRO.)
    pub(crate) fn is_heard_by_all(&self, client: u8) -> bool {
        self.flags & Self::NO_MESSAGES != 0 && self.game.facts.client == Some(client)
    }

    /// Portals of the map that are open: a bit each.
    pub fn portals(&self) -> &[u8] {
        &self.portals
    }

    /// Frames so far, those at the beginning of levels included; one that completes such a frame is none of its own.
    pub fn frames(&self) -> u64 {
        self.clock.frames
    }

    /// The configstring that a player alone was told, in place of everybody's.
    pub fn personal_string(&self, client: u8, index: u16) -> Option<&[u8]> {
        self.personal.get(&(client, index)).map(Vec::as_slice)
    }

    /// What a server that told everything up to the world `from` tells next, to lead to the world `to`. At the beginning
    /// of a level that is everything: then `from` is a new world.
    pub fn diff(from: &World, to: &World) -> SceneDelta {
        let (old, new) = ((&*from.known, from.game.frame()), (&*to.known, to.game.frame()));
        let (players, entities) = KnownStates::diff(old, new, &to.game.dialect());
        SceneDelta { portals: ByteList(to.portals.to_vec()), players, entities }
    }

    /// From here on what players and entities do is left out: see [`World::only_texts`](crate::replay::World::only_texts).
    pub(crate) fn only_texts(&mut self) {
        self.texts_only = true;
    }

    /// Time of the last frame since the recording began.
    fn time(&self) -> DemoTime {
        DemoTime::from_ms(self.clock.ms())
    }

    /// Takes in a chunk. Gives the fault in it; what stands in front of a fault is taken in.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_with(
        &mut self,
        chunk: &Chunk<'_>,
        others: &mut [&mut dyn Visitor<Mvd2>],
    ) -> Option<Diagnostic> {
        self.game.changes.clear();
        match chunk {
            Chunk::Block(block) => self.block(block, others),
            Chunk::Start(_) | Chunk::End | Chunk::Trailer(_) => None,
            Chunk::Unframed(unframed) => {
                self.lose();
                Some(unframed.into())
            }
        }
    }

    fn block(&mut self, block: &Block<'_>, others: &mut [&mut dyn Visitor<Mvd2>]) -> Option<Diagnostic> {
        self.clock.block();
        let before = self.clock.frames;
        let diagnostic = Owned::visit_with(self, |world| &mut world.decoder, block, others);
        self.dialect = self.decoder.get().map_or(self.dialect, Decoder::dialect);
        let told = self.clock.frames != before;
        if diagnostic.is_some() && !told {
            self.lose();
        }
        self.game.changes.sent = told;
        if told {
            self.game.levels.frame();
            self.show(self.clock.frames - before);
        }
        diagnostic
    }

    fn message(&mut self, message: &Message<'_>) {
        self.clock.count(message);
        match message {
            Message::ServerData(m) => self.level(m),
            Message::ConfigString(m) => self.configstring(m.index, m.string.bytes()),
            Message::Frame(m) => self.frame(&m.scene),
            Message::Unicast(m) => m.messages.iter().for_each(|message| self.of_the_game(message, Some(m.client))),
            Message::Multicast(m) => m.messages.iter().for_each(|message| self.of_the_game(message, None)),
            Message::Sound(m) => self.game.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: u16::try_from(m.source.entity).ok(),
                channel: m.source.channel,
                origin: None,
                volume: m.vol.map_or(1.0, |v| v.get()),
                attenuation: m.attenuation.map_or(1.0, |v| v.get()),
                delay_ms: m.timeofs.map_or(0, |v| v.0),
            }),
            Message::Print(m) => {
                self.game.changes.say(crate::world::TextKind::Print(Some(m.level)), m.string.bytes(), None);
            }
            Message::Nop(_) | Message::Unknown(_) => {}
        }
    }

    /// A message within a command. Frames and levels are not told so.
    fn of_the_game(&mut self, message: &GameMessage<'_>, client: Option<u8>) {
        match (message, client) {
            (GameMessage::ConfigString(m), None) => self.configstring(m.index, m.string.bytes()),
            (GameMessage::ConfigString(m), Some(client)) => {
                let kind = StringKind::ConfigString(m.index);
                self.game.changes.tell(kind, m.string.bytes(), Some(client));
                let key = (client, m.index);
                if self.personal.len() < Self::PERSONAL || self.personal.contains_key(&key) {
                    Arc::make_mut(&mut self.personal).insert(key, m.string.bytes().to_vec());
                }
            }
            (
                GameMessage::Sound(_)
                | GameMessage::MuzzleFlash(_)
                | GameMessage::MuzzleFlash2(_)
                | GameMessage::Print(_)
                | GameMessage::CenterPrint(_)
                | GameMessage::StuffText(_)
                | GameMessage::Layout(_)
                | GameMessage::Inventory(_),
                _,
            ) => self.game.other_message(message, client),
            _ => {}
        }
    }

    fn level(&mut self, m: &ServerData<'_>) {
        let dialect = m.dialect().unwrap_or(Dialect::MVD2);
        let title = m.configstrings.iter().find(|(index, _)| *index == 0);
        let facts = Facts {
            key: m.head.spawncount,
            isdemo: 0,
            gamedir: m.head.game.bytes().to_vec(),
            client: u8::try_from(m.head.client).ok(),
            split: Vec::new(),
            title: title.map(|(_, text)| text.bytes().to_vec()).unwrap_or_default(),
            fog: None,
            fog_change: None,
        };
        self.game.begin(dialect, facts);
        self.personal = Arc::default();
        Arc::make_mut(&mut self.known).clear();
        (self.minor, self.flags) = (m.head.minor, m.flags());
        self.based = true;
        for (index, string) in &m.configstrings {
            self.game.configstring(*index, string.bytes());
        }
        self.frame(&m.scene);
    }

    fn configstring(&mut self, index: u16, text: &[u8]) {
        let other = self.game.configstring(index, text);
        if let Some(slot) = self.game.dialect().layout.configstrings.player(index) {
            self.game.changes.on_board(slot as u8);
            if other {
                Arc::make_mut(&mut self.known).forget(slot);
            }
        }
    }

    fn frame(&mut self, scene: &SceneDelta) {
        if !self.based || self.texts_only {
            return;
        }
        if *self.portals != *scene.portals.0 {
            self.portals = scene.portals.0.as_slice().into();
        }
        let dialect = self.game.dialect();
        let single = self.flags & Self::SINGLE != 0;
        let pretended = self.game.facts.client.filter(|_| !single);
        let rules = Rules { limit: self.game.entity_limit(), dialect: &dialect, single, pretended };
        let (known, before) = (Arc::make_mut(&mut self.known), &mut self.before);
        self.game.amend_frame(|frame| known.take_in(frame, scene, rules, before));
    }

    /// What the frames of a block add up to.
    fn show(&mut self, frames: u64) {
        if !self.based {
            self.game.missing += frames;
            self.game.complete = false;
            return;
        }
        let single = if self.flags & Self::SINGLE != 0 { self.known.first() } else { None };
        if single.is_some() && single != self.game.facts.client {
            Arc::make_mut(&mut self.game.facts).client = single;
        }
        let now = self.time();
        self.game.frame_is_told(now, |frame, changes| self.before.compare(&self.known, frame, changes));
    }

    /// A frame may have been told that could not be read.
    fn lose(&mut self) {
        self.based = false;
        self.game.complete = false;
    }
}
