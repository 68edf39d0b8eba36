//! Taking in chunks.

use std::sync::Arc;

use super::level::{Ending, EndingKind, Fog, Picture, add};
use super::{Client, State, Stats, World};
use crate::describe::State as StateOf;
use crate::format::dem::{Block, Chunk, Damage, Dem, Dialect, Message, ServerInfo, TempEntity, track_number};
use crate::format::{Begin, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::wire::Coord;
use crate::world::{Beam, DamageMessage, Sound, StringKind, TextKind};

/// What a client is told of damage: to those in whose slots it is, or to the recorder.
pub(crate) fn damage_to(victims: Option<u32>, m: &Damage) -> DamageMessage {
    let save = i32::from(m.save);
    let by_world = m.origin.iter().all(|v| v.float().get() == 0.0);
    DamageMessage { attacker: None, victims, amount: save + i32::from(m.take), save, cause: None, by_world }
}

impl World {
    /// Takes in the next chunk. Gives the fault in it; what stands in front of a fault is taken in.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_with(&mut self, chunk: &Chunk<'_>, others: &mut [&mut dyn Visitor<Dem>]) -> Option<Diagnostic> {
        self.changes.clear();
        match chunk {
            Chunk::Start(line) => {
                self.state.forced_track = track_number(line);
                None
            }
            Chunk::End | Chunk::Trailer(_) => None,
            Chunk::Unframed(unframed) => {
                // The frame before still stands: it is that of its time. Base states may be among what was lost.
                self.state.lost();
                if !self.state.whole_level {
                    self.visible.settle(false, &mut self.changes);
                }
                Some(unframed.into())
            }
            Chunk::Block(block) => self.block(block, others),
        }
    }

    fn block(&mut self, block: &Block<'_>, others: &mut [&mut dyn Visitor<Dem>]) -> Option<Diagnostic> {
        let diagnostic = Owned::visit_with(self, |world| &mut world.decoder, block, others);
        let decoded = self.decoder.get().is_none_or(|decoder| decoder.dialect().decoded);
        self.end_block(diagnostic.is_some(), decoded);
        diagnostic
    }

    fn end_block(&mut self, lost: bool, decoded: bool) {
        let state = &mut self.state;
        if lost {
            state.lost();
            state.whole_frame = false;
        }
        if !decoded {
            // A level of a protocol that is not decoded: nothing of it is known.
            state.whole_level = false;
        }
        let complete = state.whole_level && state.whole_frame;
        if !complete {
            self.visible.forget_fresh();
        }
        self.visible.settle(complete && state.keep, &mut self.changes);
        self.changes.level = state.begins;
        self.changes.sent = state.timed;
        if state.timed {
            state.levels.frame();
        }
        self.changes.frame = complete && state.timed;
    }

    /// What is in nearly every frame.
    #[inline(always)]
    fn message(&mut self, message: &Message<'_>) {
        let state = &mut self.state;
        match message {
            Message::UpdateEntity(_) if self.texts_only => {}
            Message::UpdateEntity(m) => {
                self.visible.update(m, state.level.baselines.base(m.entity.0), &state.level.facts.dialect);
            }
            Message::Time(m) => {
                if state.time(m.time.0.get()) {
                    self.visible.forget_fresh();
                }
            }
            Message::ClientData(m) => {
                let client = Client::after(m, state.client.as_ref(), &state.level.facts.dialect);
                state.stats.take(&client);
                state.client = Some(client);
            }
            Message::Sound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: Some(m.source.entity),
                channel: m.source.channel,
                origin: Some(m.origin.map(|v| v.float().get())),
                volume: m.vol.map_or(1.0, |v| v.get()),
                attenuation: m.attenuation.map_or(1.0, |v| v.get()),
                delay_ms: 0,
            }),
            _ => self.other_message(message),
        }
    }

    /// What is not in every frame.
    #[inline(never)]
    fn other_message(&mut self, message: &Message<'_>) {
        let state = &mut self.state;
        match message {
            Message::ServerInfo(m) => {
                state.begin_level(m);
                self.visible.forget_fresh();
                self.changes.tell(StringKind::Level, m.mapname.bytes(), None);
            }
            Message::LocalSound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: None,
                channel: 0,
                origin: None,
                volume: 1.0,
                attenuation: 0.0,
                delay_ms: 0,
            }),
            Message::TempEntity(TempEntity {
                entitytype,
                entity: Some(entity),
                origin: Some(from),
                trace_endpos,
                ..
            }) => {
                let float = |place: [Coord; 3]| place.map(|v| v.float().get());
                let to = float(trace_endpos.unwrap_or(*from));
                self.changes.beams.push(Beam { entity: *entity, kind: *entitytype, from: float(*from), to });
            }
            Message::Print(m) => self.changes.say(TextKind::Print(None), m.text.bytes(), None),
            Message::Damage(m) => self.changes.damage.push(damage_to(None, m)),
            Message::CenterPrint(m) => self.changes.say(TextKind::Center, m.text.bytes(), None),
            Message::StuffText(m) => self.changes.say(TextKind::Console, m.text.bytes(), None),
            Message::Intermission(_) => state.end(EndingKind::Intermission, &[]),
            Message::Finale(m) => {
                self.changes.say(TextKind::Center, m.text.bytes(), None);
                state.end(EndingKind::Finale, m.text.bytes());
            }
            Message::CutScene(m) => {
                self.changes.say(TextKind::Center, m.text.bytes(), None);
                state.end(EndingKind::CutScene, m.text.bytes());
            }
            Message::UpdateStat(m) => state.stats.set(usize::from(m.index.0), m.value),
            Message::KilledMonster(_) => state.stats.add(Stats::MONSTERS),
            Message::FoundSecret(_) => state.stats.add(Stats::SECRETS),
            Message::SetView(m) => state.set_view(m.entity),
            Message::SetPause(m) => state.paused = m.pausestate != 0,
            Message::SignonNum(m) => state.signon = m.signon,
            Message::CdTrack(m) => {
                let forced = state.forced_track;
                state.track = Some(if forced == -1 { i32::from(m.fromtrack) } else { forced });
            }
            _ => self.level_message(message),
        }
    }

    /// What changes the tables of the level.
    fn level_message(&mut self, message: &Message<'_>) {
        let dialect = &{ self.state.level.facts.dialect };
        // Keyframes share it: it is copied for what changes it alone.
        let level = &mut self.state.level;
        match message {
            Message::SpawnBaseline(m) => {
                Arc::make_mut(&mut Arc::make_mut(level).baselines).set(m.entity, StateOf::of(m, dialect))
            }
            Message::SpawnBaseline2(m) => {
                Arc::make_mut(&mut Arc::make_mut(level).baselines).set(m.entity, StateOf::of(m, dialect))
            }
            Message::SpawnStatic(m) => add(&mut Arc::make_mut(level).statics, StateOf::of(m, dialect)),
            Message::SpawnStatic2(m) => add(&mut Arc::make_mut(level).statics, StateOf::of(m, dialect)),
            Message::SpawnStaticSound(m) => add(&mut Arc::make_mut(level).ambient, StateOf::of(m, dialect)),
            Message::SpawnStaticSound2(m) => add(&mut Arc::make_mut(level).ambient, StateOf::of(m, dialect)),
            Message::LightStyle(m) => {
                if let Some(style) = Arc::make_mut(level).light_style(m.style) {
                    *style = m.string.bytes().into();
                }
            }
            Message::UpdateName(m) => {
                self.changes.on_board(m.player);
                self.changes.tell(StringKind::Name, m.netname.bytes(), Some(m.player));
                if let Some(score) = Arc::make_mut(level).score(m.player) {
                    score.name = m.netname.bytes().into();
                }
            }
            Message::UpdateFrags(m) => {
                self.changes.on_board(m.player);
                if let Some(score) = Arc::make_mut(level).score(m.player) {
                    score.frags = Some(m.frags);
                }
            }
            Message::UpdateColors(m) => {
                self.changes.on_board(m.player);
                if let Some(score) = Arc::make_mut(level).score(m.player) {
                    score.colors = Some(m.colors);
                }
            }
            Message::SkyBox(m) => m.name.bytes().clone_into(&mut Arc::make_mut(level).sky),
            Message::SkyBoxSize(m) => Arc::make_mut(level).sky_size = Some(m.size.float().get()),
            Message::Fog(m) => {
                let part = |v: u8| f32::from(v) / 255.0;
                let color = [m.red, m.green, m.blue].map(part);
                Arc::make_mut(level).fog =
                    Some(Fog { density: part(m.density), color, fade: f32::from(m.fade) / 100.0 });
            }
            Message::NehahraFog(m) => {
                let color = [m.red, m.green, m.blue].map(|v| f32::from(v.unwrap_or(0)) / 255.0);
                let density = m.density.map(|v| v.get());
                Arc::make_mut(level).fog = density.map(|density| Fog { density, color, fade: 0.0 });
            }
            Message::ShowLmp(m) => {
                let (slot, file) = (m.slot.bytes().to_vec(), m.picture.bytes().to_vec());
                let level = Arc::make_mut(level);
                Arc::make_mut(&mut level.pictures).retain(|p| p.slot != slot);
                add(&mut level.pictures, Picture { slot, file, place: [m.x, m.y] });
            }
            Message::HideLmp(m) => {
                Arc::make_mut(&mut Arc::make_mut(level).pictures).retain(|p| p.slot != m.slot.bytes())
            }
            _ => {}
        }
    }
}

impl Visitor<Dem> for World {
    fn takes_back(&self) -> bool {
        true
    }

    fn begin(&mut self, begin: Begin<'_, '_, Dem>) {
        // Where the protocol can be read in several ways, a fault may show that this was the wrong one.
        self.before = begin.on_trial.then(|| Box::new(self.state.clone()));
        self.state.begin_block(begin.block);
    }

    #[inline(always)]
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        World::message(self, message);
    }

    fn take_back(&mut self) {
        if let Some(before) = self.before.take() {
            self.state = *before;
        }
        self.changes.clear();
        self.visible.forget_fresh();
    }
}

impl State {
    fn begin_block(&mut self, block: &Block<'_>) {
        self.camera = block.header.camera.map(|angle| angle.get());
        self.timed = false;
        self.keep = true;
        self.begins = false;
    }

    /// Bytes were lost. Base states are among them unless the level had been told in full.
    fn lost(&mut self) {
        if self.signon < 3 {
            self.whole_level = false;
        }
    }

    /// The server's clock shows a time. True when that begins a new frame.
    #[inline]
    fn time(&mut self, time: f32) -> bool {
        self.clock.seconds(time);
        self.timed = true;
        // The same time again goes on with its frame: what was told at that time is in view.
        let new = self.time != Some(time);
        if new {
            self.time = Some(time);
            self.keep = false;
            self.whole_frame = true;
        }
        new
    }

    fn begin_level(&mut self, m: &ServerInfo<'_>) {
        self.clock.restart();
        self.time = None;
        self.whole_level = true;
        self.whole_frame = true;
        self.levels.begin();
        Arc::make_mut(&mut self.level).begin(m);
        self.stats = Stats::default();
        self.client = None;
        self.recorder = None;
        self.view_entity = None;
        self.paused = false;
        self.signon = 0;
        self.keep = false;
        self.begins = true;
    }

    /// The server first puts a player's view on the player: later on it may be a camera.
    fn set_view(&mut self, entity: u16) {
        self.view_entity = Some(entity);
        self.recorder = self.recorder.or(self.player_slot(entity));
    }

    /// Slot of the player that an entity is.
    pub(super) fn player_slot(&self, entity: u16) -> Option<u8> {
        let slot = u8::try_from(entity.checked_sub(1)?).ok()?;
        (slot < self.level.facts.maxclients).then_some(slot)
    }

    fn end(&mut self, kind: EndingKind, text: &[u8]) {
        let ending = Ending { kind, time: self.time, text: text.to_vec() };
        Arc::make_mut(&mut self.level).ending = Some(ending);
        // A full start tells how the level ended, and when: nothing is shown yet.
        if self.signon < 3 {
            self.clock.restart();
        }
    }
}
