//! Entities in snapshots and baselines: number, what happens, and the fields that changed.

use super::delta::{Delta, Parsed, State, StateKind};
use super::dialect::ProtocolLayout;
use super::list::Values;
use crate::describe::{Fields, Mistake, Name, Sink};
use crate::wire::{BitReader, BitWriter, Fault, Scalar};

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

pub(super) const INDEX: Name = Name::new("index");
pub(super) const REMOVE: Name = Name::new("remove");
pub(super) const ENTITY: Name = Name::new("entity");

/// What is to be told of an entity.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EntityTold<'s> {
    /// It is gone.
    Remove,
    /// It is new, and exactly as its baseline.
    Baseline,
    /// What differs between two lists of all fields by number.
    Fields(&'s [u32], &'s [u32]),
}

impl Item {
    /// The item that tells something of an entity; its values are added to `values`.
    pub(super) fn of(number: u16, tell: EntityTold<'_>, layout: &'static ProtocolLayout, values: &mut Values) -> Self {
        let action = match tell {
            EntityTold::Remove => Action::Remove,
            EntityTold::Baseline => Action::Baseline,
            EntityTold::Fields(from, to) => Action::Delta(Delta::between(from, to, layout, StateKind::Entity, values)),
        };
        Item { number, action }
    }

    /// The item of another message; its values are added to `values`, those at some places changed by their field.
    #[inline]
    pub(super) fn again(
        update: &EntityUpdate<'_>,
        values: &mut Values,
        places: u64,
        change: impl Fn(u8, u32) -> u32,
    ) -> Self {
        let action = match &update.change {
            Change::Remove => Action::Remove,
            Change::Baseline => Action::Baseline,
            Change::Fields(fields) => Action::Delta(fields.again(values, places, change)),
        };
        Item { number: update.number, action }
    }

    /// An item that stands alone.
    pub(super) fn read(
        r: &mut BitReader<'_>,
        layout: &'static ProtocolLayout,
        values: &mut Values,
    ) -> Result<Self, Fault> {
        let next = r.peek();
        let (number, bits) = r.decode(next, NUMBER_BITS)?;
        let mut item = Self::read_head(number, bits, next, r)?;
        item.read_delta(r, layout, values)?;
        Ok(item)
    }

    /// Reads a list with its end mark.
    #[inline(always)]
    pub(super) fn read_list(
        r: &mut BitReader<'_>,
        layout: &'static ProtocolLayout,
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
    fn read_delta(
        &mut self,
        r: &mut BitReader<'_>,
        layout: &'static ProtocolLayout,
        values: &mut Values,
    ) -> Result<(), Fault> {
        match &mut self.action {
            Action::Delta(delta) => delta.read(r, layout, StateKind::Entity, values),
            Action::Remove | Action::Baseline => Ok(()),
        }
    }

    pub(super) fn write(
        &self,
        w: &mut BitWriter,
        layout: &'static ProtocolLayout,
        values: &[u32],
    ) -> Result<(), Fault> {
        w.value(u32::from(self.number), NUMBER_BITS);
        match &self.action {
            Action::Remove => w.raw(1, 1),
            Action::Baseline => w.raw(0, 2),
            Action::Delta(delta) => {
                w.raw(2, 2);
                delta.write(w, layout, StateKind::Entity, values)?;
            }
        }
        Ok(())
    }

    pub(super) fn show<S: Sink>(&self, s: &mut S, layout: &'static ProtocolLayout, values: &[u32]) {
        s.value(INDEX, Scalar::Int(i64::from(self.number)));
        match &self.action {
            Action::Remove => s.flag(REMOVE),
            Action::Baseline => {}
            Action::Delta(delta) => {
                delta.show(s, layout, StateKind::Entity, values);
                if delta.changed == 0 && !delta.is_unusual(layout, StateKind::Entity) {
                    s.flag(NOTHING);
                }
            }
        }
    }

    /// `highest` is the highest number that the place has room for: in a list one number is the end mark.
    pub(super) fn parse(
        f: &Fields<'_, '_>,
        highest: u16,
        layout: &'static ProtocolLayout,
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
            (false, false) => Action::Delta(delta.finish(f, layout, StateKind::Entity, values)?),
        };
        Ok(Item { number, action })
    }
}

/// A delta without any field: no engine sends it.
pub(super) const NOTHING: Name = Name::with("nothing", "");

/// The mistake of a field that is none of the player or entity.
pub(super) fn no_such(f: &Fields<'_, '_>, what: &str) -> Mistake {
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

pub(super) fn update<'s>(item: &'s Item, layout: &'static ProtocolLayout, values: &'s [u32]) -> EntityUpdate<'s> {
    let change = match &item.action {
        Action::Remove => Change::Remove,
        Action::Baseline => Change::Baseline,
        Action::Delta(delta) => Change::Fields(State::new(&layout.entity, delta, values)),
    };
    EntityUpdate { number: item.number, change }
}
