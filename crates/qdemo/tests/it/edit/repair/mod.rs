//! Repairs: what was not damaged is there, players go on, and a sound recording comes out as it is.

mod front;
mod lists;
mod measure;
mod numbers;
mod order;
mod sizes;
mod twice;

use std::fs;

use measure::{Blocks, Damaged, blocks, compare, overwrite, reordered, repaired};
use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Done, Found, repair};
use qdemo::replay::{Position, Range, World};
use qdemo::verify::verify;
use qdemo::world::Scene;
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{SHIPPED, shipped};
use crate::common::{
    Random, assert_sound, demo, file_name, quake2_demo, recordings, report, rounds, serverinfo, testdata,
};

fn all() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    shipped().map(|name| (name, testdata(name)))
}

/// The world at the end of a recording.
fn world(bytes: &[u8], name: &str) -> World {
    qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().0
}

/// Findings that others need not explain: all but those that something is missing.
fn findings(bytes: &[u8], name: &str) -> Vec<String> {
    let report = check(bytes, name, Limits::default(), &Checks::default()).unwrap();
    let found = report.findings.iter().filter(|f| f.severity > Severity::Note && f.rule != "gaps");
    found.map(|f| f.rule.clone()).collect()
}

#[test]
fn a_sound_recording_comes_out_as_it_is() {
    for name in SHIPPED {
        let bytes = testdata(name);
        let (out, account) = repaired(&bytes, name);
        assert!(account.is_sound(), "{name}: {:?}", account.repairs.first());
        assert!(out == bytes, "{name}");
    }
}

/// Of the corpus, too: whatever is changed, the account says so, and what is written can be read to the last byte.
#[test]
fn what_is_written_is_sound_and_what_is_changed_is_told() {
    let is_demo = |extension: &str| extension != "qwz" && FileKind::by_extension(extension).is_some();
    let mut same = 0;
    for path in recordings(is_demo) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        // A build that is not optimised does with the short ones.
        if cfg!(debug_assertions) && bytes.len() > 200_000 {
            continue;
        }
        let Ok((out, account)) = repair(|| Ok(&bytes[..]), &name, Limits::default(), Vec::new()) else { continue };
        assert_eq!(out == bytes, account.is_sound(), "{name}: {:?}", account.repairs.first());
        same += usize::from(account.is_sound());
        assert_sound(&out, &name);
        assert!(repaired(&out, &name).1.is_sound(), "{name}: repaired twice");
    }
    assert!(same > 7);
}

#[test]
fn a_cut_keeps_every_whole_block_and_makes_an_end() {
    let mut random = Random(0xC07);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let first = all.ranges[all.ranges.len() / 8].end;
        for _ in 0..rounds(200) {
            let cut = first + random.below(bytes.len() - first);
            let (out, account) = repaired(&bytes[..cut], name);
            let whole = all.ranges.partition_point(|range| range.end <= cut);
            let kept = all.ranges[whole - 1].end;
            assert!(out.starts_with(&bytes[..kept]), "{name}: cut at {cut}");
            // The last block of a whole recording may be its end.
            let ended = whole == all.ranges.len();
            assert!(account.account.end_made || ended, "{name}: cut at {cut}: {:?}", account.repairs);
            assert_sound(&out, name);
        }
    }
}

/// Blocks that are not damaged are there, nearly all, and what is written is exact; nothing new is found in it.
#[test]
fn what_lies_behind_damage_is_saved() {
    let mut random = Random(0xDA3A6E);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let before = findings(&bytes, name);
        let (mut intact, mut saved) = (0, 0);
        for _ in 0..rounds(100) {
            let at = all.ranges[all.ranges.len() / 8].end + random.below(bytes.len() * 3 / 4);
            let with = {
                let n = 1 + random.below(2_000);
                random.bytes(n)
            };
            let damaged = overwrite(&bytes, &all, at.min(bytes.len() - 1), &with);
            let (out, account) = repaired(&damaged.bytes, name);
            let report = assert_sound(&out, name);
            assert_eq!(report.bytes, account.account.bytes_written);
            let (there, found) = measure::saved(name, &all, &damaged, &out);
            (intact, saved) = (intact + there, saved + found);
            if random.below(10) == 0 {
                let damage = findings(&damaged.bytes, name);
                // Random bytes that happen to be messages look edited, and are.
                let is_new = |rule: &String| rule != "editing" && !before.contains(rule) && !damage.contains(rule);
                let new = findings(&out, name).into_iter().find(is_new);
                assert_eq!(new, None, "{name}: {at}");
            }
        }
        // Of a few rounds one may be that of a header that nothing proves.
        let share = if rounds(100) == 100 { 99 } else { 95 };
        assert!(saved * 100 >= intact * share, "{name}: {saved} of {intact} blocks");
    }
}

/// A level whose names are lost begins in front of everything that is told of it, and players pass its stages in order:
/// they stop at a stage that they have behind them.
#[test]
fn lost_names_of_a_level_are_made_in_front_of_it() {
    use qdemo::format::dem::{Dem, Message};
    let name = "e0m1-666.dem";
    for at in [400, 900] {
        let mut damaged = testdata(name);
        // A list of names that does not end.
        let end = blocks(&damaged, name).ranges[0].end;
        damaged[at..end].fill(b'a');
        let (out, account) = repaired(&damaged, name);
        assert_sound(&out, name);
        assert!(account.repairs.iter().any(|repair| repair.found == Found::NoBeginning), "{name}");
        let all = qdemo::demo::Recording::<Dem>::read(out, name).unwrap();
        let (mut begun, mut stages, mut states) = (false, Vec::new(), 0);
        for (_, packet) in all.packets() {
            for message in packet.messages {
                begun |= matches!(message, Message::ServerInfo(_));
                match message {
                    Message::SignonNum(m) => stages.push(m.signon),
                    Message::SpawnBaseline(_) if begun => states += 1,
                    Message::SpawnBaseline(_) => panic!("{name}: a base state of no level"),
                    _ => {}
                }
            }
        }
        assert_eq!(stages, [1, 2, 3], "{name}");
        assert!(states > 50, "{name}: {states}");
    }
}

/// A number that no protocol has is damage where the blocks behind it are those of one.
#[test]
fn a_damaged_protocol_of_quake_2_costs_its_block_alone() {
    let name = "q2-demo1.dm2";
    let bytes = testdata(name);
    let all = blocks(&bytes, name);
    // Behind the size of the first block and the number of the message.
    for at in 5..9 {
        let damaged = overwrite(&bytes, &all, at, &[bytes[at] ^ 0x40]);
        let (out, account) = repaired(&damaged.bytes, name);
        assert_sound(&out, name);
        let (intact, saved) = measure::saved(name, &all, &damaged, &out);
        assert!(!account.is_sound() && saved + 1 >= intact, "{at}: {saved} of {intact}");
    }
}

/// Servers write no commands of players into an `.mvd`: bytes that look like one are damage.
#[test]
fn records_that_no_server_writes_are_dropped() {
    let name = "ez-dm.mvd";
    let mut bytes = testdata(name);
    let all = blocks(&bytes, name);
    let at = all.ranges[100].start;
    // A command has 36 bytes behind its two.
    let command = [&[0, 0][..], &[0x11; 36]].concat();
    bytes.splice(at..at, command);
    let (out, account) = repaired(&bytes, name);
    assert_eq!((account.repairs[0].done, account.repairs[0].offset), (Done::Dropped, at as u64));
    assert_sound(&out, name);
    // What follows may build on what was lost there.
    let ours = blocks(&out, name);
    let of =
        |bytes: &[u8], all: &Blocks| all.ranges.iter().map(|range| bytes[range.clone()].to_vec()).collect::<Vec<_>>();
    let (ours, theirs) = (of(&out, &ours), of(&testdata(name), &all));
    let changed = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
    assert!(ours.len() == theirs.len() && changed <= 1, "{changed} of {}: {:?}", theirs.len(), account.repairs);
}

/// Without one block players go on: no frame builds on what is not there.
#[test]
fn frames_behind_a_lost_one_are_rebuilt() {
    let mut random = Random(0x10_57);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let n = all.ranges.len();
        let (mut moments, mut right) = (0, 0);
        for _ in 0..rounds(20) {
            let lost = n / 4 + random.below(n / 2);
            let order: Vec<usize> = (0..n).filter(|block| *block != lost).collect();
            let bytes_without = reordered(&bytes, &all, &order);
            let (out, _) = repaired(&bytes_without, name);
            assert_sound(&out, name);
            let mut intact = vec![true; n];
            intact[lost] = false;
            let damaged = Damaged { bytes: bytes_without, intact, first: lost };
            let result = compare(&bytes, name, &all, &damaged, &out, 10);
            assert!(result.saved * 100 >= result.intact * 99, "{name}: {lost}: {result:?}");
            (moments, right) = (moments + result.states, right + result.right_states);
            assert!(complete(&out, name), "{name}: {lost}: a frame has nothing to build on");
        }
        // One lost block changes little.
        assert!(right * 100 >= moments * 85, "{name}: {right} of {moments} states");
    }
}

/// True when every frame has what it builds on.
fn complete(bytes: &[u8], name: &str) -> bool {
    match world(bytes, name) {
        World::Dm2(world) => world.missing_bases() == 0,
        World::Dm3(world) => world.missing_bases() == 0,
        _ => true,
    }
}

/// Numbers prove what is there twice, and what stands in the wrong place: then the recording is the original again.
#[test]
fn doubled_and_swapped_blocks_are_put_in_order() {
    let mut random = Random(0x2_5A9);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let n = all.ranges.len();
        let numbered = matches!(all.kind, FileKind::Dm3);
        for _ in 0..rounds(20) {
            let at = n / 4 + random.below(n / 2);
            let mut twice: Vec<usize> = (0..n).collect();
            twice.insert(at, at);
            let (out, account) = repaired(&reordered(&bytes, &all, &twice), name);
            assert_sound(&out, name);
            if numbered {
                assert!(out == with_end(&bytes, &account), "{name}: {at} twice: {:?}", account.repairs);
                assert_eq!(account.count(Found::Doubled), 1);
            }
            let mut swapped: Vec<usize> = (0..n).collect();
            swapped.swap(at, at + 1);
            let (out, account) = repaired(&reordered(&bytes, &all, &swapped), name);
            assert_sound(&out, name);
            if numbered {
                assert!(out == with_end(&bytes, &account), "{name}: {at} and the next: {:?}", account.repairs);
                assert_eq!(account.count(Found::Swapped), 1);
            }
        }
    }
}

/// The original, with the end that it lacks.
fn with_end(bytes: &[u8], account: &RepairAccount) -> Vec<u8> {
    assert!(!account.account.end_made);
    bytes.to_vec()
}

/// A recording without what its level begins with plays all the same: a beginning is made, and the account says so.
#[test]
fn a_beginning_is_made() {
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let late = first_frame(&bytes, name).expect("frames") + 3;
        let order: Vec<usize> = (late..all.ranges.len()).collect();
        let mut cut = reordered(&bytes, &all, &order);
        if all.kind == FileKind::Mvd2 {
            // The mark of the format stands in front of all blocks.
            cut.splice(0..0, *b"MVD2");
        }
        let (out, account) = repaired(&cut, name);
        assert_eq!(account.count(Found::NoBeginning), 1, "{name}: {:?}", account.repairs);
        assert!(account.repairs.iter().any(|repair| repair.done == Done::Invented), "{name}");
        assert_sound(&out, name);
        let kept = account.account.blocks_kept + account.account.blocks_changed;
        assert!(kept * 100 >= order.len() as u64 * 99, "{name}: {kept} of {}", order.len());
        let ours = world(&out, name);
        assert!(ours.is_complete(), "{name}");
        assert!(!ours.level().map.is_empty(), "{name}");
    }
}

/// The first block with a frame of the game.
fn first_frame(bytes: &[u8], name: &str) -> Option<usize> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut n = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            return Some(n);
        }
        n += usize::from(chunk.block().is_some());
    }
    None
}

/// LMPC's documentation, "multi-level files", and the recording FAQ, 2.1: the command `reconnect` stops players.
#[test]
fn reconnect_between_levels_of_quake_is_taken_out() {
    let level = serverinfo(15, &[]);
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    let text = |text: &[u8]| [&[9][..], text, b"\0"].concat();
    let frames = [frame(1.0), frame(2.0)];
    let bytes = demo("-1\n", &[&level, &frames[0], &text(b"reconnect\n"), &level, &frames[1], &text(b"bf\n"), &[2]]);
    let (out, account) = repaired(&bytes, "two.dem");
    assert_eq!(account.count(Found::LevelChange), 1, "{:?}", account.repairs);
    let expected = demo("-1\n", &[&level, &frames[0], &level, &frames[1], &text(b"bf\n"), &[2]]);
    assert_eq!(out, expected);
}

/// Of a `.qwd` that lost `serverdata` the lists may be there: players know nothing in front of it, and where the numbers of
/// packets stand is no beginning. (Source: `CL_ParseServerMessage` and `dem_set` of the engines.)
#[test]
fn a_recording_that_lost_its_first_packets_gets_a_beginning() {
    let name = "ez-dm.qwd";
    let bytes = testdata(name);
    let all = blocks(&bytes, name);
    let whole = world(&bytes, name);
    // In front of the sounds, within the models, behind them.
    for first in [1, 2, 5, 8] {
        let (out, account) = repaired(&bytes[all.ranges[first].start..], name);
        assert_sound(&out, name);
        assert_eq!((account.count(Found::NoBeginning), account.count(Found::Stale)), (1, 0), "{first}");
        let demo = qdemo::demo::Recording::<qdemo::format::qwd::Qwd>::read(out.clone(), name).unwrap();
        let (_, packet) = demo.packets().find(|(_, packet)| !packet.messages.is_empty()).unwrap();
        assert!(matches!(packet.messages[0], qdemo::format::qwd::Message::ServerData(_)), "{first}");
        assert!(repaired(&out, name).1.is_sound(), "{first}: repaired twice");
        let now = world(&out, name);
        assert!(now.is_complete(), "{first}");
        if first < 3 {
            assert_eq!(now.level().map, whole.level().map);
        }
    }
}

/// Packets are counted on from where that is told, which may be a lower number.
#[test]
fn packets_behind_the_numbers_that_are_told_are_not_old() {
    let name = "ez-dm.qwd";
    let range = Range { from: Position::Block(2), to: Position::End };
    let (cut, _) = qdemo::edit::cut(&testdata(name)[..], name, Limits::default(), range, Vec::new()).unwrap();
    let (out, account) = repaired(&cut, name);
    assert_eq!(account.count(Found::Stale), 0, "{:?}", account.repairs);
    assert!(out.starts_with(&cut));
}

/// Engines read nothing there, and take that for the end.
#[test]
fn empty_blocks_are_taken_out() {
    let level = serverinfo(15, &[]);
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    let (one, two) = (frame(1.0), frame(1.1));
    let (out, account) = repaired(&demo("-1\n", &[&level, &one, &[], &two, &[2]]), "x.dem");
    assert_eq!((account.count(Found::Empty), account.account.blocks_dropped), (1, 1), "{:?}", account.repairs);
    assert_eq!(out, demo("-1\n", &[&level, &one, &two, &[2]]));
}

/// The same of Quake II, all that the FAQ names.
#[test]
fn commands_between_levels_of_quake_2_are_taken_out() {
    let level = |isdemo: u8| {
        let mut p = vec![12];
        p.extend(34i32.to_le_bytes());
        p.extend(7i32.to_le_bytes());
        p.push(isdemo);
        p.extend(b"\0\0\0base1\0");
        p
    };
    let text = |text: &str| [&[11][..], text.as_bytes(), b"\0"].concat();
    let gone = ["reconnect\n", "cmd configstrings 7 0\n", "cmd baselines 7 0\n", "record mine\n"];
    let mut between: Vec<u8> = gone.iter().flat_map(|it| text(it)).collect();
    between.push(8);
    let download = [16, 2, 0, 50, 1, 2];
    let first = [level(0), text("precache 7\n")].concat();
    let second = [level(1), text("precache\n"), text("echo stays\n")].concat();
    let bytes = quake2_demo(&[&first, &[], &between, &download, &second]);
    let (out, account) = repaired(&bytes, "two.dm2");
    let found = [Found::LevelChange, Found::Empty].map(|found| account.count(found));
    assert_eq!(found, [3, 1], "{:?}", account.repairs);
    let first = [level(1), text("precache\n")].concat();
    assert_eq!(out, quake2_demo(&[&first, &second]));
}

/// Two recordings in one file: the end of the first would end the second.
#[test]
fn an_end_in_front_of_another_recording_is_dropped() {
    let level = serverinfo(15, &[]);
    let bytes = [demo("-1\n", &[&level, &[1], &[2]]), demo("4\n", &[&level, &[1], &[2]])].concat();
    let (out, account) = repaired(&bytes, "two.dem");
    assert_eq!(account.count(Found::EndWithin), 1, "{:?}", account.repairs);
    assert_eq!(out, demo("-1\n", &[&level, &[1], &level, &[1], &[2]]));
}

/// The same where a mark ends recordings, and where the end is followed by what was left in the recorder's memory.
#[test]
fn another_recording_behind_an_end_is_told_of_and_made_part_of_the_first() {
    for name in ["q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71", "ez-dm.mvd", "q2pro-dm.mvd2"] {
        let one = testdata(name);
        let two = [&one[..], &one[..]].concat();
        let verified = report(&two, name);
        assert!(verified.is_exact() && !verified.is_sound(), "{name}");
        let fault = verified.faults.iter().next().unwrap();
        assert!(fault.to_string().contains("blocks behind the end"), "{name}: {fault}");
        assert_eq!(fault.place.offset, Some(one.len() as u64), "{name}");
        for (bytes, findings) in [(&one, 0), (&two, 1)] {
            let found = check(&bytes[..], name, Limits::default(), &Checks::default()).unwrap().findings;
            let found = found.iter().filter(|it| it.rule == "end" && it.severity == Severity::Warning).count();
            assert_eq!(found, findings, "{name}");
        }
        let (out, account) = repaired(&two, name);
        assert_eq!(account.count(Found::EndWithin), 1, "{name}: {:?}", account.repairs);
        assert!(account.repairs.iter().any(|repair| repair.text.starts_with("another recording follows")));
        assert_sound(&out, name);
        let all = 2 * blocks(&one, name).ranges.len() - usize::from(name.ends_with("mvd"));
        assert_eq!(blocks(&out, name).ranges.len(), all, "{name}");
    }
}

/// Damage may look like an end mark: blocks go on behind it.
#[test]
fn an_end_mark_within_damage_is_none() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66", "q2-demo1.dm2"] {
        let mut bytes = testdata(name);
        let ranges = blocks(&bytes, name).ranges;
        let (from, to) = (ranges[ranges.len() / 2].start, ranges[ranges.len() / 2 + 3].start);
        bytes[from..to].fill(0xFF);
        assert!(!report(&bytes, name).is_sound(), "{name}");
        let (out, account) = repaired(&bytes, name);
        assert_eq!(account.count(Found::EndWithin), 1, "{name}: {:?}", account.repairs);
        assert!(account.repairs.iter().any(|repair| repair.text.starts_with("blocks go on")), "{name}");
        assert_sound(&out, name);
        assert_eq!(blocks(&out, name).ranges.len(), ranges.len() - 3, "{name}");
        let length = |bytes: &[u8]| qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().1;
        assert_eq!(length(&out), length(&testdata(name)), "{name}");
    }
}

/// What recorders leave behind the end is none of ours.
#[test]
fn bytes_behind_the_end_stay() {
    for name in SHIPPED {
        let bytes = [testdata(name), b"what was in memory, and more than sixteen bytes".to_vec()].concat();
        let (out, account) = repaired(&bytes, name);
        assert!(out == bytes && account.is_sound(), "{name}: {:?}", account.repairs);
        // Recorders of Quake leave nothing there.
        let told: &[&str] = match name {
            // Its server left old blocks there.
            "ez-dm.mvd" => &["bytes behind the end look like blocks"],
            _ if name.ends_with(".dem") => &["47 bytes behind the end"],
            _ => &[],
        };
        let notes = &account.account.notes;
        assert!(
            notes.len() == told.len() && notes.iter().zip(told).all(|(a, b)| a.starts_with(b)),
            "{name}: {notes:?}"
        );
    }
}

/// A made beginning tells the protocol: engines, and names of files, go by it.
#[test]
fn a_made_beginning_of_quake_3_tells_its_protocol() {
    for (name, protocol) in [("oa-dm4.dm_71", 71), ("oa-dm5.dm_66", 66), ("oa-dm2.dm_68", 68)] {
        let (out, account) = repaired(&testdata(name)[3..], name);
        assert!(account.count(Found::NoBeginning) == 1, "{name}: {:?}", account.repairs.first());
        let found = qdemo::detect::detect(&out, true, "x", Limits::default());
        assert_eq!((found.kind, found.protocol), (FileKind::Dm3, Some(protocol)), "{name}: {}", found.reason);
    }
}

/// Of a recording that ends within its first block nothing can be kept: that is said, and nothing is made.
#[test]
fn a_recording_of_which_nothing_is_left_is_refused() {
    let bytes = &testdata("oa-dm2.dm_68")[..2_000];
    let e = repair(|| Ok(bytes), "x.dm_68", Limits::default(), Vec::new()).unwrap_err();
    assert!(e.to_string().contains("nothing of the recording can be kept"), "{e}");
}

/// What is not told of at a new time is gone in Quake: half a frame would make the rest vanish for a moment, and so would its
/// time alone.
#[test]
fn messages_in_front_of_a_fault_are_kept() {
    let level = serverinfo(15, &[]);
    let bytes = demo("-1\n", &[&level, &[7, 0, 0, 128, 63, 25, 3, 0x7F, 0x55], &[2]]);
    let (out, account) = repaired(&bytes, "one.dem");
    assert_eq!(account.repairs.first().map(|r| (r.found, r.done)), Some((Found::Undecodable, Done::Shortened)));
    assert_eq!(out, demo("-1\n", &[&level, &[25, 3], &[2]]));
}

#[test]
fn half_a_frame_of_quake_is_not_kept() {
    let time = |time: f32| [&[7][..], &time.to_le_bytes()].concat();
    // A new place (`U_ORIGIN1`) for an entity.
    let entity = |number: u8| vec![0x80 | 2, number, 0x10, 0];
    let whole = |at: f32| [time(at), entity(1), entity(2), entity(3)].concat();
    let signon = [&serverinfo(15, &[])[..], &[25, 3]].concat();
    // What is said stands in front of the time, and the second entity is no message any more.
    let print = b"\x08kept\n\0";
    let damaged = [print, &time(1.1)[..], &entity(1), &[0x7F, 2, 0x10, 0], &entity(3)].concat();
    let bytes = demo("-1\n", &[&signon, &whole(1.0), &damaged, &whole(1.2), &[2]]);
    let (out, account) = repaired(&bytes, "one.dem");
    assert_eq!(out, demo("-1\n", &[&signon, &whole(1.0), print, &whole(1.2), &[2]]));
    let told: Vec<_> = account.repairs.iter().map(|r| (r.found, r.done)).collect();
    assert_eq!(told, [(Found::Undecodable, Done::Shortened)]);
    // Nothing is left of a block that holds the frame alone, and of one that the end of the file cuts.
    let frame = &damaged[print.len()..];
    let bytes = demo("-1\n", &[&signon, &whole(1.0), frame, &whole(1.2)]);
    for (cut, left) in [(0, &[whole(1.0), whole(1.2)][..]), (5, &[whole(1.0)])] {
        let (out, account) = repaired(&bytes[..bytes.len() - cut], "one.dem");
        let blocks: Vec<_> = std::iter::once(&signon).chain(left).map(|block| &block[..]).chain([&[2][..]]).collect();
        assert_eq!(out, demo("-1\n", &blocks), "{cut}");
        assert!(account.repairs.iter().all(|r| r.done != Done::Shortened), "{:?}", account.repairs);
    }
}

#[test]
fn whatever_the_damage_nothing_panics() {
    let mut random = Random(0xBAD);
    for (name, bytes) in all() {
        let short = &bytes[..bytes.len().min(12_000)];
        for _ in 0..rounds(300) {
            let mut bytes = short.to_vec();
            random.damage(&mut bytes);
            let Ok((out, _)) = repair(|| Ok(&bytes[..]), name, Limits::default(), Vec::new()) else { continue };
            let report = verify(&out[..], name, Limits::default()).unwrap();
            // A protocol number that is damaged cannot be told from one that nobody knows: all is kept as it is.
            let unsupported = |e: &qdemo::Error| matches!(e.kind, qdemo::error::ErrorKind::Unsupported(_));
            let is_kept = report.detected.kind == FileKind::Unknown || report.faults.iter().any(unsupported);
            assert!(report.is_exact() || is_kept, "{name}: {:?}", report.faults);
        }
    }
}

/// Damaged times lie further apart than any number of microseconds that fits 64 bits.
#[test]
fn times_are_whatever_four_bytes_can_be() {
    let level = serverinfo(15, &[]);
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    for far in [[f32::MAX, f32::MIN], [1e30, f32::NAN], [f32::INFINITY, -1e30]] {
        let frames = [1.0, far[0], far[0], far[1], 2.0, far[1], 3.0].map(frame);
        let mut blocks = vec![&level[..]];
        blocks.extend(frames.iter().map(|frame| &frame[..]));
        blocks.push(&[2]);
        let (out, account) = repaired(&demo("-1\n", &blocks), "times.dem");
        assert_sound(&out, "times.dem");
        assert!(account.account.blocks_kept > 3, "{far:?}: {:?}", account.repairs);
    }
}

#[test]
fn blocks_are_counted() {
    let bytes = testdata("oa-dm4.dm_71");
    let Blocks { ranges, .. } = blocks(&bytes, "oa-dm4.dm_71");
    let (_, account) = repaired(&bytes, "oa-dm4.dm_71");
    let account = account.account;
    assert_eq!((account.blocks_read, account.blocks_kept), (ranges.len() as u64, ranges.len() as u64));
    let mut reader = Reader::new(&bytes[..], "oa-dm4.dm_71", Limits::default()).unwrap();
    let mut blocks = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        blocks += u64::from(matches!(chunk, Chunk::Dm3(qdemo::format::dm3::Chunk::Block(_))));
    }
    assert_eq!(account.blocks_read, blocks);
}

/// The same without an end between them: servers look for the mark of a multi-view recording once, at the beginning of a file.
/// (Source: `demo_read_first` and `demo_load_message` of Q2PRO.)
#[test]
fn a_mark_within_a_recording_is_taken_out_and_told() {
    let whole = testdata("q2pro-dm.mvd2");
    let open = &whole[..whole.len() - 2];
    let (out, account) = repaired(&[open, &whole[..]].concat(), "two.mvd2");
    assert_eq!(account.repairs.len(), 1, "{:?}", account.repairs);
    assert_eq!(account.count(Found::MarkWithin), 1);
    assert_eq!(account.repairs[0].offset, open.len() as u64);
    assert!(out == [open, &whole[4..]].concat());
}

/// Without it they take a file for no recording.
#[test]
fn a_mark_that_is_missing_is_put_in_front() {
    let whole = testdata("q2pro-dm.mvd2");
    let (out, account) = repaired(&whole[4..], "x.mvd2");
    assert_eq!((account.repairs.len(), account.count(Found::NoMark)), (1, 1), "{:?}", account.repairs);
    assert!(out == whole);
}

/// A stretch of many packets that stands there twice: players pass over those that they have seen, or stop.
#[test]
fn packets_that_come_again_are_left_out_however_many() {
    let whole = testdata("oa-dm2.dm_68");
    let mut ends = vec![0];
    while let Some(size) = whole.get(ends[ends.len() - 1] + 4..).and_then(|rest| rest.first_chunk()) {
        let Ok(size) = usize::try_from(i32::from_le_bytes(*size)) else { break };
        ends.push(ends[ends.len() - 1] + 8 + size);
    }
    for (from, to) in [(75, 77), (75, 273), (10, 380)] {
        let twice = [&whole[..ends[to]], &whole[ends[from]..]].concat();
        let (out, account) = repaired(&twice, "x.dm_68");
        assert!(out == whole, "{from} to {to}: {:?}", account.repairs.first());
        assert_eq!(account.account.blocks_dropped, (to - from) as u64);
    }
}

/// Where a block stands twice and what stood between was dropped, the second one goes at once: what is written is sound.
#[test]
fn what_repeats_behind_damage_is_repaired_at_once() {
    let mut random = Random(0xD0B1E);
    for (name, bytes) in all() {
        let first = bytes.len() / 4;
        let places = (0..rounds(40)).map(|_| (first + random.below(bytes.len() / 2), 1 + random.below(400)));
        let places: Vec<_> = places.collect();
        for (at, back) in [(81_478, 200)].into_iter().filter(|_| name == "clip.dem").chain(places) {
            let twice = [&bytes[..at], &bytes[at - back..]].concat();
            let (out, _) = repaired(&twice, name);
            let again = repaired(&out, name).1;
            assert!(again.is_sound(), "{name}: {at}, {back} bytes: {:?}", again.repairs.first());
        }
    }
}
