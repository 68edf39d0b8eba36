//! Quake III: recordings of the first protocols in the encoding of later ones, and Quake Live's in that of its last one.

use qdemo::convert::{CONVERSIONS, Conversion, Loss, Target, convert};
use qdemo::event::EventTag;
use qdemo::format::dm3::{
    Array, Configstring, Dialect, EntityField, Gamestate, Message, Packet, PlayerField, ServerCommand, Snapshot, Text,
};
use qdemo::game::quake3::{Baselines, EntityState, PlayerState, SnapshotBuilder};
use qdemo::replay::World;
use qdemo::world::Scene;
use qdemo::{FileKind, Limits, Reader};

use super::convert_quakeworld::{same_moments, scores};
use super::{each, events, happened};
use crate::common::{Random, assert_sound, rounds};

fn converted(bytes: &[u8], name: &str, to: i32) -> (Vec<u8>, Conversion) {
    let target = Target::by_extension(&format!("dm_{to}"), None).unwrap();
    let (out, account) = convert(bytes, name, Limits::default(), target, Vec::new()).unwrap();
    assert_sound(&out, &format!("{name}.dm_{to}"));
    let from = account.from_protocols[0];
    let known = CONVERSIONS.iter().find(|known| known.from.contains(&from) && known.to.contains(&to)).unwrap();
    for lost in &account.losses {
        assert!(known.losses().any(|loss| loss == lost.loss), "{name}: {:?}", lost.loss);
    }
    (out, account)
}

/// The last protocol of a recording's game, where that is another encoding.
fn last_protocol(bytes: &[u8], name: &str) -> Option<i32> {
    let reader = Reader::new(bytes, name, Limits::default()).unwrap();
    match (reader.detected().kind, reader.detected().protocol) {
        (FileKind::Dm3, Some(43..=48)) => Some(68),
        (FileKind::Dm3, Some(73 | 90)) => Some(91),
        _ => None,
    }
}

#[test]
fn recordings_show_the_same_in_the_last_protocol_of_their_game() {
    let kinds = [
        EventTag::Frag,
        EventTag::Chat,
        EventTag::Level,
        EventTag::Pickup,
        EventTag::Respawn,
        EventTag::Flag,
        EventTag::Match,
    ];
    each(|bytes, name| {
        let Some(to) = last_protocol(bytes, name).filter(|_| bytes.len() < 1_500_000) else { return };
        let (new, _) = converted(bytes, name, to);
        let new_name = format!("{name}.dm_{to}");
        let told = |bytes: &[u8], name: &str| happened(events(bytes, name, &kinds));
        let (one, other) = (told(bytes, name), told(&new, &new_name));
        let first = one.iter().zip(&other).find(|(one, other)| one != other);
        assert_eq!((first, one.len()), (None, other.len()), "{name}");
        assert_eq!(scores(bytes, name), scores(&new, &new_name), "{name}");
        assert!(same_moments((bytes, name), (&new, &new_name), |_| true, &[]) > 0, "{name}");
        assert_eq!(numbers(bytes, name), numbers(&new, &new_name), "{name}");
    });
}

/// What the last frame tells of players: health, armour, weapon, score, powerups, who they are.
fn numbers(bytes: &[u8], name: &str) -> Vec<String> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
    }
    let player = |player: qdemo::world::Player<'_>| {
        let name = player.clean_name();
        format!(
            "{} {name} {:?} {:?} {:?} {:?} {:?}",
            player.slot, player.health, player.armor, player.weapon, player.frags, player.effects
        )
    };
    world.players().map(player).collect()
}

/// A recording: a level, a frame in which a player is killed, and one that builds on it.
fn made(protocol: i32, first_event: i32, obituary: i32) -> Vec<u8> {
    let d = Dialect::by_protocol(protocol).unwrap();
    let string = |index: u16, text: &str| Configstring { index, value: Text(text.as_bytes().to_vec()) };
    let mut level = Gamestate::new(3, 2, 77, &d);
    let players = d.layout.indices.players;
    for (index, text) in [
        (0, format!("\\protocol\\{protocol}\\mapname\\q3dm1\\gamename\\baseq3")),
        (d.layout.indices.locations, "the bridge".to_owned()),
        (players + 1, "n\\killer\\t\\0".to_owned()),
        (players + 2, "n\\victim\\t\\0".to_owned()),
    ] {
        level.items.push(string(index, &text).into());
    }
    let mut player = PlayerState::ZERO;
    player.set_int(PlayerField::ClientNum, 2);
    player.set_int(PlayerField::Weapon, 5);
    player.set_slot(Array::Stats, 0, 91);
    let mut dies = EntityState::ZERO;
    dies.set_int(EntityField::EType, first_event + obituary);
    dies.set_int(EntityField::OtherEntityNum, 2);
    dies.set_int(EntityField::OtherEntityNum2, 1);
    dies.set_int(EntityField::EventParm, 6);
    let mut hurt = player;
    hurt.set_slot(Array::Stats, 0, -5);
    let whole: Snapshot = SnapshotBuilder::new(1000, (&PlayerState::ZERO, &player), &d).build();
    let mut next =
        SnapshotBuilder::new(1050, (&player, &hurt), &d).entities(&[], &[(70, &dies)], &Baselines::default()).build();
    next.delta_num = 1;
    let command =
        |seq, text: &str| Message::ServerCommand(ServerCommand { seq, value: Text(text.as_bytes().to_vec()) });
    let blocks = [
        vec![Message::Gamestate(level)],
        vec![command(4, "chat \"killer: hello\""), Message::Snapshot(whole)],
        vec![command(5, "scores 1 0 0 1 7 50 3 0 0"), Message::Snapshot(next)],
    ];
    let mut bytes = Vec::new();
    for (sequence, messages) in (10..).zip(blocks) {
        bytes.extend(Packet::new(sequence, 9, messages, &d).to_bytes(d).unwrap());
    }
    bytes.extend(qdemo::format::dm3::END_MARK);
    bytes
}

#[test]
fn what_was_made_in_the_first_protocols_is_told_by_later_numbers() {
    // The numbers of events are those of id's `bg_public.h` of each version.
    for (protocol, first_event, obituary) in [(43, 12, 58), (45, 12, 58), (46, 13, 60), (48, 13, 60)] {
        let old = made(protocol, first_event, obituary);
        for to in [66, 68, 71] {
            let (new, account) = converted(&old, &format!("x.dm_{protocol}"), to);
            assert!(account.losses.is_empty(), "{:?}", account.losses);
            assert_eq!((account.from_protocols, account.to_protocol), (vec![protocol], to));
            let name = format!("x.dm_{to}");
            let all: Vec<_> = happened(events(&new, &name, &[EventTag::Frag, EventTag::Chat]))
                .into_iter()
                .map(|(.., what)| what)
                .collect();
            assert_eq!(all, ["killer: hello", "killer kills victim (rocket)"], "{protocol} {to}");
            let mut reader = Reader::new(&new[..], &name, Limits::default()).unwrap();
            assert_eq!(reader.detected().protocol, Some(to));
            let mut world = World::of(reader.detected(), &name).unwrap();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                world.apply(&chunk);
            }
            let World::Dm3(quake3) = &world else { panic!("{name}") };
            assert_eq!(quake3.configstrings().get(608), b"the bridge");
            assert_eq!(quake3.snapshot().unwrap().player().slot(Array::Stats, 0), -5);
            // Old gamestates do not say whose recording it is; the first snapshot does.
            assert_eq!(world.recorder(), Some(2));
        }
    }
}

#[test]
fn damaged_recordings_are_converted_as_far_as_they_can_be_read() {
    let mut random = Random(0x5EED_0003);
    for (protocol, to) in [(43, 68), (48, 68), (73, 91), (90, 91)] {
        let good = made(protocol, if protocol < 46 { 12 } else { 13 }, 58);
        for _ in 0..rounds(200) {
            let mut bad = good.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bad.len());
                bad[at] = random.next() as u8;
            }
            bad.truncate(bad.len() - random.below(20));
            let target = Target::by_extension(&format!("dm_{to}"), None).unwrap();
            let name = format!("x.dm_{protocol}");
            let Ok((new, _)) = convert(&bad[..], &name, Limits::default(), target, Vec::new()) else { continue };
            let name = format!("x.dm_{to}");
            // Without a block that can be read nothing says what it is.
            if Reader::new(&new[..], &name, Limits::default()).unwrap().detected().kind == FileKind::Dm3 {
                assert_sound(&new, &name);
            }
        }
    }
}

#[test]
fn there_is_no_way_back() {
    let old = made(48, 13, 60);
    let (new, _) = converted(&old, "x.dm_48", 68);
    for to in [43, 48, 73, 91] {
        let target = Target::by_extension(&format!("dm_{to}"), None).unwrap();
        let refused = convert(&new[..], "x.dm_68", Limits::default(), target, Vec::new());
        assert!(refused.unwrap_err().to_string().contains("there is no conversion"), "{to}");
    }
    let to = Target::by_extension("dm_91", None).unwrap();
    assert!(convert(&old[..], "x.dm_48", Limits::default(), to, Vec::new()).is_err());
    assert!(!CONVERSIONS.iter().any(|known| known.losses().any(|loss| loss == Loss::Voice) && known.to.contains(&91)));
}
