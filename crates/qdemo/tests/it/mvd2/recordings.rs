//! What recordings at hand tell of themselves.

use qdemo::detect::detect;
use qdemo::format::dm2;
use qdemo::format::mvd2::{Chunk, Dialect, Message, Messages};
use qdemo::replay::info::{Facts, info};
use qdemo::{Limits, Reader};

use super::build::text;
use crate::common::{all_mvd2, file_name, need};

/// Q2PRO sets no bit in vain, and what it writes is known for sure.
#[test]
fn recordings_are_what_q2pro_writes() {
    for path in all_mvd2() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let text = text(&demo);
        assert!(!text.contains("mask_extra") && !text.contains("_bytes"), "{name}");
        assert_eq!(detect(&demo, true, &name, Limits::default()).score, 100, "{name}");
    }
}

/// The recorder pretends to be a spectator of that name, in the slot that `serverdata` tells; here it does not.
#[test]
fn a_shipped_recording_tells_who_played() {
    let demo = crate::common::testdata("q2pro-dm.mvd2");
    let Facts::Mvd2(facts) = info(&demo[..], "q2pro-dm.mvd2", Limits::default()).unwrap().facts else {
        panic!("Quake II")
    };
    assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].minor, facts.levels[0].client), ("demo1", 2010, -1));
    assert_eq!(facts.players.iter().map(|p| p.name()).collect::<Vec<_>>(), ["Recorder", "Second"]);
    assert!(facts.ends_cleanly);
}

/// What all players read stands in the recordings of the server and of a client of the same game.
#[test]
fn a_client_read_the_same() {
    let Some(dir) = need("recorded") else { return };
    for game in ["dm", "coop"] {
        let text = |name: String| text(&std::fs::read(dir.join(name)).unwrap());
        let server = text(format!("mvd2/q2pro-34-{game}.mvd2"));
        let client = text(format!("dm2/q2pro-34-{game}.dm2"));
        let prints = server.split("\n print {\n").skip(1).map(|p| p.split(" }").next().unwrap());
        let mut seen = 0;
        for print in prints {
            assert!(client.contains(print), "{print}");
            seen += 1;
        }
        assert!(seen > 0 || game == "coop");
    }
}

/// The library's way to the messages of the game within commands.
#[test]
fn effects_stand_in_multicasts() {
    let demo = crate::common::testdata("q2pro-dm.mvd2");
    let mut chunks = Reader::new(&demo[..], "x", Limits::default()).unwrap();
    let mut dialect = Dialect::MVD2;
    let (mut flashes, mut prints) = (0, Vec::new());
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let qdemo::Chunk::Mvd2(Chunk::Block(block)) = chunk else { continue };
        let mut messages = Messages::new(block.payload, dialect);
        for message in messages.by_ref() {
            match message {
                Message::Multicast(m) => {
                    flashes += m.messages.iter().filter(|m| matches!(m, dm2::Message::MuzzleFlash(_))).count();
                }
                Message::Print(m) => prints.push(m.string.clean()),
                _ => {}
            }
        }
        dialect = messages.dialect();
    }
    assert!(flashes > 0 && !prints.is_empty(), "{flashes} {prints:?}");
}
