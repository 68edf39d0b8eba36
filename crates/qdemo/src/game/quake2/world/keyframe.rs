//! Keyframes: the packets that a recording begins with, to show a world as it is.
//!
//! Sources: what id's client writes when it begins to record (`CL_Record_f`, Quake II 3.21), what its server writes
//! (`SV_ServerRecord_f`), and what its server sends to one who asks for a frame in full.

use super::frames::{FullFrame, InView, diff_baseline, diff_entities, diff_entities_among, diff_test_entities};
use super::states::{EntityState, PlayerState};
use super::tables::Personal;
use super::{Baselines, World};
use crate::describe::State;
use crate::error::Protocol;
use crate::format::dem::StuffText;
use crate::format::dm2::{
    ByteList, ClientSlots, ConfigString, Fog as LevelFog, FogChange, Frame, Inventory, Items, Layout, Message, Packet,
    PlayerInfo, ServerData, Setting, SplitClient, SplitPlayer, TestBaseline, TestNumber, Unicast,
};
use crate::format::dm2::{Dialect, Recording};
use crate::format::encode_messages;
use crate::game::compared;
use crate::wire::{ByteWriter, Fault, FaultKind, Str};

pub(crate) type Messages = Vec<Message<'static>>;

compared! {
    /// What a world shows at one moment, to be compared: all that a [keyframe](World::keyframe) leads to.
    struct Shown<'w> {
        level: Option<ServerData<'static>>,
        recording: Recording,
        long_angles: bool,
        rate: Option<u16>,
        fog: (Option<&'w LevelFog>, Option<&'w FogChange>),
        configstrings: Vec<(usize, &'w [u8])>,
        baselines: Vec<(u16, &'w EntityState)>,
        personal: &'w [Personal],
        spoken_to: Option<u8>,
        frame: Option<ShownFrame<'w>>,
    }
    /// The frame in it.
    struct ShownFrame<'w> {
        number: i32,
        suppress: u8,
        areas: &'w [u8],
        connected: &'w [u8],
        entities: &'w [InView],
        players: &'w [(Option<u8>, PlayerState)],
    }
}

/// What is told of a frame: in front of it, and the frame itself.
pub(super) struct FrameTold<'w> {
    pub(super) world: &'w World,
    pub(super) frame: &'w FullFrame,
    /// The frame that is known.
    pub(super) from: Option<&'w FullFrame>,
    /// Entities that are others than in that one, in order of numbers, where that is known.
    pub(super) changed: Option<&'w [u16]>,
}

impl World {
    /// Bytes of a packet that every engine accepts.
    const PACKET: usize = 1400;
    /// The mark of a server's recording, and of one by Relay.
    const SERVER: u8 = 2;
    const RELAY: u8 = 0x80;

    /// The packets that a recording of this world begins with, instead of all that led to it: the level (`serverdata`,
    /// configstrings, baselines, `precache`), layouts and inventories, and the last frame in full. They are what a server
    /// sends to one who connects; recordings of servers and Relay have them in their own shape. There are none before
    /// the first level, and no frame before there is one, or while what the last one builds on is missing.
    ///
    /// A new world that takes them in shows the same: there is no [`World::difference`]. It does not know how many levels and
    /// frames there were, when the recording began, what earlier frames were, and scores that the last layout leaves out. While a
    /// player has power armour on, it knows of that and the other armour only the one that the frame shows.
    /// Of several players at one screen only the first one's areas are known, and told of all. Up to protocol 32
    /// `isdemo` need not tell that a server or Relay recorded: here it does.
    ///
    /// What comes next may go on as it is from the first frame on that builds on this one or a later one;
    /// [`World::rebase`] changes those in front of that.
    ///
    /// Packets have at most the 1400 bytes that id's engine accepts, unless one message is longer: messages cannot be
    /// divided. A frame in full stays in one packet, too (in no recording at hand it is longer); Q2PRO and others accept
    /// 32768 bytes. They are to be written in [`World::dialect`]:
    /// [`Recording::insert`](crate::demo::Recording::insert) in front of a packet of the same level does.
    ///
    /// # Errors
    /// A protocol that is not decoded, or a value that it cannot write.
    pub fn keyframe(&self) -> Result<Vec<Packet<'static>>, Fault> {
        let Some(level) = self.level_told()? else { return Ok(Vec::new()) };
        let mut packets = self.pack(level.into_iter().map(|message| vec![message]))?;
        let mut now: Vec<Messages> = self.personal_told()?.into_iter().map(|message| vec![message]).collect();
        if let Some(frame) = self.frame().filter(|_| self.complete) {
            now.push(FrameTold { world: self, frame, from: None, changed: None }.messages()?);
        }
        packets.extend(self.pack(now)?);
        Ok(packets)
    }

    /// Changes the frame in a packet that this world took in last, so that it builds on no frame before `oldest`, the
    /// frame of a keyframe: it becomes the difference to the frame before, where that is kept, else a frame in full.
    /// Gives false, and changes nothing, where the packet has no frame or one that may stay as it is.
    ///
    /// # Errors
    /// A value that the dialect cannot write.
    ///
    /// ```
    /// # fn main() -> qdemo::Result<()> {
    /// use qdemo::demo::Recording;
    /// use qdemo::format::dm2::Dm2;
    /// use qdemo::game::quake2::World;
    /// use qdemo::{Chunk, Limits, Reader};
    /// let bytes = std::fs::read("../../testdata/q2-demo1.dm2")?;
    /// let (mut clip, mut world) = (Recording::<Dm2>::read(bytes.to_vec(), "demo1.dm2")?, World::default());
    /// let mut reader = Reader::new(&bytes[..], "demo1.dm2", Limits::default())?;
    /// let (mut part, mut start) = (0, None);
    /// while let Some(Chunk::Dm2(chunk)) = reader.next_chunk()? {
    ///     world.apply(&chunk);
    ///     match start {
    ///         None if part == 100 => start = Some((world.keyframe().unwrap(), world.frame().unwrap().number())),
    ///         Some((_, oldest)) => {
    ///             let packet = clip.packet(part).map(qdemo::format::Packet::into_owned);
    ///             if let Some(mut packet) = packet.filter(|_| world.frame().is_some()) {
    ///                 if world.rebase(&mut packet, oldest).unwrap() {
    ///                     clip.replace(part, packet);
    ///                 }
    ///             }
    ///         }
    ///         None => {}
    ///     }
    ///     part += 1;
    /// }
    /// let (keyframe, _) = start.unwrap();
    /// let packets = keyframe.len();
    /// keyframe.into_iter().rev().for_each(|packet| clip.insert(101, packet));
    /// clip.remove(0..101);
    /// assert_eq!(clip.len(), part - 101 + packets);
    /// # Ok(()) }
    /// ```
    pub fn rebase(&self, packet: &mut Packet<'_>, oldest: i32) -> Result<bool, Fault> {
        let Some(frame) = self.frame().filter(|_| self.complete) else { return Ok(false) };
        let mut frames = packet.messages.iter().enumerate().filter_map(|(at, message)| match message {
            Message::Frame(m) => Some((at, m)),
            _ => None,
        });
        let (Some((at, told)), None) = (frames.next(), frames.next()) else { return Ok(false) };
        let old = told.seq2.is_some_and(|base| base > 0 && base < oldest);
        if !old || told.seq1 != frame.number() {
            return Ok(false);
        }
        // A base further back than some engines keep is of no use.
        let near = oldest.max(frame.number().saturating_sub(Self::NEAR))..frame.number();
        let from = near.rev().find_map(|number| self.earlier(number));
        let changed = FrameTold { world: self, frame, from, changed: None }.messages()?;
        packet.messages.retain(|message| !tells_frame(message));
        let at = at.min(packet.messages.len());
        packet.messages.splice(at..at, changed);
        Ok(true)
    }

    /// Frames that every engine keeps.
    const NEAR: i32 = 15;

    /// The first part in which another world differs, by name; `None` when both show the same. Left out is what a
    /// [keyframe](World::keyframe) cannot carry.
    pub fn difference(&self, other: &World) -> Option<&'static str> {
        self.differences(other).first().copied()
    }

    /// All parts in which another world differs, by name: see [`World::difference`].
    pub fn differences(&self, other: &World) -> Vec<&'static str> {
        self.shown().differences(&other.shown())
    }

    /// What the world shows, to be compared with another one.
    fn shown(&self) -> Shown<'_> {
        let frame = self.frame().filter(|_| self.complete).map(|frame| ShownFrame {
            number: frame.number,
            suppress: frame.suppress,
            areas: &frame.areas,
            connected: &frame.connected,
            entities: &frame.entities,
            players: &frame.players,
        });
        Shown {
            level: (self.levels.begun() > 0).then(|| self.serverdata()),
            recording: self.dialect.recording,
            long_angles: self.dialect.long_angles,
            rate: self.rate,
            fog: (self.facts.fog.as_ref(), self.facts.fog_change.as_ref()),
            configstrings: self.strings.iter().collect(),
            baselines: self.baselines.iter().collect(),
            personal: self.told.all(),
            spoken_to: self.spoken_to,
            frame,
        }
    }

    /// Gathers messages into packets; those in one group stay together.
    fn pack(&self, groups: impl IntoIterator<Item = Messages>) -> Result<Vec<Packet<'static>>, Fault> {
        let mut packets: Vec<Packet<'static>> = Vec::new();
        let (mut dialect, mut size) = (self.dialect, 0);
        for group in groups {
            let mut w = ByteWriter::default();
            encode_messages(&group, &mut dialect, &mut w)?;
            size += w.len();
            match packets.last_mut().filter(|_| size <= Self::PACKET) {
                Some(packet) => packet.messages.extend(group),
                None => {
                    size = w.len();
                    packets.push(Packet::new(group));
                }
            }
        }
        Ok(packets)
    }

    fn serverdata(&self) -> ServerData<'static> {
        let (facts, dialect) = (&self.facts, self.dialect);
        let slot = |client: Option<u8>| client.map_or(-1, i16::from);
        let split = facts.split.iter().enumerate();
        let split = split.map(|(n, client)| slot(if n == 0 { facts.client } else { *client })).collect();
        let several = dialect.screens != 1 || !facts.split.is_empty();
        let isdemo = match dialect.recording {
            Recording::Server if !dialect.recording_told => Self::SERVER,
            Recording::Relay if !dialect.recording_told => Self::RELAY,
            _ => facts.isdemo,
        };
        let rate = || self.rate.and_then(|rate| u8::try_from(rate).ok()).unwrap_or(0);
        ServerData {
            serverversion: dialect.protocol,
            key: facts.key,
            isdemo,
            tickrate: Dialect::tells_screens(dialect.protocol).then(rate),
            game: Str::from(facts.gamedir.clone()),
            client: if several { ClientSlots { client: -2, split } } else { ClientSlots::one(slot(facts.client)) },
            mapname: Str::from(facts.title.clone()),
        }
    }

    /// What a level begins with; `None` before the first one.
    fn level_told(&self) -> Result<Option<Messages>, Fault> {
        if self.levels.begun() == 0 {
            return Ok(None);
        }
        if !self.dialect.decoded {
            let protocol = Protocol { number: self.dialect.protocol, name: self.dialect.name };
            return Err(Fault::new(FaultKind::Unsupported(protocol), 0));
        }
        let mut told = vec![Message::ServerData(self.serverdata())];
        if let Some(rate) = self.rate.filter(|_| !Dialect::tells_screens(self.dialect.protocol)) {
            told.push(Message::Setting(Setting { index: Self::FRAMES_A_SECOND, value: rate.into() }));
        }
        for (index, text) in self.strings.iter() {
            let index = u16::try_from(index).map_err(|_| Fault::unwritable("a configstring above the last one"))?;
            told.push(Message::ConfigString(ConfigString { index, string: Str::from(text.to_vec()) }));
        }
        told.extend(self.baselines_told(&self.baselines));
        told.extend(self.facts.fog.clone().map(Message::Fog));
        told.extend(self.facts.fog_change.clone().map(Message::FogChange));
        // A client begins to load then. Recordings of servers do not have it, and Relay's go to a program of its own.
        if matches!(self.dialect.recording, Recording::Client | Recording::TestRelease) {
            told.push(Message::StuffText(StuffText { text: Str::from("precache\n") }));
        }
        Ok(Some(told))
    }

    fn baselines_told(&self, baselines: &Baselines) -> Messages {
        let d = &self.dialect;
        let told = |(number, state): (u16, &EntityState)| match d.recording {
            Recording::TestRelease => Message::TestBaseline(TestBaseline {
                entity: TestNumber(number),
                ..State::diff(&EntityState::ZERO, state, d)
            }),
            _ => Message::SpawnBaseline(diff_baseline(number, state, d)),
        };
        baselines.iter().map(told).collect()
    }

    /// Layouts and inventories, each for whom it is.
    fn personal_told(&self) -> Result<Messages, Fault> {
        let mut told = Vec::new();
        let mut spoken_to = None;
        for Personal { client, layout, inventory } in self.told.all() {
            let relay = self.dialect.recording == Recording::Relay;
            if !relay && *client != spoken_to {
                told.push(self.speak_to(*client)?);
                spoken_to = *client;
            }
            let layout = Some(layout).filter(|layout| !layout.is_empty() || inventory.is_none());
            let layout = layout.map(|layout| Message::Layout(Layout { text: Str::from(layout.clone()) }));
            let items = inventory.clone().map(|items| Message::Inventory(Inventory { count: Items(items) }));
            told.extend(layout.into_iter().chain(items).map(|message| match client {
                Some(client) if relay => Message::Unicast(Unicast { client: *client, message: Box::new(message) }),
                _ => message,
            }));
        }
        if spoken_to != self.spoken_to {
            told.push(self.speak_to(self.spoken_to)?);
        }
        Ok(told)
    }

    /// What follows is for one of several players at the recorder's screen; `None`: the first.
    fn speak_to(&self, client: Option<u8>) -> Result<Message<'static>, Fault> {
        let nth = match client {
            None => Some(0),
            Some(_) => self.facts.split.iter().position(|slot| *slot == client),
        };
        match nth.and_then(|nth| u8::try_from(nth + 1).ok()) {
            Some(client) => Ok(Message::SplitClient(SplitClient { client })),
            None => Err(Fault::unwritable("a text for a client who is not at the screen")),
        }
    }
}

/// True for the messages of a frame: itself, its players, its entities.
pub(super) fn tells_frame(message: &Message<'_>) -> bool {
    match message {
        Message::Frame(_)
        | Message::PlayerInfo(_)
        | Message::PacketEntities(_)
        | Message::TestPlayerInfo(_)
        | Message::TestEntities(_) => true,
        Message::Unicast(m) => tells_frame(&m.message),
        _ => false,
    }
}

impl FrameTold<'_> {
    /// The frame as its dialect has it.
    pub(super) fn messages(&self) -> Result<Messages, Fault> {
        let (d, frame) = (&self.world.dialect, self.frame);
        let delta = self.from.map(FullFrame::number);
        let mut head = Frame::new(frame.number, delta, frame.suppress, d);
        for (to, from) in [(&mut head.areas, &frame.areas), (&mut head.connected, &frame.connected)] {
            to.iter_mut().for_each(|to| to.0.clone_from(from));
        }
        let split = &self.world.facts.split;
        if let (Some(told), Some((_, others))) = (&mut head.split, split.split_last()) {
            let players = others.iter().enumerate().map(|(n, slot)| match (n, slot) {
                (1.., None) => PlayerInfo::default(),
                _ => self.player(*slot),
            });
            let areas = || ByteList(frame.areas.clone());
            told.0 = players.map(|state| SplitPlayer { areas: areas(), state }).collect();
        }
        let several = head.split.is_some();
        let mut messages = vec![Message::Frame(head)];
        match (several, split.last()) {
            (true, Some(None)) => messages.push(Message::PlayerInfo(PlayerInfo::default())),
            (true, Some(last)) => messages.push(Message::PlayerInfo(self.player(*last))),
            _ => messages.extend(frame.players.iter().map(|(client, state)| self.message(*client, state))),
        }
        messages.push(match d.recording {
            Recording::TestRelease => {
                Message::TestEntities(diff_test_entities(&frame.entities, &self.world.baselines, d))
            }
            _ => {
                let (from, to) = (self.from.map(FullFrame::entities), frame.entities());
                let baselines = &self.world.baselines;
                Message::PacketEntities(match (from, self.changed) {
                    (Some(from), Some(changed)) => diff_entities_among(changed, from, to, baselines, d),
                    (from, _) => diff_entities(from, to, baselines, d),
                })
            }
        });
        Ok(messages)
    }

    /// The state of a player, as the difference to what is known.
    fn player(&self, client: Option<u8>) -> PlayerInfo {
        let known = |frame: Option<&FullFrame>| frame.and_then(|frame| frame.player(client)).copied();
        let from = known(self.from).unwrap_or(PlayerState::ZERO);
        State::diff(&from, &known(Some(self.frame)).unwrap_or(PlayerState::ZERO), &self.world.dialect)
    }

    fn message(&self, client: Option<u8>, state: &PlayerState) -> Message<'static> {
        match (self.world.dialect.recording, client) {
            (Recording::TestRelease, _) => {
                Message::TestPlayerInfo(State::diff(&PlayerState::ZERO, state, &self.world.dialect))
            }
            (_, None) => Message::PlayerInfo(self.player(None)),
            (_, Some(client)) => {
                let message = Box::new(Message::PlayerInfo(self.player(Some(client))));
                Message::Unicast(Unicast { client, message })
            }
        }
    }
}
