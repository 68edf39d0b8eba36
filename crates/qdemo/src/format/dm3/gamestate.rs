//! Gamestates: what the server tells of a level at its beginning, configstrings and baselines.

use super::dialect::{Bits, Dialect, ProtocolLayout};
use super::entity::{ENTITY, EntityTold, EntityUpdate, Item, LAST, update};
use super::list::Values;
use super::message::Configstring;
use super::snapshot::field;
use super::states::ENTITY_STATE;
use crate::describe::{Body, FieldSchema, Fields, Holds, Mistake, Name, Presence, Schema, Sink, Statement, TypeSchema};
use crate::wire::{BitReader, BitWriter, Fault, FaultKind, Scalar, into_owned};
/// An entity as it is from the beginning of a level: later updates are differences to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    item: Item,
    layout: &'static ProtocolLayout,
    values: Vec<u32>,
}

impl Baseline {
    /// The entity with all fields by number.
    pub(crate) fn telling(number: u16, state: &[u32], d: &Dialect) -> Self {
        let mut values = Values::default();
        // Engines say of an entity with nothing in it that it is as it was.
        let is_empty = state.iter().all(|value| *value == 0);
        let told = if is_empty { EntityTold::Baseline } else { EntityTold::Fields(&[], state) };
        let item = Item::of(number, told, d.layout, &mut values);
        Baseline { item, layout: d.layout, values: values.into_vec() }
    }

    /// The entity.
    pub fn entity(&self) -> EntityUpdate<'_> {
        update(&self.item, self.layout, &self.values)
    }
}

impl<'a> Body<'a, Bits> for Baseline {
    const NAME: Name = Name::new("baseline");
    const SCHEMA: Schema = Schema {
        name: "baseline",
        lmpc: Some("baseline"),
        doc: "An entity as it is from the beginning of a level; only within a gamestate.",
        inline: false,
        masked: false,
        fields: &[&[field(
            "entity",
            TypeSchema::new("state", "object", "").holding(Holds::Object(&ENTITY_STATE)),
            "Its number and the fields that are not 0: see entity.",
        )]],
    };

    fn read(_: u8, r: &mut BitReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let mut values = Values::default();
        let item = Item::read(r, d.layout, &mut values)?;
        Ok(Baseline { item, layout: d.layout, values: values.into_vec() })
    }

    fn write(&self, id: u8, w: &mut BitWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        self.item.write(w, d.layout, &self.values)
    }

    fn show<S: Sink>(&self, s: &mut S) {
        s.open(<Self as Body<'a, Bits>>::NAME, false);
        s.group(ENTITY);
        self.item.show(s, self.layout, &self.values);
        s.close();
        s.close();
    }

    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let Some(entity) = f.take_child(ENTITY) else {
            return Err(f.mistake("the baseline lacks its entity: add `entity { index N; ... }`"));
        };
        let mut values = Values::default();
        let item = Item::parse(&entity, LAST, d.layout, &mut values)?;
        Ok(Baseline { item, layout: d.layout, values: values.into_vec() })
    }
}

/// An item of a gamestate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GamestateItem {
    /// A configstring.
    Configstring(Configstring),
    /// A baseline.
    Baseline(Baseline),
}

impl From<Configstring> for GamestateItem {
    fn from(configstring: Configstring) -> Self {
        GamestateItem::Configstring(configstring)
    }
}

impl From<Baseline> for GamestateItem {
    fn from(baseline: Baseline) -> Self {
        GamestateItem::Baseline(baseline)
    }
}

/// The beginning of a level: everything that later messages build on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gamestate {
    /// Number of the last server command before it.
    pub server_command_sequence: i32,
    /// Configstrings and baselines.
    pub items: Vec<GamestateItem>,
    /// Slot of the recording client (protocol 66 and later).
    pub client_num: Option<i32>,
    /// A random number that goes into checksums of pak files (protocol 66 and later).
    pub checksum_feed: Option<i32>,
}

into_owned!(Gamestate);

const SEQUENCE: Name = Name::new("serverCommandSequence");
const CLIENT_NUM: Name = Name::new("clientNum");
const CHECKSUM_FEED: Name = Name::new("checksumFeed");
/// Message numbers that stand within a gamestate, in all protocols.
const CONFIGSTRING_ID: u8 = 3;
const BASELINE_ID: u8 = 4;
/// What documentation says of them.
const CONFIGSTRING_ITEM: Statement = Statement::new(<Configstring as Body<'_, Bits>>::SCHEMA).called("Number 3");
const BASELINE_ITEM: Statement = Statement::new(<Baseline as Body<'_, Bits>>::SCHEMA).called("Number 4");

impl Gamestate {
    /// An empty one, of a client in a slot. Protocols before 66 tell neither the slot nor the number for checksums.
    pub fn new(server_command_sequence: i32, client_num: i32, checksum_feed: i32, d: &Dialect) -> Self {
        let tail = d.layout.gamestate_tail;
        Gamestate {
            server_command_sequence,
            items: Vec::new(),
            client_num: tail.then_some(client_num),
            checksum_feed: tail.then_some(checksum_feed),
        }
    }

    /// The configstrings in order.
    pub fn configstrings(&self) -> impl Iterator<Item = &Configstring> {
        self.items.iter().filter_map(|item| match item {
            GamestateItem::Configstring(c) => Some(c),
            GamestateItem::Baseline(_) => None,
        })
    }

    /// The baselines in order.
    pub fn baselines(&self) -> impl Iterator<Item = EntityUpdate<'_>> {
        self.items.iter().filter_map(|item| match item {
            GamestateItem::Baseline(b) => Some(b.entity()),
            GamestateItem::Configstring(_) => None,
        })
    }
}

/// The beginning of a gamestate, as far as it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Beginning {
    /// What is there of serverinfo, which is the first configstring.
    pub(super) serverinfo: Vec<u8>,
}

impl Beginning {
    /// Reads the payload of a block as far as it goes. `None` when it does not begin with a gamestate.
    pub(super) fn read(payload: &[u8], d: &Dialect, gamestate: u8) -> Option<Beginning> {
        let mut r = BitReader::new(payload, d.layout.coding);
        if d.layout.ack_first {
            r.i32().ok()?;
        }
        if r.u8().ok()? != gamestate {
            return None;
        }
        let mut beginning = Beginning::default();
        let (Ok(_), Ok(CONFIGSTRING_ID), Ok(0)) = (r.i32(), r.u8(), r.i16()) else { return Some(beginning) };
        while let Ok(byte @ 1..) = r.u8() {
            beginning.serverinfo.push(byte);
        }
        Some(beginning)
    }

    /// True when what is there looks like serverinfo: keys and values, each behind a backslash.
    pub(super) fn is_told(&self) -> bool {
        const ENOUGH: usize = 8;
        let text = self.serverinfo.iter().all(|byte| (b' '..=b'~').contains(byte));
        text && self.serverinfo.len() >= ENOUGH && self.serverinfo.first() == Some(&b'\\')
    }
}

impl<'a> Body<'a, Bits> for Gamestate {
    const NAME: Name = Name::new("gamestate");
    const SCHEMA: Schema = Schema {
        name: "gamestate",
        lmpc: Some("gamestate"),
        doc: "The beginning of a level: configstrings and baselines. It forgets all that was before.",
        inline: false,
        masked: false,
        fields: &[&[
            field(
                "serverCommandSequence",
                TypeSchema::new("i32", "integer", ""),
                "Number of the last server command before it.",
            ),
            // They have names of their own.
            field("", TypeSchema::new("", "", "").holding(Holds::Messages(&[&CONFIGSTRING_ITEM, &BASELINE_ITEM])), ""),
            FieldSchema {
                presence: Presence::Selected,
                ..field(
                    "clientNum",
                    TypeSchema::new("i32", "integer", ""),
                    "Slot of the recording client, behind configstrings and baselines; protocol 66 and later.",
                )
            },
            FieldSchema {
                presence: Presence::Selected,
                ..field(
                    "checksumFeed",
                    TypeSchema::new("i32", "integer", ""),
                    "A random number that goes into checksums of pak files; protocol 66 and later.",
                )
            },
        ]],
    };

    fn read(_: u8, r: &mut BitReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let server_command_sequence = r.i32().map_err(|f| f.in_field(SEQUENCE.text))?;
        let mut items = Vec::new();
        loop {
            let at = r.pos() / 8;
            items.push(match r.u8()? {
                CONFIGSTRING_ID => GamestateItem::Configstring(
                    Body::read(CONFIGSTRING_ID, r, d).map_err(|f: Fault| f.in_message("configstring"))?,
                ),
                BASELINE_ID => {
                    GamestateItem::Baseline(Body::read(BASELINE_ID, r, d).map_err(|f: Fault| f.in_message("baseline"))?)
                }
                end if end == d.layout.list_end => break,
                other => return Err(Fault::new(FaultKind::UnknownMessage(other), at)),
            });
        }
        let (mut client_num, mut checksum_feed) = (None, None);
        if d.layout.gamestate_tail {
            client_num = Some(r.i32().map_err(|f| f.in_field(CLIENT_NUM.text))?);
            checksum_feed = Some(r.i32().map_err(|f| f.in_field(CHECKSUM_FEED.text))?);
        }
        Ok(Gamestate { server_command_sequence, items, client_num, checksum_feed })
    }

    fn write(&self, id: u8, w: &mut BitWriter, d: &Dialect) -> Result<(), Fault> {
        w.u8(id);
        w.i32(self.server_command_sequence);
        for item in &self.items {
            match item {
                GamestateItem::Configstring(c) => c.write(CONFIGSTRING_ID, w, d)?,
                GamestateItem::Baseline(b) => b.write(BASELINE_ID, w, d)?,
            }
        }
        w.u8(d.layout.list_end);
        match (self.client_num, self.checksum_feed, d.layout.gamestate_tail) {
            (Some(client), Some(feed), true) => {
                w.i32(client);
                w.i32(feed);
                Ok(())
            }
            (None, None, false) => Ok(()),
            (.., true) => Err(Fault::unwritable("a gamestate of this protocol has clientNum and checksumFeed")),
            (.., false) => Err(Fault::unwritable("a gamestate of this protocol has no clientNum and no checksumFeed")),
        }
    }

    fn show<S: Sink>(&self, s: &mut S) {
        s.open(<Self as Body<'a, Bits>>::NAME, false);
        s.value(SEQUENCE, Scalar::Int(i64::from(self.server_command_sequence)));
        let tail = |s: &mut S| {
            for (name, v) in [(CLIENT_NUM, self.client_num), (CHECKSUM_FEED, self.checksum_feed)] {
                if let Some(v) = v {
                    s.value(name, Scalar::Int(i64::from(v)));
                }
            }
        };
        // In JSON the keys of an object stand in front of its messages.
        let json = s.form() == crate::describe::Form::Json;
        if json {
            tail(s);
        }
        for item in &self.items {
            match item {
                GamestateItem::Configstring(c) => c.show(s),
                GamestateItem::Baseline(b) => b.show(s),
            }
        }
        if !json {
            tail(s);
        }
        s.close();
    }

    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        const CONFIGSTRING: Name = <Configstring as Body<'_, Bits>>::NAME;
        const BASELINE: Name = <Baseline as Body<'_, Bits>>::NAME;
        let int = |f: &mut Fields<'a, '_>, name| -> Result<i32, Mistake> {
            f.take(name)?.int(i64::from(i32::MIN), i64::from(u32::MAX)).map(|v| v as i32)
        };
        let server_command_sequence = int(f, SEQUENCE)?;
        let mut optional = |name| if f.has(name) { int(f, name).map(Some) } else { Ok(None) };
        let (client_num, checksum_feed) = (optional(CLIENT_NUM)?, optional(CHECKSUM_FEED)?);
        let mut items = Vec::new();
        for mut child in f.children() {
            if CONFIGSTRING.is(child.keyword()) {
                items.push(GamestateItem::Configstring(Body::parse(&mut child, d)?));
            } else if BASELINE.is(child.keyword()) {
                items.push(GamestateItem::Baseline(Body::parse(&mut child, d)?));
            } else {
                continue;
            }
            child.finish()?;
            child.consume();
        }
        Ok(Gamestate { server_command_sequence, items, client_num, checksum_feed })
    }
}
