//! Keyframes: the packets that a recording begins with, to show a world as it is.
//!
//! Sources: what ioquake3's client writes when it begins to record (`CL_Record_f`) and reads (`CL_ParseGamestate`,
//! `CL_ParseSnapshot`, `CL_GetServerCommand`).

use std::borrow::Cow;

use super::{Baselines, EntityState, PlayerState, World};
use crate::format::dm3::Dialect;
use crate::format::dm3::{
    Baseline, Configstring, Contents, Gamestate, GamestateItem, Message, Packet, ServerCommand, Snapshot, Text,
};
use crate::game::compared;
use crate::wire::{ByteWriter, Fault};

compared! {
    /// What a world shows at one moment, to be compared: all that a [keyframe](World::keyframe) leads to.
    struct Shown<'w> {
        dialect: Dialect,
        client: Option<i32>,
        checksum_feed: Option<i32>,
        ack: i32,
        command: i32,
        configstrings: Vec<(usize, &'w [u8])>,
        begun: Option<(u16, &'w [u8])>,
        standing: Vec<Cow<'w, [u8]>>,
        baselines: Vec<(u16, &'w EntityState)>,
        snapshot: Option<ShownSnapshot<'w>>,
    }
    /// The frame in it.
    struct ShownSnapshot<'w> {
        number: i32,
        server_time: i32,
        flags: u8,
        areamask: &'w [u8],
        player: &'w PlayerState,
        entities: Vec<(u16, &'w EntityState)>,
    }
}

impl World {
    /// Bytes of a part of a long configstring: a command has at most 1023.
    const PART: usize = 900;
    /// Snapshots that every engine keeps: a difference goes back to one of them.
    const NEAR: i32 = 31;

    /// The packets that a recording of this world begins with, instead of all that led to it: the gamestate
    /// (configstrings as they are now, baselines, client, number for checksums), and the last snapshot in full, under its
    /// own number. With it come the commands that later ones build on or that stand until others replace them: the part
    /// of a long configstring that has come, the last scoreboard, and a configstring of CPMA again where it does not show
    /// that its scores are the later ones. They are numbered as the last that were carried
    /// out, so that the gamestate's number is that much lower. There are no packets before the first level, and no
    /// snapshot before there is one, or while what the last one builds on is missing.
    ///
    /// A new world that takes them in shows the same: there is no [`World::difference`]. It does not know how many levels and
    /// snapshots there were, when the recording began, what earlier snapshots were, the server time at which the
    /// scoreboard was sent, and players whom the last one, or the last list of team mates, leaves out. What a game's client
    /// program made of other commands (prints, or votes, say) is not in a world and is not told.
    ///
    /// What comes next may go on as it is from the first snapshot on that builds on this one or a later one;
    /// [`World::rebase`] changes those in front of that.
    ///
    /// Engines take packets of 16384 bytes. A gamestate is one, and is not divided where its configstrings grew beyond
    /// that: in no recording at hand they do.
    ///
    /// # Errors
    /// A value that the dialect cannot write.
    pub fn keyframe(&self) -> Result<Vec<Packet<'static>>, Fault> {
        if self.levels.begun() == 0 {
            return Ok(Vec::new());
        }
        let commands = self.commands_told();
        let snapshot = self.snapshot().filter(|_| self.complete);
        let number = snapshot.map_or(self.sequence, |snapshot| snapshot.number());
        let first = self.command.saturating_sub(i32::try_from(commands.len()).unwrap_or(i32::MAX));
        let numbered = (1..)
            .zip(commands)
            .map(|(n, text)| Message::ServerCommand(ServerCommand { seq: first.saturating_add(n), value: Text(text) }));
        let mut messages: Vec<Message> = numbered.collect();
        let gamestate = self.gamestate_told(first)?;
        messages
            .extend(snapshot.map(|snapshot| self.acknowledged(snapshot.diff(None, &self.baselines, &self.dialect))));
        let packet = |number, messages| Packet::new(number, self.ack, messages, &self.dialect);
        let mut packets = Vec::new();
        let before = if messages.is_empty() { number } else { number.saturating_sub(1).max(0) };
        packets.push(packet(before, vec![Message::Gamestate(gamestate)]));
        if !messages.is_empty() {
            packets.push(packet(number, messages));
        }
        for packet in &packets {
            packet.write(&mut self.dialect.clone(), &mut ByteWriter::default())?;
        }
        Ok(packets)
    }

    /// Changes the snapshot in a packet that this world took in last, so that it builds on none before `oldest`, the
    /// snapshot of a keyframe: it becomes the difference to the newest one before it, where that is kept, else a
    /// snapshot in full. Gives false, and changes nothing, where the packet has no snapshot or one that may stay as it is.
    ///
    /// ```
    /// # fn main() -> qdemo::Result<()> {
    /// use qdemo::demo::Recording;
    /// use qdemo::format::dm3::Dm3;
    /// use qdemo::game::quake3::World;
    /// use qdemo::{Chunk, Limits, Reader};
    /// let bytes = std::fs::read("../../testdata/oa-dm4.dm_71")?;
    /// let mut clip = Recording::<Dm3>::read(bytes.to_vec(), "oa-dm4.dm_71")?;
    /// let mut reader = Reader::new(&bytes[..], "oa-dm4.dm_71", Limits::default())?;
    /// let mut world = World::new(clip.dialect_at(0));
    /// let (mut part, mut start) = (0, None);
    /// while let Some(Chunk::Dm3(chunk)) = reader.next_chunk()? {
    ///     world.apply(&chunk);
    ///     match start {
    ///         None if part == 100 => start = Some((world.keyframe().unwrap(), world.snapshot().unwrap().number())),
    ///         Some((_, oldest)) => {
    ///             if let Some(mut packet) = clip.packet(part) {
    ///                 if world.rebase(&mut packet, oldest) {
    ///                     let packet = packet.into_owned();
    ///                     clip.replace(part, packet);
    ///                 }
    ///             }
    ///         }
    ///         None => {}
    ///     }
    ///     part += 1;
    /// }
    /// let (keyframe, _) = start.unwrap();
    /// keyframe.into_iter().rev().for_each(|packet| clip.insert(101, packet));
    /// clip.remove(0..101);
    /// assert_eq!(clip.len(), part - 101 + 2);
    /// # Ok(()) }
    /// ```
    pub fn rebase(&self, packet: &mut Packet<'_>, oldest: i32) -> bool {
        let number = packet.header.sequence;
        let Some(now) = self.snapshot().filter(|now| self.complete && now.number() == number) else { return false };
        let mut snapshots = packet.messages.iter_mut().filter_map(|message| match message {
            Message::Snapshot(snapshot) => Some(snapshot),
            _ => None,
        });
        let (Some(snapshot), None) = (snapshots.next(), snapshots.next()) else { return false };
        let base = number.saturating_sub(snapshot.delta_num.into());
        if snapshot.delta_num == 0 || base <= 0 || base >= oldest {
            return false;
        }
        let from = (1..=Self::NEAR).take_while(|back| number.saturating_sub(*back) >= oldest).find_map(|back| {
            let from = self.earlier(number.saturating_sub(back))?;
            Some((from, u8::try_from(back).ok()?))
        });
        let rel_ack = snapshot.rel_ack;
        *snapshot = now.diff(from, &self.baselines, &self.dialect);
        snapshot.rel_ack = rel_ack;
        // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
        if packet.contents.closed {
            packet.contents.tail = Contents::new(0, &self.dialect).tail;
        }
        true
    }

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
        let snapshot = self.snapshot().filter(|_| self.complete).map(|snapshot| ShownSnapshot {
            number: snapshot.number(),
            server_time: snapshot.server_time(),
            flags: snapshot.flags(),
            areamask: snapshot.areamask(),
            player: snapshot.player(),
            entities: snapshot.entities().collect(),
        });
        Shown {
            dialect: self.dialect,
            client: self.client,
            checksum_feed: self.checksum_feed,
            ack: self.ack,
            command: self.command,
            configstrings: self.strings.iter().collect(),
            begun: self.strings.begun(),
            standing: self.boards().collect(),
            baselines: self.baselines.iter().collect(),
            snapshot,
        }
    }

    /// The commands that a recording needs which begins here.
    fn commands_told(&self) -> Vec<Vec<u8>> {
        let mut told: Vec<Vec<u8>> = self.boards().map(Cow::into_owned).collect();
        let again = self.sides_told_by().map(|index| (index, self.strings.get(index)));
        if let Some((index, value)) = again.filter(|(_, value)| value.len() <= Self::PART) {
            told.push([format!("cs {index} \"").as_bytes(), value, b"\""].concat());
        }
        if let Some((index, begun)) = self.strings.begun() {
            let parts = begun.chunks(Self::PART).chain(begun.is_empty().then_some(begun));
            let names = std::iter::once("bcs0").chain(std::iter::repeat("bcs1"));
            told.extend(
                names.zip(parts).map(|(name, part)| [format!("{name} {index} \"").as_bytes(), part, b"\""].concat()),
            );
        }
        told
    }

    /// The last commands that told scores, and how the team is.
    pub(crate) fn boards(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        self.roster.standing(self.dialect.layout.era)
    }

    fn gamestate_told(&self, command: i32) -> Result<Gamestate, Fault> {
        let mut items = Vec::new();
        for (index, value) in self.strings.iter() {
            let index = u16::try_from(index).map_err(|_| Fault::unwritable("a configstring above the last one"))?;
            items.push(GamestateItem::Configstring(Configstring { index, value: Text(value.to_vec()) }));
        }
        items.extend(
            Baselines::iter(&self.baselines)
                .map(|(number, state)| GamestateItem::Baseline(Baseline::new(number, state, &self.dialect))),
        );
        let (client, feed) = (self.client.unwrap_or_default(), self.checksum_feed.unwrap_or_default());
        Ok(Gamestate { items, ..Gamestate::new(command, client, feed, &self.dialect) })
    }

    /// A snapshot with the number of the last client command, where its protocol has it there.
    fn acknowledged(&self, mut snapshot: Snapshot) -> Message {
        snapshot.rel_ack = snapshot.rel_ack.map(|_| self.ack);
        Message::Snapshot(snapshot)
    }
}
