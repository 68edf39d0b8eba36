//! Recordings in memory that are changed.

use std::collections::BTreeSet;

use qdemo::demo::{Demo, Recording};
use qdemo::error::Moment;
use qdemo::format::dm2::{self, Dm2};
use qdemo::format::{DialectOf, Packet, dem, dm3, mvd, mvd2, qwd};
use qdemo::text::compile_bytes;
use qdemo::wire::Str;

use super::{Samples, for_every_format};
use crate::common::testdata;

for_every_format!(
    times_and_dialects_stay,
    a_part_begins_in_its_dialect,
    numbers_of_parts_lead_to_packets,
    parts_lead_to_packets_behind_changes
);

fn shipped<F: Samples>() -> Recording<F> {
    Recording::read(F::shipped(), F::SHIPPED).unwrap()
}

/// Of every packet its part, its time, where its messages end, and the dialects in front of it and behind.
type Told<F> = (usize, Option<Moment>, Vec<usize>, DialectOf<F>, DialectOf<F>);

fn told<F: Samples>(demo: &Recording<F>) -> Vec<Told<F>> {
    let (mut packets, mut all) = (demo.packets(), Vec::new());
    while let Some((part, _)) = packets.next() {
        let decoder = packets.decoder();
        all.push((part, decoder.time(), decoder.ends().to_vec(), decoder.before(), decoder.dialect()));
    }
    all
}

/// Packets that were changed tell times and dialects as those do that were not, and what follows them is read as it was.
fn times_and_dialects_stay<F: Samples>() {
    let timed = told(&shipped::<F>()).iter().filter(|(_, time, ..)| time.is_some()).count();
    assert!(timed > 100, "{}: {timed}", F::NAME);
    for bytes in F::short().into_iter().chain([F::shipped()]) {
        let original = Recording::<F>::read(bytes, F::FILE).unwrap();
        let (before, mut demo) = (told(&original), original.clone());
        for step in [2, 1] {
            let mut count = 0;
            demo.edit(|_| {
                count += 1;
                count % step == 0
            });
            let after = told(&demo);
            let other = before.iter().zip(&after).find(|(before, after)| before != after);
            assert!(before.len() == after.len() && other.is_none(), "{}, every {step}: {other:?}", F::NAME);
            let differs = original.packets().zip(demo.packets()).find(|(before, after)| before != after);
            assert!(differs.is_none(), "{}, every {step}: {differs:?}", F::NAME);
            assert!(Some(demo.to_bytes().unwrap().as_slice()) == original.as_read(), "{}, every {step}", F::NAME);
        }
    }
}

/// The dialect at a part is that in front of it, though the block there leads to another one: whether it stays as it was
/// read or not.
fn a_part_begins_in_its_dialect<F: Samples>() {
    let mut demo = shipped::<F>();
    for _ in 0..2 {
        for (part, .., before, after) in told(&demo).into_iter().step_by(7) {
            assert_eq!((demo.dialect_at(part), demo.dialect_at(part + 1)), (before, after), "{} {part}", F::NAME);
        }
        demo.edit(|_| true);
    }
}

fn numbers_of_parts_lead_to_packets<F: Samples>() {
    numbers_lead_to_packets(&shipped::<F>());
}

fn numbers_lead_to_packets<F: Samples>(demo: &Recording<F>) {
    for (part, packet) in demo.packets().step_by(13) {
        assert!(demo.packet(part).as_ref() == Some(&packet), "{} {part}", F::NAME);
        let (from, first) = demo.packets_from(part).next().unwrap();
        assert!(from == part && first == packet, "{} {part}", F::NAME);
    }
    assert!(demo.packet(demo.len()).is_none() && demo.packets_from(demo.len() + 9).next().is_none());
}

/// What was found of a recording does not outlive what was changed in front of it: parts that are replaced, put in and taken out
/// in any order lead to the packets that one reading gives.
fn parts_lead_to_packets_behind_changes<F: Samples>() {
    let mut demo = shipped::<F>();
    let middle = demo.len() / 2;
    for part in [middle, demo.len() - 2, middle + 300, 2, middle / 2] {
        let Some(packet) = demo.packet(part).map(Packet::into_owned) else { continue };
        demo.insert(part, packet.clone());
        demo.replace(part + 1, packet);
        demo.remove(part + 3..part + 4);
        numbers_lead_to_packets(&demo);
    }
}

/// The first block of `clip.dem` tells protocol 999; in front of it stand the number of the music and nothing more.
#[test]
fn a_packet_in_front_of_the_first_block() {
    let mut demo = shipped::<dem::Dem>();
    assert_eq!((demo.dialect_at(0).protocol, demo.dialect_at(1).protocol), (15, 15));
    let print = dem::Print { text: "hello\n".into() };
    demo.insert(1, dem::Packet::new([0.0; 3], vec![print.into()]));
    let bytes = demo.to_bytes().unwrap();
    let again = Recording::<dem::Dem>::read(bytes, "x.dem").unwrap();
    assert!(again.packets().map(|(_, packet)| packet).eq(demo.packets().map(|(_, packet)| packet)));
}

/// A packet in a dialect that nothing tells is in that one, and so is what follows.
#[test]
fn a_packet_in_a_dialect_of_its_own() {
    let mut demo = Recording::<dem::Dem>::new(None);
    let packet = || dem::Packet::new([0.0; 3], vec![dem::Disconnect {}.into()]);
    demo.push_bytes(b"-1\n");
    demo.push_in(packet(), dem::Dialect::FITZQUAKE);
    demo.push(packet());
    let all: Vec<_> = told(&demo).into_iter().map(|(part, .., before, _)| (part, before)).collect();
    assert_eq!(all, [(1, dem::Dialect::FITZQUAKE), (2, dem::Dialect::FITZQUAKE)]);
    assert_eq!([1, 2, 3].map(|part| demo.dialect_at(part)), [dem::Dialect::FITZQUAKE; 3]);
}

/// Readers take what stands behind the NUL for something else.
#[test]
fn a_string_with_a_nul_is_not_written() {
    fn refused<F: Samples>(change: fn(&mut F::Message<'_>) -> bool) {
        let mut demo = shipped::<F>();
        assert!(demo.edit_messages(change) > 0, "{}", F::NAME);
        let error = demo.to_bytes().unwrap_err();
        assert!(error.to_string().contains("a string with a NUL in it"), "{}: {error}", F::NAME);
        assert!(error.place.block.is_some() && error.place.message.is_some(), "{}: {error}", F::NAME);
    }
    fn set(string: &mut Str<'_>) -> bool {
        *string = "hi\0there".into();
        true
    }
    refused::<dem::Dem>(|message| match message {
        dem::Message::Print(m) => set(&mut m.text),
        _ => false,
    });
    refused::<qwd::Qwd>(|message| match message {
        qwd::Message::StuffText(m) => set(&mut m.text),
        _ => false,
    });
    refused::<mvd::Mvd>(|message| match message {
        qwd::Message::Print(m) => set(&mut m.string),
        _ => false,
    });
    refused::<Dm2>(|message| match message {
        dm2::Message::ConfigString(m) => set(&mut m.string),
        _ => false,
    });
    refused::<mvd2::Mvd2>(|message| match message {
        mvd2::Message::ServerData(m) => set(&mut m.configstrings[0].1),
        _ => false,
    });
    let restart = dm2::LevelRestart { strings: dm2::ChangedStrings(vec![(5, "a\0b".into())]) };
    let packet: Packet<'_, Dm2> = dm2::Packet::new(vec![restart.into()]);
    let fault = packet.to_bytes(dm2::Dialect::announced(2023, 1)).unwrap_err();
    assert!(fault.to_string().contains("a string with a NUL in it"), "{fault}");
}

/// Threads may share a recording.
#[test]
fn recordings_may_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Demo>();
    shared::<Recording<dem::Dem>>();
    shared::<Recording<qwd::Qwd>>();
    shared::<Recording<Dm2>>();
    shared::<Recording<dm3::Dm3>>();
}

/// In Quake III messages end between bits, and a text that is longer or shorter ends its block elsewhere. Where the bits end with
/// a byte one more follows, with whatever was in memory: it is no reason not to write a text of another length.
#[test]
fn texts_of_quake_3_get_longer_and_shorter() {
    let mut blocks = 0;
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let read = |bytes: Vec<u8>| Recording::<dm3::Dm3>::read(bytes, name).unwrap();
        let original = read(testdata(name));
        // What engines leave behind bits that end with a byte is not always 0.
        let with_rest = |packet: &Packet<'_, dm3::Dm3>| packet.contents.tail.iter().any(|byte| *byte != 0);
        blocks += original.packets().filter(|(_, packet)| with_rest(packet)).count();
        for more in 1..9 {
            let mut demo = original.clone();
            let changed = demo.edit(|packet| {
                packet
                    .messages
                    .push(dm3::ServerCommand { seq: 1, value: dm3::Text((b'a'..b'a' + more).collect()) }.into());
                true
            });
            assert!(changed > 100);
            let written = read(demo.to_bytes().unwrap());
            let messages = |demo: &Recording<dm3::Dm3>| -> Vec<_> {
                demo.packets().map(|(_, packet)| packet.into_owned().messages).collect()
            };
            assert!(messages(&written) == messages(&demo), "{name} {more}");
        }
    }
    assert!(blocks > 20, "{blocks} blocks");
    // The same of a text that somebody has edited. A byte of memory stays where there is room for it.
    let mut tails = BTreeSet::new();
    let said = "the quick brown fox jumps over the lazy dog";
    for more in 0..said.len() {
        let command = format!("serverCommand {{ seq 1; value \"{}\"; }}", &said[..more]);
        let text = format!("dm3 {{ protocol 68; }} block {{ sequence 1; rel_ack 0; {command} tail 0xFF; }}");
        let demo = Recording::<dm3::Dm3>::read(compile_bytes(text.as_bytes(), "t").unwrap(), "x.dm_68").unwrap();
        tails.extend(demo.packets().map(|(_, packet)| packet.contents.tail));
    }
    assert_eq!(tails, BTreeSet::from([vec![0], vec![0xFF]]));
}
