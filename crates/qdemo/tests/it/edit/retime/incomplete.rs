//! Moments of which not everything was recorded: lists of entities that build on ones that are missing.

use std::collections::{BTreeMap, BTreeSet};

use qdemo::analysis::check::{Checks, check};
use qdemo::edit::TimeMap;
use qdemo::format::mvd;
use qdemo::format::qwd::Message;
use qdemo::replay::World;
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, Limits, Reader, frame};

use super::run;
use crate::common::{assert_sound, testdata};

/// A frame: when, whether the entities are known, and where players are, by slot.
pub(super) type PlayersInFrame = (i64, bool, Vec<(usize, [f32; 3])>);

pub(super) fn players_in_frames(bytes: &[u8], name: &str) -> Vec<PlayersInFrame> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut frames = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            let places = world.players().filter_map(|player| Some((player.slot, player.origin?))).collect();
            frames.push((world.clock().demo.ms(), world.is_complete(), places));
        }
    }
    frames
}

/// Servers begin to record with lists of entities that build on others. Players are seen from the beginning: backwards,
/// too, up to the end, and the entities are no more known then than they were.
#[test]
fn moments_without_known_entities_are_shown_backwards() {
    let (bytes, name) = (testdata("ez-dm.mvd"), "ez-dm.mvd");
    let (out, account) = run(&bytes, name, &TimeMap::reverse(None).unwrap()).unwrap();
    assert_sound(&out, name);
    let mut due = players_in_frames(&bytes, name);
    due.reverse();
    let last = account.first.unwrap().at.demo.ms();
    due.iter_mut().for_each(|(time, ..)| *time = last - *time);
    assert!(due.iter().filter(|(_, known, _)| !known).count() > 200);
    let shown = players_in_frames(&out, name);
    assert_eq!(shown.len(), due.len());
    let found = check(&out[..], name, Limits::default(), &Checks::default()).unwrap().findings;
    assert_eq!(found.iter().filter(|finding| finding.rule == "gaps").count(), 1);
    for (shown, due) in shown.iter().zip(&due) {
        assert_eq!(shown, due);
    }
}

/// The numbers of the entities that an engine shows in each frame of an `.mvd`: it takes the list before for what a list builds
/// on, whatever that names (ezQuake, `CL_ParsePacketEntities`).
fn entities_in_an_engine(bytes: &[u8], name: &str) -> BTreeMap<i64, BTreeSet<u16>> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let (mut decoder, mut time) = (mvd::Decoder::default(), 0);
    let (mut frames, mut shown) = (BTreeMap::new(), BTreeSet::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let Chunk::Mvd(frame::Chunk::Block(block)) = &chunk else { continue };
        time += i64::from(block.header.msec);
        for message in decoder.read(block).0.messages {
            let list = match message {
                Message::PacketEntities(list) => {
                    shown.clear();
                    list.entities
                }
                Message::DeltaPacketEntities(list) => list.entities,
                _ => continue,
            };
            for entity in list {
                if entity.remove {
                    shown.remove(&entity.entity.0)
                } else {
                    shown.insert(entity.entity.0)
                };
            }
            frames.insert(time, shown.clone());
        }
    }
    frames
}

/// A part whose entities are known at its end, and not where it begins, is played again: those of the end are not there.
#[test]
fn a_part_played_again_shows_no_entities_of_its_end() {
    let (bytes, name) = (testdata("ez-dm.mvd"), "ez-dm.mvd");
    let all = players_in_frames(&bytes, name);
    let first_known = all.iter().position(|(_, known, _)| *known).unwrap();
    let (from, to) = (all[first_known - 100].0, all[first_known + 100].0);
    let map = TimeMap::repeat(DemoTime::from_ms(from), DemoTime::from_ms(to), 2).unwrap();
    let (out, _) = run(&bytes, name, &map).unwrap();
    assert_sound(&out, name);
    let before = all.iter().filter(|(time, ..)| *time < to).cloned();
    let again = all
        .iter()
        .filter(|(time, ..)| *time >= from)
        .cloned()
        .map(|(time, known, players)| (time + to - from, known, players));
    assert_eq!(players_in_frames(&out, name), before.chain(again).collect::<Vec<_>>());
    let (input, output) = (entities_in_an_engine(&bytes, name), entities_in_an_engine(&out, name));
    assert!(input[&all[first_known + 99].0].len() > 10);
    let unknown = &all[first_known - 100..first_known];
    for (time, ..) in unknown {
        let shown = &output[&(time + to - from)];
        assert!(shown.is_subset(&input[time]), "{time}: {shown:?}");
    }
    for (time, ..) in &all[first_known..] {
        assert_eq!(output[&(time + to - from)], input[time], "{time}");
    }
}

/// Snapshots that build on one that is missing are not shown backwards, and the account says so.
#[test]
fn moments_that_cannot_be_shown_backwards_are_told() {
    let (sound, name) = (testdata("oa-dm4.dm_71"), "oa-dm4.dm_71");
    let mut reader = Reader::new(&sound[..], name, Limits::default()).unwrap();
    let mut bytes = Vec::new();
    while let Some((chunk, of_chunk)) = reader.next_with_bytes().unwrap() {
        if chunk.block().map(|(number, _)| number) != Some(200) {
            bytes.extend_from_slice(of_chunk);
        }
    }
    let left_out = |bytes: &[u8]| {
        let (_, account) = run(bytes, name, &TimeMap::reverse(None).unwrap()).unwrap();
        account.notes.iter().find_map(|note| note.split_once(" moments are left out")?.0.parse::<u32>().ok())
    };
    assert!(left_out(&bytes).is_some_and(|moments| moments > 500), "{:?}", left_out(&bytes));
    assert_eq!(left_out(&sound), None);
}
