//! From one world to another: what those are told who see one and are to see the other, without loading the level anew.

use super::World;
use super::keyframe::{LOW, stat, stuff, tracked};
use super::level::LevelState;
use super::players::Stats;
use super::states::{EntityState, PlayerState};
use crate::format::dem::{LightStyle, SetPause};
use crate::format::mvd::{self, Target};
use crate::format::qwd::{
    self, Dialect, EntGravity, MaxSpeed, Message, MvdPlayerInfo, PacketEntities, PacketEntity, PacketNumbers,
    UpdateUserInfo,
};
use crate::wire::F32;

impl World {
    /// The packets that tell those of this world who have seen another one of the same level, with these numbers: the
    /// first packet's, and that of the last client packet the server knows. `None` where there is no way but a full start:
    /// another level, or a level that has ended.
    pub(crate) fn packets_after(
        &self,
        shown: &World,
        time: F32,
        number: u32,
        acknowledged: u32,
    ) -> Option<Vec<qwd::Packet<'static>>> {
        let mut tables = self.tables_after(shown)?;
        let d = &self.dialect();
        let stats = |world: &World| world.recorder.and_then(|slot| world.stats(slot.into())).copied();
        let (before, now) = (stats(shown).unwrap_or_default(), stats(self).unwrap_or_default());
        tables.extend(Stats::diff(&before, &now).into_iter().map(stat));
        let var = |n: usize| Some(self.level.movevars.get(n)?).filter(|now| Some(*now) != shown.level.movevars.get(n));
        tables.extend(var(LevelState::MAXSPEED).map(|v| Message::MaxSpeed(MaxSpeed { maxspeed: (*v).into() })));
        let gravity = var(LevelState::ENTGRAVITY);
        tables.extend(gravity.map(|v| Message::EntGravity(EntGravity { entgravity: (*v).into() })));
        // Players who are out of view come in a packet of their own.
        let gone = |(slot, _): &(u8, &PlayerState)| {
            let state = |world: &World| world.slot(usize::from(*slot)).and_then(|slot| slot.state);
            state(self) != state(shown)
        };
        let others = self.players(!self.in_view).filter(gone);
        tables.extend(others.map(|(slot, state)| self.player(slot, state, d)));
        let mut frame: Vec<_> = self.players(self.in_view).map(|(slot, state)| self.player(slot, state, d)).collect();
        frame.extend(self.listing_after(shown, number, d));
        frame.extend(self.nail_lists());
        frame.extend(self.turned(d));
        let numbers = |n: u32| PacketNumbers { seq1: number.wrapping_add(n) & LOW, seq2: acknowledged & LOW };
        let told = [tables, frame].into_iter().filter(|messages| !messages.is_empty());
        Some((0..).zip(told).map(|(n, messages)| qwd::Packet::new(time, numbers(n), messages)).collect())
    }

    /// The records that do the same in a multi-view recording. No time passes with them. Where entities are not known any
    /// more ([`World::loses_entities`]), whoever numbers the lists has the last one name a list that is not there.
    pub(crate) fn records_after(&self, shown: &World) -> Option<Vec<mvd::Packet<'static>>> {
        let d = &self.dialect();
        let record = |target, slot, messages| mvd::Packet::new(mvd::Header::new(0, target, slot), messages);
        let mut records = Vec::new();
        let tables = self.tables_after(shown)?;
        if !tables.is_empty() {
            records.push(record(Target::All, 0, tables));
        }
        for (slot, (now, before)) in (0..).zip(self.slots.iter().zip(&shown.slots)) {
            let stats = now.stats.map(|now| Stats::diff(&before.stats.unwrap_or_default(), &now)).unwrap_or_default();
            if !stats.is_empty() {
                records.push(record(Target::Stats, slot, stats.into_iter().map(stat).collect()));
            }
        }
        let told = |slot: u8, state: &PlayerState| {
            let Some(before) = shown.slot(slot.into()).and_then(|slot| slot.state) else {
                return tracked(slot, state, d);
            };
            Message::MvdPlayerInfo(MvdPlayerInfo { player: slot, ..before.difference(state, d) })
        };
        let players = |slots: u32, all: bool| -> Vec<_> {
            let before = |slot: u8| shown.slot(usize::from(slot)).and_then(|slot| slot.state);
            let players = self.players(slots).filter(|(slot, state)| all || before(*slot) != Some(**state));
            players.map(|(slot, state)| told(slot, state)).collect()
        };
        let mut frame = players(self.in_view, true);
        frame.extend(self.listing_after(shown, self.sequence, d));
        frame.extend(self.nail_lists());
        for messages in [players(!self.in_view, false), frame] {
            if !messages.is_empty() {
                records.push(record(Target::All, 0, messages));
            }
        }
        records.extend(self.addressed());
        Some(records)
    }

    /// Score board, settings, light styles, pauses.
    fn tables_after(&self, shown: &World) -> Option<Vec<Message<'static>>> {
        let (level, old) = (&*self.level, &*shown.level);
        let names = |world: &World| (world.level.age, world.level.game.clone(), world.level.title.clone());
        let begun = self.levels.begun() > 0 && self.levels.begun() == shown.levels.begun();
        let same = begun && names(self) == names(shown) && level.extensions == old.extensions;
        let lists = level.models == old.models && level.sounds == old.sounds;
        let still = level.statics == old.statics && level.ambients == old.ambients;
        let ended = |a: bool, b: bool| a && !b;
        let over = ended(old.intermission.is_some(), level.intermission.is_some())
            || ended(old.finale.is_some(), level.finale.is_some());
        if !same || !lists || !still || over || !level.baselines.told().eq(old.baselines.told()) {
            return None;
        }
        let mut messages = Vec::new();
        for (player, (now, before)) in (0..).zip(self.slots.iter().zip(&shown.slots)) {
            let mut board = self.line(player, now);
            let known = shown.line(player, before);
            board.retain(|message| !known.contains(message) && !matches!(message, Message::UpdateEnterTime(_)));
            if now.entered != before.entered {
                let since = self.line(player, now).into_iter();
                board.extend(since.filter(|message| matches!(message, Message::UpdateEnterTime(_))));
            }
            messages.extend(board);
            if !now.is_told() && before.is_told() {
                let gone = UpdateUserInfo { player, user: 0, string: Vec::new().into() };
                messages.push(Message::UpdateUserInfo(gone));
            }
        }
        if level.serverinfo != old.serverinfo {
            messages.push(stuff([b"fullserverinfo \"", &*level.serverinfo, b"\"\n"].concat()));
        }
        for style in 0..64u8 {
            let text = |world: &World| world.lightstyle(style.into()).unwrap_or_default().to_vec();
            if text(self) != text(shown) {
                messages.push(Message::LightStyle(LightStyle { style, string: text(self).into() }));
            }
        }
        if level.intermission != old.intermission {
            messages.extend(self.intermission_told(&self.dialect()));
        }
        if level.finale != old.finale {
            messages.extend(self.finale_told());
        }
        let is_paused = self.paused.is_told();
        if is_paused != shown.paused.is_told() {
            messages.push(Message::SetPause(SetPause { pausestate: is_paused.into() }));
        }
        Some(messages)
    }

    /// True where the entities are known to those who see another world, and not in this one: what they build on was not
    /// recorded.
    pub(crate) fn loses_entities(&self, shown: &World) -> bool {
        !self.frames.is_complete() && shown.listed().is_some()
    }

    /// The list of entities for those who see another world, in the packet with a number or the one behind it: whole, or as
    /// the difference to a list that nobody has. Engines take the list before for that in multi-view recordings, whatever is
    /// named, so the entities that are not known any more go one by one.
    fn listing_after(&self, shown: &World, number: u32, d: &Dialect) -> Option<Message<'static>> {
        if !self.loses_entities(shown) {
            return self.listing_in_view(d);
        }
        let mut list = self.unknown_list(number);
        if let (Message::DeltaPacketEntities(list), true) = (&mut list, self.multiview) {
            let gone = |state: &EntityState| PacketEntity { remove: true, ..PacketEntity::of(state.number) };
            list.entities = shown.frames.entities().iter().map(gone).collect();
        }
        Some(list)
    }

    /// Number of the packet whose entities are in view.
    pub(crate) fn listed(&self) -> Option<u32> {
        self.frames.in_view().map(|(number, _)| number)
    }

    /// The whole list of the entities in view, in the place of the difference to one that is not there; without those that
    /// no whole list can tell. `None` where the entities are not known.
    pub(crate) fn whole_list(&self) -> Option<PacketEntities> {
        let d = &self.dialect();
        let mut list = self.entities_in_view(d)?;
        list.entities.retain(|entity| entity.fits_list(d));
        Some(list)
    }
}
