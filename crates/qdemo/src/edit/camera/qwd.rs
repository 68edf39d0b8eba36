//! QuakeWorld: the place of the recorder's own player, and the view of the recorder's commands.

use super::{Film, Pose, Shooting, Step, View};
use crate::demo::Chunk;
use crate::describe::StatIndex;
use crate::error::Result;
use crate::format::qwd::{
    BlockKind, Contents, Decoder, Dialect, Message, PlayerCoord, PlayerFlags, Qwd, UpdateStat, UserCommand,
};
use crate::frame::{self, Block};
use crate::game::ShortOrLong;
use crate::game::quakeworld::{World as QuakeWorld, stat};
use crate::replay::World;
use crate::wire::{Coord, F32};
use crate::world::Scene;

#[derive(Default)]
pub(super) struct Client {
    /// How the block at hand is read.
    dialect: Option<Dialect>,
    /// Where the camera is, while there is one; else the view is the recorded one.
    pose: Option<Pose>,
    /// The recorder's weapon is not in view.
    unarmed: bool,
    /// The last command, up to the next block.
    held: Option<Held>,
}

/// A command that is not written yet. The place comes with packets and the angles with commands, so a shot begins and ends with
/// a packet and the commands of its time. Clients record those behind it; they may stand in front of it, too.
struct Held {
    bytes: Vec<u8>,
    time: F32,
    dialect: Dialect,
    /// Where the camera is at its time.
    pose: Option<Pose>,
}

fn quakeworld(world: &World) -> Option<&QuakeWorld> {
    if let World::QuakeWorld(world) = world { Some(world) } else { None }
}

impl Client {
    /// A command that goes nowhere: engines guess from commands where the recorder is.
    fn command(command: &mut UserCommand, pose: &Pose) {
        let angles = pose.angles.map(F32::from);
        *command = UserCommand { msec: 0, angles, speed: [0; 3], viewangles: angles, ..*command };
    }

    /// Writes the command that is held back, with the view of what comes next where that has the same time.
    fn release(&mut self, next: Option<(F32, Option<View>)>, film: &mut Film<'_>) -> Result<()> {
        let Some(Held { bytes, time, dialect, pose }) = self.held.take() else { return Ok(()) };
        let pose = match next.filter(|(at, _)| *at == time) {
            Some((_, view)) => view.map(|view| pose.filter(|_| !view.cut).unwrap_or(view.pose)),
            None => pose,
        };
        let told = pose.and_then(|pose| {
            let (mut packet, fault) = Decoder::new(dialect).read(&Block::of_bytes(&bytes, 0, 0)?);
            let Contents::Command(command) = &mut packet.contents else { return None };
            Self::command(command, &pose);
            packet.to_bytes(dialect).ok().filter(|_| fault.is_none())
        });
        film.block(&bytes, told.as_deref())
    }

    /// The messages of a packet of a shot; how many flashes were left out.
    fn packet(messages: &mut Vec<Message<'_>>, pose: &Pose, world: &QuakeWorld, d: &Dialect) -> u64 {
        let before = messages.len();
        messages.retain(|message| {
            !matches!(message, Message::Damage(_) | Message::SmallKick(_) | Message::BigKick(_))
                && !matches!(message, Message::StuffText(m) if m.text.bytes() == b"bf\n")
        });
        let own = world.recorder();
        for message in messages.iter_mut() {
            match message {
                Message::PlayerInfo(m) if own == Some(usize::from(m.player)) => {
                    let height = own.map_or(0.0, |own| world.view_height(own));
                    let [x, y, z] = pose.place;
                    let kind = d.player_coord;
                    m.origin = [x, y, z - height].map(|v| PlayerCoord(Coord::of_float(F32::from(v), kind)));
                    (m.velocity_x, m.velocity_y, m.velocity_z) = (None, None, None);
                    m.flags = m.flags.without(PlayerFlags::DEAD | PlayerFlags::GIB | PlayerFlags::ONGROUND);
                }
                Message::UpdateStat(m) if usize::from(m.index.0) == stat::WEAPON_MODEL => m.value = 0,
                Message::UpdateStatLong(m) if usize::from(m.index.0) == stat::WEAPON_MODEL => m.value = 0,
                _ => {}
            }
        }
        (before - messages.len()) as u64
    }

    /// The model of the weapon in the recorder's hand, told anew.
    fn weapon(world: &QuakeWorld) -> Option<Message<'static>> {
        let stats = world.stats(world.recorder()?)?;
        Some(match stats.message(stat::WEAPON_MODEL) {
            ShortOrLong::Short(m) => Message::UpdateStat(m),
            ShortOrLong::Long(m) => Message::UpdateStatLong(m),
        })
    }
}

impl Shooting for Client {
    fn shows(&self, world: &World) -> bool {
        quakeworld(world).is_some_and(|world| {
            let in_view = world.recorder().is_some_and(|slot| world.is_in_view(slot));
            in_view && world.intermission().is_none() && world.is_complete()
        })
    }

    /// Commands go with packets.
    fn may_cut(&self, chunk: &Chunk<'_>) -> bool {
        !matches!(chunk, Chunk::Qwd(frame::Chunk::Block(block)) if block.header.kind == BlockKind::Command)
    }

    fn before(&mut self, world: &World) {
        self.dialect = quakeworld(world).map(QuakeWorld::dialect);
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Qwd(frame::Chunk::Block(block)), Some(world), Some(d)) =
            (step.chunk, quakeworld(step.world), self.dialect)
        else {
            return film.block(step.bytes, None);
        };
        if world.changes().level {
            // Stats are told anew, and the first of them is the weapon in hand.
            (self.pose, self.unarmed) = (None, false);
        }
        self.pose = step.view.map(|view| view.pose);
        if block.header.kind == BlockKind::Command {
            self.flush(film)?;
            let (bytes, time) = (step.bytes.to_vec(), block.header.time.0);
            self.held = Some(Held { bytes, time, dialect: d, pose: self.pose });
            return Ok(());
        }
        self.release(Some((block.header.time.0, step.view)), film)?;
        if self.pose.is_none() && !self.unarmed || step.bytes.is_empty() {
            return film.block(step.bytes, None);
        }
        let mut decoder = Decoder::new(d);
        let (mut packet, fault) = decoder.read(block);
        let d = decoder.before();
        if fault.is_some() {
            film.account.remark("blocks in which something cannot be read are as they were, with the recorded view");
            return film.block(step.bytes, None);
        }
        match (&mut packet.contents, &self.pose) {
            (Contents::Packet(_), Some(pose)) => {
                film.account.flashes_dropped += Self::packet(&mut packet.messages, pose, world, &d);
                film.account.recorder_missing += u64::from(world.changes().frame);
                if pose.fov.is_some() {
                    film.account.remark(super::NO_FOV);
                }
                if !std::mem::replace(&mut self.unarmed, true) {
                    let index = StatIndex(stat::WEAPON_MODEL as u16);
                    packet.messages.push(Message::UpdateStat(UpdateStat { index, value: 0 }));
                }
            }
            (Contents::Packet(_), None) => {
                self.unarmed = false;
                packet.messages.extend(Self::weapon(world));
            }
            _ => return film.block(step.bytes, None),
        }
        film.packet::<Qwd>(step, &packet, d)
    }

    fn flush(&mut self, film: &mut Film<'_>) -> Result<()> {
        self.release(None, film)
    }
}
