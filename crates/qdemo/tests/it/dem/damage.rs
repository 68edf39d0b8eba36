//! Damaged demos: what is intact is read.

use qdemo::Limits;
use qdemo::verify::verify;

use crate::common::{self, assert_survives};
use crate::every::Samples;
use qdemo::format::dem::Dem;

/// Damage in the middle costs its own block: everything before and after is still there.
#[test]
fn one_bad_message_costs_the_rest_of_its_block() {
    let mut demo = common::demo("-1\n", &[b"\x05\x01\0", b"\x08one\0\x3Bwhat is this", b"\x08two\0", b"\x02"]);
    let found: Vec<_> = Dem::messages(&demo).into_iter().map(|(_, m)| m).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[1].contains(r#""one""#) && found[2].contains(r#""two""#), "{found:?}");
    // The same with the size of the second block damaged: blocks are found again behind it.
    demo[3 + 19..3 + 23].copy_from_slice(&[0xFF; 4]);
    let found: Vec<_> = Dem::messages(&demo).into_iter().map(|(_, m)| m).collect();
    assert!(found.len() >= 2 && found.iter().any(|m| m.contains(r#""two""#)), "{found:?}");
}

/// Sizes of gigabytes in headers allocate nothing.
#[test]
fn a_lying_size_allocates_nothing() {
    for size in [0x7FFF_FFFFu32, 0xFFFF_FFFF, 0x4000_0000, 0x0010_0001] {
        let mut demo = common::demo("-1\n", &[b"\x05\x01\0", b"\x02"]);
        demo[3..7].copy_from_slice(&size.to_le_bytes());
        assert_survives(&demo, "x.dem");
        let report = verify(&demo[..], "x.dem", Limits::default()).unwrap();
        assert!(!report.is_sound());
    }
}
