//! Messages of QuakeWorld as Quake has them.

use std::io::Write;

use super::ToQuake;
use super::slots::Slots;
use super::things::coord;
use crate::convert::across::Output;
use crate::convert::loss::Loss;
use crate::convert::quakeworld::alike::{BLOOD, CHAT, CHAT_MARK, LIGHTNING, PARTICLES, of_quakeworld};
use crate::describe::{Attenuation, SoundIndex, Velocity16, Volume};
use crate::format::dem::{self, ChannelEntity, Dem, Message};
use crate::format::qwd;
use crate::game::quakeworld::info::full_serverinfo;
use crate::game::quakeworld::stat;
use crate::wire::{Angle, AngleKind, Coord, IntoOwned as _, info_value};

impl ToQuake {
    /// What becomes of a message.
    pub(super) fn take<W: Write>(&mut self, message: qwd::Message<'_>, out: &mut Output<Dem, W>) {
        use qwd::Message as Told;
        match &message {
            Told::KilledMonster(_) => self.add(stat::MONSTERS),
            Told::FoundSecret(_) => self.add(stat::SECRETS),
            _ => {}
        }
        let new = match message {
            Told::ServerData(m) => {
                out.progress.is_from(m.serverversion);
                (self.signs_on, self.shows, self.began) = (true, false, self.now());
                self.slots = Slots::default();
                return;
            }
            Told::PlayerInfo(_)
            | Told::PacketEntities(_)
            | Told::DeltaPacketEntities(_)
            | Told::Nails(_)
            | Told::Nails2(_) => {
                self.shows = true;
                return;
            }
            // A level begins with all that is known of it.
            Told::ModelList(_)
            | Told::FteModelList(_)
            | Told::SoundList(_)
            | Told::SpawnBaseline(_)
            | Told::FteSpawnBaseline2(_)
            | Told::SpawnStatic(_)
            | Told::FteSpawnStatic2(_)
            | Told::SpawnStaticSound(_)
                if self.signs_on =>
            {
                return;
            }
            Told::LightStyle(_) | Told::CdTrack(_) if self.signs_on => return,
            // The score board and the stats are told when they have changed.
            Told::UpdateFrags(_) | Told::UpdateStat(_) | Told::UpdateStatLong(_) => return,
            Told::UpdateUserInfo(m) => {
                let has = |key| info_value(m.string.bytes(), key).is_some_and(|value| !value.is_empty());
                if has("team") || has("skin") {
                    out.lose(Loss::Board);
                }
                return;
            }
            Told::SetInfo(m) => {
                let is_told = matches!(m.name.bytes(), b"name" | b"topcolor" | b"bottomcolor");
                if !is_told {
                    out.lose(Loss::Board);
                }
                return;
            }
            Told::UpdatePing(_) | Told::UpdatePl(_) | Told::UpdateEnterTime(_) | Told::ServerInfo(_) => {
                return out.lose(Loss::Board);
            }
            Told::MaxSpeed(_) | Told::EntGravity(_) => return out.lose(Loss::Movement),
            Told::Choke(_) | Told::Download(_) => return out.lose(Loss::Connection),
            Told::Nop(_) | Told::Bad(_) | Told::Disconnect(_) | Told::Time(_) => return,
            Told::SmallKick(_) => {
                self.kick = -2;
                return;
            }
            Told::BigKick(_) => {
                self.kick = -4;
                return;
            }
            Told::MuzzleFlash(m) => {
                self.flashes |= m.entity.checked_sub(1).map_or(0, |slot| 1u32.checked_shl(slot.into()).unwrap_or(0));
                return;
            }
            Told::StuffText(m) if self.signs_on || full_serverinfo(m.text.bytes()).is_some() => return,
            // Between levels clients of QuakeWorld connect anew. A recording of Quake would stop there.
            Told::StuffText(m) if matches!(m.text.bytes().trim_ascii(), b"changing" | b"reconnect") => return,
            Told::CdTrack(m) => Message::CdTrack(dem::CdTrack { fromtrack: m.track, totrack: m.track }),
            Told::StopSound(m) => match self.slots.entity(m.source.entity) {
                Some(entity) => {
                    let source = ChannelEntity { entity, ..m.source };
                    Message::StopSound(dem::StopSound { source })
                }
                None => return out.lose(Loss::Sound),
            },
            Told::Damage(mut m) => {
                self.places(&mut m.origin, out);
                Message::Damage(m)
            }
            Told::Intermission(_) => Message::Intermission(dem::Intermission {}),
            Told::SetAngle(m) => Message::SetAngle(dem::SetAngle {
                angles: m.angles.map(|angle| Angle::of_float(angle.float(), AngleKind::I8)),
            }),
            Told::Print(m) => {
                let mark: &[u8] = if m.level == CHAT { &[CHAT_MARK] } else { &[] };
                Message::Print(dem::Print { text: [mark, m.string.bytes()].concat().into() })
            }
            Told::Sound(mut m) => {
                self.places(&mut m.origin, out);
                let (Some(entity), Ok(number)) = (self.slots.entity(m.head.entity), u8::try_from(m.soundnum.0)) else {
                    return out.lose(Loss::Sound);
                };
                Message::Sound(dem::Sound {
                    vol: m.head.vol.map(Volume),
                    attenuation: m.head.attenuation.map(Attenuation),
                    source: ChannelEntity { channel: m.head.channel, entity },
                    soundnum: SoundIndex(number.into()),
                    origin: m.origin,
                    ..dem::Sound::default()
                })
            }
            Told::TempEntity(m) => self.effect(m, out),
            other => match of_quakeworld(other) {
                Some(same) => same,
                None => return out.lose(Loss::Message),
            },
        };
        self.waiting.push(new.into_owned());
    }

    fn places<W: Write>(&mut self, places: &mut [Coord; 3], out: &mut Output<Dem, W>) {
        *places = places.map(|v| coord(v.float(), out));
    }

    fn effect<W: Write>(&mut self, mut m: qwd::TempEntity, out: &mut Output<Dem, W>) -> Message<'static> {
        self.places(&mut m.origin, out);
        if let Some(end) = &mut m.trace_endpos {
            self.places(end, out);
        }
        let count = m.count.unwrap_or(1);
        let particles = |color, count| {
            let vel = [Velocity16(0); 3];
            Message::Particle(dem::Particle { origin: m.origin, vel, count, color })
        };
        match m.entitytype {
            2 if count != 1 => particles(0, count.saturating_mul(PARTICLES).min(u8::MAX - 1)),
            12 => particles(BLOOD, count.saturating_mul(PARTICLES).min(u8::MAX - 1)),
            13 => particles(LIGHTNING, 50),
            entitytype => Message::TempEntity(dem::TempEntity {
                entitytype,
                entity: m.entity.map(|entity| self.slots.entity(entity).unwrap_or(0)),
                origin: Some(m.origin),
                trace_endpos: m.trace_endpos,
                ..dem::TempEntity::default()
            }),
        }
    }
}
