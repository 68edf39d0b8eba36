//! Moments of which not everything was recorded: lists of entities that build on ones that are missing.

use qdemo::analysis::check::{Checks, check};
use qdemo::edit::TimeMap;
use qdemo::replay::World;
use qdemo::world::Scene;
use qdemo::{Limits, Reader};

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
    // A list behind a whole one builds on that, whatever it says.
    due.iter_mut().find(|(_, known, _)| !known).unwrap().1 = true;
    let shown = players_in_frames(&out, name);
    assert_eq!(shown.len(), due.len());
    let found = check(&out[..], name, Limits::default(), &Checks::default()).unwrap().findings;
    assert_eq!(found.iter().filter(|finding| finding.rule == "gaps").count(), 1);
    for (shown, due) in shown.iter().zip(&due) {
        assert_eq!(shown, due);
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
