//! From a world to the packets of a full start: what a server sends to those who connect, and one full frame.

use super::World;
use super::entities::diff_entities;
use super::level::{Ending, EndingKind, Fog, LevelState, Names};
use super::stats::Stats;
use crate::describe::Seconds;
use crate::format::dem::{
    self as format, CdTrack, CutScene, Dialect, Finale, Intermission, Message, MessageKind, NehahraFog, Packet,
    ServerInfo, SetPause, SetView, ShowLmp, SignonNum, SkyBox, SkyBoxSize, Time, UpdateColors, UpdateFrags, UpdateName,
};
use crate::game::ShortOrLong;
use crate::game::split::split;
use crate::wire::{Coord, F32, Fault, Str, StrList};

/// The view before there is one.
pub(super) const CAMERA: [F32; 3] = [F32::from_bits(0); 3];

impl World {
    /// Bytes of messages in a block: id's engine has room for no more (`MAX_MSGLEN`), later ones for 32,000 or 64,000.
    pub(crate) const MOST: usize = 8000;

    /// The packets of a full start: with them in front, a recording that goes on from here plays from here. Empty when no
    /// level has begun.
    ///
    /// They are what a server sends to those who connect, in its three stages (`signonnum`): serverinfo, music and view;
    /// base states and what never moves; the score board, light styles, sky, fog and pictures, stats that no frame tells, and
    /// how the level ended. Then comes one frame: time, the recorder's state, and every entity in view as the difference to its base state. A
    /// block has at most 8,000 bytes, which is what id's engine takes, unless one message has more: a frame that needs
    /// more goes on in the next block under the same time.
    ///
    /// A new world that takes the packets in shows the same ([`World::difference`]), and goes on in the same way. Not the
    /// same are what counts from the beginning of a recording, demo time and the number of the level; that entities come
    /// into view with the keyframe, so that all of them [snap](super::InView::snap); and texts, sounds and effects, which
    /// are of one moment. What the CD track line of the file asks for is told by `cdtrack` as well.
    ///
    /// The packets are for a recording in the [variant](format::Variant) of [`World::dialect`], which is the
    /// standard one of its protocol in nearly all files.
    ///
    /// Sources: WinQuake `sv_main.c` (`SV_SendServerinfo`, `SV_SendClientMessages`), `host_cmd.c` (`Host_Spawn_f`),
    /// `quakedef.h`; QuakeSpasm `cl_demo.c` for recordings that begin in the middle of a game.
    ///
    /// # Errors
    /// A level whose beginning was not recorded, so that base states may be missing, and what the dialect cannot write.
    pub fn keyframe(&self) -> Result<Vec<Packet<'static>>, Fault> {
        let state = &self.state;
        if state.levels.begun() == 0 {
            return Ok(Vec::new());
        }
        if !state.whole_level {
            return Err(Fault::unwritable("the beginning of the level was not recorded, base states may be missing"));
        }
        let d = self.dialect();
        let mut to = Dialect::initial(d.variant);
        let mut stages = vec![self.introduction(), self.still_things(&d), self.tables(&d)];
        for (stage, signon) in stages.iter_mut().zip(1..) {
            // Beyond the last stage a number means nothing, but it was told.
            let told = if signon == 3 { state.signon.max(3) } else { signon };
            if state.signon >= signon {
                stage.push(Message::SignonNum(SignonNum { signon: told }));
            }
        }
        let mut packets = Vec::new();
        for stage in stages {
            packets.extend(split(stage, None, Self::MOST, &mut to)?);
        }
        packets.retain(|messages| !messages.is_empty());
        // Those who connect look nowhere yet.
        let mut packets: Vec<_> = packets.into_iter().map(|messages| Packet::new(CAMERA, messages)).collect();
        let camera = state.camera.map(F32::from);
        let time = state.time.map(time);
        let frame: Vec<_> = time.clone().into_iter().chain(self.frame(&d)).collect();
        if !frame.is_empty() {
            let frame = split(frame, time.as_ref(), Self::MOST, &mut to)?;
            packets.extend(frame.into_iter().map(|messages| Packet::new(camera, messages)));
        }
        if let Some(last) = packets.last_mut() {
            last.header.camera = camera;
        }
        Ok(packets)
    }

    /// Protocol, names of models and sounds, music, view.
    fn introduction(&self) -> Vec<Message<'static>> {
        let state = &self.state;
        let facts = &state.level.facts;
        let list = |names: &Names| StrList::from_strings(names.iter());
        let mut messages = vec![Message::ServerInfo(ServerInfo {
            extensions: facts.extensions.clone(),
            serverversion: facts.protocol,
            protocolflags: facts.flags,
            gamedir: facts.gamedir.clone().map(Str::from),
            maxclients: facts.maxclients,
            multi: facts.deathmatch.into(),
            mapname: owned(&facts.title),
            models: list(&facts.models),
            sounds: list(&facts.sounds),
        })];
        if let Some(track) = state.track {
            // Numbers above 255 can only stand in the line in front of the file, which tells them again.
            messages.push(Message::CdTrack(CdTrack { fromtrack: track as u8, totrack: track as u8 }));
        }
        // The first view on a player is the recorder's.
        let recorder = state.recorder.map(|slot| u16::from(slot) + 1);
        let view = state.view_entity.filter(|entity| recorder != Some(*entity));
        messages.extend(recorder.into_iter().chain(view).map(|entity| Message::SetView(SetView { entity })));
        messages
    }

    /// Base states, and what never changes.
    fn still_things(&self, d: &Dialect) -> Vec<Message<'static>> {
        let level = &self.state.level;
        let baselines = level.baselines.iter().map(|(number, state)| match state.baseline(number, d) {
            ShortOrLong::Short(m) => Message::SpawnBaseline(m),
            ShortOrLong::Long(m) => Message::SpawnBaseline2(m),
        });
        let statics = level.statics.iter().map(|state| match state.still(d) {
            ShortOrLong::Short(m) => Message::SpawnStatic(m),
            ShortOrLong::Long(m) => Message::SpawnStatic2(m),
        });
        let sounds = level.ambient.iter().map(|sound| match sound.message(d) {
            ShortOrLong::Short(m) => Message::SpawnStaticSound(m),
            ShortOrLong::Long(m) => Message::SpawnStaticSound2(m),
        });
        baselines.chain(statics).chain(sounds).collect()
    }

    /// Score board, light styles, what the mods of later engines show, and how the level ended.
    fn tables(&self, d: &Dialect) -> Vec<Message<'static>> {
        let level = &self.state.level;
        let mut messages = self.board();
        let styles = (0..=u8::MAX).zip(level.light_styles.iter());
        messages.extend(styles.map(|(style, s)| Message::LightStyle(format::LightStyle { style, string: owned(s) })));
        messages.extend(scenery(level, d));
        messages.extend(self.stats_told(false));
        messages.extend(level.ending.iter().flat_map(ending));
        messages
    }

    /// The score board: names, frags and colours of every slot that was told of.
    pub(crate) fn board(&self) -> Vec<Message<'static>> {
        let mut messages = Vec::new();
        for (player, score) in (0..=u8::MAX).zip(self.state.level.scores.iter()) {
            messages.push(Message::UpdateName(UpdateName { player, netname: owned(&score.name) }));
            messages.extend(score.frags.map(|frags| Message::UpdateFrags(UpdateFrags { player, frags })));
            messages.extend(score.colors.map(|colors| Message::UpdateColors(UpdateColors { player, colors })));
        }
        messages
    }

    /// Stats that are not as `clientdata` tells them: those that it has a field for, or the others.
    fn stats_told(&self, by_client: bool) -> impl Iterator<Item = Message<'static>> {
        let mut told = Stats::default();
        if let Some(client) = &self.state.client {
            told.take(client);
        }
        let messages = Stats::diff(&told, &self.state.stats).into_iter();
        let of_client = move |m: &format::UpdateStat| told.get(m.index.0.into()).is_some() == by_client;
        messages.filter(of_client).map(Message::UpdateStat)
    }

    /// The recorder's state and the entities in view.
    fn frame(&self, d: &Dialect) -> Vec<Message<'static>> {
        let state = &self.state;
        let mut messages = Vec::new();
        messages.extend(state.client.iter().map(|client| Message::ClientData(client.message(None, d))));
        messages.extend(self.stats_told(true));
        if state.paused {
            messages.push(Message::SetPause(SetPause { pausestate: 1 }));
        }
        let updates = diff_entities(self.in_view(), &state.level.baselines, d);
        messages.extend(updates.into_iter().map(Message::UpdateEntity));
        messages
    }

    /// The first part in which another world differs, by name; `None` when both show the same. Left out is what a
    /// [keyframe](World::keyframe) cannot carry.
    pub fn difference(&self, other: &World) -> Option<&'static str> {
        self.differences(other).first().copied()
    }

    /// All parts in which another world differs, by name: see [`World::difference`].
    pub fn differences(&self, other: &World) -> Vec<&'static str> {
        let (one, two) = (&self.state, &other.state);
        let in_view = |world: &World| -> Vec<_> {
            world.in_view().iter().map(|e| (e.number, e.state, e.step, e.lerp_finish)).collect()
        };
        let (a, b) = (&*one.level, &*two.level);
        // What is no number is the same as itself.
        let bits = |angles: [f32; 3]| angles.map(f32::to_bits);
        let parts = [
            ("level begun", (one.levels.begun() > 0) == (two.levels.begun() > 0)),
            ("time", one.time.map(f32::to_bits) == two.time.map(f32::to_bits)),
            ("level", a.facts == b.facts),
            ("base states", a.baselines == b.baselines),
            ("static entities", a.statics == b.statics),
            ("ambient sounds", a.ambient == b.ambient),
            ("light styles", a.light_styles == b.light_styles),
            ("score board", a.scores == b.scores),
            ("everything of the level", a == b),
            ("stats", one.stats == two.stats),
            ("client", one.client == two.client),
            ("view", (one.recorder, one.view_entity) == (two.recorder, two.view_entity)),
            ("angles of the view", bits(one.camera) == bits(two.camera)),
            ("pause", one.paused == two.paused),
            ("stage", one.signon == two.signon),
            ("music", one.track == two.track),
            ("entities", in_view(self) == in_view(other)),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

pub(super) fn owned(text: &[u8]) -> Str<'static> {
    text.to_vec().into()
}

pub(super) fn time(seconds: f32) -> Message<'static> {
    Message::Time(Time { time: Seconds(seconds.into()) })
}

/// Sky, fog and pictures, where they were told.
pub(super) fn scenery(level: &LevelState, d: &Dialect) -> Vec<Message<'static>> {
    let mut messages = Vec::new();
    if !level.sky.is_empty() {
        messages.push(Message::SkyBox(SkyBox { name: owned(&level.sky) }));
    }
    if let Some(size) = level.sky_size {
        messages.push(Message::SkyBoxSize(SkyBoxSize { size: Coord::of_float(size.into(), d.coord) }));
    }
    messages.extend(level.fog.as_ref().map(|fog| fog_message(fog, d)));
    let pictures = level.pictures.iter().map(|picture| {
        let [x, y] = picture.place;
        Message::ShowLmp(ShowLmp { slot: owned(&picture.slot), picture: owned(&picture.file), x, y })
    });
    messages.extend(pictures);
    messages
}

/// The fog as the dialect tells it: in FitzQuake's message or in Nehahra's.
fn fog_message(fog: &Fog, d: &Dialect) -> Message<'static> {
    // The reverse of what reading does: whole 255ths.
    let part = |share: f32| (share * 255.0).round() as u8;
    let [red, green, blue] = fog.color.map(part);
    if d.number_of(MessageKind::Fog).is_some() {
        let fade = (fog.fade * 100.0).round() as i16;
        return Message::Fog(format::Fog { density: part(fog.density), red, green, blue, fade });
    }
    let [red, green, blue] = [red, green, blue].map(Some);
    Message::NehahraFog(NehahraFog { enable: 1, density: Some(fog.density.into()), red, green, blue })
}

/// The end of a level, at its time.
pub(super) fn ending(ending: &Ending) -> impl Iterator<Item = Message<'static>> {
    let text = owned(&ending.text);
    let message = match ending.kind {
        EndingKind::Intermission => Message::Intermission(Intermission {}),
        EndingKind::Finale => Message::Finale(Finale { text }),
        EndingKind::CutScene => Message::CutScene(CutScene { text }),
    };
    ending.time.map(time).into_iter().chain([message])
}
