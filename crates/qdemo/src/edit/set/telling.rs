//! How each format tells a block in which something is set.

use super::setting::{FieldOfQuake3, field_of_quake3};
use super::{Doing, Setting, Whose, refused};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, FileKind, Listed};
use crate::edit::frames::{Frames, RetoldFrame};
use crate::edit::lists::Lists;
use crate::edit::snapshots::{Instead, Retold, Snapshots};
use crate::error::Result;
use crate::format::{dem, dm2, dm3, mvd, qwd};
use crate::frame;
use crate::game::quake2::{self, FullFrame};
use crate::game::quakeworld::EntityState;
use crate::game::{quake, quake3, quakeworld};
use crate::replay::World;
use crate::wire::ByteWriter;

/// Said where something cannot be read.
const FAULTY: &str = "blocks in which something cannot be read are as they were";

/// How each format tells states.
pub(super) enum Telling {
    Dem(dem::Decoder),
    Qwd(qwd::Decoder, Lists),
    Mvd(mvd::Decoder, Lists),
    Dm2(Box<Frames>),
    Dm3(Box<Snapshots>),
}

impl Telling {
    /// How a recording tells them, if it has the fields that are to be set.
    pub(super) fn of(world: &World, detected: &Detected, settings: &[Setting]) -> Result<Self> {
        for setting in settings {
            match (world, setting.whose) {
                (World::Dem(_), Whose::Entity(_)) => setting.is_in::<quake::EntityState>()?,
                (World::Dem(_), Whose::Player) => setting.is_in::<quake::Client>()?,
                (World::QuakeWorld(_), Whose::Entity(n)) if !(1..=quakeworld::World::SLOTS).contains(&n.into()) => {
                    setting.is_in::<EntityState>()?;
                }
                (World::QuakeWorld(_), _) => {
                    return Err(refused(format!(
                        "{setting}: states of players of QuakeWorld (entities 1 to {}) cannot be set, those of others can",
                        quakeworld::World::SLOTS
                    )));
                }
                (World::Dm2(_), Whose::Entity(_)) => setting.is_in::<quake2::EntityState>()?,
                (World::Dm2(_), Whose::Player) => setting.is_in::<quake2::PlayerState>()?,
                (World::Dm3(world), whose) => {
                    field_of_quake3(whose, setting, &world.dialect())?;
                }
                (World::Mvd2(_), _) => {}
            }
        }
        Ok(match world {
            World::Dem(_) => Telling::Dem(dem::Dem::decoder(detected)),
            World::QuakeWorld(_) => match detected.kind {
                FileKind::Mvd => Telling::Mvd(mvd::Mvd::decoder(detected), Lists::default()),
                _ => Telling::Qwd(qwd::Qwd::decoder(detected), Lists::default()),
            },
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
    pub(super) fn block(
        &mut self,
        chunk: &Chunk<'_>,
        world: &World,
        doing: &mut Doing<'_>,
        w: &mut ByteWriter,
    ) -> Result<()> {
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
                if fault.is_none()
                    && lists.block(&mut packet.messages, world, &decoder.dialect(), |now| of_quakeworld(now, doing))?
                {
                    packet.write(&mut d, w)?;
                }
            }
            (Telling::Mvd(decoder, lists), Chunk::Mvd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                let (mut packet, fault) = decoder.read(block);
                let mut d = decoder.before();
                if fault.is_none()
                    && lists.block(&mut packet.messages, world, &decoder.dialect(), |now| of_quakeworld(now, doing))?
                {
                    packet.write(&mut d, w)?;
                }
            }
            (Telling::Dm2(frames), Chunk::Dm2(frame::Chunk::Block(block)), World::Dm2(world)) => {
                match frames.block(block, world, |now| of_quake2(now, &world.dialect(), doing), |_| Ok(true))? {
                    RetoldFrame::New(packet, mut d) => packet.write(&mut d, w)?,
                    RetoldFrame::Faulty => doing.remark(FAULTY),
                    RetoldFrame::Same | RetoldFrame::TooLarge(_) => {}
                }
            }
            (Telling::Dm3(snapshots), Chunk::Dm3(frame::Chunk::Block(block)), World::Dm3(world)) => {
                match snapshots.block(block, world, |now| of_quake3(now, &world.dialect(), doing))? {
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
                if !doing.is_due(|of| of == Whose::Entity(number)) {
                    continue;
                }
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

fn of_quakeworld(now: &mut [EntityState], doing: &mut Doing<'_>) -> Result<bool> {
    let mut is_set = false;
    for state in now {
        is_set |= doing.set(Whose::Entity(state.number), state)?;
    }
    Ok(is_set)
}

fn of_quake2(now: &FullFrame, d: &dm2::Dialect, doing: &mut Doing<'_>) -> Result<Option<FullFrame>> {
    if !doing.is_due(|_| true) {
        return Ok(None);
    }
    for (nth, setting) in doing.due(|_| true) {
        if doing.done.get(nth) != Some(&true) {
            is_told_in_quake2(setting, d)?;
        }
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

/// Says whether the protocol tells a field: the states have those of all.
fn is_told_in_quake2(setting: &Setting, d: &dm2::Dialect) -> Result<()> {
    use quake2::{EntityState, PlayerState};
    match (setting.whose, d.recording) {
        (Whose::Player, dm2::Recording::TestRelease) => setting.is_told::<dm2::TestPlayerInfo, _, PlayerState>(d),
        (Whose::Player, _) => setting.is_told::<dm2::PlayerInfo, _, PlayerState>(d),
        (Whose::Entity(_), dm2::Recording::TestRelease) => setting.is_told::<dm2::TestEntity, _, EntityState>(d),
        (Whose::Entity(_), _) => setting.is_told::<dm2::PacketEntity, _, EntityState>(d),
    }
}

fn of_quake3(now: &quake3::FullSnapshot<'_>, d: &dm3::Dialect, doing: &mut Doing<'_>) -> Result<Option<Instead>> {
    let mut instead = Instead::as_recorded(now);
    for (nth, setting) in doing.due(|_| true) {
        match (setting.whose, field_of_quake3(setting.whose, setting, d)?) {
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
