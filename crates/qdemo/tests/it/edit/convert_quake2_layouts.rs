//! Quake II from one layout of states to another. There are hardly any recordings of the newer ones: what they hold is made by
//! converting, and by hand.

use qdemo::convert::{Conversion, Loss, Target, convert};
use qdemo::describe::{Alpha, ByteOrShort, ModelIndex, SoundIndex};
use qdemo::event::EventTag;
use qdemo::format::dm2::{
    Angles16, Args, ByteList, ConfigString, Direction, EffectType, Frame, FrameNumber, Hits, LocPrint, Message,
    MuzzleFlash3, OriginCoord, PacketEntities, PacketEntity, PlayerInfo, Setting, Solid, Sound, SoundSource,
    TempEntity,
};
use qdemo::format::dem::StuffText;
use qdemo::game::quake2::{EntityState, InView, PlayerState};
use qdemo::replay::World;
use qdemo::wire::{Coord, F32, Str};
use qdemo::world::{Clock, Scene};
use qdemo::{FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::assert_sound;
use crate::dm2::build;

const LAYOUTS: [i32; 5] = [56, 2023, 3434, 3435, 3436];

/// The protocol of a recording of Quake II.
fn protocol(bytes: &[u8], name: &str) -> Option<i32> {
    let reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let detected = reader.detected();
    detected.protocol.filter(|_| detected.kind == FileKind::Dm2)
}

fn into(bytes: &[u8], name: &str, protocol: i32) -> (Vec<u8>, Conversion) {
    let to = Target::by_extension("dm2", Some(protocol)).unwrap();
    let (made, account) = convert(bytes, name, Limits::default(), to, Vec::new()).unwrap();
    assert_sound(&made, name);
    (made, account)
}

fn lost(account: &Conversion) -> Vec<(Loss, u64)> {
    account.losses.iter().map(|lost| (lost.loss, lost.count)).collect()
}

/// Number and time of a frame, what it shows, the player's state, and what is heard and said with it.
type Shown = (i32, i64, Vec<InView>, PlayerState, Vec<String>);

fn shown(bytes: &[u8], name: &str) -> Vec<Shown> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let (mut all, mut said) = (Vec::new(), Vec::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        let World::Dm2(game) = &world else { panic!("{name}") };
        let changes = game.changes();
        said.extend(changes.texts().filter(|(_, text, _)| *text != b"precache\n").map(|text| format!("{text:?}")));
        said.extend(changes.sounds.iter().map(|sound| format!("{sound:?}")));
        if changes.frame {
            let Clock { demo, .. } = game.clock();
            let frame = game.frame().unwrap();
            let player = frame.player(None).copied().unwrap_or(PlayerState::ZERO);
            all.push((frame.number(), demo.ms(), frame.entities().to_vec(), player, std::mem::take(&mut said)));
        }
    }
    all
}

/// Where everything is, frame by frame, and the models by their names.
fn places(bytes: &[u8], name: &str) -> Vec<Vec<(u16, [f32; 3], String)>> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            all.push(world.entities().map(|it| (it.number, it.origin, it.model.to_string())).collect());
        }
    }
    all
}

#[test]
fn to_every_layout_and_back() {
    let mut count = 0;
    each(|bytes, name| {
        if protocol(bytes, name) != Some(34) {
            return;
        }
        let before = shown(bytes, name);
        for layout in LAYOUTS {
            let (made, account) = into(bytes, name, layout);
            assert_eq!(lost(&account), [], "{name}: {layout}");
            assert_eq!(protocol(&made, name), Some(layout));
            let (back, account) = into(&made, name, 34);
            assert_eq!(lost(&account), [], "{name}: {layout}");
            let after = shown(&back, name);
            assert_eq!(before.len(), after.len(), "{name}: {layout}");
            assert_eq!(places(bytes, name), places(&made, name), "{name}: {layout}");
            for (n, (a, b)) in before.iter().zip(&after).enumerate() {
                assert_eq!(a, b, "{name}: {layout}: frame {n}");
            }
            let kinds = [EventTag::Frag, EventTag::Level, EventTag::Chat, EventTag::Pickup];
            assert_eq!(happened(events(bytes, name, &kinds)), happened(events(&back, name, &kinds)), "{name}: {layout}");
            assert_eq!(happened(events(bytes, name, &kinds)), happened(events(&made, name, &kinds)), "{name}: {layout}");
        }
        count += 1;
    });
    assert!(count > 0);
}

/// What the test release and KMQuake2 recorded tells the same story in 34.
#[test]
fn from_recordings_of_other_layouts() {
    each(|bytes, name| {
        let Some(number @ (25 | 56)) = protocol(bytes, name) else { return };
        let (made, account) = into(bytes, name, 34);
        assert_eq!(account.from_protocols, [number]);
        let (before, after) = (shown(bytes, name), shown(&made, name));
        assert_eq!(before.len(), after.len(), "{name}");
        for ((_, time, one, player, _), (_, then, other, seen, _)) in before.iter().zip(&after) {
            assert_eq!(time, then, "{name}");
            let places = |all: &[InView]| all.iter().map(|it| (it.number, it.state.origin)).collect::<Vec<_>>();
            assert_eq!(places(one), places(other), "{name}");
            assert_eq!((player.origin, player.stats[1]), (seen.origin, seen.stats[1]), "{name}");
        }
        let kinds = [EventTag::Frag, EventTag::Level, EventTag::Chat, EventTag::Pickup];
        assert_eq!(happened(events(bytes, name, &kinds)), happened(events(&made, name, &kinds)), "{name}");
    });
}
