//! Quake III: the state of the player who is seen becomes that of a camera, and the player an entity.

use super::{Film, Shooting, Step};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dm3::{Contents, Dm3, Message, Packet, Snapshot};
use crate::frame;
use crate::game::quake3::{
    EntityState, EventsTold, FullSnapshot, PlayerState, SnapshotBuilder, Viewpoint, World as Quake3World, all_areas,
    tell_difference,
};
use crate::replay::World;

/// Snapshots that engines keep, so that others may build on them.
const RING: usize = 32;

/// A snapshot that is another one in the output.
struct Told {
    number: i32,
    player: PlayerState,
    /// The player who is seen in the recording.
    seen: Option<(u16, EntityState)>,
}

pub(super) struct Quake3 {
    /// By the lowest bits of their numbers.
    ring: Vec<Option<Told>>,
    events: Option<EventsTold>,
    jumped: bool,
    /// Memory for the next snapshot.
    spare: Option<Snapshot>,
}

impl Default for Quake3 {
    fn default() -> Self {
        Quake3 { ring: std::iter::repeat_with(|| None).take(RING).collect(), events: None, jumped: false, spare: None }
    }
}

impl Quake3 {
    fn told(&self, number: i32) -> Option<&Told> {
        self.ring.get(number as usize % RING)?.as_ref().filter(|told| told.number == number)
    }

    /// What a snapshot of a shot shows.
    fn shot(
        &mut self,
        now: &FullSnapshot<'_>,
        step: &Step<'_>,
        world: &Quake3World,
        film: &mut Film<'_>,
    ) -> Option<Told> {
        let Some(view) = step.view else {
            self.events = None;
            return None;
        };
        let Some(slot) = world.free_slot() else {
            film.account
                .remark("all 64 slots have players: there is none for a camera, and the view is the recorded one");
            return None;
        };
        self.jumped ^= view.cut;
        if view.pose.fov.is_some() && !world.has_fov() {
            film.account.remark(super::NO_FOV);
        }
        let super::Pose { place, angles, fov } = view.pose;
        let player = world.seen_from(now, &Viewpoint { place, angles, fov, slot, jumped: self.jumped });
        let seen = world.seen_entity(now, &mut self.events).filter(|(number, _)| now.entity(*number).is_none());
        film.account.recorder_shown += u64::from(seen.is_some());
        Some(Told { number: now.number(), player, seen })
    }

    /// A snapshot as the difference to what the output has shown.
    fn snapshot<'t>(
        &'t self,
        spare: Option<Snapshot>,
        told: &Snapshot,
        now: &FullSnapshot<'_>,
        shown: Option<&'t Told>,
        world: &Quake3World,
    ) -> Snapshot {
        let back = i32::from(told.delta_num);
        let number = now.number().saturating_sub(back);
        let base = if back > 0 && number > 0 { world.earlier(number) } else { None };
        let before = base.and_then(|_| self.told(number));
        let from = before.map(|told| &told.player).or(base.map(|base| base.player())).unwrap_or(&PlayerState::ZERO);
        let to = shown.map_or(now.player(), |shown| &shown.player);
        let empty = match spare {
            Some(spare) => spare.begin_again(told.server_time, &world.dialect()),
            None => Snapshot::new(told.server_time, &world.dialect()),
        };
        let mut made = SnapshotBuilder::on(empty, (from, to)).build();
        // Entities are told as the recording tells them, but for the players through whose eyes it looks.
        let differs = |made: &mut Snapshot, number: u16| {
            let seen =
                |told: Option<&'t Told>| told.and_then(|told| told.seen.as_ref()).filter(|seen| seen.0 == number);
            let old = seen(before).map(|seen| &seen.1).or(base.and_then(|base| base.entity(number)));
            let new = seen(shown).map(|seen| &seen.1).or(now.entity(number));
            tell_difference(made, number, old, new, world.baselines());
        };
        let mut seen: Vec<_> =
            [before, shown].into_iter().flatten().filter_map(|told| Some(told.seen.as_ref()?.0)).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut seen = seen.into_iter().peekable();
        for update in told.entities() {
            while let Some(number) = seen.next_if(|number| *number < update.number) {
                differs(&mut made, number);
            }
            match seen.next_if_eq(&update.number) {
                Some(number) => differs(&mut made, number),
                None => made.tell_again(&update, 0, |_, bits| bits),
            }
        }
        for number in seen {
            differs(&mut made, number);
        }
        (made.delta_num, made.snap_flags, made.rel_ack) = (told.delta_num, told.snap_flags, told.rel_ack);
        // The mask is that of the recorder's place.
        made.areamask = if shown.is_some() { all_areas(&told.areamask) } else { told.areamask };
        made
    }
}

fn quake3(world: &World) -> Option<&Quake3World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

impl Shooting for Quake3 {
    fn shows(&self, world: &World) -> bool {
        use crate::world::Scene;
        quake3(world).is_some_and(|world| world.changes().frame && world.complete_snapshot().is_some())
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Dm3(frame::Chunk::Block(block)), Some(world)) = (step.chunk, quake3(step.world)) else {
            return film.block(step.bytes, None);
        };
        // The world has read the block.
        let messages = world.messages();
        if messages.iter().any(|m| matches!(m, Message::Gamestate(_))) {
            self.ring.fill_with(|| None);
            self.events = None;
        }
        let is_faulty = block.is_cut() || messages.iter().any(|m| m.kind().is_none());
        let number = block.header.sequence;
        let now = world.complete_snapshot().filter(|now| !is_faulty && now.number() == number);
        let told = messages.iter().find_map(|m| if let Message::Snapshot(told) = m { Some(told) } else { None });
        let (Some(now), Some(told), Some(contents)) = (now, told, world.contents()) else {
            return film.block(step.bytes, None);
        };
        let shown = self.shot(&now, step, world, film);
        let builds_on_shot = told.delta_num > 0 && self.told(number.saturating_sub(told.delta_num.into())).is_some();
        if shown.is_none() && !builds_on_shot {
            return film.block(step.bytes, None);
        }
        if !told.entities().is_sorted_by(|a, b| a.number < b.number) {
            film.account.remark("snapshots whose entities are not in order are as they were, with the recorded view");
            return film.block(step.bytes, None);
        }
        let spare = self.spare.take();
        let made = self.snapshot(spare, told, &now, shown.as_ref(), world);
        if let Some(place) = self.ring.get_mut(number as usize % RING) {
            *place = shown;
        }
        let mut made = Some(made);
        let written = messages.iter().map(|message| match message {
            Message::Snapshot(_) => made.take().map_or_else(|| message.clone(), Message::Snapshot),
            other => other.clone(),
        });
        let d = world.dialect();
        // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
        let contents = match contents.closed {
            true => Contents { rel_ack: contents.rel_ack, ..Contents::new(0, &d) },
            false => contents.clone(),
        };
        let packet = Packet { header: block.model(), contents, messages: written.collect() };
        film.packet::<Dm3>(step, &packet, d)?;
        let snapshot = |message| if let Message::Snapshot(snapshot) = message { Some(snapshot) } else { None };
        self.spare = packet.messages.into_iter().find_map(snapshot);
        Ok(())
    }
}
