//! Snapshots of Quake III that show something else in the output than in the recording: each is told as the difference to
//! what the output has shown.

use crate::error::Result;
use crate::format::dm3::{AreaMask, Block, Contents, Dialect, Message, Packet, Snapshot};
use crate::game::quake3::{EntityState, FullSnapshot, PlayerState, SnapshotBuilder, World, tell_difference};

/// Snapshots that engines keep, so that others may build on them.
const RING: usize = 32;
/// Entities that engines have room for in a snapshot (`MAX_ENTITIES_IN_SNAPSHOT` in `cg_public.h`).
pub(crate) const MOST_ENTITIES: usize = 256;

/// What a snapshot shows instead.
#[derive(Debug, Clone)]
pub(crate) struct Instead {
    /// The player through whose eyes one looks.
    pub(crate) player: PlayerState,
    /// The areas that cannot be seen.
    pub(crate) areas: AreaMask,
    /// Entities that are others than in the recording, by number; `None`: not there. Others are as they were.
    pub(crate) entities: Vec<(u16, Option<EntityState>)>,
}

impl Instead {
    /// What the recording shows.
    pub(crate) fn as_recorded(now: &FullSnapshot<'_>) -> Self {
        Instead { player: *now.player(), areas: now.areas(), entities: Vec::new() }
    }

    /// Shows an entity in another state, or not at all.
    pub(crate) fn set(&mut self, number: u16, state: Option<EntityState>) {
        match self.entities.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => self.entities[at].1 = state,
            Err(at) => self.entities.insert(at, (number, state)),
        }
    }

    /// True for an entity that is another one than in the recording.
    pub(crate) fn has(&self, number: u16) -> bool {
        self.entities.binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }

    /// The entity in the output, where it is another one.
    pub(crate) fn entity(&self, number: u16) -> Option<Option<&EntityState>> {
        let at = self.entities.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.entities.get(at).map(|(_, state)| state.as_ref())
    }
}

/// A block that the world has just read, to be written with other messages; with another snapshot, where there is one.
pub(crate) fn packet_of(block: &Block<'_>, world: &World, mut snapshot: Option<Snapshot>) -> Option<Packet<'static>> {
    let contents = world.contents()?;
    // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
    let contents = match contents.closed {
        true => Contents { rel_ack: contents.rel_ack, ..Contents::new(0, &world.dialect()) },
        false => contents.clone(),
    };
    let messages = world.messages().iter().map(|message| match message {
        Message::Snapshot(_) => snapshot.take().map_or_else(|| message.clone(), Message::Snapshot),
        other => other.clone(),
    });
    Some(Packet { header: block.model(), contents, messages: messages.collect() })
}

/// What becomes of a block.
pub(crate) enum Retold {
    /// It is as it was.
    Same,
    /// It would be another one, but its entities are not in order.
    OutOfOrder,
    /// It is another one.
    New(Packet<'static>, Dialect),
}

/// The snapshots that were changed, the last ones.
pub(crate) struct Snapshots {
    /// By the lowest bits of their numbers.
    ring: Vec<Option<(i32, Instead)>>,
    /// Memory for the next one.
    spare: Option<Snapshot>,
}

impl Default for Snapshots {
    fn default() -> Self {
        Snapshots { ring: std::iter::repeat_with(|| None).take(RING).collect(), spare: None }
    }
}

impl Snapshots {
    fn told(&self, number: i32) -> Option<&Instead> {
        let (told, instead) = self.ring.get(number as usize % RING)?.as_ref()?;
        (*told == number).then_some(instead)
    }

    /// A block that the world has just read. `show` says what its snapshot shows instead; it is asked for whole snapshots alone.
    pub(crate) fn block(
        &mut self,
        block: &Block<'_>,
        world: &World,
        show: impl FnOnce(&FullSnapshot<'_>) -> Result<Option<Instead>>,
    ) -> Result<Retold> {
        let messages = world.messages();
        if messages.iter().any(|m| matches!(m, Message::Gamestate(_))) {
            self.ring.fill_with(|| None);
        }
        let is_faulty = block.is_cut() || messages.iter().any(|m| m.kind().is_none());
        let number = block.header.sequence;
        let now = world.complete_snapshot().filter(|now| !is_faulty && now.number() == number);
        let told = messages.iter().find_map(|m| if let Message::Snapshot(told) = m { Some(told) } else { None });
        let (Some(now), Some(told)) = (now, told) else { return Ok(Retold::Same) };
        let instead = show(&now)?;
        let builds_on_other = told.delta_num > 0 && self.told(number.saturating_sub(told.delta_num.into())).is_some();
        if instead.is_none() && !builds_on_other {
            return Ok(Retold::Same);
        }
        if !told.entities().is_sorted_by(|a, b| a.number < b.number) {
            return Ok(Retold::OutOfOrder);
        }
        let spare = self.spare.take();
        let made = self.snapshot(spare, told, &now, instead.as_ref(), world);
        if let Some(place) = self.ring.get_mut(number as usize % RING) {
            *place = instead.map(|instead| (number, instead));
        }
        let packet = packet_of(block, world, Some(made));
        Ok(packet.map_or(Retold::Same, |packet| Retold::New(packet, world.dialect())))
    }

    /// Takes back what was written, for its memory.
    pub(crate) fn recycle(&mut self, packet: Packet<'_>) {
        let snapshot = |message| if let Message::Snapshot(snapshot) = message { Some(snapshot) } else { None };
        self.spare = packet.messages.into_iter().find_map(snapshot);
    }

    /// A snapshot as the difference to what the output has shown.
    fn snapshot(
        &self,
        spare: Option<Snapshot>,
        told: &Snapshot,
        now: &FullSnapshot<'_>,
        shown: Option<&Instead>,
        world: &World,
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
        // Entities are told as the recording tells them, but for those that are others here or in what it builds on.
        let differs = |made: &mut Snapshot, number: u16| {
            let there = |told: Option<&Instead>, recorded: Option<FullSnapshot<'_>>| {
                let other = told.and_then(|told| told.entity(number)).map(|state| state.copied());
                other.unwrap_or_else(|| recorded.and_then(|recorded| recorded.entity(number).copied()))
            };
            let (old, new) = (there(before, base), there(shown, Some(*now)));
            tell_difference(made, number, old.as_ref(), new.as_ref(), world.baselines());
        };
        let others = |told: Option<&Instead>| {
            told.into_iter().flat_map(|told| &told.entities).map(|(number, _)| *number).collect::<Vec<_>>()
        };
        let mut others = [others(before), others(shown)].concat();
        others.sort_unstable();
        others.dedup();
        let mut others = others.into_iter().peekable();
        for update in told.entities() {
            while let Some(number) = others.next_if(|number| *number < update.number) {
                differs(&mut made, number);
            }
            match others.next_if_eq(&update.number) {
                Some(number) => differs(&mut made, number),
                None => made.tell_again(&update, 0, |_, bits| bits),
            }
        }
        for number in others {
            differs(&mut made, number);
        }
        (made.delta_num, made.snap_flags, made.rel_ack) = (told.delta_num, told.snap_flags, told.rel_ack);
        made.areamask = shown.map_or(told.areamask, |shown| shown.areas);
        made
    }
}
