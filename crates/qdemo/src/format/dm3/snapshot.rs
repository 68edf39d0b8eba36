//! Snapshots: what the server tells of the world, as deltas.

use super::arrays::{Array, Arrays, ParsedArrays};
use super::delta::{Delta, Parsed, State, StateKind};
use super::dialect::{Bits, Dialect, ProtocolLayout};
use super::entity::{ENTITY, EntityTold, EntityUpdate, Item, LAST, NUMBER_BITS, update};
use super::list::Values;
use super::states::{ENTITY_STATE, PLAYER_STATE};
use crate::describe::{Body, FieldSchema, Fields, Holds, Mistake, Name, Presence, Schema, Sink, TypeSchema};
use crate::wire::{BitReader, BitWriter, Fault, FaultKind, Scalar, into_owned};

/// The areas of the map that cannot be seen: a bit each, as servers tell it (ioquake3 `SV_BuildClientSnapshot`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AreaMask {
    len: u8,
    bytes: [u8; AreaMask::MOST],
}

impl AreaMask {
    /// Most bytes that engines accept.
    pub const MOST: usize = 32;

    /// A mask, or `None` for more bytes than engines accept.
    pub fn new(mask: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..mask.len())?.copy_from_slice(mask);
        Some(AreaMask { len: mask.len() as u8, bytes })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// The state of the world as the client sees it at one moment, as the difference to an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Number of the last client command that the server got; here only in protocols 43 and 45.
    pub rel_ack: Option<i32>,
    /// Server time in ms.
    pub server_time: i32,
    /// How many messages back the snapshot is to which this is the difference; 0: it is complete.
    pub delta_num: u8,
    /// 1 rate delayed, 2 not active, 4 toggles when the server counts anew.
    pub snap_flags: u8,
    /// Areas that cannot be seen.
    pub areamask: AreaMask,
    layout: &'static ProtocolLayout,
    player: Delta,
    arrays: Arrays,
    entities: Vec<Item>,
    /// Values of the player's delta, its arrays, and the entities, in this order.
    values: Values,
}

into_owned!(Snapshot);

const REL_ACK: Name = Name::new("rel_ack");
const SERVER_TIME: Name = Name::new("serverTime");
const DELTA_NUM: Name = Name::new("deltaNum");
const SNAP_FLAGS: Name = Name::new("snapFlags");
const AREAMASK: Name = Name::new("areamask");
const PLAYER: Name = Name::new("player");
const ENTITIES: Name = Name::new("entities");

impl Snapshot {
    /// A snapshot in which nothing changed.
    pub fn new(server_time: i32, dialect: &Dialect) -> Self {
        Snapshot {
            rel_ack: if dialect.layout.ack_first { None } else { Some(0) },
            server_time,
            delta_num: 0,
            snap_flags: 0,
            areamask: AreaMask { len: 0, bytes: [0; AreaMask::MOST] },
            layout: dialect.layout,
            player: Delta::default(),
            arrays: Arrays::default(),
            entities: Vec::new(),
            values: Values::default(),
        }
    }

    /// The same in the memory of an earlier one.
    pub(crate) fn begin_again(self, server_time: i32, dialect: &Dialect) -> Self {
        let Snapshot { mut entities, mut values, .. } = self;
        entities.clear();
        values.clear();
        Snapshot { entities, values, ..Self::new(server_time, dialect) }
    }

    /// Tells what differs between two players: all fields by number, and the arrays. That comes first.
    pub(crate) fn tell_player(&mut self, from: (&[u32], &[[i32; 16]; 4]), to: (&[u32], &[[i32; 16]; 4])) {
        self.player = Delta::between(from.0, to.0, self.layout, StateKind::Player, &mut self.values);
        self.arrays = Arrays::between(from.1, to.1, self.layout, &mut self.values);
    }

    /// Tells something of an entity, behind what was told of others.
    pub(crate) fn tell_entity(&mut self, number: u16, tell: EntityTold<'_>) {
        self.entities.push(Item::of(number, tell, self.layout, &mut self.values));
    }

    /// Tells of the player what another snapshot of the same protocol tells, fields at some places and the arrays changed. That
    /// comes first.
    pub(crate) fn tell_player_again(
        &mut self,
        of: &Snapshot,
        places: u64,
        field: impl Fn(u8, u32) -> u32,
        slot: impl Fn(Array, i32) -> i32,
    ) {
        self.player = of.player().again(&mut self.values, places, field);
        self.arrays = of.arrays.again(of.values.as_slice(), &mut self.values, slot);
    }

    /// Tells of an entity what another snapshot of the same protocol tells, fields at some places changed, behind what was
    /// told of others.
    #[inline]
    pub(crate) fn tell_again(&mut self, update: &EntityUpdate<'_>, places: u64, change: impl Fn(u8, u32) -> u32) {
        self.entities.push(Item::again(update, &mut self.values, places, change));
    }

    /// The fields of the player's state that changed.
    pub fn player(&self) -> State<'_> {
        State::new(&self.layout.player, &self.player, self.values.as_slice())
    }

    /// The slots of the player's arrays that changed: array, slot, value.
    pub fn arrays(&self) -> impl Iterator<Item = (Array, usize, i32)> + '_ {
        self.arrays.iter(self.values.as_slice())
    }

    /// The entities that changed, in order.
    pub fn entities(&self) -> impl Iterator<Item = EntityUpdate<'_>> + '_ {
        self.entities.iter().map(|item| update(item, self.layout, self.values.as_slice()))
    }

    /// Reads the server time and nothing behind it.
    pub(super) fn read_time(r: &mut BitReader<'_>, d: &Dialect) -> Result<i32, Fault> {
        if !d.layout.ack_first {
            r.i32().map_err(|f| f.in_field(REL_ACK.text))?;
        }
        r.i32().map_err(|f| f.in_field(SERVER_TIME.text))
    }

    /// Reads over what is there, keeping its memory.
    pub(super) fn read_again(&mut self, r: &mut BitReader<'_>, d: &Dialect) -> Result<(), Fault> {
        let layout = d.layout;
        self.layout = layout;
        self.values.clear();
        self.entities.clear();
        self.rel_ack = if layout.ack_first { None } else { Some(r.i32().map_err(|f| f.in_field(REL_ACK.text))?) };
        self.server_time = r.i32().map_err(|f| f.in_field(SERVER_TIME.text))?;
        self.delta_num = r.u8().map_err(|f| f.in_field(DELTA_NUM.text))?;
        self.snap_flags = r.u8().map_err(|f| f.in_field(SNAP_FLAGS.text))?;
        self.read_areamask(r).map_err(|f| f.in_field(AREAMASK.text))?;
        let values = &mut self.values;
        self.player.read(r, layout, StateKind::Player, values).map_err(|f| f.in_field(PLAYER.text))?;
        self.arrays = Arrays::read(r, layout, values).map_err(|f| f.in_field(PLAYER.text))?;
        Item::read_list(r, layout, values, &mut self.entities).map_err(|f| f.in_field(ENTITIES.text))
    }

    fn read_areamask(&mut self, r: &mut BitReader<'_>) -> Result<(), Fault> {
        let at = r.pos() / 8;
        let len = r.u8()?;
        let found = usize::from(len);
        let Some(bytes) = self.areamask.bytes.get_mut(..found) else {
            return Err(Fault::new(
                FaultKind::Malformed("an area mask of more than the 32 bytes that engines accept"),
                at,
            ));
        };
        for b in bytes {
            *b = r.u8()?;
        }
        if let Some(unused) = self.areamask.bytes.get_mut(found..usize::from(self.areamask.len).max(found)) {
            unused.fill(0);
        }
        self.areamask.len = len;
        Ok(())
    }

    fn parse_player(&mut self, f: &Fields<'_, '_>) -> Result<(), Mistake> {
        let layout = self.layout;
        let (mut delta, mut arrays) = (Parsed::new(), ParsedArrays::default());
        for child in f.children() {
            if !delta.child(&child, &layout.player)? {
                arrays.child(&child)?;
            }
        }
        self.player = delta.finish(f, layout, StateKind::Player, &mut self.values)?;
        self.arrays = arrays.finish(f, layout.delta, &mut self.values)?;
        Ok(())
    }
}

pub(super) const fn field(name: &'static str, ty: TypeSchema, doc: &'static str) -> FieldSchema {
    FieldSchema { name, lmpc: Some(name), doc, ty, presence: Presence::Always }
}

impl<'a> Body<'a, Bits> for Snapshot {
    const NAME: Name = Name::new("snapshot");
    const SCHEMA: Schema = Schema {
        name: "snapshot",
        lmpc: Some("snapshot"),
        doc: "The world as the client sees it, as the difference to an earlier snapshot.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema {
                presence: Presence::Selected,
                ..field(
                    "rel_ack",
                    TypeSchema::new("i32", "integer", ""),
                    "Last client command that the server got; only here in protocols 43 and 45.",
                )
            },
            field("serverTime", TypeSchema::new("i32", "integer", "ms"), "Server time."),
            field(
                "deltaNum",
                TypeSchema::new("u8", "integer", ""),
                "How many messages back the snapshot is to which this is the difference; 0: it is complete.",
            ),
            field(
                "snapFlags",
                TypeSchema::new("u8", "integer", ""),
                "1 rate delayed, 2 not active, 4 toggles when the server counts anew.",
            ),
            field(
                "areamask",
                TypeSchema::new("u8 length, u8[length]", "integer[]", ""),
                "Areas that cannot be seen, a bit each.",
            ),
            field(
                "player",
                TypeSchema::new("state", "object", "").holding(Holds::Object(&PLAYER_STATE)),
                "What changed in the state of the player who is seen: see player.",
            ),
            field(
                "entities",
                TypeSchema::new("list, ended by 1023", "object[]", "").holding(Holds::List(&ENTITY_STATE)),
                "The entities that changed: see entity.",
            ),
        ]],
    };

    fn read(_: u8, r: &mut BitReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let mut it = Snapshot::new(0, d);
        it.read_again(r, d)?;
        Ok(it)
    }

    fn write(&self, id: u8, w: &mut BitWriter, d: &Dialect) -> Result<(), Fault> {
        let layout = d.layout;
        w.u8(id);
        match (self.rel_ack, layout.ack_first) {
            (Some(ack), false) => w.i32(ack),
            (None, true) => {}
            (Some(_), true) => {
                return Err(Fault::unwritable("rel_ack in a snapshot: only protocols 43 and 45 have it"));
            }
            (None, false) => return Err(Fault::unwritable("a snapshot of this protocol has a rel_ack")),
        }
        w.i32(self.server_time);
        w.u8(self.delta_num);
        w.u8(self.snap_flags);
        w.u8(self.areamask.len);
        w.bytes(self.areamask.bytes());
        self.player.write(w, layout, StateKind::Player, self.values.as_slice())?;
        self.arrays.write(w, layout, self.values.as_slice())?;
        for item in &self.entities {
            item.write(w, layout, self.values.as_slice())?;
        }
        w.value(u32::from(LAST), NUMBER_BITS);
        Ok(())
    }

    fn show<S: Sink>(&self, s: &mut S) {
        s.open(<Self as Body<'a, Bits>>::NAME, false);
        if let Some(ack) = self.rel_ack {
            s.value(REL_ACK, Scalar::Int(i64::from(ack)));
        }
        s.value(SERVER_TIME, Scalar::Int(i64::from(self.server_time)));
        s.value(DELTA_NUM, Scalar::Int(i64::from(self.delta_num)));
        s.value(SNAP_FLAGS, Scalar::Int(i64::from(self.snap_flags)));
        s.bytes(AREAMASK, self.areamask.bytes());
        s.group(PLAYER);
        self.player.show(s, self.layout, StateKind::Player, self.values.as_slice());
        self.arrays.show(s, self.layout.delta, self.values.as_slice());
        s.close();
        s.list(ENTITIES);
        for item in &self.entities {
            s.item(ENTITY);
            item.show(s, self.layout, self.values.as_slice());
            s.close();
        }
        s.close();
        s.close();
    }

    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let layout = d.layout;
        let mut it = Snapshot::new(0, d);
        it.rel_ack = match f.has(REL_ACK) {
            true => Some(f.take(REL_ACK)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as i32),
            false => None,
        };
        it.server_time = f.take(SERVER_TIME)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as i32;
        it.delta_num = f.take(DELTA_NUM)?.int(0, 255)? as u8;
        it.snap_flags = f.take(SNAP_FLAGS)?.int(0, 255)? as u8;
        let mask = f.take(AREAMASK)?.bytes()?;
        it.areamask = AreaMask::new(&mask).ok_or_else(|| f.mistake("areamask has at most 32 bytes"))?;
        let (player, entities) = (f.take_child(PLAYER), f.take_child(ENTITIES));
        let (Some(player), Some(entities)) = (player, entities) else {
            return Err(f.mistake("the snapshot lacks its player or entities: add `player;` and `entities;`"));
        };
        it.parse_player(&player)?;
        for entity in entities.children() {
            if !entity.is_json() && !ENTITY.is(entity.keyword()) {
                return Err(entity.mistake("the list of entities is made of entity { ... }"));
            }
            it.entities.push(Item::parse(&entity, LAST - 1, layout, &mut it.values)?);
        }
        Ok(it)
    }
}
