//! Properties of Quake III's messages: any content in any protocol, any bits, any bytes.

mod maker;
mod state;
mod words;

use std::collections::BTreeSet;

use super::packet;
use crate::common::quake3::{block, protocols};
use crate::common::{assert_survives, cases, rounds};
use maker::{Extreme, Maker, Seen};
use proptest::prelude::*;
use qdemo::Limits;
use qdemo::format::dm3::Dialect;
use qdemo::verify::verify;
use qdemo::wire::ByteWriter;

/// Whatever a block holds, in every protocol: the text compiles to the bytes that the facts give, those bytes
/// decompile to the same text, and JSON leads back to them.
#[test]
fn any_message_in_any_protocol_is_written_and_read_as_the_facts_say() {
    let rounds = rounds(600) as u64;
    for protocol in protocols() {
        let mut seen = Seen::new();
        let seed = |round: u64| (round << 8) + protocol.number as u64;
        let extremes =
            [Extreme::Lowest, Extreme::Highest].map(|extreme| Maker::extreme(protocol, seed(rounds), extreme));
        for mut maker in (0..rounds).map(|round| Maker::new(protocol, seed(round))).chain(extremes) {
            maker.block();
            for (field, values) in maker.seen {
                seen.entry(field).or_default().extend(values);
            }
        }
        // The highest and the lowest value of every field of the tables was among them.
        for (kind, fields) in [("entity", &protocol.entity), ("player", &protocol.player)] {
            for (name, bits) in fields {
                let values = seen.get(&(kind, *name)).map_or(0, BTreeSet::len);
                assert!(*bits == 0 || values == 2, "{} {kind} {name}", protocol.number);
            }
        }
    }
}

/// A stream of a dialect: a valid head, then bytes in its coding, many of them small, or just any bits.
fn streams() -> impl Strategy<Value = (bool, u8, Vec<u8>)> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..120),
        prop::collection::vec(prop_oneof![0u8..12, any::<u8>()], 0..120),
    ];
    (any::<bool>(), 0u8..12, bytes)
}

proptest! {
    #![proptest_config(cases(5_000))]

    /// Whatever bits follow the number of a message: what is read is written again, bit for bit.
    #[test]
    fn any_bits_are_read_and_written((coded, id, bytes) in streams()) {
        for protocol in protocols() {
            let dialect = Dialect::by_protocol(protocol.number).unwrap();
            let mut bits = protocol.head(1);
            bits.int(i32::from(id), 8);
            match coded {
                true => bits.data(&bytes),
                false => bytes.iter().fold(&mut bits, |bits, b| bits.raw(u64::from(*b), 8)),
            };
            let payload = bits.bytes();
            let (packet, _) = packet(&payload, dialect);
            let mut w = ByteWriter::default();
            packet.write(&mut { dialect }, &mut w).map_err(|f| TestCaseError::fail(f.to_string()))?;
            prop_assert_eq!(w.as_slice(), block(1, &payload), "{} {:?}", protocol.number, packet);
        }
    }

    /// The same by way of text, LMPC's text and JSON: a recording with a block of any bits.
    #[test]
    fn any_recording_survives((coded, id, bytes) in streams(), number in 0usize..13, tail in prop::collection::vec(any::<u8>(), 0..20)) {
        let protocol = protocols().nth(number).unwrap();
        let mut bits = protocol.head(1);
        bits.int(i32::from(id), 8);
        match coded {
            true => bits.data(&bytes),
            false => bytes.iter().fold(&mut bits, |bits, b| bits.raw(u64::from(*b), 8)),
        };
        let mut demo = protocol.demo(&[bits.bytes(), bits.bytes()]);
        demo.extend(&tail);
        assert_survives(&demo, &protocol.file_name());
        let report = verify(&demo[..], "x", Limits::default()).unwrap();
        prop_assert_eq!((report.different, report.bytes), (0, demo.len() as u64));
    }
}
