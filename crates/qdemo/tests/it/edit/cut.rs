//! Clips: every state is that of the original at that time.

use std::collections::BTreeSet;
use std::fs;

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::demo::Recording;
use qdemo::edit::{Account, TimeMap, cut, join, retime};
use qdemo::event::EventKind;
use qdemo::format::mvd2::{Message, Mvd2};
use qdemo::replay::{Position, Range, World};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};

use super::{marks, quake2_rules, shipped};
use crate::common::{assert_sound, file_name, is_broken, recordings, testdata};

/// A block of a recording, the world after it.
struct Played<'b> {
    reader: Reader<&'b [u8]>,
    world: World,
}

impl<'b> Played<'b> {
    fn new(bytes: &'b [u8], name: &str) -> Self {
        let reader = Reader::new(bytes, name, Limits::default()).unwrap();
        let world = World::of(reader.detected(), name).unwrap();
        Played { reader, world }
    }

    /// Takes in the next block; false at the end.
    fn block(&mut self) -> bool {
        while let Some(chunk) = self.reader.next_chunk().unwrap() {
            self.world.apply(&chunk);
            if chunk.block().is_some() {
                return true;
            }
        }
        false
    }
}

/// The length of a recording.
fn length(bytes: &[u8], name: &str) -> DemoTime {
    qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().1
}

/// Every state of a clip is that of the original. Gives how many were compared.
fn compare(original: &[u8], clip: &[u8], name: &str, account: &Account, range: Range) -> u64 {
    let mut whole = Played::new(original, name);
    let mut ours = Played::new(clip, name);
    let mut block = 0;
    while block < account.first.unwrap().block {
        assert!(whole.block(), "{name}");
        block += 1;
    }
    if let [start] = account.starts[..] {
        assert_eq!(Some(block), start.block, "{name}");
        for _ in 0..start.blocks {
            assert!(ours.block(), "{name}");
        }
        assert_eq!(ours.world.difference(&whole.world), None, "{name}: {range:?}, full start");
    }
    for n in 0..account.blocks_kept + account.blocks_changed {
        assert!(whole.block() && ours.block(), "{name}: {range:?}, block {n}");
        assert_eq!(ours.world.difference(&whole.world), None, "{name}: {range:?}, block {n} behind the start");
    }
    let more = ours.block();
    assert_eq!(more, account.blocks_made > account.starts.iter().map(|start| start.blocks).sum(), "{name}: {range:?}");
    assert!(!ours.block(), "{name}: {range:?}");
    account.blocks_kept + account.blocks_changed
}

#[test]
fn states_of_clips_are_those_of_the_original() {
    let (mut clips, mut blocks, mut refused) = (0, 0, Vec::new());
    for path in recordings(|extension| extension != "qwz" && qdemo::FileKind::by_extension(extension).is_some()) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        if is_broken(&path) {
            continue;
        }
        let length = length(&bytes, &name).0;
        let places = [(0, 10), (20, 45), (50, 51), (60, 100)];
        for (from, to) in places {
            let at = |percent: i64| Position::Demo(DemoTime(length / 100 * percent));
            let range = Range { from: at(from), to: if to == 100 { Position::End } else { at(to) } };
            match cut(&bytes[..], &name, Limits::default(), range, Vec::new()) {
                Ok((clip, account)) => {
                    assert_sound(&clip, &name);
                    blocks += compare(&bytes, &clip, &name, &account, range);
                    clips += 1;
                }
                Err(e) => refused.push(format!("{name} {}: {e}", range.from)),
            }
        }
    }
    eprintln!("{clips} clips, {blocks} blocks\n{}", refused.join("\n"));
    assert!(clips > 20);
}

/// The first frame of a recording builds on nothing, and it is kept: a clip that begins with it has all blocks as they were.
#[test]
fn frames_behind_the_first_one_stay_as_they_are() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66", "q2-demo1.dm2"] {
        let bytes = testdata(name);
        let mut played = Played::new(&bytes, name);
        let mut first = 0;
        while played.block() && !played.world.changes().frame {
            first += 1;
        }
        let range = Range { from: Position::Block(first), to: Position::End };
        let (clip, account) = cut(&bytes[..], name, Limits::default(), range, Vec::new()).unwrap();
        assert_sound(&clip, name);
        assert!(first > 0 && account.starts.len() == 1, "{name}: {account:?}");
        // Packets and commands may be numbered anew; frames are not.
        assert!(clip.len() < bytes.len() + 10_000 && account.blocks_changed <= 1, "{name}: {account:?}");
        assert!(compare(&bytes, &clip, name, &account, range) > 100, "{name}");
    }
}

/// Events as text, with their times on the demo's clock.
fn events(bytes: &[u8], name: &str) -> Vec<(i64, String)> {
    let mut all = Vec::new();
    qdemo::replay::events(bytes, name, Limits::default(), &mut |event| {
        let mut kind = event.kind.clone();
        // Where obituaries stand in this mod is found out in the course of a recording.
        if let EventKind::Frag(frag) = &mut kind {
            frag.victim_origin = None;
        }
        all.push((event.clock.demo.0, format!("{kind:?}")));
        Ok(())
    })
    .unwrap();
    all
}

#[test]
fn events_of_clips_are_those_of_the_range() {
    let (mut clips, mut same, mut unknown) = (0, 0, 0);
    for path in recordings(|extension| extension != "qwz" && qdemo::FileKind::by_extension(extension).is_some()) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        if is_broken(&path) {
            continue;
        }
        let length = length(&bytes, &name).0;
        let at = |percent: i64| Position::Demo(DemoTime(length / 100 * percent));
        let range = Range { from: at(30), to: at(70) };
        let (clip, account) = cut(&bytes[..], &name, Limits::default(), range, Vec::new()).unwrap();
        // A recording of one moment has no full start.
        let [start] = account.starts[..] else { continue };
        let (first, last) = (account.first.unwrap(), account.last.unwrap());
        let mut played = Played::new(&clip, &name);
        for _ in 0..start.blocks {
            assert!(played.block(), "{name}");
        }
        // A full start of a multi-view recording may take two frames, the clip's own clock counts both.
        let moved = start.at.demo.0 - played.world.clock().demo.0;
        let inside = |(time, _): &(i64, String)| (first.at.demo.0..=last.at.demo.0).contains(time);
        let mut theirs = events(&bytes, &name);
        let mut ours = events(&clip, &name);
        ours.iter_mut().for_each(|(time, _)| *time += moved);
        // The first round that a clip has the beginning of is the first of its match.
        for (_, what) in theirs.iter_mut().chain(&mut ours) {
            *what = what.replace("Match(NextRound)", "Match(Start)");
        }
        theirs.retain(inside);
        ours.retain(inside);
        let lost: Vec<_> = theirs.iter().filter(|it| !ours.contains(it)).collect();
        // Nor is it who disconnected before: OpenTDM leaves the name standing until somebody else has the slot.
        let renamed =
            |it: &(i64, String)| name.ends_with(".dm2") && (it.1.starts_with("Rename") || it.1.starts_with("Leave"));
        let new: Vec<_> = ours.iter().filter(|it| !theirs.contains(it) && !renamed(it)).collect();
        // A score that was told before the last score board is not known, so that its change is not seen; nor is it whether
        // a match goes on that a mod tells of by what changed before.
        let of_before = |it: &&(i64, String)| it.1.starts_with("Score") || it.1 == "Match(End)";
        assert_eq!(lost.iter().find(|it| !of_before(it)), None, "{name}: lost");
        assert_eq!(new.first(), None, "{name}: new");
        clips += 1;
        same += ours.len();
        unknown += lost.len();
    }
    eprintln!("{clips} clips, {same} events the same, {unknown} of scores and matches not seen");
    assert!(clips > 8 && same > 50 && unknown * 500 <= same, "{clips} {same} {unknown}");
}

/// Rules that a recording breaks by what `check` finds, notes apart.
fn findings(bytes: &[u8], name: &str) -> BTreeSet<String> {
    let report = check(bytes, name, Limits::default(), &Checks::default()).unwrap();
    let serious = report.findings.into_iter().filter(|finding| finding.severity > Severity::Note);
    serious.map(|finding| finding.rule).collect()
}

#[test]
fn check_finds_nothing_new_and_engines_of_quake_2_would_play_on() {
    let (mut clips, mut played) = (0, 0);
    for path in recordings(|extension| extension != "qwz" && qdemo::FileKind::by_extension(extension).is_some()) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        if is_broken(&path) {
            continue;
        }
        let known = findings(&bytes, &name);
        let rules = if name.ends_with(".dm2") { quake2_rules::check(&bytes).ok() } else { None };
        let length = length(&bytes, &name).0;
        let at = |percent: i64| Position::Demo(DemoTime(length / 100 * percent));
        for (from, to) in [(25, 60), (70, 100)] {
            let range = Range { from: at(from), to: at(to) };
            let (clip, _) = cut(&bytes[..], &name, Limits::default(), range, Vec::new()).unwrap();
            let found = findings(&clip, &name);
            assert!(found.is_subset(&known), "{name}: {found:?}, and before {known:?}");
            if let Some(whole) = &rules {
                let ours = quake2_rules::check(&clip).unwrap_or_else(|broken| panic!("{name}: {broken}"));
                let new: Vec<_> = ours.notes.keys().filter(|note| !whole.notes.contains_key(*note)).collect();
                assert!(new.is_empty(), "{name}: {new:?}");
                assert!(ours.frames > 0 && ours.largest_block <= whole.largest_block.max(1400), "{name}: {ours:?}");
                played += 1;
            }
            clips += 1;
        }
    }
    eprintln!("{clips} clips, {played} played by the rules of Quake II");
    assert!(clips > 16 && played > 0, "{clips} {played}");
}

/// An end that is made would be a part of a block within which the file ends, or not be seen behind bytes that are no block.
#[test]
fn what_the_end_of_a_file_has_cut_is_left_out_in_front_of_a_made_end() {
    let (mut cut_off, mut unframed) = (0, 0);
    let mut ends = |out: &[u8], account: &Account, name: &str, n: usize| {
        assert!(assert_sound(out, name).ends_cleanly, "{name}: {n} bytes: {account:?}");
        let said = |what: &str| usize::from(account.notes.iter().any(|note| note.contains(what)));
        (cut_off, unframed) = (cut_off + said("is cut short"), unframed + said("are no block"));
    };
    for name in shipped() {
        let whole = testdata(name);
        for n in (3..8).map(|part| whole.len() * part / 8 + part) {
            let part = &whole[..n];
            let range = Range { from: Position::Demo(DemoTime::from_ms(200)), to: Position::End };
            let (out, account) = cut(part, name, Limits::default(), range, Vec::new()).unwrap();
            ends(&out, &account, name, n);
            assert_eq!(account.blocks_read, account.blocks_kept + account.blocks_changed + account.blocks_dropped);
            for map in [TimeMap::speed(0.5, None).unwrap(), TimeMap::reverse(None).unwrap()] {
                let (out, account) = retime(part, name, Limits::default(), &map, Vec::new()).unwrap();
                ends(&out, &account, name, n);
            }
            let (out, account) = join([("one", part), ("two", part)], Limits::default(), Vec::new()).unwrap();
            ends(&out, &account, name, n);
        }
    }
    assert!(cut_off > 100 && unframed > 0, "{cut_off} {unframed}");
}

/// Servers read a block in one go: what a level begins with and the frame that completes it are one moment, with everybody
/// there. Parts of one recording go on from each other.
#[test]
fn a_multi_view_clip_begins_at_once() {
    let (bytes, name) = (testdata("q2pro-dm.mvd2"), "q2pro-dm.mvd2");
    let mut in_two = 0;
    for from in (16_000..21_000).step_by(300).map(|ms| Position::Demo(DemoTime::from_ms(ms))) {
        let range = |from, to| Range { from, to };
        let part = |range| cut(&bytes[..], name, Limits::default(), range, Vec::new()).unwrap();
        let ((one, _), (two, account)) = (part(range(Position::Start, from)), part(range(from, Position::End)));
        let first = {
            let mut played = Played::new(&bytes, name);
            let block = account.starts[0].block.unwrap();
            (0..block).for_each(|_| assert!(played.block()));
            played.world
        };
        let mut played = Played::new(&two, name);
        assert!(played.block());
        let is_placed = |world: &World| (0..16).map(|slot| world.place(slot).is_some()).collect::<Vec<_>>();
        assert_eq!(is_placed(&played.world), is_placed(&first), "{from:?}");
        (1..account.starts[0].blocks).for_each(|_| assert!(played.block()));
        assert_eq!((played.world.difference(&first), played.world.clock().demo), (None, DemoTime::default()));
        assert!(played.block());
        assert_eq!(played.world.clock().demo.ms(), 100, "{from:?}");
        let recording = Recording::<Mvd2>::read(two.clone(), name).unwrap();
        let (_, start) = recording.packets().next().unwrap();
        in_two += usize::from(start.messages.iter().any(|message| matches!(message, Message::Frame(_))));
        let (both, account) = join([(name, &one[..]), (name, &two[..])], Limits::default(), Vec::new()).unwrap();
        assert!(account.parts[1].goes_on, "{from:?}");
        assert_eq!(length(&both, name), length(&bytes, name), "{from:?}");
    }
    assert!(in_two > 3, "{in_two}");
}

/// Nothing can begin within a level whose beginning was not recorded, and junk in front of it begins nothing either.
/// A part that begins with a level has its mark, and one behind others has none: also where the input lacks it.
#[test]
fn a_multi_view_clip_has_its_mark_in_front() {
    let bytes = testdata("q2pro-dm.mvd2");
    let name = "q2pro-dm.mvd2";
    let (two, _) = join([(name, &bytes[..]), (name, &bytes[..])], Limits::default(), Vec::new()).unwrap();
    let level = {
        let mut played = Played::new(&two, name);
        let mut blocks = 0;
        while played.block() && (blocks == 0 || !played.world.changes().level) {
            blocks += 1;
        }
        blocks
    };
    for from in [Position::Start, Position::Block(level), Position::Block(level + 20)] {
        let range = Range { from, to: Position::End };
        for input in [&two[..], &two[4..]] {
            let (out, _) = cut(input, name, Limits::default(), range, Vec::new()).unwrap();
            assert_eq!(marks(&out), [0], "{range:?}");
        }
    }
}

#[test]
fn a_level_without_its_beginning_is_refused() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "q2-demo1.dm2"] {
        let bytes = testdata(name);
        // Without what stands in front of the first frame.
        let (mut played, mut first) = (Played::new(&bytes, name), 0);
        while !played.world.changes().frame {
            first = played.reader.offset() as usize;
            assert!(played.block());
        }
        let late = [&[0xEE; 700][..], &bytes[first..]].concat();
        let range = Range { from: Position::Demo(DemoTime::from_ms(3_000)), to: Position::End };
        let e = cut(&late[..], name, Limits::default(), range, Vec::new()).unwrap_err();
        assert!(e.to_string().contains("`qdemo repair` makes one"), "{name}: {e}");
        let back = TimeMap::reverse(None).unwrap();
        let e = retime(&late[..], name, Limits::default(), &back, Vec::new()).unwrap_err();
        assert!(e.to_string().contains("`qdemo repair` makes one"), "{name}: {e}");
        // From its beginning it is as it is.
        let whole = Range { from: Position::Start, to: Position::End };
        let (out, _) = cut(&late[..], name, Limits::default(), whole, Vec::new()).unwrap();
        assert_eq!(out, late, "{name}");
    }
}
