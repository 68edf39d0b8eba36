//! What conversions and merges make of damaged recordings is whole: nothing that cannot be read is passed on, and what is left
//! out is said.

use std::collections::HashSet;
use std::fs;

use qdemo::convert::{CONVERSIONS, Conversion, Loss, Lost, Target, convert};
use qdemo::event::EventTag;
use qdemo::format::dem::{self, Message};
use qdemo::merge::{Input, merge};
use qdemo::replay::World;
use qdemo::world::Scene;
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{events, happened};
use crate::common::{Random, demo, file_name, files, report, root, serverinfo, testdata};

/// The recordings that come with the sources.
fn shipped() -> Vec<(Vec<u8>, String)> {
    let all = files(&root().join("testdata"), "");
    let all = all.iter().filter(|path| path.is_file()).map(|path| (fs::read(path).unwrap(), file_name(path)));
    let all: Vec<_> = all.filter(|(bytes, name)| !name.ends_with(".qwz") && report(bytes, name).is_sound()).collect();
    assert!(all.len() > 12);
    all
}

/// Where chunks end.
fn borders(bytes: &[u8], name: &str) -> Vec<usize> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut all = Vec::new();
    while reader.next_chunk().unwrap().is_some() {
        all.push(reader.offset() as usize);
    }
    all
}

/// The recording cut, with noise in place of some bytes, and with noise between two blocks: in so many places each. Its
/// beginning stays.
fn damaged(bytes: &[u8], name: &str, places: usize) -> Vec<(String, Vec<u8>)> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ bytes.len() as u64);
    let borders = borders(bytes, name);
    let mut all = vec![("a byte less".to_owned(), bytes[..bytes.len() - 1].to_vec())];
    for _ in 0..places {
        let at = bytes.len() / 3 + random.below(bytes.len() * 2 / 3);
        all.push((format!("cut at {at}"), bytes[..at].to_vec()));
        let end = (at + 1 + random.below(60)).min(bytes.len());
        let noise = random.bytes(end - at);
        all.push((format!("noise from {at} to {end}"), [&bytes[..at], &noise, &bytes[end..]].concat()));
        let at = borders[borders.len() / 3 + random.below(borders.len() * 2 / 3 - 1)];
        let count = 1 + random.below(60);
        let noise = random.bytes(count);
        all.push((format!("{count} bytes more at {at}"), [&bytes[..at], &noise, &bytes[at..]].concat()));
    }
    all
}

/// What happens, and what is said. When, a moment that cannot be read does not tell.
fn story(bytes: &[u8], name: &str) -> Vec<(EventTag, String)> {
    let kinds = [EventTag::Frag, EventTag::Chat, EventTag::Score, EventTag::Run, EventTag::Rename, EventTag::Level];
    happened(events(bytes, name, &kinds)).into_iter().map(|(_, tag, text)| (tag, text)).collect()
}

/// What each frame shows. Floats are told by their bits, which are printed faster.
fn frames(bytes: &[u8], name: &str) -> Vec<String> {
    let exactly = |place: [f32; 3]| place.map(f32::to_bits);
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            let entities: Vec<_> =
                world.entities().map(|it| (it.number, exactly(it.origin), it.model.into_owned())).collect();
            let players: Vec<_> =
                world.players().map(|it| (it.slot, it.health, it.frags, it.origin.map(exactly))).collect();
            all.push(format!("{:?} {entities:?} {players:?}", world.clock().now));
        }
    }
    all
}

/// What a recording tells: its story, and its frames in no order.
struct Told {
    story: Vec<(EventTag, String)>,
    frames: HashSet<String>,
}

impl Told {
    fn by(bytes: &[u8], name: &str) -> Told {
        Told { story: story(bytes, name), frames: frames(bytes, name).into_iter().collect() }
    }
}

fn extension(kind: FileKind, protocol: i32) -> String {
    if kind == FileKind::Dm3 { format!("dm_{protocol}") } else { kind.name().to_owned() }
}

/// All that can be made of a sound recording.
fn targets(bytes: &[u8], name: &str) -> Vec<Target> {
    let reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let (kind, protocol) = (reader.detected().kind, reader.detected().protocol);
    let own: Vec<_> = protocol.into_iter().collect();
    let mut all = Vec::new();
    for known in CONVERSIONS.iter().filter(|known| known.way.from == kind) {
        let of_player = known.to.is_empty() || matches!(kind, FileKind::Mvd | FileKind::Mvd2);
        for protocol in if known.to.is_empty() { &own[..] } else { known.to } {
            let target = Target::by_extension(&extension(known.way.into, *protocol), Some(*protocol)).unwrap();
            all.extend(if of_player { (0..2).map(|slot| target.of_player(slot)).collect() } else { vec![target] });
        }
    }
    all.retain(|target| convert(bytes, name, Limits::default(), *target, Vec::new()).is_ok());
    all
}

fn says_unread(losses: &[Lost]) -> bool {
    losses.iter().any(|lost| lost.loss == Loss::Unread)
}

/// True for a recording of which all is there but an end.
fn can_be_read(bytes: &[u8], name: &str) -> bool {
    report(bytes, name).faults.iter().all(|fault| fault.to_string().contains("end mark"))
}

/// The output is whole, has an end, and its account says whether something of the input was left out.
fn assert_whole(new: &[u8], new_name: &str, is_read: bool, losses: &[Lost], what: &str) {
    let made = report(new, new_name);
    assert!(made.is_sound(), "{what}: {:?}", made.faults);
    assert!(made.ends_cleanly || is_read, "{what}: no end");
    assert_eq!(says_unread(losses), !is_read, "{what}: {losses:?}");
}

/// What the output tells the input tells, where the account does not say otherwise.
fn assert_same(damaged: &Told, new: &[u8], new_name: &str, account: &Conversion, what: &str) {
    if account.losses.iter().any(|lost| lost.loss != Loss::Unread) {
        return;
    }
    assert_eq!(story(new, new_name), damaged.story, "{what}");
    let other = frames(new, new_name).into_iter().find(|frame| !damaged.frames.contains(frame));
    assert!(other.is_none(), "{what}: {other:?}");
}

#[test]
fn conversions_of_damaged_recordings_are_whole() {
    let mut count = 0;
    for (bytes, name) in shipped() {
        let targets = targets(&bytes, &name);
        let damaged = if targets.is_empty() { Vec::new() } else { damaged(&bytes, &name, 2) };
        // Each damage with each third target, and each target with each third damage.
        for (n, (what, damaged)) in damaged.into_iter().enumerate() {
            let (is_read, told) = (can_be_read(&damaged, &name), Told::by(&damaged, &name));
            for target in targets.iter().skip(n % 3).step_by(3) {
                let what = format!("{name} to {target:?}: {what}");
                let (new, account) = match convert(&damaged[..], &name, Limits::default(), *target, Vec::new()) {
                    Ok(done) => done,
                    // Of what begins a level nothing may be left.
                    Err(e) => {
                        let told = e.to_string();
                        assert!(told.contains("too little of") || told.contains("shows the player"), "{what}: {e}");
                        continue;
                    }
                };
                count += 1;
                let new_name = format!("x.{}", extension(target.kind, account.to_protocol));
                assert_whole(&new, &new_name, is_read, &account.losses, &what);
                if target.player.is_none() && account.from_format == account.to_format {
                    assert_same(&told, &new, &new_name, &account, &what);
                }
            }
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn merges_of_damaged_recordings_are_whole() {
    let mut count = 0;
    let mergeable = |name: &str| !name.contains("mvd") && name != "dm13-15.dem";
    for (bytes, name) in shipped().into_iter().filter(|(_, name)| mergeable(name)) {
        let new_name = name.replace(".qwd", ".mvd");
        let merged = |first: &[u8], other: &[u8]| {
            let inputs = [first, other].map(|bytes| Input { name: &name, bytes });
            merge(&inputs, Limits::default(), Vec::new())
        };
        if merged(&bytes, &bytes).is_err() {
            continue;
        }
        for (what, damaged) in damaged(&bytes, &name, 2) {
            let (what, is_read) = (format!("{name}: {what}"), can_be_read(&damaged, &name));
            let (new, account) = match merged(&damaged, &bytes) {
                Ok(done) => done,
                // Too little is left to compare.
                Err(e) => {
                    assert!(e.to_string().contains("in common with the first one"), "{what}: {e}");
                    continue;
                }
            };
            count += 1;
            assert_whole(&new, &new_name, is_read, &account.losses, &what);
            // What the other one has in place of that is not missing.
            let (new, account) = merged(&bytes, &damaged).unwrap();
            assert_whole(&new, &new_name, true, &account.losses, &what);
            let noted =
                account.account.notes.iter().any(|note| note.ends_with("what cannot be read of it is left out"));
            assert_eq!(noted, !is_read, "{what}: {:?}", account.account.notes);
        }
    }
    assert!(count > 40, "{count}");
}

/// What stands in front of a cut is what it would be without one.
#[test]
fn a_cut_recording_becomes_what_it_would_up_to_there() {
    let (bytes, name) = (testdata("oa-dm4.dm_71"), "oa-dm4.dm_71");
    let to = Target::by_extension("dm_68", None).unwrap();
    let (whole, _) = convert(&bytes[..], name, Limits::default(), to, Vec::new()).unwrap();
    let (old, new) = (borders(&bytes, name), borders(&whole, "x.dm_68"));
    assert_eq!(old.len(), new.len());
    for at in [100, 200, 300] {
        let end = [0xFF; 8];
        // Within a header; behind a header; before the block is complete, where not even a command has come.
        for more in [3, 8, 14] {
            let (cut, account) = convert(&bytes[..old[at] + more], name, Limits::default(), to, Vec::new()).unwrap();
            assert!(cut == [&whole[..new[at]], &end].concat(), "{at} {more}");
            let [lost] = &account.losses[..] else { panic!("{:?}", account.losses) };
            assert_eq!((lost.loss, lost.count, lost.block), (Loss::Unread, 1, at as u64 + 1));
            assert!(account.account.end_made);
        }
        // Between two blocks nothing is lost.
        let (cut, account) = convert(&bytes[..old[at]], name, Limits::default(), to, Vec::new()).unwrap();
        assert!(cut == [&whole[..new[at]], &end].concat(), "{at}");
        assert!(account.losses.is_empty() && account.account.end_made);
    }
}

/// In Quake what is not told of at a new time is gone: with half of a frame the rest would vanish for a moment.
#[test]
fn half_a_frame_of_quake_is_none() {
    let time = |time: f32| [&[7][..], &time.to_le_bytes()].concat();
    // A new place (`U_ORIGIN1`) for an entity, and for one that has not all of it.
    let entity = |number: u8| vec![0x80 | 2, number, 0x10, 0];
    let print = b"\x08kept\n\0";
    let signon = [&serverinfo(15, &[])[..], &[25, 3]].concat();
    let first = [time(1.0), entity(1), entity(2)].concat();
    let half = [&time(1.1)[..], print, &entity(1), &[0x80 | 2]].concat();
    let bytes = demo("-1\n", &[&signon, &first, &half]);
    let to = Target::by_extension("dem", Some(666)).unwrap();
    let (new, account) = convert(&bytes[..], "x.dem", Limits::default(), to, Vec::new()).unwrap();
    let mut reader = Reader::new(&new[..], "x.dem", Limits::default()).unwrap();
    let (mut decoder, mut kinds) = (dem::Decoder::default(), Vec::<Vec<bool>>::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Dem(dem::Chunk::Block(block)) = chunk else { continue };
        let (packet, fault) = decoder.read(&block);
        assert!(fault.is_none());
        kinds.push(packet.messages.iter().map(|m| matches!(m, Message::Time(_) | Message::UpdateEntity(_))).collect());
    }
    // The beginning, the whole frame, what was printed beside half of one, and an end.
    let expected = [vec![false; 2], vec![true; 3], vec![false], vec![false]];
    assert_eq!(kinds, expected.to_vec());
    assert!(says_unread(&account.losses) && account.account.end_made);
    assert_eq!(story(&new, "x.dem"), story(&bytes, "x.dem"));
}

#[test]
fn of_what_cannot_be_read_nothing_is_made() {
    let bytes = testdata("oa-dm4.dm_71");
    let to = Target::by_extension("dm_68", None).unwrap();
    // Within the gamestate.
    let refused = convert(&bytes[..2_000], "x.dm_71", Limits::default(), to, Vec::new()).unwrap_err();
    assert!(refused.to_string().contains("too little of the recording can be read"), "{refused}");
}
