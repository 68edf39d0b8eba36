//! Keyframes: the packets that a recording begins with, to show a world as it is.
//!
//! Sources: Q2PRO's server, which writes the beginning of a level so whenever a recording begins (`emit_gamestate`), and
//! its reader of recordings, which keeps keyframes of that kind to jump to.

use std::collections::BTreeMap;

use super::{Personal as PersonalStrings, World};
use crate::format::dm2::Dialect;
use crate::format::dm2::{ByteList, ConfigString, Inventory, Items, Layout, Message as GameMessage};
use crate::format::mvd2::{
    Audience, Frame, LevelHead, Message, Multicast, Packet, SceneDelta, ServerData, SpareBits, Unicast,
};
use crate::game::compared;
use crate::game::quake2::{EntityState, InView, Personal, PlayerState};
use crate::wire::{ByteWriter, Fault, Str};

compared! {
    /// What a world shows at one moment, to be compared: all that a [keyframe](World::keyframe) leads to.
    struct Shown<'w> {
        minor: u16,
        flags: u16,
        facts: (i32, &'w [u8], Option<u8>),
        configstrings: Vec<(usize, &'w [u8])>,
        personal_strings: &'w PersonalStrings,
        personal: &'w [Personal],
        scene: Option<ShownScene<'w>>,
    }
    /// The frame in it.
    struct ShownScene<'w> {
        portals: &'w [u8],
        slots: &'w [u8],
        players: &'w [(Option<u8>, PlayerState)],
        players_gone: BTreeMap<u8, (&'w PlayerState, bool)>,
        entities: &'w [InView],
        entities_gone: Vec<(u16, &'w EntityState)>,
    }
}

impl World {
    /// Bytes of a block that Q2PRO has room for (`MAX_MSGLEN`).
    const BLOCK: usize = 0x8000;

    /// The packets that a recording of this world begins with, instead of all that led to it: the level with all
    /// configstrings, players and entities as they are now, those too who are gone, as they are known for when they come
    /// back; then configstrings, layouts and inventories that only some were told. Where one frame cannot tell it all,
    /// the level comes in two: in the first one players are here who are gone by now, and those who died move still, as
    /// their entities have their precise angles from that. Both are in one block, where engines have room for that: they are
    /// one moment then. There are none before the first level, and while a frame is missing: what comes next cannot be
    /// understood.
    ///
    /// A new world that takes them in shows the same: there is no [`World::difference`]. It does not know how many levels and
    /// frames there were, so that its clock begins anew, nor scores that the last layouts leave out, nor, at the end of a match when
    /// nobody is here, who of those who are gone watched before. While a player has power armour on, it knows of that and the other
    /// armour only the one that the frame shows.
    ///
    /// What comes next may go on as it is: each frame builds on the one before.
    ///
    /// # Errors
    /// A value that the dialect cannot write, or a level of more than the 65535 bytes that a packet may have.
    pub fn keyframe(&self) -> Result<Vec<Packet<'static>>, Fault> {
        if !self.based || self.minor == 0 {
            return Ok(Vec::new());
        }
        let dialect = self.game.dialect();
        let (players, entities) = self.known.told_before(self.game.frame(), &dialect);
        let mut packets = Vec::new();
        if players.is_empty() {
            packets.push(self.level_told(World::diff(&World::default(), self))?);
        } else {
            let level = self.level_told(SceneDelta { portals: ByteList(self.portals.to_vec()), players, entities })?;
            let mut before = World::default();
            level.messages.iter().for_each(|message| before.message(message));
            let frame = Frame { spare_bits: SpareBits::default(), scene: World::diff(&before, self) };
            let mut whole = level;
            whole.messages.push(Message::Frame(frame));
            let apart = if whole.to_bytes(Dialect::MVD2)?.len() > Self::BLOCK { whole.messages.pop() } else { None };
            packets.push(whole);
            packets.extend(apart.map(|frame| Packet::new(false, vec![frame])));
        }
        let personal = self.personal_told();
        if !personal.is_empty() {
            packets.push(Packet::new(false, personal));
        }
        let mut dialect = Dialect::MVD2;
        for packet in &packets {
            packet.write(&mut dialect, &mut ByteWriter::default())?;
        }
        Ok(packets)
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
        let facts = &self.game.facts;
        let (entities, players) = self.game.frame().map_or((&[][..], &[][..]), |f| (&f.entities, &f.players));
        let scene = self.based.then(|| ShownScene {
            portals: &self.portals,
            slots: self.known.slots(),
            players,
            players_gone: self.known.players_gone(),
            entities,
            entities_gone: self.known.entities_gone().collect(),
        });
        Shown {
            minor: self.minor,
            flags: self.flags,
            facts: (facts.key, &facts.gamedir, facts.client),
            configstrings: self.game.configstrings().iter().collect(),
            personal_strings: &self.personal,
            personal: self.game.all_personal(),
            scene,
        }
    }

    /// What is told, in front of a frame, to those who have seen another world of the same level: configstrings, layouts and
    /// inventories.
    pub(crate) fn tables_after(&self, shown: &World) -> Vec<Message<'static>> {
        let mut messages = Vec::new();
        for index in self.game.strings_changed(&shown.game) {
            let string = Str::from(self.game.configstrings().get(index).to_vec());
            messages.push(Message::ConfigString(crate::format::mvd2::ConfigString {
                spare_bits: SpareBits::default(),
                index,
                string,
            }));
        }
        // Of strings of one player's own, the ones that were not told are everybody's.
        for ((client, index), text) in self.personal.iter() {
            if shown.personal.get(&(*client, *index)) != Some(text) {
                let string = ConfigString { index: *index, string: Str::from(text.clone()) };
                messages.push(to_client(Some(*client), GameMessage::ConfigString(string)));
            }
        }
        for (client, index) in shown.personal.keys().filter(|key| !self.personal.contains_key(key)) {
            let text = self.game.configstrings().get(*index).to_vec();
            let string = ConfigString { index: *index, string: Str::from(text) };
            messages.push(to_client(Some(*client), GameMessage::ConfigString(string)));
        }
        for Personal { client, layout, inventory } in self.game.all_personal() {
            let before = shown.game.personal(*client);
            if before.map_or(&[][..], |before| &before.layout) != layout {
                let layout = GameMessage::Layout(Layout { text: Str::from(layout.clone()) });
                messages.push(to_client(*client, layout));
            }
            if before.and_then(|before| before.inventory.as_ref()) != inventory.as_ref() {
                let items = inventory.clone().map(|items| GameMessage::Inventory(Inventory { count: Items(items) }));
                messages.extend(items.map(|items| to_client(*client, items)));
            }
        }
        messages
    }

    /// The beginning of the level.
    fn level_told(&self, scene: SceneDelta) -> Result<Packet<'static>, Fault> {
        let facts = &self.game.facts;
        let own_field = Dialect::mvd2_has_flags(self.minor).unwrap_or_default();
        let flags = || u8::try_from(self.flags).map_err(|_| Fault::unwritable("flags that the number has no room for"));
        let mut configstrings = Vec::new();
        for (index, text) in self.game.configstrings().iter() {
            let index = u16::try_from(index).map_err(|_| Fault::unwritable("a configstring above the last one"))?;
            configstrings.push((index, Str::from(text.to_vec())));
        }
        let level = ServerData {
            spare_bits: SpareBits(if own_field { 0 } else { flags()? }),
            head: LevelHead {
                version: Dialect::MVD2_PROTOCOL,
                minor: self.minor,
                flags: own_field.then_some(self.flags),
                spawncount: facts.key,
                game: Str::from(facts.gamedir.clone()),
                client: facts.client.map_or(-1, i16::from),
            },
            configstrings,
            scene,
        };
        Ok(Packet::new(true, vec![Message::ServerData(level)]))
    }

    /// What only some were told. A command has room for 2047 bytes: each has one message.
    fn personal_told(&self) -> Vec<Message<'static>> {
        let strings = self.personal.iter().map(|((client, index), text)| {
            let string = ConfigString { index: *index, string: Str::from(text.clone()) };
            to_client(Some(*client), GameMessage::ConfigString(string))
        });
        let others = self.game.all_personal().iter().flat_map(|Personal { client, layout, inventory }| {
            let layout = Some(layout).filter(|layout| !layout.is_empty() || inventory.is_none());
            let layout = layout.map(|layout| GameMessage::Layout(Layout { text: Str::from(layout.clone()) }));
            let items = inventory.clone().map(|items| GameMessage::Inventory(Inventory { count: Items(items) }));
            layout.into_iter().chain(items).map(|message| to_client(*client, message))
        });
        strings.chain(others).collect()
    }
}

/// A message of the game for a player, or for all.
fn to_client(client: Option<u8>, message: GameMessage<'static>) -> Message<'static> {
    let messages = vec![message];
    match client {
        Some(client) => Message::Unicast(Unicast { reliable: true, client, messages }),
        None => Message::Multicast(Multicast { reliable: true, to: Audience::All, messages }),
    }
}
