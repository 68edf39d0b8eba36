//! Snapshots: what the server tells of the world, as deltas.

use super::delta::{Delta, Of, Parsed, State};
use super::list::Values;
use crate::describe::{Bits, Body, FieldSchema, Fields, Mistake, Name, Presence, Schema, Sink, TypeSchema};
use crate::dialect::quake3::{DeltaForm, Dialect, EntityField, Layout, PlayerField};
use crate::wire::{BitReader, BitWriter, Fault, Scalar, What};

/// The areas that can be seen: a bit each.
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

/// The arrays of a player's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Array {
    /// Health, armour, weapons ... (the game module says which).
    Stats,
    /// What lasts over deaths: score, team ...
    Persistant,
    /// Ammunition by weapon; -1 without end.
    Ammo,
    /// Server time in ms at which each powerup ends.
    Powerups,
}

impl Array {
    /// All, in wire order.
    pub const ALL: [Array; 4] = [Array::Stats, Array::Persistant, Array::Ammo, Array::Powerups];
    /// Slots in each.
    pub const SLOTS: usize = 16;

    /// The name in text and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Array::Stats => "stats",
            Array::Persistant => "persistant",
            Array::Ammo => "ammo",
            Array::Powerups => "powerups",
        }
    }

    /// The names of the slots in text and JSON: `stats[0]` ...
    fn names(self) -> &'static [Name; Self::SLOTS] {
        macro_rules! slots {
            ($name:literal) => {
                slots!(@ $name, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
            };
            (@ $name:literal, $($n:literal)*) => {
                const { &[$(Name::new(concat!($name, "[", $n, "]"))),*] }
            };
        }
        match self {
            Array::Stats => slots!("stats"),
            Array::Persistant => slots!("persistant"),
            Array::Ammo => slots!("ammo"),
            Array::Powerups => slots!("powerups"),
        }
    }

    /// LMPC's words: the list and an item of it.
    fn lmpc(self) -> (Name, Name) {
        match self {
            Array::Stats => (Name::new("stats"), Name::new("stat")),
            Array::Persistant => (Name::new("persistants"), Name::new("persistant")),
            Array::Ammo => (Name::new("ammos"), Name::new("ammo")),
            Array::Powerups => (Name::new("powerups"), Name::new("powerup")),
        }
    }

    fn bits(self) -> u32 {
        if self == Array::Powerups { 32 } else { 16 }
    }
}

/// Which slots of the arrays were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Arrays {
    masks: [u16; 4],
    /// Arrays that are there: bits 0 to 3; bit 4: any of them.
    sent: u8,
    first: u32,
}

impl Arrays {
    const ANY: u8 = 16;

    fn usual_sent(&self, form: DeltaForm) -> u8 {
        let each = self.masks.iter().rev().fold(0, |bits, mask| bits << 1 | u8::from(*mask != 0));
        if each != 0 && matches!(form, DeltaForm::Counted) { each | Self::ANY } else { each }
    }

    fn read(r: &mut BitReader<'_>, layout: &Layout, values: &mut Values) -> Result<Self, Fault> {
        let mut arrays = Arrays { first: values.len() as u32, ..Arrays::default() };
        if matches!(layout.delta, DeltaForm::Counted) {
            if r.value(1)? == 0 {
                return Ok(arrays);
            }
            arrays.sent = Self::ANY;
        }
        for (n, array) in Array::ALL.into_iter().enumerate() {
            if r.value(1)? == 0 {
                continue;
            }
            arrays.sent |= 1 << n;
            let mask = r.u16()?;
            arrays.masks[n] = mask;
            for _ in 0..mask.count_ones() {
                values.push(r.signed(array.bits())? as u32);
            }
        }
        Ok(arrays)
    }

    fn write(&self, w: &mut BitWriter, layout: &Layout, values: &[u32]) -> Result<(), Fault> {
        let unsent = |n: usize| self.masks[n] != 0 && self.sent >> n & 1 == 0;
        let counted = matches!(layout.delta, DeltaForm::Counted);
        let silent = counted && self.sent & Self::ANY == 0 && self.sent & !Self::ANY != 0;
        if (0..4).any(unsent) || silent || !counted && self.sent & Self::ANY != 0 {
            return Err(Fault::unwritable("`arrays` that does not fit the slots"));
        }
        if counted {
            w.raw(u32::from(self.sent / Self::ANY), 1);
            if self.sent & Self::ANY == 0 {
                return Ok(());
            }
        }
        let mut values = values.get(self.first as usize..).unwrap_or_default().iter();
        for (n, array) in Array::ALL.into_iter().enumerate() {
            let there = self.sent >> n & 1;
            w.raw(u32::from(there), 1);
            if there == 0 {
                continue;
            }
            w.u16(self.masks[n]);
            for value in values.by_ref().take(self.masks[n].count_ones() as usize) {
                w.value(*value, array.bits());
            }
        }
        Ok(())
    }

    /// The slots sent, with their values.
    fn iter<'v>(&self, values: &'v [u32]) -> impl Iterator<Item = (Array, usize, i32)> + use<'v> {
        let mut left = self.masks.iter().rev().fold(0u64, |bits, mask| bits << 16 | u64::from(*mask));
        let mut values = values.get(self.first as usize..).unwrap_or_default().iter();
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            let array = Array::ALL.get(place / Array::SLOTS)?;
            left &= left - 1;
            Some((*array, place % Array::SLOTS, *values.next()? as i32))
        })
    }
}

/// What is known of an entity in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// It leaves.
    Remove,
    /// It is there, exactly as its baseline says.
    Baseline,
    /// It is there, with some fields changed.
    Delta(Delta),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    number: u16,
    action: Action,
}

pub(super) const NUMBER_BITS: u32 = 10;
/// The number that ends a list of entities.
pub(super) const LAST: u16 = 1023;

const INDEX: Name = Name::new("index");
const VALUE: Name = Name::new("value");
const REMOVE: Name = Name::new("remove");
pub(super) const ENTITY: Name = Name::new("entity");

impl Item {
    /// An item that stands alone.
    pub(super) fn read(r: &mut BitReader<'_>, layout: &'static Layout, values: &mut Values) -> Result<Self, Fault> {
        let next = r.peek();
        let (number, bits) = r.decode(next, NUMBER_BITS)?;
        let mut item = Self::read_head(number, bits, next, r)?;
        item.read_delta(r, layout, values)?;
        Ok(item)
    }

    /// Reads a list with its end mark.
    #[inline(always)]
    fn read_list(
        r: &mut BitReader<'_>,
        layout: &'static Layout,
        values: &mut Values,
        list: &mut Vec<Item>,
    ) -> Result<(), Fault> {
        loop {
            let next = r.peek();
            let (number, bits) = r.decode(next, NUMBER_BITS)?;
            if number == u32::from(LAST) {
                return r.take(bits);
            }
            // Items are large: each is read where it stays.
            list.push(Self::read_head(number, bits, next, r)?);
            if let Some(item) = list.last_mut() {
                item.read_delta(r, layout, values)?;
            }
        }
    }

    /// The item of which `next` shows the number, in so many bits, and both flags.
    #[inline(always)]
    fn read_head(number: u32, bits: u32, next: u64, r: &mut BitReader<'_>) -> Result<Self, Fault> {
        let (removed, there) = (next >> bits & 1 == 1, next >> bits & 2 != 0);
        r.take(bits + 2 - u32::from(removed))?;
        let action = match (removed, there) {
            (true, _) => Action::Remove,
            (false, false) => Action::Baseline,
            (false, true) => Action::Delta(Delta::default()),
        };
        Ok(Item { number: number as u16, action })
    }

    #[inline(always)]
    fn read_delta(&mut self, r: &mut BitReader<'_>, layout: &'static Layout, values: &mut Values) -> Result<(), Fault> {
        match &mut self.action {
            Action::Delta(delta) => delta.read(r, layout, Of::Entity, values),
            Action::Remove | Action::Baseline => Ok(()),
        }
    }

    pub(super) fn write(&self, w: &mut BitWriter, layout: &'static Layout, values: &[u32]) -> Result<(), Fault> {
        w.value(u32::from(self.number), NUMBER_BITS);
        match &self.action {
            Action::Remove => w.raw(1, 1),
            Action::Baseline => w.raw(0, 2),
            Action::Delta(delta) => {
                w.raw(2, 2);
                delta.write(w, layout, Of::Entity, values)?;
            }
        }
        Ok(())
    }

    pub(super) fn show<S: Sink>(&self, s: &mut S, layout: &'static Layout, values: &[u32]) {
        s.value(INDEX, Scalar::Int(i64::from(self.number)));
        match &self.action {
            Action::Remove => s.flag(REMOVE),
            Action::Baseline => {}
            Action::Delta(delta) => {
                delta.show(s, layout, Of::Entity, values);
                if delta.changed == 0 && !delta.is_unusual(layout, Of::Entity) {
                    s.flag(NOTHING);
                }
            }
        }
    }

    /// `highest` is the highest number that the place has room for: in a list one number is the end mark.
    pub(super) fn parse(
        f: &Fields<'_, '_>,
        highest: u16,
        layout: &'static Layout,
        values: &mut Values,
    ) -> Result<Self, Mistake> {
        let (mut number, mut remove, mut nothing) = (None, false, false);
        let mut delta = Parsed::new();
        for child in f.children() {
            if number.is_none() && INDEX.is(child.keyword()) {
                number = Some(child.own_values().int(0, i64::from(highest))? as u16);
            } else if delta.child(&child, &layout.entity)? {
            } else if !remove && REMOVE.is(child.keyword()) {
                remove = child.is_flag()?;
            } else if !nothing && NOTHING.is(child.keyword()) {
                nothing = child.is_flag()?;
            } else {
                return Err(no_such(&child, "an entity"));
            }
        }
        let Some(number) = number else { return Err(f.mistake("the entity lacks its index: add `index N;`")) };
        let action = match (remove, delta.is_empty() && !nothing) {
            (true, true) => Action::Remove,
            (true, false) => return Err(f.mistake("an entity that is removed has no fields")),
            (false, true) => Action::Baseline,
            (false, false) => Action::Delta(delta.finish(f, layout, Of::Entity, values)?),
        };
        Ok(Item { number, action })
    }
}

/// A delta without any field: no engine sends it.
const NOTHING: Name = Name::with("nothing", "");

fn no_such(f: &Fields<'_, '_>, what: &str) -> Mistake {
    let word = String::from_utf8_lossy(f.keyword()).into_owned();
    f.mistake(format!("{what} has no field {word} in this protocol, or it stands twice: see `qdemo schema dm3`"))
}

/// An entity in a snapshot or a baseline.
#[derive(Debug, Clone, Copy)]
pub struct EntityUpdate<'s> {
    /// Its number, 0 to 1022.
    pub number: u16,
    /// What happens to it.
    pub change: Change<'s>,
}

/// What happens to an entity.
#[derive(Debug, Clone, Copy)]
pub enum Change<'s> {
    /// It is gone.
    Remove,
    /// It is new, and exactly as its baseline.
    Baseline,
    /// These fields changed.
    Fields(State<'s>),
}

pub(super) fn update<'s>(item: &'s Item, layout: &'static Layout, values: &'s [u32]) -> EntityUpdate<'s> {
    let change = match &item.action {
        Action::Remove => Change::Remove,
        Action::Baseline => Change::Baseline,
        Action::Delta(delta) => Change::Fields(State::new(&layout.entity, delta, values)),
    };
    EntityUpdate { number: item.number, change }
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
    /// Areas that can be seen.
    pub areamask: AreaMask,
    layout: &'static Layout,
    player: Delta,
    arrays: Arrays,
    entities: Vec<Item>,
    /// Values of the player's delta, its arrays, and the entities, in this order.
    values: Values,
}

const REL_ACK: Name = Name::new("rel_ack");
const SERVER_TIME: Name = Name::new("serverTime");
const DELTA_NUM: Name = Name::new("deltaNum");
const SNAP_FLAGS: Name = Name::new("snapFlags");
const AREAMASK: Name = Name::new("areamask");
const PLAYER: Name = Name::new("player");
const ENTITIES: Name = Name::new("entities");
const ARRAYS: Name = Name::with("arrays", "");

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
        self.player.read(r, layout, Of::Player, values).map_err(|f| f.in_field(PLAYER.text))?;
        self.arrays = Arrays::read(r, layout, values).map_err(|f| f.in_field(PLAYER.text))?;
        Item::read_list(r, layout, values, &mut self.entities).map_err(|f| f.in_field(ENTITIES.text))
    }

    fn read_areamask(&mut self, r: &mut BitReader<'_>) -> Result<(), Fault> {
        let at = r.pos() / 8;
        let len = r.u8()?;
        let found = usize::from(len);
        let Some(bytes) = self.areamask.bytes.get_mut(..found) else {
            return Err(Fault::new(What::Malformed("an area mask of more than the 32 bytes that engines accept"), at));
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

    fn show_arrays<S: Sink>(&self, s: &mut S) {
        if s.form() == crate::describe::Form::Lmpc {
            self.show_arrays_for_lmpc(s);
        } else {
            for (array, slot, value) in self.arrays() {
                if let Some(name) = array.names().get(slot) {
                    s.value(*name, Scalar::Int(i64::from(value)));
                }
            }
        }
        if self.arrays.sent != self.arrays.usual_sent(self.layout.delta) {
            s.value(ARRAYS, Scalar::Hex(u64::from(self.arrays.sent)));
        }
    }

    fn show_arrays_for_lmpc<S: Sink>(&self, s: &mut S) {
        for array in Array::ALL {
            let mut slots = self.arrays().filter(|(a, ..)| *a == array).peekable();
            if slots.peek().is_none() {
                continue;
            }
            let (list, item) = array.lmpc();
            s.group(list);
            for (_, slot, value) in slots {
                s.group(item);
                s.value(INDEX, Scalar::Int(slot as i64));
                s.value(VALUE, Scalar::Int(i64::from(value)));
                s.close();
            }
            s.close();
        }
    }

    fn parse_player(&mut self, f: &Fields<'_, '_>) -> Result<(), Mistake> {
        let layout = self.layout;
        let mut delta = Parsed::new();
        let mut slots = [[0u32; Array::SLOTS]; 4];
        let (mut masks, mut sent) = ([0u16; 4], None);
        for child in f.children() {
            if delta.child(&child, &layout.player)? {
                continue;
            }
            if sent.is_none() && ARRAYS.is(child.keyword()) {
                sent = Some(child.own_values().int(0, 31)? as u8);
                continue;
            }
            let (n, slot, value) = match slot(&child)? {
                Some(found) => found,
                None => {
                    parse_lmpc_array(&child, &mut masks, &mut slots)?;
                    continue;
                }
            };
            if masks[n] >> slot & 1 == 1 {
                return Err(no_such(&child, "the player"));
            }
            masks[n] |= 1 << slot;
            slots[n][slot] = value;
        }
        self.player = delta.finish(f, layout, Of::Player, &mut self.values)?;
        self.arrays = Arrays { masks, sent: 0, first: self.values.len() as u32 };
        let usual = self.arrays.usual_sent(layout.delta);
        self.arrays.sent = sent.unwrap_or(usual);
        if usual & !self.arrays.sent != 0 {
            return Err(f.mistake(format!("arrays leaves out slots that stand here: they need {usual:#04X}")));
        }
        for (mask, slots) in masks.iter().zip(&slots) {
            self.values.extend((0..Array::SLOTS).filter(|n| mask >> n & 1 == 1).filter_map(|n| slots.get(n).copied()));
        }
        Ok(())
    }
}

/// A slot of an array, as `stats[3] 120;`: array, slot, value.
fn slot(f: &Fields<'_, '_>) -> Result<Option<(usize, usize, u32)>, Mistake> {
    let word = f.keyword();
    let Some((name, number)) = word.strip_suffix(b"]").and_then(|w| {
        let at = w.iter().position(|&b| b == b'[')?;
        Some((w.get(..at)?, w.get(at + 1..)?))
    }) else {
        return Ok(None);
    };
    let slot = match number {
        [a @ b'0'..=b'9'] => usize::from(a - b'0'),
        [b'1', b @ b'0'..=b'5'] => 10 + usize::from(b - b'0'),
        _ => return Err(no_such(f, "the player")),
    };
    let Some(n) = Array::ALL.iter().position(|a| a.name().as_bytes() == name) else {
        return Err(no_such(f, "the player"));
    };
    Ok(Some((n, slot, slot_value(f, n)?)))
}

fn slot_value(f: &Fields<'_, '_>, n: usize) -> Result<u32, Mistake> {
    let (min, max) = if n == 3 { (i64::from(i32::MIN), i64::from(u32::MAX)) } else { (-32_768, 65_535) };
    let value = f.own_values().int(min, max)?;
    // The engine reads 16 bits with a sign.
    Ok(if n == 3 { value as u32 } else { value as i16 as u32 })
}

/// LMPC's form: `stats { stat { index 3; value 120; } }`.
fn parse_lmpc_array(
    f: &Fields<'_, '_>,
    masks: &mut [u16; 4],
    slots: &mut [[u32; Array::SLOTS]; 4],
) -> Result<(), Mistake> {
    let Some(n) = Array::ALL.iter().position(|a| a.lmpc().0.is(f.keyword())) else {
        return Err(no_such(f, "the player"));
    };
    for mut item in f.children() {
        if !Array::ALL.iter().any(|a| a.lmpc().1.is(item.keyword())) {
            return Err(no_such(&item, "the player"));
        }
        let slot = item.take(INDEX)?.int(0, Array::SLOTS as i64 - 1)? as usize;
        let Some(value) = item.take_child(VALUE) else {
            return Err(item.mistake("the item lacks its value: add `value N;`"));
        };
        if masks[n] >> slot & 1 == 1 {
            return Err(no_such(&item, "the player"));
        }
        slots[n][slot] = slot_value(&value, n)?;
        masks[n] |= 1 << slot;
        item.finish()?;
    }
    Ok(())
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
                "Areas that can be seen, a bit each.",
            ),
            field(
                "player",
                TypeSchema::new("state", "object", ""),
                "What changed in the state of the player who is seen: see player.",
            ),
            field(
                "entities",
                TypeSchema::new("list, ended by 1023", "object[]", ""),
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
        for b in self.areamask.bytes() {
            w.u8(*b);
        }
        self.player.write(w, layout, Of::Player, self.values.as_slice())?;
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
        self.player.show(s, self.layout, Of::Player, self.values.as_slice());
        self.show_arrays(s);
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

/// What documentation says of the states within messages.
pub const STATES: [Schema; 2] = [
    Schema {
        name: "player",
        lmpc: Some("player"),
        doc: "The state of the player who is seen, within a snapshot: the fields that changed. Behind them the slots of its arrays: stats[N], persistant[N], ammo[N] (i16), powerups[N] (i32, ms), N from 0 to 15.",
        inline: false,
        masked: false,
        fields: &[PlayerField::SCHEMA],
    },
    Schema {
        name: "entity",
        lmpc: Some("entity"),
        doc: "An entity, within a snapshot or a baseline: index (its number, 0 to 1022), then `remove` when it is gone, the fields that changed, or nothing when it is new and exactly as its baseline.",
        inline: false,
        masked: false,
        fields: &[EntityField::SCHEMA],
    },
];
