//! Properties: any message in any dialect, any hidden message, any bytes.

use proptest::prelude::*;
use qdemo::Limits;
use qdemo::format::encode_messages;
use qdemo::format::qwd::{Dialect, MessageKind, Messages};
use qdemo::verify::verify;
use qdemo::wire::ByteWriter;

use super::build::{Server, multiple, record};
use crate::common::{Random, cases, comes_back};

/// FTE's flags that change a layout, singly and together, and MVDSV's.
fn servers() -> impl Strategy<Value = Server> {
    let fte = prop_oneof![
        Just(0u32),
        // TRANS, MODELDBL, ENTITYDBL, ENTITYDBL2, FLOATCOORDS, COLOURMOD.
        prop::sample::select(vec![0x8, 0x1000, 0x2000, 0x4000, 0x8000, 0x80000]),
        prop::sample::select(vec![0x0148_7008, 0x2048_7008, 0x8008, 0xFFFF_FFFF]),
    ];
    // FLOATCOORDS, HIGHLAGTELEPORT, HIDDEN_MESSAGES, WEAPONPREDICTION in all combinations.
    let mvd1 = (0u32..16).prop_map(|n| n & 3 | (n & 4) << 3 | (n & 8) << 4);
    (24..=28i32, fte, mvd1, any::<bool>()).prop_map(|(protocol, fte, mvd1, multiview)| Server {
        protocol,
        fte,
        mvd1,
        multiview,
    })
}

/// Bytes of a message: a number, mostly one that is in use, and enough for the longest.
fn message_bytes() -> impl Strategy<Value = Vec<u8>> {
    let tail = prop_oneof![
        prop::collection::vec(any::<u8>(), 60..200),
        // Mostly small bytes: strings end, types are known.
        prop::collection::vec(0u8..32, 60..200),
    ];
    // Players and entities have more to get wrong than all others.
    let id = prop_oneof![0u8..60, prop::sample::select(vec![42u8, 47, 48, 21, 66, 60, 54, 84, 83, 11, 6]), any::<u8>()];
    (id, tail).prop_map(|(id, mut tail)| {
        tail.insert(0, id);
        tail.extend([0; 8]);
        tail
    })
}

/// The first message in some bytes comes back from the model. Gives its bytes, if there is one.
fn first_message(bytes: &[u8], dialect: Dialect) -> Result<Option<&[u8]>, TestCaseError> {
    let mut messages = Messages::new(bytes, dialect);
    let Some(message) = messages.next().filter(|m| m.kind().is_some()) else { return Ok(None) };
    let mut w = ByteWriter::default();
    encode_messages([&message], &mut { dialect }, &mut w).map_err(|f| TestCaseError::fail(f.to_string()))?;
    prop_assert_eq!(w.as_slice(), messages.raw(), "{:?}", message);
    Ok(Some(messages.raw()))
}

proptest! {
    #![proptest_config(cases(20_000))]

    /// A message read from any bytes writes the same bytes.
    #[test]
    fn any_message_in_any_dialect_round_trips(bytes in message_bytes(), server in servers()) {
        first_message(&bytes, server.dialect())?;
    }

    /// The same through a whole recording, in text, LMPC's style and JSON; with whatever stands behind the message.
    #[test]
    fn any_message_in_a_recording_survives(bytes in message_bytes(), server in servers()) {
        let raw = first_message(&bytes, server.dialect())?;
        // The message alone, so that no fault of a later one hides it; else all bytes.
        let demo = server.demo(&[raw.unwrap_or(&bytes)]);
        let report = verify(&demo[..], server.name(), Limits::default()).unwrap();
        prop_assert_eq!(report.is_sound(), raw.is_some());
        comes_back(&demo, server.name());
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// Anything at all behind a message.
    #[test]
    fn any_bytes_in_a_block_survive(bytes in message_bytes(), server in servers(), tail in prop::collection::vec(any::<u8>(), 0..40)) {
        comes_back(&[server.demo(&[&bytes]), tail].concat(), server.name());
    }

    /// Hidden messages: any type, any length told, any bytes.
    #[test]
    fn any_hidden_messages_survive(
        messages in prop::collection::vec((0u16..13, 0usize..26, any::<bool>(), any::<u64>()), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..8),
        exact in any::<bool>(),
    ) {
        let server = Server { protocol: 28, fte: 0, mvd1: 0x20, multiview: true };
        let mut payload = Vec::new();
        for (kind, size, usual, seed) in messages {
            // The sizes that the known types have, or any.
            let size = match kind {
                1 if usual => 23,
                7 | 9 | 11 if usual => 8,
                _ => size,
            };
            payload.extend((size as u32).to_le_bytes());
            payload.extend(kind.to_le_bytes());
            payload.extend(Random(seed | 1).bytes(size));
        }
        if !exact {
            payload.extend(&tail);
        }
        let demo = [server.demo(&[]), multiple(0, &payload)].concat();
        if exact {
            prop_assert!(verify(&demo[..], "x.mvd", Limits::default()).unwrap().is_sound());
        }
        comes_back(&demo, "x.mvd");
    }

    /// A record of any kind with any slot, whole or cut.
    #[test]
    fn any_record_survives(kind in any::<u8>(), payload in prop::collection::vec(any::<u8>(), 0..50), cut in 0usize..60) {
        let server = Server { protocol: 28, fte: 0, mvd1: 0x20, multiview: true };
        let demo = [server.demo(&[b"\x01"]), record(kind, &payload)].concat();
        comes_back(&demo, "x.mvd");
        comes_back(&demo[..demo.len() - cut], "x.mvd");
    }

    /// The same for a block of a client's recording.
    #[test]
    fn any_block_survives(kind in 0u8..4, payload in prop::collection::vec(any::<u8>(), 0..50), time in any::<u32>(), cut in 0usize..60) {
        let server = Server { protocol: 28, fte: 0, mvd1: 0, multiview: false };
        let mut demo = server.demo(&[b"\x01"]);
        demo.extend(time.to_le_bytes());
        demo.extend(&super::build::block(0.0, kind, &payload)[4..]);
        comes_back(&demo, "x.qwd");
        comes_back(&demo[..demo.len() - cut], "x.qwd");
    }
}

/// Every declared message is reachable: a client's dialect or a multi-view one has a number for it.
#[test]
fn every_kind_has_a_number() {
    // Hidden messages have numbers of their own.
    for &kind in MessageKind::ALL.iter().filter(|kind| !kind.schema().name.starts_with("hidden")) {
        let numbers = [Dialect::QUAKEWORLD, Dialect::MULTIVIEW].map(|d| d.number_of(kind));
        assert!(numbers.iter().any(Option::is_some), "{}", kind.schema().name);
    }
    // The same number means another message in each.
    assert_eq!(Dialect::QUAKEWORLD.number_of(MessageKind::PlayerInfo), Some(42));
    assert_eq!(Dialect::MULTIVIEW.number_of(MessageKind::MvdPlayerInfo), Some(42));
    assert_eq!(Dialect::MULTIVIEW.number_of(MessageKind::PlayerInfo), None);
}
