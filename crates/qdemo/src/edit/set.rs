//! Values of states that are others in the output: an entity in another frame of its model, elsewhere, or with another look.

use std::io::{Read, Write};
use std::str::FromStr;

use serde_json::Value;

use super::change::{Change, Changed, EditAccount};
use super::frames::{Frames, RetoldFrame};
use super::snapshots::{Instead, Retold, Snapshots};
use crate::demo::{Chunk, Reader};
use crate::describe::{FieldSchema, StateField, StateValue, Unset};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dm3::{Array, EntityField, PlayerField};
use crate::format::qwd::{self, DeltaPacketEntities, PacketEntities};
use crate::format::{dem, mvd};
use crate::frame;
use crate::game::quake2::{self, FullFrame};
use crate::game::quakeworld::{EntityState, World as QuakeWorld, diff_entities};
use crate::game::{quake, quake3};
use crate::replay::{Range, World};
use crate::wire::ByteWriter;
use crate::world::{Clock, Scene};

/// Whose state it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// That of an entity, by its number.
    Entity(u16),
    /// That of the player through whose eyes the recording looks, as that player's client is told it.
    Player,
}

/// A value of a state that is another one: `entity[12].frame=3`, `player.fov=110`.
///
/// Fields are those that the states of a game have, as `qdemo state --json` shows them; in Quake III those of the
/// messages, such as `pos.trBase[2]`. Values are those of JSON.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Whose state it is.
    pub whose: Whose,
    /// The field, such as `origin[2]`.
    pub field: String,
    /// What it is.
    pub value: Value,
    /// When; `None`: at any time.
    pub range: Option<Range>,
}

/// Without a range of time.
impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |what: &str| refused(format!("{text}: {what}; write entity[12].frame=3 or player.fov=110"));
        let (target, value) = text.split_once('=').ok_or_else(|| wrong("no value"))?;
        let (whose, field) = target.trim().split_once('.').ok_or_else(|| wrong("no field"))?;
        let number = whose.strip_prefix("entity[").and_then(|rest| rest.strip_suffix(']'));
        let whose = match (whose, number.map(str::parse)) {
            ("player", _) => Whose::Player,
            (_, Some(Ok(number))) => Whose::Entity(number),
            _ => return Err(wrong("neither an entity nor the player")),
        };
        let value = value.trim();
        let value = serde_json::from_str(value)
            .map_err(|_| wrong("the value is not one of JSON: a number, [1, 2, 3], true"))?;
        Ok(Setting { whose, field: field.trim().to_owned(), value, range: None })
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.whose {
            Whose::Entity(number) => write!(f, "entity[{number}].{}={}", self.field, self.value),
            Whose::Player => write!(f, "player.{}={}", self.field, self.value),
        }
    }
}

impl Setting {
    /// The names and places that lead to the field.
    fn path(&self) -> Vec<&str> {
        self.field.split(['.', '[', ']']).filter(|step| !step.is_empty()).collect()
    }

    fn set<S: StateValue>(&self, state: &mut S) -> Result<()> {
        state.set(&self.path(), &self.value).map_err(|unset| match unset {
            Unset::NoField => self.no_field(&names(S::FIELDS)),
            Unset::NoValue => self.no_value(),
        })
    }

    /// Says whether there is such a field. What fits is known where the value is.
    fn is_in<S: StateValue>(&self) -> Result<()> {
        let mut zero = S::ZERO;
        match zero.set(&self.path(), &self.value) {
            Err(Unset::NoField) => Err(self.no_field(&names(S::FIELDS))),
            Err(Unset::NoValue) | Ok(()) => Ok(()),
        }
    }

    fn no_field(&self, names: &[&str]) -> Error {
        refused(format!("{self}: there is no such field; there are {}", names.join(", ")))
    }

    fn no_value(&self) -> Error {
        refused(format!("{self}: the field does not take this value"))
    }

    /// The bits of a field of Quake III.
    fn bits(&self, is_float: bool) -> Result<u32> {
        let bits = match is_float {
            true => self.value.as_f64().map(|v| (v as f32).to_bits()),
            false => self.value.as_i64().and_then(|v| i32::try_from(v).ok()).map(|v| v as u32),
        };
        bits.ok_or_else(|| self.no_value())
    }
}

fn refused(what: String) -> Error {
    Error::new(ErrorKind::Refused(what))
}

/// The names of fields, those of states within a state among them.
fn names(fields: &'static [StateField]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for field in fields {
        match (field.key, field.fields) {
            (None, [_, ..]) => all.extend(names(field.fields)),
            (key, _) => all.push(key.unwrap_or(field.name)),
        }
    }
    all
}

/// What is set, and what came of it.
struct Doing<'e> {
    settings: &'e [Setting],
    /// Which of them have been.
    done: Vec<bool>,
    account: EditAccount,
    block: u64,
    clock: Clock,
}

impl<'e> Doing<'e> {
    /// The settings for somebody now.
    fn due(&self, is: impl Fn(Whose) -> bool) -> Vec<(usize, &'e Setting)> {
        let now = |range: &Range| range.contains(Some(self.block), &self.clock);
        let all = self.settings.iter().enumerate();
        all.filter(|(_, setting)| is(setting.whose) && setting.range.as_ref().is_none_or(now)).collect()
    }

    fn tell(&mut self, nth: usize) {
        let (Some(setting), Some(done)) = (self.settings.get(nth), self.done.get_mut(nth)) else { return };
        *done = true;
        let message = if setting.whose == Whose::Player { "player" } else { "entity" };
        let (block, clock) = (self.block, self.clock);
        let after = Some(setting.to_string());
        self.account.add(Change { done: Changed::Changed, why: "set", message, block, clock, before: None, after });
    }

    /// Sets what is due in a state; true where that changed it.
    fn set<S: StateValue + Copy>(&mut self, whose: Whose, state: &mut S) -> Result<bool> {
        let before = *state;
        for (nth, setting) in self.due(|of| of == whose) {
            let was = *state;
            setting.set(state)?;
            if was != *state {
                self.tell(nth);
            } else if let Some(done) = self.done.get_mut(nth) {
                *done = true;
            }
        }
        Ok(before != *state)
    }

    fn remark(&mut self, what: &str) {
        self.account.remark(what);
    }
}

/// Said where something cannot be read.
const FAULTY: &str = "blocks in which something cannot be read are as they were";

/// The lists of entities of a recording of QuakeWorld, as they were and as they are told now.
#[derive(Default)]
struct Lists {
    /// By the lowest byte of the number of their packet.
    told: Vec<(u8, Vec<EntityState>, Option<Vec<EntityState>>)>,
    count: u8,
}

impl Lists {
    /// Lists that others may build on.
    const KEPT: usize = 64;

    /// Tells the list of a block in which something is set, or that builds on such a one; true if so.
    fn block(
        &mut self,
        messages: &mut [qwd::Message<'_>],
        world: &QuakeWorld,
        d: &qwd::Dialect,
        doing: &mut Doing<'_>,
    ) -> Result<bool> {
        if world.changes().level {
            self.told.clear();
        }
        let Some(base) = world.listed_base().filter(|_| world.is_complete()) else { return Ok(false) };
        let number = if world.is_multiview() { self.count.wrapping_add(1) } else { world.sequence().0 as u8 };
        let base = base.map(|base| if world.is_multiview() { self.count } else { base });
        self.count = number;
        let mut now = world.entity_states().to_vec();
        let mut is_set = false;
        for state in &mut now {
            is_set |= doing.set(Whose::Entity(state.number), state)?;
        }
        let base = base.and_then(|base| self.told.iter().rev().find(|(of, ..)| *of == base));
        let changes = is_set || base.is_some_and(|(.., changed)| changed.is_some());
        if changes {
            let from = base.map(|(_, was, changed)| changed.as_deref().unwrap_or(was));
            let entities = diff_entities(from, &now, world.baselines(), d);
            for message in messages {
                match message {
                    qwd::Message::PacketEntities(_) => {
                        *message = qwd::Message::PacketEntities(PacketEntities { entities: entities.clone() });
                    }
                    qwd::Message::DeltaPacketEntities(m) => {
                        let (frame, entities) = (m.frame, entities.clone());
                        *message = qwd::Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities });
                    }
                    _ => {}
                }
            }
        }
        if self.told.len() >= Self::KEPT {
            self.told.remove(0);
        }
        self.told.push((number, world.entity_states().to_vec(), is_set.then_some(now)));
        Ok(changes)
    }
}

/// How each format tells states.
enum Telling {
    Dem(dem::Decoder),
    Qwd(qwd::Decoder, Lists),
    Mvd(mvd::Decoder, Lists),
    Dm2(Box<Frames>),
    Dm3(Box<Snapshots>),
}

impl Telling {
    /// How a recording tells them, if it has the fields that are to be set.
    fn of(world: &World, multiview: bool, settings: &[Setting]) -> Result<Self> {
        for setting in settings {
            match (world, setting.whose) {
                (World::Dem(_), Whose::Entity(_)) => setting.is_in::<quake::EntityState>()?,
                (World::Dem(_), Whose::Player) => setting.is_in::<quake::Client>()?,
                (World::QuakeWorld(_), Whose::Entity(_)) => setting.is_in::<EntityState>()?,
                (World::QuakeWorld(_), Whose::Player) => {
                    return Err(refused(format!(
                        "{setting}: states of players of QuakeWorld cannot be set, those of entities can"
                    )));
                }
                (World::Dm2(_), Whose::Entity(_)) => setting.is_in::<quake2::EntityState>()?,
                (World::Dm2(_), Whose::Player) => setting.is_in::<quake2::PlayerState>()?,
                (World::Dm3(_), whose) => {
                    field_of_quake3(whose, setting)?;
                }
                (World::Mvd2(_), _) => {}
            }
        }
        Ok(match world {
            World::Dem(_) => Telling::Dem(dem::Decoder::default()),
            World::QuakeWorld(_) if multiview => Telling::Mvd(mvd::Decoder::default(), Lists::default()),
            World::QuakeWorld(_) => Telling::Qwd(qwd::Decoder::default(), Lists::default()),
            World::Dm2(_) => Telling::Dm2(Box::default()),
            World::Dm3(_) => Telling::Dm3(Box::default()),
            World::Mvd2(_) => {
                return Err(refused(
                    "states of an .mvd2 cannot be set; `qdemo convert --player` makes a .dm2 of it, of which they can"
                        .to_owned(),
                ));
            }
        })
    }

    /// Writes what a block becomes; nothing: it is as it was.
    fn block(&mut self, chunk: &Chunk<'_>, world: &World, doing: &mut Doing<'_>, w: &mut ByteWriter) -> Result<()> {
        match (self, chunk, world) {
            (Telling::Dem(decoder), Chunk::Dem(frame::Chunk::Block(block)), World::Dem(world)) => {
                let (mut packet, fault) = decoder.read(block);
                let mut d = decoder.before();
                if fault.is_none() && of_quake(&mut packet.messages, world, &d, doing)? {
                    packet.write(&mut d, w)?;
                }
            }
            (Telling::Qwd(decoder, lists), Chunk::Qwd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                let (mut packet, fault) = decoder.read(block);
                let mut d = decoder.before();
                if fault.is_none() && lists.block(&mut packet.messages, world, &decoder.dialect(), doing)? {
                    packet.write(&mut d, w)?;
                }
            }
            (Telling::Mvd(decoder, lists), Chunk::Mvd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                let (mut packet, fault) = decoder.read(block);
                let mut d = decoder.before();
                if fault.is_none() && lists.block(&mut packet.messages, world, &decoder.dialect(), doing)? {
                    packet.write(&mut d, w)?;
                }
            }
            (Telling::Dm2(frames), Chunk::Dm2(frame::Chunk::Block(block)), World::Dm2(world)) => {
                match frames.block(block, world, |now| of_quake2(now, doing), |_| Ok(true))? {
                    RetoldFrame::New(packet, mut d) => packet.write(&mut d, w)?,
                    RetoldFrame::Faulty => doing.remark(FAULTY),
                    RetoldFrame::Same | RetoldFrame::TooLarge(_) => {}
                }
            }
            (Telling::Dm3(snapshots), Chunk::Dm3(frame::Chunk::Block(block)), World::Dm3(world)) => {
                let mut fault = None;
                let retold = snapshots.block(block, world, |now| {
                    of_quake3(now, doing).unwrap_or_else(|e| {
                        fault = Some(e);
                        None
                    })
                });
                if let Some(fault) = fault {
                    return Err(fault);
                }
                match retold {
                    Retold::New(packet, mut d) => {
                        packet.write(&mut d, w)?;
                        snapshots.recycle(packet);
                    }
                    Retold::OutOfOrder => doing.remark("snapshots whose entities are not in order are as they were"),
                    Retold::Same => {}
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Sets what is due in the updates of a frame.
fn of_quake(
    messages: &mut [dem::Message<'_>],
    world: &quake::World,
    d: &dem::Dialect,
    doing: &mut Doing<'_>,
) -> Result<bool> {
    let mut is_set = false;
    for message in messages {
        match message {
            dem::Message::UpdateEntity(m) => {
                let number = m.entity.0;
                let Some(mut entity) = world.in_view().iter().find(|entity| entity.number == number).copied() else {
                    continue;
                };
                if doing.set(Whose::Entity(number), &mut entity.state)? {
                    *m = entity.update(world.baselines().base(number), d);
                    is_set = true;
                }
            }
            dem::Message::ClientData(m) => {
                let Some(mut client) = world.client().copied() else { continue };
                if doing.set(Whose::Player, &mut client)? {
                    *m = client.message(None, d);
                    is_set = true;
                }
            }
            _ => {}
        }
    }
    Ok(is_set)
}

fn of_quake2(now: &FullFrame, doing: &mut Doing<'_>) -> Result<Option<FullFrame>> {
    if doing.due(|_| true).is_empty() {
        return Ok(None);
    }
    let (mut frame, mut is_set) = (now.clone(), false);
    for entity in frame.entities_mut() {
        is_set |= doing.set(Whose::Entity(entity.number), &mut entity.state)?;
    }
    if let Some(player) = frame.player_mut(None) {
        is_set |= doing.set(Whose::Player, player)?;
    }
    Ok(is_set.then_some(frame))
}

/// A field of Quake III's states.
enum FieldOfQuake3 {
    Entity(EntityField),
    Player(PlayerField),
    Array(Array, usize),
}

/// The field that is meant, and its bits.
fn field_of_quake3(whose: Whose, setting: &Setting) -> Result<(FieldOfQuake3, u32)> {
    let name = &*setting.field;
    let is_float = |schema: &FieldSchema| schema.ty.json == "number";
    if let Whose::Entity(_) = whose {
        let found = EntityField::ALL.iter().zip(EntityField::SCHEMA).find(|(field, _)| field.name() == name);
        return match found {
            Some((field, schema)) => Ok((FieldOfQuake3::Entity(*field), setting.bits(is_float(schema))?)),
            None => Err(setting.no_field(&EntityField::ALL.iter().map(|field| field.name()).collect::<Vec<_>>())),
        };
    }
    let found = PlayerField::ALL.iter().zip(PlayerField::SCHEMA).find(|(field, _)| field.name() == name);
    match (found, array(name)) {
        (Some((field, schema)), _) => Ok((FieldOfQuake3::Player(*field), setting.bits(is_float(schema))?)),
        (None, Some((array, slot))) => Ok((FieldOfQuake3::Array(array, slot), setting.bits(false)?)),
        (None, None) => {
            let fields = PlayerField::ALL.iter().map(|field| field.name());
            let arrays = Array::ALL.iter().map(|array| array.name());
            Err(setting.no_field(&fields.chain(arrays).collect::<Vec<_>>()))
        }
    }
}

fn of_quake3(now: &quake3::FullSnapshot<'_>, doing: &mut Doing<'_>) -> Result<Option<Instead>> {
    let mut instead = Instead::as_recorded(now);
    for (nth, setting) in doing.due(|_| true) {
        match (setting.whose, field_of_quake3(setting.whose, setting)?) {
            (Whose::Entity(number), (FieldOfQuake3::Entity(field), bits)) => {
                let there = instead.entity(number).unwrap_or_else(|| now.entity(number));
                let Some(mut state) = there.copied() else { continue };
                state.set(field, bits);
                instead.set(number, Some(state));
            }
            (_, (FieldOfQuake3::Player(field), bits)) => instead.player.set(field, bits),
            (_, (FieldOfQuake3::Array(array, slot), bits)) => instead.player.set_slot(array, slot, bits as i32),
            (Whose::Player, (FieldOfQuake3::Entity(_), _)) => continue,
        }
        doing.tell(nth);
    }
    let same = instead.player == *now.player()
        && instead.entities.iter().all(|(number, state)| now.entity(*number) == state.as_ref());
    Ok((!same).then_some(instead))
}

/// A slot of an array, such as `stats[0]`.
fn array(field: &str) -> Option<(Array, usize)> {
    let (name, slot) = field.strip_suffix(']')?.split_once('[')?;
    let array = Array::ALL.iter().find(|array| array.name() == name)?;
    Some((*array, slot.parse().ok().filter(|slot| *slot < Array::SLOTS)?))
}

/// Writes a recording with other values. Gives the blocks that are others, too.
pub(super) fn run<R: Read, W: Write>(
    mut reader: Reader<R>,
    name: &str,
    settings: &[Setting],
    mut out: W,
) -> Result<(W, EditAccount, Vec<u64>)> {
    let mut changed = Vec::new();
    let mut world = World::of(reader.detected(), name)?;
    let multiview = reader.detected().kind == crate::demo::FileKind::Mvd;
    let mut telling = Telling::of(&world, multiview, settings).map_err(|e| e.in_file(name))?;
    let (account, done) = (EditAccount::default(), vec![false; settings.len()]);
    let mut doing = Doing { settings, done, account, block: 0, clock: world.clock() };
    let mut w = ByteWriter::default();
    while let Some((chunk, bytes)) = reader.next_with_bytes()? {
        if let (Telling::Dm2(frames), World::Dm2(world)) = (&mut telling, &world) {
            frames.before(world);
        }
        world.apply(&chunk);
        w.clear();
        if let Some((block, _)) = chunk.block() {
            (doing.block, doing.clock) = (block, world.clock());
            telling.block(&chunk, &world, &mut doing, &mut w).map_err(|e| e.in_file(name))?;
            if !w.is_empty() && w.as_slice() != bytes {
                changed.push(block);
            }
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        out.write_all(written)?;
    }
    for (setting, done) in settings.iter().zip(&doing.done) {
        if !done {
            doing.account.remark(format!("{setting}: it is not in view, so nothing was set"));
        }
    }
    out.flush()?;
    Ok((out, doing.account, changed))
}
