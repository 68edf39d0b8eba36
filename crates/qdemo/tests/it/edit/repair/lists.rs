//! Frames and lists of entities that build on what is lost.

use std::ops::Range;

use qdemo::demo::{Listed, Recording};
use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Done, Found};
use qdemo::format::dm2::{self, Dm2};
use qdemo::format::dm3::{self, Dm3};
use qdemo::format::mvd::Mvd;
use qdemo::format::qwd::{Message, PacketEntities, PacketEntity, Qwd};
use qdemo::format::{Format, Packet};
use qdemo::replay::World;

use super::{repaired, world};
use crate::common::{assert_sound, testdata};

/// Takes out blocks of a recording, and changes the one behind them.
fn without<F: Listed>(
    name: &str,
    lost: Range<usize>,
    change: impl for<'w> FnOnce(&'w Recording<F>, &mut Vec<<F as Format>::Message<'w>>),
) -> Vec<u8> {
    let whole = Recording::<F>::read(testdata(name), name).unwrap();
    let mut demo = Recording::<F>::read(testdata(name), name).unwrap();
    let mut packet = whole.packet(lost.end).unwrap();
    change(&whole, &mut packet.messages);
    demo.replace(lost.end, packet);
    demo.remove(lost);
    demo.to_bytes().unwrap()
}

/// The packets in which something is told, by their places.
fn told<F: Listed>(name: &str, is: impl Fn(&<F as Format>::Message<'_>) -> bool) -> Vec<usize> {
    let demo = Recording::<F>::read(testdata(name), name).unwrap();
    let of = |(part, packet): (usize, Packet<'_, F>)| packet.messages.iter().any(&is).then_some(part);
    demo.packets().filter_map(of).collect()
}

/// What is repaired is so at once, and can be read.
fn repaired_at_once(bytes: &[u8], name: &str) -> (Vec<u8>, RepairAccount) {
    let (out, account) = repaired(bytes, name);
    assert_sound(&out, name);
    let again = repaired(&out, name).1;
    assert!(again.is_sound(), "{name}: {:?} and again {:?}", account.repairs, again.repairs);
    (out, account)
}

fn numbers(world: &World) -> Vec<u16> {
    let World::QuakeWorld(world) = world else { panic!("no world of QuakeWorld") };
    world.entity_states().iter().map(|state| state.number).collect()
}

fn is_delta(message: &Message<'_>) -> bool {
    matches!(message, Message::DeltaPacketEntities(_))
}

/// An entity 0 without a change is the end of a list: where it is as its base state, no whole list can tell it.
#[test]
fn an_entity_that_no_whole_list_can_tell_costs_no_block() {
    let name = "merge-a.qwd";
    let frames = told::<Qwd>(name, is_delta);
    let mut demo = Recording::<Qwd>::read(testdata(name), name).unwrap();
    let mut nth = 0;
    demo.edit_messages(|message| {
        let Message::DeltaPacketEntities(list) = message else { return false };
        nth += 1;
        if nth == 20 {
            list.entities.insert(0, PacketEntity { frame: Some(0), ..PacketEntity::of(0) });
        }
        nth == 20
    });
    // What the next one but one builds on.
    demo.remove(frames[20]..frames[20] + 1);
    let damaged = demo.to_bytes().unwrap();
    let (out, account) = repaired_at_once(&damaged, name);
    assert_eq!((account.repairs.len(), account.repairs[0].done), (1, Done::Rebuilt), "{:?}", account.repairs);
    assert_eq!((account.account.blocks_dropped, account.account.blocks_changed), (0, 1));
    let (ours, whole) = (numbers(&world(&out, name)), numbers(&world(&testdata(name), name)));
    assert_eq!(ours, whole);
}

/// Of two lists in a block the one that builds on what is lost becomes a whole one, and the other one goes.
#[test]
fn a_list_that_is_made_whole_is_the_only_one() {
    fn lists<F: Listed>(out: Vec<u8>, name: &str, is_list: impl Fn(&<F as Format>::Message<'_>) -> bool) -> Vec<usize> {
        let demo = Recording::<F>::read(out, name).unwrap();
        demo.packets().map(|(_, packet)| packet.messages.iter().filter(|m| is_list(m)).count()).collect()
    }
    let is_list = |m: &Message<'_>| is_delta(m) || matches!(m, Message::PacketEntities(_));
    fn put(messages: &mut Vec<Message<'_>>, in_front: bool) {
        let at = messages.iter().position(is_delta).unwrap() + usize::from(!in_front);
        messages.insert(at, Message::PacketEntities(PacketEntities { entities: vec![PacketEntity::of(33)] }));
    }
    for in_front in [true, false] {
        for (name, is_multiview) in [("merge-a.qwd", false), ("merge-server.mvd", true)] {
            let frames = if is_multiview { told::<Mvd>(name, is_delta) } else { told::<Qwd>(name, is_delta) };
            let lost = frames[30]..frames[31];
            let damaged = match is_multiview {
                true => without::<Mvd>(name, lost, |_, messages| put(messages, in_front)),
                false => without::<Qwd>(name, lost, |_, messages| put(messages, in_front)),
            };
            let (out, account) = repaired_at_once(&damaged, name);
            assert_eq!(account.count(Found::LostBase), 1, "{name}: {:?}", account.repairs);
            assert_eq!(account.repairs[0].done, Done::Rebuilt, "{name}");
            let counts = if is_multiview { lists::<Mvd>(out, name, is_list) } else { lists::<Qwd>(out, name, is_list) };
            assert!(counts.iter().all(|count| *count < 2), "{name}: {counts:?}");
        }
    }
}

/// A block with two frames, as damage makes it, of which the first one builds on a lost one: that is not rebuilt, and the account
/// does not say so.
#[test]
fn a_frame_that_cannot_be_told_in_another_way_is_left_out() {
    let both = |name: &str| match name.ends_with("dm2") {
        true => {
            let frames = told::<Dm2>(name, |m| matches!(m, dm2::Message::Frame(_)));
            without::<Dm2>(name, frames[30]..frames[31], |whole, messages| {
                messages.extend(whole.packet(frames[32]).unwrap().messages);
            })
        }
        false => {
            let frames = told::<Dm3>(name, |m| matches!(m, dm3::Message::Snapshot(_)));
            without::<Dm3>(name, frames[30]..frames[31], |_, messages| {
                let snapshot = messages.iter().find(|m| matches!(m, dm3::Message::Snapshot(_))).unwrap();
                let snapshot = snapshot.clone();
                messages.push(snapshot);
            })
        }
    };
    for name in ["q2-demo1.dm2", "oa-dm4.dm_71"] {
        let (_, account) = repaired_at_once(&both(name), name);
        let first = account.repairs.iter().find(|repair| repair.found == Found::LostBase).unwrap();
        assert!(matches!(first.done, Done::Dropped | Done::Changed), "{name}: {:?}", account.repairs);
    }
}
