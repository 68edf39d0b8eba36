//! From one world to another: what those are told who see one and are to see the other, without loading the level anew.

use super::entities::{InView, diff_entities};
use super::keyframe::{CAMERA, owned, scenery, time};
use super::stats::Stats;
use super::{Client, EntityState, World};
use crate::format::dem::{
    CdTrack, Colors, Dialect, HideLmp, LightStyle, Message, Packet, SetPause, SetView, UpdateColors, UpdateFrags,
    UpdateName,
};
use crate::game::ShortOrLong;
use crate::game::split::split;
use crate::wire::{Angle, Coord, F32, Fault};

/// What a frame shows: the recorder's state and view, and things in view.
pub(crate) struct Sight {
    client: Option<Client>,
    camera: [f32; 3],
    in_view: Vec<InView>,
}

impl Sight {
    /// The same of another frame.
    pub(crate) fn take(&mut self, world: &World) {
        (self.client, self.camera) = (world.state.client, world.state.camera);
        self.in_view.clear();
        self.in_view.extend_from_slice(world.in_view());
    }
}

impl World {
    /// What a frame of this world shows.
    pub(crate) fn sight(&self) -> Sight {
        Sight { client: self.state.client, camera: self.state.camera, in_view: self.in_view().to_vec() }
    }

    /// A frame at a time in the level of this world.
    pub(crate) fn frame_of(&self, sight: &Sight, seconds: f32) -> Result<Vec<Packet<'static>>, Fault> {
        let d = self.dialect();
        let mut messages = vec![time(seconds)];
        messages.extend(sight.client.iter().map(|client| Message::ClientData(client.message(None, &d))));
        let updates = diff_entities(&sight.in_view, &self.state.level.baselines, &d);
        messages.extend(updates.into_iter().map(Message::UpdateEntity));
        self.packed(messages, seconds, sight.camera)
    }

    fn packed(
        &self,
        messages: Vec<Message<'static>>,
        seconds: f32,
        camera: [f32; 3],
    ) -> Result<Vec<Packet<'static>>, Fault> {
        let camera = camera.map(F32::from);
        let packets = split(messages, Some(&time(seconds)), Self::MOST, &mut self.dialect())?;
        Ok(packets.into_iter().map(|messages| Packet::new(camera, messages)).collect())
    }

    /// A frame of this world at a time, with all that is to be told to those who have seen another one of the same level.
    /// `None` where there is no way but a full start: another level, or a level that has ended.
    pub(crate) fn after(&self, shown: &World, seconds: f32) -> Result<Option<Vec<Packet<'static>>>, Fault> {
        let (now, before) = (&self.state, &shown.state);
        let (level, old) = (&*now.level, &*before.level);
        let begun = now.levels.begun() > 0 && now.whole_level;
        // The same map may be played twice.
        let same = begun
            && now.levels.begun() == before.levels.begun()
            && level.facts == old.facts
            && level.baselines == old.baselines;
        let ended = old.ending.is_some() && level.ending != old.ending;
        let statics = level.statics.get(..old.statics.len()) == Some(&old.statics[..]);
        let ambient = level.ambient.get(..old.ambient.len()) == Some(&old.ambient[..]);
        if !same || ended || !statics || !ambient || now.signon < before.signon {
            return Ok(None);
        }
        let d = self.dialect();
        let mut messages = vec![time(seconds)];
        let new = level.statics.iter().skip(old.statics.len());
        messages.extend(new.map(|state| still(state, &d)));
        let new = level.ambient.iter().skip(old.ambient.len());
        messages.extend(new.map(|sound| match sound.message(&d) {
            ShortOrLong::Short(m) => Message::SpawnStaticSound(m),
            ShortOrLong::Long(m) => Message::SpawnStaticSound2(m),
        }));
        self.tables_after(shown, &d, &mut messages);
        let mut told = before.stats;
        if let Some(client) = &now.client {
            messages.push(Message::ClientData(client.message(None, &d)));
            told.take(client);
        }
        messages.extend(Stats::diff(&told, &now.stats).into_iter().map(Message::UpdateStat));
        if now.paused != before.paused {
            messages.push(Message::SetPause(SetPause { pausestate: now.paused.into() }));
        }
        if now.view_entity != before.view_entity {
            messages.extend(now.view_entity.map(|entity| Message::SetView(SetView { entity })));
        }
        if now.track != before.track {
            // As in a full start.
            messages.extend(
                now.track.map(|track| Message::CdTrack(CdTrack { fromtrack: track as u8, totrack: track as u8 })),
            );
        }
        if level.ending != old.ending {
            messages.extend(level.ending.iter().flat_map(super::keyframe::ending).skip(1));
        }
        let updates = diff_entities(self.in_view(), &level.baselines, &d);
        messages.extend(updates.into_iter().map(Message::UpdateEntity));
        self.packed(messages, seconds, now.camera).map(Some)
    }

    /// Score board, light styles, sky, fog and pictures.
    fn tables_after(&self, shown: &World, d: &Dialect, messages: &mut Vec<Message<'static>>) {
        let (level, old) = (&*self.state.level, &*shown.state.level);
        for player in 0..=u8::MAX {
            let at = usize::from(player);
            let (now, before) = (level.scores.get(at), old.scores.get(at));
            if now == before {
                continue;
            }
            let name = now.map_or(&[][..], |score| &score.name);
            if before.map_or(&[][..], |score| &score.name) != name {
                messages.push(Message::UpdateName(UpdateName { player, netname: owned(name) }));
            }
            let frags = now.and_then(|score| score.frags);
            if before.and_then(|score| score.frags) != frags {
                messages.push(Message::UpdateFrags(UpdateFrags { player, frags: frags.unwrap_or(0) }));
            }
            let colors = now.and_then(|score| score.colors);
            if before.and_then(|score| score.colors) != colors {
                let colors = colors.unwrap_or(Colors(0));
                messages.push(Message::UpdateColors(UpdateColors { player, colors }));
            }
        }
        for style in 0..=u8::MAX {
            let at = usize::from(style);
            let text = |world: &World| world.state.level.light_styles.get(at).cloned().unwrap_or_default();
            if text(self) != text(shown) {
                messages.push(Message::LightStyle(LightStyle { style, string: owned(&text(self)) }));
            }
        }
        let sights = |world: &World| {
            let level = &world.state.level;
            (level.sky.clone(), level.sky_size.map(f32::to_bits), level.fog, level.pictures.clone())
        };
        if sights(self) != sights(shown) {
            let gone = old.pictures.iter().filter(|old| !level.pictures.contains(old));
            messages.extend(gone.map(|picture| Message::HideLmp(HideLmp { slot: owned(&picture.slot) })));
            messages.extend(scenery(level, d));
        }
    }

    /// What is shown between a frame and that of this world: things in view and the camera a share of the way from one to
    /// the other, and the recorder's state as it was.
    pub(crate) fn between(&self, before: &Sight, share: f32) -> Sight {
        let d = self.dialect();
        let towards = |entity: &InView| {
            let next = self.visible.get(entity.number).filter(|next| !next.snap && !next.step);
            let state = next.map_or(entity.state, |next| blend(&entity.state, &next.state, share, &d));
            InView { state, ..*entity }
        };
        let turn = |i: usize| turned(before.camera[i], self.state.camera[i], share);
        Sight {
            client: before.client,
            camera: std::array::from_fn(turn),
            in_view: before.in_view.iter().map(towards).collect(),
        }
    }

    /// True when a level has been told in full, so that frames of it are shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.state.whole_level && self.state.signon >= 3 && self.state.time.is_some()
    }

    /// What the server's clock shows.
    pub(crate) fn seconds(&self) -> Option<f32> {
        self.state.time
    }

    /// Where those look who connect.
    pub(crate) const NO_CAMERA: [F32; 3] = CAMERA;
}

fn still(state: &EntityState, d: &Dialect) -> Message<'static> {
    match state.still(d) {
        ShortOrLong::Short(m) => Message::SpawnStatic(m),
        ShortOrLong::Long(m) => Message::SpawnStatic2(m),
    }
}

/// A jump of more units than this within a frame is no movement: engines do not show it as one.
const TELEPORT: f32 = 100.0;

fn blend(from: &EntityState, to: &EntityState, share: f32, d: &Dialect) -> EntityState {
    let (a, b) = (from.origin(), to.origin());
    if a.iter().zip(b).any(|(a, b)| (b - a).abs() > TELEPORT) {
        return *from;
    }
    let (turn, towards) = (from.angles(), to.angles());
    let mut state = *from;
    state.origin = std::array::from_fn(|i| match a[i] == b[i] {
        true => from.origin[i],
        false => Coord::of_float(F32::from(a[i] + (b[i] - a[i]) * share), d.coord),
    });
    state.angles = std::array::from_fn(|i| match turn[i] == towards[i] {
        true => from.angles[i],
        false => Angle::of_float(F32::from(turned(turn[i], towards[i], share)), d.angle),
    });
    state
}

/// An angle between two others, the short way round.
fn turned(from: f32, to: f32, share: f32) -> f32 {
    if from == to {
        return from;
    }
    from + ((to - from + 540.0).rem_euclid(360.0) - 180.0) * share
}
