//! Quake: the view is put on an entity of its own, and its angles stand in front of each block.

use super::operator::View;
use super::{Film, Shooting, Step};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::BlockOf;
use crate::format::dem::{Decoder, Dem, Dialect, Header, Message, Nop, Packet, SetView};
use crate::frame;
use crate::game::quake::{Client, EntityState, InView, World as QuakeWorld};
use crate::replay::World;
use crate::wire::{Angle, Coord, F32};

/// Numbers of entities that every engine has room for: WinQuake's `MAX_EDICTS`.
const ROOM: u16 = 600;

#[derive(Default)]
pub(super) struct Quake {
    /// How the block at hand is read.
    dialect: Option<Dialect>,
    /// Entities that the view is on in turn, while it is on one: at a cut the other one takes over, so that engines do not show
    /// a way from here to there.
    on: Option<On>,
}

#[derive(Clone, Copy)]
struct On {
    entity: u16,
    angles: [F32; 3],
}

/// The name of a model that does not show its back, as eyes have none: the view is within it.
const EYES: &[u8] = b"progs/eyes.mdl";

impl Quake {
    /// A number for an entity of our own, other than the one before, that the level does not use.
    fn number(&self, world: &QuakeWorld) -> u16 {
        let is_free = |number: &u16| {
            world.baseline(*number).is_none()
                && world.entity_state(*number).is_none()
                && self.on.is_none_or(|on| on.entity != *number)
        };
        let players = u16::from(world.maxclients());
        (players + 1..ROOM).rev().chain(ROOM..u16::MAX).find(is_free).unwrap_or(ROOM - 1)
    }

    /// The entity that the view is on. Engines move entities that have a model alone; they do not draw the one that the view is
    /// on.
    fn entity(number: u16, view: &View, world: &QuakeWorld, d: &Dialect) -> Message<'static> {
        let models = (1..u16::MAX).map_while(|n| world.model_name(n).map(|name| (n, name)));
        let eyes = models.filter(|(_, name)| *name == EYES).map(|(n, _)| n).next();
        let own = world.view_entity().and_then(|own| world.entity_state(own)).map(|own| own.model);
        let model = eyes.or(own.filter(|model| *model != 0)).unwrap_or(1);
        let state = EntityState {
            model,
            origin: view.pose.place.map(|v| Coord::of_float(F32::from(v), d.coord)),
            angles: view.pose.angles.map(|v| Angle::of_float(F32::from(v), d.angle)),
            ..EntityState::zero(d)
        };
        let entity = InView { number, state, step: false, snap: false, lerp_finish: None };
        Message::UpdateEntity(entity.update(world.baselines().base(number), d))
    }

    /// The recorder's state, for those who look from elsewhere: eyes at the place itself, no weapon, and nothing that moves the
    /// view.
    fn beside(client: &Client) -> Client {
        use crate::describe::SignedByte;
        Client {
            view_height: SignedByte(0),
            ideal_pitch: SignedByte(0),
            punch: [SignedByte(0); 3],
            velocity: [SignedByte(0); 3],
            on_ground: false,
            weapon_model: 0,
            health: client.health.max(1),
            ..*client
        }
    }

    /// A block that nothing is in but the angles: engines turn from those of one block to those of the next.
    fn turn(angles: [F32; 3], d: Dialect, film: &mut Film<'_>) -> Result<()> {
        let packet = Packet::new(angles, vec![Message::Nop(Nop {})]);
        film.made(&packet.to_bytes(d)?)
    }

    /// A block within a shot.
    fn shot(
        &mut self,
        block: &BlockOf<'_, Dem>,
        step: &Step<'_>,
        world: &QuakeWorld,
        d: Dialect,
        film: &mut Film<'_>,
    ) -> Result<()> {
        let was = self.on;
        if let Some(view) = step.view {
            let is_free = |on: &On| world.baseline(on.entity).is_none() && world.entity_state(on.entity).is_none();
            let entity = match self.on.filter(|on| is_free(on) && !view.cut) {
                Some(on) => on.entity,
                None => self.number(world),
            };
            if view.pose.fov.is_some() {
                film.account.remark(super::NO_FOV);
            }
            self.on = Some(On { entity, angles: view.pose.angles.map(F32::from) });
            if view.cut {
                Self::turn(view.pose.angles.map(F32::from), d, film)?;
            }
        }
        let Some(on) = self.on else { return film.block(step.bytes, None) };
        let (mut packet, fault, d) = read(block, d);
        if fault {
            film.account.remark("blocks in which something cannot be read are as they were, with the recorded view");
            return film.block(step.bytes, None);
        }
        packet.header = Header { camera: on.angles, ..packet.header };
        let before = packet.messages.len();
        packet.messages.retain(|message| !is_flash(message));
        film.account.flashes_dropped += (before - packet.messages.len()) as u64;
        let client = world.client().map(Self::beside);
        let mut told = false;
        for message in &mut packet.messages {
            match message {
                Message::SetView(m) => m.entity = on.entity,
                Message::ClientData(m) => {
                    if let Some(client) = &client {
                        *m = client.message(None, &d);
                    }
                    told = true;
                }
                _ => {}
            }
        }
        if let Some(view) = &step.view {
            if was.is_none_or(|was| was.entity != on.entity) {
                let client = client.filter(|_| !told).map(|client| Message::ClientData(client.message(None, &d)));
                packet.messages.extend(client);
                packet.messages.push(Message::SetView(SetView { entity: on.entity }));
            }
            packet.messages.push(Self::entity(on.entity, view, world, &d));
        }
        film.packet::<Dem>(step, &packet, d)
    }

    /// The first frame behind a shot: the view is where the recording has it.
    fn back(
        block: &BlockOf<'_, Dem>,
        step: &Step<'_>,
        world: &QuakeWorld,
        d: Dialect,
        film: &mut Film<'_>,
    ) -> Result<()> {
        let (mut packet, fault, d) = read(block, d);
        Self::turn(block.header.camera, d, film)?;
        let tells = |is: fn(&Message<'_>) -> bool| packet.messages.iter().any(is);
        let mut last = Vec::new();
        if !tells(|message| matches!(message, Message::ClientData(_))) {
            last.extend(world.client().map(|client| Message::ClientData(client.message(None, &d))));
        }
        if !tells(|message| matches!(message, Message::SetView(_))) {
            last.extend(world.view_entity().map(|entity| Message::SetView(SetView { entity })));
        }
        if fault {
            film.made(&Packet::new(block.header.camera, last).to_bytes(d)?)?;
            return film.block(step.bytes, None);
        }
        packet.messages.extend(last);
        film.packet::<Dem>(step, &packet, d)
    }
}

/// The messages of a block, whether some of them cannot be read, and how they were.
fn read<'b>(block: &BlockOf<'b, Dem>, d: Dialect) -> (Packet<'b>, bool, Dialect) {
    let mut decoder = Decoder::new(d);
    let (packet, fault) = decoder.read(block);
    (packet, fault.is_some(), decoder.before())
}

/// True for what colours or turns the view of the recorder for a moment.
fn is_flash(message: &Message<'_>) -> bool {
    match message {
        Message::Damage(_) | Message::BonusFlash(_) => true,
        Message::StuffText(m) => m.text.bytes() == b"bf\n",
        _ => false,
    }
}

fn quake(world: &World) -> Option<&QuakeWorld> {
    if let World::Dem(world) = world { Some(world) } else { None }
}

impl Shooting for Quake {
    fn shows(&self, world: &World) -> bool {
        use crate::world::Scene;
        quake(world).is_some_and(|world| world.is_shown() && world.changes().frame)
    }

    fn before(&mut self, world: &World) {
        self.dialect = quake(world).map(QuakeWorld::dialect);
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Dem(frame::Chunk::Block(block)), Some(world), Some(d)) =
            (step.chunk, quake(step.world), self.dialect)
        else {
            return film.block(step.bytes, None);
        };
        if !world.is_shown() {
            // A level begins: nothing is left of the one before.
            self.on = None;
        }
        match (step.view, self.on) {
            (None, None) => film.block(step.bytes, None),
            _ if block.is_final() => film.block(step.bytes, None),
            (None, Some(_)) if self.shows(step.world) => {
                self.on = None;
                Self::back(block, step, world, d, film)
            }
            _ => self.shot(block, step, world, d, film),
        }
    }
}
