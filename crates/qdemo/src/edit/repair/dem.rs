//! What repairing takes of Quake's `.dem`: every frame is whole, and nothing builds on another one.

use std::collections::BTreeSet;

use super::mend::Mend;
use super::survey::Seen;
use crate::describe::Seconds;
use crate::error::Moment;
use crate::format::dem::{Dem, Dialect, Message, Packet, SetView, SignonNum, Time};
use crate::format::{BlockOf, Packet as AnyPacket};
use crate::replay::World;
use crate::wire::{F32, Str, StrList};
use crate::world::{Scene as _, microseconds};

/// Seconds that the server's clock may leap.
const LEAP: f32 = 60.0;

impl Mend for Dem {
    fn number(block: &BlockOf<'_, Self>, _: &Dialect) -> Option<i64> {
        block.time().filter(|time| time.is_finite()).map(microseconds)
    }

    /// A server that stands still sends the same again and again.
    fn is_single(block: &BlockOf<'_, Self>, world: &World) -> bool {
        let World::Dem(world) = world else { return false };
        block.time().is_some() && !world.is_paused()
    }

    fn begins(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, Message::ServerInfo(_)))
    }

    fn is_of_level(packet: &AnyPacket<'_, Self>) -> bool {
        use Message::{SignonNum, SpawnBaseline, SpawnBaseline2, SpawnStatic, SpawnStatic2};
        use Message::{SpawnStaticSound, SpawnStaticSound2};
        let is_base = |m: &Message<'_>| matches!(m, SignonNum(_) | SpawnBaseline(_) | SpawnBaseline2(_));
        let is_still = |m: &Message<'_>| matches!(m, SpawnStatic(_) | SpawnStatic2(_));
        let is_sound = |m: &Message<'_>| matches!(m, SpawnStaticSound(_) | SpawnStaticSound2(_));
        packet.messages.iter().any(|m| is_base(m) || is_still(m) || is_sound(m))
    }

    fn is_possible(message: &Message<'_>, world: &World) -> bool {
        let World::Dem(world) = world else { return true };
        // Engines of Quake's own protocol have room for 600 to 2,048 entities, those of later ones for 8,192 at least.
        let entities = if world.protocol() == 15 { 2_048 } else { 8_192 };
        let begun = world.maxclients() > 0;
        let is_player = |player: u8| !begun || player < world.maxclients();
        let is_model = |model: u16| !begun || model == 0 || world.model_name(model).is_some();
        match message {
            Message::Bad(_) | Message::Disconnect(_) | Message::Version(_) | Message::SellScreen(_) => false,
            Message::SpawnBinary(_) | Message::Intermission(_) => false,
            Message::Finale(m) => is_text(m.text.bytes()),
            Message::CutScene(m) => is_text(m.text.bytes()),
            Message::ServerInfo(_) | Message::SignonNum(_) => !begun || world.signon() < 3,
            Message::SpawnBaseline(_) | Message::SpawnBaseline2(_) => world.signon() < 3,
            Message::Time(m) => {
                let now = m.time.0.get();
                let leap = |before: Moment| matches!(before, Moment::Seconds(before) if (now - before).abs() >= LEAP);
                now >= 0.0 && !world.clock().now.is_some_and(leap)
            }
            Message::UpdateEntity(m) => {
                let model = m.modelindex.is_none_or(|model| is_model(model.0));
                m.entity.0 < entities && model
            }
            Message::SetView(m) => m.entity < entities,
            Message::UpdateName(m) => is_player(m.player),
            Message::UpdateFrags(m) => is_player(m.player),
            Message::UpdateColors(m) => is_player(m.player),
            Message::LightStyle(m) => m.style < 64,
            Message::Sound(m) => m.source.entity < entities,
            Message::UpdateStat(m) => m.index.0 < 32,
            Message::SetPause(m) => m.pausestate <= 1,
            _ => true,
        }
    }

    fn is_moment(packet: &AnyPacket<'_, Self>, _: &Dialect) -> bool {
        let mut seen = BTreeSet::new();
        let times = packet.messages.iter().filter(|m| matches!(m, Message::Time(_))).count();
        let is_second = |m: &Message<'_>| matches!(m, Message::UpdateEntity(m) if !seen.insert(m.entity.0));
        times == 1 && !packet.messages.iter().any(is_second) && !seen.is_empty()
    }

    fn mend_level_change(packet: &mut AnyPacket<'_, Self>) -> Vec<&'static str> {
        let before = packet.messages.len();
        packet.messages.retain(|m| !matches!(m, Message::StuffText(m) if m.text.bytes().trim_ascii() == b"reconnect"));
        vec!["reconnect"; before - packet.messages.len()]
    }

    fn is_signon(packet: &AnyPacket<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, Message::SignonNum(m) if m.signon >= 3))
    }

    fn signon<'p>(world: &World) -> Option<AnyPacket<'p, Self>> {
        let World::Dem(world) = world else { return None };
        let missing = (world.signon() + 1..=3).map(|signon| Message::SignonNum(SignonNum { signon }));
        Some(Packet::new(NOWHERE, missing.collect()))
    }

    fn invent(mut beginning: AnyPacket<'static, Self>, seen: &Seen, _: &Dialect) -> Vec<AnyPacket<'static, Self>> {
        let map = seen.map_or("start");
        if let Some(Message::ServerInfo(info)) = beginning.messages.first_mut() {
            info.maxclients = seen.player.saturating_add(1).max(u8::from(seen.player == 0));
            info.multi = u8::from(seen.player > 0);
            info.mapname = Str::from(map.clone());
            let map = format!("maps/{map}.bsp");
            let models = std::iter::once(map.as_str()).chain((1..seen.model.max(1)).map(|_| "progs/player.mdl"));
            info.models = StrList::from_strings(models.map(str::as_bytes));
            info.sounds = StrList::from_strings((0..seen.sound.max(1)).map(|_| &b"misc/null.wav"[..]));
        }
        let view = SetView { entity: seen.view.unwrap_or(1) };
        beginning.messages.extend([Message::SetView(view), Message::SignonNum(SignonNum { signon: 1 })]);
        // Where more of the level follows, it tells that itself.
        if !seen.at_frame {
            return vec![beginning];
        }
        let stage = |signon| Packet::new(NOWHERE, vec![Message::SignonNum(SignonNum { signon })]);
        let time = Message::Time(Time { time: Seconds(F32::from((seen.first as f64 / 1e6) as f32)) });
        let mut last = stage(3);
        last.messages.insert(0, time);
        vec![beginning, stage(2), last]
    }

    fn note(packet: &AnyPacket<'_, Self>, seen: &mut Seen) {
        for message in &packet.messages {
            match message {
                Message::UpdateEntity(m) => {
                    seen.model = seen.model.max(m.modelindex.map_or(0, |model| model.0)).min(2048);
                    seen.entity = seen.entity.max(m.entity.0);
                }
                Message::ClientData(m) => {
                    seen.model = seen.model.max(m.weaponmodel.map_or(0, |model| model.0)).min(2048);
                }
                Message::SpawnBaseline(m) => seen.model = seen.model.max(m.default_modelindex.0).min(2048),
                Message::SpawnBaseline2(m) => seen.model = seen.model.max(m.default_modelindex.0).min(2048),
                Message::SpawnStatic(m) => seen.model = seen.model.max(m.default_modelindex.0).min(2048),
                Message::SpawnStatic2(m) => seen.model = seen.model.max(m.default_modelindex.0).min(2048),
                Message::SpawnStaticSound(m) => seen.sound = seen.sound.max(m.soundnum.0).min(2048),
                Message::SpawnStaticSound2(m) => seen.sound = seen.sound.max(m.soundnum.0).min(2048),
                Message::Sound(m) => seen.sound = seen.sound.max(m.soundnum.0).min(2048),
                Message::UpdateName(m) => seen.player = seen.player.max(m.player).min(15),
                Message::UpdateFrags(m) => seen.player = seen.player.max(m.player).min(15),
                Message::UpdateColors(m) => seen.player = seen.player.max(m.player).min(15),
                Message::SetView(m) => seen.view = seen.view.or(Some(m.entity)),
                Message::Time(m) if seen.first == 0 => seen.first = microseconds(m.time.0.get()),
                Message::Print(m) => seen.text(m.text.bytes()),
                Message::StuffText(m) => seen.text(m.text.bytes()),
                Message::CenterPrint(m) => seen.text(m.text.bytes()),
                _ => {}
            }
        }
    }
}

/// The view before there is one.
const NOWHERE: [F32; 3] = [F32::from_bits(0); 3];

/// True for text that somebody wrote.
fn is_text(text: &[u8]) -> bool {
    text.len() > 3 && text.iter().all(|b| matches!(b & 0x7F, b'\n' | 0x20..=0x7E))
}
