//! Properties: any message in any dialect, any byte string, any text.

use crate::common::{assert_survives, cases, demo, serverinfo};
use proptest::prelude::*;
use qdemo::describe::Mistake;
use qdemo::format::dem::{Decoder, Dialect, Message, MessageKind, Variant};
use qdemo::format::encode_messages;
use qdemo::text::{message_to_json, message_to_text, parse_message};
use qdemo::wire::ByteWriter;

/// Every dialect of Quake that qdemo decodes.
fn dialects() -> Vec<Dialect> {
    let mut all: Vec<_> = Variant::ALL.into_iter().map(Dialect::initial).collect();
    for protocol in [250, 666, 10000, 10001, 10002] {
        all.extend(Dialect::variants(protocol).iter().map(|v| of(protocol, &[]).with_variant(*v)));
    }
    // RMQ's flags: short and float angles; 24-bit, float and int32 coordinates.
    for flags in [0, 0x02, 0x04, 0x08, 0x10, 0x80, 0x82, 0x14, 0x0A] {
        all.push(Dialect::rmq(flags));
    }
    all
}

/// The dialect that a serverinfo leads to.
fn of(protocol: i32, flags: &[u8]) -> Dialect {
    let file = demo("-1\n", &[&serverinfo(protocol, flags)]);
    let mut decoder = Decoder::default();
    let mut chunks = qdemo::Reader::new(&file[..], "x.dem", qdemo::Limits::default()).unwrap();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        if let qdemo::Chunk::Dem(qdemo::format::dem::Chunk::Block(block)) = chunk {
            assert!(decoder.read(&block).1.is_none(), "protocol {protocol}");
        }
    }
    decoder.dialect()
}

/// Bytes of a message: a number, and enough for the longest.
fn message_bytes() -> impl Strategy<Value = Vec<u8>> {
    let tail = prop_oneof![
        prop::collection::vec(any::<u8>(), 60..200),
        // Mostly small bytes: strings end, types are known.
        prop::collection::vec(0u8..32, 60..200),
    ];
    (prop_oneof![0u8..60, any::<u8>()], tail).prop_map(|(id, mut tail)| {
        tail.insert(0, id);
        tail.extend([0; 8]);
        tail
    })
}

fn check(message: &Message<'_>, raw: &[u8], d: &Dialect) -> Result<(), TestCaseError> {
    let mut w = ByteWriter::default();
    encode_messages([message], &mut { *d }, &mut w).map_err(|f| TestCaseError::fail(f.to_string()))?;
    prop_assert_eq!(w.as_slice(), raw, "bytes of {:?} in {}", message, d.name);
    let any = qdemo::demo::Message::Dem(message.clone());
    for text in [message_to_text(&any), message_to_json(&any)] {
        let mut w = ByteWriter::default();
        let parsed: Result<(), Mistake> = parse_message(&text, d, &mut w);
        prop_assert!(parsed.is_ok(), "{} in {}: {:?}", text, d.name, parsed);
        prop_assert_eq!(w.as_slice(), raw, "text {} in {}", text, d.name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// A message read from any bytes writes the same bytes, from the model, from its text and from its JSON.
    #[test]
    fn any_message_in_any_dialect_round_trips(bytes in message_bytes()) {
        for d in dialects() {
            let mut messages = qdemo::format::dem::Messages::new(&bytes, d);
            if let Some(message) = messages.next() {
                if message.kind().is_some() {
                    check(&message, messages.raw(), &d)?;
                }
            }
        }
    }

    /// Bytes that look like a demo come back: track, a block of anything, more of anything.
    #[test]
    fn any_demo_survives(
        payload in prop::collection::vec(any::<u8>(), 0..200),
        tail in prop::collection::vec(any::<u8>(), 0..60),
        protocol in prop_oneof![Just(15), Just(666), Just(999), Just(250), Just(10002), Just(3504), any::<i32>()],
    ) {
        let mut file = demo("-1\n", &[&serverinfo(protocol, &[0; 4][..if protocol == 999 { 4 } else { 0 }]), &payload]);
        file.extend(&tail);
        assert_survives(&file, "x.dem");
    }
}

/// Every declared message is reachable: some dialect has a number for it.
#[test]
fn every_kind_has_a_number_in_some_dialect() {
    for &kind in MessageKind::ALL {
        assert!(dialects().iter().any(|d| d.number_of(kind).is_some()), "{}", kind.schema().name);
    }
}
