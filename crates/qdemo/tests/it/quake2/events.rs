//! Events of Quake II recordings: what the server prints, and the score of the recorder.

use crate::common::{self, all_dm2, file_name};
use qdemo::Limits;
use qdemo::event::{Event, EventKind, FragKind};
use qdemo::replay::{Pass, Step};
use qdemo::world::Scene;

/// The events of a recording, and its recorder.
fn all_events(demo: &[u8], name: &str) -> (Vec<Event>, Option<usize>) {
    let (mut all, mut recorder) = (Vec::new(), None);
    let mut note = |step: &Step<'_>| {
        if !step.events.is_empty() {
            recorder = step.world.recorder();
        }
        all.extend_from_slice(step.events);
        Ok(())
    };
    Pass::new(Limits::default()).run(demo, name, &mut [&mut note]).unwrap();
    (all, recorder)
}

/// Every print with a player's name in front and another in it is a death or no death, never two; and each death by the
/// recorder's own hand is a point on the recorder's status bar at that moment.
#[test]
fn deaths_of_the_recordings() {
    let (mut deaths, mut by_recorder, mut points) = (0, 0, 0);
    for path in all_dm2() {
        let demo = std::fs::read(&path).unwrap();
        let name = file_name(&path);
        let (all, recorder) = all_events(&demo, &name);
        for event in &all {
            let EventKind::Frag(frag) = &event.kind else { continue };
            deaths += 1;
            assert!(frag.victim.slot.is_some(), "{name}: {frag:?}");
            if frag.kind != FragKind::Kill || frag.attacker.as_ref().and_then(|a| a.slot) != recorder {
                continue;
            }
            by_recorder += 1;
            let near = |e: &&Event| e.clock.demo.ms().abs_diff(event.clock.demo.ms()) <= 200;
            points += usize::from(all.iter().filter(near).any(
                |e| matches!(&e.kind, EventKind::Score { player, from, to } if player.slot == recorder && to > from),
            ));
        }
    }
    assert_eq!(points, by_recorder, "of {deaths} deaths");
    assert!(common::shared("corpus/dm2").is_none() || by_recorder >= 6 && deaths >= 14, "{by_recorder} of {deaths}");
}

/// Blocks written by hand: serverdata, two players, a frame, prints.
#[test]
fn prints_become_events() {
    let string = |text: &str| [text.as_bytes(), &[0]].concat();
    let mut first = vec![12];
    first.extend(34i32.to_le_bytes());
    first.extend(0x1_0000i32.to_le_bytes());
    first.push(1);
    first.extend(string(""));
    first.extend(0i16.to_le_bytes());
    first.extend(string("The Edge"));
    for (index, text) in [(33u16, "maps/q2dm1.bsp"), (1312, "stg\\male/grunt"), (1313, "a b\\female/athena")] {
        first.push(13);
        first.extend(index.to_le_bytes());
        first.extend(string(text));
    }
    let mut second = Vec::new();
    for (level, text) in [
        (1u8, "a b was railed by stg\n"),
        (1, "stg cratered.\n"),
        (3, "a b: good shot\n"),
        (3, "(stg): to the quad\n"),
        (2, "a b changed name to c\n"),
        // Without a match it is the level that ends.
        (2, "Timelimit hit.\n"),
        (2, "Fight!\n"),
        (2, "Fraglimit hit.\n"),
        (1, "nobody was railed by stg\n"),
        // Threewave's Capture the Flag.
        (2, "stg got the BLUE flag!\n"),
        (2, "a b captured the RED flag!\n"),
        (2, "The BLUE flag has returned!\n"),
        (2, "nobody got the BLUE flag!\n"),
    ] {
        second.extend([10, level]);
        second.extend(string(text));
    }
    let mut demo = Vec::new();
    for block in [first, second] {
        demo.extend((block.len() as u32).to_le_bytes());
        demo.extend(block);
    }
    demo.extend([0xFF; 4]);
    let (all, _) = all_events(&demo, "made.dm2");
    let words: Vec<String> =
        all.iter().filter(|e| !matches!(e.kind, EventKind::Print { .. })).map(|e| e.kind.to_string()).collect();
    let expected = [
        "level q2dm1 (The Edge)",
        "stg kills a b (railgun)",
        "stg dies (falling)",
        "a b: good shot",
        "(stg): to the quad",
        "match: start",
        "match: end",
        "blue flag taken by stg",
        "red flag captured by a b",
        "blue flag returned",
    ];
    // The level is told by serverdata; the map stands in a configstring behind it.
    assert_eq!(words, expected);
}
