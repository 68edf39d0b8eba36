//! Whatever bytes stand in a recording: they come back.

use proptest::prelude::*;
use qdemo::FileKind;
use qdemo::format::dm2::*;
use qdemo::format::encode_messages;
use qdemo::text::{Options, Style, decompile_bytes};
use qdemo::wire::ByteWriter;

use super::build::*;
use crate::common::{assert_survives, cases, report};

/// Every protocol in every kind of recording.
fn dialects() -> Vec<Dialect> {
    let later = (26..=34).flat_map(|p| RECORDINGS.map(|(_, mark)| Dialect::announced(p, mark)));
    let extended = [3434, 3435, 3436, 56].map(|p| Dialect::announced(p, 1));
    let long_angles = Dialect::announced(56, 1).with_long_angles(true);
    let rerelease = [0, 1, 2].map(|screens| Dialect::announced(RERELEASE, 1).with_screens(40, screens));
    let demos = Dialect::announced(2022, 1).with_screens(40, 1);
    later.chain(extended).chain([long_angles, Dialect::TEST_RELEASE, demos]).chain(rerelease).collect()
}

const RERELEASE: i32 = 2023;

/// A serverdata that leads to a dialect.
fn introduction(d: &Dialect) -> Vec<u8> {
    let mark = RECORDINGS.iter().find(|(r, _)| *r == d.recording).map_or(1, |(_, mark)| *mark);
    let mut bytes = vec![if d.recording == Recording::TestRelease { 7 } else { 12 }];
    bytes.extend(d.protocol.to_le_bytes());
    bytes.extend([1, 0, 0, 0, mark]);
    if d.layout.rerelease {
        // Frames a second, no directory, and slots where there are several players, or none.
        bytes.extend([40, 0]);
        match d.screens {
            0 => bytes.extend([0xFE, 0xFF, 0, 0]),
            1 => bytes.extend([0, 0]),
            _ => bytes.extend([0xFE, 0xFF, 2, 0, 0, 0, 1, 0]),
        }
    } else {
        bytes.extend([0, 0, 0]);
    }
    bytes.extend(b"m\0");
    bytes
}

/// Bytes of a message: a number, and enough for the longest.
fn message_bytes() -> impl Strategy<Value = Vec<u8>> {
    let tail = prop_oneof![
        prop::collection::vec(any::<u8>(), 40..150),
        // Mostly small bytes: strings end, types are known.
        prop::collection::vec(0u8..40, 40..150),
        // Masks with few bits and many.
        prop::collection::vec(prop_oneof![Just(0u8), Just(0x80), Just(0xFF), any::<u8>()], 40..150),
    ];
    (prop_oneof![4 => 0u8..34, 1 => 0x80u8..0x95, 1 => any::<u8>()], tail).prop_map(|(id, mut tail)| {
        tail.insert(0, id);
        tail.extend([0; 560]);
        tail
    })
}

/// A serverdata of any protocol near those of Quake II, with the numbers of either release.
fn any_introduction() -> impl Strategy<Value = Vec<u8>> {
    (
        prop_oneof![6 => 25i32..37, 1 => 2022..=RERELEASE, 1 => any::<i32>()],
        prop_oneof![Just(0u8), Just(1), Just(2), Just(128)],
    )
        .prop_flat_map(|(protocol, mark)| {
            (Just((protocol, mark)), prop_oneof![4 => Just(12u8), 2 => Just(7), 1 => Just(0x8C)])
        })
        .prop_map(|((protocol, mark), id)| {
            let mut bytes = vec![id];
            if id == 0x8C {
                bytes.push(1);
            }
            bytes.extend(protocol.to_le_bytes());
            bytes.extend([1, 0, 0, 0, mark, 0, 0, 0, b'm', 0]);
            bytes
        })
}

/// Parts that demos are made of, and that may stand in the wrong place.
fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => any_introduction(),
        2 => Just(b"\x14\x88\x13\0\0\x12\0\0".to_vec()),
        2 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\0\x01\xFF".to_vec()),
        2 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\0\x01\xFF\x01\x02".to_vec()),
        1 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\x01\xFF".to_vec()),
        2 => Just(b"\x8A\x03\x02hi\0".to_vec()),
        2 => Just(b"\x0A\x02hi\0".to_vec()),
        1 => Just(vec![0x11, 0, 0, 0, 0, 0, 0]),
        1 => Just(b"\x0E\x14\0\x08\0\x10\0\x18\0\0\x40\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0".to_vec()),
        1 => Just(b"\x10\x41\x01\x08\0\0\0".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..8),
        1 => Just(Vec::new()),
    ]
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// A message read from any bytes writes the same bytes, in any dialect.
    #[test]
    fn any_message_in_any_dialect_writes_its_bytes(bytes in message_bytes()) {
        for d in dialects() {
            let mut messages = Messages::new(&bytes, d);
            if let Some(message) = messages.next().filter(|m| m.kind().is_some()) {
                let mut w = ByteWriter::default();
                encode_messages([&message], &mut { d }, &mut w).map_err(|f| TestCaseError::fail(f.to_string()))?;
                prop_assert_eq!(w.as_slice(), messages.raw(), "{:?} in {} {:?}", message, d.protocol, d.recording);
            }
        }
    }

    /// The same through a whole file, in text, LMPC's style and JSON.
    #[test]
    fn any_message_in_a_file_survives(bytes in message_bytes(), which in 0..dialects().len()) {
        let d = dialects()[which];
        let mut messages = Messages::new(&bytes, d);
        let Some(message) = messages.next().filter(|m| m.kind().is_some()) else { return Ok(()) };
        let file = [&blocks(&[introduction(&d), messages.raw().to_vec()])[..], &END_MARK].concat();
        assert_survives(&file, "x.dm2");
        let report = report(&file, "x.dm2");
        prop_assert_eq!(report.detected.kind, FileKind::Dm2);
        if message.kind() != Some(MessageKind::ServerData) {
            prop_assert_eq!((report.uncovered, report.different), (0, 0), "{:?}", message);
            let text = decompile_bytes(&file, "x.dm2", &Options::with_style(Style::Text)).unwrap();
            prop_assert!(!String::from_utf8_lossy(&text).contains("\n unknown {"), "{:?}", message);
        }
    }

    /// Parts of demos come back in any order, cut into blocks anywhere.
    #[test]
    fn any_parts_survive(
        introduction in any_introduction(),
        parts in prop::collection::vec(prop::collection::vec(part(), 0..4), 0..6),
        tail in prop::collection::vec(any::<u8>(), 0..20),
        end in any::<bool>(),
    ) {
        let payloads: Vec<_> = [vec![introduction]].iter().chain(&parts).map(|p| p.concat()).collect();
        let mut file = blocks(&payloads);
        if end {
            file.extend(END_MARK);
        }
        file.extend(tail);
        assert_survives(&file, "x.dm2");
        prop_assert_eq!(report(&file, "x.dm2").different, 0);
    }
}
