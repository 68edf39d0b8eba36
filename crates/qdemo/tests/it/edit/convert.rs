//! Recordings in another protocol: they show the same, but for what is said to be lost.

use std::fs;

use qdemo::convert::{CONVERSIONS, Conversion, Known, Loss, Target, Way, convert};
use qdemo::describe::{ByteOrShort, ModelIndex};
use qdemo::event::EventTag;
use qdemo::format::dem::{
    BonusFlash, ClientData, Decoder, Dialect, Message, Packet, Particle, SpawnBaseline2, UpdateEntity,
};
use qdemo::format::dm3;
use qdemo::replay::World;
use qdemo::wire::{Coord, F32};
use qdemo::world::Scene;
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{each, events, happened, quake2_rules, same_worlds};
use crate::common::{assert_sound, demo, file_name, is_broken, quake2_demo, recordings, report, serverinfo, testdata};

fn converted(bytes: &[u8], name: &str, extension: &str, protocol: Option<i32>) -> (Vec<u8>, Conversion) {
    let to = Target::by_extension(extension, protocol).unwrap();
    let (out, account) = convert(bytes, name, Limits::default(), to, Vec::new()).unwrap();
    assert_sound(&out, name);
    (out, account)
}

/// What happens: who killed whom, what was said, scores, runs, levels.
fn story(bytes: &[u8], name: &str) -> Vec<(i64, EventTag, String)> {
    let kinds = [EventTag::Frag, EventTag::Chat, EventTag::Score, EventTag::Run, EventTag::Rename, EventTag::Level];
    happened(events(bytes, name, &kinds))
}

/// Every recording of a format, and its protocols.
fn each_of(kind: FileKind, mut test: impl FnMut(&[u8], &str, &[i32])) {
    each(|bytes, name| {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        if reader.detected().kind != kind {
            return;
        }
        let protocols = match kind {
            FileKind::Dem => protocols(bytes, name),
            _ => reader.detected().protocol.into_iter().collect(),
        };
        test(bytes, name, &protocols);
    });
}

/// The names in the lists of the levels.
fn names(bytes: &[u8], name: &str) -> Vec<Vec<Vec<u8>>> {
    let lists = |message| match message {
        Message::ServerInfo(m) => Some([m.models, m.sounds]),
        _ => None,
    };
    let lists = messages(bytes, name).into_iter().filter_map(lists).flatten();
    lists.map(|list| list.iter().map(<[u8]>::to_vec).collect()).collect()
}

/// Numbers and messages of all blocks of a recording of Quake III.
fn packets(bytes: &[u8], name: &str) -> Vec<(i32, Vec<dm3::Message>)> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let protocol = reader.detected().protocol.unwrap();
    let mut decoder = dm3::Decoder::new(dm3::Dialect::by_protocol(protocol).unwrap());
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Dm3(dm3::Chunk::Block(block)) = chunk else { continue };
        let (packet, _) = decoder.read(&block);
        all.push((packet.header.sequence, packet.messages));
    }
    all
}

/// The protocols that the levels of a `.dem` tell.
fn protocols(bytes: &[u8], name: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for message in messages(bytes, name) {
        if let Message::ServerInfo(m) = message {
            found.push(m.serverversion);
        }
    }
    found
}

fn messages(bytes: &[u8], name: &str) -> Vec<Message<'static>> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let (mut decoder, mut all) = (Decoder::default(), Vec::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Dem(qdemo::format::dem::Chunk::Block(block)) = chunk else { continue };
        let (packet, fault) = decoder.read(&block);
        assert!(fault.is_none(), "{name}: {fault:?}");
        all.extend(packet.into_owned().messages);
    }
    all
}

/// No conversion loses what the list does not say that it may.
fn is_listed(account: &Conversion, kind: FileKind) {
    let takes = |known: &Known| account.from_protocols.iter().all(|protocol| known.from.contains(protocol));
    let is_it = |known: &&Known| known.way == Way { from: kind, into: kind } && known.to.contains(&account.to_protocol);
    let known = CONVERSIONS.iter().find(|known| is_it(known) && takes(known));
    for lost in &account.losses {
        assert!(known.unwrap().losses().any(|loss| loss == lost.loss), "{:?}", lost.loss);
    }
}

#[test]
fn old_recordings_of_quake_come_back_byte_for_byte() {
    let mut count = 0;
    each_of(FileKind::Dem, |bytes, name, protocols| {
        if protocols.iter().any(|protocol| *protocol != 15) {
            return;
        }
        for protocol in [666, 999] {
            let (new, account) = converted(bytes, name, "dem", Some(protocol));
            assert!(account.losses.is_empty(), "{name}: {:?}", account.losses);
            assert_eq!(story(&new, name), story(bytes, name), "{name}");
            let (back, account) = converted(&new, name, "dem", Some(15));
            assert!(account.losses.is_empty(), "{name}: {:?}", account.losses);
            assert!(back == bytes, "{name}: {protocol}");
        }
        count += 1;
    });
    assert!(count > 0);
}

/// At every frame the same things are seen in the same places, as near as an eighth of a unit is, with the same models and
/// frames, unless those are said to be lost; and players have the same.
fn same_but_for_losses(one: &[u8], other: &[u8], name: &str, account: &Conversion) {
    let lost = |losses: &[Loss]| account.losses.iter().any(|lost| losses.contains(&lost.loss));
    let near = if lost(&[Loss::Place]) { 1.0 / 16.0 + 1e-3 } else { 0.0 };
    let play = |bytes| {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let world = World::of(reader.detected(), name).unwrap();
        (reader, world)
    };
    let ((mut a, mut one), (mut b, mut other)) = (play(one), play(other));
    let mut seen = 0;
    while let (Some(from), Some(to)) = (a.next_chunk().unwrap(), b.next_chunk().unwrap()) {
        one.apply(&from);
        other.apply(&to);
        if !one.changes().frame {
            continue;
        }
        for (x, y) in one.entities().zip(other.entities()) {
            seen += 1;
            assert_eq!(x.number, y.number, "{name}");
            let is_near = x.origin.iter().zip(y.origin).all(|(x, y)| (x - y).abs() <= near);
            assert!(is_near || lost(&[Loss::FarPlace]), "{name}: {x:?} {y:?}");
            assert!(x.model == y.model || lost(&[Loss::Model, Loss::Name]), "{name}: {x:?} {y:?}");
            assert!(x.frame == y.frame || lost(&[Loss::Frame]), "{name}: {x:?} {y:?}");
            assert_eq!((x.skin, x.effects), (y.skin, y.effects), "{name}");
        }
        assert_eq!(one.entities().count(), other.entities().count(), "{name}");
        for (x, y) in one.players().zip(other.players()) {
            assert_eq!((x.slot, x.health, x.frags), (y.slot, y.health, y.frags), "{name}");
        }
    }
    assert!(seen > 0 || !["e0m1-666.dem", "dm13-15.dem"].contains(&name), "{name}");
}

#[test]
fn new_recordings_of_quake_become_old_ones() {
    let mut count = 0;
    each_of(FileKind::Dem, |bytes, name, protocols| {
        let (new, account) = converted(bytes, name, "dem", Some(15));
        is_listed(&account, FileKind::Dem);
        assert_eq!(story(&new, name), story(bytes, name), "{name}");
        assert_eq!(self::protocols(&new, name), vec![15; protocols.len()], "{name}");
        if account.losses.is_empty() {
            // The level's facts have the protocol among them.
            same_worlds(bytes, &new, name, &["level", "everything of the level"]);
            assert_eq!(names(&new, name), names(bytes, name), "{name}");
        }
        same_but_for_losses(bytes, &new, name, &account);
        count += usize::from(protocols.iter().any(|protocol| *protocol != 15));
    });
    assert!(count > 0);
}

#[test]
fn protocols_of_quake_3_that_share_their_encoding_keep_every_message() {
    let mut count = 0;
    each_of(FileKind::Dm3, |bytes, name, protocols| {
        let from = protocols[0];
        let shares = |known: &&Known| known.way.from == FileKind::Dm3 && known.from == known.to;
        let Some(known) = CONVERSIONS.iter().filter(shares).find(|known| known.from.contains(&from)) else { return };
        for to in known.to {
            let (new, account) = converted(bytes, name, &format!("dm_{to}"), None);
            let as_named = format!("x.dm_{to}");
            is_listed(&account, FileKind::Dm3);
            assert_eq!(account.from_protocols, [from], "{name}");
            if account.account.blocks_changed == 0 {
                assert!(new == bytes, "{name}: {to}");
            } else if account.losses.is_empty() {
                let (back, _) = converted(&new, &as_named, &format!("dm_{from}"), None);
                // What stands behind the end of a block, left over from memory, may be lost where its length changes.
                assert!(back == bytes || packets(&back, name) == packets(bytes, name), "{name}: {to}");
            }
        }
        count += 1;
    });
    assert!(count > 0);
    // Nothing but the number differs.
    let bytes = testdata("oa-dm2.dm_68");
    let (new, _) = converted(&bytes, "oa-dm2.dm_68", "dm_71", None);
    let told =
        |bytes: &[u8], name: &str| happened(events(bytes, name, &[EventTag::Frag, EventTag::Chat, EventTag::Score]));
    assert_eq!(told(&new, "x.dm_71"), told(&bytes, "oa-dm2.dm_68"));
    assert!(new.len().abs_diff(bytes.len()) < 8);
}

#[test]
fn old_recordings_of_quake_2_become_those_of_the_last_protocol() {
    let mut old = 0;
    each_of(FileKind::Dm2, |bytes, name, protocols| {
        // Those of another layout have tests of their own.
        if !protocols.iter().all(|protocol| (26..=34).contains(protocol)) {
            return;
        }
        let to = Target::by_extension("dm2", Some(34)).unwrap();
        let (new, account) = match convert(bytes, name, Limits::default(), to, Vec::new()) {
            Ok(done) => done,
            // Other engines' protocols, and those of servers.
            Err(e) => return assert!(e.to_string().contains("there is no conversion"), "{name}: {e}"),
        };
        assert_sound(&new, name);
        is_listed(&account, FileKind::Dm2);
        assert_eq!(story(&new, name), story(bytes, name), "{name}");
        if let Ok(rules) = quake2_rules::check(bytes) {
            let report = quake2_rules::check(&new).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!((report.frames, report.notes), (rules.frames, rules.notes), "{name}");
        }
        match account.from_protocols[..] {
            [34] => assert!(new == bytes, "{name}"),
            _ => old += 1,
        }
        same_worlds(bytes, &new, name, &["level", "everything of the level"]);
    });
    assert!(old > 0 || recordings(|extension| extension == "dm2").len() < 3);
}

/// By the bytes: numbers of effects, and what the first protocols do not tell.
#[test]
fn effects_of_quake_2_get_the_numbers_of_the_last_protocol() {
    let level = |protocol: u8, isdemo: u8| {
        [&[12, protocol, 0, 0, 0, 1, 0, 1, 0, isdemo][..], b"\0", &[0, 0], b"the Base\0"].concat()
    };
    let place = [8, 0, 16, 0, 24, 0];
    // 26 a trail from one place to another, 27 green blood at a place, in a direction.
    let old = [&[3, 26][..], &place, &place, &[3, 27], &place, &[7], &[3, 5], &place].concat();
    let new = [&[3, 26][..], &place, &[7], &[3, 5], &place].concat();
    let bytes = quake2_demo(&[&level(31, 0), &old]);
    let (out, account) = converted(&bytes, "made.dm2", "dm2", Some(34));
    assert_eq!(losses(&account), [(Loss::Effect, 1)]);
    assert!(out == quake2_demo(&[&level(34, 1), &new]));
    // Frames of protocol 26 do not count what was left out.
    let frame = |suppress: &[u8]| [&[20, 1, 0, 0, 0, 255, 255, 255, 255][..], suppress, &[0]].concat();
    let bytes = quake2_demo(&[&level(26, 1), &frame(&[])]);
    let (out, account) = converted(&bytes, "made.dm2", "dm2", Some(34));
    assert!(account.losses.is_empty() && out == quake2_demo(&[&level(34, 1), &frame(&[0])]));
}

/// A recording of one level in a protocol, and blocks of messages in it.
fn made(dialect: Dialect, flags: &[u8], blocks: Vec<Vec<Message<'_>>>) -> Vec<u8> {
    let mut bytes = demo("2\n", &[&serverinfo(dialect.protocol, flags)]);
    for messages in blocks {
        bytes.extend(Packet::new([0.0f32; 3], messages).to_bytes(dialect).unwrap());
    }
    bytes
}

fn losses(account: &Conversion) -> Vec<(Loss, u64)> {
    account.losses.iter().map(|lost| (lost.loss, lost.count)).collect()
}

/// FitzQuake's additions, by what its engine makes of them.
#[test]
fn what_protocol_15_has_no_room_for_is_lost_and_counted() {
    let mut seen_through = UpdateEntity::of(7);
    seen_through.modelindex = Some(ModelIndex(3));
    seen_through.more.alpha = Some(128);
    let mut large = UpdateEntity::of(8);
    // 256 + 44.
    large.modelindex = Some(ModelIndex(44));
    large.more.modelindex2 = Some(1);
    // One above 255 that its low byte makes a small one.
    let mut high_frame = UpdateEntity::of(9);
    high_frame.frame = Some(5);
    high_frame.more.frame2 = Some(0);
    let mut gone = UpdateEntity::of(10);
    gone.modelindex = Some(ModelIndex(3));
    gone.more.alpha = Some(1);
    let mut rich =
        ClientData { ammo_cells: 44, currentammo: 44, items: Some(Default::default()), ..ClientData::default() };
    rich.fitzquake.ammo_cells2 = Some(1);
    let bytes = made(
        Dialect::FITZQUAKE,
        &[],
        vec![vec![
            BonusFlash {}.into(),
            rich.into(),
            seen_through.into(),
            large.into(),
            high_frame.into(),
            gone.into(),
        ]],
    );
    let (new, account) = converted(&bytes, "made.dem", "dem", Some(15));
    assert_eq!(losses(&account), [(Loss::Stat, 1), (Loss::Alpha, 1), (Loss::Model, 1)]);
    let told = messages(&new, "made.dem");
    let updates: Vec<_> =
        told.iter().filter_map(|m| if let Message::UpdateEntity(m) = m { Some(m) } else { None }).collect();
    let shown: Vec<_> = updates.iter().map(|m| (m.entity.0, m.modelindex.map(|model| model.0), m.frame)).collect();
    assert_eq!(shown, [(7, Some(3), None), (8, Some(0), None), (9, None, Some(5)), (10, Some(0), None)]);
    let is = |test: &dyn Fn(&Message<'_>) -> bool| told.iter().any(test);
    assert!(is(&|m| matches!(m, Message::ClientData(m) if m.ammo_cells == 255 && m.currentammo == 44)));
    assert!(is(&|m| matches!(m, Message::StuffText(m) if m.text.bytes() == b"bf\n")));
}

/// Base states count: what an update does not tell is what they say.
#[test]
fn base_states_that_cannot_be_seen_are_seen_when_an_update_says_so() {
    let base = SpawnBaseline2 {
        entity: 7,
        default_modelindex: ModelIndex(3),
        default_frame: ByteOrShort(300),
        default_alpha: Some(1),
        ..SpawnBaseline2::default()
    };
    let mut seen = UpdateEntity::of(7);
    seen.more.alpha = Some(255);
    let hidden = UpdateEntity::of(7);
    let bytes = made(Dialect::FITZQUAKE, &[], vec![vec![base.into(), seen.into(), hidden.into()]]);
    let (new, account) = converted(&bytes, "made.dem", "dem", Some(15));
    assert_eq!(losses(&account), [(Loss::Frame, 1)]);
    let told = messages(&new, "made.dem");
    let models: Vec<_> = told
        .iter()
        .filter_map(|m| match m {
            Message::SpawnBaseline(m) => Some(Some(m.default_modelindex.0)),
            Message::UpdateEntity(m) => Some(m.modelindex.map(|model| model.0)),
            _ => None,
        })
        .collect();
    assert_eq!(models, [Some(0), Some(3), Some(0)]);
}

/// Floats of RMQ become eighths; what lies beyond them is put at the edge.
#[test]
fn places_are_rounded_and_counted() {
    const FLOATCOORD: u32 = 0x10;
    let origin = [100.5, 100.06, 9000.0].map(|v: f32| Coord::F32(F32::from(v)));
    let particle = Particle { origin, vel: [Default::default(); 3], count: 1, color: 2 };
    let bytes = made(Dialect::rmq(FLOATCOORD), &FLOATCOORD.to_le_bytes(), vec![vec![particle.into()]]);
    let (new, account) = converted(&bytes, "made.dem", "dem", Some(666));
    assert_eq!(losses(&account), [(Loss::Place, 1), (Loss::FarPlace, 1)]);
    let told = messages(&new, "made.dem");
    // 100.06 is nearest to 100 and no eighth; 4095 is the last whole unit that two bytes have.
    let expected = [Coord::I16(804), Coord::I16(800), Coord::I16(32760)];
    assert!(told.iter().any(|m| matches!(m, Message::Particle(m) if m.origin == expected)), "{told:?}");
    // From 999 to 999 they stay.
    let (same, account) = converted(&bytes, "made.dem", "dem", Some(999));
    assert!(account.losses.is_empty() && same == bytes);
}

/// Wide numbers of BJP become those of FitzQuake.
#[test]
fn wide_numbers_are_told_in_two_fields() {
    let bjp = Dialect::after(&bjp_info(), qdemo::format::dem::Variant::Standard);
    let mut large = UpdateEntity::of(8);
    large.modelindex = Some(ModelIndex(300));
    let bytes = made(bjp, &[], vec![vec![large.into()]]);
    let (new, account) = converted(&bytes, "made.dem", "dem", Some(666));
    assert!(account.losses.is_empty(), "{:?}", account.losses);
    let told = messages(&new, "made.dem");
    let is = |m: &Message<'_>| matches!(m, Message::UpdateEntity(m) if m.modelindex == Some(ModelIndex(44)) && m.more.modelindex2 == Some(1));
    assert!(told.iter().any(is), "{told:?}");
}

fn bjp_info() -> qdemo::format::dem::ServerInfo<'static> {
    let bytes = demo("2\n", &[&serverinfo(10000, &[])]);
    let all = messages(&bytes, "made.dem");
    all.into_iter().find_map(|m| if let Message::ServerInfo(m) = m { Some(m) } else { None }).unwrap()
}

/// What cannot be read is left out: the output can be read, and nothing panics.
#[test]
fn damaged_recordings_are_converted_as_far_as_they_can_be_read() {
    for path in recordings(|extension| extension == "dem" || extension.starts_with("dm_")) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        if !is_broken(&path) || bytes.len() > 3_000_000 {
            continue;
        }
        for (extension, protocol) in [("dem", Some(15)), ("dem", Some(999)), ("dm_68", None)] {
            let to = Target::by_extension(extension, protocol).unwrap();
            if let Ok((out, _)) = convert(&bytes[..], &name, Limits::default(), to, Vec::new()) {
                assert!(report(&out, &name).is_exact(), "{name}");
            }
        }
    }
}

/// Nothing tells a protocol in a recording that begins within a level, whatever it is made into.
#[test]
fn recordings_without_a_level_say_so() {
    let bytes = demo("2\n", &[b"\x08hello\n\0"]);
    let (same, account) = converted(&bytes, "made.dem", "dem", Some(666));
    assert!(same == bytes && account.from_protocols.is_empty());
    assert!(account.account.notes[0].contains("no level tells a protocol"));
}

#[test]
fn targets_that_there_are_not_are_refused() {
    let to = Target::by_extension("dem", None).unwrap();
    let which = convert(&testdata("dm13-15.dem")[..], "dm13-15.dem", Limits::default(), to, Vec::new());
    assert!(which.unwrap_err().to_string().contains("which protocol of .dem? There are 15, 666, 999"));
    assert!(Target::by_extension("dm_68", Some(67)).is_err());
    assert!(Target::by_extension("txt", Some(15)).is_err());
    let bytes = testdata("ez-dm.mvd");
    let to = Target::by_extension("dem", Some(15)).unwrap();
    let refused = convert(&bytes[..], "ez-dm.mvd", Limits::default(), to, Vec::new());
    assert!(refused.unwrap_err().to_string().contains("there is no conversion"));
}
